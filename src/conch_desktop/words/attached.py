"""A file that a person attached, as a model reads it: a block with its name that nothing in it can close or forge."""

from __future__ import annotations

from functools import lru_cache

from conch_desktop.words.harmless import harmless

OPEN, CLOSE = "<attached_file", "</attached_file>"


@lru_cache(maxsize=8)  # the same files go with every request of a turn
def written_file(name: str, text: str) -> str:
    """The block. `text` is the file's, as much of it as the model gets."""
    return f'{OPEN} name="{_plain(name)}">\n{harmless(text)}\n{CLOSE}'


def written_picture(name: str) -> str:
    """The line that says which picture goes with the message."""
    return f"[Attached picture: {_plain(name)}]"


def _plain(name: str) -> str:
    return harmless(" ".join(name.replace('"', "'").split())).replace(">", "").replace("]", "")
