"""`Graphed`, with a recorder of calls in the place of CUDA graphs; tests/gpu has the real ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.backend.protocol import Stream
from hamlet.env.act.graph import Graphed
from hamlet.env.environment import Env
from hamlet.package.module import Module
from processes import Run


class Recorder:
    """As a CUDA graph does, it keeps the numbers that a launch was given when it was recorded."""

    def __init__(self, env: Env) -> None:
        self.recordings = 0
        self._env = env
        self._stream = Stream(0, 0)

    def graphed(self) -> Graphed:
        return Graphed(self._env, self._env._buffers, self._launch, self._env._stepping.finish, self._record)

    def _launch(self, actions: torch.Tensor, elapsed: torch.Tensor) -> None:
        now = Stream(self._stream.seed, (self._stream.tick + int(elapsed)) % (1 << 32))
        self._env._backend.step(self._env._buffers, actions, now)

    def _record(self, work: Callable[[], None], tensors: Sequence[torch.Tensor]) -> Callable[[], None]:
        self.recordings += 1
        self._stream = Stream(self._env.seed, self._env.tick)
        kept = [tensor.clone() for tensor in tensors]
        work()
        for tensor, before in zip(tensors, kept, strict=True):
            tensor.copy_(before)
        return work


def same(left: Env, right: Env) -> None:
    assert (left.seed, left.tick) == (right.seed, right.tick)
    for name, values in left.state.items():
        assert torch.equal(values, right.state[name]), name
    for name, values in left.outcome.items():
        assert torch.equal(values, right.outcome[name]), name
    assert left.observation is not None
    assert right.observation is not None
    assert torch.equal(left.observation, right.observation)


def test_graphed_steps_are_steps(luck: Module) -> None:
    """Among rollouts, resets and re-seeding, with a tick that wraps; recorded once for every seed."""
    graphing, stepping = (hamlet.make(luck, worlds=17, backend="interpreter", seed=5) for _ in range(2))
    for env in (graphing, stepping):
        env.load_state_dict(env.state_dict() | {"tick": (1 << 32) - 3})
    recorder = Recorder(graphing)
    graphed = recorder.graphed()
    same(graphing, stepping)
    generator = torch.Generator().manual_seed(3)
    endings = 0
    for turn in range(60):
        actions = torch.randint(graphing.num_actions, (17,), generator=generator, dtype=torch.int32)
        result, expected = graphed.step(actions), stepping.step(actions)
        assert all(torch.equal(a, b) for a, b in zip(result[1:4], expected[1:4], strict=True))
        endings += int((expected[2] | expected[3]).sum())
        same(graphing, stepping)
        for env in (graphing, stepping):
            if turn % 13 == 4:
                env.rollout(3)
            if turn == 30:
                env.reset()
            if turn == 40:
                env.reset(seed=6)
    assert endings > 20
    assert recorder.recordings == 2
    graphed.actions.fill_(4)
    graphed.step()
    stepping.step(torch.full((17,), 4))
    same(graphing, stepping)


def test_an_environment_with_graphs_replays_them(luck: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    """But not while somebody else records: a graph cannot be replayed then."""
    graphing, stepping = (hamlet.make(luck, worlds=17, backend="interpreter", seed=5) for _ in range(2))
    recorder, capturing = Recorder(graphing), False
    monkeypatch.setattr(graphing._stepping, "_graphed", recorder.graphed)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: capturing)
    assert stepping.launch == "step"
    for turn in range(6):
        capturing = turn == 3
        earlier = graphing._now.graphed
        replayed = None if earlier is None else earlier._elapsed.clone()
        for env in (graphing, stepping):
            env.step(torch.full((17,), turn))
        same(graphing, stepping)
        assert graphing._now.graphed is not None
        assert (replayed is not None and torch.equal(replayed, graphing._now.graphed._elapsed)) == capturing
    assert recorder.recordings == 1
    with pytest.raises(EnvError, match="action 9 does not exist"):
        graphing.step(torch.full((17,), 9))


def test_ticks_matter(luck: Module) -> None:
    """Or the test above would not see one that stands still."""
    early, late = (hamlet.make(luck, worlds=17, backend="interpreter", seed=5) for _ in range(2))
    late.load_state_dict(late.state_dict() | {"tick": 1})
    for env in (early, late):
        env.step(torch.full((17,), 5))
    assert not torch.equal(early.state["meters"], late.state["meters"])


def test_wrong_actions(luck: Module) -> None:
    env = hamlet.make(luck, worlds=3, backend="interpreter")
    graphed = Recorder(env).graphed()
    with pytest.raises(EnvError, match=r"shape \[3\] or \[3, 1\], not \[4\]"):
        graphed.step(torch.zeros(4, dtype=torch.int32))
    graphed.actions.fill_(6)
    with pytest.raises(EnvError, match="action 6 does not exist"):
        graphed.step()
    assert env.tick == 0


def test_a_graph_needs_a_gpu(luck: Module) -> None:
    with pytest.raises(EnvError, match='needs backend "triton" on a CUDA device: this is interpreter on cpu'):
        hamlet.make(luck, worlds=3, device="cpu", backend="interpreter").graphed()


def test_kernels_count_elapsed_ticks(luck: Module, run_program: Run) -> None:
    """A step 5 ticks after tick 2**32 - 2 is the one of tick 3."""
    program = """
import sys, torch, hamlet
from hamlet.backend.protocol import Stream
module = hamlet.load(sys.argv[1])
left, right = (hamlet.make(module, worlds=17, device="cpu", backend="triton", seed=5) for _ in range(2))
actions = torch.full((17,), 5, dtype=torch.int32)
left._backend.step(left._buffers, actions, Stream(5, 3))
right._backend.step_since(right._buffers, actions, Stream(5, 2**32 - 2), torch.tensor([5], dtype=torch.int32))
assert torch.equal(left.state["meters"], right.state["meters"])
right.reset(seed=5)
right._backend.step(right._buffers, actions, Stream(5, 2**32 - 2))
assert not torch.equal(left.state["meters"], right.state["meters"])
"""
    done = run_program(program, luck.path, TRITON_INTERPRET="1")
    assert done.returncode == 0, done.stderr
