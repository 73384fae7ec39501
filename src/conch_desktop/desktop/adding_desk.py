"""Joins the page on which a provider is added and the program."""

from __future__ import annotations

import os
import re
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from conch_desktop.desktop.provider_form import Filled, KindRow, ProviderForm
from conch_desktop.desktop.provider_offers import AtHand
from conch_desktop.domain.errors import ConchError, UsageError
from conch_desktop.domain.models import Provider
from conch_desktop.engine.adding import keys_at_hand
from conch_desktop.engine.reaching import Reach, open_way, read_headers
from conch_desktop.providers.companies import COMPANIES, company_at, owner_of_key
from conch_desktop.providers.registry import at_home, base_url

if TYPE_CHECKING:
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.engine.assembly import Program

_ADDRESS = re.compile(r"https?://|(?:localhost|\d{1,3}(?:\.\d{1,3}){3}):\d", re.IGNORECASE)
"""What no key begins with."""

_NOT_YET = "This address is not contacted before you press Test or Add."


class AddingDesk(QObject):
    """What happens while a provider is added."""

    added = Signal(object, str)
    """A provider was added, and where its secrets are kept."""
    closed = Signal()

    def __init__(self, window: Window, program: Program, tasks: Tasks) -> None:
        super().__init__(window)
        self._window, self._program, self._tasks = window, program, tasks
        self.form = ProviderForm(
            [
                KindRow(row.name, row.title, row.address, row.needs_key, row.key_env, row.kind, row.untested)
                for row in COMPANIES.values()
            ]
        )
        form = self.form
        form.cancelled.connect(self.closed)
        form.tested.connect(lambda filled: self._do(self._test(filled), "test the provider"))
        form.saved.connect(lambda filled: self._do(self._add(filled), "add the provider"))
        form.address_typed.connect(lambda url: self._do(self._look(url), "look at the address"))
        form.key_typed.connect(self._key)
        form.advised.connect(self._advised)

    def _do(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        self._tasks.spawn(work, name)

    def begin(self, row: str) -> None:
        """Shows the page, empty, with what is at hand once that is known."""
        self._window.show_whole(self.form)
        self.form.begin(row, "Keys go into this computer’s key store and nowhere else.")
        self._do(self._say_where(), "look at the key store")
        self._do(self._find(), "look for servers on this computer")

    async def _say_where(self) -> None:
        store = await self._program.secrets.probe()
        self.form.say_where(f"{store.text} {store.advice}".strip())

    async def _find(self) -> None:
        """Offers the keys in the environment at once, and the servers on this computer when they have answered."""
        known = await self._program.providers()
        keys = [
            AtHand(row, COMPANIES[row].title, f"A key is in the environment variable {variable}.", key_env=variable)
            for row, variable in keys_at_hand(os.environ, known)
        ]
        self.form.offers.put(keys)
        here = {_address(one) for one in known}
        servers = [
            AtHand(found.company, COMPANIES[found.company].title, f"{found.url}: {found.words}", found.url)
            for found in await self._program.find_servers()
            if found.url not in here and found.url.removesuffix("/v1") not in here
        ]
        if servers:
            self.form.offers.put([*servers, *keys])

    async def _look(self, url: str) -> None:
        """Says what is at an address, if it is one and at home. What is typed meanwhile makes an answer worthless."""
        form = self.form
        self._key(form.key.text())
        company = company_at(url)
        if company is not None and company.name != form.row.name:
            deed, advice = f"Choose {company.title}", f"row {company.name}"
            form.say_address(f"This is {company.title}’s address.", good=False, deed=deed, advice=advice)
            return
        if not url.strip() or not _is_at_home(url):
            form.say_address(_NOT_YET if "." in url else "", good=False)
            return
        found = await self._program.look_at(url)
        if found is None or form.url.text() != url:
            return
        deed = advice = ""
        if found.company == "ollama" and form.row.kind == "openai":
            deed, advice = "It is Ollama: choose it", "row ollama"
        elif found.good and found.url != base_url(Provider("", "openai", "", url)):
            deed, advice = f"Use {found.url}", f"url {found.url}"
        form.say_address(found.words, good=found.models > 0, deed=deed, advice=advice)

    def _advised(self, advice: str) -> None:
        what, _, value = advice.partition(" ")
        if what == "row":
            self.form.choose(value)
            if not COMPANIES[value].port:
                self.form.url.clear()
        elif what == "url":
            self.form.url.setText(value)

    def _key(self, key: str) -> None:
        """Whose key is typed: chooses the kind while nothing speaks against it, else only says it."""
        form = self.form
        if _ADDRESS.match(key.strip()):
            form.say_key("This looks like an address, not like a key.", warn=True, deed="Use it as the address")
            return
        owner = owner_of_key(key)
        shared = owner.doubt and form.row.name == "own"
        if not owner.company:
            form.say_key(owner.doubt if shared else "", warn=True)
            return
        company = COMPANIES[owner.company]
        url = form.url.text().strip()
        own = company_at(url or form.row.url) == company
        if not own and not url:
            form.choose(company.name)
            return  # which says whose key it is
        words = f"This is a key of {company.title}."
        form.say_key(words if own else f"{words} It would go to the address above.", warn=not own)

    # Trying and adding ----------------------------------------------------------------------------------------------

    def _reach(self, filled: Filled) -> Reach:
        """How it is reached. Raises `UsageError` for what can't be."""
        if not filled.url and filled.row == "own":
            raise UsageError("The address is missing.", "Write it like localhost:8080.")
        if _ADDRESS.match(filled.key):
            raise UsageError("What stands in Key is an address.", "Put it into Address.")
        return Reach(filled.proxy.strip(), filled.ca_file.strip(), read_headers(filled.headers))

    def _warned(self, filled: Filled) -> bool:
        """Whether there is a warning about the address that the person has not seen."""
        words = open_way(filled.kind, filled.url)
        if not words or self.form.is_sure(filled.url):
            return False
        self.form.warn(filled.url, words)
        return True

    async def _test(self, filled: Filled) -> None:
        try:
            reach = self._reach(filled)
        except ConchError as error:
            self.form.show_answer(good=False, words=str(error))
            return
        if self._warned(filled):
            return
        self.form.show_busy("Asking for its models")
        tested = await self._program.test(filled.kind, filled.url, filled.key, key_env=filled.key_env, reach=reach)
        self.form.show_answer(good=tested.ok, words=f"{tested.text} {tested.advice}".strip())

    async def _add(self, filled: Filled) -> None:
        try:
            reach = self._reach(filled)
            if self._warned(filled):
                return
            self.form.show_busy("Adding it and asking for its models")
            provider, kept = await self._program.add_provider(
                filled.kind, filled.name, filled.url, filled.key, filled.key_env, reach
            )
        except ConchError as error:
            self.form.show_answer(good=False, words=str(error))
            return
        self.added.emit(provider, kept)

    def done(self) -> None:
        """The lists were read: nothing is under way any more."""
        self.form.show_answer(good=True, words="")


def _address(provider: Provider) -> str:
    try:
        return base_url(provider) if provider.kind != "local" else ""
    except UsageError:
        return ""


def _is_at_home(url: str) -> bool:
    try:
        return at_home(base_url(Provider("", "openai", "", url)))
    except UsageError:
        return False
