"""The objects in which models name a tool and its arguments, and what is no call although it looks like one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from conch_desktop.domain.calls import Json
from conch_desktop.words import advice
from conch_desktop.words.block_json import BlockJson, read_block_json
from conch_desktop.words.formats import ARGUMENT_KEYS, NAME_KEYS, OTHER_KEYS
from conch_desktop.words.names import Names


@dataclass(frozen=True, slots=True)
class Shape:
    """One call as it was written: the tool it names and its arguments, or in `fault` why it is none.

    `whole`: its arguments are there. `plain`: nothing is there but a name, arguments and what belongs to them.
    `definition`: it describes a tool and calls none.
    """

    name: str = ""
    arguments: Json = None
    fault: str = ""
    whole: bool = True
    plain: bool = True
    definition: bool = False


def shapes(value: Json, names: Names) -> list[Shape]:
    """Every call in `value`: an object, a list of them, or OpenAI's lists and functions, two levels deep."""
    return list(_shapes(value, names, 0))


def _shapes(value: Json, names: Names, level: int) -> Iterator[Shape]:
    if isinstance(value, list) and level < 2:
        for item in value:
            yield from _shapes(item, names, level + 1)
    elif isinstance(value, dict) and isinstance(value.get("tool_calls"), list) and level < 2:
        yield from _shapes(value["tool_calls"], names, level + 1)
    elif isinstance(value, dict):
        yield _shape(value, names)
    else:
        yield Shape(fault=advice.unreadable(names, "there is no JSON object in it"), plain=False)


def _shape(value: Mapping[str, Json], names: Names) -> Shape:
    outer = value
    if isinstance(value.get("function"), dict):
        value = value["function"]
    key = next((key for key in NAME_KEYS if isinstance(value.get(key), str)), None)
    if key is None:
        return _named_by_key(value, names)
    said = value[key]
    name = names.find(said)
    given = next((key for key in ARGUMENT_KEYS if key in value), None)
    arguments = value[given] if given else _beside(value, key)
    if _defines(value, given, arguments):
        return Shape(name or said, None, advice.unreadable(names, "it describes a tool"), definition=True)
    if name is None:
        return Shape(said, arguments, advice.unknown(names, said))
    beside = {*outer, *value} - {key, given, *OTHER_KEYS, "function"}
    plain = not beside and (given is not None or len(value) == 1)
    arguments = {} if arguments is None or arguments == "" else arguments
    return Shape(name, arguments, _fault(name, arguments, names), given is not None, plain)


def _named_by_key(value: Mapping[str, Json], names: Names) -> Shape:
    """`{"remember": {"content": …}}`: the only key is the tool's name."""
    if len(value) == 1:
        ((key, arguments),) = value.items()
        if (name := names.find(key)) is not None and isinstance(arguments, dict):
            return Shape(name, arguments, plain=False)
    return Shape(fault=advice.nameless(names), plain=False)


def _beside(value: Mapping[str, Json], key: str) -> Json:
    """Arguments that were written beside the name."""
    return {name: item for name, item in value.items() if name != key and name not in OTHER_KEYS}


def _defines(value: Mapping[str, Json], given: str | None, arguments: Json) -> bool:
    """Whether it is a tool's definition: a schema where the arguments would be."""
    if "input_schema" in value:
        return True
    if given is None:
        return "description" in value and value.keys() <= {*NAME_KEYS, *OTHER_KEYS, "description"}
    if not isinstance(arguments, dict) or not isinstance(arguments.get("properties"), dict):
        return False
    return arguments.get("type") == "object" and (given == "parameters" or "description" in value)


def _fault(name: str, arguments: Json, names: Names) -> str:
    if isinstance(arguments, dict):
        return ""
    if isinstance(arguments, str):
        read = read_block_json(arguments, "whole")
        if isinstance(read, BlockJson) and len(read.values) == 1 and isinstance(read.values[0], dict):
            return ""
    return advice.broken(names, name, "its arguments are no JSON object")
