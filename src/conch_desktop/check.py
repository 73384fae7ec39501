"""`conch-desktop check`: the readers, on data (DESIGN 4.1). JSON lines in, JSON lines out, in order.

A reader is added here with the part of the program it belongs to; until then its name answers so.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

Reader = Callable[[Mapping[str, Any], argparse.Namespace], Mapping[str, Any]]

KINDS: dict[str, str] = {
    "args": "reading a call's arguments",
    "schemas": "converting a schema to a provider's dialect",
    "refusals": "telling refusals apart",
    "streams": "putting an answer together from what arrives",
    "words": "reading calls from a model's words",
    "render": "writing calls and answers in words",
    "listing": "listing tools in words",
}
"""Every kind of the contract and what it does."""


def read_args(case: Mapping[str, Any], options: argparse.Namespace) -> Mapping[str, Any]:
    """`check args`: reads, normalises and checks the arguments of one call."""
    from conch_desktop.calls.cases import read_case

    return read_case(case)


def read_words(case: Mapping[str, Any], options: argparse.Namespace) -> Mapping[str, Any]:
    """`check words`: what becomes of a model's answer."""
    from conch_desktop.words.cases import words_case

    return words_case(case, options.cut)


def write_words(case: Mapping[str, Any], options: argparse.Namespace) -> Mapping[str, Any]:
    """`check render`: what is written for a model."""
    from conch_desktop.words.cases import render_case

    return render_case(case)


def list_tools(case: Mapping[str, Any], options: argparse.Namespace) -> Mapping[str, Any]:
    """`check listing`: the list of tools that fits a window."""
    from conch_desktop.words.cases import listing_case

    return listing_case(case)


READERS: dict[str, Reader] = {
    "args": read_args,
    "words": read_words,
    "render": write_words,
    "listing": list_tools,
}
"""The kinds that exist in this version."""


def main(arguments: Sequence[str]) -> int:
    """Runs one reader over a file or standard input; 2 for a kind that is not there or a line that is no JSON."""
    options = _parser().parse_args(arguments)
    reader = READERS.get(options.kind)
    if reader is None:
        sys.stderr.write(f"check {options.kind} ({KINDS[options.kind]}) is not part of this version yet.\n")
        return 2
    with ExitStack() as stack:
        lines: Iterable[str] = sys.stdin
        if options.file != "-":
            try:
                lines = stack.enter_context(open(options.file, encoding="utf-8"))  # noqa: PTH123 - a name, maybe "-"
            except OSError as error:
                sys.stderr.write(f"{options.file} can't be read: {error.strerror}.\n")
                return 2
        try:
            for answer in run(reader, lines, options):
                sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
        except ValueError as error:
            sys.stderr.write(f"{error}\n")
            return 2
    return 0


def run(reader: Reader, lines: Iterable[str], options: argparse.Namespace) -> Iterator[Mapping[str, Any]]:
    """One answer for each line, with the line's `id`. Raises `ValueError` for a line that is no JSON object."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            case = json.loads(line)
        except ValueError as error:
            raise ValueError(f"Line {number} is no JSON: {error}.") from None
        if not isinstance(case, dict):
            raise ValueError(f"Line {number} is no JSON object.")
        yield {"id": case.get("id"), **reader(case, options)}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("conch-desktop check", description="The readers, on data: JSON lines in and out.")
    parser.add_argument("kind", choices=sorted(KINDS))
    parser.add_argument("file", nargs="?", default="-", help="JSON lines; standard input without")
    parser.add_argument("--dialect", choices=["gemini", "anthropic", "strict", "permissive"], help="for schemas")
    parser.add_argument("--cut", type=int, metavar="N", help="for words: N characters a piece")
    return parser
