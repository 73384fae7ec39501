"""The states that are pictured: which chat is open, what is pressed, how large the window is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from conch_desktop.desktop.attachments import AttachedStrip
from conch_desktop.desktop.desk import Desk
from conch_desktop.desktop.pictures import from_image
from conch_desktop.desktop.provider_row import ProviderHead
from conch_desktop.desktop.taught_models import ModelRow
from conch_desktop.desktop.window import Window
from conch_desktop.domain.messages import Attached, FilePart, PicturePart
from tests.desktop.at_work import until
from tests.looks.world import LONG_TITLE, PLAN, ROUTE_SENT, World
from tests.servers import CUT, HANG, call_piece, chunk, json_reply, sse
from tests.tools.mcp.conftest import MemoryKeys, hostile


@dataclass
class Stage:
    """A window at work, and what is behind it."""

    window: Window
    desk: Desk
    world: World
    folder: Path

    async def open(self, title: str) -> None:
        """Opens a chat and waits until it is seen."""
        chat = self.world.chats[title]
        if self.desk.chats.chat != chat:
            self.window.sidebar.opened.emit(chat)
            await until(lambda: self.desk.chats.chat == chat)
        self.window.composer.setFocus()
        await settle()

    async def model(self, name: str) -> None:
        """Another model for the open chat."""
        await self.desk.models.choose(self.world.models[name])


async def settle(seconds: float = 0.35) -> None:
    """Lets everything be drawn."""
    await asyncio.sleep(seconds)


Arrange = Callable[[Stage], Awaitable[None]]


@dataclass(frozen=True)
class Scene:
    """A picture: its name, the file name of its target, and what makes it. `size` is that of the window."""

    name: str
    target: str
    arrange: Arrange
    size: tuple[int, int] = (1440, 900)
    theme: str = "light"
    zoom: int = 100
    blank: bool = False
    """Whether nothing was ever done in this profile."""


_FACT = "{content: 'Ana gets seasick on open water', 'place': 'sea',}"


async def _streaming(stage: Stage, question: str = "write_file") -> None:
    """A turn that has said much, has two calls, and goes no further."""
    await stage.open("Saturday on Skerry Island")
    stage.window.activity.open_call("")
    first = [
        chunk(calls=[call_piece("remember", _FACT, call_id="a")]),
        chunk(finish="tool_calls"),
    ]
    second = [
        chunk(PLAN),
        chunk(calls=[call_piece(question, '{"path":"notes/skerry-saturday.md","content":"# Skerry",}', call_id="b")]),
        chunk(finish="tool_calls"),
    ]
    for one in (first, second):
        stage.world.server.then(sse(*one))
    stage.window.composer.set_text("Plan it again, split the fare, and write it into my notes.")
    stage.window.composer.writing.enter.emit()
    session = stage.desk.chats.session
    assert session is not None
    await until(lambda: session.question is not None)
    stage.window.view.answered.emit(session.question.id if session.question else "", "once", "")
    await until(lambda: session.question is not None and session.question.tool == question)
    await settle()


async def main_light(stage: Stage) -> None:
    """Words, a table, a formula, code, calls; and a question that waits."""
    await _streaming(stage)


async def call_card(stage: Stage) -> None:
    """An open call with all its mends, one of them ringed."""
    await stage.open("Harbour notes")
    stage.window.shell.panel_width = 420
    stage.window.shell.arrange()
    call = f"call-plan_route-{len(ROUTE_SENT)}"
    stage.window.activity.open_call(call)
    await settle()
    card = stage.window.activity.card(call)
    assert card is not None
    assert card.body is not None
    card.body.mends[4].setFocus(Qt.FocusReason.TabFocusReason)
    await settle()


async def question(stage: Stage) -> None:
    """The guard's question, while somebody writes."""
    await stage.open("Letter to the harbour board")
    content = '{"path":"notes/skerry-saturday.md","content":"# Skerry, Saturday",}'
    said = "Your note still has the old boats. I would change these lines:"
    call = [chunk(calls=[call_piece("write_file", content, call_id="b")]), chunk(finish="tool_calls")]
    stage.world.server.then(sse(chunk(said), *call))
    stage.window.composer.set_text("Put the boats and the seats into my Skerry note.")
    stage.window.composer.writing.enter.emit()
    session = stage.desk.chats.session
    assert session is not None
    await until(lambda: session.question is not None)
    await settle()
    stage.window.view.go_to_end()
    stage.window.composer.set_text("and leave the food part as it")
    await settle()


async def picker(stage: Stage) -> None:
    """The list of models."""
    await stage.open("Saturday on Skerry Island")
    stage.window.shell.show_panel(False)
    stage.window.pick_model.emit()
    await settle(1.0)
    QTest.keyClick(stage.window.focusWidget(), Qt.Key.Key_Down)
    await settle()


async def picker_folded(stage: Stage) -> None:
    """The list of models with a group folded."""
    await picker(stage)
    search = stage.window.focusWidget()
    for key in (*[Qt.Key.Key_Down] * 2, Qt.Key.Key_Left):
        QTest.keyClick(search, key)
    await settle()


async def providers(stage: Stage) -> None:
    """The providers in the settings."""
    stage.desk.settings.open("Providers")
    await settle(1.0)
    heads = [one for one in stage.window.findChildren(ProviderHead) if "OpenRouter" in one.accessibleName()]
    QTest.mouseClick(heads[0], Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
    await settle()


async def models(stage: Stage) -> None:
    """What each model taught."""
    stage.desk.settings.open("Models")
    await settle(1.0)
    rows = [one for one in stage.window.findChildren(ModelRow) if "Llama" in one.accessibleName()]
    QTest.mouseClick(rows[0], Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
    await settle()


async def not_run(stage: Stage) -> None:
    """A call that did not fit."""
    await stage.open("Rewrite the berth rules")
    session = stage.desk.chats.session
    assert session is not None
    if stage.window.width() >= 1_440:
        stage.window.shell.panel_width = 420
        stage.window.shell.arrange()
    stage.window.activity.open_call(session.messages[-1].calls[0].id)
    await settle()


async def broken(stage: Stage) -> None:
    """An answer that broke off because the line is down, and a message that waits; nothing found; no calls."""
    stage.world.program.can_reach = unreachable  # type: ignore[method-assign, assignment]
    await stage.open("Letter to the harbour board")
    stage.world.server.then(
        sse(chunk("Two boats were dropped and one was moved: the 09:10 no longer runs"), CUT, done=False)
    )
    stage.window.composer.set_text("What changed in the autumn timetable?")
    stage.window.composer.writing.enter.emit()
    session = stage.desk.chats.session
    assert session is not None
    await until(lambda: session.messages[-1].failure is not None and not session.running)
    await until(stage.window.header.offline.isVisible)
    stage.window.composer.set_text("And on Sundays?")
    stage.window.composer.writing.enter.emit()
    stage.window.sidebar.search.field.setText("berht")
    await settle(0.8)


async def unreachable(provider: str) -> bool:
    """The line is down."""
    return False


async def narrow(stage: Stage) -> None:
    """The panel over the chat, while a turn runs."""
    await _streaming(stage)
    stage.window.shell.show_panel(True)
    await settle()


async def palette(stage: Stage) -> None:
    """The command palette."""
    await stage.open("Saturday on Skerry Island")
    stage.window.palette_asked.emit()
    await settle()
    focus = stage.window.focusWidget()
    assert focus is not None
    QTest.keyClicks(focus, "check")
    await settle()


async def search(stage: Stage) -> None:
    """Places in all chats."""
    await stage.open("Harbour notes")
    stage.window.search_chats()
    QTest.keyClicks(stage.window.sidebar.search.field, "old bridge")
    await settle(0.8)


def page(name: str) -> Arrange:
    """A page of the settings."""

    async def arrange(stage: Stage) -> None:
        await _fill_settings(stage)
        stage.desk.settings.open(name)
        apps = stage.world.program.integrations
        await until(lambda: all(one.state != "starting" for one in apps.all()))
        await settle(0.8)

    return arrange


async def _fill_settings(stage: Stage) -> None:
    program = stage.world.program
    # The apps of the tests: one that runs, one whose command is nowhere, one that is switched off.
    program.integrations._keys = MemoryKeys()
    await program.integrations.add(hostile(name="harbour-weather"))
    await program.integrations.add(replace(hostile(name="chart-room"), command="chartroomd", args=("--stdio",)))
    await program.integrations.add(hostile(name="old-logbook"), is_on=False)
    for fact in ("Ana gets seasick on open water", "The boat is 9 m long and draws 1.2 m", "Takes the 07:40 ferry"):
        await program.hands.memories.add(fact)
    folder = stage.folder / "Harbour notes"
    folder.mkdir(exist_ok=True)
    await program.hands.grant(str(folder))
    await program.hands.permissions.allow(source="harbour-weather", tool="forecast", digest="", definition="")
    await program.hands.permissions.allow(source="builtin", tool="remember", digest="", definition="")


def chat(title: str, *, up: bool = False) -> Arrange:
    """A chat that is only opened, read from its top if `up`."""

    async def arrange(stage: Stage) -> None:
        await stage.open(title)
        if up:
            stage.window.view.verticalScrollBar().setValue(0)
        await settle(0.8)

    return arrange


async def long_names(stage: Stage) -> None:
    """A model with a name that is longer than the window."""
    await stage.open(LONG_TITLE)
    name = "an-organisation-with-a-long-name/a-model-fine-tuned-on-harbours-70b-instruct-v2.1-q4_k_m-extended-context"
    stage.window.header.model.show_model("OpenRouter", name, "strict", checked=True)
    await settle()


async def no_chats(stage: Stage) -> None:
    """A provider, and no chat yet."""
    for one in stage.world.chats.values():
        await stage.world.program.chats.delete(one)
    await stage.desk.chats.refresh()
    stage.window.new_chat.emit()
    await settle()


async def composer(stage: Stage) -> None:
    """Asking for a tool by its name."""
    await stage.open("Letter to the harbour board")
    stage.window.shell.show_panel(False)
    stage.window.composer.setFocus()
    stage.window.composer.attachments.show_items(attached())
    QTest.keyClicks(stage.window.composer.writing, "/re")
    await settle()


def attached() -> list[Attached]:
    """A picture and two files."""
    image = QImage(1_600, 1_067, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.fillRect(image.rect(), QColor("#BEDDE2"))
    painter.fillRect(0, 700, 1_600, 367, QColor("#0B6876"))
    painter.setBrush(QColor("#E0885A"))
    painter.drawEllipse(700, 250, 300, 300)
    painter.end()
    picture = from_image(image)
    assert picture is not None
    return [
        PicturePart(picture, "north-pier.jpg"),
        FilePart("mooring-rules.pdf", "Nobody lies at the pier. " * 868),
        FilePart("log.txt", "Tide is high. " * 2_450),
    ]


async def sent_attachments(stage: Stage) -> None:
    """A message with a picture and files, as it was sent."""
    stage.window.new_chat.emit()
    stage.world.server.then(sse(chunk("Inside only, from 18:00 to 09:00."), chunk(finish="stop")))
    stage.window.composer.attachments.show_items(attached())
    stage.window.composer.set_text("Compare the rules with this log.")
    stage.window.composer.writing.enter.emit()
    await settle(1.2)


async def preview(stage: Stage) -> None:
    """The picture of such a message, large."""
    await sent_attachments(stage)
    stage.window.view.findChildren(AttachedStrip)[0].chips[0].click()
    await settle(0.6)


async def drop(stage: Stage) -> None:
    """Files are held over the chat, with one in the composer that can't be attached."""
    await stage.open("Letter to the harbour board")
    stage.desk.chats.attach.add([Path(__file__).parent])
    await settle()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(__file__)])
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    event = QDragEnterEvent(QPoint(9, 9), copy, data, left, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(stage.window.page, event)
    await settle()


async def in_words(stage: Stage) -> None:
    """A model that gets its tools in words, while it answers."""
    stage.window.new_chat.emit()
    fact = '<tool_call>{"name": "remember", "arguments": {"content": "takes the 07:40 ferry"}}</tool_call>'
    noted = "Noted: you take the **07:40** ferry. I will use it when you ask about mornings."
    words = "Your ferry leaves at 07:40, and Quay 4 is twelve minutes from home on foot. With five minutes to board"
    refused = json_reply({"error": {"message": "mistral-small-3.2 does not support tools"}}, 400)
    stage.world.server.then(refused, sse(chunk(fact), chunk(finish="stop")), sse(chunk(noted), chunk(finish="stop")))
    await stage.model("Mistral Small 3.2")
    stage.window.composer.set_text("Please remember that I take the 07:40 ferry.")
    stage.window.composer.writing.enter.emit()
    await until(lambda: stage.desk.chats.session is not None and stage.desk.chats.session.question is not None)
    session = stage.desk.chats.session
    assert session is not None
    stage.window.view.answered.emit(session.question.id if session.question else "", "always", "")
    await until(lambda: not session.running)
    await settle()
    stage.world.server.then(sse(chunk(words), HANG, done=False))
    stage.window.composer.set_text("When do I have to leave home on Monday?")
    stage.window.composer.writing.enter.emit()
    await settle(1.0)


async def welcome(stage: Stage) -> None:
    """The first start."""
    await settle()


async def long_chat(stage: Stage) -> None:
    """A long chat, read in its middle, with the pointer over a message."""
    await stage.open("Wind and swell, explained")
    view = stage.window.view
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    QTest.mouseMove(view.viewport(), QPoint(300, 300))
    await settle()


async def empty(stage: Stage) -> None:
    """A new chat."""
    stage.window.new_chat.emit()
    await settle()


SCENES: Sequence[Scene] = (
    Scene("01-main-light", "01-main-light.png", main_light),
    Scene("02-main-dark", "02-main-dark.png", main_light, theme="dark"),
    Scene("03-call-card", "03-call-card.png", call_card),
    Scene("04-guard-question", "04-guard-question.png", question),
    Scene("05-model-picker", "05-model-picker.png", picker),
    Scene("06-welcome", "06-welcome.png", welcome, blank=True),
    Scene("07-settings-providers", "07-settings-providers.png", providers),
    Scene("08-settings-models", "08-settings-models.png", models),
    Scene("09-settings-apps", "09-settings-apps.png", page("Apps")),
    Scene("10-call-not-run", "10-call-not-run.png", not_run),
    Scene("11-empty-and-offline", "11-empty-and-offline.png", broken),
    Scene("12-narrow", "12-narrow.png", narrow, (900, 600)),
    Scene("13-command-palette", "13-command-palette.png", palette),
    Scene("14-search", "14-search.png", search),
    Scene("15-composer", "15-composer.png", composer),
    Scene("16-in-words", "16-in-words.png", in_words),
    Scene("22-attachments-sent", "", sent_attachments),
    Scene("23-attachment-large", "", preview),
    Scene("24-drop", "", drop),
    Scene("25-attachments-dark-narrow", "", composer, (640, 480), theme="dark"),
    Scene("30-long-chat", "", long_chat, (1280, 800)),
    Scene("31-empty-chat-dark", "", empty, theme="dark"),
    Scene("32-small-window", "", not_run, (480, 420)),
    Scene("33-picker-dark", "", picker, theme="dark"),
    Scene("34-call-card-dark", "", call_card, theme="dark"),
    Scene("35-small-picker", "", picker, (640, 480)),
    Scene("36-settings-narrow", "", models, (640, 480)),
    Scene("37-large-type", "", main_light, (1366, 768), zoom=200),
    Scene("38-high-contrast", "", call_card, theme="high"),
    Scene("39-small-type", "", not_run, (1366, 768), zoom=80),
    Scene("41-files", "", page("Files")),
    Scene("42-memory", "", page("Memory")),
    Scene("43-permissions", "", page("Permissions")),
    Scene("44-memory-dark-narrow", "", page("Memory"), (640, 480), theme="dark"),
    Scene("45-permissions-high", "", page("Permissions"), theme="high"),
    Scene("46-apps-narrow", "", page("Apps"), (640, 480)),
    Scene("47-picker-folded", "", picker_folded, (1280, 800)),
    Scene("48-picker-high", "", picker, theme="high"),
    Scene("49-offline-narrow", "", broken, (640, 480)),
    Scene("50-in-words-dark", "", in_words, theme="dark"),
    Scene("51-no-chats", "", no_chats),
    Scene("52-long-names", "", long_names, (1100, 700)),
    Scene("53-long-names-narrow", "", long_names, (480, 360)),
    Scene("54-right-to-left", "", chat("من اليمين إلى اليسار"), (1280, 800)),
    Scene("55-huge-table", "", chat("One huge table", up=True), (1280, 800)),
    Scene("56-much-code", "", chat("Much code", up=True), (1280, 800)),
    Scene("57-many-calls", "", chat("Many calls", up=True), (1280, 800)),
    Scene("58-least-window", "", chat("Harbour notes"), (480, 360)),
    Scene("59-largest-type", "", chat("Harbour notes"), (1366, 768), zoom=200),
    Scene("60-welcome-narrow-dark", "", welcome, (480, 600), theme="dark", blank=True),
    Scene("61-palette-high", "", palette, theme="high"),
    Scene("40-large-search", "", search, (1366, 768), zoom=150),
)
