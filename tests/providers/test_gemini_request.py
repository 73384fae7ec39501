"""What is sent to Gemini's own API, table by table."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conch_desktop.domain.messages import SentCall, SentMessage, SentResult
from conch_desktop.domain.models import Model
from conch_desktop.providers.gemini_request import FOREIGN, Thinking, build, thinking_of
from conch_desktop.providers.wire import Request
from tests.providers.feeding import tool


def call(identity: str = "c1", name: str = "find", given: str = "", signature: str = "", **args: Any) -> SentCall:
    extra = {"id": given, "thought_signature": signature}
    return SentCall(identity, name, args, json.dumps({key: value for key, value in extra.items() if value}))


ASKED = SentMessage("user", "When?")
RESULTS = SentMessage(
    "results", results=(SentResult("c1", "find", "two"), SentResult("c2", "now", "no", is_error=True))
)


def body(*messages: SentMessage, model: str = "gemini-2.5-flash", thinks: bool | None = None, **more: Any) -> Any:
    request = Request(Model("pier", model), more.pop("system", ""), messages or (ASKED,), **more)
    return build(request, thinks=thinks)


def test_a_turn_is_mapped_in_order() -> None:
    calls = (call(given="g1", signature="U2ln", q="tée"), call("c2", "now"))
    sent = body(
        ASKED, SentMessage("assistant", "I look.", calls), RESULTS, SentMessage("user", "And?"), system="Short."
    )
    assert sent["system_instruction"] == {"parts": [{"text": "Short."}]}
    assert sent["contents"] == [
        {"role": "user", "parts": [{"text": "When?"}]},
        {
            "role": "model",
            "parts": [
                {"text": "I look."},
                {"functionCall": {"id": "g1", "name": "find", "args": {"q": "tée"}}, "thoughtSignature": "U2ln"},
                {"functionCall": {"name": "now", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "g1", "name": "find", "response": {"output": "two"}}},
                {"functionResponse": {"name": "now", "response": {"error": "no"}}},
                {"text": "And?"},
            ],
        },
    ]


def test_what_another_provider_named_or_signed_is_left_out() -> None:
    foreign = SentCall("call_9", "find", {}, "")
    odd = SentCall("c2", "now", {}, '{"extra_content": {"google": 5}, "id": 7, "thought_signature": ["x"]}')
    sent = json.dumps(body(ASKED, SentMessage("assistant", "", (foreign, odd)))["contents"])
    assert "call_9" not in sent
    assert "extra_content" not in sent
    assert "thoughtSignature" not in sent


KEPT = {"parts": [{"text": "Low "}, {"text": "tide.", "thoughtSignature": "QQ=="}, {"functionCall": {"id": "c1"}}]}


def test_parts_go_back_as_they_came() -> None:
    step = SentMessage("assistant", "Low tide.", (call("c2", "now"), call()), replay=json.dumps(KEPT))
    parts = body(ASKED, step)["contents"][1]["parts"]
    assert parts[:2] == KEPT["parts"][:2]
    assert [part["functionCall"]["name"] for part in parts[2:]] == ["find", "now"]


@pytest.mark.parametrize("text", ["Low.", "Low  tide. More."])
def test_text_that_was_changed_goes_without_the_signature_of_what_it_was(text: str) -> None:
    step = SentMessage("assistant", text, (call(),), replay=json.dumps(KEPT))
    text_part, call_part = body(ASKED, step)["contents"][1]["parts"]
    assert text_part == {"text": text}
    assert "functionCall" in call_part


@pytest.mark.parametrize("replay", ['{"blocks": []}', '{"parts": 5}', '{"parts": [5, {"functionCall": 1}]}', "x"])
def test_what_is_no_gemini_s_is_not_sent(replay: str) -> None:
    step = SentMessage("assistant", "Low.", replay=replay)
    assert body(ASKED, step)["contents"][1]["parts"] == [{"text": "Low."}]


def test_an_answer_of_nothing_leaves_no_empty_turn() -> None:
    sent = body(ASKED, SentMessage("assistant", replay='{"blocks": [{}]}'), SentMessage("user", "Well?"))
    assert sent["contents"] == [{"role": "user", "parts": [{"text": "When?"}, {"text": "Well?"}]}]


@pytest.mark.parametrize(
    ("model", "signed"),
    [("gemini-3-pro-preview", True), ("models/gemini-3.1-flash", True), ("gemini-flash-latest", True),
     ("gemini-4-argon", True), ("gemini-2.5-pro", False), ("gemma-3-27b-it", False)],
)  # fmt: skip
def test_a_step_of_the_running_turn_that_no_gemini_signed_says_so(model: str, signed: bool) -> None:
    def marks(*messages: SentMessage) -> list[Any]:
        parts = [part for turn in body(*messages, model=model)["contents"] for part in turn["parts"]]
        return [part.get("thoughtSignature") for part in parts if "functionCall" in part]

    step = SentMessage("assistant", "", (call(), call("c2", "now")))
    assert marks(ASKED, step, RESULTS) == ([FOREIGN, None] if signed else [None, None])
    assert marks(ASKED, step, RESULTS, ASKED) == [None, None]  # an older turn's are not looked at
    own = SentMessage("assistant", "", (call(), call("c2", "now", signature="U2ln")))
    assert marks(ASKED, own, RESULTS) == [None, "U2ln"]


def test_a_tool_that_takes_nothing_has_no_parameters() -> None:
    (declared,) = body(tools=(tool("find", q={"type": "string"}), tool("now")))["tools"]
    find, now = declared["functionDeclarations"]
    assert find["parameters"]["required"] == ["q"]
    assert now == {"name": "now", "description": "About now."}
    assert not {"tools", "toolConfig"} & body(tool_choice="required").keys()


@pytest.mark.parametrize(
    ("choice", "sent"),
    [("auto", None), ("none", {"mode": "NONE"}), ("required", {"mode": "ANY"}),
     ("find", {"mode": "ANY", "allowedFunctionNames": ["find"]})],
)  # fmt: skip
def test_a_choice_of_tool_is_mapped(choice: str, sent: Any) -> None:
    found = body(tools=(tool("find"),), tool_choice=choice).get("toolConfig")
    assert found == (None if sent is None else {"functionCallingConfig": sent})


@pytest.mark.parametrize(
    ("name", "thinks", "thinking"),
    [
        ("gemini-3-pro-preview", None, Thinking(("low", "high"), signed=True)),
        ("gemini-3.1-pro", None, Thinking(("low", "medium", "high"), signed=True)),
        ("gemini-3-flash", True, Thinking(("minimal", "low", "medium", "high"), signed=True)),
        ("gemini-3.5-flash", None, Thinking(("minimal", "low", "medium", "high"), signed=True)),
        ("gemini-3.8-flash", None, Thinking(("low", "medium", "high"), signed=True)),
        ("gemini-flash-latest", None, Thinking(("low", "medium", "high"), signed=True)),
        ("gemini-2.5-flash-lite", None, Thinking(off=True)),
        ("gemini-2.5-pro", None, Thinking()),
        ("gemini-2.5-flash-image", False, None),
        ("gemini-2.0-flash", None, None),
        ("gemini-2.0-flash", True, None),
        ("gemma-3-27b-it", None, None),
        ("tunedModels/tide", True, Thinking(off=True)),
    ],
)
def test_how_a_model_thinks_is_told_by_its_name_and_its_list(
    name: str, thinks: bool | None, thinking: Thinking | None
) -> None:
    assert thinking_of(name, thinks) == thinking


@pytest.mark.parametrize(
    ("model", "effort", "sent"),
    [
        ("gemini-2.5-flash", "", {"includeThoughts": True}),
        ("gemini-2.5-flash", "none", {"thinkingBudget": 0}),
        ("gemini-2.5-flash", "low", {"includeThoughts": True, "thinkingBudget": 2048}),
        ("gemini-2.5-flash", "max", {"includeThoughts": True, "thinkingBudget": 24576}),
        ("gemini-2.5-pro", "none", None),
        ("gemini-3-pro", "", {"includeThoughts": True}),
        ("gemini-3-pro", "medium", {"includeThoughts": True, "thinkingLevel": "low"}),
        ("gemini-3-pro", "none", {"includeThoughts": True, "thinkingLevel": "low"}),
        ("gemini-3-flash", "none", {"includeThoughts": True, "thinkingLevel": "minimal"}),
        ("gemini-2.0-flash", "high", None),
        ("gemma-3-27b-it", "", None),
    ],
)
def test_thinking_is_told_as_the_model_takes_it(model: str, effort: str, sent: Any) -> None:
    assert body(model=model, effort=effort).get("generationConfig", {}).get("thinkingConfig") == sent


@pytest.mark.parametrize(
    ("model", "effort", "limit"),
    [("gemini-2.0-flash", "", 1000), ("gemini-2.5-flash", "none", 1000), ("gemini-2.5-flash", "", 1000 + 8192),
     ("gemini-2.5-flash", "high", 1000 + 24576), ("gemini-3-pro", "high", 1000 + 8192)],
)  # fmt: skip
def test_the_limit_of_an_answer_leaves_room_for_its_thinking(model: str, effort: str, limit: int) -> None:
    config = body(model=model, effort=effort, max_tokens=1000, temperature=0.5)["generationConfig"]
    assert (config["maxOutputTokens"], config["temperature"]) == (limit, 0.5)
    assert body(model="gemini-2.5-flash", max_tokens=65_000)["generationConfig"]["maxOutputTokens"] == 65_536
