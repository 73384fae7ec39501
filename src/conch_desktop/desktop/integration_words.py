"""What is said of an integration on its page: how it stands, where it leads, what changed. Plain data, no Qt."""

from __future__ import annotations

import difflib
import json
import shlex
import textwrap
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from conch_desktop.desktop.wording import clock, count, duration

if TYPE_CHECKING:
    from conch_desktop.domain.integrations import Definition, LastCall
    from conch_desktop.engine.held import IntegrationView, ToolView

_WIDE = 88
"""Characters of a line of a description where it is laid beside another."""


def place_words(definition: Definition) -> str:
    """Its command with the arguments, or its address. Secrets are hidden in the definition already."""
    if definition.kind == "http":
        return definition.url
    return shlex.join([definition.command, *definition.args])


def log_text(lines: tuple[tuple[float, str], ...]) -> str:
    """Lines of a log, each after the time of day at which it came."""
    return "\n".join(f"{clock(at, seconds=True)}  {line}" for at, line in lines)


def whole_words(definition: Definition) -> str:
    """All that will be run or asked, in lines: before a person says yes to it. Secrets are hidden already."""
    lines = [place_words(definition)]
    if definition.cwd:
        lines.append(f"in {definition.cwd}")
    lines += [f"with {name}={value}" for name, value in definition.env.items()]
    lines += [f"with {name}: {value}" for name, value in definition.headers.items()]
    return "\n".join(lines)


# How it stands ----------------------------------------------------------------------------------------------------


def _running(view: IntegrationView, now: float) -> str:
    on = [tool for tool in view.tools if tool.is_on]
    said = "Signed in." if view.signed_in else f"Running{_for(now - view.since)}."
    said += f" {count(len(view.tools), 'tool')}"
    if len(on) < len(view.tools):
        said += f", {len(view.tools) - len(on):,} switched off"
    if view.left_out:
        said += f", {len(view.left_out):,} can’t be used"
    if tokens := sum(tool.tokens for tool in on):
        said += f", {tokens:,} tokens"
    return f"{said}.{_last(view.last_call)}"


def _for(seconds: float) -> str:
    """ " for 2 h"; nothing in the first minute."""
    for unit, words in ((86_400, "day"), (3600, "h"), (60, "min")):
        if seconds >= unit:
            number = int(seconds // unit)
            return f" for {count(number, words)}" if words == "day" else f" for {number} {words}"
    return ""


def _last(call: LastCall | None) -> str:
    if call is None:
        return ""
    return f" Last call {clock(call.at)}, {'' if call.went_well else 'failed after '}{duration(call.ms)}."


def _starting(view: IntegrationView, now: float) -> str:
    waited = max(0.0, now - view.since) if view.since else 0.0
    if view.signing_in:
        return f"Waiting for your sign-in in the browser, {waited:.0f} s."
    return f"Starting, {waited:.0f} s. Given up after {view.definition.start_limit:g} s; nothing else waits for it."


def _failed(view: IntegrationView, _: float) -> str:
    if view.looked_in:
        where = f"Looked in {count(len(view.looked_in), 'folder')}, those of your login shell’s PATH among them."
        return f"The command {view.definition.command} was not found. {where} {view.advice}"
    why, more, _rest = view.why.partition("\n")
    if more:  # its last words: they stand below, where they can be read
        return why
    return " ".join(filter(None, (why or "It failed.", view.advice)))


_SAID: dict[str, Callable[[IntegrationView, float], str]] = {
    "off": lambda *_: "Switched off.",
    "starting": _starting,
    "running": _running,
    "failed": _failed,
    "stopped": lambda view, _: view.why or "Stopped. Its tools are missing until it is restarted.",
}


def state_words(view: IntegrationView, now: float) -> str:
    """How it stands at `now` (seconds since 1970), in one or two sentences."""
    said = _SAID[view.state](view, now)
    return said if view.saved else f"{said} For this run only."


def details(view: IntegrationView, now: float) -> str:
    """Everything there is to say of it, to be copied; secrets are hidden in all of it."""
    looked = ["Looked in:", *view.looked_in] if view.looked_in else []
    lines = [view.name, place_words(view.definition), state_words(view, now), *looked, "", log_text(view.log)]
    return "\n".join(lines)


def limits_words(definition: Definition) -> str:
    """How long it may take."""
    return f"A call may take {definition.call_limit:g} s, starting {definition.start_limit:g} s."


_NAMED = 4
"""Tools, or apps, that are named; of the others only how many they are."""


def missing_words(views: Sequence[IntegrationView], late: Collection[str] = ()) -> str:
    """What is switched on and not there, for the person who is about to write; "" when nothing is.

    `late` are the ids of those that take so long to start that it is said.
    """
    said = [words for view in views if (words := _missing(view, view.id in late))]
    more = len(said) - _NAMED
    return " ".join([*said[:_NAMED], *([f"So with {count(more, 'more app')}."] if more > 0 else [])])


def _missing(view: IntegrationView, is_late: bool) -> str:
    tools = _listed(view.lost) or "its tools"
    are = "is" if len(view.lost) == 1 else "are"
    if view.state == "starting":
        return f"{view.name} is still starting, so {tools} {are} missing for now." if is_late else ""
    if view.state in ("failed", "stopped"):
        return f"{view.name} is not running, so {tools} {are} missing."
    names = [out.name for out in view.left_out if out.name]
    return f"{_listed(names)} of {view.name} can’t be used." if names and view.state == "running" else ""


def _listed(names: Sequence[str]) -> str:
    shown = list(names[:_NAMED])
    if len(names) > _NAMED:
        shown.append(f"{len(names) - _NAMED:,} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def deed_of(view: IntegrationView) -> tuple[str, str]:
    """What can be done about its state: the words of the button, and the deed. ("", "") when there is nothing."""
    if view.wants_sign_in:
        return "Sign in…", "sign_in"
    if view.state == "starting":
        return "Stop", "stop"
    if view.state in ("failed", "stopped"):
        return ("Try again" if view.state == "failed" else "Restart"), "restart"
    return "", ""


# What changed -----------------------------------------------------------------------------------------------------


def changed_words(tool: ToolView) -> str:
    """What of a tool is not as the person accepted it, and what follows. What only reads runs without a question."""
    return f"The tool {tool.label}: {tool.changed}." + ("" if tool.effect == "read" else " It asks again.")


def changed_lines(tool: ToolView) -> str:
    """How the tool was and how it is, as a diff for `diff_lines`; "" when nothing differs or the old is not known."""
    if not tool.before:
        return ""
    hunks = list(difflib.unified_diff(_lines(tool.before), _lines(tool.now), lineterm="", n=2))[2:]
    if not hunks:
        return ""
    first = hunks[0].split()[1].lstrip("-").partition(",")[0]
    return "\n".join([f"{tool.label}, line {first}:", *hunks[1:]])


def definition_lines(definition: str) -> str:
    """A definition as a person reads it."""
    return "\n".join(_lines(definition))


def _lines(definition: str) -> list[str]:
    told = json.loads(definition)
    words = [line for part in told["description"].splitlines() for line in textwrap.wrap(part, _WIDE) or [""]]
    hints = [
        f"says that it only reads: {'yes' if told['reads'] else 'no'}",
        f"says that it reaches nothing outside: {'yes' if told['inside'] else 'no'}",
    ]
    title = [f"title: {told['title']}"] if told["title"] else []
    fields = json.dumps(told["arguments"], indent=2, ensure_ascii=False).splitlines()
    return [*title, *words, *hints, "arguments:", *fields]
