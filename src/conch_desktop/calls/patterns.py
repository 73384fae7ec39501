"""The shapes of almost-JSON as patterns: long sound stretches in one jump, and each kind of mark by itself.

No pattern gives back what it took (all repeats are possessive), so each is linear in what it reads. Long texts and
texts full of escapes are left to the C reader of `json`, which is faster.
"""

from __future__ import annotations

import re

WHITE = r"[ \t\n\r]*+"
SPACES = " \t\n\r"

ODD = "\u00a0\u0085\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff\x0b\x0c"
"""Spaces JSON does not know, and marks without a width; outside texts they carry nothing."""

_ESCAPED = r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})'
_RUN = r'[^"\\\x00-\x1f]{0,256}+'
_TEXT = rf'"{_RUN}(?:{_ESCAPED}{_RUN}){{0,12}}+"'
_NUMBER = r"-?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][-+]?+[0-9]++)?+"
_PLAIN = rf"(?:{_TEXT}|{_NUMBER}|true|false|null|\{{{WHITE}\}}|\[{WHITE}\])"
_CLOSERS = rf"[}}\]](?:{WHITE}[}}\]])*+"
_NEXT = rf"{WHITE}(?:,|{_CLOSERS}{WHITE},)"
_KEY = rf"{_TEXT}{WHITE}:"
_NUMBERS = rf"(?:{WHITE}{_NUMBER}{WHITE},)++"
_PIECE = rf"{WHITE}(?:{_TEXT}{WHITE}(?::{WHITE}(?:{_PLAIN}{_NEXT}|[{{\[])|{_NEXT})|{_PLAIN}{_NEXT}|[{{\[])"

_STRETCH = rf"(?:{_PIECE}|{_NUMBERS})*+(?:{WHITE}(?:{_KEY}{WHITE})?+{_PLAIN}{WHITE}{_CLOSERS})?+"

SOUND = re.compile(_STRETCH)
"""A stretch without a slip, begun where an element may begin; it ends after a comma or a bracket. Which bracket closes
which, and what is a key, is judged later."""

_SIMPLE = r"'([^'\"\\\x00-\x1f]{0,256}+)'"
_PYTHON = r"(True|False|None)(?![\w$.-])"
_NEXT_OR_END = rf"{WHITE}(?:,|{_CLOSERS}(?:{WHITE},)?+)"
_LITERAL = r"(?:true|false|null|True|False|None)(?![\w$.-])"
_BARE = r"(?!(?:True|False|None)[^\w$.-])((?:[^\W\d]|\$)[\w$.-]*+)"

_PLAIN_KEY = rf"\"[\w -]++\"{WHITE}:"
_NOTE = r"(?:(?://|#)[^\n\r]*+(?=[\n\r])|/\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/)"
_VALUE = rf"(?:{_PLAIN}|{_SIMPLE}|{_PYTHON})"
_SLIP = (
    rf"{WHITE}(?:({_CLOSERS})(?:{WHITE},)?+|({_NOTE})"
    rf"|(?:{_TEXT}|{_BARE}|{_SIMPLE}){WHITE}:{WHITE}(?:{_VALUE}(?:{_NEXT_OR_END}|()[ \t\n\r]++(?={_PLAIN_KEY}))|[{{\[])"
    rf"|(?:{_SIMPLE}|{_PYTHON}){_NEXT_OR_END}"
    rf"|(?:{_KEY}{WHITE})?+{_PLAIN}{WHITE}({_NOTE}){_NEXT_OR_END})"
)
SLIP_ALONE = re.compile(_SLIP)
"""One element with a slip that needs no thought, begun where an element may begin.

Groups: 1 closing brackets (after a comma: one too many), 2 a comment; 3 a bare name, 4 a name in single quotes, 5 a
value in single quotes, 6 a word of Python, 7 the place of a missing comma; 8 an item in single quotes, 9 a word of
Python as an item; 10 a comment after a value. Nothing in these quotes needs an escape, and what follows them fits.
"""
SLIP = re.compile(rf"{_SLIP}(?:(?<=[,{{\[]){_STRETCH})?+")
"""The same with the sound stretch after it."""

WHITES = re.compile(WHITE)
SHORT_TEXT = re.compile(_TEXT)
DOUBLE = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
MEDIUM_TEXT = re.compile(r'"[^"\\]{0,1024}+(?:\\.[^"\\]{0,1024}+){0,64}+"', re.DOTALL)
"""A text that may be unsound. Reading it here spares an error of `json`, which counts lines from the very start."""

SINGLE = re.compile(r"'[^'\\]*+(?:\\.[^'\\]*+)*+'", re.DOTALL)
CURLY = re.compile(rf'[“”„‟]((?:[^“”„‟"\\\x00-\x1f]++|{_ESCAPED})*+)[“”„‟]')
CURLY_SINGLE = re.compile(rf"[‘’‚‛]((?:[^‘’‚‛'\"\\\x00-\x1f]++|{_ESCAPED})*+)[‘’‚‛]")
ESCAPED = re.compile(r'\\"([^"\\\x00-\x1f]*+)\\"')
NUMBER = re.compile(rf"{_NUMBER}(?=[\s,}}\]:/#\\{ODD}]|\Z)")
WORD = re.compile(r"[^\W\d][\w$.-]*+|\$[\w$.-]*+")
COMMENT = re.compile(r"//[^\n\r]*+|#[^\n\r]*+|/\*.*?\*/", re.DOTALL)
ODD_SPACES = re.compile(rf"[{ODD}]++|(?:\\[nrt])++(?=[\W\d]|{_LITERAL}|\Z)")
"""Also the escape of a line break that stands outside a text; not before a letter, which it might belong to."""
COMMAS = re.compile(r"[,\s]*+")
KEY_AHEAD = re.compile(
    rf"(?:\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"|'[^'\\]*+(?:\\.[^'\\]*+)*+'|(?:[^\W\d]|\$)[\w$.-]*+){WHITE}:", re.DOTALL
)
THREE_DIGITS = re.compile(r"[0-9]{3}(?![0-9.eE])")

_FLAT = rf"(?:[^\"\[\]{{}}]++|{_TEXT})*+"

TO_BRACKET = re.compile(_FLAT)
"""Everything up to the next bracket, or to a long text."""

TO_DEEPER = re.compile(rf"(?:[^\"\[\]{{}}]++|{_TEXT}|\{{{_FLAT}\}}(?!{WHITE}[{{\[])|\[{_FLAT}\](?!{WHITE}[{{\[]))*+")
"""The same, with every object and list that holds no further ones passed in one jump."""

CLOSERS = re.compile(rf"[}}\]](?:{WHITE}[}}\]])*+")
TAIL = re.compile(r"[\s,}\]]*+")
