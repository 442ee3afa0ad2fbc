"""Reads the text form of programs."""

from __future__ import annotations

import re
from collections.abc import Callable

from hamlet.numbers.binary32 import round32
from hamletc.ir.function import Function, Node, Origin, Output, Program, Table
from hamletc.ir.ops import OPS, Const, Element, Fold, Input, Lookup, Op
from hamletc.ir.printer import mnemonic
from hamletc.ir.types import Type

_OPS: dict[str, type[Op]] = {mnemonic(op): op for op in OPS}
_NAME = r"(?:`[^`]*`|[^`\s\[=,]+)"
_NODE = re.compile(r"  %(\d+): (\w+) = (\w+) ((?:`[^`]*`|[^`;])*)  ; (.*) :(\d+)(?:@(\d+))?")
_ARGUMENT = re.compile(r"(?:`[^`]*`|[^`,])+")
_GIVEN = re.compile(rf"({_NAME})=(%\d+)")
_OUTPUT = re.compile(rf"  output ({_NAME})(?:\[(\d+)\])? = %(\d+)")
_TABLE = re.compile(r"table (\S+): (\w+) = (.*)")
_UNIVERSE = re.compile(r"universe (.+)")
_FUNCTION = re.compile(r"function (\S+) \{")


class ParseError(Exception):
    """A line is not the text form of anything; the message has its number."""


def parse_program(text: str) -> Program:
    """The program that `print_program` printed so. It is not verified.

    Raises:
        ParseError: the text is no program.
    """
    lines = _Lines(text)
    (universe,) = lines.take(_UNIVERSE)
    tables = []
    while lines.ahead(_TABLE):
        tables.append(_table(lines))
    functions = []
    while lines.more():
        lines.skip_blank()
        functions.append(_function(lines))
    return Program(universe, tuple(functions), tuple(tables))


def parse_function(text: str) -> Function:
    """The function that `print_function` printed so. It is not verified.

    Raises:
        ParseError: the text is no function.
    """
    return _function(_Lines(text))


class _Lines:
    """The lines of a text and how far they have been read."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.number = 0

    def more(self) -> bool:
        return any(self.lines[self.number :])

    def ahead(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The match of the next line, which stays unread."""
        return pattern.fullmatch(self.lines[self.number]) if self.number < len(self.lines) else None

    def take(self, pattern: re.Pattern[str]) -> tuple[str, ...]:
        """The groups of the next line, which is read."""
        match = self.ahead(pattern)
        if match is None:
            raise self.error("unexpected")
        self.number += 1
        return match.groups()

    def skip_blank(self) -> None:
        if self.lines[self.number] == "":
            self.number += 1

    def error(self, problem: str) -> ParseError:
        line = self.lines[self.number] if self.number < len(self.lines) else "end of text"
        return ParseError(f"line {self.number + 1}: {problem}: {line}")


def _function(lines: _Lines) -> Function:
    (name,) = lines.take(_FUNCTION)
    nodes: list[Node] = []
    while lines.ahead(_NODE):
        nodes.append(_node(lines, len(nodes)))
    outputs = []
    while lines.ahead(_OUTPUT):
        output, count, value = lines.take(_OUTPUT)
        outputs.append(Output(output.strip("`"), int(value), None if count is None else int(count)))
    lines.take(re.compile(r"\}"))
    return Function(name, tuple(nodes), tuple(outputs))


def _node(lines: _Lines, expected: int) -> Node:
    match = lines.ahead(_NODE)
    assert match is not None
    number, type_name, name, arguments, construct, line, file = match.groups()
    if int(number) != expected:
        raise lines.error(f"expected %{expected}")
    try:
        type_ = Type(type_name)
        op = _operation(_OPS[name], type_, [each.strip() for each in _ARGUMENT.findall(arguments)])
    except (KeyError, ValueError, TypeError):
        raise lines.error("not an operation") from None
    lines.take(_NODE)
    return Node(op, type_, Origin(construct, int(line), int(file or 0)))


def _operation(kind: type[Op], type_: Type, arguments: list[str]) -> Op:
    if kind is Const:
        return Const(type_, _literal(type_, *arguments))
    if kind is Input:
        (source,) = arguments
        return Input(type_, source.strip("`"))
    if kind is Element:
        (output,) = arguments
        return Element(output.strip("`"))
    if kind is Lookup:
        table, index = arguments
        return Lookup(table, _value(index))
    if kind is Fold:
        function, output, count, *rest = arguments
        given = [match for each in rest if (match := _GIVEN.fullmatch(each))]
        names, values = tuple(m[1].strip("`") for m in given), tuple(_value(m[2]) for m in given)
        tables = tuple(rest[: len(rest) - len(given)])
        return Fold(function, output.strip("`"), int(count), names, tables, values)
    make: Callable[..., Op] = kind
    return make(*(_value(argument) for argument in arguments))


def _value(text: str) -> int:
    if not text.startswith("%"):
        raise ValueError(text)
    return int(text[1:])


def _literal(type_: Type, text: str) -> float | int | bool:
    match type_:
        case Type.F32:
            return round32(float(text))
        case Type.BOOL:
            return {"true": True, "false": False}[text]
        case _:
            return int(text)


def _table(lines: _Lines) -> Table:
    match = lines.ahead(_TABLE)
    assert match is not None
    name, type_name, values = match.groups()
    try:
        type_ = Type(type_name)
        table = Table(name, type_, tuple(_literal(type_, value) for value in values.split(", ")))
    except (KeyError, ValueError):
        raise lines.error("not a table") from None
    lines.take(_TABLE)
    return table
