"""Where everything lies that the program keeps, how large it is, and whether the database is whole."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from conch_desktop.providers import model_file
from conch_desktop.store.database import Database
from conch_desktop.store.health import Amounts, amounts, faults


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept. Sizes are in bytes; `database` counts what SQLite keeps beside the file."""

    amounts: Amounts
    database: int
    backups: int
    models: int


class Keeping:
    """Looks after what is kept. `path` is the file of the database."""

    def __init__(self, path: Path, database: Database) -> None:
        self.path = path
        self._database = database

    @property
    def models_dir(self) -> Path:
        """Where model files lie; every profile uses the same."""
        return model_file.models_folder()

    async def look(self) -> Kept:
        """What is kept now."""
        found = await amounts(self._database)
        return await asyncio.to_thread(self._weigh, found)

    def _weigh(self, found: Amounts) -> Kept:
        path = self.path
        return Kept(
            found,
            _size(path.with_name(path.name + beside) for beside in ("", "-wal", "-shm")),
            _size(path.parent.glob(f"{path.name}.*.backup")),
            _size(self.models_dir.glob("*")),
        )

    async def check(self) -> list[str]:
        """Reads every page of the database; what is wrong in it, nothing when it is whole."""
        return await asyncio.to_thread(faults, self.path)


def _size(paths: Iterable[Path]) -> int:
    """Bytes of the files that are there."""
    whole = 0
    for path in paths:
        try:
            whole += path.stat().st_size
        except OSError:
            continue
    return whole
