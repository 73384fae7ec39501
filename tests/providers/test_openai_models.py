"""Lists of models are read in every shape the servers give them, with the facts that are there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.domain.models import Model
from conch_desktop.providers.openai_models import read_listing, read_props
from tests.providers.feeding import recorded


@pytest.mark.parametrize(
    ("entry", "model"),
    [
        ({"id": "gpt-9", "object": "model", "owned_by": "openai"}, Model("pier", "gpt-9", "gpt-9")),
        (
            {
                "id": "pier/tide",
                "name": "Pier: Tide",
                "context_length": 8192,
                "architecture": {"input_modalities": ["text", "image"], "output_modalities": ["text"]},
                "supported_parameters": ["tools", "temperature"],
            },
            Model("pier", "pier/tide", "Pier: Tide", 8192, tools=True, pictures=True),
        ),
        (
            {"id": "b", "supported_parameters": ["temperature"], "architecture": {"input_modalities": ["text"]}},
            Model("pier", "b", "b", tools=False, pictures=False),
        ),
        ({"id": "c", "top_provider": {"context_length": 77}}, Model("pier", "c", "c", 77)),
        ({"id": "d", "context_window": 131072}, Model("pier", "d", "d", 131072)),
        ({"id": "e", "max_model_len": 4096}, Model("pier", "e", "e", 4096)),
        (
            {"id": "f", "max_context_length": 1, "capabilities": {"function_calling": False, "vision": True}},
            Model("pier", "f", "f", 1, tools=False, pictures=True),
        ),
        ({"id": "g", "capabilities": ["completion", "tools"]}, Model("pier", "g", "g", tools=True)),
        ({"id": "h", "capabilities": ["completion"]}, Model("pier", "h", "h")),
        ({"id": "models/gemini-9"}, Model("pier", "models/gemini-9", "gemini-9")),
        ({"id": "i", "context_length": True, "supported_parameters": [], "meta": 3}, Model("pier", "i", "i")),
        (
            {"id": "n", "pricing": {"prompt": "0.00000025", "completion": "0.00001"}},
            Model("pier", "n", "n", price_in=0.25, price_out=10.0),
        ),
        (
            {"id": "o:free", "pricing": {"prompt": "0", "completion": "0"}},
            Model("pier", "o:free", "o:free", price_in=0.0, price_out=0.0),
        ),
        ({"id": "router", "pricing": {"prompt": "-1", "completion": "a lot"}}, Model("pier", "router", "router")),
        (
            {"id": "q", "type": "chat", "display_name": "Q", "pricing": {"input": 0.3, "output": 1.2}},
            Model("pier", "q", "Q", price_in=0.3, price_out=1.2),
        ),
        ({"id": "r", "type": "vlm", "capabilities": ["tool_use"]}, Model("pier", "r", "r", tools=True, pictures=True)),
        (
            {"id": "s", "supports_chat": True, "supports_tools": False, "supports_image_input": True},
            Model("pier", "s", "s", tools=False, pictures=True),
        ),
        ({"id": "t", "supports_chat": False}, None),
        ({"id": "u", "type": "embeddings"}, None),
        ({"id": "v", "capabilities": {"completion_chat": False}}, None),
        ({"id": "w", "capabilities": ["embedding"]}, Model("pier", "w", "w")),
        ({"id": "p", "pricing": {"prompt": 3, "completion": "nan"}}, Model("pier", "p", "p")),
        ({"id": "j", "architecture": {"output_modalities": ["image"]}}, None),
        ({"id": 5}, None),
        ({}, None),
        ("k", Model("pier", "k", "k")),
    ],
)
def test_an_entry_is_read(entry: Any, model: Model | None) -> None:
    for whole in ({"data": [entry]}, {"models": [entry]}, [entry]):
        listing = read_listing(whole, "pier")
        assert listing is not None
        assert listing.models == ((model,) if model else ())


@pytest.mark.parametrize(
    ("name", "chats"),
    [
        ("text-embedding-3-large", False),
        ("nomic-ai/nomic-embed-text:latest", False),
        ("whisper-large-v3", False),
        ("gpt-4o-mini-tts", False),
        ("gpt-4o-transcribe", False),
        ("dall-e-3", False),
        ("gpt-image-1", False),
        ("omni-moderation-latest", False),
        ("gpt-4o-realtime-preview", False),
        ("davinci-002", False),
        ("bge-reranker-v2", False),
        ("gpt-5-mini", True),
        ("llama-3.3-70b-versatile", True),
        ("whispering-pines-7b", True),
        ("sorano-2", True),
        ("embedded-smol", True),
    ],
)
def test_what_only_embeds_hears_speaks_or_draws_is_left_out_by_its_name(name: str, chats: bool) -> None:
    listing = read_listing({"data": [{"id": name}]}, "pier")
    assert listing is not None
    assert bool(listing.models) is chats


def test_what_a_list_says_stands_above_a_name() -> None:
    entry = {"id": "tts-tales", "architecture": {"output_modalities": ["text"]}}
    listing = read_listing({"data": [entry, {"id": "embed-chat", "type": "chat"}]}, "pier")
    assert listing is not None
    assert [model.name for model in listing.models] == ["tts-tales", "embed-chat"]


def test_a_real_llama_server_is_known_by_its_list() -> None:
    listing = read_listing(json.loads(recorded("models")[2]), "pier")
    assert listing is not None
    assert listing.llama
    assert listing.models == (Model("pier", "smollm2-135m-instruct", "smollm2-135m-instruct", 1024, pictures=False),)


def prints(entry: dict[str, Any]) -> str:
    listing = read_listing({"data": [entry]}, "pier")
    assert listing is not None
    return listing.prints[entry["id"]]


def test_the_fingerprint_of_an_entry_changes_with_the_model_and_not_with_its_price() -> None:
    entry = {"id": "a", "canonical_slug": "pier/a-2026", "created": 5, "pricing": {"prompt": "1"}}
    assert prints(entry) == prints({**entry, "pricing": {"prompt": "2"}}) != ""
    assert prints(entry) != prints({**entry, "created": 6})
    assert prints(entry) != prints({**entry, "supported_parameters": ["tools"]})


def test_a_date_that_is_only_the_time_of_the_question_is_no_fingerprint() -> None:
    assert prints({"id": "a", "created": 5, "owned_by": "vllm"}) == ""
    assert prints({"id": "a", "created": 5, "owned_by": "vllm", "root": "/models/a"}) != ""
    assert prints({"id": "a", "created": 5, "owned_by": "openai"}) != prints(
        {"id": "a", "created": 6, "owned_by": "openai"}
    )
    assert prints({"id": "a", "meta": {"size": 1}}) != prints({"id": "a", "meta": {"size": 2}})


def test_ollama_is_known_by_its_list() -> None:
    listing = read_listing({"data": [{"id": "tide:7b", "owned_by": "library"}]}, "pier")
    assert listing is not None
    assert (listing.ollama, listing.llama) == (True, False)


@pytest.mark.parametrize("value", [None, 3, "text", {}, {"data": "x"}, {"models": {}}])
def test_what_is_no_list_is_none(value: Any) -> None:
    assert read_listing(value, "pier") is None


@pytest.mark.parametrize(
    ("value", "props"),
    [
        ({"chat_template_caps": {"supports_tools": True}, "default_generation_settings": {"n_ctx": 9}}, (True, 9)),
        ({"chat_template_caps": {"supports_tools": "yes"}, "default_generation_settings": {"n_ctx": 0}}, (None, None)),
        ({"chat_template_caps": None}, (None, None)),
        ([], (None, None)),
    ],
)
def test_props_are_read(value: Any, props: tuple[bool | None, int | None]) -> None:
    read = read_props(value)
    assert (read.tools, read.window) == props


def test_a_server_that_was_started_anew_with_another_file_or_template_is_another() -> None:
    value = {"model_path": "a.gguf", "build_info": "b9", "chat_template": "{{ x }}", "total_slots": 1}
    same = read_props({**value, "total_slots": 2}).model
    assert read_props(value).model == same != ""
    for key in ("model_path", "build_info", "chat_template"):
        assert read_props({**value, key: "other"}).model != same
    assert read_props({}).model == read_props([]).model == ""


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["data", "id", "architecture", "capabilities", "meta", "chat_template_caps"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(junk)
def test_no_rubbish_is_too_much(value: Any) -> None:
    read_listing(value, "pier")
    read_props(value)
