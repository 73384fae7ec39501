"""What is known of calls beside their records: progress, apps' own names, pictures, and apps switched for one chat."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.answer_pictures import AnswerPictures
from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.call_card import CallCard
from conch_desktop.desktop.call_line import BEYOND, CallLine
from conch_desktop.desktop.call_news import news
from conch_desktop.desktop.wording import state_text
from conch_desktop.domain.calls import WHY_TAKEN_BACK, CallRecord
from conch_desktop.domain.pictures import PictureContent
from conch_desktop.engine.history import TAKEN_BACK
from tests.desktop.at_work import at_work, said, until
from tests.servers import HANG, call, chunk, say, sse
from tests.tools.mcp.conftest import MemoryKeys, hostile

Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    for kept in (news._moved, news._undoable, news._labels):
        kept.clear()


def record(**changes: Any) -> CallRecord:
    """A call of an app."""
    return CallRecord("1", "harbour_steps", "{}", **{"source": "harbour", "state": "running", "args": {}, **changes})


def test_only_a_running_call_is_on_its_way() -> None:
    news.move("1", "  3 of\n5  ")
    assert news.progress(record()) == "3 of 5"
    assert news.progress(record(state="done")) == ""
    news.ended("1")
    assert news.progress(record()) == ""


def test_an_apps_own_name_is_shown_while_another_apps_is_not(qtbot: QtBot) -> None:
    news.set_labels({("harbour", "harbour_steps"): "steps"})
    assert [news.name(record()), news.name(record(source="quay"))] == ["steps", "harbour_steps"]
    card, line = CallCard(record(), "harbour"), CallLine()
    for widget in (card, line):
        qtbot.addWidget(widget)
    line.show_call(record())
    assert card.accessibleName().startswith("steps, harbour")
    assert line.accessibleName().startswith("Call of steps")


def test_undo_is_there_while_there_is_something_to_take_back(qtbot: QtBot) -> None:
    line = CallLine()
    qtbot.addWidget(line)
    line.resize(500, 32)
    line.show_call(record(state="done"))
    news.set_undoable(["other"], on=True)
    assert line.findChild(Button) is None
    news.set_undoable(["1"], on=True)
    assert line.undo is not None
    with qtbot.waitSignal(news.undo_asked, check_params_cb=lambda one: one == "1"):
        line.undo.click()
    news.set_undoable(["1"], on=False)
    assert line.undo.isHidden()


def test_a_call_that_was_taken_back_says_so() -> None:
    assert state_text(record(state="done", ms=4), 0) == "4 ms"
    assert state_text(record(state="done", ms=4, why=WHY_TAKEN_BACK), 0) == "taken back"


def test_pictures_of_an_answer_are_shown_and_a_broken_one_is_named(qtbot: QtBot, tmp_path: Path) -> None:
    image = QImage(40, 30, QImage.Format.Format_RGB32)
    image.fill(QColor("#0b6876"))
    assert image.save(str(tmp_path / "a.png"))
    data = (tmp_path / "a.png").read_bytes()
    shown = AnswerPictures([PictureContent(data, "image/png"), PictureContent(b"\x89PNG no", "image/png")])
    qtbot.addWidget(shown)
    shown.resize(300, 200)
    shown.show()
    good, bad = shown.shown
    qtbot.waitUntil(lambda: good.image is not None and bool(bad._trouble))
    assert good.heightForWidth(300) == 30, "never larger than it is"
    assert good.heightForWidth(20) == 15
    assert bad._trouble == "This picture can’t be read."


def test_an_apps_call_shows_how_far_it_is_and_the_app_can_be_switched_off_for_the_chat(
    run: Run, tmp_path: Path
) -> None:
    async def scenario() -> None:
        moved: list[str] = []
        async with at_work(tmp_path) as (window, program, desk, server, _):
            program.integrations._keys = MemoryKeys()
            program.hands.guard._policy = "all"
            await program.integrations.add(hostile(name="harbour"))
            await until(lambda: program.integrations.all()[0].state == "running")
            view = program.integrations.all()[0]
            name = next(tool.name for tool in view.tools if tool.label == "steps")
            news.changed.connect(lambda one: moved.append(news._moved.get(one, "")))
            server.then(call(name, "{}"), say("There."))
            window.composer.sent.emit("How far?")
            await until(lambda: said(desk) == "There.")
            assert any(moved), moved
            many = len(program.offered().tools)
            await until(lambda: window.composer.tools_button.text() == f"{many} tools")
            action = next(one for one in desk.tools.menu().actions() if one.text().startswith("harbour, "))
            assert action.isChecked()
            action.setChecked(False)
            few = many - len(view.tools)
            await until(lambda: window.composer.tools_button.text() == f"{few} tools")
            desk.chats.begin_new()
            await until(lambda: window.composer.tools_button.text() == f"{many} tools")

    run(scenario())


def test_what_a_call_did_is_taken_back_while_the_answer_goes_on(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            program.hands.guard._policy = "all"
            server.then(call("remember", '{"content":"takes the 07:40 ferry"}'), sse(chunk("Noted"), HANG, done=False))
            window.composer.sent.emit("Remember it.")
            await until(lambda: said(desk) == "Noted")
            session = desk.chats.session
            assert session is not None
            made = session.messages[-1].calls[0]
            await until(lambda: news.can_undo(made))
            line = next(one for one in window.findChildren(CallLine) if one.call is not None and one.call.id == made.id)
            assert line.undo is not None
            assert line.undo.x() + line.undo.width() < line.width() - BEYOND
            line.undo.click()
            await until(lambda: session.messages[-1].calls[0].why == WHY_TAKEN_BACK)
            assert not await program.hands.memories.all()
            assert session.running
            assert TAKEN_BACK in session.messages[-1].calls[0].sent_back
            session.stop()
            await until(lambda: not session.running)
            assert session.messages[-1].calls[0].why == WHY_TAKEN_BACK
            kept = await program.chats.messages(session.chat_id)
            assert kept[-1].calls[0].why == WHY_TAKEN_BACK

    run(scenario())
