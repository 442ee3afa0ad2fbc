"""Results of steps, in the shapes of HAMLET's environment: rewards and their parts, uses, streaks."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from hamlet import schema
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet_townlet.adapter.attributes import positions_of
from hamlet_townlet.adapter.description import Description


class Results:
    """Results of steps, for reading."""

    module: Module
    description: Description
    num_agents: int
    device: torch.device
    affordance_names: list[str]
    _env: Env
    _state: Mapping[str, Tensor]
    _stepped: bool
    _vocabulary: Tensor
    """By the number of an affordance in the universe, that in the vocabulary; the last entry is that of number -1."""

    @property
    def interaction_progress(self) -> Tensor:
        """int64 [N]: the ticks spent on what an agent is engaged in."""
        return self._or_zero("progress").to(torch.int64, copy=True)

    @property
    def last_interaction_affordance(self) -> Tensor:
        """int64 [N]: what an agent is engaged in, by its number in the vocabulary; -1 for nothing."""
        return self._named("engaged")

    @property
    def last_interaction_position(self) -> Tensor:
        """Like `positions`: where an agent last interacted."""
        return positions_of(self.module.universe, self._state, "used_at")

    @property
    def last_affordance(self) -> Tensor:
        """int64 [N]: what an agent used last, by its number in the vocabulary; -1 for nothing."""
        return self._named("last")

    @property
    def streaks(self) -> Tensor:
        """int64 [N, affordances of the vocabulary]: how often in a row."""
        result = torch.zeros((self.num_agents, len(self.affordance_names)), dtype=torch.int64, device=self.device)
        if "streaks" in self._state:
            result[:, self._vocabulary[:-1]] = self._state["streaks"].T.to(torch.int64)
        return result

    @property
    def unique_count(self) -> Tensor:
        """int64 [N]: how many affordances an agent has used."""
        if "seen" in self._state:
            return self._state["seen"].sum(dim=0)
        return torch.zeros(self.num_agents, dtype=torch.int64, device=self.device)

    @property
    def success(self) -> Tensor:
        """int64 [N]: what an agent used in the last step, by its number in the vocabulary; -1 for nothing."""
        return self._vocabulary[self._env.outcome["used"].long()]

    @property
    def rewards(self) -> Tensor:
        """f32 [N]: the reward of the last step."""
        return self._env.outcome["reward"].clone()

    @property
    def intrinsic_raw(self) -> Tensor:
        """f32 [N]: what the exploration module gave for the last step; 0 without one."""
        name = self.description.intrinsic
        return self._filled(0.0) if name is None else self._env.inputs[name].clone()

    @property
    def r_extrinsic(self) -> Tensor:
        """f32 [N]: the extrinsic part of the last reward."""
        return self._report("extrinsic", 0.0)

    @property
    def r_intrinsic(self) -> Tensor:
        """f32 [N]: the intrinsic part of the last reward."""
        return self._report("intrinsic", 0.0)

    @property
    def r_shaping(self) -> Tensor:
        """f32 [N]: the shaping part of the last reward."""
        return self._report("shaping", 0.0)

    @property
    def intrinsic_weights(self) -> Tensor:
        """f32 [N]: what modifiers made of the intrinsic reward in the last step; 1 after a reset."""
        return self._report("intrinsic_weights", 1.0) if self._stepped else self._filled(1.0)

    def _named(self, field: str) -> Tensor:
        """The affordances in a field of the state by their numbers in the vocabulary, int64 [N]."""
        if field in self._state:
            return self._vocabulary[self._state[field].long()]
        return torch.full((self.num_agents,), schema.NOWHERE, device=self.device)

    def _or_zero(self, field: str) -> Tensor:
        return self._state.get(field, torch.zeros(self.num_agents, dtype=torch.int32, device=self.device))

    def _report(self, name: str, absent: float) -> Tensor:
        return self._env.reports[name].clone() if name in self._env.reports else self._filled(absent)

    def _filled(self, value: float) -> Tensor:
        return torch.full((self.num_agents,), value, dtype=torch.float32, device=self.device)
