"""What is copied of a message: the words of its segments as plain text, without captions and folded JSON. No Qt.

It is the text that `TextBlock` shows, found from the tokens alone, so that what is far off screen can be copied too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conch_desktop.desktop.markdown import link_allowed
from conch_desktop.desktop.tables import ROWS_MOST, Table, split_row

if TYPE_CHECKING:
    from markdown_it.token import Token

    from conch_desktop.desktop.segments import Segment


def plain_segment(segment: Segment) -> str:
    """A segment as plain text."""
    if segment.kind == "code":
        return segment.code
    if segment.kind == "math":
        return segment.code
    if segment.kind == "picture":
        return f"{segment.language} ({segment.code})".lstrip()
    if segment.kind == "table":
        table = Table(segment)
        return "\n".join(plain_rows(table, band) for band in range(table.bands))
    return _blocks(segment.tokens)


def plain_rows(table: Table, band: int) -> str:
    """The rows of a band, cells apart by tabs; the last one has the rows that are not shown too."""
    rows = ["\t".join(_inline(cell) for cell in row) for row in table.cells(band)]
    if band == table.bands - 1:
        rows += ["\t".join(split_row(row)) for row in table.rows[ROWS_MOST:]]
    return "\n".join(rows)


def _blocks(tokens: list[Token]) -> str:
    lines: list[str] = []
    lists: list[int] = []
    marker = ""
    skip = 0
    for at, token in enumerate(tokens):
        kind = token.type
        if kind == "inline":
            words = _inline(token)[skip:]
            skip = 0
            if at and tokens[at - 1].type in ("th_open", "td_open"):
                lines[-1] += words
            else:
                lines.append(f"{marker}{words}")
                marker = ""
        elif kind == "list_item_open":
            marker, skip = _marker(tokens, at, lists)
        elif kind.endswith("_list_open"):
            lists.append(int(token.attrs.get("start", 1)) if kind.startswith("ordered") else -1)
        elif kind.endswith("_list_close"):
            lists.pop()
        elif kind in ("fence", "code_block"):
            lines.append(marker + token.content.rstrip("\n"))
            marker = ""
        elif kind == "math_block":
            lines.append(marker + token.content)
            marker = ""
        elif kind == "hr" or kind == "tr_open":
            lines.append(marker)
            marker = ""
        elif kind in ("th_open", "td_open") and tokens[at - 1].type != "tr_open":
            lines[-1] += "   "
    return "\n".join(lines)


def _marker(tokens: list[Token], at: int, lists: list[int]) -> tuple[str, int]:
    """What stands before the words of an item, and how many of its letters are a mark."""
    inside = next((token for token in tokens[at + 1 : at + 3] if token.type == "inline"), None)
    text = inside.content if inside is not None else ""
    if inside is not None and inside.children and text[:4] in ("[ ] ", "[x] ", "[X] "):
        return f"- [{' ' if text[1] == ' ' else 'x'}] ", 4
    if lists[-1] >= 0:
        lists[-1] += 1
        return f"{lists[-1] - 1}. ", 0
    return "- ", 0


def _inline(token: Token) -> str:
    words: list[str] = []
    link = ""
    for child in token.children or []:
        kind = child.type
        if kind in ("softbreak", "hardbreak"):
            words.append("\n")
        elif kind == "link_open":
            link = str(child.attrs.get("href", ""))
        elif kind == "link_close":
            words.append(f" ({link})" if link and not link_allowed(link) else "")
            link = ""
        elif kind == "image":
            address = str(child.attrs.get("src", ""))
            named = "".join(part.content for part in child.children or []) or "picture"
            words.append(f"[{named}]" + (f" ({address})" if address and not link_allowed(address) else ""))
        elif kind.startswith("math_inline"):
            words.append(f"${child.content}$")
        else:
            words.append(child.content)
    return "".join(words)
