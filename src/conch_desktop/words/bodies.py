"""Reads the whole body of a call's block, whatever it is written in, into calls and what could not be read."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from conch_desktop.domain.calls import Json
from conch_desktop.words import advice
from conch_desktop.words.block_json import BlockJson, Ending, NoJson, read_block_json
from conch_desktop.words.body_scan import BodyScan
from conch_desktop.words.events import WordsCall, WordsFailed
from conch_desktop.words.formats import TEXT_MARKS
from conch_desktop.words.names import Names
from conch_desktop.words.parts import BLANK
from conch_desktop.words.pythonic import python_calls
from conch_desktop.words.shapes import Shape, shapes
from conch_desktop.words.tags import Field, Function

_TOKENS = re.compile(r"<[^<>]{0,80}>|```\w*|\s+")
_CHILDREN = re.compile(
    r"<(name|tool_name)>\s*([\w.:-]+)\s*</\1>\s*<(arguments|parameters|args|input)>(.*)</\3>", re.DOTALL
)
_HALF_TAG = re.compile(r"</?[\w|｜▁:]{0,40}\Z")
_BREAKS = ("\r\n", "\n")


@dataclass(frozen=True, slots=True)
class Body:
    """A block's body: its text, how it ends, what the scan found in it, and the name its opening gave."""

    text: str
    ending: Ending
    scan: BodyScan
    name: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a body came to. `readable`: something in it is a call, be it of a tool that does not exist.

    `plain`: it holds nothing but whole calls of tools on offer. `definition`: it describes tools.
    """

    events: tuple[WordsCall | WordsFailed, ...]
    readable: bool = True
    plain: bool = False
    definition: bool = False


def read_body(body: Body, names: Names) -> Reading:
    """Reads a body. There is always at least one event."""
    raw = body.text.strip(BLANK)
    if body.scan.told:
        why = advice.unreadable(names, "another call stands within it")
        return Reading((WordsFailed(raw, why),), readable=False)
    if body.scan.functions:
        return _functions(body, names)
    if body.scan.fields:
        return _pairs(body, names)
    if body.ending != "whole":
        raw = _without_half_tag(raw)
    if raw.startswith("<") and (children := _CHILDREN.fullmatch(raw)):
        return _named(children[2], children[4], raw, body.ending, names)
    if body.name:
        return _named(body.name, raw, raw, body.ending, names)
    if len(body.scan.values) > 1 and body.ending == "whole":
        return _together([_json_or_python(body.text[a:b].strip(), "whole", names) for a, b in body.scan.values])
    return _json_or_python(raw, body.ending, names)


def _without_half_tag(raw: str) -> str:
    """The answer may have ended within the closing mark."""
    begin = raw.rfind("<")
    return raw[:begin].rstrip() if begin >= 0 and _HALF_TAG.match(raw, begin) else raw


def _together(readings: list[Reading]) -> Reading:
    events = tuple(event for reading in readings for event in reading.events)
    return Reading(events, any(one.readable for one in readings), all(one.plain for one in readings))


def _json_or_python(raw: str, ending: Ending, names: Names) -> Reading:
    if not raw.startswith("{") and (called := _named_first(raw, ending, names) or _python(raw, ending, names)):
        return called
    read = read_block_json(raw, ending)
    if isinstance(read, NoJson):
        return _unread(raw, read, names)
    found = [shape for value in read.values for shape in shapes(value, names)]
    if not found:
        return Reading((WordsFailed(raw, advice.unreadable(names, "it is empty")),), readable=False)
    if read.closed and ending != "whole" and not found[-1].whole:
        failed = WordsFailed(raw, advice.cut_off(names, found[-1].name), found[-1].name)
        return Reading((failed,), readable=False)
    events = [_event(shape, raw, read if len(found) == 1 else None) for shape in found]
    if read.lost:
        events.append(WordsFailed(raw, advice.unreadable(names, "what follows the first call is no JSON")))
    plain = not read.lost and all(shape.plain and not shape.fault for shape in found)
    return Reading(tuple(events), plain=plain, definition=all(shape.definition for shape in found))


def _named_first(raw: str, ending: Ending, names: Names) -> Reading | None:
    """A name, alone or with its arguments after it."""
    brace = raw.find("{")
    head = _words(raw[:brace] if brace >= 0 else raw)
    if raw.startswith("[") or len(head) != 1:
        return None
    if brace >= 0 and "(" not in head[0]:
        return _named(head[0], raw[brace:], raw, ending, names)
    if brace < 0 and ending == "whole" and (name := names.find(head[0])):
        return Reading((WordsCall(name, {}, raw),), plain=True)
    return None


def _event(shape: Shape, raw: str, read: BlockJson | None) -> WordsCall | WordsFailed:
    if shape.fault:
        return WordsFailed(raw, shape.fault, shape.name)
    if read is not None:
        return WordsCall(shape.name, shape.arguments, raw, read.mends)
    own = json.dumps({"name": shape.name, "arguments": shape.arguments}, ensure_ascii=False)
    return WordsCall(shape.name, shape.arguments, own)


def _unread(raw: str, read: NoJson, names: Names) -> Reading:
    why = advice.cut_off(names) if read.cut else advice.unreadable(names, read.why if raw else "it is empty")
    return Reading((WordsFailed(raw, why),), readable=False)


def _words(head: str) -> list[str]:
    """The words before the arguments, without marks between them and the `function` that DeepSeek puts first."""
    words = [word for word in _TOKENS.split(head) if word]
    return words[1:] if len(words) == 2 and words[0] == "function" else words


def _named(said: str, text: str, raw: str, ending: Ending, names: Names) -> Reading:
    """A name, and its arguments as JSON."""
    name = names.find(said)
    if name is None:
        return Reading((WordsFailed(raw, advice.unknown(names, said), said),))
    if not text.strip():
        if ending != "whole":
            return Reading((WordsFailed(raw, advice.cut_off(names, name), name),), readable=False)
        return Reading((WordsCall(name, {}, raw),), plain=True)
    text = _with_quotes(text)
    read = read_block_json(text, ending)
    if isinstance(read, NoJson):
        why = advice.cut_off(names, name) if read.cut else advice.broken(names, name, read.why)
        return Reading((WordsFailed(raw, why, name),), readable=False)
    arguments = read.values[0] if len(read.values) == 1 else None
    if not isinstance(arguments, dict):
        why = advice.broken(names, name, "there must be one JSON object")
        return Reading((WordsFailed(raw, why, name),))
    if arguments.keys() <= {"name", "arguments", "parameters"} and names.find(str(arguments.get("name"))) == name:
        return _json_or_python(text.strip(), ending, names)  # the whole call once more, after its name
    return Reading((WordsCall(name, arguments, raw, read.mends if text == raw else ()),), plain=True)


def _with_quotes(text: str) -> str:
    """Texts between Gemma's marks, as JSON writes them."""
    for mark in TEXT_MARKS:
        if mark in text:
            parts = text.split(mark)
            if len(parts) % 2:
                text = "".join(json.dumps(part) if place % 2 else part for place, part in enumerate(parts))
    return text


def _python(raw: str, ending: Ending, names: Names) -> Reading | None:
    if "(" not in raw:
        return None
    calls = python_calls(raw, "whole" if ending == "whole" else ending)
    if not calls:
        return None
    events: list[WordsCall | WordsFailed] = []
    for call in calls:
        name = names.find(call.name)
        if name is None:
            events.append(WordsFailed(call.raw, advice.unknown(names, call.name), call.name))
        elif call.arguments is None:
            events.append(
                WordsFailed(call.raw, advice.broken(names, name, "each argument needs its name and a value"), name)
            )
        else:
            events.append(WordsCall(name, call.arguments, call.raw))
    return Reading(tuple(events), plain=all(isinstance(event, WordsCall) for event in events))


# --- calls between tags ---


def _functions(body: Body, names: Names) -> Reading:
    return _together([_function(function, body, names) for function in body.scan.functions])


def _function(function: Function, body: Body, names: Names) -> Reading:
    text = body.text
    end = function.end if function.end >= 0 else len(text)
    raw = text[function.start : end].strip()
    if function.fields:
        ended = function.end >= 0 or _ends_after(function.fields[-1], body)
        return _with_fields(function.name, function.fields, text, raw, names, ended=ended)
    ending: Ending = "whole" if function.end >= 0 else body.ending
    raw = raw if ending == "whole" else _without_half_tag(raw)
    return _named(function.name, raw, raw, ending, names)


def _pairs(body: Body, names: Names) -> Reading:
    """GLM: the name, then keys and values in tags of their own."""
    fields = body.scan.fields
    head = body.name or body.text[: fields[0].start].partition("<arg_key>")[0].strip()
    return _with_fields(head, fields, body.text, body.text.strip(), names, ended=_ends_after(fields[-1], body))


def _ends_after(last: Field, body: Body) -> bool:
    """Whether `last` was the last value: when the answer ends after it, no further one may have begun."""
    if last.end < 0 or body.ending == "whole":
        return last.end >= 0
    after = body.text[last.end :].partition(">")[2].strip()
    return after.startswith("</") or (not after and body.ending != "cut")


def _with_fields(said: str, fields: list[Field], text: str, raw: str, names: Names, *, ended: bool) -> Reading:
    said = said.strip()
    name = names.find(said)
    if not said:
        return Reading((WordsFailed(raw, advice.nameless(names)),))
    if name is None:
        return Reading((WordsFailed(raw, advice.unknown(names, said), said),))
    if not ended or any(field.end < 0 for field in fields):
        return Reading((WordsFailed(raw, advice.cut_off(names, name), name),), readable=False)
    arguments: dict[str, Json] = {}
    for field in fields:
        value = _value(text[field.start : field.end], as_json=field.as_json)
        if field.key in arguments and arguments[field.key] != value:
            why = advice.broken(names, name, f"{field.key} is there twice")
            return Reading((WordsFailed(raw, why, name),))
        arguments[field.key] = value
    return Reading((WordsCall(name, arguments, raw),), plain=True)


def _value(text: str, *, as_json: bool) -> Json:
    """A value between tags is text, without the one line break at each end that belongs to the tags."""
    for mark in _BREAKS:
        if text.startswith(mark):
            text = text.removeprefix(mark)
            break
    for mark in _BREAKS:
        if text.endswith(mark):
            text = text.removesuffix(mark)
            break
    if as_json:
        read = read_block_json(f"[{text}]", "whole")
        if isinstance(read, BlockJson) and len(read.values) == 1 and len(read.values[0]) == 1 and not read.mends:
            return read.values[0][0]
    return text
