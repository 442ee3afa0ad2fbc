"""Policies of roles as one value: what they choose is what the trainer's own kernels choose, to the bit."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from small import SMALL, trained

import hamlet
from hamlet import EnvError
from hamlet.env.environment import Env
from hamlet.env.replay import first_other
from hamlet.package.module import Module, load
from hamlet.policies.roles import LearntByRole
from hamlet_train.evaluate import chooser, environment
from hamlet_train.policy import Policy, read_all
from hamlet_train.run import Run
from saved_policies import saved

TAG = Path("universes/gallery/tag.hamlet").resolve()


@pytest.fixture(scope="module")
def tag(tmp_path_factory: pytest.TempPathFactory) -> Run:
    manifest = replace(SMALL, universe="tag", source=str(TAG), worlds=40, agents=4, ticks=40 * 4 * 20 * 2, shared=False)
    return trained(tmp_path_factory.mktemp("tag") / "run", manifest)


@pytest.fixture
def module(tag: Run) -> Module:
    return load(tag.package)


def equal(first: Env, second: Env) -> bool:
    return all(torch.equal(values, second.state[name]) for name, values in first.state.items())


def networks(path: Path, module: Module) -> Mapping[str | None, Policy]:
    return {role: each for role, each in read_all(path, module).items() if isinstance(each, Policy)}


@pytest.mark.parametrize(
    ("name", "greedy"),
    [("", False), ("", True), ("policy-it.safetensors", False), ("checkpoints/00000002.safetensors", True)],
)
def test_a_run_acts_as_its_trainer_does(tag: Run, module: Module, name: str, greedy: bool) -> None:
    """With all roles, with one of them while the others act at random, and by a checkpoint."""
    policy = hamlet.policy(tag.folder / name, greedy)
    assert isinstance(policy, LearntByRole)
    assert list(policy.by_role) == (["it"] if "-it" in name else ["it", "runner"])
    first, second = (environment(module, 30, 4, 5) for _ in range(2))
    choose = chooser(first, networks(tag.folder / name, module), 1, greedy)
    for _ in range(30):
        first.step(*choose())
    rolled = second.rollout(30, policy, per_lane=1)
    assert equal(first, second)
    assert rolled.lanes is not None
    third = hamlet.make(module, worlds=30, agents=4, seed=5, backend="interpreter", quiet=True)
    for _ in range(30):
        third.step(*policy.act(third))
    assert equal(first, third)


def test_an_episode_of_roles_is_recorded(tag: Run, module: Module) -> None:
    policy = hamlet.policy(tag.folder)
    env = environment(module, 3, 4, 2)
    episode = env.record(1, policy=policy)
    assert hamlet.replay(episode, module, "interpreter").ok
    assert first_other(episode, module, lambda _: policy) is None
    assert first_other(env.record(1), module, lambda _: policy) is not None


def test_opponents_of_a_run_play_in_it(tag: Run, tmp_path: Path) -> None:
    shutil.copytree(tag.folder, tmp_path / "run")
    (tmp_path / "run" / "opponents").mkdir()
    (tmp_path / "run" / "policy-it.safetensors").rename(tmp_path / "run" / "opponents" / "policy-it.safetensors")
    policy = hamlet.policy(tmp_path / "run")
    assert isinstance(policy, LearntByRole)
    assert set(policy.by_role) == {"it", "runner"}


def test_what_several_policies_have_not_is_refused(tag: Run, module: Module, tmp_path: Path) -> None:
    policy = hamlet.policy(tag.folder)
    env = environment(module, 2, 4, 1)
    for refused in (policy.mlp, lambda: policy(env.observation)):
        with pytest.raises(EnvError, match=r"acts, and is no MLP: it has a policy for each role, as by_role\['it'\]$"):
            refused()
    with pytest.raises(EnvError, match="takes no watch, for it acts by steps: it has a policy for each role"):
        env.rollout(2, hamlet.policy(tag.folder / "policy-it.safetensors"), watch=[0])
    assert env.rollout(2, policy, watch=[0]).trajectories is not None
    other = saved(tmp_path / "other.safetensors", module, role="ghost", inputs=3, actions=5)
    with pytest.raises(EnvError, match="has a policy for the role ghost, which tag has not"):
        env.rollout(2, hamlet.policy(other))
    richer = tmp_path / "tag.hamlet"
    richer.write_text(TAG.read_text().replace("universe tag", "universe catch"))
    with pytest.raises(EnvError, match="was learnt on tag, and this is catch: another universe"):
        policy.check(hamlet.compile(richer))
    assert len(list(policy.parameters())) == 2 * 6 + 2
