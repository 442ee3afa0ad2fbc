"""A policy that was learnt as a value: it acts as its rollouts do, to the bit, for its own universe alone."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.env.environment import Env
from hamlet.env.replay import first_other
from hamlet.package.module import Module
from hamlet.policies.files import written
from saved_policies import about_of, saved, tensors_of

SHOP = """
universe shop
space grid 4 x 3
lifespan 30 ticks
meter food = 0.6 { decay 0.02 }
input wage = 0 in -1 .. 1
affordance Stall at random { instantly { food += 0.3 } }
dies when food <= 0
reward food + wage
observe { meters  here }
"""
BOAT = """
universe boat
space none
lifespan 20 ticks
control rudder in -1 .. 3
control sail in 0 .. 1
meter course = 0 in -10 .. 10
action RING { course -= 0.1 }
rule turns: course += rudder * sail + uniform(0, 0.5)
dies when abs(course) > 9
reward 1
observe { meters }
"""


@pytest.fixture
def shop(compiled: Callable[[str], Module]) -> Module:
    return compiled(SHOP)


@pytest.fixture
def boat(compiled: Callable[[str], Module]) -> Module:
    return compiled(BOAT)


def made(module: Module, backend: str = "c", worlds: int = 70, **arguments: object) -> Env:
    return hamlet.make(module, worlds=worlds, seed=9, backend=backend, quiet=True, **arguments)  # type: ignore[arg-type]


def equal(first: Env, second: Env) -> bool:
    return all(torch.equal(values, second.state[name]) for name, values in first.state.items())


@pytest.mark.parametrize(
    ("hidden", "greedy"), [((16,), True), ((16, 20), False), ((16, 20), True), ((70,), False), ((8, 8, 8), True)]
)
@pytest.mark.parametrize("text", [SHOP, BOAT], ids=["actions", "controls"])
def test_a_rollout_is_its_steps(
    text: str, hidden: tuple[int, ...], greedy: bool, compiled: Callable[[str], Module], tmp_path: Path
) -> None:
    """By kernels, by machine code outside of kernels, and by the interpreter."""
    module = compiled(text)
    policy = hamlet.policy(saved(tmp_path / "weights", module, hidden), greedy)
    assert policy.rolls == (text == SHOP and hidden in ((16,), (16, 20)))
    rolled, stepped, interpreted = made(module), made(module), made(module, "interpreter")
    counted = rolled.rollout(12, policy, per_lane=1)
    acting = policy.acting(stepped)
    for _ in range(12):
        stepped.step(*acting())
        interpreted.step(*policy.act(interpreted))
    assert equal(rolled, stepped)
    assert equal(rolled, interpreted)
    assert counted.ticks == 12
    assert counted.uses() == interpreted_uses(module, policy)


def interpreted_uses(module: Module, policy: object) -> dict[str, int]:
    return made(module, "interpreter").rollout(12, policy).uses()  # type: ignore[arg-type]


def test_few_lanes_need_no_compiler(boat: Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = hamlet.policy(saved(tmp_path / "weights", boat))
    monkeypatch.setattr("hamlet.launch.cpu.heads.beside", lambda: pytest.fail("machine code was asked for"))
    one = made(boat, "interpreter", 1)
    assert one.rollout(3, policy).ticks == 3


def test_controls_are_drawn_around_means_within_their_ranges(boat: Module, tmp_path: Path) -> None:
    drawn, greedy = (hamlet.policy(saved(tmp_path / "weights", boat), each) for each in (False, True))
    env = made(boat, worlds=2000)
    actions, controls = drawn.act(env)
    assert controls is not None
    low, high = env.control_low.unsqueeze(1), env.control_high.unsqueeze(1)
    assert ((low <= controls) & (controls <= high)).all()
    means = greedy.act(env)[1]
    assert means is not None
    assert len(means.unique(dim=1).T) == 1
    assert len(controls.unique(dim=1).T) > 1000
    assert len(set(actions.tolist())) > 1
    heads = drawn(env.observation, env.action_mask)
    middle, half = (low + high) / 2, (high - low) / 2
    expected = torch.minimum(torch.maximum(middle + half * heads.means.T, low), high)
    # A sum of torch has another order.
    assert torch.allclose(means, expected, atol=1e-5)


def test_it_is_a_module_of_torch_that_learns_on(shop: Module, tmp_path: Path) -> None:
    policy = hamlet.policy(saved(tmp_path / "weights", shop))
    env = made(shop)
    env.rollout(5, policy)
    heads = policy(env.observation, env.action_mask)
    exact = policy.mlp().forward(env.observation, env.action_mask, env.policy_words())  # type: ignore[arg-type]
    assert torch.allclose(heads.logits[env.action_mask], exact.logits[env.action_mask], atol=1e-5)
    assert torch.isinf(heads.logits[~env.action_mask]).all()
    before, other = policy.act(env)[0], copy.deepcopy(policy)
    optimiser = torch.optim.SGD(policy.parameters(), lr=5.0)
    heads.logits[:, 0].sum().backward()
    optimiser.step()
    after = policy.act(env)[0]
    assert not torch.equal(before, after)
    assert torch.equal(other.act(env)[0], before)
    rolled, stepped = made(shop), made(shop)
    rolled.rollout(1, policy)
    stepped.step(*policy.act(stepped))
    assert equal(rolled, stepped)


def test_inputs_of_each_tick_reach_a_policy_that_acts_by_steps(shop: Module, tmp_path: Path) -> None:
    policy = hamlet.policy(saved(tmp_path / "weights", shop, (70,)))
    wages = torch.arange(4).repeat(70, 1).T / 4
    first, second = made(shop), made(shop)
    first.rollout(4, policy, inputs={"wage": wages})
    for wage in wages:
        second.inputs["wage"] = wage
        second.step(*policy.act(second))
    assert equal(first, second)
    second.rollout(2, policy, inputs={"wage": 0.5})
    assert repr(second.rollout(2, policy, statistics=False)).startswith("Rollout(shop, ticks=2")
    with pytest.raises(EnvError, match="takes no watch, for it acts by steps: its layers are too many, or too wide"):
        first.rollout(4, policy, watch=[0])


def test_a_table_is_played_by_rollouts_alone(shop: Module, tmp_path: Path) -> None:
    probabilities = np.full((3, 6), 1 / 6, np.float32)
    probabilities[0] = [0, 0, 0, 0, 1, 0]
    about = {"format": 1, "universe": "shop", "digest": shop.digest, "seed": 1, "features": [["food", 3]]}
    (tmp_path / "table").write_bytes(written({"probabilities": probabilities}, about))
    policy = hamlet.policy(tmp_path / "table")
    assert (policy.is_table, policy.actions, policy.inputs, policy.controls) == (True, 6, 0, 0)
    first, second = made(shop), made(shop)
    first.rollout(9, policy)
    second.rollout(9, second.tabular(torch.from_numpy(probabilities), [("food", 3)]))
    assert equal(first, second)
    for refused in (policy.mlp, lambda: policy.act(first), lambda: policy(first.observation)):
        with pytest.raises(EnvError, match="is a table, which "):
            refused()


def test_an_episode_is_recorded_and_held_to_who_played_it(boat: Module, shop: Module, tmp_path: Path) -> None:
    for module in (boat, shop):
        policy = hamlet.policy(saved(tmp_path / "weights", module))
        episode = made(module).record(3, policy=policy)
        assert hamlet.replay(episode, module, "c").ok
        assert first_other(episode, module, lambda _: policy) is None  # noqa: B023  (called at once)
        played = made(module).record(3)
        assert first_other(played, module, lambda _: "random") is None
        other = first_other(played, module, lambda _: policy)  # noqa: B023
        assert other is not None
        assert other < 10


def test_it_says_whose_it_is(shop: Module, tmp_path: Path) -> None:
    policy = hamlet.policy(saved(tmp_path / "weights", shop, update=30))
    assert repr(policy) == f"Learnt(shop ({shop.digest[:12]}), after update 30: 3 -> 16 -> 20 -> 7)"
    assert (policy.universe, policy.digest, policy.seed, policy.update) == ("shop", shop.digest, 7, 30)


def test_it_refuses_another_universe_and_says_which_parts_differ(
    shop: Module, boat: Module, compiled: Callable[[str], Module], tmp_path: Path
) -> None:
    policy = hamlet.policy(saved(tmp_path / "weights", shop))
    for call in (lambda env: policy.act(env), lambda env: env.rollout(2, policy), lambda env: env.record(0, 2, policy)):
        with pytest.raises(EnvError, match=r"weights was learnt on shop, and this is boat: another universe$"):
            call(made(boat, worlds=1))
    richer = compiled(SHOP.replace("+= 0.3", "+= 0.4").replace("decay 0.02", "decay 0.03"))
    with pytest.raises(EnvError, match=r"another version of shop: meter food and affordance Stall differ$"):
        policy.check(richer)
    with pytest.raises(EnvError, match=r"another version of shop: lifespan differs$"):
        policy.check(compiled(SHOP.replace("30 ticks", "31 ticks")))
    with pytest.raises(EnvError, match=r"another version of shop: observation 1 and observation 2 differ$"):
        policy.check(compiled(SHOP.replace("meters  here", "here  meters")))
    policy.check(compiled(SHOP.replace("space grid", "# A comment.\nspace grid")))


def test_versions_of_before_there_were_parts_are_told_by_their_digest(
    shop: Module, compiled: Callable[[str], Module], tmp_path: Path
) -> None:
    about = about_of(shop, (8,))
    del about["parts"]
    (tmp_path / "weights").write_bytes(written(tensors_of(about), about))
    policy = hamlet.policy(tmp_path / "weights")
    policy.check(shop)
    other = compiled(SHOP.replace("30 ticks", "31 ticks"))
    with pytest.raises(EnvError, match=rf"shop \({shop.digest[:12]}\), .* another version of it \({other.digest[:12]}"):
        policy.check(other)


def test_other_observations_are_refused(shop: Module, tmp_path: Path) -> None:
    for hidden in ((16,), (70,)):
        policy = hamlet.policy(saved(tmp_path / "weights", shop, hidden))
        for observed in ("uint8", "bfloat16", None):
            with pytest.raises(
                EnvError, match=r'reads observations in f32: make the environment with obs_dtype="float32"'
            ):
                made(shop, obs_dtype=observed).rollout(2, policy)
