"""Links between agents as a page finds them: their condition as nodes of the tick IR, which a page evaluates for each
two agents. What one of them has alone it observes, so that numbers are computed as kernels compute them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hamlet.schema.fields import pair_agents
from hamlet.universe import (
    AgentNumber,
    Apart,
    Binary,
    Clamp,
    Expression,
    If,
    Number,
    Own,
    PairValue,
    TableValue,
    Truth,
    Unary,
    Universe,
    owners,
)
from hamletc.ir.builder import Builder
from hamletc.ir.function import OF_PAIRS, Function, Output
from hamletc.ir.operands import operands
from hamletc.ir.ops import BOOL, F32, I32, Const, Element, Fetch, Fma, Fold, Input, Lookup, Value
from hamletc.ir.text import MNEMONICS
from hamletc.kernel.body import reachable
from hamletc.lowering.cell_cache import searched
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane, input_lane
from hamletc.lowering.plan import LIMITS, plan
from hamletc.lowering.space import between

ARITHMETIC = (Unary, Binary, Clamp, If, TableValue)
"""Expressions that can be made of what both agents have."""
UNKNOWN = (Element, Fma, Fold)
"""Operations that a page has not."""
Node = list[str | float]
"""An operation, the type of its operands, which is empty where it has none, and the numbers of earlier nodes."""


@dataclass(frozen=True, slots=True)
class Linked:
    """The condition of a link.

    Attributes:
        observed: numbers of one agent each, of which the condition is made; 1 or 0 of one that is a condition.
        function: gives `linked` (BOOL) by the inputs `own.N` and `other.N`, the Nth of these numbers (F32) of the agent
            that asks and of the other one; `own.at.N`, its Nth coordinate, and `own.agent`, its number (I32).
        tables: their numbers by name.
        pairs: by the name of a state of pairs which number of them all is its first.
    """

    observed: tuple[Expression, ...]
    function: Function
    tables: Mapping[str, tuple[float, ...]]
    pairs: Mapping[str, int]

    @property
    def shown(self) -> bool:
        """Whether a page has all operations."""
        return not any(isinstance(node.op, UNKNOWN) for node in self.function.nodes)

    def said(self, first: int) -> dict[str, Any]:
        """As JSON. The numbers that are observed are the rows from `first` on."""
        read = [op.table for node in self.function.nodes if isinstance(op := node.op, Lookup)]
        names = list(dict.fromkeys(read))
        every = reachable(self.function.nodes, [output.value for output in self.function.outputs])
        numbers = {value: number for number, value in enumerate(every)}
        return {
            "nodes": [self._node(value, [numbers[each] for each in self._of(value)], names, first) for value in every],
            "tables": [list(self.tables[name]) for name in names],
        }

    def _of(self, value: Value) -> tuple[Value, ...]:
        return operands(self.function.nodes[value].op)

    def _node(self, value: Value, of: list[int], names: list[str], first: int) -> Node:
        match self.function.nodes[value].op:
            case Const(value=constant):
                return ["const", "", float(constant)]
            case Input(name=name):
                match name.split("."):
                    case [whose, "at", axis]:
                        return [whose, "at", int(axis)]
                    case [whose, "agent"]:
                        return [whose, "agent", 0]
                    case [whose, number]:
                        return [whose, "observed", first + int(number)]
                    case _:
                        raise ValueError(f"no input of a link: {name}")
            case Lookup(table=table):
                return ["lookup", "", names.index(table), *of]
            case Fetch(array=array):
                return ["fetch", "", self.pairs[array], *of]
            case op:
                return [MNEMONICS[type(op)], self.function.nodes[self._of(value)[-1]].type.value, *of]


def as_number(condition: Expression) -> Expression:
    """1 where a condition holds, else 0."""
    span = condition.span
    return If(condition, Number(1.0, span), Number(0.0, span), span)


def linked(universe: Universe, condition: Expression) -> Linked:
    """The condition of a link for a page."""
    return _Linking(universe).linked(condition)


class _Linking:
    """Two lanes, of which one asks for the other."""

    def __init__(self, universe: Universe) -> None:
        planned = plan(universe, LIMITS)
        self._universe, self._tables = universe, planned.tables
        self._lane = input_lane(planned, Builder("observe"))
        if planned.searched:
            self._lane.searched = searched(self._lane)
        nobody, self._builder = 0, Builder("observe")
        self._pair = Lane(universe, self._builder, planned, {}, {}, nobody, nobody, leaf=self._leaf)
        self._observed: dict[Expression, int] = {}

    def linked(self, condition: Expression) -> Linked:
        value = lower_expression(self._pair, condition)
        states = () if self._universe.pairs is None else self._universe.pairs.meters
        return Linked(
            tuple(self._observed),
            self._builder.finish("linked", (Output("linked", value),)),
            {table.name: tuple(map(float, table.values)) for table in self._tables},
            {f"{OF_PAIRS}{each.name}": pair_agents(self._universe) ** 2 * n for n, each in enumerate(states)},
        )

    def _leaf(self, expression: Expression) -> Value | None:
        """The value of an expression that is not made of parts which both lanes have."""
        builder = self._builder
        match expression:
            case Number() | Truth():
                return None
            case Apart():
                there, here = ([*self._position(whose)] for whose in ("other", "own"))
                return between(builder, self._universe.space, there, here)
            case PairValue(meter=meter, reverse=reverse):
                line, place = (self._agent(whose) for whose in (("own", "other") if reverse else ("other", "own")))
                begin = builder.mul(line, builder.i32(pair_agents(self._universe)))
                return builder.fetch(f"{OF_PAIRS}{meter}", builder.add(begin, place))
            case AgentNumber():
                return builder.to_f32(self._agent("other"))
            case Own(operand=AgentNumber()):
                return builder.to_f32(self._agent("own"))
            case Own(operand=operand):
                return self._of("own", operand)
            case _:
                own, others = owners(expression)
                if own and (others or isinstance(expression, ARITHMETIC)):
                    return None
                return self._of("other" if others else "own", expression)

    def _agent(self, whose: str) -> Value:
        return self._builder.input(I32, f"{whose}.agent")

    def _position(self, whose: str) -> list[Value]:
        lane = self._lane
        return [
            self._builder.input(lane.builder.type_of(x), f"{whose}.at.{axis}") for axis, x in enumerate(lane.position)
        ]

    def _of(self, whose: str, expression: Expression) -> Value:
        """A number that one of the lanes has alone."""
        holds = self._lane.builder.type_of(lower_expression(self._lane, expression)) is BOOL
        observed = as_number(expression) if holds else expression
        number = self._observed.setdefault(observed, len(self._observed))
        value = self._builder.input(F32, f"{whose}.{number}")
        return self._builder.equal(value, self._builder.f32(1.0)) if holds else value
