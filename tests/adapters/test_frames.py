"""What a step gave is not written again while somebody can see it; steps that write into memory of the caller's."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet_adapters.frames import SPARE, Frames, HostFrame
from hamlet_adapters.seeds import FirstSeed
from hamlet_adapters.worlds import Autoreset, Worlds

MEAL = hamlet.load(Path(__file__).parents[2] / "generated" / "first_meal")
NAMES = ("observation", "action_mask", "reward", "terminated", "truncated", "used", "cause", "reports")


def made(module: Module, worlds: int = 3, **given: Any) -> Env:
    return hamlet.make(module, worlds=worlds, backend="interpreter", quiet=True, **given)


HOLDS: dict[str, Callable[[HostFrame], Any]] = {
    "array": lambda frame: frame.array("reward"),
    "a row": lambda frame: frame.array("observation")[1],
    "bytes": lambda frame: memoryview(frame.array("used")),
    "other type": lambda frame: frame.array("action_mask").view(np.int8)[:, 1:],
    "tensor": lambda frame: frame.tensor("truncated"),
    "a view": lambda frame: frame.tensor("observation")[0].unsqueeze(1),
    "an array of a tensor": lambda frame: frame.tensor("cause").numpy(),
    "a tensor of an array": lambda frame: torch.from_numpy(frame.array("reports")),
}
"""What people keep of a step."""


@pytest.mark.parametrize("hold", HOLDS.values(), ids=HOLDS)
def test_memory_that_is_seen_is_not_handed_out(stall: Module, hold: Callable[[HostFrame], Any]) -> None:
    frames = Frames(made(stall))
    frame = frames.take()
    assert isinstance(frame, HostFrame)
    kept = hold(frame)
    assert frames.take() is not frame
    del kept
    gc.collect()
    assert frames.take() is frame


@pytest.mark.parametrize("obs_dtype", ["float32", "bfloat16", "uint8"])
def test_steps_leave_what_they_gave(stall: Module, obs_dtype: str) -> None:
    """More steps are kept than there are spare frames; then memory is used again."""
    worlds = Worlds(made(stall, obs_dtype=obs_dtype), Autoreset.SAME_STEP, FirstSeed({}))
    worlds.reset(seed=4)
    kept = []
    for _ in range(SPARE + 3):
        frame = worlds.step(torch.zeros(3, dtype=torch.int32)).frame
        tensors = [frame.tensor(name) for name in NAMES]
        kept.append((tensors, [each.clone() for each in tensors]))
    for now, then in kept:
        assert all(torch.equal(one, other) for one, other in zip(now, then, strict=True))
    assert len({each[0][2].data_ptr() for each in kept}) == SPARE + 3
    places = {tensors[2].data_ptr() for tensors, _ in kept}
    del kept, now, then, tensors, frame
    assert worlds.step(torch.zeros(3, dtype=torch.int32)).frame.tensor("reward").data_ptr() in places


@pytest.mark.parametrize("backend", ["interpreter", pytest.param("c", marks=pytest.mark.long)])
def test_outputs_are_what_steps_without_them_give(stall: Module, backend: str) -> None:
    """Every tensor, whatever is called between steps."""
    env, plain = (hamlet.make(stall, worlds=70, seed=3, backend=backend, quiet=True) for _ in range(2))
    outs = [env.outputs(), env.outputs(reward=torch.zeros(70)), env.outputs()]
    generator = torch.Generator().manual_seed(1)
    chosen = torch.arange(70) % 3 == 0
    between: list[Callable[[Env], object]] = [
        lambda env: env.reset(worlds=chosen),
        lambda env: env.observe(),
        lambda env: env.rollout(3, observe=True),
        lambda env: env.load_state_dict(env.state_dict()),
        lambda env: env.reset(),
        lambda env: env.params.__setitem__("haste", 1.5),
    ]
    ends = 0
    for tick in range(24):
        actions = torch.randint(env.num_actions, (70,), generator=generator)
        stepped = env.step(actions, out=outs[tick % 3])
        plain.step(actions)
        assert stepped[1] is outs[tick % 3].results[1]
        ends += int((stepped[2] | stepped[3]).sum())
        same(env, plain)
        for each in (env, plain):
            between[tick % len(between)](each)
        same(env, plain)
    assert ends > 70


def same(env: Env, plain: Env) -> None:
    """All that is shown is equal to the bit."""
    for name in ("observation", "action_mask"):
        assert torch.equal(getattr(env, name), getattr(plain, name)), name
    for name, values in plain.outcome.items():
        assert torch.equal(env.outcome[name], values), name
    assert torch.equal(env.reports["hunger"], plain.reports["hunger"])
    for name, shown in plain.info.items():
        assert torch.equal(env.info[name], shown), name  # type: ignore[arg-type]


def test_copies_go_on_from_outputs(stall: Module) -> None:
    env = made(stall)
    out = env.outputs()
    env.step(torch.zeros(3, dtype=torch.int32), out=out)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert torch.equal(other.observation, env.observation)
        assert all(torch.equal(other.outcome[name], values) for name, values in env.outcome.items())
    assert env.reports["hunger"].data_ptr() == out.buffers.outcome["reports"].data_ptr()
    env.close()
    with pytest.raises(EnvError, match="closed"):
        _ = env.reports


def test_final_observations_of_the_callers(stall: Module) -> None:
    env, plain = made(stall, seed=2), made(stall, seed=2)
    final = torch.zeros_like(env.info["final_observation"])  # type: ignore[arg-type]
    out = env.outputs(final_observation=final)
    for _ in range(30):
        actions = torch.zeros(3, dtype=torch.int32)
        over = torch.logical_or(*env.step(actions, out=out)[2:4])
        plain.step(actions)
        last = plain.info["final_observation"]
        assert last is not None
        assert torch.equal(final[over], last[over])
    assert bool(last.any())


def test_what_is_wrong_with_outputs_is_said(stall: Module) -> None:
    env, other = made(stall), made(stall)
    with pytest.raises(EnvError, match="another environment"):
        env.step(torch.zeros(3, dtype=torch.int32), out=other.outputs())
    with pytest.raises(EnvError, match="reward is a tensor like"):
        env.outputs(reward=torch.zeros(4))
    with pytest.raises(EnvError, match="observation is a tensor like"):
        env.outputs(observation=torch.zeros(3, len(env.observation_names)))
    with pytest.raises(EnvError, match="rewards"):
        env.outputs(rewards=torch.zeros(3))
    assert env.tick == 0


def test_one_lane_is_written_where_the_caller_says() -> None:
    """The strides of one lane may be any: kernels write the memory that there is, and no other."""
    env = hamlet.make(MEAL, backend="c", seed=2, quiet=True)
    plain = hamlet.make(MEAL, backend="interpreter", seed=2, quiet=True)
    values, actions = len(env.observation_names), env.num_actions
    for _ in range(2):
        memory, masks = torch.full((3, values), 7.0), torch.ones(3, actions, dtype=torch.bool)
        out = env.outputs(observation=memory[1:2], action_mask=masks[1:2])
        env.reset(out=out)
        plain.reset()
        for action in (0, 1, 4):
            assert torch.equal(memory[1:2], plain.observation)
            assert torch.equal(env.action_mask, plain.action_mask)
            env.step([action], out=out if action != 1 else memory[1:2])
            plain.step([action])
        assert torch.equal(memory[[0, 2]], torch.full((2, values), 7.0))
        assert bool(masks[[0, 2]].all())
