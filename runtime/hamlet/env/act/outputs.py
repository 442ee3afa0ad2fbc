"""Outputs that a step writes beside the state: in memory of the environment's own, or of the caller's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import torch

from hamlet import schema
from hamlet.arguments import named
from hamlet.backend.buffers import Buffers
from hamlet.env.act.results import Info, Stepped
from hamlet.errors import EnvError, shown
from hamlet.universe import Universe


@dataclass(frozen=True, slots=True, eq=False)
class Outputs:
    """Memory for what a step gives. `Env.outputs` makes it, and `Env.step(actions, out=outputs)` writes it.

    Attributes:
        buffers: the environment's, with these tensors in the place of its own.
        results: what the step that wrote them gives.
        reports: the reports by name, views [lanes] f32.
    """

    buffers: Buffers
    results: Stepped
    reports: Mapping[str, torch.Tensor]

    @classmethod
    def of(cls, universe: Universe, buffers: Buffers) -> Outputs:
        """The outputs of buffers."""
        outcome = buffers.outcome
        info: Info = MappingProxyType(
            {
                "used": outcome["used"],
                "cause": outcome["cause"],
                "final_observation": transposed(buffers.final_observation),
                "action_mask": buffers.mask.T,
            }
        )
        ends = outcome["reward"], outcome["terminated"], outcome["truncated"]
        names = schema.report_names(universe)
        reports = MappingProxyType({name: outcome["reports"][row] for row, name in enumerate(names)})
        return cls(buffers, (transposed(buffers.observation), *ends, info), reports)

    def with_observation(self, observation: torch.Tensor) -> Outputs:
        """The same ones, but observations [lanes, values] of the caller's.

        Raises:
            EnvError: they are not like those that are there.
        """
        buffers, own = self.buffers, self.results[0]
        if own is None:
            raise EnvError("this environment was made with obs_dtype=None: it has no observations to write")
        if not _like(observation, own):
            raise EnvError(f"out is a tensor like torch.empty_like(env.observation), not {shown(observation)}")
        others = buffers.state, buffers.outcome, _rows(observation.T), buffers.final_observation, buffers.mask
        return Outputs(Buffers(buffers.shape, *others), (observation, *self.results[1:]), self.reports)

    def others(self, universe: Universe, tensors: Mapping[str, Any]) -> Outputs:
        """Other ones, in tensors by the names of `tensors`, and in new ones where none is given; final observations are
        those that are there, unless others are given.

        Raises:
            EnvError: there is no such name, or a tensor is not like the one that is there.
        """
        own = self.tensors()
        final = transposed(self.buffers.final_observation)
        outputs = own if final is None else own | {"final_observation": final}
        for name, tensor in tensors.items():
            named("output", name, list(outputs))
            if not _like(tensor, outputs[name]):
                raise EnvError(f"{name} is a tensor like the one of env.outputs(), not {shown(tensor)}")
        made = {name: tensors[name] if name in tensors else torch.zeros_like(each) for name, each in own.items()}
        buffers = self.buffers
        outcome = {name: _rows(made[name]) for name in buffers.outcome}
        observation = _rows(made["observation"].T) if "observation" in made else None
        last = tensors["final_observation"].T if "final_observation" in tensors else buffers.final_observation
        written = Buffers(buffers.shape, buffers.state, outcome, observation, last, _rows(made["action_mask"].T))
        return Outputs.of(universe, written)

    def tensors(self) -> dict[str, torch.Tensor]:
        """The tensors that a step writes, by name: `observation` [lanes, values] where something is observed,
        `action_mask` [lanes, actions] bool, `reward`, `terminated`, `truncated`, `used`, `cause` [lanes], `reports`
        [reports, lanes] f32 where there are any."""
        observation = self.results[0]
        seen = {} if observation is None else {"observation": observation}
        return {**seen, "action_mask": self.buffers.mask.T, **self.buffers.outcome}

    def copy_(self, other: Outputs) -> Outputs:
        """Write what others have into these."""
        if other is not self:
            mine, theirs = self.tensors(), other.tensors()
            for name, tensor in mine.items():
                if tensor is not theirs[name]:
                    tensor.copy_(theirs[name])
        return self

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {list(each.shape)}" for name, each in self.tensors().items())
        return f"Outputs({sizes})"


def transposed(array: torch.Tensor | None) -> torch.Tensor | None:
    """An array of buffers as it is shown: a row per lane."""
    return None if array is None else array.T


def _rows(tensor: torch.Tensor) -> torch.Tensor:
    """A dense tensor as buffers have it: [rows, lanes]. Of one lane the strides may be any; buffers have those of many,
    since others say that worlds lie one behind the other."""
    if tensor.dim() == 2 and tensor.is_contiguous() and tensor.stride() != (tensor.shape[1], 1):
        return tensor.as_strided(tensor.shape, (tensor.shape[1], 1))
    return tensor


def _like(tensor: Any, own: torch.Tensor) -> bool:
    """Whether kernels can write the one in the place of the other."""
    dense = isinstance(tensor, torch.Tensor) and tensor.layout is torch.strided and tensor.device == own.device
    if not dense or tensor.dtype is not own.dtype or tensor.shape != own.shape:
        return False
    rows: torch.Tensor = tensor if own.is_contiguous() else tensor.T
    return bool(rows.is_contiguous())
