"""Versions of a state in a function: which of them counted in which lanes, and which construct made each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hamletc.ir.evaluate import Array, node_values
from hamletc.ir.function import Function, Node, Origin, Program
from hamletc.ir.ops import Add, Fold, Input, Select, Sub, Value
from hamletc.kernel.body import reachable, versions
from hamletc.kernel.calls import FunctionCall


@dataclass(frozen=True)
class Evaluated:
    """A function with the value of every node in some lanes."""

    function: Function
    call: FunctionCall
    values: list[Array]

    @classmethod
    def of(cls, program: Program, call: FunctionCall) -> Evaluated:
        """The values of a call."""
        function = program.function(call.function)
        return cls(function, call, node_values(function, call.inputs, program.tables, program.functions))

    @cached_property
    def states(self) -> dict[Value, str]:
        """The values that are versions of a state, and its name."""
        return versions(self.function, reachable(self.function.nodes, [each.value for each in self.function.outputs]))

    def node(self, value: Value) -> Node:
        return self.function.nodes[value]

    def entering(self, state: str) -> Value | None:
        """The value that a state has before the function; `None` where it is not read."""
        return next((v for v, node in enumerate(self.function.nodes) if node.op == Input(node.type, state)), None)

    def at(self, value: Value) -> Array:
        """The values of a node, [lanes]."""
        return np.broadcast_to(self.values[value], len(self.call.lanes))


@dataclass(frozen=True, slots=True)
class Version:
    """The last value that a construct left in a state.

    Attributes:
        origin: the construct, and its line.
        node: its node, by which versions of several states are in the order of a tick.
        values: [lanes].
        counted: bool [lanes], where the state had it: an agent that uses no affordance never has what that would leave.
    """

    origin: Origin
    node: Value
    values: Array
    counted: Array


@dataclass(frozen=True, slots=True)
class Amount:
    """A number that a construct adds to a state, before that is clamped; counted as in `Version`."""

    origin: Origin
    values: Array
    counted: Array


def versions_of(evaluated: Evaluated, state: str) -> list[Version]:
    """The versions of a state by an evaluation of a function, in order; the last one is the output of that name."""
    counted = _counted(evaluated, state)
    result: list[Version] = []
    for value in sorted(counted):
        origin, held, values = evaluated.node(value).origin, counted[value], evaluated.at(value)
        if result and result[-1].origin == origin:
            before = result.pop()
            values = np.where(held, values, before.values)
            held = held | before.counted
        result.append(Version(origin, value, values, held))
    return result


def amounts_of(evaluated: Evaluated, state: str) -> list[Amount]:
    """The numbers that constructs add to a state, in order, also where they do not count: what an affordance would
    add."""
    counted, start = _counted(evaluated, state), evaluated.entering(state)
    result = []
    for value in sorted(counted):
        node = evaluated.node(value)
        match node.op:
            case (Add(left=left, right=right) | Sub(left=left, right=right)) as op if left in counted or left == start:
                by = evaluated.at(right)
                result.append(Amount(node.origin, by if isinstance(op, Add) else -by, counted[value]))
            case _:
                pass
    return result


def _counted(evaluated: Evaluated, state: str) -> dict[Value, Array]:
    """The lanes in which each version counted, by version. From the last one on backwards, a choice counts what was
    chosen; where it is no version, as a bound in a clamp, the one that stood there before it counted, too."""
    last = evaluated.function.output(state).value
    chain, lanes = _chain(evaluated, state, last), len(evaluated.call.lanes)
    counted = {value: np.zeros(lanes, np.bool_) for value in chain}
    counted[last] = np.ones(lanes, np.bool_)
    start = evaluated.entering(state)
    for value in sorted(chain, reverse=True):
        here = counted[value]
        match evaluated.node(value).op:
            case Select(condition=condition, then=then, otherwise=otherwise):
                holds = evaluated.at(condition)
                both = all(each in chain or each == start for each in (then, otherwise))
                for operand, picked in ((then, holds), (otherwise, ~holds)):
                    if operand in chain:
                        counted[operand] |= (here & picked) if both else here
            case Add(left=left) | Sub(left=left) if left in chain:
                counted[left] |= here
            case Fold() as fold if fold.before in chain:
                counted[fold.before] |= here
            case _:
                pass
    return counted


def _chain(evaluated: Evaluated, state: str, last: Value) -> set[Value]:
    """The versions of a state. One that is set to something whatever it was begins where that is computed."""
    chain = {value for value, name in evaluated.states.items() if name == state}
    if chain:
        return chain | {last}
    waiting = [last]
    while waiting:
        value = waiting.pop()
        if value in chain or (value in evaluated.states and value != last):
            continue
        chain.add(value)
        match evaluated.node(value).op:
            case Select(then=then, otherwise=otherwise):
                waiting += [then, otherwise]
            case Add(left=left) | Sub(left=left):
                waiting.append(left)
            case _:
                pass
    return {value for value in chain if evaluated.node(value).origin.construct.kind} | {last}
