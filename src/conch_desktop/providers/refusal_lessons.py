"""What a refusal teaches beside its kind: which tool it points at, and a fact about the model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from conch_desktop.domain.events import RefusalKind
from conch_desktop.providers.refusal_bodies import Told

# which tool ---------------------------------------------------------------------------------------------------------

_NAME = r"[A-Za-z_][\w.:/-]{0,127}"
_INDEXES = (
    r"tools?(?:\[|\.|/)(\d{1,3})\b\]?\W{0,3}function_?declarations(?:\[|\.)(\d{1,3})\b",  # Gemini: the second counts
    r"\bfunction_?declarations(?:\[|\.)(\d{1,3})\b",
    r"\b(?:tools|functions)'?\]?(?:\[|\.|/)(\d{1,3})\b",
    r"\btool #?(\d{1,3}) (?:function|has|is)\b",  # SGLang
)
_NAMED = (
    rf"\b(?:schema|parameters|definition) (?:for|of) (?:the )?(?:function|tool) '?({_NAME})",
    rf"'({_NAME})' function_?declaration",  # Vertex
    rf"\b(?:for|in|of) (?:the )?(?:function|tool):? '({_NAME})'",
    rf"\b(?:function|tool) '({_NAME})'",
)


def names_tool(told: Told, tools: Sequence[str]) -> str:
    """The tool a refusal points at, by its name or its place in the list; "" when it points at none.

    `tools` are the names that were offered, in order. Without them it is the name as it stands there, or else the place
    in the list as text: nobody else can say whose it is.
    """
    for pattern in _NAMED:
        for found in re.finditer(pattern, told.said, re.IGNORECASE):
            if not tools or found[1] in tools:
                return found[1]
    if len(tools) == 1:
        return tools[0]
    place = _place(told.said, len(tools))
    if place is not None:
        return tools[place] if tools else str(place)
    quoted = [name for name in tools if f"'{name}'" in told.said]
    return quoted[0] if len(quoted) == 1 else ""


def _place(said: str, count: int) -> int | None:
    for pattern in _INDEXES:
        if found := re.search(pattern, said, re.IGNORECASE):
            places = [int(group) for group in found.groups()]
            place = places[0] if len(places) == 2 and places[1] == 0 and places[0] else places[-1]
            return place if not count or place < count else None
    return None


# a fact about the model ---------------------------------------------------------------------------------------------

_LEVELS = r"none|minimal|low|medium|high|xhigh|max|default"
_LISTED = (
    r"(?:(?:supported|allowed|valid|possible) (?:values|levels)(?: are)?|allowed|must be (?:one of|either)|expected|"
    r"one of|only supports?)"
)
_THINKING = r"(?:reasoning_?effort|reasoning\.effort|thinking_?(?:level|budget|config)?|reasoning|effort|think)"
_NUMBER = r"(\d[\d,_]{2,9})\b"
_MOST = r"(?:maximum|max) (?:context|prompt|input|sequence|model) ?(?:length|size|window|tokens?)?(?: allowed)?"

_WINDOWS = (
    rf"\d > ?{_NUMBER}",  # Anthropic
    rf"\d tokens > ?{_NUMBER} maximum",
    rf"{_MOST}(?: is| of|:|\W)* ?{_NUMBER}",
    rf"maximum number of tokens allowed \({_NUMBER}",  # Gemini
    rf"(?:context|max_seq_len)(?: of| is)? {_NUMBER}",
    rf"context (?:length|window|size|limit)(?: is| of| only|\W){{0,4}}{_NUMBER}",
    rf"\bwith {_NUMBER} (?:maximum )?context",  # Mistral
    rf"(?:limit|window)(?: is| of|:|=)* ?{_NUMBER}",
    rf"should be \[\d+, ?{_NUMBER}\]",  # DashScope
    rf"must be <= {_NUMBER}\. given",  # TGI
    rf"max size: {_NUMBER} tokens",  # GitHub Models
    rf"(?:than|exceeds?|exceeded) (?:the )?(?:model's )?(?:limit|maximum)?(?: of)? ?{_NUMBER}",
)
"""Where a refusal for length names the window."""


_PICTURES = (
    r"(?:images?(?: inputs?|_url| content| understanding| input modality)?|pictures?|vision|visual input|"
    r"multi-?modal(?: input| content)?)"
)
_NOT_BLIND = r"format|media type|mime|generation|size|edit|tool result"
"""It is about one picture, or about drawing."""
_NO_EFFORT = r"reasoning_content|tool_choice|supported values|must be one of|allowed:|expected one of|messages"


@dataclass(frozen=True, slots=True)
class _Fact:
    """A lesson, the words that teach it, and the words in the same line that don't."""

    lesson: str
    words: str
    unless: str = ""
    value: str = ""


_FACTS = (
    _Fact("no_system_role", r"developer instruction is not enabled"),  # Gemma at Gemini
    _Fact("no_system_role", r"not support (?:the )?'?(?:system|developer)(?!_)'?(?: role| message| prompt|\b)"),
    _Fact(
        "no_system_role",
        r"\bsystem'? (?:role|message|prompt|instruction)s?\b[^\n]{0,20}(?:not (?:support|enabled|allow)|unsupported)",
    ),
    _Fact("no_system_role", r"only (?:the )?'?user'?,? (?:and|or) '?(?:assistant|model)'? roles? (?:are|is)"),
    _Fact("no_system_role", r"(?:invalid|unknown|unexpected|unsupported) (?:message )?role:? '?system"),
    _Fact(
        "blind",
        rf"{_PICTURES}'?(?: type| data)? (?:is|are) (?:only supported by|not (?:currently )?(?:support|enabled|accept|"
        r"allowed))",
        unless=_NOT_BLIND,
    ),
    _Fact(
        "blind",
        r"not (?:support|accept|handle|process|see|read|have|take)s? (?:the |any )*(?:content type )?'?"
        rf"{_PICTURES}\b",
        unless=_NOT_BLIND,
    ),
    _Fact("blind", r"unknown variant 'image_url'|at most 0 images?|(?:not a|no) (?:vision|multi-?modal)"),
    _Fact("blind", r"no endpoints found that support image|(?:unsupported|invalid) content type:? '?image"),
    _Fact("effort", rf"not support (?:the )?'?{_THINKING}'?(?! mode| content)", _NO_EFFORT, "none"),
    _Fact(
        "effort",
        rf"(?:unsupported|unrecogni[sz]ed|unknown)[^\n]{{0,40}}'?{_THINKING}\b(?!_content)",
        _NO_EFFORT,
        "none",
    ),
    _Fact(
        "effort", rf"{_THINKING}'?(?: parameter)? (?:is|are) not (?:support|enabled|permit|allow)", _NO_EFFORT, "none"
    ),
    _Fact("effort", rf"not supported[^\n]{{0,30}}: {_THINKING}\b|tools with {_THINKING} are not", _NO_EFFORT, "none"),
)


def teaches(kind: RefusalKind, told: Told) -> tuple[str, str] | None:
    """A lesson and its value: a window in tokens, the levels of thinking it takes, no system role, blindness."""
    if kind == "context_length":
        window = _window(told)
        return ("window", str(window)) if window else None
    if kind != "bad_request":
        return None
    if levels := _levels(told.text):
        return "effort", ",".join(levels)
    for fact in _FACTS:
        for found in re.finditer(fact.words, told.text):
            line = told.text[told.text.rfind("\n", 0, found.start()) + 1 :].partition("\n")[0]
            if not fact.unless or not re.search(fact.unless, line):
                return fact.lesson, fact.value
    return None


def _window(told: Told) -> int | None:
    """The window a refusal for length names. llama.cpp has it in a field of its own."""
    named = told.numbers.get("n_ctx")
    if named:
        return int(named)
    for pattern in _WINDOWS:
        for found in re.finditer(pattern, told.text):
            tokens = int(re.sub(r"[,_]", "", found[1]))
            if 256 <= tokens <= 20_000_000:
                return tokens
    return None


def _levels(text: str) -> list[str]:
    """The levels of thinking a model takes, when the refusal of another one lists them."""
    if not re.search(rf"\b{_THINKING}\b", text):
        return []
    for line in text.split("\n"):
        found = re.search(rf"{_LISTED}\W{{0,4}}(.{{0,200}})", line)
        if found and (levels := re.findall(rf"\b(?:{_LEVELS})\b", found[1])):
            return list(dict.fromkeys(levels))
    return []
