"""Makes the requests of a turn: the prompt, the transcript that fits, and the tools in the way of the moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from conch_desktop.domain.memories import Memory
from conch_desktop.domain.messages import Message, SentCall, SentMessage, SentResult
from conch_desktop.domain.models import Model
from conch_desktop.engine.fitting import fit
from conch_desktop.engine.history import as_sent
from conch_desktop.engine.offer import Offer, make_offer
from conch_desktop.engine.plan import Plan
from conch_desktop.engine.prompt import system_prompt
from conch_desktop.engine.way import Way
from conch_desktop.providers.wire import Request, Wire
from conch_desktop.tools.toolbox import Toolbox
from conch_desktop.words.asking import ASKED_PROMPT, asked
from conch_desktop.words.grammar import PLAIN_GRAMMAR, call_grammar, calls_grammar
from conch_desktop.words.listing import Listing, listing
from conch_desktop.words.reader import WordsReader
from conch_desktop.words.transcript import in_words

FORCED_TOKENS = 1_024
"""Tokens an answer may take that can only be one call: a server that forces a call may otherwise never end."""


@dataclass(frozen=True, slots=True)
class Made:
    """A request, how its answer is read, and what had to be left out for it."""

    request: Request
    offer: Offer
    reader: WordsReader | None
    left_out: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes requests for one turn. `messages` is the chat up to the person's message."""

    wire: Wire
    model: Model
    toolbox: Toolbox
    plan: Plan
    messages: Sequence[Message]
    memories: Sequence[Memory]
    now: float

    def make(self, way: Way, answer: Message, *, first: bool, failed: bool) -> Made:
        """The next request in this way. `first`: of the turn; `failed`: the last answer held a block nobody can read."""
        window = way.window or self.plan.window
        offer = make_offer(self.toolbox.tools, self.wire.schema_family(self.model), way)
        native = way.mode in {"native", "strict"}
        shown = self._listing(way, window)
        system = system_prompt(
            now=self.now, memories=self.memories, native=native, listing=shown.text, window=window
        )
        kept, left_out = fit([*self.messages, answer], window=window, system=system, tools=offer.tools if native else ())
        sent = as_sent(kept)
        forced = self.plan.asked if first else None
        if native:
            made = self._native(system, sent, offer, way)
            made = replace(made, tool_choice=offer.sent(forced.name), max_tokens=FORCED_TOKENS) if forced else made
            names = tuple(offer.own(tool.name) for tool in offer.tools)
            return Made(self._shaped(made, way), offer, WordsReader(list(offer.names), native=True), left_out, names)
        made = Request(self.model, system, in_words(sent))
        if way.mode == "none":
            return Made(self._shaped(made, way), Offer(), None, left_out, ())
        made = self._in_words(made, forced, failed=failed)
        names = tuple(tool.name for tool in self._given(way))
        return Made(self._shaped(made, way), Offer(), WordsReader(names), left_out, names)

    def _given(self, way: Way) -> list:
        return [tool for tool in self.toolbox.tools if tool.name not in way.aside]

    def _listing(self, way: Way, window: int) -> Listing:
        return listing(self._given(way) if way.mode == "words" else [], window)

    def _native(self, system: str, sent: Sequence[SentMessage], offer: Offer, way: Way) -> Request:
        return Request(self.model, system, tuple(_renamed(message, offer) for message in sent), offer.tools)

    def _in_words(self, request: Request, forced, *, failed: bool) -> Request:
        """A tool asked for by name, or a block that could not be read: the next try is constrained where it can be."""
        if forced is not None:
            said = (*request.messages[:-1], SentMessage("user", asked(forced, request.messages[-1].text)))
            request = replace(request, messages=said)
            if self.plan.grammar:
                request = replace(request, system=ASKED_PROMPT, grammar=call_grammar(forced))
        elif self.plan.grammar and failed:
            request = replace(request, grammar=calls_grammar(self.toolbox.tools))
        else:
            return request
        return replace(request, max_tokens=FORCED_TOKENS, temperature=0.0)

    def _shaped(self, request: Request, way: Way) -> Request:
        """The request without what the model taught it does not take."""
        if not way.system_role and request.system:
            first, *rest = request.messages
            request = replace(request, system="", messages=(replace(first, text=f"{request.system}\n\n{first.text}"), *rest))
        return replace(request, effort=way.effort)


def _renamed(message: SentMessage, offer: Offer) -> SentMessage:
    """The message with every tool under the name it is sent by."""
    calls = tuple(replace(call, name=offer.sent(call.name)) for call in message.calls)
    results = tuple(replace(result, name=offer.sent(result.name)) for result in message.results)
    return replace(message, calls=calls, results=results)
