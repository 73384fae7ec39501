"""Reads Google's own list of models, which says more than the one of its OpenAI endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from conch_desktop.domain.models import Model
from conch_desktop.providers.openai_models import Listing, fingerprint, tokens


@dataclass(frozen=True, slots=True)
class Row:
    """What the list says of a model. `chats`: it answers to messages; others embed, draw or speak."""

    label: str = ""
    window: int | None = None
    chats: bool = True
    print: str = ""


def read_rows(value: Any) -> dict[str, Row]:
    """The rows of the list, by name without "models/". Empty when it is no such list."""
    models = value.get("models") if isinstance(value, dict) else None
    entries = [entry for entry in models if isinstance(entry, dict)] if isinstance(models, list) else []
    return {bare(entry["name"]): _row(entry) for entry in entries if isinstance(entry.get("name"), str)}


def bare(name: str) -> str:
    """A model's name without the collection it lies in."""
    return name.removeprefix("models/")


def merged(listing: Listing, rows: Mapping[str, Row]) -> Listing:
    """The list of the OpenAI endpoint with what Google's own says beside: windows, labels, and which are no chats."""
    models = []
    for model in listing.models:
        row = rows.get(bare(model.name), Row())
        if row.chats:
            models.append(replace(model, label=row.label or model.label, window=row.window or model.window))
    prints = {**listing.prints, **{model.name: print_of(rows, model) for model in models if print_of(rows, model)}}
    return replace(listing, models=tuple(models), prints=prints)


def print_of(rows: Mapping[str, Row], model: Model) -> str:
    """What tells that a model is still the same."""
    return rows.get(bare(model.name), Row()).print


def _row(entry: Mapping[str, Any]) -> Row:
    methods = entry.get("supportedGenerationMethods")
    label = entry.get("displayName")
    keys = ("baseModelId", "version", "inputTokenLimit", "outputTokenLimit", "supportedGenerationMethods", "thinking")
    return Row(
        label=label if isinstance(label, str) else "",
        window=tokens(entry.get("inputTokenLimit")),
        chats=not isinstance(methods, list) or not methods or "generateContent" in methods,
        print=fingerprint({key: entry[key] for key in keys if key in entry}),
    )
