"""What a launch should take: the operations that it executes at the peak rate, or the bytes that it moves at the rate
of a copy, whichever takes longer, and what any launch takes."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet.universe import Universe
from hamlet_lab.bench import Case
from hamletc.compile import lower, optimise, specialise
from hamletc.ir.function import Function, Program
from hamletc.ir.ops import Const, Fold, Input
from hamletc.kernel.body import body


@dataclass(frozen=True, slots=True)
class Machine:
    """What was measured in the same run.

    Attributes:
        peak: operations per second.
        bandwidth: bytes per second of a copy, read and written.
        launch: seconds of a launch of one agent for one tick.
        width: lanes that take as long as one: of all vectors, or of all processors' threads.
    """

    peak: float
    bandwidth: float
    launch: float
    width: int


def operations(universe: Universe, target: str, case: Case) -> float:
    """Operations of the tick IR per agent-tick, after all passes. Philox draws actions for four ticks at once."""
    program = specialise(optimise(lower(universe)), target).program
    sizes = {function.name: _size(function, program) for function in program.functions}
    total = sizes["tick"] + sizes.get("clock", 0)
    if case.launch == "rollout":
        total += sizes["policy"] / 4 + sizes["choose"]
    if case.observed != "none" or case.launch == "step":
        total += sizes["mask"] + (sizes["observe"] if case.observed != "none" else 0)
    return total


def _size(function: Function, program: Program) -> float:
    """Operations of a function; those in loops as often as they run."""
    printed = body(function)
    elementwise = {line.value: loop.count for loop in printed.loops for line in loop.lines}
    total = 0.0
    for value, node in enumerate(function.nodes):
        match node.op:
            case Const() | Input():
                pass
            case Fold() as fold if fold.output == fold.names[0]:
                total += fold.count * _size(program.function(fold.function), program)
            case Fold():
                pass
            case _:
                total += elementwise.get(value, 1)
    return total


def predicted(machine: Machine, case: Case, operations: float, moved: float) -> float:
    """Agent-ticks per second."""
    lanes = -(-case.lanes // machine.width) * machine.width
    computing = lanes * case.ticks * operations / machine.peak
    moving = case.lanes * case.ticks * moved / machine.bandwidth
    return case.lanes * case.ticks / (machine.launch + max(computing, moving))
