"""Texts of almost-JSON, in double, single, curly or escaped quotes, and the last one when it was never closed."""

from __future__ import annotations

import json
import re

from conch_desktop.calls import patterns
from conch_desktop.calls.places import Ending
from conch_desktop.calls.quotes import Unclear, rewritten
from conch_desktop.calls.record import Record, Unmendable
from conch_desktop.calls.strict import scan_text
from conch_desktop.domain.calls import MendKind

OPENING = "\"'“”„‟‘’‚‛\\"
"""Marks that may open a text."""

_MARKUP = re.compile(r"```|</?(?:tool_call|function|parameter|arg_)|<\|")
_DOUBLE: tuple[re.Pattern[str], MendKind] = (patterns.CURLY, "smart_quotes")
_SINGLE: tuple[re.Pattern[str], MendKind] = (patterns.CURLY_SINGLE, "smart_quotes")
_OTHER_QUOTES: dict[str, tuple[re.Pattern[str], MendKind]] = {
    **dict.fromkeys("“”„‟", _DOUBLE),
    **dict.fromkeys("‘’‚‛", _SINGLE),
    "\\": (patterns.ESCAPED, "escaped_quotes"),
}


class Texts:
    """Reads the texts of one almost-JSON text, one at a time."""

    def __init__(self, text: str, ending: Ending, record: Record) -> None:
        self.text = text
        self.ending = ending
        self.record = record
        self.unfinished: int | None = None
        """Where the text begins that the end of everything closes. Set from outside: that it is known to be sound."""

    def quoted(self, at: int, mark: str) -> int:
        """Mends the text that `mark` opens at `at`; returns where it ends. Raises `Unmendable`."""
        if mark == '"':
            return self._double(at)
        if mark == "'":
            return self._single(at)
        pattern, kind = _OTHER_QUOTES[mark]
        found = pattern.match(self.text, at)
        if not found:
            raise Unmendable("a text must stand in double quotes", at)
        self.record.edits += [(at, found.start(1), '"'), (found.end(1), found.end(), '"')]
        self.record.note(kind, at, found.end())
        return found.end()

    def _double(self, at: int) -> int:
        if found := patterns.SHORT_TEXT.match(self.text, at):
            return found.end()
        if at == self.unfinished:
            return self._unclosed(at, '"')
        if found := patterns.MEDIUM_TEXT.match(self.text, at):
            self._rewrite(at, found.end() - 1, '"')
            return found.end()
        try:
            return int(scan_text(self.text, at + 1, True)[1])
        except json.JSONDecodeError as error:
            found = None if error.msg.startswith("Unterminated") else patterns.DOUBLE.match(self.text, at)
        if not found:
            return self._unclosed(at, '"')
        self._rewrite(at, found.end() - 1, '"')
        return found.end()

    def _single(self, at: int) -> int:
        found = patterns.SINGLE.match(self.text, at)
        if not found:
            return self._unclosed(at, "'")
        end = found.end()
        self.record.edits.append((at, at + 1, '"'))
        self._rewrite(at, end - 1, "'")
        self.record.edits.append((end - 1, end, '"'))
        self.record.note("single_quotes", at, end)
        return end

    def _rewrite(self, at: int, end: int, quote: str) -> None:
        try:
            edits, kinds = rewritten(self.text, at + 1, end, quote)
        except Unclear as unclear:
            raise Unmendable(str(unclear), at) from None
        self.record.edits += edits
        for kind in kinds:
            self.record.note(kind, at, min(end + 1, len(self.text)))

    def _unclosed(self, at: int, quote: str) -> int:
        """The last text has no closing quote. It is closed when the model stopped by itself and nothing in it could
        be what should have come after the quote.
        """
        text, end = self.text, len(self.text)
        if self.ending != "whole":
            raise Unmendable("the text has no closing quote", at, cut=self.ending == "cut")
        if text.find("}", at) >= 0 or text.find("]", at) >= 0:
            raise Unmendable("the closing quote is missing: the brackets after it may belong to the text or not", at)
        slashes = end - len(text.rstrip("\\"))
        other_quote = quote == "'" and text.find('"', at) >= 0
        if slashes % 2 or other_quote or text[-1] in "\n\r“”„‟" or _holds_markup(text, at):
            raise Unmendable("the text has no closing quote, and it can't be told where it ends", at)
        if quote == "'":
            self.record.edits.append((at, at + 1, '"'))
            self.record.note("single_quotes", at, end)
        if at != self.unfinished:
            self._rewrite(at, end, quote)
        self.record.change(end, end, '"', "closed")
        self.unfinished = at
        return end


def _holds_markup(text: str, at: int) -> bool:
    """Whether a fence or a tag stands after `at` that may belong to what is around the arguments."""
    return (text.find("<", at) >= 0 or text.find("`", at) >= 0) and _MARKUP.search(text, at) is not None
