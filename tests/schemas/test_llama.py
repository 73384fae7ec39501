"""What a real llama.cpp server takes: it makes a grammar of every tool, and one schema fails the whole request."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from conch_desktop.schemas.dialects import Converted, Dialect, convert
from tests.local_servers import KEY, NATIVE, served
from tests.schemas.schemas import HOSTILE, REALISTIC, TEXT, fields

pytestmark = pytest.mark.local_model

LARGEST = 700
"""Characters of a schema that the server is asked with: it has to read them, and has little time."""


class Server:
    """A server with native tools, asked with one tool at a time and for a single token."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def ask(self, schema: Any) -> tuple[int, str]:
        """The status and body for a tool of that schema."""
        function = {"name": "probe", "description": "A probe", "parameters": schema}
        body = {
            "messages": [{"role": "user", "content": "Hi"}],
            "tools": [{"type": "function", "function": function}],
            "tool_choice": "required",
            "max_tokens": 1,
        }
        response = await self._client.post("chat/completions", json=body)
        return response.status_code, response.text

    async def takes(self, schema: Any, dialect: Dialect = "permissive") -> str:
        """Why the server refuses the schema in that dialect; "" when it takes it, or when it is too large to ask."""
        converted = convert(dialect, "probe", schema)
        if not isinstance(converted, Converted) or len(str(converted.schema)) > LARGEST:
            return ""
        status, text = await self.ask(converted.schema)
        return "" if status == 200 else f"{dialect}: {text[:300]}"


@contextlib.asynccontextmanager
async def started() -> AsyncIterator[Server]:
    """A fresh one."""
    headers = {"Authorization": f"Bearer {KEY}"}
    async with (
        served(*NATIVE) as url,
        httpx.AsyncClient(base_url=url, headers=headers, timeout=60, trust_env=False) as client,
    ):
        yield Server(client)


REFUSED_AS_SENT: dict[str, Any] = {
    "a reference to nowhere": fields(a={"$ref": "#/$defs/Missing"}),
    "a reference elsewhere": fields(a={"$ref": "https://x.example/y.json"}),
    "a reference to the root": fields(a={"$ref": "#"}),
    "true for a schema": fields(a=True),
    "a type that is none": fields(a={"type": "money"}),
    "no options": fields(a={"enum": []}),
    "a text too long for a grammar": fields(a={"type": "string", "minLength": 3_000}),
    "a choice that is itself": {
        **fields(a={"$ref": "#/$defs/C"}),
        "$defs": {"C": {"anyOf": [{"$ref": "#/$defs/C"}, TEXT]}},
    },
}


async def test_what_it_refuses_as_sent_it_takes_converted() -> None:
    async with started() as server:
        for name, schema in REFUSED_AS_SENT.items():
            status, text = await server.ask({**schema, "required": ["a"]})
            assert status == 400, (name, text)
            assert not await server.takes({**schema, "required": ["a"]}, "permissive"), name
            assert not await server.takes({**schema, "required": ["a"]}, "strict"), name


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


async def test_what_would_end_it_is_taken_converted() -> None:
    async with started() as server:
        for name, schema in FATAL.items():
            assert not await server.takes({**schema, "required": ["a"]}), name


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.long)])
async def test_what_servers_send_is_taken_and_what_nobody_should_send_too(every: int) -> None:
    async with started() as server:
        for name, schema in [*REALISTIC.items(), *HOSTILE.items()][::every]:
            assert not await server.takes(schema), name
