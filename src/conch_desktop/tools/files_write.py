"""Writing files: the change is worked out first, shown as a diff, made in one step, and can be taken back.

A write goes to a new file beside the old one, which then takes its place: a crash leaves the one or the other, whole.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Callable
from dataclasses import dataclass
from difflib import unified_diff

from conch_desktop.tools.files_places import FileTrouble, Folders, Opened, Place

LARGEST_WRITTEN = 5_000_000
"""Bytes of a file that is written or edited."""

LONGEST_DIFF = 40_000
"""Characters of a diff that are shown."""

_MOST_DIFFED = 3_000
"""Lines that are compared; the time grows with their square."""

_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Change:
    """What a file will hold. `before` is None for one that is not there yet."""

    place: Place
    before: bytes | None
    after: bytes

    @property
    def mark(self) -> str:
        """Tells whether the file is still as it was when the change was worked out."""
        return mark_of(self.before)


def mark_of(data: bytes | None) -> str:
    """Tells one content from another, and from no file."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


def whole(folders: Folders, path: str, content: str) -> Change:
    """The change that gives a file these contents. Line ends and a byte order mark of the file there stay."""
    place = folders.find(path)
    before = _there(folders, place)
    if before is not None:
        old = _decoded(before, place)
        content = _with_ends(content, _ends(old))
        content = _BOM + content if old.startswith(_BOM) and not content.startswith(_BOM) else content
    return _change(place, before, content)


def edited(folders: Folders, path: str, old: str, new: str) -> Change:
    """The change that puts `new` in the place of `old`, which must be in the file exactly once."""
    place = folders.find(path)
    before = _there(folders, place)
    if before is None:
        raise FileTrouble(f"There is no file {place.shown}.", "Make it with write_file.")
    text = _decoded(before, place)
    ends = _ends(text)
    old, new = _with_ends(old, ends), _with_ends(new, ends)
    count = text.count(old) if old else 0
    if count == 0:
        raise FileTrouble(f"The old text is not in {place.shown}.", "Read the file and copy the text exactly.")
    if count > 1:
        raise FileTrouble(f"The old text is {count} times in {place.shown}.", "Take more of the lines around it.")
    return _change(place, before, text.replace(old, new, 1))


def diff(change: Change) -> str:
    """The change as a person reads it before it is allowed. Characters that nobody can see are written out."""
    old = [] if change.before is None else change.before.decode("utf-8", "replace").splitlines()
    new = change.after.decode("utf-8", "replace").splitlines()
    begin = _same(old, new)
    end = _same(old[begin:][::-1], new[begin:][::-1])
    around = max(0, begin - 3)
    old, new = old[around : len(old) - max(0, end - 3)], new[around : len(new) - max(0, end - 3)]
    if len(old) + len(new) > _MOST_DIFFED:
        lines = [*(f"-{line}" for line in old), *(f"+{line}" for line in new)]
    else:
        lines = list(unified_diff(old, new, lineterm="", n=3))[3:]
    head = (
        f"{change.place.shown}, line {around + 1}:" if change.before is not None else f"new file {change.place.shown}:"
    )
    text = "\n".join([head, *map(seen, lines)]) if lines else f"{change.place.shown} stays as it is in every line."
    if len(text) > LONGEST_DIFF:
        text = f"{text[:LONGEST_DIFF]}\n[The change goes on: {len(text):,} characters in all.]"
    return text


def make(folders: Folders, change: Change, stopped: Callable[[], bool] = lambda: False) -> None:
    """Makes the change. Raises `FileTrouble` when the file is no longer as it was, or when it is stopped in time."""
    with folders.parent(change.place, make=change.before is None) as (opened, name):
        if mark_of(_content(opened, name, change.place)) != change.mark:
            raise FileTrouble(f"{change.place.shown} was changed meanwhile, so nothing was written.", "Read it again.")
        replace(opened, name, change.after, stopped)


def take_back(folders: Folders, place: Place, before: bytes | None, after: str) -> None:
    """Puts the file back as it was; `after` is the mark of what was written. Raises `FileTrouble` when it was changed
    since."""
    with folders.parent(place) as (opened, name):
        if mark_of(_content(opened, name, place)) != after:
            raise FileTrouble(f"{place.shown} was changed since, so it stays as it is.")
        if before is None:
            where, at = opened.at(name)
            os.unlink(where, **at)
        else:
            replace(opened, name, before)


def replace(opened: Opened, name: str, data: bytes, stopped: Callable[[], bool] = lambda: False) -> None:
    """Puts a file with this content in the place of the one of that name; its mode stays."""
    there = opened.look(name)
    new, at = opened.at(f".{name[:80]}.{secrets.token_hex(6)}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(new, flags, 0o666 if there is None else 0o600, **at), "wb") as file:
            if there is not None and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), stat.S_IMODE(there.st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if stopped():
            raise FileTrouble("Stopped before anything was written.")
        where, _ = opened.at(name)
        folder = {} if opened.fd is None else {"src_dir_fd": opened.fd, "dst_dir_fd": opened.fd}
        os.replace(new, where, **folder)  # noqa: PTH105 - relative to the open folder
    except BaseException:
        if opened.look(os.path.basename(new)) is not None:  # noqa: PTH119 - a name, not a path
            os.unlink(new, **at)
        raise
    if opened.fd is not None:
        os.fsync(opened.fd)


def seen(line: str) -> str:
    """The line with every character written out that could hide something or turn the line around."""
    return "".join(
        character if character.isprintable() or character == "\t" else f"⟨U+{ord(character):04X}⟩" for character in line
    )


def _there(folders: Folders, place: Place) -> bytes | None:
    if not os.path.lexists(place.real):
        return None
    with folders.parent(place) as (opened, name):
        return _content(opened, name, place)


def _content(opened: Opened, name: str, place: Place) -> bytes | None:
    there = opened.look(name)
    if there is None:
        return None
    data = opened.read(name, LARGEST_WRITTEN, place.shown)
    if not there.st_mode & stat.S_IWUSR:
        raise FileTrouble(f"{place.shown} may only be read.")
    return data


def _decoded(data: bytes, place: Place) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise FileTrouble(f"{place.shown} is no UTF-8 text, so it is not changed.")
    return text


def _change(place: Place, before: bytes | None, content: str) -> Change:
    after = content.encode("utf-8", "replace")
    if len(after) > LARGEST_WRITTEN:
        raise FileTrouble(f"That is {len(after):,} bytes, and {LARGEST_WRITTEN:,} are the most.")
    if after == before:
        raise FileTrouble(f"{place.shown} holds just that already.")
    return Change(place, before, after)


def _ends(text: str) -> str:
    """What ends most lines of a text."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def _with_ends(text: str, ends: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", ends)


def _same(one: list[str], other: list[str]) -> int:
    """How many lines are the same from the start on."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
