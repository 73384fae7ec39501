"""Secrets: keys of providers, in the computer's own key store or only until the program ends. Never in a file.

A key store is tried before it is trusted: some lose what they are given, some keep it readable, some wait for a
password nobody will type. `keyring` is imported on the thread that uses it, when it is first used. What a key store
says when it fails is not passed on, because it might hold the key.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from conch_desktop.domain.errors import SecretError
from conch_desktop.domain.models import Provider

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

State: TypeAlias = Literal["ok", "none", "locked", "lossy", "plaintext"]
Kept: TypeAlias = Literal["key store", "until you quit"]

PATIENCE = 300.0
"""Seconds a key store may take: it can be asking the person for a password."""

_READABLE = "keyrings.alt."
"""The package whose key stores write keys to files that anybody with the disk can read."""


@dataclass(frozen=True, slots=True)
class KeyStore:
    """What the computer's key store is good for, in a sentence, and what the person can do."""

    state: State
    text: str
    advice: str = ""


_TEXTS: dict[State, str] = {
    "ok": "Keys are kept in this computer's key store.",
    "none": "This computer has no key store that works, so keys can't be kept.",
    "locked": "The key store of this computer is locked, so keys can't be kept or read.",
    "lossy": "The key store of this computer does not give back what it is given, so keys can't be kept.",
    "plaintext": "The key store set up on this computer keeps keys in a readable file, so it is not used.",
}

_OTHERWISE = "Until then keep a key until you quit, or name an environment variable that holds it."
_INSTALL = (
    "Install one (on Debian and Ubuntu: sudo apt install gnome-keyring), then log out and in again."
    if sys.platform == "linux"
    else "Look whether the key store of your system works for other programs."
)
_ADVICE: dict[State, str] = {
    "ok": "",
    "none": f"{_INSTALL} {_OTHERWISE}",
    "locked": f"Unlock it, then try again. {_OTHERWISE}",
    "lossy": f"Remove PYTHON_KEYRING_BACKEND or the setting in keyringrc.cfg. {_INSTALL} {_OTHERWISE}",
    "plaintext": f"{_INSTALL} {_OTHERWISE}",
}


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the key store answered: `state` is "ok" when it did what was asked."""

    state: State
    key: str | None = field(default=None, repr=False)


_Job: TypeAlias = "Callable[[KeyringBackend], _Answer]"


class Secrets:
    """The keys of this profile. `service` is the name under which the key store has them."""

    def __init__(self, service: str) -> None:
        self._service = service
        self._until_quit: dict[str, str] = {}
        self._state: State | None = None
        self._probing = asyncio.Lock()
        self._one_at_a_time = threading.Lock()

    async def probe(self) -> KeyStore:
        """Tries the key store by writing, reading and deleting; asks again each time it is called."""
        async with self._probing:
            self._state = (await self._ask(self._try_out)).state
        return KeyStore(self._state, _TEXTS[self._state], _ADVICE[self._state])

    async def get(self, provider: Provider) -> str | None:
        """The key: the one kept until the program ends, else the environment's, else the key store's.

        Raises `SecretError` when the key store is locked. It is then not asked again before the next `probe`, so
        that a person who said no once is not asked again for every provider.
        """
        if (key := self._until_quit.get(provider.id)) is not None:
            return key
        if provider.key_env and (key := os.environ.get(provider.key_env, "").strip()):
            return key
        return await self.read(provider.id)

    async def read(self, account: str) -> str | None:
        """What is kept under a name. Raises `SecretError` as `get` does."""
        if (key := self._until_quit.get(account)) is not None:
            return key
        found = await self._use(lambda store: _Answer("ok", store.get_password(self._service, account)))
        if found.state == "locked":
            raise SecretError(_TEXTS["locked"], _ADVICE["locked"])
        return found.key

    async def keep(self, provider_id: str, key: str) -> Kept:
        """Keeps a key as well as it can be, and says how."""

        def write(store: KeyringBackend) -> _Answer:
            store.set_password(self._service, provider_id, key)
            return _Answer("ok" if store.get_password(self._service, provider_id) == key else "lossy")

        if (await self._use(write)).state == "ok":
            self._until_quit.pop(provider_id, None)
            return "key store"
        self._until_quit[provider_id] = key
        return "until you quit"

    async def remove(self, provider_id: str) -> None:
        """Forgets a key everywhere. Raises `SecretError` when it may still be in a locked key store."""

        def delete(store: KeyringBackend) -> _Answer:
            if store.get_password(self._service, provider_id) is not None:
                store.delete_password(self._service, provider_id)
            return _Answer("ok")

        self._until_quit.pop(provider_id, None)
        if (await self._use(delete)).state == "locked":
            raise SecretError("The key could not be removed, because the key store is locked.", "Unlock it first.")

    # On the loop ----------------------------------------------------------------------------------------------------

    async def _use(self, job: _Job) -> _Answer:
        """Asks a key store that is known to be good; otherwise answers with what is wrong with it."""
        async with self._probing:
            if self._state is None:
                self._state = (await self._ask(self._try_out)).state
        if self._state != "ok":
            return _Answer(self._state)
        answer = await self._ask(job)
        if answer.state == "locked":
            self._state = "locked"
        return answer

    async def _ask(self, job: _Job) -> _Answer:
        """Runs a job on a thread that does not hold up the end of the program, however long a person is asked."""
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[_Answer] = loop.create_future()

        def deliver(answer: _Answer) -> None:
            if not answered.done():
                answered.set_result(answer)

        def run() -> None:
            with self._one_at_a_time:
                answer = _on_key_store(job)
            with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody waits any more
                loop.call_soon_threadsafe(deliver, answer)

        threading.Thread(target=run, name="key store", daemon=True).start()
        try:
            return await asyncio.wait_for(answered, PATIENCE)
        except TimeoutError:
            return _Answer("locked")

    # On the key store's thread --------------------------------------------------------------------------------------

    def _try_out(self, store: KeyringBackend) -> _Answer:
        account, value = f"probe-{uuid.uuid4().hex}", uuid.uuid4().hex
        store.set_password(self._service, account, value)
        if store.get_password(self._service, account) != value:
            return _Answer("lossy")
        store.delete_password(self._service, account)
        return _Answer("ok")


def _on_key_store(job: _Job) -> _Answer:
    """Does the job, or tells what kind of trouble there was. Raises nothing: an error could hold the key."""
    try:
        import keyring
        from keyring.errors import InitError, KeyringLocked
    except Exception:  # a back end named in the environment or in keyringrc.cfg is made while importing
        return _Answer("none")
    try:
        store = _trusted(keyring.get_keyring())
        return _Answer("plaintext") if store is None else job(store)
    except (InitError, KeyringLocked):
        return _Answer("locked")
    except Exception:
        return _Answer("none")


def _trusted(store: KeyringBackend) -> KeyringBackend | None:
    """The key store to use; None when keys would end up in a readable file.

    With several at hand keyring gives a chain of them, which goes on to the next when one fails: only the first that
    can be trusted is used.
    """
    from keyring.backends.chainer import ChainerBackend

    links = store.backends if isinstance(store, ChainerBackend) else [store]
    return next((link for link in links if not _is_readable(link)), None)


def _is_readable(store: KeyringBackend) -> bool:
    return any(f"{kind.__module__}.".startswith(_READABLE) for kind in type(store).__mro__)
