"""Reads lists of models and llama.cpp's `/props` (the OpenAI wire and the servers that copy it)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conch_desktop.domain.models import Model

_WINDOW_KEYS = (
    "context_length",  # OpenRouter, Together, Moonshot
    "context_window",  # Groq
    "max_model_len",  # vLLM
    "max_context_length",  # Mistral, LM Studio
)


@dataclass(frozen=True, slots=True)
class Props:
    """What a llama.cpp server says of its model; None where it says nothing."""

    tools: bool | None = None
    window: int | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of models. `llama`: the server is llama.cpp's."""

    models: tuple[Model, ...]
    llama: bool = False


def read_listing(value: Any, provider: str) -> Listing | None:
    """The models of a list in OpenAI's shape, in one of its relatives', or bare; None when it is no list of models."""
    entries = value
    if isinstance(value, dict):
        entries = value.get("data") if isinstance(value.get("data"), list) else value.get("models")
    if not isinstance(entries, list):
        return None
    found: dict[str, Model] = {}
    for entry in _objects(entries):
        model = _model(entry, provider)
        if model is not None:
            found.setdefault(model.name, model)
    return Listing(tuple(found.values()), any(entry.get("owned_by") == "llamacpp" for entry in _objects(entries)))


def read_props(value: Any) -> Props:
    """The facts in an answer of `/props`."""
    if not isinstance(value, dict):
        return Props()
    caps, settings = value.get("chat_template_caps"), value.get("default_generation_settings")
    tools = caps.get("supports_tools") if isinstance(caps, dict) else None
    window = _tokens(settings.get("n_ctx")) if isinstance(settings, dict) else None
    return Props(tools if isinstance(tools, bool) else None, window)


def _objects(entries: list[Any]) -> Iterator[Mapping[str, Any]]:
    for entry in entries:
        if isinstance(entry, dict):
            yield entry
        elif isinstance(entry, str):
            yield {"id": entry}


def _model(entry: Mapping[str, Any], provider: str) -> Model | None:
    name = entry.get("id") or entry.get("name") or entry.get("model")
    if not name or not isinstance(name, str):
        return None
    looks = _part(entry, "architecture")
    output = looks.get("output_modalities")
    if isinstance(output, list) and output and "text" not in output:
        return None  # it draws or speaks
    label = entry.get("name") or entry.get("display_name")
    return Model(
        provider=provider,
        name=name,
        label=label if isinstance(label, str) and label else name.removeprefix("models/"),
        window=_window(entry),
        tools=_tools(entry),
        pictures=_pictures(entry, looks),
    )


def _window(entry: Mapping[str, Any]) -> int | None:
    meta = _part(entry, "meta")  # llama.cpp: the window it was started with
    places = [
        meta.get("n_ctx"),
        *(entry.get(key) for key in _WINDOW_KEYS),
        _part(entry, "top_provider").get("context_length"),
    ]
    return next((tokens for place in places if (tokens := _tokens(place))), None)


def _tools(entry: Mapping[str, Any]) -> bool | None:
    parameters, able = entry.get("supported_parameters"), entry.get("capabilities")
    if isinstance(parameters, list) and parameters:  # OpenRouter
        return "tools" in parameters
    if isinstance(able, dict) and isinstance(able.get("function_calling"), bool):  # Mistral
        return bool(able["function_calling"])
    if isinstance(able, list) and "tools" in able:  # Ollama; a list without it may only be short
        return True
    return None


def _pictures(entry: Mapping[str, Any], looks: Mapping[str, Any]) -> bool | None:
    taken, able = looks.get("input_modalities"), entry.get("capabilities")
    if isinstance(taken, list) and taken:
        return "image" in taken
    if isinstance(able, dict) and isinstance(able.get("vision"), bool):
        return bool(able["vision"])
    return True if isinstance(able, list) and "vision" in able else None


def _part(entry: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = entry.get(key)
    return part if isinstance(part, dict) else {}


def _tokens(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
