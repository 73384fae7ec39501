"""One chat that goes round every wire there is, twice: no server refuses it, and nothing stored changes (DESIGN 3)."""

from __future__ import annotations

import base64
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

import pytest

from conch_desktop.domain.models import Provider
from conch_desktop.providers.openai_hosts import HOSTS
from conch_desktop.store.settings import MODEL_MODES
from tests.anthropic_stream import messages_sse, start, stop, text, thinking, tool_use
from tests.engine.conftest import Talk
from tests.providers.conol_feeding import DONE, called, logs
from tests.providers.conol_feeding import text as said
from tests.servers import HANG, Recorded, Reply, ScriptedServer, call_piece, chunk, json_reply, say, sse
from tests.strict import ANTHROPIC, MISTRAL, OPENAI, Rule, Strict
from tests.strict_gemini import GEMINI_3, answered
from tests.strict_ollama import OLLAMA, lines

TEA, TIDE = '{"about": "tea"}', '{"about": "tide"}'


STRICT_MARKS = {"gemini-native": "U2lnMQ=="}
"""A signature that the strict server knows as its own."""


def mark(name: str) -> str:
    """What a server attaches to its calls, and only it may see again. Signatures are base64."""
    return STRICT_MARKS.get(name) or base64.b64encode(f"mark of {name}".encode()).decode()


def openai_calls(name: str, *, extra: str = "", details: bool = False, ids: tuple[str, str] = ("c0", "c1")) -> Reply:
    first = call_piece("recall", TEA, call_id=ids[0])
    if extra == "google":
        first["extra_content"] = {"google": {"thought_signature": mark(name)}}
    elif extra:
        first["extra_content"] = {extra: mark(name)}
    second = call_piece("recall", TIDE, index=1, call_id=ids[1])
    thought = {"reasoning_details": [{"type": "reasoning.encrypted", "data": mark(name)}]}
    first_chunk = {"provider": "Harbour", "choices": [{"index": 0, "delta": thought if details else {}}]}
    return sse(first_chunk, chunk("I look."), chunk(calls=[first, second]), chunk(finish="tool_calls"))


def words_calls(_: str) -> Reply:
    blocks = "".join(f'<tool_call>\n{{"name": "recall", "arguments": {args}}}\n</tool_call>\n' for args in (TEA, TIDE))
    return say(f"I look.\n{blocks}")


def anthropic_calls(name: str) -> Reply:
    made = tool_use(1, "recall", TEA), tool_use(2, "recall", TIDE, call_id="toolu_2")
    return messages_sse(start(), thinking(0, mark(name)[::-1], mark(name)), *made, stop("tool_use"))


def gemini_calls(name: str) -> Reply:
    first = {"functionCall": {"name": "recall", "args": {"about": "tea"}}, "thoughtSignature": mark(name)}
    return answered({"text": "I look."}, first, {"functionCall": {"name": "recall", "args": {"about": "tide"}}})


def ollama_calls(_: str) -> Reply:
    made = [{"function": {"name": "recall", "arguments": {"about": about}}} for about in ("tea", "tide")]
    return lines({"thinking": "Hm."}, {"content": "I look."}, {"tool_calls": made})


_stages = itertools.count()


def conol_reply(*entries: object) -> Reply:
    return sse(logs(*entries, stage=f"s{next(_stages)}"), DONE, HANG, done=False)


def conol_calls(_: str) -> Reply:
    return conol_reply(said("I look."), called("recall", {"about": "tea"}), called("recall", {"about": "tide"}))


@dataclass(frozen=True)
class Quay:
    """One kind of provider with a strict server: where it is asked, its rules, and how it calls and speaks."""

    kind: str
    rules: tuple[Rule, ...]
    place: str
    calls: Callable[[str], Reply]
    says: Callable[[str], Reply] = say
    model: str = "big"
    marked: bool = False


def _without(rules: tuple[Rule, ...], *beginnings: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules if not rule.says.startswith(beginnings))


CHAT = "POST /v1/chat/completions"
SIGNED = _without(OPENAI, "a call has only")
DETAILED = _without(OPENAI, "a message has only")
QUAYS = {
    "openai": Quay("openai", SIGNED, CHAT, lambda n: openai_calls(n, extra="signature"), marked=True),
    "mistral": Quay("openai", MISTRAL, CHAT, lambda n: openai_calls(n, ids=("aB3dE6gH9", "zB3dE6gH9"))),
    "words": Quay("openai", OPENAI, CHAT, words_calls),
    "anthropic": Quay(
        "anthropic",
        ANTHROPIC,
        "POST /v1/messages",
        anthropic_calls,
        lambda words: messages_sse(start(), text(0, words), stop()),
        marked=True,
    ),
    "openrouter": Quay(
        "openrouter", DETAILED, "POST /api/v1/chat/completions", lambda n: openai_calls(n, details=True), marked=True
    ),
    "gemini": Quay(
        "gemini",
        SIGNED,
        "POST /v1beta/openai/chat/completions",
        lambda n: openai_calls(n, extra="google"),
        marked=True,
    ),
    "gemini-native": Quay(
        "gemini-native",
        GEMINI_3,
        "POST /v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse",
        gemini_calls,
        lambda words: answered({"text": words}),
        model="gemini-3-flash",
        marked=True,
    ),
    "ollama": Quay("ollama", OLLAMA, "POST /api/chat", ollama_calls, lambda words: lines({"content": words})),
    "conol": Quay(
        "conol",
        (),
        "GET /api/sessions/s1/messages?logDeltas=1",
        conol_calls,
        lambda words: conol_reply(said(words)),
    ),
    "conol-gateway": Quay("conol-gateway", OPENAI, CHAT, openai_calls),
}


@dataclass
class Berth:
    """A server at its quay, and how often it was asked for a stream."""

    name: str
    quay: Quay
    server: ScriptedServer
    strict: Strict

    def answer(self, request: Recorded) -> Reply:
        """The next reply, when the request keeps the rules; conol.ai is only asked for its stream here."""
        if request.body:
            return self.strict(request)
        reply = self.strict.replies.pop(0)
        assert isinstance(reply, Reply)
        return reply

    def sent(self) -> str:
        return "\n".join(request.body.decode() for request in self.server.requests)


@pytest.fixture
async def berths(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[dict[str, Berth]]:
    found: dict[str, Berth] = {}
    hosts = {**HOSTS, "localhost": HOSTS["api.mistral.ai"]}
    monkeypatch.setattr("conch_desktop.providers.openai_request.HOSTS", hosts)
    async with AsyncExitStack() as stack:
        for name, quay in QUAYS.items():
            server = await stack.enter_async_context(ScriptedServer())
            url = server.url.replace("127.0.0.1", "localhost") if name == "mistral" else server.url
            talk.program.use(Provider(name, quay.kind, name, url))
            await talk.program.secrets.keep(name, f"key-of-{name}-0000")
            _answer_about_models(server, quay.model)
            found[name] = Berth(name, quay, server, Strict(quay.rules, []))
            server.route(quay.place, found[name].answer)
        await talk.program.settings.set(MODEL_MODES, {"words/big": "words"})
        yield found


def _answer_about_models(server: ScriptedServer, model: str) -> None:
    listed = json_reply({"data": [{"id": model, "supported_parameters": ["tools"]}], "has_more": False})
    for path in ("/v1/models", "/v1/models?limit=1000", "/api/v1/models", "/v1beta/openai/models"):
        server.route(f"GET {path}", listed)
    row = {"name": f"models/{model}", "supportedGenerationMethods": ["generateContent"], "thinking": True}
    server.route("GET /v1beta/models?pageSize=1000", json_reply({"models": [row]}))
    served = {"data": {"endpoints": [{"provider_name": "Harbour", "tag": "harbour"}]}}
    server.route(f"GET /api/v1/models/{model}/endpoints", json_reply(served))
    server.route("GET /props", json_reply({"error": "not found"}, 404))
    server.route("GET /api/tags", json_reply({"models": [{"name": model, "digest": "d"}]}))
    server.route("GET /api/ps", json_reply({"models": []}))
    server.route("POST /api/sessions", json_reply({"sessionId": "s1", "effectiveModel": model}, 201))
    server.route("POST /api/sessions/s1/messages", json_reply({"ok": True}))
    server.route("GET /api/models", json_reply({"models": [{"id": model}]}))
    shown = {"capabilities": ["completion", "tools"], "model_info": {"big.context_length": 32_768}}
    server.route("POST /api/show", json_reply(shown))


EVERY = list(QUAYS)
ORDERS = {f"from {name}": EVERY[at:] + EVERY[:at] for at, name in enumerate(EVERY)} | {"backward": EVERY[::-1]}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS.keys())
async def test_a_chat_goes_round_every_wire_twice(talk: Talk, berths: dict[str, Berth], order: list[str]) -> None:
    kept = []
    for turn in ("first", "second"):
        for name in order:
            berth = berths[name]
            calls = [berth.quay.calls(name)] if turn == "first" else []
            berth.strict.replies = [*calls, berth.quay.says(f"{name} says so, {turn}.")]
            await talk.session.choose_model(f"{name}/{berth.quay.model}")
            await talk.session.send(f"What of {name}, {turn}?")
            assert berth.strict.refused == [], name
            assert talk.last.failure is None, (name, talk.last.failure)
            assert talk.last.text.endswith(f"{name} says so, {turn}."), name
            assert [call.state for call in talk.last.calls] == ["done"] * 2 * len(calls), name
            kept.append(await talk.stored())
    stored = await talk.program.chats.messages(talk.session.chat_id)
    assert [message for message in stored if message.role == "assistant"] == kept
    routed = berths["openrouter"].server.of("/api/v1/chat/completions")
    assert [request.json.get("provider") for request in routed] == [None, {"order": ["harbour"]}, None]
    for name, berth in berths.items():
        if berth.quay.marked:
            seen = {other.name for other in berths.values() if mark(name) in other.sent()}
            assert seen == {name}
