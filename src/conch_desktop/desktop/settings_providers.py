"""The providers' page of the settings: where models come from, each with its key, a test and the way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.parts import IconMark, label
from conch_desktop.desktop.provider_row import ProviderFacts, ProviderRow
from conch_desktop.desktop.settings_parts import CardList
from conch_desktop.desktop.settings_section import Section, make_page
from conch_desktop.desktop.wording import count
from conch_desktop.domain.errors import ConchError
from conch_desktop.engine.reaching import open_way
from conch_desktop.providers.registry import base_url

if TYPE_CHECKING:
    from conch_desktop.domain.models import Provider
    from conch_desktop.engine.catalogue import Catalogue


class ProvidersSection(Section):
    """Services and servers."""

    name = "Providers"

    def page(self) -> QWidget:
        """The list of providers, and what is said of the key store."""
        add = Button("Add a provider…", "plain", "plus")
        add.clicked.connect(lambda: self.behind.desk.models.open_form("openrouter"))
        page, content = make_page("Providers", "Services and servers with models. Only these are ever contacted.", add)
        self.rows: dict[str, ProviderRow] = {}
        self._open = ""
        self._list = CardList()
        self._store = label("", "small", "t2", wrap=True)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(IconMark("lock", "t2"), 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self._store, 1)
        content.addWidget(self._list)
        content.addLayout(line)
        return page

    async def fill(self) -> None:
        """Reads the providers and their lists; nobody is contacted."""
        program = self.behind.program
        catalogue = await program.models()
        self.rows = {one.id: self._row(one, catalogue) for one in await program.providers()}
        self._list.put(list(self.rows.values()))
        store = await program.secrets.probe()
        self._store.setText(f"{store.text} {store.advice}".strip())

    def _row(self, provider: Provider, catalogue: Catalogue) -> ProviderRow:
        many = sum(1 for model in catalogue.models if model.provider == provider.id)
        failure = catalogue.failures.get(provider.id)
        said = failure.what if failure is not None else count(many, "model") if many else ""
        if provider.kind == "local":
            said = "ready" if self.behind.program.local_state().fetched else ""
        address = self._address(provider)
        facts = ProviderFacts(provider.name, address, provider.url, said=said, bad=failure is not None)
        row = ProviderRow(provider.id, facts, own=provider.kind != "local", is_open=provider.id == self._open)
        row.opened.connect(self._opened)
        row.key_given.connect(lambda one, key: self.behind.do(self._new_key(one, key), "keep the key"))
        row.changed.connect(lambda *filled: self.behind.do(self._change(*filled), "change the provider"))
        row.tested.connect(lambda one: self.behind.do(self._test(one), "test the provider"))
        row.removed.connect(lambda one: self.behind.do(self._remove(one), "remove the provider"))
        return row

    def begin(self, place: str) -> None:
        """Opens the line for a provider's new key."""
        row = self.rows.get(place)
        if row is not None:
            row.ask_key()

    def _opened(self, provider: str, is_open: bool) -> None:
        self._open = provider if is_open else ""
        for one, row in self.rows.items():
            if is_open and one != provider:
                row.set_open(False)

    def _say(self, provider: str, words: str, *, bad: bool) -> None:
        row = self.rows.get(provider)
        if row is not None:
            row.say(words, bad=bad)

    def _address(self, provider: Provider) -> str:
        if provider.kind == "local":
            state = self.behind.program.local_state()
            return str(state.path) if state.path is not None else state.why or "No model yet"
        try:
            address = base_url(provider)
        except ConchError as error:
            address = error.what
        return f"{address}, key from {provider.key_env}" if provider.key_env else address

    async def _new_key(self, provider: str, key: str) -> None:
        kept = await self.behind.program.set_key(provider, key)
        where = "Kept in this computer’s key store." if kept == "key store" else "Kept until you quit."
        self._say(provider, where, bad=False)

    async def _change(self, provider_id: str, name: str, url: str, key: str) -> None:
        """Changes name and address, after a second press where the way there is open; says what is not possible."""
        program, edit = self.behind.program, self.rows[provider_id].edit
        provider = await program.provider(provider_id)
        warning = open_way(provider.kind, url) if provider is not None else ""
        if warning and not edit.is_sure(url):
            edit.warn(url)
            self._say(provider_id, warning, bad=True)
            return
        try:
            await program.change_provider(provider_id, name, url, key)
        except ConchError as error:
            self._say(provider_id, str(error), bad=True)
            return
        await self.behind.desk.models.read(refresh=True)
        await self.fill()

    async def _test(self, provider_id: str) -> None:
        provider = await self.behind.program.provider(provider_id)
        if provider is None:
            return
        self._say(provider_id, "Asking for its models", bad=False)
        tested = await self.behind.program.test(provider.kind, provider.url, "", provider_id)
        self._say(provider_id, f"{tested.text} {tested.advice}".strip(), bad=not tested.ok)

    async def _remove(self, provider: str) -> None:
        await self.behind.program.remove_provider(provider)
        await self.behind.desk.models.read()
        await self.fill()
