"""JSON with slips put in, for the property tests: writers that make the mistakes models make, on purpose."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

NASTY = (
    "",
    "it's",
    'say "hi"',
    "C:\\temp",
    "a, b",
    "[1, 2",
    "}{",
    "// no comment",
    "/* x */",
    "# 1",
    "True",
    "null",
    "```json",
    "x: y",
    "line\nbreak\ttab",
    "“curly” ‘too’",
    "smile 🍵",
    "ends with \\",
    "</tool_call>",
    "caf\u00e9\u00a0",
    "'",
    '"',
    "', 'b': '",
    '", "b": "',
)
"""Texts that look like everything but text."""


class Writer:
    """Writes a value as JSON, with at most the slips it was asked for, each with the chance given."""

    def __init__(self, seed: int, chance: float, kinds: set[str]) -> None:
        self.random = random.Random(seed)
        self.chance = chance
        self.kinds = kinds
        self.made = 0

    def slips(self, kind: str) -> bool:
        """Whether to make this slip here."""
        if kind not in self.kinds or self.random.random() >= self.chance:
            return False
        self.made += 1
        return True

    def value(self, value: Any) -> str:
        """`value` as almost-JSON."""
        if isinstance(value, dict):
            return self._between(
                "{", [f"{self.key(k)}{self.gap()}:{self.gap()}{self.value(v)}" for k, v in value.items()], "}"
            )
        if isinstance(value, list):
            return self._between("[", [self.value(item) for item in value], "]")
        if isinstance(value, str):
            return self.text(value)
        if (value is None or isinstance(value, bool)) and self.slips("python_word"):
            return repr(value)
        return json.dumps(value)

    def _between(self, opening: str, members: list[str], closing: str) -> str:
        comma = "," if members and self.slips("trailing_comma") else ""
        inside = ""
        for number, member in enumerate(members):
            inside += (self.comma(opening, members[number - 1]) if number else "") + self.gap() + member + self.gap()
        return f"{opening}{inside}{comma}{self.gap()}{closing}"

    def comma(self, opening: str, before: str) -> str:
        """What stands between two members."""
        if opening == "{" and self.slips("extra_comma"):
            return ",,"
        if opening == "{" and self.slips("missing_comma"):
            return "\n"
        return ","

    def key(self, name: str) -> str:
        """A field's name."""
        if name.isidentifier() and name not in ("True", "False", "None") and self.slips("bare_key"):
            return name
        if name.isidentifier() and name not in ("True", "False", "None") and self.slips("missing_quote"):
            return f'{name}"'
        return self.text(name)

    def text(self, text: str) -> str:
        """A text in some quotes."""
        if self.slips("single_quotes"):
            body = (
                json.dumps(text, ensure_ascii=self.random.random() < 0.5)[1:-1].replace('\\"', '"').replace("'", "\\'")
            )
            return f"'{body}'"
        if not set(text) & set('"\\“”„‟') and text.isprintable() and self.slips("smart_quotes"):
            return f"“{text}”"
        written = json.dumps(text, ensure_ascii=self.random.random() < 0.5)
        if self.slips("control_character"):
            written = written.replace("\\n", "\n").replace("\\t", "\t") if "\\\\" not in written else written
        return written

    def gap(self) -> str:
        """What stands between two tokens."""
        if self.slips("comment"):
            return self.random.choice(["/* a, b: {} */", "// it's [1]\n", '# so "it" is\n', "/**/"])
        if self.slips("odd_space"):
            return self.random.choice(["\u00a0", "\u200b", "\ufeff "])
        return self.random.choice(["", "", " ", "\n  "])


Around = Callable[[str, random.Random], str]

AROUND: dict[str, Around] = {
    "fence": lambda text, _: f"```json\n{text}\n```",
    "words_before": lambda text, _: f"Here you go, it's all there:\n{text}",
    "words_after": lambda text, _: f"{text}\n\nThat's it, 100 % sure.",
    "thinking": lambda text, _: f'<think>Maybe {{"a": 1}}?</think>\n{text}',
    "bom": lambda text, _: f"\ufeff{text}\u200b",
    "twice": lambda text, _: f"{text}\n{text}",
    "stray_closer": lambda text, rnd: text + rnd.choice(["}", "]", "}}", "]}", ",}"]),
    "json_text": lambda text, _: json.dumps(text),
    "unclosed": lambda text, rnd: text[: max(1, len(text.rstrip()) - rnd.randint(1, 3))],
    "cut": lambda text, rnd: text[: rnd.randint(0, len(text))],
}
