"""A function of a program, with the value of every node on some lanes; and what is said of a value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hamlet_lab.divergence.record import NAN, Reading, f32_value
from hamlet_lab.divergence.record import Value as Shown
from hamlet_lab.divergence.session import Side
from hamletc.ir.evaluate import DTYPES, Array, node_values
from hamletc.ir.function import Node, Origin, Program
from hamletc.ir.operands import operands
from hamletc.ir.ops import Const, Element, Fetch, Input, Lookup, Type, Value
from hamletc.ir.text import MNEMONICS, spell
from hamletc.kernel.body import body, reachable, versions
from hamletc.kernel.calls import FunctionCall

PHASES = {
    "policy": "the random policy",
    "choose": "the random policy",
    "steer": "the random policy",
    "situation": "the table of a policy",
    "carried_out": "who acts",
    "move": "the tick",
    "stand": "the tick",
    "search": "the tick",
    "reduce_tick": "what agents have together at the beginning of the tick",
    "pair_tick": "what agents find among others at the beginning of the tick",
    "tick": "the tick",
    "reduce_settle": "what agents have together after their rules",
    "pair_settle": "what agents find among others after their rules",
    "world": "the rules of the world",
    "reduce_cells": "what agents on cells have together",
    "near": "what neighbours sum",
    "spread": "the rules of cells",
    "begin_cells": "the beginning of an episode",
    "over": "what all cells come to",
    "settle": "the end of the tick",
    "clock": "the clock",
    "shuffle": "the beginning of an episode",
    "place": "the beginning of an episode",
    "reset": "the beginning of an episode",
    "observe": "observing",
    "mask": "masks",
}
"""Where in a tick a function of the program is, by its name."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a value is looked at: a lane, and the element of a repeated output."""

    lane: int
    element: int = 0


@dataclass(frozen=True, slots=True)
class Left:
    """The last value that a construct computed of a state."""

    origin: Origin
    value: Value


class Evaluation:
    """The values of a call, by node, and the names that a kernel would have for the nodes."""

    def __init__(self, program: Program, call: FunctionCall) -> None:
        self.function = program.function(call.function)
        self.call = call
        self.printed = body(self.function)
        self.values = node_values(self.function, call.inputs, program.tables, program.functions)
        self.tables = {table.name: np.array(table.values, DTYPES[table.type]) for table in program.tables}

    @cached_property
    def states(self) -> dict[Value, str]:
        """The values that are versions of a state, and its name."""
        return versions(self.function, reachable(self.function.nodes, [each.value for each in self.function.outputs]))

    def entering(self, name: str) -> Value | None:
        """The value that a state has before the function; `None` where it is not read."""
        return next((v for v, node in enumerate(self.function.nodes) if node.op == Input(node.type, name)), None)

    def history(self, state: str, last: Value) -> list[Left]:
        """The values of a state after each construct, in order, up to a version."""
        result: list[Left] = []
        for value in sorted(value for value, name in self.states.items() if name == state and value <= last):
            origin = self.node(value).origin
            if result and result[-1].origin == origin:
                result.pop()
            result.append(Left(origin, value))
        return result

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
        """The name of a value in a kernel; constants as they are."""
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
            case Fetch(array=array, index=place):
                return f"{array}[{self.operand(place)}]"
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
            return f32_value(float(number.view(np.float32)[0]))
        case _:
            return Shown(str(int(number.view(DTYPES[type_])[0])), f"0x{bits:08x}")


def computed(side: Side, evaluation: Evaluation, value: Value, spot: Spot) -> Reading:
    """The reading of a side's program: an operation with its operands."""
    expression, name = evaluation.expression(value), evaluation.name(value)
    return Reading(
        side.label,
        expression if expression == name else f"{name} = {expression}",
        evaluation.shown(value, spot),
        tuple((evaluation.name(leaf), evaluation.shown(leaf, spot)) for leaf in evaluation.leaves(value)),
        side.source(evaluation.node(value).origin),
    )
