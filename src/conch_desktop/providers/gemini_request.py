"""The body of a request to Gemini's own API (`streamGenerateContent`).

The rules are those of ai.google.dev, "Function calling", "Thinking" and "Thought signatures"; where only a report tells
one it stands beside the rule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conch_desktop.domain.calls import Json
from conch_desktop.domain.efforts import nearest_effort
from conch_desktop.domain.messages import SentCall, SentMessage, SentResult
from conch_desktop.domain.tools import Tool
from conch_desktop.providers.gemini_facts import bare
from conch_desktop.providers.ids import in_order, opaque
from conch_desktop.providers.wire import Request

FOREIGN = "skip_thought_signature_validator"
"""Stands for the signature of a call that no Gemini made. Gemini 3 refuses the first call of a step of the running turn
without any (strands-agents/sdk-python PR #1298)."""

_BUDGETS: Mapping[str, int] = {"minimal": 512, "low": 2_048, "medium": 8_192, "high": 24_576}
"""Tokens of thinking for a level, where a model is told tokens. 24,576 is the most all of them take."""
_MOST_OUTPUT = 65_536
"""The longest answer of the models that think, thinking counted."""
_LATEST = (4, 0)
"""The version of a name that says "latest"; whatever it is, it knows the rules of the newest."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """How a model is told to think: by one of `levels`, or by a budget of tokens when there are none.

    `off`: it can be told not to. `signed`: its calls go back with signatures, or are refused.
    """

    levels: tuple[str, ...] = ()
    off: bool = False
    signed: bool = False


def thinking_of(name: str, thinks: bool | None) -> Thinking | None:
    """How a model thinks, by its name; None when it does not. `thinks` is what the list says of it."""
    found = re.match(r"gemini-(?:(\d+)(?:\.(\d+))?|.+-latest$)", bare(name))
    if found is None:
        return Thinking(off=True) if thinks else None
    version = (int(found[1]), int(found[2] or 0)) if found[1] else _LATEST
    if version >= (3, 0):
        return Thinking(_levels(version, pro="pro" in name), signed=True)
    if thinks is False or version < (2, 5):
        return None
    return Thinking(off="pro" not in name)


def _levels(version: tuple[int, int], *, pro: bool) -> tuple[str, ...]:
    """The levels a model takes from version 3 on (docs.cloud.google.com, "Thinking", the guide to 3.8 Flash).

    Up to 3.5 Flash could think minimally, and 3 Pro knew no middle.
    """
    if pro and version == (3, 0):
        return ("low", "high")
    if not pro and version <= (3, 5):
        return ("minimal", "low", "medium", "high")
    return ("low", "medium", "high")


def build(request: Request, *, thinks: bool | None = None) -> dict[str, Json]:
    """The body. `thinks`: does the model think, as its list says?"""
    thinking = thinking_of(request.model.name, thinks)
    body: dict[str, Json] = {"contents": contents(request.messages, signed=bool(thinking and thinking.signed))}
    if request.system:
        body["system_instruction"] = {"parts": [{"text": request.system}]}
    if request.tools:
        body["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in request.tools]}]
        if request.tool_choice != "auto":
            body["toolConfig"] = {"functionCallingConfig": _choice(request.tool_choice)}
    told = _told(request.effort, thinking if thinks is not False else None)
    config: dict[str, Json] = {"thinkingConfig": told} if told else {}
    if request.temperature is not None:
        config["temperature"] = request.temperature
    if request.max_tokens is not None:
        config["maxOutputTokens"] = _longest(request.max_tokens, told)
    return {**body, "generationConfig": config} if config else body


def _declaration(tool: Tool) -> dict[str, Json]:
    """A tool that takes nothing has no `parameters`: an object without properties is refused (vercel/ai #3371)."""
    declared: dict[str, Json] = {"name": tool.name, "description": tool.description}
    if tool.parameters:
        declared["parameters"] = dict(tool.parameters)
    return declared


def _choice(wanted: str) -> dict[str, Json]:
    modes = {"none": "NONE", "required": "ANY"}
    return {"mode": modes[wanted]} if wanted in modes else {"mode": "ANY", "allowedFunctionNames": [wanted]}


def _told(effort: str, thinking: Thinking | None) -> dict[str, Json]:
    """What is said of thinking. Left to the model, it still shows what it thought."""
    if thinking is None:
        return {}
    if effort == "none" and not thinking.levels:
        return {"thinkingBudget": 0} if thinking.off else {}
    level = nearest_effort(effort, thinking.levels or tuple(_BUDGETS))
    told: dict[str, Json] = {"includeThoughts": True}
    if level:
        told |= {"thinkingLevel": level} if thinking.levels else {"thinkingBudget": _BUDGETS[level]}
    return told


def _longest(answer: int, told: Mapping[str, Json]) -> int:
    """The limit of an answer, with room for its thinking, which counts."""
    if not told.get("includeThoughts"):
        return answer
    return min(answer + int(told.get("thinkingBudget") or _BUDGETS["medium"]), _MOST_OUTPUT)


# the chat -----------------------------------------------------------------------------------------------------------


def contents(messages: Sequence[SentMessage], *, signed: bool) -> list[dict[str, Json]]:
    """The chat as turns of user and model, which alternate. `signed`: every step needs a signature of its calls.

    Results are the user's, all of one step in one turn and in the order of its calls (cloudwego/eino-ext #571).
    """
    turns: list[dict[str, Json]] = []
    newest = max((place for place, each in enumerate(messages) if each.role == "user"), default=-1)
    calls: Sequence[SentCall] = ()
    for place, message in enumerate(messages):
        if message.role == "assistant":
            calls = message.calls
            parts = _model_parts(message, signed=signed and place > newest)
        else:
            own_ids = {call.id: _own_id(call) for call in calls}
            parts = [_response(result, own_ids.get(result.id, "")) for result in in_order(message.results, calls)]
            parts += [
                {"inlineData": {"mimeType": one.media_type, "data": one.base64}}
                for one in (*(shown for result in message.results for shown in result.pictures), *message.pictures)
            ]
            parts += [{"text": message.text}] if message.text else []
        role = "model" if message.role == "assistant" else "user"
        if parts and turns and turns[-1]["role"] == role:
            turns[-1]["parts"] += parts
        elif parts:
            turns.append({"role": role, "parts": parts})
    return turns


def _response(result: SentResult, identity: str) -> dict[str, Json]:
    response: dict[str, Json] = {
        "name": result.name,
        "response": {"error" if result.is_error else "output": result.text},
    }
    return {"functionResponse": {**({"id": identity} if identity else {}), **response}}


def _model_parts(message: SentMessage, *, signed: bool) -> list[dict[str, Json]]:
    """The parts of one step: as the model sent them where they are known and still say the same."""
    calls = {call.id: _call_part(call) for call in message.calls}
    if signed and calls and not any("thoughtSignature" in part for part in calls.values()):
        first = next(iter(calls))
        calls[first] = {**calls[first], "thoughtSignature": FOREIGN}
    kept = opaque(message.replay).get("parts")
    parts = [part for part in kept if isinstance(part, dict)] if isinstance(kept, list) else []
    if _words(_said(parts)) != _words(message.text):
        parts = [{"text": message.text}] if message.text else []
    placed: list[dict[str, Json]] = []
    for part in parts:
        call = part.get("functionCall")
        if call is None:
            placed.append(part)
        elif isinstance(call, dict) and call.get("id") in calls:
            placed.append(calls.pop(call["id"]))
    return [*placed, *calls.values()]


def _call_part(call: SentCall) -> dict[str, Json]:
    signature = opaque(call.extra).get("thought_signature")
    identity = _own_id(call)
    sent: dict[str, Json] = {"name": call.name, "args": dict(call.arguments)}
    part: dict[str, Json] = {"functionCall": {"id": identity, **sent} if identity else sent}
    return {**part, "thoughtSignature": signature} if isinstance(signature, str) and signature else part


def _own_id(call: SentCall) -> str:
    """The id Gemini gave the call, "" when it gave none or another provider made it."""
    identity = opaque(call.extra).get("id")
    return identity if isinstance(identity, str) else ""


def _said(parts: Sequence[Mapping[str, Any]]) -> str:
    return "".join(str(part.get("text") or "") for part in parts if not part.get("thought"))


def _words(text: str) -> str:
    """The text without white space, which the chat keeps otherwise than it came."""
    return "".join(text.split())
