"""A scripted player: walks to every affordance by the shortest path, uses it to its end, tries custom actions."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet import schema
from hamlet.interpreter.places import Places, coordinates
from hamlet.state import Buffers
from hamlet.universe import Universe

PATIENCE = 3
"""Ticks at an affordance beyond its duration, so that it is also begun anew."""


class Script:
    """Actions for every lane from where it is; each begins with another affordance. Deterministic."""

    def __init__(self, universe: Universe, lanes: int) -> None:
        self._universe = universe
        self._places = Places(universe, torch.device("cpu"))
        self._target = torch.arange(lanes) % max(len(universe.affordances), 1)
        self._stayed = torch.zeros(lanes, dtype=torch.int64)
        stays = [(item.duration or 1) + PATIENCE for item in universe.affordances]
        self._stay = torch.tensor(stays or [1])
        self._custom = torch.arange(lanes)

    @property
    def length(self) -> int:
        """The ticks in which a lane gets to the affordance farthest away, uses it, and tries an action or two."""
        return sum(self._universe.space.sizes) + int(self._stay.max()) + 2

    def actions(self, buffers: Buffers) -> Tensor:
        """The next action of each lane, i32 [lanes]."""
        universe, shape = self._universe, buffers.shape
        there = [torch.zeros(shape.lanes, dtype=torch.int64) for _ in universe.space.sizes]
        for number, place in enumerate(self._places.of(buffers.state["layout"]).values()):
            cell = place.expand(shape.worlds, shape.agents).reshape(-1)
            for axis, x in enumerate(coordinates(cell, universe.space.sizes)):
                there[axis] = torch.where(self._target == number, x, there[axis])
        interact = schema.interact_action(universe)
        actions = torch.full((shape.lanes,), interact)
        for axis, size in reversed(list(enumerate(universe.space.sizes))):
            away = there[axis] - buffers.state["position"][axis]
            if universe.space.edges == "wrap":
                away = (away + size // 2) % size - size // 2
            towards = torch.where(away < 0, self._move(axis, -1), self._move(axis, 1))
            actions = torch.where(away != 0, towards, actions)
        done = self._stayed >= self._stay[self._target]
        if universe.actions:
            actions = torch.where(done, interact + 2 + self._custom % len(universe.actions), actions)
        self._stayed = torch.where(done, 0, self._stayed + (actions == interact))
        self._target = torch.where(done, (self._target + 1) % len(self._stay), self._target)
        self._custom = self._custom + done
        return actions.to(torch.int32)

    def _move(self, axis: int, delta: int) -> int:
        """The number of the move along an axis."""
        wanted = tuple(delta if index == axis else 0 for index in range(len(self._universe.space.sizes)))
        return schema.move_deltas(self._universe).index(wanted)
