"""The text form of programs: one node per line, read back exactly by the parser.

%12: f32 = add %3, %7  ; cascade hunger_sickens :31

A line of another source than the first has that one's number: `:31@1`. A name with other characters than letters,
digits, `_`, `.` and `#` stands in backticks.
"""

from __future__ import annotations

import re

from hamlet.numbers.binary32 import spell32
from hamletc.ir.function import Function, Origin, Output, Program, Table
from hamletc.ir.ops import OPS, Const, Element, Fold, Input, Lookup, Op, operands
from hamletc.ir.types import Type

PLAIN_NAME = re.compile(r"[A-Za-z_][\w.#]*", re.ASCII)


def mnemonic(op: type[Op]) -> str:
    """The name of an operation in the text: `MulHigh` is `mul_high`."""
    return _MNEMONICS[op]


_MNEMONICS: dict[type[Op], str] = {op: re.sub(r"(?<=[a-z])(?=[A-Z])", "_", op.__name__).lower() for op in OPS}


def print_program(program: Program) -> str:
    """A whole program."""
    parts = [f"universe {program.universe}\n"]
    parts += [_table(table) for table in program.tables]
    parts += ["\n" + print_function(function) for function in program.functions]
    return "".join(parts)


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
    return f"{origin.construct} :{origin.line}" + (f"@{origin.file}" if origin.file else "")


def _name(name: str) -> str:
    return name if PLAIN_NAME.fullmatch(name) else f"`{name}`"


def _operation(op: Op) -> str:
    name = mnemonic(type(op))
    match op:
        case Const(type=type_, value=value):
            return f"{name} {spell(type_, value)}"
        case Input(name=source):
            return f"{name} {_name(source)}"
        case Element(output=output):
            return f"{name} {_name(output)}"
        case Lookup(table=table, index=index):
            return f"{name} {table}, %{index}"
        case Fold(function=function, output=output, count=count, names=names, tables=tables, initial=initial):
            given = [f"{_name(each)}=%{value}" for each, value in zip(names, initial, strict=True)]
            return f"{name} {', '.join([function, _name(output), str(count), *tables, *given])}"
        case _:
            return f"{name} {', '.join(f'%{value}' for value in operands(op))}"


def _output(output: Output) -> str:
    count = "" if output.count is None else f"[{output.count}]"
    return f"  output {_name(output.name)}{count} = %{output.value}\n"


def _table(table: Table) -> str:
    values = ", ".join(spell(table.type, value) for value in table.values)
    return f"table {table.name}: {table.type.value} = {values}\n"
