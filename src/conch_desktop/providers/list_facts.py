"""Which models of a list chat, and what they cost: each list says it in fields of its own, some only by the name."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

_KINDS = ("chat", "language", "code", "llm", "vlm")
"""What `type` says of models that chat (Together: docs.together.ai, "List all models"; LM Studio: "REST API v0").
llama.cpp says "model" of each, which is nothing."""

_CHATS = ("chat", "completion", "completion_chat", "tools", "vision")
"""Abilities of a model that chats: `completion_chat` is Mistral's, `completion` and the last two Ollama's."""

_NAME = re.compile(
    r"(?:^|[-/:_ ])(?:text-embedding|embed|embedding|embeddings|rerank|reranker|whisper|tts|transcribe|dall-e|gpt-image"
    r"|moderation|realtime|sora|babbage-002|davinci-002)(?:$|[-/:_.@ ]|\d)",
    re.IGNORECASE,
)
"""Names of what embeds, sorts, hears, speaks, draws or judges, or only goes on with a text (OpenAI's list says nothing
else of its models)."""

_PRICE_FIELDS = (
    (("prompt", "completion"), str, 1e6),  # OpenRouter: text, for one token
    (("input", "output"), (int, float), 1.0),  # Together: a number, for a million
)


def chats(entry: Mapping[str, Any]) -> bool:
    """Does the model of an entry answer messages in text? What a list says stands above what the name looks like."""
    said = _said(entry)
    if said is not None:
        return said
    name = entry.get("id") or entry.get("name") or entry.get("model")
    return not (isinstance(name, str) and _NAME.search(name))


def prices(entry: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """US dollars for a million tokens in and out; None where nothing is told. A router has none: -1."""
    told = entry.get("pricing")
    if not isinstance(told, dict):
        return None, None
    for names, kind, times in _PRICE_FIELDS:
        if any(name in told for name in names):
            first, second = (_price(told.get(name), kind, times) for name in names)
            return first, second
    return None, None


def _said(entry: Mapping[str, Any]) -> bool | None:
    """What the entry says itself; None when it says nothing."""
    looks, able, kind = entry.get("architecture"), entry.get("capabilities"), entry.get("type")
    output = looks.get("output_modalities") if isinstance(looks, dict) else None
    if isinstance(output, list) and output:
        return "text" in output
    if isinstance(able, dict) and isinstance(able.get("completion_chat"), bool):
        return bool(able["completion_chat"])
    if isinstance(able, list) and able:
        return any(ability in able for ability in _CHATS) or None
    if isinstance(entry.get("supports_chat"), bool):  # Fireworks
        return bool(entry["supports_chat"])
    if isinstance(kind, str) and kind not in {"", "model"}:
        return kind.lower() in _KINDS
    return None


def _price(told: Any, kind: type | tuple[type, ...], times: float) -> float | None:
    if not isinstance(told, kind) or isinstance(told, bool):
        return None
    try:
        price = float(str(told)) * times
    except ValueError:
        return None
    return round(price, 6) if 0 <= price < math.inf else None
