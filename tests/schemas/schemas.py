"""Schemas to convert: as servers write them, as nobody should, and at random."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


def fields(**properties: Any) -> dict[str, Any]:
    """An object with these fields."""
    return {"type": "object", "properties": properties}


# as servers write them ----------------------------------------------------------------------------------------------

NULLABLE = {"anyOf": [TEXT, {"type": "null"}], "default": None, "title": "Cursor"}
PAGING = {
    "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20, "description": "How many to list"},
    "cursor": NULLABLE,
}
FILTER = {
    "type": "object",
    "properties": {
        "field": {"type": "string", "description": "Name of the field"},
        "op": {"type": "string", "enum": ["eq", "ne", "gt", "lt"]},
        "value": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]},
        "and": {"type": "array", "items": {"$ref": "#/$defs/Filter"}},
    },
    "required": ["field", "op"],
    "additionalProperties": False,
}
BLOCKS = {
    "oneOf": [
        {
            "type": "object",
            "properties": {"kind": {"const": kind}, **{name: {"type": "string"} for name in names}},
            "required": ["kind", *names],
        }
        for kind, names in {"heading": ["text"], "picture": ["url", "alt"], "table": ["rows"]}.items()
    ]
}

REALISTIC: dict[str, Any] = {
    "no arguments": {"type": "object", "properties": {}, "additionalProperties": False},
    "only a draft": {"$schema": "http://json-schema.org/draft-07/schema#"},
    "zod": {
        **fields(
            path={"type": "string", "minLength": 1, "description": "Where to look"},
            head={"type": "number", "exclusiveMinimum": 0, "maximum": 9007199254740991},
            encoding={"type": "string", "enum": ["utf-8", "latin-1"], "default": "utf-8"},
            since={"type": "string", "format": "date-time"},
            url={"type": "string", "format": "uri"},
        ),
        "required": ["path"],
        "additionalProperties": False,
        "$schema": "http://json-schema.org/draft-07/schema#",
    },
    "pydantic": {
        **fields(filter={"$ref": "#/$defs/Filter"}, order=NULLABLE, **PAGING),
        "required": ["filter"],
        "$defs": {"Filter": FILTER},
        "title": "list_rowsArguments",
    },
    "list or text": fields(to={"anyOf": [TEXT, {"type": "array", "items": TEXT}], "description": "One or several"}),
    "lists of types": fields(
        id={"type": ["string", "number", "null"]}, tags={"type": ["array", "null"], "items": TEXT}
    ),
    "blocks": {**fields(blocks={"type": "array", "items": BLOCKS, "maxItems": 100}), "required": ["blocks"]},
    "odata": fields(**{"$filter": TEXT, "$top": WHOLE, "If-Match": TEXT, "@odata.type": {"const": "x"}}),
    "free": fields(
        body={"type": "object", "additionalProperties": True}, headers={"additionalProperties": TEXT}, value={}
    ),
    "keywords as names": {
        **fields(type=TEXT, properties={"type": "object"}, items={"type": "array"}, required={"type": "boolean"}),
        "required": ["type", "required"],
    },
    "a reference into a branch": fields(
        ops={"type": "array", "items": {"anyOf": [fields(a=WHOLE), fields(b={"type": "array", "items": TEXT})]}},
        last={"$ref": "#/properties/ops/items/anyOf/1/properties/b"},
    ),
    "old drafts": fields(
        size={"type": "integer", "minimum": 0, "exclusiveMinimum": True},
        pair={"type": "array", "items": [TEXT, WHOLE], "additionalItems": False},
        name={"type": "string", "required": True},
        any={"type": "any"},
    ),
    "options that are numbers": fields(
        minutes={"type": "integer", "enum": [15, 30, 60]}, level={"enum": [1, "auto", None]}
    ),
    "patterns": fields(code={"type": "string", "pattern": "^\\d{4}$"}, word={"type": "string", "pattern": "[a-z]+"}),
}


# as nobody should ---------------------------------------------------------------------------------------------------


def nested(kind: str, depth: int) -> Any:
    """Objects, lists or choices inside one another."""
    node: Any = TEXT
    for _ in range(depth):
        if kind == "object":
            node = fields(n=node)
        elif kind == "array":
            node = {"type": "array", "items": node}
        else:
            node = {kind: [node]}
    return fields(start=node)


def laughs(levels: int, fan: int) -> Any:
    """Definitions that each use the one below several times."""
    below = [fields(**{f"p{n}": {"$ref": f"#/$defs/d{level}"} for n in range(fan)}) for level in range(levels)]
    definitions = {"d0": TEXT, **{f"d{level + 1}": node for level, node in enumerate(below)}}
    return {**fields(top={"$ref": f"#/$defs/d{levels}"}), "$defs": definitions}


def wide(count: int, characters: int) -> Any:
    """Many fields with a description each."""
    return fields(**{f"field_{n}": {"type": "string", "description": "x" * characters} for n in range(count)})


def product(groups: int, branches: int) -> Any:
    """Choices that multiply when they are worked out."""
    choice = [{"anyOf": [fields(**{f"a{g}_{b}": TEXT}) for b in range(branches)]} for g in range(groups)]
    return fields(x={"allOf": choice})


def chain(length: int) -> Any:
    """References that lead to the next one."""
    links = {f"c{n}": {"$ref": f"#/$defs/c{n + 1}"} for n in range(length)}
    return {**fields(x={"$ref": "#/$defs/c0"}), "$defs": {**links, f"c{length}": WHOLE}}


def cycle() -> Any:
    """An object that contains itself."""
    node: dict[str, Any] = fields()
    node["properties"]["again"] = node
    return node


def web(size: int, key: str) -> Any:
    """Definitions that each are all of, or any of, all of them."""
    names = [f"d{n}" for n in range(size)]
    every = [{"$ref": f"#/$defs/{name}"} for name in names]
    return {**fields(x={"$ref": "#/$defs/d0"}), "$defs": {name: {key: every} for name in names}}


HOSTILE: dict[str, Any] = {
    **{f"nested {kind}": nested(kind, 10_000) for kind in ("object", "array", "anyOf", "oneOf", "allOf", "not")},
    "laughs": laughs(12, 10),
    "wide laughs": laughs(3, 60),
    "five megabytes": wide(5_000, 1_000),
    "one long description": wide(1, 5_000_000),
    "too many fields": wide(30_000, 5),
    "options": fields(pick={"type": "string", "enum": [f"option-{n}" for n in range(100_000)]}),
    "product": product(8, 8),
    "large product": product(64, 64),
    "chain": chain(5_000),
    "cycle": cycle(),
    "web of choices": web(16, "anyOf"),
    "web of all": web(16, "allOf"),
    "same field in every branch": {
        "allOf": [{"anyOf": [fields(a={"const": f"{n}-{m}"}) for m in range(6)]} for n in range(60)]
    },
    "required": {"type": "object", "required": [str(n) for n in range(200_000)]},
    "types": fields(x={"type": ["string"] * 100_000}),
    "large values": fields(a={"type": "string", "default": "x" * 2_000_000}, b={"examples": list(range(100_000))}),
    "numbers": fields(
        a={"type": "number", "maximum": float("inf"), "minimum": float("nan"), "default": float("nan")},
        b={"type": "integer", "maximum": 10**400, "enum": [10**400, 1]},
    ),
    "half a letter": fields(**{"half\ud83d": TEXT, "pick": {"enum": ["\ud83d", "ok"], "description": "\ud83d"}}),
    "loops": {
        **fields(a={"$ref": "#/properties/a"}, b={"$ref": "#/$defs/p"}, c=WHOLE),
        "$defs": {"p": {"$ref": "#/$defs/q"}, "q": {"$ref": "#/$defs/p"}},
    },
    "not schemas": fields(
        a=5, b="string", c=None, d=["string", "null"], e=True, f=False, g={"type": "array", "items": 7}
    ),
    "a pattern that takes for ever": fields(a={"type": "string", "pattern": "^(a+)+" * 300 + "$"}),
}


# at random ----------------------------------------------------------------------------------------------------------

NAMES = st.sampled_from(
    [
        "a",
        "b",
        "type",
        "properties",
        "items",
        "required",
        "$ref",
        "$defs",
        "a b",
        "a_b",
        "é",
        "数",
        "",
        "\ud83d",
        "x" * 70,
    ]
)
_NUMBERS = st.sampled_from(
    [0, 1, 2, 5, 5_000, 2**31, 2**53 - 1, 10**30, -1, 1.5, float("nan"), float("inf"), True, "3"]
)
_VALUES = st.recursive(
    st.none() | st.booleans() | _NUMBERS | st.sampled_from(["", "x", "y", "\ud83d", "z" * 90]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=4,
)
_TYPES = st.sampled_from(["string", "number", "integer", "boolean", "array", "object", "null"])
_REFS = st.sampled_from(
    [
        "#",
        "#/$defs/t",
        "#/$defs/u",
        "#/$defs/gone",
        "#/properties/a",
        "#/properties/a/items",
        "#/anyOf/0",
        "other.json",
        5,
    ]
)
_SMALL: dict[str, st.SearchStrategy[Any]] = {
    "type": _TYPES | st.lists(_TYPES, max_size=3) | st.sampled_from(["any", "OBJECT", None, 5, "dict"]),
    "description": st.sampled_from(["Some text", "Ends.", "", "half \ud83d", 5]),
    "required": st.lists(NAMES, max_size=3) | st.sampled_from([True, "a", [1]]),
    "enum": st.lists(_VALUES, max_size=4),
    "const": _VALUES,
    "default": _VALUES,
    "$ref": _REFS,
    "format": st.sampled_from(["uri", "date-time", "int32", "enum", 5]),
    "pattern": st.sampled_from(["^a$", "a", "^\\d$", "(", "^(?=a)$", 5]),
    "nullable": st.just(True),
    "uniqueItems": st.sampled_from([True, "x"]),
    "examples": _VALUES,
    "title": st.just("T"),
    "$schema": st.just("x"),
    "$id": st.just("a b"),
    "dependentRequired": st.just({"a": ["b", "b"]}),
    "dependencies": st.just({"a": ["b"], "c": {}}),
    **dict.fromkeys(
        (
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minLength",
            "maxLength",
            "minItems",
            "maxItems",
            "minProperties",
        ),
        _NUMBERS,
    ),
}


@st.composite
def _some(draw: st.DrawFn, values: dict[str, st.SearchStrategy[Any]]) -> dict[str, Any]:
    """A node with a few of these keywords."""
    keys = draw(st.lists(st.sampled_from(list(values)), max_size=5, unique=True))
    return {key: draw(values[key]) for key in keys}


def _around(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, max_size=3)
    named = st.dictionaries(NAMES, inner, max_size=4)
    large = {
        "properties": named,
        "items": inner | several,
        "prefixItems": several,
        "anyOf": several,
        "oneOf": several,
        "allOf": several,
        "additionalProperties": inner | st.booleans(),
        "patternProperties": st.dictionaries(st.sampled_from(["^x", "("]), inner, max_size=2),
        "not": inner,
        "if": inner,
        "then": inner,
        "contains": inner,
        "propertyNames": inner,
        "dependentSchemas": named,
        "$defs": st.fixed_dictionaries({}, optional={"t": inner, "u": inner}),
    }
    return st.builds(lambda one, two: {**one, **two}, _some(large), _some(_SMALL))


ANY_SCHEMA: st.SearchStrategy[Any] = st.recursive(
    _some(_SMALL) | st.sampled_from([True, False, None, 5, "string", [], {}]),
    _around,
    max_leaves=8,
)
"""Anything that could stand where a schema belongs."""

ANY_TOOL: st.SearchStrategy[Any] = st.builds(
    lambda schema, named, t, u: {"properties": named, **schema, "type": "object", "$defs": {"t": t, "u": u}},
    _some(_SMALL | {"anyOf": st.lists(ANY_SCHEMA, max_size=3), "allOf": st.just([])}),
    st.dictionaries(NAMES, ANY_SCHEMA, max_size=4),
    ANY_SCHEMA,
    ANY_SCHEMA,
)
"""The schema of a tool, with anything in it."""


def made_up(count: int, seed: int = 7) -> list[Any]:
    """Schemas of the sizes and constructs that servers send, always the same ones."""
    chance = random.Random(seed)
    plain = list(REALISTIC.values())
    return [plain[n % len(plain)] if n % 9 == 0 else _made_up(chance) for n in range(count)]


def _made_up(chance: random.Random) -> Any:
    names = [f"field_{n}" for n in range(min(int(chance.lognormvariate(1.4, 0.8)) + 1, 60))]
    tool = {**fields(**{name: _field(chance, 0) for name in names}), "required": names[: chance.randint(0, 2)]}
    if chance.random() < 0.5:
        tool["additionalProperties"] = False
    if chance.random() < 0.05:
        tool["$defs"] = {"node": fields(name=TEXT, kids={"type": "array", "items": {"$ref": "#/$defs/node"}})}
        tool["properties"]["tree"] = {"$ref": "#/$defs/node"}
    return tool


def _field(chance: random.Random, depth: int) -> Any:
    words = {
        "description": " ".join(chance.choices(("value", "order", "name", "level", "state"), k=chance.randint(2, 14)))
    }
    draw = chance.random()
    if depth < 4 and draw < 0.12:
        return {**fields(**{f"inner_{n}": _field(chance, depth + 1) for n in range(chance.randint(1, 6))}), **words}
    if depth < 4 and draw < 0.22:
        return {"type": "array", "items": _field(chance, depth + 1), **words}
    if draw < 0.34:
        return {"anyOf": [_field(chance, 4), {"type": "null"}], "default": None, **words}
    if draw < 0.4:
        return {"type": ["string", "null"], **words}
    if draw < 0.5:
        return {"type": "string", "enum": chance.sample(["north", "south", "east", "west", "up", "down"], 4), **words}
    if draw < 0.56:
        return {"type": "integer", "minimum": 0, "exclusiveMaximum": 100, "default": 10, **words}
    if draw < 0.6:
        return {"type": "string", "format": "uri", "minLength": 1, "pattern": "^https?:", **words}
    return {"type": chance.choice(["string", "string", "integer", "number", "boolean"]), **words}
