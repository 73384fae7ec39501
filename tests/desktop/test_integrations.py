"""Integrations under the window's own loop: their programs start, answer and end, and the loop never waits for long."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from conch_desktop.engine.assembly import Program
from conch_desktop.engine.held import IntegrationView
from tests.desktop.conftest import Run
from tests.tools.mcp.conftest import hostile


def test_servers_run_under_the_windows_loop(run: Run[tuple[list[IntegrationView], str, float]], tmp_path: Path) -> None:
    async def work() -> tuple[list[IntegrationView], str, float]:
        longest = 0.0

        async def watch() -> None:
            nonlocal longest
            while True:
                began = time.monotonic()
                await asyncio.sleep(0.01)
                longest = max(longest, time.monotonic() - began)

        program = await Program.open(tmp_path)
        watching = asyncio.ensure_future(watch())
        for name in ("harbour", "weather"):
            program.integrations.use(hostile("flood", "bad-schemas", name=name))
        await program.integrations.settled()
        server = program.integrations._held[program.integrations.all()[0].id].server
        assert server is not None
        text = (await server.call("huge", {})).text
        watching.cancel()
        views = program.integrations.all()
        await program.aclose()
        return views, text, longest

    views, text, longest = run(work())
    assert [view.state for view in views] == ["running", "running"], [view.why for view in views]
    assert "was cut" in text
    assert longest < 2.0  # seconds, while the library was imported and 200 MB came in; about 0.15 on an idle computer
