"""Places in a space: coordinates, letters of the map, displacements, and whether there is room for all that stands."""

from __future__ import annotations

from math import prod

from hamlet.numbers.binary32 import LARGEST, canonical32, round32
from hamlet.universe import Affordance, Continuous, Grid, Map, NoSpace, Space, Span
from hamlet.universe.space import axes_of, letters_of
from hamletc import messages
from hamletc.arrangements import cell_of
from hamletc.checking.graph import is_graph, node_place
from hamletc.checking.names import Names
from hamletc.checking.report import Findings, any_number, any_whole_number
from hamletc.language import syntax

MOST_CELLS = 2**24
MOST_STORED = 64
"""The most affordances whose places are stored."""
LONGEST_DISPLACEMENT = 2.0**20
"""The longest displacement in a continuous space, as a multiple of its size."""


def place(
    numerals: tuple[syntax.Signed, ...] | syntax.Quoted | syntax.Name,
    space: Space | None,
    span: Span,
    names: Names,
    report: Findings,
) -> tuple[float, ...] | None:
    """The coordinates of a place in the space, which is no wall."""
    if isinstance(numerals, syntax.Name):
        return node_place(numerals, space, names, report)
    if is_graph("a place with coordinates", space, span, report):
        return None
    found = (
        _letter(numerals, space, report)
        if isinstance(numerals, syntax.Quoted)
        else _cell(numerals, space, span, report)
    )
    ground = None if space is None else letters_of(space)
    if found is None or ground is None or ground.rows[int(found[1])][int(found[0])] not in ground.walls:
        return found
    report.add(messages.places.PlaceIsWall(span, found[0], found[1], ground.span))
    return None


def _letter(letter: syntax.Quoted, space: Space | None, report: Findings) -> tuple[float, ...] | None:
    """The one cell of the map that has this letter."""
    if space is None:
        return None
    if isinstance(letter, syntax.LetterCell):
        return _cell(letter.cell, space, letter.span, report)
    ground = letters_of(space)
    if ground is None:
        report.add(messages.places.LetterWithoutMap(letter.span, space.span))
        return None
    cells = ground.cells(letter.text) if len(letter.text) == 1 else ()
    if len(cells) == 1:
        return (float(cells[0] % len(ground.rows[0])), float(cells[0] // len(ground.rows[0])))
    if len(letter.text) != 1:
        report.add(messages.places.SeveralLetters(letter.span))
    elif cells:
        report.add(messages.places.LetterOfSeveralCells(letter.span, letter.text, len(cells), ground.span))
    else:
        report.add(messages.places.LetterOfNoCell(letter.span, letter.text, ground.span))
    return None


def _cell(
    numerals: tuple[syntax.Signed, ...], space: Space | None, span: Span, report: Findings
) -> tuple[float, ...] | None:
    """A place that is given by its coordinates."""
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
        report.add(messages.places.OutsideSpace(numeral.span, space, value, low, high))
    return values if inside else None


def displacement(
    numerals: tuple[syntax.Signed, ...], space: Space | None, span: Span, report: Findings
) -> tuple[float, ...] | None:
    """What is added to the position, per axis."""
    if is_graph("a displacement", space, span, report):
        return None
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
        report.add(messages.places.DisplacementTooLong(numeral.span, space, most))
    # A displacement of -0.0 is none: x + 0.0 and x + -0.0 differ where x is -0.0.
    return tuple(value + 0.0 for value in values) if inside else None


def _coordinates(
    numerals: tuple[syntax.Signed, ...], space: Space | None, span: Span, what: str, report: Findings
) -> tuple[float, ...] | None:
    """The numbers, one per axis: whole ones on a grid, binary32 ones in a continuous space."""
    if space is None:
        return None
    if isinstance(space, NoSpace):
        misses_space(what, space, span, report)
        return None
    values = [_coordinate(numeral, space, report) for numeral in numerals]
    if not fits_axes(len(values), space, span, what, report):
        return None
    known = tuple(value for value in values if value is not None)
    return known if len(known) == len(values) else None


def fits_axes(count: int, space: Space, span: Span, what: str, report: Findings) -> bool:
    """Whether there is a space, and a number for each of its axes."""
    if isinstance(space, NoSpace):
        misses_space(what, space, span, report)
        return False
    if count == len(axes_of(space)):
        return True
    report.add(messages.places.OtherDimensions(span, what, space, count))
    return False


def misses_space(what: str, space: NoSpace, span: Span, report: Findings) -> None:
    """Report what only a space gives a meaning."""
    report.add(messages.places.NoSpaceFor(span, what, space.span))


def _coordinate(numeral: syntax.Signed, space: Grid | Continuous, report: Findings) -> float | None:
    match space:
        case Grid():
            whole = any_whole_number(numeral, "a coordinate", report)
            return None if whole is None else float(whole)
        case Continuous():
            value = any_number(numeral, LARGEST, "a coordinate", report)
            return None if value is None else canonical32(value)


def check_places(
    affordances: list[Affordance], places: dict[str, Span], space: Space | None, agents: int, report: Findings
) -> None:
    """Check that affordances and agents have room. `places` says where each affordance's place is written; `agents`
    is the least number of them that a world has."""
    match space:
        case Grid(places="computed"):
            _check_apart(affordances, places, report)
            _check_room(affordances, space, agents, report)
        case Grid():
            _check_stored(affordances, places, report)
            _check_room(affordances, space, agents, report)
        case Continuous():
            _check_stored(affordances, places, report)
        case _:
            pass


def _check_apart(affordances: list[Affordance], places: dict[str, Span], report: Findings) -> None:
    """Check that no two affordances stand on one cell."""
    taken: dict[tuple[float, ...], str] = {}
    for affordance in affordances:
        if affordance.place is None:
            continue
        first = taken.setdefault(affordance.place, affordance.name)
        if first != affordance.name:
            where = places[affordance.name], affordance.name, first, places[first]
            report.add(messages.places.SamePlace(*where))


def _check_stored(affordances: list[Affordance], places: dict[str, Span], report: Findings) -> None:
    """Check that there are not too many places to store."""
    if len(affordances) > MOST_STORED:
        first = affordances[MOST_STORED]
        report.add(messages.places.TooManyStored(places[first.name], len(affordances), MOST_STORED))


def _check_room(affordances: list[Affordance], grid: Grid, agents: int, report: Findings) -> None:
    """Check that a grid has enough cells for all that stand on a cell of their own."""
    fixed = {affordance.stands for affordance in affordances if affordance.stands is not None}
    at_random = sum(affordance.place is None for affordance in affordances)
    agents = agents if grid.starts == "apart" else 0
    if grid.map is not None:
        _check_map_room(fixed, at_random, grid, grid.map, agents, report)
        return
    room = _permuted_cells(grid)
    needed = at_random + agents
    needed += len(fixed) if prod(grid.sizes) <= MOST_CELLS else 0
    if needed > room:
        things = len(fixed) + at_random
        report.add(messages.places.TooFewCells(grid.span, room, things, agents, needed, grid.graph is not None))


def _check_map_room(
    fixed: set[tuple[float, ...]], at_random: int, grid: Grid, ground: Map, agents: int, report: Findings
) -> None:
    """Check that a map has enough cells that nothing takes, and that agents can start on."""
    graph = grid.graph is not None
    if ground.starts is not None:
        starts = len(ground.cells(ground.starts))
        if agents > starts:
            report.add(messages.places.TooFewStarts(ground.span, starts, agents, graph))
        agents = 0  # they take no other cell
    taken = set(ground.cells(ground.walls + (ground.starts or "")))
    taken |= {cell_of(grid, place) for place in fixed}
    free = prod(grid.sizes) - len(taken)
    if at_random + agents > free or len(ground.cells(ground.walls)) == prod(grid.sizes):
        report.add(messages.places.TooFewFreeCells(ground.span, free, at_random, agents, graph))


def _permuted_cells(grid: Grid) -> int:
    """The cells that those at random are dealt to: of a very large grid, the ones along its first axes."""
    count = grid.sizes[0]
    for size in grid.sizes[1:]:
        if count * size > MOST_CELLS:
            break
        count *= size
    return count
