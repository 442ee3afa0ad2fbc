"""The space of a universe: its kind, its extent and the rules that hold in it."""

from __future__ import annotations

from math import prod
from typing import Literal, cast

from hamlet.numbers.binary32 import LARGEST, canonical32, round32
from hamlet.schema import axis_names
from hamlet.universe import Axis, Continuous, Edges, Grid, Metric, NoSpace, Space, Span, Start
from hamletc.checking.expressions import Expressions
from hamletc.checking.extent import first_speed
from hamletc.checking.numerals import any_number, whole_number
from hamletc.checking.properties import by_key, is_known, word
from hamletc.checking.report import Report
from hamletc.diagnostics import Label
from hamletc.language import syntax

PROPERTIES: dict[str, tuple[str, ...]] = {
    "grid": ("edges", "distance", "places", "starts"),
    "continuous": ("edges", "distance", "step", "reach", "directions", "speeds"),
    "none": (),
}
EDGES = ("clamp", "wrap", "bounce", "sticky")
METRICS = ("manhattan", "euclidean", "chebyshev")
DIMENSIONS = 100
LONGEST_SIDE = 16384
MOST_CELLS = 2**24
FARTHEST = 1e9
"""The largest coordinate of a continuous space."""


def space_properties(declaration: syntax.SpaceDecl, report: Report) -> dict[str, syntax.Property]:
    """The properties that a space of this kind has, by their keys."""
    kind = declaration.kind.text
    known = PROPERTIES[kind] if kind in PROPERTIES else (*PROPERTIES["grid"], *PROPERTIES["continuous"])
    what = {"grid": "a grid", "continuous": "a continuous space", "none": "`space none`"}.get(kind, "a space")
    return by_key(declaration.properties, known, what, report)


def resolve_space(
    declaration: syntax.SpaceDecl, given: dict[str, syntax.Property], expressions: Expressions, report: Report
) -> Space | None:
    """`space grid 8 x 8 { edges clamp }`, `space continuous (0 .. 10) { step 0.5  reach 1 }`, `space none`."""
    if not is_known(declaration.kind, tuple(PROPERTIES), "no kind of space", report):
        return None
    edges = word(given["edges"], EDGES, "no rule for edges", report) if "edges" in given else "clamp"
    usual = "manhattan" if declaration.kind.text == "grid" else "euclidean"
    metric = word(given["distance"], METRICS, "no metric", report) if "distance" in given else usual
    match declaration.kind.text:
        case "grid":
            return _grid(declaration, given, edges, metric, report)
        case "continuous":
            return _continuous(declaration, given, edges, metric, expressions, report)
        case _:
            return NoSpace(declaration.span)


def _grid(
    declaration: syntax.SpaceDecl,
    given: dict[str, syntax.Property],
    edges: str | None,
    metric: str | None,
    report: Report,
) -> Grid | None:
    places, starts = "computed", "apart"
    if "places" in given:
        places = word(given["places"], ("computed", "stored"), "no way to keep places", report) or ""
    if "starts" in given:
        starts = word(given["starts"], ("apart", "anywhere"), "no way to start", report) or ""
    sizes = _sizes(declaration, places, report)
    if sizes is None or edges is None or metric is None or not places or not starts:
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
        cast(Metric, metric),
        cast(Literal["computed", "stored"], places),
        cast(Literal["apart", "anywhere"], starts),
        declaration.span,
    )


def _sizes(declaration: syntax.SpaceDecl, places: str, report: Report) -> tuple[int, ...] | None:
    numerals = declaration.sizes
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
            across(numerals),
            hint="Make a side shorter, or add `{ places stored }`.",
        )
        return None
    return known


def _continuous(
    declaration: syntax.SpaceDecl,
    given: dict[str, syntax.Property],
    edges: str | None,
    metric: str | None,
    expressions: Expressions,
    report: Report,
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
        report.add(
            "H025",
            "a continuous space has a `reach`",
            declaration.span,
            hint="Add `reach 1`: how far from an affordance an agent can use it.",
        )
    known = tuple(axis for axis in axes if axis is not None)
    if len(known) < count or reach is None or edges is None or metric is None:
        return None
    return Continuous(known, reach, cast(Edges, edges), cast(Metric, metric), declaration.span)


def resolve_start(declaration: syntax.StartDecl, space: Space, report: Report) -> Start | None:
    """`start velocity (0.5, -1) speed 2`: what an agent has before its first tick; a velocity of 0 unless given."""
    numerals = declaration.velocity
    dimensions = _dimensions(space)
    parts: list[float | None] = [0.0] * dimensions
    if numerals is not None:
        if len(numerals) != dimensions:
            _wrong_velocity(numerals, space, report)
            return None
        parts = [any_number(numeral, LARGEST, "a velocity", report) for numeral in numerals]
    velocity = tuple(canonical32(part) for part in parts if part is not None)
    speed: float | None = None
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


def _dimensions(space: Space) -> int:
    match space:
        case Grid(sizes=of_space) | Continuous(axes=of_space):
            return len(of_space)
        case NoSpace():
            return 0


def _wrong_velocity(numerals: tuple[syntax.Signed, ...], space: Space, report: Report) -> None:
    count = _dimensions(space)
    if count == 0:
        hint = "Leave it out, or declare a space, as in `space grid 8 x 8`."
        secondary = (Label(space.span, "no space"),)
        report.add("H055", "a velocity needs a space", across(numerals), secondary=secondary, hint=hint)
        return
    message = f"a velocity has {count} {'number' if count == 1 else 'numbers'} in this space, not {len(numerals)}"
    axes = axis_names(count)
    hint = f"Write `({', '.join(axes)})` with numbers." if count <= 8 else f"Write {count} numbers in parentheses."
    report.add("H042", message, across(numerals), secondary=(Label(space.span, "the space"),), hint=hint)


def check_start(start: Start, report: Report) -> None:
    """The speed that follows from the velocity is a number, where something reads it."""
    if start.speed is None and first_speed(start) is None:
        hint = "Write smaller numbers, or say the speed, as in `speed 1`."
        report.add("H051", "the length of this velocity can overflow", start.span, hint=hint)


def _axis(low: syntax.Signed, high: syntax.Signed, report: Report) -> Axis | None:
    first, last = (any_number(end, FARTHEST, "a bound of the space", report) for end in (low, high))
    if first is None or last is None:
        return None
    size = canonical32(last - first)
    if round32(first) < round32(last) and size > 0:
        return Axis(canonical32(first), canonical32(last), size)
    report.add(
        "H040",
        "the lower bound must be less than the upper one",
        across((low, high)),
        "these are the wrong way round" if last < first else "these are equal",
        hint=f"Write `{high.text} .. {low.text}`." if last < first else "Leave some room between them.",
    )
    return None


def _fitting(count: int, what: str, example: str, declaration: syntax.SpaceDecl, report: Report) -> bool:
    if 1 <= count <= DIMENSIONS:
        return True
    report.add(
        "H042",
        f"{what} has 1 to {DIMENSIONS} dimensions, not {count}",
        across(declaration.sizes) if declaration.sizes else declaration.span,
        hint=f"Write {example}.",
    )
    return False


def across(numerals: tuple[syntax.Signed, ...]) -> Span:
    """From the first of the numbers to the last."""
    first, last = numerals[0].span, numerals[-1].span
    return Span(first.line, first.column, last.end_line, last.end_column, first.file)
