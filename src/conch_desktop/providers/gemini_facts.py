"""Reads Google's own list of models, which says more than the one of its OpenAI endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from conch_desktop.domain.models import Model
from conch_desktop.providers.openai_models import Listing, fingerprint, tokens


@dataclass(frozen=True, slots=True)
class Row:
    """What the list says of a model. `chats`: it answers to messages; others embed, draw or speak.

    `thinks`: it thinks before it answers; None when the list tells that of no model.
    """

    label: str = ""
    window: int | None = None
    chats: bool = True
    print: str = ""
    thinks: bool | None = None


def read_rows(value: Any) -> dict[str, Row]:
    """The rows of the list, by name without "models/". Empty when it is no such list."""
    models = value.get("models") if isinstance(value, dict) else None
    entries = [entry for entry in models if isinstance(entry, dict)] if isinstance(models, list) else []
    told = any("thinking" in entry for entry in entries)  # it is left out where it is false
    return {
        bare(entry["name"]): _row(entry, bool(entry.get("thinking")) if told else None)
        for entry in entries
        if isinstance(entry.get("name"), str)
    }


def next_page(value: Any) -> str:
    """What asks for the page after this one; "" on the last."""
    token = value.get("nextPageToken") if isinstance(value, dict) else None
    return token if isinstance(token, str) else ""


def listing_of(rows: Mapping[str, Row], provider: str) -> Listing:
    """The list as the program's own: what answers to messages."""
    models = tuple(Model(provider, name, row.label or name, row.window) for name, row in rows.items() if row.chats)
    return Listing(models, prints={name: row.print for name, row in rows.items()})


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


def _row(entry: Mapping[str, Any], thinks: bool | None) -> Row:
    methods = entry.get("supportedGenerationMethods")
    label = entry.get("displayName")
    keys = ("baseModelId", "version", "inputTokenLimit", "outputTokenLimit", "supportedGenerationMethods", "thinking")
    return Row(
        label=label if isinstance(label, str) else "",
        window=tokens(entry.get("inputTokenLimit")),
        chats=not isinstance(methods, list) or not methods or "generateContent" in methods,
        print=fingerprint({key: entry[key] for key in keys if key in entry}),
        thinks=thinks,
    )
