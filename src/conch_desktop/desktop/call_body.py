"""An open call: what was sent, what ran, what was mended, what came back, and what can be done with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFocusEvent, QGuiApplication, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QTextEdit, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button, IconButton
from conch_desktop.desktop.call_news import news
from conch_desktop.desktop.flow import Flow
from conch_desktop.desktop.marked_text import Rings, mark_text
from conch_desktop.desktop.marks import Span, members, ran_marks, sent_marks
from conch_desktop.desktop.mend_words import MendLine, mend_lines
from conch_desktop.desktop.mono_box import MonoBox
from conch_desktop.desktop.parts import IconMark, Line, Paragraph, label
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.tokens import LINE
from conch_desktop.desktop.wording import STATE_WORDS, clock, count, duration, mended, pretty
from conch_desktop.engine.answering import share_told

if TYPE_CHECKING:
    from conch_desktop.domain.calls import CallRecord
    from conch_desktop.engine.again import Again

_FOLD_FROM = 10
"""Lines from which JSON in an answer is folded."""
_FOLDED = 5


class Section(QWidget):
    """A heading with its Copy, and below it a text."""

    def __init__(self, head: str, rest: str, content: QWidget, copied: str | None, *, apart: bool = False) -> None:
        super().__init__()
        line = QHBoxLayout()
        line.setSpacing(4)
        line.addWidget(label(head, "small", "t2", 600))
        if apart:
            line.addStretch(1)
        line.addWidget(label(rest, "small", "t2"))
        if not apart:
            line.addStretch(1)
        if copied is not None:
            copy = IconButton("copy", f"Copy {head}", 24)
            copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(copied))
            line.addWidget(copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 6 if copied is not None else 10, 12, 12)
        column.setSpacing(4 if copied is not None else 6)
        column.addLayout(line)
        column.addWidget(content)


class MendRow(QWidget):
    """A line of *Mended*. Under the pointer or with the focus it tells so, and its places are ringed."""

    lit = Signal(bool)

    def __init__(self, line: MendLine) -> None:
        super().__init__()
        self.line = line
        self._on = False
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        joint = " " if line.left_out else ": "
        self.words = f"{line.name}{joint}{line.words}" if line.name else line.words
        self.setAccessibleName(f"{self.words}, at {line.where}" if line.where else self.words)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 3, 6, 3)
        row.setSpacing(8)
        icon, tone = ("close", "err") if line.left_out else ("mend", "mend")
        row.addWidget(IconMark(icon, tone), 0, Qt.AlignmentFlag.AlignTop)
        words = label(self.words, "small", "t1", wrap=True)
        if isinstance(words, Paragraph):
            words.mono = len(line.name)
        row.addWidget(words, 1)
        where = label(line.where, "tiny", "t2")
        where.setFixedHeight(look.px(LINE["small"]))
        row.addWidget(where, 0, Qt.AlignmentFlag.AlignTop)

    def _light(self, on: bool) -> None:
        self._on = on
        self.update()
        self.lit.emit(on)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._light(True)

    def leaveEvent(self, event: QEvent) -> None:
        self._light(self.hasFocus())

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._light(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._light(False)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._on:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("mendS"))
            painter.drawRoundedRect(QRectF(self.rect()), 4, 4)
            if self.hasFocus():
                painter.setPen(QPen(look.colour("acc"), 2))
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)


class Folded(QWidget):
    """JSON over many lines, of which the first are shown until all are wanted."""

    refit = Signal()

    def __init__(self, text: str, edge: str) -> None:
        super().__init__()
        self._text, self._edge = text, edge
        self._lines = text.split("\n")
        self.open = False
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self._box: MonoBox | None = None
        self.button = Button("", "link", height=24)
        self.button.clicked.connect(self._turn)
        self._column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        self._show()

    def _show(self) -> None:
        if self._box is not None:
            self._box.hide()
            self._box.deleteLater()
        shown = self._text if self.open else "\n".join([*self._lines[:_FOLDED], "  …"])
        self._box = MonoBox("Answer", shown, edge=self._edge)
        self._column.insertWidget(0, self._box)
        self._box.show()
        self.button.change("Fold it" if self.open else f"Show all {len(self._lines):,} lines")

    def _turn(self) -> None:
        self.open = not self.open
        self._show()
        self.refit.emit()


class CallBody(QWidget):
    """The sections of a call. Everything it can say is said here; what it wants done is announced."""

    case_wanted = Signal()
    again_wanted = Signal()
    refit = Signal()

    def __init__(self, call: CallRecord, parent: QWidget, again: Again | None = None, *, running: bool = False) -> None:
        super().__init__(parent)
        self.call = call
        self._again, self._running = again, running
        self.mends: list[MendRow] = []
        self._sent_rings: Rings | None = None
        self._ran_rings: Rings | None = None
        self._ran_text = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for section in [
            self._sent(),
            *self._ran(),
            *self._mended(),
            *self._answer(),
            *self._pictures(),
            *self._sent_back(),
            *self._came_again(),
        ]:
            column.addWidget(Line())
            column.addWidget(section)
        column.addWidget(Line())
        column.addWidget(self._actions())

    @property
    def rings(self) -> list[Rings]:
        """The rings in *Sent* and *Ran*, where these are shown."""
        return [one for one in (self._sent_rings, self._ran_rings) if one is not None]

    # Sections -------------------------------------------------------------------------------------------------------

    def _sent(self) -> QWidget:
        raw = self.call.raw
        box = MonoBox("Sent", raw)
        if isinstance(box.text, QTextEdit):
            mark_text(box.text, raw, sent_marks(self.call))
            self._sent_rings = Rings(box.text, raw)
        return Section("Sent", "by the model, byte for byte", box, raw)

    def _ran(self) -> list[QWidget]:
        call = self.call
        if call.state == "reading":
            return []
        if call.args is None or nothing_ran(call):
            return [Section("Ran", "", label(_why_not(call), "small", "t2", wrap=True), None)]
        shown = self._ran_text = pretty(dict(call.args))
        box = MonoBox("Ran", shown)
        if isinstance(box.text, QTextEdit):
            mark_text(box.text, shown, [(start, end, "value") for start, end in ran_marks(call, shown)])
            self._ran_rings = Rings(box.text, shown)
        began = bool(call.started) or call.state in ("done", "failed", "provider", "unknown")
        rest = "what the tool was given" if began else "what the tool will be given"
        return [Section("Ran" if began else "Will run", rest, box, shown)]

    def _mended(self) -> list[QWidget]:
        call = self.call
        lines = mend_lines(call)
        if not lines:
            return []
        rows = QWidget()
        column = QVBoxLayout(rows)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        places = members(self._ran_text) if self._ran_text else {}
        for line in lines:
            row = MendRow(line)
            spot = places.get(line.ran)
            ran: tuple[Span, ...] = ((spot.value, spot.end),) if spot is not None else ()
            row.lit.connect(lambda on, sent=line.sent, ran=ran: self._ring(sent if on else (), ran if on else ()))
            self.mends.append(row)
            column.addWidget(row)
        known = [count(mended(call), "mend")] if call.mends else []
        if call.dropped:
            known.append(f"{count(len(call.dropped), 'field')} left out")
        section = Section("Mended", ", ".join(known), rows, None, apart=True)
        return [section]

    def _ring(self, sent: tuple[Span, ...], ran: tuple[Span, ...]) -> None:
        if self._sent_rings is not None:
            self._sent_rings.ring(sent)
        if self._ran_rings is not None:
            self._ran_rings.ring(ran)

    def _answer(self) -> list[QWidget]:
        call = self.call
        if not call.answer or call.state in ("not_run", "refused", "denied"):
            return []
        edge = "errL" if call.is_error else "line"
        # What the model was told beside the answer (notes on left-out fields) follows it in the same text.
        text = call.sent_back if call.sent_back.startswith(call.answer) else call.answer
        value = as_json(call.answer)
        content: QWidget
        if value is not None and value.count("\n") + 1 >= _FOLD_FROM:
            folded = Folded(value, edge)
            folded.refit.connect(self.refit)
            content = folded
        else:
            shown = text if value is None else value + text[len(call.answer) :]
            content = box = MonoBox("Answer", shown, edge=edge)
            noted = len(shown) - (len(text) - len(call.answer))
            if isinstance(box.text, QTextEdit) and noted < len(shown):
                mark_text(box.text, shown, [(noted, len(shown), "note")])
        what = "JSON, " if value is not None else ""
        share = share_told(call)
        got = f", the model got {share[0]:,}" if share is not None else ""
        said = f"{what}{count(len(call.answer), 'character')}{got}"
        return [Section("Answer", said, content, text, apart=True)]

    def _pictures(self) -> list[QWidget]:
        """The pictures of the answer."""
        from conch_desktop.desktop.answer_pictures import AnswerPictures

        many = self.call.pictures
        if not many:
            return []
        shown = AnswerPictures(many)
        shown.refit.connect(self.refit)
        return [Section("Pictures", count(len(many), "picture"), shown, None, apart=True)]

    def _sent_back(self) -> list[QWidget]:
        call = self.call
        unheard = call.state in ("not_run", "refused", "denied")
        if not call.sent_back or (call.answer and call.sent_back.startswith(call.answer) and not unheard):
            return []
        box = MonoBox("Sent back", call.sent_back, edge="errL" if call.is_error else "line")
        return [Section("Sent back", "what the model was told", box, call.sent_back)]

    def _came_again(self) -> list[QWidget]:
        """What running it once more came to."""
        again = self._again
        if again is None:
            return []
        head = f"Again at {clock(again.at, seconds=True)}"
        if not again.ran:
            return [Section(head, "", label(again.text, "small", "t2", wrap=True), None)]
        value = as_json(again.text)
        shown = again.text if value is None else value
        box = MonoBox("The new answer", shown or "(nothing)", edge="errL" if again.is_error else "line")
        rest = f"{'failed, ' if again.is_error else ''}{duration(again.ms)}, the model was not told"
        return [Section(head, rest, box, again.text)]

    def _actions(self) -> QWidget:
        call = self.call
        row = QWidget()
        flow = Flow(6, apart=1 if call.started else 0)
        copy = Button("Copy", "plain", "copy", 28)
        copy.setAccessibleName("Copy the call")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(whole_text(call)))
        case = Button("Copy as case", "plain", "case", 28)
        case.setToolTip("One line for conch-desktop check args")
        case.clicked.connect(self.case_wanted)
        flow.addWidget(copy)
        if call.state != "reading":
            flow.addWidget(case)
        if news.can_undo(call):
            undo = Button("Undo", "plain", "undo", 28)
            undo.setToolTip("Takes back what this call did; the model is told")
            undo.clicked.connect(lambda: news.undo_asked.emit(call.id))
            flow.addWidget(undo)
        if may_run_again(call):
            again = Button("Running…" if self._running else "Run again", "plain", "again", 28)
            again.setEnabled(not self._running)
            again.setToolTip("Runs exactly what ran; the model is not told")
            again.clicked.connect(self.again_wanted)
            flow.addWidget(again)
        if call.started:
            when = label(clock(call.started, seconds=True), "small", "t2")
            when.setMinimumHeight(look.px(28))
            flow.addWidget(when)
        column = QVBoxLayout(row)
        column.setContentsMargins(8, 8, 8, 8)
        column.addLayout(flow)
        return row


def may_run_again(call: CallRecord) -> bool:
    """Whether a call ran here and ended, so that it can run once more."""
    return call.args is not None and call.started is not None and call.state in ("done", "failed", "stopped", "unknown")


def nothing_ran(call: CallRecord) -> bool:
    """Whether the call ended without having run."""
    return call.state in ("not_run", "refused", "denied") or (call.state == "stopped" and call.started is None)


def as_json(text: str) -> str | None:
    """An object or a list over several lines; None when the text is none."""
    if text.lstrip()[:1] not in ("{", "[") or len(text) > 200_000:
        return None
    try:
        return pretty(json.loads(text))
    except (ValueError, RecursionError):
        return None


def _why_not(call: CallRecord) -> str:
    if call.state == "not_run":
        return "Nothing ran. The call did not fit the tool."
    if call.state == "denied":
        return f"Nothing ran. You said no{': ' + call.why if call.why else ''}."
    if call.state == "refused":
        return f"Nothing ran: {call.why}." if call.why else "Nothing ran."
    return "Nothing ran."


def whole_text(call: CallRecord) -> str:
    """A call as text, for pasting elsewhere."""
    parts = [f"{call.name} ({STATE_WORDS[call.state]})", f"Sent:\n{call.raw}"]
    if call.args is not None and not nothing_ran(call):
        parts.append(f"Ran:\n{pretty(dict(call.args))}")
    if call.sent_back or call.answer:
        parts.append(f"Answer:\n{call.sent_back or call.answer}")
    return "\n\n".join(parts)
