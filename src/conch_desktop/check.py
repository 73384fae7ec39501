"""`conch-desktop check`: the readers, on data (DESIGN 4.1). JSON lines in, JSON lines out, in order."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from conch_desktop.schemas.values import sendable

Case = Mapping[str, Any]
Reader = Callable[[Case, argparse.Namespace], Case]

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


def _args(case: Case, _: argparse.Namespace) -> Case:
    from conch_desktop.calls.cases import read_case

    return read_case(case)


def _schemas(case: Case, options: argparse.Namespace) -> Case:
    from conch_desktop.schemas.reader import check_schema

    return check_schema(case, options)


def _refusals(case: Case, _: argparse.Namespace) -> Case:
    from conch_desktop.providers.checking import refusal

    return refusal(case)


def _streams(case: Case, _: argparse.Namespace) -> Case:
    from conch_desktop.providers.checking import stream

    return stream(case)


def _words(case: Case, options: argparse.Namespace) -> Case:
    from conch_desktop.words.cases import words_case

    return words_case(case, options.cut)


def _render(case: Case, _: argparse.Namespace) -> Case:
    from conch_desktop.words.cases import render_case

    return render_case(case)


def _listing(case: Case, _: argparse.Namespace) -> Case:
    from conch_desktop.words.cases import listing_case

    return listing_case(case)


READERS: dict[str, Reader] = {
    "args": _args,
    "schemas": _schemas,
    "refusals": _refusals,
    "streams": _streams,
    "words": _words,
    "render": _render,
    "listing": _listing,
}
"""What reads each kind. A reader imports its part of the program when it is used."""


def main(arguments: Sequence[str]) -> int:
    """Runs one reader over a file or standard input; 2 for a file that can't be read or a line that is no JSON."""
    options = _parser().parse_args(arguments)
    if options.kind == "schemas" and options.dialect is None:
        sys.stderr.write("check schemas needs --dialect gemini, anthropic, strict or permissive.\n")
        return 2
    reader = READERS[options.kind]
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
                sys.stdout.write(_written(answer) + "\n")
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
            case = _read(line)
        except ValueError as error:
            raise ValueError(f"Line {number} is no JSON: {error}.") from None
        if not isinstance(case, dict):
            raise ValueError(f"Line {number} is no JSON object.")
        try:
            answer = reader(case, options)
        except Exception as error:  # a case is data from anywhere, and the lines after it have a right to an answer
            answer = {"error": f"This case can't be read: {type(error).__name__}: {error}"}
        yield {"id": case.get("id"), **answer}


def _read(line: str) -> Any:
    """The JSON of a line, also one that nests deeper or holds a longer number than Python reads."""
    try:
        return json.loads(line)
    except RecursionError:
        return json.loads(_shallow(line))
    except json.JSONDecodeError:
        raise
    except ValueError:  # more digits than int() takes
        return json.loads(line, parse_int=float)


_DEEPEST = 300
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')


def _shallow(line: str) -> str:
    """The line with `null` for what is nested too deep."""
    kept: list[str] = []
    depth = start = 0
    for token in _TOKENS.finditer(line):
        if token[0] in "[{":
            depth += 1
            if depth == _DEEPEST:
                kept.append(line[start : token.start()] + "null")
        elif token[0] in "]}":
            if depth == _DEEPEST:
                start = token.end()
            depth -= 1
    return "".join([*kept, line[start:]])


def _written(answer: Mapping[str, Any]) -> str:
    """An answer as a line of JSON. Half a surrogate pair can't be written as UTF-8, but it can be escaped."""
    text = json.dumps(answer, ensure_ascii=False)
    return text if sendable(text) else json.dumps(answer)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("conch-desktop check", description="The readers, on data: JSON lines in and out.")
    parser.add_argument("kind", choices=sorted(KINDS))
    parser.add_argument("file", nargs="?", default="-", help="JSON lines; standard input without")
    parser.add_argument("--dialect", choices=["gemini", "anthropic", "strict", "permissive"], help="for schemas")
    parser.add_argument("--cut", type=int, metavar="N", help="for words: N characters a piece")
    return parser
