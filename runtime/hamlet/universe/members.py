"""Members of nodes: which name something, which numbers lie in which range, and which expressions are conditions."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache
from typing import Any

from hamlet.universe import (
    actions,
    affordances,
    declarations,
    drawings,
    expressions,
    meters,
    observations,
    quantities,
    space,
    statements,
    terrain,
)
from hamlet.universe.walk import nodes, operands, parts
from hamlet.universe.whole import Universe

DEEPEST_TREE = 200
"""The most levels of an expression."""
LONGEST_TEXT = 1 << 14
"""The most characters of a name; a condition is the name of a cause."""
MOST_COUNT, MOST_TICKS, MOST_SITES = 1 << 20, 1_000_000_000, 1 << 34
MOST_NUMBERS = 1 << 16
"""The most numbers of a table."""
MOST_OF_POISSON = 64
"""The largest value of a draw `poisson`."""
LARGEST_SIDE, MOST_CELLS, LARGEST_COORDINATE = 1 << 14, 1 << 24, 1e9

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
    (affordances.Spread, "region"): "regions",
    (affordances.Spread, "near"): "affordances",
    (affordances.Affordance, "moving"): "world",
    (actions.Mask, "actions"): "actions",
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
    (affordances.Affordance, "duration"): (0, MOST_TICKS),
    (affordances.Hours, "opens"): (0, 999),
    (affordances.Hours, "closes"): (0, 1000),
    (affordances.Spread, "apart"): (0, MOST_CELLS),
    (affordances.Spread, "within"): (0, MOST_CELLS),
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
    (observations.ObservedGroup, "items"): (0, MOST_COUNT),
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
    *(declarations.Param, declarations.Input, declarations.Control, meters.Meter),
    *(meters.WorldMeter, meters.CellMeter, meters.PairMeter, space.Axis, expressions.DrawInteger),
    *(observations.ObserveValue,),
    *(observations.ObserveHot, observations.ObserveView),
)
"""Nodes with a `low` and a `high`."""


CONDITIONS = frozenset(
    (
        *((declarations.Rule, "guard"), (declarations.Cascade, "who"), (affordances.Affordance, "needs")),
        *((affordances.Affordance, "opening"), (actions.Action, "needs"), (actions.Mask, "allowed")),
        *((declarations.Cells, "wall"), (declarations.Cells, "solid"), (Universe, "starting")),
        *((actions.Acting, "condition"), (actions.Acting, "who")),
        *((declarations.Pool, "asks"), (declarations.Lifespan, "of_world")),
        *((actions.Mask, "who"), (declarations.Cause, "condition"), (statements.Guarded, "condition")),
        *((expressions.Rank, "condition"), (expressions.Nearest, "condition"), (expressions.If, "condition")),
        *((kind, "condition") for kind in (drawings.DrawMark, drawings.DrawLine, drawings.DrawLinks)),
    )
)
"""The fields that hold conditions; others hold numbers, and that of a local either."""


HOLDING = (
    *(quantities.Truth, quantities.Here, quantities.On, quantities.Wall, quantities.LastUse, quantities.ActionTaken),
    *(quantities.Used, quantities.Every, quantities.After, expressions.DrawChance),
)
"""The quantities that are conditions."""


_EXPRESSIONS: frozenset[Any] = frozenset(expressions.Expression.__args__)
COMPARING = ("<", "<=", ">", ">=", "==", "!=")


class UnsoundError(ValueError):
    """A Universe that no compiler makes. The message says what is wrong."""


def check_members(universe: Universe, names: Mapping[str, frozenset[str]]) -> None:
    """Raise `UnsoundError` where a member is none that a compiler writes.

    Args:
        names: of the universe, by the kind of their declaration.
    """
    for node in nodes(universe):
        kind: Any = type(node)
        for name in _fields(kind):
            _check_member(node, name, getattr(node, name), names)
        if isinstance(node, BOUNDED) and not node.low <= node.high:
            raise UnsoundError(f"{_called(node)} lies in {node.low} .. {node.high}, the higher number first")
        if isinstance(node, declarations.Param | declarations.Input) and not node.low <= node.default <= node.high:
            raise UnsoundError(f"{_called(node)} is {node.default}, out of {node.low} .. {node.high}")


def _check_member(node: object, name: str, value: Any, names: Mapping[str, frozenset[str]]) -> None:
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
                holds = None if kind is statements.Let else (kind, name) in CONDITIONS
                _check_tree(tree, holds, f"{name} of {kind.__name__}")


def _check_tree(tree: Any, holds: bool | None, where: str) -> None:
    """See to the height of an expression and to the type of it and of what it is made of."""
    if max(level for _, level in parts(tree)) > DEEPEST_TREE:
        raise UnsoundError(f"{where} has more than {DEEPEST_TREE} levels")
    if is_condition(tree) != holds and holds is not None:
        raise UnsoundError(f"{where} is a {'number' if holds else 'condition'}")


def is_condition(tree: Any) -> bool:
    """Whether an expression is a condition rather than a number; what it is made of fits together."""
    holds = [is_condition(each) for each in operands(tree)]
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
        case quantities.LocalValue(holds=condition):
            expected, result = [], condition
        case expressions.At():
            expected, result = [holds[0]] + [False] * len(tree.place), holds[0]
        case _:
            expected, result = [False] * len(holds), isinstance(tree, HOLDING)
    if holds != expected:
        raise UnsoundError(f"a number and a condition are confused in {type(tree).__name__}")
    return result


def _is_shown(text: str) -> bool:
    """Whether a text can be a part of a line on a terminal."""
    return text.isprintable() and len(text) <= LONGEST_TEXT


def _called(node: Any) -> str:
    return f"{type(node).__name__} {getattr(node, 'name', '')}".strip()


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


@cache
def _trees(kind: Any) -> frozenset[str]:
    """The fields that hold expressions of a node that is none itself: each is checked with all that is in it."""
    own = () if kind in _EXPRESSIONS else dataclasses.fields(kind)
    return frozenset(field.name for field in own if "Expression" in str(field.type))
