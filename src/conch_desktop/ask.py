"""`conch-desktop ask`: one turn without a window, with the window's own engine, store and lessons (DESIGN 4.2)."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import sys
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from conch_desktop.domain.errors import ConchError, LocalModelError, UsageError
from conch_desktop.domain.events import Done, Notice, TextAdded
from conch_desktop.domain.integrations import Definition
from conch_desktop.domain.models import Provider
from conch_desktop.engine.assembly import LOCAL, Program
from conch_desktop.engine.commands import check_command, split_command
from conch_desktop.engine.session import MessageEnded, QuestionAsked, Session, SessionEvent
from conch_desktop.providers import model_file
from conch_desktop.providers.registry import KINDS
from conch_desktop.tools.guard import Answer, Choice, Question
from conch_desktop.tools.mcp.reading import read_servers

ENDED_WELL = frozenset({"stop", "tool_calls", "length"})

_FIELDS: dict[str, tuple[str, ...]] = {
    "plan": ("mode", "why"),
    "request": ("number", "mode", "tools"),
    "text": ("text",),
    "reasoning": ("text",),
    "refusal": ("kind", "words", "text", "advice"),
    "lesson": ("kind", "value", "text"),
    "call": ("id", "name", "raw", "args", "mends", "dropped"),
    "guard": ("id", "decision", "why"),
    "result": ("id", "is_error", "text", "ms", "state"),
    "usage": ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens"),
    "notice": ("text",),
    "wait": ("seconds", "text"),
    "done": ("finish",),
}
"""The turn events of `--json` and what each one tells."""


def main(arguments: Sequence[str]) -> int:
    """Runs one turn; 0 when it ended well, 1 when it did not, 2 for arguments that can't be used."""
    options = _parser().parse_args(arguments)
    try:
        return asyncio.run(_ask(options))
    except UsageError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except ConchError as error:
        sys.stderr.write(f"{error}\n")
        return 1


def fetch_model() -> int:
    """`conch-desktop model get`: fetches the small model and shows how far it is."""

    def show(done: int, total: int) -> None:
        end = "\r" if sys.stderr.isatty() and done < total else "\n"
        if sys.stderr.isatty() or done >= total:
            sys.stderr.write(f"{done / 1e6:.0f} of {total / 1e6:.0f} MB{end}")

    if model_file.small_model_path() is not None:
        sys.stdout.write(f"{model_file.small_model_path()}\n")
        return 0
    try:
        path = asyncio.run(model_file.fetch(show))
    except LocalModelError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("Stopped. Nothing was kept.\n")
        return 1
    sys.stdout.write(f"{path}\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("conch-desktop ask", description="One turn without a window.")
    parser.add_argument("text", help="the message; - reads it from standard input")
    parser.add_argument("--provider", default="", metavar="KIND|NAME", help=f"one of {', '.join(KINDS)}, or a name")
    parser.add_argument("--url", default="", help="another address for the provider")
    parser.add_argument("--model", default="", metavar="NAME")
    parser.add_argument("--key-env", default="", metavar="VAR", help="the environment variable that holds the key")
    parser.add_argument("--tools", default=None, metavar="GROUP,…|none", help="which of the program's own tools")
    parser.add_argument("--tool", default="", metavar="NAME", help="ask for this tool in this turn")
    parser.add_argument("--folder", action="append", default=[], metavar="DIR", help="grant a folder for this run")
    parser.add_argument("--mcp", default="", metavar="FILE", help="an mcpServers JSON file")
    parser.add_argument("--allow", choices=["all", "read", "none"], default="read", help="what runs without a question")
    parser.add_argument("--continue", dest="go_on", action="store_true", help="go on with the last chat")
    parser.add_argument("--data-dir", type=Path, help="a separate profile")
    parser.add_argument("--json", action="store_true", help="print every event as a line of JSON")
    return parser


async def _ask(options: argparse.Namespace) -> int:
    servers = _servers(options.mcp) if options.mcp else []
    text = sys.stdin.read() if options.text == "-" else options.text
    program = await Program.open(options.data_dir, policy=options.allow)
    try:
        program.interactive = sys.stdin.isatty() and options.text != "-"
        program.hands.extra_folders = tuple(_folder(folder, program) for folder in options.folder)
        await _start_servers(program, servers)
        asked, text = _asked(options, program, text)
        _switch_tools(options, program)
        chat_id = await _last_chat(program) if options.go_on else ""
        model_id = await _model(options, program)
        session = await _session(program, chat_id, model_id)
        return await _run(session, text, asked, options)
    finally:
        await program.aclose()


def _servers(path: str) -> list[Definition]:
    """The servers of an `mcpServers` file. Raises `UsageError` when it can't be read or a server can't be used."""
    try:
        found = read_servers(Path(path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} could not be read: {getattr(error, 'strerror', '') or 'it is no text'}.") from error
    except UsageError as error:
        raise UsageError(f"{path}: {error.what}", error.advice) from error
    for server in found:
        if server.why:
            sys.stderr.write(f"{server.definition.name}: {server.why}\n")
    return [server.definition for server in found if server.is_on and not server.why]


async def _start_servers(program: Program, servers: Sequence[Definition]) -> None:
    """Starts every server and waits until it is known how each is; those that are missing are named by the turn."""
    program.integrations.start()
    for definition in servers:
        program.integrations.use(definition)
    await program.integrations.settled()


def _folder(folder: str, program: Program) -> Path:
    try:
        return program.hands.checked_folder(folder)
    except ConchError as error:
        raise UsageError(error.what, error.advice) from error


def _asked(options: argparse.Namespace, program: Program, text: str) -> tuple[str, str]:
    toolbox = program.everything()
    if not options.tool:
        check_command(text, toolbox)
    asked, rest = split_command(text, toolbox)
    if options.tool:
        if toolbox.find(options.tool) is None:
            names = ", ".join(toolbox.names)
            raise UsageError(f"There is no tool named {options.tool}.", f"The tools are: {names}.")
        asked = options.tool
    if not rest.strip():
        raise UsageError("There is nothing to ask.", "Write a message.")
    return asked, rest


def _switch_tools(options: argparse.Namespace, program: Program) -> None:
    if options.tools is None:
        return
    wanted = [] if options.tools == "none" else [name.strip() for name in options.tools.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in program.toolbox.groups]
    if unknown:
        groups = ", ".join(program.toolbox.groups)
        raise UsageError(f"There are no tools called {', '.join(unknown)}.", f"There are: {groups}.")
    program.toolbox = program.toolbox.only(wanted)
    program.tools_off = ()
    program.named_groups = wanted


async def _model(options: argparse.Namespace, program: Program) -> str:
    """The id of the model to ask."""
    if not options.provider and not options.url:
        chosen = await _window_choice(options, program)
    else:
        provider = await _provider(options, program)
        chosen = f"{provider.id}/{options.model}" if options.model else await _first_model(provider, program)
    if not chosen:
        raise ConchError("No model is set up.", "Name one with --provider, or run: conch-desktop model get")
    return chosen


async def _window_choice(options: argparse.Namespace, program: Program) -> str:
    """What the window would use, or the model of that name or id among all providers."""
    if not options.model:
        return await program.default_model()
    catalogue = await program.models()
    for model in catalogue.models:
        if options.model in {model.id, model.name}:
            return model.id
    raise UsageError(f"No provider lists a model {options.model}.", "Name the provider with --provider.")


async def _provider(options: argparse.Namespace, program: Program) -> Provider:
    """A saved provider of that name or kind, else one for this run only."""
    wanted = options.provider or "openai"
    saved = await program.providers()
    named = [one for one in saved if wanted.casefold() == one.name.casefold()]
    of_kind = [one for one in saved if one.kind == wanted and one.id != LOCAL.id]
    if wanted == "local" and not options.url:
        return LOCAL
    found = next(iter(named or of_kind), None)
    if found is not None and not options.url and not options.key_env:
        return found
    kind = found.kind if found is not None else wanted
    if kind not in KINDS:
        raise UsageError(f"There is no provider {wanted}.", f"Kinds are: {', '.join(KINDS)}.")
    if not KINDS[kind].wire:
        raise UsageError(f"{KINDS[kind].title} is not part of this version yet.")
    key_env = options.key_env or KINDS[kind].key_env
    place = f"@{uuid.uuid5(uuid.NAMESPACE_URL, options.url).hex[:12]}" if options.url else ""
    provider = Provider(f"{kind}{place}", kind, KINDS[kind].title, options.url, key_env)
    if options.key_env and options.key_env not in os.environ:
        raise UsageError(f"The environment variable {options.key_env} is not set.")
    program.use(provider)
    return provider


async def _first_model(provider: Provider, program: Program) -> str:
    state = program.local_state()
    if provider.id == LOCAL.id and not state.fetched:
        raise LocalModelError("There is no model on this computer yet.", "Fetch it: conch-desktop model get")
    models = await (await program.wire_of(provider)).list_models()
    if not models:
        raise UsageError(f"{provider.name} lists no models.", "Name one with --model.")
    return models[0].id


async def _last_chat(program: Program) -> str:
    newest = max(await program.chats.listing(), key=lambda chat: chat.updated, default=None)
    if newest is None:
        raise UsageError("There is no chat to go on with.", "Leave --continue out.")
    return newest.id


async def _session(program: Program, chat_id: str, model_id: str) -> Session:
    session = program.session(chat_id or (await program.chats.create(model=model_id)).id)
    await session.load()
    await session.choose_model(model_id)
    return session


async def _run(session: Session, text: str, asked: str, options: argparse.Namespace) -> int:
    screen = _Screen(session, as_json=options.json)
    session.listen(screen.show)
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError):  # Windows has no signal handlers on its loop
        loop.add_signal_handler(signal.SIGINT, session.stop)
    await session.send(text, asked=asked)
    screen.end()
    return screen.status


class _Screen:
    """Prints what happens, and asks on the terminal."""

    def __init__(self, session: Session, *, as_json: bool) -> None:
        self._session = session
        self._as_json = as_json
        self._asking: asyncio.Task[None] | None = None
        self._step = 0
        self._line_open = False
        self.status = 1

    def show(self, event: SessionEvent) -> None:
        """Takes in one event."""
        if isinstance(event, QuestionAsked):
            self._asking = asyncio.create_task(self._question(event.question), name="ask on the terminal")
        if isinstance(event, Done):
            self.status = 0 if event.finish in ENDED_WELL else 1
            if event.finish not in ENDED_WELL | {"error"}:
                sys.stderr.write(f"The turn ended: {event.finish}.\n")
        if isinstance(event, MessageEnded) and event.message.failure is not None:
            self.status = 1
            failure = event.message.failure
            sys.stderr.write(f"{failure.what} {failure.advice}".strip() + "\n")
        if self._as_json:
            self._line(event)
        elif isinstance(event, TextAdded):
            self._words(event)
        elif isinstance(event, Notice):
            sys.stderr.write(f"{event.text}\n")

    def end(self) -> None:
        """Closes the last line."""
        if self._line_open:
            sys.stdout.write("\n")
        sys.stdout.flush()

    def _line(self, event: SessionEvent) -> None:
        kind = getattr(event, "type", "")
        if kind in _FIELDS:
            values = asdict(event)
            line = {"type": kind, **{name: values[name] for name in _FIELDS[kind]}}
            sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
            sys.stdout.flush()

    def _words(self, event: TextAdded) -> None:
        if event.step != self._step and self._line_open:
            sys.stdout.write("\n\n")
        self._step = event.step
        self._line_open = True
        sys.stdout.write(event.text)
        sys.stdout.flush()

    async def _question(self, question: Question) -> None:
        args = json.dumps(dict(question.args), ensure_ascii=False)
        preview = f"{question.preview}\n" if question.preview else ""
        shown = f"\n{question.title}\n  {question.tool} {args}\n{preview}  Asked because {question.why}.\n"
        sys.stderr.write(f"{shown}  [o]nce, [c]hat, [a]lways, [d]eny? ")
        sys.stderr.flush()
        choices: dict[str, Choice] = {"o": "once", "c": "chat", "a": "always"}
        line = await asyncio.to_thread(sys.stdin.readline)
        self._session.answer(question.id, Answer(choices.get(line.strip().lower()[:1], "deny")))
