"""Where files may be touched: the folders a person granted, and opening what is in them without a race (DESIGN 7).

A path is resolved first (symlinks and `..`), then checked, then opened piece by piece from the root, each piece only if
it is no symlink: what is opened is what was checked, whoever moves things meanwhile. Windows cannot open relative to
a folder, so there the resolved path is opened and looked at once more afterwards; a link put there in between and
taken away again within those moments is not noticed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conch_desktop.domain.errors import ConchError

WINDOWS = sys.platform == "win32"

HOW_TO_GRANT = "The person can grant one in Settings, under Files, or with --folder on the command line."

_KEY_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", "keyrings"})
"""Folders where keys lie. They stay closed, also in a granted folder."""

_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISLNK, "a link that was put there just now"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)

_RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))})
"""Names that are devices on Windows, with any ending."""

LONGEST_PATH = 4_096


class FileTrouble(ConchError):
    """A file could not be touched; the words are for the model and the person."""


@dataclass(frozen=True, slots=True)
class Place:
    """A resolved path inside a granted folder. `shown` is how the model and the person read it."""

    real: Path
    root: Path
    shown: str


@dataclass(frozen=True, slots=True)
class Opened:
    """A folder that is open. Everything in it is reached by its name alone."""

    fd: int | None
    path: Path

    def at(self, name: str) -> tuple[str, dict[str, Any]]:
        """The name and the keywords by which `os` finds it in this folder."""
        return (name, {"dir_fd": self.fd}) if self.fd is not None else (str(self.path / name), {})

    def look(self, name: str) -> os.stat_result | None:
        """What is there; None when nothing is. A symlink is looked at itself."""
        where, at = self.at(name)
        try:
            return os.stat(where, follow_symlinks=False, **at)  # noqa: PTH116 - relative to the open folder
        except FileNotFoundError:
            return None

    def read(self, name: str, most: int, shown: str) -> bytes:
        """The bytes of a regular file. Raises `FileTrouble` for anything else and for one with more than `most`."""
        before = self.look(name)
        if before is None:
            raise FileTrouble(f"There is no file {shown}.", "Look with list_files or find_files.")
        _regular(before, shown)
        where, at = self.at(name)
        # Never waits for a pipe and never becomes the terminal of a device that was put there just now.
        flags = os.O_RDONLY | _flag("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY")
        with os.fdopen(os.open(where, flags, **at), "rb") as file:
            _regular(os.fstat(file.fileno()), shown)
            if WINDOWS:
                _still(self.path / name, os.fstat(file.fileno()), shown)
            data = file.read(most + 1)
        if len(data) > most:
            size = max(before.st_size, len(data))
            raise FileTrouble(f"{shown} is too large: {size:,} bytes, and {most:,} are the most.")
        return data


class Folders:
    """The granted folders. `granted` gives them as they are now; `closed` are the program's own, never opened."""

    def __init__(self, granted: Callable[[], Sequence[Path]], closed: Sequence[Path] = ()) -> None:
        self._granted = granted
        self._closed = tuple(closed)

    @property
    def roots(self) -> tuple[Path, ...]:
        """The granted folders, resolved. Raises `FileTrouble` when there is none."""
        roots = tuple(Path(os.path.realpath(folder)) for folder in self._granted())
        if not roots:
            raise FileTrouble("No folder is granted, so no file can be read or written.", HOW_TO_GRANT)
        return roots

    def find(self, text: str) -> Place:
        """The place a path means: absolute, or relative to a granted folder. Raises `FileTrouble` outside of them."""
        if "\0" in text or len(text) > LONGEST_PATH:
            raise FileTrouble("This is no path.")
        roots = self.roots
        places = [place for wanted in _meant(text.strip(), roots) if (place := self._inside(wanted, roots))]
        if not places:
            raise FileTrouble(f"{_brief(text)} is outside the granted folders.", f"They are: {_listed(roots)}.")
        place = next((place for place in places if os.path.lexists(place.real)), places[0])
        self._check_names(place)
        return place

    def shown(self, real: Path, roots: Sequence[Path]) -> str:
        """A path as it is read: from the granted folder on, with the folder's name when there are several."""
        root = next(root for root in roots if real.is_relative_to(root))
        inside = real.relative_to(root)
        names = [other.name for other in roots]
        if len(roots) == 1:
            return inside.as_posix() if inside.parts else root.name
        return (Path(root.name) / inside).as_posix() if names.count(root.name) == 1 else real.as_posix()

    @contextlib.contextmanager
    def parent(self, place: Place, *, make: bool = False) -> Iterator[tuple[Opened, str]]:
        """The open folder a place is in, and its name there. With `make`, missing folders are made."""
        if place.real == place.root:
            raise FileTrouble(f"{place.shown} is a folder.")
        with self.folder(Place(place.real.parent, place.root, place.shown), make=make) as opened:
            yield opened, place.real.name

    @contextlib.contextmanager
    def folder(self, place: Place, *, make: bool = False) -> Iterator[Opened]:
        """An open folder. Raises `FileTrouble` when it is none, or when a symlink was put into its path."""
        with _troubles(place):
            fd = None if WINDOWS else _walked(place, self.closed_ids(), make=make)
            if WINDOWS:
                _looked_at(place, self._closed, make=make)
        try:
            with _troubles(place):
                yield Opened(fd, place.real)
        finally:
            if fd is not None:
                os.close(fd)

    def is_closed(self, name: str) -> bool:
        """Whether a name is that of a folder with keys."""
        return unicodedata.normalize("NFKC", name).casefold() in _KEY_FOLDERS

    def closed_ids(self) -> frozenset[tuple[int, int]]:
        """What tells the program's own folders from all others, whatever they are called."""
        found = set()
        for folder in self._closed:
            with contextlib.suppress(OSError):
                seen = folder.stat()
                found.add((seen.st_dev, seen.st_ino))
        return frozenset(found)

    def _inside(self, wanted: Path, roots: Sequence[Path]) -> Place | None:
        try:
            real = Path(os.path.realpath(wanted))
        except OSError as error:  # a link that went away while it was followed
            raise FileTrouble(f"{_brief(wanted.name)} was changed just now.", "Try again.") from error
        root = next((root for root in roots if real.is_relative_to(root)), None)
        return None if root is None else Place(real, root, self.shown(real, roots))

    def _check_names(self, place: Place) -> None:
        parts = place.real.parts[1:]
        if any(map(self.is_closed, parts)):
            raise FileTrouble(f"{place.shown} is where keys are kept, and stays closed.")
        if WINDOWS and any(":" in part or part.partition(".")[0].strip().casefold() in _RESERVED for part in parts):
            raise FileTrouble(f"{place.shown} is a device or a stream, not a file.")


def check_folder(text: str, closed: Sequence[Path]) -> Path:
    """The folder to grant, resolved. Raises `FileTrouble` when it can't be one."""
    folder = Path(os.path.realpath(Path(text).expanduser()))
    if not folder.is_dir():
        raise FileTrouble(f"{folder} is no folder.", "Choose a folder.")
    if folder == Path(folder.anchor):
        raise FileTrouble(f"{folder} is everything there is.", "Choose the folder that is needed.")
    if any(folder.is_relative_to(os.path.realpath(own)) for own in closed):
        raise FileTrouble(f"{folder} is the program’s own folder.", "Choose another one.")
    if any(Folders(list).is_closed(part) for part in folder.parts):
        raise FileTrouble(f"{folder} is where keys are kept.", "Choose another one.")
    return folder


def _meant(text: str, roots: Sequence[Path]) -> list[Path]:
    """What a path may mean, the likeliest first."""
    path = Path(os.path.expanduser(text))  # noqa: PTH111 - leaves the home of nobody as it is
    if path.is_absolute():
        return [path]
    named = [root.parent / path for root in roots if path.parts and path.parts[0] == root.name]
    return [*named, *(root / path for root in roots)] if len(roots) > 1 else [roots[0] / path, *named]


def _walked(place: Place, closed: frozenset[tuple[int, int]], *, make: bool) -> int:
    """The folder, opened piece by piece. Raises OSError when a piece is missing, no folder or a symlink."""
    step = os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW | getattr(os, "O_PATH", os.O_RDONLY)
    parts = place.real.parts
    fd = os.open(parts[0], step)
    try:
        for number, part in enumerate(parts[1:], 2):
            last = number == len(parts)
            flags = os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_RDONLY if last else step
            if make and number > len(place.root.parts):
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=fd)
            inner = os.open(part, flags, dir_fd=fd)
            os.close(fd)
            fd = inner
            seen = os.fstat(fd)
            if (seen.st_dev, seen.st_ino) in closed:
                raise FileTrouble(f"{place.shown} is the program’s own, and stays closed.")
    except BaseException:
        os.close(fd)
        raise
    return fd


def _looked_at(place: Place, closed: Sequence[Path], *, make: bool) -> None:
    """The same where nothing can be opened relative to a folder."""
    if make:
        place.real.mkdir(parents=True, exist_ok=True)
    if Path(os.path.realpath(place.real)) != place.real:
        raise FileTrouble(f"{place.shown} was changed just now.", "Try again.")
    if not place.real.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "not a folder")
    if any(place.real.is_relative_to(os.path.realpath(own)) for own in closed):
        raise FileTrouble(f"{place.shown} is the program’s own, and stays closed.")


def _still(path: Path, opened: os.stat_result, shown: str) -> None:
    if Path(os.path.realpath(path)) != path or not os.path.samestat(opened, path.stat()):
        raise FileTrouble(f"{shown} was changed just now.", "Try again.")


def _regular(found: os.stat_result, shown: str) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = next((kind for is_kind, kind in _KINDS if is_kind(found.st_mode)), "no file")
        raise FileTrouble(f"{shown} is {kind}, not a file.")


@contextlib.contextmanager
def _troubles(place: Place) -> Iterator[None]:
    """The system's errors in words."""
    try:
        yield
    except FileNotFoundError as error:
        raise FileTrouble(f"There is nothing at {place.shown}.", "Look with list_files or find_files.") from error
    except NotADirectoryError as error:
        raise FileTrouble(f"{place.shown} is no folder, or a link was put into its path.") from error
    except PermissionError as error:
        raise FileTrouble(f"The system does not permit this at {place.shown}.") from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise FileTrouble(f"A link was put into the path of {place.shown} just now.") from error
        raise FileTrouble(f"{place.shown}: {error.strerror or type(error).__name__}.") from error


def _flag(*names: str) -> int:
    """The flags of `os.open` that this system has."""
    return sum(getattr(os, name, 0) for name in names)


def _brief(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:120]}…"


def _listed(roots: Sequence[Path]) -> str:
    return ", ".join(map(str, roots))
