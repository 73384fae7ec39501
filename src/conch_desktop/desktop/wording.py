"""The words of the window: states, times, badges, what a call is about. Plain functions of plain data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from conch_desktop.domain.calls import WHY_TAKEN_BACK
from conch_desktop.engine.answering import share_told

if TYPE_CHECKING:
    from conch_desktop.domain.calls import CallRecord
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


def ago(seconds: float) -> str:
    """How long ago something was: "a moment ago", "5 min ago", "3 h ago", "12 days ago"."""
    if seconds < 60:
        return "a moment ago"
    if seconds < 3600:
        return f"{seconds // 60:.0f} min ago"
    if seconds < 86_400:
        return f"{seconds // 3600:.0f} h ago"
    return f"{count(int(seconds // 86_400), 'day')} ago"


def count(number: int, one: str, many: str = "") -> str:
    """ "1 tool", "14 tools"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(number: int) -> str:
    """Bytes as they are counted on a disk: "12 kB", "3.4 MB", "1.2 GB"."""
    if number < 1_000_000:
        return f"{-(-number // 1000):,} kB"
    return f"{number / 1e6:,.1f} MB" if number < 1e9 else f"{number / 1e9:,.1f} GB"


def state_text(call: CallRecord, now: float) -> str:
    """The right end of a call's line: its time once it is done, else its state."""
    if call.state == "running" and call.started:
        seconds = max(0, int(now - call.started))
        return f"running, {seconds} s" if seconds else "running"
    if call.state == "done" and call.why == WHY_TAKEN_BACK:
        return "taken back"
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


def mended(call: CallRecord) -> int:
    """How many mends a person counts: one for each kind of reading, one for each value that changed."""
    return len({mend.what for mend in call.mends if not mend.path}) + sum(1 for mend in call.mends if mend.path)


_BAD = ("failed", "not_run", "refused", "denied", "unknown")


def call_marks(call: CallRecord) -> tuple[str, ...]:
    """What a call can be looked for by in the panel: "mended", "ended badly"."""
    marks = ("mended",) if call.mends or call.dropped else ()
    return (*marks, "ended badly") if call.is_error or call.state in _BAD else marks


def tags(call: CallRecord) -> list[tuple[str, str]]:
    """A card's tags: (words, kind)."""
    found: list[tuple[str, str]] = []
    if call.mends:
        found.append((f"{mended(call)} mended", "mend"))
    if call.dropped:
        found.append((f"{count(len(call.dropped), 'field')} left out", "plain"))
    share = share_told(call)
    if share is not None:
        found.append((f"{share[0]:,} of {share[1]:,} characters", "plain"))
    return found


_ONE_LINE = 48


def pretty(value: object) -> str:
    """Arguments over several lines; a short list of plain values stays on one."""
    try:
        return _pretty(value, "")
    except RecursionError:
        return json.dumps(value, ensure_ascii=False, indent=2)


def _pretty(value: object, inset: str) -> str:
    deeper = inset + "  "
    if isinstance(value, Mapping) and value:
        rows = [f"{deeper}{_line(str(key))}: {_pretty(one, deeper)}" for key, one in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{inset}}}"
    if isinstance(value, list) and value:
        if not any(isinstance(one, (Mapping, list)) for one in value) and len(short := _line(value)) <= _ONE_LINE:
            return short
        return "[\n" + ",\n".join(deeper + _pretty(one, deeper) for one in value) + f"\n{inset}]"
    return _line(value)


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def model_name(model: Model | None, fallback: str = "") -> str:
    """What people call a model."""
    if model is None:
        return fallback
    return model.label or model.name


def tokens(number: int) -> str:
    """A window's size in short: "8k", "1,049k"."""
    return f"{number:,}" if number < 1000 else f"{round(number / 1000):,}k"
