"""Checks that functions are well formed. Every pass must leave them so."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from hamlet.numbers.binary32 import LARGEST, round32
from hamletc.ir import ops
from hamletc.ir.function import Function, Program, Reduction, Table, reducer
from hamletc.ir.operands import TypingError, operands, result_type
from hamletc.ir.ops import Const, Op, Type
from hamletc.ir.text import PLAIN_NAME

_RANGES = {Type.I32: (-(2**31), 2**31 - 1), Type.U32: (0, 2**32 - 1)}


class VerificationError(Exception):
    """A program is malformed; the message names the function and the node or output."""


def verify_program(program: Program, *verified: Program) -> None:
    """Check all functions and tables. A function that is one of a `verified` program, and can read its tables, is as it
    was there.

    Raises:
        VerificationError: something is malformed.
    """
    with_tables = (before for before in verified if set(before.tables) <= set(program.tables))
    verified_before = {id(function) for before in with_tables for function in before.functions}
    for table in program.tables:
        if not PLAIN_NAME.fullmatch(table.name):
            raise VerificationError(f"table {table.name!r}: not a name")
        if table.type is Type.BOOL:
            raise VerificationError(f"table {table.name}: a table holds numbers")
        for value in table.values:
            if problem := _literal_problem(table.type, value):
                raise VerificationError(f"table {table.name}: {problem}")
    _unique("table", (table.name for table in program.tables))
    _unique("function", (function.name for function in program.functions))
    for function in program.functions:
        if id(function) not in verified_before:
            verify(function, program.tables)
        _folds(program, function)
    _unique("reduction", (reduction.name for reduction in program.reductions))
    for reduction in program.reductions:
        if problem := _reduction_problem(program, reduction):
            raise VerificationError(f"reduction {reduction.name}: {problem}")
    results = {reduction.result: reduction.type for reduction in program.reductions}
    for function in program.functions:
        for node in function.nodes:
            match node.op:
                case ops.Input(name=name, type=type_) if name.startswith("among.") and results.get(name) is not type_:
                    raise VerificationError(f"{function.name}: {node.op}: no reduction gives it")
                case _:
                    pass


def _folds(program: Program, function: Function) -> None:
    """Check the folds of a function; those of one loop, which differ in their outputs, once."""
    last: tuple[ops.Fold, Type] | None = None
    for node in function.nodes:
        if isinstance(node.op, ops.Fold):
            alike = last is not None and replace(node.op, output=last[0].output) == last[0] and node.type is last[1]
            if not alike and (problem := _fold_problem(program, node.op, node.type)):
                raise VerificationError(f"{function.name}: {node.op}: {problem}")
            last = node.op, node.type


def _fold_problem(program: Program, op: ops.Fold, type_: Type) -> str | None:
    """The mistake between a fold and the function that it runs, if there is one."""
    body = next((function for function in program.functions if function.name == op.function), None)
    if body is None:
        return "there is no such function"
    if tuple(output.name for output in body.outputs) != op.names or len(op.names) != len(op.initial):
        return "its outputs have other names"
    for node in body.nodes:
        match node.op:
            case ops.Input(type=input_type, name=name) if (
                name not in op.names or input_type is not type_
            ) and name != "row":
                return f"its input {name} is none of its outputs"
            case ops.Lookup(table=table) if table not in op.tables:
                return f"it reads another table, {table}"
            case ops.Fold():
                return "it folds, too"
            case _:
                pass
    return None


def _reduction_problem(program: Program, reduction: Reduction) -> str | None:
    """The mistake between a reduction and the function that gives its terms, if there is one."""
    if not _is_name(reduction.name):
        return "not a name"
    needed = {reduction.function: reduction.terms | reduction.optional}
    if reduction.stage == "cells":
        needed[reduction.function] |= {reduction.standing: Type.I32}
    if reduction.pairs:
        needed[reducer(reduction.stage)] = reduction.defaults
    for name, terms in needed.items():
        if not program.has(name):
            return f"there is no function {name}"
        outputs = _types_of_outputs(program.function(name))
        for term, type_ in terms.items():
            if outputs.get(term, type_ if term in reduction.optional else None) is not type_:
                return f"{name} gives no {term}: {type_.value}"
    if reduction.op == "alike" and reduction.few is None:
        return "nobody knows how many keys there are"
    if reduction.op != "alike" and reduction.others:
        return "all lanes count there"
    if (
        reduction.op != "alike"
        and reduction.few is not None
        and f"priority.{reduction.name}" not in _types_of_outputs(program.function(reduction.function))
    ):
        return "it has no priorities"
    return _pairs_problem(program, reduction) if reduction.pairs else None


def _pairs_problem(program: Program, reduction: Reduction) -> str | None:
    """The mistake between the values that lanes show and a function of pairs, if there is one."""
    shown = _types_of_outputs(program.function(reducer(reduction.stage)))
    for node in program.function(reduction.function).nodes:
        match node.op:
            case ops.Input(type=type_, name=name):
                whose, _, number = name.partition(".")
                if whose not in ("own", "other") or shown.get(f"shown.{number}") is not type_:
                    return f"no lane shows {name}: {type_.value}"
            case ops.Fold():
                return "pairs of lanes read no rows of tables"
            case _:
                pass
    return None


def _types_of_outputs(function: Function) -> dict[str, Type]:
    """The types of the single outputs of a function."""
    return {output.name: function.nodes[output.value].type for output in function.outputs if output.count is None}


def verify(function: Function, tables: tuple[Table, ...]) -> None:
    """Check a function: types, order, literals, names, elements, tables, divisors, shifts, outputs.

    Raises:
        VerificationError: something is malformed.
    """
    table_types = {table.name: table.type for table in tables}
    _nodes(function, table_types)
    _outputs(function)


def _nodes(function: Function, table_types: Mapping[str, Type]) -> None:
    seen: set[Op] = set()
    inputs: dict[str, Type] = {}
    for number, node in enumerate(function.nodes):
        op = node.op
        problem = _operand_problem(function, number, table_types)
        if problem is None and op in seen:
            problem = "computed twice"
        if problem is None and isinstance(op, ops.Input) and inputs.setdefault(op.name, op.type) is not op.type:
            problem = "the same input with another type"
        if problem is not None:
            raise VerificationError(f"{function.name}: %{number} = {op}: {problem}")
        seen.add(op)


def _operand_problem(function: Function, number: int, table_types: Mapping[str, Type]) -> str | None:
    """The mistake of a node, taken by itself."""
    node = function.nodes[number]
    values = operands(node.op)
    for value in values:
        if not 0 <= value < number:
            return f"operand %{value} does not come before it"
    try:
        type_ = result_type(node.op, tuple([function.nodes[value].type for value in values]), table_types)
    except TypingError as error:
        return str(error)
    if type_ is not node.type:
        return f"is {type_.value}, not {node.type.value}"
    match node.op:
        case Const(type=type_, value=literal):
            return _literal_problem(type_, literal)
        case ops.Input(name=name):
            return None if _is_name(name) else "not a name"
        case ops.Fold(output=output, names=names, count=count):
            return None if output in names and count > 0 else "is none of the outputs, or runs no row"
        case ops.Binary(right=right) if type_ is Type.U32:
            return _right_problem(ops.PLAIN[type(node.op)].right, function.nodes[right].op)
        case _:
            return None


def _right_problem(allowed: ops.Right | None, op: Op) -> str | None:
    """The mistake of the right operand of an operation on U32, if there is one."""
    match allowed:
        case None:
            return None
        case ops.Right.DIVISOR:
            fits = isinstance(op, Const) and op.value in ops.Right.DIVISOR.value
            return None if fits else "divides by no non-zero constant"
        case ops.Right.AMOUNT:
            fits = not isinstance(op, Const) or op.value in ops.Right.AMOUNT.value
            return None if fits else "shifts by 32 or more"


def _outputs(function: Function) -> None:
    _unique(f"{function.name}: output", (output.name for output in function.outputs))
    elements = element_of(function)
    counts = {output.name: output.count for output in function.outputs}
    for output in function.outputs:
        where = f"{function.name}: output {output.name}"
        if not _is_name(output.name):
            raise VerificationError(f"{where}: not a name")
        if not 0 <= output.value < len(function.nodes):
            raise VerificationError(f"{where}: there is no %{output.value}")
        if output.count is not None and output.count < 1:
            raise VerificationError(f"{where}: it has no elements")
        used = elements[output.value]
        if used is not None and (used != output.name or counts[used] is None):
            raise VerificationError(f"{where}: depends on the element of {used}")


def element_of(function: Function) -> list[str | None]:
    """For every node the output on whose element it depends, if any.

    Raises:
        VerificationError: a node depends on the elements of two outputs.
    """
    elements: list[str | None] = []
    for number, node in enumerate(function.nodes):
        own = node.op.output if isinstance(node.op, ops.Element) else None
        for value in operands(node.op):
            other = elements[value]
            if other is not None and own is not None and other != own:
                raise VerificationError(
                    f"{function.name}: %{number} = {node.op}: depends on elements of {own}, {other}"
                )
            own = own if other is None else other
        elements.append(own)
    return elements


def _is_name(name: str) -> bool:
    """Whether inputs and outputs may be called so: names of authors are part of them."""
    return name != "" and name.isprintable() and "`" not in name


def _literal_problem(type_: Type, value: float | int | bool) -> str | None:
    """The mistake of a literal of this type, if there is one."""
    if type_ is Type.BOOL:
        return None if isinstance(value, bool) else "not a bool"
    if type_ is Type.F32:
        if not isinstance(value, float) or not math.isfinite(value):
            return "not a finite float"
        return None if abs(value) <= LARGEST and round32(value) == value else "not exact in binary32"
    low, high = _RANGES[type_]
    if isinstance(value, bool) or not isinstance(value, int):
        return "not an int"
    return None if low <= value <= high else f"out of the range of {type_.value}"


def _unique(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise VerificationError(f"{what} {name}: given twice")
        seen.add(name)
