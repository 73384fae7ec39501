"""Almost-JSON: what is mended, with its place, and what is refused because it can be read in two ways."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from conch_desktop.calls.places import Ending
from conch_desktop.calls.repair import LONGEST, Repaired, Unreadable, repair
from conch_desktop.calls.strict import DEEPEST, same

MENDED: list[tuple[str, Any, list[tuple[str, str]]]] = [
    # text, value, mends as (what, the piece of the text)
    ('{"tide": 3,}', {"tide": 3}, [("trailing_comma", ",")]),
    ('{"a": [1, 2,], "b": {"c": 1 , },}', {"a": [1, 2], "b": {"c": 1}}, [("trailing_comma", ",")] * 3),
    ("{'pier': 'north'}", {"pier": "north"}, [("single_quotes", "'pier'"), ("single_quotes", "'north'")]),
    ("""{'a': "it's", 'b': 'say "hi"'}""", {"a": "it's", "b": 'say "hi"'}, []),
    (r"""{'a': 'it\'s', 'b': 'x\ty\\z'}""", {"a": "it's", "b": "x\ty\\z"}, []),
    ("{tide: 1, $low: 2, größe: 3, a-b: 4, 7: 5}", {"tide": 1, "$low": 2, "größe": 3, "a-b": 4, "7": 5}, []),
    (
        '{"a": True, "b": [None, False]}',
        {"a": True, "b": [None, False]},
        [("python_word", w) for w in ("True", "None", "False")],
    ),
    (
        '{"a": 1, // one {\n "b": /* two */ 2 # three\n}',
        {"a": 1, "b": 2},
        [("comment", "// one {"), ("comment", "/* two */"), ("comment", "# three")],
    ),
    ('```json\n{"a": 1}\n```\n', {"a": 1}, [("fence", "```json"), ("fence", "```")]),
    ('{"a": "```sh\\nls\\n```",}', {"a": "```sh\nls\n```"}, [("trailing_comma", ",")]),
    ('Here it is: {"a": 1}', {"a": 1}, [("words_around", "Here it is:")]),
    ('{"a": 1} I will ask now.', {"a": 1}, [("words_around", "I will ask now.")]),
    ('<think>{"a": 2}?</think>\n{"a": 1}', {"a": 1}, [("words_around", '<think>{"a": 2}?</think>')]),
    ('<tool_call>\n{"a": {"b": 1}\n</tool_call>', {"a": {"b": 1}}, []),
    ('{"a": 1, "b": [2', {"a": 1, "b": [2]}, [("closed", "")]),
    ('{"a": "half a text', {"a": "half a text"}, [("closed", ""), ("closed", "")]),
    ('{"a": ["x", "y"}', {"a": ["x", "y"]}, [("closed", "}")]),
    ('{"a": [{"b": 1}]]}', {"a": [{"b": 1}]}, [("stray_closer", "]}")]),
    ('{"a": 1}}}', {"a": 1}, [("stray_closer", "}}")]),
    ('{"a": "x\ny\tz"}', {"a": "x\ny\tz"}, [("control_character", '"x\ny\tz"')]),
    (r'{"a": "\d+\.\w"}', {"a": r"\d+\.\w"}, [("backslash", r'"\d+\.\w"')]),
    (r'{"a": "Ola\'s"}', {"a": "Ola's"}, [("backslash", r'"Ola\'s"')]),
    ("{“a”: “b, c”}", {"a": "b, c"}, [("smart_quotes", "“a”"), ("smart_quotes", "“b, c”")]),
    (r'{"a": \"green\"}', {"a": "green"}, [("escaped_quotes", r"\"green\"")]),
    (r"{\"a\": \"x \\\"y\\\"\"}", {"a": 'x "y"'}, [("escaped_quotes", r"{\"a\": \"x \\\"y\\\"\"}")]),
    ('{a": 1}', {"a": 1}, [("missing_quote", 'a"')]),
    ('{"a": "x"\n"b": [1 2 {"c": 1} {"c": 2}]}', None, []),
    ('{"a": "x"\n"b": [{"c": 1} {"c": 2}] "d": 1 "e": 2}', {"a": "x", "b": [{"c": 1}, {"c": 2}], "d": 1, "e": 2}, []),
    ('{"a": [1 2 3]}', {"a": [1, 2, 3]}, [("missing_comma", ""), ("missing_comma", "")]),
    ('{,"a": 1,, "b": 2,,}', {"a": 1, "b": 2}, []),
    ('\ufeff\u00a0{\u200b"a":\u00a01}\u200b', {"a": 1}, []),
    ("'{\"a\": 1}'", {"a": 1}, [("words_around", "'"), ("words_around", "'")]),
    ('{"a": 9007199254740993.0}', {"a": 9007199254740993}, []),
    (r'{"a": \n"x", "b": 3\n\n}', {"a": "x", "b": 3}, [("odd_space", r"\n"), ("odd_space", r"\n\n")]),
    (r'{"a": \ntrue, "b": \nNone}', {"a": True, "b": None}, []),
    (r'{"a": [1,\n 2\t],\r\n"b": "\n"}\n', {"a": [1, 2], "b": "\n"}, []),
]


@pytest.mark.parametrize(("text", "value", "mends"), MENDED)
def test_a_slip_with_one_reading_is_mended_where_it_stands(text: str, value: Any, mends: list[tuple[str, str]]) -> None:
    read = repair(text)
    if value is None:
        assert isinstance(read, Unreadable)
        return
    assert isinstance(read, Repaired), read
    assert [each.value for each in read.values] == [value]
    made = [(mend.what, text[slice(*mend.span)]) for mend in read.mends() if mend.span]
    assert not mends or made == mends
    assert len(made) == len(read.marks)


REFUSED: list[tuple[str, str, str]] = [
    # text, path, words
    ('{"a": "say "hi" now"}', "a", "a quote inside a text"),
    ('{"a": "5" wide", "b": 1}', "a", "a quote inside a text"),
    ("{'a': 'don't'}", "a", "a quote inside a text"),
    ('{"a": ["x" "y"]}', "a[0]", "a quote inside a text"),
    ('{"a": "x""b": 1}', "a", "a quote inside a text"),
    ('{"a": """x"""}', "a", "a quote inside a text"),
    ('{"a": "pier}', "a", "closing quote is missing"),
    ('{"a": "f() { x }', "a", "closing quote is missing"),
    ('{"a": "ends so”', "a", "can't be told where it ends"),
    ('{"a": "x\\', "a", "can't be told where it ends"),
    ('{"a": "x\n', "a", "can't be told where it ends"),
    ('{"a": tide}', "a", "tide stands without quotes"),
    ('{"a": new Date()}', "a", "new stands without quotes"),
    ('{"a": `x`}', "a", "not in backticks"),
    ('{"a": 2*3}', "a", "2*3 is no JSON number"),
    ('{"a": 100 + 1}', "a", "a comma or a closing bracket was expected"),
    ('{"a": 0x1F}', "a", "0x1F is no JSON number"),
    ('{"a": 007}', "a", "007 is no JSON number"),
    ('{"a": .5}', "a", ".5 is no JSON number"),
    ('{"a": [1, -Infinity]}', "a[1]", "-Infinity is no JSON number"),
    ('{"a": [100 200]}', "a[0]", "a comma or a closing bracket was expected"),
    ('{"a": , "b": 1}', "a", "a value is missing"),
    ('{"a" 1}', "", "must be followed by a colon"),
    ('{"a" = 1}', "", "must be followed by a colon"),
    ('{"a": {"b", "c"}}', "a", "must be followed by a colon"),
    ('{"a": [1,,2]}', "a[1]", "a value is missing between two commas"),
    ('{"a": [,]}', "a[0]", "a value is missing between two commas"),
    ("{,}", "", "a value is missing between two commas"),
    ('{"a": ("x", "y")}', "a", "( stands without quotes"),
    ("{True: 1}", "", "a name must stand in double quotes"),
    ('{"a": undefined}', "a", "undefined stands without quotes"),
    ('{"a: "b"}', "", "must be followed by a colon"),
    ('{"a": 1 // so it is }', "a", "what stands in a comment"),
    ('{"a": {"b": 1 // so }\n, "c": 2}', "a", "what stands in a comment"),
    ('{"a": {"b": 1} and c: 2', "a", "what stands in a comment or after the rest"),
    ("{a: {b: 1} c: 2", "a", "what stands in a comment or after the rest"),
    ('{"a": 1}, and so', "", "something stands after the object"),
    ('{"a": 1,', "", "ends after a comma"),
    ('{"a":', "a", "ends before the value"),
    ('{"a": 1, "b', "", "followed by a colon"),
    ("{", "", "before anything stands in the object"),
    ('{"a": {"b": 1}}, "c": 2}', "", "something stands after the object"),
    ('{"a": {"b": 1}, "c": 2}}', "", "more than one way"),
    ('{"a": [[1], 2]]}', "", "more than one way"),
    ('{"a: {b": 1}}', "", "more than one way"),
    ('{"a": {"b: 1}, c": "x"}', "a", "more than one way"),
    ('{"a": [1] ",b": "x"}', "a", "a comma or a closing bracket was expected"),
    ('{"a": 1 ",b": "x"}', "a", "a comma or a closing bracket was expected"),
    (r'{"a": ["\ud83d', "a[0]", "half a character"),
    (r'{"a": [[{"b": ["\ud83d"]}]]}', "a[0][0].b[0]", "half a character"),
    (r'{"a": {"\ud83d": 1}}', "a", "half a character"),
    (r'[["\ud83d"]]', "[0][0]", "half a character"),
    ('{"a": {,"b": 1}', "", "more than one way"),
    ('{"a": {"b": 1} "c": 2', "", "more than one way"),
    ('{"a": ["x"}, "b": 2}', "a[0]", "closes nothing that was opened"),
    ('{"a": [}]}', "a[0]", "of another kind"),
    ('Either {"a": 1} or {"a": 2}', "", "something stands after the object"),
    ('say "x" {"a": 1}', "", "something stands before the object"),
    ('"a": 1, "b": {"c": 1}', "", "something stands before the object"),
    ("plain words", "", "no JSON object"),
    ('<think>so {"a": 1}', "", "the thinking before it has no end"),
    (r'{"a": 1,\name: 2}', "", "must stand in double quotes"),
    (r'{"a": "C:\Users\new"}', "a", "stand beside ones that don't"),
    (r'{"a": "x\x41"}', "a", "is no escape of JSON"),
    (r"{'a': 'x\x41'}", "a", "is no escape of JSON"),
    (r'{"a": "x\u12G4"}', "a", "four hexadecimal digits"),
    (r'{"a": "\ud83d"}', "a", "half a character"),
    ('{"a": ["\ud83d"]}', "a[0]", "half a character"),
    ('{"a": 1e999}', "a", "larger than one can be"),
    ('{"a": [1, ' + "7" * 4301 + "]}", "a[1]", "more than 4,300 digits"),
    ('{"a": 1, "b": {"c": 1, "c": 2}}', "b.c", "stands twice"),
    ("{a: 1, 'a': 2}", "a", "stands twice"),
    (r"""'{"a": "x\\n"}'""", "", "what the backslashes mean"),
]


@pytest.mark.parametrize(("text", "path", "words"), REFUSED)
def test_a_text_with_two_readings_or_none_is_refused_with_what_was_found_and_where(
    text: str, path: str, words: str
) -> None:
    read = repair(text)
    assert isinstance(read, Unreadable), read
    assert words in read.why
    assert read.path == path
    assert not read.cut


ENDINGS: list[tuple[str, tuple[Any, Any, Any]]] = [
    # text, and what it is when it is whole, open and cut (None: unreadable)
    ('{"a": 1}', ({"a": 1}, {"a": 1}, {"a": 1})),
    ('{"a": 1,}', ({"a": 1}, {"a": 1}, {"a": 1})),
    ('{"a": "x"', ({"a": "x"}, {"a": "x"}, None)),
    ('{"a": [1]', ({"a": [1]}, {"a": [1]}, None)),
    ('{"a": true', ({"a": True}, {"a": True}, None)),
    ('{"a": 12', ({"a": 12}, None, None)),
    ('{"a": 12 ', ({"a": 12}, {"a": 12}, None)),
    ('{"a": ["x"}', ({"a": ["x"]}, {"a": ["x"]}, None)),
    ('{"a": "x', ({"a": "x"}, None, None)),
    ('{"a": 1,', (None, None, None)),
    ('{"a": 1} and so', ({"a": 1}, {"a": 1}, {"a": 1})),
]


@pytest.mark.parametrize(("text", "values"), ENDINGS)
def test_what_may_be_closed_depends_on_how_the_text_ends(text: str, values: tuple[Any, Any, Any]) -> None:
    endings: tuple[Ending, ...] = ("whole", "open", "cut")
    for ending, value in zip(endings, values, strict=True):
        read = repair(text, ending=ending)
        assert (read.values[0].value if isinstance(read, Repaired) else None) == value
        if isinstance(read, Unreadable):
            assert read.cut == (ending == "cut")


@pytest.mark.parametrize(
    ("text", "values", "lost"),
    [
        ('{"a": 1}{"b": 2}', [{"a": 1}, {"b": 2}], False),
        ('{"a": 1},\n{"b": 2,} {c: 3}', [{"a": 1}, {"b": 2}, {"c": 3}], False),
        ('{"a": 1}{"b":', [{"a": 1}], True),
        ('{"a": 1}{"b": 2}{"c": "x}', [{"a": 1}, {"b": 2}], True),
    ],
)
def test_values_run_together_are_read_one_by_one(text: str, values: list[Any], lost: bool) -> None:
    read = repair(text)
    assert isinstance(read, Repaired)
    assert ([each.value for each in read.values], read.lost) == (values, lost)
    if lost:
        assert isinstance(repair(text, ending="cut"), Unreadable)


def nested(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


@pytest.mark.parametrize("make", [nested, lambda n: "[" * n + "]" * n, lambda n: nested(n).replace('"a"', "a")])
def test_nesting_is_read_to_its_limit_and_no_further(make: Any) -> None:
    assert isinstance(repair(make(DEEPEST)), Repaired)
    deeper = repair(make(DEEPEST + 1))
    assert isinstance(deeper, Unreadable)
    assert "nested deeper" in deeper.why


def test_a_text_past_the_limit_is_refused_valid_or_not() -> None:
    assert isinstance(repair(json.dumps("x" * (LONGEST - 2))), Repaired)
    assert isinstance(repair(json.dumps("x" * (LONGEST - 1))), Unreadable)


BOMBS = {
    "lists": "[" * 100_000,
    "objects": '{"a":' * 100_000,
    "bare names": "{a:" * 100_000,
    "single quotes": "{'a':" * 100_000,
    "closed": "[" * 100_000 + "]" * 100_000,
    "mixed": '[{"a":' * 100_000,
    "quotes": '{"a": "' + '\\"' * 200_000,
    "backslashes": '{"a": "' + "\\" * 400_001,
    "openers and closers": '{"a": ' + "[}" * 100_000,
    "closers": '{"a": 1' + "]" * 400_000 + ", 2",
    "commas": '{"a": 1' + "," * 400_000,
    "comments": '{"a": 1' + "/*" * 200_000,
    "line comments": '{"a": 1' + "// x\n" * 80_000,
    "spaces": '{"a"' + " " * 400_000,
    "odd spaces": '{"a"' + "\u00a0" * 400_000,
    "words": "{" + "a b " * 100_000,
    "objects with a slip": '{"a": 1,}' * 40_000,
    "line breaks": '{"a": [' + '"x\n",' * 60_000,
    "missing commas": "[" + "1 " * 100_000,
    "fences": "```json\n" * 50_000,
    "thoughts": "<think>" * 50_000,
    "surrogates": '{"a": "' + "\\ud83d" * 60_000 + '"}',
    "twice": "{" + '"a":1,' * 60_000 + '"a":2}',
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_is_meant_to_hurt_is_answered_quickly(name: str) -> None:
    begun = time.process_time()
    repair(BOMBS[name])
    assert time.process_time() - begun < 2.0


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (5, 5.0, True),
        (True, 1, False),
        ([1, {"a": None}], [1.0, {"a": None}], True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ([1], [1, 2], False),
        ("1", 1, False),
        ([False], [0], False),
    ],
)
def test_values_are_the_same_as_json_has_it(one: Any, other: Any, equal: bool) -> None:
    assert same(one, other) is equal
    assert same(other, one) is equal
