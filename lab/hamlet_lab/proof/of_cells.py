"""Statements of a schedule about the cells of a world of one agent: registers of cells as terms of any cell.

This says what `hamletc.kernel.cells` says with numpy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hamlet.universe import Universe
from hamlet_lab.proof.cells import NUMBER, Cells
from hamlet_lab.proof.of_ir import Functions, bits_of
from hamlet_lab.proof.overall import Overalls
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena
from hamletc.ir.function import CROWD, NEAR, OVER, PAST
from hamletc.ir.ops import Type
from hamletc.kernel import statements as tree
from hamletc.kernel.statements import OF_WORLD, RUNNING, SHARED
from hamletc.lowering.crowd import nobody

OfCellsStatement = tree.Near | tree.OnCells | tree.CallCells | tree.Crowd


class OfCells:
    """The registers of cells, over the variable that stands for any cell."""

    def __init__(self, arena: Arena, universe: Universe, functions: Functions, cells: Cells) -> None:
        self._arena, self._universe, self._functions, self._cells = arena, universe, functions, cells
        self._registers: dict[str, Term] = {}

    def load(self, memory: list[Term]) -> None:
        """Set the registers of meters to what memory has."""
        self._registers |= {f"cells.{name}": each for name, each in zip(self._cells.meters, memory, strict=True)}

    def store(self, memory: list[Term], where: Term) -> None:
        """Write the registers of meters to memory where a condition holds."""
        for row, name in enumerate(self._cells.meters):
            memory[row] = self._arena.select(where, self._registers[f"cells.{name}"], memory[row])

    def read(self) -> dict[str, Term]:
        """Inputs of functions of lanes: what cells have, from the first one of their world on."""
        meters = {name: self._registers[name] for name in (f"cells.{each}" for each in self._cells.meters)}
        return {**meters, "cells_at": self._arena.constant(0, 32)}

    def run(self, statement: OfCellsStatement, registers: Mapping[str, Term], within: Term) -> None:
        """Run a statement with the registers of the lane."""
        match statement:
            case tree.Near():
                for name, values in self._called(NEAR, registers).items():
                    self._registers[name] = self._cells.beside(self._arena, values)
            case tree.CallCells(function):
                for name, value in self._called(function, registers).items():
                    self._registers[name] = self._arena.select(within, value, self._registers[name])
            case tree.OnCells(name):
                self._on_cells(name, registers)
            case tree.Crowd(meters):
                self._crowd(meters, registers, within)

    def overall(
        self, meters: tuple[str, ...], registers: Mapping[str, Term], overalls: Overalls
    ) -> Iterator[tuple[str, Term]]:
        """The numbers that all cells come to, of each of the world's meters that keep them."""
        rows = self._called(OVER, registers).values()
        for meter, row, each in zip(meters, rows, self._cells.sums, strict=True):
            yield f"world.{meter}", overalls.of(self._arena, each, row)

    def _called(self, function: str, registers: Mapping[str, Term]) -> dict[str, Term]:
        """The outputs of a function of cells, for any of them."""
        arena = self._arena
        shared = {name: each for name, each in registers.items() if name in OF_WORLD or name.startswith(SHARED)}
        past = {f"{PAST}{name}": self._registers[f"cells.{name}"] for name in self._cells.meters}
        own = {NUMBER: arena.variable(NUMBER), "cells_at": arena.constant(0, 32)}
        outputs = self._functions.call(function, {**shared, **past, **own, **self._registers})
        return {name: value for name, (value,) in outputs.items()}

    def _on_cells(self, name: str, registers: Mapping[str, Term]) -> None:
        arena, nothing = self._arena, self._arena.constant(0, 32)
        (reduction,) = self._functions.reductions(name)
        term, standing = registers[f"term.{name}"], registers[reduction.standing]
        value = term
        if reduction.op == "count":
            value = arena.select(term, arena.constant(bits_of(Type.F32, 1.0), 32), nothing)
        elif reduction.op == "total":
            value = arena.op("fadd", nothing, term)
        here = arena.op("and", registers[RUNNING], arena.op("eq", standing, arena.variable(NUMBER)))
        self._registers[reduction.result] = arena.select(here, value, nothing)

    def _crowd(self, meters: tuple[str, ...], registers: Mapping[str, Term], within: Term) -> None:
        arena = self._arena
        counts = {name: value for name, (value,) in self._functions.call(CROWD, {**registers, **self.read()}).items()}
        here = arena.op("and", counts["counted"], arena.op("eq", counts["standing"], arena.variable(NUMBER)))
        for number, name in enumerate(meters):
            each, value = self._universe.counts[number], counts[f"crowd.{number}"]
            none = arena.constant(bits_of(Type.F32, nobody(self._universe, each)), 32)
            match each.extreme:
                case "lowest":
                    value = arena.select(arena.op("flt", none, value), none, value)
                case "highest":
                    value = arena.select(arena.op("flt", value, none), none, value)
                case None:
                    value = arena.op("fadd", none, value)
            joined, register = arena.select(here, value, none), f"cells.{name}"
            self._registers[register] = arena.select(within, joined, self._registers[register])
