"""The reader of Markdown: markdown-it-py, which decides what is a block, a link or a picture. No Qt.

Raw HTML is off, so it stays the text it is.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from conch_desktop.desktop.segments import SEGMENT, Kind, Segment, Segmenter, segments

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["SEGMENT", "Kind", "Segment", "Segmenter", "link_allowed", "parse", "segments", "warm"]

_BRACKETS_MOST = 600
_LINKS = ("http:", "https:", "mailto:")


def link_allowed(url: str) -> bool:
    """Whether a link may be one: only to the web or to a mail address."""
    return url.strip().casefold().startswith(_LINKS)


@cache
def _parser() -> MarkdownIt:
    return _make_parser()


def _make_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    parser = MarkdownIt("commonmark", {"html": False, "linkify": True})
    parser.enable(["table", "strikethrough", "linkify"])
    parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
    # Names of files are not addresses: only what has a scheme becomes a link.
    assert parser.linkify is not None
    parser.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
    # Every address is read here and judged once, by `link_allowed`, where a link would be made.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    return parser


@cache
def _plain_parser() -> MarkdownIt:
    parser = _make_parser()
    parser.disable(["link", "image"])
    return parser


def parse(text: str) -> list[Token]:
    """The tokens of a text. One that is all brackets holds no links: to find out would take long."""
    parser = _plain_parser() if text.count("[") > _BRACKETS_MOST else _parser()
    return parser.parse(text)


@cache
def warm() -> None:
    """Makes what the first words would wait for: the reader, and its patterns for addresses."""
    parse("https://example.org/a and [b](https://example.org) `c` $d$\n\n| e | f |\n|---|---|\n")
