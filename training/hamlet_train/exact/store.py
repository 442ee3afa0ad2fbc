"""Samples between two updates, by lane and tick."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hamlet_train.exact.network import Array, Network, padded


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

    @classmethod
    def empty(cls, network: Network, lanes: int, ticks: int) -> Store:
        """A store of zeros."""
        shape = lanes, ticks
        return cls(
            inputs=np.zeros((*shape, padded(network.inputs)), np.float32),
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
        )

    @property
    def ticks(self) -> int:
        return int(self.rewards.shape[1])
