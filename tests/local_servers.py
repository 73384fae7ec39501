"""A real llama.cpp server with the small model, in the four ways such servers take tools.

    async with served() as url: ...                 # silent: the model's own template knows no tools and drops them
    async with served("--no-jinja") as url: ...     # refusing: 500 "tools param requires --jinja flag"
    async with served(*NATIVE) as url: ...          # native calls; a schema it can't read is refused with 400

Tests that use it are marked `local_model`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from conch_desktop.providers.model_file import small_model_path

KEY = "a-key-of-the-tests"
TEMPLATE = Path(__file__).parent / "providers" / "data" / "tools.jinja"
NATIVE = ("--template", str(TEMPLATE))


@contextlib.asynccontextmanager
async def served(*options: str) -> AsyncIterator[str]:
    """The address of a server that was started with these options of the child; its key is `KEY`."""
    model = small_model_path()
    assert model is not None
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "conch_desktop.providers.local_child", str(model), "--window", "3072", *options),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        child.stdin.write(f"{KEY}\n".encode())
        async with asyncio.timeout(90):
            told = json.loads(await child.stdout.readline())
        yield str(told["url"])
    finally:
        child.stdin.close()
        try:
            async with asyncio.timeout(30):
                await child.wait()
        except TimeoutError:
            child.kill()
            await child.wait()
