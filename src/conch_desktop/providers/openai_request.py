"""The body of a chat completion request (the OpenAI wire): what goes where, and what which server can't take."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conch_desktop.domain.calls import Json
from conch_desktop.domain.messages import SentCall, SentMessage, SentResult
from conch_desktop.domain.pictures import PictureContent
from conch_desktop.domain.tools import Tool
from conch_desktop.providers.ids import opaque, sent_id
from conch_desktop.providers.openai_hosts import HOSTS, MOST, HostRules
from conch_desktop.providers.wire import Request

_FORCED_TOKENS = 2_048
"""A limit for a forced call on llama.cpp, where a model that won't call writes line feeds to the end of its window."""

STOPPED_HERE = "I was stopped here."
"""Stands between results nobody answered and the person's next words: Mistral's servers and many chat templates take no
user after a tool (BerriAI/litellm #6323, NousResearch/hermes-agent #20154)."""

SHOWN_HERE = "Here is what was shown."
"""Stands between answers and the pictures that belong to them, for the same reason."""

_NOT_KEPT = "(not kept)"
"""Stands for another model's thinking where thinking must go back and may not be empty (earendil-works/pi PR #3640)."""

_NOBODY = SentMessage("user", "")

_UNSIGNED: Mapping[str, Json] = {"google": {"thought_signature": "skip_thought_signature_validator"}}
"""Google's own word for a call that was not made by its model (ai.google.dev, "Thought signatures")."""


def build(request: Request, *, host: str, grammar: bool, llama: bool, upstream: str = "") -> dict[str, Json]:
    """The body. `grammar`: the server takes one; `llama`: it is a llama.cpp server.

    `upstream`: who of those behind OpenRouter is to answer first. Others still stand in when it can't.
    """
    rules = HOSTS.get(host, MOST)
    name = request.model.name
    body: dict[str, Json] = {
        "model": name,
        "messages": list(_in_turn(_messages(request, rules))),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.temperature is not None and not rules.cool.match(name):
        body["temperature"] = request.temperature
    if request.max_tokens is not None:
        body[rules.max_tokens] = request.max_tokens
    if rules.effort == "reasoning" and request.effort:
        body["reasoning"] = {"effort": request.effort}  # "none" turns it off, whatever the model
    elif request.effort not in {"", "none"}:
        body[rules.effort] = request.effort
    if upstream:
        body["provider"] = {"order": [upstream]}
    if request.grammar and grammar:  # llama.cpp refuses a grammar together with tools
        body["grammar"] = request.grammar
    elif request.tools:
        body["tools"] = [_definition(tool) for tool in request.tools]
        if request.tool_choice != "auto":
            body["tool_choice"] = _choice(request.tool_choice)
            if request.tool_choice != "none":
                body.update(rules.forced)
                if llama:
                    body.setdefault("max_tokens", _FORCED_TOKENS)
    for field in rules.without:
        body.pop(field, None)
    return body


def signer(request: Request) -> str:
    """Who answered behind OpenRouter, by its name there, when a tool's answer goes back together with what that one
    signed: signatures of one are refused by another (OpenRouterTeam/ai-sdk-provider #491). "" when it does not matter.
    """
    *_, asked, results = (_NOBODY, _NOBODY, *request.messages)
    name = opaque(asked.replay).get("upstream") if results.role == "results" else ""
    return name if isinstance(name, str) else ""


def _definition(tool: Tool) -> dict[str, Json]:
    """A tool whose `parameters` are empty is of Gemini's dialect, and goes without.

    Every other dialect writes an object, which MiniMax wants even of such a tool (QwenLM/qwen-code #11834).
    """
    function: dict[str, Json] = {"name": tool.name, "description": tool.description}
    if tool.parameters:
        function["parameters"] = dict(tool.parameters)
    return {"type": "function", "function": function}


def _choice(wanted: str) -> Json:
    if wanted in ("auto", "none", "required"):
        return wanted
    return {"type": "function", "function": {"name": wanted}}


# messages -----------------------------------------------------------------------------------------------------------


def _messages(request: Request, rules: HostRules) -> Iterator[dict[str, Any]]:
    if request.system:
        yield {"role": "system", "content": request.system}
    signed = bool(rules.signed.match(request.model.name))
    thinking = rules.thinking_back and any(message.calls for message in request.messages)
    for message in request.messages:
        if message.role == "user":
            yield {"role": "user", "content": _said(message)}
        elif message.role == "assistant" and (message.text or message.calls):
            yield _assistant(message, rules, signed=signed, thinking=thinking)
        elif message.role == "results":
            for result in message.results:
                # Gemini's other side wants the name (openclaw/openclaw #47857).
                identity = sent_id(result.id, rules.call_id)
                yield {"role": "tool", "tool_call_id": identity, "name": result.name, "content": result.text}
            if any(result.pictures for result in message.results):
                yield {"role": "assistant", "content": SHOWN_HERE}
                yield {"role": "user", "content": _pictures(message.results)}


def _said(message: SentMessage) -> Json:
    """A person's words, as parts only when there are pictures beside them: not every server takes a list."""
    if not message.pictures:
        return message.text
    words = [{"type": "text", "text": message.text}] if message.text else []
    return [*words, *map(_picture, message.pictures)]


def _pictures(results: Sequence[SentResult]) -> list[dict[str, Json]]:
    """Pictures of answers: this API takes them from the user only, so a message of theirs says whose they are."""
    content: list[dict[str, Json]] = []
    for result in results:
        if result.pictures:
            content.append({"type": "text", "text": f"The answer of {result.name} shows:"})
            content += map(_picture, result.pictures)
    return content


def _picture(picture: PictureContent) -> dict[str, Json]:
    return {"type": "image_url", "image_url": {"url": f"data:{picture.media_type};base64,{picture.base64}"}}


def _in_turn(messages: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The messages with sides that take turns: two of one side are one (microsoft/autogen #1037)."""
    last: dict[str, Any] = {}
    for message in messages:
        roles = last.get("role"), message["role"]
        if roles == ("user", "user") or (roles == ("assistant", "assistant") and "tool_calls" not in last):
            last = {**last, **message, "content": _joined(last["content"], message["content"])}
            continue
        if last:
            yield last
        if roles == ("tool", "user"):
            yield {"role": "assistant", "content": STOPPED_HERE}
        last = message
    if last:
        yield last


def _joined(first: Any, second: Any) -> Any:
    """The content of two messages as one: words, or a list when there are pictures in it."""
    if isinstance(first, str | None) and isinstance(second, str | None):
        return "\n\n".join(text for text in (first, second) if text)
    lists = ([{"type": "text", "text": one}] if isinstance(one, str) else one for one in (first, second) if one)
    return [part for one in lists for part in one]


def _assistant(message: SentMessage, rules: HostRules, *, signed: bool, thinking: bool) -> dict[str, Any]:
    """One step of an answer. `thinking`: there are calls in the chat, and thinking has to go back beside all of it."""
    replay = opaque(message.replay)
    sent: dict[str, Any] = {"role": "assistant", "content": message.text or rules.no_words}
    if message.calls:
        sent["tool_calls"] = [_call(call, rules) for call in message.calls]
        if signed and not any("extra_content" in call for call in sent["tool_calls"]):
            sent["tool_calls"][0]["extra_content"] = dict(_UNSIGNED)  # one of a batch is enough (pipecat PR #3420)
    if "reasoning_details" in replay:
        sent["reasoning_details"] = replay["reasoning_details"]
    if thinking:
        sent["reasoning_content"] = replay.get("reasoning_content") or _NOT_KEPT
    return sent


def _call(call: SentCall, rules: HostRules) -> dict[str, Any]:
    sent: dict[str, Any] = {
        "id": sent_id(call.id, rules.call_id),
        "type": "function",
        # Always valid JSON: one bad text here poisons the chat (local-inference-lab/vllm #684).
        "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments), ensure_ascii=False)},
    }
    if content := opaque(call.extra).get("extra_content"):
        sent["extra_content"] = content
    return sent
