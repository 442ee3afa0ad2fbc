"""States of pairs, with numpy: what a schedule loads of them, what functions read, and what they write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from hamlet.universe import Universe
from hamletc.ir.evaluate import Array
from hamletc.ir.function import OF_PAIRS, PAIRS_AT


@dataclass(slots=True)
class PairStates:
    """The states of pairs of worlds of so many agents.

    Attributes:
        names: `pairs.<state>`, in file order; none where agents have nothing of each other.
        arrays: by name, [worlds, agents * agents], by the other agent first.
    """

    names: tuple[str, ...]
    agents: int
    arrays: dict[str, Array] = field(default_factory=dict)

    @classmethod
    def of(cls, universe: Universe, agents: int) -> PairStates:
        """Those of a universe."""
        meters = () if universe.pairs is None else universe.pairs.meters
        return cls(tuple(f"{OF_PAIRS}{meter.name}" for meter in meters), agents)

    def load(self, array: Array) -> None:
        """Copy them from the array of the field, [rows, worlds]."""
        states = array.reshape(len(self.names), -1, array.shape[-1])
        self.arrays = {name: state.T.copy() for name, state in zip(self.names, states, strict=True)}

    def store(self, array: Array, worlds: Array) -> None:
        """Copy those of some worlds back, bool [worlds]."""
        for name, state in zip(self.names, array.reshape(len(self.names), -1, array.shape[-1]), strict=True):
            state[:, worlds] = self.arrays[name][worlds].T

    def read(self, lanes: int) -> Mapping[str, Array]:
        """Inputs of functions of lanes: arrays, and where the world of each lane begins in them."""
        if not self.names:
            return {}
        begin = (np.arange(lanes) // self.agents * self.agents**2).astype(np.int32)
        return {**self.arrays, PAIRS_AT: begin}

    def keep(self, given: Mapping[str, Array], where: Array) -> None:
        """Write those of these values that are of pairs, [lanes * agents], one asking lane after the other, where that
        holds."""
        for name in self.names:
            if name in given:
                values = np.broadcast_to(given[name], where.shape)
                new, there = (each.reshape(-1, self.agents, self.agents).transpose(0, 2, 1) for each in (values, where))
                kept = np.where(there, new, self.arrays[name].reshape(new.shape))
                self.arrays[name] = kept.reshape(len(new), -1)
