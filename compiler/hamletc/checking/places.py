"""Places and displacements in a space."""

from __future__ import annotations

from math import prod

from hamlet.numbers.binary32 import LARGEST, canonical32, round32
from hamlet.universe import Affordance, Continuous, Grid, NoSpace, Space, Span
from hamletc.checking.axes import axes_of
from hamletc.checking.intervals import spell
from hamletc.checking.numerals import any_number, any_whole_number
from hamletc.checking.report import Report
from hamletc.checking.space import MOST_CELLS
from hamletc.diagnostics import Label
from hamletc.language import syntax

MOST_STORED = 64
"""The most affordances whose places are stored."""
LONGEST_DISPLACEMENT = 2.0**20
"""The longest displacement in a continuous space, as a multiple of its size."""


def place(
    numerals: tuple[syntax.Signed, ...], space: Space | None, span: Span, report: Report
) -> tuple[float, ...] | None:
    """The coordinates of a place in the space."""
    values = _coordinates(numerals, space, span, "a place", report)
    if values is None:
        return None
    match space:
        case Grid(sizes=sizes):
            limits = [(0.0, size - 1.0) for size in sizes]
        case Continuous(axes=axes):
            limits = [(axis.low, axis.high) for axis in axes]
        case _:
            return None
    inside = True
    for numeral, value, (low, high) in zip(numerals, values, limits, strict=True):
        if round32(low) <= round32(value) <= round32(high):
            continue
        inside = False
        allowed = f"{spell(low)} .. {spell(high)}"
        report.add(
            "H043",
            "this place is off the grid" if isinstance(space, Grid) else "this place is outside the space",
            numeral.span,
            f"not in {allowed}",
            secondary=(Label(space.span, f"the {_called(space)}"),),
            hint=f"Cells count from 0: write {allowed}." if isinstance(space, Grid) else f"Write {allowed}.",
        )
    return values if inside else None


def displacement(
    numerals: tuple[syntax.Signed, ...], space: Space | None, span: Span, report: Report
) -> tuple[float, ...] | None:
    """What is added to the position, per axis."""
    values = _coordinates(numerals, space, span, "a displacement", report)
    if values is None:
        return None
    match space:
        case Grid(sizes=sizes):
            longest = [size - 1.0 for size in sizes]
        case Continuous(axes=axes):
            longest = [axis.size * LONGEST_DISPLACEMENT for axis in axes]
        case _:
            return None
    inside = True
    for numeral, value, most in zip(numerals, values, longest, strict=True):
        if abs(value) <= most:
            continue
        inside = False
        too_long = "must be shorter than the grid" if isinstance(space, Grid) else "is far too long for the space"
        report.add(
            "H033",
            f"a displacement {too_long}",
            numeral.span,
            f"at most {spell(most)} along this axis",
            secondary=(Label(space.span, f"the {_called(space)}"),),
            hint=f"Write {spell(-most)} .. {spell(most)}." if most > 0 else "Write 0.",
        )
    # A displacement of -0.0 is none: x + 0.0 and x + -0.0 differ where x is -0.0.
    return tuple(value + 0.0 for value in values) if inside else None


def _coordinates(
    numerals: tuple[syntax.Signed, ...], space: Space | None, span: Span, what: str, report: Report
) -> tuple[float, ...] | None:
    """The numbers, one per axis: whole ones on a grid, binary32 ones in a continuous space."""
    if space is None:
        return None
    if isinstance(space, NoSpace):
        report.add(
            "H055",
            f"{what} needs a space",
            span,
            "this universe has none",
            secondary=(Label(space.span, "no space"),),
            hint="Leave it out, or declare a space, as in `space grid 8 x 8`.",
        )
        return None
    values = [_coordinate(numeral, space, report) for numeral in numerals]
    axes = axes_of(space)
    if len(values) != len(axes):
        report.add(
            "H042",
            f"{what} {'on this grid' if isinstance(space, Grid) else 'in this space'} has {counted(len(axes))}, "
            f"not {len(values)}",
            span,
            secondary=(Label(space.span, f"the {_called(space)}"),),
            hint=f"Write `({', '.join(axes)})` with numbers."
            if len(axes) <= 8
            else f"Write {len(axes)} numbers in parentheses.",
        )
        return None
    known = tuple(value for value in values if value is not None)
    return known if len(known) == len(values) else None


def _coordinate(numeral: syntax.Signed, space: Grid | Continuous, report: Report) -> float | None:
    match space:
        case Grid():
            whole = any_whole_number(numeral, "a coordinate", report)
            return None if whole is None else float(whole)
        case Continuous():
            value = any_number(numeral, LARGEST, "a coordinate", report)
            return None if value is None else canonical32(value)


def check_places(affordances: list[Affordance], places: dict[str, Span], space: Space | None, report: Report) -> None:
    """Affordances have room, and agents too.

    `places` says where each affordance's place is written.
    """
    match space:
        case Grid(places="computed"):
            _check_apart(affordances, places, report)
            _check_room(affordances, space, report)
        case Grid():
            _check_stored(affordances, places, report)
            _check_room(affordances, space, report)
        case Continuous():
            _check_stored(affordances, places, report)
        case _:
            pass


def _check_apart(affordances: list[Affordance], places: dict[str, Span], report: Report) -> None:
    """No two affordances stand on one cell."""
    taken: dict[tuple[float, ...], str] = {}
    for affordance in affordances:
        if affordance.place is None:
            continue
        first = taken.setdefault(affordance.place, affordance.name)
        if first != affordance.name:
            report.add(
                "H044",
                f"`{affordance.name}` and `{first}` are at the same place",
                places[affordance.name],
                secondary=(Label(places[first], f"`{first}` is here"),),
                hint="Put one of them elsewhere, or `at random`, or give the space `places stored`.",
            )


def _check_stored(affordances: list[Affordance], places: dict[str, Span], report: Report) -> None:
    """There are not too many places to store."""
    if len(affordances) > MOST_STORED:
        first = affordances[MOST_STORED]
        report.add(
            "H067",
            f"a space with stored places holds at most {MOST_STORED} affordances, not {len(affordances)}",
            places[first.name],
            "one too many",
            hint="Use a grid that computes its places, or fewer affordances.",
        )


def _check_room(affordances: list[Affordance], grid: Grid, report: Report) -> None:
    """Those that stand on cells of their own have enough of them."""
    fixed = {affordance.place for affordance in affordances if affordance.place is not None}
    at_random = sum(affordance.place is None for affordance in affordances)
    room = _permuted_cells(grid)
    needed = at_random + (1 if grid.starts == "apart" else 0)
    needed += len(fixed) if prod(grid.sizes) <= MOST_CELLS else 0
    if needed > room:
        things = [counted(len(fixed) + at_random, "affordance")] if fixed or at_random else []
        things += ["an agent"] if grid.starts == "apart" else []
        report.add(
            "H045",
            f"{counted(room, 'cell')} cannot hold {' and '.join(things)}",
            grid.span,
            hint=f"Make the grid larger: at least {needed} cells.",
        )


def _permuted_cells(grid: Grid) -> int:
    """The cells that those at random are dealt to: of a very large grid, the ones along its first axes."""
    count = grid.sizes[0]
    for size in grid.sizes[1:]:
        if count * size > MOST_CELLS:
            break
        count *= size
    return count


def counted(number: int, noun: str = "coordinate") -> str:
    """`1 cell`, `2 cells`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _called(space: Space) -> str:
    return "grid" if isinstance(space, Grid) else "space"
