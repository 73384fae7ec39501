"""Markdown cut into segments: runs of blocks of about 1.5 KB, code fences, tables, formulas, pictures. No Qt.

The text is read line by line, once. Where it is cut depends only on the lines before, never on how they arrived, so a
text that streams has the same segments as one that is there from the start. A segment that is settled is never read
again; what it holds is parsed only when it is shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from markdown_it.token import Token

SEGMENT = 1500
"""Characters after which a run of blocks is closed at the next place where a block begins."""
HARD = 4000
"""Characters after which it is closed at the end of any line, and a line is cut."""
_GULP = 8192
"""Characters that are taken in at once, because what is behind a cut is copied."""
TABLE_ROWS = 200
"""Rows of a table that are parsed; those behind them are kept as they are."""

Kind = Literal["text", "code", "table", "math", "picture"]

_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([^\n]*)$")
_ITEM = re.compile(r"([-*+]|\d{1,9}[.)])([ \t]+|$)")
_BLOCK = re.compile(r"#{1,6}(?:[ \t]|$)|>|(?:[-*_][ \t]*){3,}$")
_DELIMITER = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_PICTURE = re.compile(r"!\[([^\[\]]*)\]\(<?([^\s<>()]+(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+\"[^\"]*\")?\)[ \t]*$")
_MATH = {"$$": "$$", "\\[": "\\]"}


@dataclass(slots=True)
class Segment:
    """A part of a message that is drawn by one widget.

    `source` is the Markdown as it was written. `code` is the text of a code fence, a formula or a picture's address;
    `language` that of the fence, or the picture's words. `rest` are the rows of a long table that are not parsed.
    `depth` counts the lists it stands in; `continues` says that it goes on with a list, or with a line.
    """

    kind: Kind
    source: str
    language: str = ""
    code: str = ""
    rest: list[str] = field(default_factory=list)
    depth: int = 0
    dedent: int = 0
    continues: bool = False
    _tokens: list[Token] | None = None

    @property
    def tokens(self) -> list[Token]:
        """The Markdown in it, parsed when it is first asked for."""
        if self._tokens is None:
            from conch_desktop.desktop.markdown import parse

            if self.kind in ("text", "table"):
                cut = "".join(self.rest)
                self._tokens = parse(_dedent(self.source[: len(self.source) - len(cut)], self.dedent))
            else:
                self._tokens = []
        return self._tokens

    def forget(self) -> None:
        """Lets go of what was parsed; it can be parsed again."""
        self._tokens = None


def _indent(line: str) -> int:
    """Columns of white space at the start."""
    width = 0
    for letter in line:
        if letter == " ":
            width += 1
        elif letter == "\t":
            width += 4 - width % 4
        else:
            break
    return width


def _dedent(text: str, columns: int) -> str:
    if not columns:
        return text
    return re.sub(rf"^ {{1,{columns}}}", "", text, flags=re.MULTILINE)


def normal(text: str) -> str:
    """The text with line feeds only."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


def segments(text: str) -> list[Segment]:
    """A whole message in segments."""
    segmenter = Segmenter()
    segmenter.put(text)
    return segmenter.close()


class Segmenter:
    """A message that is still being written, in segments. `settled` are done; `read` gives the one that is not."""

    def __init__(self) -> None:
        self.settled: list[Segment] = []
        self._text = ""
        self._at = 0
        """The text of the open segment, and how far of it whole lines have been read."""
        self._cr = False
        self._fresh("text")
        self._lists: list[int] = []
        self._blank = True
        self._last_line = 0

    def _fresh(self, mode: Kind, *, continues: bool = False) -> None:
        self._mode: Kind = mode
        self._mark = ""
        self._language = ""
        self._begin = 0
        self._indented = 0
        self._rows = 0
        self._rest_at = -1
        self._dedent = 0
        self._depth = 0
        self._continues = continues
        self._some = False

    # In and out -----------------------------------------------------------------------------------------------------

    def put(self, piece: str) -> None:
        """More text."""
        if self._cr:  # A CR LF that was cut in two.
            piece = "\r" + piece
        self._cr = piece.endswith("\r")
        piece = normal(piece[:-1] if self._cr else piece)
        for start in range(0, len(piece), _GULP):
            self._take(piece[start : start + _GULP])

    def _take(self, piece: str) -> None:
        self._text += piece
        while True:
            end = self._text.find("\n", self._at, self._at + HARD)
            if end < 0 and self._mode in ("text", "table", "math") and len(self._text) - self._at >= HARD:
                self._cut_line()
                continue
            if end < 0:
                end = self._text.find("\n", self._at + HARD - 1) if len(self._text) - self._at >= HARD else -1
            if end < 0:
                return
            self._line(self._at, end + 1)

    def read(self) -> list[Segment]:
        """What is behind the settled ones, as it is now. Reading changes nothing."""
        partial = self._text[self._at :].strip()
        end = len(self._text)
        if self._mode == "table" or (
            partial and (_hidden(partial, self._mark) if self._mode == "code" else _hidden(partial, ""))
        ):
            end = self._at  # A row is shown when it is whole; what may become a fence is not shown as text.
        open_one = self._made(end, closed=False)
        return [open_one] if open_one is not None else []

    def close(self) -> list[Segment]:
        """No more text comes: all segments."""
        if self._cr:
            self._cr = False
            self._text += "\n"
        if self._at < len(self._text):
            self._line(self._at, len(self._text))
        left = self._made(len(self._text), closed=True)
        if left is not None:
            self.settled.append(left)
        elif self.settled:
            self.settled[-1].source += self._text
        self._text, self._at = "", 0
        self._fresh("text")
        return self.settled

    def _made(self, end: int, *, closed: bool) -> Segment | None:
        """The open segment with its text up to `end`; None while it is blank."""
        source = self._text[:end]
        if self._mode == "code":
            code = source[self._begin :]
            if self._indented:
                code = re.sub(rf"^ {{1,{self._indented}}}", "", code, flags=re.MULTILINE)
            return Segment("code", source, self._language, code, depth=self._depth)
        if not source.strip():
            return None
        if self._mode == "table" and self._rest_at >= 0:
            rest = source[self._rest_at :].splitlines(keepends=True)
            return Segment("table", source, rest=rest, depth=self._depth, dedent=self._dedent)
        if self._mode == "math" and not closed:
            return Segment("math", source, code=source.strip().lstrip("$\\[").strip(), depth=self._depth)
        kind: Kind = "table" if self._mode == "table" else "text"
        return Segment(kind, source, depth=self._depth, dedent=self._dedent, continues=self._continues)

    def _settle(self, cut: int) -> None:
        """Settles the open segment up to `cut`; blank text stays with what follows."""
        done = self._made(cut, closed=True)
        if done is None:
            return
        self.settled.append(done)
        self._text = self._text[cut:]
        self._at -= cut
        self._last_line = 0

    def _cut_line(self) -> None:
        """A line that is too long ends where a word ends."""
        if self._mode == "math":
            self._mode = "text"
            return
        if self._mode == "table":
            self._settle(self._at)
            self._fresh("text")
            return
        space = self._text.rfind(" ", self._at + HARD // 2, self._at + HARD)
        self._at = space + 1 if space >= 0 else self._at + HARD
        self._settle(self._at)
        if self._at:  # Nothing but blanks: they go on with what follows.
            self.settled.append(Segment("text", self._text[: self._at]))
            self._text, self._at = self._text[self._at :], 0
        self._fresh("text", continues=True)
        self._blank = False

    # Lines ----------------------------------------------------------------------------------------------------------

    def _line(self, start: int, end: int) -> None:
        line = self._text[start:end].rstrip("\n")
        if self._mode == "code":
            self._code_line(line, start, end)
        elif self._mode == "math":
            self._math_line(line, end)
        elif self._mode == "table":
            self._table_line(line, start, end)
        else:
            self._text_line(line, start, end)

    def _code_line(self, line: str, start: int, end: int) -> None:
        self._at = end
        bare = line.strip()
        if len(bare) >= len(self._mark) and not bare.strip(self._mark[0]) and _indent(line) <= self._indented + 3:
            code = self._text[self._begin : start]
            if self._indented:
                code = re.sub(rf"^ {{1,{self._indented}}}", "", code, flags=re.MULTILINE)
            self.settled.append(Segment("code", self._text[:end], self._language, code, depth=self._depth))
            self._text, self._at, self._last_line = self._text[end:], 0, 0
            self._fresh("text")
            self._blank = True

    def _math_line(self, line: str, end: int) -> None:
        self._at = end
        bare = line.strip()
        if bare.endswith(self._mark):
            source = self._text[:end]
            formula = source.strip()[2:-2].strip()
            self.settled.append(Segment("math", source, code=formula, depth=self._depth))
            self._text, self._at, self._last_line = self._text[end:], 0, 0
            self._fresh("text")
            self._blank = True
        elif not bare or end >= HARD:
            self._mode = "text"  # It was none.
            self._blank = not bare

    def _table_line(self, line: str, start: int, end: int) -> None:
        bare = line.strip()
        far = _indent(line) - self._dedent >= 4
        if not bare or far or _BLOCK.match(bare) or _FENCE.match(bare) or _ITEM.match(bare):
            self._settle(start)
            self._fresh("text")
            self._blank = True
            self._text_line(line, self._at, self._at + end - start)
            return
        self._at = end
        self._rows += 1
        if self._rows == TABLE_ROWS + 1:
            self._rest_at = start

    def _text_line(self, line: str, start: int, end: int) -> None:
        bare = line.strip()
        if not bare:
            self._blank = True
            self._at = end
            if end >= 2 * HARD:  # A flood of empty lines.
                self._settle(end)
                if self._at:
                    self.settled.append(Segment("text", self._text[: self._at]))
                    self._text, self._at, self._last_line = self._text[self._at :], 0, 0
                self._fresh("text")
            return
        indent = _indent(line)
        item = _ITEM.match(bare)
        listed = bool(self._lists)
        if item is not None or self._blank or _BLOCK.match(bare):
            while self._lists and self._lists[-1] > indent:
                self._lists.pop()
        inner = self._lists[-1] if self._lists and self._lists[-1] <= indent else 0
        depth = len(self._lists) if inner else 0
        if self._opens(line, bare, start, end, indent, inner, depth):
            return
        start, end = self._perhaps_cut(bare, start, end, indent, inner, item is not None, listed)
        if not self._some:
            self._some = True
            if inner:  # It goes on inside a list, behind a code block.
                self._dedent, self._depth = inner, depth
        if item is not None and indent - inner <= 3:
            room = len(item.group(2)) if 1 <= len(item.group(2)) <= 4 else 1
            self._lists.append(indent + len(item.group(1)) + room)
        self._blank = False
        self._last_line = start
        self._at = end

    def _perhaps_cut(
        self, bare: str, start: int, end: int, indent: int, inner: int, item: bool, listed: bool
    ) -> tuple[int, int]:
        """Cuts before a line where that is right; gives where the line is then."""
        begins = (indent - inner <= 3) and (self._blank or item or bool(re.match(r"#{1,6}[ \t]", bare)))
        if self._dedent and indent < self._dedent and begins:
            cut = True
        elif inner and not item:
            cut = start >= HARD
        else:
            cut = (start >= SEGMENT and begins) or start >= HARD
        if not cut or not self._some:
            return start, end
        self._settle(start)
        self._fresh("text", continues=item and listed)
        return self._at, self._at + end - start

    def _opens(self, line: str, bare: str, start: int, end: int, indent: int, inner: int, depth: int) -> bool:
        """A code fence, a formula, a picture or a table begins here."""
        if indent - inner > 3:
            return False
        fence = _FENCE.match(bare)
        if fence is not None and not (fence.group(1)[0] == "`" and "`" in fence.group(2)):
            self._begin_special("code", start, depth)
            self._mark, self._indented = fence.group(1), indent
            self._language = fence.group(2).split()[0] if fence.group(2).split() else ""
            self._at += end - start
            self._begin = self._at
            return True
        if bare[:2] in _MATH and len(bare) < HARD:
            return self._opens_math(bare, start, end, depth)
        picture = _PICTURE.match(bare) if self._blank and bare.startswith("![") else None
        if picture is not None:
            self._begin_special("text", start, depth)
            stop = self._at + end - start
            words, address = picture.groups()
            self.settled.append(Segment("picture", self._text[:stop], words, address, depth=depth))
            self._text, self._at, self._last_line = self._text[stop:], 0, 0
            self._fresh("text")
            self._blank = True
            return True
        if "|" in bare and "-" in bare and _DELIMITER.match(bare) and not self._blank:
            return self._opens_table(start, end, depth, inner)
        return False

    def _opens_math(self, bare: str, start: int, end: int, depth: int) -> bool:
        mark = _MATH[bare[:2]]
        found = bare.find(mark, 2)
        if found >= 0 and (found + 2 < len(bare) or not bare[2:found].strip()):
            return False  # Words behind it: a formula inside a line.
        self._begin_special("math", start, depth)
        stop = self._at + end - start
        if found < 0:
            self._mark = mark
            self._at = stop
            self._some = True
            return True
        self.settled.append(Segment("math", self._text[:stop], code=bare[2:found].strip(), depth=depth))
        self._text, self._at, self._last_line = self._text[stop:], 0, 0
        self._fresh("text")
        self._blank = True
        return True

    def _opens_table(self, start: int, end: int, depth: int, inner: int) -> bool:
        from conch_desktop.desktop.markdown import parse

        head = self._last_line
        both = self._text[head:end]
        if head >= start or "|" not in self._text[head:start]:
            return False
        tokens = parse(_dedent(both, inner))
        if not tokens or tokens[0].type != "table_open":
            return False
        self._begin_special("table", head, depth)
        self._at = self._at + end - head
        self._some, self._dedent = True, inner
        return True

    def _begin_special(self, mode: Kind, start: int, depth: int) -> None:
        """Settles what stands before `start` and opens a segment of another kind there; `_at` is its start."""
        self._at = start
        self._settle(start)
        self._fresh(mode)
        self._depth = depth


def _hidden(partial: str, mark: str) -> bool:
    """Whether an unfinished line may still become a code fence, or the end of one."""
    if mark:
        return not partial.strip(mark[0])
    return (partial[0] in "`~" and not partial.strip(partial[0])) or partial.startswith(("```", "~~~"))
