"""Pictures of a tool's answer, as each API takes them, or words where it takes none."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from conch_desktop.domain.messages import SentCall, SentMessage, SentResult
from conch_desktop.domain.models import Model
from conch_desktop.domain.pictures import LARGEST, PictureContent, kind_of
from conch_desktop.domain.tools import TextContent, ToolAnswer
from conch_desktop.providers import anthropic_request, conol_request, gemini_request, ollama_request, openai_request
from conch_desktop.providers.anthropic_models import Row
from conch_desktop.providers.wire import Request

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
DATA = base64.b64encode(PNG).decode()

REQUEST = Request(
    Model("pier", "demo"),
    "Be brief.",
    (
        SentMessage("user", "Look"),
        SentMessage("assistant", calls=(SentCall("c1", "look", {}), SentCall("c2", "look", {}))),
        SentMessage(
            "results",
            results=(
                SentResult("c1", "look", "A pier.", pictures=(PictureContent(PNG, "image/png"),)),
                SentResult("c2", "look", "Nothing."),
            ),
        ),
        SentMessage("user", "And now?"),
    ),
)

SHOWN = Request(
    Model("pier", "demo"),
    "Be brief.",
    (
        SentMessage("user", "What is this?", pictures=(PictureContent(PNG, "image/png"),)),
        SentMessage("assistant", "A pier."),
        SentMessage("user", "And now?"),
    ),
)
"""A picture that the person attached."""

IN_OPENAI = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}}
IN_ANTHROPIC = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}}
IN_GEMINI = {"inlineData": {"mimeType": "image/png", "data": DATA}}

APIS: Mapping[str, tuple[Callable[[Request], Any], str]] = {
    "openai": (
        lambda one: openai_request.build(one, host="", grammar=False, llama=False)["messages"], json.dumps(IN_OPENAI),
    ),
    "anthropic": (lambda one: anthropic_request.build(one, Row())["messages"], json.dumps(IN_ANTHROPIC)),
    "gemini": (lambda one: gemini_request.build(one)["contents"], json.dumps(IN_GEMINI)),
    "ollama": (
        lambda one: ollama_request.build(one, window=None, thinks=None)["messages"], f'"images": ["{DATA}"]',
    ),
    "conol": (lambda one: conol_request.history("", one.messages), "[A picture: image/png, 28 bytes]"),
    "a session of conol": (lambda one: conol_request.said(one.messages), "[A picture: image/png, 28 bytes]"),
}  # fmt: skip


@pytest.mark.parametrize(("build", "shown"), APIS.values(), ids=APIS)
def test_each_api_gets_a_picture_of_the_person_once_with_every_word(
    build: Callable[[Request], Any], shown: str
) -> None:
    sent = json.dumps(build(SHOWN))
    assert sent.count(shown) == 1
    for words in ("What is this?", "And now?"):
        assert sent.count(words) == 1
    alone = replace(SHOWN, messages=(replace(SHOWN.messages[0], text=""),))
    assert shown.rstrip("}") in json.dumps(build(alone))
    assert '"text": ""' not in json.dumps(build(alone))


@pytest.mark.parametrize(("build", "shown"), APIS.values(), ids=APIS)
def test_each_api_gets_the_picture_once_with_every_word(build: Callable[[Request], Any], shown: str) -> None:
    sent = json.dumps(build(REQUEST))
    assert sent.count(shown) == 1
    for words in ("A pier.", "Nothing.", "And now?"):
        assert sent.count(words) == 1


def test_no_side_speaks_twice_and_no_user_follows_a_tool() -> None:
    roles = [
        message["role"] for message in openai_request.build(REQUEST, host="", grammar=False, llama=False)["messages"]
    ]
    assert roles == ["system", "user", "assistant", "tool", "tool", "assistant", "user"]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PNG, "image/png"), (b"\xff\xd8\xff\xe0", "image/jpeg"), (b"GIF89a", "image/gif"),
        (b"RIFF1234WEBPVP8", "image/webp"), (b"<svg>", ""), (b"", ""), (b"BM", ""),
    ],
)  # fmt: skip
def test_a_picture_is_what_its_bytes_are(data: bytes, kind: str) -> None:
    assert kind_of(data) == kind
    given = ToolAnswer((TextContent("Seen."), PictureContent(data, "image/tiff")))
    assert [picture.media_type for picture in given.pictures] == ([kind] if kind else [])
    assert (given.text == "Seen.") == bool(kind)


def test_a_picture_no_provider_takes_is_named_in_words() -> None:
    given = ToolAnswer((PictureContent(PNG + b"\0" * LARGEST, "image/png"),))
    assert given.pictures == ()
    assert "5,000,000 are the most" in given.text
