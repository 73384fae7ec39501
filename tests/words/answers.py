"""Answers of models and what must become of each: (name, text, visible words, calls, failed blocks).

`SAME` stands for words that are shown as they are, to the last character.
"""

from __future__ import annotations

from typing import Any

SAME = "\0same"

Case = tuple[str, str, str, list[tuple[str, Any]], int]

FIND = '{"name": "find_berth", "arguments": {"harbour": "Kiel", "length_m": 9}}'
NOTE = '{"name": "note_down", "arguments": {"text": "Low water at 6:40"}}'
OPEN = '{"name": "pier__open_gate", "arguments": {"gate": 3}}'
FOUND = ("find_berth", {"harbour": "Kiel", "length_m": 9})
NOTED = ("note_down", {"text": "Low water at 6:40"})
OPENED = ("pier__open_gate", {"gate": 3})


def block(body: str) -> str:
    """A block as models are asked to write it."""
    return f"<tool_call>\n{body}\n</tool_call>"


def note(text: str) -> tuple[str, Any]:
    return ("note_down", {"text": text})


def invoke(name: str, key: str, value: str) -> str:
    """One call in Claude's tags."""
    return f'<invoke name="{name}">\n<parameter name="{key}">{value}</parameter>\n</invoke>'


def deepseek(call: str) -> str:
    """One call between DeepSeek's marks."""
    return f"<｜tool▁call▁begin｜>{call}<｜tool▁call▁end｜>"


def deepseek_calls(*calls: str) -> str:
    return f"<｜tool▁calls▁begin｜>{''.join(map(deepseek, calls))}<｜tool▁calls▁end｜>"


def deepseek_field(key: str, value: str, is_text: str) -> str:
    return f'<｜DSML｜parameter name="{key}" string="{is_text}">{value}</｜DSML｜parameter>\n'


FOUND_9 = ("find_berth", {"harbour": "9", "length_m": 9})
UNCLOSED = block('{"name": "note_down", "arguments": {"text": "Low wa')
LINES = "<function=note_down>\n<parameter=text>\nx\n</parameter>\n</function>"
KIMI = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.note_down:0<|tool_call_argument_begin|>"
    '{"text": "x"}<|tool_call_end|><|tool_calls_section_end|>'
)
DEFINITION = '{"name": "note_down", "description": "x", "parameters": {"type": "object", "properties": {}}}'
DEEPSEEK_TAGS = (
    '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="find_berth">\n'
    + deepseek_field("harbour", "9", "true")
    + deepseek_field("length_m", "9", "false")
    + "</｜DSML｜invoke>\n</｜DSML｜tool_calls>"
)


ASKED: list[Case] = [
    ("one call", block(NOTE), "", [NOTED], 0),
    ("words before and after", f"Let me see.\n{block(FIND)}\nDone.", "Let me see.\n\nDone.", [FOUND], 0),
    ("two calls", f"{block(NOTE)}\n{block(FIND)}", "", [NOTED, FOUND], 0),
    ("back to back", f"{block(NOTE)}{block(FIND)}{block(OPEN)}", "", [NOTED, FOUND, OPENED], 0),
    ("words between", f"{block(NOTE)}\nAnd now:\n{block(FIND)}", "\nAnd now:\n", [NOTED, FOUND], 0),
    ("in a line", f"I look. <tool_call>{FIND}</tool_call>", "I look. ", [FOUND], 0),
    ("without a blank", f"I look.<tool_call>{FIND}</tool_call>", "I look.", [FOUND], 0),
    ("an attribute", f'<tool_call id="4">{NOTE}</tool_call>', "", [NOTED], 0),
    ("the name as an attribute", '<tool_call name="note_down">{"text": "x"}</tool_call>', "", [note("x")], 0),
    ("arguments first", block('{"arguments": {"text": "x"}, "name": "note_down"}'), "", [note("x")], 0),
    ("no arguments", block('{"name": "list_boats", "arguments": {}}'), "", [("list_boats", {})], 0),
    ("no arguments at all", block('{"name": "list_boats"}'), "", [("list_boats", {})], 0),
    ("null for arguments", block('{"name": "list_boats", "arguments": null}'), "", [("list_boats", {})], 0),
    ("parameters", block('{"name": "note_down", "parameters": {"text": "x"}}'), "", [note("x")], 0),
    ("other keys", block('{"tool": "note_down", "args": {"text": "x"}}'), "", [note("x")], 0),
    ("an agent's keys", block('{"action": "note_down", "action_input": {"text": "x"}}'), "", [note("x")], 0),
    ("fields beside the name", block('{"name": "note_down", "text": "x"}'), "", [note("x")], 0),
    ("the name as the key", block('{"note_down": {"text": "x"}}'), "", [note("x")], 0),
    ("OpenAI's function", block('{"type": "function", "function": ' + NOTE + "}"), "", [NOTED], 0),
    ("OpenAI's list", block('{"tool_calls": [' + NOTE + ", " + FIND + "]}"), "", [NOTED, FOUND], 0),
    (
        "arguments as a text",
        block('{"name": "note_down", "arguments": "{\\"text\\": \\"x\\"}"}'),
        "",
        [("note_down", '{"text": "x"}')],
        0,
    ),
    ("a namespace", block('{"name": "functions.note_down", "arguments": {"text": "x"}}'), "", [note("x")], 0),
    ("a list", block(f"[{NOTE}, {FIND}]"), "", [NOTED, FOUND], 0),
    ("two objects", block(f"{NOTE}\n{FIND}"), "", [NOTED, FOUND], 0),
    ("a whole call and a broken one", block(NOTE + '\n{"name": "find_b'), "", [NOTED], 1),
    (
        "wide letters",
        "港は六時まで。" + block('{"name": "note_down", "arguments": {"text": "潮 🌊 Ü"}}'),
        "港は六時まで。",
        [note("潮 🌊 Ü")],
        0,
    ),
    ("a trailing comma", block('{"name": "note_down", "arguments": {"text": "x",},}'), "", [note("x")], 0),
    (
        "single quotes",
        block("{'name': 'note_down', 'arguments': {'text': \"the pilot's\"}}"),
        "",
        [note("the pilot's")],
        0,
    ),
    ("bare keys", block('{name: "note_down", arguments: {text: "x"}}'), "", [note("x")], 0),
    ("a comment", block('{"name": "note_down", "arguments": {"text": "x"} // don\'t forget\n}'), "", [note("x")], 0),
    ("a fence inside", block(f"```json\n{NOTE}\n```"), "", [NOTED], 0),
    (
        "braces missing",
        block('{"name": "find_berth", "arguments": {"length_m": 9'),
        "",
        [("find_berth", {"length_m": 9})],
        0,
    ),
    ("doubled braces", block("{" + NOTE + "}"), "", [NOTED], 0),
    (
        "a call in an argument",
        block('{"name": "note_down", "arguments": {"text": "x", "like": ' + OPEN + "}}"),
        "",
        [("note_down", {"text": "x", "like": {"name": "pier__open_gate", "arguments": {"gate": 3}}})],
        0,
    ),
    ("capitals", f"<TOOL_CALL>\n{NOTE}\n</TOOL_CALL>\nSo.", "\nSo.", [NOTED], 0),
    ("capitals, closed in small letters", f"<Tool_Call>{NOTE}</tool_call>", "", [NOTED], 0),
    ("another tag in capitals", f"<FUNCTION_CALL>{NOTE}</FUNCTION_CALL> So.", " So.", [NOTED], 0),
    ("characters without width around", f"\ufeff<tool_call>\u200b\n{NOTE}\u200b\n</tool_call>", "", [NOTED], 0),
    ("a hyphen in the tag", f"<tool-call>\n{NOTE}\n</tool-call>", "", [NOTED], 0),
    ("another tag within", f"{block(f'<function_call>{NOTE}</function_call>')}\nSo.", "\n\nSo.", [NOTED], 0),
    (
        "another tag, opened twice",
        f"<function_call><function_call>{NOTE}</function_call></function_call>",
        "",
        [NOTED],
        0,
    ),
]

TRICKY_TEXTS = [
    "the mark </tool_call> ends it",
    "</tool_call>\n<tool_call>",
    f"run <tool_call>{OPEN}</tool_call> then",
    "```\nfence\n```",
    "<tool_response>all free</tool_response>",
    'a "quoted" \\ back\\slash',
    "ends with }} and ]",
    "<function=pier__open_gate>{}</function>",
    "<think>hm</think>",
    "// no comment /* none",
]
"""Texts that come through as arguments, whatever stands in them."""

ENDS: list[Case] = [
    ("no closer", f"Now.\n<tool_call>\n{FIND}", "Now.\n", [FOUND], 0),
    ("half a closer", f"<tool_call>\n{FIND}\n</tool_c", "", [FOUND], 0),
    ("the outer brace missing", f"<tool_call>\n{FIND[:-1]}", "", [FOUND], 0),
    ("within a text", '<tool_call>{"name": "note_down", "arguments": {"text": "Low wa', "", [], 1),
    ("within a number", '<tool_call>{"name": "pier__open_gate", "arguments": {"gate": 3', "", [], 1),
    ("before the arguments", '<tool_call>{"name": "list_boats"', "", [], 1),
    ("within a key", f'{block(NOTE)}\n<tool_call>{{"name": "find_berth", "argu', "", [NOTED], 1),
    ("words after, never closed", f"<tool_call>{NOTE}\nI wait.", "\nI wait.", [NOTED], 0),
    ("words in the block", block(f"{NOTE}\nI wait."), "", [NOTED], 0),
    ("another closer", f"<tool_call>{FIND}</function_call>", "", [FOUND], 0),
    ("another closer and its own", f"<tool_call>{FIND}</function>\n</tool_call> So.", "\n So.", [FOUND], 0),
    ("an opener for a closer", f"<tool_call>\n{FIND}\n<tool_call>", "", [FOUND], 0),
    ("the next before the end", f"<tool_call>{FIND}\n<tool_call>{NOTE}</tool_call>", "", [FOUND, NOTED], 0),
    ("opened and closed twice", f"<tool_call>\n{block(FIND)}\n</tool_call>", "", [FOUND], 0),
    ("a mistyped closer", f"<tool_call>{FIND}<tool_call/> So.", " So.", [FOUND], 0),
    ("a list of blocks", f"<tool_calls>\n{block(FIND)}\n{block(NOTE)}\n</tool_calls>", "", [FOUND, NOTED], 0),
    (
        "a fence after it, never closed",
        f"<tool_call>\n{FIND}\n```\n{block(OPEN)}\n```",
        f"```\n{block(OPEN)}\n```",
        [FOUND],
        0,
    ),
    (
        "a fence in the middle of it",
        f'<tool_call>\n{{"name": "note_down", "arguments":\n```\n{block(OPEN)}\n```\nSo.',
        f"```\n{block(OPEN)}\n```\nSo.",
        [],
        1,
    ),
    ("a fence around the whole, words before", block('note_down\n```json\n{"text": "x"}\n```'), "", [note("x")], 0),
    ("a stray closer", f"{block(NOTE)}\n</tool_call>\nSo.", "\n\nSo.", [NOTED], 0),
    ("a mark of the server", f"{block(NOTE)}<|im_end|>", "", [NOTED], 0),
    (
        "a text never closed",
        block('{"name": "note_down", "arguments": {"text": "x}}') + f"\nOn.\n{block(FIND)}",
        "\nOn.\n",
        [FOUND],
        1,
    ),
    (
        "a text never closed, at the end",
        block('{"name": "note_down", "arguments": {"text": "x}}') + "\nOn.",
        "\nOn.",
        [],
        1,
    ),
    ("an empty tag at the end", "So:\n<tool_call>", "So:\n", [], 1),
    ("a closer over two lines", f"<tool_call>\n{FIND}\n</tool_call\n>\nSo.", "\nSo.", [FOUND], 0),
    (
        "within the tag of a further value",
        "<tool_call>\n<function=find_berth>\n<parameter=harbour>\nKiel\n</parameter>\n<parameter=len",
        "",
        [],
        1,
    ),
    (
        "within a further key",
        "<tool_call>find_berth<arg_key>harbour</arg_key><arg_value>Kiel</arg_value>\n<arg_key>len",
        "",
        [],
        1,
    ),
    (
        "within the closer of a function",
        "<tool_call>\n<function=note_down>\n<parameter=text>\nx\n</parameter>\n</func",
        "",
        [note("x")],
        0,
    ),
    ("words, then the next before the end", f"<tool_call>{FIND}\nAnd:\n{block(NOTE)}", "\nAnd:\n", [FOUND, NOTED], 0),
    (
        "words, then another tag before the end",
        f"<tool_call>{FIND}\nAnd:\n<tools>{NOTE}</tools>",
        "\nAnd:\n",
        [FOUND, NOTED],
        0,
    ),
    (
        "words after a function, closed after them",
        f"<tool_call>\n{LINES}\nI wait.\n</tool_call>\nSo.",
        "\nI wait.\n\nSo.",
        [note("x")],
        0,
    ),
    (
        "a list after a function, never closed",
        f"<tool_call>\n{LINES}\n- one [1]\n{block(FIND)}",
        "\n- one [1]\n",
        [note("x"), FOUND],
        0,
    ),
    (
        "a quote after a function, never closed",
        f"<tool_call>\n{LINES}\n\n> {block(OPEN)}",
        f"\n\n> {block(OPEN)}",
        [note("x")],
        0,
    ),
    (
        "the closer named after a function",
        f"<tool_call>\n{LINES}\n\nIt ends `</tool_call>`.",
        "\n\nIt ends `</tool_call>`.",
        [note("x")],
        0,
    ),
    (
        "a mark named after a function",
        f"<tool_call>\n{LINES}\n\nIt is [TOOL_CALLS] there.",
        "\n\nIt is [TOOL_CALLS] there.",
        [note("x")],
        0,
    ),
    (
        "another form after a function",
        f"<tool_call>\n{LINES}\n[TOOL_CALLS]list_boats{{}}",
        "",
        [note("x"), ("list_boats", {})],
        0,
    ),
    ("a line break between two", f"I look.{block(NOTE)}\n\n{block(FIND)}So.", "I look.\nSo.", [NOTED, FOUND], 0),
    ("no line break between two", f"I look.{block(NOTE)}{block(FIND)} So.", "I look. So.", [NOTED, FOUND], 0),
    (
        "code after a function, never closed",
        f"<tool_call>\n{LINES}\n`x` it is.\n{block(FIND)}",
        "\n`x` it is.\n",
        [note("x"), FOUND],
        0,
    ),
    (
        "a quote after a call, never closed",
        f"<tool_call>\n{NOTE}\n\n> {block(OPEN)}",
        f"\n\n> {block(OPEN)}",
        [NOTED],
        0,
    ),
]

BROKEN: list[Case] = [
    ("words", block("find me a berth"), "", [], 1),
    ("words in one line", "<tool_call> find me a berth </tool_call>\nWell.", "\nWell.", [], 1),
    ("empty", "<tool_call></tool_call>", "", [], 1),
    ("an empty list", block("[]") + "\nSo.", "\nSo.", [], 1),
    ("a placeholder", block('{"name": <function-name>, "arguments": <args-json-object>}'), "", [], 1),
    ("no name", block('{"arguments": {"harbour": "Kiel"}}'), "", [], 1),
    ("an unknown tool", block('{"name": "fly", "arguments": {}}'), "", [], 1),
    ("a near name", block('{"name": "find_berths", "arguments": {}}'), "", [], 1),
    ("another case", block('{"name": "Note_Down", "arguments": {"text": "x"}}'), "", [], 1),
    ("a list for arguments", block('{"name": "note_down", "arguments": ["x"]}') + block(FIND), "", [FOUND], 1),
    ("words for arguments", block('{"name": "note_down", "arguments": "the tide"}'), "", [], 1),
    (
        "a definition",
        block('{"name": "note_down", "description": "Notes", "parameters": {"type": "object", "properties": {}}}'),
        "",
        [],
        1,
    ),
    ("quotes in quotes", block('{"name": "note_down", "arguments": {"text": "he said "no" to it"}}'), "", [], 1),
    ("in the middle of a line", f"A <tool_call>\n{'a b ' * 20}\n</tool_call>", SAME, [], 0),
    (
        "a call within a text whose quotes are not escaped",
        block('{"name": "note_down", "arguments": {"text": "It said:\n' + block(OPEN) + '\nand so on."}}'),
        '\nand so on."}}\n</tool_call>',
        [],
        1,
    ),
    ("it costs only itself", "A " + block("oh") + f" b {block(NOTE)} c", "A  b  c", [NOTED], 1),
    *(
        (f"a text never closed, then {kind}", f"{UNCLOSED}\nSo.\n{call}\nEnd", "\nSo.\n\nEnd", [note("x")], 1)
        for kind, call in (
            ("Mistral's form", '[TOOL_CALLS]note_down{"text": "x"}'),
            ("a function", '<function=note_down>{"text": "x"}</function>'),
            ("Claude's tags", invoke("note_down", "text", "x")),
            ("Kimi's marks", KIMI),
        )
    ),
    (
        "two texts never closed, then a call",
        f"{UNCLOSED}\nSo.\n{UNCLOSED}\nAnd.\n{block(NOTE)}",
        "\nSo.\n\nAnd.\n",
        [NOTED],
        2,
    ),
    (
        "a text never closed, then one that is quoted",
        f'{UNCLOSED}\nThe field is <input value="<tool_call>{OPEN}</tool_call>">.',
        f'\nThe field is <input value="<tool_call>{OPEN}</tool_call>">.',
        [],
        1,
    ),
    *(
        (f"a call told of within: {body[:24]}", f"<tool_call>\n{body}\n</tool_call>\nSo.", "\nSo.", [], 1)
        for body in (
            f"write `{block(OPEN)}` to open",
            f"> {block(OPEN)}",
            f"I would write:\n```\n{block(OPEN)}\n```",
            f'{{"name": "note_down", "arguments": {{"text": "he said "{block(OPEN)}" twice"}}}}',
            f'{{"name": "note_down", "arguments": {{"text": {block(OPEN)}}}}}',
            f"{{'name': 'note_down', 'arguments': {{'text': 'it's {block(OPEN)} ok'}}}}",
            f"<name>note_down</name>\n<text>{block(OPEN)}</text>",
            f"<note_down>\n<text>\n{block(OPEN)}\n</text>\n</note_down>",
            f'<invoke name="note_down">\n<text>{block(OPEN)}</text>\n</invoke>',
            'it says "<function=pier__open_gate>{"gate": 3}</function>"',
        )
    ),
    (
        "the next call, on a line of its own",
        f'<tool_call>\n{{"name": "note_down",\n{block(OPEN)}',
        "",
        [OPENED],
        1,
    ),
]

FUNCTIONS: list[Case] = [
    ("JSON", '<function=note_down>{"text": "x"}</function>', "", [note("x")], 0),
    ("words around", 'So. <function=note_down>{"text": "x"}</function> Then.', "So.  Then.", [note("x")], 0),
    ("empty", "<function=list_boats></function>", "", [("list_boats", {})], 0),
    (
        "two",
        '<function=note_down>{"text": "x"}</function>\n<function=list_boats>{}</function>',
        "",
        [note("x"), ("list_boats", {})],
        0,
    ),
    ("a tag around", block('<function=note_down>{"text": "x"}</function>'), "", [note("x")], 0),
    ("half a tag", '<function=note_down{"text": "x"}</function>', "", [note("x")], 0),
    ("unreadable", '<function=note_down>{"text": </function> on', " on", [], 1),
    ("lines", block("<function=note_down>\n<parameter=text>\nx\n</parameter>\n</function>"), "", [note("x")], 0),
    ("no tag around", "<function=note_down>\n<parameter=text>\nx\n</parameter>\n</function>", "", [note("x")], 0),
    (
        "a closer without an opener",
        "<function=list_boats>\n</function>\n</tool_call>\nSo.",
        "\n\nSo.",
        [("list_boats", {})],
        0,
    ),
    (
        "two in one tag",
        block("<function=note_down>\n<parameter=text>x</parameter>\n</function>\n<function=list_boats>\n</function>"),
        "",
        [note("x"), ("list_boats", {})],
        0,
    ),
    (
        "one line break off each end",
        "<function=note_down>\n<parameter=text>\n\n  a\nb\n\n</parameter>\n</function>",
        "",
        [note("\n  a\nb\n")],
        0,
    ),
    (
        "markup is text",
        '<function=note_down><parameter=text><b>5 < 7</b> & "x"</parameter></function>',
        "",
        [note('<b>5 < 7</b> & "x"')],
        0,
    ),
    (
        "numbers are left to the schema",
        "<function=find_berth><parameter=length_m>9</parameter></function>",
        "",
        [("find_berth", {"length_m": "9"})],
        0,
    ),
    (
        "its closing tag is data",
        "<function=note_down>\n<parameter=text>\nuse </parameter> there\n</parameter>\n</function>",
        "",
        [note("use </parameter> there")],
        0,
    ),
    (
        "a dropped closing tag",
        "<function=find_berth>\n<parameter=harbour>\nKiel\n<parameter=length_m>\n9\n</parameter>\n</function>",
        "",
        [("find_berth", {"harbour": "Kiel", "length_m": "9"})],
        0,
    ),
    (
        "a whole call as a value",
        block(f"<function=note_down>\n<parameter=text>\n<tool_call>{OPEN}</tool_call>\n</parameter>\n</function>"),
        "",
        [note(f"<tool_call>{OPEN}</tool_call>")],
        0,
    ),
    (
        "the same form as a value",
        "<function=note_down>\n<parameter=text>\n<function=list_boats>\n<parameter=a>\nb\n</parameter>\n</function>\n</parameter>\n</function>",
        "",
        [note("<function=list_boats>\n<parameter=a>\nb\n</parameter>\n</function>")],
        0,
    ),
    (
        "cut within a value",
        block("<function=note_down>\n<parameter=text>\nLow wa")[: -len("\n</tool_call>")],
        "",
        [],
        1,
    ),
    ("never closed", "<function=note_down>\n<parameter=text>\nx\n</parameter>", "", [note("x")], 0),
    (
        "twice the same",
        "<function=note_down><parameter=text>a</parameter><parameter=text>b</parameter></function>",
        "",
        [],
        1,
    ),
    ("unknown in the tag", block("<function=fly>\n</function>"), "", [], 1),
    ("unknown without a tag", '<function=fly>{"a": 1}</function>', SAME, [], 0),
    ("talked about", "The line <function= in the log is cut off.", SAME, [], 0),
    (
        "Claude's",
        f"<function_calls>\n{invoke('note_down', 'text', 'x')}\n</function_calls>",
        "",
        [note("x")],
        0,
    ),
    (
        "Claude's without a tag",
        '<invoke name="note_down"><parameter name="text">x</parameter></invoke>',
        "",
        [note("x")],
        0,
    ),
    ("Claude's in the asked-for tag", block('<invoke name="list_boats">\n</invoke>'), "", [("list_boats", {})], 0),
    ("Claude's, unknown", 'An <invoke name="fly"> element.', SAME, [], 0),
    ("Claude's, talked about", 'An <invoke name="note_down"> element.', SAME, [], 0),
    (
        "MiniMax",
        f"<minimax:tool_call>\n{invoke('note_down', 'text', 'x')}\n</minimax:tool_call>",
        "",
        [note("x")],
        0,
    ),
    (
        "Seed",
        "<seed:tool_call><function=note_down><parameter=text>x</parameter></function></seed:tool_call>",
        "",
        [note("x")],
        0,
    ),
    (
        "DeepSeek's tags",
        DEEPSEEK_TAGS,
        "",
        [("find_berth", {"harbour": "9", "length_m": 9})],
        0,
    ),
    (
        "GLM",
        "<tool_call>find_berth\n<arg_key>harbour</arg_key>\n<arg_value>Kiel</arg_value>\n</tool_call>",
        "",
        [("find_berth", {"harbour": "Kiel"})],
        0,
    ),
    (
        "GLM in a line",
        "So.<tool_call>note_down<arg_key>text</arg_key><arg_value>a </arg_value> b</arg_value></tool_call>",
        "So.",
        [note("a </arg_value> b")],
        0,
    ),
    ("GLM, a dropped tag", "<tool_call>note_down<arg_key>text</arg_key>x</arg_value></tool_call>", "", [note("x")], 0),
    ("GLM, cut", "<tool_call>note_down<arg_key>text</arg_key><arg_value>Low", "", [], 1),
    ("GLM, unknown", "<tool_call>fly<arg_key>a</arg_key><arg_value>b</arg_value></tool_call>", "", [], 1),
    ("only a name", block("list_boats"), "", [("list_boats", {})], 0),
    ("a name and JSON", block('note_down\n{"text": "x"}'), "", [note("x")], 0),
    ("children", block('<name>note_down</name>\n<arguments>{"text": "x"}</arguments>'), "", [note("x")], 0),
    (
        "capitals",
        "<FUNCTION=note_down>\n<Parameter=text>\nx\n</Parameter>\n</FUNCTION>\nSo.",
        "\nSo.",
        [note("x")],
        0,
    ),
    ("single quotes", invoke("note_down", "text", "x").replace('"', "'"), "", [note("x")], 0),
]

OTHERS: list[Case] = [
    ("Mistral", f"[TOOL_CALLS] [{NOTE}, {FIND}]", "", [NOTED, FOUND], 0),
    ("Mistral, words after", f"[TOOL_CALLS][{NOTE}] and so on", " and so on", [NOTED], 0),
    (
        "Mistral's newer form",
        'So.[TOOL_CALLS]note_down[ARGS]{"text": "x"}[TOOL_CALLS]list_boats{}',
        "So.",
        [note("x"), ("list_boats", {})],
        0,
    ),
    ("Mistral with an id", '[TOOL_CALLS]note_down[CALL_ID]a1b2[ARGS]{"text": "x"}</s>', "", [note("x")], 0),
    ("Mistral, unknown", '[TOOL_CALLS]fly[ARGS]{"a": 1}', "", [], 1),
    ("Mistral, talked about", "[TOOL_CALLS] is a mark, [TOOL] is none.", SAME, [], 0),
    ("Llama's mark", f"<|python_tag|>{NOTE}; {FIND}<|eom_id|>", "", [NOTED, FOUND], 0),
    ("Llama's mark and Python", '<|python_tag|>note_down.call(text="x")', "", [note("x")], 0),
    ("Llama's mark and a program", "<|python_tag|>import os", SAME, [], 0),
    (
        "Python, the whole reply",
        "[find_berth(harbour='Kiel', length_m=9), list_boats()]",
        "",
        [FOUND, ("list_boats", {})],
        0,
    ),
    ("Python in the tag", "<tool_call>find_berth(harbour='Kiel', length_m=9)</tool_call>", "", [FOUND], 0),
    ("Python, unknown", "[fly(to='Kiel')]", SAME, [], 0),
    ("Python, one unknown", "[list_boats(), fly(to='Kiel')]", SAME, [], 0),
    ("Python without a name", "[note_down('x')]", SAME, [], 0),
    ("Python with an expression", "[note_down(text='a' + 'b')]", SAME, [], 0),
    ("Python in a sentence", "Call note_down(text='x') for it.", SAME, [], 0),
    ("a list of numbers", "[1] is a footnote.", SAME, [], 0),
    (
        "DeepSeek",
        deepseek_calls('function<｜tool▁sep｜>note_down\n```json\n{"text": "x"}\n```'),
        "",
        [note("x")],
        0,
    ),
    (
        "DeepSeek's newer form",
        "So." + deepseek_calls('note_down<｜tool▁sep｜>{"text": "x"}', "list_boats<｜tool▁sep｜>{}"),
        "So.",
        [note("x"), ("list_boats", {})],
        0,
    ),
    ("DeepSeek, talked about", "It opens with <｜tool▁calls▁begin｜> and so on.", SAME, [], 0),
    (
        "Kimi",
        KIMI,
        "",
        [note("x")],
        0,
    ),
    (
        "gpt-oss",
        '<|channel|>commentary to=functions.note_down <|constrain|>json<|message|>{"text": "x"}<|call|>',
        "",
        [note("x")],
        0,
    ),
    (
        "gpt-oss, from the start",
        'So.<|start|>assistant<|channel|>commentary to=functions.note_down json<|message|>{"text": "x"}<|call|>',
        "So.",
        [note("x")],
        0,
    ),
    (
        "ReAct",
        'Thought: I look.\nAction: find_berth\nAction Input: {"harbour": "Kiel", "length_m": 9}',
        "Thought: I look.\n",
        [FOUND],
        0,
    ),
    ("ReAct over lines", 'Action: note_down\nAction Input: {\n  "text": "x"\n}\n', "", [note("x")], 0),
    (
        "ReAct makes up its answer",
        "Action: list_boats\nAction Input: {}\nObservation: none\nFinal Answer: none",
        "",
        [("list_boats", {})],
        0,
    ),
    ("ReAct with words", "Action: note_down\nAction Input: the tide\nSo.", "\nSo.", [], 1),
    ("ReAct, unknown", 'Action: fly\nAction Input: {"a": 1}', SAME, [], 0),
    ("Action in words", "Action: none is needed.\nAction Input: none.", SAME, [], 0),
    ("a function_call tag", f"<function_call>{NOTE}</function_call>", "", [NOTED], 0),
    ("a tool_code tag", '<tool_code>\nprint(default_api.note_down(text="x"))\n</tool_code>', "", [note("x")], 0),
    (
        "a tools tag with definitions",
        f"<tools>[{DEFINITION}]</tools>",
        SAME,
        [],
        0,
    ),
    ("LFM", '<|tool_call_start|>[note_down(text="x")]<|tool_call_end|>', "", [note("x")], 0),
    ("Phi", f"<|tool_call|>[{NOTE}]<|/tool_call|>", "", [NOTED], 0),
    (
        "FunctionGemma",
        "So.<start_function_call>call:find_berth{harbour:<escape>Kiel<escape>,length_m:9}<end_function_call>",
        "So.",
        [FOUND],
        0,
    ),
    (
        "Gemma, a mark in a text",
        '<|tool_call>call:note_down{text:<|"|>a "b" <tool_call|> c<|"|>}<tool_call|>',
        "",
        [note('a "b" <tool_call|> c')],
        0,
    ),
    ("Gemma, unknown", "<start_function_call>call:fly{}<end_function_call>", "", [], 1),
    ("Nemotron", f"<TOOLCALL>[{NOTE}]</TOOLCALL>", "", [NOTED], 0),
    ("DeepSeek, plain bars", DEEPSEEK_TAGS.replace("｜", "|"), "", [FOUND_9], 0),
    ("DeepSeek, doubled bars", DEEPSEEK_TAGS.replace("｜", "｜｜"), "", [FOUND_9], 0),
    ("DeepSeek, double bars", DEEPSEEK_TAGS.replace("｜", "‖"), "", [FOUND_9], 0),
    (
        "DeepSeek, plain bars around tokens",
        deepseek_calls('note_down<｜tool▁sep｜>{"text": "x"}').replace("｜", "|"),
        "",
        [note("x")],
        0,
    ),
    ("Kimi, one in its section", KIMI.replace("calls_section", "call_section"), "", [note("x")], 0),
    (
        "GLM, a key closed twice",
        "<tool_call>note_down<arg_key>text</arg_key></arg_key><arg_value>x</arg_value></tool_call>",
        "",
        [note("x")],
        0,
    ),
    (
        "GLM, a key opened twice",
        "<tool_call>note_down<arg_key><arg_key>text</arg_key><arg_value>x</arg_value></tool_call>",
        "",
        [note("x")],
        0,
    ),
    (
        "ReAct, the input in a fence",
        'Action: note_down\nAction Input:\n```json\n{"text": "x"}\n```\nSo.',
        "\nSo.",
        [note("x")],
        0,
    ),
]

FENCES: list[Case] = [
    ("json", f"```json\n{FIND}\n```", "", [FOUND], 0),
    ("words around", f"I look.\n```json\n{FIND}\n```\nSo.", "I look.\n\nSo.", [FOUND], 0),
    ("no language", f"```\n{FIND}\n```", "", [FOUND], 0),
    ("tildes", f"~~~json\n{FIND}\n~~~", "", [FOUND], 0),
    ("four backticks", f"````json\n{FIND}\n````", "", [FOUND], 0),
    ("indented", f"  ```json\n  {FIND}\n  ```", "", [FOUND], 0),
    ("after words in the line", f"So: ```json\n{FIND}\n```", "So: ", [FOUND], 0),
    ("tool_call", f"```tool_call\n{FIND}\n```", "", [FOUND], 0),
    ("two in one", f"```json\n[{NOTE}, {FIND}]\n```", "", [NOTED, FOUND], 0),
    ("two one after another", f"```json\n{NOTE}\n{FIND}\n```", "", [NOTED, FOUND], 0),
    ("mended", "```json\n{'name': 'list_boats', 'arguments': {},}\n```", "", [("list_boats", {})], 0),
    ("closed on the line of its JSON", f"```json\n{FIND}```\nSo.", "\nSo.", [FOUND], 0),
    ("words on the line of its JSON", f"```json\n{FIND}``` or so\n", SAME, [], 0),
    ("a brace missing", f"```json\n{FIND[:-1]}\n```\nSo.", "\nSo.", [FOUND], 0),
    (
        "backticks in a text",
        '```json\n{"name": "note_down", "arguments": {"text": "a\\n```\\nb"}}\n```',
        "",
        [note("a\n```\nb")],
        0,
    ),
    ("never closed, JSON whole", f"```json\n{FIND}", "", [FOUND], 0),
    (
        "tool_code",
        '```tool_code\nprint(default_api.note_down(text="x"))\nlist_boats()\n```',
        "",
        [note("x"), ("list_boats", {})],
        0,
    ),
    ("tool_code with a program", "```tool_code\nimport os\nos.remove('x')\n```", SAME, [], 0),
    ("never closed, JSON cut", '```json\n{"name": "find_berth", "arguments": {"harb', SAME, [], 0),
    ("no tool", '```json\n{"name": "Kiel", "arguments": {"people": 3}}\n```', SAME, [], 0),
    ("ordinary JSON", 'So:\n```json\n{\n  "theme": "dark"\n}\n```\nSave it.', SAME, [], 0),
    (
        "a definition",
        f"```json\n{DEFINITION}\n```",
        SAME,
        [],
        0,
    ),
    (
        "something beside",
        '```json\n{"name": "note_down", "arguments": {"text": "x"}, "status": "done"}\n```',
        SAME,
        [],
        0,
    ),
    ("words after it", f"```json\n{FIND}\nand so on\n```", SAME, [], 0),
    ("a program", f"```python\ncall = {FIND}\n```", SAME, [], 0),
    ("Python", "```python\nlist_boats()\n```", SAME, [], 0),
    ("a shell", "```bash\nrm -r boats\n```", SAME, [], 0),
    ("an example", f"Like this:\n```\n{block(OPEN)}\n```\nSo.", SAME, [], 0),
    ("an example, marked", f"```xml\n{block(OPEN)}\n```", SAME, [], 0),
    ("an example in tildes", f"~~~text\n{block(OPEN)}\n~~~\nSo.", SAME, [], 0),
    ("a fence around a fence", f"````markdown\n```json\n{FIND}\n```\n````\nSo.", SAME, [], 0),
    ("an example, never closed", f"Like this:\n```\n{block(OPEN)}", SAME, [], 0),
    (
        "a function in a fence",
        "```\n<function=note_down>\n<parameter=text>\nx\n</parameter>\n</function>\n```",
        SAME,
        [],
        0,
    ),
    ("an answer in a fence", "```html\n<tool_response>\nx\n</tool_response>\n```", SAME, [], 0),
    (
        "an example, then a call",
        f"So:\n```\n{block(OPEN)}\n```\nNow:\n{block(NOTE)}",
        f"So:\n```\n{block(OPEN)}\n```\nNow:\n",
        [NOTED],
        0,
    ),
    (
        "marks within a line",
        f"1. ```inline {OPEN}``` there\n2. {block(NOTE)}",
        f"1. ```inline {OPEN}``` there\n2. ",
        [NOTED],
        0,
    ),
    ("a closing fence cut short", "```\nx\n``", SAME, [], 0),
    ("a fence in a list", f"- like so:\n  ```\n  {block(OPEN)}\n  ```\n- done", SAME, [], 0),
]

REPLIES: list[Case] = [
    ("the call", FIND, "", [FOUND], 0),
    ("blanks around", f"\n  {FIND}\n\n", "", [FOUND], 0),
    ("parameters", '{\n "name": "note_down",\n "parameters": {"text": "x"}\n}', "", [note("x")], 0),
    ("a type", '{"type": "function", "name": "note_down", "parameters": {"text": "x"}}', "", [note("x")], 0),
    ("a closer without an opener", f"{FIND}\n</tool_call>", "", [FOUND], 0),
    ("two, each closed", f"{FIND}\n</tool_call>\n{NOTE}\n</tool_call>", "", [FOUND, NOTED], 0),
    ("one a line", f"{FIND}\n{NOTE}", "", [FOUND, NOTED], 0),
    ("with semicolons", f"{FIND}; {NOTE}", "", [FOUND, NOTED], 0),
    ("a list", f"[{FIND}]", "", [FOUND], 0),
    ("doubled braces", "{" + FIND + "}", "", [FOUND], 0),
    ("after a call", f"{block(NOTE)}\n{FIND}", "", [NOTED, FOUND], 0),
    ("after thinking", f"<think>\nhm\n</think>\n{FIND}", "<think>\nhm\n</think>", [FOUND], 0),
    ("no tool", '{"name": "Kiel", "arguments": {"nights": 2}}', SAME, [], 0),
    ("ordinary JSON", '{"city": "Kiel", "nights": 2}', SAME, [], 0),
    ("an empty object", "{}", SAME, [], 0),
    ("curly words", "{so} it goes, [1] and on.", SAME, [], 0),
    ("words after", f"{FIND}\n\nSo it is.", SAME, [], 0),
    ("words before", f"I would send:\n{OPEN}", SAME, [], 0),
    (
        "a definition",
        '{"name": "note_down", "description": "x", "parameters": {"type": "object", "properties": {}}}',
        SAME,
        [],
        0,
    ),
    ("cut", '{"name": "find_berth", "arguments": {"harbour": "Ki', SAME, [], 0),
    ("a card with a tool's name", '{"name": "note_down", "note": "a boat", "age": 44}', SAME, [], 0),
    ("a byte order mark before", f"\ufeff{NOTE}", "", [NOTED], 0),
]

TALK: list[Case] = [
    ("nothing", "", SAME, [], 0),
    ("words", "Low water is at <b>6:40</b> & the tide < 2 m.", SAME, [], 0),
    ("white space at the ends", "\n\nSo.  \n", SAME, [], 0),
    ("only white space", " \n ", SAME, [], 0),
    ("line breaks of another system", "a\r\nb\r\n", SAME, [], 0),
    ("inline code", "I write the `<tool_call>` tag then. So.", SAME, [], 0),
    ("a call in inline code", f"Write `<tool_call>{OPEN}</tool_call>` and it runs.", SAME, [], 0),
    ("doubled backticks", f"Write ``a ` <tool_call>{OPEN}</tool_call>`` and it runs.", SAME, [], 0),
    ("both tags in a sentence", "It opens with <tool_call> and closes with </tool_call>; JSON between.", SAME, [], 0),
    ("one tag", "The tag <tool_call> comes first.", SAME, [], 0),
    ("one tag, at the start", "<tool_call> opens a call, </tool_call> closes it.", SAME, [], 0),
    ("dots between", "wrapped in <tool_call>...</tool_call> tags", SAME, [], 0),
    ("nothing between", "within <tool_call></tool_call> tags", SAME, [], 0),
    ("entities", f"&lt;tool_call&gt;{OPEN}&lt;/tool_call&gt;", SAME, [], 0),
    ("after a quotation mark", f'It says "<tool_call>{OPEN}</tool_call>" there.', SAME, [], 0),
    ("after French quotes", f"Il dit « <tool_call>{OPEN}</tool_call> » là.", SAME, [], 0),
    ("after typographic quotes", f"It says “<tool_call>{OPEN}</tool_call>” there.", SAME, [], 0),
    ("in an attribute", f"<input value='<tool_call>{OPEN}</tool_call>'>", SAME, [], 0),
    ("a block quote", f"> <tool_call>{OPEN}</tool_call>\n\nI left it alone.", SAME, [], 0),
    ("a block quote over lines", f"> Hello\n> <tool_call>\n> {OPEN}\n> </tool_call>\n\nSo.", SAME, [], 0),
    ("longer words", "<tool_caller> and <tool_call_id> are none, <toolbox> neither.", SAME, [], 0),
    ("angle brackets", "a < b <t `x<` and <", SAME, [], 0),
    ("look-alikes", f"＜tool_call＞{OPEN}＜/tool_call＞", SAME, [], 0),
    ("half a mark at the end", "So it is.\n<tool_cal", SAME, [], 0),
    ("a closer at the end", "So it is.\n</tool_call", SAME, [], 0),
    ("a call after inline code", f"The `tag` it is. {block(NOTE)}", "The `tag` it is. ", [NOTED], 0),
    ("a call after an odd backtick", f"A stray ` here.\n{block(NOTE)}", "A stray ` here.\n", [NOTED], 0),
    ("a call after a block quote", f"> no\n{block(NOTE)}", "> no\n", [NOTED], 0),
]

HIDDEN: list[Case] = [
    ("after a call", f"{block(FIND)}\n<tool_response>\n3 free\n</tool_response>", "", [FOUND], 0),
    (
        "words after it",
        f"So.\n{block(FIND)}\n<tool_response>\n3 free\n</tool_response>\nThere.",
        "So.\n\nThere.",
        [FOUND],
        0,
    ),
    ("never closed", f"{block(FIND)}\n<tool_response>\n3 free", "", [FOUND], 0),
    ("a call within", f"{block(FIND)}\n<tool_response>\n{block(OPEN)}\n</tool_response>", "", [FOUND], 0),
    (
        "a call after it does not run",
        f"{block(FIND)}\n<tool_response>\n3\n</tool_response>\n{block(OPEN)}\nSo.",
        "\nSo.",
        [FOUND],
        1,
    ),
    ("an answer to nothing", 'So.\n<tool_response>{"a": 1}</tool_response>\nThere.', "So.\n\nThere.", [], 0),
    ("two", "<tool_response>\na\n</tool_response><tool_response>\nb\n</tool_response>", "", [], 0),
    ("the tag at the start of a sentence", "<tool_response> is what I get.", SAME, [], 0),
    ("the tag in a list", "- <tool_response> holds it.\n- So.", SAME, [], 0),
    ("an answer on the tag's line", "<tool_response> Sunny.\n</tool_response>\nSo.", "\nSo.", [], 0),
    ("a name in the tag", '<tool_response name="find_berth">3</tool_response> So.', " So.", [], 0),
    (
        "a misspelt closer frees nothing",
        f"<tool_response>\nx</tool_respons>\n{block(OPEN)}\n</tool_response>\nSo.",
        "\nSo.",
        [],
        0,
    ),
    ("the tag in inline code", "They come in `<tool_response>` tags.", SAME, [], 0),
    ("the tag in a sentence", "They come in <tool_response> tags, one each.", SAME, [], 0),
    ("in a sentence, meant", 'It says <tool_response>{"a": 1}</tool_response> there.', "It says  there.", [], 0),
    ("another tag after a call", f"{block(FIND)}\n<tool_result>3 free</tool_result>\nSo.", "\nSo.", [FOUND], 0),
    ("another tag in words", "A <tool_result> element holds it.", SAME, [], 0),
    ("capitals", f"<TOOL_RESPONSE>\n{block(OPEN)}\n</TOOL_RESPONSE>\nSo.", "\nSo.", [], 0),
    ("capitals, closed in small letters", f"<TOOL_RESPONSE>\nx\n</tool_response>\n{block(OPEN)}", "", [], 0),
    ("small letters, closed in capitals", f"<tool_response>\nx\n</TOOL_RESPONSE>\n{block(OPEN)}", "", [], 0),
    ("a fence first in it", "<tool_response>\n```\nx\n```\n</tool_response>\nSo.", "\nSo.", [], 0),
    ("a list in it", "<tool_response>\n- x\n</tool_response>\nSo.", "\nSo.", [], 0),
    ("a sign first in it", "<tool_response>€ 9</tool_response> So.", " So.", [], 0),
    ("the tag alone, then a colon", "<tool_response>: what it holds.", SAME, [], 0),
    *(
        (f"after a call: {tag}", f"{block(FIND)}\n<{tag}>\n{block(OPEN)}\n</{tag}>\nSo.", "\nSo.", [FOUND], 0)
        for tag in ("function_response", "function_result", "tool_responses", "tool_outputs", "observation")
    ),
    ("Gemma's", f"<|tool_response>\n{block(OPEN)}\n<tool_response|>So.", "So.", [], 0),
]

THOUGHTS: list[Case] = [
    ("a call weighed", f"<think>\nMaybe <tool_call>\n{OPEN}\n</tool_call> would do? No.\n</think>\nSo.", SAME, [], 0),
    ("a call weighed, alone", f"<think>\n{block(OPEN)}\n</think>\nSo.", SAME, [], 0),
    ("a call after it", f"<think>\nhm\n</think>\n{block(FIND)}", "<think>\nhm\n</think>", [FOUND], 0),
    (
        "the tag named",
        f"<think>\nThe tag is <tool_call>, yes.\n</think>\nSo.\n{block(FIND)}",
        "<think>\nThe tag is <tool_call>, yes.\n</think>\nSo.\n",
        [FOUND],
        0,
    ),
    (
        "a block never closed in it",
        f'<think>\n<tool_call>{{"name": "note_\n</think>\nSo.\n{block(FIND)}',
        '<think>\n<tool_call>{"name": "note_\n</think>\nSo.\n',
        [FOUND],
        0,
    ),
    ("never closed, a call last", f"<think>\nhm\n{block(FIND)}", "<think>\nhm\n", [FOUND], 0),
    ("never closed, words last", f"<think>\nhm\n{block(FIND)} or not", SAME, [], 0),
    ("never closed, a broken block last", "<think>\nhm\n" + block("oh"), SAME, [], 0),
    ("the word in a sentence", f"It writes <think> first.\n{block(NOTE)}", "It writes <think> first.\n", [NOTED], 0),
    ("another mark", f"[THINK]{block(OPEN)}[/THINK]So.", SAME, [], 0),
    *(
        (f"a call weighed: {opening}", f"{opening}\nMaybe {block(OPEN)}? No.\n{closer}\nSo.", SAME, [], 0)
        for opening, closer in (
            ("<Think>", "</Think>"),
            ("<reasoning>", "</reasoning>"),
            ("<scratch_pad>", "</scratch_pad>"),
            ("<seed:think>", "</seed:think>"),
            ("<|START_THINKING|>", "<|END_THINKING|>"),
            ("<|channel>thought", "<channel|>"),
            ("<|channel|>analysis<|message|>", "<|end|>"),
        )
    ),
    ("the words of such a tag in a sentence", "Its <reasoning> is sound, its <observation> too.", SAME, [], 0),
]

TABLES: dict[str, list[Case]] = {
    "asked": ASKED,
    "ends": ENDS,
    "broken": BROKEN,
    "functions": FUNCTIONS,
    "others": OTHERS,
    "fences": FENCES,
    "replies": REPLIES,
    "talk": TALK,
    "hidden": HIDDEN,
    "thoughts": THOUGHTS,
}
ALL = [(f"{table}: {case[0]}", *case[1:]) for table, cases in TABLES.items() for case in cases]
