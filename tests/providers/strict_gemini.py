"""A strict server of Gemini's own API. Models "gemini-3…" want the signatures that were given out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.providers.strict import Rule, refuses
from tests.schemas.providers import faults
from tests.servers import Handler, Recorded, Reply, sse

BODY = {"contents", "system_instruction", "tools", "toolConfig", "generationConfig"}
CONFIG = {"temperature", "maxOutputTokens", "thinkingConfig"}
SIGNATURES = {"U2lnMQ==", "U2lnMg=="}
"""The signatures the scripted answers give out."""
ANY_SIGNATURE = "skip_thought_signature_validator"


def turns(request: Recorded) -> list[tuple[str, list[dict[str, Any]]]]:
    return [(turn["role"], turn["parts"]) for turn in request.json["contents"]]


def of(parts: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [part[kind] for part in parts if kind in part]


def steps(request: Recorded) -> Iterator[tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """The calls of each turn of the model that has some, and the responses of the turn after it."""
    said = turns(request)
    for (role, parts), (_, following) in zip(said, [*said[1:], ("", [])], strict=True):
        if role == "model" and of(parts, "functionCall"):
            yield of(parts, "functionCall"), of(following, "functionResponse")


def declared(request: Recorded) -> list[dict[str, Any]]:
    return [each for tools in request.json.get("tools", []) for each in tools["functionDeclarations"]]


def running(request: Recorded) -> list[list[dict[str, Any]]]:
    """The model's turns since the person last spoke."""
    said = turns(request)
    newest = max(
        place for place, (role, parts) in enumerate(said) if role == "user" and any("text" in p for p in parts)
    )
    return [parts for role, parts in said[newest:] if role == "model"]


def signed(request: Recorded) -> bool:
    if "/gemini-3" not in request.path:
        return True
    calls = [[part for part in parts if "functionCall" in part] for parts in running(request)]
    given = {*SIGNATURES, ANY_SIGNATURE}
    return all(not each or any(part.get("thoughtSignature") in given for part in each) for each in calls)


def parametered(request: Recorded) -> bool:
    schemas = [each["parameters"] for each in declared(request) if "parameters" in each]
    return all(schema["properties"] and not faults(schema, "gemini") for schema in schemas)


def chosen(request: Recorded) -> bool:
    choice = request.json.get("toolConfig", {}).get("functionCallingConfig", {"mode": "AUTO"})
    names = {each["name"] for each in declared(request)}
    allowed = choice.get("allowedFunctionNames", [])
    return (
        choice["mode"] in {"AUTO", "ANY", "NONE"}
        and set(allowed) <= names
        and not (allowed and choice["mode"] != "ANY")
    )


RULES = (
    Rule("the key goes in x-goog-api-key alone", "ai.google.dev, Using API keys", lambda r: bool(
        r.headers.get("x-goog-api-key")) and "key=" not in r.path and "authorization" not in r.headers),
    Rule("the stream is of events", "ai.google.dev, streamGenerateContent", lambda r: r.path.endswith("?alt=sse")),
    Rule("fields nobody knows are refused", "zed-industries/zed#45552", lambda r: r.json.keys() <= BODY
         and r.json.get("generationConfig", {}).keys() <= CONFIG),
    Rule("the system prompt is no message", "ai.google.dev, GenerateContentRequest.systemInstruction",
         lambda r: {role for role, _ in turns(r)} <= {"user", "model"}),
    Rule("turns alternate and the user begins", "ai.google.dev, Multi-turn conversations",
         lambda r: [role for role, _ in turns(r)] == (["user", "model"] * len(turns(r)))[: len(turns(r))]),
    Rule("no turn is empty", "ai.google.dev, Content", lambda r: all(parts for _, parts in turns(r))),
    Rule("every call has its response in the next turn, in the calls' order",
         "cloudwego/eino-ext #571; router-for-me/CLIProxyAPI #5199",
         lambda r: all([c["name"] for c in calls] == [a["name"] for a in answers] for calls, answers in steps(r))),
    Rule("responses come before words", "cloudwego/eino-ext #571", lambda r: all(
        "text" not in part for _, parts in turns(r) for part in parts[: len(of(parts, "functionResponse"))])),
    Rule("a response is an object", "ai.google.dev, FunctionResponse", lambda r: all(
        isinstance(answer["response"], dict) for _, answers in steps(r) for answer in answers)),
    Rule("a response names its function", "openclaw/openclaw #47857, vectorize-io/hindsight PR #187", lambda r: all(
        answer["name"] for _, answers in steps(r) for answer in answers)),
    Rule("arguments are an object", "ai.google.dev, FunctionCall", lambda r: all(
        isinstance(call["args"], dict) for calls, _ in steps(r) for call in calls)),
    Rule("ids pair calls and responses", "ai.google.dev, FunctionResponse.id", lambda r: all(
        [c.get("id") for c in calls] == [a.get("id") for a in answers] for calls, answers in steps(r))),
    Rule("a tool's name is one", "kaitranntt/ccs #25", lambda r: all(
        re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}", each["name"]) for each in declared(r))),
    Rule("a list of tools is not empty", "ai.google.dev, Tool", lambda r: "tools" not in r.json or bool(declared(r))),
    Rule("a schema is of Gemini's dialect and has properties", "vercel/ai #3371, bug-ops/zeph#1641", parametered),
    Rule("a choice names tools that are there", "ai.google.dev, FunctionCallingConfig", chosen),
    Rule("a level or a budget, not both", "ai.google.dev, Thinking", lambda r: not (
        {"thinkingLevel", "thinkingBudget"} <= r.json.get("generationConfig", {}).get("thinkingConfig", {}).keys())),
    Rule("a call of the running turn has its signature", "THU-MAIC/OpenMAIC #1556", signed),
)  # fmt: skip


def strict_gemini(*answers: Reply) -> Handler:
    """The server."""
    return refuses(RULES, *answers, error=lambda words: [{"error": {"code": 400, "message": words, "status": "X"}}])


def answered(*parts: Any, finish: str = "STOP") -> Reply:
    """An answer of these parts."""
    candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": finish, "index": 0}
    return sse({"candidates": [candidate], "usageMetadata": {"promptTokenCount": 5}}, done=False)
