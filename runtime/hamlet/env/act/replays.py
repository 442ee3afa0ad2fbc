"""Rollouts of a network that fill the same memory again and again, as those of a trainer do, as a CUDA graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import torch

from hamlet.backend.buffers import Buffers
from hamlet.backend.protocol import NetworkPolicy, Recordable, Stream
from hamlet.env.act.graph import Work, changed, record, signed

Key: TypeAlias = tuple[object, ...]

MOST = 256
"""Ticks of a graph: recording each takes a millisecond, and some twenty launches of memory."""


@dataclass(slots=True)
class Replays:
    """The rollout that a graph repeats, if there is one: the second of two that are alike is recorded.

    Attributes:
        key: of the last rollout.
        first: the tick of the recording.
        elapsed: [1] i32, on the device: the ticks since then.
        policy: the network of the recording, whose memory the graph reads and fills.
        work: the replay; `None` before there is a recording.
    """

    key: Key = ()
    first: int = 0
    elapsed: torch.Tensor | None = field(default=None, repr=False)
    policy: NetworkPolicy | None = field(default=None, repr=False)
    work: Work | None = field(default=None, repr=False)

    def replay(
        self,
        backend: Recordable,
        buffers: Buffers,
        ticks: int,
        policy: NetworkPolicy,
        stream: Stream,
        observe_every_tick: bool,
    ) -> bool:
        """Run the rollout by its graph; `False` where it runs for the first time, and nothing was done."""
        key = (backend, *_key(buffers, ticks, policy, stream, observe_every_tick))
        if key != self.key:
            self.key, self.work, self.policy = key, None, None
            return False
        if self.work is None or self.elapsed is None:
            self.first, self.policy = stream.tick, policy
            self.elapsed = since = torch.zeros(1, dtype=torch.int32, device=buffers.mask.device)

            def work() -> None:
                backend.rollout_since(buffers, ticks, policy, stream, observe_every_tick, since)

            self.work = record(work, changed(buffers))
        self.elapsed.fill_(signed(stream.tick - self.first))
        self.work()
        return True


def can_replay(policy: NetworkPolicy, ticks: int) -> bool:
    """Whether a graph can hold so many ticks of this network: nothing in them is copied from the host."""
    return ticks <= MOST and policy.gates is None and not policy.of_agents


def _key(buffers: Buffers, ticks: int, policy: NetworkPolicy, stream: Stream, observe_every_tick: bool) -> Key:
    """Rollouts with equal keys launch the same kernels on the same memory, at other ticks."""
    layers = [tensor for layer in policy.layers for tensor in layer]
    tensors = [*layers, *policy.store.tensors.values(), *buffers.tensors]
    of_policy = policy.activation, policy.value, policy.sample, policy.controls, *policy.store.tensors
    places = ((tensor.data_ptr(), tensor.shape, tensor.stride()) for tensor in tensors)
    return (ticks, stream.seed, observe_every_tick, buffers.shape, *of_policy, *places)
