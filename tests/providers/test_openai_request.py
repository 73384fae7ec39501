"""What is sent: the system prompt first, results after their calls, and nothing a server refuses."""

from __future__ import annotations

import json
from dataclasses import replace
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
    assert "parameters" not in sent["tools"][1]["function"]  # only Gemini's dialect leaves a tool without any
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


def test_where_thinking_must_go_back_other_models_answers_have_a_stand_in_once_there_are_calls() -> None:
    other = tuple(replace(message, replay="") for message in TURN)
    answers = [each for each in body(host="api.moonshot.ai", messages=other)["messages"] if each["role"] == "assistant"]
    assert len(answers) == 2
    assert all(each["reasoning_content"].strip() for each in answers)
    plain = (SentMessage("user", "Hi"), SentMessage("assistant", "Ho"), SentMessage("user", "So?"))
    assert "reasoning_content" not in json.dumps(body(host="api.moonshot.ai", messages=plain))


def test_calls_of_another_model_carry_google_s_word_for_that_where_a_signature_is_wanted() -> None:
    google, newest = "generativelanguage.googleapis.com", Model("pier", "gemini-3.1-pro")

    def extras(*calls: SentCall, model: Model = newest, host: str = google) -> list[Any]:
        request = Request(model, "", (SentMessage("assistant", "", calls=calls),))
        sent = build(request, host=host, grammar=False, llama=False)["messages"]
        assert isinstance(sent, list)
        return [call.get("extra_content") for each in sent for call in each["tool_calls"]]

    signed = SentCall("c3", "find", {}, '{"extra_content": {"google": {"thought_signature": "Ejk="}}}')
    skip = {"google": {"thought_signature": "skip_thought_signature_validator"}}
    assert extras(*CALLS) == [skip, None]
    assert extras(CALLS[0], signed) == [None, {"google": {"thought_signature": "Ejk="}}]
    assert extras(*CALLS, model=Model("pier", "gemini-2.5-pro")) == extras(*CALLS, host="127.0.0.1") == [None, None]


def test_sides_take_turns() -> None:
    said = (
        *(SentMessage("user", "Hi"), SentMessage("user", "Are you there?")),
        *(
            SentMessage("assistant", "Ye"),
            SentMessage("assistant", "s.", calls=CALLS),
            SentMessage("results", results=RESULTS),
        ),
        *(SentMessage("user", "Go on."), SentMessage("assistant", "", replay='{"blocks": []}')),
    )
    sent = body(messages=said, system="")["messages"]
    assert [each["role"] for each in sent] == ["user", "assistant", "tool", "tool", "assistant", "user"]
    assert (sent[0]["content"], sent[1]["content"]) == ("Hi\n\nAre you there?", "Ye\n\ns.")
    assert len(sent[1]["tool_calls"]) == 2


@pytest.mark.parametrize(
    ("host", "name", "there", "gone"),
    [
        ("api.openai.com", "gpt-5.1", {"reasoning_effort": "high"}, {"temperature"}),
        ("api.openai.com", "gpt-5-chat-latest", {"temperature": 0.2}, set()),
        ("api.openai.com", "o3", {}, {"temperature"}),
        ("openrouter.ai", "z/one", {"reasoning": {"effort": "high"}, "temperature": 0.2}, {"reasoning_effort"}),
        ("127.0.0.1", "demo", {"reasoning_effort": "high", "temperature": 0.2}, {"reasoning"}),
    ],
)
def test_a_thinking_level_and_a_temperature_go_as_the_host_takes_them(
    host: str, name: str, there: dict[str, Any], gone: set[str]
) -> None:
    request = Request(Model("pier", name), "", TURN[:1], effort="high", temperature=0.2)
    sent = build(request, host=host, grammar=False, llama=False)
    assert there.items() <= sent.items()
    assert not gone & sent.keys()
    left = build(replace(request, effort="none"), host=host, grammar=False, llama=False)
    assert "reasoning_effort" not in left
    assert left.get("reasoning") == ({"effort": "none"} if host == "openrouter.ai" else None)


def test_what_goes_along_with_a_forced_call_and_stands_for_no_words() -> None:
    forced: dict[str, Any] = {"tools": (tool("find"),), "tool_choice": "find"}
    assert body(host="api.deepseek.com", **forced)["thinking"] == {"type": "disabled"}
    assert "thinking" not in body(host="api.deepseek.com", tools=(tool("find"),))
    assert body(host="api.x.ai")["messages"][2]["content"] == ""


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
