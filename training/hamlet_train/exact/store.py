"""Samples between two updates, by lane and tick."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np

from hamlet_train.exact.compiled import at
from hamlet_train.exact.network import Array, Network, padded


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of the lanes of a network between two ticks.

    Attributes:
        hidden: [lanes, memory] f32. before: [lanes, values] f32, the last observation. acted: [lanes] i32, the last
            action; -1 of a lane that has done nothing yet, and remembers nothing.
        first: [lanes, memory] f32, `hidden` before the first tick of the store.
        begins: [lanes, ticks] u8, whether nothing was remembered in a tick, the first one of an episode.
        nothing: [memory] f32, zeros.
    """

    hidden: Array
    before: Array
    acted: Array
    first: Array
    begins: Array
    nothing: Array

    @classmethod
    def empty(cls, network: Network, lanes: int, ticks: int) -> Memory:
        """A memory of nothing."""
        return cls(
            hidden=np.zeros((lanes, network.memory), np.float32),
            before=np.zeros((lanes, network.inputs), np.float32),
            acted=np.full(lanes, -1, np.int32),
            first=np.zeros((lanes, network.memory), np.float32),
            begins=np.zeros((lanes, ticks), np.uint8),
            nothing=np.zeros(network.memory, np.float32),
        )

    def hand_over(self, other: Memory, lanes: Array) -> None:
        """Have the lanes of another memory, one by one, remember what these lanes do."""
        for name in ("hidden", "before", "acted"):
            getattr(other, name)[:] = getattr(self, name)[lanes]

    def table(self, age: Array | None) -> Array:
        """[9] i64, as memory.h has it: sizes, and where arrays lie; `age` [all lanes] i32 are those of agents in their
        episodes, `None` where nothing is chosen."""
        arrays = self.hidden, self.before, self.acted, self.first, self.begins
        lying = [ctypes.addressof(at(each)) for each in arrays]
        ages = 0 if age is None else ctypes.addressof(at(age))
        sizes = self.hidden.shape[1], self.before.shape[1]
        return np.array([*sizes, *lying, ages, ctypes.addressof(at(self.nothing))], np.int64)


@dataclass(frozen=True, slots=True)
class Store:
    """Arrays [lanes, ticks], of one process.

    Attributes:
        inputs: [lanes, ticks, values padded] f32. masks: [lanes, ticks, actions] u8.
        valid: u8, whether the agent was alive. ends: u8, whether its episode ended in this tick.
        actions: i32. raw: [lanes, ticks, controls] f32, see controls.h.
        chances: f32, the logarithm of the probability of the action, plus those of the densities of controls.
        values: [lanes, ticks + 1] f32. beyond: f32, the value of what would have come after an end by the lifespan.
        rewards, advantages: f32.
        memory: of a network that has one.
    """

    inputs: Array
    masks: Array
    valid: Array
    ends: Array
    actions: Array
    raw: Array
    chances: Array
    values: Array
    beyond: Array
    rewards: Array
    advantages: Array
    memory: Memory | None = None

    @classmethod
    def empty(cls, network: Network, lanes: int, ticks: int) -> Store:
        """A store of zeros."""
        shape = lanes, ticks
        return cls(
            inputs=np.zeros((*shape, padded(network.reads)), np.float32),
            masks=np.zeros((*shape, network.actions), np.uint8),
            valid=np.zeros(shape, np.uint8),
            ends=np.zeros(shape, np.uint8),
            actions=np.zeros(shape, np.int32),
            raw=np.zeros((*shape, network.controls), np.float32),
            chances=np.zeros(shape, np.float32),
            values=np.zeros((lanes, ticks + 1), np.float32),
            beyond=np.zeros(shape, np.float32),
            rewards=np.zeros(shape, np.float32),
            advantages=np.zeros(shape, np.float32),
            memory=Memory.empty(network, lanes, ticks) if network.memory else None,
        )

    @property
    def ticks(self) -> int:
        return int(self.rewards.shape[1])
