"""The networks that an environment takes as policies, and what their rollouts store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from hamlet import schema
from hamlet.arguments import word
from hamlet.backend.buffers import Buffers
from hamlet.backend.protocol import NetworkPolicy, Policy
from hamlet.backend.storage import NAMES, Storage, check_storage, storage_like
from hamlet.errors import EnvError, shown
from hamlet.policies.mlp import MLP, MOST_WEIGHT, beyond
from hamlet.universe import Universe


class NetworkCheck:
    """The check of networks, and of storage, for an environment of these buffers."""

    def __init__(self, universe: Universe, buffers: Buffers) -> None:
        self._universe = universe
        self._buffers = buffers
        reach = torch.tensor([max(-s.low, s.high) for s in _scales(universe)])
        self._reach = reach if bool((reach > MOST_WEIGHT).any()) else None

    def policy(self, network: MLP) -> NetworkPolicy:
        """The network as backends take it.

        Raises:
            EnvError: it reads or chooses something else than this environment has, or is on another device.
        """
        mask, seen, worlds = self._buffers.mask, self._buffers.observation, self._buffers.shape.worlds
        if seen is None or seen.dtype is not torch.float32:
            raise EnvError('an MLP reads observations in f32: make the environment with obs_dtype="float32"')
        if (network.inputs, network.actions) != (len(seen), len(mask)):
            expected = f"{len(seen)} values are observed, and there are {len(mask)} actions"
            raise EnvError(f"{network} has {network.inputs} inputs and {network.actions} logits, but {expected}")
        if network.device != mask.device:
            raise EnvError(f"the policy is on {network.device}, the environment is on {mask.device}")
        if network.of_agents is not None:
            agents = self._buffers.shape.agents
            if len(network.of_agents) != agents:
                raise EnvError(
                    f"of_agents are the members of {len(network.of_agents)} agents, and a world has {agents}"
                )
        elif worlds % (network.members or 1):
            raise EnvError(f"{network.members} members cannot share {worlds} worlds: each has as many")
        self._check_bounds(network)
        return network.prepared()

    def stored(self, ticks: int) -> dict[str, torch.Tensor]:
        """The storage of a rollout of `ticks` ticks: tensors without memory by name."""
        mask, seen = self._buffers.mask, self._buffers.observation
        return storage_like(ticks, 0 if seen is None else len(seen), len(mask), self._buffers.shape.lanes)

    def storage(self, store: Any, policy: Policy, ticks: int) -> Storage:
        """The tensors that a rollout of this policy is to fill.

        Raises:
            EnvError: the policy is no network, or the tensors do not fit.
        """
        if not isinstance(policy, NetworkPolicy):
            raise EnvError("store needs an MLP as the policy: others leave nothing to store")
        return check_storage(store, self.stored(ticks), self._buffers.mask.device, policy.value)

    def _check_bounds(self, network: MLP) -> None:
        if self._reach is None:
            return
        refused = beyond(network.weights[0], self._reach).nonzero()
        if len(refused):
            value = int(refused[0])
            scale, name = _scales(self._universe)[value], schema.observation_names(self._universe)[value]
            raise EnvError(
                f"{name} lies in {scale.low} .. {scale.high}: an MLP reads values of at most 2**20 in size, or has "
                "smaller weights for them, so that no product is beyond 2**40"
            )


def _scales(universe: Universe) -> list[schema.Scale]:
    """The scale of each value of an observation."""
    return [each.scale for each in schema.observation_segments(universe) for _ in range(each.count)]


def made_storage(like: dict[str, torch.Tensor], names: Sequence[str] | None, device: torch.device) -> Storage:
    """Tensors of zeros of these names, by default of all.

    Raises:
        EnvError: there is no such name, or the memory is not free.
    """
    if names is not None and not isinstance(names, (list, tuple)):
        raise EnvError(f"names are a list, as in {list(NAMES[:2])}, not {shown(names)}")
    chosen = NAMES if names is None else [word("part of a storage", name, NAMES) for name in names]
    try:
        return Storage(**{name: torch.zeros_like(like[name], device=device) for name in chosen})
    except (RuntimeError, MemoryError) as error:
        raise EnvError("there is not enough memory to store so many ticks: store fewer") from error
