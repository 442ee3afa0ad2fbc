"""The tree of kernels for CPUs: all functions of a program."""

from __future__ import annotations

from dataclasses import replace

from hamlet.universe import Universe
from hamletc.ir.function import Program, Table
from hamletc.kernel import code
from hamletc.kernel.body import table_name
from hamletc.kernel.build import build
from hamletc.kernel.passing import passing
from hamletc.targets.c.act import act
from hamletc.targets.c.bindings import Bindings
from hamletc.targets.c.cells import cells
from hamletc.targets.c.counts import counts
from hamletc.targets.c.crowds import crowds
from hamletc.targets.c.cuts import Cuts
from hamletc.targets.c.episodes import episodes
from hamletc.targets.c.expressions import LIBRARY
from hamletc.targets.c.functions import functions
from hamletc.targets.c.grid import cell_step
from hamletc.targets.c.kernels import kernels
from hamletc.targets.c.meeting import meeting
from hamletc.targets.c.memory import memory, store_outcome
from hamletc.targets.c.observe import observe
from hamletc.targets.c.pairs import begun, pair_step
from hamletc.targets.c.parts import is_large
from hamletc.targets.c.places import places
from hamletc.targets.c.rollout import Rollout
from hamletc.targets.c.rows import MANY_WORDS
from hamletc.targets.c.slots import HEAP, STACK, has_cell_cache
from hamletc.targets.c.tick import bear, tick
from hamletc.targets.known_rows import KnownRows, known_rows


def built(program: Program, universe: Universe) -> Rollout:
    """The kernel of a program, and what it is made of."""
    large = is_large(program) and not has_cell_cache(program)
    program, known = (program, ()) if large else _with_known_rows(program)
    bindings = Bindings(program, universe, HEAP if large else STACK, known)
    cuts = Cuts(bindings) if large else None
    grid = cell_step(program, universe, bindings)
    pairs = pair_step(universe, bindings)
    return Rollout(bindings, cuts, grid, pairs, build(universe, program), _tables(bindings, cuts))


def functions_of(rollout: Rollout) -> list[code.Function]:
    """All functions, in the order of the file."""
    bindings, cuts, grid, schedule = rollout.bindings, rollout.cuts, rollout.cells, rollout.schedule
    pairs = rollout.pairs
    written = [
        *functions(bindings, cuts),
        *observe(bindings, cuts, schedule),
        *memory(bindings),
        *places(bindings),
        *act(bindings, cuts, schedule),
        *meeting(bindings, cuts, pairs),
        *(cells(grid) if grid is not None else ()),
        *tick(bindings, cuts, grid, schedule),
        *bear(bindings, cuts),
        *crowds(bindings, cuts, grid),
        *counts(bindings),
        store_outcome(bindings),
        *([begun(pairs)] if pairs is not None else []),
        *episodes(bindings, cuts, grid, schedule),
        *kernels(bindings, cuts, grid, schedule),
        rollout.function(),
    ]
    return passing(written, {*LIBRARY, *map(table_name, bindings.short)}, bindings.bodies)


def _tables(bindings: Bindings, cuts: Cuts | None) -> tuple[Table, ...]:
    """All tables that functions read."""
    scales = (bindings.meter_scales,) if bindings.meter_scales else ()
    return (*bindings.program.tables, *(cuts.scale_tables() if cuts else ()), *scales)


def _with_known_rows(program: Program) -> tuple[Program, tuple[KnownRows, ...]]:
    """Where a repeated row is known but for a bit of many words, `observe` gives the words."""
    observe, known = known_rows(program.function("observe"), MANY_WORDS)
    functions = (observe if function.name == "observe" else function for function in program.functions)
    return replace(program, functions=tuple(functions)), known
