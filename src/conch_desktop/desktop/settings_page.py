"""The settings: providers and their keys, what is remembered, what may always run, and the look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.buttons import Button, IconButton, Painted
from conch_desktop.desktop.chips import Chip
from conch_desktop.desktop.parts import IconMark, label
from conch_desktop.desktop.scroll import centred
from conch_desktop.desktop.settings_models import TaughtModels
from conch_desktop.desktop.settings_parts import AllowanceRow, CardList, FactRow, ProviderRow
from conch_desktop.desktop.theme import look

if TYPE_CHECKING:
    from conch_desktop.domain.memories import Memory
    from conch_desktop.domain.models import Provider

WIDTH = 720
NAV = 260


@dataclass(frozen=True, slots=True)
class ProviderFacts:
    """What is shown of a provider beside its name."""

    address: str
    said: str = ""
    bad: bool = False


class NavRow(Painted):
    """An entry of the settings' list."""

    def __init__(self, icon: str, text: str) -> None:
        super().__init__()
        self._icon, self._text = icon, text
        self.setCheckable(True)
        self.setAccessibleName(text)

    def sizeHint(self) -> QSize:
        return QSize(look.px(160), look.px(32))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = "sel" if self.isChecked() else self._ground(None, "hover")
        if ground:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour(ground))
            painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
        mark = look.px(16)
        icons.paint(painter, self._icon, QRectF(9, (self.height() - mark) / 2, mark, mark), look.colour("t2"))
        painter.setFont(look.font("ui", 500 if self.isChecked() else 400))
        painter.setPen(look.colour("t1"))
        painter.drawText(self.rect().adjusted(9 + mark + 10, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self._text)


def _page(title: str, sentence: str, extra: QWidget | None = None) -> tuple[QWidget, QVBoxLayout]:
    """An empty page with its title: the page, and where its content goes."""
    page = QWidget()
    page.setObjectName("chat")
    page.setMaximumWidth(look.px(WIDTH) + 48)
    column = QVBoxLayout(page)
    column.setContentsMargins(24, 28, 24, 32)
    column.setSpacing(6)
    head = QHBoxLayout()
    head.addWidget(label(title, "title", "t1", 600), 1)
    if extra is not None:
        head.addWidget(extra)
    column.addLayout(head)
    column.addWidget(label(sentence, "ui", "t2", wrap=True))
    column.addSpacing(14)
    content = QVBoxLayout()
    content.setSpacing(12)
    column.addLayout(content)
    column.addStretch(1)
    return centred(page), content


def _quiet(icon: str, words: str) -> QWidget:
    line = QWidget()
    row = QHBoxLayout(line)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    row.addWidget(IconMark(icon, "t2"), 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(label(words, "ui", "t2", wrap=True), 1)
    return line


class SettingsPage(QWidget):
    """Takes the place of everything in the window. It changes nothing itself."""

    left = Signal()
    add_provider = Signal()
    key_given = Signal(str, str)
    tested = Signal(str)
    removed = Signal(str)
    forgotten = Signal(str, str)
    all_forgotten = Signal()
    checked = Signal(str)
    fact_edited = Signal(int, str)
    fact_removed = Signal(int)
    revoked = Signal(str, str)
    theme_chosen = Signal(str)
    contrast_chosen = Signal(str)
    zoomed = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("chat")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Settings")
        self._rows: dict[str, ProviderRow] = {}
        self._providers, self._facts, self._allowed = CardList(), CardList(), CardList()
        self._no_facts = _quiet(
            "memory", "Nothing is remembered yet. Write /remember and a fact, or let a model do it."
        )
        self._none_allowed = _quiet("guard", "Nothing may run without a question, except what only reads.")
        self._pages = QStackedWidget()
        self._nav: dict[str, NavRow] = {}
        self._build()

    def _build(self) -> None:
        side = QWidget()
        side.setObjectName("side")
        side.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        side.setMaximumWidth(look.px(NAV))
        back = IconButton("chevron-left", "Back to the chat", 32)
        back.clicked.connect(self.left)
        head = QHBoxLayout()
        head.setSpacing(2)
        head.addWidget(back)
        head.addWidget(label("Settings", "ui", "t1", 600), 1)
        self._column = QVBoxLayout(side)
        self._column.setContentsMargins(8, 8, 8, 8)
        self._column.setSpacing(0)
        self._column.addLayout(head)
        self._column.addSpacing(8)
        self._group = QButtonGroup(self)
        for name, icon, page in (
            ("Providers", "cloud", self._providers_page()),
            ("Models", "lesson", self._models_page()),
            ("Memory", "memory", self._memory_page()),
            ("Permissions", "guard", self._permissions_page()),
            ("Appearance", "light", self._look_page()),
        ):
            row = self._nav[name] = NavRow(icon, name)
            row.setSizePolicy(row.sizePolicy().Policy.Expanding, row.sizePolicy().Policy.Fixed)
            self._group.addButton(row)
            self._column.addWidget(row)
            self._pages.addWidget(page)
            row.clicked.connect(lambda _=False, page=page: self._pages.setCurrentWidget(page))
        self._column.addStretch(1)
        self._nav["Providers"].setChecked(True)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(0)
        line.addWidget(side, 26)
        line.addWidget(self._pages, 74)

    def _providers_page(self) -> QWidget:
        add = Button("Add a provider…", "plain", "plus")
        add.clicked.connect(self.add_provider)
        page, content = _page("Providers", "Services and servers with models. Only these are ever contacted.", add)
        self._store = label("", "ui", "t2", wrap=True)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(IconMark("lock", "t2"), 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self._store, 1)
        content.addWidget(self._providers)
        content.addLayout(line)
        return page

    def _models_page(self) -> QWidget:
        every = Button("Forget all lessons…")
        said = "What each model needs, and how that was learnt. A forgotten lesson is learnt anew when it is met."
        page, content = _page("Models", said, every)
        self.models = TaughtModels(every)
        self.models.forgotten.connect(self.forgotten)
        self.models.all_forgotten.connect(self.all_forgotten)
        self.models.checked.connect(self.checked)
        content.addWidget(self.models)
        return page

    def _memory_page(self) -> QWidget:
        page, content = _page("Memory", "Facts that every model is told. Edit or delete them here.")
        content.addWidget(self._facts)
        content.addWidget(self._no_facts)
        return page

    def _permissions_page(self) -> QWidget:
        page, content = _page("Permissions", "Tools that you always allow. A tool that changes asks again by itself.")
        content.addWidget(self._allowed)
        content.addWidget(self._none_allowed)
        return page

    def _look_page(self) -> QWidget:
        page, content = _page("Appearance", "The font and its size are your system’s.")
        self._themes: dict[str, Chip] = {}
        self._contrasts: dict[str, Chip] = {}
        choices = (("system", "As the system"), ("light", "Light"), ("dark", "Dark"))
        themes = self._chips(self._themes, choices, self.theme_chosen)
        contrasts = self._chips(self._contrasts, (("system", "As the system"), ("high", "High")), self.contrast_chosen)
        sizes = QHBoxLayout()
        sizes.setSpacing(8)
        self._size = label("100 %", "ui", "t1")
        for words, step, name in (("−", -1, "Smaller text"), ("+", 1, "Larger text"), ("100 %", 0, "Text at 100 %")):
            button = Button(words)
            button.setAccessibleName(name)
            button.clicked.connect(lambda _=False, step=step: self.zoomed.emit(step))
            sizes.addWidget(button)
        sizes.addWidget(self._size)
        sizes.addStretch(1)
        for words, row in (("Theme", themes), ("Contrast", contrasts), ("Text size", sizes)):
            content.addWidget(label(words, "ui", "t2"))
            content.addLayout(row)
        return page

    def _chips(self, book: dict[str, Chip], choices: Sequence[tuple[str, str]], chosen: SignalInstance) -> QHBoxLayout:
        """A line of choices; they are kept in `book`."""
        line = QHBoxLayout()
        line.setSpacing(8)
        group = QButtonGroup(self)
        for name, words in choices:
            chip = book[name] = Chip(words)
            group.addButton(chip)
            line.addWidget(chip)
            chip.clicked.connect(lambda _=False, name=name: chosen.emit(name))
        line.addStretch(1)
        return line

    # Content --------------------------------------------------------------------------------------------------------

    def show_page(self, name: str) -> None:
        """Opens one of the pages."""
        self._nav[name].click()
        self._nav[name].setFocus(Qt.FocusReason.OtherFocusReason)

    def show_providers(self, providers: Sequence[Provider], facts: Mapping[str, ProviderFacts], store: str) -> None:
        """The providers; `store` says where keys are kept."""
        self._rows = {}
        for provider in providers:
            known = facts[provider.id]
            own = provider.kind != "local"
            row = ProviderRow(provider.id, provider.name, known.address, own=own, said=known.said, bad=known.bad)
            row.key_given.connect(self.key_given)
            row.tested.connect(self.tested)
            row.removed.connect(self.removed)
            self._rows[provider.id] = row
        self._providers.put(list(self._rows.values()))
        self._store.setText(store)

    def say(self, provider: str, words: str, *, bad: bool) -> None:
        """What came of a test or a new key."""
        row = self._rows.get(provider)
        if row is not None:
            row.say(words, bad=bad)

    def ask_key(self, provider: str) -> None:
        """Opens the line for a provider's new key."""
        self.show_page("Providers")
        row = self._rows.get(provider)
        if row is not None:
            row.ask_key()

    def show_facts(self, facts: Sequence[Memory]) -> None:
        """What is remembered."""
        rows: list[QWidget] = []
        for fact in facts:
            day = datetime.fromtimestamp(fact.created)  # noqa: DTZ006 - local days are meant
            when = f"{day.day} {day:%B}" if fact.created else ""
            row = FactRow(fact.id, fact.content, when)
            row.edited.connect(self.fact_edited)
            row.removed.connect(self.fact_removed)
            rows.append(row)
        self._facts.put(rows)
        self._no_facts.setVisible(not rows)

    def show_allowed(self, allowed: Sequence[tuple[str, str]]) -> None:
        """What may always run: (source, tool)."""
        rows: list[QWidget] = []
        for source, tool in allowed:
            row = AllowanceRow(source, tool)
            row.revoked.connect(self.revoked)
            rows.append(row)
        self._allowed.put(rows)
        self._none_allowed.setVisible(not rows)

    def show_look(self, theme: str, zoom: int, contrast: str = "system") -> None:
        """The theme, the contrast and the text size that are chosen."""
        self._contrasts[contrast].setChecked(True)
        self._themes[theme].setChecked(True)
        self._size.setText(f"{zoom} %")
