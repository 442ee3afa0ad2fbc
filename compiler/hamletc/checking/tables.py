"""Tables: their numbers, and readings of them by an index that is proven to be a whole number inside."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor, prod

from hamlet import universe
from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import round32
from hamlet.universe import Expression
from hamlet.universe.members import MOST_NUMBERS
from hamletc import messages
from hamletc.checking.operations import Constant, Operand, Operations
from hamletc.checking.report import Findings, whole_number
from hamletc.intervals import Interval
from hamletc.language import syntax

MOST_AXES = 8
MOST_LOOKED_AT = 4096
"""The most numbers among which the range of a reading is looked for; else it is that of the table."""


@dataclass(frozen=True, slots=True)
class Tabled:
    """A table that is sound, with its numbers as they are written, in binary64."""

    table: universe.NumberTable
    exact: tuple[float, ...]


def resolve_tables(declarations: Iterable[syntax.Decl], report: Findings) -> dict[str, Tabled]:
    """The tables that are sound, by name; of several of one name the first."""
    found: dict[str, Tabled] = {}
    for item in declarations:
        if isinstance(item, syntax.TableDecl) and (made := _resolved(item, report)) is not None:
            found.setdefault(item.name.text, made)
    return found


def _resolved(item: syntax.TableDecl, report: Findings) -> Tabled | None:
    operations = Operations(report)
    rows = [row.numbers.split() for row in item.rows]
    written = [number for row in rows for number in row]
    sizes = [whole_number(size, 1, MOST_NUMBERS, "the size of a table", report) for size in item.sizes]
    known = [size for size in sizes if size is not None] if item.sizes else _sizes_of(rows, item.file)
    if len(known) < len(sizes):
        return None
    if not written:
        return None  # What reads the file says why.
    if len(known) > MOST_AXES or max(prod(known), len(written)) > MOST_NUMBERS:
        report.add(messages.tables.TableTooLarge(item.name.span, item.name.text, MOST_NUMBERS, MOST_AXES))
        return None
    if prod(known) != len(written):
        report.add(messages.tables.TableOfOtherSize(item.name.span, item.name.text, tuple(known), len(written)))
        return None
    exact = [operations.numeral(number, row.span) for row in item.rows for number in row.numbers.split()]
    rounded = [None if each is None else operations.number(each) for each in exact]
    values = tuple(each.value for each in rounded if each is not None)
    if len(values) < len(rounded):
        return None
    table = universe.NumberTable(item.name.text, tuple(known), values, item.span)
    return Tabled(table, tuple(each.value for each in exact if each is not None))


def _sizes_of(rows: list[list[str]], file: syntax.Quoted | None) -> list[int]:
    """The sizes that a table has by itself: those of the rows and columns of a file, else the number of its numbers."""
    if file is not None and len(rows) > 1 and len(rows[0]) > 1:
        return [len(rows), len(rows[0])]
    return [sum(map(len, rows))]


def reading(tabled: Tabled, indices: list[Operand], expr: syntax.IndexExpr, report: Findings) -> Operand | None:
    """The reading of a table; where all indices are constants, the number as it is written."""
    table, operations = tabled.table, Operations(report)
    if len(indices) != len(table.sizes):
        about = table.name, len(table.sizes), len(indices), table.span
        report.add(messages.tables.OtherNumberOfIndices(expr.span, *about))
        return None
    constants = [index for index in indices if isinstance(index, Constant)]
    for index, size in zip(indices, table.sizes, strict=True):
        if isinstance(index, Constant) and not (index.value.is_integer() and 0 <= index.value < size):
            where = Interval(round32(index.value), round32(index.value))
            report.add(messages.tables.IndexOutside(index.span, table.name, size, where, index.value.is_integer()))
            return None
    if len(constants) == len(indices):
        place = 0
        for index, size in zip(constants, table.sizes, strict=True):
            place = place * size + int(index.value)
        return Constant(tabled.exact[place], expr.span)
    values = [value for index in indices if (value := operations.rounded(index)) is not None]
    return universe.TableValue(table.name, tuple(values), expr.span) if len(values) == len(indices) else None


def where_read(table: universe.NumberTable, indices: list[Interval]) -> Interval:
    """Where a reading of a table lies, by where its indices lie, inside of the table."""
    places = [0]
    for index, size in zip(indices, table.sizes, strict=True):
        inside = range(ceil(index.low), floor(index.high) + 1)
        if len(places) * len(inside) > MOST_LOOKED_AT:
            return Interval(*_ends(table.values))
        places = [place * size + each for place in places for each in inside]
    return Interval(*_ends([table.values[place] for place in places]))


def _ends(values: Iterable[float]) -> tuple[float, float]:
    rounded = [round32(value) for value in values]
    return min(rounded), max(rounded)


def readings(expressions: Iterable[Expression]) -> Iterable[universe.TableValue]:
    """The readings of tables among expressions."""
    return (each for each in expressions if isinstance(each, universe.TableValue))
