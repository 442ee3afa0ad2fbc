"""What the agents on each cell have together, and what all cells come to, as `hamlet.h` of kernels in C has it."""

from __future__ import annotations

from collections.abc import Iterator

from hamletc.kernel.code import Code, Function, While, assign, function, give, loop, update, when
from hamletc.kernel.expressions import Expression, call, names, no
from hamletc.targets.c.lanes import LANES

joined, flags, runs, standing, begin, agents, lane = names("joined flags runs standing begin agents lane")
values, count, half, pairs, place, left, right, cell = names("values count half pairs place left right cell")
stride, size, cells_, room, here = names("stride size cells room here")
INFINITY = names("INFINITY")[0]
HERE = joined[standing[lane]]


def cells() -> list[Function]:
    """The functions of cells."""
    counted = when(runs[lane].both(flags[lane]), [assign(HERE, HERE + 1.0)])
    added = when(runs[lane], [assign(HERE, HERE + values[lane])])
    lower, higher = values[lane] > HERE, values[lane] < HERE
    least, most = call("where", left < right, left, right), call("where", right < left, left, right)
    return [
        _on_cells("count_on_cells", "flags", [_each([counted])]),
        _on_cells("total_on_cells", "values", [_each([added])]),
        _on_cells("least_on_cells", "values", [_joined_unless(lower)]),
        _on_cells("greatest_on_cells", "values", [_joined_unless(higher)]),
        _on_cells("last_on_cells", "values", [_each([when(runs[lane], [assign(HERE, values[lane])])])]),
        _on_cells("lowest_on_cells", "values", _extreme(INFINITY, lower)),
        _on_cells("highest_on_cells", "values", _extreme(-INFINITY, higher)),
        _any(),
        function(
            "clear_cells",
            ["joined", "standing", "begin", "agents"],
            "Zeros where these agents are.",
            [_each([assign(HERE, 0.0)])],
            "apart",
        ),
        _mark_edges(),
        _turn(),
        _over("total", left + right),
        _over("lowest", least),
        _over("highest", most),
    ]


def _each(body: list[Code]) -> Code:
    """For each agent that is at a cell."""
    return loop(lane, begin, begin + agents, body=[when(standing[lane] >= 0, body)])


def _on_cells(name: str, term: str, body: list[Code]) -> Function:
    parameters = ["joined", term, "runs", "standing", "begin", "agents"]
    return function(name, parameters, "What those on each cell have together.", body, "apart")


def _any() -> Function:
    notable = when(runs[lane].both(no(values[lane].equals(0.0))), [assign(count, 1)])
    body = (assign(count, 0), loop(lane, begin, begin + agents, body=[notable]), give(count > 0))
    summary = "Whether one of those that run has a number that is not 0."
    return function("any_on_cells", ["values", "runs", "begin", "agents"], summary, body, "apart")


def _extreme(nothing: Expression, worse: Expression) -> list[Code]:
    begun = when(runs[lane], [assign(HERE, nothing)])
    return [_each([begun]), _joined_unless(worse)]


def _joined_unless(worse: Expression) -> Code:
    return _each([when(runs[lane].both(no(worse)), [assign(HERE, values[lane])])])


def _mark_edges() -> Function:
    def of_cell() -> Iterator[Code]:
        yield assign(here, (cell // stride) % size)
        yield assign(flags[cell], here.equals(0))
        yield assign(flags[room + cell], here.equals(size - 1))

    body = [loop(cell, cells_, body=of_cell())]
    summary = "Flag the cells that have none before them on an axis, and those that have none behind them."
    return function("mark_edges", ["flags", "stride", "size", "cells", "room"], summary, body, "apart")


def _turn() -> Function:
    of_lane = loop(place, count, body=[assign(joined[place * LANES + lane], values[standing[lane] + cell + place])])
    summary = "A row of lanes for each of some cells of their worlds."
    parameters = ["joined", "values", "standing", "begin", "half", "cell", "count"]
    return function("turn_cells", parameters, summary, [loop(lane, begin, half, body=[of_lane])], "apart")


def _over(op: str, combined: Expression) -> Function:
    of_pair = (
        assign(left, values[place]),
        assign(right, values[half + place]),
        assign(values[place], combined),
    )
    level = (
        assign(pairs, call("min", half, count - half)),
        loop(place, pairs, body=of_pair),
        assign(count, half),
        update(half, "//", 2),
    )
    body = (While(half > 0, level), give(values[0]))
    summary = "All cells together: halves of what is left are combined until one is left."
    return function(f"{op}_over_cells", ["values", "count", "half"], summary, body, "apart")
