"""Repeated rollouts of a network, with a recorder of calls in the place of CUDA graphs; tests/gpu has the real ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch

import hamlet
from hamlet.backend.buffers import Buffers
from hamlet.backend.protocol import NetworkPolicy, Stream
from hamlet.backend.storage import Storage
from hamlet.env.act import replays
from hamlet.env.act.replays import MOST, Replays, can_replay
from hamlet.env.environment import Env
from hamlet.package.module import Module
from samples import text

TICKS = 9


class Recorder:
    """A backend that records: as a CUDA graph does, it keeps the numbers of the recording."""

    def __init__(self, env: Env) -> None:
        self.recordings, self._env = 0, env

    def step_since(self, buffers: Buffers, actions: torch.Tensor, stream: Stream, elapsed: torch.Tensor) -> None:
        del buffers, actions, stream, elapsed
        raise AssertionError

    def rollout_since(
        self,
        buffers: Buffers,
        ticks: int,
        policy: NetworkPolicy,
        stream: Stream,
        observe_every_tick: bool,
        elapsed: torch.Tensor,
    ) -> None:
        now = Stream(stream.seed, (stream.tick + int(elapsed)) % (1 << 32))
        self._env._backend.rollout(buffers, ticks, policy, now, observe_every_tick, None)

    def record(self, work: Callable[[], None], _: Sequence[torch.Tensor]) -> Callable[[], None]:
        self.recordings += 1
        return work


def test_repeated_rollouts_are_those_of_other_ticks(
    compiled: Callable[[str], Module], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights change in place, steps lie between, and a store of another place is recorded anew."""
    module = compiled(text("luck"))
    graphed, plain = (hamlet.make(module, worlds=21, seed=5, backend="c", quiet=True) for _ in range(2))
    recorder, kept = Recorder(graphed), Replays()
    monkeypatch.setattr(replays, "record", recorder.record)
    assert graphed.observation is not None
    network = hamlet.MLP.random(graphed.observation.shape[1], graphed.num_actions, seed=1)
    stores = [env.storage(TICKS, ["actions", "rewards"]) for env in (graphed, plain, graphed)]

    def both(store: Storage, seed: int | None = None) -> bool:
        for env in (graphed, plain):
            if seed is not None:
                env.reset(seed=seed)
        policy = graphed._network_check.policy(network)
        policy = NetworkPolicy(policy.layers, policy.activation, policy.value, policy.sample, store)
        replayed = kept.replay(recorder, graphed._buffers, TICKS, policy, graphed._stream(), False)
        if replayed:
            graphed._advance(TICKS)
        else:
            graphed.rollout(TICKS, network, statistics=False, store=store)
        plain.rollout(TICKS, network, statistics=False, store=stores[1])
        assert graphed.digest() == plain.digest()
        assert all(torch.equal(each, stores[1].tensors[name]) for name, each in store.tensors.items())
        return replayed

    assert [both(stores[0]), both(stores[0])] == [False, True]
    network.weights[0].mul_(-1)
    for env in (graphed, plain):
        env.step(torch.zeros(env.num_lanes, dtype=torch.int32))
    assert both(stores[0])
    assert recorder.recordings == 1
    assert [both(stores[2]), both(stores[2]), both(stores[2], seed=7), both(stores[2])] == [False, True, False, True]
    assert recorder.recordings == 3


def test_what_no_graph_holds(compiled: Callable[[str], Module]) -> None:
    env = hamlet.make(compiled(text("luck")), worlds=2, backend="c", quiet=True)
    assert env.observation is not None
    policy = env._network_check.policy(hamlet.MLP.random(env.observation.shape[1], env.num_actions))
    assert can_replay(policy, MOST)
    assert not can_replay(policy, MOST + 1)
