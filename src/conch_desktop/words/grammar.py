"""The grammar of one tool's call block, for servers that constrain an answer by GBNF.

It holds from the answer's first letter, and is only used where a call is wanted. llama.cpp also has grammars that begin
at a trigger, but not for chat completions, where the trigger is ignored and every answer would be forced to be a call;
and where it has them (`/completion`), an answer that only mentions the tag ends in its error "Unexpected empty grammar
stack" (measured with xllamacpp 2026.10).
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from conch_desktop.domain.tools import Tool
from conch_desktop.schemas.grammar import Grammar, literal
from conch_desktop.words.formats import CALL_CLOSE, CALL_OPEN

PLAIN_GRAMMAR = 'root ::= [^<{] ([^<] | "<" [^t<])*\n'
"""An answer that is only words: it neither begins like a call nor holds a mark of ours."""


def call_grammar(tool: Tool) -> str:
    """GBNF under which an answer can only be one call of `tool`, in the block the reader takes."""
    return calls_grammar([tool])


def calls_grammar(tools: Sequence[Tool]) -> str:
    """GBNF under which an answer can only be one call of one of `tools`."""
    grammar = Grammar()
    return grammar.text(" | ".join(_block(grammar, tool) for tool in tools))


def _block(grammar: Grammar, tool: Tool) -> str:
    arguments = grammar.value({"type": "object", **tool.parameters})
    head = literal(f'{CALL_OPEN}\n{{"name": {json.dumps(tool.name, ensure_ascii=False)}, "arguments": ')
    return f"{head} {arguments} {literal('}' + chr(10) + CALL_CLOSE)}"
