"""Functions of the tick IR as terms."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from contextlib import suppress

from hamlet.errors import HamletError
from hamlet_lab.proof.cells import at
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena
from hamletc.ir import ops
from hamletc.ir.function import Function, Program, Reduction
from hamletc.ir.operands import operands
from hamletc.ir.ops import F32, I32, Const, Element, Fetch, Fold, Input, Lookup, Op, Select, Type


class UnprovenError(HamletError):
    """A construct that the proof does not know; the message names it."""


def bits_of(type_: Type, value: float | int | bool) -> int:
    """The word of a constant."""
    if type_ is F32:
        (word,) = struct.unpack("<I", struct.pack("<f", value))
        return int(word)
    return int(value)


class Functions:
    """The functions of a program in an arena; with `whole`, nodes that no output needs are made as well."""

    def __init__(self, arena: Arena, program: Program, whole: bool = False) -> None:
        self._arena, self._program, self._whole = arena, program, whole
        self._tables = {table.name: table for table in program.tables}

    def reductions(self, name: str) -> list[Reduction]:
        """The reductions of the program that have a name."""
        return [each for each in self._program.reductions if each.name == name]

    def call(self, name: str, inputs: Mapping[str, Term]) -> dict[str, tuple[Term, ...]]:
        """The outputs of a function by name: one term, or one for each element of a repeated output."""
        function = self._program.function(name)
        if self._whole:
            self._make_all(function, inputs)
        result: dict[str, tuple[Term, ...]] = {}
        for output in function.outputs:
            if output.count is None:
                result[output.name] = (self._value(function, output.value, inputs, None),)
            else:
                result[output.name] = tuple(
                    self._value(function, output.value, inputs, (output.name, element))
                    for element in range(output.count)
                )
        return result

    def pair(self, stage: str, own: Mapping[str, Term], other: Mapping[str, Term]) -> dict[str, Term]:
        """The outputs of the function of pairs of a stage, for a lane that asks and another one."""
        name, shown = f"pair_{stage}", {"own": own, "other": other}
        read = (each.op.name for each in self._program.function(name).nodes if isinstance(each.op, Input))
        inputs = {each: shown[whose][f"shown.{number}"] for each in read for whose, _, number in [each.partition(".")]}
        return {output: value for output, (value,) in self.call(name, inputs).items()}

    def _make_all(self, function: Function, inputs: Mapping[str, Term]) -> None:
        """Make the nodes of a function in order, as far as they are known and the same for all elements."""
        done: dict[int, Term] = {}
        for number, node in enumerate(function.nodes):
            of = operands(node.op)
            if all(each in done for each in of):
                with suppress(UnprovenError):
                    types = [function.nodes[each].type for each in of]
                    done[number] = self._operation(node.op, [done[each] for each in of], types, inputs, None)

    def _value(
        self, function: Function, root: int, inputs: Mapping[str, Term], element: tuple[str, int] | None
    ) -> Term:
        done: dict[int, Term] = {}
        stack = [root]
        while stack:
            number = stack[-1]
            node = function.nodes[number]
            missing = [each for each in operands(node.op) if each not in done]
            if number in done or not missing:
                if number not in done:
                    values = [done[each] for each in operands(node.op)]
                    types = [function.nodes[each].type for each in operands(node.op)]
                    done[number] = self._operation(node.op, values, types, inputs, element)
                stack.pop()
            else:
                stack += missing
        return done[root]

    def _operation(
        self,
        op: Op,
        values: list[Term],
        types: list[Type],
        inputs: Mapping[str, Term],
        element: tuple[str, int] | None,
    ) -> Term:
        arena = self._arena
        match op:
            case Const(type=type_, value=value):
                return arena.constant(bits_of(type_, value), 1 if type_ is Type.BOOL else 32)
            case Input(name=name):
                return inputs[name]
            case Element() if element is not None:
                return arena.constant(element[1], 32)
            case Select():
                return arena.select(*values)
            case Lookup(table=table):
                rows = self._tables[table]
                if rows.type is Type.BOOL:
                    raise UnprovenError(f"table {table} of bools is not known to the proof")
                words = tuple(bits_of(rows.type, value) % (1 << 32) for value in rows.values)
                return arena.make("table", 32, (values[0],), words)
            case Fetch(array=array) if array in inputs:
                return at(arena, inputs[array], values[0])
            case Fold():
                return self._fold(op, values)
            case ops.Unary() | ops.Binary() | ops.Fma():
                return self._plain(type(op), values, types[0])
            case _:
                raise UnprovenError(f"{type(op).__name__} is not known to the proof")

    def _fold(self, op: Fold, initial: list[Term]) -> Term:
        state = dict(zip(op.names, initial, strict=True))
        for row in range(op.count):
            outputs = self.call(op.function, {**state, "row": self._arena.constant(row, 32)})
            state = {name: value for name, (value,) in outputs.items()}
        return state[op.output]

    def _plain(self, kind: type[ops.Plain], values: list[Term], type_: Type) -> Term:
        arena, floating = self._arena, type_ is F32
        name = kind.__name__
        match name, values:
            case "Sub", [left, right] if floating:
                return arena.op("fadd", left, arena.negative(right))
            case (("Less" | "LessEqual"), [left, right]) if not floating:
                prefix = "s" if type_ is I32 else "u"
                return arena.op(prefix + ("lt" if name == "Less" else "le"), left, right)
            case "Div", [left, right]:
                return arena.op("fdiv" if floating else "udiv", left, right)
            case "Neg", [value]:
                return arena.negative(value) if floating else arena.op("sub", arena.constant(0, 32), value)
            case "Abs", [value] if floating:
                return arena.op("and", value, arena.constant(0x7FFFFFFF, 32))
            case "Abs", [value]:
                zero = arena.constant(0, 32)
                return arena.select(arena.op("slt", value, zero), arena.op("sub", zero, value), value)
            case "Not", [value]:
                return arena.no(value)
            case (("ToU32" | "ToI32" | "ToBits" | "FromBits"), [value]):
                return value
            case _ if (name, floating) in _NAMES:
                return arena.op(_NAMES[name, floating], *values)
            case _:
                raise UnprovenError(f"{name} of {type_.value} is not known to the proof")


_NAMES = {
    ("Add", True): "fadd", ("Add", False): "add", ("Sub", False): "sub", ("Mul", True): "fmul", ("Mul", False): "mul",
    ("MulHigh", False): "mulhi", ("Rem", False): "urem", ("Fma", True): "fma", ("Sqrt", True): "fsqrt",
    ("Less", True): "flt", ("LessEqual", True): "fle", ("Equal", True): "feq", ("Equal", False): "eq",
    ("And", False): "and", ("Or", False): "or", ("Xor", False): "xor", ("ShiftLeft", False): "shl",
    ("ShiftRight", False): "lshr", ("ToF32", False): "tofloat",
}  # fmt: skip
