"""Storage of a rollout of a network, for every tick, in tensors of the caller's: the samples that PPO learns from."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import torch

from hamlet.errors import EnvError, shown


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Storage:
    """Tensors that `Env.rollout(ticks, policy, store=...)` fills; what is `None` is not stored. `Env.storage` makes
    them. Row t of each is of tick t of the rollout.

    Attributes:
        observations: [ticks, values, lanes] f32, what the policy saw: `observations[t].T` is like `env.observation`.
        masks: [ticks, actions, lanes] bool, what it was allowed.
        alive: [ticks, lanes] bool: whether the agent was alive, so that its action had an effect.
        actions: [ticks, lanes] i32, what it chose.
        log_probs: [ticks, lanes] f32, the logarithm of the probability of that action.
        values: [ticks + 1, lanes] f32, the value of what it saw; the last row is that of the observation after the
            last tick, from which returns go on.
        rewards: [ticks, lanes] f32.
        terminated, truncated: [ticks, lanes] bool: how the agent's episode ended in the tick, if it did.
        final_values: [ticks, lanes] f32: where `truncated` the value of the last observation of that episode, from
            which its return goes on; 0 elsewhere. `values[t + 1]` is of the new episode there.
    """

    observations: torch.Tensor | None = None
    masks: torch.Tensor | None = None
    alive: torch.Tensor | None = None
    actions: torch.Tensor | None = None
    log_probs: torch.Tensor | None = None
    values: torch.Tensor | None = None
    rewards: torch.Tensor | None = None
    terminated: torch.Tensor | None = None
    truncated: torch.Tensor | None = None
    final_values: torch.Tensor | None = None

    @property
    def tensors(self) -> dict[str, torch.Tensor]:
        """The tensors that there are, by name."""
        members = ((name, getattr(self, name)) for name in NAMES)
        return {name: tensor for name, tensor in members if tensor is not None}

    def part(self, first: int, ticks: int) -> Storage:
        """The rows of so many ticks, from tick `first` on."""
        return Storage(**{name: t[first : first + ticks + (name == "values")] for name, t in self.tensors.items()})

    def __repr__(self) -> str:
        return f"Storage({', '.join(f'{name} {list(tensor.shape)}' for name, tensor in self.tensors.items())})"


NAMES = tuple(field.name for field in fields(Storage))
OF_VALUES = ("values", "final_values")
"""Names of tensors that only a network with a value fills."""


def storage_like(ticks: int, values: int, actions: int, lanes: int) -> dict[str, torch.Tensor]:
    """Tensors without memory of the shapes and types that a rollout of so many ticks stores."""
    many, flags = torch.float32, torch.bool
    shapes: dict[str, tuple[tuple[int, ...], torch.dtype]] = {
        "observations": ((ticks, values, lanes), many),
        "masks": ((ticks, actions, lanes), flags),
        "alive": ((ticks, lanes), flags),
        "actions": ((ticks, lanes), torch.int32),
        "log_probs": ((ticks, lanes), many),
        "values": ((ticks + 1, lanes), many),
        "rewards": ((ticks, lanes), many),
        "terminated": ((ticks, lanes), flags),
        "truncated": ((ticks, lanes), flags),
        "final_values": ((ticks, lanes), many),
    }
    return {name: torch.empty(shape, dtype=dtype, device="meta") for name, (shape, dtype) in shapes.items()}


def check_storage(store: Any, like: dict[str, torch.Tensor], device: torch.device, value: bool) -> Storage:
    """The storage, if its tensors fit.

    Raises:
        EnvError: it is none, or a tensor has another shape, type or device, or does not lie side by side; or values
            are stored of a network without them.
    """
    if not isinstance(store, Storage):
        raise EnvError(f"store is a hamlet.Storage, as env.storage(ticks) makes it, not {shown(store)}")
    for name, expected in like.items():
        tensor = getattr(store, name)
        if tensor is None:
            continue
        plain = isinstance(tensor, torch.Tensor) and tensor.layout is torch.strided and not tensor.requires_grad
        if not plain or tensor.dtype is not expected.dtype or tensor.shape != expected.shape or tensor.device != device:
            what = f"{list(expected.shape)} of {expected.dtype} on {device}"
            got = f"{list(tensor.shape)} of {tensor.dtype} on {tensor.device}" if plain else shown(tensor)
            raise EnvError(f"store.{name} is a tensor {what}, not {got}")
        if not tensor.is_contiguous():
            raise EnvError(f"store.{name} does not lie in memory side by side: make it with torch.empty")
        if name in OF_VALUES and not value:
            raise EnvError(f"store.{name} needs a policy with a value: leave it out, or give the heads a row more")
    return store
