"""Check this model: three harmless calls, and which way of giving tools works (DESIGN 3)."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from conch_desktop.domain.calls import Json
from conch_desktop.domain.clock import Clock
from conch_desktop.domain.errors import ProviderError
from conch_desktop.domain.events import CallMade
from conch_desktop.domain.lessons import Lesson
from conch_desktop.domain.messages import Message, TextPart
from conch_desktop.domain.models import Mode, Model
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext, answer
from conch_desktop.engine.checked import CALLS, Checked
from conch_desktop.engine.turn import Turn, TurnParts
from conch_desktop.engine.way import Choice
from conch_desktop.providers.wire import Wire
from conch_desktop.tools.guard import Guard
from conch_desktop.tools.toolbox import Toolbox

_STEPS = 4
_MODES: Mapping[str, Mode] = {"native": "native", "strict": "strict", "words": "words"}


async def check_model(wire: Wire, url: str, model: Model, clock: Clock) -> Checked:
    """Makes the calls natively, then in words when not all went right. Raises `ProviderError` when nothing answers."""
    native = await _tried(wire, url, model, clock, "automatic")
    if native.right == CALLS or native.mode == "words":
        return native
    words = await _tried(wire, url, model, clock, "words")
    return words if words.right > native.right else native


async def _tried(wire: Wire, url: str, model: Model, clock: Clock, choice: Choice) -> Checked:
    right = 0
    mode: Mode = "native"
    book = _Forgetful()
    for prompt, wanted, toolbox in _tasks():
        parts = TurnParts(
            wire=wire,
            url=url,
            model=model,
            toolbox=toolbox,
            guard=Guard(_NoBook(), "all"),
            asker=None,
            clock=clock,
            settle=_settled,
            chat="",
            messages=(Message("u", "user", (TextPart(prompt),)),),
            lessons=book,
            choice=choice,
            step_limit=_STEPS,
        )
        turn = Turn(parts, Message("a", "assistant", state="streaming"))
        made: list[tuple[str, Mapping[str, Json] | None]] = []
        async for event in turn.run():
            if isinstance(event, CallMade):
                made.append((event.name, event.args))  # noqa: PERF401 - the order of events is what is read
        if turn.message.failure is not None and not made:
            failure = turn.message.failure
            raise ProviderError(failure.kind, failure.what, failure.advice)
        right += [call for call in made if call in wanted] == wanted
        mode = _MODES.get(turn.message.mode, mode)
    return Checked(mode, right)


def _tasks() -> Sequence[tuple[str, list[tuple[str, Mapping[str, Json] | None]], Toolbox]]:
    """Each task: what is asked, the calls it takes, and the tools. The code differs each time: it can't be guessed."""
    code = secrets.token_hex(3)
    text = {"text": {"type": "string"}}
    berth = {
        "harbour": {"type": "string"},
        "number": {"type": "integer"},
        "side": {"type": "string", "enum": ["port", "starboard"]},
    }
    return (
        (
            "Use the tool write_note with the text: harbour",
            [("write_note", {"text": "harbour"})],
            Toolbox([_tool("write_note", "Writes a note.", text, "Written.")]),
        ),
        (
            "Use the tool book_berth: harbour North, number 7, side starboard.",
            [("book_berth", {"harbour": "North", "number": 7, "side": "starboard"})],
            Toolbox([_tool("book_berth", "Books a berth.", berth, "Booked.")]),
        ),
        (
            "Use the tool get_code. Then use the tool open_gate with the code it gave.",
            [("get_code", {}), ("open_gate", {"code": code})],
            Toolbox(
                [
                    _tool("get_code", "Gives the code of the gate.", {}, f"The code is {code}"),
                    _tool("open_gate", "Opens the gate.", {"code": {"type": "string"}}, "Open."),
                ]
            ),
        ),
    )


def _tool(name: str, description: str, fields: Mapping[str, Json], said: str) -> Tool:
    async def run(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        return answer(said)

    schema = {"type": "object", "properties": dict(fields), "required": list(fields), "additionalProperties": False}
    return Tool(name, description, schema, "read", run)


async def _settled() -> None:
    """Nothing of a check is kept."""


@dataclass(slots=True)
class _Forgetful:
    """Lessons for the time of one check: its requests shall not be refused the same way three times."""

    _kept: list[Lesson] = field(default_factory=list)

    async def of(self, provider: str, endpoint: str, model: str) -> list[Lesson]:
        return list(self._kept)

    async def learn(self, lesson: Lesson) -> None:
        self._kept.append(lesson)

    async def held(self, lesson: Lesson) -> None:
        pass


class _NoBook:
    """No allowances are needed where everything is allowed."""

    async def given(self, *, source: str, tool: str) -> None:
        return None

    async def allow(self, *, source: str, tool: str, digest: str, definition: str) -> None:
        pass
