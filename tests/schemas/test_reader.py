"""`check schemas`: a line in, a line out."""

from __future__ import annotations

import argparse
from typing import Any

import pytest

from conch_desktop.schemas.dialects import DIALECTS
from conch_desktop.schemas.reader import check_schema
from tests.schemas.schemas import TEXT, fields


def answer(dialect: str | None, **case: Any) -> dict[str, Any]:
    return dict(check_schema(case, argparse.Namespace(dialect=dialect)))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_schema_is_answered_in_its_dialect_with_the_tools_name_as_sent(dialect: str) -> None:
    said = answer(dialect, tool="read file", schema=fields(path=TEXT))
    assert said.pop("ms") >= 0
    assert said == {"tool": "read_file", "dialect": dialect, "schema": fields(path=TEXT), "notes": []}


def test_renamed_fields_are_told() -> None:
    said = answer("gemini", tool="t", schema=fields(**{"$top": TEXT}))
    assert said["names"] == {"_top": "$top"}
    assert "names" not in answer("permissive", tool="t", schema=fields(**{"$top": TEXT}))


def test_a_schema_that_can_not_be_used_is_refused_with_the_reason() -> None:
    said = answer("strict", tool="t", schema={"type": "array"})
    assert "a list" in said["refused"]
    assert "schema" not in said


def test_no_schema_at_all_is_none() -> None:
    assert answer("permissive", tool="t")["schema"] == fields()


def test_without_a_dialect_it_says_which_there_are() -> None:
    with pytest.raises(ValueError, match="gemini, anthropic, strict, permissive"):
        answer(None, tool="t", schema={})
