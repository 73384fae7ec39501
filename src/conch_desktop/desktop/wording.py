"""The words of the window: states, times, badges, what a call is about. Plain functions of plain data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conch_desktop.domain.calls import CallRecord, Mend
    from conch_desktop.domain.models import Model

BADGE_WORDS = {
    "native": "native",
    "strict": "native (strict)",
    "words": "in words",
    "untried": "not tried",
    "none": "chat only",
}
"""What the badge of each mode says."""

BADGE_ICONS = {
    "native": "native",
    "strict": "native-strict",
    "words": "in-words",
    "untried": "not-tried",
    "none": "chat-only",
}
"""The mark of each mode, below `resources/icons/modes`."""

STATE_WORDS = {
    "reading": "reading",
    "waiting": "waiting for you",
    "running": "running",
    "done": "done",
    "failed": "failed",
    "not_run": "not run",
    "refused": "refused",
    "denied": "denied by you",
    "stopped": "stopped",
    "unknown": "outcome not known",
    "provider": "run by the provider",
}
"""What a person reads for each state of a call."""

STATE_ICONS = {
    "reading": "reading",
    "waiting": "waiting",
    "running": "running",
    "done": "done",
    "failed": "failed",
    "not_run": "failed",
    "refused": "refused",
    "denied": "refused",
    "stopped": "stop",
    "unknown": "waiting",
    "provider": "cloud",
}

STATE_TONES = {
    "reading": "acc",
    "waiting": "acc",
    "running": "acc",
    "failed": "err",
    "not_run": "err",
    "refused": "err",
}
"""The colour of a state where it is not the grey of what is over."""

TOOL_ICONS = {"memory": "memory", "files": "file", "browser": "browser"}
"""The icon of each group of the program's own tools; the others are apps."""

EFFECT_WORDS = {"read": "reads", "write": "writes", "outside": "reaches outside"}

_ABOUT_KEYS = ("content", "path", "query", "about", "words", "url", "text", "name", "id")
"""Arguments that say best what a call is about, best first."""

_MEND_WORDS: dict[str, tuple[str, str]] = {
    "trailing_comma": ("A comma too many was left out", "{} commas too many were left out"),
    "single_quotes": ("A text in single quotes was read as text", "{} texts in single quotes were read as text"),
    "bare_key": ("A key without quotes was read as a key", "{} keys without quotes were read as keys"),
    "python_word": ("A word of Python was read as JSON", "{} words of Python were read as JSON"),
    "comment": ("A comment was left out", "{} comments were left out"),
    "fence": ("The fence around it was left out", "{} fences were left out"),
    "words_around": ("Words around it were left out", "Words around it were left out"),
    "closed": ("What was left open was closed", "What was left open was closed"),
    "joined": ("Its parts were joined", "Its parts were joined"),
    "first_of_several": ("The first of several was taken", "The first of several was taken"),
    "envelope": ("The arguments were taken out of their envelope", "The arguments were taken out of {} envelopes"),
    "json_text": ("JSON in a text was read", "JSON in {} texts was read"),
    "number": ("A text became a number", "{} texts became numbers"),
    "boolean": ("A text became true or false", "{} texts became true or false"),
    "list_of_one": ("One value became a list of one", "{} values became lists of one"),
    "option_case": ("An option was matched", "{} options were matched"),
    "ref": ("A reference was followed", "{} references were followed"),
}
"""Each mend in a sentence, once and several times."""


def duration(ms: int | None) -> str:
    """How long something took: "31 ms", "0.4 s", "12 s", "2 min"."""
    if ms is None:
        return ""
    if ms < 100:
        return f"{ms} ms"
    if ms < 10_000:
        return f"{ms / 1000:.1f} s"
    if ms < 120_000:
        return f"{round(ms / 1000)} s"
    return f"{round(ms / 60_000)} min"


def clock(at: float | None, *, seconds: bool = False) -> str:
    """A time of day."""
    if not at:
        return ""
    return datetime.fromtimestamp(at).strftime("%H:%M:%S" if seconds else "%H:%M")  # noqa: DTZ006 - local is meant


def count(number: int, one: str, many: str = "") -> str:
    """ "1 tool", "14 tools"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def state_text(call: CallRecord, now: float) -> str:
    """The right end of a call's line: its time once it is done, else its state."""
    if call.state == "running" and call.started:
        seconds = max(0, int(now - call.started))
        return f"running, {seconds} s" if seconds else "running"
    if call.state in ("done", "provider") and call.ms is not None:
        return duration(call.ms)
    return STATE_WORDS[call.state]


def source_text(call: CallRecord, groups: Mapping[str, str]) -> str:
    """What a call's tool belongs to: a group of the program's own tools, or an app."""
    if call.state == "provider":
        return "run by the provider"
    return groups.get(call.name, "") if call.source == "builtin" else call.source


def arguments_line(call: CallRecord) -> str:
    """A call's arguments in one line: what ran, or what the model wrote."""
    if call.state == "denied" and call.why:
        return f"“{call.why}”"
    if call.state == "refused" and call.why:
        return call.why
    if call.args is not None:
        return json.dumps(call.args, ensure_ascii=False, separators=(",", ":"))[:400]
    return " ".join(call.raw[:400].split())


def about(call: CallRecord) -> str:
    """What a call is about, for its line in the chat."""
    if call.state == "not_run":
        wrong = sum(1 for line in call.sent_back.splitlines() if line.startswith("- "))
        return f"the call didn’t fit, {count(wrong, 'thing')} to fix" if wrong else "the call didn’t fit"
    if call.args is None:
        return " ".join(call.raw[:200].split()) if call.state == "reading" else ""
    for key in _ABOUT_KEYS:
        value = call.args.get(key)
        if isinstance(value, str) and value.strip():
            return " ".join(value[:300].split())
    plain = [str(value) for value in call.args.values() if isinstance(value, (str, int, float)) and str(value).strip()]
    return ", ".join(" ".join(value[:100].split()) for value in plain[:3])


def tags(call: CallRecord) -> list[tuple[str, str]]:
    """A card's tags: (words, kind)."""
    found: list[tuple[str, str]] = []
    if call.mends:
        found.append((f"{len(call.mends)} mended", "mend"))
    if call.dropped:
        found.append((f"{count(len(call.dropped), 'field')} left out", "plain"))
    return found


def mend_lines(mends: Sequence[Mend]) -> list[tuple[str, str]]:
    """Mends in sentences, each with where it was: those of a field one by one, the others by kind."""
    lines: list[tuple[str, str]] = []
    alike: dict[str, list[Mend]] = {}
    for mend in mends:
        if not mend.path:
            alike.setdefault(mend.what, []).append(mend)
    for what, group in alike.items():
        one, many = _MEND_WORDS[what]
        lines.append((one if len(group) == 1 else many.format(len(group)), _where(group)))
    for mend in mends:
        if mend.path:
            words = _MEND_WORDS[mend.what][0]
            lines.append((f"{mend.path}: {words[0].lower()}{words[1:]}", mend.path))
    return lines


def _where(group: Sequence[Mend]) -> str:
    spans = [mend.span for mend in group if mend.span is not None]
    if not spans:
        return ""
    first, last = min(span[0] for span in spans), max(span[1] for span in spans)
    return f"{first} to {last}" if last - first > 1 else str(first)


def pretty(value: object) -> str:
    """Arguments over several lines."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def model_name(model: Model | None, fallback: str = "") -> str:
    """What people call a model."""
    if model is None:
        return fallback
    return model.label or model.name


def tokens(number: int) -> str:
    """A window's size in short: "8k", "1,049k"."""
    return f"{number:,}" if number < 1000 else f"{round(number / 1000):,}k"
