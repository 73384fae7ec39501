"""Servers on loopback that refuse whatever breaks a rule of their API: the rules are a table, each with its source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.servers import Handler, Recorded, Reply, json_reply


@dataclass(frozen=True)
class Rule:
    """One rule of an API. `keeps` tells whether a request keeps it; `source` is where it was seen or documented."""

    name: str
    source: str
    keeps: Callable[[Recorded], bool]


def refuses(rules: Sequence[Rule], *answers: Reply, error: Callable[[str], Any]) -> Handler:
    """Answers in order, but 400 with the rule's name to a request that breaks one. `error` is the shape of a body."""
    left = list(answers)

    def handle(request: Recorded) -> Reply:
        broken = next((rule.name for rule in rules if not _kept(rule, request)), None)
        if broken is not None:
            return json_reply(error(broken), 400)
        return left.pop(0) if left else json_reply(error("nothing is left to say"), 500)

    return handle


def _kept(rule: Rule, request: Recorded) -> bool:
    """What a server can't even read breaks the rule."""
    try:
        return rule.keeps(request)
    except (KeyError, TypeError, IndexError, AttributeError):
        return False
