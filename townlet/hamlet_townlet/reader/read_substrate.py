"""substrate.yaml: the space."""

from __future__ import annotations

from math import prod
from typing import Literal, TypeAlias, get_args

from hamlet_townlet import pack
from hamlet_townlet.pack import Substrate
from hamlet_townlet.reader.fields import Fields, integer, items, number, spelled
from hamlet_townlet.reader.limits import MOST_AXES, MOST_CELLS, MOST_DIRECTIONS, SHORTEST_STEP
from hamlet_townlet.reader.nodes import MapNode, Node
from hamlet_townlet.reader.report import PackFindings
from hamlet_townlet.spanned import Spanned

Kind: TypeAlias = Literal["grid", "gridnd", "continuous", "continuousnd", "aspatial"]

_KINDS: tuple[Kind, ...] = get_args(Kind)
_SECTIONS = ("grid", "gridnd", "continuous", "aspatial")
_BOUNDARIES: tuple[pack.Boundary, ...] = get_args(pack.Boundary)
_METRICS: tuple[pack.Metric, ...] = get_args(pack.Metric)
_ENCODINGS: tuple[pack.Encoding, ...] = get_args(pack.Encoding)


def read_substrate(report: PackFindings, node: Node) -> Substrate:
    """The space of substrate.yaml."""
    fields = Fields(report, node, "substrate.yaml")
    fields.documentation("version", "description")
    kind = fields.word("type", _KINDS)
    wanted = "continuous" if kind.value == "continuousnd" else kind.value
    for name in _SECTIONS:
        if name != wanted and fields.find(name) is not None and "type" in fields.entries:
            hint = f"Remove `{name}`, or change `type`."
            report.add("H119", f"`{name}` beside `type: {kind.value}`", fields.key(name), hint=hint)
    substrate = _substrate(report, fields, kind.value)
    fields.done()
    return substrate


def _substrate(report: PackFindings, fields: Fields, kind: Kind) -> Substrate:
    match kind:
        case "grid":
            return _grid(report, fields.section("grid", "the grid"))
        case "gridnd":
            return _gridnd(report, fields.section("gridnd", "the grid"))
        case "continuous":
            return _continuous(report, fields.section("continuous", "the space"), 1, 3)
        case "continuousnd":
            return _continuous(report, fields.section("continuous", "the space"), 4, MOST_AXES)
        case "aspatial":
            section = fields.section("aspatial", "`aspatial`")
            section.done()
            return pack.Aspatial(section.span)


def _grid(report: PackFindings, fields: Fields) -> pack.Grid:
    topology = fields.word("topology", ("square", "cubic"))
    sizes = [fields.integer("width", least=1), fields.integer("height", least=1)]
    if topology.value == "cubic":
        sizes.append(fields.integer("depth", least=1))
    elif fields.find("depth") is not None:
        hint = "Remove `depth`, or write `topology: cubic`."
        report.add("H119", "`depth` beside `topology: square`", fields.key("depth"), hint=hint)
    width, height = sizes[0].value, sizes[1].value
    if width != height:
        hint = f"Write `height: {width}`, or `width: {height}`."
        report.add("H118", f"{width} x {height}: HAMLET runs square grids only", sizes[1].span, hint=hint)
    return _finish_grid(report, fields, sizes)


def _gridnd(report: PackFindings, fields: Fields) -> pack.Grid:
    fields.word("topology", ("hypercube",))
    nodes = fields.items("dimension_sizes")
    sizes = [integer(report, item, "a size", least=1, stand_in=1) for item in nodes]
    if "dimension_sizes" in fields.entries and not 4 <= len(sizes) <= MOST_AXES:
        hint = "For 2 or 3 axes write `type: grid`." if len(sizes) < 4 else f"At most {MOST_AXES} are allowed."
        report.add("H118", f"a `gridnd` with {len(sizes)} axes", fields.key("dimension_sizes"), hint=hint)
    return _finish_grid(report, fields, sizes)


def _finish_grid(report: PackFindings, fields: Fields, sizes: list[Spanned[int]]) -> pack.Grid:
    fields.ignored("distance_metric", why="On a grid an agent is on an affordance or it is not.")
    grid = pack.Grid(
        tuple(sizes),
        fields.word("boundary", _BOUNDARIES),
        fields.word("observation_encoding", _ENCODINGS),
        fields.span,
    )
    fields.done()
    cells = prod(size.value for size in sizes)
    if cells > MOST_CELLS:
        text = "this many" if cells > 10**9 else str(cells)
        report.add("H117", f"the grid has {text} cells", sizes[0].span, hint=f"HAMLET allows at most {MOST_CELLS}.")
    return grid


def _continuous(report: PackFindings, fields: Fields, fewest: int, most: int) -> pack.Continuous:
    axes = fields.integer("dimensions")
    if "dimensions" in fields.entries and not report.failed and not fewest <= axes.value <= most:
        other = "continuous" if fewest > 3 else "continuousnd"
        hint = (
            f"With `type: {other}` there can be." if 1 <= axes.value <= MOST_AXES else f"1 to {MOST_AXES} are possible."
        )
        report.add("H118", f"this type of space cannot have {axes.value} axes", axes.span, hint=hint)
    bounds = tuple(_bounds(report, item) for item in fields.items("bounds"))
    if not report.failed and len(bounds) != axes.value:
        hint = "Give each axis its lowest and highest coordinate."
        message = f"there are {len(bounds)} bounds for {axes.value} axes"
        report.add("H119", message, fields.key("bounds"), hint=hint)
    space = pack.Continuous(
        bounds,
        fields.word("boundary", _BOUNDARIES),
        fields.number("movement_delta", above=0),
        fields.number("interaction_radius", above=0),
        fields.word("distance_metric", _METRICS),
        fields.word("observation_encoding", _ENCODINGS),
        _discretization(report, fields, len(bounds)),
        fields.span,
    )
    fields.done()
    if not report.failed:
        _check_extent(report, space)
    return space


def _bounds(report: PackFindings, node: Node) -> tuple[Spanned[float], Spanned[float]]:
    pair = [number(report, item, "a bound") for item in items(report, node, "the bounds of an axis")]
    if len(pair) != 2:
        report.add("H119", "the bounds of an axis are two numbers", node.span, hint="Write `[0.0, 10.0]`.")
        return Spanned(0.0, node.span), Spanned(1.0, node.span)
    if pair[0].value >= pair[1].value and not report.failed:
        report.add("H118", "the bounds are the wrong way round", node.span, hint="Write the lower one first.")
    return pair[0], pair[1]


def _check_extent(report: PackFindings, space: pack.Continuous) -> None:
    step = space.movement_delta
    if len(space.bounds) == 2 and step.value < SHORTEST_STEP:
        hint = f"HAMLET multiplies it by itself in binary32: write at least {SHORTEST_STEP}."
        report.add("H110", f"`movement_delta` is {spelled(step.value)}", step.span, hint=hint)
    for low, high in space.bounds:
        if high.value - low.value < space.interaction_radius.value:
            hint = "Make the axis longer, or `interaction_radius` smaller."
            report.add("H117", "the axis is shorter than `interaction_radius`", low.span, hint=hint)


def _discretization(report: PackFindings, fields: Fields, axes: int) -> pack.Discretization | None:
    """Only a plane is discretized; the empty mapping gives it 8 directions and 3 magnitudes."""
    node = fields.find("action_discretization")
    if node is None:
        return None
    section = Fields(report, node, "`action_discretization`")
    key = fields.key("action_discretization")
    directions, magnitudes = Spanned(8, key), Spanned(3, key)
    if section.find("num_directions") is not None:
        directions = section.integer("num_directions", least=1, most=MOST_DIRECTIONS)
    if section.find("num_magnitudes") is not None:
        magnitudes = section.integer("num_magnitudes", least=2, most=MOST_DIRECTIONS)
    section.done()
    if directions.value * (magnitudes.value - 1) > MOST_DIRECTIONS:
        report.add("H110", "too many moves", key, hint=f"At most {MOST_DIRECTIONS} are possible.")
    if axes != 2:
        report.ignore("`action_discretization`", key, "HAMLET discretizes moves on 2 axes only.")
        return None
    return pack.Discretization(directions, magnitudes, node.span if isinstance(node, MapNode) and node.entries else key)
