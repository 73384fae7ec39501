"""The rows of the model list: what is found, in groups, with what went wrong. Plain data, no Qt."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

RECENT_MOST = 5


@dataclass(frozen=True, slots=True)
class Entry:
    """A model as the list shows it. `mode` as in `wording.BADGE_WORDS`; `search` is what words are looked for in.

    `checked` puts a tick on the badge; `choice` is the person's own, `taught` how many lessons there are, `check` what
    a check found or how it goes; `learnt_window` is in tokens, 0 when nothing was learnt of it. `price` is in dollars
    for a million tokens, in and out, "" where nobody says.
    """

    id: str
    name: str
    label: str
    provider: str
    provider_id: str
    mode: str = "untried"
    window: int | None = None
    pictures: bool = False
    local: bool = False
    note: str = ""
    tools: bool | None = None
    search: str = ""
    checked: bool = False
    choice: str = "automatic"
    taught: int = 0
    check: str = ""
    checking: bool = False
    learnt_window: int = 0
    price: str = ""


def entry_search(label: str, name: str, provider: str) -> str:
    """What words are looked for in."""
    return f"{label} {name} {provider}".casefold()


@dataclass(frozen=True, slots=True)
class PickerRow:
    """A row: a heading (with how many stand below it), a model, or why a provider did not answer.

    The heading of a provider's models folds them away: `folded` says that it did, None that it can't.
    """

    kind: Literal["heading", "model", "failure"]
    text: str = ""
    entry: Entry | None = None
    count: int = 0
    named: bool = False
    """Whether the provider's name stands beside the model's, because no heading says it."""
    favourite: bool = False
    provider_id: str = ""
    folded: bool | None = None

    @property
    def steered(self) -> bool:
        """Whether the arrow keys stop here: at models, and at what is folded."""
        return self.entry is not None or self.folded is True


def found(entries: Iterable[Entry], words: str) -> list[Entry]:
    """The entries that hold every word, in any order and any case."""
    wanted = words.casefold().split()
    if not wanted:
        return list(entries)
    return [entry for entry in entries if all(word in entry.search for word in wanted)]


def picker_rows(
    entries: Sequence[Entry],
    *,
    words: str,
    providers: Sequence[tuple[str, str]],
    failures: Mapping[str, str],
    favourites: Sequence[str],
    recent: Sequence[str],
    pictures: bool = False,
    local: bool = False,
    folded: Collection[str] = (),
) -> list[PickerRow]:
    """Favourites first, then those used lately, then the rest by provider; only what is found when words are typed.

    `providers` are (id, name) in their order; `failures` sentences by provider id. `pictures` and `local` leave only
    models that see pictures, or are on this computer. `folded` are the providers whose models are folded away; what is
    looked for is shown all the same.
    """
    looking = bool(words.strip()) or pictures or local
    shown = [one for one in found(entries, words) if (one.pictures or not pictures) and (one.local or not local)]
    by_id = {entry.id: entry for entry in shown}
    rows: list[PickerRow] = []
    liked = [by_id[one] for one in favourites if one in by_id]
    lately = [by_id[one] for one in recent if one in by_id and one not in set(favourites)][:RECENT_MOST]
    for heading, group in (("Favourites", liked), ("Recent", lately)):
        if group:
            rows.append(PickerRow("heading", heading))
            rows += [PickerRow("model", entry=one, named=True, favourite=heading == "Favourites") for one in group]
    above = {one.id for one in (*liked, *lately)}
    grouped: dict[str, list[Entry]] = {}
    for one in shown:
        if one.id not in above:
            grouped.setdefault(one.provider_id, []).append(one)
    for provider_id, name in providers:
        group = grouped.get(provider_id, [])
        failure = "" if looking else failures.get(provider_id, "")
        if not group and not failure:
            continue
        away = None if looking or not group else provider_id in folded
        rows.append(PickerRow("heading", name, count=len(group), provider_id=provider_id, folded=away))
        if failure:
            rows.append(PickerRow("failure", failure, provider_id=provider_id))
        if not away:
            rows += [PickerRow("model", entry=one, provider_id=provider_id) for one in group]
    return rows
