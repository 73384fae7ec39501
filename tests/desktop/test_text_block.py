"""A run of text: what is shown, what is never loaded, what is copied."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QImage, QTextCursor, QTextDocument
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.markdown import segments
from conch_desktop.desktop.text_block import TextBlock


def block(qtbot: QtBot, text: str) -> TextBlock:
    made = TextBlock()
    qtbot.addWidget(made)
    made.show_tokens([token for one in segments(text) for token in one.tokens])
    made.fit(600)
    return made


def _anchors(document: QTextDocument) -> dict[str, str]:
    found: dict[str, str] = {}
    part = document.begin()
    while part.isValid():
        for span in part.textFormats():
            if span.format.isAnchor():
                found[part.text()[span.start : span.start + span.length]] = span.format.anchorHref()
        part = part.next()
    return found


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("use std::vector<int> and List<String> here", "use std::vector<int> and List<String> here"),
        ("a <b>bold</b> <script>x</script>", "a <b>bold</b> <script>x</script>"),
        ("**bold** and *it* and ~~no~~", "bold and it and no"),
        ("snake_case_name and `__init__`", "snake_case_name and __init__"),
        ("one\ntwo", "one\ntwo"),
        ("# Head", "Head"),
        ("- [x] done\n- [ ] open", "done\nopen"),
    ],
)
def test_what_is_shown(qtbot: QtBot, text: str, shown: str) -> None:
    assert block(qtbot, text).toPlainText() == shown


def test_a_picture_on_this_computer_is_named_and_never_read(qtbot: QtBot, tmp_path: Path) -> None:
    picture = tmp_path / "secret.png"
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    assert image.save(str(picture))
    made = block(qtbot, f"![a map]({picture}) ![web](https://example.org/x.png)")
    asked = made.document().resource(QTextDocument.ResourceType.ImageResource.value, QUrl.fromLocalFile(str(picture)))
    assert not isinstance(asked, QImage) or asked.isNull()
    loaded = made.loadResource(QTextDocument.ResourceType.ImageResource.value, QUrl.fromLocalFile(str(picture)))
    assert loaded.isNull()
    assert "[a map]" in made.toPlainText()
    assert _anchors(made.document()) == {"[web]": "https://example.org/x.png"}


def test_links_that_are_none_are_shown_with_their_address(qtbot: QtBot) -> None:
    made = block(qtbot, "[x](javascript:alert(1)) [y](file:///etc/passwd) [z](https://example.org)")
    assert made.toPlainText() == "x (javascript:alert(1)) y (file:///etc/passwd) z"
    assert _anchors(made.document()) == {"z": "https://example.org"}


def test_only_allowed_links_are_announced(qtbot: QtBot) -> None:
    made = block(qtbot, "x")
    heard: list[str] = []
    made.link_pressed.connect(heard.append)
    for url in ("javascript:alert(1)", "file:///etc/passwd", "https://example.org"):
        made.anchorClicked.emit(QUrl(url))
    assert heard == ["https://example.org"]


def test_a_selection_survives_more_text_behind_it(qtbot: QtBot) -> None:
    made = block(qtbot, "The early boat is calmer")
    cursor = made.textCursor()
    cursor.setPosition(4)
    cursor.setPosition(9, QTextCursor.MoveMode.KeepAnchor)
    made.setTextCursor(cursor)
    made.show_tokens([token for one in segments("The early boat is calmer, says Ana") for token in one.tokens])
    assert made.textCursor().selectedText() == "early"


def test_a_copy_has_the_marks_of_lists(qtbot: QtBot) -> None:
    made = block(qtbot, "- one\n- two\n\n1. first\n2. second")
    made.selectAll()
    assert made.createMimeDataFromSelection().text() == "- one\n- two\n1. first\n2. second"


def test_it_is_as_tall_as_its_lines(qtbot: QtBot) -> None:
    made = block(qtbot, "words " * 200)
    wide, narrow = made.fit(600), made.fit(200)
    assert narrow > 2 * wide
    assert made.verticalScrollBar().maximum() == 0 or not made.isVisible()


def test_a_list_from_right_to_left_has_its_marks_at_the_right(qtbot: QtBot) -> None:
    made = block(qtbot, "- اجلس في الخلف.\n- at the stern")
    first = made.document().begin()
    forms = [first.blockFormat(), first.next().blockFormat()]
    assert [(form.leftMargin() > 0, form.rightMargin() > 0) for form in forms] == [(False, True), (True, False)]
    assert made.toPlainText() == "اجلس في الخلف.\nat the stern"
