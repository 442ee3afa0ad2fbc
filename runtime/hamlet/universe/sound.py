"""The checks of a compiler, on a Universe that was read from a file, for anybody may have written the file: names exist
and can be shown, numbers lie in their ranges, conditions stand where they belong.
"""

from __future__ import annotations

import dataclasses
import keyword
import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from math import prod
from typing import Any

from hamlet.universe import (
    declarations,
    drawings,
    expressions,
    observations,
    quantities,
    space,
    statements,
    terrain,
)
from hamlet.universe.contexts import lacking, misplaced, untimely
from hamlet.universe.declarations import INTERACT, WAIT
from hamlet.universe.views import WIDEST_VIEW
from hamlet.universe.walk import nodes, operands, parts
from hamlet.universe.whole import Universe

DEEPEST_TREE = 200
"""The most levels of an expression."""
LONGEST_NAME = 1 << 12
"""The most characters of a name; a condition is the name of a cause."""
MOST_COUNT = 1 << 20
MOST_TICKS = 1_000_000_000
MOST_SITES = 1 << 34
MOST_NUMBERS = 1 << 16
"""The most numbers of a table."""
MOST_OF_POISSON = 64
"""The largest value of a draw `poisson`."""
LARGEST_SIDE, MOST_CELLS, MOST_AXES, LARGEST_COORDINATE = 1 << 14, 1 << 24, 100, 1e9

NAMES: dict[tuple[type, str], str] = {
    (quantities.MeterValue, "meter"): "meters",
    (quantities.ParamValue, "param"): "params",
    (quantities.WorldValue, "meter"): "world",
    (quantities.CellValue, "meter"): "cells",
    (quantities.PairValue, "meter"): "pairs",
    (quantities.InputValue, "input"): "inputs",
    (quantities.ControlValue, "control"): "controls",
    (quantities.Coordinate, "axis"): "axes",
    (quantities.Velocity, "axis"): "axes",
    (quantities.LastUse, "affordance"): "affordances",
    (quantities.Used, "affordance"): "affordances",
    (quantities.Streak, "affordance"): "affordances",
    (quantities.Here, "affordance"): "affordances",
    (quantities.Distance, "affordance"): "affordances",
    (quantities.StraightDistance, "affordance"): "affordances",
    (quantities.WalkingDistance, "affordance"): "affordances",
    (quantities.ActionTaken, "action"): "actions",
    (quantities.On, "region"): "regions",
    (quantities.TerrainValue, "terrain"): "terrains",
    (expressions.TableValue, "table"): "tables",
    (statements.Push, "axis"): "axes",
    (declarations.Cascade, "source"): "meters",
    (declarations.CellSum, "meter"): "world",
    (declarations.CellCount, "meter"): "cells",
    (declarations.Spread, "region"): "regions",
    (declarations.Spread, "near"): "affordances",
    (declarations.Affordance, "moving"): "world",
    (declarations.Mask, "actions"): "actions",
    (drawings.DrawGauges, "names"): "states",
    (declarations.Pool, "role"): "roles",
    (declarations.Pool, "asked"): "meters",
    (declarations.Pool, "waits"): "meters",
    (declarations.Handed, "meter"): "meters",
    (observations.Role, "meters"): "meters",
    (observations.Role, "actions"): "actions",
    (observations.ObserveRegion, "region"): "regions",
    (observations.ObserveCells, "meter"): "cells",
    (observations.ObservePairs, "meter"): "pairs",
    (observations.ObserveHere, "affordances"): "affordances or copies",
    (observations.ObserveView, "heading"): "meters",
    (space.Node, "leads"): "nodes",
    (space.Graph, "start"): "nodes",
    (terrain.RegionNumber, "region"): "regions",
}
"""The fields that name something, and what."""

RANGES: dict[tuple[type, str], tuple[float, float]] = {
    (declarations.Clock, "hours"): (2, 1000),
    (declarations.Lifespan, "ticks"): (1, MOST_TICKS),
    (declarations.Affordance, "duration"): (0, MOST_TICKS),
    (declarations.Hours, "opens"): (0, 999),
    (declarations.Hours, "closes"): (0, 1000),
    (declarations.Spread, "apart"): (0, MOST_CELLS),
    (declarations.Spread, "within"): (0, MOST_CELLS),
    (quantities.Every, "ticks"): (1, MOST_TICKS),
    (quantities.After, "ticks"): (0, MOST_TICKS),
    (space.Grid, "sizes"): (1, MOST_CELLS),
    (declarations.NumberTable, "sizes"): (1, MOST_NUMBERS),
    (space.Axis, "low"): (-LARGEST_COORDINATE, LARGEST_COORDINATE),
    (space.Axis, "high"): (-LARGEST_COORDINATE, LARGEST_COORDINATE),
    (space.Continuous, "reach"): (0, 4 * LARGEST_COORDINATE),
    (observations.ObserveWindow, "radius"): (0, MOST_COUNT),
    (observations.ObserveRegion, "radius"): (0, MOST_COUNT),
    (observations.ObserveCells, "radius"): (0, MOST_COUNT),
    (observations.ObserveCells, "only"): (-MOST_CELLS, MOST_CELLS),
    **{(observations.ObserveView, side): (0, LARGEST_SIDE) for side in ("left", "right", "ahead", "behind")},
    (observations.ObservedGroup, "items"): (1, MOST_COUNT),
    (observations.ObserveHot, "low"): (-MOST_CELLS, MOST_CELLS),
    (observations.ObserveHot, "high"): (-MOST_CELLS, MOST_CELLS),
    (observations.ObserveBlank, "count"): (1, MOST_COUNT),
    (observations.ObservePairs, "agents"): (2, MOST_COUNT),
    (observations.Role, "first"): (0, MOST_CELLS),
    (observations.Role, "agents"): (1, MOST_CELLS),
    (declarations.Pool, "first"): (0, MOST_CELLS),
    (declarations.Pool, "agents"): (1, MOST_CELLS),
    (declarations.Pool, "after"): (1, MOST_CELLS),
    (expressions.DrawInteger, "low"): (-MOST_CELLS, MOST_CELLS),
    (expressions.DrawInteger, "high"): (-MOST_CELLS, MOST_CELLS),
    (expressions.DrawChoice, "thresholds"): (0, (1 << 32) - 1),
    **{(kind, "site"): (0, MOST_SITES - 1) for kind in (expressions.DrawUniform, expressions.DrawInteger)},
    **{(kind, "site"): (0, MOST_SITES - 1) for kind in (expressions.DrawChoice, expressions.DrawChance)},
    (expressions.DrawPoisson, "site"): (0, MOST_SITES - 1),
    (expressions.DrawPoisson, "most"): (1, MOST_OF_POISSON),
    (expressions.DrawNormal, "site"): (0, MOST_SITES - 2),
}
"""The fields whose numbers have limits beside those of their type."""

BOUNDED = (
    *(declarations.Param, declarations.Input, declarations.Control, declarations.Meter),
    *(declarations.WorldMeter, declarations.CellMeter, declarations.PairMeter, space.Axis, expressions.DrawInteger),
    *(observations.ObserveValue,),
    *(observations.ObserveHot, observations.ObserveView),
)
"""Nodes with a `low` and a `high`."""

CONDITIONS = frozenset(
    (
        *((declarations.Rule, "guard"), (declarations.Cascade, "who"), (declarations.Affordance, "needs")),
        *((declarations.Affordance, "opening"), (declarations.Action, "needs"), (declarations.Mask, "allowed")),
        *((declarations.Cells, "wall"), (declarations.Cells, "solid"), (Universe, "starting")),
        *((declarations.Acting, "condition"), (declarations.Acting, "who")),
        *((declarations.Pool, "asks"), (declarations.Lifespan, "of_world")),
        *((declarations.Mask, "who"), (declarations.Cause, "condition"), (statements.Guarded, "condition")),
        *((expressions.Rank, "condition"), (expressions.Nearest, "condition"), (expressions.If, "condition")),
        *((drawings.DrawMark, "condition"), (drawings.DrawLine, "condition")),
    )
)
"""The fields that hold conditions; others hold numbers."""
HOLDING = (
    *(quantities.Truth, quantities.Here, quantities.On, quantities.Wall, quantities.LastUse, quantities.ActionTaken),
    *(quantities.Used, quantities.Every, quantities.After, expressions.DrawChance),
)
"""The quantities that are conditions."""
COMPARING = ("<", "<=", ">", ">=", "==", "!=")


class UnsoundError(ValueError):
    """A Universe that no compiler makes. The message says what is wrong."""


def check_sound(universe: Universe) -> None:
    """Raise `UnsoundError` unless names, ranges, heights and types are those of a universe that was checked."""
    if not universe.name.isidentifier() or keyword.iskeyword(universe.name):
        raise UnsoundError(f"a universe cannot be called {universe.name!r}")
    for source in universe.sources:
        if not re.fullmatch(r"[\w.-]+", source, re.ASCII):
            raise UnsoundError(f"a source cannot be called {source!r}")
    names = _names(universe)
    _check_space(universe.space)
    for node in nodes(universe):
        for name, value in _members(node):
            _check_member(node, name, value, names)
        if isinstance(node, BOUNDED) and not node.low <= node.high:
            raise UnsoundError(f"{_called(node)} lies in {node.low} .. {node.high}, the higher number first")
        if isinstance(node, declarations.Param | declarations.Input) and not node.low <= node.default <= node.high:
            raise UnsoundError(f"{_called(node)} is {node.default}, out of {node.low} .. {node.high}")
    if not universe.rewards:
        raise UnsoundError("it has no reward")
    _check_groups(universe)
    _check_views(universe)
    _check_assigned(universe, names)
    _check_pairs(universe)
    _check_tables(universe)
    _check_places(universe)
    _check_drawings(universe, names)
    for message in chain(lacking(universe), misplaced(universe), untimely(universe)):
        raise UnsoundError(message)


def _check_groups(universe: Universe) -> None:
    """See that groups hold all observations where there are some, and that images and discrete numbers are such."""
    parts = [(universe.groups, universe.observations), *((r.groups, r.observations) for r in universe.roles or ())]
    named = any(groups for groups, _ in parts)
    for groups, items in parts:
        if named and sum(group.items for group in groups) != len(items):
            raise UnsoundError(f"groups of observations have {sum(group.items for group in groups)} of {len(items)}")
        first = 0
        for group in groups:
            own, first = items[first : first + group.items], first + group.items
            planes = {observations.plane_of(item, universe.space) for item in own}
            if group.form == "image" and (len(planes) != 1 or None in planes):
                raise UnsoundError(f"the channels of the image {group.name!r} do not fit")
            whole = len(own) == 1 and isinstance(own[0], observations.ObserveValue)
            if group.form == "discrete" and not whole:
                raise UnsoundError(f"{group.name!r} is no discrete number")
            if group.numbers in ("discrete", "tuple") and group.form != "values":
                raise UnsoundError(f"{group.name!r} is no row of discrete numbers")
            if group.axes and (group.form != "image" or sorted(group.axes) != sorted(observations.IMAGE_AXES)):
                raise UnsoundError(f"{group.name!r} has no axes {' '.join(group.axes)}")


def _check_views(universe: Universe) -> None:
    """See that windows of expressions lie in a plane, and that they know a step for each heading."""
    options = {each.name: 0 if each.type is None else len(each.type.options) for each in universe.meters}
    for view in nodes((universe.observations, tuple(role.observations for role in universe.roles or ()))):
        if not isinstance(view, observations.ObserveView):
            continue
        if len(space.axes_of(universe.space)) != 2 or not isinstance(universe.space, space.Grid):
            raise UnsoundError("a window of an expression needs a grid with two axes")
        if len(view.steps) != (1 if view.heading is None else options[view.heading]):
            raise UnsoundError(f"the window {view.name!r} has {len(view.steps)} steps, not one for each heading")
        if view.hexagonal != space.is_hexagonal(universe.space):
            raise UnsoundError(f"the window {view.name!r} has cells of another form than the grid")
        if not set(view.steps) <= set(space.sides(2, universe.space.metric)):
            raise UnsoundError(f"a step of the window {view.name!r} is none to a cell beside one")
        if view.within == "view" and not view.hexagonal and view.width > WIDEST_VIEW:
            raise UnsoundError(f"the window {view.name!r} is wider than {WIDEST_VIEW} cells")
        if view.within == "sight" and view.hexagonal:
            raise UnsoundError(f"the window {view.name!r} has no straight lines")


def _check_member(node: object, name: str, value: Any, names: dict[str, frozenset[str]]) -> None:
    kind: Any = type(node)
    for each in value if isinstance(value, tuple) else (value,):
        if isinstance(each, str) and not _is_shown(each):
            raise UnsoundError(f"{kind.__name__} has the {name} {each!r}, which cannot be shown")
        if isinstance(each, str) and (kind, name) in NAMES and each not in names[NAMES[kind, name]]:
            raise UnsoundError(f"{kind.__name__} names {each!r}, which is none of the {NAMES[kind, name]}")
        if isinstance(each, int | float) and (kind, name) in RANGES:
            low, high = RANGES[kind, name]
            if not low <= each <= high:
                raise UnsoundError(f"{name} of {kind.__name__} is {each}, and not in {low} .. {high}")
    if name in _trees(kind):
        for tree in value if isinstance(value, tuple) else (value,):
            if dataclasses.is_dataclass(tree):
                _check_tree(tree, (kind, name) in CONDITIONS, f"{name} of {kind.__name__}")


def _check_tree(tree: Any, holds: bool, where: str) -> None:
    """See to the height of an expression and to the type of it and of what it is made of."""
    if max(level for _, level in parts(tree)) > DEEPEST_TREE:
        raise UnsoundError(f"{where} has more than {DEEPEST_TREE} levels")
    if _is_condition(tree) != holds:
        raise UnsoundError(f"{where} is a {'number' if holds else 'condition'}")


def _is_condition(tree: Any) -> bool:
    """Whether an expression is a condition rather than a number; what it is made of fits together."""
    holds = [_is_condition(each) for each in operands(tree)]
    match tree:
        case expressions.Unary(op="not"):
            expected, result = [True], True
        case expressions.Binary(op="and" | "or"):
            expected, result = [True, True], True
        case expressions.Binary(op=op):
            expected, result = [False, False], op in COMPARING
        case expressions.Among(op="count"):
            expected, result = [True], False
        case expressions.Upon(op=op):
            expected, result = [op == "count", False][: len(holds)], False
        case expressions.Rank():
            expected, result = [True, False], False
        case expressions.Nearest():
            expected, result = [True, holds[1], holds[1]], holds[1]
        case expressions.If():
            expected, result = [True, holds[1], holds[1]], holds[1]
        case expressions.Previous() | expressions.Own():
            expected, result = holds, holds[0]
        case expressions.At():
            expected, result = [holds[0]] + [False] * len(tree.place), holds[0]
        case _:
            expected, result = [False] * len(holds), isinstance(tree, HOLDING)
    if holds != expected:
        raise UnsoundError(f"a number and a condition are confused in {type(tree).__name__}")
    return result


def _check_assigned(universe: Universe, names: dict[str, frozenset[str]]) -> None:
    """See that agents, worlds and cells write what is theirs, and that agents alone are moved."""
    world = () if universe.world is None else universe.world.rules
    cells = () if universe.cells is None else universe.cells.rules
    lanes = (universe.dynamics, universe.affordances, universe.actions)
    written_by = ((lanes, "meters"), (world, "world"), (cells, "cells"), (universe.pair_rules, "pairs"))
    for written, owner in written_by:
        for node in nodes(written):
            if isinstance(node, statements.Assign) and node.meter not in names[owner]:
                raise UnsoundError(f"{node.meter!r} is written, which is none of the {owner}")
            if isinstance(node, statements.Displace | statements.Teleport) and owner != "meters":
                raise UnsoundError(f"what is of the {owner} moves an agent")


def _check_pairs(universe: Universe) -> None:
    """See that it is said between how many agents there is something, and that rules of pairs assign alone."""
    agents = [role.agents for role in universe.roles or ()]
    if universe.pairs is not None and (not agents or None in agents):
        raise UnsoundError("pairs are of agents of which nobody says how many there are")
    if any(not isinstance(each, statements.Assign) or not each.clamped for each in _of_rules(universe.pair_rules)):
        raise UnsoundError("a rule of pairs does something else than to write their states")
    items = (universe.observations, tuple(role.observations for role in universe.roles or ()))
    shown = [node for node in nodes(items) if isinstance(node, observations.ObservePairs)]
    if any(item.agents != sum(each or 0 for each in agents) for item in shown):
        raise UnsoundError("another number of agents is observed than there are")


def _of_rules(rules: Iterable[declarations.Rule]) -> Iterator[statements.Statement]:
    return (statement for rule in rules for statement in rule.body)


def _check_tables(universe: Universe) -> None:
    """See that tables have as many numbers as their sizes say, and are read by an index per size."""
    for table in universe.tables:
        if not table.sizes or prod(table.sizes) != len(table.values) or len(table.values) > MOST_NUMBERS:
            raise UnsoundError(f"the table {table.name!r} has {len(table.values)} numbers")
    axes = {table.name: len(table.sizes) for table in universe.tables}
    for node in nodes(universe):
        if isinstance(node, expressions.TableValue) and len(node.indices) != axes[node.table]:
            raise UnsoundError(f"the table {node.table!r} is read by {len(node.indices)} indices")


def _check_places(universe: Universe) -> None:
    """See that what is somewhere, or leads somewhere, has a number for each axis."""
    axes = len(space.axes_of(universe.space))
    affordances, actions = universe.affordances, universe.actions
    places = [
        *(each.place for each in affordances),
        *(each.moving or None for each in affordances),
        *(each.move for each in actions),
        *(each.teleport for each in actions),
        *(each.by for each in universe.moves),
        None if universe.start is None else universe.start.velocity,
    ]
    counts = [len(place) for place in places if place is not None]
    counts += [len(node.place) for node in nodes(universe) if isinstance(node, expressions.At)]
    moved = statements.Displace | statements.Teleport
    counts += [len(node.coordinates) for node in nodes(universe) if isinstance(node, moved)]
    if any(count != axes for count in counts):
        raise UnsoundError(f"a place or a move has another number of axes than {axes}")
    starts = {} if universe.world is None else {meter.name: meter.start for meter in universe.world.meters}
    for each in affordances:
        begins = each.place is not None and bool(each.moving)
        if each.elsewhere and not (begins and not any(isinstance(starts[name], float) for name in each.moving)):
            raise UnsoundError(f"{each.name!r} begins nowhere")
    if isinstance(universe.space, space.Grid):
        for affordance in affordances:
            sides = zip(affordance.place or (), universe.space.sizes, strict=False)
            if not all(0 <= x < side and x == int(x) for x, side in sides):
                raise UnsoundError(f"{affordance.name!r} stands on no cell of the grid")


def _check_drawings(universe: Universe, names: dict[str, frozenset[str]]) -> None:
    """See that what is drawn is there, in colours that there are."""
    things = frozenset(n.removeprefix(drawings.LIES) for n in names["cells"] if n.startswith(drawings.LIES))
    drawn = {"role": "roles", "affordance": "affordances", "region": "regions", "cell": "cells"}
    for each in universe.drawings:
        match each:
            case drawings.DrawLook(of=kind, name=name):
                parts = things if kind == "item" else names[drawn[kind]] if kind in drawn else {""}
                if name not in parts:
                    raise UnsoundError(f"the picture of {kind} {name!r} is of nothing")
                _check_ink(each.colour, each.letter)
            case drawings.DrawMark(colour=colour, letter=letter):
                _check_ink(colour, letter)
            case drawings.DrawLine(colour=colour):
                _check_ink(colour, "")
            case drawings.DrawCanvas(low=low, high=high):
                if not all(a < b for a, b in zip(low, high, strict=True)):
                    raise UnsoundError("a canvas has its lower end first")
            case drawings.DrawAside() | drawings.DrawGauges():
                pass  # The names of gauges are those of states, as `NAMES` says.


def _check_ink(colour: str, letter: str) -> None:
    if colour and colour not in drawings.COLOURS:
        raise UnsoundError(f"{colour!r} is no colour")
    if len(letter) > drawings.LONGEST_LETTER:
        raise UnsoundError(f"{letter!r} is no letter")


def _check_space(of: space.Space) -> None:
    match of:
        case space.Grid(sizes=sizes, places=places):
            if not 1 <= len(sizes) <= MOST_AXES or max(sizes) > LARGEST_SIDE or min(sizes) < 1:
                raise UnsoundError(f"a grid has 1 .. {MOST_AXES} sides of 1 .. {LARGEST_SIDE} cells")
            if (places == "computed" or of.map is not None) and prod(sizes) > MOST_CELLS:
                raise UnsoundError(f"a grid has at most {MOST_CELLS} cells")
            if of.map is not None and (
                len(sizes) > 2 or {len(row) for row in of.map.rows} != {sizes[0]} or len(of.map.rows) != prod(sizes[1:])
            ):
                raise UnsoundError("the map has other sides than the grid")
            if of.graph is not None and sizes != (len(of.graph.nodes),):
                raise UnsoundError("the grid has other cells than the graph nodes")
        case space.Continuous(axes=axes):
            if not 1 <= len(axes) <= MOST_AXES:
                raise UnsoundError(f"a space has 1 .. {MOST_AXES} axes")
        case space.NoSpace():
            pass


def _names(universe: Universe) -> dict[str, frozenset[str]]:
    """Names of a universe, by the kind of their declaration."""
    of_world = () if universe.world is None else universe.world.meters
    of_cells = () if universe.cells is None else universe.cells.meters
    ground = space.letters_of(universe.space)
    graph = space.graph_of(universe.space)
    kinds: dict[str, Iterable[Any]] = {
        "meters": universe.meters,
        "world": of_world,
        "cells": of_cells,
        "pairs": () if universe.pairs is None else universe.pairs.meters,
        "params": universe.params,
        "inputs": universe.inputs,
        "controls": universe.controls,
        "affordances": universe.affordances,
        "regions": () if ground is None else ground.regions,
        "terrains": () if ground is None else ground.terrains,
        "tables": universe.tables,
        "nodes": () if graph is None else graph.nodes,
        "roles": universe.roles or (),
        "own actions": universe.actions,
        "moves": universe.moves,
    }
    names = {kind: _distinct(kind, [each.name for each in items]) for kind, items in kinds.items()}
    _distinct("states", [name for kind in ("meters", "world", "cells", "pairs") for name in sorted(names[kind])])
    copies = {each.copy_of for each in universe.affordances if each.copy_of is not None}
    actions = (*sorted(names["own actions"]), *sorted(names["moves"]), INTERACT, WAIT)
    _check_order(universe, frozenset(actions))
    return names | {
        "axes": frozenset(space.axes_of(universe.space)),
        "actions": frozenset((*universe.order, *((WAIT,) if universe.acting else ())) if universe.order else actions),
        "affordances or copies": names["affordances"] | copies,
        "states": names["meters"] | names["world"],
    }


def _check_order(universe: Universe, actions: frozenset[str]) -> None:
    """See that the list of actions has what it must have, once, and nothing that is no action."""
    if not universe.order:
        return
    listed = _distinct("actions in the list", list(universe.order))
    stood_on = any(not each.solid for each in universe.affordances)
    needed = {each.name for each in universe.actions} | ({INTERACT} if stood_on else set())
    if not needed <= listed <= actions:
        wrong = min((needed - listed) | (listed - actions))
        raise UnsoundError(f"the list of actions and the actions differ in {wrong!r}")


def _distinct(kind: str, names: list[str]) -> frozenset[str]:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UnsoundError(f"there are two {kind} called {twice!r}")
    return frozenset(names)


def _is_shown(text: str) -> bool:
    """Whether a text can be a part of a line on a terminal."""
    return text.isprintable() and len(text) <= LARGEST_SIDE


def _called(node: Any) -> str:
    return f"{type(node).__name__} {getattr(node, 'name', '')}".strip()


def _members(node: object) -> Iterator[tuple[str, Any]]:
    kind: Any = type(node)
    return ((name, getattr(node, name)) for name in _fields(kind))


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


@cache
def _trees(kind: Any) -> frozenset[str]:
    """The fields that hold expressions of a node that is none itself: each is checked with all that is in it."""
    own = () if kind in _EXPRESSIONS else dataclasses.fields(kind)
    return frozenset(field.name for field in own if "Expression" in str(field.type))


_EXPRESSIONS: frozenset[Any] = frozenset(expressions.Expression.__args__)
