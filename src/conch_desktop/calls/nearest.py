"""The name on offer that comes nearest to one that is not: named to the model, never put in its place."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_LONGEST = 64
_MOST = 400
_ALIKE = 0.75


def nearest(name: str, names: Iterable[str]) -> str:
    """The one of `names` that is most like `name`, "" when none is; case and punctuation count for nothing."""
    plain: dict[str, str] = {}
    for offered in names:
        plain.setdefault(_plain(offered), offered)
        if len(plain) >= _MOST:
            break
    wanted = _plain(name)
    if not wanted or len(name) > _LONGEST:
        return ""
    if wanted in plain:
        return plain[wanted]
    alike = get_close_matches(wanted, plain, n=1, cutoff=_ALIKE)
    return plain[alike[0]] if alike else ""


def _plain(name: str) -> str:
    return "".join(mark for mark in name.lower() if mark.isalnum())
