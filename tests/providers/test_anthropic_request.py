"""What is sent to the Messages API: blocks, marks, tools and thinking."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conch_desktop.domain.efforts import nearest_effort
from conch_desktop.domain.messages import SentCall, SentMessage, SentResult
from conch_desktop.domain.models import Model
from conch_desktop.providers.anthropic_models import Row
from conch_desktop.providers.anthropic_request import build
from conch_desktop.providers.wire import Request
from tests.providers.feeding import tool

CALLS = (SentCall("toolu_1", "find", {"q": "tée"}), SentCall("toolu_2", "now", {}))
RESULTS = (SentResult("toolu_1", "find", "two notes"), SentResult("toolu_2", "now", "", is_error=True))
TURN = (
    SentMessage("user", "When?"),
    SentMessage("assistant", "Let me see. ", CALLS),
    SentMessage("results", results=RESULTS),
)
MARK = {"cache_control": {"type": "ephemeral"}}


def body(*messages: SentMessage, row: Row | None = None, name: str = "claude-opus-5", **fields: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"system": "Be brief.", "messages": messages or TURN, **fields}
    return build(Request(Model("pier", name), **given), row or Row())


def test_a_turn_is_mapped_in_order() -> None:
    assert body() == {
        "model": "claude-opus-5",
        "max_tokens": 8192,
        "stream": True,
        "system": [{"type": "text", "text": "Be brief.", **MARK}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "When?", **MARK}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Let me see."},
                    {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {"q": "tée"}},
                    {"type": "tool_use", "id": "toolu_2", "name": "now", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "two notes"},
                    {
                        "type": "tool_result",
                        "tool_use_id": "toolu_2",
                        "content": "(no output)",
                        "is_error": True,
                        **MARK,
                    },
                ],
            },
        ],
        "tools": [{"name": name, "input_schema": {"type": "object"}} for name in ("find", "now")],
        "tool_choice": {"type": "none"},
    }


def replayed(*blocks: dict[str, Any], words: str = "", calls: tuple[SentCall, ...] = ()) -> list[dict[str, Any]]:
    message = SentMessage("assistant", words, calls, replay=json.dumps({"blocks": blocks}))
    sent = body(TURN[0], message, SentMessage("user", "So?"))["messages"]
    return sent[1]["content"] if len(sent) == 3 else []


THOUGHT = {"type": "thinking", "thinking": "Hm", "signature": "mH"}
USED = {"type": "tool_use", "id": "toolu_1"}


def test_blocks_go_back_in_their_order_with_the_call_as_it_is_known_now() -> None:
    said = {"type": "text", "text": "Let me see."}
    call = {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {"q": "tée"}}
    assert replayed(THOUGHT, said, THOUGHT, USED, words="Let me see.", calls=CALLS[:1]) == [
        THOUGHT,
        said,
        THOUGHT,
        call,
    ]


def test_words_that_were_read_otherwise_and_calls_from_elsewhere_find_their_place() -> None:
    said = {"type": "text", "text": "Let me see. <tool_call>…"}
    sent = replayed(THOUGHT, said, USED, words="Let me see.", calls=CALLS)
    assert [block.get("text") or block.get("id") or "Hm" for block in sent] == [
        "Hm",
        "Let me see.",
        "toolu_1",
        "toolu_2",
    ]


def test_a_call_that_was_not_made_is_not_sent_and_thinking_is_never_the_last() -> None:
    assert replayed(THOUGHT, USED) == []
    assert replayed(THOUGHT, {"type": "text", "text": "So."}, THOUGHT, words="So.") == [
        THOUGHT,
        {"type": "text", "text": "So."},
    ]


@pytest.mark.parametrize("broken", ["no json", "[]", '{"blocks": 5}', '{"blocks": [5]}', '{"reasoning_details": []}'])
def test_what_another_wire_attached_is_left_alone(broken: str) -> None:
    sent = body(TURN[0], SentMessage("assistant", "So.", replay=broken), SentMessage("user", "And?"))
    assert sent["messages"][1]["content"] == [{"type": "text", "text": "So."}]


def test_the_marks_stay_where_a_longer_chat_finds_them() -> None:
    """The last mark of a request is the one before the last of the next: what came before it is read from the cache."""
    places = []
    chat: tuple[SentMessage, ...] = ()
    for number in range(4):
        chat = (*chat, SentMessage("user", f"Question {number}"))
        sent = body(*chat)["messages"]
        marked = [place for place, message in enumerate(sent) if "cache_control" in message["content"][-1]]
        places.append(marked)
        chat = (*chat, SentMessage("assistant", f"Answer {number}"))
    assert places == [[0], [0, 2], [2, 4], [4, 6]]


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("auto", None),
        ("none", {"type": "none"}),
        ("required", {"type": "any"}),
        ("find", {"type": "tool", "name": "find"}),
    ],
)
def test_a_choice_of_tool_is_mapped(choice: str, sent: Any) -> None:
    assert body(tools=(tool("find"),), tool_choice=choice).get("tool_choice") == sent


ADAPTIVE = {"type": "adaptive", "display": "summarized"}


@pytest.mark.parametrize(
    ("name", "row", "effort", "thinking", "level"),
    [
        ("claude-opus-5", Row(), "high", ADAPTIVE, "high"),
        ("claude-opus-4-7", Row(), "minimal", ADAPTIVE, "low"),
        ("claude-opus-4-6", Row(efforts=("low", "medium")), "max", ADAPTIVE, "medium"),
        ("claude-opus-5", Row(efforts=("of its own",)), "high", None, None),
        ("claude-sonnet-4-5", Row(), "low", {"type": "enabled", "budget_tokens": 2048}, None),
        ("claude-sonnet-4-20250514", Row(), "max", {"type": "enabled", "budget_tokens": 24576}, None),
        ("claude-3-7-sonnet-latest", Row(), "high", {"type": "enabled", "budget_tokens": 16384}, None),
        ("claude-sonnet-4-5", Row(adaptive=True), "low", ADAPTIVE, "low"),
        ("deepseek-next", Row(adaptive=False), "low", {"type": "enabled", "budget_tokens": 2048}, None),
        ("claude-opus-5", Row(), "none", None, None),
        ("claude-opus-5", Row(), "", None, None),
    ],
)
def test_a_level_of_thinking_goes_as_the_model_takes_it(
    name: str, row: Row, effort: str, thinking: Any, level: str | None
) -> None:
    sent = body(TURN[0], name=name, row=row, effort=effort, temperature=1.5)
    assert sent.get("thinking") == thinking
    assert sent.get("output_config") == (None if level is None else {"effort": level})
    assert ("temperature" in sent) is (thinking is None)
    assert sent.get("temperature", 1.0) == 1.0
    if thinking and "budget_tokens" in thinking:
        assert sent["max_tokens"] > thinking["budget_tokens"]


def test_thinking_makes_room_in_a_given_limit_or_is_left_out() -> None:
    given: dict[str, Any] = {"name": "claude-sonnet-4-5", "effort": "high"}
    assert body(TURN[0], max_tokens=4096, **given)["thinking"]["budget_tokens"] == 2048
    assert "thinking" not in body(TURN[0], max_tokens=2000, **given)
    assert "thinking" not in body(*TURN, **given)  # the calls came without
    assert "thinking" not in body(TURN[0], tools=(tool("find"),), tool_choice="find", **given)


@pytest.mark.parametrize(
    ("name", "row", "tokens"),
    [
        ("claude-opus-5", Row(output=128_000), 32_000),
        ("claude-opus-5", Row(output=6_000), 6_000),
        ("claude-3-opus-20240229", Row(), 4_096),
        ("claude-3-5-sonnet-latest", Row(), 8_192),
    ],
)
def test_the_room_for_an_answer_is_the_model_s(name: str, row: Row, tokens: int) -> None:
    assert body(TURN[0], name=name, row=row)["max_tokens"] == tokens
    assert body(TURN[0], name=name, row=row, max_tokens=7)["max_tokens"] == 7


@pytest.mark.parametrize(
    ("wanted", "taken", "level"),
    [
        ("medium", ["low", "high"], "low"),
        ("max", ["low", "high"], "high"),
        ("minimal", ["none", "high"], "high"),
        ("none", ["none", "low"], "none"),
        ("high", ["none"], "none"),
        ("high", ["fast"], ""),
        ("fast", ["low"], ""),
    ],
)
def test_the_nearest_level_is_taken(wanted: str, taken: list[str], level: str) -> None:
    assert nearest_effort(wanted, taken) == level
