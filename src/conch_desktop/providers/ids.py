"""What a chat carries from one provider to the next: ids of calls as a server takes them, and data that is opaque."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from conch_desktop.domain.messages import SentCall, SentResult


def sent_id(identity: str, allowed: re.Pattern[str]) -> str:
    """The id of a call as a server takes it: always the same one. A chat may have begun with another provider.

    `allowed` has to take either 29 characters or 9 of hexadecimal digits.
    """
    if allowed.fullmatch(identity):
        return identity
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
    return next(made for made in (f"call_{digest[:24]}", digest[:9]) if allowed.fullmatch(made))


def opaque(data: str) -> Mapping[str, Any]:
    """A provider's own data. Another wire's has other keys, and is left alone."""
    try:
        value = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def in_order(results: Iterable[SentResult], calls: Iterable[SentCall]) -> list[SentResult]:
    """Results in the order of their calls, for providers that pair them by their places."""
    places = {call.id: place for place, call in enumerate(calls)}
    return sorted(results, key=lambda result: places.get(result.id, len(places)))


def minted_id() -> str:
    """An id for a call that came without one."""
    return f"call_{uuid.uuid4().hex[:24]}"
