"""The tags within a call's block: of functions, of values, and those that can only stand between calls."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from conch_desktop.words.formats import CALL_OPEN, OPENERS, RESPONSE_OPEN, RESPONSES, THOUGHTS, closes

TAG = re.compile(r"<(?:[^<>\n]{1,200}|/\w{1,40}\s{1,4})>")
_TAG_BEGUN = re.compile(r"<(?:[^<>\n]{0,200}|/\w{1,40}\s{1,4})\Z")
_KIND = r"(?:\w+:|[|｜‖]{1,2}DSML[|｜‖]{1,2})?"
FUNCTION = re.compile(
    rf"<({_KIND})(?:function|invoke)(?:=|\s+name\s*=)\s*[\"']?([^\"'<>\s]+)[\"']?[^<>]*>", re.IGNORECASE
)
FUNCTION_END = re.compile(rf"</{_KIND}(?:function|invoke)>", re.IGNORECASE)
FIELD = re.compile(
    rf"<({_KIND}(?:parameter|param|argument|arg))(?:=|\s+name\s*=)\s*[\"']?([^\"'<>\s]+)[\"']?([^<>]*)>",
    re.IGNORECASE,
)
KEY_OPEN, KEY_CLOSE, VALUE_OPEN, VALUE_CLOSE = "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"
_PAIR = re.compile(
    r"(?:<arg_key>\s{0,20}){1,2}([^<>\s][^<>]{0,99}?)\s{0,20}(?:</arg_key>\s{0,20}){1,2}(?:<arg_value>)?"
)
_PAIR_BEGUN = re.compile(r"<arg_key>(?:\s{0,20}<arg_key>)?[^<>]{0,140}(?:</?a?r?g?_?k?e?y?)?\Z")
DOUBLED = frozenset({CALL_OPEN, "<function_call>"})
"""At the very start of a block they only open it once more."""
_BETWEEN_CALLS = frozenset({*DOUBLED, "<|tool_call_begin|>", "<｜tool▁call▁begin｜>", *RESPONSES, *THOUGHTS})


@dataclass(slots=True)
class Field:
    """One value between tags, by its place in the body. `as_json`: the tag says that it is no text."""

    key: str
    start: int
    end: int = -1
    as_json: bool = False


@dataclass(slots=True)
class Function:
    """A call between tags. `start` and `end` are where its body begins and ends."""

    name: str
    start: int
    end: int = -1
    fields: list[Field] = field(default_factory=list)


def begun(text: str, at: int) -> bool:
    """Whether what stands at `at` may still become a tag."""
    return _TAG_BEGUN.match(text, at) is not None


def between_calls(tag: str) -> bool:
    """Whether `tag` can only stand between calls: it ends the one that was not closed."""
    tag = tag.lower()
    return tag in _BETWEEN_CALLS or tag.startswith(f"{RESPONSE_OPEN[:-1]} ")


def opens(tag: str) -> bool:
    """Whether `tag` opens a call: after one that is whole, another one."""
    return tag.lower() in OPENERS


def follows_value(tag: str) -> bool:
    """Whether `tag` may come after a value: only then was the value really closed."""
    return (
        closes(tag)
        or tag == KEY_OPEN
        or between_calls(tag)
        or any(form.fullmatch(tag) for form in (FIELD, FUNCTION, FUNCTION_END))
    )


def pair(text: str, at: int, *, final: bool) -> re.Match[str] | bool:
    """GLM's key with the tag of its value: the match, or whether it may still become one.

    Some leave out the value's tag (vllm-project/vllm#49248), or write a key's twice (vllm-project/vllm#54971).
    """
    if not (found := _PAIR.match(text, at)):
        return not final and _PAIR_BEGUN.match(text, at) is not None
    rest = text[found.end() : found.end() + len(VALUE_OPEN)]
    may_go_on = VALUE_OPEN.startswith(rest) or KEY_CLOSE.startswith(rest)
    settled = final or found.group().endswith(VALUE_OPEN) or not may_go_on
    return found if settled else True
