"""Whole numbers: which expressions are proven to have no other values.

Sums, differences and products of whole numbers stay whole when they are rounded to binary32, whose numbers from 2^23 on
are all whole; so nothing needs to be known of their size.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hamlet import universe
from hamlet.frozen import dataclass
from hamlet.universe import Expression, assigns, operands
from hamlet.universe.functions import FUNCTIONS
from hamlet.universe.space import letters_of
from hamletc import messages
from hamletc.checking.draft import Draft
from hamletc.checking.names import Names
from hamletc.checking.report import Findings
from hamletc.checking.tables import readings

LARGEST_WHOLE = 1 << 24
"""Up to this size every whole number is a binary32 number, so that counting by one ends nowhere before."""


@dataclass(frozen=True, slots=True)
class Wholes:
    """What a universe has that is whole. `states` are the names of such states and controls, `terrains` those of such
    terrains, `tables` those of tables of such numbers."""

    cells: bool
    """Whether coordinates are numbers of cells."""
    counts: bool
    """Whether `distance to` counts cells."""
    states: frozenset[str] = frozenset()
    terrains: frozenset[str] = frozenset()
    tables: frozenset[str] = frozenset()
    locals: frozenset[str] = frozenset()
    """The locals that are whole wherever they are worked out."""

    @classmethod
    def of(
        cls,
        space: universe.Space,
        values: Iterable[universe.AnyMeter | universe.Control] = (),
        tables: Iterable[universe.NumberTable] = (),
        lets: Iterable[universe.Let] = (),
    ) -> Wholes:
        """Those of a universe in this space, with these meters, states, controls, tables and locals."""
        states = frozenset(each.name for each in values if is_whole(each))
        grid, ground = space if isinstance(space, universe.Grid) else None, letters_of(space)
        terrains: frozenset[str] = frozenset()
        if ground is not None:
            letters = set("".join(ground.rows))
            found = (each for each in ground.terrains if all(ground.number(each, a).is_integer() for a in letters))
            terrains = frozenset(each.name for each in found)
        counted = frozenset(each.name for each in tables if all(value.is_integer() for value in each.values))
        counts, lets = grid is not None and grid.metric != "euclidean", tuple(lets)
        wholes = cls(grid is not None, counts, states, terrains, counted, frozenset(let.name for let in lets))
        while doubted := {let.name for let in lets if let.name in wholes.locals and wholes.doubt(let.value)}:
            wholes = replace(wholes, locals=wholes.locals - doubted)
        return wholes

    def quantity(self, expression: Expression) -> bool:
        """Whether an expression is whole whatever it is made of."""
        if isinstance(expression, universe.WHOLE):
            return True
        match expression:
            case universe.DrawInteger() | universe.DrawPoisson():
                return True
            case universe.Unary(op=name) | universe.Binary(op=name) if name in FUNCTIONS:
                return FUNCTIONS[name].whole == "always"
            case universe.Among(op="count") | universe.Upon(op="count") | universe.Rank():
                return True
            case (
                universe.MeterValue(name)
                | universe.WorldValue(name)
                | universe.CellValue(name)
                | universe.PairValue(name)
                | universe.ControlValue(name)
            ):
                return name in self.states
            case universe.LocalValue(name):
                return name in self.locals
            case universe.Coordinate() | universe.Velocity():
                return self.cells
            case universe.Distance() | universe.Apart():
                return self.counts
            case _:
                return False

    def doubt(self, expression: Expression) -> Expression | None:
        """The part of an expression for which it may be no whole number; `None` where it is proven to be one."""
        match expression:
            case universe.Number(value):
                return None if value.is_integer() else expression
            case universe.TableValue(table):
                return None if table in self.tables else expression
            case universe.TerrainValue(terrain):
                return None if terrain in self.terrains else expression
            case universe.Unary(op=name) | universe.Binary(op=name) if _keeps_whole(name):
                return self._doubts(*operands(expression))
            case universe.Clamp():
                return self._doubts(*operands(expression))
            case universe.Previous(operand) | universe.Own(operand) | universe.Neighbours(operand):
                return self.doubt(operand)
            case universe.At(operand):
                return self.doubt(operand)
            case universe.Nearest(_, value, otherwise):
                return self._doubts(value, otherwise)
            case universe.If(then=then, otherwise=otherwise):
                return self._doubts(then, otherwise)
            case universe.DrawChoice(options=options):
                return self._doubts(*options)
            case (
                universe.Among(op="total" | "lowest" | "highest", operand=operand)
                | universe.Upon(op="total" | "lowest" | "highest" | "last", operand=operand)
            ):
                return self.doubt(operand)
            case _:
                return None if self.quantity(expression) else expression

    def _doubts(self, *expressions: Expression) -> Expression | None:
        return next((found for each in expressions if (found := self.doubt(each)) is not None), None)


def is_whole(value: universe.AnyMeter | universe.Control) -> bool:
    """Whether a meter, a state or a control has whole numbers alone."""
    if isinstance(value, universe.Control):
        return value.whole
    return value.type is not None and value.type.whole


def _keeps_whole(op: str) -> bool:
    """Whether an operation makes a whole number of whole numbers."""
    return op in ("+", "-", "*") or (op in FUNCTIONS and FUNCTIONS[op].whole == "of whole numbers")


def wholes_in(draft: Draft, space: universe.Space) -> Wholes:
    """The whole numbers of a draft: all that holds numbers says whether it holds whole ones alone."""
    return Wholes.of(space, (*draft.meters_of_all(), *draft.controls), draft.tables, draft.lets)


def check_whole(draft: Draft, names: Names, report: Findings) -> None:
    """Report what is written into a state of whole numbers, or what it begins with, and the coordinates of a cell,
    where they may be none."""
    if draft.space is None:
        return
    meters = draft.meters_of_all()
    wholes = wholes_in(draft, draft.space)
    places = (read.place for read in draft.parts() if isinstance(read, universe.At))
    for place in (*places, names.coordinates):
        for coordinate in place:
            doubted = wholes.doubt(coordinate)
            if doubted is not None:
                report.add(messages.elsewhere.MaybeBetweenCells(doubted.span, coordinate, doubted))
    counted = {meter.name for meter in meters if meter.type is not None and meter.type.holds == "int"}
    if not counted and not draft.tables:
        return
    for reading in readings(draft.parts()):
        for index in reading.indices:
            if (doubt := wholes.doubt(index)) is not None:
                report.add(messages.tables.IndexNotWhole(index.span, reading.table, index, doubt))
    given = [(meter.name, meter.start) for meter in meters if not isinstance(meter.start, float)]
    sound_controls = {control.name for control in draft.controls}
    bodies = (body for _, body in (*draft.bodies(), *draft.bodies_of_world()))
    given += [(assign.meter, assign.value) for body in bodies for assign in assigns(body)]
    for name, value in given:
        part = None if name not in counted else wholes.doubt(value)
        # Of a control with an error nothing is concluded.
        if part is not None and not (isinstance(part, universe.ControlValue) and part.control not in sound_controls):
            report.add(messages.ranges.MaybeNotWhole(part.span, name, value, part))
