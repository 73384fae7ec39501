"""Joins all parts; the only module that knows them all."""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from conch_desktop.domain.clock import Clock, SystemClock
from conch_desktop.domain.errors import ConchError, LocalModelError, ProviderError, UsageError
from conch_desktop.domain.lessons import Lesson
from conch_desktop.domain.messages import UsageCount
from conch_desktop.domain.models import Model, Provider
from conch_desktop.domain.options import ChatOptions
from conch_desktop.engine.adding import Tested, try_out
from conch_desktop.engine.archiving import Archiving
from conch_desktop.engine.catalogue import Catalogue, ModelCache, read_catalogue
from conch_desktop.engine.checked import CHECKED, Checked
from conch_desktop.engine.hands import Hands
from conch_desktop.engine.integrations import Integrations, Switches
from conch_desktop.engine.keeping import Keeping
from conch_desktop.engine.offer import within_limit
from conch_desktop.engine.reaching import Reach, account, filled, moved, reached, with_secrets
from conch_desktop.engine.session import Session
from conch_desktop.engine.spending import Budget
from conch_desktop.engine.way import Choice
from conch_desktop.providers import model_file
from conch_desktop.providers.local import LocalServer, why_unavailable
from conch_desktop.providers.registry import KINDS, base_url, make_wire
from conch_desktop.providers.wire import Wire
from conch_desktop.store import settings as known
from conch_desktop.store.archives import Archives
from conch_desktop.store.chat_options import ChatOptionsBook
from conch_desktop.store.chats import Chats
from conch_desktop.store.database import Database
from conch_desktop.store.integrations import IntegrationRows
from conch_desktop.store.lessons import Lessons
from conch_desktop.store.providers import Providers
from conch_desktop.store.secrets import Secrets
from conch_desktop.store.settings import Settings
from conch_desktop.store.spending import Spending
from conch_desktop.store.wire_states import WireStates
from conch_desktop.tools.guard import Policy
from conch_desktop.tools.toolbox import Toolbox

if TYPE_CHECKING:
    from conch_desktop.domain.calls import CallRecord
    from conch_desktop.engine.again import Again
    from conch_desktop.engine.running import Settling
    from conch_desktop.engine.turn import TurnParts
    from conch_desktop.providers.looking import Looked

DATABASE = "conch.sqlite3"

_AS_USUAL = Reach()

_LOOKING = "conch_desktop.providers.looking"
"""Imported on another thread: with it comes the HTTP client, which would hold up a window."""

LOCAL = Provider("local", "local", "This computer")
"""The model on this computer: always there, never removed."""

LOCAL_URL = "http://127.0.0.1"
"""Where it is; the port changes with each start."""


@dataclass(frozen=True, slots=True)
class LocalState:
    """What there is of the model on this computer. `why` and `advice` say what is missing when not `available`."""

    available: bool
    why: str
    advice: str
    fetched: bool
    path: Path | None
    note: str


def default_data_dir() -> Path:
    """The program's own data folder."""
    return platformdirs.user_data_path("conch-desktop", appauthor=False)


class Program:
    """The whole program without a window: what is kept, the providers, the tools, and a session for each chat.

    `interactive` says whether somebody is there to be asked; `tools_off` overrules the setting for this run, and
    `named_groups` are tools that this run named. `server_ports` are the ports at which servers on this computer are
    looked for, in the place of the usual ones.
    """

    def __init__(self, data_dir: Path, database: Database, clock: Clock, policy: Policy) -> None:
        self.data_dir = data_dir
        self.clock = clock
        self.interactive = True
        self.tools_off: Sequence[str] | None = None
        self.server_ports: Sequence[int] = ()
        self.named_groups: Sequence[str] = ()
        self._database = database
        self.chats = Chats(database, clock)
        self.lessons = Lessons(database, clock)
        self.settings = Settings(database)
        self.options = ChatOptionsBook(database)
        self.spending = Spending(database, clock)
        self.hands = Hands(data_dir, database, self.settings, clock, policy)
        self.memories = self.hands.memories
        self.permissions = self.hands.permissions
        self.secrets = Secrets(_key_service(data_dir))
        self.toolbox = Toolbox(self.hands.tools)
        self.integrations = Integrations(IntegrationRows(database), self.secrets, lambda: self.toolbox.names, clock)
        self.keeping = Keeping(data_dir / DATABASE, database)
        self.archiving = Archiving(Archives(database), self.providers)
        self._providers = Providers(database)
        self._wire_states = WireStates(database)
        self._local = LocalServer(self._local_path)
        self._saved: list[Provider] | None = None
        self._unsaved: dict[str, Provider] = {}
        self._models = ModelCache(self._providers)
        self._wires: dict[str, Wire] = {}
        self._sessions: dict[str, Session] = {}

    @classmethod
    async def open(
        cls, data_dir: Path | None = None, *, clock: Clock | None = None, policy: Policy = "read"
    ) -> Program:
        """Opens the data folder. Raises `StoreError` when the database can't be used; it is then left as it is."""
        folder = data_dir or default_data_dir()
        clock = clock or SystemClock()
        database = await Database.open(folder / DATABASE, clock)
        program = cls(folder, database, clock, policy)
        await program.settings.load()
        await program.integrations.load()
        return program

    async def tidy(self) -> None:
        """What a window does once at its start, behind its first picture: chats deleted last time go, broken-off
        answers are marked, servers start unless the person wants to start each."""
        if self.settings.get(known.START_APPS):
            self.integrations.start()
        else:
            self.integrations.rest()
        await self.chats.purge_deleted()
        await self.chats.mark_interrupted()

    @property
    def notes(self) -> list[str]:
        """Quiet notes about the start: a broken setting, for example."""
        return self.settings.notes

    async def aclose(self) -> None:
        """Stops every turn, the servers, the model on this computer and the store, in that order."""
        for session in self._sessions.values():
            await session.aclose()
        await self.integrations.aclose()
        for wire in self._wires.values():
            await wire.aclose()
        await self._local.aclose()
        await self._database.aclose()

    # Providers and models ------------------------------------------------------------------------------------------

    async def providers(self) -> list[Provider]:
        """This computer first, then the person's own, then those of this run only."""
        if self._saved is None:
            self._saved = await self._providers.all()
        return [LOCAL, *self._saved, *self._unsaved.values()]

    async def provider(self, provider_id: str) -> Provider | None:
        """The provider of that id."""
        return next((one for one in await self.providers() if one.id == provider_id), None)

    def use(self, provider: Provider) -> None:
        """Adds a provider for this run only."""
        self._unsaved[provider.id] = provider

    async def add_provider(
        self, kind: str, name: str, url: str, key: str, key_env: str = "", reach: Reach = _AS_USUAL
    ) -> tuple[Provider, str]:
        """Adds a provider and keeps its secrets; also says where they are kept ("" without any).

        Raises `UsageError` for what can't be.
        """
        if kind not in KINDS or not KINDS[kind].wire:
            raise UsageError(f"There is no kind of provider called {kind}.")
        named = name.strip() or KINDS[kind].title
        provider, secret = reached(Provider(uuid.uuid4().hex, kind, named, url.strip(), key_env), reach)
        base_url(provider)
        await self._providers.add(provider)
        self._saved = None
        kept = await self.secrets.keep(account(provider.id), secret) if secret else ""
        return provider, await self.set_key(provider.id, key) if key else kept

    async def set_key(self, provider_id: str, key: str) -> str:
        """Keeps a key and says where. It may be another account's: what wires kept of chats is forgotten."""
        await self._drop_wire(provider_id)
        await self._wire_states.forget(provider_id)
        return await self.secrets.keep(provider_id, key)

    async def change_provider(self, provider_id: str, name: str, url: str, key: str = "") -> str:
        """Gives a provider another name and address, and says where a new key is kept ("" without one).

        What its models taught belongs to the address it was learnt at. Raises `UsageError` for what can't be.
        """
        provider = await self.provider(provider_id)
        if provider is None:
            raise UsageError("The provider is no longer there.", "Add it again.")
        kept = not provider.key_env and await self.secrets.get(provider) is not None
        await self._providers.update(moved(provider, name, url, kept=kept, given=bool(key)))
        self._saved = None
        await self._drop_wire(provider_id)
        return await self.set_key(provider_id, key) if key else ""

    async def remove_provider(self, provider_id: str) -> None:
        """Removes a provider with its key, lists, lessons and what its wire kept of chats."""
        await self._drop_wire(provider_id)
        await self.secrets.remove(provider_id)
        await self.secrets.remove(account(provider_id))
        await self._providers.remove(provider_id)
        self._saved = None

    async def test(
        self, kind: str, url: str, key: str, provider_id: str = "", *, key_env: str = "", reach: Reach = _AS_USUAL
    ) -> Tested:
        """Asks a provider for its models, without keeping anything."""
        saved = await self.provider(provider_id) if provider_id else None
        tried = saved or Provider("test", kind, KINDS[kind].title, url.strip(), key_env)

        async def wire() -> Wire:
            if saved is not None:
                whole = await with_secrets(saved, self.secrets)
            else:
                bare, secret = reached(tried, reach)
                whole = filled(bare, json.loads(secret)) if secret else bare
            own = os.environ.get(key_env, "").strip() if key_env else ""
            return make_wire(whole, key or own or (await self.secrets.get(saved) if saved else None), local=self._local)

        return await try_out(tried, wire, self.clock)

    async def look_at(self, url: str) -> Looked | None:
        """What answers at an address on this computer or a private network; no key goes along. None: not looked at."""
        await asyncio.to_thread(import_module, _LOOKING)
        from conch_desktop.providers.looking import look_at

        return await look_at(url)

    async def find_servers(self) -> list[Looked]:
        """The servers with models that run on this computer."""
        await asyncio.to_thread(import_module, _LOOKING)
        from conch_desktop.providers.looking import find_servers

        return await find_servers(self.server_ports)

    async def models(self, *, refresh: bool = False) -> Catalogue:
        """All models; with `refresh` every provider is asked anew."""
        return await self._read(await self.providers(), refresh=refresh)

    async def _read(self, providers: Sequence[Provider], *, refresh: bool = False) -> Catalogue:
        return await read_catalogue(providers, self.wire_of, self._models, self.clock, refresh=refresh)

    async def find_model(self, model_id: str) -> Model | None:
        """The model of that id, also when its provider's list does not hold it; None when its provider is gone."""
        provider_id, _, name = model_id.partition("/")
        provider = await self.provider(provider_id)
        if not name or provider is None:
            return None
        listed = await self._read([provider])
        return next((model for model in listed.models if model.id == model_id), Model(provider_id, name))

    async def wire_of(self, provider: Provider) -> Wire:
        """The wire of a provider, made when first used. Raises `ProviderError` when its key is missing."""
        wire = self._wires.get(provider.id)
        if wire is None:
            key = await self.secrets.get(provider) if provider.id != LOCAL.id else None
            kind = KINDS[provider.kind]
            if key is None and kind.needs_key and kind.url and not provider.url:
                raise ProviderError("auth", f"There is no key for {provider.name}.", _missing_key(provider))
            whole = await with_secrets(provider, self.secrets)
            made = make_wire(whole, key, local=self._local, states=self._wire_states)
            wire = self._wires.setdefault(provider.id, made)
        return wire

    async def _drop_wire(self, provider_id: str) -> None:
        wire = self._wires.pop(provider_id, None)
        if wire is not None:
            await wire.aclose()

    # What models taught ---------------------------------------------------------------------------------------------

    async def can_reach(self, provider_id: str) -> bool:
        """Whether anything answers where this provider is. The model on this computer is always there."""
        from conch_desktop.providers.reachable import reachable  # not needed before something went wrong

        provider = await self.provider(provider_id)
        return provider is None or provider.kind == LOCAL.kind or await reachable(provider)

    async def check_model(self, model_id: str) -> Checked:
        """Makes three harmless calls and keeps what works. Raises `ProviderError` when nothing answers."""
        from conch_desktop.engine.checking import check_model

        model, provider = await self._model_of(model_id)
        wire = await self.wire_of(provider)
        url = _address(provider)
        found = await check_model(wire, url, model, self.clock)
        fingerprint = await wire.fingerprint(model)
        now = self.clock.now()
        await self.lessons.learn(
            Lesson(model.provider, url, model.name, CHECKED, found.value, found.text, fingerprint, learnt=now)
        )
        return found

    async def lessons_of(self, model_id: str) -> list[Lesson]:
        """What a model taught and still holds."""
        provider = await self.provider(model_id.partition("/")[0])
        if provider is None:
            return []
        return await self.lessons.of(provider.id, _address(provider), model_id.partition("/")[2])

    async def taught(self) -> list[Lesson]:
        """What all models taught and still holds, newest first."""
        addresses = {one.id: _address_or_none(one) for one in await self.providers()}
        now = self.clock.now()
        return [
            lesson
            for lesson in await self.lessons.all()
            if addresses.get(lesson.provider) == lesson.endpoint and (lesson.expires is None or lesson.expires > now)
        ]

    def own_choice(self, model_id: str) -> Choice:
        """The person's own choice of how a model gets its tools."""
        choices: Mapping[str, Choice] = {"native": "native", "words": "words", "none": "none"}
        return choices.get(self.settings.get(known.MODEL_MODES).get(model_id, ""), "automatic")

    async def choose_mode(self, model_id: str, choice: Choice) -> None:
        """Keeps the person's own choice; it stands above all lessons."""
        kept = {key: value for key, value in self.settings.get(known.MODEL_MODES).items() if key != model_id}
        await self.settings.set(known.MODEL_MODES, kept if choice == "automatic" else {**kept, model_id: choice})

    # The model on this computer -------------------------------------------------------------------------------------

    def local_state(self) -> LocalState:
        """What there is of the model on this computer."""
        missing = why_unavailable()
        path = self._local_path()
        note = model_file.SMALL_MODEL.note
        if missing is not None:
            return LocalState(False, missing.what, missing.advice, path is not None, path, note)
        return LocalState(True, "", "", path is not None, path, note)

    async def fetch_local(self, progress: Callable[[int, int], None]) -> Path:
        """Fetches the small model. Cancel the task to stop it. Raises `LocalModelError`."""
        return await model_file.fetch(progress)

    async def use_local_file(self, path: Path) -> None:
        """Uses a GGUF file of the person's own. Raises `LocalModelError` when there is none at `path`."""
        if not await asyncio.to_thread(path.is_file):
            raise LocalModelError(f"There is no file {path}.", "Choose a model file that ends in .gguf.")
        await self.settings.set(known.LOCAL_MODEL, str(path))
        await self._drop_wire(LOCAL.id)

    def _local_path(self) -> Path | None:
        own = self.settings.get(known.LOCAL_MODEL)
        return Path(own) if own else model_file.small_model_path()

    # Chats ----------------------------------------------------------------------------------------------------------

    def session(self, chat_id: str) -> Session:
        """The session of a chat; always the same one."""
        if chat_id not in self._sessions:
            self._sessions[chat_id] = Session(
                chat_id, book=self.chats, prepare=self._prepare, clock=self.clock, take_back=self.hands.take_back
            )
        return self._sessions[chat_id]

    async def run_again(self, chat_id: str, call: CallRecord) -> Again:
        """Runs a call once more; the chat does not change."""
        from conch_desktop.engine.again import run_again

        return await run_again(call, self.everything().find(call.name), self.hands.guard, chat_id, self.clock)

    def everything(self) -> Toolbox:
        """Every tool there is: the program's own, and those that are switched on of servers that run."""
        return Toolbox([*self.toolbox.tools, *self.integrations.tools()])

    def offered(self, asked: str = "", switches: Switches | None = None) -> Toolbox:
        """The tools that are switched on, and the one that was asked for by name. Without a granted folder those for
        files are of no use, and are given only when this run names them. `switches` are a chat's own."""
        switched_off = self.settings.get(known.TOOLS_OFF)
        off = set(switched_off if self.tools_off is None else self.tools_off)
        single = set(self.settings.get(known.SINGLE_TOOLS_OFF) if self.tools_off is None else ()) - {asked}
        if "files" not in self.named_groups and not self.hands.folders():
            off.add("files")
        own = [tool for tool in self.toolbox.tools if tool.name not in single]
        toolbox = Toolbox([*own, *self.integrations.tools(switches)])
        tool = toolbox.find(asked) if asked else None
        if tool is not None:
            off.discard(tool.group)
        return toolbox.without(off)

    async def _prepare(self, session: Session, *, asked: str, settle: Settling) -> TurnParts:
        from conch_desktop.engine.turn import TurnParts

        model, provider = await self._chosen(session)
        wire = await self.wire_of(provider)
        options, switches, remembered = await asyncio.gather(
            self.options.of(session.chat_id), self.integrations.switches(session.chat_id), self.memories.all()
        )
        toolbox, too_many = within_limit(self.offered(asked, switches), asked)
        return TurnParts(
            wire=wire,
            url=_address(provider),
            model=model,
            toolbox=toolbox,
            guard=self.hands.guard,
            asker=session if self.interactive else None,
            clock=self.clock,
            settle=settle,
            chat=session.chat_id,
            messages=session.messages[:-1],
            lessons=self.lessons,
            memories=remembered if "memory" in toolbox.groups else (),
            asked=asked,
            choice=self.own_choice(model.id),
            step_limit=self.settings.get(known.STEP_LIMIT),
            options=options,
            budget=await self._budget(session, options),
            notices=(*self.integrations.missing(), *too_many),
            moved=session.moved,
        )

    async def _budget(self, session: Session, options: ChatOptions) -> Budget:
        """What the turn may cost. An answer that is gone on with may cost as much again."""
        answer = session.messages[-1]
        chat_limit, day_limit = options.spend_limit or 0.0, self.settings.get(known.DAY_LIMIT)
        spent = await self.spending.of_chat(session.chat_id, without=answer.id) if chat_limit else UsageCount()
        day_spent = await self.spending.of_day(without=answer.id) if day_limit else 0.0
        cost = (answer.usage.cost if answer.usage is not None else None) or 0.0
        return Budget(chat_limit, spent.cost or 0.0, day_limit, day_spent, cost if answer.parts else None)

    async def _chosen(self, session: Session) -> tuple[Model, Provider]:
        model_id = session.model_id or await self.default_model()
        if not model_id:
            raise ProviderError("not_found", "No model is chosen for this chat.", "Choose one above the chat.")
        return await self._model_of(model_id)

    async def _model_of(self, model_id: str) -> tuple[Model, Provider]:
        model = await self.find_model(model_id)
        provider = await self.provider(model_id.partition("/")[0])
        if model is None or provider is None:
            raise ProviderError("not_found", "The provider of this chat’s model was removed.", "Choose another model.")
        return model, provider

    async def default_model(self) -> str:
        """The id of the model a new chat starts with: the one that was set, the last one used, the one here."""
        for wanted in (self.settings.get(known.NEW_MODEL), self.settings.get(known.LAST_MODEL)):
            if wanted and await self.find_model(wanted) is not None:
                return wanted
        local = await self._read([LOCAL])
        return local.models[0].id if local.models else ""


def _address(provider: Provider) -> str:
    """Where a provider is; lessons are kept by it."""
    return LOCAL_URL if provider.kind == "local" else base_url(provider)


def _address_or_none(provider: Provider) -> str | None:
    """The address, None where what the person wrote is none."""
    try:
        return _address(provider)
    except ConchError:
        return None


def _key_service(data_dir: Path) -> str:
    """Keys of one profile are never those of another."""
    if data_dir == default_data_dir():
        return "conch-desktop"
    return f"conch-desktop ({uuid.uuid5(uuid.NAMESPACE_URL, data_dir.absolute().as_uri()).hex[:12]})"


def _missing_key(provider: Provider) -> str:
    if provider.key_env:
        return f"Set the environment variable {provider.key_env}, or enter a key."
    return "Enter one in Settings."
