"""A universe without one of its parts, so that the difference in time says what the part costs.

The part is taken out of the tick IR before the passes run: what it would have written stays as it was before. All else
is compiled as usual, so what the part shares with others stays, as it would if the author deleted the line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from hamlet.package.module import Module, load
from hamlet.universe import Universe
from hamlet.universe.stages import steps
from hamletc.compilation import Compilation
from hamletc.compile import emit_texts, optimise
from hamletc.ir import ops
from hamletc.ir.builder import Builder
from hamletc.ir.function import PHASES, Function, Origin, Output, Phase, Program, function_of, ticking
from hamletc.ir.operands import operands, with_operands
from hamletc.package import package, write

NOTHING: dict[ops.Type, float | int | bool] = {ops.F32: 0.0, ops.I32: -1, ops.BOOL: False}
"""Values of results that are left out."""

REPORTS = "reports"
"""The outcome that is the outputs `report.*` of ticks."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part that is left out: a phase of the tick, or a construct's operations at a line."""

    name: str
    left: Phase | Origin

    def covers(self, origin: Origin) -> bool:
        """Whether nodes of this origin are left out."""
        return self.left in (origin, origin.phase)

    def results(self, name: str) -> bool:
        """Whether an output of `tick` that is no state is left out."""
        return _outcomes().get(REPORTS if name.startswith("report.") else name) == self.left


def _outcomes() -> dict[str, Phase]:
    """The phase that gives each outcome."""
    return {outcome: step.phase for step in steps() for outcome in step.outcomes}


def phase_parts(program: Program) -> list[LeftOut]:
    """The phases in which a tick writes something, in order."""
    phases = set(_outcomes().values())
    for function in _ticking(program):
        phases |= {function.nodes[value].origin.phase for value in _states(function)}
    return [LeftOut(phase, phase) for phase in PHASES if phase in phases and phase != "state"]


def line_parts(program: Program, universe: Universe) -> list[LeftOut]:
    """Parts of a tick, line by line of the author's text, as far as they write to a state."""
    origins: dict[Origin, None] = {}
    for function in _ticking(program):
        states = _states(function)
        origins |= dict.fromkeys(function.nodes[value].origin for value in sorted(states))
    return [
        LeftOut(f"{universe.sources[origin.file]}:{origin.line}  {origin.title}", origin)
        for origin in origins
        if origin.line
    ]


def _ticking(program: Program) -> list[Function]:
    """The functions of a tick, in order; those of worlds whose agents meet are not in all programs."""
    return [program.function(name) for name in map(function_of, ticking()) if program.has(name)]


def build_without(lowered: Compilation, part: LeftOut, target: str, folder: Path) -> Module:
    """Compile a universe that was lowered without one of its parts, for one target, into a folder that is created."""
    path = folder / lowered.universe.name
    compilation = optimise(replace(lowered, edit=lambda program: without(program, part)))
    write(package(lowered.universe, emit_texts(compilation, (target,))), path)
    return load(path)


def without(program: Program, part: LeftOut) -> Program:
    """A lowered program without a part of its tick."""
    ticks = _ticking(program)
    functions = (_ablated(each, part) if each in ticks else each for each in program.functions)
    return replace(program, functions=tuple(functions))


def _ablated(function: Function, part: LeftOut) -> Function:
    """Versions of a state that are dropped become the version before; the passes sweep out what nobody needs then."""
    states = _states(function)
    builder = Builder()
    new: list[ops.Value] = []
    for value, node in enumerate(function.nodes):
        builder.origin = node.origin
        before = [each for each in _before(node.op) if value in states and states.get(each) == states[value]]
        if before and part.covers(node.origin):
            new.append(new[max(before)])
        else:
            op = with_operands(node.op, tuple(new[operand] for operand in operands(node.op)))
            new.append(builder.node(op, node.type))
    outputs = []
    for output in function.outputs:
        value = new[output.value]
        if part.results(output.name):
            type_ = function.nodes[output.value].type
            value = builder.node(ops.Const(type_, NOTHING[type_]), type_)
        outputs.append(Output(output.name, value))
    return builder.finish(function.name, tuple(outputs))


def _before(op: ops.Op) -> tuple[ops.Value, ...]:
    """The operands of which a result can be the next version: `m + e` is one of m."""
    match op:
        case ops.Add(left=left) | ops.Sub(left=left) | ops.Mul(left=left) | ops.Div(left=left) | ops.Rem(left=left):
            return (left,)
        case ops.ToI32(operand=operand) | ops.ToU32(operand=operand):
            return (operand,)
        case ops.Select(then=then, otherwise=otherwise):
            return (then, otherwise)
        case ops.Fold():
            return (op.before,)
        case _:
            return ()


def _states(function: Function) -> dict[ops.Value, str]:
    """The values between an input and the output of the same name, and the name."""
    inputs = {node.op.name: value for value, node in enumerate(function.nodes) if isinstance(node.op, ops.Input)}
    result: dict[ops.Value, str] = {}
    for output in function.outputs:
        start = inputs.get(output.name)
        if start is None:
            continue
        after = {start}
        for value in range(start + 1, output.value + 1):
            if not after.isdisjoint(_before(function.nodes[value].op)):
                after.add(value)
        between = {output.value} & after
        for value in range(output.value, start, -1):
            if value in between:
                between |= after.intersection(_before(function.nodes[value].op))
        for value in between:
            result.setdefault(value, output.name)
    return result
