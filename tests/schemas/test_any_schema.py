"""Whatever a server sends: the answer is quick, bounded, taken by the providers, and never narrower."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from conch_desktop.schemas.dialects import DIALECTS, Converted, Dialect, Refused, convert
from tests.schemas.providers import faults
from tests.schemas.schemas import ANY_SCHEMA, ANY_TOOL, HOSTILE, REALISTIC, TEXT, WHOLE, fields, nested

LONGEST_SECONDS = 0.5
"""Five times what one may take: a machine may be busy."""


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_ones_are_quick_and_taken_or_refused_with_a_reason(name: str, dialect: Dialect) -> None:
    begun = time.process_time()
    answer = convert(dialect, "probe", HOSTILE[name])
    assert time.process_time() - begun < LONGEST_SECONDS
    if isinstance(answer, Refused):
        assert "probe" in answer.reason
    else:
        assert not faults(answer.schema, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_descriptions_are_shortened_before_a_field_is_lost(dialect: Dialect) -> None:
    answer = convert(dialect, "probe", HOSTILE["five megabytes"])
    assert isinstance(answer, Converted)
    properties = answer.schema["properties"]
    assert len(properties) == 5_000
    assert len({len(field["description"]) for field in properties.values()}) == 1
    assert "Descriptions were shortened" in answer.notes[0]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_one_long_description_is_cut_and_a_short_one_beside_it_is_not(dialect: Dialect) -> None:
    schema = fields(
        long={"type": "string", "description": '"\n' * 300_000}, short={"type": "string", "description": "Short"}
    )
    answer = convert(dialect, "probe", schema)
    assert isinstance(answer, Converted)
    assert answer.schema["properties"]["short"]["description"] == "Short"
    assert answer.schema["properties"]["long"]["description"].endswith("…")
    assert not faults(answer.schema, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_schema_too_large_even_without_descriptions_is_refused(dialect: Dialect) -> None:
    schema = fields(**{f"{n}_{'x' * 900}": TEXT for n in range(2_000)})
    if dialect == "permissive":
        answer = convert(dialect, "probe", schema)
        assert isinstance(answer, Refused)
        assert "too large" in answer.reason
    else:  # such names don't fit there, and what is sent for them is short
        assert not faults(convert(dialect, "probe", schema).schema, dialect)  # type: ignore[union-attr]


def test_what_is_nested_too_deep_keeps_its_upper_levels() -> None:
    answer = convert("gemini", "probe", nested("object", 10_000))
    assert isinstance(answer, Converted)
    node: Any = answer.schema
    levels = 0
    while "properties" in node:
        node, levels = next(iter(node["properties"].values())), levels + 1
    assert levels == 16


def test_inlining_keeps_the_upper_levels_and_ends_at_a_size() -> None:
    answer = convert("gemini", "probe", HOSTILE["laughs"])
    assert isinstance(answer, Converted)
    top = answer.schema["properties"]["top"]
    assert len(top["properties"]) == 10
    assert all(len(field["properties"]) == 10 for field in top["properties"].values())
    assert len(json.dumps(answer.schema)) < 200_000


def test_a_large_inlined_schema_says_each_description_once() -> None:
    person = {**fields(name={"type": "string", "description": "Their whole name"}), "description": "Somebody"}
    schema = {
        **fields(**{f"who_{n}": {"$ref": "#/$defs/P"} for n in range(600)}),
        "$defs": {"P": person},
    }
    answer = convert("gemini", "probe", schema)
    assert isinstance(answer, Converted)
    text = json.dumps(answer.schema)
    assert 1 <= text.count("Their whole name") < 600
    assert all("properties" in field for field in answer.schema["properties"].values())


@given(schema=ANY_TOOL | ANY_SCHEMA)
@settings(max_examples=200, deadline=None)
def test_anything_is_taken_or_refused_and_stays_as_it_was(schema: Any) -> None:
    before = repr(schema)
    for dialect in DIALECTS:
        answer = convert(dialect, "probe", schema)
        assert repr(schema) == before
        if isinstance(answer, Refused):
            continue
        assert not faults(answer.schema, dialect), dialect
        assert len(set(answer.names.values())) == len(answer.names)


def _converting_again_changes_nothing(dialect: Dialect, schema: Any) -> None:
    answer = convert(dialect, "probe", schema)
    if isinstance(answer, Converted):
        again = convert(dialect, "probe", json.loads(json.dumps(answer.schema)))
        assert isinstance(again, Converted)
        assert again.schema == answer.schema, dialect


@given(schema=ANY_TOOL)
@settings(max_examples=100, deadline=None)
def test_what_was_mended_is_sound(schema: Any) -> None:
    _converting_again_changes_nothing("anthropic", schema)
    _converting_again_changes_nothing("permissive", schema)


@pytest.mark.parametrize("name", REALISTIC)
def test_what_was_written_plainly_is_plain(name: str) -> None:
    _converting_again_changes_nothing("gemini", REALISTIC[name])


# never narrower: a call that the schema takes is taken in every dialect ---------------------------------------------

_LEAVES = st.sampled_from(["x", "y", "", 0, 1, 2, 5, 1.5, True, False, None])
_CALLS = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner), max_leaves=5
)
_OWN = st.sampled_from(
    [
        {},
        TEXT,
        WHOLE,
        {"type": "number", "minimum": 1, "exclusiveMaximum": 5},
        {"type": "integer", "exclusiveMinimum": 0},
        {"type": "boolean"},
        {"type": ["string", "null"]},
        {"type": ["integer", "string", "array"], "items": TEXT},
        {"enum": ["x", 1, None]},
        {"enum": ["", "x"]},
        {"const": True},
        {"const": 5},
        {"type": "null"},
        {"$ref": "#/$defs/t"},
    ]
)


def _unions(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=3)
    closed = st.builds(
        lambda properties, required: {
            "type": "object",
            "properties": properties,
            "required": [name for name in required if name in properties],
            "additionalProperties": False,
        },
        st.dictionaries(st.sampled_from("ab"), inner),
        st.sets(st.sampled_from("ab")),
    )
    return (
        closed
        | st.builds(lambda items, most: {"type": "array", "items": items, "maxItems": most}, inner, st.integers(1, 2))
        | several.map(lambda branches: {"anyOf": branches})
        | st.lists(inner, min_size=1, max_size=2).map(lambda parts: {"allOf": parts})
    )


_MEANT = st.recursive(_OWN, _unions, max_leaves=8)


@given(field=_MEANT, target=_MEANT, values=st.lists(_CALLS, min_size=8, max_size=8))
@settings(max_examples=300, deadline=None)
def test_a_call_that_fits_the_schema_fits_in_every_dialect(field: Any, target: Any, values: list[Any]) -> None:
    schema = {**fields(x=field), "$defs": {"t": target}}
    if "$ref" in repr(target):  # a definition that is only itself fits nothing, or everything
        schema["$defs"]["t"] = TEXT
    original = Draft202012Validator(schema)
    fitting = [{"x": value} for value in values if original.is_valid({"x": value})]
    for dialect in DIALECTS:
        answer = convert(dialect, "probe", schema)
        if not fitting:
            continue
        assert isinstance(answer, Converted)
        for call in fitting:
            if dialect in ("anthropic", "permissive"):
                assert Draft202012Validator(answer.schema).is_valid(call)
            else:
                assert _takes(answer.schema, call), (dialect, call, answer.schema)


def _takes(node: Any, value: Any) -> bool:
    """Does a plain schema, with what its description says, take the value? Options may be written as text."""
    if "anyOf" in node:
        return any(_takes(branch, value) for branch in node["anyOf"])
    words = node.get("description", "")
    if any(said in words for said in ("Any value.", "any value", "May also be", "ptions:")):
        return True
    if value is None:  # an optional one is left out where null can't be said
        return True
    if "enum" in node or "empty" in words:
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        return text in node.get("enum", ()) or (text == "" and "empty" in words)
    match node["type"]:
        case "object":
            own = node.get("properties", {})
            return (
                isinstance(value, dict)
                and all(name in value for name in node.get("required", ()))
                and all(_takes(own[name], item) for name, item in value.items() if name in own)
            )
        case "array":
            return (
                isinstance(value, list)
                and len(value) <= node.get("maxItems", 9)
                and all(_takes(node["items"], item) for item in value)
            )
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case kind:
            fits = isinstance(value, (int, float)) and not isinstance(value, bool)
            fits = fits and (kind == "number" or value == int(value))
            return fits and node.get("minimum", -99) <= value <= node.get("maximum", 99)
