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

    def after(self, hidden: torch.Tensor, observation: torch.Tensor, actions: torch.Tensor) -> Recall:
        """A memory of its own of what is remembered after a tick."""
        # Kernels read rows of lanes.
        hidden, observation = (each.clone(memory_format=torch.contiguous_format) for each in (hidden, observation))
        return Recall(hidden, observation, actions.to(torch.int32, copy=True))

    def keep(self, hidden: torch.Tensor, observation: torch.Tensor, actions: torch.Tensor) -> None:
        """Remember a tick."""
        self.hidden.copy_(hidden)
        self.before.copy_(observation)
        self.acted.copy_(actions)


@dataclass(frozen=True, slots=True, eq=False)
class _Moment:
    """The memory for a network, which its first weights name, at a tick; `earlier` is that of the tick before."""

    weights: torch.Tensor
    tick: int
    recall: Recall
    earlier: Recall | None


class Memories:
    """The memories of an environment's lanes, of each network that acted last."""

    def __init__(self) -> None:
        self._moments: list[_Moment] = []

    def at(self, weights: torch.Tensor, tick: int) -> Recall | None:
        """The memory for a network at a tick; `None` unless it acted in the tick before."""
        for each in self._moments:
            if each.weights is weights:
                return each.recall if each.tick == tick else each.earlier if each.tick == tick + 1 else None
        return None

    def keep(self, weights: torch.Tensor, tick: int, recall: Recall, earlier: Recall | None = None) -> None:
        """Keep the memory for a network at a tick. Networks that did not act in the tick before have none any more."""
        others = [each for each in self._moments if each.weights is not weights and tick - each.tick in (0, 1)]
        self._moments = [*others, _Moment(weights, tick, recall, earlier)]

    def of_lanes(self, lanes: slice, count: int) -> Memories:
        """A copy for some lanes; of networks that act for fewer than all lanes, of which there are `count`, there is
        nothing."""
        result = Memories()
        whole = [each for each in self._moments if len(each.recall.acted) == count]
        result._moments = [_Moment(each.weights, each.tick, each.recall.of_lanes(lanes), None) for each in whole]
        return result
