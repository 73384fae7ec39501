"""Looking around in the granted folders: what is there, and where a name or some words are."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from conch_desktop.tools.files_places import WINDOWS, FileTrouble, Folders, Opened, Place

LISTED_AT_MOST = 200
FOUND_AT_MOST = 50
LINES_A_FILE = 3
LOOKED_AT_MOST = 50_000
LARGEST_SEARCHED = 2_000_000
"""Bytes of a file whose contents are searched."""
SECONDS = 20.0
"""How long one search may take."""

_LONGEST_LINE = 200
_PASSED_BY = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".tox", ".cache"})
"""Folders that a search passes by: they hold much and nothing a person wrote."""


def listed(folders: Folders, path: str) -> str:
    """What is in a folder, one line each. Without a path: in the granted folder, or which they are."""
    roots = folders.roots
    if path.strip() in {"", ".", "./"} and len(roots) > 1:
        return "\n".join(f"{folders.shown(root, roots)}/" for root in roots)
    place = folders.find(path or str(roots[0]))
    with folders.folder(place) as opened, os.scandir(opened.path if opened.fd is None else opened.fd) as entries:
        lines = sorted(_line(entry) for entry in entries if not folders.is_closed(entry.name))
    if not lines:
        return f"{place.shown} is empty."
    more = len(lines) - LISTED_AT_MOST
    return "\n".join(lines[:LISTED_AT_MOST] + ([f"… and {more:,} more. Use find_files."] if more > 0 else []))


def _line(entry: os.DirEntry[str]) -> str:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return entry.name
    if stat.S_ISDIR(found.st_mode):
        return f"{entry.name}/"
    if stat.S_ISREG(found.st_mode):
        return f"{entry.name}  {found.st_size:,} bytes"
    return f"{entry.name}  (a link)" if stat.S_ISLNK(found.st_mode) else f"{entry.name}  (no file)"


def found(folders: Folders, words: str, path: str, stopped: threading.Event) -> str:
    """Files by a part of their name, a pattern like *.md, or words in them; names first."""
    if not words.strip():
        raise FileTrouble("There is nothing to look for.", "Give a part of a name, or words that are in the file.")
    roots = folders.roots
    places = [folders.find(path)] if path.strip() else [folders.find(str(root)) for root in roots]
    search = _Search(folders, words.strip().casefold(), stopped)
    for place in places:
        search.through(place)
    hits = (search.names + search.lines)[:FOUND_AT_MOST]
    if search.why:
        hits.append(f"({search.why})")
    return "\n".join(hits) if hits else f"Nothing was found for “{words.strip()}”."


def named(folders: Folders, words: str, stopped: threading.Event) -> list[tuple[str, Path]]:
    """Files with these words in their path, as they are shown and where they are; those with it in the name first."""
    roots, wanted = folders.roots, words.casefold()
    search = _Search(folders, wanted, stopped)
    hits: list[tuple[str, Path]] = []
    for root in roots:
        for shown, path in search.paths(folders.find(str(root))):
            if wanted in shown.casefold():
                hits.append((shown, path))
            if len(hits) >= FOUND_AT_MOST:
                break
    return sorted(hits, key=lambda hit: wanted not in hit[1].name.casefold())


class _Search:
    """One search. `why` says why it ended early, "" when it did not."""

    def __init__(self, folders: Folders, wanted: str, stopped: threading.Event) -> None:
        self.names: list[str] = []
        self.lines: list[str] = []
        self.why = ""
        self._folders = folders
        self._wanted = wanted
        self._pattern = any(mark in wanted for mark in "*?")
        self._stopped = stopped
        self._looked = 0
        self._end = time.monotonic() + SECONDS

    def through(self, place: Place) -> None:
        """Goes through a folder and all in it, never through a symlink."""
        roots = self._folders.roots
        with self._folders.folder(place) as top:
            for opened, name in self._files(top):
                if self._is_over():
                    return
                shown = self._folders.shown(opened.path / name, roots)
                if self._named(name):
                    self.names.append(shown)
                if not self._pattern:
                    self.lines += _lines_with(self._wanted, opened, name, shown)

    def paths(self, place: Place) -> Iterator[tuple[str, Path]]:
        """Every file in a folder, as it is shown and where it is."""
        roots = self._folders.roots
        with self._folders.folder(place) as top:
            for opened, name in self._files(top):
                if self._is_over():
                    return
                if not name.startswith("."):
                    yield self._folders.shown(opened.path / name, roots), opened.path / name

    def _files(self, top: Opened) -> Iterator[tuple[Opened, str]]:
        """Every file, with its open folder."""
        closed = self._folders.closed_ids()
        if WINDOWS or top.fd is None:
            for folder, inner, names in os.walk(top.path, followlinks=False):
                self._prune(inner, Path(folder).stat(), closed, names)
                yield from ((Opened(None, Path(folder)), name) for name in names)
            return
        for folder, inner, names, fd in os.fwalk(".", dir_fd=top.fd, follow_symlinks=False):
            self._prune(inner, os.fstat(fd), closed, names)
            yield from ((Opened(fd, top.path / folder), name) for name in names)

    def _prune(
        self, inner: list[str], folder: os.stat_result, closed: frozenset[tuple[int, int]], names: list[str]
    ) -> None:
        if (folder.st_dev, folder.st_ino) in closed:
            names.clear()
            inner.clear()
        inner[:] = sorted(name for name in inner if name not in _PASSED_BY and not self._folders.is_closed(name))
        names.sort()

    def _named(self, name: str) -> bool:
        name = name.casefold()
        return fnmatchcase(name, self._wanted) if self._pattern else self._wanted in name

    def _is_over(self) -> bool:
        self._looked += 1
        if self._stopped.is_set():
            self.why = "stopped"
        elif len(self.names) >= FOUND_AT_MOST or len(self.lines) >= FOUND_AT_MOST:
            self.why = "There may be more. Look for something narrower."
        elif self._looked > LOOKED_AT_MOST or time.monotonic() > self._end:
            self.why = f"Ended after {self._looked:,} files. Look in one folder."
        return bool(self.why)


def _lines_with(wanted: str, opened: Opened, name: str, shown: str) -> list[str]:
    """The lines of a text file that hold the words, each with its number."""
    try:
        data = opened.read(name, LARGEST_SEARCHED, shown)
    except (FileTrouble, OSError):
        return []  # no regular file, too large, or not to be read: not what is looked for
    if b"\0" in data[:8192]:
        return []
    hits = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        place = line.casefold().find(wanted)
        if place >= 0:
            begin = max(0, place - _LONGEST_LINE // 2)
            hits.append(f"{shown}:{number}: {line[begin : begin + _LONGEST_LINE].strip()}")
            if len(hits) == LINES_A_FILE:
                break
    return hits
