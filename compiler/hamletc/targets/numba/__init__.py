"""Kernels for CPUs, in numba."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hamlet.universe import Universe
    from hamletc.ir.function import Program
    from hamletc.targets.target import Work


class Numba:
    """See `hamletc.targets.target.Target`."""

    def specialise(self, program: Program, work: Work) -> Program:
        """A program that takes the cells of affordances from the kernel, where that keeps them; and with tables for
        registers."""
        from hamletc.ir.verifier import verify_program
        from hamletc.lowering.lower import lower
        from hamletc.lowering.plan import CPU, plan
        from hamletc.passes import tabulation
        from hamletc.passes.facts import facts_of
        from hamletc.passes.pipeline import KEPT_CELLS
        from hamletc.targets.numba.parts import is_large

        universe, stopwatch = work.universe, work.stopwatch
        if is_large(program):
            program = _with_rows_of_situation(program, universe)
        elif KEPT_CELLS not in work.disabled and plan(universe, CPU).cell_cache:
            again = lower(universe, CPU)
            program = stopwatch.lap(f"pass {KEPT_CELLS}", lambda: work.optimise(again))
        if tabulation.NAME not in work.disabled:
            facts = facts_of(universe, program)
            program = stopwatch.lap("pass tabulation", lambda: tabulation.tabulate(program, facts))
            verify_program(program)
        return program

    def emit(self, program: Program, universe: Universe) -> str:
        """The text of the module."""
        from hamletc.targets.numba.emit import emit

        return emit(program, universe)


def _with_rows_of_situation(program: Program, universe: Universe) -> Program:
    """A program in which a loop over meters finds situations."""
    from hamletc.ir.function import Program
    from hamletc.lowering.plan import LIMITS, plan
    from hamletc.lowering.policy import lower_bin, lower_situation
    from hamletc.passes.pipeline import MOST_UNROLLED

    if len(universe.meters) <= MOST_UNROLLED:
        return program
    row, table = lower_bin(universe)
    others = tuple(function for function in program.functions if function.name != "situation")
    before = lower_situation(plan(universe, LIMITS), with_meters=False)
    return Program(program.universe, (*others, before, row), (*program.tables, table))


TARGET = Numba()
