"""The look of the window: palette, fonts and the style sheet, swapped while the program runs.

`look` is what painters ask for colours, fonts and sizes. It follows the system's light and dark (and high contrast)
live, unless the person chose one, and the person's size of type times the text zoom.
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from conch_desktop.desktop.qss import style_sheet
from conch_desktop.desktop.tokens import BASE_PX, LARGE, LARGE_SPACING, SCALE, Palette, palette_name, palettes

Choice = Literal["system", "light", "dark"]
Contrast = Literal["system", "high"]

_QT_FALLBACK_FAMILY = "Sans Serif"
"""The family Qt names when no desktop told it one; then its size is nobody's choice either."""

ZOOM_LEAST, ZOOM_MOST, ZOOM_STEP = 80, 200, 10

_ROLES: tuple[tuple[QPalette.ColorRole, str], ...] = (
    (QPalette.ColorRole.Window, "chat"),
    (QPalette.ColorRole.WindowText, "t1"),
    (QPalette.ColorRole.Base, "raised"),
    (QPalette.ColorRole.AlternateBase, "side"),
    (QPalette.ColorRole.Text, "t1"),
    (QPalette.ColorRole.PlaceholderText, "t3"),
    (QPalette.ColorRole.Button, "raised"),
    (QPalette.ColorRole.ButtonText, "t1"),
    (QPalette.ColorRole.BrightText, "err"),
    (QPalette.ColorRole.Highlight, "sel"),
    (QPalette.ColorRole.HighlightedText, "t1"),
    (QPalette.ColorRole.ToolTipBase, "t1"),
    (QPalette.ColorRole.ToolTipText, "chat"),
    (QPalette.ColorRole.Link, "acc"),
    (QPalette.ColorRole.LinkVisited, "acc"),
    (QPalette.ColorRole.Mid, "line"),
    (QPalette.ColorRole.Dark, "line2"),
    (QPalette.ColorRole.Accent, "acc"),
)


class Look(QObject):
    """The look in use. `changed` is sent after palette, fonts and style sheet were swapped."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.name = "light"
        self.zoom = 100
        self.choice: Choice = "system"
        self.contrast: Contrast = "system"
        self._tokens: Palette = palettes()["light"]
        self._colours: dict[str, QColor] = {}
        self._fonts: dict[tuple[str, int, bool], QFont] = {}
        self._points = 9.75
        self._family = ""
        self._mono = "monospace"
        self._per_px = 1.0
        self._letter = 0.0
        self._following = False

    @property
    def dark(self) -> bool:
        """Whether the palette in use is a dark one."""
        return self.name.endswith("dark")

    @property
    def high(self) -> bool:
        """Whether the palette in use is one of high contrast; then edges are 2 px and in the text's colour."""
        return self.name.startswith("high")

    def install(self, app: QApplication) -> None:
        """Gives the program its look; to be called once, before the first window."""
        app.setStyle("Fusion")
        if not self._following:  # Later the program's font is ours, no longer the person's.
            own = app.font()
            self._family = own.family()
            points = own.pointSizeF() if own.pointSizeF() > 0 else own.pixelSize() * 72 / _dpi()
            unchosen = own.family() == _QT_FALLBACK_FAMILY
            self._points = max(points, BASE_PX * 72 / _dpi()) if unchosen else points
            self._mono = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
            self._hints = app.styleHints()
            self._hints.colorSchemeChanged.connect(self._system_changed)
            if hasattr(self._hints, "accessibility"):  # From Qt 6.10 on.
                self._needs = self._hints.accessibility()
                self._needs.contrastPreferenceChanged.connect(self._contrast_changed)
            self._following = True
        self._apply()

    def choose(self, choice: Choice) -> None:
        """The person chose light, dark, or what the system has."""
        if choice != self.choice:
            self.choice = choice
            self._apply()

    def choose_contrast(self, contrast: Contrast) -> None:
        """The person chose high contrast, or what the system has."""
        if contrast != self.contrast:
            self.contrast = contrast
            self._apply()

    def set_zoom(self, percent: int) -> None:
        """The person's text zoom."""
        percent = max(ZOOM_LEAST, min(ZOOM_MOST, percent))
        if percent != self.zoom:
            self.zoom = percent
            self._apply()

    def use_fonts(self, family: str, mono: str, points: float) -> None:
        """Other fonts than the system's."""
        self._family, self._mono, self._points = family, mono, points
        self._apply()

    def colour(self, name: str) -> QColor:
        """A colour by its token."""
        found = self._colours.get(name)
        if found is None:
            found = self._colours[name] = QColor(self._tokens[name])
        return found

    def token(self, name: str) -> str:
        """A colour by its token, as "#RRGGBB"."""
        return self._tokens[name]

    def font(self, role: str, weight: int = 400, *, tabular: bool = False) -> QFont:
        """The font of a role of type (`tokens.SCALE`)."""
        key = (role, weight, tabular)
        found = self._fonts.get(key)
        if found is None:
            found = QFont(self._mono if role in ("mono", "code") else self._family)
            found.setPointSizeF(self._points * self.zoom / 100 * SCALE[role])
            found.setWeight(QFont.Weight(weight))
            if role in ("mono", "code"):  # "->" is two characters, and is shown as two.
                for joined in ("calt", "liga", "clig"):
                    found.setFeature(QFont.Tag(joined), 0)
            if role in LARGE:
                found.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 100 + LARGE_SPACING * 100)
            if tabular:
                found.setFeature(QFont.Tag("tnum"), 1)
            self._fonts[key] = found
        return found

    @property
    def letter(self) -> float:
        """How wide a letter of the chat is, on average."""
        if not self._letter:
            self._letter = max(1.0, QFontMetricsF(self.font("chat")).averageCharWidth())
        return self._letter

    def px(self, length: float) -> int:
        """A length of the look (drawn for type of 13 px) for the person's size of type."""
        return max(1, round(length * self._per_px))

    def _system_changed(self) -> None:
        if self.choice == "system":
            self._apply()

    def _contrast_changed(self) -> None:
        if self.contrast == "system":
            self._apply()

    def _apply(self) -> None:
        app = QApplication.instance()
        if not isinstance(app, QApplication) or not self._following:
            return  # Not installed yet: what was chosen counts then.
        dark = self.choice == "dark" or (self.choice == "system" and _system_dark())
        self.name = palette_name(dark=dark, high_contrast=self.contrast == "high" or _system_contrast())
        self._tokens = palettes()[self.name]
        self._colours.clear()
        self._fonts.clear()
        self._letter = 0.0
        points = self._points * self.zoom / 100
        self._per_px = points * _dpi() / 72 / BASE_PX
        app.setPalette(self._palette())
        app.setFont(self.font("ui"))
        app.setStyleSheet(style_sheet(self._tokens, points, self._mono, self.px, high=self.high))
        self.changed.emit()

    def _palette(self) -> QPalette:
        palette = QPalette()
        for role, token in _ROLES:
            palette.setColor(role, self.colour(token))
        for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self.colour("t3"))
        return palette


def _dpi() -> float:
    return QGuiApplication.primaryScreen().logicalDotsPerInch()


def _system_dark() -> bool:
    return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark


def _system_contrast() -> bool:
    # The hints are held by a name as long as they are asked: PySide forgets what belongs to a passing one.
    hints = QGuiApplication.styleHints()
    if not hasattr(hints, "accessibility"):  # Older than Qt 6.10.
        return False
    found = hints.accessibility()
    return bool(found.contrastPreference() == Qt.ContrastPreference.HighContrast)


look = Look()
"""The look of this program."""
