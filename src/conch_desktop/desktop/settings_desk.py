"""Joins the settings page and the program; also theme, text size and everything of the window that comes back."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QObject, Qt, QTimer

from conch_desktop.desktop.first_look import FirstLook, write_first_look
from conch_desktop.desktop.lesson_words import day, detail, right_calls, sentence
from conch_desktop.desktop.lessons_card import LessonLine
from conch_desktop.desktop.settings_models import TaughtModel
from conch_desktop.desktop.settings_page import ProviderFacts, SettingsPage
from conch_desktop.desktop.theme import ZOOM_STEP, Choice, Contrast, look
from conch_desktop.desktop.wording import model_name
from conch_desktop.domain.errors import ConchError
from conch_desktop.engine.checking import CHECKED
from conch_desktop.providers.registry import base_url
from conch_desktop.store.settings import (
    CONTRAST,
    GEOMETRY,
    PANEL_OPEN,
    PANEL_WIDTH,
    RECENT,
    SIDEBAR_OPEN,
    SIDEBAR_WIDTH,
    TEXT_ZOOM,
    THEME,
)

if TYPE_CHECKING:
    from conch_desktop.desktop.lessons_desk import LessonsDesk
    from conch_desktop.desktop.models_desk import ModelsDesk
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.domain.models import Provider
    from conch_desktop.engine.assembly import Program

_KEEP_AFTER = 600


class SettingsDesk(QObject):
    """What the person sets."""

    def __init__(
        self, window: Window, program: Program, models: ModelsDesk, lessons: LessonsDesk, tasks: Tasks
    ) -> None:
        super().__init__(window)
        self._window, self._program, self._models, self._tasks = window, program, models, tasks
        self._lessons = lessons
        self._page: SettingsPage | None = None
        self._names: dict[str, str] = {}
        self._keep = QTimer(self)
        self._keep.setSingleShot(True)
        self._keep.setInterval(_KEEP_AFTER)
        self._keep.timeout.connect(lambda: self._do(self.keep(), "keep the settings of the window"))
        window.settings_asked.connect(lambda: self.open("Providers"))
        window.zoomed.connect(self._zoom)
        models.lessons_wanted.connect(lambda: self.open("Models"))
        lessons.changed.connect(self._show_taught)
        lessons.check_told.connect(lambda *_: self._show_taught())
        window.escapes.append(self._leave)

    def _do(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        self._tasks.spawn(work, name)

    # The window -----------------------------------------------------------------------------------------------------

    def take(self) -> None:
        """Gives the window what the settings say; what was already right stays untouched."""
        settings, shell = self._program.settings, self._window.shell
        look.choose(cast(Choice, settings.get(THEME)))
        look.choose_contrast(cast(Contrast, settings.get(CONTRAST)))
        look.set_zoom(settings.get(TEXT_ZOOM))
        shell.sidebar_open, shell.panel_open = settings.get(SIDEBAR_OPEN), settings.get(PANEL_OPEN)
        shell.sidebar_width, shell.panel_width = settings.get(SIDEBAR_WIDTH), settings.get(PANEL_WIDTH)
        shell.arrange()
        shell.arranged.connect(self._keep.start)

    async def keep(self) -> None:
        """Keeps how the window is now."""
        settings, shell = self._program.settings, self._window.shell
        now = FirstLook(
            look.choice,
            look.zoom,
            self._window.geometry_text(),
            shell.sidebar_open,
            shell.panel_open,
            shell.sidebar_width,
            shell.panel_width,
            look.contrast,
        )
        if settings.get(GEOMETRY) != now.geometry:
            await settings.set(GEOMETRY, now.geometry)
        for switch, on in ((SIDEBAR_OPEN, now.sidebar_open), (PANEL_OPEN, now.panel_open)):
            if settings.get(switch) != on:
                await settings.set(switch, on)
        for width, wide in ((SIDEBAR_WIDTH, now.sidebar_width), (PANEL_WIDTH, now.panel_width)):
            if settings.get(width) != wide:
                await settings.set(width, wide)
        write_first_look(self._program.data_dir, now)

    def _zoom(self, step: int) -> None:
        look.set_zoom(look.zoom + step * ZOOM_STEP if step else 100)
        self._do(self._program.settings.set(TEXT_ZOOM, look.zoom), "keep the text size")
        self._keep.start()
        if self._page is not None:
            self._page.show_look(look.choice, look.zoom, look.contrast)

    def _theme(self, choice: str) -> None:
        look.choose(cast(Choice, choice))
        self._do(self._program.settings.set(THEME, choice), "keep the theme")
        self._keep.start()

    def _contrast(self, contrast: str) -> None:
        look.choose_contrast(cast(Contrast, contrast))
        self._do(self._program.settings.set(CONTRAST, contrast), "keep the contrast")
        self._keep.start()

    # The page -------------------------------------------------------------------------------------------------------

    def open(self, name: str, key_of: str = "") -> None:
        """Opens the settings; with `key_of` at the new key of that provider."""
        self._do(self._open(name, key_of), "open the settings")

    async def _open(self, name: str, key_of: str) -> None:
        page = self._made_page()
        await self._fill()
        page.show_look(look.choice, look.zoom, look.contrast)
        self._window.show_whole(page)
        page.show_page(name)
        if key_of:
            page.ask_key(key_of)

    def _made_page(self) -> SettingsPage:
        if self._page is None:
            page = self._page = SettingsPage()
            page.left.connect(self._leave)
            page.add_provider.connect(lambda: self._models.open_form("openrouter"))
            page.key_given.connect(lambda one, key: self._do(self._new_key(one, key), "keep the key"))
            page.tested.connect(lambda one: self._do(self._test(one), "test the provider"))
            page.removed.connect(lambda one: self._do(self._remove(one), "remove the provider"))
            page.forgotten.connect(lambda one, kind: self._do(self._lessons.forget(one, kind), "forget it"))
            page.all_forgotten.connect(lambda: self._do(self._lessons.forget_all(), "forget it"))
            page.checked.connect(self._lessons.check)
            page.fact_edited.connect(lambda one, text: self._do(self._edit_fact(one, text), "change the fact"))
            page.fact_removed.connect(lambda one: self._do(self._remove_fact(one), "delete the fact"))
            page.revoked.connect(lambda source, tool: self._do(self._revoke(source, tool), "take it back"))
            page.theme_chosen.connect(self._theme)
            page.contrast_chosen.connect(self._contrast)
            page.zoomed.connect(self._zoom)
        return self._page

    def _leave(self) -> bool:
        if self._page is None or self._window.whole.currentWidget() is not self._page:
            return False
        self._window.show_whole(None)
        self._window.composer.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    async def _fill(self) -> None:
        page = self._made_page()
        providers = await self._program.providers()
        catalogue = await self._program.models()
        facts: dict[str, ProviderFacts] = {}
        for provider in providers:
            many = sum(1 for model in catalogue.models if model.provider == provider.id)
            failure = catalogue.failures.get(provider.id)
            said = failure.what if failure is not None else f"{many:,} model{'' if many == 1 else 's'}" if many else ""
            facts[provider.id] = ProviderFacts(self._address(provider), said, failure is not None)
        store = await self._program.secrets.probe()
        page.show_providers(providers, facts, f"{store.text} {store.advice}".strip())
        self._names = {provider.id: provider.name for provider in providers}
        self._show_taught()
        page.show_facts(await self._program.memories.all())
        page.show_allowed([(one.source, one.tool) for one in await self._program.permissions.all()])

    def _show_taught(self) -> None:
        """The models that taught something or were used, and what."""
        if self._page is None:
            return
        now = self._program.clock.now()
        used = [one for one in self._program.settings.get(RECENT) if one not in self._lessons.all]
        rows: list[TaughtModel] = []
        for model_id in (*self._lessons.all, *used):
            provider, _, name = model_id.partition("/")
            if provider not in self._names:
                continue
            known = self._lessons.standing(model_id)
            taught = self._lessons.of(model_id)
            check = next((one for one in self._lessons.of(model_id) if one.kind == CHECKED), None)
            rows.append(
                TaughtModel(
                    model_id,
                    model_name(self._models.model(model_id), name),
                    self._names[provider],
                    known.mode,
                    known.checked,
                    f"{right_calls(check)}, {day(check.learnt, now)}" if check is not None else "not checked",
                    tuple(LessonLine(one.kind, sentence(one), detail(one, now), one.words) for one in taught),
                    self._lessons.told.get(model_id, ""),
                    self._lessons.checking == model_id,
                )
            )
        self._page.models.show_models(rows)

    def _address(self, provider: Provider) -> str:
        if provider.kind == "local":
            state = self._program.local_state()
            return str(state.path) if state.path is not None else state.why or "No model yet"
        try:
            address = base_url(provider)
        except ConchError as error:
            address = error.what
        return f"{address}, key from {provider.key_env}" if provider.key_env else address

    async def _new_key(self, provider: str, key: str) -> None:
        kept = await self._program.set_key(provider, key)
        where = "Kept in this computer’s key store." if kept == "key store" else "Kept until you quit."
        self._made_page().say(provider, where, bad=False)

    async def _test(self, provider_id: str) -> None:
        provider = next((one for one in await self._program.providers() if one.id == provider_id), None)
        if provider is None:
            return
        self._made_page().say(provider_id, "Asking for its models", bad=False)
        tested = await self._program.test(provider.kind, provider.url, "", provider_id)
        self._made_page().say(provider_id, f"{tested.text} {tested.advice}".strip(), bad=not tested.ok)

    async def _remove(self, provider: str) -> None:
        await self._program.remove_provider(provider)
        await self._models.read()
        await self._fill()

    async def _edit_fact(self, fact: int, text: str) -> None:
        await self._program.memories.edit(fact, text)
        await self._fill()

    async def _remove_fact(self, fact: int) -> None:
        await self._program.memories.remove(fact)
        await self._fill()

    async def _revoke(self, source: str, tool: str) -> None:
        await self._program.permissions.revoke(source=source, tool=tool)
        await self._fill()
