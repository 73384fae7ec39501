"""Names as providers take them: tools and fields are renamed only where a rule demands it, and can be named back.

A sent name depends on the original and on the names beside it, on nothing else: it is the same in the next turn and
after a restart, in whatever order the names come.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class NameRule:
    """What a name may look like: `pattern` has to match all of it, `other` is what it may not hold anywhere.

    `stem` begins a name that has to be made up, because nothing of the original can stay.
    """

    pattern: re.Pattern[str]
    other: re.Pattern[str]
    longest: int
    stem: str = "tool"

    def fits(self, name: str) -> bool:
        """Is the name taken as it is?"""
        return self.pattern.fullmatch(name) is not None


def _rule(first: str, others: str, longest: int, stem: str = "tool") -> NameRule:
    pattern = re.compile(f"[{first}][{others}]{{0,{longest - 1}}}")
    return NameRule(pattern, re.compile(f"[^{others}]+"), longest, stem)


_HALF = re.compile("[\ud800-\udfff]")
"""Half a surrogate pair: text that can't be sent as UTF-8."""

NAME_RULES: Mapping[str, NameRule] = MappingProxyType(
    {
        # ^[a-zA-Z0-9_-]+$ and 64 long: Lucassssss/eechat#52, FoundationAgents/OpenManus#1143
        "openai": _rule("a-zA-Z0-9_-", "a-zA-Z0-9_-", 64),
        # MariaDB/mcp#36; older texts say 64
        "anthropic": _rule("a-zA-Z0-9_-", "a-zA-Z0-9_-", 128),
        # A letter or _ first: wonderwhy-er/DesktopCommanderMCP#79. Newer texts add ":" and 128: not everywhere yet.
        "gemini": _rule("a-zA-Z_", "a-zA-Z0-9_.-", 64),
        # The retry goes to any of them.
        "strict": _rule("a-zA-Z_", "a-zA-Z0-9_-", 64),
        # A tool name may not start with a digit: MoonshotAI/kimi-cli#2061
        "moonshot": _rule("a-zA-Z", "a-zA-Z0-9_-", 64),
    }
)
"""What providers take as a tool's name."""

FIELD_RULES: Mapping[str, NameRule] = MappingProxyType(
    {
        # No refusal was ever seen, so this is wider than Vertex's documents (letters, digits, _) and still no surprise.
        "gemini": _rule("a-zA-Z_", "a-zA-Z0-9_.-", 64, "field"),
        # ^[a-zA-Z0-9_.-]{1,64}$, asked of the root's fields only: decocms/studio#6874, freee/freee-mcp#15
        "anthropic": _rule("a-zA-Z0-9_.-", "a-zA-Z0-9_.-", 64, "field"),
        "any": NameRule(re.compile("[^\ud800-\udfff]*"), _HALF, 1_000, "field"),
    }
)
"""What providers take as a field's name."""


def fit_names(names: Iterable[str], rule: NameRule) -> dict[str, str]:
    """The name to send for each of `names`: all differ, and one that fits the rule is sent as it is.

    Of several that would become equal each carries a mark of its own original, so their order doesn't matter.
    """
    originals = dict.fromkeys(names)
    sent = {name: name for name in originals if rule.fits(name)}
    wanted = {name: _fitted(name, rule) for name in sorted(originals) if name not in sent}
    shared = Counter(wanted.values())
    taken = set(sent) | {name for name, count in shared.items() if count > 1}
    for name, fitted in wanted.items():
        sent[name] = _unlike(fitted, name, rule, taken)
        taken.add(sent[name])
    return {name: sent[name] for name in originals}


def fit_name(name: str, rule: NameRule, taken: Collection[str]) -> str:
    """A name to send that fits and is none of `taken`."""
    return _unlike(_fitted(name, rule), name, rule, taken)


def renamed_back(args: Any, names: Mapping[str, str]) -> Any:
    """A copy of a call's arguments with the original names of the fields, at every level.

    Where a model sent both names, the original's value stays and the other is left for the check to name.
    """
    if not names:
        return args
    holder: list[Any] = [args]
    rest: list[Any] = [holder]
    while rest:
        place = rest.pop()
        for key, value in place.items() if isinstance(place, dict) else enumerate(place):
            if isinstance(value, dict):
                place[key] = {_back(name, names, value): item for name, item in value.items()}
            elif isinstance(value, list):
                place[key] = list(value)
            else:
                continue
            rest.append(place[key])
    return holder[0]


def _back(name: str, names: Mapping[str, str], beside: Mapping[str, Any]) -> str:
    original = names.get(name, name)
    return name if original in beside else original


def _fitted(name: str, rule: NameRule) -> str:
    """`name` with what the rule doesn't take replaced; cut with a mark of the whole when it is too long."""
    if rule.fits(name):
        return name
    letters = unicodedata.normalize("NFKD", name[: 4 * rule.longest])  # é is e with an accent
    flat = "".join(letter for letter in letters if not unicodedata.combining(letter))
    fitted = rule.other.sub("_", flat).rstrip("_")
    if not any(letter.isalnum() for letter in fitted):
        return f"{rule.stem}_{_mark(name)}"
    if not rule.pattern.match(fitted):  # its first letter can't stand there
        fitted = f"_{fitted}" if rule.fits("_") else f"{rule.stem}_{fitted}"
    return fitted if len(fitted) <= rule.longest else _marked(fitted, name, rule)


def _unlike(fitted: str, name: str, rule: NameRule, taken: Collection[str]) -> str:
    length = 8
    while fitted in taken:
        fitted = _marked(fitted, name, rule, length)
        length += 8
    return fitted


def _marked(fitted: str, name: str, rule: NameRule, length: int = 8) -> str:
    mark = _mark(name, length)
    return f"{fitted[: rule.longest - len(mark) - 1]}_{mark}"


def _mark(name: str, length: int = 8) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:length]
