"""conol.ai's stream, read: nothing twice, nothing left out, each call once, and what ran there is never run here."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conch_desktop.domain.events import CallDelta, Notice, ProviderCall, Refusal, TextDelta, Usage
from conch_desktop.providers.conol_answer import ConolAnswer, same_model
from tests.providers.conol_feeding import DONE, called, feed, logs, preview, streamed, text, think
from tests.providers.feeding import Joined, join

FIND = ["find"]


def read(*events: Any, tools: list[str] | None = None, **more: Any) -> Joined:
    """The answer of these events, without bytes."""
    answer = ConolAnswer(FIND if tools is None else tools, **more)
    told = [told for event in events for told in answer.take(event)]
    return join([*told, *answer.end()])


def ran(joined: Joined) -> list[tuple[str, str, str | None]]:
    """What is shown as run by the provider."""
    return [(each.name, each.arguments, each.result) for each in joined.events if isinstance(each, ProviderCall)]


def calls(joined: Joined) -> list[tuple[str, str]]:
    return [(call.name, call.arguments) for call in joined.calls]


def piece(words: str) -> dict[str, Any]:
    """An event that carries a piece without a place."""
    return {"type": "stream_event", "delta": words}


# words --------------------------------------------------------------------------------------------------------------

WORDS: list[tuple[str, list[Any], str, str]] = [
    ("the whole so far, each time", [logs(text("A")), logs(text("AB")), logs(text("ABC"))], "ABC", ""),
    ("pieces", [logs(text("A")), logs(text("B")), logs(text("C"))], "ABC", ""),
    ("the same again", [logs(text("A")), logs(text("A"))], "A", ""),
    ("a draft that grows", [preview(text("A")), preview(text("AB")), preview(text("AB"))], "AB", ""),
    ("a draft and its end", [preview(text("A")), logs(text("AB"))], "AB", ""),
    ("a draft and its end with other space", [preview(text("A ")), logs(text("A"))], "A ", ""),
    (
        "a draft that was ahead of its end",
        [preview(text("A long word.")), logs(text("A long word"))],
        "A long word.",
        "",
    ),
    ("a draft that is sent once more", [logs(text("AB")), preview(text("AB")), preview(text("A"))], "AB", ""),
    (
        "a draft whose end was changed",
        [preview(text("The rain in Graz stps")), logs(text("The rain in Graz stops."))],
        "The rain in Graz stpsops.",
        "",
    ),
    (
        "a log of all so far beside a draft",
        [preview(text("One.")), preview(text("Two"), finished=[text("One.")]), logs(text("One."), text("Two."))],
        "One.\n\nTwo.",
        "",
    ),
    (
        "a log of what is new beside a draft",
        [preview(text("One.")), logs(text("One.")), preview(text("Two")), logs(text("Two.")), logs(text("One."))],
        "One.\n\nTwo.",
        "",
    ),
    ("stages are paragraphs", [logs(text("A"), stage="1"), logs(text("B"), stage="2")], "A\n\nB", ""),
    ("unless they are parted already", [logs(text("A\n"), stage="1"), logs(text("B"), stage="2")], "A\nB", ""),
    ("entries known by an id", [logs(text("A", id="1")), logs(text("AB", id="1"), text("C", id="2"))], "AB\n\nC", ""),
    ("stages without an id", [{"stages": [{"logs": [text("A")]}]}, {"stages": [{"logs": [text("AB")]}]}], "AB", ""),
    ("thinking in parts of an entry", [logs({"content": [{"type": "thinking", "thinking": "H"}, "A"]})], "A", "H"),
    ("thinking that grows beside words", [preview(think("H")), preview(think("Hm"), text("A"))], "A", "Hm"),
    ("an entry of a type nobody knows", [logs(text("A", "final_answer"))], "A", ""),
    ("an entry without types", [logs({"content": [{"text": "A"}]})], "A", ""),
    ("an entry whose content is text", [logs({"role": "assistant", "content": "A"})], "A", ""),
    (
        "the person's own message",
        [logs(text("<system-reminder>x</system-reminder>Hi", role="user"), text("A"))],
        "A",
        "",
    ),
    ("another's message", [logs(text("B", role="system")), logs(text("C", role="tool")), logs(text("A"))], "A", ""),
    ("a whole answer", [{"type": "assistant", "content": [{"type": "text", "text": "A"}]}], "A", ""),
    ("a whole answer in a message", [{"type": "assistant", "message": {"content": "A"}}], "A", ""),
    ("a whole answer after its draft", [preview(text("A b")), {"type": "assistant", "content": "A b c"}], "A b c", ""),
    (
        "a whole answer that was shown",
        [logs(text("A"), text("B")), {"type": "assistant", "text": "A\nB"}],
        "A\n\nB",
        "",
    ),
    ("pieces without a place", [piece("A"), {"type": "stream_event", "text": "B"}], "AB", ""),
    ("such pieces, then the log", [piece("A"), logs(text("AB")), logs(text("ABC"))], "ABC", ""),
    (
        "such pieces beside drafts",
        [
            preview(text("A")),
            piece("A"),
            piece("B"),
            preview(text("ABC")),
            piece("C"),
            logs(text("ABC")),
        ],
        "ABC",
        "",
    ),
    (
        "such pieces of a second message",
        [
            piece("Hello"),
            logs(text("Hello")),
            piece("Hi"),
            logs(text("Hello"), text("Hi you")),
        ],
        "Hello\n\nHi you",
        "",
    ),
    ("a piece of thinking", [{"type": "stream_event", "delta": {"type": "thinking_delta", "thinking": "H"}}], "", "H"),
    ("half a character at the end", [preview(text("A\ud83d")), preview(text("A\ud83d\ude00"))], "A\U0001f600", ""),
    ("nothing", [{"type": "session_started"}, logs(), {"stages": [None, {"logs": "x"}]}, {"stages": "x"}], "", ""),
]


@pytest.mark.parametrize(("events", "said", "thought"), [row[1:] for row in WORDS], ids=[row[0] for row in WORDS])
def test_words_are_shown_once_and_in_order(events: list[Any], said: str, thought: str) -> None:
    joined = read(*events)
    assert (joined.text, joined.reasoning, joined.finish) == (said, thought, "stop")


def test_words_are_shown_as_they_come() -> None:
    answer = ConolAnswer()
    assert answer.take(preview(text("A"))) == [TextDelta("A")]
    assert answer.take(preview(text("AB"))) == [TextDelta("B")]
    assert answer.take(logs(text("AB"))) == []


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20), min_size=1, max_size=8))
def test_however_an_answer_grows_it_is_the_same_in_the_end(pieces: list[str]) -> None:
    grown = ["".join(pieces[: end + 1]) for end in range(len(pieces))]
    whole = grown[-1]
    assert read(*(logs(text(each)) for each in grown)).text == whole
    assert read(*(preview(text(each)) for each in grown)).text == whole
    assert read(*(preview(text(each)) for each in grown), logs(text(whole)), logs(text(whole))).text == whole
    assert read(*(piece(each) for each in pieces)).text == whole
    assert read(*(piece(each) for each in pieces), logs(text(whole))).text == whole


# calls --------------------------------------------------------------------------------------------------------------

ARGS = {"q": "ink", "n": 2}
RAW = '{"q": "ink", "n": 2}'
TURNED = {"n": 2, "q": "ink"}
SEARCH = ("WebSearch", '{"query": "eels"}')
EELS = {"query": "eels"}

CALLS: list[tuple[str, list[Any], list[tuple[str, str]], list[tuple[str, str, str | None]]]] = [
    ("a call of ours", [logs(called("find", ARGS))], [("find", RAW)], []),
    (
        "the same in another stage",
        [logs(called("find", ARGS)), logs(called("find", TURNED), stage="s9")],
        [("find", RAW)],
        [],
    ),
    (
        "the same tool otherwise",
        [logs(called("find", {"q": "a"})), logs(called("find", {"q": "b"}))],
        [("find", '{"q": "a"}'), ("find", '{"q": "b"}')],
        [],
    ),
    ("ours with an empty result", [logs(called("find", ARGS, result=[]))], [("find", RAW)], []),
    ("ours with a blank result", [logs(called("find", ARGS, result=[{"text": " "}]))], [("find", RAW)], []),
    ("ours that ran there", [logs(called("find", ARGS, result=[{"text": "here"}]))], [], [("find", RAW, "here")]),
    (
        "ours, and then it ran there",
        [logs(called("find", ARGS)), logs(called("find", TURNED, result="here"), stage="s2")],
        [],
        [("find", RAW.replace('"q": "ink", "n": 2', '"n": 2, "q": "ink"'), "here")],
    ),
    ("one of theirs", [logs(called("WebSearch", EELS, result=[{"text": "fish"}]))], [], [(*SEARCH, "fish")]),
    (
        "one of theirs, twice and then with its result",
        [
            logs(called("WebSearch", EELS)),
            logs(called("WebSearch", EELS)),
            logs(called("WebSearch", EELS, result=["fish"])),
        ],
        [],
        [(*SEARCH, "fish")],
    ),
    ("one of theirs that never came back", [logs(called("WebSearch", EELS))], [], [(*SEARCH, None)]),
    ("two results", [logs(called("WebSearch", EELS, result=[{"text": "a"}, {"text": "b"}]))], [], [(*SEARCH, "a\nb")]),
    ("a result that is an object", [logs(called("WebSearch", EELS, result={"n": 1}))], [], [(*SEARCH, '{"n": 1}')]),
    ("a draft and its end", [preview(called("find", {"q": "in"})), logs(called("find", ARGS))], [("find", RAW)], []),
    (
        "a draft that went on",
        [preview(called("find", {"q": "in"})), preview(called("find", ARGS)), DONE],
        [("find", RAW)],
        [],
    ),
    ("a draft that was never ended", [preview(called("find", {"q": "in"}))], [], []),
    (
        "two drafts",
        [preview(called("find", {"q": "a"}), called("find", ARGS)), DONE],
        [("find", '{"q": "a"}'), ("find", RAW)],
        [],
    ),
    ("a draft of theirs with its result", [preview(called("WebSearch", EELS, result="fish"))], [], [(*SEARCH, "fish")]),
    ("without an input", [logs(called("find", None))], [("find", "{}")], []),
    ("with its input as text", [logs(called("find", RAW))], [("find", RAW)], []),
    ("without a type", [logs({"content": [{"name": "find", "input": ARGS}]})], [("find", RAW)], []),
    ("the entry is the call", [logs({"type": "tool_use", "name": "find", "input": ARGS})], [("find", RAW)], []),
    (
        "in a whole answer",
        [{"type": "assistant", "content": [{"type": "tool_use", "name": "find", "input": ARGS}]}],
        [("find", RAW)],
        [],
    ),
    ("in the person's message", [logs({**called("find", ARGS), "role": "user"})], [], []),
]


@pytest.mark.parametrize(("events", "ours", "theirs"), [row[1:] for row in CALLS], ids=[row[0] for row in CALLS])
def test_calls_come_once_and_what_ran_there_is_shown(
    events: list[Any], ours: list[tuple[str, str]], theirs: list[tuple[str, str, str | None]]
) -> None:
    joined = read(*events)
    assert (calls(joined), ran(joined), joined.finish) == (ours, theirs, "tool_calls" if ours else "stop")
    assert len({call.id for call in joined.calls}) == len(joined.calls)
    assert all(call.id for call in joined.calls)


def test_a_call_shows_at_once_and_its_later_result_closes_it() -> None:
    answer = ConolAnswer(FIND)
    assert answer.take(logs(called("WebSearch", EELS))) == [CallDelta(0, *SEARCH)]
    assert answer.take(logs(called("find", ARGS), stage="2")) == [CallDelta(1, "find", RAW)]
    assert answer.take(logs(called("WebSearch", EELS, result="fish"))) == [ProviderCall(*SEARCH, "fish", 0)]
    (end,) = answer.end()
    assert [(call.key, call.name) for call in end.calls] == [(1, "find")]  # type: ignore[union-attr]


def test_the_service_s_own_id_of_a_call_is_kept() -> None:
    joined = read(logs(called("find", ARGS, id="toolu_7"), called("find", {"q": "b"})))
    assert [call.id for call in joined.calls] == ["toolu_7", "call_2"]


def test_words_and_calls_come_together_in_order() -> None:
    joined = read(logs(think("Hm.")), logs(text("I look."), called("find", ARGS), text("Found?"), stage="2"))
    assert (joined.reasoning, joined.text, calls(joined)) == ("Hm.", "I look.Found?", [("find", RAW)])
    assert [type(event).__name__ for event in joined.events] == [
        *("ReasoningDelta", "TextDelta", "CallDelta", "TextDelta", "Finish")
    ]


@pytest.mark.parametrize("result", [None, "fish"])
def test_without_a_choice_of_tools_only_what_ran_there_is_shown(result: str | None) -> None:
    joined = read(
        logs(called("find", ARGS), called("find", {"q": "b"}, result="x"), called("WebSearch", EELS, result=result)),
        preview(called("find", {"q": "c"}), stage="2"),
        DONE,
        choice="none",
    )
    assert calls(joined) == []
    assert ran(joined) == [("find", '{"q": "b"}', "x"), (*SEARCH, result)]
    assert joined.finish == "stop"
    assert 0 not in joined.signs, "no call of ours is begun"


# the session --------------------------------------------------------------------------------------------------------


def test_usage_and_the_window_are_told() -> None:
    answer = ConolAnswer(asked="gpt-5.5", provider="Pier")
    usage = {"contextUsage": {"usedTokens": 812, "contextWindow": 200_000, "modelId": "openai/gpt-5.5-2026-01-02"}}
    assert answer.take({"type": "history_delta", "stages": [], **usage}) == []
    assert answer.take({"contextUsage": {"usedTokens": 900, "contextWindow": None}}) == []
    assert answer.end()[0] == Usage(input_tokens=900)
    assert answer.window == 200_000


def test_another_model_than_the_one_asked_for_is_said_once() -> None:
    told = {"contextUsage": {"modelId": "gpt-5.6-luna"}}
    joined = read({"contextUsage": {"usedTokens": 3}}, told, told, asked="claude-opus-5", provider="Pier")
    said = [event.text for event in joined.events if isinstance(event, Notice)]
    assert said == ["Pier answers with gpt-5.6-luna, not with claude-opus-5."]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("gpt-5.5", "GPT-5.5", True),
        ("claude-sonnet-5", "anthropic/claude-sonnet-5@20260101", True),
        ("claude-sonnet-5", "claude-sonnet-5-latest", True),
        ("gpt-5.5", "gpt-5.5-pro", False),
        ("gpt-5.5", "", False),
    ],
)
def test_names_of_a_model_are_compared_without_maker_and_date(one: str, other: str, same: bool) -> None:
    assert same_model(one, other) is same_model(other, one) is same


OLD = [text("wrapped: Hello", role="user"), text("Good day."), called("find", ARGS)]
ASKED = text("<reminder>x</reminder> And  now?", role="user")
NEW = [text("Now this."), called("find", {"q": "b"})]


@pytest.mark.parametrize(
    ("events", "said", "made"),
    [
        ([logs(*OLD), logs(ASKED, *NEW, stage="2")], "Now this.", ['{"q": "b"}']),
        ([logs(*OLD, ASKED, *NEW)], "Now this.", ['{"q": "b"}']),
        ([logs(each, stage=str(place)) for place, each in enumerate([*OLD, ASKED, *NEW])], "Now this.", ['{"q": "b"}']),
        ([logs(*NEW)], "Now this.", ['{"q": "b"}']),
        ([logs(ASKED), logs(*NEW, stage="2")], "Now this.", ['{"q": "b"}']),
        ([logs(text("something else", role="user")), logs(*NEW, stage="2")], "Now this.", ['{"q": "b"}']),
    ],
    ids=["two stages", "one stage", "one by one", "no history", "only the message", "the message is not known"],
)
def test_what_was_said_in_the_session_before_is_no_part_of_the_answer(
    events: list[Any], said: str, made: list[str]
) -> None:
    joined = read(*events, sent="And now?")
    assert (joined.text, [call.arguments for call in joined.calls]) == (said, made)


# bytes --------------------------------------------------------------------------------------------------------------

EVENTS = [
    logs(text("Frag: Ölstand?", role="user")),
    preview(think("Mañana")),
    preview(think("Mañana \U0001f31e"), text("Der Öl")),
    logs(think("Mañana \U0001f31e."), text("Der Ölstand"), called("WebSearch", EELS, result=[{"text": "fish"}])),
    logs(called("find", {"q": "sombrero ñ"}), called("find", {"q": "sombrero ñ"}), stage="2"),
    {"contextUsage": {"usedTokens": 7}},
    logs(text(" ist\u2028gut\u0085."), stage="2"),
    DONE,
]
FORMS = {
    "events": "data: %s\n\n",
    "no space, CRLF": "data:%s\r\n\r\n",
    "one a line": "%s\n",
    "one a line, CRLF": "%s\r\n",
    "with a prefix": "message\t%s\n",
    "with a prefix in events": "event: message\ndata: message\t%s\n\n",
    "comments and keep-alives": ": hb\n\nid: 4\nretry: 9\n2026-01-02T03:04:05Z\n%s\n\n",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@settings(max_examples=15, deadline=None)
@given(sizes=st.lists(st.integers(1, 60), max_size=20))
@example(sizes=[1])
def test_any_form_of_lines_and_any_cut_of_the_bytes_gives_the_same_answer(form: str, sizes: list[int]) -> None:
    body = streamed(*EVENTS, form=form)
    wanted = read(*EVENTS)
    cuts = [1] * len(body) if sizes == [1] else [*sizes, len(body)]
    pieces, at = [], 0
    for size in cuts:
        pieces.append(body[at : at + size])
        at += size
    joined = asyncio.run(feed(list(filter(None, pieces)), tools=FIND))
    assert joined.events == wanted.events


@pytest.mark.parametrize(
    "rest",
    ["", "data: [DONE]\n\n", "[DONE]\n", 'data: {"type":\ndata: "done"}\n\n', "\ufeff"],
    ids=["closed", "marked", "marked bare", "over two lines", "a mark of byte order"],
)
async def test_an_answer_ends_with_a_mark_or_with_the_connection(rest: str) -> None:
    joined = await feed([streamed(logs(text("A")), rest)], tools=FIND)
    assert (joined.text, joined.finish) == ("A", "stop")


async def test_nothing_after_the_end_is_read() -> None:
    joined = await feed([streamed(logs(text("A")), DONE, logs(text("B"), stage="2"))])
    assert joined.text == "A"


WHOLE = streamed(
    logs(called("WebSearch", EELS)), logs(text("Before."), stage="2"), logs(called("find", ARGS), stage="3")
)


@pytest.mark.parametrize(
    ("cut", "at"), [(True, len(WHOLE)), (True, -9), (False, -9)], ids=["broken", "in a call", "closed in a call"]
)
async def test_an_answer_that_was_cut_runs_nothing_and_keeps_its_words(cut: bool, at: int) -> None:
    joined = await feed([WHOLE[:at]], tools=FIND, cut=cut)
    assert (joined.text, joined.calls) == ("Before.", ())
    assert joined.refusal.kind == "network"
    assert ran(joined) == [(*SEARCH, None)], "it happened there"


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({"type": "error", "error": {"message": "Model overloaded", "code": 503}}, "overloaded"),
        ({"type": "error", "message": "Rate limit reached, try again in 4s"}, "rate"),
        ("event: error\ndata: Rate limit reached\n\n", "rate"),
        ('event: error\ndata: {"message": "Rate limit reached"}\n\n', "rate"),
        ({"error": "Invalid session cookie: unauthorized"}, "auth"),
    ],
)
async def test_an_error_in_the_stream_is_a_refusal_after_the_words(event: Any, kind: str) -> None:
    joined = await feed([streamed(logs(text("Trying"), called("find", ARGS)), event)], tools=FIND)
    assert (joined.text, joined.calls, joined.refusal.kind) == ("Trying", (), kind)


async def test_an_event_of_another_name_is_no_error_whatever_is_in_it() -> None:
    other = {"type": "title_delta", "message": "Tea", "detail": "x", "errors": ["y"]}
    assert (await feed([streamed(other, logs(text("A")))])).text == "A"


@pytest.mark.parametrize("body", [b"", b"<html>Sign in</html>", b"hello", b'{"n": 1}', b"data: {}\n\n", b"[1, 2"])
async def test_an_answer_that_is_none_is_told(body: bytes) -> None:
    assert (await feed([body])).refusal.kind == "network"


FIELDS = (
    *("type", "stages", "logs", "preview", "content", "text", "id", "role", "name", "input", "result"),
    *("thinking", "delta", "message", "contextUsage", "modelId"),
)
KEYS = st.sampled_from(FIELDS)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=24,
)
KINDS = st.sampled_from(["history_delta", "assistant", "stream_event", "done", "error", "x"])


@settings(deadline=None)
@given(st.lists(st.dictionaries(KEYS, JUNK, max_size=5), max_size=6), st.data())
def test_junk_ends_in_one_end_and_runs_only_our_tools(events: list[dict[str, Any]], data: st.DataObject) -> None:
    for event in events:
        if data.draw(st.booleans()):
            event["type"] = data.draw(KINDS)
    joined = asyncio.run(feed([streamed(*(json.dumps(event) + "\n" for event in events))], tools=FIND))
    assert isinstance(joined.end, Refusal) or {call.name for call in joined.calls} <= set(FIND)
