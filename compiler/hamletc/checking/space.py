"""The grid: its size and edges, cells and displacements on it."""

from __future__ import annotations

from math import prod
from typing import cast

from hamlet.universe import Affordance, Edges, Grid, Metric, Span
from hamletc.checking.numerals import any_whole_number, whole_number
from hamletc.checking.properties import by_key, is_known, word
from hamletc.checking.report import Report
from hamletc.diagnostics import Label
from hamletc.language import syntax

EDGES = ("clamp", "wrap", "bounce", "sticky")
METRICS = ("manhattan", "euclidean", "chebyshev")
DIMENSIONS = 3
LONGEST_SIDE = 16384
MOST_CELLS = 2**24


def resolve_space(declaration: syntax.SpaceDecl, report: Report) -> Grid | None:
    """`space grid 8 x 8 { edges clamp  distance manhattan }`; these are the defaults."""
    is_grid = is_known(declaration.kind, ("grid",), "no kind of space", report)
    given = by_key(declaration.properties, ("edges", "distance"), "a space", report)
    edges = word(given["edges"], EDGES, "no rule for edges", report) if "edges" in given else "clamp"
    metric = word(given["distance"], METRICS, "no metric", report) if "distance" in given else "manhattan"
    sizes = _sizes(declaration, report)
    if not is_grid or sizes is None or edges is None or metric is None:
        return None
    return Grid(sizes, cast(Edges, edges), cast(Metric, metric), declaration.span)


def _sizes(declaration: syntax.SpaceDecl, report: Report) -> tuple[int, ...] | None:
    numerals = declaration.sizes
    if not 1 <= len(numerals) <= DIMENSIONS:
        report.add(
            "H042",
            f"a grid has 1 to {DIMENSIONS} dimensions, not {len(numerals)}",
            _across(numerals) if numerals else declaration.span,
            hint="Write `space grid 8`, `space grid 8 x 8` or `space grid 8 x 8 x 3`.",
        )
        return None
    sizes = [whole_number(numeral, 1, LONGEST_SIDE, "a side of the grid", report) for numeral in numerals]
    known = tuple(size for size in sizes if size is not None)
    if len(known) < len(sizes):
        return None
    if prod(known) > MOST_CELLS:
        report.add(
            "H033",
            f"a grid has at most {MOST_CELLS} cells, this one {prod(known)}",
            _across(numerals),
            hint="Make a side shorter.",
        )
        return None
    return known


def cell(numerals: tuple[syntax.Signed, ...], grid: Grid | None, span: Span, report: Report) -> tuple[int, ...] | None:
    """The coordinates of a cell of the grid."""
    values = _coordinates(numerals, grid, span, "a place", report)
    if values is None or grid is None:
        return None
    inside = True
    for numeral, value, size in zip(numerals, values, grid.sizes, strict=True):
        if not 0 <= value < size:
            inside = False
            report.add(
                "H043",
                "this place is off the grid",
                numeral.span,
                f"not in 0 .. {size - 1}",
                secondary=(Label(grid.span, "the grid"),),
                hint=f"Cells count from 0: write 0 .. {size - 1}.",
            )
    return values if inside else None


def displacement(
    numerals: tuple[syntax.Signed, ...], grid: Grid | None, span: Span, report: Report
) -> tuple[int, ...] | None:
    """The steps of a custom move along each axis."""
    values = _coordinates(numerals, grid, span, "a displacement", report)
    if values is None or grid is None:
        return None
    if not any(values):
        report.add("H064", "this displacement moves nothing", span, hint="Leave `move` out.")
        return None
    inside = True
    for numeral, value, size in zip(numerals, values, grid.sizes, strict=True):
        if not -size < value < size:
            inside = False
            report.add(
                "H033",
                "a displacement must be shorter than the grid",
                numeral.span,
                f"at most {size - 1} along this axis",
                secondary=(Label(grid.span, "the grid"),),
                hint=f"Write {1 - size} .. {size - 1}." if size > 1 else "Write 0.",
            )
    return values if inside else None


def _coordinates(
    numerals: tuple[syntax.Signed, ...], grid: Grid | None, span: Span, what: str, report: Report
) -> tuple[int, ...] | None:
    values = [any_whole_number(numeral, "a coordinate", report) for numeral in numerals]
    if grid is not None and len(values) != len(grid.sizes):
        axes = ", ".join(("x", "y", "z")[: len(grid.sizes)])
        report.add(
            "H042",
            f"{what} on this grid has {_count(len(grid.sizes))}, not {len(values)}",
            span,
            secondary=(Label(grid.span, "the grid"),),
            hint=f"Write `({axes})` with numbers.",
        )
        return None
    known = tuple(value for value in values if value is not None)
    return known if len(known) == len(values) else None


def check_places(affordances: list[Affordance], places: dict[str, Span], grid: Grid | None, report: Report) -> None:
    """No two affordances stand on one cell, and there is room for all of them and an agent.

    `places` says where each affordance's place is written.
    """
    taken: dict[tuple[int, ...], str] = {}
    for affordance in affordances:
        if affordance.cell is None:
            continue
        first = taken.setdefault(affordance.cell, affordance.name)
        if first != affordance.name:
            report.add(
                "H044",
                f"`{affordance.name}` and `{first}` are at the same place",
                places[affordance.name],
                secondary=(Label(places[first], f"`{first}` is here"),),
                hint="Put one of them elsewhere, or `at random`.",
            )
    if grid is not None and len(affordances) + 1 > prod(grid.sizes):
        report.add(
            "H045",
            f"{_count(prod(grid.sizes), 'cell')} cannot hold {_count(len(affordances), 'affordance')} and an agent",
            grid.span,
            hint=f"Make the grid larger: at least {len(affordances) + 1} cells.",
        )


def _count(number: int, noun: str = "coordinate") -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _across(numerals: tuple[syntax.Signed, ...]) -> Span:
    first, last = numerals[0].span, numerals[-1].span
    return Span(first.line, first.column, last.end_line, last.end_column)
