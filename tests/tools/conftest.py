"""What the tests of tools share: a granted folder with a secret beside it, and a way to call a tool by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from conch_desktop.domain.calls import Json
from conch_desktop.domain.tools import ToolAnswer, ToolContext
from conch_desktop.domain.undo import Undo
from conch_desktop.tools.files import FileTools
from conch_desktop.tools.files_places import Folders
from conch_desktop.tools.toolbox import Toolbox

SECRET = "the-harbour-master's-key"


@dataclass
class Undos:
    """Undos in memory."""

    kept: dict[str, Undo] = field(default_factory=dict)

    async def keep(self, undo: Undo) -> None:
        self.kept[undo.call] = undo

    async def forget(self, call: str) -> None:
        self.kept.pop(call, None)


@dataclass
class Pier:
    """A granted folder `pier`, and `outside` beside it, which holds a secret. `own` is the program's own folder."""

    base: Path
    granted: list[Path]
    undos: Undos = field(default_factory=Undos)
    calls: int = 0

    def __post_init__(self) -> None:
        self.files = FileTools(Folders(lambda: self.granted, (self.own,)), self.undos)
        self.box = Toolbox(self.files.tools)

    @property
    def pier(self) -> Path:
        return self.base / "pier"

    @property
    def outside(self) -> Path:
        return self.base / "outside"

    @property
    def own(self) -> Path:
        return self.pier / "profile"

    @property
    def secret(self) -> Path:
        return self.outside / "secret.txt"

    def context(self) -> ToolContext:
        """A call of its own."""
        self.calls += 1
        return ToolContext("chat", f"call-{self.calls}")

    async def call(self, name: str, **args: Json) -> ToolAnswer:
        """Calls a tool."""
        tool = self.box.find(name)
        assert tool is not None
        return await tool.run(args, self.context())

    def everything_outside(self) -> dict[str, bytes]:
        """Every file beside the granted folder, with its contents."""
        return {str(path): path.read_bytes() for path in self.outside.rglob("*") if path.is_file()}


@pytest.fixture
def pier(tmp_path: Path) -> Pier:
    made = Pier(tmp_path.resolve(), [tmp_path / "pier"])
    for folder in (made.pier / "boats", made.outside / "deep", made.own, made.pier / ".ssh"):
        folder.mkdir(parents=True)
    made.secret.write_text(SECRET)
    (made.own / "conch.sqlite3").write_text(SECRET)
    (made.pier / ".ssh" / "id").write_text(SECRET)
    (made.pier / "log.txt").write_text("Ferry at 07:40\nTide at noon\n")
    (made.pier / "boats" / "Nordlys.md").write_text("# Nordlys\nA ferry.\n")
    return made


Escape = Callable[[Pier], str]
