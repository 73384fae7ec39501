"""A picture is fetched only from the web, only as a picture, and never beyond a size."""

from __future__ import annotations

import httpx
import pytest

from conch_desktop.providers.picture import SIZE_MOST, PictureError, fetch_picture


def answering(status: int = 200, kind: str = "image/png", body: bytes = b"bytes") -> httpx.MockTransport:
    return httpx.MockTransport(lambda request: httpx.Response(status, headers={"content-type": kind}, content=body))


async def test_the_bytes_of_a_picture() -> None:
    assert await fetch_picture("https://a.example/b.png", transport=answering()) == b"bytes"


@pytest.mark.parametrize(
    ("url", "transport", "words"),
    [
        ("file:///etc/passwd", answering(), "on the web"),
        ("https://a.example/b.png", answering(404), "404"),
        ("https://a.example/b.png", answering(kind="text/html"), "no picture"),
        ("https://a.example/b.svg", answering(kind="image/svg+xml"), "no picture"),
        ("https://a.example/b.png", answering(body=b"x" * (SIZE_MOST + 1)), "larger"),
    ],
)
async def test_anything_else_is_refused_in_a_sentence(url: str, transport: httpx.MockTransport, words: str) -> None:
    with pytest.raises(PictureError, match=words):
        await fetch_picture(url, transport=transport)
