"""TorchRL's interface, checked by its own check, and against the environment below."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("torchrl", reason="hamletc[torchrl] is not installed")

from tensordict import TensorDict
from torchrl.envs import ActionMask, EnvBase, TransformedEnv
from torchrl.envs.utils import check_env_specs, step_mdp

import hamlet
from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet_torchrl import TorchRLEnv


@pytest.fixture(params=["stall", "by_hand"])
def universe(request: pytest.FixtureRequest) -> Module:
    module: Module = request.getfixturevalue(request.param)
    return module


def test_its_own_check(universe: Module) -> None:
    check_env_specs(TorchRLEnv(3, universe, backend="interpreter"))


def test_rollouts_show_both_sides_of_an_end(universe: Module) -> None:
    env = TransformedEnv(TorchRLEnv(4, universe, backend="interpreter"), ActionMask())
    env.set_seed(5)
    run = env.rollout(40, break_when_any_done=False)
    actions, done = run["action"], run["next", "done"].squeeze(-1)
    assert bool(run["action_mask"].gather(-1, actions.unsqueeze(-1)).all())
    below = hamlet.make(universe, worlds=4, backend="interpreter", seed=5)
    assert int(done.sum()) > 4
    for tick in range(40):
        assert below.observation is not None
        assert torch.equal(run["observation"][:, tick], below.observation)
        observation, reward, terminated, truncated, info = below.step(actions[:, tick])
        over, last = terminated | truncated, info["final_observation"]
        assert observation is not None
        assert last is not None
        last = observation if below.universe.by_hand else last
        assert torch.equal(run["next", "observation"][:, tick], torch.where(over.unsqueeze(1), last, observation))
        assert torch.equal(run["next", "reward"][:, tick, 0], reward)
        assert torch.equal(run["next", "terminated"][:, tick, 0], terminated)
        assert torch.equal(run["next", "truncated"][:, tick, 0], truncated)
        assert torch.equal(run["next", "reports", "hunger"][:, tick, 0], below.reports["hunger"])
        if below.universe.by_hand and bool(over.any()):
            below.reset(worlds=over)


def test_what_begins_is_what_torchrl_would_begin(universe: Module) -> None:
    ours, theirs = (TorchRLEnv(5, universe, backend="interpreter", seed=2) for _ in range(2))
    now, expected, begun = ours.reset(), theirs.reset(), 0
    for _ in range(60):
        action = ours.rand_action(now.clone())["action"]
        for each in (now, expected):
            each.update({"action": action, "memory": torch.ones(5, 2), "inner": TensorDict({"x": torch.ones(5)}, [5])})
        stepped, also = ours.step(now), theirs.step(expected)
        assert bool((stepped == also).all())
        last = stepped["next"].clone()
        now, expected = ours.maybe_reset(step_mdp(stepped)), EnvBase.maybe_reset(theirs, step_mdp(also))
        assert bool((now == expected).all())
        assert bool((stepped["next"] == last).all()), "what was handed out is changed"
        begun += int(last["done"].sum())
        assert bool((now["memory"] == 1 - last["done"].float()).all())
    assert begun > 8


def test_partial_reset(stall: Module) -> None:
    env = TorchRLEnv(3, stall, backend="interpreter")
    first = env.reset(params={"haste": 2.0})
    assert env.env.params["haste"].tolist() == [2, 2, 2]
    first["_reset"] = torch.tensor([[False], [True], [False]])
    again = env.reset(first)
    assert env.env.state["episode"].tolist() == [0, 1, 0]
    assert torch.equal(again["observation"][::2], first["observation"][::2])


def test_what_is_wrong_changes_nothing(stall: Module) -> None:
    env = TorchRLEnv(3, stall, backend="interpreter")
    begun = env.reset()
    for actions in (torch.full((3,), 6), torch.zeros(3)):
        begun["action"] = actions
        with pytest.raises(EnvError):
            env.step(begun)
    with pytest.raises(EnvError):
        env.reset(param=1)
    assert env.env.tick == 0
