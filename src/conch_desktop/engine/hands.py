"""What a person can see and do about the program's own tools: folders, memories, permissions, and taking a call back.

The tools use it too: it holds what they share.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from conch_desktop.domain.clock import Clock
from conch_desktop.domain.errors import ConchError
from conch_desktop.domain.tools import Tool
from conch_desktop.store import settings as known
from conch_desktop.store.database import Database
from conch_desktop.store.memories import Memories
from conch_desktop.store.permissions import Permission, Permissions
from conch_desktop.store.settings import Settings
from conch_desktop.store.undos import Undos
from conch_desktop.tools import files, memory
from conch_desktop.tools.files_look import named
from conch_desktop.tools.files_places import Folders, check_folder
from conch_desktop.tools.guard import Guard, Policy

EXPORT_VERSION = 1


class Hands:
    """The hands of the program. `extra_folders` are granted for this run only."""

    def __init__(self, data_dir: Path, database: Database, settings: Settings, clock: Clock, policy: Policy) -> None:
        self.extra_folders: tuple[Path, ...] = ()
        self.memories = Memories(database, clock)
        self.permissions = Permissions(database, clock)
        self.guard = Guard(self.permissions, policy)
        self._settings = settings
        self._closed = (data_dir,)
        self._undos = Undos(database)
        self._files = files.FileTools(Folders(self.folders, self._closed), self._undos)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The program's own tools, in their order."""
        return (*memory.memory_tools(self.memories, self._undos), *self._files.tools)

    # Folders --------------------------------------------------------------------------------------------------------

    def folders(self) -> Sequence[Path]:
        """The folders in which files may be read and written."""
        granted = self._settings.get(known.FOLDERS)
        return (*map(Path, granted), *self.extra_folders)

    def checked_folder(self, folder: str) -> Path:
        """The folder to grant, resolved. Raises `ConchError` for one that can't be granted."""
        return check_folder(folder, self._closed)

    def find_files(self, words: str, stopped: threading.Event) -> list[tuple[str, Path]]:
        """Files in the granted folders with these words in their path, as they are shown and where they are.

        It takes its time: for a thread. Raises `FileTrouble` when no folder is granted.
        """
        return named(Folders(self.folders, self._closed), words, stopped)

    async def grant(self, folder: str) -> Path:
        """Grants a folder and gives it back, resolved. Raises `ConchError` for one that can't be granted."""
        real = self.checked_folder(folder)
        granted = self._settings.get(known.FOLDERS)
        if str(real) not in granted:
            await self._settings.set(known.FOLDERS, [*granted, str(real)])
        return real

    async def revoke_folder(self, folder: str) -> None:
        """Takes a granted folder back; from now on nothing in it is touched."""
        granted = self._settings.get(known.FOLDERS)
        await self._settings.set(known.FOLDERS, [one for one in granted if one != folder])

    # Memories -------------------------------------------------------------------------------------------------------

    async def export_memories(self) -> str:
        """Every memory as JSON, the oldest first. `created` is in seconds since 1970, `source` the id of a chat."""
        facts = [asdict(one) for one in sorted(await self.memories.all(), key=lambda one: one.id)]
        whole = {"kind": "conch-desktop memories", "version": EXPORT_VERSION, "memories": facts}
        return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"

    # Permissions ----------------------------------------------------------------------------------------------------

    async def allowed(self) -> list[Permission]:
        """What always runs without a question."""
        return await self.permissions.all()

    def allowed_in_chats(self) -> list[tuple[str, str, str]]:
        """What runs without a question until the program ends: chat, source and tool."""
        return self.guard.in_chats()

    async def revoke(self, *, source: str, tool: str) -> None:
        """The tool asks again, everywhere."""
        self.guard.forget(source=source, tool=tool)
        await self.permissions.revoke(source=source, tool=tool)

    # Taking a call back ---------------------------------------------------------------------------------------------

    async def can_take_back(self, call: str) -> bool:
        """Whether there is something to take back of this call."""
        return await self._undos.of(call) is not None

    async def take_back(self, call: str) -> str:
        """Takes back what a call did, once; a sentence about it. Raises `ConchError` when it can't be taken back."""
        undo = await self._undos.of(call)
        if undo is None:
            raise ConchError("This can’t be taken back any more.")
        if undo.kind == memory.UNDO:
            said = await memory.take_back(self.memories, undo)
        else:
            said = await self._files.take_back(undo)
        await self._undos.forget(call)
        return said
