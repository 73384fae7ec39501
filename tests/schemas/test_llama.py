"""What a real llama.cpp server takes: it makes a grammar of every tool, and one schema fails the whole request."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from conch_desktop.schemas.dialects import Converted, Dialect, convert
from tests.conftest import _MODEL
from tests.schemas.schemas import HOSTILE, REALISTIC, TEXT, fields, made_up

pytestmark = pytest.mark.local_model

Ask = Callable[[Any], httpx.Response]


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """Asks the server with one tool of that schema, and for a single token."""
    command = [sys.executable, "-m", "tests.schemas.llama_child", str(_MODEL)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as child:
        assert child.stdout is not None
        url = child.stdout.readline().strip()
        with httpx.Client(base_url=url, timeout=60, trust_env=False) as client:

            def post(schema: Any) -> httpx.Response:
                function = {"name": "probe", "description": "A probe", "parameters": schema}
                body = {
                    "messages": [{"role": "user", "content": "Hi"}],
                    "tools": [{"type": "function", "function": function}],
                    "tool_choice": "required",
                    "max_tokens": 1,
                }
                return client.post("/v1/chat/completions", json=body)

            yield post
        assert child.stdin is not None
        child.stdin.close()


REFUSED_AS_SENT: dict[str, Any] = {
    "a reference to nowhere": fields(who={"$ref": "#/$defs/Missing"}),
    "a reference elsewhere": fields(who={"$ref": "https://x.example/y.json"}),
    "a reference to the root": fields(who={"$ref": "#"}),
    "true for a schema": fields(who=True),
    "a type that is none": fields(who={"type": "money"}),
    "no options": fields(who={"enum": []}),
    "a text too long for a grammar": fields(who={"type": "string", "minLength": 3_000}),
    "a choice that is itself": {
        **fields(a={"$ref": "#/$defs/C"}),
        "$defs": {"C": {"anyOf": [{"$ref": "#/$defs/C"}, TEXT]}},
    },
}


@pytest.mark.parametrize("dialect", ["permissive", "strict"])
@pytest.mark.parametrize("what", REFUSED_AS_SENT)
def test_what_it_refuses_as_sent_it_takes_converted(ask: Ask, what: str, dialect: Dialect) -> None:
    schema = REFUSED_AS_SENT[what]
    required = {**schema, "required": list(schema["properties"])}
    refused = ask(required)
    assert refused.status_code == 400, refused.text
    converted = convert(dialect, "probe", required)
    assert isinstance(converted, Converted)
    taken = ask(converted.schema)
    assert taken.status_code == 200, taken.text


NODE = fields(child={"allOf": [{"$ref": "#/$defs/Node"}], "description": "As Pydantic 1 wrote it"})

FATAL: dict[str, Any] = {
    "a part of allOf that contains itself": {**fields(a={"$ref": "#/$defs/Node"}), "$defs": {"Node": NODE}},
    "two that contain one another": {
        **fields(a={"allOf": [{"$ref": "#/$defs/A"}]}),
        "$defs": {"A": fields(b={"allOf": [{"$ref": "#/$defs/B"}]}), "B": fields(a={"allOf": [{"$ref": "#/$defs/A"}]})},
    },
    "a choice among such": {
        **fields(a={"$ref": "#/$defs/N"}),
        "$defs": {"N": fields(n={"allOf": [{"oneOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]}]})},
    },
    "a part that is the root": fields(a={"allOf": [{"$ref": "#"}]}),
    "lengths that contradict each other": fields(a={"type": "string", "minLength": 10, "maxLength": 2}),
    "bounds far from zero": fields(a={"type": "integer", "minimum": 9007199254740991}),
}
"""As sent they crash the server, or keep it busy for minutes and gigabytes."""


@pytest.mark.parametrize("what", FATAL)
def test_what_would_end_it_is_taken_converted(ask: Ask, what: str) -> None:
    converted = convert("permissive", "probe", {**FATAL[what], "required": ["a"]})
    assert isinstance(converted, Converted)
    taken = ask(converted.schema)
    assert taken.status_code == 200, taken.text


@pytest.mark.parametrize("what", [name for name in REALISTIC if name])
def test_what_servers_send_is_taken(ask: Ask, what: str) -> None:
    converted = convert("permissive", "probe", REALISTIC[what])
    assert isinstance(converted, Converted)
    taken = ask(converted.schema)
    assert taken.status_code == 200, taken.text


def test_made_up_ones_and_hostile_ones_are_taken(ask: Ask) -> None:
    small = {name: schema for name, schema in HOSTILE.items() if "megabytes" not in name and "wide" not in name}
    for name, schema in [*small.items(), *enumerate(made_up(60))]:
        converted = convert("permissive", "probe", schema)
        if isinstance(converted, Converted) and len(str(converted.schema)) < 60_000:
            taken = ask(converted.schema)
            assert taken.status_code == 200, (name, taken.text)
