"""The grammar of one tool's call block, for servers that constrain an answer by GBNF.

It holds from the answer's first letter, and is only used where a call is wanted. llama.cpp also has grammars that begin
at a trigger, but not for chat completions, where the trigger is ignored and every answer would be forced to be a call;
and where it has them (`/completion`), an answer that only mentions the tag ends in its error "Unexpected empty grammar
stack" (measured with xllamacpp 2026.10).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from conch_desktop.domain.tools import Tool
from conch_desktop.schemas.grammar import Grammar, literal
from conch_desktop.words.formats import CALL_CLOSE, CALL_OPEN

PLAIN_GRAMMAR = 'root ::= [^<{] ([^<] | "<" [^t<])*\n'
"""An answer that is only words: it neither begins like a call nor holds a mark of ours."""


def call_grammar(tool: Tool, said: str = "") -> str:
    """GBNF under which an answer can only be one call of `tool`, in the block the reader takes.

    Where the tool wants one text and nothing else, that text is the end of what the person `said`, from a word on: a
    small model looks for other words than theirs otherwise.
    """
    return calls_grammar([_with_their_words(tool, said)])


def _with_their_words(tool: Tool, said: str) -> Tool:
    fields = tool.parameters.get("properties")
    starts = [found.start() for found in re.finditer(r"\S+", said)]
    if not isinstance(fields, Mapping) or len(fields) != 1 or not 1 <= len(starts) <= MOST_WORDS:
        return tool
    ((name, field),) = fields.items()
    if not isinstance(field, Mapping) or field.get("type") != "string" or _BOUNDS & field.keys():
        return tool
    if len(said) > field.get("maxLength", len(said)):
        return tool
    ends = [said[start:].strip() for start in starts]
    return replace(tool, parameters={**tool.parameters, "properties": {name: {"enum": ends}}, "required": [name]})


_BOUNDS = frozenset({"enum", "const", "format", "pattern"})
MOST_WORDS = 40
"""Words of a message up to which its ends are spelt out."""


def calls_grammar(tools: Sequence[Tool]) -> str:
    """GBNF under which an answer can only be one call of one of `tools`."""
    grammar = Grammar()
    return grammar.text(" | ".join(_block(grammar, tool) for tool in tools))


def _block(grammar: Grammar, tool: Tool) -> str:
    arguments = grammar.value({"type": "object", **tool.parameters})
    head = literal(f'{CALL_OPEN}\n{{"name": {json.dumps(tool.name, ensure_ascii=False)}, "arguments": ')
    return f"{head} {arguments} {literal('}' + chr(10) + CALL_CLOSE)}"
