"""The scan of a call's body with its tags: of functions, of values, and those that end it."""

from __future__ import annotations

from conch_desktop.words.formats import QUOTATION_MARKS, TEXT_MARKS, closes
from conch_desktop.words.parts import MORE
from conch_desktop.words.scan import Scan, after_white
from conch_desktop.words.tags import (
    DOUBLED,
    FIELD,
    FUNCTION,
    FUNCTION_END,
    KEY_OPEN,
    TAG,
    VALUE_CLOSE,
    Field,
    Function,
    begun,
    between_calls,
    follows_value,
    opens,
    pair,
)


class BodyScan(Scan):
    """The scan of one body, with what it found between tags in `functions` and `fields`."""

    def _text_ended(self) -> None:
        if self._state == self._after_value:
            self._close_value(self._close_at)

    def _tag(self, text: str, at: int, final: bool) -> int:
        found = TAG.match(text, at)
        if not found:
            if not final and begun(text, at):
                return MORE
            self._before = "<"
            return at + 1
        tag = found.group()
        end = found.end()
        if tag == KEY_OPEN:
            return self._pair(text, at, final)
        if tag in TEXT_MARKS:
            self._closer, self._state = tag, self._in_marked_text
            return end
        if opened := FIELD.fullmatch(tag):
            return self._value_begins(opened[2], f"</{opened[1].lower()}>", end, as_json='string="false"' in opened[3])
        opened = FUNCTION.fullmatch(tag)
        if self._told_of(tag, text, at, function=opened is not None):
            return end
        if opened:
            return self._function_begins(opened[2], at, end)
        if FUNCTION_END.fullmatch(tag) and self.functions and self.functions[-1].end < 0:
            return self._function_ends(at, end)
        return self._other_tag(tag, at, end)

    def _other_tag(self, tag: str, at: int, end: int) -> int:
        """A tag that ends the body, begins the next call, or belongs to neither."""
        another = self.whole >= 0 and not self._depth and opens(tag)
        between = another or (between_calls(tag) and (self._before or tag.lower() not in DOUBLED))
        if self._fence and (between or closes(tag)):
            self.alien = True
        elif closes(tag):
            self._finish(at, end)
        elif between:
            self._finish(at, at)
            return at
        else:
            self._before = ">" if self._before else ""
            if not opens(tag):
                self._count_tag(tag)
        return end

    def _told_of(self, tag: str, text: str, at: int, *, function: bool) -> bool:
        """Whether `tag` opens or closes a call that is only told of."""
        if (function or opens(tag)) and self._is_data(text, at, function=function):
            self._inner += 1
            self.told = True
            self._before = ">"
            return True
        if self._inner and closes(tag):
            self._inner -= 1
            self._before = "_"  # a quotation mark straight after it opens no text
            return True
        return False

    def _is_data(self, text: str, at: int, *, function: bool) -> bool:
        """Whether a call that opens here is only told of: in a line of something else, in a fence, in another's tag.

        The next call, where this one was never closed, begins its line; at the very start it is this one once more.
        """
        if self._fence or not (self._before or self._tags) or (self.whole >= 0 and not self._depth):
            return False
        before = text[at - 1] if at else self._last
        quoted = before in QUOTATION_MARKS or before == "`"
        return (
            quoted
            or (self._fenced and (self._apart or not function))
            or self._tags > 0
            or not self._at_line_start(text, at)
        )

    def _count_tag(self, tag: str) -> None:
        """Counts the tags of others that stand open."""
        if tag.startswith("</"):
            self._tags = max(0, self._tags - 1)
        elif tag[1].isalpha() and not tag.endswith("/>"):
            self._tags += 1

    def _function_begins(self, name: str, at: int, end: int) -> int:
        if not self.functions and not self._depth and self.whole >= 0:
            self._finish(at, at)
            return at
        if self.functions and self._spoken:
            self._finish(at, at)
            return at
        if self.functions and self.functions[-1].end < 0:
            self.functions[-1].end = self._base + at
            self.whole = self._base + at
            if self._until == "function":
                self._finish(at, at)
                return at
        self.functions.append(Function(name, self._base + end))
        self._before = ">"
        return end

    def _function_ends(self, at: int, end: int) -> int:
        self.functions[-1].end = self._base + at
        self.whole = self._base + end
        self._before = ">"
        if self._until == "function":
            self._finish(at, end)
        return end

    def _pair(self, text: str, at: int, final: bool) -> int:
        found = pair(text, at, final=final)
        if isinstance(found, bool):
            self._before = "<"
            return MORE if found else at + 1
        return self._value_begins(found[1], VALUE_CLOSE, found.end())

    def _value_begins(self, key: str, closer: str, end: int, *, as_json: bool = False) -> int:
        value = Field(key, self._base + end, as_json=as_json)
        self.fields.append(value)
        if self.functions:
            self.functions[-1].fields.append(value)
        self._closer = closer
        self._nested = 0
        self._state = self._in_value
        return end

    def _close_value(self, end: int) -> None:
        self.fields[-1].end = end
        self._state = self._outside
        self._before = ">"

    def _in_value(self, text: str, at: int, final: bool) -> int:
        """Looks for what closes the value; a whole call that is written within it is data."""
        stop = text.find("<", at)
        if stop < 0:
            return len(text)
        if stop > at:
            return stop
        found = TAG.match(text, at)
        if not found:
            return MORE if not final and begun(text, at) else at + 1
        tag = found.group()
        if tag.lower() == self._closer and not self._nested:
            self._close_at = self._base + at
            self._state = self._after_value
        elif FUNCTION.fullmatch(tag):
            self._nested += 1
        elif FUNCTION_END.fullmatch(tag):
            self._nested = max(0, self._nested - 1)
        elif not self._nested and self._last == "\n" and FIELD.fullmatch(tag):
            self._close_value(self._base + at)  # the closing tag was left out
            return at
        return found.end()

    def _after_value(self, text: str, at: int, final: bool) -> int:
        """What follows tells whether the value was really closed."""
        if (begin := after_white(text, at)) > at:
            return begin
        found = TAG.match(text, at)
        if not found and text[at] == "<" and not final and begun(text, at):
            return MORE
        tag = found.group() if found else ""
        half = text[at:].lower() if final and not found else ""
        half_a_closer = half.startswith("</") and begun(text, at) and not self._closer.startswith(half)
        if half_a_closer or follows_value(tag):
            self._close_value(self._close_at)
            return at
        self._state = self._in_value
        return at if text[at] == "<" else at + 1

    def _in_marked_text(self, text: str, at: int, final: bool) -> int:
        stop = text.find("<", at)
        if stop < 0:
            return len(text)
        if text.startswith(self._closer, stop):
            self._state, self._before = self._outside, ">"
            return stop + len(self._closer)
        if not final and self._closer.startswith(text[stop:]):
            return stop if stop > at else MORE
        return stop + 1
