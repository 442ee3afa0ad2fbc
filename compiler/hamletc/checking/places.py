"""Places in a space: coordinates, letters of the map, displacements, and whether there is room for all that stands."""

from __future__ import annotations

from math import prod

from hamlet.numbers.binary32 import LARGEST, canonical32, round32
from hamlet.universe import Affordance, Continuous, Grid, Map, NoSpace, Space, Span
from hamlet.universe.space import axes_of, letters_of
from hamletc.arrangements import cell_of
from hamletc.checking.graph import is_graph, node_place
from hamletc.checking.names import Names
from hamletc.checking.report import Findings, any_number, any_whole_number, counted
from hamletc.diagnostics import Label
from hamletc.intervals import spell
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
    if is_graph("a place with coordinates", space, span, "Write a node, as in `at home`.", report):
        return None
    found = (
        _letter(numerals, space, report)
        if isinstance(numerals, syntax.Quoted)
        else _cell(numerals, space, span, report)
    )
    ground = None if space is None else letters_of(space)
    if found is None or ground is None or ground.rows[int(found[1])][int(found[0])] not in ground.walls:
        return found
    hint = "Choose a cell that can be entered."
    wall = (Label(ground.span, "the map"),)
    report.add("H146", f"({spell(found[0])}, {spell(found[1])}) is a wall", span, secondary=wall, hint=hint)
    return None


def _letter(letter: syntax.Quoted, space: Space | None, report: Findings) -> tuple[float, ...] | None:
    """The one cell of the map that has this letter."""
    if space is None:
        return None
    ground = letters_of(space)
    if ground is None:
        hint = "Draw a map with this letter, or write coordinates, as in `(2, 3)`."
        report.add("H141", "a letter needs a map", letter.span, secondary=(Label(space.span, "the space"),), hint=hint)
        return None
    cells = ground.cells(letter.text) if len(letter.text) == 1 else ()
    if len(cells) == 1:
        return (float(cells[0] % len(ground.rows[0])), float(cells[0] // len(ground.rows[0])))
    there = (Label(ground.span, "the map"),)
    if len(letter.text) != 1:
        report.add("H145", "a place is one letter of the map", letter.span, hint='Write one, as in `"B"`.')
    elif cells:
        message = f"{len(cells)} cells of the map have the letter `{letter.text}`"
        hint = "Draw it once, or write coordinates, as in `(2, 3)`."
        report.add("H145", message, letter.span, secondary=there, hint=hint)
    else:
        message, hint = f"no cell of the map has the letter `{letter.text}`", "Draw it on the map."
        report.add("H145", message, letter.span, secondary=there, hint=hint)
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
    numerals: tuple[syntax.Signed, ...], space: Space | None, span: Span, report: Findings
) -> tuple[float, ...] | None:
    """What is added to the position, per axis."""
    if is_graph("a displacement", space, span, "Write `teleport` to a node, or draw an edge.", report):
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
    numerals: tuple[syntax.Signed, ...], space: Space | None, span: Span, what: str, report: Findings
) -> tuple[float, ...] | None:
    """The numbers, one per axis: whole ones on a grid, binary32 ones in a continuous space."""
    if space is None:
        return None
    if isinstance(space, NoSpace):
        misses_space(what, space, span, report)
        return None
    values = [_coordinate(numeral, space, report) for numeral in numerals]
    axes = axes_of(space)
    if len(values) != len(axes):
        where = "on this grid" if isinstance(space, Grid) else "in this space"
        report.add(
            "H042",
            f"{what} {where} has {counted(len(axes), 'coordinate')}, not {len(values)}",
            span,
            secondary=(Label(space.span, f"the {_called(space)}"),),
            hint=one_per_axis(axes),
        )
        return None
    known = tuple(value for value in values if value is not None)
    return known if len(known) == len(values) else None


def misses_space(what: str, space: NoSpace, span: Span, report: Findings) -> None:
    """Report what only a space gives a meaning."""
    hint = "Leave it out, or declare a space, as in `space grid 8 x 8`."
    none = (Label(space.span, "no space"),)
    report.add("H055", f"{what} needs a space", span, "this universe has none", secondary=none, hint=hint)


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
            report.add(
                "H044",
                f"`{affordance.name}` and `{first}` are at the same place",
                places[affordance.name],
                secondary=(Label(places[first], f"`{first}` is here"),),
                hint="Put one of them elsewhere, or `at random`, or give the space `places stored`.",
            )


def _check_stored(affordances: list[Affordance], places: dict[str, Span], report: Findings) -> None:
    """Check that there are not too many places to store."""
    if len(affordances) > MOST_STORED:
        first = affordances[MOST_STORED]
        report.add(
            "H067",
            f"a space with stored places holds at most {MOST_STORED} affordances, not {len(affordances)}",
            places[first.name],
            "one too many",
            hint="Use a grid that computes its places, or fewer affordances.",
        )


def _check_room(affordances: list[Affordance], grid: Grid, agents: int, report: Findings) -> None:
    """Check that a grid has enough cells for all that stand on a cell of their own."""
    fixed = {affordance.place for affordance in affordances if affordance.place is not None}
    at_random = sum(affordance.place is None for affordance in affordances)
    agents = agents if grid.starts == "apart" else 0
    if grid.map is not None:
        _check_map_room(fixed, at_random, grid, grid.map, agents, report)
        return
    room = _permuted_cells(grid)
    needed = at_random + agents
    needed += len(fixed) if prod(grid.sizes) <= MOST_CELLS else 0
    if needed > room:
        things = [counted(len(fixed) + at_random, "affordance")] if fixed or at_random else []
        things += _some(agents)
        hint = f"Make the grid larger: at least {needed} cells."
        report.add("H045", f"{counted(room, 'cell')} cannot hold {' and '.join(things)}", grid.span, hint=hint)


def _check_map_room(
    fixed: set[tuple[float, ...]], at_random: int, grid: Grid, ground: Map, agents: int, report: Findings
) -> None:
    """Check that a map has enough cells that nothing takes, and that agents can start on."""
    cell = "node" if grid.graph is not None else "cell"
    if ground.starts is not None:
        starts = len(ground.cells(ground.starts))
        if agents > starts:
            hint = f"Let agents start on more {cell}s, or let a world have fewer of them."
            message = f"{counted(starts, cell)} where agents start cannot hold {counted(agents, 'agent')}"
            report.add("H045", message, ground.span, hint=hint)
        agents = 0  # they take no other cell
    taken = set(ground.cells(ground.walls + (ground.starts or "")))
    taken |= {cell_of(grid, place) for place in fixed}
    free = prod(grid.sizes) - len(taken)
    if at_random + agents > free or len(ground.cells(ground.walls)) == prod(grid.sizes):
        things = [f"{counted(at_random, 'affordance')} at random"] if at_random else []
        things += _some(agents) or ([] if things else ["an agent"])
        room = counted(free, f"free {cell}") + ("" if cell == "node" else " of the map")
        on_graph = "Add nodes, or start in a smaller region."
        hint = on_graph if cell == "node" else "Draw more open ground, or a larger map."
        report.add("H045", f"{room} cannot hold {' and '.join(things)}", ground.span, hint=hint)


def _some(agents: int) -> list[str]:
    """`an agent`, `2 agents`; nothing of none."""
    return [counted(agents, "agent") if agents > 1 else "an agent"] if agents else []


def _permuted_cells(grid: Grid) -> int:
    """The cells that those at random are dealt to: of a very large grid, the ones along its first axes."""
    count = grid.sizes[0]
    for size in grid.sizes[1:]:
        if count * size > MOST_CELLS:
            break
        count *= size
    return count


def one_per_axis(axes: tuple[str, ...]) -> str:
    """How to write a number for each axis."""
    few = f"Write `({', '.join(axes)})` with numbers."
    return few if len(axes) <= 8 else f"Write {len(axes)} numbers in parentheses."


def _called(space: Space) -> str:
    return "grid" if isinstance(space, Grid) else "space"
