"""A tool's answer as MCP writes it, read into the parts of a `ToolAnswer`: one odd part never costs the others."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from conch_desktop.domain.calls import Json
from conch_desktop.domain.pictures import PictureContent
from conch_desktop.domain.tools import AnswerPart, StructuredContent, TextContent, ToolAnswer
from conch_desktop.tools.mcp.listing import INVISIBLE

LONGEST_ANSWER = 4_000_000
"""Characters of text in one answer that are kept; no more than these are shown either."""

MOST_PARTS = 500

_EMPTY = "The tool answered without a word."


def read_answer(result: Mapping[str, Any]) -> ToolAnswer:
    """Text, pictures, links, embedded resources and structured content. Nothing raises."""
    content = result.get("content")
    items = content if isinstance(content, list) else [] if content is None else [content]
    parts = [part for item in items[:MOST_PARTS] for part in _parts(item)]
    if len(items) > MOST_PARTS:
        parts.append(TextContent(f"[The answer had {len(items):,} parts; {MOST_PARTS} of them are shown.]"))
    structured = result.get("structuredContent")
    if structured is not None and not _is_said(structured, parts):
        parts.append(_structured(structured, parts))
    if not any(not isinstance(part, TextContent) or part.text for part in parts):
        parts = [TextContent(_EMPTY)]
    return ToolAnswer(tuple(_bounded(_seen(parts))), result.get("isError") is True)


def _structured(value: Json, parts: list[AnswerPart]) -> AnswerPart:
    """JSON of its own; where there are words that do not repeat it, it is words too, so that a model gets both."""
    written = json.dumps(value, ensure_ascii=False)
    words = any(isinstance(part, TextContent) and part.text for part in parts)
    return TextContent(written) if words or len(written) > LONGEST_ANSWER else StructuredContent(value)


def _seen(parts: list[AnswerPart]) -> list[AnswerPart]:
    """The parts without characters nobody sees: instructions for a model are hidden in them. The person is told."""
    found = 0
    seen: list[AnswerPart] = []
    for part in parts:
        if isinstance(part, TextContent):
            text, count = INVISIBLE.subn("", part.text)
            found += count
            part = TextContent(text) if count else part
        seen.append(part)
    return [*seen, TextContent(f"[{found:,} invisible characters were taken out.]")] if found else seen


def _parts(item: Json) -> list[AnswerPart]:
    if isinstance(item, str):
        return [TextContent(item)]
    if not isinstance(item, dict):
        return [TextContent(json.dumps(item, ensure_ascii=False))]
    match item.get("type"):
        case "text" if isinstance(item.get("text"), str):
            return [TextContent(item["text"])]
        case "image":
            return [_picture(item.get("data"), item.get("mimeType"))]
        case "audio":
            return [TextContent(f"[Sound ({_text(item.get('mimeType'))}), which can’t be played here.]")]
        case "resource_link":
            return [TextContent(_link(item))]
        case "resource" if isinstance(item.get("resource"), dict):
            return _resource(item["resource"])
        case _:
            return [TextContent(json.dumps(item, ensure_ascii=False))]


def _picture(data: Json, kind: Json) -> AnswerPart:
    kind = _text(kind) or "image/png"
    try:
        return PictureContent(base64.b64decode(data, validate=True), kind)
    except (TypeError, ValueError, binascii.Error):
        return TextContent(f"[A picture ({kind}) that can’t be read: its data is no base64.]")


def _link(item: Mapping[str, Any]) -> str:
    title = _text(item.get("title")) or _text(item.get("name"))
    about = [title, _text(item.get("uri")), _text(item.get("description"))]
    return "[Link] " + " — ".join(filter(None, about))


def _resource(resource: Mapping[str, Any]) -> list[AnswerPart]:
    address, kind = _text(resource.get("uri")), _text(resource.get("mimeType"))
    if isinstance(resource.get("text"), str):
        return [TextContent(f"[{address}]\n{resource['text']}" if address else resource["text"])]
    blob = resource.get("blob")
    if isinstance(blob, str) and kind.startswith("image/"):
        return [_picture(blob, kind)]
    size = len(blob) * 3 // 4 if isinstance(blob, str) else 0
    return [TextContent(f"[{address or 'A file'} ({kind or 'bytes'}, {size:,} bytes), which is not shown.]")]


def _is_said(structured: Json, parts: list[AnswerPart]) -> bool:
    """Whether a text part already holds this very value: servers send both, for clients of either kind.

    A text alone is structured by one key around it: {"result": "…"} in Python's library, {"content": "…"} in others.
    """
    inner = next(iter(structured.values())) if isinstance(structured, dict) and len(structured) == 1 else None
    for part in parts:
        if not isinstance(part, TextContent):
            continue
        if isinstance(inner, str) and part.text == inner:
            return True
        if part.text.lstrip()[:1] in {"{", "["}:
            try:
                if json.loads(part.text) in (structured, inner):
                    return True
            except (ValueError, RecursionError):
                continue
    return False


def _bounded(parts: list[AnswerPart]) -> list[AnswerPart]:
    """The parts with as much text as is kept; what is left out is told."""
    room = LONGEST_ANSWER
    whole = sum(len(part.text) for part in parts if isinstance(part, TextContent))
    kept: list[AnswerPart] = []
    for part in parts:
        if isinstance(part, TextContent):
            if room <= 0:
                continue
            part, room = TextContent(part.text[:room]), room - len(part.text)
        kept.append(part)
    if whole > LONGEST_ANSWER:
        shown = f"{LONGEST_ANSWER:,} of {whole:,} characters"
        told = f"[{shown} are shown; the rest was cut. Ask for less, or for the next part.]"
        kept.append(TextContent(told))
    return kept


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
