"""What a message's row is made of: blocks that know how tall they are, and have a widget only near the window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from conch_desktop.desktop.markdown import Segment, Segmenter
from conch_desktop.desktop.plain import plain_rows, plain_segment
from conch_desktop.desktop.tables import ROWS_MOST, Table
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.tokens import LINE
from conch_desktop.desktop.trouble import trouble_of
from conch_desktop.desktop.usage_words import usage_words
from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.messages import Message, NoticePart, Outline, ReasoningPart, TextPart

if TYPE_CHECKING:
    from conch_desktop.tools.guard import Question

USER_WIDTH = 560
USER_CHUNK = 3000
"""Characters of the person's words that are laid out together."""

Key = tuple[str, int, int]
"""What a block is: its kind, the part it belongs to, its place in it."""


UNFILLED = object()


@dataclass(slots=True, eq=False)
class Block:
    """One block. The widget is filled again when `what` is another.

    `plain` gives its words for a copy; "" for what is no part of the text. `rule` is the space before it, if it has
    one of its own.
    """

    kind: str
    key: Key
    what: Any = None
    """Its content, to be compared; `data` is what it is drawn from."""
    guess: Callable[[int], int] = lambda width: 24
    plain: Callable[[], str] | None = None
    gap: str = ""
    data: Any = field(default=None, repr=False)
    depth: int = 0
    widget: QWidget | None = None
    filled: Any = field(default=UNFILLED, repr=False)
    height: int = 0
    width: int = -1

    @property
    def rule(self) -> str:
        """The kind that decides the space around it."""
        return self.gap or self.kind


def text_height(length: int, breaks: int, width: int) -> int:
    """About how tall so many characters with so many line feeds are."""
    letters = max(8.0, width / look.letter)
    return round((length / letters + 0.6 * breaks + 0.6) * look.px(LINE["chat"]))


def entry_height(entry: Message | Outline, width: int) -> int:
    """About how tall a whole message is, from its length alone."""
    return next(entry_heights([entry], width))


def entry_heights(entries: Iterable[Message | Outline], width: int) -> Iterator[int]:
    """About how tall messages are; quick, because a long chat has thousands."""
    line, call = look.px(LINE["chat"]), look.px(33)
    letters = max(8.0, width / look.letter)
    narrow = max(8.0, min(width, look.px(532)) / look.letter)
    user, answer = look.px(15), 2 * line + look.px(12)
    for entry in entries:
        if isinstance(entry, Message):
            texts = [part.text for part in entry.parts if isinstance(part, TextPart)]
            length, calls = sum(map(len, texts)), len(entry.parts) - len(texts)
            breaks = sum(text.count("\n") for text in texts)
        else:
            length, calls, breaks = entry.length, entry.calls, entry.length // 90
        if entry.role == "user":
            yield round((length / narrow + 0.6 * breaks + 0.6) * line) + user
        else:
            yield round((length / letters + 0.6 * breaks + 0.6) * line) + calls * call + answer


def segment_blocks(segment: Segment, part: int, at: int, *, whole: bool) -> list[Block]:
    """The blocks of one segment: one, or several bands of a table."""
    source = segment.source
    if segment.kind == "code":
        lines = segment.code.count("\n") + 1
        return [
            Block(
                "code",
                ("code", part, at),
                (segment.code, segment.language, whole),
                lambda width: min(look.px(480), look.px(32) + 17 + lines * look.px(LINE["code"])),
                lambda: segment.code,
                depth=segment.depth,
            )
        ]
    if segment.kind == "table":
        return _table_blocks(segment, part, at)
    if segment.kind in ("math", "picture"):
        what = (segment.code, segment.language)
        return [
            Block(
                segment.kind,
                (segment.kind, part, at),
                what,
                lambda width: look.px(56),
                lambda: plain_segment(segment),
                depth=segment.depth,
            )
        ]
    head = source.lstrip().startswith("#")
    gap = "item" if segment.continues else "head" if head else "text"
    return [
        Block(
            "text",
            ("text", part, at),
            (source, segment.dedent),
            lambda width: text_height(len(source), source.count("\n"), width),
            lambda: plain_segment(segment),
            gap=gap,
            depth=segment.depth,
            data=segment,
        )
    ]


def _rows_height(count: int, width: int) -> int:
    return count * look.px(39)


def _table_blocks(segment: Segment, part: int, at: int) -> list[Block]:
    table = Table(segment)
    found = []
    for band in range(table.bands):
        rows = tuple(table.band_rows(band))
        found.append(
            Block(
                "table",
                ("table", part, at * 1000 + band),
                (rows, table.shape),
                partial(_rows_height, len(rows) + (band == 0)),
                partial(plain_rows, table, band),
                gap="table" if band == 0 else "band",
                depth=segment.depth,
                data=(table, band),
            )
        )
    if len(table.rows) > ROWS_MOST or len(table.shape.shares) > 20:
        found.append(
            Block(
                "more", ("more", part, at), len(table.rows), lambda width: look.px(28), depth=segment.depth, data=table
            )
        )
    return found


class Words:
    """The blocks of one part of text: those of settled segments stay, those of the last are made again."""

    def __init__(self, part: int) -> None:
        self._part = part
        self._text = ""
        self._segmenter: Segmenter | None = Segmenter()
        self._settled: list[Block] = []
        self._done = 0
        self.blocks: list[Block] = []

    def show(self, text: str, *, whole: bool) -> None:
        """The text as it is now; `whole` when no more of it comes."""
        if self._segmenter is None and text == self._text:
            return
        if self._segmenter is None or not text.startswith(self._text):
            self._segmenter, self._settled, self._done, self._text = Segmenter(), [], 0, ""
        self._segmenter.put(text[len(self._text) :])
        self._text = text
        open_one = [] if whole else self._segmenter.read()
        done = self._segmenter.close() if whole else self._segmenter.settled
        for at in range(self._done, len(done)):
            self._settled += segment_blocks(done[at], self._part, at, whole=True)
        self._done = len(done)
        tail = [block for one in open_one for block in segment_blocks(one, self._part, self._done, whole=False)]
        self.blocks = self._settled + tail
        if whole:
            self._segmenter = None


def carry(old: list[Block], new: list[Block]) -> None:
    """Gives new blocks the widgets and heights of those that were in their place."""
    kept = {id(block) for block in new}
    before = {block.key: block for block in old if id(block) not in kept}
    for block in new:
        found = before.pop(block.key, None)
        if found is not None and block.widget is None:
            block.widget, block.filled = found.widget, found.filled
            if found.what == block.what:
                block.height, block.width = found.height, found.width
            found.widget = None


# Messages -----------------------------------------------------------------------------------------------------------


class Kept:
    """What is kept of a message from one time to the next: its texts as they were cut, and its other blocks."""

    def __init__(self) -> None:
        self._words: dict[int, Words] = {}
        self._others: dict[Key, Block] = {}

    def words_of(self, part: int) -> Words:
        """The text of a part."""
        found = self._words.get(part)
        if found is None:
            found = self._words[part] = Words(part)
        return found

    def cut(self, count: int) -> None:
        """The message has only so many parts."""
        for part in [part for part in self._words if part >= count]:
            del self._words[part]

    def same(self, blocks: list[Block]) -> list[Block]:
        """Puts the block of the last time in the place of each that equals it."""
        others: dict[Key, Block] = {}
        for at in self._loose(blocks):
            block = blocks[at]
            before = self._others.get(block.key)
            if before is not None and before.what == block.what:
                block = blocks[at] = before
            others[block.key] = block
        self._others = others
        return blocks

    def _loose(self, blocks: list[Block]) -> list[int]:
        """The numbers of the blocks that are made anew each time."""
        found: list[int] = []
        at = 0
        while at < len(blocks):
            block = blocks[at]
            if block.kind in _OF_WORDS and block.key[0] != "user":
                at += max(1, len(self._words[block.key[1]].blocks)) if block.key[1] in self._words else 1
            else:
                found.append(at)
                at += 1
        return found


_OF_WORDS = ("text", "code", "table", "more", "math", "picture")


def message_blocks(
    message: Message | Outline,
    kept: Kept,
    *,
    running: bool = False,
    last: bool = False,
    question: Question | None = None,
    editing: bool = False,
) -> list[Block]:
    """The blocks of a message; those that did not change are the very same as the last time."""
    if isinstance(message, Outline):
        return [Block("waiting", ("waiting", 0, 0), None, lambda width: entry_height(message, width))]
    if message.role == "user":
        return kept.same(_user_blocks(message, editing=editing))
    blocks: list[Block] = []
    if message.author:
        blocks.append(Block("author", ("author", 0, 0), message.author, lambda width: look.px(20)))
    count = len(message.parts)
    for at, part in enumerate(message.parts):
        ending = running and at == count - 1
        if isinstance(part, TextPart) and part.text.strip():
            text = kept.words_of(at)
            text.show(part.text, whole=not ending)
            blocks += text.blocks
        elif isinstance(part, ReasoningPart) and part.text.strip():
            blocks.append(Block("think", ("think", at, 0), (part.text, ending), lambda width: look.px(24)))
        elif isinstance(part, CallRecord):
            if question is not None and question.id == part.id:
                blocks.append(Block("question", ("question", at, 0), question, lambda width: look.px(200)))
            else:
                blocks.append(Block("call", ("call", at, 0), part, lambda width: look.px(32)))
        elif isinstance(part, NoticePart) and (running or at < count - 1):
            # A notice at the very end is said with a way on (`trouble_of`); of several in a row the last says it all.
            if blocks and blocks[-1].kind == "notice":
                blocks.pop()
            blocks.append(Block("notice", ("notice", at, 0), part.text, lambda width: look.px(20)))
    kept.cut(count)
    blocks += _end(message, blocks, running=running, last=last)
    return kept.same(blocks)


def _user_blocks(message: Message, *, editing: bool) -> list[Block]:
    if editing:
        return [Block("edit", ("edit", 0, 0), message.id, lambda width: look.px(110))]
    text = f"/{message.asked} {message.text}".rstrip() if message.asked else message.text
    attached = message.attached
    blocks = [_chunk_block(at, chunk) for at, chunk in enumerate(_chunks(text))] if text or not attached else []
    if attached:
        blocks.append(Block("attached", ("attached", 0, 0), attached, lambda width: look.px(52)))
    return [
        *blocks,
        Block("copy", ("copy", 0, 0), None, lambda width: 0),
        Block("pencil", ("pencil", 0, 0), None, lambda width: 0),
    ]


def _chunk_block(at: int, chunk: str) -> Block:
    def guess(width: int) -> int:
        return text_height(len(chunk), chunk.count("\n"), min(width, look.px(USER_WIDTH)))

    return Block("user", ("user", 0, at), chunk, guess, lambda: chunk)


def _chunks(text: str) -> list[str]:
    """Plain words in pieces that are laid out by themselves, cut where a line ends or, in a giant one, anywhere."""
    if len(text) <= USER_CHUNK:
        return [text]
    found: list[str] = []
    at = 0
    while at < len(text):
        end = at + USER_CHUNK
        if end < len(text):
            feed = text.rfind("\n", at, end)
            space = text.rfind(" ", at, end)
            end = feed + 1 if feed > at else space + 1 if space > at else end
        piece = text[at:end]
        found.append(piece[:-1] if piece.endswith("\n") and end < len(text) else piece)
        at = end
    return found


def _end(message: Message, before: list[Block], *, running: bool, last: bool) -> list[Block]:
    """What stands below the parts of an answer."""
    if running:
        waits = not before or before[-1].kind in ("author", "call", "notice")
        states = {call.state for call in message.calls}
        if waits and not states & {"reading", "waiting", "running"}:
            return [Block("pulse", ("pulse", 0, 0), None, lambda width: look.px(24))]
        return []
    end: list[Block] = []
    trouble = trouble_of(message)
    if trouble is not None:
        end.append(Block("trouble", ("trouble", hash(trouble), 0), trouble, lambda width: look.px(56)))
    elif message.state == "stopped" and last:
        end.append(Block("stopped", ("stopped", 0, 0), None, lambda width: look.px(20)))
    if before:
        took = usage_words(message.usage)
        end.append(Block("actions", ("actions", hash(took), 0), took, lambda width: look.px(24)))
    return end
