"""Joins chats and the window: which chat is open, what is sent, what streams, what waits for the person."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from conch_desktop.desktop.announce import announce
from conch_desktop.desktop.attach_desk import AttachDesk
from conch_desktop.desktop.groups import NEW_CHAT
from conch_desktop.desktop.offer_desk import OfferDesk
from conch_desktop.desktop.slash_menu import SlashMenu, ToolRow, first_sentence
from conch_desktop.desktop.waiting_desk import WaitingDesk
from conch_desktop.domain.errors import StoreError, UsageError
from conch_desktop.domain.events import LessonLearnt, RequestSent, Waiting
from conch_desktop.domain.tools import BUILTIN
from conch_desktop.engine.commands import check_command, split_command
from conch_desktop.engine.session import MessageAdded, MessageEnded, QuestionAsked, TitleChanged
from conch_desktop.store.settings import LAST_CHAT, NEW_MODEL, START_WITH
from conch_desktop.tools.guard import Answer

if TYPE_CHECKING:
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.domain.messages import Attached, Chat, Message
    from conch_desktop.domain.models import Model
    from conch_desktop.engine.assembly import Program
    from conch_desktop.engine.session import Session, SessionEvent

_FLUSH = 16
_SLOW, _SLOW_FLUSH = 8, 33
_DRAFT_AFTER = 400


class ChatsDesk(QObject):
    """What happens in the sidebar, the chat, the composer and the panel."""

    model_changed = Signal()
    """Another chat with another model is open, or the mode of its model became known."""
    ended = Signal()
    """An answer ended, in any chat."""
    learnt = Signal()
    """A model taught something, in any chat."""
    model_wanted = Signal()
    switch_wanted = Signal(str)
    """This model answers from now on."""
    heard = Signal(str, object)
    """Something happened in a chat: its id, and the event."""
    read_more = Signal()
    """Older messages of the chat that is open were read."""
    key_wanted = Signal(str)
    """The provider of this model needs another key."""

    def __init__(self, window: Window, program: Program, tasks: Tasks) -> None:
        super().__init__(window)
        self._window, self._program, self._tasks = window, program, tasks
        self.chats: list[Chat] = []
        self.chat = ""
        self.new_model = ""
        self.ready = False
        """Whether it is known which model answers; a message that is sent before waits in the composer."""
        self._session: Session | None = None
        self._listening: dict[str, Callable[[], None]] = {}
        self._drafts: dict[str, str] = {}
        self._kept_drafts: dict[str, str] = {}
        """What the store has as the draft of each chat: what waits there, and then what is written."""
        self._waiting = WaitingDesk(window, self, tasks)
        self._offers = OfferDesk(window, program)
        self.known_model: Callable[[str], Model | None] = lambda _: None
        """The model of that id as the lists have it; set by whoever reads the lists."""
        self._making = asyncio.Lock()
        self._opened = 0
        """How often another chat was put in the window: tells whether something that took a moment is still wanted."""
        self._left_unmade: list[str] = []
        self._filling = False
        self._doubtful = ""
        self._deleted = ""
        self._groups: dict[str, str] = {}
        self.modes: dict[str, str] = {}
        self._flush = self._timer(_FLUSH, self.show_now)
        self._draft_timer = self._timer(_DRAFT_AFTER, self._save_draft_soon)
        self._clock = QTimer(self)
        self._clock.setInterval(1000)
        self._clock.timeout.connect(self._tick)
        self._menu = SlashMenu(window)
        self._wire()
        self.attach = AttachDesk(window, program, self, tasks)

    def _timer(self, after: int, work: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        timer.setSingleShot(True)
        timer.setInterval(after)
        timer.timeout.connect(work)
        return timer

    def _wire(self) -> None:
        window = self._window
        window.new_chat.connect(self.begin_new)
        window.stop_asked.connect(self.stop)
        window.question_asked.connect(self._go_to_question)
        window.escapes.append(self._close_menu)
        window.sidebar.opened.connect(lambda chat: self._do(self.open(chat), "open the chat"))
        window.sidebar.renamed.connect(lambda chat, title: self._do(self._rename(chat, title), "rename the chat"))
        window.sidebar.pinned.connect(lambda chat, on: self._do(self._pin(chat, on), "pin the chat"))
        window.sidebar.deleted.connect(lambda chat: self._do(self._delete(chat), "delete the chat"))
        window.sidebar.undone.connect(lambda: self._do(self._undo(), "bring the chat back"))
        window.view.acted.connect(self._act)
        window.view.edited.connect(self._edited)
        window.view.picture_asked.connect(lambda url: self._do(self._show_picture(url), "fetch a picture"))
        window.view.wanted.connect(lambda first, last: self._do(self._read(first, last), "read messages"))
        window.view.answered.connect(self._answer)
        window.activity.asked.connect(lambda _: self._go_to_question())
        window.composer.sent.connect(self._send)
        self._offers.answered.connect(self._offer_answered)
        window.composer.changed.connect(self._typed)
        window.composer.slash.connect(self._offer_tools)
        window.composer.writing.steered.connect(self._menu.steer)
        self._menu.taken.connect(self._take_tool)
        self.show_tools()

    def _do(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        self._tasks.spawn(work, name)

    # Chats ----------------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Lists the chats and opens the one that was open last; what was typed meanwhile stays in the composer."""
        typed = self._window.composer.text()
        self.chats = await self._program.chats.listing()
        last = self._program.settings.get(LAST_CHAT)
        goes_on = self._program.settings.get(START_WITH) == "last"
        if last and goes_on and not typed and any(chat.id == last for chat in self.chats):
            await self.open(last)
        else:
            self._show_list()
            self.show_now()

    async def refresh(self) -> None:
        """Reads the list of chats again."""
        self.chats = await self._program.chats.listing()
        self._show_list()

    def _show_list(self) -> None:
        waiting = {chat for chat in self._listening if self._program.session(chat).question is not None}
        streaming = {chat for chat in self._listening if self._program.session(chat).running}
        self._window.sidebar.show_chats(self.chats, waiting=waiting, streaming=streaming)
        self._window.sidebar.choose(self.chat)

    def begin_new(self) -> None:
        """A new chat; it is kept from the first word on."""
        self._do(self._leave(), "keep the draft")
        self._opened += 1
        set_model = self._program.settings.get(NEW_MODEL)
        if set_model and self.known_model(set_model) is not None:
            self.new_model = set_model
        elif self._session is not None and self._session.model_id:
            self.new_model = self._session.model_id
        self._session, self.chat = None, ""
        self._offers.close()
        self._fill("")
        self.attach.show(())
        self._show_list()
        self.show_now()
        self.model_changed.emit()
        self._window.show_page(None)
        if self._window.shell.overlay == "side":
            self._window.shell.close_overlay()
        self._window.composer.setFocus(Qt.FocusReason.ShortcutFocusReason)

    async def open(self, chat: str) -> None:
        """Opens a chat."""
        if chat == self.chat:
            return
        before, text = self.chat, self._window.composer.text()
        leaving = self._leave()
        self._window.composer.countdown.stop()
        self._opened += 1
        opened = self._opened
        await leaving
        session = await self._listen(chat)
        attached = await self.attach.read(chat)
        if opened != self._opened:
            return
        typed = self._window.composer.text()
        if before and typed != text:  # While the other chat was read, somebody went on writing in this one.
            await self._save_draft(before, typed)
        self._offers.close()
        self._session, self.chat = session, chat
        known = next((one for one in self.chats if one.id == chat), None)
        draft = known.draft if known is not None else ""
        self._kept_drafts.setdefault(chat, draft)
        self._fill(self._drafts.setdefault(chat, draft))
        self.attach.show(attached)
        self._window.show_page(None)
        if self._window.shell.overlay == "side":
            self._window.shell.close_overlay()
        self._show_list()
        self.show_now()
        self.model_changed.emit()
        await self._program.settings.set(LAST_CHAT, chat)

    async def _listen(self, chat: str) -> Session:
        session = self._program.session(chat)
        if chat not in self._listening:
            await session.load()
            self._listening[chat] = session.listen(lambda event: self._heard(chat, event))
        return session

    def _leave(self) -> Coroutine[Any, Any, None]:
        """Keeps the draft of the chat that is left; a chat without a word is not kept.

        What there is to keep is taken down at once; keeping it takes a moment, in which the window goes on.
        """
        self._draft_timer.stop()
        chat, text, attached = self.chat, self._window.composer.text(), self.attach.items
        some = bool(text.strip() or attached)
        empty = self._session is not None and not self._session.entries and not some
        if not chat and self._making.locked():
            self._left_unmade.append(text)
        return self._keep(chat, text, attached, empty=empty)

    async def _keep(self, chat: str, text: str, attached: Sequence[Attached], *, empty: bool) -> None:
        if chat and empty:
            await self._program.chats.delete(chat)
            await self.refresh()
        elif chat:
            await self._save_draft(chat, text)
            await self.attach.save(chat, attached)
        elif (text.strip() or attached) and not self._making.locked():
            made = await self._program.chats.create(model=self.new_model)
            await self._save_draft(made.id, text)
            await self.attach.save(made.id, attached)
            await self.refresh()

    async def _rename(self, chat: str, title: str) -> None:
        await self._program.chats.rename(chat, title)
        await self.refresh()
        self._show_title()

    async def _pin(self, chat: str, on: bool) -> None:
        await self._program.chats.pin(chat, on)
        await self.refresh()

    async def _delete(self, chat: str) -> None:
        place = next((at for at, one in enumerate(self.chats) if one.id == chat), 0)
        if chat in self._listening:
            self._program.session(chat).stop()
        await self._program.chats.delete(chat)
        self._deleted = chat
        self.chats = [one for one in self.chats if one.id != chat]
        if chat == self.chat:
            self._session, self.chat = None, ""
            self._fill("")
            self.attach.show(())
            if self.chats:
                await self.open(self.chats[min(place, len(self.chats) - 1)].id)
            else:
                self.begin_new()
        self._show_list()

    async def delete_all(self) -> list[str]:
        """Deletes every chat; which those were. Each can be brought back until the next start."""
        for chat in self._listening:
            self._program.session(chat).stop()
        await self._leave()
        self._opened += 1
        deleted = await self._program.chats.delete_all()
        self._session, self.chat = None, ""
        self._fill("")
        self.attach.show(())
        await self.refresh()
        self.show_now()
        self.model_changed.emit()
        return deleted

    async def _undo(self) -> None:
        await self._program.chats.restore(self._deleted)
        await self.refresh()
        await self.open(self._deleted)

    # Drafts ---------------------------------------------------------------------------------------------------------

    def _fill(self, text: str) -> None:
        self._filling = True
        self._window.composer.set_text(text)
        self._window.composer.say("")
        self._filling = False

    def rewrite(self, text: str) -> None:
        """Puts another text into the composer, to be kept as the draft."""
        self._close_menu()
        self._fill(text)
        self._draft_timer.start()

    def put_before_draft(self, chat: str, texts: list[str]) -> None:
        """Puts texts before the draft of a chat that is not open."""
        known = next((one.draft for one in self.chats if one.id == chat), "")
        draft = "\n\n".join([*texts, self._drafts.get(chat, known)]).strip()
        self._do(self._save_draft(chat, draft), "keep the draft")

    def _typed(self) -> None:
        self._offer_tools()
        if not self._filling:
            self._draft_timer.start()

    def _save_draft_soon(self) -> None:
        text = self._window.composer.text()
        if self.chat:
            self._do(self._save_draft(self.chat, text), "keep the draft")
            self._do(self.attach.save(self.chat, self.attach.items), "keep the draft")
        elif text.strip() or self.attach.items:
            self._do(self._make_chat(text), "keep the draft")

    def keep_draft(self, chat: str) -> None:
        """Keeps what waits in a chat and what is written there, now."""
        self._do(self._keep_draft(chat), "keep the draft")

    async def _keep_draft(self, chat: str) -> None:
        is_open = chat == self.chat
        attached = self.attach.items if is_open else self.attach.known(chat)
        await self._save_draft(chat, self._window.composer.text() if is_open else self._drafts.get(chat, ""))
        await self.attach.save(chat, attached)

    def waiting_attached(self, chat: str) -> Sequence[Attached]:
        """What is attached to the messages that wait in a chat."""
        return self._waiting.attached(chat)

    async def _save_draft(self, chat: str, text: str) -> None:
        self._drafts[chat] = text
        whole = self._waiting.before(chat, text)
        if self._kept_drafts.get(chat, "") != whole:
            self._kept_drafts[chat] = whole
            await self._program.chats.save_draft(chat, whole)

    async def kept(self) -> Session:
        """The session of the chat that is open; a new one is kept from now on."""
        return self._session or await self._make_chat(self._window.composer.text())

    async def _make_chat(self, draft: str) -> Session:
        """Keeps the new chat that is open, with its draft; once, however often it is asked for."""
        async with self._making:
            if self._session is not None:
                await self._save_draft(self.chat, draft)
                return self._session
            opened = self._opened
            self._left_unmade.clear()
            made = await self._program.chats.create(model=self.new_model)
            session = await self._listen(made.id)
            if opened == self._opened:
                self.chat, self._session = made.id, session
                self._offers.named(made.id)
            elif self._left_unmade:  # Another chat was opened meanwhile; this one's words are kept.
                draft = self._left_unmade[0]
            await self._save_draft(made.id, draft)
            if made.id == self.chat:
                await self.attach.save(made.id, self.attach.items)
            await self.refresh()
            if made.id == self.chat:
                await self._program.settings.set(LAST_CHAT, made.id)
            return session

    # A turn ---------------------------------------------------------------------------------------------------------

    @property
    def session(self) -> Session | None:
        """The session of the chat that is open."""
        return self._session

    @property
    def model_id(self) -> str:
        """The model of the chat that is open."""
        return self._session.model_id if self._session is not None and self._session.model_id else self.new_model

    def _send(self, text: str) -> None:
        if not self.model_id:
            self.model_wanted.emit()
            return
        self._close_menu()
        if self.doubts(text):
            return
        self._fill("")
        self._offers.close()
        model = self.known_model(self.model_id)
        # Nothing is awaited before a message goes, unless there may be something to offer.
        poor = model is not None and model.tools is False
        attached = self.attach.take()
        sending = self._send_or_offer(text, attached) if poor else self._send_now(text, attached)
        self._do(sending, "send the message")

    def doubts(self, text: str) -> bool:
        """Whether a message asks for a tool in a way that can't be meant; the person is told, and it stays. The same
        message sent once more goes as it is."""
        try:
            check_command(text, self._program.everything())
        except UsageError as error:
            if text != self._doubtful:
                self._doubtful = text
                words = f"{error} Enter once more sends it as it is."
                self._window.say(words)
                announce(self._window, words)
                return True
        self._doubtful = ""
        return False

    async def _send_or_offer(self, text: str, attached: Sequence[Attached]) -> None:
        """Sends, unless another model is offered for this message first; once a chat and model."""
        if not await self._offers.make(text, self.chat, self.model_id):
            await self._send_now(text, attached)
        else:
            self._give_back(text, attached)

    def _give_back(self, text: str, attached: Sequence[Attached]) -> None:
        """What could not be sent, or not yet, goes back to where it came from."""
        if not self._window.composer.text():
            self._fill(text)
        self.attach.put_before(self.chat, attached)

    def _offer_answered(self, text: str, model: str) -> None:
        self._fill("")
        attached = self.attach.take()
        if model:
            self.switch_wanted.emit(model)
            self._do(self._send_with(text, attached, model), "send the message")
        else:
            self._do(self._send_now(text, attached), "send the message")

    async def _send_with(self, text: str, attached: Sequence[Attached], model: str) -> None:
        self.new_model = model
        if self._session is not None:
            await self._session.choose_model(model)
        await self._send_now(text, attached)

    async def _send_now(self, text: str, attached: Sequence[Attached]) -> None:
        try:
            session = self._session or await self._make_chat("")
            if not session.model_id:
                await session.choose_model(self.new_model)
            await self.deliver(session, text, attached)
        except StoreError as error:
            self._give_back(text, attached)
            self._window.say(str(error))

    async def deliver(self, session: Session, text: str, attached: Sequence[Attached] = ()) -> None:
        """Sends a message in a chat, and waits for the end of its answer."""
        asked, rest = split_command(text, self._program.everything())
        if session is self._session:
            self._window.view.go_to_end()
        said = rest if rest or attached else text  # a tool's name alone: providers take no message without a word
        await self._turn(session, session.send(said, asked=asked, attached=attached))

    async def _turn(self, session: Session, turn: Awaitable[None]) -> None:
        """Waits for a turn; then nothing streams any more, and that is shown. What waits is sent.

        While it streams, Python's search for garbage leaves out what was there before: in a long chat it would hold up
        a frame.
        """
        whole = False
        gc.freeze()
        try:
            await turn
            whole = True
        finally:
            gc.unfreeze()
            self._show_list()
            self.show_now()
            if not whole:
                self._waiting.give_back(session.chat_id)
        self._waiting.send_next(session)

    def stop(self) -> None:
        """Stops the answer of the chat that is open."""
        if self._session is not None:
            self._session.stop()
            self._window.composer.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _act(self, _message: str, what: str) -> None:
        session = self._session
        if session is None or (session.running and what in ("retry", "go_on")):
            return
        if what == "retry":
            self._do(self._turn(session, session.retry()), "try again")
        elif what == "go_on":
            self._do(self._turn(session, session.go_on()), "go on")
        elif what == "stop_here":
            self._do(session.stop_here(), "leave the answer as it is")
            self._window.composer.setFocus(Qt.FocusReason.OtherFocusReason)
        elif what == "key":
            self.key_wanted.emit(self.model_id)
        else:
            self.model_wanted.emit()

    def _edited(self, message: str, text: str) -> None:
        session = self._session
        if session is not None and not session.running:
            self._window.composer.setFocus(Qt.FocusReason.OtherFocusReason)
            asked, rest = split_command(text, self._program.everything())
            self._window.view.go_to_end()
            self._do(self._turn(session, session.edit(message, rest, asked=asked)), "send the message again")

    async def _read(self, first: int, last: int) -> None:
        """Reads messages that came near the window."""
        session = self._session
        if session is not None:
            await session.read(first, last)
            if session is self._session:
                self.show_now()
                self.read_more.emit()

    async def _show_picture(self, url: str) -> None:
        """Fetches a picture that the person asked for, and shows it in the chat."""
        from conch_desktop.desktop.pictures import read_picture
        from conch_desktop.providers.picture import PictureError, fetch_picture

        try:
            image = read_picture(await fetch_picture(url))
        except PictureError as error:
            self._window.view.show_image(url, None, str(error))
            return
        self._window.view.show_image(url, image, "" if image is not None else "This picture can't be read.")

    def _answer(self, question: str, choice: Any, reason: str) -> None:
        if self._session is not None:
            self._session.answer(question, Answer(choice, reason))
            self._window.composer.setFocus(Qt.FocusReason.OtherFocusReason)

    def _go_to_question(self) -> None:
        session = self._session
        if session is None or session.question is None:
            waiting = [chat for chat in self._listening if self._program.session(chat).question is not None]
            if waiting:
                self._do(self.open(waiting[0]), "open the chat")
            return
        self._window.shell.close_overlay()
        self._window.view.go_to_call(session.question.id)
        take = getattr(self._window.view.question_card(), "take_focus", None)
        if take is not None:
            take()

    # What is heard --------------------------------------------------------------------------------------------------

    def _heard(self, chat: str, event: SessionEvent) -> None:
        if chat == self.chat and not self._flush.isActive():
            self._flush.start()
        if chat == self.chat and isinstance(event, Waiting):
            self._window.composer.countdown.start(event.until)
        elif chat == self.chat and isinstance(event, (RequestSent, MessageEnded)):
            self._window.composer.countdown.stop()
        self.heard.emit(chat, event)
        if isinstance(event, QuestionAsked):
            announce(self._window, f"{event.question.tool} waits for you. {event.question.title}")
        elif isinstance(event, MessageEnded):
            self._ended(event.message)
        elif isinstance(event, LessonLearnt):
            self.learnt.emit()
        elif isinstance(event, MessageAdded) and event.message.role == "user":
            self._waiting.gone(chat)
            self.keep_draft(chat)  # only now: until the message is in the store, the draft has it
        elif isinstance(event, TitleChanged):
            self._do(self.refresh(), "list the chats")
        if type(event).__name__ in ("QuestionAsked", "QuestionClosed", "MessageAdded", "MessageEnded"):
            # After the event: whether the turn still runs is only known then.
            QTimer.singleShot(0, self, self._show_list)
            QTimer.singleShot(0, self, self.show_now)

    def _ended(self, message: Message) -> None:
        if message.model and message.mode:
            self.modes[message.model] = message.mode
        self.ended.emit()
        if message.failure is not None:
            announce(self._window, message.failure.what)
        else:
            announce(self._window, f"{message.author or 'The model'} answered, {len(message.text.split())} words")

    def show_now(self) -> None:
        """Draws what is true now."""
        began = time.monotonic()
        window, session = self._window, self._session
        messages: list[Message] = session.messages if session is not None else []
        entries = session.entries if session is not None else []
        running = session is not None and session.running
        question = session.question if session is not None else None
        if question is not None and question.source == BUILTIN:
            question = replace(question, source=self._groups.get(question.tool, BUILTIN))
        window.page.show_empty(not entries)
        window.header.show_chat(bool(entries))
        window.view.show_chat(self.chat, entries, running=running, question=question)
        window.activity.show_messages(messages, self._groups)
        window.composer.show_state(running=running, ready=self.ready)
        self._waiting.show()
        self._show_title()
        window.show_columns()
        if running != self._clock.isActive():
            self._clock.start() if running else self._clock.stop()
        last = messages[-1] if messages else None
        if last is not None and last.model and last.mode and self.modes.get(last.model) != last.mode:
            self.modes[last.model] = last.mode
            self.model_changed.emit()
        # A slow screen gets fewer pictures a second instead of a window that does not answer.
        took = (time.monotonic() - began) * 1000
        self._flush.setInterval(_FLUSH if took < _SLOW else max(_SLOW_FLUSH, min(250, int(took))))

    def _show_title(self) -> None:
        title = next((chat.title for chat in self.chats if chat.id == self.chat), "")
        self._window.setWindowTitle(f"{title or NEW_CHAT} – Conch Desktop" if self.chat else "Conch Desktop")

    def _tick(self) -> None:
        if self._session is None or not self._session.running:
            self._clock.stop()
            self.show_now()

    # The menu of tools ----------------------------------------------------------------------------------------------

    def show_tools(self) -> None:
        """Offers the tools there are now; those of apps come and go."""
        tools = self._program.everything().tools
        self._groups = {tool.name: tool.group or tool.source for tool in tools}
        self._menu.put([_tool_row(tool) for tool in tools])

    def _offer_tools(self) -> None:
        composer = self._window.composer
        named = composer.named()
        if self._filling or named is None:
            self._close_menu()
            return
        corner = composer.mapTo(self._window, composer.rect().topLeft())
        place = composer.rect().translated(corner)
        composer.writing.steering = self._menu.offer(named, place)
        composer.slash_button.setChecked(composer.writing.steering)

    def _take_tool(self, name: str) -> None:
        self._window.composer.name_tool(name)
        self._draft_timer.start()
        self._close_menu()

    def _close_menu(self) -> bool:
        was = self._menu.isVisible()
        self._menu.hide()
        self._window.composer.writing.steering = False
        self._window.composer.slash_button.setChecked(False)
        return was

    async def aclose(self) -> None:
        """Keeps the draft."""
        self._flush.stop()
        self.attach.stop()
        self._waiting.give_all_back()
        await self._leave()
        for stop in self._listening.values():
            stop()
        self._listening.clear()


def _tool_row(tool: Any) -> ToolRow:
    return ToolRow(tool.name, tool.group or tool.source, first_sentence(tool.description), tool.effect)
