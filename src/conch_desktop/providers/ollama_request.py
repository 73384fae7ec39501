"""The body of a request to Ollama's own API (`/api/chat`).

The rules are those of Ollama's API reference; where only a report tells one it stands beside the rule. `keep_alive` is
left to the person who set the server up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conch_desktop.domain.calls import Json
from conch_desktop.domain.efforts import nearest_effort
from conch_desktop.domain.messages import SentCall, SentMessage
from conch_desktop.domain.tools import Tool
from conch_desktop.providers.ids import in_order, opaque
from conch_desktop.providers.wire import Request

_LEVELLED = "gpt-oss"
"""The models that are told a level of thinking; all others think or don't (docs.ollama.com, "Thinking")."""
_LEVELS = ("low", "medium", "high")


def build(request: Request, *, window: int | None, thinks: bool | None) -> dict[str, Json]:
    """The body. `window` is in tokens, None to leave it to the server; `thinks`: can the model think?"""
    forced = request.tool_choice not in ("auto", "none")
    options: dict[str, Json] = {"num_ctx": window} if window else {}
    if request.temperature is not None:
        options["temperature"] = request.temperature
    if request.max_tokens is not None and not forced:  # nothing is forced here, so the answer ends by itself
        options["num_predict"] = request.max_tokens
    body: dict[str, Json] = {
        "model": request.model.name,
        "messages": list(_messages(request)),
        "stream": True,
        **_thinking(request, thinks),
    }
    if tools := _offered(request):
        body["tools"] = [_definition(tool) for tool in tools]
    return {**body, "options": options} if options else body


def _offered(request: Request) -> tuple[Tool, ...]:
    """The API has no choice of tool: one that is asked for goes alone, and without choice there is none."""
    named = tuple(tool for tool in request.tools if tool.name == request.tool_choice)
    return () if request.tool_choice == "none" else named or request.tools


def _definition(tool: Tool) -> dict[str, Json]:
    function: dict[str, Json] = {"name": tool.name, "description": tool.description}
    return {"type": "function", "function": {**function, "parameters": dict(tool.parameters)}}


def _thinking(request: Request, thinks: bool | None) -> dict[str, Json]:
    """`think` to a model that can't is refused: it is said to one that is known to, or when a level is wanted."""
    if not request.effort or thinks is False:
        return {}
    if request.effort == "none":
        return {"think": False} if thinks else {}
    return {"think": nearest_effort(request.effort, _LEVELS) if _LEVELLED in request.model.name else True}


def _messages(request: Request) -> Iterator[dict[str, Json]]:
    """Some templates take only one system message, and only first; content is always text (BerriAI/litellm #11273)."""
    if request.system:
        yield {"role": "system", "content": request.system}
    calls: Sequence[SentCall] = ()
    for message in request.messages:
        if message.role == "user":
            images = {"images": [one.base64 for one in message.pictures]} if message.pictures else {}
            yield {"role": "user", "content": message.text, **images}
        elif message.role == "assistant" and (message.text or message.calls):
            calls = message.calls
            yield _assistant(message)
        elif message.role == "results":
            own_ids = {call.id: _own_id(call) for call in calls}
            for result in in_order(message.results, calls):
                identity = {"tool_call_id": own_ids[result.id]} if own_ids.get(result.id) else {}
                yield {"role": "tool", "tool_name": result.name, **identity, "content": result.text}
            shown = [one.base64 for result in message.results for one in result.pictures]
            if shown:  # its templates show pictures of a user only
                yield {"role": "user", "content": "This is what the tools showed.", "images": shown}


def _assistant(message: SentMessage) -> dict[str, Json]:
    """A step of the answer. Calls nested another way are taken for words (wso2/product-integrator #1648)."""
    sent: dict[str, Json] = {"role": "assistant", "content": message.text}
    if message.calls:
        sent["tool_calls"] = [
            {
                **({"id": _own_id(call)} if _own_id(call) else {}),
                "function": {"name": call.name, "arguments": dict(call.arguments)},  # an object (aliasrobotics/cai #76)
            }
            for call in message.calls
        ]
    return sent


def _own_id(call: SentCall) -> str:
    """The id Ollama gave the call, "" when it gave none or another provider made it."""
    identity = opaque(call.extra).get("id")
    return identity if isinstance(identity, str) else ""
