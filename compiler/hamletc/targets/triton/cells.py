"""The cell cache of GPUs: a rollout has the cells of affordances at random in words, four to a word, and finds the one
on a lane's cell by comparing it with four at a time, in place of eight serial rounds of the inverse permutation.

Words are made when a rollout begins, and anew where an episode does: there the lanes of a warp compute a cell each, for
one lane of it after the other. The index of an affordance is `words * byte + word`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hamletc.compilation import Compilation
from hamletc.ir.function import Program
from hamletc.lowering.plan import Limits, Plan
from hamletc.passes.pipeline import CELL_CACHE
from hamletc.targets.triton.columns import operations

NO_CELL = 127
"""A byte that is no cell: what is compared leaves the highest bit of each byte free."""
GPU = Limits(cached_cells=NO_CELL)
MOST = 32
"""The most affordances at random: a lane of a warp computes the cell of each."""
TAKEN = ("move", "stand", "search")
"""What a tick is given by these functions. A step, which is one tick, searches; it has no words."""
CELL = "cell"
"""The function `place` of the cell cache; kernels have another one of that name."""
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
    if not any(function.name == "search" for function in program.functions):
        return None
    return Words(-(-at_random // 4), at_random)


def with_cells(compilation: Compilation) -> Compilation:
    """The program with words where they make a tick of a rollout shorter, and a note on what was chosen and why."""
    plan = compilation.plan.with_cell_cache(GPU)
    at_random = len(plan.places.random)
    if not plan.cell_cache or at_random > MOST:
        return compilation
    cached = compilation.after(CELL_CACHE, lambda known: _cached(known, plan))
    if cached is compilation:
        return compilation
    functions = {function.name: function for function in cached.program.functions}
    search, cell = operations(functions["search"]), operations(functions[CELL])
    count = -(-at_random // 4)
    compare, again = 4 * count + 8, cell + 10 * count + 20
    spent = compare + again // TICKS_OF_AN_EPISODE + at_random * cell // TICKS_OF_A_LAUNCH
    if spent < search:
        why = f"cells: {count} words of a lane; about {spent} operations instead of {search} find what is on a cell"
        return replace(cached, notes=(*compilation.notes, why))
    why = f"cells: found by search, {search} operations; words would take about {spent}"
    return replace(compilation, notes=(*compilation.notes, why))


def _cached(known: Compilation, plan: Plan) -> Program:
    """The program with a tick that is given what stands on its cell, and what gives it that."""
    other = known.replanned(plan)
    more = [other.function(name) for name in TAKEN]
    more.append(replace(other.function("place"), name=CELL))
    functions = [other.function("tick") if each.name == "tick" else each for each in known.program.functions]
    names = {table.name for table in known.program.tables}
    tables = (*known.program.tables, *(table for table in other.tables if table.name not in names))
    return Program(known.program.universe, (*functions, *more), tables)
