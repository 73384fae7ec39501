"""The rules of Ollama's own API (`/api/chat`), and answers as it gives them."""

from __future__ import annotations

import itertools
import json
from typing import Any

from tests.servers import Reply
from tests.strict import Body, Strict, is_picture, must

BODY = {"model", "messages", "stream", "tools", "think", "options"}


def said(body: Body) -> list[dict[str, Any]]:
    messages = body["messages"]
    assert isinstance(messages, list)
    return messages


def calls(body: Body) -> list[dict[str, Any]]:
    return [call for message in said(body) for call in message.get("tool_calls", [])]


def answered_in_order(body: Body) -> bool:
    """After a message with calls come their results, all of them, in the calls' order."""
    messages = said(body)
    for place, message in enumerate(messages):
        wanted = [call["function"]["name"] for call in message.get("tool_calls", [])]
        following = itertools.takewhile(lambda each: each["role"] == "tool", messages[place + 1 :])
        if message["role"] == "assistant" and wanted != [each.get("tool_name") for each in following]:
            return False
    return True


def known_tools(body: Body) -> bool:
    tools = body.get("tools")
    return tools is None or (
        bool(tools)
        and all(
            tool["type"] == "function" and isinstance(tool["function"]["parameters"]["properties"], dict)
            for tool in tools
        )
    )


OLLAMA = (
    must("one system message, and first", "microsoft/autogen #1037, ggml-org/llama.cpp #19851",
         lambda b: [each["role"] for each in said(b)].count("system") == (said(b)[0]["role"] == "system")),
    must("content is text", "BerriAI/litellm #11273", lambda b: all(isinstance(m["content"], str) for m in said(b))),
    must("pictures are base64 without a prefix, and the user's", "docs.ollama.com, Vision", lambda b: all(
        m["role"] == "user" and m["images"] and all(is_picture("image/png", one) for one in m["images"])
        for m in said(b) if "images" in m)),
    must("calls are nested in function", "wso2/product-integrator #1648", lambda b: all(
        call.keys() <= {"id", "function"} and call["function"].keys() == {"name", "arguments"} for call in calls(b))),
    must("arguments are an object", "aliasrobotics/cai #76", lambda b: all(
        isinstance(call["function"]["arguments"], dict) for call in calls(b))),
    must("a result names its tool", "docs.ollama.com, Tool calling", lambda b: all(
        each.get("tool_name") for each in said(b) if each["role"] == "tool")),
    must("results follow their calls, in order", "docs.ollama.com, Tool calling: there is no id", answered_in_order),
    must("tools are there or left out, and properties are a map", "ollama/ollama #10328", known_tools),
    must("the window is told", "docs.ollama.com, FAQ: the default is 4096",
         lambda b: b["options"]["num_ctx"] >= 4096),
    must("limits stand in options", "docs.ollama.com, Parameters; keep_alive is the person's",
         lambda b: b.keys() <= BODY),
    must("thinking is only asked of what can", "ollama: think to another model is refused", lambda b: not (
        b.get("think") and not b["model"].startswith("thinker"))),
)  # fmt: skip


def strict_ollama(*answers: Reply) -> Strict:
    """A server."""
    return Strict(OLLAMA, list(answers))


def lines(*messages: Any, done: str = "stop") -> Reply:
    """An answer of these messages, one a line; the last line says that it is done."""
    told = [{"model": "tide", "message": {"role": "assistant", "content": "", **m}, "done": False} for m in messages]
    last = {"model": "tide", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": done}
    body = [json.dumps(line) + "\n" for line in (*told, {**last, "prompt_eval_count": 7, "eval_count": 3})]
    return Reply(200, {"content-type": "application/x-ndjson"}, body, "chunked")
