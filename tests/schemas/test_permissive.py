"""The dialect of everybody else: as sent, but for what one or another refuses a whole request for."""

from __future__ import annotations

from typing import Any

import pytest

from conch_desktop.schemas.keywords import plain_pattern
from conch_desktop.schemas.permissive import to_permissive
from tests.schemas.providers import faults
from tests.schemas.schemas import TEXT, WHOLE, fields

AS_SENT: dict[str, Any] = {
    "references": {**fields(t={"$ref": "#/$defs/T"}), "$defs": {"T": fields(kids={"$ref": "#/$defs/T"})}},
    "choices below the root": fields(a={"anyOf": [TEXT, {"type": "null"}], "default": None}),
    "any names of fields": fields(**{"$filter": TEXT, "a b": TEXT, "名前": TEXT, "": TEXT}),
    "large bounds": fields(a={"type": "integer", "maximum": 9007199254740991}),
    "options that are no text": fields(a={"enum": [1, None, ""]}),
    "nothing said of a field": fields(a={}, b={"description": "X"}),
    "closed and open objects": {**fields(a={"type": "object"}), "additionalProperties": False},
    "a plain pattern": fields(a={"type": "string", "pattern": "^[a-z]{2,3}$"}),
    "a moderate length": fields(
        a={"type": "string", "maxLength": 1_000}, b={"type": "array", "items": TEXT, "maxItems": 1_000}
    ),
    "names of fields": fields(a={"type": "object", "propertyNames": {"type": "string"}}),
}


@pytest.mark.parametrize("what", AS_SENT)
def test_what_others_take_goes_as_sent(what: str) -> None:
    written = to_permissive(AS_SENT[what])
    assert written.schema == AS_SENT[what]
    assert not written.names
    assert not written.notes


MENDED: dict[str, tuple[Any, Any]] = {
    "a list without items": ({"type": "array"}, {"type": "array", "items": {}}),
    "a list among types without items": ({"type": ["array", "null"]}, {"type": ["array", "null"], "items": {}}),
    "required without properties": (
        {"anyOf": [{"required": ["a"]}]},
        {"anyOf": [{"required": ["a"], "properties": {}}]},
    ),
    "true for a schema": (True, {}),
    "not anything": ({"not": {}}, {"description": "Leave this out."}),
    "a tuple": (
        {"type": "array", "prefixItems": [TEXT, WHOLE], "items": False, "maxItems": 2},
        {
            "type": "array",
            "items": {"anyOf": [TEXT, WHOLE]},
            "maxItems": 2,
            "description": "At most 2 items. The first items in the order of the choices.",
        },
    ),
    "an old tuple": ({"type": "array", "items": [TEXT]}, {"type": "array", "items": TEXT}),
    "a pattern without anchors": ({"type": "string", "pattern": "x"}, {"type": "string", "description": "Pattern: x"}),
    "a length too large for a grammar": (
        {"type": "string", "maxLength": 10_000, "description": "Text"},
        {"type": "string", "description": "Text. At most 10000 characters."},
    ),
    "a length too large inside a list": (
        {"type": "array", "items": {"type": "string", "maxLength": 900}},
        {"type": "array", "items": {"type": "string", "description": "At most 900 characters."}},
    ),
    "an old exclusive bound": (
        {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
        {"type": "integer", "exclusiveMinimum": 0},
    ),
    "a reference to nowhere": ({"$ref": "#/$defs/gone"}, {}),
}


@pytest.mark.parametrize("what", MENDED)
def test_what_somebody_refuses_is_mended(what: str) -> None:
    before, after = MENDED[what]
    written = to_permissive(fields(x=before))
    assert written.schema == fields(x=after)
    assert not faults(written.schema, "permissive")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, fields()),
        ({"type": "object"}, fields()),
        ({"$schema": "x", "$id": "not a URI", "type": "object", "properties": {"a": TEXT}}, fields(a=TEXT)),
        (
            {"properties": {"a": TEXT}, "enum": [{}], "not": {"required": ["a", "b"]}},
            {**fields(a=TEXT), "description": "Not together: a, b."},
        ),
        ({"anyOf": [fields(a=TEXT), {**fields(b=WHOLE), "required": ["b"]}]}, fields(a=TEXT, b=WHOLE)),
    ],
)
def test_the_root_is_an_object_with_properties_and_no_combinator(before: Any, after: Any) -> None:
    written = to_permissive(before)
    assert written.schema == after
    assert not faults(written.schema, "permissive")


@pytest.mark.parametrize("pattern", ["^a$", "^[A-Z][0-9]{4}$", "^(a|b)*$", r"^a\.b$", r"^[^/\\]+$"])
def test_a_pattern_any_engine_reads_is_plain(pattern: str) -> None:
    assert plain_pattern(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "a",
        "^a",
        "a$",
        r"^\d$",
        r"^[\w-]+$",
        "^(?=a)b$",
        "^(?:a)$",
        r"^(a)\1$",
        "^\0$",
        "^a+?$",
        "^a{1,5000}$",
        "^($",
        r"^a\$",
        "^" + "a" * 600 + "$",
    ],
)
def test_a_pattern_some_engine_refuses_is_not(pattern: str) -> None:
    assert not plain_pattern(pattern)


NODE = {"$ref": "#/$defs/N"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"allOf": [NODE], "description": "X"}, {**NODE, "description": "X"}),
        ({"allOf": [NODE, {"required": ["z"]}]}, {**NODE, "allOf": [{"required": ["z"], "properties": {}}]}),
        ({"allOf": [{"anyOf": [NODE, TEXT]}]}, {"$ref": "#/$defs/part"}),
        ({"anyOf": [NODE, {"type": "null"}]}, {"anyOf": [NODE, {"type": "null"}]}),
    ],
)
def test_a_part_of_all_of_that_contains_itself_becomes_a_reference(before: Any, after: Any) -> None:
    """A reference is followed when needed; what stands in allOf is put in its place for ever, and llama.cpp crashes."""
    written = to_permissive({**fields(a=NODE), "$defs": {"N": fields(child=before)}})
    assert written.schema["$defs"]["N"] == fields(child=after)
    assert not faults(written.schema, "permissive")


def test_a_part_that_only_leads_back_by_references_stays_a_part() -> None:
    schema = {
        **fields(a={"$ref": "#/$defs/D"}),
        "$defs": {
            "B": fields(kids={"type": "array", "items": {"$ref": "#/$defs/D"}}),
            "D": {"allOf": [{"$ref": "#/$defs/B"}]},
        },
    }
    assert to_permissive(schema).schema == schema


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"type": "string", "minLength": 5, "maxLength": 2}, TEXT),
        ({"type": "array", "items": TEXT, "minItems": 5, "maxItems": 2}, {"type": "array", "items": TEXT}),
        (
            {"type": "integer", "minimum": 5 * 10**15},
            {"type": "integer", "description": "At least 5000000000000000."},
        ),
        (
            {"type": "integer", "exclusiveMaximum": -(2**62)},
            {"type": "integer", "description": f"Less than -{2**62}."},
        ),
        ({"type": "integer", "maximum": 1e30, "minimum": -(2**60)}, {"type": "integer"}),
    ],
)
def test_bounds_that_llama_cpp_never_gets_through_are_not_sent(before: Any, after: Any) -> None:
    assert to_permissive(fields(a=before)).schema == fields(a=after)
