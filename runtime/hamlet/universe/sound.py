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
)
from hamlet.universe.actions import INTERACT, WAIT
from hamlet.universe.contexts import lacking, misplaced, untimely
from hamlet.universe.members import LARGEST_SIDE, MOST_CELLS, MOST_NUMBERS, UnsoundError, check_members, is_condition
from hamlet.universe.views import WIDEST_VIEW
from hamlet.universe.walk import nodes
from hamlet.universe.whole import Universe

MOST_AXES = 100


def check_sound(universe: Universe) -> None:
    """Raise `UnsoundError` unless names, ranges, heights and types are those of a universe that was checked."""
    if not universe.name.isidentifier() or keyword.iskeyword(universe.name):
        raise UnsoundError(f"a universe cannot be called {universe.name!r}")
    for source in universe.sources:
        if not re.fullmatch(r"[\w.-]+", source, re.ASCII):
            raise UnsoundError(f"a source cannot be called {source!r}")
    names = _names(universe)
    _check_space(universe.space)
    check_members(universe, names)
    if not universe.rewards:
        raise UnsoundError("it has no reward")
    _check_groups(universe)
    _check_views(universe)
    _check_assigned(universe, names)
    _check_pairs(universe)
    _check_locals(universe, {})
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
            alone = own[0] if len(own) == 1 and isinstance(own[0], observations.ObserveValue) else None
            if group.form == "discrete" and alone is None:
                raise UnsoundError(f"{group.name!r} is no discrete number")
            if not own and group.form != "text":
                raise UnsoundError(f"the group {group.name!r} is empty")
            values = alone.high - alone.low + 1 if alone is not None else not own
            if len(group.texts) != (values if group.form == "text" else 0):
                raise UnsoundError(f"{group.name!r} has {len(group.texts)} texts")
            if group.numbers in ("discrete", "tuple") and group.form != "values":
                raise UnsoundError(f"{group.name!r} is no row of discrete numbers")
            if group.axes and (group.form != "image" or sorted(group.axes) != sorted(observations.IMAGE_AXES)):
                raise UnsoundError(f"{group.name!r} has no axes {' '.join(group.axes)}")


def _check_views(universe: Universe) -> None:
    """See that windows of expressions lie in a plane, grids of them on a grid, and that they know a step for each
    heading."""
    options = {each.name: 0 if each.type is None else len(each.type.options) for each in universe.meters}
    for view in nodes((universe.observations, tuple(role.observations for role in universe.roles or ()))):
        if not isinstance(view, observations.ObserveView):
            continue
        if not isinstance(universe.space, space.Grid):
            raise UnsoundError("a window of an expression needs a grid")
        if view.whole and len(view.places) != space.cells(universe.space):
            raise UnsoundError(f"{view.name!r} has not a row for each cell")
        if len(universe.space.sizes) != 2 and not view.whole:
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


ELSEWHERE = (
    *(expressions.Previous, expressions.Neighbours, expressions.Own, expressions.Among, expressions.Upon),
    *(expressions.Rank, expressions.Nearest),
)
"""Expressions of others, or of another moment: in them no local has a value."""


def _check_locals(part: Any, locals_so_far: dict[str, bool]) -> None:
    """See that locals are read behind their statements, in the same body, as what they are."""
    match part:
        case tuple():
            locals_so_far = dict(locals_so_far)
            for each in part:
                _check_locals(each, locals_so_far)
                if isinstance(each, statements.Let):
                    locals_so_far[each.name] = is_condition(each.value)
        case quantities.LocalValue(local=local, holds=holds):
            if locals_so_far.get(local) is not holds:
                raise UnsoundError(f"the local {local!r} is read where it has no value")
        case _ if dataclasses.is_dataclass(part):
            kind: Any = type(part)
            inside = {} if isinstance(part, ELSEWHERE) else locals_so_far
            for name in _fields(kind):
                _check_locals(getattr(part, name), inside)
        case _:
            pass


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


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
            case drawings.DrawLine(colour=colour) | drawings.DrawLinks(colour=colour):
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
    blocks = ((each.instantly, each.each_tick, each.on_completion) for each in universe.affordances if not each.solid)
    used = any(any(each) for each in blocks)
    needed = {each.name for each in universe.actions} | ({INTERACT} if used else set())
    if not needed <= listed <= actions:
        wrong = min((needed - listed) | (listed - actions))
        raise UnsoundError(f"the list of actions and the actions differ in {wrong!r}")


def _distinct(kind: str, names: list[str]) -> frozenset[str]:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UnsoundError(f"there are two {kind} called {twice!r}")
    return frozenset(names)
