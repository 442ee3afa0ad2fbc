"""The cell cache of GPUs: what is on a lane's cell is found once in a tick, for the tick, observations and the mask.

A step searches, by eight serial rounds of the inverse permutation. A rollout can have the cells of affordances at
random in words, four to a word, and compare its own with four at a time.

Words are made when a rollout begins, and anew where an episode does: there the lanes of a warp compute a cell each, for
one lane of it after the other. The index of an affordance is `words * byte + word`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hamlet import schema
from hamletc.compilation import Compilation
from hamletc.ir.function import Program
from hamletc.lowering.places import grid_of
from hamletc.lowering.plan import Plan
from hamletc.passes.pipeline import CELL_CACHE
from hamletc.targets.triton.columns import operations

NO_CELL = 127
"""A byte that is no cell: what is compared leaves the highest bit of each byte free."""
MOST = 32
"""The most affordances at random: a lane of a warp computes the cell of each."""
SEEKING = ("stand", "search")
"""The functions that find what is on a lane's cell."""
TAKEN = ("move", *SEEKING)
"""What a tick is given by these functions."""
CELL = "cell"
"""The function `place` of the cell cache, for words; kernels have another one of that name."""
TICKS_OF_AN_EPISODE = 9
"""Of a warp, until one of its lanes begins another: with random actions in the town."""
TICKS_OF_A_LAUNCH = 64


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a lane.

    Attributes:
        count: how many; four bytes each.
        cells: how many of those are cells: the affordances at random.
    """

    count: int
    cells: int


def words(program: Program, at_random: int) -> Words | None:
    """The words of a program for kernels; `None` where it has none."""
    if not any(function.name == CELL for function in program.functions):
        return None
    return Words(-(-at_random // 4), at_random)


def with_cells(compilation: Compilation) -> Compilation:
    """The program that is given what is on the agent's cell; with words where they make a tick of a rollout shorter,
    and a note on what was chosen and why."""
    planned = compilation.plan.with_found()
    if not planned.found:
        return compilation
    found = compilation.after(CELL_CACHE, lambda known: _found(known, planned))
    if found is compilation:
        return compilation
    at_random = len(planned.places.random)
    functions = {function.name: function for function in found.program.functions}
    search, cell = operations(functions["search"]), operations(functions[CELL])
    count = -(-at_random // 4)
    compare, again = 4 * count + 8, cell + 10 * count + 20
    spent = compare + again // TICKS_OF_AN_EPISODE + at_random * cell // TICKS_OF_A_LAUNCH
    fit = at_random <= MOST and schema.cells(grid_of(compilation.universe)) <= NO_CELL
    if fit and spent < search:
        why = f"cells: {count} words of a lane; about {spent} operations instead of {search} find what is on a cell"
        return replace(found, notes=(*compilation.notes, why))
    del functions[CELL]
    others = f"words would take about {spent}" if fit else "there are too many for words"
    why = f"cells: found by search, {search} operations; {others}"
    program = replace(found.program, functions=tuple(functions.values()))
    return replace(found, program=program, notes=(*compilation.notes, why))


def _found(known: Compilation, planned: Plan) -> Program:
    """The program that is given what is on the agent's cell, with what gives it that."""
    other = known.replanned(planned)
    of_cells = {*TAKEN, "place", "shuffle"}
    others = (function for function in other.functions if function.name not in of_cells)
    finding = (other.function(name) for name in TAKEN)
    return replace(other, functions=(*others, *finding, replace(other.function("place"), name=CELL)))
