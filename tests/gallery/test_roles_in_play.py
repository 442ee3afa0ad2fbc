"""Universes of the gallery with kinds of agents, held to what is known of them. Tolerances are of statistics."""

from __future__ import annotations

import torch
from torch import Tensor
from watch import Policy, make, watch

from hamlet.env.environment import Env


def at_random(*names: str) -> Policy:
    """Everybody takes one of these actions, each as often."""

    def policy(env: Env, tick: int) -> Tensor:
        numbers = torch.tensor([env.action_names.index(name) for name in names], dtype=torch.int32)
        drawn = torch.randint(0, len(names), (env.num_lanes,), generator=torch.Generator().manual_seed(tick))
        return numbers[drawn]

    return policy


def by_role(**actions: str) -> Policy:
    """All agents of a role take the same action."""

    def policy(env: Env, _: int) -> Tensor:
        chosen = torch.zeros(env.num_lanes, dtype=torch.int32)
        for role, action in actions.items():
            chosen[env.roles[role].lanes] = env.action_names.index(action)
        return chosen

    return policy


def test_tag_at_random_is_the_ruin_of_a_gambler() -> None:
    worlds = 300
    env = make("tag", worlds=worlds, agents=2)
    policy = at_random("LEFT", "RIGHT")
    caught, pay = torch.zeros(worlds), torch.zeros(worlds)
    tick = 0
    while (pay == 0).any():
        tick += 1
        _, reward, terminated, _, info = env.step(policy(env, tick))
        caught[terminated.reshape(worlds, 2)[:, 1] & (caught == 0)] = tick
        ended = terminated.reshape(worlds, 2)[:, 0] & (pay == 0)
        pay[ended] = reward.reshape(worlds, 2)[ended, 0]
        assert (info["cause"].reshape(worlds, 2)[ended, 0] == 1).all()
    # In the tick after the catch, one for the catch and ten for the end, and what each tick costs.
    assert (pay == torch.tensor(11.0) - 0.05).all()
    # The mean of 2 d (n - d) over the n - 1 other places, and three standard errors.
    assert abs(float(caught.mean()) - 11 * 12 / 3) < 7


def test_a_flock_dwindles_in_a_straight_line_and_watching_slows_it() -> None:
    worlds, sheep = 150, 24
    left = {}
    for does in ("WAIT", "sheep.WATCH"):
        env = make("wolves", worlds=worlds, agents=2 + sheep)
        seen = watch(env, 30, by_role(wolf="wolf.STALK", sheep=does), ["kills", "flock"])
        flock = seen["flock"][:, :, 0].mean(dim=1)
        left[does] = flock
        paid = seen.reward[:, :, :2]
        assert torch.equal(paid[:, :, 0], paid[:, :, 1])
        assert torch.equal(paid[:, :, 0], 0.5 * seen["kills"][:, :, 0])
    ticks = torch.arange(30.0)
    # Two wolves strike with probability 0.2 each, whatever the size of the flock; the kill of a tick shows in the next.
    assert (left["WAIT"] - (sheep - 0.4 * ticks)).abs().max() < 0.6
    # All that are left watch, 1 + flock times fewer strikes.
    assert (left["sheep.WATCH"] - (sheep - 0.4 / (1 + sheep) * ticks)).abs().max() < 0.3


def test_a_fat_sheep_goes_home_and_wolves_starve() -> None:
    env = make("wolves", worlds=4, agents=5)
    policy = by_role(wolf="WAIT", sheep="sheep.GRAZE")
    ends: dict[int, list[int]] = {0: [], 2: []}
    for tick in range(1, 170):
        _, reward, terminated, _, info = env.step(policy(env, tick))
        for agent, ticks in ends.items():
            if terminated[agent]:
                ticks.append(tick)
                goal = env.universe.causes[int(info["cause"][agent])].goal
                assert (goal is not None) == (agent == 2)
                assert abs(float(reward[agent]) - (5.01 if agent == 2 else 0.0)) < 1e-6
    # 0.8 / 0.005 ticks, and a rounding or two.
    assert [abs(ticks[0] - 160) <= 1 for ticks in ends.values()] == [True, True]
