"""Headers and proxies of a provider: what is secret in them is in no file, and goes with the provider."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from conch_desktop.domain.errors import ProviderError, UsageError
from conch_desktop.domain.models import Provider
from conch_desktop.engine.adding import is_untested, keys_at_hand
from conch_desktop.engine.assembly import Program
from conch_desktop.engine.reaching import Reach, account, is_secret, moved, open_way, reached, read_headers
from tests.servers import ScriptedServer, json_reply

LIST = json_reply({"data": [{"id": "m"}]})


def test_headers_are_read_from_lines() -> None:
    lines = "X-Title: Conch: Desktop\n\n  X-Berth : 4 \nx-title: Conch"
    assert read_headers(lines) == (("x-title", "Conch"), ("X-Berth", "4"))
    assert read_headers("") == ()


@pytest.mark.parametrize("line", ["X-Title", "X Title: a", ": a", "X-Title:", "Host: b", "X-Title: é", "X-A: a\x07"])
def test_a_line_that_is_no_header_is_named(line: str) -> None:
    with pytest.raises(UsageError, match="no header"):
        read_headers(f"X-Berth: 4\n{line}")


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("Authorization", "Basic cGllcg==", True),
        ("X-Api-Key", "a", True),
        ("cf-aig-token", "a", True),
        ("Cookie", "a=b", True),
        ("X-Pass", "Bearer abc", True),
        ("X-Berth", "Qk93bGluZTEyMzQ1Njc4OTA", True),
        ("X-Berth", "gsk_1", True),
        ("X-Title", "Conch Desktop", False),
        ("HTTP-Referer", "https://example.org", False),
        ("X-Berth", "4", False),
    ],
)
def test_headers_that_look_like_secrets_are_told_from_others(name: str, value: str, secret: bool) -> None:
    assert is_secret(name, value) is secret


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("", ""),
        ("127.0.0.1:3128", "http://127.0.0.1:3128"),
        ("https://10.0.0.1", "https://10.0.0.1"),
        ("http://ana:herring@10.0.0.1:3128", "http://…@10.0.0.1:3128"),
    ],
)
def test_a_proxy_is_stored_without_its_password(given: str, stored: str) -> None:
    provider, secret = reached(Provider("p", "openai", "Pier"), Reach(given))
    assert provider.proxy == stored
    assert ("herring" in secret) is ("herring" in given)


@pytest.mark.parametrize(
    ("url", "reach"),
    [("", Reach("http://[")), ("", Reach("http://")), ("http://ana:herring@127.0.0.1", Reach())],
)
def test_what_cannot_be_reached_so_is_refused(url: str, reach: Reach) -> None:
    with pytest.raises(UsageError) as error:
        reached(Provider("p", "openai", "Pier", url), reach)
    assert "herring" not in str(error.value)


@pytest.mark.parametrize(
    ("url", "warned"),
    [
        ("http://example.org", True),
        ("http://8.8.8.8/v1", True),
        ("https://example.org", False),
        ("example.org", False),
        ("http://192.168.1.4:8080", False),
        ("localhost:1234", False),
        ("", False),
        ("http://[", False),
    ],
)
def test_plain_http_is_for_home(url: str, warned: bool) -> None:
    assert bool(open_way("openai", url)) is warned


OLD = Provider("p", "openai", "Pier", "http://127.0.0.1:81", proxy="http://proxy:1", headers=(("X-Title", "C"),))


@pytest.mark.parametrize(
    ("provider", "url", "kept", "given", "said"),
    [
        (OLD, "http://127.0.0.1:81/other/v1", True, False, ""),
        (OLD, "127.0.0.1:81", True, False, ""),
        (OLD, "http://127.0.0.1:82", False, False, ""),
        (OLD, "http://127.0.0.1:82", True, True, ""),
        (OLD, "http://127.0.0.1:82", True, False, "The key was given for 127.0.0.1:81 alone."),
        (OLD, "https://pier.example", True, False, "The key was given for 127.0.0.1:81 alone."),
        (replace(OLD, key_env="PIER"), "http://127.0.0.1:82", False, True, "The key in PIER is for 127.0.0.1:81"),
        (replace(OLD, secret_headers=("X-Key",)), "http://127.0.0.1:82", False, True, "X-Key was given for 127.0.0.1"),
        (OLD, "http://[", False, False, "is not an address"),
        (OLD, "http://me:pw@127.0.0.1:81", False, False, "no password can stand in it"),
    ],
)
def test_a_secret_follows_to_no_other_server_unasked(
    provider: Provider, url: str, kept: bool, given: bool, said: str
) -> None:
    if said:
        with pytest.raises(UsageError, match=re.escape(said)):
            moved(provider, "Quay", url, kept=kept, given=given)
    else:
        assert moved(provider, "Quay", url, kept=kept, given=given) == replace(provider, name="Quay", url=url)


async def test_a_provider_with_another_address_is_asked_there(tmp_path: Path) -> None:
    async with ScriptedServer() as first, ScriptedServer() as second:
        second.route("GET /v1/models", LIST)
        program = await Program.open(tmp_path)
        provider, _ = await program.add_provider("openai", "Pier", first.url, "sk-first-1")
        await program.models(refresh=True)
        with pytest.raises(UsageError, match="alone"):
            await program.change_provider(provider.id, "Quay", second.url)
        assert (await program.provider(provider.id)) == provider
        assert await program.change_provider(provider.id, "Quay", second.url, "sk-second-2") == "until you quit"
        assert "m" in [one.name for one in (await program.models(refresh=True)).models if one.provider == provider.id]
        assert [one.headers["authorization"] for one in second.requests] == ["Bearer sk-second-2"]
        await program.aclose()
        again = await Program.open(tmp_path)
        kept = await again.provider(provider.id)
        assert kept is not None
        assert (kept.name, kept.url) == ("Quay", second.url)
        with pytest.raises(UsageError, match="no longer there"):
            await again.change_provider("gone", "Quay", second.url)
        await again.aclose()


async def test_secrets_of_a_connection_are_in_no_file_and_go_with_the_provider(tmp_path: Path) -> None:
    reach = Reach("", "", (("X-Title", "Conch"), ("X-Pier-Token", "herring-77")))
    async with ScriptedServer() as server:
        server.route("GET /v1/models", LIST)
        program = await Program.open(tmp_path)
        tested = await program.test("openai", server.url, "", reach=reach)
        assert tested.ok
        provider, kept = await program.add_provider("openai", "Pier", server.url, "", reach=reach)
        assert kept == "until you quit"  # there is no key store in the tests
        assert (provider.headers, provider.secret_headers) == ((("X-Title", "Conch"),), ("X-Pier-Token",))
        await program.models(refresh=True)
        sent = [(one.headers.get("x-title"), one.headers.get("x-pier-token")) for one in server.requests]
        assert sent == [("Conch", "herring-77")] * 2
        await program.remove_provider(provider.id)
        assert await program.secrets.read(account(provider.id)) is None
        await program.aclose()
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and b"herring-77" in file.read_bytes()]


async def test_a_secret_that_is_no_longer_kept_is_said(tmp_path: Path) -> None:
    reach = Reach(headers=(("X-Pier-Token", "herring-77"),))
    program = await Program.open(tmp_path)
    provider, _ = await program.add_provider("openai", "Pier", "http://127.0.0.1:9", "", reach=reach)
    await program.aclose()
    again = await Program.open(tmp_path)  # and no key store had it
    with pytest.raises(ProviderError, match="needs X-Pier-Token"):
        await again.wire_of(provider)
    await again.aclose()


def test_keys_in_the_environment_are_offered_unless_they_are_in_use() -> None:
    environment = {"GROQ_API_KEY": "gsk_1", "XAI_API_KEY": " ", "OPENAI_API_KEY": "sk-1", "GEMINI_API_KEY": "AIza"}
    used = Provider("p", "openai", "OpenAI", key_env="OPENAI_API_KEY")
    assert keys_at_hand(environment, [used]) == [("gemini", "GEMINI_API_KEY"), ("groq", "GROQ_API_KEY")]
    assert keys_at_hand({}, []) == []


@pytest.mark.parametrize(
    ("kind", "url", "untested"),
    [
        ("openai", "https://api.groq.com/openai/v1", True),
        ("openai", "", False),
        ("openai", "https://api.openai.com/v1", False),
        ("openai", "http://127.0.0.1:8080", False),
        ("openrouter", "", False),
    ],
)
def test_a_company_nobody_tried_is_untested(kind: str, url: str, untested: bool) -> None:
    assert is_untested(Provider("p", kind, "Pier", url)) is untested
