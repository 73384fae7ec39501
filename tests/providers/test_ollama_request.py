"""What is sent to Ollama's own API, table by table."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conch_desktop.domain.messages import SentCall, SentMessage, SentResult
from conch_desktop.domain.models import Model
from conch_desktop.providers.ollama_request import build
from conch_desktop.providers.wire import Request
from tests.providers.feeding import tool

BIG = 12345678901234567890
ASKED = SentMessage("user", "When?")


def body(
    *messages: SentMessage, model: str = "tide", window: int | None = 8192, thinks: bool | None = None, **more: Any
) -> Any:
    request = Request(Model("pier", model), more.pop("system", ""), messages or (ASKED,), **more)
    return build(request, window=window, thinks=thinks)


def test_a_turn_is_mapped_in_order() -> None:
    calls = (SentCall("c1", "find", {"z": BIG, "a": "tée"}), SentCall("c2", "now", {}, '{"id": "o2"}'))
    results = (SentResult("c1", "find", "two"), SentResult("c2", "now", "07:40"))
    sent = body(ASKED, SentMessage("assistant", "", calls), SentMessage("results", results=results), system="Be brief.")
    assert json.loads(json.dumps(sent)) == {
        "model": "tide",
        "stream": True,
        "options": {"num_ctx": 8192},
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "When?"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"function": {"name": "find", "arguments": {"z": BIG, "a": "tée"}}},
                    {"id": "o2", "function": {"name": "now", "arguments": {}}},
                ],
            },
            {"role": "tool", "tool_name": "find", "content": "two"},
            {"role": "tool", "tool_name": "now", "tool_call_id": "o2", "content": "07:40"},
        ],
    }
    assert list(sent["messages"][2]["tool_calls"][0]["function"]["arguments"]) == ["z", "a"]


def test_an_answer_of_nothing_is_left_out() -> None:
    sent = body(ASKED, SentMessage("assistant", replay='{"blocks": []}'), SentMessage("assistant", "Low."))
    assert [message["content"] for message in sent["messages"]] == ["When?", "Low."]


@pytest.mark.parametrize(
    ("choice", "names"), [("auto", ["find", "now"]), ("required", ["find", "now"]), ("now", ["now"]), ("none", None)]
)
def test_a_choice_of_tool_is_made_by_what_is_offered(choice: str, names: list[str] | None) -> None:
    sent = body(tools=(tool("find", q={"type": "string"}), tool("now")), tool_choice=choice)
    assert (names is None) == ("tools" not in sent)
    assert [each["function"]["name"] for each in sent.get("tools", [])] == (names or [])
    assert "tools" not in body()


@pytest.mark.parametrize(
    ("model", "effort", "thinks", "think"),
    [
        ("tide", "", True, None),
        ("tide", "low", True, True),
        ("tide", "low", None, True),
        ("tide", "low", False, None),
        ("tide", "none", True, False),
        ("tide", "none", None, None),
        ("tide", "none", False, None),
        ("gpt-oss:20b", "minimal", True, "low"),
        ("gpt-oss:20b", "max", True, "high"),
        ("gpt-oss:20b", "none", True, False),
    ],
)
def test_thinking_is_told_as_the_model_takes_it(model: str, effort: str, thinks: bool | None, think: Any) -> None:
    assert body(model=model, effort=effort, thinks=thinks).get("think") == think


def test_limits_are_options_and_what_is_not_known_is_left_out() -> None:
    assert body(max_tokens=9, temperature=0.5)["options"] == {"num_ctx": 8192, "temperature": 0.5, "num_predict": 9}
    assert "options" not in body(window=None)
    forced = body(max_tokens=9, tools=(tool("now"),), tool_choice="now")
    assert "num_predict" not in forced["options"]  # thinking counts, and nothing is forced here
    assert "keep_alive" not in forced
