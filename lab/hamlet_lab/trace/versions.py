"""Versions of a state in a function: which of them counted in which lanes, and which construct made each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hamlet_lab.divergence.values import Evaluation
from hamletc.ir.evaluate import Array
from hamletc.ir.function import Origin
from hamletc.ir.ops import Add, Fold, Select, Sub, Value


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


def versions_of(evaluation: Evaluation, state: str) -> list[Version]:
    """The versions of a state by an evaluation of a function, in order; the last one is the output of that name."""
    lanes = len(evaluation.call.lanes)
    last = evaluation.function.output(state).value
    counted = _counted(evaluation, state, last, lanes)
    result: list[Version] = []
    for value in sorted(counted):
        origin, held = evaluation.node(value).origin, counted[value]
        values = np.broadcast_to(evaluation.values[value], lanes)
        if result and result[-1].origin == origin:
            before = result.pop()
            values = np.where(held, values, before.values)
            held = held | before.counted
        result.append(Version(origin, value, values, held))
    return result


def _counted(evaluation: Evaluation, state: str, last: Value, lanes: int) -> dict[Value, Array]:
    """The lanes in which each version counted, by version. From the last one on backwards, a choice counts what was
    chosen; where it is no version, as a bound in a clamp, the one that stood there before it counted, too."""
    chain = _chain(evaluation, state, last)
    counted = {value: np.zeros(lanes, np.bool_) for value in chain}
    counted[last] = np.ones(lanes, np.bool_)
    start = evaluation.entering(state)
    for value in sorted(chain, reverse=True):
        here = counted[value]
        match evaluation.node(value).op:
            case Select(condition=condition, then=then, otherwise=otherwise):
                holds = np.broadcast_to(evaluation.values[condition], lanes)
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


def _chain(evaluation: Evaluation, state: str, last: Value) -> set[Value]:
    """The versions of a state. One that is set to something whatever it was begins where that is computed."""
    chain = {value for value, name in evaluation.states.items() if name == state}
    if chain:
        return chain | {last}
    waiting = [last]
    while waiting:
        value = waiting.pop()
        if value in chain or (value in evaluation.states and value != last):
            continue
        chain.add(value)
        match evaluation.node(value).op:
            case Select(then=then, otherwise=otherwise):
                waiting += [then, otherwise]
            case Add(left=left) | Sub(left=left):
                waiting.append(left)
            case _:
                pass
    return {value for value in chain if evaluation.node(value).origin.construct.kind} | {last}
