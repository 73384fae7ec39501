"""The model on this computer: what is told without starting it, and the real llama.cpp server with the small model."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import httpx
import psutil
import pytest

from conch_desktop.domain.errors import LocalModelError
from conch_desktop.domain.events import TextDelta
from conch_desktop.domain.messages import SentMessage
from conch_desktop.domain.models import Model, Provider
from conch_desktop.providers import local_child
from conch_desktop.providers.local import LocalServer, LocalWire, local_model, why_unavailable
from conch_desktop.providers.local_ends import PACKAGE, death
from conch_desktop.providers.model_file import SMALL_MODEL, small_model_path
from conch_desktop.providers.wire import Request
from tests.providers.feeding import Joined, feed, join, tool

THIS_COMPUTER = Provider("local", "local", "This computer")


# without starting it ------------------------------------------------------------------------------------------------


def test_the_small_model_is_listed_with_what_it_can_not_do() -> None:
    for path in (None, Path("/models") / SMALL_MODEL.file_name):
        model = local_model(path, "local")
        assert (model.id, model.label, model.window, model.tools) == (
            "local/smollm2-135m-instruct",
            "SmolLM2 135M",
            8192,
            False,
        )
        assert "not for real work" in model.note


def test_a_file_of_one_s_own_has_its_name() -> None:
    model = local_model(Path("/models/Tide-7B.Q4.gguf"), "local")
    assert (model.id, model.tools) == ("local/Tide-7B.Q4", None)


async def test_the_file_and_the_server_s_version_are_its_fingerprint(tmp_path: Path) -> None:
    path: list[Path | None] = [tmp_path / "a.gguf"]
    wire = LocalWire(provider=THIS_COMPUTER, server=LocalServer(lambda: path[0]))
    model = local_model(path[0], "local")
    assert await wire.fingerprint(model) == ""  # the file is not there
    (tmp_path / "a.gguf").write_bytes(b"GGUF")
    first = await wire.fingerprint(model)
    (tmp_path / "a.gguf").write_bytes(b"GGUF2")
    assert await wire.fingerprint(model) not in ("", first)
    path[0] = None
    assert await wire.fingerprint(model) == ""
    await wire.aclose()


async def test_a_list_starts_nothing() -> None:
    states: list[str] = []
    wire = LocalWire(provider=THIS_COMPUTER, server=LocalServer(lambda: None, states.append))
    model = (await wire.list_models())[0]
    assert model.name == "smollm2-135m-instruct"
    assert (await wire.tools_for(model), await wire.takes_grammar(model), await wire.window_for(model)) == (
        False,
        True,
        8192,
    )
    assert wire.schema_family(model) == "permissive"
    assert states == []
    await wire.aclose()


def test_a_missing_server_is_told_with_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(platform, "libc_ver", lambda: ("glibc", "2.36"))
    monkeypatch.setattr(sys, "platform", "linux")
    missing = why_unavailable()
    assert missing is not None
    assert missing.advice.endswith(f"-m pip install {PACKAGE}")


@pytest.mark.parametrize(
    ("system", "machine", "libc"),
    [("win32", "ARM64", ""), ("linux", "riscv64", "glibc"), ("linux", "x86_64", ""), ("linux", "i686", "glibc")],
)
def test_a_system_without_a_build_is_told(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str, libc: str
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(platform, "libc_ver", lambda: (libc, ""))
    monkeypatch.setattr(sys, "platform", system)
    missing = why_unavailable()
    assert missing is not None
    assert "has no build for" in missing.what
    assert "pip install" not in missing.advice


async def test_without_a_file_a_turn_ends_in_a_sentence() -> None:
    states: list[str] = []
    server = LocalServer(lambda: None, states.append)
    wire = LocalWire(provider=THIS_COMPUTER, server=server)
    answer = await said(wire, "Hello")
    assert (answer.refusal.kind, answer.refusal.what) == ("not_found", "There is no model on this computer yet.")
    assert await wire.tools_for(Model("local", "own")) is None
    await wire.aclose()
    await server.aclose()
    assert states == []


@pytest.mark.parametrize(
    ("content", "what"),
    [(b"plain text", "own.gguf is no GGUF file."), (b"", "own.gguf is no GGUF file."), (None, "{path} is not there.")],
)
async def test_a_wrong_file_is_told_before_anything_starts(tmp_path: Path, content: bytes | None, what: str) -> None:
    path = tmp_path / "own.gguf"
    if content is not None:
        path.write_bytes(content)
    server = LocalServer(lambda: path)
    with pytest.raises(LocalModelError) as raised:
        await server.ensure()
    assert raised.value.what == what.format(path=path)
    assert raised.value.advice
    await server.aclose()


@pytest.mark.parametrize(
    ("code", "lines", "what", "advice"),
    [
        (-4, [], "processor is too old", "Ollama"),
        (0xC000001D, [], "processor is too old", "Ollama"),
        (-9, [], "ended the model on this computer while it answered, most likely for lack of", "smaller"),
        (1, ["ImportError: libgomp.so.1: cannot open shared object file"], "libgomp", "apt install libgomp1"),
        (1, ["ImportError: /lib/libc.so.6: version `GLIBC_2.99' not found"], "too old for the server", "provider"),
        (1, ["ModuleNotFoundError: No module named 'xllamacpp'"], "not installed", "pip install xllamacpp=="),
        (1, ["ggml: failed to allocate buffer of size 9"], "not enough memory for own.gguf", "smaller"),
        (1, ["load: error loading model: it is odd", "x"], "own.gguf can't be used as a model: it is odd.", "GGUF"),
        (-11, ["one", "two"], "crashed (SIGSEGV) while it answered. It said: “two”", "started anew"),
        (3, [], "ended (status 3) while it answered.", "started anew"),
        (None, [], "ended (status None)", "started anew"),
    ],
)  # fmt: skip
def test_every_end_is_a_sentence_with_what_to_do(
    code: int | None, lines: Sequence[str], what: str, advice: str
) -> None:
    error = death("own.gguf", "while it answered", code, lines)
    assert what in error.what
    assert advice in error.advice


def test_cores_are_counted() -> None:
    assert 1 <= local_child.physical_cores() <= (os.cpu_count() or 1)


# the real server ----------------------------------------------------------------------------------------------------


ENDLESS = "root ::= [a-z ] root"
"""A grammar that lets no answer end."""


def small() -> Path:
    path = small_model_path()
    assert path is not None
    return path


async def said(wire: LocalWire, text: str, **more: object) -> Joined:
    model = local_model(None, "local")
    request = Request(model, "You are brief.", (SentMessage("user", text),), **more)  # type: ignore[arg-type]
    async with contextlib.aclosing(wire.stream(request)) as events:
        return join([event async for event in events])


def process_of(server: LocalServer) -> psutil.Process:
    assert server._child is not None
    return psutil.Process(server._child._process.pid)


async def gone(process: psutil.Process, seconds: float = 10) -> None:
    """Waits until a process has ended; one that only waits to be counted has."""
    async with asyncio.timeout(seconds):
        while True:
            with contextlib.suppress(psutil.NoSuchProcess):
                if process.status() != psutil.STATUS_ZOMBIE:
                    await asyncio.sleep(0.02)
                    continue
            return


@pytest.fixture
async def server() -> AsyncIterator[LocalServer]:
    made = LocalServer(small)
    yield made
    await made.aclose()


@pytest.fixture
async def wire(server: LocalServer) -> AsyncIterator[LocalWire]:
    made = LocalWire(provider=THIS_COMPUTER, server=server)
    yield made
    await made.aclose()


@pytest.mark.local_model
async def test_it_chats_in_a_stream(wire: LocalWire) -> None:
    answer = await said(wire, "Name one bird that can swim.", max_tokens=12)
    assert len([event for event in answer.events if isinstance(event, TextDelta)]) > 3
    assert answer.finish in ("length", "stop")
    assert answer.usage is not None
    assert answer.usage.output_tokens


@pytest.mark.local_model
async def test_the_small_model_finds_an_end(wire: LocalWire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conch_desktop.providers.local.SMALL_ANSWER", 6)
    assert (await said(wire, "Count to a hundred in words.")).finish == "length"
    longer = await said(wire, "Count to a hundred in words.", max_tokens=9)
    assert longer.usage is not None
    assert 6 < (longer.usage.output_tokens or 0) <= 9


@pytest.mark.local_model
async def test_a_grammar_makes_it_write_a_call(wire: LocalWire) -> None:
    start, end = r"<tool_call>\n{\"name\": \"remember\", \"arguments\": {\"content\": \"", r"\"}}\n</tool_call>"
    grammar = f'root ::= "{start}" [a-z ]{{3,20}} "{end}"'
    answer = await said(wire, "Remember that I like tea.", grammar=grammar, tools=(tool("remember"),))
    assert answer.text.startswith('<tool_call>\n{"name": "remember", "arguments": {"content": "')
    assert answer.text.endswith('"}}\n</tool_call>')
    assert answer.finish == "stop"


@pytest.mark.local_model
async def test_its_template_drops_tools_and_it_says_so_when_asked(wire: LocalWire) -> None:
    own = Model("local", "own")
    assert await wire.tools_for(own) is False
    inner = await wire._wire()
    assert await inner.window_for(own) == 8192
    assert await inner.takes_grammar(own) is True


@pytest.mark.local_model
async def test_nobody_else_can_use_it(server: LocalServer) -> None:
    url, key = await server.ensure()
    async with httpx.AsyncClient(trust_env=False) as client:
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            assert (await client.get(f"{url}/models", headers=headers)).status_code == 401
            assert (await client.get(f"{url.removesuffix('/v1')}/props", headers=headers)).status_code == 401
        mine = {"Authorization": f"Bearer {key}", "Origin": "https://page.example"}
        answer = await client.get(f"{url}/models", headers=mine)
        assert answer.status_code == 200
        assert "page.example" not in repr(answer.headers)
    process = process_of(server)
    assert key not in " ".join(process.cmdline())
    assert key not in repr(process.environ())
    assert process.environ()["OMP_WAIT_POLICY"] == "passive"


@pytest.mark.local_model
async def test_leaving_in_the_middle_frees_it_for_the_next(wire: LocalWire) -> None:
    await said(wire, "Hello", max_tokens=1)
    model = local_model(None, "local")
    request = Request(model, "", (SentMessage("user", "Count to a thousand, slowly."),), grammar=ENDLESS)
    async with contextlib.aclosing(wire.stream(request)) as events:
        for _ in range(3):
            await anext(events)
    began = time.monotonic()
    assert (await said(wire, "Hello", max_tokens=1)).finish == "length"
    assert time.monotonic() - began < 5


@pytest.mark.local_model
async def test_many_callers_start_one_child_and_two_wires_share_it() -> None:
    states: list[str] = []
    server = LocalServer(small, states.append)
    wires = [LocalWire(provider=THIS_COMPUTER, server=server) for _ in range(2)]
    assert len(set(await asyncio.gather(*(server.ensure() for _ in range(5))))) == 1
    answers = await asyncio.gather(*(said(wire, "Hello", max_tokens=2) for wire in wires))
    assert [answer.finish for answer in answers] == ["length", "length"]
    assert states == ["starting", "ready"]
    for wire in wires:
        await wire.aclose()
    await server.aclose()
    assert states == ["starting", "ready", "stopped"]


@pytest.mark.local_model
async def test_a_caller_that_leaves_does_not_stop_the_start(server: LocalServer) -> None:
    first = asyncio.ensure_future(server.ensure())
    second = asyncio.ensure_future(server.ensure())
    await asyncio.sleep(0.02)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert (await second)[0].startswith("http://127.0.0.1:")


@pytest.mark.local_model
@pytest.mark.parametrize("moment", [0.0, 0.02, 0.15])
async def test_closing_while_it_starts_leaves_no_process(moment: float) -> None:
    server = LocalServer(small)
    starting = asyncio.ensure_future(server.ensure())
    await asyncio.sleep(moment)
    await server.aclose()
    with pytest.raises(asyncio.CancelledError):
        await starting
    mine = psutil.Process().children()
    assert [child for child in mine if "local_child" in " ".join(child.cmdline())] == []


@pytest.mark.local_model
async def test_it_is_started_anew_when_it_died(server: LocalServer, wire: LocalWire) -> None:
    await said(wire, "Hello", max_tokens=1)
    process = process_of(server)
    process.kill()
    await gone(process)
    assert (await said(wire, "Hello", max_tokens=1)).finish == "length"
    assert process_of(server).pid != process.pid


@pytest.mark.local_model
@pytest.mark.parametrize(
    ("number", "what"),
    [
        (signal.SIGKILL, "The system ended the model"),
        (signal.SIGILL, "processor is too old"),
        (signal.SIGSEGV, "crashed"),
    ],
)
async def test_a_crash_in_the_middle_is_a_sentence(
    server: LocalServer, wire: LocalWire, number: signal.Signals, what: str
) -> None:
    request = Request(local_model(None, "local"), "", (SentMessage("user", "Count."),), grammar=ENDLESS)
    events = []
    async with contextlib.aclosing(wire.stream(request)) as stream:
        async for event in stream:
            events.append(event)
            if len(events) == 3:
                process_of(server).send_signal(number)
    answer = join(events)
    assert answer.text
    assert answer.refusal.kind == "network"
    assert what in answer.refusal.what
    assert answer.refusal.advice


@pytest.mark.local_model
async def test_another_file_is_served_by_another_child(tmp_path: Path) -> None:
    (tmp_path / "Own.gguf").symlink_to(small())
    files = [small()]
    server = LocalServer(lambda: files[0])
    wire = LocalWire(provider=THIS_COMPUTER, server=server)
    await said(wire, "Hello", max_tokens=1)
    first = process_of(server)
    files[0] = tmp_path / "Own.gguf"
    assert [model.name for model in await wire.list_models()] == ["Own"]
    assert (await said(wire, "Hello", max_tokens=1)).finish == "length"
    assert process_of(server).pid != first.pid
    assert not first.is_running()
    assert [model.name for model in await (await wire._wire()).list_models()] == ["Own"]
    await wire.aclose()
    await server.aclose()


@pytest.mark.local_model
async def test_a_file_that_is_cut_short_is_told(tmp_path: Path) -> None:
    path = tmp_path / "cut.gguf"
    with small().open("rb") as whole:
        path.write_bytes(whole.read(20_000_000))
    states: list[str] = []
    server = LocalServer(lambda: path, states.append)
    wire = LocalWire(provider=THIS_COMPUTER, server=server)
    answer = await said(wire, "Hello")
    assert answer.refusal.what.startswith("cut.gguf can't be used as a model: ")
    assert answer.refusal.advice == "Fetch it again, or choose another GGUF file."
    assert states == ["starting", "failed"]
    await wire.aclose()
    await server.aclose()


@pytest.mark.local_model
async def test_it_stops_soon_and_by_itself(server: LocalServer) -> None:
    await server.ensure()
    process = process_of(server)
    began = time.monotonic()
    await server.aclose()
    assert time.monotonic() - began < 2
    assert not process.is_running()


@pytest.mark.local_model
async def test_it_ends_when_the_program_is_killed() -> None:
    code = (
        "import asyncio\n"
        "from conch_desktop.providers.local import LocalServer\n"
        "from conch_desktop.providers.model_file import small_model_path\n"
        "async def main():\n"
        "    server = LocalServer(small_model_path)\n"
        "    await server.ensure()\n"
        "    print(server._child._process.pid, flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    child = psutil.Process(int(await asyncio.to_thread(parent.stdout.readline)))
    assert child.is_running()
    parent.kill()
    parent.communicate()
    await gone(child, 5)


async def test_a_response_can_be_read_without_a_server() -> None:
    wire = LocalWire(provider=THIS_COMPUTER, server=LocalServer(lambda: None))
    response = httpx.Response(200, content=b'data: {"choices": [{"delta": {"content": "a"}}]}\n\ndata: [DONE]\n\n')
    async with contextlib.aclosing(wire.read(response)) as events:
        assert join([event async for event in events]).text == "a"
    assert (await feed([b"data: [DONE]\n\n"])).finish == "stop"
    await wire.aclose()
