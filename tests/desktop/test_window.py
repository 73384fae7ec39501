"""The window itself: columns at every width, the order of Escape, areas by F6, and how it closes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.picker import ModelPicker, PickerContent
from conch_desktop.desktop.provider_form import KindRow, ProviderForm
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.welcome import Welcome
from conch_desktop.desktop.window import LEAST, Window


@pytest.mark.parametrize(
    ("width", "sidebar", "panel"), [(1440, True, True), (1100, True, True), (1099, True, False), (700, False, False)]
)
def test_columns_fold_as_the_window_gets_narrower(window: Window, width: int, sidebar: bool, panel: bool) -> None:
    window.resize(width, 700)
    assert (window.sidebar.isVisible(), window.activity.isVisible()) == (sidebar, panel)
    assert window.composer.width() >= 400


@pytest.mark.parametrize("zoom", [80, 100, 150, 200])
@pytest.mark.parametrize("size", [LEAST, (700, 600), (1366, 768), (1440, 900)])
def test_nothing_is_out_of_reach_at_any_size(window: Window, size: tuple[int, int], zoom: int) -> None:
    window.resize(*size)
    look.set_zoom(zoom)
    QApplication.sendPostedEvents()
    window.page.arrange()
    seen = window.rect()
    for control in [window.composer, window.composer.send, window.header.model, window.header.panel_button]:
        corner = control.mapTo(window, QPoint(0, 0))
        assert seen.contains(corner), control.accessibleName()
        assert seen.contains(corner + QPoint(control.width() - 1, control.height() - 1)), control.accessibleName()
    assert window.composer.writing.height() >= 3 * window.composer.writing.fontMetrics().lineSpacing()


def test_an_overlay_is_closed_by_escape_and_by_a_press_beside_it(qtbot: QtBot, window: Window) -> None:
    window.resize(800, 700)
    window.shell.toggle_panel()
    assert window.activity.isVisible()
    window.escape()
    assert not window.activity.isVisible()
    window.shell.toggle_sidebar()
    assert window.sidebar.isVisible()
    qtbot.mouseClick(window.shell._veil, Qt.MouseButton.LeftButton, pos=QPoint(700, 300))
    assert not window.sidebar.isVisible()


def test_the_panel_over_the_chat_has_its_own_stop(window: Window) -> None:
    window.resize(800, 700)
    window.composer.show_state(running=True, ready=True)
    window.shell.show_panel(True)
    assert window.activity.stop.isVisible()
    window.resize(1440, 900)
    assert not window.activity.stop.isVisible()


def test_escape_goes_from_the_input_method_to_the_popup_to_the_search_to_the_turn(qtbot: QtBot, window: Window) -> None:
    stopped: list[bool] = []
    window.stop_asked.connect(lambda: stopped.append(True))
    window.composer.show_state(running=True, ready=True)
    picker = ModelPicker(window)
    window.popups.append(picker)
    picker.show_content(PickerContent())
    picker.open_below(window.header.model.geometry())
    window.sidebar.search.field.setText("ferry")
    QApplication.sendEvent(window.composer.writing, QInputMethodEvent("ni", []))

    window.escape()  # belongs to the input method
    assert picker.isVisible()
    QApplication.sendEvent(window.composer.writing, QInputMethodEvent("", []))
    window.escape()
    assert not picker.isVisible()
    assert window.sidebar.search.field.text() == "ferry"
    window.escape()
    assert window.sidebar.search.field.text() == ""
    assert stopped == []
    window.escape()
    assert stopped == [True]
    assert window.composer.writing.hasFocus()


def test_a_popup_gives_the_focus_back(qtbot: QtBot, window: Window) -> None:
    window.composer.setFocus()
    picker = ModelPicker(window)
    picker.show_content(PickerContent())
    picker.open_below(window.header.model.geometry())
    assert picker.search.hasFocus()
    qtbot.mouseClick(picker, Qt.MouseButton.LeftButton, pos=QPoint(window.width() - 20, window.height() - 20))
    assert not picker.isVisible()
    assert window.composer.writing.hasFocus()


def test_f6_walks_through_the_areas_and_comes_back(window: Window) -> None:
    window.composer.setFocus()
    visited = []
    for _ in range(3):
        window.next_area(1)
        focus = window.focusWidget()
        visited.append(
            next(name for name in ("sidebar", "header", "composer") if getattr(window, name).isAncestorOf(focus))
        )
    assert visited == ["sidebar", "header", "composer"]


def test_closing_is_announced_and_left_to_others(qtbot: QtBot, window: Window) -> None:
    window.allow_close = False
    with qtbot.waitSignal(window.closing):
        window.close()
    assert window.isVisible()
    window.allow_close = True


def _pages(window: Window) -> list[QWidget]:
    kinds = [KindRow("openai", "OpenAI", "https://example.org/v1", True, "KEY")]
    return [Welcome("93"), ProviderForm(kinds)]


def test_every_control_of_every_page_has_a_name_and_can_be_reached(qtbot: QtBot, window: Window) -> None:
    for page in _pages(window):
        window.show_whole(page)
        controls = [*page.findChildren(QAbstractButton), *page.findChildren(QLineEdit)]
        assert controls
        for control in controls:
            assert control.accessibleName().strip(), control
            assert any(letter.isalnum() for letter in control.accessibleName()), control.accessibleName()
            assert control.focusPolicy() & Qt.FocusPolicy.TabFocus, control.accessibleName()


def test_the_ring_goes_around_what_the_keyboard_reached(qtbot: QtBot, window: Window) -> None:
    from conch_desktop.desktop.buttons import FocusRing

    window.header.panel_button.setFocus(Qt.FocusReason.TabFocusReason)
    ring = FocusRing._ring
    assert ring is not None
    target = window.header.panel_button
    assert ring.mapTo(window, QPoint(4, 4)) == target.mapTo(window, QPoint(0, 0))
    window.composer.setFocus()
    assert FocusRing._ring is None
