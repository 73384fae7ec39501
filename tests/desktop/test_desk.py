"""The window at work: a real program behind it, a scripted server as the provider, keys and clicks in front."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QTextBrowser, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.desk import Desk
from conch_desktop.desktop.question import QuestionCard
from conch_desktop.desktop.settings_look import LookSection
from conch_desktop.desktop.settings_page import SettingsPage
from conch_desktop.desktop.settings_parts import FactRow
from conch_desktop.desktop.spawn import Tasks
from conch_desktop.desktop.welcome import Welcome
from conch_desktop.desktop.window import Window
from conch_desktop.domain.models import Provider
from conch_desktop.engine.assembly import Program
from conch_desktop.providers import model_file
from conch_desktop.store.settings import LAST_MODEL
from tests.desktop.conftest import Run
from tests.servers import HANG, ScriptedServer, Wait, call, chunk, json_reply, say, sse, text_reply

CHAT = "/v1/chat/completions"
KEY = "CONCH_TEST_KEY"


class Use:
    """A person in front of one window."""

    def __init__(self, window: Window, program: Program, desk: Desk, server: ScriptedServer) -> None:
        self.window, self.program, self.desk, self.server = window, program, desk, server

    async def until(self, condition: Callable[[], Any], what: str = "", seconds: float = 10.0) -> None:
        """Waits until something is so."""
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, what or "it did not happen"
            await asyncio.sleep(0.01)

    def type(self, text: str) -> None:
        """Types into the composer."""
        self.window.composer.setFocus()
        QTest.keyClicks(self.window.composer.writing, text)

    def enter(self, *, shift: bool = False) -> None:
        """Presses Enter in the composer."""
        modifier = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
        QTest.keyClick(self.window.composer.writing, Qt.Key.Key_Return, modifier)

    async def say(self, text: str) -> None:
        """Types and sends."""
        self.type(text)
        self.enter()
        await asyncio.sleep(0)

    def shown(self) -> str:
        """All words that are seen in the chat, from top to bottom."""
        texts = [one for one in self.window.view.findChildren(QTextEdit) if one.isVisibleTo(self.window.view)]
        texts.sort(key=lambda one: one.mapTo(self.window, one.rect().topLeft()).y())
        return "\n".join(one.toPlainText() for one in texts)

    def button(self, words: str, within: QWidget | None = None) -> QPushButton | None:
        """A button by what it says."""
        for one in (within or self.window).findChildren(QPushButton):
            if one.text().replace("&", "") == words and one.isVisible():
                return one
        return None

    def press(self, words: str, within: QWidget | None = None) -> None:
        """Presses a button by what it says."""
        found = self.button(words, within)
        assert found is not None, words
        QTest.mouseClick(found, Qt.MouseButton.LeftButton)

    @property
    def question(self) -> QuestionCard | None:
        """The open question."""
        found = [one for one in self.window.view.findChildren(QuestionCard) if one.isVisible()]
        return found[-1] if found else None

    @property
    def running(self) -> bool:
        """Whether an answer runs."""
        return self.window.composer.send.running

    async def answered(self) -> None:
        """Waits until nothing runs any more."""
        await self.until(lambda: not self.running, "the answer did not end")
        await asyncio.sleep(0.05)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer().in_thread() as made:
        made.route("GET /v1/models", json_reply({"object": "list", "data": [{"id": "demo", "object": "model"}]}))
        for where in ("GET /api/tags", "POST /api/show", "GET /api/ps", "GET /props"):
            made.route(where, json_reply({"error": "not found"}, 404))  # it says nothing more of its models
        yield made


Work = Callable[[Use], Awaitable[None]]


@pytest.fixture
def use(
    window: Window, server: ScriptedServer, run: Run[None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Work], None]:
    """Runs a piece of work on a window with a program behind it; may be called again on the same profile."""
    monkeypatch.setenv(KEY, "sk-pier-of-the-tests")

    async def live(work: Work) -> None:
        program = await Program.open(tmp_path / "profile")
        program.use(Provider("pier", "openai", "Pier", server.url, KEY))
        program.server_ports = (9,)  # servers of whoever runs the tests are left alone
        await program.settings.set(LAST_MODEL, "pier/demo")
        tasks = Tasks(window.say)
        desk = Desk(window, program, tasks)
        try:
            await desk.start()
            await work(Use(window, program, desk, server))
        finally:
            await desk.aclose()
            await tasks.aclose()
            await program.aclose()

    return lambda work: run(live(work))


# Streaming ----------------------------------------------------------------------------------------------------------


def test_an_answer_is_all_its_pieces(use: Callable[[Work], None], server: ScriptedServer) -> None:
    pieces = [
        "The **early** boat, ",
        "`vector<int>` and ",
        "vector<int> ",
        "![m](file:///etc/passwd) ",
        "你好 \U0001f6a2",
    ]

    async def work(one: Use) -> None:
        server.then(sse(*(chunk(piece) for piece in pieces), chunk(finish="stop")))
        await one.say("When?")
        await one.until(lambda: one.running)
        await one.answered()
        assert one.desk.chats.session is not None
        assert one.desk.chats.session.messages[-1].text == "".join(pieces)
        assert "The early boat, vector<int> and vector<int> [m] (file:///etc/passwd) 你好" in one.shown()
        assert one.window.sidebar.list.rows.rows[1].title == "When?"

    use(work)


def test_what_is_read_does_not_move_while_it_streams(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        server.then(say("A long beginning.\n\n" + "words and words\n\n" * 80))
        await one.say("first")
        await one.until(lambda: one.running)
        await one.answered()
        many = [chunk(f"line {number} of it\n\n") for number in range(60)]
        server.then(sse(*many[:20], Wait(0.2), *many[20:40], Wait(0.2), *many[40:], chunk(finish="stop")))
        await one.say("second")
        await one.until(lambda: "line 5 of it" in one.shown())
        bar = one.window.view.verticalScrollBar()
        bar.setValue(bar.maximum() // 3)
        await asyncio.sleep(0.05)
        value, most = bar.value(), bar.maximum()
        await one.answered()
        assert bar.maximum() > most
        assert bar.value() == value
        one.window.view.go_to_end()
        await asyncio.sleep(0.05)
        assert bar.value() == bar.maximum()

    use(work)


def test_the_end_is_followed_while_it_is_in_view(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        server.then(sse(*(chunk(f"line {number}\n\n") for number in range(120)), chunk(finish="stop")))
        await one.say("go")
        await one.until(lambda: one.running)
        await one.answered()
        bar = one.window.view.verticalScrollBar()
        assert bar.maximum() > 0
        assert bar.value() == bar.maximum()

    use(work)


# Stop, and faults ---------------------------------------------------------------------------------------------------


def test_escape_stops_and_keeps_what_was_said(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        server.then(sse(chunk("So far "), chunk("so good."), HANG))
        await one.say("go")
        await one.until(lambda: "so good." in one.shown())
        began = time.monotonic()
        one.window.escape()
        await one.until(lambda: not one.running)
        assert time.monotonic() - began < 0.3
        assert "So far so good." in one.shown()
        assert one.window.composer.writing.hasFocus()
        server.then(say("Going on."))
        await one.say("what happened?")
        await one.until(lambda: "Going on." in one.shown())

    use(work)


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(json_reply({"error": {"message": "on fire"}}, 500), id="500"),
        pytest.param(text_reply("<html>hello</html>"), id="HTML"),
        pytest.param(text_reply("", content_type="text/event-stream"), id="empty"),
    ],
)
def test_a_fault_is_said_in_the_chat_with_a_way_on(
    use: Callable[[Work], None], server: ScriptedServer, fault: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conch_desktop.engine.retries.OWN_WAITS", (0.1, 0.1))

    async def work(one: Use) -> None:
        server.route(f"POST {CHAT}", fault)
        await one.say("hello")
        await one.until(lambda: one.button("Try again", one.window.view), "no way on is offered", 30)
        server.route(f"POST {CHAT}", say("Now it works."))
        await one.answered()
        one.press("Try again", one.window.view)
        await one.until(lambda: "Now it works." in one.shown())
        assert one.button("Try again", one.window.view) is None

    use(work)


def test_what_arrived_before_a_break_is_kept(use: Callable[[Work], None], server: ScriptedServer) -> None:
    from tests.servers import CUT

    async def work(one: Use) -> None:
        server.then(sse(chunk("Two boats were dropped, and "), CUT))
        await one.say("What changed?")
        await one.until(lambda: one.button("Continue", one.window.view), seconds=30)
        assert "Two boats were dropped, and" in one.shown()
        assert one.button("Try again", one.window.view)

    use(work)


def test_a_refused_key_asks_for_another(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        server.route(f"POST {CHAT}", json_reply({"error": {"message": "bad key"}}, 401))
        await one.say("hello")
        await one.until(lambda: one.button("Enter another key…", one.window.view), seconds=20)
        one.press("Enter another key…", one.window.view)
        await one.until(lambda: isinstance(one.window.whole.currentWidget(), SettingsPage))
        await one.until(lambda: one.window.focusWidget().accessibleName() == "New key")
        one.window.escape()
        assert one.window.whole.currentWidget() is one.window.shell

    use(work)


# The question -------------------------------------------------------------------------------------------------------


def test_a_call_waits_for_the_person_and_runs_after_their_word(
    use: Callable[[Work], None], server: ScriptedServer
) -> None:
    async def work(one: Use) -> None:
        server.then(call("remember", '{"content": "tea"}'), say("Noted."))
        await one.say("Remember tea")
        await one.until(lambda: one.question)
        assert one.question is not None
        # It did not take the focus, and what is typed meanwhile answers nothing.
        assert one.window.composer.writing.hasFocus()
        one.type("oca")
        one.enter()
        assert one.window.composer.waiting.texts == ("oca",)
        one.window.composer.waiting.buttons[0].click()
        assert await one.program.memories.all() == []
        assert one.window.sidebar.list.rows.rows[1].mark == "waiting"
        one.window.question_asked.emit()
        focus = one.window.focusWidget()
        assert one.question.isAncestorOf(focus)
        QTest.keyClick(focus, Qt.Key.Key_O)
        await one.until(lambda: "Noted." in one.shown())
        assert [fact.content for fact in await one.program.memories.all()] == ["tea"]
        await one.answered()
        await one.until(lambda: one.question is None)
        assert one.window.composer.text() == "oca"
        assert one.window.sidebar.list.rows.rows[1].mark == ""

    use(work)


def test_a_no_with_a_reason_reaches_the_model(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        server.then(call("remember", '{"content": "tea"}'), say("As you wish."))
        await one.say("Remember tea")
        await one.until(lambda: one.question)
        assert one.question is not None
        one.press("Deny…", one.question)
        QTest.keyClicks(one.question.reason, "keep note 12")
        QTest.keyClick(one.question.reason, Qt.Key.Key_Return)
        await one.until(lambda: "As you wish." in one.shown())
        assert await one.program.memories.all() == []
        told = server.of(CHAT)[1].json["messages"][-1]["content"]
        assert "keep note 12" in told

    use(work)


def test_always_in_this_chat_asks_no_second_time(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        server.then(call("remember", '{"content": "tea"}'), call("remember", '{"content": "milk"}'), say("Both."))
        await one.say("Remember both")
        await one.until(lambda: one.question)
        one.press("Always allow in this chat", one.question)
        await one.until(lambda: "Both." in one.shown())
        assert len(await one.program.memories.all()) == 2

    use(work)


def test_stop_ends_an_open_question(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        server.then(call("remember", '{"content": "tea"}'), say("After."))
        await one.say("Remember tea")
        await one.until(lambda: one.question)
        one.window.escape()
        await one.until(lambda: not one.running)
        await one.until(lambda: one.question is None)
        assert await one.program.memories.all() == []

    use(work)


def test_a_line_in_the_chat_opens_the_card_of_its_call(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        server.then(call("recall", '{"about": "ferry"}'), say("Nothing."))
        await one.say("Recall")
        await one.until(lambda: one.running)
        await one.answered()
        one.window.shell.show_panel(False)
        line = next(
            button
            for button in one.window.view.findChildren(QPushButton)
            if "Call of recall" in button.accessibleName()
        )
        QTest.mouseClick(line, Qt.MouseButton.LeftButton)
        assert one.window.shell.panel_shown
        texts = [box.toPlainText() for box in one.window.activity.findChildren(QTextEdit) if box.isVisible()]
        assert '{"about": "ferry"}' in texts

    use(work)


# Chats and drafts ---------------------------------------------------------------------------------------------------


def test_drafts_belong_to_their_chats_and_come_back(
    use: Callable[[Work], None], server: ScriptedServer, window: Window
) -> None:
    async def first(one: Use) -> None:
        server.then(say("Hello."))
        await one.say("hello")
        await one.until(lambda: one.running)
        await one.answered()
        one.type("half a thought")
        one.window.new_chat.emit()
        await asyncio.sleep(0.1)
        assert one.window.composer.text() == ""
        one.type("another one")
        old = next(chat for chat in one.desk.chats.chats if chat.title == "hello")
        await one.desk.chats.open(old.id)
        assert one.window.composer.text() == "half a thought"

    use(first)
    window.composer.set_text("")

    async def second(one: Use) -> None:
        assert one.window.composer.text() == "half a thought"
        assert "Hello." in one.shown()
        drafts = {chat.draft for chat in await one.program.chats.listing()}
        assert drafts == {"half a thought", "another one"}

    use(second)


def test_a_deleted_chat_comes_back_with_undo(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        server.then(say("Hello."))
        await one.say("keep me")
        await one.until(lambda: one.running)
        await one.answered()
        chat = one.desk.chats.chat
        one.window.sidebar._delete(chat)
        await one.until(lambda: not one.window.sidebar.list.rows.rows)
        assert one.button("Undo") is not None
        one.press("Undo")
        await one.until(lambda: one.desk.chats.chat == chat)
        assert "Hello." in one.shown()
        assert one.window.sidebar.list.rows.rows[1].title == "keep me"

    use(work)


def test_a_chat_is_renamed_and_pinned(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        server.then(say("Hello."))
        await one.say("first name")
        await one.until(lambda: one.running)
        await one.answered()
        one.window.sidebar.renamed.emit(one.desk.chats.chat, "second name")
        one.window.sidebar.pinned.emit(one.desk.chats.chat, True)
        await one.until(lambda: one.window.sidebar.list.rows.rows[0].title == "Pinned")
        assert one.window.sidebar.list.rows.rows[1].title == "second name"
        assert "second name" in one.window.windowTitle()

    use(work)


def test_the_search_finds_words_of_messages(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        server.then(say("The ferry leaves at noon."))
        await one.say("When?")
        await one.until(lambda: one.running)
        await one.answered()
        one.window.sidebar.search.field.setText("ferry")
        await one.until(lambda: any(row.title == "When?" for row in one.window.sidebar.list.rows.rows))
        one.window.sidebar.search.field.setText("no such word")
        await one.until(lambda: not one.window.sidebar.list.rows.rows)

    use(work)


# The menu of tools --------------------------------------------------------------------------------------------------


def test_a_slash_names_a_tool_for_this_message(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        server.then(call("recall", '{"about": "tea"}'), say("Nothing."))
        one.type("/rec")
        menu = one.desk.chats._menu
        assert menu.isVisible()
        assert menu.shown == ["recall"]
        one.enter()
        assert one.window.composer.text() == "/recall "
        assert not menu.isVisible()
        one.type("tea")
        one.enter()
        await one.until(lambda: "Nothing." in one.shown())
        assert server.of(CHAT)[0].json["tool_choice"]["function"]["name"] == "recall"
        assert "/recall tea" in one.shown()

    use(work)


def test_a_slash_names_a_tool_further_on_too(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        server.then(call("recall", '{"about": "tea"}'), say("Nothing."))
        one.type("Look at this log, then /rec")
        menu = one.desk.chats._menu
        assert menu.shown == ["recall"]
        one.enter()
        assert one.window.composer.text() == "Look at this log, then /recall "
        assert not menu.isVisible()
        for words in ("and/rec", "/usr/rec", "to /rec now"):
            one.window.composer.set_text("")
            one.type(words)
            assert not menu.isVisible()
        one.window.composer.set_text("")
        one.type("Then")
        one.window.composer.slash_button.click()
        assert one.window.composer.text() == "Then /"
        assert menu.isVisible()
        one.type("recal")
        one.enter()
        one.type("tea")
        one.enter()
        await one.until(lambda: "Nothing." in one.shown())
        assert server.of(CHAT)[0].json["tool_choice"]["function"]["name"] == "recall"
        assert "Then /recall tea" in str(server.of(CHAT)[0].json["messages"][-1]["content"])

    use(work)


def test_escape_closes_the_menu_and_keeps_the_text(use: Callable[[Work], None]) -> None:
    async def work(one: Use) -> None:
        one.type("/re")
        assert one.desk.chats._menu.isVisible()
        one.window.escape()
        assert not one.desk.chats._menu.isVisible()
        assert one.window.composer.text() == "/re"

    use(work)


# Models and providers -----------------------------------------------------------------------------------------------


def _form(one: Use) -> Any:
    return one.window.whole.currentWidget()


def test_a_provider_is_tested_and_added(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        one.desk.models.open_form("openai")
        form = _form(one)
        form.url.setText(f"{server.url}/wrong")
        form.key.setText("sk-pier-7Q2M-0000-LOCAL")
        QTest.mouseClick(form.test, Qt.MouseButton.LeftButton)
        await one.until(lambda: "404" in form.said.words.text())
        assert f"{server.url}/wrong/models" in form.said.words.text()
        form.url.setText(server.url)
        QTest.mouseClick(form.test, Qt.MouseButton.LeftButton)
        await one.until(lambda: form.said.words.text().startswith("1 model"))
        form.name.setText("Harbour")
        QTest.mouseClick(form.save, Qt.MouseButton.LeftButton)
        await one.until(lambda: one.window.whole.currentWidget() is one.window.shell)
        assert "Harbour" in [provider.name for provider in await one.program.providers()]
        keys = {request.headers.get("authorization") for request in server.of("/v1/models")}
        # An address at home is looked at while it is typed, without a key.
        assert keys - {None} == {"Bearer sk-pier-of-the-tests", "Bearer sk-pier-7Q2M-0000-LOCAL"}
        assert "7Q2M" not in one.window.windowTitle()
        # There is no key store in the tests: that is said, and the key is kept for this run.
        assert "until you quit" in one.window._said.text()

    use(work)


def test_the_picker_chooses_the_model_of_the_chat(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        data = [{"id": f"coder-{number}", "object": "model"} for number in range(40)]
        server.route("GET /v1/models", json_reply({"object": "list", "data": data}))
        one.window.pick_model.emit()
        picker = one.desk.models._picker
        assert picker is not None
        assert picker.search.hasFocus()
        await one.until(lambda: any(row.entry and row.entry.name == "coder-14" for row in picker.rows.rows))
        QTest.keyClicks(picker.search, "14 coder")
        QTest.keyClick(picker.search, Qt.Key.Key_Return)
        await one.until(lambda: one.desk.chats.model_id == "pier/coder-14")
        assert not picker.isVisible()
        await one.until(lambda: one.window.header.model.accessibleName().startswith("Model: coder-14, from Pier"))
        server.then(say("Hi."))
        await one.say("hello")
        await one.until(lambda: "Hi." in one.shown())
        assert server.of(CHAT)[0].json["model"] == "coder-14"

    use(work)


def test_a_provider_that_fails_says_so_in_the_picker(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        server.route("GET /v1/models", json_reply({"error": {"message": "no"}}, 503))
        one.window.pick_model.emit()
        picker = one.desk.models._picker
        assert picker is not None
        await one.until(lambda: any(row.kind == "failure" for row in picker.rows.rows), seconds=30)

    use(work)


# The first start ----------------------------------------------------------------------------------------------------


def test_the_first_page_offers_three_ways_and_a_fetch_can_be_cancelled(
    window: Window, run: Run[None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_file, "small_model_path", lambda: None)
    asked: list[str] = []

    async def fetch(self: Program, progress: Callable[[int, int], None]) -> Path:
        asked.append("begun")
        progress(41_000_000, 92_871_040)
        try:
            await asyncio.sleep(60)
        finally:
            asked.append("ended")
        return Path()

    monkeypatch.setattr(Program, "fetch_local", fetch)

    async def live() -> None:
        program = await Program.open(tmp_path / "profile")
        tasks = Tasks(window.say)
        desk = Desk(window, program, tasks)
        try:
            await desk.start()
            page = window.pages.currentWidget()
            assert isinstance(page, Welcome)
            use = Use(window, program, desk, ScriptedServer())
            use.press("Fetch and start")
            await use.until(lambda: page.fetch._said.text() == "41 of 93 MB")
            use.press("Cancel", page)
            await use.until(lambda: asked == ["begun", "ended"])
            await use.until(lambda: page.fetch.button.isVisible())
            use.press("Enter a key…")
            assert _form(use).accessibleName() == "Add a provider"
            _form(use).cancelled.emit()
            assert window.pages.currentWidget() is page
        finally:
            await desk.aclose()
            await tasks.aclose()
            await program.aclose()

    run(live())


# Settings -----------------------------------------------------------------------------------------------------------


def test_facts_are_edited_and_deleted_in_the_settings(use: Callable[[Work], None]) -> None:
    async def work(one: Use) -> None:
        fact = await one.program.memories.add("Ana likes tea")
        one.desk.settings.open("Memory")
        await one.until(lambda: isinstance(one.window.whole.currentWidget(), SettingsPage))
        row = one.window.findChild(FactRow)
        assert row is not None
        row.edited.emit(fact.id, "Ana likes coffee")
        await asyncio.sleep(0.1)
        assert [known.content for known in await one.program.memories.all()] == ["Ana likes coffee"]
        row = one.window.findChild(FactRow)
        assert row is not None
        row.removed.emit(fact.id)
        await asyncio.sleep(0.1)
        assert await one.program.memories.all() == []

    use(work)


def test_theme_and_text_size_come_back(use: Callable[[Work], None], window: Window) -> None:
    from conch_desktop.desktop.theme import look

    async def first(one: Use) -> None:
        await one.desk.settings._open("Appearance", "")
        section = one.desk.settings.sections["Appearance"]
        assert isinstance(section, LookSection)
        section.choose_theme("dark")
        one.window.zoomed.emit(1)
        one.window.zoomed.emit(1)
        one.window.shell.show_panel(False)
        await asyncio.sleep(0.1)

    use(first)
    look.choose("light")
    look.set_zoom(100)
    window.shell.show_panel(True)

    async def second(one: Use) -> None:
        assert (look.name, look.zoom) == ("dark", 120)
        assert not one.window.shell.panel_shown

    use(second)


# Hostile text -------------------------------------------------------------------------------------------------------


def test_hostile_markdown_leaves_the_window_alive(
    qtbot: QtBot, use: Callable[[Work], None], server: ScriptedServer
) -> None:
    hostile = [">" * 5000 + " x", "*" * 50_000, "[" * 5000, "\u202eabc " * 2000, "<script>alert(1)</script>" * 200]

    async def work(one: Use) -> None:
        for text in hostile:
            server.then(say(text, pieces=20))
            await one.say("go")
            await one.until(lambda: one.running)
            await one.answered()
        browsers = one.window.view.findChildren(QTextBrowser)
        assert browsers
        browsers[-1].moveCursor(QTextCursor.MoveOperation.End)
        assert one.window.composer.isEnabled()

    use(work)


def test_quick_hands_lose_no_word(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        for number in range(4):
            one.type(f"thought {number}")
            one.window.new_chat.emit()
        await asyncio.sleep(0.6)
        drafts = sorted(chat.draft for chat in await one.program.chats.listing())
        assert drafts == [f"thought {number}" for number in range(4)]

    use(work)


def test_typing_makes_one_chat_however_long_it_takes(use: Callable[[Work], None], server: ScriptedServer) -> None:
    async def work(one: Use) -> None:
        for word in ("one ", "two ", "three"):
            one.type(word)
            await asyncio.sleep(0.45)
        server.then(say("Yes."))
        one.enter()
        await one.until(lambda: "Yes." in one.shown())
        chats = await one.program.chats.listing()
        assert [(chat.title, chat.draft) for chat in chats] == [("one two three", "")]

    use(work)
