"""Attaching pictures and files in the real composer: pasted, dropped, chosen by name, kept, sent and seen again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QGuiApplication, QImage, QKeyEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.attach_desk import MOST_FILES
from conch_desktop.desktop.attached_chip import Chip
from conch_desktop.desktop.attachments import AttachedStrip, Attachments
from conch_desktop.desktop.pictures import SENT_SIDE, fit_to_send, from_image, picture_size
from conch_desktop.desktop.preview import Preview
from conch_desktop.desktop.window import Window
from conch_desktop.domain.messages import FilePart, PicturePart
from conch_desktop.domain.pictures import LARGEST, PictureContent, kind_of
from tests.desktop.at_work import at_work, until
from tests.servers import chunk, say, sse

Run = Callable[[Coroutine[Any, Any, Any]], Any]
RULES = FilePart("rules.txt", "Nobody lies here.")


def picture(width: int = 40, height: int = 30, colour: int = 0xFF0B6876) -> PictureContent:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(colour)
    made = from_image(image)
    assert made is not None
    return made


def press(target: QWidget, key: Qt.Key, qtbot: QtBot) -> None:
    qtbot.keyClick(target, key)


def files(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


# The row --------------------------------------------------------------------------------------------------------------


def test_the_row_names_what_is_attached_and_removes_it_by_keyboard(qtbot: QtBot) -> None:
    row = Attachments()
    qtbot.addWidget(row)
    row.resize(600, 70)
    assert row.isHidden()
    row.show_items([PicturePart(picture(), "pier.png"), RULES])
    names = [chip.accessibleName() for chip in row.chips]
    assert names == ["Attached picture: pier.png, 40 × 30, 1 kB", "Attached file: rules.txt, 5 tokens"]
    opened: list[object] = []
    row.opened.connect(opened.append)
    press(row.chips[1], Qt.Key.Key_Return, qtbot)
    assert opened == [RULES]
    press(row.chips[0], Qt.Key.Key_Delete, qtbot)
    assert row.items == (RULES,)
    assert row.chips[0].remove is not None
    row.chips[0].remove.click()
    assert row.isHidden()


def test_a_strip_takes_as_many_rows_as_it_needs(qtbot: QtBot) -> None:
    strip = AttachedStrip()
    qtbot.addWidget(strip)
    strip.show_attached([FilePart(f"file-{n}.txt", "tide") for n in range(5)])
    wide, narrow = strip.fit(2_000), strip.fit(220)
    assert narrow > 4 * wide
    assert strip.ideal <= 220
    assert all(chip.geometry().right() < 220 for chip in strip.chips)


@pytest.mark.parametrize(("width", "height"), [(40, 30), (4_000, 1_000), (2_100, 420), (900, 3_000)])
def test_a_picture_is_sent_no_larger_than_models_are_shown(width: int, height: int) -> None:
    image = QImage(width, height, QImage.Format.Format_ARGB32)
    image.fill(0x800B6876)
    made = from_image(image)
    assert made is not None
    size = picture_size(made.data)
    assert max(size.width(), size.height()) == min(max(width, height), SENT_SIDE)
    assert abs(size.width() / size.height() - width / height) < 0.05 * width / height
    assert kind_of(made.data) == made.media_type
    assert fit_to_send(made.data) == made


def test_a_heavy_picture_becomes_small_enough() -> None:
    noise = random.Random(1).randbytes(2_400 * 1_600 * 4)
    image = QImage(noise, 2_400, 1_600, QImage.Format.Format_ARGB32)
    made = from_image(image)
    assert made is not None
    assert len(made.data) <= LARGEST
    assert fit_to_send(b"\x89PNG\r\n\x1a\n" + b"\0" * 50) is None


# The composer at work -------------------------------------------------------------------------------------------------


def test_pasted_and_chosen_files_are_sent_with_the_message_and_seen_in_it(run: Run, tmp_path: Path) -> None:
    async def work() -> None:
        (tmp_path / "rules.txt").write_text(RULES.text)
        (tmp_path / "pier.png").write_bytes(picture(3_000, 40).data)
        async with at_work(tmp_path / "profile") as (window, program, desk, server, _):
            composer = window.composer
            composer.writing.insertFromMimeData(files(tmp_path / "pier.png", tmp_path / "rules.txt"))
            composer.writing.enter.emit()  # at once: it waits until all is read
            server.then(say("Seen."))
            await until(lambda: server.of("/v1/chat/completions"))
            content = server.of("/v1/chat/completions")[0].json["messages"][-1]["content"]
            assert [part["type"] for part in content] == ["text", "image_url"]
            assert RULES.text in content[0]["text"]
            assert composer.attachments.items == ()
            strip = await seen_strip(window)
            assert [chip.accessibleName().split(",")[0] for chip in strip.chips] == [
                "Attached picture: pier.png",
                "Attached file: rules.txt",
            ]
            await until(lambda: not composer.send.running)
            await opens_and_closes(window, strip.chips[0])
            assert desk.chats.session is not None
            stored = await program.chats.messages(desk.chats.chat)
            assert [type(part) for part in stored[0].parts] == [PicturePart, FilePart]
            assert await program.chats.draft_attached(desk.chats.chat) == []

    run(work())


async def seen_strip(window: Window) -> AttachedStrip:
    found: list[AttachedStrip] = []

    def there() -> bool:
        found[:] = [one for one in window.view.findChildren(AttachedStrip) if one.isVisible()]
        return bool(found)

    await until(there)
    return found[0]


async def opens_and_closes(window: Window, chip: Chip) -> None:
    chip.setFocus(Qt.FocusReason.TabFocusReason)
    chip.click()
    preview = next(popup for popup in window.popups if isinstance(popup, Preview))
    await until(lambda: preview.large.image is not None)
    assert preview.isVisible()
    window.escape()
    assert not preview.isVisible()
    assert window.focusWidget() is chip


def test_what_can_not_be_attached_is_said_on_the_spot(run: Run, tmp_path: Path) -> None:
    async def work() -> None:
        (tmp_path / "binary").write_bytes(b"\0\1\2\3")
        for number in range(MOST_FILES + 2):
            (tmp_path / f"{number}.txt").write_text("tide")
        async with at_work(tmp_path / "profile") as (window, _, desk, server, _):
            row = window.composer.attachments
            window.composer.set_text("Look")
            desk.chats.attach.add([tmp_path / "binary"])
            window.composer.writing.enter.emit()
            await until(lambda: not row.reading)
            assert "binary is no text" in words_of(row)
            desk.chats.attach.add([tmp_path / f"{number}.txt" for number in range(MOST_FILES + 2)])
            assert "20 files are the most in one message; 2 left out." in words_of(row)
            await until(lambda: not row.reading)
            assert len(row.items) == MOST_FILES
            assert server.of("/v1/chat/completions") == []  # nothing goes without the file that was wanted

    run(work())


def words_of(row: Attachments) -> str:
    return " ".join(one.text() for one in row.findChildren(QLabel) if one.isVisible())


def test_a_draft_keeps_what_is_attached_from_chat_to_chat_and_to_the_next_start(run: Run, tmp_path: Path) -> None:
    async def work() -> None:
        (tmp_path / "rules.txt").write_text(RULES.text)
        async with at_work(tmp_path / "profile") as (window, _, desk, _, _):
            desk.chats.attach.add([tmp_path / "rules.txt"])
            await until(lambda: desk.chats.attach.items == (RULES,))
            await until(lambda: desk.chats.chat)
            first = desk.chats.chat
            desk.chats.begin_new()
            assert not desk.chats.attach.items
            await until(lambda: any(chat.id == first for chat in desk.chats.chats))
            await desk.chats.open(first)
            assert desk.chats.attach.items == (RULES,)
        async with at_work(tmp_path / "profile", "") as (window, _, desk, _, _):
            await until(lambda: desk.chats.attach.items == (RULES,))
            assert window.composer.attachments.isVisible()

    run(work())


def test_what_waits_keeps_what_is_attached(run: Run, tmp_path: Path) -> None:
    async def work() -> None:
        (tmp_path / "rules.txt").write_text(RULES.text)
        gate = asyncio.Event()
        async with at_work(tmp_path / "profile") as (window, _, desk, server, _):
            server.then(sse(chunk("Wait"), gate, chunk(finish="stop")), say("Read."))
            window.composer.set_text("First")
            window.composer.writing.enter.emit()
            await until(lambda: window.composer.send.running)
            for taken_back in (True, False):
                desk.chats.attach.add([tmp_path / "rules.txt"])
                await until(lambda: desk.chats.attach.items)
                window.composer.writing.enter.emit()
                assert window.composer.waiting.texts == ("[rules.txt]",)
                assert not desk.chats.attach.items
                if taken_back:
                    window.composer.waiting.buttons[0].click()
                    assert desk.chats.attach.items == (RULES,)
                    desk.chats.attach.take()
            gate.set()
            await until(lambda: len(server.of("/v1/chat/completions")) == 2)
            assert RULES.text in str(server.of("/v1/chat/completions")[1].json)

    run(work())


def test_files_are_dropped_on_a_target_that_is_seen(run: Run, tmp_path: Path) -> None:
    async def work() -> None:
        (tmp_path / "rules.txt").write_text(RULES.text)
        async with at_work(tmp_path / "profile") as (window, _, desk, _, _):
            target = desk.chats.attach._target
            data, words = files(tmp_path / "rules.txt"), QMimeData()
            words.setText("tide")
            copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
            for where in (window.page, window.composer.writing.viewport()):
                QApplication.sendEvent(where, QDragEnterEvent(QPoint(5, 5), copy, words, left, none))
                assert not target.isVisible()
                QApplication.sendEvent(where, QDragEnterEvent(QPoint(5, 5), copy, data, left, none))
                assert target.isVisible()
                QApplication.sendEvent(where, QDragLeaveEvent())
                assert not target.isVisible()
            QApplication.sendEvent(window.page, QDragEnterEvent(QPoint(5, 5), copy, data, left, none))
            QApplication.sendEvent(window.page, QDropEvent(QPointF(5, 5), copy, data, left, none))
            assert not target.isVisible()
            await until(lambda: desk.chats.attach.items == (RULES,))

    run(work())


def test_a_picture_of_the_clipboard_is_pasted_and_words_stay_words(run: Run, tmp_path: Path) -> None:
    async def work() -> None:
        async with at_work(tmp_path / "profile") as (window, _, desk, _, _):
            QGuiApplication.clipboard().setImage(QImage(20, 10, QImage.Format.Format_RGB32))
            window.composer.writing.paste()
            await until(lambda: desk.chats.attach.items)
            assert "Pasted picture, 20 × 10" in window.composer.attachments.chips[0].accessibleName()
            both = QMimeData()
            both.setText("tide")
            both.setImageData(QImage(20, 10, QImage.Format.Format_RGB32))
            window.composer.writing.insertFromMimeData(both)
            assert window.composer.text() == "tide"
            assert len(desk.chats.attach.items) == 1

    run(work())


def test_an_at_sign_lists_files_of_granted_folders_and_attaches_the_chosen(run: Run, tmp_path: Path) -> None:
    async def work() -> None:
        granted = tmp_path / "harbour"
        (granted / "notes").mkdir(parents=True)
        (granted / "notes" / "rules.txt").write_text(RULES.text)
        (granted / "tides.txt").write_text("High")
        (tmp_path / "secret-rules.txt").write_text("No")
        async with at_work(tmp_path / "profile") as (window, program, desk, _, _):
            composer, menu = window.composer, desk.chats.attach._menu
            composer.writing.insertPlainText("@")
            await until(lambda: "No folder" in composer._note.text())
            await program.hands.grant(str(granted))
            composer.set_text("")
            composer.writing.insertPlainText("mail@rul")
            assert not desk.chats.attach._look.isActive()
            composer.set_text("")
            composer.writing.insertPlainText("Compare @rul")
            await until(lambda: not menu.isHidden())
            assert menu.shown == ["notes/rules.txt"]
            composer.writing.insertPlainText("e")
            assert composer.writing.steering
            QApplication.sendEvent(composer.writing, key(Qt.Key.Key_Tab))
            await until(lambda: desk.chats.attach.items == (RULES,))
            assert composer.text() == "Compare "
            assert menu.isHidden()
            composer.writing.insertPlainText("@")
            await until(lambda: not menu.isHidden())
            assert sorted(menu.shown) == ["notes/rules.txt", "tides.txt"]
            window.escape()
            assert menu.isHidden()

    run(work())


def key(which: Qt.Key) -> QKeyEvent:
    return QKeyEvent(QKeyEvent.Type.KeyPress, which, Qt.KeyboardModifier.NoModifier)
