"""The body of a request to Anthropic's Messages API: what goes where, and what it refuses.

The rules are those of platform.claude.com ("Messages", "Thinking", "Prompt caching", "Define tools"); a rule that was
learnt from a refusal carries its report.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, TypeAlias

from conch_desktop.domain.calls import Json
from conch_desktop.domain.efforts import nearest_effort
from conch_desktop.domain.messages import SentMessage, SentResult
from conch_desktop.domain.pictures import PictureContent
from conch_desktop.providers.anthropic_models import Row
from conch_desktop.providers.ids import opaque, sent_id
from conch_desktop.providers.wire import Request

Block: TypeAlias = dict[str, Any]

_CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")
_CACHED: Mapping[str, Json] = {"type": "ephemeral"}
_BUDGETS: Mapping[str, int] = {"minimal": 1_024, "low": 2_048, "medium": 8_192, "high": 16_384}
_MOST_BUDGET = 24_576
"""Tokens of thinking for each level, for models that are told in tokens; 1,024 is the least they take."""
_ANSWER, _OLD_ANSWER, _LONG_ANSWER = 8_192, 4_096, 32_000
"""Tokens an answer may take when nobody says: `max_tokens` is required. The second is all that Claude 3 takes, the
third is for a model whose list names a longer answer."""
_OLD = re.compile(r"claude-3-(?!5|7)")
_TOLD_IN_TOKENS = re.compile(r"claude-(?:3-7|(?:opus|sonnet|haiku)-4(?:-[015]\b|-\d{6,}|$))")
"""Models that think by a number of tokens. Newer ones decide themselves and refuse one (platform.claude.com,
"Adaptive thinking"); what the list says counts before the name."""
_ADAPTIVE_LEVELS = ("low", "medium", "high", "max")
_THINKING = ("thinking", "redacted_thinking")
_EMPTY = "(no output)"


def build(request: Request, row: Row) -> dict[str, Json]:
    """The body. `row` is what the provider's list says of the model."""
    body: dict[str, Any] = {
        "model": request.model.name,
        "max_tokens": request.max_tokens or _most_tokens(request, row),
        "messages": _messages(request.messages),
        "stream": True,
    }
    if request.system:
        # The mark holds for all that stands before it, and tools do: they need none, and some refuse one there
        # (earendil-works/pi #3854).
        body["system"] = [{"type": "text", "text": request.system, "cache_control": dict(_CACHED)}]
    _add_tools(body, request)
    _add_thinking(body, request, row)
    if request.temperature is not None and "thinking" not in body:  # with thinking it is refused
        body["temperature"] = min(request.temperature, 1.0)
    return body


def _most_tokens(request: Request, row: Row) -> int:
    if row.output:
        return min(row.output, _LONG_ANSWER)
    return _OLD_ANSWER if _OLD.match(request.model.name) else _ANSWER


# tools --------------------------------------------------------------------------------------------------------------


def _add_tools(body: dict[str, Any], request: Request) -> None:
    tools = [
        {
            "name": tool.name,
            "description": tool.description,
            "input_schema": dict(tool.parameters) or {"type": "object"},
        }
        for tool in request.tools
    ]
    if tools and request.tool_choice != "auto":
        body["tool_choice"] = _choice(request.tool_choice)
    if not tools and (names := _called(request.messages)):
        # A chat with calls in it needs tools; these can't be chosen.
        tools = [{"name": name, "input_schema": {"type": "object"}} for name in names]
        body["tool_choice"] = {"type": "none"}
    if tools:
        body["tools"] = tools


def _choice(wanted: str) -> dict[str, Json]:
    kinds = {"none": "none", "required": "any"}
    return {"type": kinds[wanted]} if wanted in kinds else {"type": "tool", "name": wanted}


def _called(messages: Iterable[SentMessage]) -> list[str]:
    return list(dict.fromkeys(call.name for message in messages for call in message.calls))


# thinking -----------------------------------------------------------------------------------------------------------


def _add_thinking(body: dict[str, Any], request: Request, row: Row) -> None:
    """The level of thinking, as the model is told one. A forced call and thinking exclude each other."""
    effort = request.effort
    if not effort or effort == "none" or body.get("tool_choice", {}).get("type") in {"any", "tool"}:
        return
    adaptive = row.adaptive if row.adaptive is not None else not _TOLD_IN_TOKENS.match(request.model.name)
    if adaptive and (level := nearest_effort(effort, row.efforts or _ADAPTIVE_LEVELS)):
        body["thinking"] = {"type": "adaptive", "display": "summarized"}  # else it comes empty: claude-code #49268
        body["output_config"] = {"effort": level}
    elif not adaptive and not _unthought(request.messages):
        budget = _BUDGETS.get(effort, _MOST_BUDGET)
        room = body["max_tokens"] if request.max_tokens else 0
        if not room:
            body["max_tokens"] = budget + _ANSWER  # it counts within
        elif room <= budget:
            budget = room // 2
        if budget >= _BUDGETS["minimal"]:
            body["thinking"] = {"type": "enabled", "budget_tokens": budget}


def _unthought(messages: Sequence[SentMessage]) -> bool:
    """Do results wait for an answer whose calls came without thinking? Another model may have made them.

    Thinking can't be turned on in the middle of that (pydantic/pydantic-ai #2040).
    """
    for before, message in reversed(list(pairwise(messages))):
        if message.role == "results":
            blocks = _replayed(before)
            return not blocks or blocks[0].get("type") not in _THINKING
        if message.role == "assistant":
            break
    return False


# messages -----------------------------------------------------------------------------------------------------------


def _messages(messages: Iterable[SentMessage]) -> list[dict[str, Json]]:
    """The messages, sides in turn. The last two of the person's side are marked: the next request finds the one before
    the last where this one has its last, so what was said is read from the cache."""
    sides = groupby(
        filter(_blocks, messages), key=lambda message: "assistant" if message.role == "assistant" else "user"
    )
    made: list[dict[str, Any]] = []
    for side, row in sides:
        blocks = [block for message in row for block in _blocks(message)]
        if side == "user":  # results first, before any words (aliasrobotics/cai #182)
            blocks.sort(key=lambda block: block["type"] != "tool_result")
        made.append({"role": side, "content": blocks})
    for message in [message for message in made if message["role"] == "user"][-2:]:
        message["content"][-1] = {**message["content"][-1], "cache_control": dict(_CACHED)}
    return made


def _blocks(message: SentMessage) -> list[Block]:
    match message.role:
        case "user":
            # Pictures first: the model reads them best before the words about them (platform.claude.com, "Vision").
            return [*map(_picture, message.pictures), *_text(message.text)]
        case "assistant":
            return _answer(message)
        case "results":
            return [
                {
                    "type": "tool_result",
                    "tool_use_id": sent_id(result.id, _CALL_ID),
                    "content": _content(result),
                    **({"is_error": True} if result.is_error else {}),
                }
                for result in message.results
            ]


def _content(result: SentResult) -> Json:
    """What a result holds: words, or blocks when there are pictures (docs.anthropic.com, "Tool use")."""
    words = result.text if result.text.strip() else _EMPTY
    if not result.pictures:
        return words
    return [{"type": "text", "text": words}, *map(_picture, result.pictures)]


def _picture(picture: PictureContent) -> Block:
    source = {"type": "base64", "media_type": picture.media_type, "data": picture.base64}
    return {"type": "image", "source": source}


def _answer(message: SentMessage) -> list[Block]:
    """One step of an answer: what the model made of it unchanged, with the calls as they are known now."""
    calls = {call.id: _call(call.id, call.name, call.arguments) for call in message.calls}
    replayed = _replayed(message)
    said = "".join(str(block.get("text") or "") for block in replayed if block.get("type") == "text")
    own_words = "".join(said.split()) == "".join(message.text.split())
    made: list[Block] = []
    for block in replayed:
        if block.get("type") == "tool_use":
            if (call := calls.pop(str(block.get("id")), None)) is not None:
                made.append(call)
        elif block.get("type") != "text" or own_words:
            made.append(block)
    if not (own_words and replayed):
        first_call = next((place for place, block in enumerate(made) if block.get("type") == "tool_use"), len(made))
        made[first_call:first_call] = _text(message.text)
    made += calls.values()
    while made and made[-1].get("type") in _THINKING:  # never the last (tailcallhq/forgecode #2107)
        made.pop()
    return made


def _text(text: str) -> list[Block]:
    """Words as a block. An empty one is refused (aliasrobotics/cai #182), and so is white space at the very end."""
    return [{"type": "text", "text": text.rstrip()}] if text.strip() else []


def _call(identity: str, name: str, arguments: Mapping[str, Json]) -> Block:
    return {"type": "tool_use", "id": sent_id(identity, _CALL_ID), "name": name, "input": dict(arguments)}


def _replayed(message: SentMessage) -> list[Block]:
    blocks = opaque(message.replay).get("blocks")
    return [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
