"""The one entry of all dialects: what it refuses, what it keeps, which family a model belongs to."""

from __future__ import annotations

import copy
import json
from collections import OrderedDict
from types import MappingProxyType
from typing import Any

import pytest

from conch_desktop.domain.models import Model
from conch_desktop.providers.registry import KINDS
from conch_desktop.providers.registry import family_of as family_in_registry
from conch_desktop.schemas import dialects
from conch_desktop.schemas.dialects import DIALECTS, Converted, Dialect, Refused, convert, family_of, name_rule
from tests.schemas.providers import faults
from tests.schemas.schemas import REALISTIC, TEXT, fields


def converted(dialect: Dialect, schema: Any) -> Converted:
    answer = convert(dialect, "tool", schema)
    assert isinstance(answer, Converted)
    return answer


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", REALISTIC)
def test_what_servers_send_is_taken_in_every_dialect(name: str, dialect: Dialect) -> None:
    before = copy.deepcopy(REALISTIC[name])
    answer = converted(dialect, REALISTIC[name])
    assert not faults(answer.schema, dialect)
    assert REALISTIC[name] == before


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (False, "false"),
        ([], "a list"),
        ("object", "a text"),
        (7, "a number"),
        ({"type": "string"}, "it wants text"),
        ({"type": ["array", "null"], "items": TEXT}, "it wants a list or null"),
        ({"allOf": [False]}, "it wants nothing at all"),
        (fields(**{f"f{n}": {} for n in range(6_001)}), "6,001 fields"),
    ],
)
def test_a_schema_no_call_could_fit_is_refused_with_a_reason(dialect: Dialect, schema: Any, said: str) -> None:
    answer = convert(dialect, "odd_tool", schema)
    assert isinstance(answer, Refused)
    assert said in answer.reason
    assert "odd_tool" in answer.reason


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("schema", [None, True, {}, {"$schema": "x"}, {"type": None}, {"properties": None}])
def test_a_tool_with_no_schema_to_speak_of_is_one_without_arguments(dialect: Dialect, schema: Any) -> None:
    answer = converted(dialect, schema)
    assert answer.takes_nothing
    assert not faults(answer.schema, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_definition_is_converted_once(dialect: Dialect, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = fields(once=TEXT, dialect={"const": dialect})
    first = converted(dialect, schema)
    monkeypatch.setattr(dialects, "_WRITERS", {})
    assert convert(dialect, "tool", copy.deepcopy(schema)) is first


def test_another_definition_dialect_or_order_of_fields_is_another_one() -> None:
    first = converted("gemini", fields(a=TEXT, b=TEXT))
    assert converted("gemini", fields(a=TEXT, c=TEXT)).schema != first.schema
    assert list(converted("gemini", fields(b=TEXT, a=TEXT)).schema["properties"]) == ["b", "a"]
    assert (
        converted("permissive", {**fields(a=TEXT), "additionalProperties": 1 == 1}).schema["additionalProperties"]
        is True
    )
    assert converted("permissive", {**fields(a=TEXT), "x": 1}).schema["x"] == 1


def test_no_more_than_a_few_thousand_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialects, "_MOST_KEPT", 10)
    monkeypatch.setattr(dialects, "_kept", OrderedDict())
    schemas = [fields(**{f"kept_{number}": TEXT}) for number in range(30)]
    first = [converted("strict", schema) for schema in schemas]
    assert len(dialects._kept) == 10
    assert converted("strict", schemas[-1]) is first[-1]
    assert converted("strict", schemas[0]) is not first[0]


def test_a_changed_answer_leaves_the_definition_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialects, "_kept", OrderedDict())
    schema: Any = fields(a={"type": "string", "enum": ["x"], "default": {"y": [1]}, "examples": [[1]]})
    before = copy.deepcopy(schema)
    for dialect in DIALECTS:
        answer: Any = converted(dialect, schema).schema
        rest = [answer]
        while rest:  # spoil whatever can be spoilt
            part = rest.pop()
            if isinstance(part, dict):
                rest.extend(part.values())
                part["spoilt"] = True
            elif isinstance(part, list):
                rest.extend(part)
                part.append("spoilt")
    assert schema == before


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_mapping_that_is_no_dict_and_values_that_are_no_json_are_fine(dialect: Dialect) -> None:
    schema = MappingProxyType(
        {"type": "object", "properties": {"a": {"enum": {1, 2}}, 5: TEXT, "b": {"default": object()}}}
    )
    answer = converted(dialect, schema)
    assert not faults(answer.schema, dialect)
    json.dumps(answer.schema)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_are_led_back(dialect: Dialect) -> None:
    answer = converted(dialect, fields(**{"half \ud83d": TEXT, "fine": TEXT}))
    (sent,) = answer.names
    assert answer.renamed_back({sent: "x", "fine": "y"}) == {"half \ud83d": "x", "fine": "y"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_at_most_200_characters_are_added_to_a_description(dialect: Dialect) -> None:
    own = "What it is about"
    busy = {
        "description": own, "type": "string", "format": "uri", "pattern": "x" * 90, "minLength": 1, "maxLength": 90_000,
        "default": "d" * 50, "examples": ["e" * 50], "contentEncoding": "base64", "not": {"enum": ["n" * 30]},
        "contentMediaType": "text/plain", "deprecated": True,
    }  # fmt: skip
    text = converted(dialect, fields(x=busy)).schema["properties"]["x"]["description"]
    assert text.startswith(own)
    assert len(text) - len(own) <= 200


def test_options_and_bounds_are_told_before_the_rest() -> None:
    field = {
        "type": "array",
        "items": TEXT,
        "enum": ["north", "south"],
        "minItems": 2,
        "default": [],
        "description": "Where",
        "uniqueItems": True,
        "examples": [["x"]],
    }
    text = converted("strict", fields(x=field)).schema["properties"]["x"]["description"]
    assert text == 'Where. Options: north, south. At least 2 items. No item twice. Default: []. Example: ["x"].'


def test_notes_say_what_could_not_be_kept_and_are_not_many() -> None:
    few = converted("gemini", fields(a={"$ref": "#/gone"}))
    assert few.notes == ("The reference #/gone leads nowhere; it takes any value.",)
    many = converted("gemini", fields(**{f"f{n}": {"$ref": f"#/gone/{n}"} for n in range(50)}))
    assert len(many.notes) == dialects.MOST_NOTES + 1
    assert many.notes[-1] == "… and 38 more."


FAMILIES = [
    ("gemini", "gemini-2.5-pro", "gemini"),
    ("gemini", "models/gemma-3", "gemini"),
    ("gemini-native", "gemini-3-pro", "gemini"),
    ("openrouter", "google/gemini-2.5-flash", "gemini"),
    ("openrouter", "google/gemma-3-27b-it:free", "gemini"),
    ("openrouter", "~google/gemini-flash-latest", "gemini"),
    ("openrouter", "anthropic/claude-sonnet-4.5", "anthropic"),
    ("openrouter", "openai/gpt-5", "permissive"),
    ("openrouter", "someone/gemini-clone", "permissive"),
    ("anthropic", "claude-opus-4-5", "anthropic"),
    ("conol", "gpt-5.6-luna", "anthropic"),
    ("conol-gateway", "gemini-3-pro", "anthropic"),
    ("openai", "gpt-5", "permissive"),
    ("openai", "gemini-2.5-pro", "gemini"),
    ("openai", "vertex_ai/gemini-2.5-pro", "gemini"),
    ("openai", "Gemini-Pro", "gemini"),
    ("openai", "not-gemini", "permissive"),
    ("openai", "anthropic/claude-sonnet-4.5", "permissive"),
    ("ollama", "qwen3:4b", "permissive"),
    ("ollama", "gemini-3-flash-preview:cloud", "gemini"),
    ("local", "smollm2-135m-instruct", "permissive"),
    ("a kind of tomorrow", "x", "permissive"),
]


@pytest.mark.parametrize(("kind", "model", "family"), FAMILIES)
def test_a_model_belongs_to_this_family(kind: str, model: str, family: str) -> None:
    assert family_of(kind, model) == family
    assert family in DIALECTS


def test_every_kind_of_provider_is_in_the_table_and_the_registry_says_the_same() -> None:
    assert set(KINDS) <= {kind for kind, _, _ in FAMILIES}
    for kind, model, family in FAMILIES:
        if kind in KINDS:
            assert family_in_registry(KINDS[kind], Model("p", model)) == family


@pytest.mark.parametrize(
    ("dialect", "fits", "does_not"),
    [
        ("gemini", "_a.b-c", "3x"),
        ("anthropic", "x" * 128, "a.b"),
        ("strict", "a_b-c", "a.b"),
        ("permissive", "x" * 64, "x" * 65),
    ],
)
def test_a_tools_name_has_a_rule_in_each_dialect(dialect: Dialect, fits: str, does_not: str) -> None:
    assert name_rule(dialect).fits(fits)
    assert not name_rule(dialect).fits(does_not)
