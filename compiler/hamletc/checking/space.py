"""The space of a universe: its kind, size and rules, what episodes start with in it, and places in it."""

from __future__ import annotations

from math import prod
from typing import Literal, cast

from hamlet.numbers.binary32 import LARGEST, canonical32, round32
from hamlet.universe import (
    Affordance,
    Axis,
    CellMetric,
    Continuous,
    Edges,
    Grid,
    Map,
    Metric,
    NoSpace,
    Space,
    Span,
    Start,
)
from hamlet.universe.space import letters_of
from hamletc.checking.expressions import Expressions
from hamletc.checking.graph import is_graph, node_place, resolve_graph
from hamletc.checking.intervals import spell
from hamletc.checking.names import Names, axes_of
from hamletc.checking.report import (
    Findings,
    any_number,
    any_whole_number,
    between,
    by_key,
    counted,
    is_known,
    whole_number,
    word,
)
from hamletc.checking.surroundings import first_speed
from hamletc.diagnostics import Label
from hamletc.language import syntax

PROPERTIES: dict[str, tuple[str, ...]] = {
    "grid": ("edges", "distance", "places", "starts", "moves", "momentum"),
    "hexagons": ("edges", "places", "starts"),
    "graph": ("starts",),
    "continuous": ("edges", "distance", "step", "reach", "directions", "speeds", "momentum"),
    "none": (),
}
EDGES = ("clamp", "wrap", "bounce", "sticky")
METRICS = ("manhattan", "euclidean", "chebyshev")
DIMENSIONS = 100
LONGEST_SIDE = 16384
MOST_CELLS = 2**24
FARTHEST = 1e9
"""The largest coordinate of a continuous space."""
MOST_STORED = 64
"""The most affordances whose places are stored."""
LONGEST_DISPLACEMENT = 2.0**20
"""The longest displacement in a continuous space, as a multiple of its size."""


def space_properties(declaration: syntax.SpaceDecl, report: Findings) -> dict[str, syntax.Property]:
    """The properties that a space of this kind has, by their keys."""
    kind = declaration.kind.text
    known = PROPERTIES[kind] if kind in PROPERTIES else (*PROPERTIES["grid"], *PROPERTIES["continuous"])
    what = {
        "grid": "a grid",
        "hexagons": "a grid of hexagons",
        "continuous": "a continuous space",
        "none": "`space none`",
        "graph": "a graph",
    }
    return by_key(declaration.properties, known, what.get(kind, "a space"), report)


def resolve_space(
    declaration: syntax.SpaceDecl,
    given: dict[str, syntax.Property],
    ground: Map | None,
    expressions: Expressions,
    names: Names,
    report: Findings,
) -> Space | None:
    """`space grid 8 x 8 { edges clamp }`, `space continuous (0 .. 10) { step 0.5  reach 1 }`, `space graph { a - b }`,
    `space none`. `ground` is the map, if there is one."""
    if not is_known(declaration.kind, tuple(PROPERTIES), "no kind of space", report):
        return None
    edges = word(given["edges"], EDGES, "no rule for edges", report) if "edges" in given else "clamp"
    usual = {"grid": "manhattan", "hexagons": "hexagonal"}.get(declaration.kind.text, "euclidean")
    metric = word(given["distance"], METRICS, "no metric", report) if "distance" in given else usual
    match declaration.kind.text:
        case "graph":
            return resolve_graph(declaration, given, names, report)
        case "grid" | "hexagons":
            return _grid(declaration, given, edges, metric, ground, report)
        case "continuous":
            return _continuous(declaration, given, edges, metric, expressions, report)
        case _:
            return NoSpace(declaration.span)


def _grid(
    declaration: syntax.SpaceDecl,
    given: dict[str, syntax.Property],
    edges: str | None,
    metric: str | None,
    ground: Map | None,
    report: Findings,
) -> Grid | None:
    hexagonal = declaration.kind.text == "hexagons"
    if "momentum" in given:
        hint = "Leave it out, or make the space continuous, as in `space continuous (0 .. 10) x (0 .. 10) { ... }`."
        label = "agents are on cells, and go from cell to cell"
        report.add("H151", "a grid has no momentum", given["momentum"].span, label, hint=hint)
        return None
    places, starts = "computed", "apart"
    if "places" in given:
        places = word(given["places"], ("computed", "stored"), "no way to keep places", report) or ""
    if "starts" in given:
        starts = word(given["starts"], ("apart", "anywhere"), "no way to start", report) or ""
    if "starts" in given and ground is not None and ground.starts is not None:
        hint = "Keep one of them; agents that start by a letter are apart."
        there = (Label(ground.span, "the map says it by a letter"),)
        report.add("H024", "where agents start is given twice", given["starts"].span, secondary=there, hint=hint)
    sizes = _sizes(declaration, places, ground, report)
    if sizes is None or edges is None or metric is None or not places or not starts:
        return None
    if hexagonal and min(sizes) < 2:
        hint = "Make it longer, or write `space grid` for a line of cells."
        message = "a grid of hexagons has sides of 2 cells or more"
        report.add("H033", message, declaration.span, hint=hint)
        return None
    if metric == "euclidean" and sum((size - 1) ** 2 for size in sizes) >= 2**31:
        report.add(
            "H033",
            "this grid is too large for euclidean distances",
            given["distance"].span,
            "their squares reach 2147483648",
            hint="Use `manhattan` or `chebyshev`, or a smaller grid.",
        )
        return None
    return Grid(
        sizes,
        cast(Edges, edges),
        cast(CellMetric, metric),
        cast(Literal["computed", "stored"], places),
        cast(Literal["apart", "anywhere"], starts),
        declaration.span,
        ground if ground is not None and len(sizes) == 2 else None,
    )


def _sizes(declaration: syntax.SpaceDecl, places: str, ground: Map | None, report: Findings) -> tuple[int, ...] | None:
    numerals = declaration.sizes
    drawn = None if ground is None else (len(ground.rows[0]), len(ground.rows))
    if not numerals:
        return drawn
    if not _fitting(len(numerals), "a grid", "`space grid 8`, `space grid 8 x 8`, ...", declaration, report):
        return None
    sizes = [whole_number(numeral, 1, LONGEST_SIDE, "a side of the grid", report) for numeral in numerals]
    known = tuple(size for size in sizes if size is not None)
    if len(known) < len(sizes):
        return None
    if prod(known) > MOST_CELLS and places != "stored":
        report.add(
            "H033",
            f"a grid has at most {MOST_CELLS} cells, this one {prod(known)}",
            between(numerals[0].span, numerals[-1].span),
            hint="Make a side shorter, or add `{ places stored }`.",
        )
        return None
    if drawn is not None and ground is not None and len(known) == 2 and known != drawn:
        report.add(
            "H143",
            f"the map has {drawn[0]} x {drawn[1]} cells, and the grid {known[0]} x {known[1]}",
            between(numerals[0].span, numerals[-1].span),
            secondary=(Label(ground.span, "the map"),),
            hint="Write `space grid map`, whose size is that of the map.",
        )
        return None
    return known


def _continuous(
    declaration: syntax.SpaceDecl,
    given: dict[str, syntax.Property],
    edges: str | None,
    metric: str | None,
    expressions: Expressions,
    report: Findings,
) -> Continuous | None:
    count = len(declaration.bounds)
    if not _fitting(count, "a continuous space", "`space continuous (0 .. 10) x (0 .. 10)`", declaration, report):
        return None
    axes = [_axis(low, high, report) for low, high in declaration.bounds]
    reach: float | None = None
    if "reach" in given:
        reach = expressions.constant(given["reach"].value, "the reach")
        if reach is not None and reach < 0:
            report.add("H033", "the reach must be 0 or more", given["reach"].value.span, hint="Write 0 or more.")
            reach = None
    else:
        hint = "Add `reach 1`: how far from an affordance an agent can use it."
        report.add("H025", "a continuous space has a `reach`", declaration.span, hint=hint)
    known = tuple(axis for axis in axes if axis is not None)
    if len(known) < count or reach is None or edges is None or metric is None:
        return None
    momentum = None
    if "momentum" in given:
        momentum = _momentum(given["momentum"], known, expressions, report)
        if momentum is None:
            return None
    return Continuous(known, reach, cast(Edges, edges), cast(Metric, metric), declaration.span, momentum)


def _momentum(
    item: syntax.Property, axes: tuple[Axis, ...], expressions: Expressions, report: Findings
) -> float | None:
    """The most velocity on an axis."""
    most = expressions.constant(item.value, "the limit of the velocity")
    longest = min(axis.size for axis in axes) * LONGEST_DISPLACEMENT
    if most is None or 0 < most <= longest:
        return most
    report.add(
        "H152",
        "the limit of the velocity must be above 0" if most <= 0 else "this velocity is far too high for the space",
        item.value.span,
        hint="Write a number above 0." if most <= 0 else f"Write at most {longest:g}.",
    )
    return None


def resolve_start(declaration: syntax.StartDecl, space: Space, report: Findings) -> Start | None:
    """`start velocity (0.5, -1) speed 2`: what an agent has before its first tick; a velocity of 0 unless given."""
    numerals = declaration.velocity
    if is_graph("`start`", space, declaration.span, "Leave it out; `starts home` is said in the graph.", report):
        return None
    dimensions = len(axes_of(space))
    parts: list[float | None] = [0.0] * dimensions
    if numerals is not None:
        if len(numerals) != dimensions:
            _wrong_velocity(numerals, space, report)
            return None
        parts = [any_number(numeral, LARGEST, "a velocity", report) for numeral in numerals]
    velocity = tuple(canonical32(part) for part in parts if part is not None)
    speed: float | None = None
    if isinstance(space, Continuous) and space.momentum is not None:
        there = (Label(space.span, "a space with momentum"),)
        if declaration.speed is not None:
            hint = "Leave it out: with momentum the speed is the length of the velocity."
            label = "no speed of its own"
            report.add(
                "H153", "the speed follows from the velocity", declaration.speed.span, label, secondary=there, hint=hint
            )
            return None
        for numeral, part in zip(numerals or (), velocity, strict=False):
            if abs(part) > space.momentum:
                hint = f"Write {spell(-space.momentum)} .. {spell(space.momentum)}, or raise `momentum up to`."
                message = "episodes begin with a velocity beyond its limit"
                report.add("H153", message, numeral.span, secondary=there, hint=hint)
                return None
    if declaration.speed is not None:
        found = any_number(declaration.speed, LARGEST, "a speed", report)
        if found is None:
            return None
        speed = canonical32(found)
    if len(velocity) < len(parts):
        return None
    if not any(velocity) and not speed:
        hint = "Leave it out, or write other numbers."
        report.add("H064", "an episode begins with this velocity anyway", declaration.span, hint=hint)
        return None
    return Start(velocity, speed, declaration.span)


def _wrong_velocity(numerals: tuple[syntax.Signed, ...], space: Space, report: Findings) -> None:
    axes, span = axes_of(space), between(numerals[0].span, numerals[-1].span)
    if not axes:
        none = (Label(space.span, "no space"),)
        hint = "Leave it out, or declare a space, as in `space grid 8 x 8`."
        report.add("H055", "a velocity needs a space", span, secondary=none, hint=hint)
        return
    message = f"a velocity has {counted(len(axes), 'number')} in this space, not {len(numerals)}"
    report.add("H042", message, span, secondary=(Label(space.span, "the space"),), hint=_one_per_axis(axes))


def check_start(start: Start, report: Findings) -> None:
    """Check that the speed that follows from the velocity is a number; to be called where something reads it."""
    if start.speed is None and first_speed(start) is None:
        hint = "Write smaller numbers, or say the speed, as in `speed 1`."
        report.add("H051", "the length of this velocity can overflow", start.span, hint=hint)


def _axis(low: syntax.Signed, high: syntax.Signed, report: Findings) -> Axis | None:
    first, last = (any_number(end, FARTHEST, "a bound of the space", report) for end in (low, high))
    if first is None or last is None:
        return None
    size = canonical32(last - first)
    if round32(first) < round32(last) and size > 0:
        return Axis(canonical32(first), canonical32(last), size)
    report.add(
        "H040",
        "the lower bound must be less than the upper one",
        between(low.span, high.span),
        "these are the wrong way round" if last < first else "these are equal",
        hint=f"Write `{high.text} .. {low.text}`." if last < first else "Leave some room between them.",
    )
    return None


def _fitting(count: int, what: str, example: str, declaration: syntax.SpaceDecl, report: Findings) -> bool:
    if 1 <= count <= DIMENSIONS:
        return True
    report.add(
        "H042",
        f"{what} has 1 to {DIMENSIONS} dimensions, not {count}",
        between(declaration.sizes[0].span, declaration.sizes[-1].span) if declaration.sizes else declaration.span,
        hint=f"Write {example}.",
    )
    return False


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
            hint=_one_per_axis(axes),
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


def check_places(affordances: list[Affordance], places: dict[str, Span], space: Space | None, report: Findings) -> None:
    """Check that affordances and agents have room. `places` says where each affordance's place is written."""
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


def _check_room(affordances: list[Affordance], grid: Grid, report: Findings) -> None:
    """Check that a grid has enough cells for all that stand on a cell of their own."""
    fixed = {affordance.place for affordance in affordances if affordance.place is not None}
    at_random = sum(affordance.place is None for affordance in affordances)
    if grid.map is not None:
        _check_map_room(fixed, at_random, grid, grid.map, report)
        return
    room = _permuted_cells(grid)
    needed = at_random + (1 if grid.starts == "apart" else 0)
    needed += len(fixed) if prod(grid.sizes) <= MOST_CELLS else 0
    if needed > room:
        things = [counted(len(fixed) + at_random, "affordance")] if fixed or at_random else []
        things += ["an agent"] if grid.starts == "apart" else []
        hint = f"Make the grid larger: at least {needed} cells."
        report.add("H045", f"{counted(room, 'cell')} cannot hold {' and '.join(things)}", grid.span, hint=hint)


def _check_map_room(fixed: set[tuple[float, ...]], at_random: int, grid: Grid, ground: Map, report: Findings) -> None:
    """Check that a map has enough cells that nothing takes."""
    taken = set(ground.cells(ground.walls + (ground.starts or "")))
    taken |= {int(x) + grid.sizes[0] * int(y) for x, y in fixed}
    free, agent = prod(grid.sizes) - len(taken), grid.starts == "apart" and ground.starts is None
    if at_random + agent > free or len(ground.cells(ground.walls)) == prod(grid.sizes):
        things = [f"{counted(at_random, 'affordance')} at random"] if at_random else []
        things += ["an agent"] if agent or not things else []
        message = f"{counted(free, 'free cell')} of the map cannot hold {' and '.join(things)}"
        report.add("H045", message, ground.span, hint="Draw more open ground, or a larger map.")


def _permuted_cells(grid: Grid) -> int:
    """The cells that those at random are dealt to: of a very large grid, the ones along its first axes."""
    count = grid.sizes[0]
    for size in grid.sizes[1:]:
        if count * size > MOST_CELLS:
            break
        count *= size
    return count


def _one_per_axis(axes: tuple[str, ...]) -> str:
    """How to write a number for each axis."""
    few = f"Write `({', '.join(axes)})` with numbers."
    return few if len(axes) <= 8 else f"Write {len(axes)} numbers in parentheses."


def _called(space: Space) -> str:
    return "grid" if isinstance(space, Grid) else "space"
