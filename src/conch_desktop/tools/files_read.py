"""Reading a file for a model: text with its line numbers in the head, a picture as a picture, the text of a PDF."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import platformdirs

from conch_desktop.domain.pictures import LARGEST, PictureContent, kind_of
from conch_desktop.domain.tools import TextContent, ToolAnswer
from conch_desktop.tools.files_places import FileTrouble, Folders, Place

LARGEST_FILE = 20_000_000
"""Bytes of a file that is read."""

MOST_CHARACTERS = 60_000
"""Characters of one answer; the rest is asked for by line."""

PDF_SECONDS = 40.0

_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def read(folders: Folders, path: str, first: int, count: int, stopped: threading.Event) -> ToolAnswer:
    """A file, or the `count` lines of it from line `first` on (0: as many as fit). Raises `FileTrouble`."""
    place = folders.find(path)
    with folders.parent(place) as (opened, name):
        data = opened.read(name, LARGEST_FILE, place.shown)
        outside = came_from_outside(place)
    media_type = kind_of(data)
    if media_type:
        return _picture(place, data, media_type, outside)
    text = text_of(data, place.shown, stopped)
    return ToolAnswer((TextContent(_lines(text, place, first, count)),), outside=outside)


def text_of(data: bytes, shown: str, stopped: threading.Event) -> str:
    """The text of a file's bytes; of a PDF what is written in it. Raises `FileTrouble` when there is none."""
    return _pdf(data, shown, stopped) if data.startswith(b"%PDF-") else _text(data, shown)


def came_from_outside(place: Place) -> str:
    """Where a file came from that somebody else wrote, "" for a person's own: downloads are marked by browsers, or lie
    in the folder for downloads."""
    downloads = Path(os.path.realpath(platformdirs.user_downloads_path()))
    if place.real.is_relative_to(downloads) or _marked(place):
        return f"the downloaded file {place.shown}"
    return ""


def _marked(place: Place) -> bool:
    """Whether the system's mark of a download is on the file; macOS's can't be read from here."""
    if sys.platform == "win32":
        return os.path.exists(f"{place.real}:Zone.Identifier")  # noqa: PTH110 - a stream, not a path
    if sys.platform != "linux":
        return False
    try:
        return "user.xdg.origin.url" in os.listxattr(place.real, follow_symlinks=False)
    except OSError:
        return False


def _picture(place: Place, data: bytes, media_type: str, outside: str) -> ToolAnswer:
    if len(data) > LARGEST:
        raise FileTrouble(f"{place.shown} is a picture of {len(data):,} bytes, and {LARGEST:,} are the most.")
    words = f"{place.shown}: a picture ({media_type}, {len(data):,} bytes)."
    return ToolAnswer((TextContent(words), PictureContent(data, media_type)), outside=outside)


def _text(data: bytes, shown: str) -> str:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    if b"\0" in data[:8192]:
        raise FileTrouble(f"{shown} is no text: {len(data):,} bytes of something else.")
    return data.decode("utf-8", "replace")


def _lines(text: str, place: Place, first: int, count: int) -> str:
    lines = text.splitlines()
    total = len(lines)
    begin = max(1, first)
    if total and begin > total:
        raise FileTrouble(f"{place.shown} has {total:,} lines.", f"Ask for a line from 1 to {total}.")
    chosen = lines[begin - 1 : begin - 1 + count] if count > 0 else lines[begin - 1 :]
    kept, room = 0, MOST_CHARACTERS
    for line in chosen:
        room -= len(line) + 1
        if room < 0 and kept:
            break
        kept += 1
    body = "\n".join(chosen[:kept])
    end = begin + kept - 1
    if len(body) > MOST_CHARACTERS:
        body = f"{body[:MOST_CHARACTERS]}\n[Line {end} is cut here.]"
    if total == 0:
        return f"{place.shown} is empty."
    head = f"{place.shown}, {total:,} line{'' if total == 1 else 's'}"
    if begin == 1 and end == total:
        return f"{head}:\n{body}"
    more = f"\n[Go on with from_line {end + 1}.]" if end < total else ""
    return f"{head}, here {begin}–{end}:\n{body}{more}"


def _pdf(data: bytes, shown: str, stopped: threading.Event) -> str:
    """The text of a PDF, read in a process of its own."""
    command = [sys.executable, "-P", "-m", "conch_desktop.tools.files_pdf"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        watch = threading.Thread(target=_end_when, args=(child, stopped), daemon=True)
        watch.start()
        try:
            out, errors = child.communicate(data, timeout=PDF_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            raise FileTrouble(f"{shown} took longer than {PDF_SECONDS:.0f} s to read.") from None
    text = out.decode("utf-8", "replace")
    if child.returncode != 0 and not text:
        why = errors.decode("utf-8", "replace").strip().splitlines()
        raise FileTrouble(f"{shown} is a PDF that can’t be read: {why[-1][:200] if why else 'no reason'}.")
    if not any(
        character.isalnum() for line in io.StringIO(text) if not line.startswith("[page ") for character in line
    ):
        return f"{text}[There is no text in this PDF. It may be made of pictures.]"
    return text


def _end_when(child: subprocess.Popen[bytes], stopped: threading.Event) -> None:
    """Ends the child when the call is stopped."""
    while child.poll() is None:
        if stopped.wait(0.1):
            child.kill()
            return
