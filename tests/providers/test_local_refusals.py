"""A real llama.cpp server refuses tools and schemas, takes tools natively, and says beforehand what it can."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from conch_desktop.domain.models import Model
from conch_desktop.providers.openai import OpenAIWire
from tests.local_servers import KEY, NATIVE, served
from tests.providers.feeding import Joined, answer_of, ask, tool, wire

pytestmark = [pytest.mark.local_model, pytest.mark.timeout(180)]

MODEL = Model("pier", "smollm2-135m-instruct")


async def asked(pier: OpenAIWire, *schemas: Mapping[str, Any]) -> Joined:
    """The answer to a request for the weather with tools of these fields."""
    tools = [replace(tool("get_weather", **schema), description="The weather of a city.") for schema in schemas]
    named = tuple(replace(each, name=f"{each.name}{number or ''}") for number, each in enumerate(tools))
    request = ask("Please use get_weather for Riga.", tools=named, max_tokens=60, temperature=0.0)
    return await answer_of(pier, request)


async def test_a_template_that_knows_tools_makes_even_a_small_model_call() -> None:
    async with served(*NATIVE) as url:
        pier = wire(url, key=KEY)
        assert await pier.tools_for(MODEL) is True
        assert await pier.window_for(MODEL) == 3072
        assert await pier.fingerprint(MODEL) != ""
        answer = await asked(pier, {"city": {"type": "string"}})
        assert answer.finish == "tool_calls"
        assert answer.calls[0].name == "get_weather"
        assert set(json.loads(answer.calls[0].arguments)) == {"city"}
        assert len(answer.signs) >= 1
        await pier.aclose()


@pytest.mark.parametrize(
    "field",
    [{"$ref": "#/$defs/Missing"}, {"$ref": "https://pier.example/city.json"}, {"type": "money"}],
    ids=["dangling", "remote", "no such type"],
)
async def test_a_schema_it_can_not_read_is_refused_as_one(field: dict[str, str]) -> None:
    async with served(*NATIVE) as url:
        pier = wire(url, key=KEY)
        refusal = (await asked(pier, {"city": field})).refusal
        assert (refusal.kind, refusal.status, refusal.names_tool) == ("schema", 400, "get_weather")
        refusal = (await asked(pier, {"city": {"type": "string"}}, {"city": field})).refusal
        assert (refusal.kind, refusal.names_tool) == ("schema", "")  # it says where in a schema, but not in whose
        assert (await asked(pier, {"city": {"type": "string"}})).finish == "tool_calls"
        await pier.aclose()


async def test_without_templates_it_refuses_tools_and_says_so_beforehand() -> None:
    async with served("--no-jinja") as url:
        pier = wire(url, key=KEY)
        assert await pier.tools_for(MODEL) is False
        refusal = (await asked(pier, {"city": {"type": "string"}})).refusal
        assert (refusal.kind, refusal.status) == ("tools", 500)
        assert "--jinja" in refusal.words
        await pier.aclose()


async def test_its_own_template_drops_tools_in_silence_and_says_so_beforehand() -> None:
    async with served() as url:
        pier = wire(url, key=KEY)
        assert await pier.tools_for(MODEL) is False
        assert (await asked(pier, {"city": {"$ref": "#/$defs/Missing"}})).calls == ()
        await pier.aclose()


async def test_another_template_is_another_fingerprint() -> None:
    prints = set()
    for options in ((), NATIVE):
        async with served(*options) as url:
            pier = wire(url, key=KEY)
            prints.add(await pier.fingerprint(MODEL))
            await pier.aclose()
    assert len(prints) == 2
