"""What the page of the apps says of each state, by data."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from conch_desktop.desktop.diff_lines import read_diff
from conch_desktop.desktop.integration_words import changed_lines, changed_words, details, state_words
from conch_desktop.desktop.wording import clock
from conch_desktop.domain.integrations import Definition, LastCall, LeftOut
from conch_desktop.engine.held import IntegrationView, ToolView

NOW = 1_767_225_600.0
HERE = Definition("tide", "stdio", command="tided", args=("--stdio",))
FAR = Definition("desk", "http", url="https://desk.example/mcp")


def tool(name: str = "high_water", **more: Any) -> ToolView:
    return replace(ToolView(name, name, "", "", "outside", is_on=True, tokens=300), **more)


def view(**more: Any) -> IntegrationView:
    return replace(IntegrationView("one", "tide", HERE, "running", since=NOW), **more)


TOOLS = (tool(), tool("low_water"), tool("spring", is_on=False))
SAID = [
    (view(), "Running. 0 tools."),
    (view(tools=TOOLS, since=NOW - 59), "Running. 3 tools, 1 switched off, 600 tokens."),
    (view(tools=TOOLS[:1], since=NOW - 7_300), "Running for 2 h. 1 tool, 300 tokens."),
    (view(since=NOW - 61), "Running for 1 min. 0 tools."),
    (view(since=NOW - 200_000), "Running for 2 days. 0 tools."),
    (view(left_out=(LeftOut("x", "bad"),)), "Running. 0 tools, 1 can’t be used."),
    (view(definition=FAR, signed_in=True, tools=TOOLS[:1]), "Signed in. 1 tool, 300 tokens."),
    (view(last_call=LastCall(NOW, 400, True)), f"Running. 0 tools. Last call {clock(NOW)}, 0.4 s."),
    (view(last_call=LastCall(NOW, 12_000, False)), f"Running. 0 tools. Last call {clock(NOW)}, failed after 12 s."),
    (view(state="starting", since=NOW - 6), "Starting, 6 s. Given up after 30 s; nothing else waits for it."),
    (view(state="starting", signing_in=True, since=NOW - 6), "Waiting for your sign-in in the browser, 6 s."),
    (view(state="off"), "Switched off."),
    (view(state="off", saved=False), "Switched off. For this run only."),
    (view(state="failed", why="It exited with 3. It last said:\nbad token", advice="Restart it."),
     "It exited with 3. It last said:"),
    (view(state="failed", why="Nothing answers at its address.", advice="Correct it."),
     "Nothing answers at its address. Correct it."),
    (view(state="failed", why="long", advice="Install it.", looked_in=("/bin", "/usr/bin")),
     "The command tided was not found. Looked in 2 folders, those of your login shell’s PATH among them. Install it."),
]  # fmt: skip


@pytest.mark.parametrize(("shown", "said"), SAID, ids=[said[:50] for _, said in SAID])
def test_a_state_is_said(shown: IntegrationView, said: str) -> None:
    assert state_words(shown, NOW) == said


def definition(description: str, **fields: str) -> str:
    arguments = {"type": "object", "properties": {name: {"type": kind} for name, kind in fields.items()}}
    told = {"title": "", "description": description, "arguments": arguments, "reads": False, "inside": False}
    return json.dumps(told)


def test_what_changed_is_a_diff_with_the_lines_around_it() -> None:
    one = tool(changed="its arguments changed", before=definition("Reserves.", book="string", days="integer"),
               now=definition("Reserves.", book="string", days="string"))  # fmt: skip
    diff = read_diff(changed_lines(one))
    assert (diff.title, diff.added, diff.removed) == ("high_water", 1, 1)
    (old, new) = (line for line in diff.lines if line.sign in "+-")
    assert (old.text.strip(), new.text.strip()) == ('"type": "integer"', '"type": "string"')
    lines = changed_lines(replace(one, before="", now=one.now)), changed_lines(replace(one, before=one.now))
    assert lines == ("", ""), "nothing to lay beside, and nothing that differs"


def test_what_only_reads_asks_no_question_and_says_so() -> None:
    assert changed_words(tool(changed="it changed")) == "The tool high_water: it changed. It asks again."
    assert changed_words(tool(changed="it changed", effect="read")) == "The tool high_water: it changed."


def test_details_hold_the_folders_and_the_log() -> None:
    text = details(view(state="failed", looked_in=("/bin",), log=((NOW, "bad token"),)), NOW)
    assert text.splitlines()[:2] == ["tide", "tided --stdio"]
    assert "/bin" in text
    assert f"{clock(NOW, seconds=True)}  bad token" in text
