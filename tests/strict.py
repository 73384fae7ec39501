"""Servers on loopback that hold to their API's rules for requests and refuse what breaks one, as the real ones do.

A rule is one line of a table: what it says, where that is known from, and a function that finds what breaks it. The
tests break each rule once, and then send every kind of chat through the wires.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tests.servers import Handler, Recorded, Reply, json_reply

Body = Mapping[str, Any]


@dataclass(frozen=True)
class Rule:
    """One rule. `breaks` yields what breaks it in a body."""

    says: str
    source: str
    breaks: Callable[[Body], Iterator[Any]]


def must(says: str, source: str, keeps: Callable[[Body], bool]) -> Rule:
    """A rule that is broken unless `keeps` says otherwise; what it can't even read breaks it too."""

    def breaks(body: Body) -> Iterator[Any]:
        try:
            kept = keeps(body)
        except (KeyError, TypeError, IndexError, AttributeError):
            kept = False
        if not kept:
            yield body

    return Rule(says, source, breaks)


def broken(rules: Sequence[Rule], body: Body) -> list[str]:
    """The rules a body breaks."""
    return [rule.says for rule in rules if any(True for _ in rule.breaks(body))]


@dataclass
class Strict:
    """Answers a request with the next reply, unless it breaks a rule: then with 400, and `refused` tells."""

    rules: Sequence[Rule]
    replies: list[Reply | Handler]
    refused: list[str] = field(default_factory=list)

    def __call__(self, request: Recorded) -> Reply:
        found = broken(self.rules, request.json)
        if found:
            self.refused += found
            return json_reply({"type": "error", "error": {"type": "invalid_request_error", "message": found[0]}}, 400)
        reply = self.replies.pop(0)
        return reply(request) if callable(reply) else reply


# OpenAI -------------------------------------------------------------------------------------------------------------


def _messages(body: Body, role: str = "") -> Iterator[tuple[int, Any]]:
    for place, message in enumerate(body["messages"]):
        if not role or message["role"] == role:
            yield place, message


def _late_system(body: Body) -> Iterator[Any]:
    yield from (place for place, _ in _messages(body, "system") if place)


def _unpaired(body: Body) -> Iterator[Any]:
    messages = body["messages"]
    due: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in due:
                yield message["tool_call_id"]
            else:
                due.remove(message["tool_call_id"])
            continue
        yield from due
        due = [call["id"] for call in message.get("tool_calls", ())]
    yield from due


def _calls(body: Body) -> Iterator[Any]:
    for _, message in _messages(body, "assistant"):
        yield from message.get("tool_calls", ())


def _bad_arguments(body: Body) -> Iterator[Any]:
    for call in _calls(body):
        arguments = call["function"]["arguments"]
        try:
            if not isinstance(json.loads(arguments), dict):
                yield arguments
        except (ValueError, TypeError):
            yield arguments


def _no_content(body: Body) -> Iterator[Any]:
    for place, message in _messages(body):
        content = message.get("content")
        parts = message["role"] == "user" and isinstance(content, list) and content
        if not isinstance(content, str) and not parts and not (content is None and message.get("tool_calls")):
            yield place


def _names(body: Body) -> Iterator[str]:
    yield from (tool["function"]["name"] for tool in body.get("tools", ()))
    yield from (call["function"]["name"] for call in _calls(body))


def _schemas(schemas: Iterator[Any]) -> Iterator[Any]:
    for schema in schemas:
        if schema.get("type") != "object" or {"oneOf", "anyOf", "allOf"} & schema.keys():
            yield schema


_MESSAGE_FIELDS: Mapping[str, frozenset[str]] = {
    "system": frozenset({"role", "content", "name"}),
    "user": frozenset({"role", "content", "name"}),
    "assistant": frozenset({"role", "content", "name", "tool_calls", "refusal"}),
    "tool": frozenset({"role", "content", "name", "tool_call_id"}),
}

PICTURE_KINDS = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|[A-Za-z0-9+/]{2,3}={1,2}")


def is_picture(kind: Any, data: Any) -> bool:
    """Whether a server would find a picture of a kind it takes, in base64 without a prefix."""
    return kind in PICTURE_KINDS and isinstance(data, str) and BASE64.fullmatch(data) is not None


def _bad_parts(body: Body) -> Iterator[Any]:
    for _, message in _messages(body):
        for part in message["content"] if isinstance(message["content"], list) else ():
            url = part.get("image_url", {}).get("url", "")
            found = re.fullmatch(r"data:([^;]*);base64,(.*)", url)
            if part["type"] == "image_url" and message["role"] == "user" and found and is_picture(*found.groups()):
                continue
            if part["type"] != "text" or not part.get("text"):
                yield part


OPENAI: tuple[Rule, ...] = (
    Rule("the system prompt comes first, or never", "wires.md 3; ggml-org/llama.cpp#19851", _late_system),
    Rule("each call has one result, directly after", "QwenLM/qwen-code#656", _unpaired),
    Rule("arguments are the text of an object", "explyt/explyt#23, spiceai/spiceai#4734", _bad_arguments),
    Rule("a message has content, or calls in its place", "wires.md 3", _no_content),
    Rule("pictures are data URLs of the person", "platform.openai.com, Images and vision", _bad_parts),
    Rule(
        "a name is 64 letters, digits, _ and - at most",
        "Lucassssss/eechat#52",
        lambda body: (name for name in _names(body) if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)),
    ),
    Rule(
        "an id of a call has 40 characters at most",
        "vercel/ai#5171",
        lambda body: (call["id"] for call in _calls(body) if not 0 < len(call["id"]) <= 40),
    ),
    Rule(
        "tools are left out or between 1 and 128",
        "platform.openai.com, Chat completions",
        lambda body: iter([body["tools"]] if not 1 <= len(body.get("tools", "x")) <= 128 else []),
    ),
    Rule(
        "a schema's root is an object and no union",
        "anomalyco/opencode#4832",
        lambda body: _schemas(tool["function"]["parameters"] for tool in body.get("tools", ())),
    ),
    Rule(
        "a message has only fields of the API",
        "Alishahryar1/free-claude-code#1136",
        lambda body: (m for _, m in _messages(body) if m.keys() - _MESSAGE_FIELDS[m["role"]]),
    ),
    Rule(
        "a call has only fields of the API",
        "platform.openai.com, Chat completions",
        lambda body: (call for call in _calls(body) if call.keys() - {"id", "type", "function"}),
    ),
    Rule(
        "a choice of tool needs tools",
        "platform.openai.com, Chat completions",
        lambda body: iter(["tool_choice"] if "tool_choice" in body and "tools" not in body else []),
    ),
)
"""The rules of OpenAI's chat completions."""


def _after_tool(body: Body) -> Iterator[Any]:
    for place, message in _messages(body, "user"):
        if place and body["messages"][place - 1]["role"] == "tool":
            yield message


MISTRAL: tuple[Rule, ...] = (
    *(rule for rule in OPENAI if "40 characters" not in rule.says),
    Rule(
        "an id of a call has nine letters and digits",
        "anomalyco/opencode#1680",
        lambda body: (call["id"] for call in _calls(body) if not re.fullmatch(r"[a-zA-Z0-9]{9}", call["id"])),
    ),
    Rule("no user after a tool", "BerriAI/litellm#6323, datapizza-labs/datapizza-ai#98", _after_tool),
    Rule(
        "the last word is not the model's",
        "0xPlaygrounds/rig PR#1130",
        lambda body: iter(["last"] if body["messages"][-1]["role"] == "assistant" else []),
    ),
    Rule(
        "no field it does not know",
        "wires.md 3",
        lambda body: iter(body.keys() - {"model", "messages", "stream", "tools", "tool_choice", "max_tokens"}),
    ),
)
"""The rules of Mistral's servers."""


# Anthropic ----------------------------------------------------------------------------------------------------------


def _blocks(body: Body, *types: str) -> Iterator[Any]:
    for message in body["messages"]:
        yield from (block for block in message["content"] if not types or block["type"] in types)


def _roles(body: Body) -> Iterator[Any]:
    messages = body["messages"]
    if messages[0]["role"] != "user":
        yield 0
    for before, message in pairwise(messages):
        if {before["role"], message["role"]} != {"user", "assistant"}:
            yield message


def _unanswered(body: Body) -> Iterator[Any]:
    due: list[str] = []
    for message in body["messages"]:
        results = [block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"]
        if sorted(results) != sorted(due):
            yield message
        due = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
    yield from due


def _late_results(body: Body) -> Iterator[Any]:
    for message in body["messages"]:
        results = [block["type"] == "tool_result" for block in message["content"]]
        if results != sorted(results, reverse=True):
            yield message


def _empty(body: Body) -> Iterator[Any]:
    yield from (message for message in body["messages"] if not message["content"])
    yield from (block for block in _blocks(body, "text") if not block["text"].strip())


def _tool_names(body: Body) -> Iterator[str]:
    names = [tool["name"] for tool in body.get("tools", ())]
    yield from (name for name in names if names.count(name) > 1)
    every = [*names, *(block["name"] for block in _blocks(body, "tool_use"))]
    yield from (name for name in every if not re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", name))


def _ids(body: Body) -> Iterator[str]:
    ids = [block["id"] for block in _blocks(body, "tool_use")]
    yield from (one for one in ids if not re.fullmatch(r"[a-zA-Z0-9_-]+", one) or ids.count(one) > 1)


def _ends(body: Body) -> Iterator[Any]:
    for message in body["messages"]:
        if message["role"] == "assistant" and message["content"][-1]["type"] in {"thinking", "redacted_thinking"}:
            yield message


def _forged(body: Body) -> Iterator[Any]:
    """This server signs a thought with its own words, reversed."""
    for block in _blocks(body, "thinking"):
        if block.get("signature") != block["thinking"][::-1]:
            yield block


def _marks(body: Body) -> Iterator[Any]:
    marked = [block for block in _blocks(body) if "cache_control" in block]
    system = body.get("system", [])
    count = sum("cache_control" in block for block in [*marked, *system, *body.get("tools", ())])
    if count > 4:
        yield count
    yield from (block for block in marked if block["type"] in {"thinking", "redacted_thinking"})
    yield from (message for message in body["messages"] if message.keys() - {"role", "content"})


def _thinking(body: Body) -> Iterator[Any]:
    thinking = body.get("thinking", {"type": "disabled"})
    if thinking["type"] == "disabled":
        return
    if "temperature" in body or body.get("tool_choice", {}).get("type") in {"any", "tool"}:
        yield "excluded"
    if thinking["type"] == "enabled" and not 1024 <= thinking["budget_tokens"] < body.get("max_tokens", 1e9):
        yield "budget"


def _loop_unthought(body: Body) -> Iterator[Any]:
    messages = body["messages"]
    waiting = any(block["type"] == "tool_result" for block in messages[-1]["content"])
    if waiting and body.get("thinking", {}).get("type") == "enabled":
        yield from (block for block in messages[-2]["content"][:1] if "thinking" not in block["type"])


def _bad_pictures(body: Body) -> Iterator[Any]:
    every = list(_blocks(body))
    every += [block for result in _blocks(body, "tool_result") if isinstance(result["content"], list)
              for block in result["content"]]  # fmt: skip
    for block in every:
        source = block.get("source", {})
        if block["type"] == "image" and not (
            source.get("type") == "base64" and is_picture(source.get("media_type"), source.get("data"))
        ):
            yield block


ANTHROPIC: tuple[Rule, ...] = (
    Rule(
        "max_tokens is required",
        "platform.claude.com, Messages",
        lambda body: iter([0] if not body.get("max_tokens") else []),
    ),
    Rule("the person's side begins, and sides take turns", "platform.claude.com, Messages", _roles),
    Rule("each call has a result in the next message, and no other has", "aliasrobotics/cai#182", _unanswered),
    Rule("results come before words", "aliasrobotics/cai#182", _late_results),
    Rule("no text and no message is empty", "aliasrobotics/cai#182, simonw/llm-anthropic#37", _empty),
    Rule("a name is 128 letters, digits, _ and - at most, and unique", "MariaDB/mcp#36", _tool_names),
    Rule("an id is letters, digits, _ and -, and unique", "wires.md 3", _ids),
    Rule(
        "what a call is made with is an object",
        "platform.claude.com, Messages",
        lambda body: (block for block in _blocks(body, "tool_use") if not isinstance(block["input"], dict)),
    ),
    Rule(
        "a chat with calls has tools",
        "wires.md 3",
        lambda body: iter([0] if not body.get("tools") and any(True for _ in _blocks(body, "tool_use")) else []),
    ),
    Rule(
        "a schema's root is an object and no union",
        "anthropics/claude-code#27337",
        lambda body: _schemas(tool["input_schema"] for tool in body.get("tools", ())),
    ),
    Rule("a picture is base64 of a kind it takes", "platform.claude.com, Vision", _bad_pictures),
    Rule("an answer does not end with thinking", "tailcallhq/forgecode#2107", _ends),
    Rule("thinking is signed here and unchanged", "anthropics/claude-code#63259, huggingface/tau PR#557", _forged),
    Rule("four marks for the cache at most, none on thinking or a message", "tghamm/Anthropic.SDK#50", _marks),
    Rule("thinking excludes a temperature and a forced call, and fits", "platform.claude.com, Thinking", _thinking),
    Rule("thinking can't begin between a call and its answer", "pydantic/pydantic-ai#2040", _loop_unthought),
    Rule(
        "the last word is the person's",
        "vercel/ai#12296",
        lambda body: iter(["last"] if body["messages"][-1]["role"] != "user" else []),
    ),
    Rule(
        "white space does not end an answer",
        "platform.claude.com, Messages",
        lambda body: (
            m for m in body["messages"] if m["role"] == "assistant" and m["content"][-1].get("text", "x")[-1].isspace()
        ),
    ),
)
"""The rules of Anthropic's Messages API."""
