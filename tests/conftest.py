"""What holds for every test: no screen, no key store, none of the person's own data, keys or chats."""

from __future__ import annotations

import importlib.util
import itertools
import os
import platform
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("conch", deadline=None)  # a busy computer is no fault; what has to be quick is measured
settings.load_profile("conch")

pytest_plugins = ["tests.watchdog"]

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before Qt is imported; tests on a virtual screen set it for their child
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a program that was started before has its bytecode beside it
for _name in [name for name in os.environ if name.endswith("_API_KEY")]:
    del os.environ[_name]

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # started in the background of a shell; children inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

_OWN_FOLDERS = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
"""Not the cache: there fontconfig keeps what takes seconds to find out again."""


def _real_model() -> Path | None:
    from conch_desktop.providers.model_file import small_model_path

    return small_model_path()


_MODEL = _real_model()  # found before the folders change; it is large, so tests share the one that was fetched
_HOMES = Path(tempfile.mkdtemp(prefix="conch-tests-"))
_NUMBERS = itertools.count()


def _own_folders() -> dict[str, str]:
    """Fresh folders of which only the model's is not empty: it leads to the one that was fetched."""
    home = _HOMES / str(next(_NUMBERS))
    if _MODEL is not None:
        models = home / "XDG_DATA_HOME" / "conch-desktop" / "models"
        models.mkdir(parents=True)
        (models / _MODEL.name).symlink_to(_MODEL)
    return {name: str(home / name) for name in _OWN_FOLDERS}


os.environ.update(_own_folders())  # for what is done while tests are collected


@pytest.fixture(autouse=True)
def _own_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test starts as on a computer where the program never ran."""
    for name, folder in _own_folders().items():
        monkeypatch.setenv(name, folder)


@pytest.fixture(scope="session", autouse=True)
def _sweep() -> Iterator[None]:
    yield
    shutil.rmtree(_HOMES, ignore_errors=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--long` is how `python3 conch.py test --long` arrives here."""
    parser.addoption("--long", action="store_true", help="run the long tier too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the long tier out unless it is asked for. A figure that something else disturbed is measured again."""
    for item in items:
        if item.get_closest_marker("figures"):
            item.add_marker(pytest.mark.flaky(reruns=5))
    if config.getoption("--long"):
        return
    long = [item for item in items if item.get_closest_marker("long")]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if not item.get_closest_marker("long")]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test whose tool is missing fails where the set-up brings that tool, so that it never counts as passed."""
    lacking = ""
    if item.get_closest_marker("local_model") and (_MODEL is None or importlib.util.find_spec("xllamacpp") is None):
        lacking = "the model on this computer"
    if item.get_closest_marker("xvfb") and shutil.which("Xvfb") is None:
        lacking = "Xvfb"
    if lacking and sys.platform == "linux" and platform.machine() == "x86_64":
        pytest.fail(f"{lacking} is missing; `python3 conch.py setup --test` brings it", pytrace=False)
    if lacking:
        pytest.skip(f"{lacking} is missing here")
