"""S26: small screen, big letters, dark.

Here: at every scale of a screen of 1366 x 768 and every size of text nothing is cut off, lies over something else or
is out of reach, the composer is three lines high and the panel folds; with the system's switch to dark every colour
changes at once while a reply streams, those of code too; contrast of what is painted, off and on; the window opens on
a screen that exists, and the size of text comes back.
Elsewhere: contrast of every pair of tokens in every palette (`test_theme.py`), columns at every width
(`test_window.py`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Literal

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPixmap, QRegion
from PySide6.QtWidgets import QApplication, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.code_block import CodeBlock
from conch_desktop.desktop.model_detail import Badge
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.tokens import contrast, palettes
from conch_desktop.desktop.window import Window
from conch_desktop.desktop.wording import BADGE_WORDS
from tests.desktop.at_work import at_work, said
from tests.desktop.fitting import SCREEN, through_all
from tests.desktop.hands import press, settle, soon
from tests.desktop.test_scenario_streaming import ask
from tests.servers import HANG, chunk, sse

Run = Callable[[Coroutine[Any, Any, Any]], Any]

CODE = "def share(fares):\n    # a note\n    return 'text', 12, fares\n"


# Sizes --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scale", "zooms"), [(1.0, (150, 200)), (2.0, (80, 200))])
def test_everything_fits_with_small_and_large_letters(
    run: Run, tmp_path: Path, scale: float, zooms: tuple[int, ...]
) -> None:
    """The long tier has every size of text, at every scale."""
    size = (int(SCREEN[0] / scale), int(SCREEN[1] / scale))
    assert not run(through_all(tmp_path, size, zooms, (100,)))


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("scale", ["1", "1.25", "1.5", "2"])
def test_everything_fits_at_the_scales_of_screens(tmp_path: Path, scale: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.desktop.fitting", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "QT_SCALE_FACTOR": scale},
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_text_grows_by_keys_and_its_size_comes_back(run: Run, tmp_path: Path) -> None:
    async def first() -> None:
        async with at_work(tmp_path) as (window, _, _, _, _):
            for keys, end in (("Ctrl+-", 80), ("Ctrl++", 200)):
                for _ in range(20):
                    if look.zoom == end:
                        break
                    press(window, keys)
                assert look.zoom == end
                press(window, keys)
                assert look.zoom == end
            press(window, "Ctrl+-")
            await settle()

    async def again() -> int:
        async with at_work(tmp_path, provider=""):
            return look.zoom

    run(first())
    kept = look.zoom
    look.set_zoom(100)
    assert run(again()) == kept < 200


# Dark ---------------------------------------------------------------------------------------------------------------


INKS = ("ck", "cs", "cn", "cc")


def colours(image: QImage, area: QRect, step: int = 1) -> set[str]:
    """The colours of an area of a picture."""
    spots = image.rect().intersected(area)
    return {
        f"#{image.pixel(x, y) & 0xFFFFFF:06X}"
        for x in range(spots.left(), spots.right(), step)
        for y in range(spots.top(), spots.bottom(), step)
    }


def has_ink(found: set[str], ink: str) -> bool:
    """Whether a colour of letters is there; their edges are mixed with the ground."""
    wanted = QColor(ink)
    for one in map(QColor, found):
        apart = (one.red() - wanted.red(), one.green() - wanted.green(), one.blue() - wanted.blue())
        if max(map(abs, apart)) <= 24:
            return True
    return False


def test_the_systems_switch_to_dark_changes_all_colours_while_a_reply_streams(
    run: Run, tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, server, _):
            look.choose("system")
            server.then(sse(chunk(f"Some words\n\n```python\n{CODE}"), HANG, done=False))
            await ask(window, "Show me")
            await soon(lambda: CODE in said(desk), "the code streams")
            await settle()
            (code,) = [one for one in window.view.findChildren(CodeBlock) if one.isVisible()]
            area = QRect(code.mapTo(window, QPoint(0, 0)), code.size())
            light, dark = palettes()["light"], palettes()["dark"]

            def lacking(inks: dict[str, str], image: QImage) -> list[str]:
                found = colours(image, area)
                return [ink for ink in INKS if not has_ink(found, inks[ink])] + [
                    "the ground" for _ in range(inks["code"].upper() not in found)
                ]

            await soon(lambda: not lacking(light, window.grab().toImage()), "the code is coloured")
            monkeypatch.setattr("conch_desktop.desktop.theme._system_dark", lambda: True)
            qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
            whole = window.grab().toImage()  # At once: nothing is waited for.
            assert lacking(dark, whole) == []
            everything = colours(whole, whole.rect(), 3)
            assert not {light[ground].upper() for ground in ("side", "panel", "user", "code")} & everything
            window.escape()
            await soon(lambda: not window.composer.send.running, "it stops")

    run(scenario())


# Contrast of what is painted ----------------------------------------------------------------------------------------


def painted_contrast(widget: QWidget) -> float:
    """The contrast of the strongest ink of a widget to its ground, which is the commonest colour in it."""
    picture = QPixmap(widget.size() * 4)
    picture.setDevicePixelRatio(4)
    picture.fill(look.colour("panel"))
    widget.render(picture, QPoint(0, 0), QRegion(), QWidget.RenderFlag.DrawChildren)
    image = picture.toImage()
    counts: dict[int, int] = {}
    for x in range(image.width()):
        for y in range(image.height()):
            pixel = image.pixel(x, y)
            counts[pixel] = counts.get(pixel, 0) + 1
    ground = max(counts, key=lambda pixel: counts[pixel])
    often = [pixel for pixel, count in counts.items() if count >= 12]
    return max(contrast(QColor(pixel).name(), QColor(ground).name()) for pixel in often)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_badges_and_what_is_off_can_be_read_as_they_are_painted(
    theme: Literal["light", "dark"], window: Window
) -> None:
    look.choose(theme)
    off = Button("Send it later")
    off.setEnabled(False)
    primary = Button("Add", "primary")
    primary.setEnabled(False)
    parts: list[QWidget] = [off, primary, *(Badge(mode) for mode in BADGE_WORDS if mode)]
    for part in parts:
        part.setParent(window)
        part.resize(part.sizeHint())
        assert painted_contrast(part) >= 4.5, part.accessibleName() or part


# The screen ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "corner", [QPoint(5000, 40), QPoint(-4000, -3000), QPoint(100, 9000)], ids=["right", "left", "below"]
)
def test_a_window_that_was_on_a_screen_that_is_gone_opens_on_one_that_exists(window: Window, corner: QPoint) -> None:
    window.resize(1000, 700)
    window.move(corner)
    kept = window.geometry_text()
    other = Window()
    other.allow_close = True
    other.take_geometry(kept)
    other.show()
    screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
    head = QRect(other.frameGeometry().topLeft(), other.frameGeometry().topRight() + QPoint(0, 40))
    assert any(screen.intersected(head).width() > 200 and screen.intersected(head).height() > 20 for screen in screens)
    other.close()
    other.deleteLater()
