"""What is said of an integration on its page: how it stands, where it leads. Plain data, no Qt."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from conch_desktop.desktop.wording import count

if TYPE_CHECKING:
    from conch_desktop.domain.integrations import Definition
    from conch_desktop.engine.held import IntegrationView


def place_words(definition: Definition) -> str:
    """Its command with the arguments, or its address. Secrets are hidden in the definition already."""
    if definition.kind == "http":
        return definition.url
    return shlex.join([definition.command, *definition.args])


def whole_words(definition: Definition) -> str:
    """All that will be run or asked, in lines: before a person says yes to it. Secrets are hidden already."""
    lines = [place_words(definition)]
    if definition.cwd:
        lines.append(f"in {definition.cwd}")
    lines += [f"with {name}={value}" for name, value in definition.env.items()]
    lines += [f"with {name}: {value}" for name, value in definition.headers.items()]
    return "\n".join(lines)


def _running(view: IntegrationView) -> str:
    off = sum(1 for tool in view.tools if not tool.is_on)
    said = f"Running. {count(len(view.tools), 'tool')}"
    if off:
        said += f", {off:,} switched off"
    if view.left_out:
        said += f", {len(view.left_out):,} can’t be used"
    return f"{said}."


def _starting(view: IntegrationView) -> str:
    return f"Starting. Given up after {view.definition.start_limit:g} s; nothing else waits for it."


def _failed(view: IntegrationView) -> str:
    why, more, _ = view.why.partition("\n")
    if more:  # its last words: they stand below, where they can be read
        return why
    return " ".join(filter(None, (why or "It failed.", view.advice)))


_SAID: dict[str, Callable[[IntegrationView], str]] = {
    "off": lambda _: "Switched off.",
    "starting": _starting,
    "running": _running,
    "failed": _failed,
    "stopped": lambda view: view.why or "Stopped. Its tools are missing until it is restarted.",
}


def state_words(view: IntegrationView) -> str:
    """How it stands, in one or two sentences."""
    said = _SAID[view.state](view)
    return said if view.saved else f"{said} For this run only."


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


def changed_words(view: IntegrationView) -> str:
    """Which tools are not as they were when the person last saw them; "" when all are."""
    changed = [tool for tool in view.tools if tool.changed]
    if not changed:
        return ""
    if len(changed) == 1:
        return f"The tool {changed[0].label} changed: {changed[0].changed}. It asks again."
    names = ", ".join(tool.label for tool in changed[:4]) + (" and others" if len(changed) > 4 else "")
    return f"{count(len(changed), 'tool')} changed ({names}). They ask again."
