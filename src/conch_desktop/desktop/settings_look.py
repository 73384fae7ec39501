"""The page of the settings about the look: theme, contrast and the size of text."""

from __future__ import annotations

from typing import cast

from PySide6.QtWidgets import QHBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.chips import chip_line
from conch_desktop.desktop.parts import label
from conch_desktop.desktop.settings_section import Section, make_page
from conch_desktop.desktop.theme import Choice, Contrast, look
from conch_desktop.store.settings import CONTRAST, THEME


class LookSection(Section):
    """Theme, contrast, size of text."""

    name = "Appearance"

    def page(self) -> QWidget:
        """A line of choices for each."""
        page, content = make_page("Appearance", "The font and its size are your system’s.")
        themes = (("system", "As the system"), ("light", "Light"), ("dark", "Dark"))
        self.themes, theme_line = chip_line(themes, self.choose_theme)
        self.contrasts, contrast_line = chip_line((("system", "As the system"), ("high", "High")), self.choose_contrast)
        for words, row in (("Theme", theme_line), ("Contrast", contrast_line), ("Text size", self._sizes())):
            content.addWidget(label(words, "ui", "t2"))
            content.addWidget(row)
        look.changed.connect(self._show)
        return page

    def _sizes(self) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        for words, step, name in (("−", -1, "Smaller text"), ("+", 1, "Larger text"), ("Reset", 0, "Text at 100 %")):
            button = Button(words)
            button.setAccessibleName(name)
            button.clicked.connect(lambda _=False, step=step: self.behind.window.zoomed.emit(step))
            line.addWidget(button)
        self.size = label("100 %", "ui", "t1")
        line.addWidget(self.size)
        line.addStretch(1)
        return row

    async def fill(self) -> None:
        """Marks what is chosen."""
        self._show()

    def _show(self) -> None:
        self.themes[look.choice].setChecked(True)
        self.contrasts[look.contrast].setChecked(True)
        self.size.setText(f"{look.zoom} %")

    def choose_theme(self, choice: str) -> None:
        """Light, dark, or as the system has it."""
        look.choose(cast(Choice, choice))
        self.behind.do(self.behind.program.settings.set(THEME, choice), "keep the theme")
        self.behind.keep()

    def choose_contrast(self, contrast: str) -> None:
        """High, or as the system has it."""
        look.choose_contrast(cast(Contrast, contrast))
        self.behind.do(self.behind.program.settings.set(CONTRAST, contrast), "keep the contrast")
        self.behind.keep()
