"""The forms in which models write calls in words, as data: what opens a call, what closes it, what stands around it.

The form models are asked for is the one Hermes and Qwen models are trained on. The others are what models drift into
and what servers let through. A format is a line here, and a test walks them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from conch_desktop.words.parts import (
    DSML,
    Ahead,
    Attributes,
    Blank,
    Body,
    Inside,
    Look,
    Mark,
    Part,
    Word,
    mark,
    match_parts,
    maybe,
)

CALL_OPEN = "<tool_call>"
CALL_CLOSE = "</tool_call>"
RESPONSE_OPEN = "<tool_response>"
RESPONSE_CLOSE = "</tool_response>"

Until = Literal["closer", "value", "function", "line"]
"""Where a call ends: at a closing mark, with its value, with the function's own closing tag, or with the line."""


@dataclass(frozen=True, slots=True)
class Format:
    """One way to open a call. `closers` are its own closing marks; `asked`: the form models are asked for.

    `only_known`: without the name of a tool on offer it is no call but words.
    """

    parts: tuple[Part, ...]
    until: Until = "closer"
    closers: tuple[str, ...] = ()
    asked: bool = False
    only_known: bool = False
    at_line_start: bool = False

    @property
    def heads(self) -> tuple[str, ...]:
        """What it may begin with."""
        heads: list[str] = []
        for part in self.parts:
            if isinstance(part, Mark):
                heads += part.options
                if not part.optional:
                    break
        return tuple(heads)


_CLAUDE = "antml:"
"""What Claude's own tags may begin with."""

_TAGS = {
    # IBM Granite 20B, Glaive's data, many chat tunes
    "<function_call>": "</function_call>",
    "<functioncall>": "</functioncall>",
    # a plural where one is asked for; Hunyuan, Jamba; Olmo and Claude's XML
    "<tool_calls>": "</tool_calls>",
    "<function_calls>": "</function_calls>",
    "<tool_code>": "</tool_code>",
    "<tool>": "</tool>",
    "<tools>": "</tools>",
    "<tool_use>": "</tool_use>",
    "<toolcall>": "</toolcall>",
    "<TOOLCALL>": "</TOOLCALL>",  # Nemotron
    "<longcat_tool_call>": "</longcat_tool_call>",
    f"<{_CLAUDE}function_calls>": f"</{_CLAUDE}function_calls>",
    "<minimax:tool_call>": "</minimax:tool_call>",
    "<seed:tool_call>": "</seed:tool_call>",
    "<tool-call>": "</tool-call>",
    # DeepSeek V3.2 and V4; the bars also as others write them
    **{f"<{dsml}{name}>": f"</{dsml}{name}>" for dsml in DSML for name in ("function_calls", "tool_calls")},
    "<|tool_call_start|>": "<|tool_call_end|>",  # LFM2
    "<|tool_call|>": "<|/tool_call|>",  # Phi-4 mini
    "<|START_ACTION|>": "<|END_ACTION|>",  # Command R7B
    "<|action_start|><|plugin|>": "<|action_end|>",  # InternLM
    "<|tools_prefix|>": "<|tools_suffix|>",  # Apertus
}
"""Other tags around a call, with what closes each."""

OPENERS = frozenset((CALL_OPEN, *(tag.lower() for tag in _TAGS)))
"""The tags around a call that open one, in small letters."""

_SECTIONS = (
    "<｜tool▁calls▁begin｜>",
    "<|tool▁calls▁begin|>",
    "<|tool_calls_section_begin|>",
    "<|tool_call_section_begin|>",
    "<|tool_calls_begin|>",
)
_CALLS = ("<｜tool▁call▁begin｜>", "<|tool▁call▁begin|>", "<|tool_call_begin|>")
_CALL_ENDS = ("<｜tool▁call▁end｜>", "<|tool▁call▁end|>", "<|tool_call_end|>")
_SEPARATORS = ("<｜tool▁sep｜>", "<|tool▁sep|>", "<|tool_sep|>", "<|tool_call_argument_begin|>")
_IN_LINE = " \t"
_REACT = (
    mark("Action:"), Blank(_IN_LINE, 4), Word(known=True), Blank(_IN_LINE, 4), mark("\n", "\r\n"), Blank(most=8),
    mark("Action Input:"),
)  # fmt: skip

FORMATS = (
    # Hermes, Qwen; within it also what Qwen-Coder, GLM and others write
    Format((mark("<tool_call"), Attributes(), Body(True, (CALL_CLOSE,))), closers=(CALL_CLOSE,), asked=True),
    *(Format((mark(tag), Body(closers=(closer,))), closers=(closer,)) for tag, closer in _TAGS.items()),
    # Llama's and Qwen-Coder's function tag, Claude's invoke, without a tag around them
    Format(
        (mark("<function=", "<function name=", "<invoke name=", f"<{_CLAUDE}invoke name=",
              *(f"<{dsml}invoke name=" for dsml in DSML)),
         maybe('"', "'"), Word(known=True), maybe('"', "'"), Blank(_IN_LINE, 2), mark(">"), Inside()),
        until="function", only_known=True,
        closers=("</function>", "</invoke>", f"</{_CLAUDE}invoke>", *(f"</{dsml}invoke>" for dsml in DSML), CALL_CLOSE),
    ),
    Format(
        (mark("<function="), Word(known=True), Ahead("{")),
        until="function", closers=("</function>", CALL_CLOSE), only_known=True,
    ),
    # Mistral up to version 7, and from 11 on
    Format((mark("[TOOL_CALLS]"), Blank(), Ahead("[{")), until="value"),
    Format(
        (mark("[TOOL_CALLS]"), Blank(), Word(), maybe("[CALL_ID]"), Word(name=False, optional=True), maybe("[ARGS]"),
         Blank(), Ahead("{")),
        until="value",
    ),
    # Llama 3.1 and 4
    Format((mark("<|python_tag|>", "<|python_start|>"), Body()), until="value"),
    # DeepSeek V3 (its kind stands before the name) and V3.1; Kimi K2
    Format(
        (maybe(*_SECTIONS), Blank(), mark(*_CALLS), mark("function"), mark(*_SEPARATORS), Word(), Blank()),
        closers=_CALL_ENDS,
    ),
    Format(
        (maybe(*_SECTIONS), Blank(), mark(*_CALLS), Blank(), Word(), Blank(), mark(*_SEPARATORS)),
        closers=_CALL_ENDS,
    ),
    # FunctionGemma; Gemma 4
    Format(
        (mark("<start_function_call>", "<|tool_call>"), Blank(), mark("call:"), Word(), Ahead("{")),
        closers=("<end_function_call>", "<tool_call|>"),
    ),
    # gpt-oss, its channels let through as text
    Format(
        (maybe("<|start|>assistant"), mark("<|channel|>"), Word(name=False), mark(" to="), Word(), Blank(),
         maybe("<|constrain|>"), maybe("json", "code"), Blank(), mark("<|message|>")),
        until="value",
    ),
    Format(
        (mark("<|start|>assistant to="), Word(), mark("<|channel|>"), Word(name=False), Blank(),
         maybe("<|constrain|>"), maybe("json", "code"), Blank(), mark("<|message|>")),
        until="value",
    ),
    # ReAct; what is no JSON after it has failed
    Format((*_REACT, Blank(), Ahead("{", or_fence=True)), until="value", only_known=True, at_line_start=True),
    Format(_REACT, until="line", only_known=True, at_line_start=True),
)  # fmt: skip

_SLIPS = tuple(
    slip.format(name)
    for slip in ("</ {}>", "< /{}>", "</{} >", "</{}\n>", "</{}\r\n>", "<\\{}>", "<{}/>")
    for name in ("tool_call", "function_call", "function")
)
"""Closing tags as they are mistyped."""

CLOSERS = frozenset(
    closer.lower()
    for closer in (
        CALL_CLOSE, *_TAGS.values(), *_CALL_ENDS, *_SLIPS, "</function>", "</invoke>", f"</{_CLAUDE}invoke>",
        *(f"</{dsml}invoke>" for dsml in DSML), "<end_function_call>", "<tool_call|>", "<｜tool▁calls▁end｜>",
        "<|tool▁calls▁end|>", "<|tool_calls_section_end|>", "<|tool_call_section_end|>", "<|tool_calls_end|>",
        "<|call|>", "<|python_end|>", "<|im_end|>", "<|eot_id|>", "<|eom_id|>",
        "<|end|>", "<|return|>", "<|endoftext|>", "<end_of_turn>", "</s>", "<｜end▁of▁sentence｜>",
    )
)  # fmt: skip
"""What closes a call, also one that was opened otherwise, in small letters; straight after a call it is left out."""


def closes(tag: str) -> bool:
    """Whether `tag` closes a call."""
    return tag.lower() in CLOSERS


RESPONSES = {
    RESPONSE_OPEN: RESPONSE_CLOSE,
    "<|tool_response|>": "<|/tool_response|>",
    "<|tool_response>": "<tool_response|>",  # Gemma 4
    "<｜tool▁outputs▁begin｜>": "<｜tool▁outputs▁end｜>",
    "[TOOL_RESULTS]": "[/TOOL_RESULTS]",
}
"""Answers of a tool, which only the program writes. One that the model writes is neither shown nor believed."""

RESPONSES_AFTER_A_CALL = {
    "<function_results>": "</function_results>",
    "<function_result>": "</function_result>",
    "<function_response>": "</function_response>",
    "<function_output>": "</function_output>",
    "<tool_responses>": "</tool_responses>",
    "<tool_outputs>": "</tool_outputs>",
    "<observation>": "</observation>",
    "<tool_result>": "</tool_result>",
    "<tool_results>": "</tool_results>",
    "<tool_output>": "</tool_output>",
    "Observation:": "",
}
"""What else models write for an answer. These may be words; after a call they are its answer, made up."""

THOUGHTS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<scratchpad>": "</scratchpad>",
    "<scratch_pad>": "</scratch_pad>",  # Hermes
    "<seed:think>": "</seed:think>",
    "<longcat_think>": "</longcat_think>",
    "[THINK]": "[/THINK]",
    "<|START_THINKING|>": "<|END_THINKING|>",  # Command A
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|channel>thought": "<channel|>",  # Gemma 4
    "<|channel|>analysis<|message|>": "<|end|>",  # gpt-oss
}
"""Thinking within the words: shown as it stands, and nothing in it is a call."""

FENCE_LANGUAGES = ("tool_call", "tool_code", "json", "")
"""The languages of a code fence that may hold nothing but a call, longest first."""

NAME_KEYS = ("name", "tool", "tool_name", "function", "function_name", "recipient_name", "action")
ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "params", "tool_input", "action_input", "kwargs")
CALL_KEYS = ("function", "tool_call", "function_call")
"""Under these, an object that is the call itself."""
LIST_KEYS = ("tool_calls", "tool_uses")
"""Under these, a list of calls."""
OTHER_KEYS = ("type", "id", "call_id", "tool_call_id", "index")
"""What may stand beside a call's name and arguments."""

TEXT_MARKS = ("<escape>", '<|"|>')
"""What Gemma models write for a quotation mark within a call."""

QUOTATION_MARKS = "\"'“”„‟‘’‚‛«»‹›「『"
"""A mark straight after one of these is quoted, not meant."""

SENTENCE_ENDS = ".!?:;…。！？：)]*•-–—"
"""After one of these, as at the start of a line, a tag may open a call that cannot be read."""


def opened(look: Look, at: int, *, line_start: bool) -> tuple[Format, int] | Literal["more"] | None:
    """The format that opens at `at` and where its body begins; "more" when that can't be told yet."""
    name = look.name
    for form in _candidates(look.text, at, line_start=line_start):
        look.name = name
        end = match_parts(form.parts, look, at)
        if end >= 0 and look.watching and look.name and look.names.find(look.name) is None:
            return None
        if end >= 0:
            return form, end
        if end == -1:
            return "more"
    return None


_HEAD = 6


def _by_head() -> dict[str, list[Format]]:
    """The formats by every beginning of what they begin with, up to a few characters."""
    table: dict[str, list[Format]] = {}
    for form in FORMATS:
        for head in {head[:n].lower() for head in form.heads for n in range(1, _HEAD + 1)}:
            table.setdefault(head, []).append(form)
    return table


_FORMATS_BY_HEAD = _by_head()


def _candidates(text: str, at: int, *, line_start: bool) -> Sequence[Format]:
    found = _FORMATS_BY_HEAD.get(text[at : at + _HEAD].lower(), ())
    return [form for form in found if line_start or not form.at_line_start]
