"""The life of one chat: what is said in it, the turn that runs, the question that waits (DESIGN 3)."""

from __future__ import annotations

import asyncio
import logging
import sys
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.clock import Clock
from conch_desktop.domain.errors import ConchError, ProviderError
from conch_desktop.domain.events import CallMoved, Done, TurnEvent
from conch_desktop.domain.messages import Attached, Chat, Failure, Message, Outline, TextPart, broken_off
from conch_desktop.domain.models import Model
from conch_desktop.engine.history import taken_back, without_attached
from conch_desktop.engine.recorder import MessageBook, Recorder
from conch_desktop.tools.guard import Answer, Question

if TYPE_CHECKING:
    from conch_desktop.engine.running import Settling
    from conch_desktop.engine.turn import Turn, TurnParts

TITLE_LENGTH = 60
FIRST_READ = 24
"""Messages at the end of a chat that are read when it is opened; the others when somebody wants them."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MessageAdded:
    """A message begins: the person's, or an answer (still empty, or an earlier one of that id that goes on)."""

    message: Message


@dataclass(frozen=True, slots=True)
class MessageEnded:
    """An answer ended; this is what is kept of it."""

    message: Message


@dataclass(frozen=True, slots=True)
class MessageChanged:
    """An answer that had ended is another now: a call of it was taken back, or the person left it at its pause."""

    message: Message


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """The turn waits for the person."""

    question: Question


@dataclass(frozen=True, slots=True)
class QuestionClosed:
    """The question was answered, or the turn was stopped."""

    id: str


@dataclass(frozen=True, slots=True)
class TitleChanged:
    """The chat has a new title."""

    title: str


SessionEvent = TurnEvent | MessageAdded | MessageEnded | MessageChanged | QuestionAsked | QuestionClosed | TitleChanged

NOTHING = Failure("", "The model answered with nothing.", "Try again, or ask another model.")
"""Told of an answer without a word or a call: nothing else would be seen of it."""

_WHOLE = frozenset({"stop", "tool_calls", "length", "content_filter"})

Listener = Callable[[SessionEvent], None]


class ChatBook(MessageBook, Protocol):
    """Where chats are kept."""

    async def get(self, chat_id: str) -> Chat | None: ...

    async def outline(self, chat_id: str) -> list[Outline]: ...

    async def messages_at(self, chat_id: str, first: str, last: str) -> list[Message]: ...

    async def remove_from(self, chat_id: str, message_id: str) -> None: ...

    async def rename(self, chat_id: str, title: str) -> None: ...

    async def choose_model(self, chat_id: str, model: str) -> None: ...


class Prepares(Protocol):
    """Gathers what a turn of this chat needs. Raises `ConchError` when something is missing."""

    def __call__(self, session: Session, *, asked: str, settle: Settling) -> Awaitable[TurnParts]: ...


TakesBack = Callable[[str], Awaitable[str]]
"""Takes back what a call did; a sentence about it. Raises `ConchError` when that can't be done."""


class Session:
    """One chat. `entries` is always what a person would see, the running answer included.

    Of a long chat only the end is read when it is opened. `entries` has an outline for what was not read; `messages`
    are those at the end that were, without a gap: all of them once a turn is prepared.
    """

    def __init__(self, chat_id: str, *, book: ChatBook, prepare: Prepares, clock: Clock, take_back: TakesBack) -> None:
        self.chat_id = chat_id
        self.title = ""
        self.model_id = ""
        self.question: Question | None = None
        self._book = book
        self._prepare = prepare
        self._clock = clock
        self._take_back = take_back
        self._entries: list[Message | Outline] = []
        self._missing = 0
        self._listeners: list[Listener] = []
        self._turn: Turn | None = None
        self._recorder: Recorder | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopping = False
        self._answered: asyncio.Future[Answer] | None = None

    @property
    def entries(self) -> list[Message | Outline]:
        """All messages, the running answer as it stands; an outline in the place of each that was not read."""
        if self._turn is None:
            return list(self._entries)
        return [*self._entries[:-1], self._turn.message]

    @property
    def messages(self) -> list[Message]:
        """The messages at the end that were read, the running answer as it stands."""
        found = self.entries
        first = 0
        if self._missing:
            first = max((at + 1 for at, entry in enumerate(found) if isinstance(entry, Outline)), default=0)
        return [entry for entry in found[first:] if isinstance(entry, Message)]

    @property
    def running(self) -> bool:
        """Whether a turn runs."""
        return self._task is not None

    async def load(self) -> None:
        """Reads the chat from the store."""
        chat = await self._book.get(self.chat_id)
        if chat is not None:
            self.title, self.model_id = chat.title, chat.model
        self._entries = list(await self._book.outline(self.chat_id))
        self._missing = len(self._entries)
        await self.read(max(0, len(self._entries) - FIRST_READ), len(self._entries))

    async def read(self, first: int = 0, last: int | None = None) -> None:
        """Reads the messages from the place `first` up to `last` that were not read yet."""
        wanted = [entry for entry in self._entries[first:last] if isinstance(entry, Outline)]
        if not wanted:
            return
        found = {one.id: one for one in await self._book.messages_at(self.chat_id, wanted[0].id, wanted[-1].id)}
        for at in range(first, min(len(self._entries), len(self._entries) if last is None else last)):
            entry = self._entries[at]
            if isinstance(entry, Outline) and entry.id in found:
                self._entries[at] = found[entry.id]
                self._missing -= 1

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tells `listener` everything that happens from now on; call what comes back to stop."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def choose_model(self, model_id: str) -> None:
        """The model that answers from the next message on."""
        self.model_id = model_id
        await self._book.choose_model(self.chat_id, model_id)

    async def send(self, text: str, *, asked: str = "", attached: Sequence[Attached] = ()) -> None:
        """Adds the person's message and runs the turn to its end. Raises `StoreError` when it can't be kept."""
        said = (TextPart(text),) if text or not attached else ()
        message = Message(_new_id(), "user", (*attached, *said), self._clock.now(), asked=asked)
        await self._book.put(self.chat_id, message)
        self._entries.append(message)
        self._tell(MessageAdded(message))
        if not self.title:
            self.title = _title(text if text.strip() or not attached else attached[0].name or "Picture")
            await self._book.rename(self.chat_id, self.title)
            self._tell(TitleChanged(self.title))
        await self._answer(self._blank(), asked)

    async def retry(self) -> None:
        """Takes the last answer away and answers the person's last message again."""
        last = self._entries[-1] if self._entries else None
        if last is not None and last.role == "assistant":
            await self._book.remove_from(self.chat_id, last.id)
            self._entries.pop()
        last = self._entries[-1] if self._entries else None
        if isinstance(last, Message):
            await self._answer(self._blank(), last.asked)

    async def go_on(self) -> None:
        """Goes on with the last answer where it broke off, was stopped or paused."""
        last = self._entries[-1] if self._entries else None
        if isinstance(last, Message) and last.role == "assistant":
            self._entries.pop()
            await self._answer(replace(last, state="streaming", failure=None), "")

    async def stop_here(self) -> None:
        """Leaves a paused answer as it stands. It counts as stopped by the person, who may still go on with it."""
        last = self._entries[-1] if self._entries else None
        if self._task is None and isinstance(last, Message) and last.role == "assistant" and last.state == "done":
            self._entries[-1] = changed = replace(last, state="stopped")
            await self._book.put(self.chat_id, changed, written=last)
            self._tell(MessageChanged(changed))

    async def edit(self, message_id: str, text: str, *, asked: str = "") -> None:
        """Takes this message and all after it away, and sends the text in its place, with what was attached to it."""
        at = next((at for at, entry in enumerate(self._entries) if entry.id == message_id), None)
        if at is None or self._task is not None:
            return
        await self.read(at, at + 1)
        before = self._entries[at]
        attached = before.attached if isinstance(before, Message) else ()
        await self._book.remove_from(self.chat_id, message_id)
        del self._entries[at:]
        self._missing = sum(isinstance(entry, Outline) for entry in self._entries)
        await self.send(text, asked=asked, attached=attached)

    def stop(self) -> None:
        """Stops the turn, at any moment; what was said is kept."""
        if self._task is None:
            return
        self._stopping = True
        if self._turn is not None:
            self._turn.stop()
        self._task.cancel()

    async def take_back(self, call_id: str) -> str:
        """Takes back what a call did; a sentence about it. The model is told with the call's answer from then on.

        Raises `ConchError` when it can't be taken back.
        """
        said = await self._take_back(call_id)
        if self._turn is not None and self._turn.take_back(call_id):
            if self._recorder is not None:
                self._recorder.note()
            self._tell(MessageChanged(self._turn.message))
            return said
        for place, message in enumerate(self._entries):
            if (
                isinstance(message, Outline)
                or not any(call.id == call_id for call in message.calls)
                or message.state == "streaming"
            ):
                continue
            parts = tuple(
                taken_back(part) if isinstance(part, CallRecord) and part.id == call_id else part
                for part in message.parts
            )
            self._entries[place] = changed = replace(message, parts=parts)
            await self._book.put(self.chat_id, changed, written=message)
            self._tell(MessageChanged(changed))
        return said

    async def aclose(self) -> None:
        """Ends what runs; what was said is kept and marked as interrupted."""
        task = self._task
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def answer(self, question_id: str, answer: Answer) -> None:
        """The person's answer to the open question."""
        waiting = self._answered
        if waiting is not None and not waiting.done() and self.question and self.question.id == question_id:
            waiting.set_result(answer)

    def moved(self, event: CallMoved) -> None:
        """A running call says how far it is."""
        self._tell(event)

    async def ask(self, question: Question) -> Answer:
        """Asks the person and waits, for as long as it takes (`engine.running.Asker`)."""
        self.question = question
        self._answered = asyncio.get_running_loop().create_future()
        self._tell(QuestionAsked(question))
        try:
            return await self._answered
        finally:
            self.question = None
            self._answered = None
            self._tell(QuestionClosed(question.id))

    async def _answer(self, message: Message, asked: str) -> None:
        """Runs one turn in a task of its own, so that stopping it never ends whoever started it."""
        if self._task is not None:
            raise RuntimeError("a turn already runs in this chat")
        self._entries.append(message)
        self._stopping = False
        self._tell(MessageAdded(message))
        self._task = asyncio.create_task(self._run(message, asked), name=f"turn in {self.chat_id}")
        try:
            await asyncio.shield(self._task)
        except asyncio.CancelledError:
            if not self._task.done():
                self._task.cancel()
                await asyncio.gather(self._task, return_exceptions=True)
            raise
        finally:
            self._task = None

    async def _run(self, message: Message, asked: str) -> None:
        recorder = Recorder(self._book, self.chat_id, lambda: self._turn.message if self._turn else message)
        self._recorder = recorder
        failure: Failure | None = None
        try:
            await self.read()
            turn = await _loop_of_a_turn()
            parts = await self._prepare(self, asked=asked, settle=recorder.settle)
            if self._stopping:  # A stop that came while the store was at work must not be lost.
                raise asyncio.CancelledError
            # An answer may be gone on with by another model: what the first attached for itself is of no use to it.
            own = without_attached(message, parts.model)
            named = replace(own, model=parts.model.id, author=_author(own, parts.model))
            self._turn = turn(parts, named)
            async with aclosing(self._turn.run()) as events:
                async for event in events:
                    recorder.note()
                    self._tell(event)
                    if isinstance(event, Done) and event.finish in _WHOLE and _is_empty(self._turn.message):
                        failure = NOTHING
        except asyncio.CancelledError:
            if not self._stopping:
                raise
            message = replace(message, state="stopped")
        except ConchError as error:
            failure = Failure(error.kind if isinstance(error, ProviderError) else "", error.what, error.advice)
        except Exception as error:
            # The edge of a turn: whatever broke, the chat and the window go on.
            _log.exception("A turn broke")
            failure = Failure("", f"Something inside the program broke ({type(error).__name__}).", "Try again.")
        finally:
            await self._close(message, failure, recorder)

    async def _close(self, message: Message, failure: Failure | None, recorder: Recorder) -> None:
        ended = self._turn.message if self._turn is not None else message
        if failure is not None:
            ended = replace(ended, state="failed", failure=failure)
        elif ended.state == "streaming":
            ended = broken_off(ended)
        self._turn = self._recorder = None
        self._entries[-1] = ended
        recorder.show(ended)
        try:
            await recorder.close()
        except Exception:
            _log.exception("The end of an answer could not be written")
            trouble = Failure("store", "This answer could not be saved.", "Check the free space of the disk.")
            ended = replace(ended, failure=ended.failure or trouble)
            self._entries[-1] = ended
        self._tell(MessageEnded(ended))

    def _blank(self) -> Message:
        return Message(_new_id(), "assistant", (), self._clock.now(), "streaming")

    def _tell(self, event: SessionEvent) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception:
                # A listener that breaks must not end a turn.
                _log.exception("A listener broke on %s", type(event).__name__)


def _is_empty(message: Message) -> bool:
    return message.failure is None and not message.calls and not message.text.strip()


def _author(message: Message, model: Model) -> str:
    """Who is named above an answer. Where another model goes on with it, both are."""
    name = model.label or model.name
    if not message.author or not (message.text or message.calls):
        return name
    if message.author.rpartition(", then ")[2] == name:
        return message.author
    return f"{message.author}, then {name}"


def _new_id() -> str:
    return uuid.uuid4().hex


def _title(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…"


async def _loop_of_a_turn() -> type[Turn]:
    """The loop of a turn. Half of the program hangs on it: it is imported with the first message, off this thread."""
    name = "conch_desktop.engine.turn"
    if name not in sys.modules:
        await asyncio.to_thread(import_module, name)
    from conch_desktop.engine.turn import Turn

    return Turn
