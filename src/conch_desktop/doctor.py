"""`conch-desktop doctor`: says in plain words what works here, and what to do about the rest (DESIGN 4.3)."""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conch_desktop.domain.errors import ConchError, UsageError
from conch_desktop.engine.assembly import LOCAL, Program, default_data_dir
from conch_desktop.engine.checked import CALLS
from conch_desktop.engine.held import IntegrationView

QT_LIMIT = 30
"""Seconds Qt has to start on the screen."""

_QT = "from PySide6.QtWidgets import QApplication as A; a = A(['doctor']); print(a.platformName())"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `advice` says what to do when it does not work."""

    ok: bool
    what: str
    advice: str = ""


def main(arguments: Sequence[str]) -> int:
    """Prints every finding; 0 when all is well, 1 when something does not work."""
    parser = argparse.ArgumentParser("conch-desktop doctor", description="What works here, and what to do about it.")
    parser.add_argument("--data-dir", type=Path, help="a separate profile")
    parser.add_argument("--model", default="", metavar="PROVIDER/NAME", help="check how this model takes tools")
    options = parser.parse_args(arguments)
    data_dir = options.data_dir or default_data_dir()
    return asyncio.run(_check(data_dir, options.model) if options.model else _report(data_dir))


async def _check(data_dir: Path, wanted: str) -> int:
    """Checks how one model takes tools, and keeps what was found."""
    try:
        program = await Program.open(data_dir)
        try:
            found = await program.check_model(await _id_of(program, wanted))
        finally:
            await program.aclose()
    except ConchError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{found.text}\n")
    return 0 if found.right == CALLS else 1


async def _id_of(program: Program, wanted: str) -> str:
    """The id of PROVIDER/NAME, where PROVIDER is a provider's name, kind or id."""
    name, _, model = wanted.partition("/")
    for provider in await program.providers():
        if name.casefold() in {provider.id.casefold(), provider.name.casefold(), provider.kind}:
            return f"{provider.id}/{model}"
    raise UsageError(
        f"There is no provider {name}.", "Add it in the window, or name one that conch-desktop doctor lists."
    )


async def _report(data_dir: Path) -> int:
    well = True
    async for finding in findings(data_dir):
        well = well and finding.ok
        sys.stdout.write(f"{'ok ' if finding.ok else '!! '} {finding.what}\n")
        if finding.advice and not finding.ok:
            sys.stdout.write(f"    {finding.advice}\n")
        sys.stdout.flush()
    return 0 if well else 1


async def findings(data_dir: Path) -> AsyncIterator[Finding]:
    """Looks at everything, one thing after the other."""
    yield await asyncio.to_thread(_qt)
    yield await asyncio.to_thread(_folder, data_dir)
    try:
        program = await Program.open(data_dir)
    except ConchError as error:
        yield Finding(False, error.what, error.advice)
        return
    try:
        yield Finding(True, f"The database opens, with {len(await program.chats.listing())} chats.")
        for note in program.notes:
            yield Finding(False, note, "The default is used until the setting is changed.")
        async for finding in _services(program):
            yield finding
    finally:
        await program.aclose()


async def _services(program: Program) -> AsyncIterator[Finding]:
    store = await program.secrets.probe()
    yield Finding(store.state == "ok", store.text, store.advice)
    yield _local(program)
    for provider in await program.providers():
        if provider.id != LOCAL.id:
            tested = await program.test(provider.kind, provider.url, "", provider.id)
            yield Finding(tested.ok, f"{provider.name}: {tested.text}", tested.advice)
    program.integrations.start()
    await program.integrations.settled()
    for view in program.integrations.all():
        yield _integration(view)


def _integration(view: IntegrationView) -> Finding:
    if view.state == "off":
        return Finding(True, f"{view.name} is switched off.")
    if view.state != "running":
        return Finding(False, f"{view.name} is not running. {view.why}", view.advice)
    if view.left_out:
        lost = "; ".join(f"{out.name or 'a tool'}: {out.why}" for out in view.left_out[:10])
        return Finding(False, f"{view.name} runs, but {len(view.left_out)} of its tools can’t be used. {lost}")
    return Finding(True, f"{view.name} runs, with {len(view.tools)} tools.")


def _qt() -> Finding:
    """Starts Qt in a process of its own: a missing library ends that process, not this one."""
    headless = sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    environment = {**os.environ, **({"QT_QPA_PLATFORM": "offscreen"} if headless else {})}
    try:
        ran = subprocess.run(
            [sys.executable, "-c", _QT], capture_output=True, text=True, timeout=QT_LIMIT, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        return Finding(False, f"Qt did not start in {QT_LIMIT} s.", "Check that the screen answers.")
    if ran.returncode != 0:
        lines = (ran.stderr or ran.stdout).strip().splitlines() or [f"it ended with {ran.returncode}"]
        return Finding(False, f"Qt does not start: {lines[0]}", "Run python3 conch.py setup; it names what is missing.")
    screen = "without a screen" if headless else f"on {ran.stdout.strip()}"
    return Finding(True, f"Qt starts {screen}.")


def _folder(data_dir: Path) -> Finding:
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        probe = data_dir / ".writable"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        return Finding(False, f"{data_dir} can't be written: {error.strerror}.", "Choose another with --data-dir.")
    return Finding(True, f"The data folder is {data_dir}.")


def _local(program: Program) -> Finding:
    state = program.local_state()
    if not state.available:
        return Finding(False, state.why, state.advice)
    if state.path is None:
        return Finding(False, "There is no model on this computer yet.", "Fetch it: conch-desktop model get")
    if not state.path.is_file():
        return Finding(False, f"The model file {state.path} is gone.", "Choose another file in the model list.")
    return Finding(True, f"The model on this computer is {state.path.name}.")
