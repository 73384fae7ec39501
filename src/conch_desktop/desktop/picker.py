"""The model picker: every model of every provider, found by words, with what each can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import (
    QModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import QFontMetrics, QKeySequence, QPainter, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from conch_desktop.desktop import icons
from conch_desktop.desktop.buttons import Button, IconButton
from conch_desktop.desktop.chips import Chip
from conch_desktop.desktop.fetch_bar import FetchBar
from conch_desktop.desktop.fields import Field
from conch_desktop.desktop.flow import Flow
from conch_desktop.desktop.list_rows import ROW, Index, ListRows
from conch_desktop.desktop.model_detail import ModelDetail
from conch_desktop.desktop.parts import IconMark, Line, badge_width, label, paint_badge
from conch_desktop.desktop.picker_rows import Entry, PickerRow, picker_rows
from conch_desktop.desktop.popup import Popup
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.wording import BADGE_WORDS, count, tokens

WIDE, TALL, NARROW = 856, 640, 560
_DETAIL_FROM = 1000


@dataclass(frozen=True, slots=True)
class PickerContent:
    """Everything the picker shows. `local` says what can be done about the model on this computer: "", "get" or why
    it can't run here."""

    entries: Sequence[Entry] = ()
    providers: Sequence[tuple[str, str]] = ()
    failures: Mapping[str, str] = field(default_factory=dict)
    favourites: Sequence[str] = ()
    recent: Sequence[str] = ()
    current: str = ""
    local: str = ""
    get_words: str = ""


class Rows(ListRows[PickerRow]):
    """The rows as a model."""

    def told(self, row: PickerRow, role: int) -> str | None:
        if role == Qt.ItemDataRole.DisplayRole:
            return row.entry.label if row.entry else row.text
        if role == Qt.ItemDataRole.AccessibleTextRole and row.entry:
            checked = ", checked" if row.entry.checked else ""
            return f"{row.entry.label}, {row.entry.provider}, {BADGE_WORDS[row.entry.mode]}{checked}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{row.entry.label} ({row.entry.name})" if row.entry else row.text
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if self.rows[index.row()].entry is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class _RowPainter(QStyledItemDelegate):
    """Paints a row."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, look.px(36))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: PickerRow = index.data(ROW)
        rect = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.kind == "heading":
            self._heading(painter, rect, row)
        elif row.kind == "failure":
            self._failure(painter, rect, row)
        elif row.entry is not None:
            self._model(painter, rect, row, row.entry, option.state)
        painter.restore()

    def _heading(self, painter: QPainter, rect: QRect, row: PickerRow) -> None:
        painter.setFont(look.font("tiny", 600))
        painter.setPen(look.colour("t2"))
        spot = rect.adjusted(16, look.px(6), -16, 0)
        painter.drawText(spot, Qt.AlignmentFlag.AlignVCenter, row.text)
        painter.setFont(look.font("tiny", tabular=True))
        tail = f"{row.count:,}" if row.count else "Window     $ a million, in / out"
        painter.drawText(spot, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, tail)

    def _failure(self, painter: QPainter, rect: QRect, row: PickerRow) -> None:
        mark = look.px(16)
        icons.paint(
            painter,
            "failed",
            QRectF(rect.x() + 16, rect.y() + (rect.height() - mark) / 2, mark, mark),
            look.colour("err"),
        )
        font = look.font("small")
        painter.setFont(font)
        painter.setPen(look.colour("err"))
        spot = rect.adjusted(16 + mark + 8, 0, -16, 0)
        words = QFontMetrics(font).elidedText(row.text, Qt.TextElideMode.ElideRight, spot.width())
        painter.drawText(spot, Qt.AlignmentFlag.AlignVCenter, words)

    def _model(self, painter: QPainter, rect: QRect, row: PickerRow, entry: Entry, state: QStyle.StateFlag) -> None:
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("sel" if selected else "hover"))
            painter.drawRoundedRect(rect.adjusted(6, 0, -6, 0), 6, 6)
        right = self._facts(painter, rect, entry)
        mark = look.px(16)
        left = rect.x() + 16
        if row.favourite:
            icons.paint(
                painter, "star-on", QRectF(left, rect.y() + (rect.height() - mark) / 2, mark, mark), look.colour("acc")
            )
        left += mark + 8
        badge = badge_width(entry.mode, entry.checked)
        font = look.font("ui", 500)
        metrics = QFontMetrics(font)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        name = metrics.elidedText(entry.label, Qt.TextElideMode.ElideRight, max(40, right - left - badge - 16))
        painter.setFont(font)
        painter.setPen(look.colour("t1"))
        painter.drawText(QRect(left, rect.y(), right - left, rect.height()), flags, name)
        left += metrics.horizontalAdvance(name) + 8
        if row.named:
            painter.setFont(look.font("ui"))
            painter.setPen(look.colour("t2"))
            wide = QFontMetrics(look.font("ui")).horizontalAdvance(entry.provider)
            if left + wide + badge + 16 < right:
                painter.drawText(QRect(left, rect.y(), wide + 2, rect.height()), flags, entry.provider)
                left += wide + 8
        if left + badge < right:
            high = look.px(18)
            place = QRectF(left, rect.y() + (rect.height() - high) / 2, badge, high)
            paint_badge(painter, place, entry.mode, entry.checked)

    def _facts(self, painter: QPainter, rect: QRect, entry: Entry) -> int:
        """What stands at the right; gives where it begins."""
        right = rect.right() - 16
        font = look.font("ui", tabular=True)
        painter.setFont(font)
        painter.setPen(look.colour("t2"))
        price = "free" if entry.local else entry.price
        priced = QFontMetrics(font).horizontalAdvance("12.00 / 60.00")
        spot = QRect(right - priced, rect.y(), priced, rect.height())
        painter.drawText(spot, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, price)
        right -= priced + 12
        window = tokens(entry.window) if entry.window else ""
        room = QFontMetrics(font).horizontalAdvance("1,049k")
        spot = QRect(right - room, rect.y(), room, rect.height())
        painter.drawText(spot, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, window)
        right -= room + 10
        mark = look.px(16)
        for shown, icon in ((entry.local, "computer"), (entry.pictures, "picture")):
            if shown:
                place = QRectF(right - mark, rect.y() + (rect.height() - mark) / 2, mark, mark)
                icons.paint(painter, icon, place, look.colour("t2"))
                right -= mark + 6
        return right - 4


class ModelPicker(Popup):
    """The picker. It announces what the person wants."""

    chosen = Signal(str)
    starred = Signal(str)
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
        self.search.setObjectName("bare")
        self.rows = Rows()
        self.list = QListView()
        self.detail = ModelDetail()
        self._trouble = label("", "small", "err", wrap=True)
        self._many = label("", "small", "t2")
        self._empty = label("", "ui", "t2")
        self.fetch: FetchBar | None = None
        self.pictures, self.local = Chip("Pictures"), Chip("On this computer")
        self.pictures.setToolTip("Only models that see pictures")
        self.local.setToolTip("Only models on this computer")
        for chip in (self.pictures, self.local):
            chip.toggled.connect(lambda _: self._show())
        self._build()
        self.search.textChanged.connect(self._show)
        self.search.moved.connect(self._move)
        self.search.entered.connect(self._take)
        self.list.clicked.connect(lambda index: self._choose(index))
        self.detail.choice_made.connect(lambda choice: self._with_entry(self.mode_chosen, choice))
        self.detail.check_wanted.connect(lambda: self._with_entry(self.check_wanted))
        self.detail.lessons_wanted.connect(self.lessons_wanted)
        QShortcut(QKeySequence("Ctrl+D"), self, self._star, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)

    def _build(self) -> None:
        again = IconButton("again", "Ask every provider for its models again", 28)
        again.clicked.connect(self.refreshed)
        head = QHBoxLayout()
        head.setContentsMargins(18, 0, 12, 0)
        head.setSpacing(10)
        head.addWidget(IconMark("search", "t2"))
        head.addWidget(self.search, 1)
        head.addWidget(self.pictures)
        head.addWidget(self.local)
        head.addWidget(again)
        top = QWidget()
        top.setLayout(head)
        top.setMinimumHeight(look.px(47))
        self.list.setModel(self.rows)
        self.list.setItemDelegate(_RowPainter(self.list))
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
        self._many.setMinimumHeight(look.px(28))
        self._buttons = Flow(4, apart=1)
        for part in (add, file, self._many):
            self._buttons.addWidget(part)
        self._get = QHBoxLayout()
        self._trouble.hide()
        column = QVBoxLayout(foot)
        column.setContentsMargins(8, 6, 16, 6)
        column.setSpacing(4)
        column.addWidget(self._trouble)
        column.addLayout(self._get)
        column.addLayout(self._buttons)
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
            self._get.setContentsMargins(8, 2, 0, 2)
            self._get.addWidget(self.fetch)
            self._get.addStretch(1)
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
        )
        self.rows.put(rows)
        models = sum(1 for row in rows if row.kind == "model")
        self._empty.setVisible(not rows)
        self.list.setVisible(bool(rows))
        nothing = "No such model" if content.entries else "No models yet"
        self._empty.setText(f"Nothing found for “{words[:40]}”" if words.strip() else nothing)
        providers = count(len({entry.provider_id for entry in content.entries}), "provider")
        self._many.setText(f"{count(models, 'model')}, {providers}")
        wanted = select or content.current
        at = next((at for at, row in enumerate(rows) if row.entry is not None and row.entry.id == wanted), None)
        if at is None or (words.strip() and not select):
            at = next((at for at, row in enumerate(rows) if row.entry is not None), None)
        if at is not None:
            self.list.setCurrentIndex(self.rows.index(at))
            hint = QListView.ScrollHint.PositionAtCenter if select else QListView.ScrollHint.EnsureVisible
            self.list.scrollTo(self.rows.index(at), hint)
        self._show_detail()

    def _show_detail(self) -> None:
        entry = self._entry()
        self.detail.show_entry(entry, favourite=entry is not None and entry.id in self._content.favourites)

    def _entry(self) -> Entry | None:
        index = self.list.currentIndex()
        row: PickerRow | None = index.data(ROW) if index.isValid() else None
        return row.entry if row is not None else None

    # Keys -----------------------------------------------------------------------------------------------------------

    def _move(self, step: int) -> None:
        at = self.list.currentIndex().row()
        while 0 <= at + step < len(self.rows.rows):
            at += step
            if self.rows.rows[at].entry is not None:
                self.list.setCurrentIndex(self.rows.index(at))
                self.list.scrollTo(self.rows.index(at))
                return
        self.list.scrollToTop() if step < 0 else None

    def _take(self) -> None:
        entry = self._entry()
        if entry is not None:
            self.close_popup()
            self.chosen.emit(entry.id)

    def _choose(self, index: QModelIndex) -> None:
        if index.data(ROW).entry is not None:
            self.list.setCurrentIndex(index)
            self._take()

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
