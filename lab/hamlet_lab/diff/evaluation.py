"""A function of a program, with the value of every node on some lanes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hamlet.numbers.binary32 import spell32
from hamlet_lab.diff.evaluated import Call
from hamlet_lab.verify.report import Value as Shown
from hamletc.ir.evaluate import DTYPES, Array, node_values
from hamletc.ir.function import Function, Node, Program
from hamletc.ir.ops import Const, Element, Input, Lookup, Type, Value, operands
from hamletc.ir.text import MNEMONICS, spell
from hamletc.targets.body import Body, body

NAN = 0x7FC00000


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a value is looked at: a lane, and the element of a repeated output."""

    lane: int
    element: int = 0


class Evaluation:
    """What a call computes, by node, and what a kernel would call the nodes."""

    def __init__(self, program: Program, function: Function, call: Call) -> None:
        self.function = function
        self.call = call
        self.printed: Body = body(function)
        self.values = node_values(function, call.inputs, program.tables, program.functions)
        self.tables = {table.name: np.array(table.values, DTYPES[table.type]) for table in program.tables}

    def node(self, value: Value) -> Node:
        return self.function.nodes[value]

    def at(self, value: Value, spot: Spot) -> np.generic:
        """The value of a node at a spot."""
        return at(self.values[value], spot)

    def bits(self, value: Value, spot: Spot) -> int:
        """The bits of a node's value at a spot; every NaN is the same."""
        return int(words(self.values[value])[index(self.values[value], spot)])

    def output(self, name: str) -> Array:
        """The bits of an output, [count, lanes]."""
        output = self.function.output(name)
        shape = (output.count or 1, len(self.call.lanes))
        return np.broadcast_to(words(self.values[output.value]), shape)

    def name(self, value: Value) -> str:
        """What a kernel calls a value; constants as they are."""
        op = self.node(value).op
        if isinstance(op, Const):
            return spell(op.type, op.value)
        return self.printed.names.get(value, f"%{value}")

    def expression(self, value: Value) -> str:
        """The operations of a value, down to what has a name."""
        op = self.node(value).op
        match op:
            case Const() | Input() | Element():
                return self.name(value)
            case Lookup(table=table, index=place):
                return f"{table}[{self.operand(place)}]"
            case _:
                return f"{MNEMONICS[type(op)]}({', '.join(self.operand(each) for each in operands(op))})"

    def operand(self, value: Value) -> str:
        """A value inside an expression."""
        named = value in self.printed.names or isinstance(self.node(value).op, Const)
        return self.name(value) if named else self.expression(value)

    def leaves(self, value: Value) -> list[Value]:
        """The values with names that an expression is made of, in order."""
        result: dict[Value, None] = {}
        for each in operands(self.node(value).op):
            if each in self.printed.names:
                result[each] = None
            elif not isinstance(self.node(each).op, Const):
                result.update(dict.fromkeys(self.leaves(each)))
        return list(result)

    def shown(self, value: Value, spot: Spot) -> Shown:
        """A node's value in decimal and in hex."""
        return show(self.node(value).type, self.bits(value, spot))


def index(values: Array, spot: Spot) -> tuple[int, ...]:
    """Where a spot is in an array that broadcasts to [lanes] or [count, lanes]."""
    place = (spot.element, spot.lane)[-values.ndim :]
    return tuple(number if size > 1 else 0 for number, size in zip(place, values.shape, strict=True))


def at(values: Array, spot: Spot) -> np.generic:
    """The value at a spot."""
    result: np.generic = values[index(values, spot)]
    return result


def words(values: Array) -> Array:
    """The bits of values as u32; every NaN is the same."""
    if values.dtype == np.bool_:
        return values.astype(np.uint32)
    result: Array = np.ascontiguousarray(values).view(np.uint32)
    return np.where(np.isnan(values), np.uint32(NAN), result) if values.dtype == np.float32 else result


def show(type_: Type, bits: int) -> Shown:
    """The value with these bits in decimal and in hex."""
    number = np.array([bits], np.uint32)
    match type_:
        case Type.BOOL:
            return Shown("true" if bits else "false", "")
        case Type.F32:
            value = float(number.view(np.float32)[0])
            return Shown(spell32(value) if np.isfinite(value) else str(value), f"0x{bits:08x}")
        case _:
            return Shown(str(int(number.view(DTYPES[type_])[0])), f"0x{bits:08x}")
