"""The rules of Gemini's own API, and answers as it gives them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.schemas.providers import faults
from tests.servers import Reply, sse
from tests.strict import Body, Strict, is_picture, must

BODY = {"contents", "system_instruction", "tools", "toolConfig", "generationConfig"}
CONFIG = {"temperature", "maxOutputTokens", "thinkingConfig"}
SIGNATURES = {"U2lnMQ==", "U2lnMg=="}
"""The signatures the scripted answers give out."""
ANY_SIGNATURE = "skip_thought_signature_validator"


def turns(body: Body) -> list[tuple[str, list[dict[str, Any]]]]:
    return [(turn["role"], turn["parts"]) for turn in body["contents"]]


def of(parts: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [part[kind] for part in parts if kind in part]


def steps(body: Body) -> Iterator[tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """The calls of each turn of the model that has some, and the responses of the turn after it."""
    said = turns(body)
    for (role, parts), (_, following) in zip(said, [*said[1:], ("", [])], strict=True):
        if role == "model" and of(parts, "functionCall"):
            yield of(parts, "functionCall"), of(following, "functionResponse")


def declared(body: Body) -> list[dict[str, Any]]:
    return [each for tools in body.get("tools", []) for each in tools["functionDeclarations"]]


def running(body: Body) -> list[list[dict[str, Any]]]:
    """The model's turns since the person last spoke."""
    said = turns(body)
    newest = max(
        place for place, (role, parts) in enumerate(said) if role == "user" and any("text" in p for p in parts)
    )
    return [parts for role, parts in said[newest:] if role == "model"]


def signed(body: Body) -> bool:
    calls = [[part for part in parts if "functionCall" in part] for parts in running(body)]
    given = {*SIGNATURES, ANY_SIGNATURE}
    return all(not each or any(part.get("thoughtSignature") in given for part in each) for each in calls)


def parametered(body: Body) -> bool:
    schemas = [each["parameters"] for each in declared(body) if "parameters" in each]
    return all(schema["properties"] and not faults(schema, "gemini") for schema in schemas)


def chosen(body: Body) -> bool:
    choice = body.get("toolConfig", {}).get("functionCallingConfig", {"mode": "AUTO"})
    names = {each["name"] for each in declared(body)}
    allowed = choice.get("allowedFunctionNames", [])
    return (
        choice["mode"] in {"AUTO", "ANY", "NONE"}
        and set(allowed) <= names
        and not (allowed and choice["mode"] != "ANY")
    )


GEMINI = (
    must("fields nobody knows are refused", "zed-industries/zed#45552", lambda b: b.keys() <= BODY
         and b.get("generationConfig", {}).keys() <= CONFIG),
    must("the system prompt is no message", "ai.google.dev, GenerateContentRequest.systemInstruction",
         lambda b: {role for role, _ in turns(b)} <= {"user", "model"}),
    must("turns alternate and the user begins", "ai.google.dev, Multi-turn conversations",
         lambda b: [role for role, _ in turns(b)] == (["user", "model"] * len(turns(b)))[: len(turns(b))]),
    must("no turn is empty", "ai.google.dev, Content", lambda b: all(parts for _, parts in turns(b))),
    must("every call has its response in the next turn, in the calls' order",
         "cloudwego/eino-ext #571; router-for-me/CLIProxyAPI #5199",
         lambda b: all([c["name"] for c in calls] == [a["name"] for a in answers] for calls, answers in steps(b))),
    must("responses come before words", "cloudwego/eino-ext #571", lambda b: all(
        "text" not in part for _, parts in turns(b) for part in parts[: len(of(parts, "functionResponse"))])),
    must("a picture is base64 of a kind it takes, and the user's", "ai.google.dev, Blob", lambda b: all(
        role == "user" and is_picture(part["inlineData"]["mimeType"], part["inlineData"]["data"])
        for role, parts in turns(b) for part in parts if "inlineData" in part)),
    must("a response is an object", "ai.google.dev, FunctionResponse", lambda b: all(
        isinstance(answer["response"], dict) for _, answers in steps(b) for answer in answers)),
    must("a response names its function", "openclaw/openclaw #47857, vectorize-io/hindsight PR #187", lambda b: all(
        answer["name"] for _, answers in steps(b) for answer in answers)),
    must("arguments are an object", "ai.google.dev, FunctionCall", lambda b: all(
        isinstance(call["args"], dict) for calls, _ in steps(b) for call in calls)),
    must("ids pair calls and responses", "ai.google.dev, FunctionResponse.id", lambda b: all(
        [c.get("id") for c in calls] == [a.get("id") for a in answers] for calls, answers in steps(b))),
    must("a tool's name is one", "kaitranntt/ccs #25", lambda b: all(
        re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}", each["name"]) for each in declared(b))),
    must("a list of tools is not empty", "ai.google.dev, Tool", lambda b: "tools" not in b or bool(declared(b))),
    must("a schema is of Gemini's dialect and has properties", "vercel/ai #3371, bug-ops/zeph#1641", parametered),
    must("a choice names tools that are there", "ai.google.dev, FunctionCallingConfig", chosen),
    must("a level or a budget, not both", "ai.google.dev, Thinking", lambda b: not (
        {"thinkingLevel", "thinkingBudget"} <= b.get("generationConfig", {}).get("thinkingConfig", {}).keys())),
)  # fmt: skip
GEMINI_3 = (*GEMINI, must("a call of the running turn has its signature", "THU-MAIC/OpenMAIC #1556", signed))
"""The newer models' rules."""


def strict_gemini(*answers: Reply) -> Strict:
    """A server of a newer model."""
    return Strict(GEMINI_3, list(answers))


def answered(*parts: Any, finish: str = "STOP") -> Reply:
    """An answer of these parts."""
    candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": finish, "index": 0}
    return sse({"candidates": [candidate], "usageMetadata": {"promptTokenCount": 5}}, done=False)
