"""One change of a world, at a tick: another action of an agent, a use of an affordance, or another number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch

from hamlet import schema
from hamlet.backend.buffers import Buffers
from hamlet.interpreter.places import Places
from hamlet.schema.grid import cell_of
from hamlet.universe import Grid, Universe
from hamletc.errors import CompileError
from hamletc.suggest import closest


@dataclass(frozen=True, slots=True)
class Act:
    """The agent takes another action in the tick."""

    name: str
    number: int

    def __str__(self) -> str:
        return f"action {self.name}"


@dataclass(frozen=True, slots=True)
class Use:
    """The agent uses an affordance in the tick; where it is elsewhere it is put there before.

    Attributes:
        place: the number of the affordance.
        number: that of INTERACT.
    """

    name: str
    place: int
    number: int
    universe: Universe

    def __str__(self) -> str:
        return f"use of {self.name}, put there where it is elsewhere"


@dataclass(frozen=True, slots=True)
class SetTo:
    """A param of the world, or a meter of the agent or of the world, has another value before the tick.

    Attributes:
        array, row: where it is.
        per: whose it is: `lane` or `world`.
    """

    name: str
    value: float
    array: str
    row: int
    per: str

    def __str__(self) -> str:
        return f"{self.name} = {self.value:g}"


Alteration: TypeAlias = Act | Use | SetTo


def act(universe: Universe, name: str) -> Act | Use:
    """An action by its name, or the use of an affordance by its name.

    Raises:
        CompileError: the universe has none of this name, or nobody can stand at the affordance.
    """
    names, places = schema.choices(universe), [place.name for place in universe.affordances]
    if name in names:
        return Act(name, names.index(name))
    if name in places and schema.interact_action(universe) != schema.NOWHERE:
        if universe.affordances[places.index(name)].solid:
            raise CompileError(f"{name} is solid, so nobody stands at it: take the move that leads to it")
        return Use(name, places.index(name), schema.interact_action(universe), universe)
    meant = closest(name, (*names, *places))
    raise CompileError(f"{universe.name} has no action {name}" + (f": did you mean {meant}?" if meant else ""))


def set_to(universe: Universe, name: str, value: float) -> SetTo:
    """A param or a meter by its name.

    Raises:
        CompileError: the universe has none of this name, or the value lies out of its bounds.
    """
    places: dict[str, tuple[str, str, int, float, float]] = {}
    for row, of_world in enumerate(() if universe.world is None else universe.world.meters):
        places[of_world.name] = "world_meters", "world", row, of_world.low, of_world.high
    for row, meter in enumerate(universe.meters):
        places[meter.name] = "meters", "lane", row, meter.low, meter.high
    for row, param in enumerate(universe.params):
        places[param.name] = "params", "world", row, param.low, param.high
    if name not in places:
        meant = closest(name, list(places))
        hint = f": did you mean {meant}?" if meant else ""
        raise CompileError(f"{universe.name} has no param and no meter {name}{hint}")
    array, per, row, low, high = places[name]
    if not low <= value <= high:
        raise CompileError(f"--set {name}: {value:g} is outside of its bounds, {low:g} .. {high:g}")
    return SetTo(name, value, array, row, per)


def alter_state(alteration: Alteration, buffers: Buffers, agent: int, worlds: Sequence[int]) -> None:
    """Change the state before the tick, in these worlds of the buffers."""
    if isinstance(alteration, SetTo):
        columns = [world * buffers.shape.agents + agent for world in worlds]
        where = columns if alteration.per == "lane" else list(worlds)
        buffers.state[alteration.array][alteration.row, where] = alteration.value
    elif isinstance(alteration, Use) and "position" in buffers.state:
        universe, position = alteration.universe, buffers.state["position"]
        place = list(Places(universe, position.device).of(buffers.state).values())[alteration.place]
        there = cell_of(place, universe.space) if isinstance(universe.space, Grid) else place
        columns = [world * buffers.shape.agents + agent for world in worlds]
        for axis, coordinate in enumerate(there):
            own = coordinate.expand(buffers.shape.worlds, 1)[list(worlds), 0]
            position[axis, columns] = own.to(position.dtype)


def alter_actions(
    alteration: Alteration, actions: torch.Tensor, agents: int, agent: int, worlds: Sequence[int]
) -> torch.Tensor:
    """The actions of the tick, changed in these worlds."""
    if isinstance(alteration, Act | Use):
        actions = actions.clone()
        actions[[world * agents + agent for world in worlds]] = alteration.number
    return actions
