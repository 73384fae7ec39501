"""Pictures of a tool's answer, as each API takes them, or words where it takes none."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
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

IN_OPENAI = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}}
IN_ANTHROPIC = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}}
IN_GEMINI = {"inlineData": {"mimeType": "image/png", "data": DATA}}

APIS: Mapping[str, tuple[Callable[[], Any], str]] = {
    "openai": (
        lambda: openai_request.build(REQUEST, host="", grammar=False, llama=False)["messages"], json.dumps(IN_OPENAI),
    ),
    "anthropic": (lambda: anthropic_request.build(REQUEST, Row())["messages"], json.dumps(IN_ANTHROPIC)),
    "gemini": (lambda: gemini_request.build(REQUEST)["contents"], json.dumps(IN_GEMINI)),
    "ollama": (
        lambda: ollama_request.build(REQUEST, window=None, thinks=None)["messages"], f'"images": ["{DATA}"]',
    ),
    "conol": (lambda: conol_request.history("", REQUEST.messages), "[A picture: image/png, 28 bytes]"),
}  # fmt: skip


@pytest.mark.parametrize(("build", "shown"), APIS.values(), ids=APIS)
def test_each_api_gets_the_picture_once_with_every_word(build: Callable[[], Any], shown: str) -> None:
    sent = json.dumps(build())
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
