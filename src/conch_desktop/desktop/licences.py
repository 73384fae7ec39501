"""Which packages are inside, of which version and under which licence: read from what is installed. No Qt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

_PROGRAM = "conch-desktop"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_TEXTS = re.compile(r"(?:^|/)(?:LICEN[CS]E|COPYING|NOTICE)[^/]*$", re.IGNORECASE)
_USUAL = ("PySide6-Essentials", "qasync", "httpx", "httpx-sse", "jsonschema", "keyring", "platformdirs", "mcp")
"""What is looked for where the program itself is not installed as a package."""


@dataclass(frozen=True, slots=True)
class Licensed:
    """A package that is inside."""

    name: str
    version: str
    licence: str


def packages() -> list[Licensed]:
    """The packages the program needs, and those they need, as far as they are installed. It reads many files."""
    found: dict[str, Licensed] = {}
    waiting = list(_needed(_PROGRAM, with_extras=True)) or list(_USUAL)
    while waiting:
        name = waiting.pop()
        try:
            known = metadata.metadata(name)
        except metadata.PackageNotFoundError:  # for another system, or an extra that was left out
            continue
        if known["Name"] not in found:
            found[known["Name"]] = Licensed(known["Name"], known["Version"], _licence(known))
            waiting += _needed(name, with_extras=False)
    return sorted(found.values(), key=lambda one: one.name.casefold())


def text_of(name: str) -> str:
    """The licence's own words, as they came with the package; "" when it brought none."""
    files = [one for one in metadata.files(name) or () if _TEXTS.search(str(one)) and "dist-info" in str(one)]
    places = [Path(one.locate()) for one in files]
    return "\n\n".join(place.read_text("utf-8", "replace").strip() for place in places if place.is_file())


def _needed(name: str, *, with_extras: bool) -> Iterable[str]:
    """What a package needs. Of the program itself extras count too, but not what only its builders need."""
    try:
        wanted = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return
    for one in wanted:
        needed, _, condition = one.partition(";")
        if "extra" in condition and (not with_extras or "dev" in condition):
            continue
        if match := _NAME.match(needed):
            yield match[0]


def _licence(known: metadata.PackageMetadata) -> str:
    for field in ("License-Expression", "License"):
        told = known.get(field)  # type: ignore[attr-defined]
        if told and len(told) <= 80 and "\n" not in told:
            return str(told)
    classes = [one.rpartition(" :: ")[2] for one in known.get_all("Classifier") or () if one.startswith("License ::")]
    return ", ".join(classes) or "see its text"
