"""A window with the program behind it and a scripted server with one model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from conch_desktop.desktop.desk import Desk
from conch_desktop.desktop.spawn import Tasks
from conch_desktop.desktop.window import Window
from conch_desktop.engine.assembly import Program
from tests.servers import ScriptedServer, json_reply


async def until(true: Callable[[], object]) -> None:
    """Waits until something is true, six seconds at most."""
    for _ in range(600):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("It did not happen.")


@asynccontextmanager
async def at_work(folder: Path) -> AsyncIterator[tuple[Window, Program, Desk, ScriptedServer, str]]:
    """A window with the program behind it, and a server with one model."""
    async with ScriptedServer() as server:
        server.route("GET /v1/models", json_reply({"data": [{"id": "m"}]}))
        program = await Program.open(folder)
        program.server_ports = (9,)  # servers of whoever runs the tests are left alone
        provider, _ = await program.add_provider("openai", "Pier", server.url, "")
        window = Window()
        window.allow_close = True
        window.resize(1280, 800)
        window.show()
        tasks = Tasks(window.say)
        desk = Desk(window, program, tasks)
        await desk.start(f"{provider.id}/m")
        try:
            yield window, program, desk, server, f"{provider.id}/m"
        finally:
            await desk.aclose()
            await tasks.aclose()
            await program.aclose()
            window.hide()
            window.deleteLater()
