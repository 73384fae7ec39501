"""What is new in words that conol.ai sends again: the whole so far, a piece more, or a draft and then its end.

Nothing is shown twice and nothing is left out. Where a server's habit cannot be told from the texts (the same text may
be a repetition or a second piece like the first), what starts with the old continues it, and anything else is more.
"""

from __future__ import annotations

from dataclasses import dataclass

from conch_desktop.providers.conol_entries import Words

_REVISED = 16
"""Characters a draft and its end must share at least to be taken for one text that was changed."""


@dataclass(frozen=True, slots=True)
class More:
    """What is new. `begins`: it is the start of an entry, so that it is no continuation of what was said before."""

    text: str
    begins: bool = False


NOTHING = More("")


@dataclass(slots=True)
class _Said:
    """What was shown of an entry. `drafted`: it was seen while it was written, so that it is whole when it ends."""

    text: str
    drafted: bool = False


@dataclass(slots=True)
class _Streamed:
    """Pieces without a place, joined; the first `shown` characters were shown."""

    text: str = ""
    shown: int = 0


_Place = tuple[str, str, str]


class Growth:
    """Keeps what was shown of every stage."""

    def __init__(self) -> None:
        self._finished: dict[_Place, _Said] = {}
        self._writing: dict[_Place, _Said] = {}
        self._whole: dict[tuple[str, str], list[str]] = {}  # finished texts, by stage and kind
        self._streamed: dict[str, _Streamed] = {}  # by kind
        self._latest: dict[str, _Said] = {}

    def finished(self, stage: str, words: Words) -> More:
        """What is new in an entry of the log."""
        place, text = (stage, words.kind, words.key), words.text
        whole = self._whole.setdefault((stage, words.kind), [])
        draft = self._claimed(stage, words)
        old = self._finished.get(place)
        if draft is not None:
            more = More(text[common(draft, text) :])
            self._finished[place] = _Said(draft if draft.startswith(text) else text, drafted=True)
        elif old is None or (old.drafted and not text.startswith(old.text)):
            if old is not None and text in whole:  # the log from its start
                return NOTHING
            more = More(text, begins=True)
            self._finished[place] = self._latest[words.kind] = _Said(text, drafted=old is not None)
        else:
            return self._grown(old, text)
        whole.append(text)
        return more

    def writing(self, stage: str, words: Words) -> More:
        """What is new in a draft."""
        place, text = (stage, words.kind, words.key), words.text
        old = self._writing.get(place)
        if old is None:
            if any(done.startswith(text) for done in self._texts(stage, words.kind)):
                return NOTHING  # finished already
            streamed = self._streamed.get(words.kind)
            shown = streamed.text if streamed and _related(streamed.text, text) else ""
            self._writing[place] = self._latest[words.kind] = _Said(max(shown, text, key=len))
            return More(text[len(shown) :], begins=not shown)
        if text.startswith(old.text):
            return self._grown(old, text)
        if old.text.startswith(text):
            return NOTHING
        if _revised(old.text, text):
            more = More(text[common(old.text, text) :])
            old.text = text
            return more
        return self._grown(old, text)

    def piece(self, words: Words) -> More:
        """What is new in a piece that has no place. The same words may come with one, before or after."""
        streamed = self._streamed.setdefault(words.kind, _Streamed())
        begins = not streamed.text
        streamed.text += words.text
        latest = self._latest.get(words.kind)
        if latest is not None and latest.text.startswith(streamed.text):
            return NOTHING
        if latest is not None and streamed.text.startswith(latest.text):
            streamed.shown = max(streamed.shown, len(latest.text))
            latest.text = streamed.text
        more = More(streamed.text[streamed.shown :], begins)
        streamed.shown = len(streamed.text)
        return more

    def _grown(self, old: _Said, text: str) -> More:
        if text.startswith(old.text):
            more = More(text[len(old.text) :])
            old.text = text
            return more
        old.text += text
        return More(text)

    def _claimed(self, stage: str, words: Words) -> str | None:
        """What was shown of the draft that this entry is the end of, which is then done with."""
        for place, draft in self._writing.items():
            if place[:2] == (stage, words.kind) and _ends(draft.text, words.text):
                self._latest.pop(words.kind, None)
                return self._writing.pop(place).text
        streamed = self._streamed.get(words.kind)
        if streamed is None or not streamed.shown or not _ends(streamed.text[: len(words.text)], words.text):
            return None
        shown = streamed.text[: streamed.shown]
        cut = len(words.text)
        streamed.text, streamed.shown = streamed.text[cut:].lstrip(), max(0, streamed.shown - cut)
        self._latest.pop(words.kind, None)
        return shown

    def _texts(self, stage: str, kind: str) -> list[str]:
        grown = [said.text for place, said in self._finished.items() if place[:2] == (stage, kind)]
        return [*self._whole.get((stage, kind), ()), *grown]


def _related(one: str, other: str) -> bool:
    """Is one of them the start of the other?"""
    return one.startswith(other) or other.startswith(one)


def _ends(draft: str, text: str) -> bool:
    """Is `text` what the draft came to?"""
    if text.startswith(draft.rstrip()):
        return True
    return (draft.startswith(text) and len(text) * 2 >= len(draft)) or _revised(draft, text)


def _revised(old: str, new: str) -> bool:
    """Is it the old text with another end, and not another text?"""
    shared = common(old, new)
    return shared >= _REVISED and shared * 2 >= len(old) and shared < len(old)


def common(one: str, other: str) -> int:
    """How many characters both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
