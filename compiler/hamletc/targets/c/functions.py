"""The functions of a program in the module: for the lanes of a vector, or in parts where they are large."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hamletc.ir.function import BEGIN_PAIRS, CARRIED_OUT, STAGES, pairer, reducer
from hamletc.kernel.body import RowLoop, rows
from hamletc.kernel.code import Code, Compute, Function, assign, do, function, give, loop
from hamletc.kernel.expressions import Expression, Name, call
from hamletc.targets.c.bindings import Bindings
from hamletc.targets.c.cuts import Cuts
from hamletc.targets.c.parts import Cut

ADDS = "What a lane adds to what the agents of its world have together."
FINDS = "What a lane that asks finds in another one."
SUMMARIES = {
    CARRIED_OUT: "The action that a lane carries out, of the one that it chose.",
    "move": "The position after an action.",
    "stand": "The cell of a position.",
    "place": "The cell of the affordance at random of an index; behind those, of an agent's start.",
    "search": "The index of the affordance at random on a cell, or -1, from the layout.",
    "shuffle": "The layout of an episode.",
    "tick": "What a living lane does in a tick; its new state, then reward, terminated, truncated, used, cause.",
    **{name: summary for stage in STAGES for name, summary in ((reducer(stage), ADDS), (pairer(stage), FINDS))},
    "world": "What the rules of a world do.",
    "near": "What the cells beside a cell sum of it.",
    "awake": "Whether rules of cells do anything in a world.",
    "only_cell": "The only cell in which rules of cells can do anything; -1 where there is none.",
    "spread": "What the rules of cells do.",
    "begin_cells": "How a cell begins an episode.",
    BEGIN_PAIRS: "What a lane has of another one as an episode begins.",
    "over": "What a cell adds to what all cells come to.",
    "settle": "How a tick ends for a lane.",
    "bear": "The state of a lane after births.",
    "crowd": "What a lane adds to the totals of the agents on its cell.",
    "clock": "The hour after this one.",
    "reset": "How a lane begins an episode.",
    "policy": "Four random words of a lane: for this tick and the three that share its counter.",
    "choose": "The action that a random word stands for.",
    "steer": "The controls that a policy draws.",
    "situation": "The row of a policy's table that a lane looks up.",
    "bin": "What a meter adds to that.",
}
"""What the functions of a program do that have no kernel of their own around them, in the order of the file."""


def functions(bindings: Bindings, cuts: Cuts | None) -> list[Function]:
    """The functions of a program but `observe` and `mask`; what rows of tables do stands first."""
    summaries = SUMMARIES | ({"situation": "The same without meters."} if "bin" in bindings.bodies else {})
    result: list[Function] = []
    for each in rows(bindings.program, bindings.bodies, "index"):
        result += [_whole(bindings, each.function, "What a row of tables does."), _rows(bindings, each)]
    for name, summary in summaries.items():
        if name in bindings.bodies and bindings.bodies[name].outputs:
            result += _of_lane(bindings, cuts, name, summary)
    return result


def in_parts(cut: Cut, name: str, summary: str) -> list[Function]:
    """A function in parts."""
    result: list[Function] = []
    for part in cut.parts:
        result.append(function(part.name, part.parameters, f"A part of `_{name}`.", part.body, "apart"))
    calls: list[Code] = [do(part.name, *part.parameters) for part in cut.parts]
    result.append(function(f"_{name}", cut.parameters, f"{summary} In parts.", calls or [give()], "apart"))
    return result


def computing(bindings: Bindings, of: str, summary: str, values: Iterable[Expression], name: str = "") -> Function:
    """The lines of a function of the program, then values of them; `name`: where it is not that of the function."""
    body = (Compute(of, bindings.bodies[of].lines), give(*values))
    return function(name or f"_{of}", bindings.parameters(of), summary, body)


def _of_lane(bindings: Bindings, cuts: Cuts | None, name: str, summary: str) -> list[Function]:
    """A function of the program."""
    if cuts is not None and name in cuts.cuts:
        return in_parts(cuts.cuts[name], name, summary)
    return [_whole(bindings, name, summary)]


def _whole(bindings: Bindings, name: str, summary: str) -> Function:
    return computing(bindings, name, summary, bindings.outputs(name))


def _rows(bindings: Bindings, rows: RowLoop) -> Function:
    def argument(name: str) -> Expression:
        return call("i32", name) if name == "index" else Name(name)

    def body() -> Iterator[Code]:
        of_row = call(f"_{rows.function}", *map(argument, rows.arguments), *bindings.tables_of(rows.function))
        yield loop("index", rows.count, body=[assign(rows.variables, of_row)])
        yield give(*rows.variables)

    parameters = [*rows.variables, *bindings.passed_tables(rows.tables)]
    return function(f"_{rows.function}_rows", parameters, "What all rows do, one after the other.", body())
