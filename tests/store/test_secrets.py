"""Keys go to a key store that can be trusted, or stay in memory; never into a file, a text or a log."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast, get_args

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import chainer, fail, null
from keyring.errors import InitError, KeyringLocked, PasswordDeleteError, PasswordSetError

from conch_desktop.domain.errors import SecretError
from conch_desktop.domain.models import Provider
from conch_desktop.store import secrets as module
from conch_desktop.store.database import Database
from conch_desktop.store.providers import Providers
from conch_desktop.store.secrets import KeyStore, Secrets, State
from tests.store.conftest import StillClock

KEY = "sk-pier-7Q2M-0000-LOCAL"
PIER = Provider("p1", "openai", "Pier")
WITH_VARIABLE = Provider("p1", "openai", "Pier", key_env="PIER_KEY")


class InMemory(KeyringBackend):
    """A key store that works. It notes each call and the thread it came on."""

    priority: float = 5

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.asked: list[str] = []
        self.threads: set[threading.Thread] = set()

    def note(self, what: str) -> None:
        self.asked.append(what)
        self.threads.add(threading.current_thread())

    def get_password(self, service: str, username: str) -> str | None:
        self.note("get")
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.note("set")
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self.note("delete")
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError("No such password!")


class Readable(InMemory):
    """Stands for `keyrings.alt.file.PlaintextKeyring`: told by the name of its module."""

    priority = 0.5
    __module__ = "keyrings.alt.file"


class MadeFromReadable(Readable):
    """A class of somebody's own on top of one that can be read."""


class Mangling(InMemory):
    """Gives back something else."""

    def get_password(self, service: str, username: str) -> str | None:
        kept = super().get_password(service, username)
        return None if kept is None else kept[:8]


class Short(InMemory):
    """Takes only short keys, as the one of Windows does."""

    def set_password(self, service: str, username: str, password: str) -> None:
        if len(password) > 40:
            raise OSError(f"too long: {password}")
        super().set_password(service, username, password)


class Failing(InMemory):
    """Fails on one kind of call, with the key in the error's text."""

    def __init__(self, error: type[Exception], on: str = "set") -> None:
        super().__init__()
        self.error = error
        self.on = on

    def note(self, what: str) -> None:
        super().note(what)
        if what == self.on:
            raise self.error(f"could not do it with {KEY}")


def chain(*links: KeyringBackend) -> KeyringBackend:
    class Chain(chainer.ChainerBackend):
        backends = links

    return cast(KeyringBackend, Chain())  # type: ignore[no-untyped-call]


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[[KeyringBackend], Secrets]:
    def use(store: KeyringBackend) -> Secrets:
        monkeypatch.setattr(keyring, "get_keyring", lambda: store)
        return Secrets("conch-desktop")

    return use


STORES: list[tuple[str, Callable[[], KeyringBackend], State]] = [
    ("one that works", InMemory, "ok"),
    ("no back end", fail.Keyring, "none"),
    ("an unknown failure", lambda: Failing(OSError), "none"),
    ("a refused write", lambda: Failing(PasswordSetError), "none"),
    ("a read that fails", lambda: Failing(RuntimeError, "get"), "none"),
    ("one that never forgets", lambda: Failing(PasswordDeleteError, "delete"), "none"),
    ("a dismissed prompt", lambda: Failing(InitError), "locked"),
    ("a locked collection", lambda: Failing(KeyringLocked), "locked"),
    ("locked for reading", lambda: Failing(KeyringLocked, "get"), "locked"),
    ("the null back end", null.Keyring, "lossy"),
    ("one that mangles", Mangling, "lossy"),
    ("a readable file", Readable, "plaintext"),
    ("made from a readable file", MadeFromReadable, "plaintext"),
    ("a chain of readable files", lambda: chain(Readable(), MadeFromReadable()), "plaintext"),
    ("a chain with a readable file in front", lambda: chain(Readable(), InMemory()), "ok"),
    ("a chain whose trusted part is locked", lambda: chain(Failing(KeyringLocked), Readable()), "locked"),
]
BY_NAME = [pytest.param(make, state, id=name) for name, make, state in STORES]


@pytest.mark.parametrize(("make", "state"), BY_NAME)
async def test_a_key_store_is_tried_before_it_is_trusted(
    use: Callable[[KeyringBackend], Secrets], make: Callable[[], KeyringBackend], state: State
) -> None:
    found = await use(make()).probe()
    assert found.state == state
    assert found.text.endswith(".")
    assert bool(found.advice) == (state != "ok")


@pytest.mark.parametrize(("make", "state"), BY_NAME)
async def test_a_key_is_kept_as_well_as_it_can_be_and_can_be_used(
    use: Callable[[KeyringBackend], Secrets], make: Callable[[], KeyringBackend], state: State
) -> None:
    secrets = use(make())
    assert await secrets.keep("p1", KEY) == ("key store" if state == "ok" else "until you quit")
    assert await secrets.get(PIER) == KEY
    again = use(keyring.get_keyring())
    if state == "locked":
        with pytest.raises(SecretError):
            await again.get(PIER)
    else:
        assert await again.get(PIER) == (KEY if state == "ok" else None)


def test_every_state_has_its_words() -> None:
    assert set(module._TEXTS) == set(module._ADVICE) == set(get_args(State))
    if sys.platform == "linux":
        assert all("gnome-keyring" in module._ADVICE[state] for state in ("none", "lossy", "plaintext"))


async def test_a_readable_key_store_is_not_even_tried(use: Callable[[KeyringBackend], Secrets]) -> None:
    alone, behind, good = Readable(), Readable(), InMemory()
    await use(alone).keep("p1", KEY)
    await use(chain(behind, good)).keep("p1", KEY)
    assert alone.asked == behind.asked == []
    assert list(good.kept.values()) == [KEY]


async def test_a_probe_leaves_nothing_behind(use: Callable[[KeyringBackend], Secrets]) -> None:
    store = InMemory()
    await use(store).probe()
    assert store.asked == ["set", "get", "delete"]
    assert store.kept == {}


async def test_a_provider_has_one_entry_that_goes_with_it(use: Callable[[KeyringBackend], Secrets]) -> None:
    store = InMemory()
    secrets = use(store)
    await secrets.keep("p1", "an older key")
    await secrets.keep("p1", KEY)
    await secrets.keep("p2", "another")
    assert store.kept == {("conch-desktop", "p1"): KEY, ("conch-desktop", "p2"): "another"}
    await secrets.remove("p1")
    assert store.kept == {("conch-desktop", "p2"): "another"}
    assert await secrets.get(PIER) is None
    await secrets.remove("never kept")


async def test_two_profiles_have_keys_of_their_own(use: Callable[[KeyringBackend], Secrets]) -> None:
    secrets = use(InMemory())
    await secrets.keep("p1", KEY)
    assert await Secrets("conch-desktop (profile 3fa9)").get(PIER) is None


async def test_a_key_the_store_cannot_take_is_kept_until_the_end(use: Callable[[KeyringBackend], Secrets]) -> None:
    store = Short()
    secrets = use(store)
    long = KEY * 10
    assert await secrets.keep("p1", long) == "until you quit"
    assert await secrets.get(PIER) == long
    assert await secrets.keep("p1", KEY) == "key store"
    assert await secrets.get(PIER) == KEY
    assert store.kept == {("conch-desktop", "p1"): KEY}


async def test_memory_comes_before_the_environment_and_that_before_the_key_store(
    use: Callable[[KeyringBackend], Secrets], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Short()
    secrets = use(store)
    assert await secrets.get(WITH_VARIABLE) is None
    await secrets.keep("p1", "from the store")
    assert await secrets.get(WITH_VARIABLE) == "from the store"
    monkeypatch.setenv("PIER_KEY", " from the environment\n")
    assert await secrets.get(WITH_VARIABLE) == "from the environment"
    assert await secrets.get(PIER) == "from the store"
    await secrets.keep("p1", "from memory" * 10)
    assert await secrets.get(WITH_VARIABLE) == "from memory" * 10
    await secrets.remove("p1")
    assert await secrets.get(WITH_VARIABLE) == "from the environment"
    monkeypatch.setenv("PIER_KEY", "  ")
    assert await secrets.get(WITH_VARIABLE) is None


async def test_a_key_in_the_environment_needs_no_key_store(
    use: Callable[[KeyringBackend], Secrets], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Failing(KeyringLocked)
    monkeypatch.setenv("PIER_KEY", KEY)
    assert await use(store).get(WITH_VARIABLE) == KEY
    assert store.asked == []


async def test_a_locked_key_store_asks_once_and_not_for_every_provider(
    use: Callable[[KeyringBackend], Secrets],
) -> None:
    store = Failing(KeyringLocked)
    secrets = use(store)
    for found in await asyncio.gather(
        *(secrets.get(Provider(f"p{n}", "openai", "")) for n in range(4)), return_exceptions=True
    ):
        assert isinstance(found, SecretError)
        assert "locked" in found.what
        assert found.advice
    with pytest.raises(SecretError, match="locked"):
        await secrets.remove("p1")
    assert store.asked == ["set"]
    store.on = "nothing any more"
    assert (await secrets.probe()).state == "ok"
    assert await secrets.get(PIER) is None


async def test_a_key_store_that_gets_locked_later_is_told_too(use: Callable[[KeyringBackend], Secrets]) -> None:
    store = Failing(KeyringLocked, on="")
    secrets = use(store)
    await secrets.keep("p1", KEY)
    store.on = "get"
    for _ in range(2):
        with pytest.raises(SecretError):
            await secrets.get(PIER)
    assert store.asked.count("get") == 3  # the probe, the read after writing, and one that found it locked


async def test_a_key_store_is_never_asked_on_the_loop_and_never_twice_at_once(
    use: Callable[[KeyringBackend], Secrets],
) -> None:
    running: list[int] = [0]
    most: list[int] = [0]

    class Slow(InMemory):
        def note(self, what: str) -> None:
            super().note(what)
            running[0] += 1
            most[0] = max(most[0], running[0])
            time.sleep(0.01)
            running[0] -= 1

    store = Slow()
    secrets = use(store)
    await asyncio.gather(*(secrets.keep(f"p{n}", KEY) for n in range(5)), secrets.probe())
    assert most == [1]
    assert threading.current_thread() not in store.threads


async def test_a_key_store_that_never_answers_counts_as_locked(
    use: Callable[[KeyringBackend], Secrets], monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = threading.Event()

    class Stuck(InMemory):
        def note(self, what: str) -> None:
            super().note(what)
            hold.wait(10)

    monkeypatch.setattr(module, "PATIENCE", 0.05)
    secrets = use(Stuck())
    assert (await secrets.probe()).state == "locked"
    assert await secrets.keep("p1", KEY) == "until you quit"
    hold.set()


async def test_a_wait_that_is_cancelled_does_no_harm(use: Callable[[KeyringBackend], Secrets]) -> None:
    secrets = use(InMemory())
    task = asyncio.create_task(secrets.keep("p1", KEY))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert await secrets.keep("p1", KEY) == "key store"


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        cwd=Path(__file__).parents[2],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_keyring_is_not_imported_before_a_key_store_is_used() -> None:
    done = run(
        """
        import sys
        from conch_desktop.store.secrets import Secrets
        Secrets("conch-desktop")
        print([name for name in sys.modules if name.split(".")[0] in ("keyring", "secretstorage", "jeepney")])
        """
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_the_program_ends_while_a_key_store_waits_for_a_password() -> None:
    begin = time.monotonic()
    done = run(
        """
        import asyncio, keyring, time
        from conch_desktop.store.secrets import Secrets

        class Asking:
            def set_password(self, *_):
                print("asking", flush=True)
                time.sleep(60)

        keyring.get_keyring = Asking

        async def main():
            task = asyncio.create_task(Secrets("conch-desktop").probe())
            await asyncio.sleep(0.3)

        asyncio.run(main())
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "asking\n", "")
    assert time.monotonic() - begin < 20


@pytest.mark.parametrize("backend", ["no.such.module", "keyring.backends.null.Keyring", "os.getcwd"])
def test_a_back_end_named_in_the_environment_is_tried_like_any_other(backend: str) -> None:
    done = run(
        """
        import asyncio
        from conch_desktop.store.secrets import Secrets
        print(asyncio.run(Secrets("conch-desktop").probe()).state)
        """,
        PYTHON_KEYRING_BACKEND=backend,
    )
    assert (done.stdout, done.stderr) == ("lossy\n" if "null" in backend else "none\n", "")


@pytest.mark.parametrize(
    "store",
    [Failing(RuntimeError), Failing(PasswordSetError), Failing(KeyringLocked), Failing(RuntimeError, "get"), Short()],
)
async def test_a_key_is_in_no_text(
    use: Callable[[KeyringBackend], Secrets],
    store: KeyringBackend,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    asyncio.get_running_loop().set_debug(True)
    secrets = use(InMemory())
    await secrets.probe()
    use(store)
    said: list[object] = [secrets, await secrets.probe(), await secrets.keep("p1", KEY * 3), module._Answer("ok", KEY)]
    use(Failing(KeyringLocked, "set"))
    for attempt in (secrets.probe(), secrets.get(Provider("p2", "openai", "")), secrets.remove("p2")):
        try:
            said.append(await attempt)
        except SecretError as error:
            said += [error, error.what, error.advice, error.__cause__, error.__context__]
    everything = "".join(f"{thing!r} {thing}" for thing in said) + caplog.text + "".join(capfd.readouterr())
    assert KEY not in everything


@pytest.mark.parametrize(("make", "state"), BY_NAME)
async def test_no_file_of_the_profile_holds_a_key(
    use: Callable[[KeyringBackend], Secrets],
    make: Callable[[], KeyringBackend],
    state: State,
    tmp_path: Path,
    clock: StillClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.chdir(tmp_path)
    database = await Database.open(tmp_path / "conch.sqlite3", clock)
    secrets = use(make())
    await Providers(database, clock).add(PIER)
    await secrets.probe()
    await secrets.keep(PIER.id, KEY)
    assert await secrets.get(PIER) == KEY
    while_running = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    await database.aclose()
    after = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert while_running
    assert after
    assert not any(b"7Q2M" in content for content in while_running + after)


def test_a_key_store_is_described_without_a_key() -> None:
    assert repr(KeyStore("ok", "text")) == "KeyStore(state='ok', text='text', advice='')"
