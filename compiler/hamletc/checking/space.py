"""The space of a universe: its kind, its extent and the rules that hold in it."""

from __future__ import annotations

from math import prod
from typing import Literal, cast

from hamlet.binary32 import canonical32, round32
from hamlet.universe import Axis, Continuous, Edges, Grid, Metric, NoSpace, Space, Span
from hamletc.checking.expressions import Expressions
from hamletc.checking.numerals import any_number, whole_number
from hamletc.checking.properties import by_key, is_known, word
from hamletc.checking.report import Report
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
