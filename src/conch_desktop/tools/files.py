"""The file tools: list_files, find_files, read_file, write_file and edit_file, in folders the person granted."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol, TypeVar

from conch_desktop.domain.calls import Json
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext, answer, object_schema, text_schema
from conch_desktop.domain.undo import Undo
from conch_desktop.tools import files_look, files_read, files_write
from conch_desktop.tools.files_places import FileTrouble, Folders, Place
from conch_desktop.tools.files_write import Change

UNDO = "file"
"""The kind of what is kept to take a write back."""

_SHOWN_AT_MOST = 100

T = TypeVar("T")


class UndoBook(Protocol):
    """Where is kept how a call can be taken back."""

    async def keep(self, undo: Undo) -> None: ...

    async def forget(self, call: str) -> None: ...


async def apart(work: Callable[[threading.Event], T]) -> T:
    """Runs work on another thread. When the call is cancelled the work is told by the event."""
    stopped = threading.Event()
    try:
        return await asyncio.to_thread(work, stopped)
    except asyncio.CancelledError:
        stopped.set()
        raise


class FileTools:
    """The five tools over the granted folders. A shown change is made only if the file is still as it was shown."""

    def __init__(self, folders: Folders, undos: UndoBook) -> None:
        self._folders = folders
        self._undos = undos
        self._shown: dict[str, str] = {}

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All five, in their order."""
        path = text_schema("Path of the file, as list_files shows it.", least=1)
        folder = text_schema("Path of a folder. Leave it out for the whole granted folder.")
        return (
            self._tool(
                "list_files",
                "List what is in a folder.",
                object_schema({"path": folder}),
                self._list,
                title="list the files of “{path}”",
            ),
            self._tool(
                "find_files",
                "Find files by a part of their name, by a pattern like *.md, or by words that are in them.",
                object_schema({"words": text_schema("What to look for.", least=1), "path": folder}, "words"),
                self._find,
                title="look for “{words}” in files",
            ),
            self._tool(
                "read_file",
                "Read a file: text, a picture, or the text of a PDF.",
                object_schema(
                    {
                        "path": path,
                        "from_line": _whole("The first line to read. Leave it out to start at the beginning."),
                        "lines": _whole("How many lines. Leave it out for all that fit."),
                    },
                    "path",
                ),
                self._read,
                title="read {path}",
            ),
            self._tool(
                "write_file",
                "Write a file with this content. A file that is there is replaced.",
                object_schema({"path": path, "content": _long("All that the file will hold.")}, "path", "content"),
                self._written,
                title="write {path}",
            ),
            self._tool(
                "edit_file",
                "Change one place of a file: the old text, which must be there exactly once, becomes the new text.",
                object_schema(
                    {
                        "path": path,
                        "old": _long("The text to replace, exactly as it is in the file."),
                        "new": _long("The text to put there."),
                    },
                    "path",
                    "old",
                    "new",
                ),
                self._edited,
                title="change {path}",
            ),
        )

    def _tool(self, name: str, description: str, parameters: Mapping[str, Json], work: _Work, *, title: str) -> Tool:
        changes = work in (self._written, self._edited)

        async def run(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
            try:
                return await work(args, context)
            except FileTrouble as trouble:
                return answer(str(trouble), is_error=True)

        return Tool(
            name,
            description,
            parameters,
            "write" if changes else "read",
            run,
            group="files",
            title=title,
            preview=self._preview if changes else None,
        )

    async def _list(self, args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        return answer(await apart(lambda _: files_look.listed(self._folders, args.get("path", ""))))

    async def _find(self, args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        words, path = args["words"], args.get("path", "")
        return answer(await apart(lambda stopped: files_look.found(self._folders, words, path, stopped)))

    async def _read(self, args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        first, count = args.get("from_line", 1), args.get("lines", 0)
        return await apart(lambda stopped: files_read.read(self._folders, args["path"], first, count, stopped))

    async def _written(self, args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        return await self._made(args, context)

    async def _edited(self, args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        return await self._made(args, context)

    async def _preview(self, args: Mapping[str, Json], context: ToolContext) -> str:
        """The diff. Raises `FileTrouble` when the call can't do what it is asked for: then nobody is asked."""
        change = await apart(lambda _: self._change(args))
        self._shown[context.call] = change.mark
        if len(self._shown) > _SHOWN_AT_MOST:  # those that were denied
            self._shown.pop(next(iter(self._shown)))
        return await apart(lambda _: files_write.diff(change))

    async def _made(self, args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        shown = self._shown.pop(context.call, None)
        change = await apart(lambda _: self._change(args))
        if shown is not None and shown != change.mark:
            raise FileTrouble(f"{change.place.shown} was changed meanwhile, so nothing was written.", "Read it again.")
        await self._undos.keep(_undo(context, change))
        try:
            await apart(lambda stopped: files_write.make(self._folders, change, stopped.is_set))
        except FileTrouble:
            await self._undos.forget(context.call)
            raise
        lines = change.after.count(b"\n") + (not change.after.endswith(b"\n"))
        said = "Changed" if change.before is not None else "Made"
        return answer(f"{said} {change.place.shown}: {lines:,} line{'' if lines == 1 else 's'} now.")

    def _change(self, args: Mapping[str, Json]) -> Change:
        if "content" in args:
            return files_write.whole(self._folders, args["path"], args["content"])
        return files_write.edited(self._folders, args["path"], args["old"], args["new"])

    async def take_back(self, undo: Undo) -> str:
        """Puts a file back as it was before a call; a sentence about it. Raises `FileTrouble`."""
        place = Place(Path(undo.what["path"]), Path(undo.what["root"]), undo.what["shown"])
        await apart(lambda _: files_write.take_back(self._folders, place, undo.before, undo.what["after"]))
        return f"{place.shown} is as it was before." if undo.before is not None else f"{place.shown} is gone again."


class _Work(Protocol):
    async def __call__(self, args: Mapping[str, Json], context: ToolContext) -> ToolAnswer: ...


def _undo(context: ToolContext, change: Change) -> Undo:
    place = change.place
    after = files_write.mark_of(change.after)
    what = {"path": str(place.real), "root": str(place.root), "shown": place.shown, "after": after}
    return Undo(context.call, UNDO, what, change.before)


def _long(description: str) -> Json:
    return {"type": "string", "description": description}


def _whole(description: str) -> Json:
    return {"type": "integer", "minimum": 1, "description": description}
