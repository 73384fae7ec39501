"""Chats taken along in a file, and brought back from one: versioned JSON that holds no keys.

The form of the file follows from the dataclasses of `domain`; `docs/chats.schema.json` describes it. A change of them
is a new version.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from conch_desktop.domain.archive import ArchivedChat
from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.errors import ConchError
from conch_desktop.domain.messages import Message, Part, PicturePart, broken_off
from conch_desktop.domain.models import Provider
from conch_desktop.domain.pictures import LARGEST, PictureContent, kind_of
from conch_desktop.domain.typed_json import Kinds, Misfit, read, written
from conch_desktop.engine.json_lines import CLOSED, dumped, loaded, open_list
from conch_desktop.store.archives import Archives, Outcome

FORMAT, VERSION = "conch-desktop chats", 1

KINDS = Kinds(
    {kind: "call" if kind is CallRecord else kind.__name__.removesuffix("Part").lower() for kind in get_args(Part)}
)
"""The parts of a message by their names in the file."""

_NOTHING_CHANGED = "Nothing was changed."


@dataclass(frozen=True, slots=True)
class NamedProvider:
    """Whose models a chat used: enough to find the same provider on another computer, and no address or key."""

    id: str
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Brought:
    """What became of the chats of a file."""

    added: int = 0
    there: int = 0
    beside: int = 0

    @property
    def text(self) -> str:
        """In words."""
        said = [
            f"{_chats(self.added)} added." if self.added else "",
            f"{_chats(self.there)} here already, left untouched." if self.there else "",
            f"{_chats(self.beside)} here in another version: the file’s stands beside it." if self.beside else "",
        ]
        return " ".join(filter(None, said)) or "There is no chat in this file."


class Archiving:
    """Writes chats into files and brings them back. `providers` tells which there are now."""

    def __init__(self, archives: Archives, providers: Callable[[], Awaitable[Sequence[Provider]]]) -> None:
        self._archives, self._providers = archives, providers

    async def export(self, path: Path, chats: Sequence[str] = ()) -> int:
        """Writes these chats, or all, into a file, in one piece; how many. Raises `ConchError` when it can't be."""
        written_chats = 0
        named = [NamedProvider(one.id, one.kind, one.name) for one in await self._providers()]
        head = {"kind": FORMAT, "version": VERSION, "providers": [written(one, KINDS) for one in named]}
        async with _new_file(path) as write:
            await asyncio.to_thread(write, open_list(head, "chats"))
            for chat in chats or await self._archives.ids():
                archived = await self._archives.read(chat)
                if archived is not None:
                    await asyncio.to_thread(write, ",\n" if written_chats else "\n")
                    await asyncio.to_thread(_write_chat, archived, write)
                    written_chats += 1
            await asyncio.to_thread(write, f"\n{CLOSED}\n")
        return written_chats

    async def bring(self, path: Path) -> Brought:
        """Brings the chats of a file back, all or none. Raises `ConchError` for a file that can't be used."""
        named, chats = await asyncio.to_thread(_read_file, path)
        here = _same_providers(named, await self._providers())
        moved = await asyncio.to_thread(lambda: [_with_models(chat, here) for chat in chats])
        try:
            outcomes: list[Outcome] = await self._archives.add(moved)
        except OverflowError as error:
            raise ConchError(f"{path.name} is damaged: a number in it is too large.", _NOTHING_CHANGED) from error
        return Brought(*(outcomes.count(one) for one in ("added", "there", "beside")))


def _chats(many: int) -> str:
    return "1 chat" if many == 1 else f"{many:,} chats"


# Writing -----------------------------------------------------------------------------------------------------------


def _write_chat(archived: ArchivedChat, write: Callable[[str], object]) -> None:
    """Writes a chat, each message on a line of its own. It takes its time: for a thread."""
    whole = written(replace(archived, messages=()), KINDS)
    whole.pop("messages")
    write(open_list(whole, "messages"))
    for at, message in enumerate(archived.messages):
        write((",\n" if at else "\n") + dumped(written(broken_off(message), KINDS)))
    write(f"\n{CLOSED}")


@contextlib.asynccontextmanager
async def _new_file(path: Path) -> AsyncIterator[Callable[[str], object]]:
    """Writes into a file that takes the place of `path` when it is whole; otherwise what was there stays."""
    try:
        handle, name = await asyncio.to_thread(tempfile.mkstemp, dir=path.parent, prefix=f".{path.name}-")
        new = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                yield file.write
                await asyncio.to_thread(_finish, file.flush, file.fileno())
            await asyncio.to_thread(new.replace, path)
        finally:
            await asyncio.to_thread(new.unlink, missing_ok=True)
    except OSError as error:
        raise ConchError(f"{path.name} could not be written: {error.strerror or error}.") from error


def _finish(flush: Callable[[], None], handle: int) -> None:
    flush()
    os.fsync(handle)


# Reading -----------------------------------------------------------------------------------------------------------


def _read_file(path: Path) -> tuple[Sequence[NamedProvider], Sequence[ArchivedChat]]:
    try:
        return parsed(path.read_bytes())
    except OSError as error:
        raise ConchError(f"{path.name} could not be read: {error.strerror or error}.") from error
    except ConchError as error:
        raise ConchError(f"{path.name}: {error.what}", error.advice) from error


def parsed(data: bytes) -> tuple[Sequence[NamedProvider], Sequence[ArchivedChat]]:
    """What is in a file of exported chats. Raises `ConchError` for one that can't be used."""
    try:
        found = loaded(data.decode("utf-8"))
    except (ValueError, RecursionError, MemoryError) as error:
        raise ConchError("The file is no JSON, or it is cut off.", _NOTHING_CHANGED) from error
    if not isinstance(found, dict) or found.get("kind") != FORMAT:
        raise ConchError("The file holds no chats that this program exported.", _NOTHING_CHANGED)
    version = found.get("version")
    if type(version) is int and version > VERSION:
        advice = f"Update Conch Desktop. {_NOTHING_CHANGED}"
        raise ConchError(f"A newer version of Conch Desktop wrote this file (its form is {version}).", advice)
    try:
        if version != VERSION:
            raise Misfit(f"version must be {VERSION}")
        named = read(tuple[NamedProvider, ...], found.get("providers", []), KINDS, "providers")
        chats = read(tuple[ArchivedChat, ...], found.get("chats"), KINDS, "chats")
        return named, [_sound(chat, f"chats[{at}]") for at, chat in enumerate(chats)]
    except Misfit as error:
        raise ConchError(f"The file is damaged: {error}.", _NOTHING_CHANGED) from error


def _sound(archived: ArchivedChat, path: str) -> ArchivedChat:
    """What the types alone do not say: ids that are there once, pictures that are some."""
    if not archived.chat.id or len({one.id for one in archived.messages}) != len(archived.messages):
        raise Misfit(f"an id in {path} is missing or there twice")
    shown = [part.picture for part in archived.attached if isinstance(part, PicturePart)]
    for message in archived.messages:
        shown += [part.picture for part in message.attached if isinstance(part, PicturePart)]
        shown += [picture for call in message.calls for picture in call.pictures]
    if not all(map(_is_picture, shown)):
        raise Misfit(f"a picture in {path} is none")
    return replace(archived, messages=tuple(map(broken_off, archived.messages)))


def _is_picture(picture: PictureContent) -> bool:
    return kind_of(picture.data) == picture.media_type and len(picture.data) <= LARGEST


def _same_providers(named: Sequence[NamedProvider], here: Sequence[Provider]) -> Mapping[str, str]:
    """The providers of the file under the ids they have here; one of the same kind and name counts as the same."""
    ids = {one.id for one in here}
    known = {(one.kind, one.name.casefold()): one.id for one in here}
    return {one.id: one.id if one.id in ids else known.get((one.kind, one.name.casefold()), one.id) for one in named}


def _with_models(archived: ArchivedChat, here: Mapping[str, str]) -> ArchivedChat:
    def at_home(model: str) -> str:
        provider, slash, name = model.partition("/")
        return f"{here.get(provider, provider)}{slash}{name}"

    def moved(message: Message) -> Message:
        return replace(message, model=at_home(message.model))

    chat = replace(archived.chat, model=at_home(archived.chat.model))
    return replace(archived, chat=chat, messages=tuple(map(moved, archived.messages)))
