"""Makes the requests of a turn: the prompt, the transcript that fits, and the tools in the way of the moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from conch_desktop.domain.memories import Memory
from conch_desktop.domain.messages import Message, PicturePart, SentMessage
from conch_desktop.domain.models import Mode, Model
from conch_desktop.domain.options import AS_USUAL, ChatOptions
from conch_desktop.domain.tools import Tool
from conch_desktop.engine.attaching import told_of
from conch_desktop.engine.fitting import fit
from conch_desktop.engine.history import as_sent
from conch_desktop.engine.offer import Offer, make_offer
from conch_desktop.engine.plan import Plan
from conch_desktop.engine.prompt import system_prompt
from conch_desktop.engine.seeing import SEES_NONE, as_seen
from conch_desktop.engine.way import Way
from conch_desktop.providers.wire import Request, Wire
from conch_desktop.schemas.dialects import name_rule
from conch_desktop.schemas.names import NameRule, fit_names
from conch_desktop.tools.toolbox import Toolbox
from conch_desktop.words.asking import ASKED_PROMPT, asked
from conch_desktop.words.grammar import PLAIN_GRAMMAR, call_grammar, calls_grammar
from conch_desktop.words.listing import listing
from conch_desktop.words.reader import WordsReader
from conch_desktop.words.transcript import NOW_ANSWER, ONE_SENTENCE, in_words

FORCED_TOKENS = 1_024
"""Tokens an answer may take that can only be one call: a server that forces a call may otherwise never end."""

GO_ON = "Go on where you left off."
"""Asks for the rest of an answer that broke off, was stopped or is gone on with."""

NO_ROOM = "This model gets no tools: its window can’t hold even the shortest list of them."


@dataclass(frozen=True, slots=True)
class Made:
    """A request, how its answer is read, and what the person is told of it. `names` are the tools' own."""

    request: Request
    mode: Mode
    offer: Offer
    reader: WordsReader | None
    names: tuple[str, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes a turn's requests.

    `messages` is the chat up to the person's message; `now` is seconds since 1970; `chat` is the chat's id.
    """

    wire: Wire
    model: Model
    toolbox: Toolbox
    plan: Plan
    messages: Sequence[Message]
    memories: Sequence[Memory]
    now: float
    chat: str = ""
    options: ChatOptions = AS_USUAL

    def make(self, way: Way, answer: Message, *, first: bool, failed: bool, paused: bool = False) -> Made:
        """The next request in this way.

        `first`: of the turn; `failed`: the last answer held an unreadable block; `paused`: the provider paused it, and
        goes on by itself when it gets its words back.
        """
        window = way.window or self.plan.window
        given = [tool for tool in self.toolbox.tools if tool.name not in way.aside]
        forced = self.plan.asked if first else None
        if way.mode in {"native", "strict"}:
            made = self._native(way, answer, window, forced)
        elif way.mode == "words":
            made = self._words(way, given, answer, window, forced, failed=failed)
        else:
            made = self._plain(way, answer, window)
        request = made.request if paused else _asked_on(made.request)
        return replace(made, request=replace(_shaped(_wished(request, self.options), way), chat=self.chat))

    def _native(self, way: Way, answer: Message, window: int, forced: Tool | None) -> Made:
        family = self.wire.schema_family(self.model)
        offer = make_offer(self.toolbox.tools, family, way)
        system = self._system(window, native=True)
        sees = self._sees(way)
        sent, left_out = self._transcript(answer, window, system, offer.tools, "" if sees else SEES_NONE)
        seen = as_seen(sent, sees=sees)
        request = Request(self.model, system, _renamed(seen, offer, name_rule(family)), offer.tools)
        if forced is not None and forced.name in offer.names.values():
            request = replace(request, tool_choice=offer.sent(forced.name), max_tokens=FORCED_TOKENS)
        names = tuple(offer.own(tool.name) for tool in offer.tools)
        reader = WordsReader(list(offer.tools), native=True)
        return Made(request, way.mode, offer, reader, names, (*left_out, *offer.unusable.values()))

    def _words(
        self,
        way: Way,
        given: Sequence[Tool],
        answer: Message,
        window: int,
        forced: Tool | None,
        *,
        failed: bool,
    ) -> Made:
        shown = listing(given, window)
        if shown.level == "none" and forced is None:
            plain = self._plain(way, answer, window)
            return replace(plain, notices=(*plain.notices, NO_ROOM))
        over = self.plan.grammar and self.plan.asked is not None and forced is None and not failed
        system = self._system(window, listing="" if over else shown.text)
        sees = self._sees(way)
        sent, left_out = self._transcript(answer, window, system, (), "" if sees else SEES_NONE)
        seen = as_seen(sent, sees=sees)
        request = Request(self.model, system, in_words(seen, after=ONE_SENTENCE if over else NOW_ANSWER))
        request = self._constrained(request, given, forced, failed=failed)
        callable_now = [forced] if forced is not None and request.grammar else given
        names = () if request.grammar == PLAIN_GRAMMAR else tuple(tool.name for tool in callable_now)
        return Made(request, "words", Offer(), WordsReader(given), names, left_out)

    def _plain(self, way: Way, answer: Message, window: int) -> Made:
        system, sees = self._system(window), self._sees(way)
        sent, left_out = self._transcript(answer, window, system, (), "" if sees else SEES_NONE)
        seen = as_seen(sent, sees=sees)
        return Made(Request(self.model, system, in_words(seen)), "none", Offer(), None, (), left_out)

    def _sees(self, way: Way) -> bool:
        """Whether the model is shown pictures; one of which nobody knows is."""
        return way.pictures and self.model.pictures is not False

    def _system(self, window: int, *, native: bool = False, listing: str = "") -> str:
        return system_prompt(
            now=self.now,
            memories=self.memories,
            native=native,
            listing=listing,
            window=window,
            wished=self.options.system,
        )

    def _transcript(
        self, answer: Message, window: int, system: str, tools: Sequence[Tool], unseen: str
    ) -> tuple[tuple[SentMessage, ...], tuple[str, ...]]:
        """What fits of the chat, and a sentence for what does not. `unseen` says why pictures are not shown, if so."""
        whole = [*self.messages, answer]
        kept, left_out = fit(whole, window=window, system=system, tools=tools, sees=not unseen)
        told = [f"The oldest {left_out} messages were left out: the model’s window does not hold them."][:left_out]
        newest = len(self.messages) - 1
        if newest >= left_out:  # the person's message, which this turn answers
            told += told_of(whole[newest], kept[newest - left_out])
            if unseen and any(isinstance(part, PicturePart) for part in whole[newest].parts):
                told.append(unseen)
        return as_sent(kept, self.model), tuple(told)

    def _constrained(self, request: Request, given: Sequence[Tool], forced: Tool | None, *, failed: bool) -> Request:
        """A tool asked for by name, or a block that could not be read: the next try is constrained where it can be."""
        words = request.messages[-1].text if request.messages else ""
        if forced is not None:
            said = (*request.messages[:-1], SentMessage("user", asked(forced, request.messages[-1].text)))
            request = replace(request, messages=said)
        if not self.plan.grammar:
            return request
        if forced is not None:
            request = replace(request, system=ASKED_PROMPT, grammar=call_grammar(forced, words))
        elif failed:
            request = replace(request, grammar=calls_grammar(given))
        elif self.plan.asked is not None:
            request = replace(request, grammar=PLAIN_GRAMMAR)
        else:
            return request
        return replace(request, max_tokens=FORCED_TOKENS, temperature=0.0)


def _asked_on(request: Request) -> Request:
    """The request, which ends with the person's side: many take none that ends with an answer (vercel/ai #12296)."""
    if request.messages and request.messages[-1].role == "assistant":
        return replace(request, messages=(*request.messages, SentMessage("user", GO_ON)))
    return request


def _wished(request: Request, options: ChatOptions) -> Request:
    """The request with what the person set for the chat. A request for one call only has its own limits."""
    limit = options.max_tokens if request.max_tokens is None else request.max_tokens
    heat = options.temperature if request.temperature is None else request.temperature
    return replace(request, max_tokens=limit, temperature=heat)


def _shaped(request: Request, way: Way) -> Request:
    """The request without what the model taught it does not take."""
    if not way.system_role and request.system and request.messages:
        first, *rest = request.messages
        first = replace(first, text=f"{request.system}\n\n{first.text}")
        request = replace(request, system="", messages=(first, *rest))
    return replace(request, effort=way.effort) if way.effort else request


def _renamed(messages: Sequence[SentMessage], offer: Offer, rule: NameRule) -> tuple[SentMessage, ...]:
    """The messages with every tool under the name it is sent by.

    A tool that is offered no more, and was perhaps called at another provider, gets a name that is taken here.
    """
    called = dict.fromkeys(offer.sent(call.name) for message in messages for call in message.calls)
    names = fit_names([*offer.names, *called], rule)

    def sent(name: str) -> str:
        return names.get(offer.sent(name), name)

    return tuple(
        replace(
            message,
            calls=tuple(replace(call, name=sent(call.name)) for call in message.calls),
            results=tuple(replace(result, name=sent(result.name)) for result in message.results),
        )
        if message.calls or message.results
        else message
        for message in messages
    )
