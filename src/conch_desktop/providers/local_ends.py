"""What it means that the child with the model on this computer ended, in a sentence with what to do."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Sequence

from conch_desktop.domain.errors import LocalModelError

PACKAGE = "xllamacpp==2026.10.11549"
"""The server, as `pyproject.toml` pins it in the extra `local`."""

_OLD_PROCESSOR = {-4, 132, 0xC000001D, 0xC000001D - (1 << 32)}
"""How an illegal instruction shows: SIGILL, or Windows' status."""

_SIGNALS = {number.value: number.name for number in signal.Signals}

_REASONS: Sequence[tuple[str, str, str]] = (
    (
        r"libgomp",
        "The model on this computer needs a system library, libgomp.",
        "Install it (on Debian: apt install libgomp1), then try again.",
    ),
    (r"glibc|libc\.so", "This system is too old for the server of the model on this computer.", "Choose a provider."),
    (
        r"no module named",
        "The server of the model on this computer is not installed.",
        f"Install it: {sys.executable} -m pip install {PACKAGE}",
    ),
    (
        r"bad_alloc|out of memory|failed to allocate|unable to allocate|cannot allocate",
        "There is not enough memory for {file}.",
        "Close other programs, or choose a smaller model file.",
    ),
    (
        r"error loading model|failed to load model|failed to init server|gguf_init|invalid magic|corrupted",
        "{file} can't be used as a model: {cause}.",
        "Fetch it again, or choose another GGUF file.",
    ),
)


def death(file: str, when: str, code: int | None, lines: Sequence[str]) -> LocalModelError:
    """The sentence for an exit code and the last lines on stderr."""
    if code in _OLD_PROCESSOR:
        return LocalModelError(
            "This computer's processor is too old for the server of its model: it lacks AVX2.",
            "Choose a provider, or run a server of your own, such as Ollama.",
        )
    if code == -9:
        return LocalModelError(
            f"The system ended the model on this computer {when}, most likely for lack of memory.",
            "Close other programs, or choose a smaller model file.",
        )
    said = "\n".join(lines)
    for words, what, advice in _REASONS:
        if re.search(words, said, re.IGNORECASE):
            return LocalModelError(what.format(file=file, cause=_cause(lines).rstrip(".")), advice)
    how = f"crashed ({_SIGNALS[-code]})" if code is not None and -code in _SIGNALS else f"ended (status {code})"
    cause = f" It said: “{said_last}”" if (said_last := _cause(lines)) else ""
    return LocalModelError(f"The model on this computer {how} {when}.{cause}", "Try again. It is started anew.")


def _cause(lines: Sequence[str]) -> str:
    """The line that says most about a fault, without what stands before it in a log."""
    telling = [line for line in lines if re.search(r"error|fail|invalid|corrupt", line, re.IGNORECASE)]
    best = next((line for line in telling if "error loading model" in line), telling[0] if telling else "")
    return re.sub(
        r"^.*error loading model: ", "", best or next((line for line in reversed(lines) if line), "")
    ).strip()[:240]
