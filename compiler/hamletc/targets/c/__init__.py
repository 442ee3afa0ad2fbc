"""Kernels for CPUs, in C: the tree of their code (`module`), and how it is printed (`printer`). They include `hamlet.h`
of `hamlet.native`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hamletc.compilation import Compilation
    from hamletc.ir.function import Program


class C:
    """See `hamletc.targets.target.Target`."""

    form, suffix = "cpu", "c"

    def specialise(self, compilation: Compilation) -> Compilation:
        """A program for a kernel with a cell cache, where that pays; with tables for registers; with sleeping cells."""
        from hamletc.lowering.plan import CPU
        from hamletc.passes import tabulation
        from hamletc.passes.pipeline import CELL_CACHE
        from hamletc.targets.c.parts import is_large

        if is_large(compilation.program):
            compilation = compilation.with_program(_with_rows_of_situation(compilation))
        elif (cached := compilation.plan.with_cell_cache(CPU)).cell_cache:
            compilation = compilation.after(CELL_CACHE, lambda known: known.replanned(cached), verified=True)
        compilation = compilation.with_program(_with_sleeping_cells(compilation))
        return compilation.after(tabulation.NAME, lambda known: tabulation.tabulate(known.program, known.facts))

    def emit(self, compilation: Compilation) -> str:
        """The text of the file."""
        from hamletc.targets.c.emit import emit

        return emit(compilation.program, compilation.universe)


def _with_sleeping_cells(compilation: Compilation) -> Program:
    """A program that tells in which cell of a world rules do anything, or whether they do, where that takes no cell."""
    from hamletc.lowering.cells import awake
    from hamletc.lowering.only_cell import only_cell

    cells, program, plan = compilation.universe.cells, compilation.program, compilation.plan
    told = () if cells is None else only_cell(plan, cells) or awake(plan, cells)
    return replace(program, functions=(*program.functions, *told))


def _with_rows_of_situation(compilation: Compilation) -> Program:
    """A program in which a loop over meters finds situations."""
    from hamletc.lowering.policy import lower_bin, lower_situation
    from hamletc.passes.pipeline import MOST_UNROLLED

    universe, program = compilation.universe, compilation.program
    if len(universe.meters) <= MOST_UNROLLED:
        return program
    row, table = lower_bin(universe)
    others = tuple(function for function in program.functions if function.name != "situation")
    before = lower_situation(compilation.plan, with_meters=False)
    return replace(program, functions=(*others, before, row), tables=(*program.tables, table))


TARGET = C()
