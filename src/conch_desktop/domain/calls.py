"""A call: a model's wish to run a tool, from the text it sent to the answer it got (DESIGN 2, 4.1, 8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from conch_desktop.domain.pictures import PictureContent

Json = Any
"""A value as `json.loads` gives it."""

MendKind = Literal[
    "trailing_comma",
    "single_quotes",
    "bare_key",
    "python_word",
    "comment",
    "fence",
    "words_around",
    "closed",
    "joined",
    "first_of_several",
    "envelope",
    "json_text",
    "number",
    "boolean",
    "list_of_one",
    "option_case",
    "ref",
    "null",  # "null" where null is wanted and text is not
    "control_character",  # a bare line break or tab in a text
    "backslash",  # a backslash that starts no escape
    "smart_quotes",
    "escaped_quotes",
    "missing_quote",
    "missing_comma",
    "extra_comma",
    "stray_closer",
    "odd_space",
]
"""What a mend can be; the panel, the cases and translations key on these names."""

CallState = Literal[
    "reading",  # its arguments are still arriving
    "waiting",  # the person has been asked
    "running",
    "done",
    "failed",  # it ran, and the tool answered with an error
    "not_run",  # its arguments did not fit the tool
    "refused",  # the guard said no
    "denied",  # the person said no
    "stopped",  # the person stopped the turn
    "unknown",  # the program ended while it ran
    "provider",  # run by the provider itself
]

ENDED_STATES: frozenset[CallState] = frozenset(
    {"done", "failed", "not_run", "refused", "denied", "stopped", "unknown", "provider"}
)


@dataclass(frozen=True, slots=True)
class Mend:
    """One repair made while reading a call.

    `path` names the field ("" for the whole), `span` its place in characters of the raw text.
    """

    what: MendKind
    path: str = ""
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class ReadCall:
    """What reading a call's arguments came to.

    When `ok`, `args` is exactly what may run. Otherwise `error` is the text the model is sent.
    `dropped` are paths of fields that were left out; `notes` are told to the model with the answer.
    """

    ok: bool
    args: Mapping[str, Json] | None = None
    dropped: tuple[str, ...] = ()
    mends: tuple[Mend, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""


WHY_TAKEN_BACK = "you took it back"
"""The `why` of a call that the person took back."""


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call as the chat, the activity panel and the store hold it.

    `id` is the program's own and unique; `wire_id` is what the provider called it, "" when it gave no id.
    `name` is the person's name of the tool, `source` "builtin" or the name of the integration.
    `raw` is what the model sent, byte for byte. `args` is what ran, or would have run.
    `answer` is the tool's own answer as text; `sent_back` is everything the model was told
    (answer, notes, or the error). `started` is in seconds since 1970, `ms` how long it ran.
    `why` is the reason of the guard or of the person. `extra` is the provider's opaque data of this call
    as JSON text; it goes back to that provider unchanged. `pictures` are those of the answer. `outside` names where
    the answer came from when others wrote it ("the app harbour"), "" when they did not.
    """

    id: str
    name: str
    raw: str
    step: int = 0
    source: str = "builtin"
    state: CallState = "reading"
    args: Mapping[str, Json] | None = None
    mends: tuple[Mend, ...] = ()
    dropped: tuple[str, ...] = ()
    answer: str = ""
    is_error: bool = False
    sent_back: str = ""
    why: str = ""
    started: float | None = None
    ms: int | None = None
    extra: str = ""
    wire_id: str = ""
    pictures: tuple[PictureContent, ...] = ()
    outside: str = ""
