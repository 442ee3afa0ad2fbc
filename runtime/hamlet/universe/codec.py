"""A universe as JSON and back: the file `universe.json` of a generated package.

Every node is an object that names its class under `kind`, then its fields in the order of the dataclass; a span is a
list of four numbers, or of five where its file is not the first; a binary32 number has its shortest spelling. A field
whose class gives it the default `None`, `()` or `False` is left out where it is that, so that packages keep their
bytes when the language grows. One universe has exactly one text, whatever wrote it. A node that fits on a line stands
on one line, so that files can be read and compared line by line.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import types
import typing
from typing import NoReturn

import hamlet.universe
from hamlet.numbers.binary32 import canonical32, spell32
from hamlet.recursion import allow_deep_trees
from hamlet.strict_json import parsed
from hamlet.universe import Span, Universe
from hamlet.universe.sound import check_sound

LINE_WIDTH = 120
NAMES = {str: "a string", int: "an integer", float: "a number with a point", bool: "true or false"}

Json: typing.TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"


class CodecError(ValueError):
    """A text that is not the JSON of a universe. The message names the place, as in `meters[2].low`."""


# --- writing ---------------------------------------------------------------------------------------------------------


def to_json(universe: Universe) -> str:
    """The canonical text of a universe, with a newline at its end.

    Raises:
        ValueError: a number of the universe is infinite or not a number.
    """
    return _write(universe, 0) + "\n"


def _write(value: object, indent: int) -> str:
    match value:
        case Span():
            numbers = (value.line, value.column, value.end_line, value.end_column)
            return json.dumps(numbers if value.file == 0 else (*numbers, value.file))
        case float():
            return spell32(value)
        case bool() | int() | str() | None:
            return json.dumps(value)
        case tuple():
            return _join("[", [_write(item, indent + 2) for item in value], "]", indent)
        case _:
            kind = type(value).__name__
            default = _optional(kind)
            said = [n for n in _fields(kind) if n not in default or getattr(value, n) != default[n]]
            members = [f'"{name}": {_write(getattr(value, name), indent + 2)}' for name in said]
            return _join("{", [f'"kind": "{kind}"', *members], "}", indent)


def _join(opening: str, parts: list[str], closing: str, indent: int) -> str:
    """The parts on one line where they fit, else a line for each."""
    line = opening + ", ".join(parts) + closing
    if "\n" not in line and indent + len(line) <= LINE_WIDTH:
        return line
    space = "\n" + " " * indent
    return opening + ",".join(space + "  " + part for part in parts) + space + closing


@functools.cache
def _fields(kind: str) -> dict[str, object]:
    """The fields of a node class in order, with their types."""
    return typing.get_type_hints(getattr(hamlet.universe, kind))


@functools.cache
def _optional(kind: str) -> dict[str, object]:
    """The fields of a node class that are left out where they are `None`, `()` or `False`, and which of these it is."""
    fields = dataclasses.fields(getattr(hamlet.universe, kind))
    return {field.name: field.default for field in fields if field.default in (None, (), False)}


# --- reading ---------------------------------------------------------------------------------------------------------


def from_json(text: str) -> Universe:
    """The universe of a text that `to_json` wrote; exactly the same one.

    Raises:
        CodecError: the text is not JSON, or a key or a value is missing, unknown or of the wrong type;
            or it is no universe that a compiler makes, see `hamlet.universe.sound`.
    """
    allow_deep_trees()
    try:
        universe = _read(parsed(text), Universe, "")
        assert isinstance(universe, Universe)
        check_sound(universe)
    except RecursionError:
        raise CodecError("nested too deeply") from None
    except CodecError:
        raise
    except ValueError as error:
        raise CodecError(str(error)) from None
    return universe


def _fail(path: str, expected: str, value: Json) -> NoReturn:
    text = json.dumps(value)
    text = text if len(text) <= 60 else text[:57] + "..."
    raise CodecError(f"{path or 'the universe'}: expected {expected}, found {text}")


def _read(value: Json, expected: object, path: str) -> object:
    """The value of a type hint: a class, a union, a tuple or a literal."""
    origin, arguments = typing.get_origin(expected), typing.get_args(expected)
    if origin is typing.Literal:
        if value not in arguments:
            _fail(path, "one of " + ", ".join(map(str, arguments)), value)
        return value
    if origin is tuple:
        if not isinstance(value, list):
            _fail(path, "a list", value)
        return tuple(_read(item, arguments[0], f"{path}[{index}]") for index, item in enumerate(value))
    if origin in (types.UnionType, typing.Union):
        return _read_union(value, arguments, path)
    assert isinstance(expected, type)
    if expected is Span:
        numbers = [item for item in value if type(item) is int] if isinstance(value, list) else []
        if not isinstance(value, list) or len(value) != len(numbers) or not _is_span(numbers):
            _fail(path, "a span of four integers, or of five with the last not 0", value)
        return Span(*numbers)
    if dataclasses.is_dataclass(expected):
        return _read_union(value, (expected,), path)
    if type(value) is not expected:
        _fail(path, NAMES[expected], value)
    if isinstance(value, float):
        return _read_number(value, path)
    return value


def _is_span(numbers: list[int]) -> bool:
    return len(numbers) == 4 or (len(numbers) == 5 and numbers[4] > 0)


def _read_number(value: float, path: str) -> float:
    try:
        canonical = canonical32(value)
    except (OverflowError, ValueError):
        raise CodecError(f"{path}: {value!r} is too large for binary32") from None
    if canonical != value:
        raise CodecError(f"{path}: {value!r} is not the shortest spelling of a binary32 number ({canonical!r} is)")
    return value


def _read_union(value: Json, options: tuple[object, ...], path: str) -> object:
    """A value of one of several types: node classes, told apart by `kind`, one other type, and null."""
    if value is None and type(None) in options:
        return None
    kinds = {node.__name__: node for node in options if isinstance(node, type) and dataclasses.is_dataclass(node)}
    others = [option for option in options if option is not type(None) and option not in kinds.values()]
    if others and not (kinds and isinstance(value, dict)):
        (option,) = others
        return _read(value, option, path)
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(kind, str) or kind not in kinds:
        _fail(path, "a node of kind " + " or ".join(kinds), value)
    hints = _fields(kind)
    for name in value:
        if name != "kind" and name not in hints:
            raise CodecError(f"{path or 'the universe'}: {kind} has no {name!r}")
    for name in hints:
        if name not in value and name not in _optional(kind):
            raise CodecError(f"{path or 'the universe'}: {kind} lacks {name!r}")
        if name in _optional(kind) and name in value and value[name] == ([] if _optional(kind)[name] == () else None):
            empty = "empty" if _optional(kind)[name] == () else "null"
            raise CodecError(f"{path or 'the universe'}: {kind} leaves out {name!r} where it is {empty}")
    present = {name: hint for name, hint in hints.items() if name in value}
    members = {name: _read(value[name], hint, f"{path}.{name}".lstrip(".")) for name, hint in present.items()}
    return kinds[kind](**members)
