"""The text form of programs, one node per line, and its reader: what is printed is read back exactly.

%12: f32 = add %3, %7  ; rules: cascade `hunger_sickens` :31

A line of another source than the first has that one's number: `:31@1`. A name with other characters than letters,
digits, `_`, `.` and `#` stands in backticks. Under a table whose values have origins is a line for each that has one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from hamlet.numbers.binary32 import round32, spell32
from hamletc.ir.function import (
    PHASES,
    REDUCTION_OPS,
    STAGES,
    STANDING,
    Construct,
    Function,
    Node,
    Origin,
    Output,
    Phase,
    Program,
    Reduction,
    Table,
)
from hamletc.ir.operands import operands
from hamletc.ir.ops import OPS, Const, Element, Fetch, Fold, Input, Lookup, Op, Order, Select, Type

PLAIN_NAME = re.compile(r"[A-Za-z_][\w.#]*", re.ASCII)
MNEMONICS: dict[type[Op], str] = {op: re.sub(r"(?<=[a-z])(?=[A-Z])", "_", op.__name__).lower() for op in OPS}
"""The names of operations in the text: `MulHigh` is `mul_high`."""
_OPS = {name: op for op, name in MNEMONICS.items()}
_NAME = r"(?:`[^`]*`|[^`\s\[=,]+)"
_NODE = re.compile(r"  %(\d+): (\w+) = (\w+) ((?:`[^`]*`|[^`;])*)  ; (.*)")
_ORIGIN = re.compile(r"(\w+):(?: ([^`:]+?))?(?: `([^`]*)`)? :(\d+)(?:@(\d+))?")
_ARGUMENT = re.compile(r"(?:`[^`]*`|[^`,])+")
_GIVEN = re.compile(rf"({_NAME})=(%\d+)")
_OUTPUT = re.compile(rf"  output ({_NAME})(?:\[(\d+)\])? = %(\d+)")
_TABLE = re.compile(r"table (\S+): (\w+) = (.*)")
_ROW = re.compile(r"  row (\d+)  ; (.*)")
_UNIVERSE = re.compile(r"universe (.+)")
_REDUCTION = re.compile(
    rf"reduction (\w+) ({_NAME}) = (\w+)( of pairs)?( of others)?(?: of (\d+) (?:priorities|keys))?(?: at (\S+))?"
)
_FUNCTION = re.compile(r"function (\S+) \{")


class ParseError(Exception):
    """A line is not the text form of anything; the message has its number."""


def print_program(program: Program) -> str:
    """A whole program."""
    parts = [f"universe {program.universe}\n"]
    parts += [_table(table) for table in program.tables]
    parts += [f"reduction {each.stage} {_name(each.name)} = {each.op}{_kind(each)}\n" for each in program.reductions]
    parts += ["\n" + print_function(function) for function in program.functions]
    return "".join(parts)


def _kind(reduction: Reduction) -> str:
    """The words behind the operation of a reduction."""
    what = "keys" if reduction.op == "alike" else "priorities"
    few = "" if reduction.few is None else f" of {reduction.few} {what}"
    at = "" if reduction.standing == STANDING else f" at {reduction.standing}"
    return f"{' of pairs' if reduction.pairs else ''}{' of others' if reduction.others else ''}{few}{at}"


def print_function(function: Function) -> str:
    """One function, with its outputs at the end."""
    lines = [f"function {function.name} {{\n"]
    for number, node in enumerate(function.nodes):
        lines.append(f"  %{number}: {node.type.value} = {_operation(node.op)}  ; {_origin(node.origin)}\n")
    lines += [_output(output) for output in function.outputs]
    lines.append("}\n")
    return "".join(lines)


def spell(type_: Type, value: float | int | bool) -> str:
    """A literal: floats in the shortest decimal that gives the same binary32, `true` and `false`, integers."""
    match type_:
        case Type.F32:
            return spell32(value)
        case Type.BOOL:
            return "true" if value else "false"
        case _:
            return str(value)


def _origin(origin: Origin) -> str:
    construct, file = origin.construct, f"@{origin.file}" if origin.file else ""
    kind, name = construct.kind and f" {construct.kind}", construct.name and f" `{construct.name}`"
    return f"{origin.phase}:{kind}{name} :{origin.line}{file}"


def _name(name: str) -> str:
    return name if PLAIN_NAME.fullmatch(name) else f"`{name}`"


def _operation(op: Op) -> str:
    name = MNEMONICS[type(op)]
    match op:
        case Const(type=type_, value=value):
            return f"{name} {spell(type_, value)}"
        case Input(name=source):
            return f"{name} {_name(source)}"
        case Element(output=output):
            return f"{name} {_name(output)}"
        case Lookup(table=table, index=index, along=along):
            return f"{name} {table}, %{index}{', along' if along else ''}"
        case Fetch(array=array, index=index, along=along):
            return f"{name} {_name(array)}, %{index}{', along' if along else ''}"
        case Fold(function=function, output=output, count=count, names=names, tables=tables, initial=initial):
            assigned = [f"{_name(each)}=%{value}" for each, value in zip(names, initial, strict=True)]
            return f"{name} {', '.join([function, _name(output), str(count), *tables, *assigned])}"
        case Select(condition=condition, then=then, otherwise=otherwise, order=order) if order is not Order.UNKNOWN:
            return f"{name} %{condition}, %{then}, %{otherwise}, {order.value}"
        case _:
            return f"{name} {', '.join(f'%{value}' for value in operands(op))}"


def _output(output: Output) -> str:
    count = "" if output.count is None else f"[{output.count}]"
    return f"  output {_name(output.name)}{count} = %{output.value}\n"


def _table(table: Table) -> str:
    values = ", ".join(spell(table.type, value) for value in table.values)
    origins = (f"  row {row}  ; {_origin(each)}\n" for row, each in enumerate(table.origins) if each is not None)
    return f"table {table.name}: {table.type.value} = {values}\n" + "".join(origins)


def parse_program(text: str) -> Program:
    """The program that `print_program` printed so. It is not verified.

    Raises:
        ParseError: the text is no program.
    """
    lines = _Lines(text)
    (universe,) = lines.take(_UNIVERSE)
    tables = []
    while lines.ahead(_TABLE):
        tables.append(_read_table(lines))
    reductions = []
    while lines.ahead(_REDUCTION):
        reductions.append(_read_reduction(lines))
    functions = []
    while lines.more():
        lines.skip_blank()
        functions.append(_read_function(lines))
    return Program(universe, tuple(functions), tuple(tables), tuple(reductions))


def parse_function(text: str) -> Function:
    """The function that `print_function` printed so. It is not verified.

    Raises:
        ParseError: the text is no function.
    """
    return _read_function(_Lines(text))


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


def _read_function(lines: _Lines) -> Function:
    (name,) = lines.take(_FUNCTION)
    nodes: list[Node] = []
    while lines.ahead(_NODE):
        nodes.append(_read_node(lines, len(nodes)))
    outputs = []
    while lines.ahead(_OUTPUT):
        output, count, value = lines.take(_OUTPUT)
        outputs.append(Output(output.strip("`"), int(value), None if count is None else int(count)))
    lines.take(re.compile(r"\}"))
    return Function(name, tuple(nodes), tuple(outputs))


def _read_node(lines: _Lines, expected: int) -> Node:
    match = lines.ahead(_NODE)
    assert match is not None
    number, type_name, name, arguments, origin = match.groups()
    if int(number) != expected:
        raise lines.error(f"expected %{expected}")
    try:
        type_ = Type(type_name)
        op = _read_operation(_OPS[name], type_, [each.strip() for each in _ARGUMENT.findall(arguments)])
    except (KeyError, ValueError, TypeError):
        raise lines.error("not an operation") from None
    node = Node(op, type_, _read_origin(lines, origin))
    lines.take(_NODE)
    return node


def _read_origin(lines: _Lines, text: str) -> Origin:
    phases: dict[str, Phase] = {phase: phase for phase in PHASES}
    match = _ORIGIN.fullmatch(text)
    if match is None or match[1] not in phases:
        raise lines.error("not an origin")
    phase, kind, name, line, file = match.groups()
    return Origin(phases[phase], Construct(kind or "", name or ""), int(line), int(file or 0))


def _read_operation(kind: type[Op], type_: Type, arguments: list[str]) -> Op:
    if kind is Const:
        return Const(type_, _read_literal(type_, *arguments))
    if kind is Input:
        (source,) = arguments
        return Input(type_, source.strip("`"))
    if kind is Element:
        (output,) = arguments
        return Element(output.strip("`"))
    if kind is Lookup:
        table, index, *along = arguments
        return Lookup(table, _read_value(index), along == ["along"])
    if kind is Fetch:
        array, index, *along = arguments
        return Fetch(array.strip("`"), _read_value(index), along == ["along"])
    if kind is Fold:
        function, output, count, *rest = arguments
        assigned = [match for each in rest if (match := _GIVEN.fullmatch(each))]
        names, values = tuple(m[1].strip("`") for m in assigned), tuple(_read_value(m[2]) for m in assigned)
        tables = tuple(rest[: len(rest) - len(assigned)])
        return Fold(function, output.strip("`"), int(count), names, tables, values)
    if kind is Select and len(arguments) == 4:
        *selected, order = arguments
        condition, then, otherwise = map(_read_value, selected)
        return Select(condition, then, otherwise, Order(order))
    make: Callable[..., Op] = kind
    return make(*(_read_value(argument) for argument in arguments))


def _read_value(text: str) -> int:
    if not text.startswith("%"):
        raise ValueError(text)
    return int(text[1:])


def _read_literal(type_: Type, text: str) -> float | int | bool:
    match type_:
        case Type.F32:
            return round32(float(text))
        case Type.BOOL:
            return {"true": True, "false": False}[text]
        case _:
            return int(text)


def _read_reduction(lines: _Lines) -> Reduction:
    match = lines.ahead(_REDUCTION)
    assert match is not None
    stages, ops = {stage: stage for stage in STAGES}, {op: op for op in REDUCTION_OPS}
    stage, name, op, pairs, others, few, at = match.groups()
    if stage not in stages or op not in ops:
        raise lines.error("not a reduction")
    lines.take(_REDUCTION)
    number = None if few is None else int(few)
    standing = at or STANDING
    return Reduction(stages[stage], name.strip("`"), ops[op], pairs is not None, number, standing, others is not None)


def _read_table(lines: _Lines) -> Table:
    match = lines.ahead(_TABLE)
    assert match is not None
    name, type_name, values = match.groups()
    try:
        type_ = Type(type_name)
        table = Table(name, type_, tuple(_read_literal(type_, value) for value in values.split(", ")))
    except (KeyError, ValueError):
        raise lines.error("not a table") from None
    lines.take(_TABLE)
    origins: list[Origin | None] = [None] * len(table.values)
    if not lines.ahead(_ROW):
        return table
    while row := lines.ahead(_ROW):
        if int(row[1]) >= len(origins):
            raise lines.error("not a row of the table")
        origins[int(row[1])] = _read_origin(lines, row[2])
        lines.take(_ROW)
    return replace(table, origins=tuple(origins))
