"""Ollama on this computer is started when it sleeps, once, and ended only by whoever started it."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from conch_desktop.domain.errors import ProviderError
from conch_desktop.domain.messages import SentMessage
from conch_desktop.domain.models import Model, Provider
from conch_desktop.providers import ollama_child
from conch_desktop.providers.ollama import OllamaWire
from conch_desktop.providers.ollama_child import OllamaChild
from conch_desktop.providers.registry import KINDS
from conch_desktop.providers.wire import Request
from tests.providers.feeding import answer_of
from tests.servers import ScriptedServer
from tests.strict_ollama import lines

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for Ollama is a shell script")

SERVES = """
    import os, sys
    from http.server import BaseHTTPRequestHandler, HTTPServer

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"models": [{"name": "tide", "digest": "d"}]}')

        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"message": {"content": "Low."}, "done": true, "capabilities": ["completion"]}')

        def log_message(self, *_):
            pass

    assert sys.argv[1:] == ["serve"]
    with open(os.environ["STARTS"], "a") as file:
        file.write(f"{os.getpid()}\\n")
    host, _, port = os.environ["OLLAMA_HOST"].rpartition(":")
    HTTPServer((host, int(port)), Handler).serve_forever()
"""
DIES = """
    import sys
    print("listening", file=sys.stderr)
    sys.exit("Error: no space left on the pier")
"""


@pytest.fixture
def starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The ids of the processes that were started, one a line."""
    file = tmp_path / "starts"
    file.touch()
    monkeypatch.setenv("STARTS", str(file))
    return file


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Puts a program called ollama first in PATH."""

    def make(code: str) -> Path:
        program = tmp_path / "ollama"
        program.write_text(f"#!{sys.executable}\n{textwrap.dedent(code)}")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        return program

    return make


@pytest.fixture
def base() -> str:
    """An address at which nothing answers."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


def wire(base: str) -> OllamaWire:
    return OllamaWire(provider=Provider("pier", "ollama", "Pier", base), kind=KINDS["ollama"], key=None)


def listens(base: str) -> bool:
    host, _, port = base.removeprefix("http://").partition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=1):
            return True
    except OSError:
        return False


def ask() -> Request:
    return Request(Model("pier", "tide"), "", (SentMessage("user", "When?"),))


async def test_it_is_started_once_for_all_who_ask_and_ended_with_the_wire(
    stand_in: Callable[[str], Path], starts: Path, base: str
) -> None:
    stand_in(SERVES)
    made = wire(base)
    told, listed, other = await asyncio.gather(answer_of(made, ask()), made.list_models(), answer_of(made, ask()))
    assert (told.text, other.text, [model.name for model in listed]) == ("Low.", "Low.", ["tide"])
    assert len(starts.read_text().splitlines()) == 1
    assert listens(base)
    await made.aclose()
    assert not listens(base)


async def test_one_that_ended_is_started_anew(stand_in: Callable[[str], Path], starts: Path, base: str) -> None:
    stand_in(SERVES)
    made = wire(base)
    await answer_of(made, ask())
    os.kill(int(starts.read_text()), 9)
    while listens(base):
        await asyncio.sleep(0.01)
    assert (await answer_of(made, ask())).text == "Low."
    await made.aclose()
    assert len(starts.read_text().splitlines()) == 2
    assert not listens(base)


async def test_one_that_runs_already_is_left_running(stand_in: Callable[[str], Path], starts: Path) -> None:
    stand_in(SERVES)
    async with ScriptedServer() as server:
        server.route("POST /api/chat", lines({"content": "Low."}))
        made = wire(server.url)
        assert (await answer_of(made, ask())).text == "Low."
        await made.aclose()
        assert listens(server.url)
    assert starts.read_text() == ""


async def test_one_that_does_not_come_up_says_why_and_is_not_tried_at_once_again(
    stand_in: Callable[[str], Path], base: str
) -> None:
    stand_in(DIES)
    made = wire(base)
    first = (await answer_of(made, ask())).refusal
    assert first.kind == "network"
    assert first.what.startswith("Ollama was started and ended at once (code 1)")
    assert "no space left on the pier" in first.what
    assert first.advice
    stand_in(SERVES)
    assert (await answer_of(made, ask())).refusal.what == first.what
    with pytest.raises(ProviderError, match="no space left on the pier"):
        await made.list_models()
    await made.aclose()


async def test_one_that_never_answers_is_ended(
    stand_in: Callable[[str], Path], starts: Path, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ollama_child, "_READY_SECONDS", 0.5)
    stand_in("import os, time\nopen(os.environ['STARTS'], 'a').write(f'{os.getpid()}')\ntime.sleep(600)")
    child = OllamaChild(base)
    with pytest.raises(ProviderError, match="did not answer within"):
        await child.start()
    if starts.read_text():  # it may have been ended before it began
        with pytest.raises(ProcessLookupError):
            os.kill(int(starts.read_text()), 0)


async def test_without_ollama_on_this_computer_it_says_so(base: str) -> None:
    with pytest.raises(ProviderError, match="not installed on this computer") as raised:
        await OllamaChild(base, program=lambda: None).start()
    assert "ollama.com" in raised.value.advice


@pytest.mark.parametrize("place", ["http://192.0.2.7:11434", "https://127.0.0.1:1", "http://127.0.0.1:1/ollama"])
async def test_another_s_server_is_not_started(place: str) -> None:
    def program() -> str:
        raise AssertionError("nothing is looked for")

    assert await OllamaChild(place, program=program).start() is False


async def test_a_program_that_can_not_run_is_told(tmp_path: Path, base: str) -> None:
    with pytest.raises(ProviderError, match="can't be started"):
        await OllamaChild(base, program=lambda: str(tmp_path / "gone")).start()
