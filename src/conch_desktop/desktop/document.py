"""Markdown tokens written into a Qt document, with the look's type, spaces and colours.

Bullets, quote bars, rules and the frames of inline code are not part of the text: they are painted by `TextBlock` from
what is noted here, so that what is selected is what was written. Pictures are never loaded; links go only to the web
and to mail addresses.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextImageFormat,
    QTextLength,
    QTextTableFormat,
)

from conch_desktop.desktop.formulas import formulas
from conch_desktop.desktop.markdown import link_allowed
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.tokens import LINE

if TYPE_CHECKING:
    from markdown_it.token import Token

    from conch_desktop.desktop.tables import Shape

MARKER = QTextFormat.Property.UserProperty + 1
"""What stands before a list item: "•", "3.", "[ ]" or "[x]"."""
QUOTE = QTextFormat.Property.UserProperty + 2
"""How many quotes a block is in."""
RULE = QTextFormat.Property.UserProperty + 3
CODE = QTextFormat.Property.UserProperty + 4
FORMULA = QTextFormat.Property.UserProperty + 6
"""The source of a formula that is drawn."""
NESTED = QTextFormat.Property.UserProperty + 5
"""Code inside a list or a quote."""

INDENT, QUOTE_INDENT, CODE_PAD, CODE_INSET = 22, 16, 4, 10
COLUMNS_MOST = 20
_HEADINGS = {"h1": ("h2", 600), "h2": ("h2", 600), "h3": ("h3", 600), "h4": ("chat", 600), "h5": ("chat", 600)}
_BREAK = "\u2028"


@dataclass(slots=True)
class _List:
    ordered: bool
    number: int
    tight: bool = True
    first: bool = True


@dataclass(slots=True)
class _State:
    lists: list[_List] = field(default_factory=list)
    quotes: int = 0
    marker: str = ""
    first: bool = True
    heading: str = ""
    skip: int = 0
    """Letters of the next words that are painted as a mark."""


def line_percent(font: QFont, pixels: float) -> int:
    """The proportional line height that gives lines of `pixels`."""
    return max(100, round(look.px(pixels) / QFontMetricsF(font).lineSpacing() * 100))


def set_line(block: QTextBlockFormat, percent: int) -> None:
    """Gives a block its line height."""
    block.setLineHeight(percent, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)


class Builder:
    """Writes tokens into a document. `tone` is the colour of the words, `role` their type."""

    def __init__(self, document: QTextDocument, role: str = "chat", tone: str = "t1") -> None:
        self._document = document
        self._role, self._tone, self._weight = role, tone, 400
        self._cursor = QTextCursor(document)
        self._line = line_percent(look.font(role), LINE[role])
        self._state = _State()
        self.starts: list[int] = []
        """Where each block of the top level begins."""
        self.pending: set[str] = set()
        """Formulas that are shown as source until they are drawn."""

    # Blocks ---------------------------------------------------------------------------------------------------------

    def write(self, tokens: list[Token]) -> None:
        """Replaces the document's content."""
        self._cursor.beginEditBlock()
        self._document.clear()
        self._cursor.movePosition(QTextCursor.MoveOperation.Start)
        for at, token in enumerate(tokens):
            if not token.level and token.nesting >= 0:
                self.starts.append(self.position)
            self._token(token, tokens, at)
        self._cursor.endEditBlock()

    def go_on(self, tokens: list[Token], position: int) -> None:
        """Replaces what stands from a place on, where a block of the top level begins."""
        self._cursor.beginEditBlock()
        self._cursor.setPosition(max(0, position - 1))
        self._cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        self._cursor.removeSelectedText()
        self._state.first = False
        for at, token in enumerate(tokens):
            if not token.level and token.nesting >= 0:
                self.starts.append(self.position)
            self._token(token, tokens, at)
        self._cursor.endEditBlock()

    @property
    def position(self) -> int:
        """Where the next block will begin."""
        return 0 if self._state.first else self._cursor.position() + 1

    def write_plain(self, text: str) -> None:
        """Replaces the content by text that is no Markdown."""
        self._cursor.beginEditBlock()
        self._document.clear()
        block = QTextBlockFormat()
        set_line(block, self._line)
        self._cursor.setBlockFormat(block)
        self._cursor.insertText(text, self._format())
        self._cursor.endEditBlock()

    def _token(self, token: Token, tokens: list[Token], at: int) -> None:
        state, kind = self._state, token.type
        if kind == "inline":
            if not (at and tokens[at - 1].type in ("th_open", "td_open")):
                self._open_block()
            self._inline(token.children or [])
            if state.lists:
                self._turn_round()
        elif kind.endswith(("_list_open", "_list_close")):
            self._list(token)
        elif kind == "list_item_open":
            self._item(tokens, at)
        elif kind == "paragraph_open" and state.lists:
            state.lists[-1].tight = bool(token.hidden)
        elif token.tag == "blockquote":
            state.quotes += token.nesting
        elif kind == "heading_open":
            state.heading = token.tag
        elif kind == "heading_close":
            state.heading = ""
        elif kind in ("fence", "code_block"):
            self._code(token.content)
        else:
            self._rest(kind, tokens, at)

    def _rest(self, kind: str, tokens: list[Token], at: int) -> None:
        """A rule, and a table inside a list or a quote: its rows in lines."""
        if kind == "hr":
            self._rule()
        elif kind == "tr_open":
            self._open_block()
        elif kind in ("th_open", "td_open") and tokens[at - 1].type != "tr_open":
            self._cursor.insertText("   ", self._format())

    def _list(self, token: Token) -> None:
        if token.nesting < 0:
            self._state.lists.pop()
        else:
            ordered = token.type.startswith("ordered")
            self._state.lists.append(_List(ordered, int(token.attrs.get("start", 1))))

    def _item(self, tokens: list[Token], at: int) -> None:
        own = self._state.lists[-1]
        inside = next((token for token in tokens[at + 1 : at + 3] if token.type == "inline"), None)
        text = inside.content if inside is not None else ""
        children = (inside.children or []) if inside is not None else []
        if children and text[:4] in ("[ ] ", "[x] ", "[X] "):
            self._state.marker = "[ ]" if text[1] == " " else "[x]"
            self._state.skip = 4
        elif own.ordered:
            self._state.marker = f"{own.number}."
            own.number += 1
        else:
            self._state.marker = "•"

    def _open_block(self, above: float | None = None) -> None:
        """Begins a block with the indents, marker and space above that its place asks for."""
        state = self._state
        block = QTextBlockFormat()
        font = look.font(self._role)
        if state.heading:
            role, weight = _HEADINGS.get(state.heading, ("chat", 600))
            font = look.font(role, weight)
            block.setHeadingLevel(int(state.heading[1]))
            set_line(block, line_percent(font, LINE["chat"]))
        else:
            set_line(block, self._line)
        depth = len(state.lists)
        block.setLeftMargin(look.px(INDENT) * depth + look.px(QUOTE_INDENT) * state.quotes)
        if state.quotes:
            block.setProperty(QUOTE, state.quotes)
        if above is None:
            above = 12.0
            if state.heading:
                above = 20.0 if state.heading in ("h1", "h2") else 16.0
            elif state.lists and state.marker:
                above = 3.0 if state.lists[-1].tight else 8.0
                if state.lists[-1].first:
                    above = 8.0 if depth == 1 else 3.0
                state.lists[-1].first = False
        if state.marker:
            block.setProperty(MARKER, state.marker)
            state.marker = ""
        block.setTopMargin(0 if state.first else look.px(above))
        if state.first:
            self._cursor.setBlockFormat(block)
            state.first = False
        else:
            self._cursor.insertBlock(block)
        self._cursor.setBlockCharFormat(self._format())

    def _turn_round(self) -> None:
        """An item of a list that is written from right to left has its indent, and its marker, at the right."""
        block = self._cursor.block()
        if block.textDirection() == Qt.LayoutDirection.RightToLeft:
            form = block.blockFormat()
            form.setRightMargin(form.leftMargin())
            form.setLeftMargin(0)
            self._cursor.setBlockFormat(form)

    def _rule(self) -> None:
        self._open_block(12)
        block = self._cursor.blockFormat()
        block.setProperty(RULE, True)
        self._cursor.setBlockFormat(block)

    def _code(self, text: str) -> None:
        """Code inside a list or a quote: set in mono on a tint."""
        style = QTextCharFormat()
        style.setFont(look.font("code"))
        style.setForeground(look.colour("t1"))
        self._open_block(16)
        block = self._cursor.blockFormat()
        block.setProperty(NESTED, True)
        block.setLeftMargin(block.leftMargin() + CODE_INSET)
        block.setBottomMargin(6)
        set_line(block, line_percent(look.font("code"), LINE["code"]))
        self._cursor.setBlockFormat(block)
        self._cursor.insertText(text.rstrip("\n").replace("\n", _BREAK), style)

    def write_cell(self, cursor: QTextCursor, token: Token, *, head: bool, align: Qt.AlignmentFlag) -> None:
        """Writes one cell of a table."""
        self._cursor = cursor
        block = QTextBlockFormat()
        block.setAlignment(align)
        cursor.setBlockFormat(block)
        self._role, self._tone = ("ui", "t2") if head else ("chat", "t1")
        self._weight = 600 if head else 400
        self._inline(token.children or [])

    # Words ----------------------------------------------------------------------------------------------------------

    def _format(self) -> QTextCharFormat:
        style = QTextCharFormat()
        if self._state.heading:
            role, weight = _HEADINGS.get(self._state.heading, ("chat", 600))
            style.setFont(look.font(role, weight))
        else:
            style.setFont(look.font(self._role, self._weight))
        style.setForeground(look.colour("t2" if self._state.quotes else self._tone))
        return style

    def _inline(self, children: list[Token]) -> None:
        base = self._format()
        strong = emphasis = strike = 0
        link = ""
        for token in children:
            kind = token.type
            if kind == "text":
                words, self._state.skip = token.content[self._state.skip :], 0
                self._cursor.insertText(words, self._styled(base, strong, emphasis, strike, link))
            elif kind == "code_inline":
                self._inline_code(token.content, link)
            elif kind in ("softbreak", "hardbreak"):
                self._cursor.insertText(_BREAK, base)
            elif kind in ("strong_open", "strong_close"):
                strong += token.nesting
            elif kind in ("em_open", "em_close"):
                emphasis += token.nesting
            elif kind in ("s_open", "s_close"):
                strike += token.nesting
            elif kind == "link_open":
                link = str(token.attrs.get("href", ""))
            elif kind == "link_close":
                self._refused_link(base, link)
                link = ""
            else:
                self._inserted(token, base)

    def _inserted(self, token: Token, base: QTextCharFormat) -> None:
        if token.type == "image":
            self._picture(token, base)
        elif token.type.startswith("math_inline"):
            self._formula(token.content, base)
        elif token.content:
            self._cursor.insertText(token.content, base)

    def _styled(self, base: QTextCharFormat, strong: int, emphasis: int, strike: int, link: str) -> QTextCharFormat:
        if not (strong or emphasis or strike or link):
            return base
        style = QTextCharFormat(base)
        if strong:
            style.setFontWeight(QFont.Weight.DemiBold)
        if emphasis:
            style.setFontItalic(True)
        if strike:
            style.setFontStrikeOut(True)
        if link and link_allowed(link):
            style.setAnchor(True)
            style.setAnchorHref(link)
            style.setForeground(look.colour("acc"))
            style.setToolTip(link)
        return style

    def _refused_link(self, base: QTextCharFormat, link: str) -> None:
        """A link that is none: its address is shown, so that nothing of the text is lost."""
        if link and not link_allowed(link):
            style = QTextCharFormat(base)
            style.setForeground(look.colour("t3"))
            self._cursor.insertText(f" ({link})", style)

    def _picture(self, token: Token, base: QTextCharFormat) -> None:
        """A picture is named, never loaded; one on the web can be opened like a link."""
        words = "".join(child.content for child in token.children or []) or "picture"
        address = str(token.attrs.get("src", ""))
        self._cursor.insertText(f"[{words}]", self._styled(base, 0, 0, 0, address))
        self._refused_link(base, address)

    def _formula(self, source: str, base: QTextCharFormat) -> None:
        """A formula as a picture; as its source until it is drawn, or when it can't be."""
        drawn = formulas.find(source, look.font(self._role), look.colour(self._tone))
        if drawn is None:
            if formulas.may_come(source):
                self.pending.add(source)
            style = QTextCharFormat(base)
            style.setFont(look.font("code"))
            self._cursor.insertText(f"${source}$", style)
            return
        name = f"formula:{len(source)}:{hash((source, look.name))}:{drawn.cacheKey()}"
        self._document.addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(name), drawn)
        style = QTextImageFormat()
        style.setName(name)
        style.setWidth(drawn.width() / drawn.devicePixelRatio())
        style.setHeight(drawn.height() / drawn.devicePixelRatio())
        style.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
        style.setProperty(FORMULA, source)
        style.setToolTip(source)
        self._cursor.insertImage(style)

    def _inline_code(self, text: str, link: str) -> None:
        style = QTextCharFormat()
        style.setFont(look.font("code"))
        style.setForeground(look.colour("acc" if link_allowed(link) else "t1"))
        style.setProperty(CODE, True)
        if link and link_allowed(link):
            style.setAnchor(True)
            style.setAnchorHref(link)
        self._room_before()
        if len(text) > 1:
            self._cursor.insertText(text[:-1], style)
        last = QTextCharFormat(style)
        _space(last)
        self._cursor.insertText(text[-1:], last)

    def _room_before(self) -> None:
        """Makes room for the frame before the code: the letter before it gets more space."""
        cursor = QTextCursor(self._cursor)
        if cursor.positionInBlock() == 0:
            return
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor)
        style = cursor.charFormat()
        _space(style)
        cursor.mergeCharFormat(style)


def _space(style: QTextCharFormat) -> None:
    style.setFontLetterSpacingType(QFont.SpacingType.AbsoluteSpacing)
    style.setFontLetterSpacing(look.px(CODE_PAD) + 1)


# Tables -------------------------------------------------------------------------------------------------------------


def write_table(document: QTextDocument, rows: list[list[Token]], shape: Shape, *, head: bool) -> set[str]:
    """Writes rows of a table with rules only; the first is its head if `head`. Gives the formulas still to come."""
    builder = Builder(document, "chat")
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    document.clear()
    columns = min(len(shape.shares), COLUMNS_MOST)
    if rows and columns:
        form = QTextTableFormat()
        form.setBorder(0)
        form.setCellPadding(0)
        form.setCellSpacing(0)
        form.setMargin(0)
        form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        if shape.fixed:
            shares = [QTextLength(QTextLength.Type.PercentageLength, share) for share in shape.shares[:columns]]
            form.setColumnWidthConstraints(shares)
        made = cursor.insertTable(len(rows), columns, form)
        for at, row in enumerate(rows):
            for column in range(columns):
                cell = made.cellAt(at, column)
                style = cell.format().toTableCellFormat()
                style.setTopPadding(look.px(7))
                style.setBottomPadding(look.px(7))
                style.setRightPadding(look.px(12) if column < columns - 1 else 0)
                style.setBottomBorder(1)
                style.setBottomBorderStyle(QTextTableFormat.BorderStyle.BorderStyle_Solid)
                style.setBottomBorderBrush(look.colour("line2" if head and at == 0 else "line"))
                cell.setFormat(style)
                if column < len(row):
                    align = _ALIGN.get(shape.aligned[column] if column < len(shape.aligned) else "")
                    builder.write_cell(
                        cell.firstCursorPosition(),
                        row[column],
                        head=head and at == 0,
                        align=align or Qt.AlignmentFlag.AlignLeft,
                    )
    cursor.endEditBlock()
    return builder.pending


_ALIGN = {"right": Qt.AlignmentFlag.AlignRight, "center": Qt.AlignmentFlag.AlignHCenter}
