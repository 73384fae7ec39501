"""The way to a provider: a proxy, certificates and headers of its own, and the environment's proxy not for loopback."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from conch_desktop.domain.errors import ProviderError
from conch_desktop.domain.models import Provider
from conch_desktop.providers.registry import KINDS, make_wire
from tests.servers import ScriptedServer, json_reply

LIST = json_reply({"data": [{"id": "m"}]})


async def names(provider: Provider, key: str = "sk-pier-7Q2M") -> list[str]:
    """The models a wire of this provider lists."""
    wire = make_wire(provider, key)
    try:
        return [model.name for model in await wire.list_models()]
    finally:
        await wire.aclose()


async def test_headers_of_a_provider_go_with_every_request_in_the_place_of_ours() -> None:
    async with ScriptedServer() as server:
        server.route("GET /v1/models", LIST)
        headers = (("X-Title", "Conch"), ("authorization", "Basic cGllcg=="))
        assert await names(Provider("p", "openai", "Pier", server.url, headers=headers)) == ["m"]
        sent = server.of("/v1/models")[0].headers
        assert (sent["x-title"], sent["authorization"]) == ("Conch", "Basic cGllcg==")


async def test_a_secret_header_is_not_in_what_a_person_reads_of_an_error() -> None:
    async with ScriptedServer() as server:
        server.route("GET /v1/models", lambda got: json_reply({"error": f"bad {got.headers['x-pass']}"}, 418))
        provider = Provider("p", "openai", "Pier", server.url, headers=(("X-Pass", "herring-77"),))
        with pytest.raises(ProviderError) as open_error:
            await names(provider)
        assert "herring-77" in str(open_error.value)
        secret = Provider("p", "openai", "Pier", server.url, headers=provider.headers, secret_headers=("X-Pass",))
        with pytest.raises(ProviderError) as error:
            await names(secret)
        assert "herring-77" not in f"{error.value} {secret!r}"


@pytest.mark.parametrize(("name", "value"), [("X Title", "a"), ("X-Title", "a\r\nHost: b"), ("X-Title", "é")])
async def test_a_header_that_cannot_be_sent_is_said(name: str, value: str) -> None:
    with pytest.raises(ProviderError, match="can’t be sent"):
        await names(Provider("p", "openai", "Pier", "http://127.0.0.1:9", headers=((name, value),)))


async def test_a_proxy_of_its_own_is_used_and_the_environments_never_for_loopback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with ScriptedServer() as server, ScriptedServer() as proxy, ScriptedServer() as outside:
        for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(variable, outside.url)
        for variable in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(variable, raising=False)
        server.route("GET /v1/models", LIST)
        for through in (proxy, outside):
            through.then(LIST, LIST)
        assert await names(Provider("p", "openai", "Pier", server.url)) == ["m"]
        assert (len(server.requests), len(proxy.requests), len(outside.requests)) == (1, 0, 0)
        assert await names(Provider("p", "openai", "Pier", server.url, proxy=proxy.url)) == ["m"]
        assert proxy.requests[0].path == f"{server.url}/v1/models"
        # A name at home that is not this computer: nobody looks it up but the proxy.
        assert await names(Provider("p", "openai", "Pier", "http://pier.invalid")) == ["m"]
        assert outside.requests[0].path == "http://pier.invalid/v1/models"
        assert await names(Provider("p", "openai", "Pier", "http://pier.invalid", proxy=proxy.url)) == ["m"]
        assert (len(proxy.requests), len(outside.requests)) == (2, 1)


@pytest.mark.parametrize("proxy", ["ftp://127.0.0.1", "socks4://127.0.0.1:1"])
async def test_a_proxy_that_cannot_be_used_is_said_with_the_provider(proxy: str) -> None:
    with pytest.raises(ProviderError, match="The proxy of Pier can’t be used"):
        await names(Provider("p", "openai", "Pier", "http://127.0.0.1:9", proxy=proxy))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for localhost that nobody vouches for, and its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not here")
    folder = tmp_path_factory.mktemp("certificate")
    made, key = folder / "pier.pem", folder / "pier.key"
    what = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3650", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([openssl, *what, *names, "-out", made, "-keyout", key], check=True, capture_output=True)
    return made, key


async def test_certificates_of_its_own_are_trusted_by_that_provider_alone(certificate: tuple[Path, Path]) -> None:
    made, key = certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = b'{"data": [{"id": "m"}]}'
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context) as server:
        url = f"https://localhost:{server.sockets[0].getsockname()[1]}"
        assert await names(Provider("p", "openai", "Pier", url, ca_file=str(made))) == ["m"]
        with pytest.raises(ProviderError):
            await names(Provider("p", "openai", "Pier", url))


@pytest.mark.parametrize("content", [None, "no certificate"])
async def test_certificates_that_cannot_be_read_are_said(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "own.pem"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ProviderError, match=r"own\.pem can’t be read"):
        await names(Provider("p", "openai", "Pier", "https://127.0.0.1:9", ca_file=str(file)))


def test_every_kind_takes_a_provider_with_ways_of_its_own() -> None:
    for kind in KINDS.values():
        if kind.wire and kind.name != "local":
            url = kind.url or "http://127.0.0.1:9"
            make_wire(Provider("p", kind.name, "Pier", url, proxy=url, headers=(("X-A", "b"),)), "key")
