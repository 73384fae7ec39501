"""Reads Anthropic's list of models, which says what each takes: its window, pictures, and how it is told to think."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conch_desktop.domain.models import Model
from conch_desktop.providers.asking import UnansweredError, ask_json
from conch_desktop.providers.facts import Listed
from conch_desktop.providers.openai_models import Listing, fingerprint, tokens

PAGE = 1_000
"""Models asked for at once, the most there can be (platform.claude.com, API, List Models)."""
MOST_PAGES = 20


@dataclass(frozen=True, slots=True)
class Row:
    """What the list says of a model beside `Model`. None and empty: it says nothing, as copies of this API do.

    `output` is the longest answer in tokens; `adaptive` whether it decides itself how long it thinks; `efforts` are the
    levels it takes.
    """

    output: int | None = None
    adaptive: bool | None = None
    efforts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the list. `after` is the id the next one begins behind, "" on the last page."""

    listing: Listing
    rows: Mapping[str, Row] = field(default_factory=dict)
    after: str = ""


def read_page(value: Any, provider: str) -> Page | None:
    """The models of a page; None when it is none."""
    entries = value.get("data") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        return None
    models: dict[str, Model] = {}
    rows: dict[str, Row] = {}
    prints: dict[str, str] = {}
    for entry in entries:
        name = entry.get("id") if isinstance(entry, dict) else None
        if isinstance(name, str) and name and name not in models:
            models[name], rows[name] = _model(entry, provider), _row(entry)
            prints[name] = fingerprint([entry.get(key) for key in ("created_at", "capabilities", "max_input_tokens")])
    last = value.get("last_id")
    after = last if value.get("has_more") is True and isinstance(last, str) else ""
    return Page(Listing(tuple(models.values()), prints=prints), rows, after)


def joined(pages: list[Page]) -> Page:
    """Several pages in one."""
    models = {model.name: model for page in pages for model in page.listing.models}
    prints = {name: mark for page in pages for name, mark in page.listing.prints.items()}
    return Page(
        Listing(tuple(models.values()), prints=prints), {n: row for page in pages for n, row in page.rows.items()}
    )


class AnthropicFacts(Listed):
    """What Anthropic's list says. `rows` is what is known now, by name."""

    rows: Mapping[str, Row] = {}

    def tell(self, page: Page) -> Listing:
        """Keeps a list that was read."""
        self.rows = page.rows
        return page.listing

    async def _ask_list(self) -> Listing:
        try:
            page = read_page(await ask_json(self._connection, f"{self._base}/models?limit={PAGE}"), self._provider)
        except UnansweredError as error:
            if 300 <= error.status < 500:  # a copy of this API without a list
                return Listing()
            raise
        return self.tell(page) if page else Listing()


def _model(entry: Mapping[str, Any], provider: str) -> Model:
    label = entry.get("display_name")
    return Model(
        provider=provider,
        name=entry["id"],
        label=label if isinstance(label, str) else "",
        window=tokens(entry.get("max_input_tokens")),
        pictures=_supported(_inside(entry, "capabilities", "image_input")),
    )


def _row(entry: Mapping[str, Any]) -> Row:
    efforts = _inside(entry, "capabilities", "effort")
    adaptive = _supported(_inside(entry, "capabilities", "thinking", "types", "adaptive"))
    levels = (name for name, level in efforts.items() if isinstance(level, dict) and _supported(level))
    return Row(tokens(entry.get("max_tokens")), adaptive, tuple(levels))


def _inside(entry: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    found: Any = entry
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def _supported(part: Mapping[str, Any]) -> bool | None:
    said = part.get("supported")
    return said if isinstance(said, bool) else None
