"""Where affordances at random may stand: what is said of it, and whether that is possible."""

from __future__ import annotations

from dataclasses import replace

from hamlet.universe import Affordance, Expression, Grid, Space, Span, Spread
from hamlet.universe.space import letters_of
from hamletc import messages
from hamletc.arrangements import arrangements, free_cells
from hamletc.checking.names import Names
from hamletc.checking.report import Findings, whole_number
from hamletc.checking.space import LONGEST_SIDE
from hamletc.language import syntax

MOST_CELLS = 65_536
"""The most cells of a grid on which affordances say where they may stand."""


def resolve_spread(
    declaration: syntax.AffordanceDecl, space: Space | None, names: Names, report: Findings
) -> Spread | None:
    """`at random in forest apart 3 near Job within 2`."""
    written = declaration.spread
    if not written or space is None:
        return None
    span = Span(written[0].span.line, written[0].span.column, written[-1].span.end_line, written[-1].span.end_column)
    if not isinstance(space, Grid):
        report.add(messages.places.SpreadWithoutGrid(span, space.span))
        return None
    given: dict[str, syntax.SpreadItem] = {}
    for item in written:
        if given.setdefault(item.kind.text, item) is not item:
            report.add(messages.everywhere.GivenTwice(item.span, f"`{item.kind.text}`", given[item.kind.text].span))
    region = near = apart = within = None
    failed = False
    for kind, item in given.items():
        number = None
        if item.number is not None:
            number = whole_number(item.number, 1, LONGEST_SIDE, f"the distance behind `{kind}`", report)
            failed |= number is None
        match kind:
            case "in" if item.name is not None:
                region = names.find(item.name, "region")
                names.asked |= set() if region is None else {region}
                failed |= region is None
            case "apart":
                apart = number
            case _:
                near, within = None if item.name is None else names.find(item.name, "affordance"), number
                failed |= near is None
    return None if failed else Spread(region, apart, near, within, span)


def with_places(
    space: Space | None, affordances: list[Affordance], conditions: tuple[Expression | None, ...]
) -> Space | None:
    """The space, whose places are stored where affordances say where they may stand, move, appear or are solid, and
    where a condition of cells decides who begins on them: what stands on a cell does not follow from the layout then,
    or is asked of other cells, too."""
    said = any(each.spread is not None or each.moving or each.appears or each.solid for each in affordances)
    beside = any(each is not None for each in conditions) and any(each.place is None for each in affordances)
    if isinstance(space, Grid) and (said or beside):
        return replace(space, places="stored")
    return space


def check_spreads(affordances: list[Affordance], space: Space | None, report: Findings) -> None:
    """Check that where affordances may stand follows from those before them, and that all find a cell."""
    spread = [each for each in affordances if each.spread is not None]
    if not spread or not isinstance(space, Grid) or report.failed:
        return
    cells = 1
    for size in space.sizes:
        cells *= size
    if cells > MOST_CELLS:
        report.add(messages.places.SpreadOnTooManyCells(spread[0].span, cells, MOST_CELLS))
        return
    known = {each.name for each in affordances if each.place is not None}
    apart = [each for each in spread if each.spread is not None and each.spread.apart is not None]
    for each in affordances:
        if each.spread is not None and each.spread.near is not None and each.spread.near not in known:
            report.add(messages.places.NearLaterOne(each.spread.span, each.name, each.spread.near))
            return
        if [each] == apart and each.spread is not None:
            report.add(messages.places.ApartAlone(each.spread.span))
        known.add(each.name)
    _check_possible(affordances, space, spread, report)


def _check_possible(affordances: list[Affordance], grid: Grid, spread: list[Affordance], report: Findings) -> None:
    free = free_cells(grid, affordances)
    ground = letters_of(grid)
    for each in spread:
        region = None if each.spread is None else each.spread.region
        if each.spread is None or region is None or ground is None:
            continue
        if not set(ground.cells(ground.region(region))).intersection(free):
            report.add(messages.places.RegionFull(each.spread.span, region))
            return
    if next(arrangements(grid, tuple(affordances)), None) is None:
        last = spread[-1]
        report.add(messages.places.NoArrangement(last.spread.span if last.spread else last.span))
