"""A strict server of Ollama's own API: `/api/chat`."""

from __future__ import annotations

import itertools
import json
from typing import Any

from tests.providers.strict import Rule, refuses
from tests.servers import Handler, Recorded, Reply

BODY = {"model", "messages", "stream", "tools", "think", "options"}


def said(request: Recorded) -> list[dict[str, Any]]:
    messages = request.json["messages"]
    assert isinstance(messages, list)
    return messages


def calls(request: Recorded) -> list[dict[str, Any]]:
    return [call for message in said(request) for call in message.get("tool_calls", [])]


def answered_in_order(request: Recorded) -> bool:
    """After a message with calls come their results, all of them, in the calls' order."""
    messages = said(request)
    for place, message in enumerate(messages):
        wanted = [call["function"]["name"] for call in message.get("tool_calls", [])]
        following = itertools.takewhile(lambda each: each["role"] == "tool", messages[place + 1 :])
        if message["role"] == "assistant" and wanted != [each.get("tool_name") for each in following]:
            return False
    return True


def known_tools(request: Recorded) -> bool:
    tools = request.json.get("tools")
    return tools is None or (
        bool(tools)
        and all(
            tool["type"] == "function" and isinstance(tool["function"]["parameters"]["properties"], dict)
            for tool in tools
        )
    )


RULES = (
    Rule("one system message, and first", "microsoft/autogen #1037, ggml-org/llama.cpp #19851",
         lambda r: [each["role"] for each in said(r)].count("system") == (said(r)[0]["role"] == "system")),
    Rule("content is text", "BerriAI/litellm #11273", lambda r: all(isinstance(m["content"], str) for m in said(r))),
    Rule("calls are nested in function", "wso2/product-integrator #1648", lambda r: all(
        call.keys() <= {"id", "function"} and call["function"].keys() == {"name", "arguments"} for call in calls(r))),
    Rule("arguments are an object", "aliasrobotics/cai #76", lambda r: all(
        isinstance(call["function"]["arguments"], dict) for call in calls(r))),
    Rule("a result names its tool", "docs.ollama.com, Tool calling", lambda r: all(
        each.get("tool_name") for each in said(r) if each["role"] == "tool")),
    Rule("results follow their calls, in order", "docs.ollama.com, Tool calling: there is no id", answered_in_order),
    Rule("tools are there or left out, and properties are a map", "ollama/ollama #10328", known_tools),
    Rule("the window is told", "docs.ollama.com, FAQ: the default is 4096",
         lambda r: r.json["options"]["num_ctx"] >= 4096),
    Rule("limits stand in options", "docs.ollama.com, Parameters; keep_alive is the person's",
         lambda r: r.json.keys() <= BODY),
    Rule("thinking is only asked of what can", "ollama: think to another model is refused", lambda r: not (
        r.json.get("think") and not r.json["model"].startswith("thinker"))),
)  # fmt: skip


def strict_ollama(*answers: Reply) -> Handler:
    """The server."""
    return refuses(RULES, *answers, error=lambda words: {"error": words})


def lines(*messages: Any, done: str = "stop") -> Reply:
    """An answer of these messages, one a line; the last line says that it is done."""
    told = [{"model": "tide", "message": {"role": "assistant", "content": "", **m}, "done": False} for m in messages]
    last = {"model": "tide", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": done}
    body = [json.dumps(line) + "\n" for line in (*told, {**last, "prompt_eval_count": 7, "eval_count": 3})]
    return Reply(200, {"content-type": "application/x-ndjson"}, body, "chunked")
