"""`check schemas`: one schema in, what it becomes in a dialect out."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from typing import Any

from conch_desktop.schemas.dialects import DIALECTS, Refused, convert, name_rule
from conch_desktop.schemas.names import fit_names


def check_schema(case: Mapping[str, Any], options: argparse.Namespace) -> Mapping[str, Any]:
    """Converts `schema` of a case. Raises `ValueError` when no dialect was named."""
    dialect = options.dialect
    if dialect is None:
        raise ValueError(f"check schemas needs --dialect, one of {', '.join(DIALECTS)}.")
    tool = str(case.get("tool", ""))
    begun = time.perf_counter()
    converted = convert(dialect, tool, case.get("schema"))
    milliseconds = round((time.perf_counter() - begun) * 1000, 3)
    answer: dict[str, Any] = {"tool": fit_names([tool], name_rule(dialect))[tool], "dialect": dialect}
    if isinstance(converted, Refused):
        return {**answer, "refused": converted.reason, "ms": milliseconds}
    answer["schema"] = converted.schema
    if converted.names:
        answer["names"] = dict(converted.names)
    return {**answer, "notes": list(converted.notes), "ms": milliseconds}
