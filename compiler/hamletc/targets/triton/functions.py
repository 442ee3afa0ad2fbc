"""The functions of the tick IR in kernels for GPUs: what one lane computes, and loops over the rows of tables."""

from __future__ import annotations

from collections.abc import Iterator

from hamletc.ir.function import BEGIN_CELLS, BEGIN_PAIRS, CARRIED_OUT, OVER
from hamletc.kernel.body import RowLoop, rows, table_name
from hamletc.kernel.code import Compute, Function, Remark, assign, constants, function, give, loop
from hamletc.kernel.expressions import Name, call, several
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.blocks import cast, same_bits
from hamletc.targets.triton.columns import column_functions
from hamletc.targets.triton.together import PAIRED
from hamletc.targets.triton.together import SUMMARIES as TOGETHER

SUMMARIES = {
    CARRIED_OUT: "The action that a lane carries out, of the one that it chose.",
    "tick": "What a living lane does in a tick: its new state and its outcome.",
    **TOGETHER,
    **PAIRED,
    "move": "The position after an action.",
    "stand": "The cell of a position.",
    "search": "The index of the affordance at random on a cell, or -1, from the layout.",
    "cell": "The cell of the affordance at random of an index.",
    "clock": "The hour after this one.",
    "reset": "How a lane begins an episode.",
    "scene": "What observations need of the layout: it stays for an episode.",
    "policy": "Four random words of a lane: for this tick and the three that share its counter.",
    "choose": "The action that a random word stands for.",
    "steer": "The controls that a policy draws.",
    "situation": "The row of a policy's table that a lane looks up.",
    BEGIN_CELLS: "How a cell begins an episode.",
    OVER: "What a cell adds to what all cells come to.",
    BEGIN_PAIRS: "What a lane has of another one as an episode begins.",
}


def computed(bindings: Bindings, *functions: str) -> list[Function]:
    """Those of these functions that the program has."""
    return [_computed(bindings, name) for name in functions if name in bindings.bodies]


def _computed(bindings: Bindings, name: str) -> Function:
    body = (Compute(name, bindings.bodies[name].lines), give(*bindings.results(name)))
    return function(f"_{name}", bindings.parameters(name), SUMMARIES[name], body)


def elementary(bindings: Bindings) -> list[Function]:
    """What all others need: numbers without a literal, columns, loops that stay loops, and loops over rows."""
    loops = (_row_loop(bindings, each) for each in rows(bindings.program, bindings.bodies, "index"))
    return [_f32(), *column_functions(bindings.columns), _zero(), *(each for made in loops for each in made)]


def _f32() -> Function:
    summary = "The number with these bits: -0.0, subnormal and huge numbers have no literal in Triton."
    body = (give(same_bits(call("tl.full", several(()), "bits", "tl.uint32"), "float32")),)
    return function("_f32", constants("bits"), summary, body)


def _zero() -> Function:
    summary = "Zero, which no compiler can know: a loop of so many turns more stays one."
    return function("_zero", ["lanes"], summary, (give(cast(Name("lanes") >> 63, "int32")),))


def _row_loop(bindings: Bindings, table: RowLoop) -> Iterator[Function]:
    name = table.function
    lines = (Compute(name, bindings.bodies[name].lines), give(*bindings.results(name)))
    yield function(f"_{name}", bindings.parameters(name), "What a row of tables does.", lines)

    row = (
        Remark("A tensor also in Triton's interpreter."),
        assign("index", call("tl.cast", "number", "tl.int32")),
        assign(table.variables, call(f"_{name}", *table.arguments, *bindings.tables_of(name))),
    )
    body = (loop("number", table.count, body=row), give(*table.variables))
    parameters = [*table.variables, *map(table_name, table.tables)]
    yield function(f"_{name}_rows", parameters, "What all rows do, one after the other.", body)
