"""The look: contrast in every palette, and the swap while the window is there."""

from __future__ import annotations

import itertools

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.parts import TAG_COLOURS
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.tokens import contrast, palette_name, palettes
from conch_desktop.desktop.window import Window

GROUNDS = ("chat", "side", "panel", "raised", "code", "user", "hover", "sel")
PAIRS = [
    *itertools.product(("t1", "t2", "t3"), GROUNDS),
    *itertools.product(("t1", "t2"), ("btnH",)),  # hints never stand on a button
    *itertools.product(("acc", "err", "mend", "add"), ("chat", "panel", "raised", "code")),
    *itertools.product(("ck", "cs", "cn", "cc", "cf"), ("code",)),
    *[(ink, ground) for ground, ink in TAG_COLOURS.values()],
    ("onacc", "acc"), ("onacc", "accH"), ("onacc", "accP"), ("chat", "t1"), ("t2", "errS"), ("err", "errS"),
]  # fmt: skip


@pytest.mark.parametrize("name", list(palettes()))
@pytest.mark.parametrize(("ink", "ground"), sorted(set(PAIRS)))
def test_text_can_be_read_on_every_ground(name: str, ink: str, ground: str) -> None:
    colours = palettes()[name]
    assert contrast(colours[ink], colours[ground]) >= 4.5


@pytest.mark.parametrize("name", list(palettes()))
def test_edges_of_fields_are_seen(name: str) -> None:
    colours = palettes()[name]
    assert contrast(colours["field"], colours["raised"]) >= 3.0


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)
    assert contrast("#767676", "#FFFFFF") == pytest.approx(4.54, abs=0.01)


def test_a_palette_has_a_name_for_every_wish() -> None:
    names = {palette_name(dark=dark, high_contrast=high) for dark in (False, True) for high in (False, True)}
    assert names == set(palettes())


def _corner(window: Window) -> QColor:
    return QImage(window.grab().toImage()).pixelColor(4, 4)


def test_the_colours_change_at_once_and_everywhere(window: Window) -> None:
    assert _corner(window) == QColor(palettes()["light"]["side"])
    look.choose("dark")
    assert _corner(window) == QColor(palettes()["dark"]["side"])
    assert look.dark
    assert window.palette().color(QPalette.ColorRole.WindowText) == QColor(palettes()["dark"]["t1"])
    look.choose("light")
    assert _corner(window) == QColor(palettes()["light"]["side"])


def test_it_follows_the_system_unless_the_person_chose(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conch_desktop.desktop.theme._system_dark", lambda: True)
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert not is_dark()  # light was chosen
    look.choose("system")
    assert is_dark()
    monkeypatch.setattr("conch_desktop.desktop.theme._system_dark", lambda: False)
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert not is_dark()


def is_dark() -> bool:
    """Asked anew each time: the type checker takes an attribute for unchanged."""
    return look.dark


@pytest.mark.parametrize("zoom", [80, 100, 150, 200])
def test_type_grows_with_the_zoom(qtbot: QtBot, window: Window, zoom: int) -> None:
    before = look.font("ui").pointSizeF()
    look.set_zoom(zoom)
    assert look.font("ui").pointSizeF() == pytest.approx(before * zoom / 100, rel=0.01)
    assert window.composer.writing.font().pointSizeF() == pytest.approx(look.font("chat").pointSizeF())
    assert window.composer.writing.viewport().font().pointSizeF() == pytest.approx(look.font("chat").pointSizeF())
    # The composer keeps three lines at every size.
    assert window.composer.writing.height() >= 3 * window.composer.writing.fontMetrics().lineSpacing()


def test_the_zoom_has_bounds() -> None:
    look.set_zoom(1000)
    assert look.zoom == 200
    look.set_zoom(1)
    assert look.zoom == 80


@pytest.mark.parametrize("dark", [False, True])
def test_high_contrast_is_chosen_or_followed(window: Window, monkeypatch: pytest.MonkeyPatch, dark: bool) -> None:
    look.choose("dark" if dark else "light")
    look.choose_contrast("high")
    name = palette_name(dark=dark, high_contrast=True)
    assert look.name == name
    assert _corner(window) == QColor(palettes()[name]["side"])
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    assert "border: 2px solid" in app.styleSheet()
    look.choose_contrast("system")
    assert not is_high()
    monkeypatch.setattr("conch_desktop.desktop.theme._system_contrast", lambda: True)
    look._contrast_changed()
    assert is_high()


def is_high() -> bool:
    """Asked anew each time."""
    return look.high


@pytest.mark.parametrize("name", [name for name in palettes() if name.startswith("high")])
def test_in_high_contrast_every_text_and_edge_is_strong(name: str) -> None:
    colours = palettes()[name]
    for ink in ("t1", "t2", "t3", "acc", "err", "mend", "line", "line2", "field"):
        assert contrast(colours[ink], colours["chat"]) >= 7
