"""Reads what Ollama says of its models beside OpenAI's list: `/api/show`, `/api/tags` and `/api/ps`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conch_desktop.providers.openai_models import tokens

SERVED_WINDOW = 4096
"""Ollama loads a model with this window when nobody says another, whatever the model could take.

Its OpenAI endpoint has no field for it, and what is longer is cut from the front without a word.
"""


@dataclass(frozen=True, slots=True)
class Shown:
    """What `/api/show` says of a model; None where it says nothing.

    `window` is what the model could take, `served` what its Modelfile sets. `remote`: it runs in Ollama's cloud.
    """

    tools: bool | None = None
    window: int | None = None
    served: int | None = None
    remote: bool = False


def read_shown(value: Any) -> Shown:
    """The facts in an answer of `/api/show`."""
    if not isinstance(value, dict):
        return Shown()
    info = value.get("model_info")
    lengths = info.items() if isinstance(info, dict) else ()
    window = next((tokens(length) for key, length in lengths if str(key).endswith(".context_length")), None)
    set_by = re.search(r"^\s*num_ctx\s+(\d{1,8})\s*$", str(value.get("parameters") or ""), re.MULTILINE)
    remote = bool(value.get("remote_model") or value.get("remote_host"))
    return Shown(_tools(value), window, tokens(int(set_by[1])) if set_by else None, remote)


def _tools(value: Mapping[str, Any]) -> bool | None:
    able = value.get("capabilities")
    if isinstance(able, list) and able:
        return "tools" in able
    template = value.get("template")  # versions before 0.6.4 name no capabilities
    return ".Tools" in template if isinstance(template, str) and template else None


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


def _models(value: Any) -> list[Mapping[str, Any]]:
    models = value.get("models") if isinstance(value, dict) else None
    return (
        [entry for entry in models if isinstance(entry, dict) and entry.get("name")] if isinstance(models, list) else []
    )
