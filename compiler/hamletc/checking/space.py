"""The space of a universe: its kind, size and rules, and what episodes start with in it."""

from __future__ import annotations

from math import prod
from typing import Literal, cast, get_args

from hamlet.numbers.binary32 import LARGEST, canonical32, round32
from hamlet.universe import (
    Axis,
    CellMetric,
    Continuous,
    Edges,
    Grid,
    Map,
    Metric,
    NoSpace,
    Space,
    Start,
)
from hamlet.universe.space import axes_of
from hamletc import messages
from hamletc.checking.expressions import Expressions
from hamletc.checking.graph import is_graph, resolve_graph
from hamletc.checking.names import Names
from hamletc.checking.places import LONGEST_DISPLACEMENT, MOST_CELLS
from hamletc.checking.report import (
    Findings,
    Properties,
    any_number,
    between,
    is_known,
    whole_number,
    word,
)
from hamletc.checking.surroundings import first_speed
from hamletc.expansion.headings import turning_of
from hamletc.language import syntax

OF_ANY_GRID = (
    *(syntax.EdgesProperty, syntax.PlacesProperty, syntax.StartsProperty, syntax.StartsWhenProperty),
    *get_args(syntax.AgentsProperty),
)
PROPERTIES: dict[str, tuple[type[syntax.Property | syntax.AgentsProperty], ...]] = {
    **dict.fromkeys(syntax.GRIDS, (*OF_ANY_GRID, syntax.MovesProperty)),
    "grid": get_args(syntax.GridProperty),
    "graph": (syntax.StartsProperty,),
    "continuous": get_args(syntax.ContinuousProperty),
    "none": (),
}
"""The properties that a kind of space has; those of grids whose axes are no straight lines are the same."""
EDGES = ("clamp", "wrap", "bounce", "sticky")
METRICS = ("manhattan", "euclidean", "chebyshev")
DIMENSIONS = 100
LONGEST_SIDE = 16384
FARTHEST = 1e9
"""The largest coordinate of a continuous space."""


def space_properties(declaration: syntax.SpaceDecl, report: Findings) -> Properties[syntax.SpaceProperty]:
    """The properties that a space of this kind has; others are reported."""
    kind, own = declaration.kind.text, list[syntax.SpaceProperty]()
    known = PROPERTIES.get(kind, get_args(syntax.SpaceProperty))
    for item in declaration.properties:
        if isinstance(item, known):
            own.append(item)
        else:
            keys, problem = tuple(each.keyword() for each in known), f"no property of `space {kind}`"
            report.add(messages.everywhere.UnknownWord(item.span, item.keyword(), keys, problem))
    return Properties(own, report)


def resolve_space(
    declaration: syntax.SpaceDecl,
    given: Properties[syntax.SpaceProperty],
    ground: Map | None,
    expressions: Expressions,
    names: Names,
    report: Findings,
) -> Space | None:
    """`space grid 8 x 8 { edges clamp }`, `space continuous (0 .. 10) { step 0.5  reach 1 }`, `space graph { a - b }`,
    `space none`. `ground` is the map, if there is one."""
    if not is_known(declaration.kind, tuple(PROPERTIES), "no kind of space", report):
        return None
    edges = word(given.of(syntax.EdgesProperty), EDGES, "no rule for edges", report, "clamp")
    usual = syntax.GRIDS.get(declaration.kind.text, "euclidean")
    metric = word(given.of(syntax.MetricProperty), METRICS, "no metric", report, usual)
    match declaration.kind.text:
        case "graph":
            return resolve_graph(declaration, given, names, report)
        case kind if kind in syntax.GRIDS:
            return _grid(declaration, given, edges, metric, ground, report)
        case "continuous":
            return _continuous(declaration, given, edges, metric, expressions, report)
        case _:
            return NoSpace(declaration.span)


def _grid(
    declaration: syntax.SpaceDecl,
    given: Properties[syntax.SpaceProperty],
    edges: str | None,
    metric: str | None,
    ground: Map | None,
    report: Findings,
) -> Grid | None:
    hexagonal = declaration.kind.text == "hexagons"
    if (momentum := given.of(syntax.MomentumProperty)) is not None:
        report.add(messages.space.MomentumOfGrid(momentum.span))
        return None
    places = word(given.of(syntax.PlacesProperty), ("computed", "stored"), "no way to keep places", report, "computed")
    said = given.of(syntax.StartsProperty)
    starts = word(said, ("apart", "anywhere"), "no way to start", report, "apart")
    if said is not None and ground is not None and ground.starts is not None:
        report.add(messages.space.StartsTwice(said.span, ground.span))
    sizes = _sizes(declaration, places, ground, report)
    if sizes is None or edges is None or metric is None or places is None or starts is None:
        return None
    if hexagonal and min(sizes) < 2:
        report.add(messages.space.HexagonsTooFew(declaration.span))
        return None
    if (turning := turning_of(declaration)) is not None and min(sizes) < 2:
        report.add(messages.headings.TooNarrow(turning.span, declaration.span))
        return None
    if metric == "euclidean" and sum((size - 1) ** 2 for size in sizes) >= 2**31:
        written = given.of(syntax.MetricProperty) or declaration
        report.add(messages.space.TooLargeForEuclidean(written.span))
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


def _sizes(
    declaration: syntax.SpaceDecl, places: str | None, ground: Map | None, report: Findings
) -> tuple[int, ...] | None:
    numerals = declaration.sizes
    drawn = None if ground is None else (len(ground.rows[0]), len(ground.rows))
    if not numerals:
        return drawn
    if not _fitting(len(numerals), declaration, report):
        return None
    sizes = [whole_number(numeral, 1, LONGEST_SIDE, "a side of the grid", report) for numeral in numerals]
    known = tuple(size for size in sizes if size is not None)
    if len(known) < len(sizes):
        return None
    if prod(known) > MOST_CELLS and places != "stored":
        span = between(numerals[0].span, numerals[-1].span)
        report.add(messages.space.TooManyCells(span, prod(known), MOST_CELLS))
        return None
    if drawn is not None and ground is not None and len(known) == 2 and known != drawn:
        span = between(numerals[0].span, numerals[-1].span)
        report.add(messages.space.AnotherSizeThanMap(span, drawn, known, ground.span))
        return None
    return known


def _continuous(
    declaration: syntax.SpaceDecl,
    given: Properties[syntax.SpaceProperty],
    edges: str | None,
    metric: str | None,
    expressions: Expressions,
    report: Findings,
) -> Continuous | None:
    count = len(declaration.bounds)
    if not _fitting(count, declaration, report):
        return None
    axes = [_axis(low, high, report) for low, high in declaration.bounds]
    reach: float | None = None
    if (reaches := given.of(syntax.ReachProperty)) is None:
        report.add(messages.space.NoReach(declaration.span))
    else:
        reach = expressions.constant(reaches.value, "the reach")
        if reach is not None and reach < 0:
            report.add(messages.space.NegativeReach(reaches.value.span))
            reach = None
    known = tuple(axis for axis in axes if axis is not None)
    if len(known) < count or reach is None or edges is None or metric is None:
        return None
    momentum = None
    if (limited := given.of(syntax.MomentumProperty)) is not None:
        momentum = _momentum(limited, known, expressions, report)
        if momentum is None:
            return None
    return Continuous(known, reach, cast(Edges, edges), cast(Metric, metric), declaration.span, momentum)


def _momentum(
    item: syntax.MomentumProperty, axes: tuple[Axis, ...], expressions: Expressions, report: Findings
) -> float | None:
    """The most velocity on an axis."""
    most = expressions.constant(item.value, "the limit of the velocity")
    longest = min(axis.size for axis in axes) * LONGEST_DISPLACEMENT
    if most is None or 0 < most <= longest:
        return most
    report.add(messages.space.VelocityLimit(item.value.span, most, longest))
    return None


def resolve_start(declaration: syntax.StartDecl, space: Space, report: Findings) -> Start | None:
    """`start velocity (0.5, -1) speed 2`: what an agent has before its first tick; a velocity of 0 unless given."""
    numerals = declaration.velocity
    if is_graph("`start`", space, declaration.span, report):
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
        if declaration.speed is not None:
            report.add(messages.space.SpeedOfMomentum(declaration.speed.span, space.span))
            return None
        for numeral, part in zip(numerals or (), velocity, strict=False):
            if abs(part) > space.momentum:
                report.add(messages.space.StartBeyondLimit(numeral.span, space.momentum, space.span))
                return None
    if declaration.speed is not None:
        found = any_number(declaration.speed, LARGEST, "a speed", report)
        if found is None:
            return None
        speed = canonical32(found)
    if len(velocity) < len(parts):
        return None
    if not any(velocity) and not speed:
        report.add(messages.space.StartOfZero(declaration.span))
        return None
    return Start(velocity, speed, declaration.span)


def _wrong_velocity(numerals: tuple[syntax.Signed, ...], space: Space, report: Findings) -> None:
    span = between(numerals[0].span, numerals[-1].span)
    if axes_of(space):
        report.add(messages.space.VelocityOfOtherDimensions(span, space, len(numerals)))
    else:
        report.add(messages.space.VelocityWithoutSpace(span, space.span))


def check_start(start: Start, report: Findings) -> None:
    """Check that the speed that follows from the velocity is a number; to be called where something reads it."""
    if start.speed is None and first_speed(start) is None:
        report.add(messages.space.SpeedTooLarge(start.span))


def _axis(low: syntax.Signed, high: syntax.Signed, report: Findings) -> Axis | None:
    first, last = (any_number(end, FARTHEST, "a bound of the space", report) for end in (low, high))
    if first is None or last is None:
        return None
    size = canonical32(last - first)
    if round32(first) < round32(last) and size > 0:
        return Axis(canonical32(first), canonical32(last), size)
    span = between(low.span, high.span)
    report.add(messages.everywhere.BoundsTheWrongWayRound(span, low.text, high.text, last >= first))
    return None


def _fitting(count: int, declaration: syntax.SpaceDecl, report: Findings) -> bool:
    if 1 <= count <= DIMENSIONS:
        return True
    sizes = declaration.sizes
    span = between(sizes[0].span, sizes[-1].span) if sizes else declaration.span
    is_continuous = declaration.kind.text == "continuous"
    report.add(messages.space.TooManyDimensions(span, not is_continuous, count, DIMENSIONS))
    return False
