"""What is read from the lines of Ollama's own API: the same whatever the cuts, and whole or not at all."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.domain.events import RefusalKind, Usage
from tests.providers.feeding import Joined, feed

KIND = "ollama"


def line(content: str = "", *, done: str | None = None, thinking: str = "", calls: Any = None, **more: Any) -> Any:
    """One line as Ollama sends it; `done` is the reason of the last one."""
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if thinking:
        message["thinking"] = thinking
    if calls is not None:
        message["tool_calls"] = calls
    made = {"model": "tide", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": done is not None}
    return {**made, **({"done_reason": done} if done else {}), **more}


def called(name: str = "mow", arguments: Any = None, **more: Any) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": {} if arguments is None else arguments}, **more}


def stream(*lines: Any, end: str = "\n") -> bytes:
    return "".join(json.dumps(each, ensure_ascii=False) + end for each in lines).encode()


async def read(*lines: Any, **more: Any) -> Joined:
    return await feed([stream(*lines)], kind=KIND, **more)


COUNTS: dict[str, Any] = {"prompt_eval_count": 9, "eval_count": 4, "load_duration": 5}
WHOLE = (
    line(thinking="Which "),
    line(thinking="hedge?"),
    line("Täg\u2028"),
    line("lich 🌿"),
    line(calls=[called(arguments={"b": 12345678901234567890, "a": "ü"}), called("rake", id="c2")]),
    line(done="stop", **COUNTS),
)


async def test_an_answer_is_put_together() -> None:
    told = await read(*WHOLE)
    assert (told.text, told.reasoning, told.finish) == ("Täg\u2028lich 🌿", "Which hedge?", "tool_calls")
    assert told.usage == Usage(9, 4)
    mow, rake = told.calls
    assert (mow.name, mow.arguments, mow.extra) == ("mow", '{"b": 12345678901234567890, "a": "ü"}', "")
    assert mow.id
    assert (rake.id, rake.arguments, json.loads(rake.extra)) == ("c2", "{}", {"id": "c2"})
    assert told.signs == {0: ("mow", mow.arguments), 1: ("rake", "{}")}


@given(st.lists(st.integers(1, 1200), max_size=12), st.sampled_from(["\n", "\r\n", "\n\n"]))
async def test_cuts_change_nothing(places: list[int], end: str) -> None:
    whole = stream(*WHOLE, end=end)
    edges = [0, *sorted({place for place in places if place < len(whole)}), len(whole)]
    pieces = [whole[start:stop] for start, stop in itertools.pairwise(edges)]
    assert (await feed(pieces, kind=KIND)).told() == (await read(*WHOLE)).told()


@pytest.mark.parametrize("place", range(0, len(stream(*WHOLE)) - 2, 23))
async def test_what_is_cut_runs_nothing(place: int) -> None:
    told = await feed([stream(*WHOLE)[:place]], kind=KIND, cut=True)
    assert (told.calls, told.refusal.kind) == ((), "network")
    assert "Täg\u2028lich 🌿".startswith(told.text)


async def test_an_end_that_was_never_told_is_a_cut() -> None:
    told = await read(line("Low"), line(" tide"))
    assert (told.text, told.refusal.kind) == ("Low tide", "network")


@pytest.mark.parametrize(
    ("done", "finish"), [("stop", "stop"), ("length", "length"), ("load", "stop"), ("unload", "stop"), ("", "stop")]
)
async def test_the_reason_of_the_end_has_a_meaning(done: str, finish: str) -> None:
    assert (await read(line("Low.", done=done))).finish == finish


async def test_a_call_arrives_whole_and_runs_though_the_answer_was_cut_at_its_length() -> None:
    told = await read(line(calls=[called(arguments={"a": 1})]), line(done="length"))
    assert (told.finish, len(told.calls)) == ("tool_calls", 1)


async def test_the_same_call_twice_is_two_calls() -> None:
    told = await read(line(calls=[called(id="x")]), line(calls=[called(id="x")]), line(done="stop"))
    assert len({call.id for call in told.calls}) == 2


async def test_thinking_in_tags_is_parted_as_older_versions_send_it() -> None:
    told = await read(line("<thi"), line("nk>Hm.</think>\n\nLow."), line(done="stop"))
    assert (told.reasoning, told.text) == ("Hm.", "Low.")


async def test_nothing_is_read_after_the_last_line() -> None:
    told = await read(line("Low.", done="stop"), line(" More."), {"error": "closed"})
    assert (told.text, told.finish) == ("Low.", "stop")


@pytest.mark.parametrize("indent", [None, 2])
async def test_a_whole_answer_in_the_place_of_a_stream_is_read(indent: int | None) -> None:
    body = json.dumps(line("Low.", done="stop", **COUNTS), indent=indent)
    told = await feed([piece.encode() for piece in body.splitlines(keepends=True)], kind=KIND)
    assert (told.text, told.finish, told.usage) == ("Low.", "stop", Usage(9, 4))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"error": "error parsing tool call: raw='{\"p\":1]', err=invalid character"}, "generation"),
        ({"error parsing tool call": "raw"}, "generation"),
        ({"error": "llama runner process has terminated: exit status 2"}, "overloaded"),
    ],
)
async def test_an_error_line_ends_the_answer(error: Any, kind: RefusalKind) -> None:
    told = await read(line("Low"), error)
    assert (told.text, told.calls, told.refusal.kind) == ("Low", (), kind)


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (400, "registry.ollama.ai/library/tide:latest does not support tools", "tools"),
        (404, "model 'tide' not found", "not_found"),
        (400, '"tide" does not support thinking', "bad_request"),
    ],
)
async def test_a_refusal_is_told_apart(status: int, error: str, kind: RefusalKind) -> None:
    body = json.dumps({"error": error}).encode()
    told = await feed([body], status=status, headers={"content-type": "application/json"}, kind=KIND)
    assert told.refusal.kind == kind


async def test_a_model_that_can_not_think_teaches_it() -> None:
    told = await feed([b'{"error":"\\"tide\\" does not support thinking"}'], status=400, kind=KIND)
    assert told.refusal.teaches == ("effort", "none")


@pytest.mark.parametrize(
    "value",
    [
        {"message": None, "done": False},
        {"message": {"content": None, "thinking": 5, "tool_calls": None}, "done": False},
        {"message": {"tool_calls": [None, {"function": None}, {"function": {"arguments": {}}}]}, "done": False},
        {"prompt_eval_count": "many", "eval_count": True, "message": {}, "done": False},
        [1, 2],
    ],
)
async def test_odd_lines_mean_nothing(value: Any) -> None:
    told = await read(line("Lo"), value, line("w."), line(done="stop"))
    assert (told.text, told.calls, told.usage, told.finish) == ("Low.", (), None, "stop")
