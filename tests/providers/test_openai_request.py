"""What is sent: the system prompt first, results after their calls, and nothing a server refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conch_desktop.domain.messages import SentCall, SentMessage, SentResult
from conch_desktop.domain.models import Model
from conch_desktop.providers.openai_request import build
from conch_desktop.providers.wire import Request
from tests.providers.feeding import tool

CALLS = (SentCall("c1", "find", {"q": "tée"}), SentCall("c2", "now", {}))
RESULTS = (SentResult("c1", "find", "two notes"), SentResult("c2", "now", "07:40", is_error=True))
TURN = (
    SentMessage("user", "When?"),
    SentMessage(
        "assistant",
        "",
        calls=CALLS,
        replay='{"reasoning_content": "Hm"}',
    ),
    SentMessage("results", results=RESULTS),
    SentMessage("assistant", "At 07:40."),
)


def body(*, host: str = "127.0.0.1", grammar: bool = False, llama: bool = False, **fields: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"system": "Be brief.", "messages": TURN, **fields}
    return build(Request(Model("pier", "demo"), **given), host=host, grammar=grammar, llama=llama)


def test_a_turn_is_mapped_in_order() -> None:
    assert body() == {
        "model": "demo",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "When?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": "tée"}'}},
                    {"id": "c2", "type": "function", "function": {"name": "now", "arguments": "{}"}},
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "name": "find", "content": "two notes"},
            {"role": "tool", "tool_call_id": "c2", "name": "now", "content": "07:40"},
            {"role": "assistant", "content": "At 07:40."},
        ],
    }


def test_without_a_system_prompt_there_is_no_system_message() -> None:
    assert body(system="")["messages"][0]["role"] == "user"


def test_tools_are_defined_and_left_out_when_there_are_none() -> None:
    sent = body(tools=(tool("find", q={"type": "string"}), tool("now")))
    assert [each["function"]["name"] for each in sent["tools"]] == ["find", "now"]
    assert sent["tools"][0]["type"] == "function"
    assert sent["tools"][0]["function"]["parameters"]["required"] == ["q"]
    assert sent["tools"][1]["function"]["parameters"] == {"type": "object", "properties": {}}
    assert "tool_choice" not in sent
    assert not {"tools", "tool_choice"} & body(tool_choice="required").keys()


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("auto", None),
        ("none", "none"),
        ("required", "required"),
        ("find", {"type": "function", "function": {"name": "find"}}),
    ],
)
def test_a_choice_of_tool_is_mapped(choice: str, sent: Any) -> None:
    assert body(tools=(tool("find"),), tool_choice=choice).get("tool_choice") == sent


def test_a_forced_call_on_llama_cpp_has_a_limit() -> None:
    forced: dict[str, Any] = {"tools": (tool("find"),), "tool_choice": "required"}
    assert body(llama=True, **forced)["max_tokens"] > 0
    assert body(llama=True, max_tokens=7, **forced)["max_tokens"] == 7
    assert "max_tokens" not in body(**forced)
    assert "max_tokens" not in body(tools=(tool("find"),), llama=True)


def test_a_grammar_takes_the_place_of_tools() -> None:
    assert "tools" in body(grammar=True, tools=(tool("find"),))
    sent = build(
        Request(Model("p", "m"), "", (), tools=(tool("find"),), grammar="root ::= x"), host="", grammar=True, llama=True
    )
    assert sent["grammar"] == "root ::= x"
    assert "tools" not in sent


@pytest.mark.parametrize(
    ("host", "there", "gone"),
    [
        ("api.openai.com", {"max_completion_tokens": 9}, "max_tokens"),
        ("api.mistral.ai", {"max_tokens": 9}, "stream_options"),
        ("127.0.0.1", {"max_tokens": 9, "stream_options": {"include_usage": True}}, "max_completion_tokens"),
    ],
)
def test_hosts_have_rules_of_their_own(host: str, there: dict[str, Any], gone: str) -> None:
    sent = body(host=host, max_tokens=9)
    assert there.items() <= sent.items()
    assert gone not in sent


def test_thinking_goes_back_only_where_it_must() -> None:
    assert body(host="api.deepseek.com")["messages"][2]["reasoning_content"] == "Hm"
    assert "Hm" not in json.dumps(body())


def test_the_provider_s_own_data_goes_back_unchanged() -> None:
    extra = {"extra_content": {"google": {"thought_signature": "Ejk="}}}
    calls = (SentCall("c1", "find", {}, json.dumps(extra)), SentCall("c2", "now", {}, '{"thoughtSignature": "x"}'))
    sent = body(messages=(SentMessage("assistant", "", calls=calls),))["messages"][1]
    assert sent["tool_calls"][0]["extra_content"] == extra["extra_content"]
    details = SentMessage("assistant", "", calls=CALLS, replay='{"reasoning_details": [{"data": "zz"}]}')
    assert body(messages=(details,))["messages"][1]["reasoning_details"] == [{"data": "zz"}]
    assert "extra_content" not in sent["tool_calls"][1]
    broken = (SentCall("c1", "find", {}, "no json"), SentCall("c2", "find", {}, "[1]"))
    assert "extra_content" not in json.dumps(body(messages=(SentMessage("assistant", "", calls=broken),)))


@pytest.mark.parametrize(
    ("host", "identity", "kept"),
    [
        ("127.0.0.1", "call_0123456789", True),
        ("127.0.0.1", "x" * 41, False),
        ("127.0.0.1", "functions.find:0", False),
        ("api.mistral.ai", "abcdefgh1", True),
        ("api.mistral.ai", "call_0123456789", False),
    ],
)
def test_ids_are_such_as_the_host_takes_and_pair_up(host: str, identity: str, kept: bool) -> None:
    turn = (
        SentMessage("assistant", "", calls=(SentCall(identity, "find", {}),)),
        SentMessage("results", results=(SentResult(identity, "find", "ok"),)),
    )
    _, asked, answered = body(host=host, messages=turn)["messages"]
    sent = asked["tool_calls"][0]["id"]
    assert sent == answered["tool_call_id"]
    assert (sent == identity) is kept
    assert len(sent) <= 40
    assert len(sent) == 9 or "mistral" not in host
