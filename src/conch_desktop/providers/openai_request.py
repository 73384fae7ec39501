"""The body of a chat completion request (the OpenAI wire): what goes where, and what which server can't take."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conch_desktop.domain.calls import Json
from conch_desktop.domain.messages import SentCall, SentMessage, SentResult
from conch_desktop.domain.pictures import PictureContent
from conch_desktop.domain.tools import Tool
from conch_desktop.providers.wire import Request

_FORCED_TOKENS = 2_048
"""A limit for a forced call on llama.cpp, where a model that won't call writes line feeds to the end of its window."""


@dataclass(frozen=True, slots=True)
class HostRules:
    """What the server at a host wants otherwise than most.

    `max_tokens` is the name of that field; `without` are fields it refuses; `thinking_back` whether thinking must go
    back with the calls it led to (elsewhere it must not: Alishahryar1/free-claude-code #1136). `no_user_after_tool`:
    a user message right after answers of tools is refused, so a turn of the assistant stands between.
    """

    max_tokens: str = "max_tokens"
    without: tuple[str, ...] = ()
    thinking_back: bool = False
    no_user_after_tool: bool = False
    call_id: re.Pattern[str] = re.compile(r"[a-zA-Z0-9_-]{1,40}")  # OpenAI's limit (vercel/ai #5171)


_MOST = HostRules()
HOSTS: Mapping[str, HostRules] = {
    "api.openai.com": HostRules(
        max_tokens="max_completion_tokens"
    ),  # reasoning models take no other (cherry-studio #1403)
    "api.mistral.ai": HostRules(
        without=("stream_options",),
        no_user_after_tool=True,
        call_id=re.compile(r"[a-zA-Z0-9]{9}"),  # opencode #1680
    ),
    "api.deepseek.com": HostRules(thinking_back=True),  # the-open-agent/openagent #2206
    "api.moonshot.ai": HostRules(thinking_back=True),  # MoonshotAI/kimi-agent-sdk #169
    "api.moonshot.cn": HostRules(thinking_back=True),
}


def build(request: Request, *, host: str, grammar: bool, llama: bool) -> dict[str, Json]:
    """The body. `grammar`: the server takes one; `llama`: it is a llama.cpp server."""
    rules = HOSTS.get(host, _MOST)
    body: dict[str, Json] = {
        "model": request.model.name,
        "messages": list(_messages(request, rules)),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.max_tokens is not None:
        body[rules.max_tokens] = request.max_tokens
    if request.grammar and grammar:  # llama.cpp refuses a grammar together with tools
        body["grammar"] = request.grammar
    elif request.tools:
        body["tools"] = [_definition(tool) for tool in request.tools]
        if request.tool_choice != "auto":
            body["tool_choice"] = _choice(request.tool_choice)
            if llama and request.tool_choice != "none":
                body.setdefault("max_tokens", _FORCED_TOKENS)
    for name in rules.without:
        body.pop(name, None)
    return body


def _definition(tool: Tool) -> dict[str, Json]:
    parameters = dict(tool.parameters) or {
        "type": "object",
        "properties": {},
    }  # MiniMax wants them: QwenLM/qwen-code #11834
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": parameters},
    }


def _choice(wanted: str) -> Json:
    if wanted in ("auto", "none", "required"):
        return wanted
    return {"type": "function", "function": {"name": wanted}}


def _messages(request: Request, rules: HostRules) -> Iterator[dict[str, Json]]:
    if request.system:
        yield {"role": "system", "content": request.system}
    for message in request.messages:
        if message.role == "user":
            yield {"role": "user", "content": message.text}
        elif message.role == "assistant" and (message.text or message.calls):
            yield _assistant(message, rules)
        elif message.role == "results":
            for result in message.results:
                # Gemini's other side wants the name (openclaw/openclaw #47857).
                identity = _sent_id(result.id, rules)
                yield {"role": "tool", "tool_call_id": identity, "name": result.name, "content": result.text}
            if any(result.pictures for result in message.results):
                yield from _pictures(message.results, rules)


def _pictures(results: Sequence[SentResult], rules: HostRules) -> Iterator[dict[str, Json]]:
    """Pictures of answers: this API takes them from the user only, so a message of theirs says whose they are."""
    if rules.no_user_after_tool:
        yield {"role": "assistant", "content": "Here is what the tools showed."}
    content: list[dict[str, Json]] = []
    for result in results:
        if result.pictures:
            content.append({"type": "text", "text": f"The answer of {result.name} shows:"})
            content += [{"type": "image_url", "image_url": {"url": _data_url(one)}} for one in result.pictures]
    yield {"role": "user", "content": content}


def _data_url(picture: PictureContent) -> str:
    return f"data:{picture.media_type};base64,{base64.b64encode(picture.data).decode('ascii')}"


def _assistant(message: SentMessage, rules: HostRules) -> dict[str, Json]:
    if not message.calls:
        return {"role": "assistant", "content": message.text}
    extras = [_opaque(call.extra) for call in message.calls]
    sent: dict[str, Json] = {"role": "assistant", "content": message.text or None}
    sent["tool_calls"] = [_call(call, extra, rules) for call, extra in zip(message.calls, extras, strict=True)]
    replay = _opaque(message.replay)
    if "reasoning_details" in replay:
        sent["reasoning_details"] = replay["reasoning_details"]
    if rules.thinking_back and "reasoning_content" in replay:
        sent["reasoning_content"] = replay["reasoning_content"]
    return sent


def _call(call: SentCall, extra: Mapping[str, Any], rules: HostRules) -> dict[str, Json]:
    sent: dict[str, Json] = {
        "id": _sent_id(call.id, rules),
        "type": "function",
        # Always valid JSON: one bad text here poisons the chat (local-inference-lab/vllm #684).
        "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments), ensure_ascii=False)},
    }
    if "extra_content" in extra:
        sent["extra_content"] = extra["extra_content"]
    return sent


def _opaque(data: str) -> Mapping[str, Any]:
    """The provider's own data. Another wire's has other keys, and is left alone."""
    try:
        value = json.loads(data) if data else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _sent_id(identity: str, rules: HostRules) -> str:
    """The id of a call as the host takes it: always the same. A chat may have begun with another provider."""
    if rules.call_id.fullmatch(identity):
        return identity
    digest = hashlib.sha256(identity.encode()).hexdigest()
    return next(made for made in (f"call_{digest[:24]}", digest[:9]) if rules.call_id.fullmatch(made))
