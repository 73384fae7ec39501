"""The sentences about a call's mends, each with the places it is about. Plain functions of plain data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conch_desktop.desktop.marks import Span, members

if TYPE_CHECKING:
    from conch_desktop.domain.calls import CallRecord, Json, Mend

READ: Mapping[str, tuple[str, str]] = {
    "trailing_comma": ("The comma before {after} was left out", "{} commas before a bracket were left out"),
    "single_quotes": ("A text in single quotes was read as text", "{} texts in single quotes were read as text"),
    "bare_key": ("A key without quotes was read as a key", "{} keys without quotes were read as keys"),
    "python_word": ("A word of Python was read as JSON", "{} words of Python were read as JSON"),
    "comment": ("A comment was left out", "{} comments were left out"),
    "fence": ("The fence around it was left out", "{} fences were left out"),
    "words_around": ("Words around it were left out", "Words around it were left out"),
    "closed": ("What was left open was closed", "What was left open was closed"),
    "joined": ("Its parts were joined", "Its {} parts were joined"),
    "first_of_several": ("The first of several was taken", "The first of several was taken"),
    "envelope": ("The arguments were taken out of their envelope", "The arguments were taken out of {} envelopes"),
    "json_text": ("JSON in a text was read", "JSON in {} texts was read"),
    "control_character": ("A bare line break or tab in a text was read", "{} bare line breaks or tabs were read"),
    "backslash": ("A backslash that starts no escape was kept", "{} backslashes that start no escape were kept"),
    "smart_quotes": ("A curly quote was read as a quote", "{} curly quotes were read as quotes"),
    "escaped_quotes": (
        "A quote with a backslash was read as a quote",
        "{} such quotes were read as quotes",
    ),
    "missing_quote": ("A missing quote was put in", "{} missing quotes were put in"),
    "missing_comma": ("A missing comma was put in", "{} missing commas were put in"),
    "extra_comma": ("A comma too many was left out", "{} commas too many were left out"),
    "stray_closer": ("A bracket too many was left out", "{} brackets too many were left out"),
    "odd_space": ("An odd space was read as a space", "{} odd spaces were read as spaces"),
    "number": ("A text became a number", "{} texts became numbers"),
    "boolean": ("A text became true or false", "{} texts became true or false"),
    "null": ("The text “null” became nothing", "{} texts “null” became nothing"),
    "list_of_one": ("One value became a list of one", "{} values became lists of one"),
    "option_case": ("An option was matched", "{} options were matched"),
    "ref": ("A reference was followed", "{} references were followed"),
}
"""Each mend in a sentence, once and several times, where no field is named."""

FIELD: Mapping[str, str] = {
    "number": "the text “{before}” became the number {after}",
    "boolean": "the text “{before}” became {after}",
    "null": "the text “{before}” became null",
    "list_of_one": "one {kind} became a list of one",
    "option_case": "“{before}” is the option {after}",
    "json_text": "JSON in a text was read",
    "ref": "the reference was followed",
    "envelope": "it was taken out of its envelope",
}
"""Each mend of a field, after the field's name."""

_LONGEST = 60


@dataclass(frozen=True, slots=True)
class MendLine:
    """A line of *Mended*: its words, where it was in short, its places in *Sent*, and the field it changed in *Ran*.

    `name` is what of the words is the field's name, shown in mono.
    """

    words: str
    where: str
    sent: tuple[Span, ...] = ()
    ran: str = ""
    name: str = ""
    left_out: bool = False


def mend_lines(call: CallRecord) -> list[MendLine]:
    """One line for each kind of reading, one for each value that changed, one for each field that was left out."""
    alike: dict[str, list[Mend]] = {}
    for mend in call.mends:
        if not mend.path:
            alike.setdefault(mend.what, []).append(mend)
    lines = [_reading(call, what, group) for what, group in alike.items()]
    lines += [_change(call, mend) for mend in call.mends if mend.path]
    places = members(call.raw) if call.dropped else {}
    for path in call.dropped:
        spot = places.get(path)
        sent = ((spot.key, spot.end),) if spot is not None else ()
        lines.append(MendLine(f"was left out: {_why_out(call, path)}", path, sent, "", path, True))
    return lines


def _why_out(call: CallRecord, path: str) -> str:
    for line in call.sent_back.splitlines():
        if f"{path} (it takes no null)" in line:
            return "it takes no null"
    return f"{call.name} has no such field"


def _reading(call: CallRecord, what: str, group: Sequence[Mend]) -> MendLine:
    one, many = READ.get(what, ("Something was read forgivingly", "{} things were read forgivingly"))
    spans = tuple(mend.span for mend in group if mend.span is not None)
    after = call.raw[spans[0][1] :].lstrip()[:1] if spans else ""
    words = many.format(len(group)) if len(group) > 1 else one.replace("{after}", after or "the end")
    return MendLine(words, _where(spans), spans)


def _change(call: CallRecord, mend: Mend) -> MendLine:
    before = call.raw[mend.span[0] : mend.span[1]] if mend.span is not None else ""
    after = _value(call.args, mend.path)
    form = FIELD.get(mend.what, "it was read forgivingly")
    kind = "text" if before[:1] in ("'", '"') else "value"
    words = form.replace("{kind}", kind).replace("{after}", _short(after)).replace("{before}", _plain(before))
    return MendLine(words, mend.path, (mend.span,) if mend.span is not None else (), mend.path, mend.path)


def _plain(text: str) -> str:
    return " ".join(text.strip("\"'").split())[:_LONGEST]


def _short(value: object) -> str:
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))[:_LONGEST]


def _value(args: Mapping[str, Json] | None, path: str) -> Json:
    """The value at a path as people write it: `attendees[1].role`."""
    value: Json = args
    for step in path.replace("[", ".").replace("]", "").split("."):
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _where(spans: Sequence[Span]) -> str:
    if not spans:
        return ""
    first, last = min(span[0] for span in spans), max(span[1] for span in spans)
    return f"{first} to {last}" if last - first > 1 else str(first)
