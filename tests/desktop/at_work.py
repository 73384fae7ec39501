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
    """Waits until something is true, 40 seconds at most."""
    for _ in range(4000):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("It did not happen.")


def said(desk: Desk) -> str:
    """The words of the last message of the chat that is open."""
    session = desk.chats.session
    return session.messages[-1].text if session is not None and session.messages else ""


async def _active(window: Window) -> None:
    """Gives the window the keys, as the desktop does with a new one."""
    window.activateWindow()
    for _ in range(300):
        if window.isActiveWindow():
            return
        await asyncio.sleep(0.01)


@asynccontextmanager
async def at_work(
    folder: Path, provider: str = "Pier"
) -> AsyncIterator[tuple[Window, Program, Desk, ScriptedServer, str]]:
    """A window with the program behind it, and a server with one model; the last is its id.

    Without a name for the provider none is added, and the window has what the profile holds.
    """
    async with ScriptedServer() as server:
        server.route("GET /v1/models", json_reply({"data": [{"id": "m"}]}))
        program = await Program.open(folder)
        program.server_ports = (9,)  # servers of whoever runs the tests are left alone
        model = ""
        if provider:
            made, _ = await program.add_provider("openai", provider, server.url, "")
            model = f"{made.id}/m"
        window = Window()
        window.allow_close = True
        window.resize(1280, 800)
        window.show()
        await _active(window)
        tasks = Tasks(window.say)
        desk = Desk(window, program, tasks)
        await desk.start(model)
        try:
            yield window, program, desk, server, model
        finally:
            await desk.aclose()
            await tasks.aclose()
            await program.aclose()
            window.hide()
            window.deleteLater()
