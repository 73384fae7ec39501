"""Bodies are looked at before they are read, and what httpx-sse gets wrong is put right around it."""

from __future__ import annotations

import contextlib

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.providers.sse import DONE, Body, values
from tests.providers.feeding import Arriving


async def events(*chunks: bytes, headers: dict[str, str] | None = None) -> list[tuple[str, str]]:
    body = Body(httpx.Response(200, headers=headers, stream=Arriving(chunks)))
    async with contextlib.aclosing(body.events()) as found:
        return [(event.event, event.data) async for event in found if event.data]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"data: a\n\ndata: b\n\n", [("message", "a"), ("message", "b")]),
        (b"data:a\r\n\r\ndata:b\r\n\r\n", [("message", "a"), ("message", "b")]),
        (b"data: a\r\rdata: b\r\r", [("message", "a"), ("message", "b")]),
        (b"\xef\xbb\xbfdata: a\n\n", [("message", "a")]),  # a byte order mark
        (b"data: a\n\ndata: b", [("message", "a"), ("message", "b")]),  # no blank line at the end
        (b": a comment\n\nevent: message\nid: 1\nretry: 3\ndata: a\n\n", [("message", "a")]),
        (b'error: {"code": 500}\n\n', [("error", '{"code": 500}')]),  # older llama.cpp servers
        (b'data: a\n\nerror: {"code": 500}', [("message", "a"), ("error", '{"code": 500}')]),
        (b"data: error: a\n\n", [("message", "error: a")]),
        (b"data: a\ndata: b\n\n", [("message", "a\nb")]),
        ("data: ü\u2028\u0085\x0b🙂\n\n".encode(), [("message", "ü\u2028\u0085\x0b🙂")]),
        (b"data\n\n", []),
        (b"", []),
    ],
)
async def test_events_are_read_whatever_the_cut(body: bytes, expected: list[tuple[str, str]]) -> None:
    assert await events(body) == expected
    assert await events(*(body[at : at + 1] for at in range(len(body)))) == expected


async def test_the_content_type_and_the_packing_do_not_matter() -> None:
    assert await events(b"data: a\n\n", headers={"content-type": "application/json; charset=latin-1"}) == [
        ("message", "a")
    ]


async def test_an_event_is_told_as_soon_as_it_is_whole() -> None:
    async def slowly() -> None:
        raise AssertionError("nothing more was needed")

    class Slow(httpx.AsyncByteStream):
        async def __aiter__(self):  # type: ignore[no-untyped-def]
            yield b"data: a\n\n"
            await slowly()

    body = Body(httpx.Response(200, stream=Slow()))
    async with contextlib.aclosing(body.events()) as found:
        assert (await anext(found)).data == "a"


@pytest.mark.parametrize(
    ("body", "first"),
    [
        (b"", ""),
        (b" \n\t", ""),
        (b"\xef\xbb\xbf \n{}", "{"),
        (b"\n\n<html>", "<"),
        (b"data: a", "d"),
        (b"\xef\xbb", "ï"),
    ],
)
async def test_the_first_character_tells_what_a_body_is(body: bytes, first: str) -> None:
    for chunks in ([body], [body[at : at + 1] for at in range(len(body))]):
        looked = Body(httpx.Response(200, stream=Arriving(chunks)))
        assert await looked.first() == first
        assert (await looked.whole(100)) == body.removeprefix(b"\xef\xbb\xbf").lstrip().decode("utf-8", "replace")


async def test_a_body_is_read_to_its_limit_only() -> None:
    body = Body(httpx.Response(200, stream=Arriving([b"x" * 60, b"y" * 60])))
    assert await body.whole(100) == "x" * 60 + "y" * 40
    assert body.beginning == "x" * 60 + "y" * 60


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('{"a":\n1}', [{"a": 1}]),  # one event on many lines
        ('{"a": 1}\n{"b": 2}', [{"a": 1}, {"b": 2}]),  # two that were meant as two
        ('{"a": 1}\n[DONE]', [{"a": 1}, DONE]),
        (" [DONE] ", [DONE]),
        ('{"a": 1', []),
        ("OPENROUTER PROCESSING", []),
        ("[" * 200_000, []),
        ("message", []),
    ],
)
def test_the_data_of_an_event_is_read(data: str, expected: list[object]) -> None:
    assert values(data) == expected


@given(st.binary(max_size=200), st.lists(st.integers(0, 30), max_size=12))
async def test_no_rubbish_is_too_much_and_cuts_change_nothing(body: bytes, sizes: list[int]) -> None:
    chunks, start = [], 0
    for size in sizes:
        chunks.append(body[start : start + size])
        start += size
    assert await events(*chunks, body[start:]) == await events(body)


@given(st.lists(st.text("a\u2028\u0085\x0b\r🙂", max_size=4), max_size=6), st.lists(st.integers(1, 5)))
async def test_lines_are_parted_at_line_feeds_alone(lines: list[str], sizes: list[int]) -> None:
    whole, chunks = "\n".join(["x", *lines]).encode(), []
    for size in sizes:
        chunks.append(whole[:size])
        whole = whole[size:]
    body = Body(httpx.Response(200, stream=Arriving([*chunks, whole])))
    async with contextlib.aclosing(body.lines()) as found:
        read = [line async for line in found]
    assert read == (["x", *lines] if not lines or lines[-1] else ["x", *lines[:-1]])
