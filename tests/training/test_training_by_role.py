"""Roles learn policies of their own, with their own observations and actions, the same ones whoever computes them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from small import HUNT, StoppedError, trained

import hamlet
from hamlet.backend.protocol import NetworkPolicy
from hamlet.interpreter.networks import decide
from hamlet.numbers.random import multiply_high
from hamlet.package.module import Module, load
from hamlet_train import checkpoint
from hamlet_train.collect import Player, Present, choose
from hamlet_train.crews import crew_sizes, crews_of
from hamlet_train.errors import TrainError
from hamlet_train.evaluate import chooser, environment, player
from hamlet_train.files import read_tensors, write_tensors
from hamlet_train.groups import LANES, Groups
from hamlet_train.policy import Policy, read_all, read_any
from hamlet_train.ppo import Progress, digest_of
from hamlet_train.reproduce import repeat
from hamlet_train.run import Run, line_of
from hamlet_train.training import Watch, ignore


@pytest.fixture(scope="module")
def hunt(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Four updates of `HUNT` with one thread."""
    folder: Path = tmp_path_factory.mktemp("hunt") / "one"
    return trained(folder, HUNT)


def module_of(run: Run) -> Module:
    return load(run.package)


def policies_of(run: Run) -> dict[str | None, Policy]:
    return {role: each for role, each in read_all(run.folder, module_of(run)).items() if isinstance(each, Policy)}


def noted(run: Run) -> str:
    return "".join((run.folder / f"{name}.jsonl").read_text() for name in ("progress", "evaluations"))


def test_each_role_learns_and_threads_change_nothing(hunt: Run, tmp_path: Path) -> None:
    lines = hunt.lines()
    assert [(line.update, line.role) for line in lines] == [(u, r) for u in range(1, 5) for r in ("it", "runner")]
    assert len({line.weights for line in lines}) == len(lines)
    assert [line.ticks for line in lines[:2]] == [HUNT.worlds * HUNT.agents * HUNT.settings.horizon] * 2
    assert hunt.read().weights == digest_of({line.role: line.weights for line in lines[-2:]})
    assert [fared.role for fared in hunt.evaluations()[0].fared] == ["it", "runner"]
    assert noted(trained(tmp_path / "three", HUNT, threads=3)) == noted(hunt)


def test_a_network_has_the_sizes_of_its_role(hunt: Run) -> None:
    policies, env = policies_of(hunt), environment(module_of(hunt), 2, 5, 0)
    assert list(policies) == ["it", "runner"]
    for name, role in env.roles.items():
        network = policies[name].network
        assert (network.inputs, network.actions) == (len(role.observation_names), len(role.action_names))
    assert policies["it"].network.inputs < policies["runner"].network.inputs == env.observation_low.shape[0]
    with pytest.raises(TrainError, match="has a policy for it, and none that all agents share"):
        read_any(hunt.folder / "policy-it.safetensors", module_of(hunt))


def test_roles_act_as_networks_are_defined(hunt: Run) -> None:
    """Each lane by the network of its role, of what that observes, with the words of its lane."""
    policies, env = policies_of(hunt), environment(module_of(hunt), 7, 5, 3)
    choosing = chooser(env, policies, threads=1)
    differing = 0
    for _ in range(40):
        actions = choosing()[0].clone()
        words = env.policy_words()
        for name, role in env.roles.items():
            network, parameters = policies[name].network, policies[name].parameters
            layers = tuple(
                (torch.from_numpy(np.ascontiguousarray(weight))[None], torch.from_numpy(bias)[None])
                for weight, bias in network.views(parameters)
            )
            assert env.observation is not None
            seen = env.observation[role.lanes, : network.inputs].T
            mask = env.action_mask[role.lanes][:, role.action_numbers].T
            decided = decide(NetworkPolicy(layers, "tanh", True, True), seen, mask, words[role.lanes])
            assert torch.equal(actions[role.lanes], torch.tensor(role.action_numbers)[decided.actions.long()].int())
            differing += int((decided.actions != decided.actions[0]).sum())
        env.step(actions)
    assert differing > 50


def test_a_role_without_a_policy_acts_at_random(hunt: Run) -> None:
    policies, env = policies_of(hunt), environment(module_of(hunt), 7, 5, 3)
    choosing = chooser(env, {"runner": policies["runner"]}, threads=1)
    whole = chooser(env, policies, threads=1)
    for _ in range(5):
        actions, expected = choosing()[0].clone(), multiply_high(env.policy_words(), env.num_actions).int()
        lanes = env.roles["it"].lanes
        assert torch.equal(actions[lanes], expected[lanes])
        assert torch.equal(actions[env.roles["runner"].lanes], whole()[0][env.roles["runner"].lanes])
        env.step(actions)
    with pytest.raises(TrainError, match="is for the role wolf, and the roles of tag are it, runner"):
        chooser(env, {"wolf": policies["it"]}, threads=1)
    with pytest.raises(TrainError, match="the policy is for 5 values of an observation"):
        chooser(env, {"runner": policies["it"]}, threads=1)


def test_a_policy_plays_some_lanes_of_its_role(hunt: Run) -> None:
    """Whoever plays beside it: opponents of the past have some worlds each."""
    policies, env = policies_of(hunt), environment(module_of(hunt), 70, 5, 3)
    whole, present = chooser(env, policies, threads=1)()[0].clone(), Present(env)
    crew = crews_of(env, shared=False)[1]
    assert crew.lanes is not None
    lanes = crew.lanes[4 * LANES - 3 :: 2].copy()
    present.chosen[:] = -1
    one: Player = player(present, crew, policies["runner"], 1, lanes)
    chosen = choose(present, [one])[0]
    assert torch.equal(chosen[lanes], whole[lanes])
    assert int((chosen >= 0).sum()) == len(lanes) < len(crew.lanes)


def test_a_training_of_roles_that_was_cut_short_goes_on(hunt: Run, tmp_path: Path) -> None:
    """It stops between the lines of two roles."""

    def stop(update: Progress) -> None:
        if (update.update, update.role) == (3, "it"):
            raise StoppedError

    with pytest.raises(StoppedError):
        trained(tmp_path / "cut", HUNT, watch=stop)
    cut = Run(tmp_path / "cut")
    assert sorted(read_all(cut.folder, module_of(hunt))) == ["it", "runner"]
    assert noted(trained(cut.folder, HUNT, threads=2)) == noted(hunt)
    name = "00000004.safetensors"
    (left, left_about), (right, right_about) = (read_tensors(each.checkpoints / name) for each in (cut, hunt))
    assert left_about == right_about
    assert {key: value.tobytes() for key, value in left.items()} == {
        key: value.tobytes() for key, value in right.items()
    }
    latest, other = checkpoint.latest(cut.checkpoints), Run(tmp_path / "other")
    assert latest is not None
    other.checkpoints.mkdir(parents=True)
    (other.checkpoints / latest.name).write_bytes(latest.read_bytes())
    with pytest.raises(TrainError, match="is of a training with shared False"):
        trained(other.folder, replace(HUNT, shared=True))


def test_a_training_of_roles_is_reproduced_or_the_first_difference_is_named(hunt: Run, tmp_path: Path) -> None:
    manifest = hunt.read()
    repeated = repeat(hunt, manifest, 1, Watch(ignore))
    assert (repeated.updates, repeated.differs, repeated.weights) == (4, None, manifest.weights)
    other = Run(tmp_path / "other")
    other.folder.mkdir()
    other.package.symlink_to(hunt.package)
    lines = hunt.lines()
    lines[5] = replace(lines[5], weights="0" * 64)
    (other.folder / "progress.jsonl").write_text("".join(map(line_of, lines)))
    differs = repeat(other, replace(manifest, weights=None), 1, Watch(ignore)).differs
    assert differs is not None
    assert (differs[0].update, differs[1].role, differs[1].weights) == (3, "runner", hunt.lines()[5].weights)


def test_groups_of_crews_are_of_the_same_worlds() -> None:
    for worlds, sizes in ((1024, (1, 9)), (1024, (2, 8)), (40, (1, 4)), (3, (1, 200))):
        cuts = Groups.of_crews(worlds, sizes)
        assert len({groups.worlds_each for groups in cuts}) == 1
        assert len({groups.count for groups in cuts}) == 1
        shares = [[groups.share(rank, 2) for rank in range(2)] for groups in cuts]
        assert len({tuple(share.first_world for share in each) for each in shares}) == 1
        assert [sum(share.lanes for share in each) for each in shares] == [worlds * size for size in sizes]
    assert Groups.of_crews(1024, (1, 9))[0].worlds_each == LANES
    assert Groups.of_crews(1024, (5,)) == (Groups(1024, 5),)


def test_crews_are_roles_unless_they_share_a_policy(hunt: Run) -> None:
    module = module_of(hunt)
    env = environment(module, 3, 5, 0)
    assert [crew.role for crew in crews_of(env, shared=False)] == ["it", "runner"]
    (crew,) = crews_of(env, shared=True)
    assert (crew.role, crew.lanes, crew.choices) == (None, None, env.num_actions)
    assert crew_sizes(module.universe, 5, shared=False) == [1, 4]
    assert crew_sizes(module.universe, 5, shared=True) == [5]


def test_a_role_that_observes_nothing_learns_nothing(tmp_path: Path) -> None:
    text = "universe blind\nspace none\nlifespan 9 ticks\nrole mole: 1 agent { reward 1 }\n"
    text += "role bird: others { meter m = 0.5 { decay 0.01 }  observe { meters m }  reward 1 }\n"
    (tmp_path / "blind.hamlet").write_text(text)
    env = hamlet.make(hamlet.compile(tmp_path / "blind.hamlet"), worlds=2, agents=2, backend="interpreter", quiet=True)
    with pytest.raises(TrainError, match="the role mole of blind observes nothing"):
        crews_of(env, shared=False)
    assert len(crews_of(env, shared=True)) == 1


def test_files_that_name_roles_in_another_way_are_refused(hunt: Run, tmp_path: Path) -> None:
    tensors, about = read_tensors(hunt.folder / "policy-it.safetensors")
    for said in ({"role": 3}, {"role": "a b"}, {"roles": 3}, {"roles": {"it": 3}}):
        write_tensors(tmp_path / "other", tensors, about | said)
        with pytest.raises(TrainError, match="is no name of one" if "role" in said else "does not say of which roles"):
            read_all(tmp_path / "other", module_of(hunt))
