"""Reads lists of models and llama.cpp's `/props` (the OpenAI wire and the servers that copy it)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conch_desktop.domain.models import Model
from conch_desktop.providers.list_facts import chats, prices

_WINDOW_KEYS = (
    "context_length",  # OpenRouter, Together, Moonshot
    "context_window",  # Groq
    "max_model_len",  # vLLM
    "max_context_length",  # Mistral, LM Studio
)


_IDENTITY = (
    *("canonical_slug", "hugging_face_id", "root", "version", "digest", "quantization", "architecture"),
    *("supported_parameters", "capabilities", "created", *_WINDOW_KEYS),
)
"""Fields of an entry that change when another model is behind the name, and hardly otherwise (a price does)."""
_DATED = ("openai", "system", "openai-internal")
"""Owners whose `created` is a date. Many servers write the time of the question there."""


@dataclass(frozen=True, slots=True)
class Props:
    """What a llama.cpp server says of its model; None where it says nothing.

    `model` is the fingerprint of its file, its template and the server's build.
    """

    tools: bool | None = None
    window: int | None = None
    model: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of models.

    `prints` tells by name whether a model is still the same. `llama`: the server is llama.cpp's; `ollama`: Ollama.
    """

    models: tuple[Model, ...] = ()
    llama: bool = False
    ollama: bool = False
    prints: Mapping[str, str] = field(default_factory=dict)

    def find(self, name: str) -> Model | None:
        """The model of that name."""
        return next((model for model in self.models if model.name == name), None)


def read_listing(value: Any, provider: str) -> Listing | None:
    """The models of a list in OpenAI's shape, in one of its relatives', or bare; None when it is no list of models."""
    entries = value
    if isinstance(value, dict):
        entries = value.get("data") if isinstance(value.get("data"), list) else value.get("models")
    if not isinstance(entries, list):
        return None
    if entries and next(_objects(entries), None) is None:
        return None
    found: dict[str, Model] = {}
    prints: dict[str, str] = {}
    for entry in _objects(entries):
        model = _model(entry, provider)
        if model is not None and model.name not in found:
            found[model.name], prints[model.name] = model, _entry_print(entry)
    owners = {entry.get("owned_by") for entry in _objects(entries) if isinstance(entry.get("owned_by"), str)}
    return Listing(tuple(found.values()), "llamacpp" in owners, "library" in owners, prints)


def fingerprint(*parts: Any) -> str:
    """A short text that changes when one of the parts does; "" when they are all empty."""
    if not any(parts):
        return ""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _entry_print(entry: Mapping[str, Any]) -> str:
    """What tells that the model of an entry is still the same."""
    known = {key: entry[key] for key in _IDENTITY if entry.get(key) not in (None, "", [], {})}
    meta = _part(entry, "meta")  # llama.cpp
    known.update({key: meta[key] for key in ("size", "n_params", "ftype") if meta.get(key)})
    if not (entry.get("canonical_slug") or entry.get("owned_by") in _DATED):
        known.pop("created", None)
    return fingerprint(known)


def read_props(value: Any) -> Props:
    """The facts in an answer of `/props`."""
    if not isinstance(value, dict):
        return Props()
    caps, settings = value.get("chat_template_caps"), value.get("default_generation_settings")
    tools = caps.get("supports_tools") if isinstance(caps, dict) else None
    window = tokens(settings.get("n_ctx")) if isinstance(settings, dict) else None
    known = {
        key: value[key] for key in ("model_path", "build_info", "chat_template", "chat_template_caps") if value.get(key)
    }
    return Props(tools if isinstance(tools, bool) else None, window, fingerprint(known))


def _objects(entries: list[Any]) -> Iterator[Mapping[str, Any]]:
    for entry in entries:
        if isinstance(entry, dict):
            yield entry
        elif isinstance(entry, str):
            yield {"id": entry}


def _model(entry: Mapping[str, Any], provider: str) -> Model | None:
    name = entry.get("id") or entry.get("name") or entry.get("model")
    if not name or not isinstance(name, str) or not chats(entry):
        return None
    price_in, price_out = prices(entry)
    label = entry.get("name") or entry.get("display_name")
    return Model(
        provider=provider,
        name=name,
        label=label if isinstance(label, str) and label else name.removeprefix("models/"),
        window=_window(entry),
        tools=_tools(entry),
        pictures=_pictures(entry, _part(entry, "architecture")),
        price_in=price_in,
        price_out=price_out,
    )


def _window(entry: Mapping[str, Any]) -> int | None:
    meta = _part(entry, "meta")  # llama.cpp: the window it was started with
    places = [
        meta.get("n_ctx"),
        *(entry.get(key) for key in _WINDOW_KEYS),
        _part(entry, "top_provider").get("context_length"),
    ]
    return next((count for place in places if (count := tokens(place))), None)


def _tools(entry: Mapping[str, Any]) -> bool | None:
    parameters, able = entry.get("supported_parameters"), entry.get("capabilities")
    if isinstance(parameters, list) and parameters:  # OpenRouter
        return "tools" in parameters
    if isinstance(able, dict) and isinstance(able.get("function_calling"), bool):  # Mistral
        return bool(able["function_calling"])
    if isinstance(entry.get("supports_tools"), bool):  # Fireworks
        return bool(entry["supports_tools"])
    # Ollama, LM Studio; a list without it may only be short
    return True if isinstance(able, list) and ("tools" in able or "tool_use" in able) else None


def _pictures(entry: Mapping[str, Any], looks: Mapping[str, Any]) -> bool | None:
    taken, able = looks.get("input_modalities"), entry.get("capabilities")
    if isinstance(taken, list) and taken:
        return "image" in taken
    if isinstance(able, dict) and isinstance(able.get("vision"), bool):
        return bool(able["vision"])
    if isinstance(entry.get("supports_image_input"), bool):  # Fireworks
        return bool(entry["supports_image_input"])
    return True if entry.get("type") == "vlm" or (isinstance(able, list) and "vision" in able) else None


def _part(entry: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = entry.get(key)
    return part if isinstance(part, dict) else {}


def tokens(value: Any) -> int | None:
    """A count of tokens, None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
