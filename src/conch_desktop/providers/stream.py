"""Reads the chunks of a chat completion: text, thinking, calls, usage and how it ended (the OpenAI wire)."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from conch_desktop.domain.events import Finish, FinishReason, Replay, Usage, WireEvent
from conch_desktop.providers.call_pieces import CallPieces
from conch_desktop.providers.reasoning_details import put_together
from conch_desktop.providers.spoken import SpokenAnswer

_FINISHES: Mapping[str, FinishReason] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",  # Mistral
    "content_filter": "content_filter",
    "sensitive": "content_filter",  # Zhipu
    "error": "error",  # OpenRouter
    "network_error": "error",  # Zhipu
    "insufficient_system_resource": "error",  # DeepSeek
    **dict.fromkeys(("safety", "recitation", "blocklist", "prohibited_content", "spii"), "content_filter"),  # Google's
}
"""What a finish reason means, in small letters; any other is a plain end.

Gateways hand on Google's words as they are, in capitals (QwenLM/qwen-code PR #9884, Portkey-AI/gateway #1200).
"""

_PLAIN = frozenset({"role", "content"})
"""The fields of a delta that is only words, which almost all are."""

_THINKING_KEYS = ("reasoning_content", "reasoning", "thinking", "reasoning_text")
"""Where thinking is written; the last by Copilot (BerriAI/litellm #35021).

Two of them often carry the same words in one delta: the first that has some counts.
"""


class Answer(SpokenAnswer):
    """One answer, taken chunk by chunk. `tools` are the names that were offered.

    `characters` counts the text and thinking so far; `taken` tells whether a chunk has come that is one, `started`
    whether a word or a call has; `done` whether the server said that nothing follows, `ended` whether the answer is
    whole. `in_dollars`: what the server says an answer cost is in US dollars (openrouter.ai, "Usage Accounting").
    """

    def __init__(self, tools: Collection[str] = (), *, in_dollars: bool = False) -> None:
        super().__init__()
        self._in_dollars = in_dollars
        self._calls = CallPieces(tools)
        self.usage: Usage | None = None
        self._finish = ""
        self._said: list[str] = []
        self._details: list[Any] = []
        self._thought: list[str] = []  # what came as `reasoning_content`
        self._upstream = ""  # who answered behind OpenRouter

    @property
    def calling(self) -> bool:
        return bool(self._calls)

    @property
    def ended(self) -> bool:
        return self.done or bool(self._finish)

    @property
    def failed(self) -> bool:
        """Did the server end the answer with a finish reason that means a fault?"""
        return _FINISHES.get(self._finish) == "error"

    def take(self, chunk: Mapping[str, Any]) -> list[WireEvent]:
        """The events of one chunk."""
        self.taken = self.taken or "choices" in chunk
        self._count(chunk)
        if isinstance(upstream := chunk.get("provider"), str):
            self._upstream = upstream
        choice = _choice(chunk)
        if choice is None:
            return []
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            delta = self._message(choice.get("message"))
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:  # an empty one is none (adolfousier/opencrabs PR #1499)
            self._finish = reason.lower()
        return self._delta(delta)

    def end(self) -> list[WireEvent]:
        """The last events of an answer that ended as it should."""
        events: list[WireEvent] = [*self._spoken.close()]
        reason = _FINISHES.get(self._finish, "stop")
        calls = self._calls.ended(cut=reason != "stop")
        if replay := self._replay() if calls or reason == "stop" else {}:
            events.append(Replay(json.dumps(replay, ensure_ascii=False)))
        if self.usage is not None:
            events.append(self.usage)
        return [*events, Finish("tool_calls" if calls else reason, calls)]

    def broken(self) -> list[WireEvent]:
        """What is still to be told of an answer that did not end as it should: held text and the usage. No calls."""
        return [*self._spoken.close(), *([self.usage] if self.usage is not None else [])]

    def _replay(self) -> dict[str, Any]:
        """What has to go back.

        OpenRouter's details, or Gemini refuses (LibreChat-AI/agents #37), with the name of who made them; and the
        thinking that DeepSeek and Kimi want in a chat with calls (the-open-agent/openagent #2206).
        """
        replay: dict[str, Any] = {}
        if self._details:
            replay["reasoning_details"] = put_together(self._details)
            if self._upstream:
                replay["upstream"] = self._upstream
        if self._thought:
            replay["reasoning_content"] = "".join(self._thought)
        return replay

    # one delta ------------------------------------------------------------------------------------------------------

    def _delta(self, delta: Mapping[str, Any]) -> list[WireEvent]:
        content = delta.get("content")
        if isinstance(content, str) and not any(delta[key] for key in delta.keys() - _PLAIN):
            return self._say(content)
        text, thinking = _content(content)
        thinking = next((words for key in _THINKING_KEYS if (words := _words(delta.get(key)))), "") or thinking
        if isinstance(thought := delta.get("reasoning_content"), str):
            self._thought.append(thought)
        details = delta.get("reasoning_details")
        if isinstance(details, list):
            self._details.extend(details)
            thinking = thinking or "".join(_words(part) for part in details)
        if _is_thought(delta):
            text, thinking = "", thinking or text
        refusal = delta.get("refusal")  # the model's own words when it declines (OpenAI)
        if isinstance(refusal, str):
            text += refusal
        calls = delta.get("tool_calls")
        made = self._calls.take(calls if calls is not None else delta.get("function_call"))
        return [*self._say(text, thinking), *made]

    def _say(self, text: str, thinking: str = "") -> list[WireEvent]:
        if text:
            self._said.append(text)
        return [*self._spoken.say(text, thinking)]

    def _message(self, message: Any) -> Mapping[str, Any]:
        """A whole message in the place of a delta (new-api and others): what it repeats is left out."""
        if not isinstance(message, dict):
            return {}
        if self._said and message.get("content") == "".join(self._said):
            return {**message, "content": None, **dict.fromkeys(_THINKING_KEYS)}
        return message

    def _count(self, chunk: Mapping[str, Any]) -> None:
        """Usage comes at the end, on every chunk, beside Groq's own data, or in the choice; the last one counts.

        In the choice it is Moonshot's (AstrBotDevs/AstrBot #6614, higress-group/higress PR #1568).
        """
        for place in (_choice(chunk), chunk.get("x_groq"), chunk):
            given = place.get("usage") if isinstance(place, dict) else None
            if isinstance(given, dict) and (usage := _usage(given)) != Usage():
                self.usage = replace(usage, cost=_cost(given.get("cost"))) if self._in_dollars else usage


def _choice(chunk: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The first answer of a chunk. `choices` may be null, missing or empty (pydantic-ai #5165)."""
    choices = chunk.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and choice.get("index") in (None, 0):
            return choice
    return None


def _content(content: Any) -> tuple[str, str]:
    """The text and the thinking of a content, which is text or a list of parts (Mistral)."""
    if isinstance(content, str):
        return content, ""
    text, thinking = [], []
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") in ("thinking", "reasoning"):
            thinking.append(_words(part))
        else:
            text.append(_words(part))
    return "".join(text), "".join(thinking)


def _words(part: Any) -> str:
    """The words of a part: text, an object that holds text, or a list of either."""
    if isinstance(part, str):
        return part
    if isinstance(part, list):
        return "".join(_words(each) for each in part if not isinstance(each, list))
    if isinstance(part, dict):
        for key in ("text", "thinking", "summary", "content"):
            found = part.get(key)
            if isinstance(found, str):
                return found
            if isinstance(found, list):
                return "".join(
                    each["text"] for each in found if isinstance(each, dict) and isinstance(each.get("text"), str)
                )
    return ""


def _is_thought(delta: Mapping[str, Any]) -> bool:
    """Gemini marks a delta that is thinking."""
    extra = delta.get("extra_content")
    google = extra.get("google") if isinstance(extra, dict) else None
    return isinstance(google, dict) and google.get("thought") is True


def _usage(given: Mapping[str, Any]) -> Usage:
    prompt, completion = given.get("prompt_tokens_details"), given.get("completion_tokens_details")
    cached = prompt.get("cached_tokens") if isinstance(prompt, dict) else None
    if cached is None:  # DeepSeek's name, and Moonshot's
        cached = given.get("prompt_cache_hit_tokens", given.get("cached_tokens"))
    thought = completion.get("reasoning_tokens") if isinstance(completion, dict) else None
    return Usage(
        *(_number(value) for value in (given.get("prompt_tokens"), given.get("completion_tokens"), cached, thought))
    )


def _cost(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
