"""Fetches a picture of a message, once the person has asked for it: bounded in time and size, and without a word
about the person in the request."""

from __future__ import annotations

import httpx

from conch_desktop.domain.errors import ConchError

SIZE_MOST = 12_000_000
SECONDS_MOST = 20.0
_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp")


class PictureError(ConchError):
    """A picture could not be fetched."""


async def fetch_picture(url: str, *, transport: httpx.AsyncBaseTransport | None = None) -> bytes:
    """The bytes of a picture. Raises `PictureError` with a sentence for the person."""
    if not url.casefold().startswith(("http://", "https://")):
        raise PictureError("Only pictures on the web can be fetched.")
    try:
        async with (
            httpx.AsyncClient(
                follow_redirects=True, max_redirects=4, timeout=SECONDS_MOST, transport=transport
            ) as client,
            client.stream("GET", url, headers={"Accept": ", ".join(_TYPES)}) as response,
        ):
            if response.status_code != 200:
                raise PictureError(f"The server answered {response.status_code}.")
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind not in _TYPES:
                raise PictureError(f"That is no picture ({kind or 'unknown'}).")
            return await _read(response)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise PictureError(f"The picture could not be fetched ({type(error).__name__}).") from error


async def _read(response: httpx.Response) -> bytes:
    data = bytearray()
    async for piece in response.aiter_bytes():
        data += piece
        if len(data) > SIZE_MOST:
            raise PictureError(f"The picture is larger than {SIZE_MOST // 1_000_000} MB.")
    return bytes(data)
