"""Markdown cut into segments: runs of blocks of about 1.5 KB, code fences, tables. No Qt.

markdown-it-py decides what is a block, a link or a picture; raw HTML is off, so it stays the text it is. A segment that
is settled is never read again: while an answer streams, only its last segment is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

SEGMENT = 1500
"""Characters after which a run of blocks is closed."""

Kind = Literal["text", "code", "table"]

_LINKS = ("http:", "https:", "mailto:")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[^\n]*\n?")


@dataclass(slots=True)
class Segment:
    """A part of a message that is drawn by one widget.

    `source` is the Markdown as it was written. `code` segments have their text and language, the others the tokens.
    """

    kind: Kind
    source: str
    tokens: list[Token] = field(default_factory=list)
    language: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class _Block:
    """A block of the top level: its lines and tokens."""

    kind: Kind
    start: int
    end: int
    tokens: list[Token]


def link_allowed(url: str) -> bool:
    """Whether a link may be one: only to the web or to a mail address."""
    return url.strip().casefold().startswith(_LINKS)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "linkify": True})
    parser.enable(["table", "strikethrough", "linkify"])
    # Names of files are not addresses: only what has a scheme becomes a link.
    assert parser.linkify is not None
    parser.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
    # Every address is read here and judged once, by `link_allowed`, where a link would be made.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    return parser


def _blocks(text: str) -> list[_Block]:
    found: list[_Block] = []
    run: list[Token] = []
    for token in _parser().parse(text):
        run.append(token)
        if token.level == 0 and token.nesting <= 0:
            first = run[0]
            start, end = first.map or (0, 0)
            kind: Kind = {"fence": "code", "code_block": "code", "table_open": "table"}.get(first.type, "text")  # type: ignore[assignment]
            found.append(_Block(kind, start, end, run))
            run = []
    return found


def _line_starts(text: str) -> list[int]:
    # markdown-it counts only line feeds as line ends (after it made one of each CR LF and CR).
    return [0, *(match.end() for match in re.finditer(r"\n", text))]


def _gather(text: str, blocks: list[_Block]) -> Iterator[Segment]:
    starts = _line_starts(text)

    def source(first: int, last: int) -> str:
        return text[starts[first] : starts[last] if last < len(starts) else len(text)]

    run: list[_Block] = []
    for block in blocks:
        alone = block.kind != "text"
        if run and (alone or len(source(run[0].start, run[-1].end)) >= SEGMENT):
            yield _text(run, source(run[0].start, run[-1].end))
            run = []
        if not alone:
            run.append(block)
        elif block.kind == "code":
            token = block.tokens[0]
            yield Segment("code", source(block.start, block.end), [token], _language(token.info), token.content)
        else:
            yield Segment("table", source(block.start, block.end), block.tokens)
    if run:
        yield _text(run, source(run[0].start, run[-1].end))


def _text(run: list[_Block], source: str) -> Segment:
    return Segment("text", source, [token for block in run for token in block.tokens])


def _language(info: str) -> str:
    return info.split()[0] if info.split() else ""


def _normal(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


def segments(text: str) -> list[Segment]:
    """A whole message in segments."""
    text = _normal(text)
    return list(_gather(text, _blocks(text)))


class Segmenter:
    """A message that is still being written, in segments.

    `settled` are done. `read` gives those that may still change; it reads only the text behind the settled ones, and
    nothing but the new lines of a code fence that is still open.
    """

    def __init__(self) -> None:
        self.settled: list[Segment] = []
        self._tail = ""
        self._fence: tuple[str, str, int] | None = None
        self._scanned = 0
        self._cr = False

    def put(self, piece: str) -> None:
        """More text."""
        if self._cr:  # A CR LF that was cut in two.
            piece = "\r" + piece
        self._cr = piece.endswith("\r")
        self._tail += _normal(piece[:-1] if self._cr else piece)

    def read(self) -> list[Segment]:
        """The segments behind the settled ones, as they are now."""
        if self._fence is not None:
            open_code = self._read_fence()
            if open_code is not None:
                return [open_code]
        blocks = _blocks(self._tail)
        if blocks and self._opens_fence(blocks[-1]):
            return self._enter_fence(blocks)
        if len(self._tail) >= SEGMENT:
            blocks = self._settle(blocks)
        return list(_gather(self._tail, blocks))

    def close(self) -> list[Segment]:
        """No more text comes: all segments."""
        if self._cr:
            self._cr = False
            self._tail += "\n"
        self.settled += self.read()
        self._tail, self._fence = "", None
        return self.settled

    def _settle(self, blocks: list[_Block]) -> list[_Block]:
        """Settles what whole lines have closed; gives the blocks of what is left."""
        whole = self._tail.rfind("\n") + 1
        if whole < len(self._tail):
            blocks = _blocks(self._tail[:whole])
        if not blocks:
            return _blocks(self._tail)
        line = blocks[-1].start
        if len(blocks) == 1 or self._size_from(line) >= SEGMENT:
            line = max(line, _last_item(blocks[-1]))
        starts = _line_starts(self._tail)
        cut = starts[line] if line < len(starts) else 0
        if not cut:
            return _blocks(self._tail)
        done, self._tail = self._tail[:cut], self._tail[cut:]
        self.settled += _gather(done, _blocks(done))
        return _blocks(self._tail)

    def _size_from(self, line: int) -> int:
        return len(self._tail) - _line_starts(self._tail)[line]

    def _opens_fence(self, block: _Block) -> bool:
        """Whether the last block is a code fence that whole lines opened and none closed."""
        if block.tokens[0].type != "fence":
            return False
        source = self._tail[_line_starts(self._tail)[block.start] :]
        opener = _FENCE.match(source)
        return opener is not None and opener.group().endswith("\n") and _closer(source, opener) is None

    def _enter_fence(self, blocks: list[_Block]) -> list[Segment]:
        start = _line_starts(self._tail)[blocks[-1].start]
        if start:
            done, self._tail = self._tail[:start], self._tail[start:]
            self.settled += _gather(done, _blocks(done))
        opener = _FENCE.match(self._tail)
        assert opener is not None
        self._fence = (opener.group(1), _language(blocks[-1].tokens[0].info), opener.end())
        self._scanned = opener.end()
        found = self._read_fence()
        return [found] if found is not None else self.read()

    def _read_fence(self) -> Segment | None:
        """The open fence as it is now; None once it has been closed and settled."""
        assert self._fence is not None
        mark, language, begin = self._fence
        closer = re.compile(rf"^ {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE)
        whole = self._tail.rfind("\n") + 1
        found = closer.search(self._tail, self._scanned, max(whole, self._scanned))
        if found is None:
            self._scanned = max(self._scanned, whole)
            code = self._tail[begin:]
            # A last line that may still become the closer is not shown as code.
            last = code[code.rfind("\n") + 1 :]
            if last.strip() and set(last.strip()) == {mark[0]}:
                code = code[: len(code) - len(last)]
            return Segment("code", self._tail, [], language, code)
        end = found.end() + 1
        source = self._tail[:end]
        self.settled += _gather(source, _blocks(source))
        self._tail, self._fence = self._tail[end:], None
        return None


def _closer(source: str, opener: re.Match[str]) -> re.Match[str] | None:
    mark = opener.group(1)
    closer = re.compile(rf"^ {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE)
    return closer.search(source, opener.end())


def _last_item(block: _Block) -> int:
    """The line where the last item of a long list begins; 0 for anything else."""
    if block.tokens[0].type not in ("bullet_list_open", "ordered_list_open"):
        return 0
    items = [token for token in block.tokens if token.type == "list_item_open" and token.level == 1 and token.map]
    return items[-1].map[0] if len(items) > 1 and items[-1].map else 0
