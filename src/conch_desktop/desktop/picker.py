"""The model picker: every model of every provider, found by words, with what each can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QModelIndex, QPoint, QRect, QRectF, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QFontMetrics, QKeySequence, QPainter, QPaintEvent, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QListView, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button, IconButton
from conch_desktop.desktop.chips import Chip
from conch_desktop.desktop.fetch_bar import FetchBar
from conch_desktop.desktop.fields import Field
from conch_desktop.desktop.flow import Flow
from conch_desktop.desktop.list_rows import ROW
from conch_desktop.desktop.model_detail import ModelDetail
from conch_desktop.desktop.parts import IconMark, Line, label
from conch_desktop.desktop.picker_painter import RowPainter, Rows
from conch_desktop.desktop.picker_rows import Entry, PickerRow, picker_rows
from conch_desktop.desktop.popup import Popup
from conch_desktop.desktop.slash_menu import key_width, paint_key
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.wording import count

WIDE, TALL, NARROW = 856, 640, 560
_DETAIL_FROM = 1000
_FOOT = (
    (("↑", "↓"), "move"),
    (("Enter",), "use in this chat"),
    (("←", "→"), "fold"),
    (("Ctrl", "D"), "favourite"),
    (("Ctrl", "Shift", "T"), "check"),
)
"""Keys and what they do, the most wanted first."""


@dataclass(frozen=True, slots=True)
class PickerContent:
    """Everything the picker shows. `local` says what can be done about the model on this computer: "", "get" or why
    it can't run here."""

    entries: Sequence[Entry] = ()
    providers: Sequence[tuple[str, str]] = ()
    failures: Mapping[str, str] = field(default_factory=dict)
    favourites: Sequence[str] = ()
    recent: Sequence[str] = ()
    folded: Sequence[str] = ()
    current: str = ""
    local: str = ""
    get_words: str = ""


class ModelPicker(Popup):
    """The picker. It announces what the person wants."""

    chosen = Signal(str)
    starred = Signal(str)
    folded = Signal(str, bool)
    """The models of this provider are folded away, or shown again."""
    mode_chosen = Signal(str, str)
    check_wanted = Signal(str)
    lessons_wanted = Signal()
    add_provider = Signal()
    use_file = Signal()
    get_wanted = Signal()
    get_cancelled = Signal()
    refreshed = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, "Models")
        self._content = PickerContent()
        self.search = Field("Find a model or a provider", "Find a model or a provider")
        self.search.setObjectName("find")
        self.rows = Rows()
        self.list = QListView()
        self.detail = ModelDetail()
        self._trouble = label("", "small", "err", wrap=True)
        self.keys = _Keys()
        self._empty = label("", "ui", "t2")
        self.fetch: FetchBar | None = None
        self.pictures, self.local = Chip("Pictures", "picture"), Chip("On this computer", "computer")
        self.pictures.setToolTip("Only models that see pictures")
        self.local.setToolTip("Only models on this computer")
        for chip in (self.pictures, self.local):
            chip.toggled.connect(lambda _: self._show())
        self._build()
        self.search.textChanged.connect(self._show)
        self.search.moved.connect(self._move)
        self.search.aside.connect(lambda step: self._fold(step < 0))
        self.search.entered.connect(self._take)
        self.list.clicked.connect(lambda index: self._choose(index))
        self.detail.choice_made.connect(lambda choice: self._with_entry(self.mode_chosen, choice))
        self.detail.star_wanted.connect(self._star)
        self.detail.check_wanted.connect(lambda: self._with_entry(self.check_wanted))
        self.detail.lessons_wanted.connect(self.lessons_wanted)
        QShortcut(QKeySequence("Ctrl+D"), self, self._star, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)

    def _build(self) -> None:
        again = IconButton("again", "Ask every provider for its models again", 28)
        again.clicked.connect(self.refreshed)
        head = QHBoxLayout()
        head.setContentsMargins(18, 0, 12, 0)
        head.setSpacing(10)
        head.addWidget(IconMark("search", "t2", 18))
        head.addWidget(self.search, 1)
        head.addWidget(self.pictures)
        head.addWidget(self.local)
        head.addWidget(again)
        top = QWidget()
        top.setLayout(head)
        top.setMinimumHeight(look.px(47))
        self.list.setModel(self.rows)
        self.list.setItemDelegate(RowPainter(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFrameShape(QListView.Shape.NoFrame)
        self.list.setMouseTracking(True)
        self.list.setAccessibleName("Models")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.selectionModel().currentChanged.connect(lambda *_: self._show_detail())
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.hide()
        lists = QVBoxLayout()
        lists.setContentsMargins(0, 4, 0, 4)
        lists.setSpacing(0)
        lists.addWidget(self._empty, 1)
        lists.addWidget(self.list, 1)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addLayout(lists, 1)
        middle.addWidget(self.detail)
        self.body.addWidget(top)
        self.body.addWidget(Line())
        self.body.addLayout(middle, 1)
        self.body.addWidget(Line())
        self.body.addWidget(self._foot())

    def _foot(self) -> QWidget:
        foot = QWidget()
        add = Button("Add a provider…", "quiet", "plus", 28)
        file = Button("Use a GGUF file…", "quiet", "file", 28)
        add.clicked.connect(self.add_provider)
        file.clicked.connect(self.use_file)
        ways = Flow(4)
        ways.setContentsMargins(8, 5, 8, 5)
        ways.addWidget(add)
        ways.addWidget(file)
        self._get = QHBoxLayout()
        self._trouble.hide()
        self._trouble.setContentsMargins(16, 6, 16, 0)
        column = QVBoxLayout(foot)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._trouble)
        column.addLayout(self._get)
        column.addLayout(ways)
        column.addWidget(Line())
        column.addWidget(self.keys)
        return foot

    # Content --------------------------------------------------------------------------------------------------------

    def show_content(self, content: PickerContent) -> None:
        """Shows models and what can be done."""
        marked = self._entry()
        self._content = content
        if content.local == "get" and self.fetch is None:
            self.fetch = FetchBar(content.get_words)
            self.fetch.wanted.connect(self.get_wanted)
            self.fetch.cancelled.connect(self.get_cancelled)
            self._get.addWidget(self.fetch)
        if self.fetch is not None:
            self.fetch.setVisible(content.local == "get")
        self._show(select=marked.id if marked is not None and self.isVisible() else "")

    def say(self, words: str) -> None:
        """What went wrong with what was done here."""
        self._trouble.setText(words)
        self._trouble.setVisible(bool(words))

    def open_below(self, anchor: QRect) -> None:
        """Opens below the model button, `anchor` in the window."""
        wide = self.window().width() >= _DETAIL_FROM
        self.detail.setVisible(wide)
        for chip in (self.pictures, self.local):
            chip.setVisible(wide)
            chip.setChecked(False)
        self.search.clear()
        self._show(select=self._content.current)
        place = QRect(anchor.bottomLeft() + QPoint(-4, 6), QSize(look.px(WIDE if wide else NARROW), look.px(TALL)))
        self.open_at(place, self.search)

    def _show(self, _text: str = "", *, select: str = "") -> None:
        content = self._content
        words = self.search.text()
        rows = picker_rows(
            content.entries,
            words=words,
            providers=content.providers,
            failures=content.failures,
            favourites=content.favourites,
            recent=content.recent,
            pictures=self.pictures.isChecked(),
            local=self.local.isChecked(),
            folded=content.folded,
        )
        self.rows.put(rows)
        models = sum(row.count if row.folded else row.kind == "model" for row in rows)
        self._empty.setVisible(not rows)
        self.list.setVisible(bool(rows))
        nothing = "No such model" if content.entries else "No models yet"
        self._empty.setText(f"Nothing found for “{words[:40]}”" if words.strip() else nothing)
        providers = count(len({entry.provider_id for entry in content.entries}), "provider")
        self.keys.say(f"{count(models, 'model')}, {providers}")
        wanted = select or content.current
        at = next((at for at, row in enumerate(rows) if row.entry is not None and row.entry.id == wanted), None)
        if at is None or (words.strip() and not select):
            at = next((at for at, row in enumerate(rows) if row.steered), None)
        if at is not None:
            self.list.setCurrentIndex(self.rows.index(at))
            hint = QListView.ScrollHint.PositionAtCenter if select else QListView.ScrollHint.EnsureVisible
            self.list.scrollTo(self.rows.index(at), hint)
        self._show_detail()

    def _show_detail(self) -> None:
        entry = self._entry()
        self.detail.show_entry(entry, favourite=entry is not None and entry.id in self._content.favourites)
        index = self.list.currentIndex()
        row: PickerRow | None = index.data(ROW) if index.isValid() else None
        if row is not None and row.folded:
            self.detail.show_group(row.text, row.count)

    def _entry(self) -> Entry | None:
        index = self.list.currentIndex()
        row: PickerRow | None = index.data(ROW) if index.isValid() else None
        return row.entry if row is not None else None

    # Keys -----------------------------------------------------------------------------------------------------------

    def _move(self, step: int) -> None:
        at = self.list.currentIndex().row()
        while 0 <= at + step < len(self.rows.rows):
            at += step
            if self.rows.rows[at].steered:
                self.list.setCurrentIndex(self.rows.index(at))
                self.list.scrollTo(self.rows.index(at))
                return
        self.list.scrollToTop() if step < 0 else None

    def _fold(self, away: bool) -> None:
        """Folds the group that the mark is in, or shows it again; the mark stays where it was."""
        index = self.list.currentIndex()
        row: PickerRow | None = index.data(ROW) if index.isValid() else None
        if row is None or not row.provider_id:
            return
        group = next(one for one in self.rows.rows if one.kind == "heading" and one.provider_id == row.provider_id)
        if group.folded is None or group.folded == away:
            return
        others = [one for one in self._content.folded if one != row.provider_id]
        folded = [*others, row.provider_id] if away else others
        self._content = replace(self._content, folded=folded)
        place = self.list.verticalScrollBar().value()
        self._show()
        self.list.verticalScrollBar().setValue(place)
        at = next(at for at, one in enumerate(self.rows.rows) if one.provider_id == row.provider_id)
        if not away:
            at += 1
        self.list.setCurrentIndex(self.rows.index(at))
        self.list.scrollTo(self.rows.index(at))
        self.folded.emit(row.provider_id, away)

    def _take(self) -> None:
        entry = self._entry()
        if entry is not None:
            self.close_popup()
            self.chosen.emit(entry.id)
        elif self.list.currentIndex().isValid():
            self._fold(False)

    def _choose(self, index: QModelIndex) -> None:
        row: PickerRow = index.data(ROW)
        if row.entry is None and row.folded is None:
            return
        self.list.setCurrentIndex(index)
        if row.folded is None:
            self._take()
        else:
            self._fold(not row.folded)

    def _with_entry(self, signal: SignalInstance, *more: str) -> None:
        entry = self._entry()
        if entry is not None:
            signal.emit(entry.id, *more)

    def check_current(self) -> bool:
        """Ctrl+Shift+T while the list is open is about the model that is marked; False when none is."""
        if not self.isVisible() or self._entry() is None:
            return False
        self._with_entry(self.check_wanted)
        return True

    def _star(self) -> None:
        entry = self._entry()
        if entry is not None:
            self.starred.emit(entry.id)


class _Keys(QWidget):
    """The foot: what the keys do here, where there is room for it, and how many models there are."""

    def __init__(self) -> None:
        super().__init__()
        self.words = ""
        self.setFixedHeight(look.px(34))

    def say(self, words: str) -> None:
        """How many there are."""
        self.words = words
        self.setAccessibleName(words)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        foot, left = QRectF(self.rect()), 16.0
        wide = QFontMetrics(look.font("small")).horizontalAdvance(self.words)
        for keys, words in _FOOT:
            room = sum(map(key_width, keys)) + QFontMetrics(look.font("small")).horizontalAdvance(words) + 6
            if left + room > self.width() - 32 - wide:
                break
            for key in keys[:-1]:
                left = paint_key(painter, left, foot, key, "")
            left = paint_key(painter, left, foot, keys[-1], words)
        painter.setFont(look.font("small"))
        painter.setPen(look.colour("t2"))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(foot.adjusted(0, 0, -16, 0), flags, self.words)
