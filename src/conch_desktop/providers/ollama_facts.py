"""Reads what Ollama says of its models beside OpenAI's list: `/api/show`, `/api/tags` and `/api/ps`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conch_desktop.domain.models import Model
from conch_desktop.providers.openai_models import Listing, fingerprint, tokens

SERVED_WINDOW = 4096
"""Ollama loads a model with this window when nobody says another, whatever the model could take.

Its OpenAI endpoint has no field for it, and what is longer is cut from the front without a word.
"""

ASKED_WINDOW = 16_384
"""The most its own API is asked for by itself: the window takes memory as a whole when the model is loaded, some 2 GB
with one of 8B. A person who wants another says so in the model's Modelfile (`num_ctx`)."""

UNKNOWN_WINDOW = 8_192
"""What is asked for of a model that Ollama says nothing of."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What `/api/show` says of a model; None where it says nothing.

    `window` is what the model could take, `served` what its Modelfile sets. `remote`: it runs in Ollama's cloud.
    `chats`: it answers to messages; others only embed.
    """

    tools: bool | None = None
    window: int | None = None
    served: int | None = None
    remote: bool = False
    thinks: bool | None = None
    pictures: bool | None = None
    chats: bool = True


def read_shown(value: Any) -> Shown:
    """The facts in an answer of `/api/show`."""
    if not isinstance(value, dict):
        return Shown()
    info = value.get("model_info")
    lengths = info.items() if isinstance(info, dict) else ()
    window = next((tokens(length) for key, length in lengths if str(key).endswith(".context_length")), None)
    set_by = re.search(r"^\s*num_ctx\s+(\d{1,8})\s*$", str(value.get("parameters") or ""), re.MULTILINE)
    remote = bool(value.get("remote_model") or value.get("remote_host"))
    able = value.get("capabilities")
    named = able if isinstance(able, list) and able else None
    return Shown(
        _tools(value) if named is None else "tools" in named,
        window,
        tokens(int(set_by[1])) if set_by else None,
        remote,
        thinks=None if named is None else "thinking" in named,
        pictures=None if named is None else "vision" in named,
        chats=named is None or "completion" in named,
    )


def _tools(value: Mapping[str, Any]) -> bool | None:
    """Versions before 0.6.4 name no capabilities: their templates tell."""
    template = value.get("template")
    return ".Tools" in template if isinstance(template, str) and template else None


def read_tags(value: Any, provider: str) -> Listing | None:
    """The models in an answer of `/api/tags`; None when it is none."""
    if not isinstance(value, dict) or not isinstance(value.get("models"), list):
        return None
    entries = {str(entry["name"]): entry for entry in _models(value)}
    models = tuple(Model(provider, name, name.removesuffix(":latest")) for name in entries)
    return Listing(models, ollama=True, prints={name: _print(entry) for name, entry in entries.items()})


def _print(entry: Mapping[str, Any]) -> str:
    return fingerprint(entry["digest"]) if entry.get("digest") else ""


def read_digests(value: Any) -> dict[str, str]:
    """The digests in an answer of `/api/tags`, by name."""
    return {str(entry["name"]): str(entry["digest"]) for entry in _models(value) if entry.get("digest")}


def read_running(value: Any) -> dict[str, int]:
    """The windows of the models that are loaded, by name, in an answer of `/api/ps`."""
    windows = ((str(entry["name"]), tokens(entry.get("context_length"))) for entry in _models(value))
    return {name: window for name, window in windows if window}


def of_name(values: Mapping[str, Any], name: str) -> Any:
    """The value of a model, which may be named without its tag; None when there is none."""
    return values.get(name, values.get(f"{name}:latest"))


def served_window(shown: Shown, running: int | None) -> int | None:
    """The window a request really gets."""
    if shown.remote:
        return shown.window
    if running or shown.served:
        return running or shown.served
    return min(shown.window, SERVED_WINDOW) if shown.window else None


def asked_window(shown: Shown, running: int | None) -> int | None:
    """The window a request to Ollama's own API asks for: another than the last one loads the model anew.

    What a Modelfile says goes first; a model that is loaded with more stays so. None for one in the cloud.
    """
    if shown.remote:
        return None
    if shown.served:
        return shown.served
    if shown.window is None:
        return running or UNKNOWN_WINDOW
    return max(min(shown.window, ASKED_WINDOW), running or 0)


def _models(value: Any) -> list[Mapping[str, Any]]:
    models = value.get("models") if isinstance(value, dict) else None
    return (
        [entry for entry in models if isinstance(entry, dict) and entry.get("name")] if isinstance(models, list) else []
    )
