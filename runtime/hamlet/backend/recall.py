"""The memory that lanes of an environment have between two ticks of a network."""

from __future__ import annotations

from dataclasses import dataclass

import torch

CHANGE = 8.0
"""How many times as large a network sees what has changed in an observation."""


@dataclass(frozen=True, slots=True, eq=False)
class Recall:
    """The memory of lanes.

    Attributes:
        hidden: [numbers, lanes] f32. before: [values, lanes] f32, the last observation. acted: [lanes] i32, the last
            action; -1 of a lane that has done nothing yet, and remembers nothing.
    """

    hidden: torch.Tensor
    before: torch.Tensor
    acted: torch.Tensor

    @classmethod
    def empty(cls, numbers: int, values: int, lanes: int, device: torch.device) -> Recall:
        """A memory of nothing."""
        return cls(
            torch.zeros((numbers, lanes), device=device),
            torch.zeros((values, lanes), device=device),
            torch.full((lanes,), -1, dtype=torch.int32, device=device),
        )

    def of_lanes(self, lanes: slice) -> Recall:
        """A copy of what some lanes remember."""
        return Recall(self.hidden[:, lanes].clone(), self.before[:, lanes].clone(), self.acted[lanes].clone())

    def fresh(self, age: torch.Tensor) -> torch.Tensor:
        """[lanes] bool: who remembers nothing; an episode begins at `age` 0."""
        return (self.acted < 0) | (age == 0)

    def sensed(self, observation: torch.Tensor, fresh: torch.Tensor, actions: int) -> torch.Tensor:
        """The inputs of the network, [inputs, lanes]: an observation, how it has changed, the last action."""
        changed = torch.where(fresh, 0.0, (observation - self.before) * CHANGE)
        number = torch.arange(actions, dtype=torch.int32, device=observation.device).unsqueeze(1)
        acted = torch.where(fresh, 0.0, (number == self.acted).float())
        return torch.cat([observation, changed, acted])

    def keep(self, hidden: torch.Tensor, observation: torch.Tensor, actions: torch.Tensor) -> None:
        """Remember a tick."""
        self.hidden.copy_(hidden)
        self.before.copy_(observation)
        self.acted.copy_(actions)
