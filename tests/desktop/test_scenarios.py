"""What a person does and must see, with the whole program behind the window and a scripted server in front of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from conch_desktop.desktop import chats_desk
from conch_desktop.desktop.buttons import IconButton
from conch_desktop.desktop.desk import Desk
from conch_desktop.desktop.message_parts import Actions
from conch_desktop.desktop.notice_line import NoticeLine
from conch_desktop.desktop.picker import ModelPicker
from conch_desktop.desktop.question import QuestionCard
from conch_desktop.desktop.trouble import TroubleBlock
from conch_desktop.desktop.window import Window
from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.messages import Message, TextPart
from conch_desktop.domain.tools import Effect, Tool, ToolAnswer, ToolContext, answer
from conch_desktop.engine.assembly import Program
from conch_desktop.tools.toolbox import Toolbox
from tests.desktop.at_work import at_work, said, until
from tests.servers import HANG, Reply, call, call_piece, chunk, json_reply, say, sse

Run = Callable[[Coroutine[Any, Any, Any]], Any]
CHAT = "/v1/chat/completions"

SENT = (
    "{from: 'Quay 4', to: 'Mill Lane', legs: \"3\", mode: 'Ferry', via: \"Old Bridge\", fast: \"true\", "
    "colour: 'blue',}"
)
ROUTE = {
    "type": "object",
    "properties": {
        "from": {"type": "string"},
        "to": {"type": "string"},
        "legs": {"type": "integer"},
        "mode": {"enum": ["walk", "tram", "ferry"]},
        "via": {"type": "array", "items": {"type": "string"}},
        "fast": {"type": "boolean"},
    },
    "required": ["from", "to"],
}
NOTE = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}


class Kept(list[dict[str, Any]]):
    """The arguments a tool was run with, and that tool."""

    def tool(self, name: str, schema: Mapping[str, Any], effect: Effect = "read", *, waits: bool = False) -> Tool:
        """A tool of an app; one that `waits` ends only when it is stopped."""

        async def work(args: Mapping[str, Any], context: ToolContext) -> ToolAnswer:
            self.append(dict(args))
            if waits:
                await asyncio.Event().wait()
            return answer(f"{name} answered {len(self)}")

        return Tool(name, "Does something.", schema, effect, work, source="harbour")


def give(program: Program, *tools: Tool) -> None:
    program.toolbox = Toolbox((*program.toolbox.tools, *tools))


async def ask(window: Window, text: str) -> None:
    window.composer.set_text(text)
    window.composer.writing.enter.emit()
    await asyncio.sleep(0)


def calls(desk: Desk) -> list[CallRecord]:
    session = desk.chats.session
    return [one for message in session.messages for one in message.calls] if session is not None else []


def question(window: Window) -> QuestionCard | None:
    found = [one for one in window.view.findChildren(QuestionCard) if one.isVisible() and one.isEnabled()]
    return found[-1] if found else None


async def deny(window: Window, reason: str) -> None:
    """Waits for a question, says no to it, and waits until it is gone."""
    await until(lambda: question(window))
    card = question(window)
    assert card is not None
    card.buttons["deny"].click()
    card.reason.setText(reason)
    card.reason.entered.emit()
    await until(lambda: question(window) is not card)


def press(name: str, within: QWidget) -> None:
    """Presses a button by its name."""
    found = [one for one in within.findChildren(IconButton) if one.accessibleName() == name]
    assert found, name
    QTest.mouseClick(found[0], Qt.MouseButton.LeftButton)


# Finding a model ----------------------------------------------------------------------------------------------------


def test_one_model_of_412_is_found_chosen_and_kept(run: Run, tmp_path: Path) -> None:
    names = [f"maker-{number}/{'coder' if number % 9 == 8 else 'writer'}-{number % 40}b" for number in range(412)]

    def open_picker(window: Window) -> ModelPicker:
        window.pick_model.emit()
        picker = window.findChild(ModelPicker)
        assert picker is not None
        return picker

    async def first() -> None:
        async with at_work(tmp_path) as (window, _, desk, server, _):
            server.route("GET /v1/models", json_reply({"data": [{"id": name} for name in names]}))
            picker = open_picker(window)
            await until(lambda: len([row for row in picker.rows.rows if row.entry]) >= 412)
            rows = [row for row in picker.rows.rows if row.entry and row.entry.provider == "Pier"]
            assert {row.entry.mode for row in rows if row.entry} == {"untried"}
            QTest.keyClicks(picker.search, "14 CODER")
            shown = [row.entry.name for row in picker.rows.rows if row.entry]
            assert shown == [name for name in names if "coder" in name and "14" in name]
            wanted = shown[-1]
            for _ in shown[1:]:
                QTest.keyClick(picker.search, Qt.Key.Key_Down)
            QTest.keyClick(picker.search, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
            QTest.keyClick(picker.search, Qt.Key.Key_Return)
            await until(lambda: desk.chats.model_id.endswith(wanted))
            server.then(say("Hello."))
            await ask(window, "hello")
            await until(lambda: server.of(CHAT))
            assert server.of(CHAT)[0].json["model"] == wanted
            assert server.of(CHAT)[0].json["tools"]
            await until(lambda: not window.composer.send.running)
            before = desk.chats.model_id
            picker = open_picker(window)
            QTest.keyClicks(picker.search, "writer")
            QTest.keyClick(picker.search, Qt.Key.Key_Escape)
            window.escape()
            assert desk.chats.model_id == before

    async def again() -> None:
        async with at_work(tmp_path, provider="") as (window, _, _, _, _):
            picker = open_picker(window)
            headings = [row.text for row in picker.rows.rows if row.kind == "heading"]
            assert headings[0] == "Favourites"
            liked = picker.rows.rows[1].entry
            assert liked is not None
            assert "coder" in liked.name

    run(first())
    run(again())


# Watching a call ----------------------------------------------------------------------------------------------------


def test_almost_json_is_mended_and_the_card_shows_what_was_mended(run: Run, tmp_path: Path) -> None:
    ran = Kept()

    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            give(program, ran.tool("plan_route", ROUTE))
            server.then(call("plan_route", SENT), say("Take the ferry."))
            await ask(window, "How do I get to Mill Lane?")
            await until(lambda: calls(desk) and not window.composer.send.running)
            (made,) = calls(desk)
            wanted = {"from": "Quay 4", "to": "Mill Lane", "legs": 3, "mode": "ferry", "via": ["Old Bridge"]}
            assert ran == [{**wanted, "fast": True}]
            window.view.call_pressed.emit(made.id)
            card = window.activity.card(made.id)
            assert card is not None
            assert card.body is not None
            lines = [row.words for row in card.body.mends]
            for start in (
                "7 keys",
                "4 texts in single quotes",
                "The comma",
                "legs:",
                "mode:",
                "via:",
                "fast:",
                "colour",
            ):
                assert any(line.startswith(start) for line in lines), start
            press("Copy Sent", card)
            assert QGuiApplication.clipboard().text() == SENT
            press("Copy Ran", card)
            assert QGuiApplication.clipboard().text().startswith('{\n  "from": "Quay 4"')
            told = server.of(CHAT)[1].json["messages"][-1]["content"]
            assert "colour" in told

    run(scenario())


def test_a_call_is_run_again_by_hand_and_the_model_is_not_told(run: Run, tmp_path: Path) -> None:
    ran = Kept()

    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            give(program, ran.tool("find_note", NOTE))
            server.then(call("find_note", '{"id": "12"}'), say("Found."))
            await ask(window, "Find note 12")
            await until(lambda: calls(desk) and not window.composer.send.running)
            session = desk.chats.session
            assert session is not None
            before = session.messages
            window.view.call_pressed.emit(calls(desk)[0].id)
            window.activity.again_wanted.emit(calls(desk)[0].id)
            await until(lambda: len(ran) == 2)
            assert ran[0] == ran[1] == {"id": 12}
            card = window.activity.card(calls(desk)[0].id)
            assert card is not None

            def shown() -> str:
                assert card is not None
                boxes = [one for one in card.findChildren(QWidget) if hasattr(one, "toPlainText")]
                return "\n".join(box.toPlainText() for box in boxes)

            await until(lambda: "find_note answered 2" in shown())
            assert session.messages == before
            assert len(server.of(CHAT)) == 2
            program.toolbox = Toolbox()
            again = await program.run_again(desk.chats.chat, calls(desk)[0])
            assert not again.ran
            assert len(ran) == 2

    run(scenario())


# The guard's question -----------------------------------------------------------------------------------------------


def test_what_is_allowed_is_what_runs_and_always_lasts(run: Run, tmp_path: Path) -> None:
    ran = Kept()

    async def first() -> None:
        async with at_work(tmp_path) as (window, program, _, server, _):
            give(program, ran.tool("delete_note", NOTE, "outside"), ran.tool("send_note", NOTE, "outside"))
            server.then(call("delete_note", '{"id": "12", }'), say("Gone."))
            await ask(window, "Delete note 12")
            await until(lambda: question(window))
            card = question(window)
            assert card is not None
            assert card.ran.content == '{\n  "id": 12\n}'
            assert {card.question.tool, card.question.source} == {"delete_note", "harbour"}
            assert card.question.mends == 2
            window.composer.set_text("and then?")
            QTest.keyClick(window.composer.writing, Qt.Key.Key_Return)  # It waits; it allows nothing.
            assert ran == []
            card.buttons["always"].click()
            await until(lambda: len(ran) == 1)
            server.then(say("Nothing more."))
            await until(lambda: len(server.of(CHAT)) == 3 and not window.composer.send.running)

    async def again() -> None:
        async with at_work(tmp_path, provider="") as (window, program, desk, server, _):
            give(program, ran.tool("delete_note", NOTE, "outside"), ran.tool("send_note", NOTE, "outside"))
            await program.add_provider("openai", "Pier", server.url, "")
            await desk.models.read(refresh=True)
            provider = next(one for one in await program.providers() if one.url == server.url)
            await desk.models.choose(f"{provider.id}/m")
            server.then(call("delete_note", '{"id": 13}'), call("send_note", '{"id": 13}'), say("Done."))
            window.new_chat.emit()
            await ask(window, "Delete and send 13")
            await until(lambda: question(window))  # Only of the other tool.
            assert ran[-1] == {"id": 13}
            card = question(window)
            assert card is not None
            assert card.question.tool == "send_note"

    run(first())
    run(again())


def test_a_call_that_was_denied_asks_again(run: Run, tmp_path: Path) -> None:
    ran = Kept()

    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            give(program, ran.tool("delete_note", NOTE, "outside"))
            server.then(call("delete_note", '{"id": 12}'), call("delete_note", '{"id": 12}'), say("Kept."))
            await ask(window, "Delete note 12")
            await deny(window, "keep note 12")
            await deny(window, "keep note 12")
            await until(lambda: not window.composer.send.running)
            assert [one.state for one in calls(desk)] == ["denied", "denied"]
            assert "keep note 12" in server.of(CHAT)[1].json["messages"][-1]["content"]
            assert ran == []

    run(scenario())


# Stop ---------------------------------------------------------------------------------------------------------------

_READING = [chunk(calls=[call_piece("delete_note", "", call_id="a")]), chunk(calls=[call_piece(arguments='{"id"')])]
_TWO = sse(
    chunk(calls=[call_piece("wait", '{"id": 1}', call_id="a")]),
    chunk(calls=[call_piece("delete_note", '{"id": 2}', index=1, call_id="b")]),  # what changes something waits
    chunk(finish="tool_calls"),
)


@pytest.mark.parametrize(
    ("moment", "reply", "words", "states"),
    [
        ("first word", sse(HANG, done=False), "", []),
        ("words", sse(chunk("Half an answer"), HANG, done=False), "Half an answer", []),
        ("arguments", sse(chunk("Well. "), *_READING, HANG, done=False), "Well.", ["stopped"]),
        ("tool", _TWO, "", ["stopped", "stopped"]),
        ("question", call("delete_note", '{"id": 12}'), "", ["stopped"]),
    ],
)
def test_stop_means_stop_at_every_moment(
    run: Run, tmp_path: Path, moment: str, reply: Reply, words: str, states: list[str]
) -> None:
    ran = Kept()

    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            give(program, ran.tool("delete_note", NOTE, "outside"), ran.tool("wait", NOTE, waits=True))
            server.then(reply)
            await ask(window, "Do it")
            await until(lambda: desk.chats.session is not None and server.of(CHAT))
            session = desk.chats.session
            assert session is not None
            ready: dict[str, Callable[[], object]] = {
                "words": lambda: session.messages[-1].text,
                "arguments": lambda: calls(desk),
                "tool": lambda: ran,
                "question": lambda: question(window),
            }
            await until(ready.get(moment, lambda: True))
            window.escape()
            await until(lambda: not window.composer.send.running)
            assert window.focusWidget() is window.composer.writing
            last = session.messages[-1]
            assert last.state == "stopped"
            assert last.text.strip() == words
            assert [one.state for one in last.calls] == states
            assert len(ran) <= 1  # What waited for the first never began.
            server.then(say("You stopped me."))
            await ask(window, "what happened?")
            await until(lambda: session.messages[-1].text == "You stopped me.")
            sent = server.of(CHAT)[-1].json["messages"]
            asked = [one["id"] for message in sent for one in message.get("tool_calls", ())]
            assert [message["tool_call_id"] for message in sent if message["role"] == "tool"] == asked

    run(scenario())


# What is learnt -----------------------------------------------------------------------------------------------------


def test_what_a_model_taught_is_a_quiet_line_in_the_chat(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, server, _):
            server.then(json_reply({"error": {"message": "demo does not support tools"}}, 400), say("In words then."))
            await ask(window, "hello")
            await until(lambda: said(desk) == "In words then.")
            await until(lambda: not window.composer.send.running)
            (line,) = [one for one in window.view.findChildren(NoticeLine) if one.isVisible()]
            assert line.words == "This model takes no tools natively. From now on it gets them in words."
            assert window.view.rows[-1].markdown() == "In words then."
            window.shell.show_panel(False)
            line.asked.emit()
            assert window.activity.isVisible()

    run(scenario())


# After a crash ------------------------------------------------------------------------------------------------------


def test_what_broke_off_says_so_and_what_was_typed_is_there(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, model):
            chat = await program.chats.create(model=model, title="Broken off")
            running = CallRecord("c", "reserve_berth", "{}", source="harbour", state="running", args={}, started=1.0)
            half = Message("a", "assistant", (TextPart("Half"), running), 2.0, "streaming", model=model, author="m")
            await program.chats.put(chat.id, Message("u", "user", (TextPart("Reserve it"),), 1.0))
            await program.chats.put(chat.id, half)
            await program.chats.save_draft(chat.id, "not sent yet")
            await program.tidy()  # As at a start.
            await desk.chats.refresh()
            await desk.chats.open(chat.id)
            await until(lambda: window.view.findChildren(TroubleBlock))
            (block,) = window.view.findChildren(TroubleBlock)
            assert [name for name, _ in block.trouble.actions] == ["go_on", "retry"]
            assert "reserve_berth may or may not have run" in block.trouble.sentence
            assert [one.state for one in calls(desk)] == ["unknown"]
            assert window.composer.text() == "not sent yet"

    run(scenario())


def test_the_last_chat_its_draft_and_the_columns_come_back(run: Run, tmp_path: Path) -> None:
    async def first() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, model):
            chats = [await program.chats.create(model=model, title=title) for title in ("One", "Two", "Three")]
            for number, chat in enumerate(chats):
                await program.chats.put(chat.id, Message(f"u{number}", "user", (TextPart("Hello"),), 1.0))
            await desk.chats.refresh()
            await desk.chats.open(chats[1].id)
            window.composer.set_text("half a thought")
            window.shell.sidebar_width, window.shell.panel_width = 250, 400
            window.shell.show_panel(False)
            window.resize(1200, 700)

    async def again() -> None:
        async with at_work(tmp_path, provider="") as (window, _, desk, _, _):
            assert window.windowTitle().startswith("Two")
            assert window.composer.text() == "half a thought"
            assert (window.shell.sidebar_width, window.shell.panel_width) == (250, 400)
            assert not window.shell.panel_shown
            assert window.shell.sidebar_shown
            assert len(desk.chats.chats) == 3

    run(first())
    run(again())


def test_going_to_and_fro_between_two_chats_leaves_nothing_behind(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (_, program, desk, _, model):
            chats: list[str] = []
            for title in ("One", "Two"):
                chat = await program.chats.create(model=model, title=title)
                chats.append(chat.id)
                for number in range(30):
                    record = CallRecord(f"{title}{number}", "recall", "{}", state="done", args={}, answer="x", ms=3)
                    words = TextPart("Words with `code`\n\n- and\n- lists\n\n```py\nx = 1\n```")
                    await program.chats.put(chat.id, Message(f"u{number}", "user", (TextPart("And?"),), number + 1.0))
                    await program.chats.put(chat.id, Message(f"a{number}", "assistant", (record, words), number + 1.5))
            await desk.chats.refresh()
            counts: list[int] = []
            for step in range(20):
                await desk.chats.open(chats[step % 2])
                await asyncio.sleep(0.02)
                counts.append(len(QApplication.allWidgets()))
            assert counts[-1] <= counts[3]
            assert counts[-2] <= counts[2]

    run(scenario())


def test_an_answers_button_for_more_opens_its_menu(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, server, _):
            server.then(say("Far."))
            await ask(window, "How far?")
            await until(lambda: said(desk) == "Far." and not window.composer.send.running)
            await asyncio.sleep(0.05)
            press("More for this message", window.view)
            (menu,) = window.view.findChildren(QMenu)
            assert [action.text() for action in menu.actions() if action.text()] == ["Copy as Markdown", "Try again"]
            menu.close()
            server.then(say("Nearer."))
            await ask(window, "And by tram?")
            await until(lambda: said(desk) == "Nearer." and not window.composer.send.running)
            await asyncio.sleep(0.05)
            shown = [one.isVisible() for one in window.view.findChildren(Actions)]
            buttons = [one.menu.isVisible() for one in window.view.findChildren(Actions)]
            assert shown == [True, True]  # It keeps its place,
            assert sorted(buttons) == [False, True]  # and is seen at the last message only.

    run(scenario())


# The input method, the keyboard, the ears ---------------------------------------------------------------------------


def compose(widget: QWidget, preedit: str, commit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    if commit:
        event.setCommitString(commit)
    QApplication.sendEvent(widget, event)


@pytest.mark.parametrize("field", ["picker", "rename", "edit"])
def test_enter_belongs_to_the_input_method_in_every_field(run: Run, tmp_path: Path, field: str) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, server, model):
            server.then(say("Hello."))
            await ask(window, "hello")
            await until(lambda: said(desk) == "Hello.")
            await until(lambda: any(one.title for one in desk.chats.chats) and not window.composer.send.running)
            if field == "picker":
                window.pick_model.emit()
            elif field == "rename":
                window.sidebar.naming.emit(desk.chats.chat)
            else:
                window.view.rows[0].edit()
            await asyncio.sleep(0)
            target = QApplication.focusWidget() or window.focusWidget()
            assert target is not None
            compose(target, "ni")
            QTest.keyClick(target, Qt.Key.Key_Return)
            QTest.keyClick(target, Qt.Key.Key_Escape)
            assert target.isVisible()
            compose(target, "", "你")
            assert len(server.of(CHAT)) == 1
            assert desk.chats.model_id == model

    run(scenario())


def test_an_answer_a_waiting_call_and_an_error_are_each_read_aloud_once(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    monkeypatch.setattr(chats_desk, "announce", lambda _, words: heard.append(words))

    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, _, server, _):
            give(program, Kept().tool("delete_note", NOTE, "outside"))
            server.then(call("delete_note", '{"id": 12}'), say("It is gone for good.", pieces=20))
            await ask(window, "Delete note 12")
            await until(lambda: question(window))
            card = question(window)
            assert card is not None
            card.buttons["once"].click()
            await until(lambda: len(heard) == 2 and not window.composer.send.running)
            assert heard[0].startswith("delete_note waits for you.")
            assert heard[1].endswith("answered, 5 words")
            server.route(f"POST {CHAT}", json_reply({"error": {"message": "bad key"}}, 401))
            await ask(window, "again")
            await until(lambda: len(heard) == 3)
            assert "refused the key" in heard[2]

    run(scenario())


def test_the_colours_change_while_an_answer_streams(run: Run, tmp_path: Path, qtbot: QtBot) -> None:
    from conch_desktop.desktop.theme import look

    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, server, _):
            server.then(sse(chunk("Some words\n\n```python\nx = 1\n"), HANG, done=False))
            await ask(window, "Show me")
            await until(lambda: "x = 1" in said(desk))
            light = window.view.grab().toImage().pixelColor(5, 5)
            look.choose("dark")
            await asyncio.sleep(0.05)
            dark = window.view.grab().toImage().pixelColor(5, 5)
            assert light.lightness() > 200 > 60 > dark.lightness()
            window.escape()
            await until(lambda: not window.composer.send.running)

    run(scenario())


# Waiting ------------------------------------------------------------------------------------------------------------


def test_the_seconds_until_a_request_is_sent_again_are_counted(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, server, _):
            busy = json_reply({"error": {"message": "slow down"}}, 429, {"retry-after": "1.5"})
            server.then(busy, say("Here."))
            await ask(window, "Hello")
            countdown = window.composer.countdown
            await until(countdown.isVisible)
            assert countdown.words.text() in ("Again in 1 s", "Again in 2 s")
            await until(lambda: not window.composer.send.running)
            assert not countdown.isVisible()
            session = desk.chats.session
            assert session is not None
            assert session.messages[-1].text == "Here."

    run(scenario())
