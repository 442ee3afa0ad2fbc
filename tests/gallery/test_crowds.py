"""Universes of the gallery in which many agents share a world, held to what is known of such worlds. Tolerances are of
statistics."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from watch import always, make, watch

from hamlet.env.environment import Env


def test_an_epidemic_needs_more_than_one_infection_per_sick_and_then_spares_few() -> None:
    reached = {}
    for contagion in (0.025, 0.1):
        env = make("epidemic", worlds=64, agents=64)
        env.params["contagion"] = contagion
        had_it = watch(env, 400, always("WAIT"), ["had_it"])["had_it"][-1].flatten() / 64
        reached[contagion] = had_it
    # Below one infection per sick agent outbreaks die out; above it some do, by chance, and the others reach the share
    # z = 1 - exp(-2 z) of everybody, which is 0.8.
    assert reached[0.025].mean() < 0.1
    large = reached[0.1][reached[0.1] > 0.3]
    assert 0.3 < len(large) / 64 < 0.8
    z = 0.5
    for _ in range(100):
        z = 1 - math.exp(-2 * z)
    assert abs(large.mean() - z) < 0.08


def test_a_tax_shares_out_what_it_takes() -> None:
    env = make("vote", worlds=16, agents=8)
    begun = env.meter("money").reshape(16, 8).clone()
    seen = watch(env, 40, always("LESS"), ["money", "tax"])
    # The ballot lowers the tax by a hundredth in each tick, down to none.
    assert seen["tax"][20:].max() == 0
    money = seen["money"][-1]
    # Each of 8 agents rounds what it pays and gets in each of 40 ticks.
    assert torch.allclose(money.sum(dim=1), begun.sum(dim=1), rtol=1e-5)
    # Distances to the mean shrink by the tax in each tick: 0.1 in the first, 0.09 in the second, ...
    left = math.prod(1 - 0.1 + 0.01 * tick for tick in range(11))
    spread = (money - money.mean(dim=1, keepdim=True)) / (begun - begun.mean(dim=1, keepdim=True))
    assert (spread - left).abs().max() < 1e-3


def test_a_room_is_as_warm_as_the_mean_of_what_all_want() -> None:
    seen = watch(make("thermostat", agents=10), 400, always("WAIT"), ["room", "taste"])
    assert torch.equal(seen["taste"][0].flatten(), 17 + 8 * torch.arange(10.0) / 10)
    day = seen["room"][-96:].flatten()
    # Each tick 0.2 of the way to 20 and 0.05 of the way to 8, on average over a day.
    assert abs(float(day.mean()) - (0.2 * 20 + 0.05 * 8) / 0.25) < 0.05
    assert day.max() - day.min() > 1


def test_the_best_machine_is_worth_the_search() -> None:
    worlds = 512
    seen = {
        name: watch(make("bandit", worlds=worlds), 99, always(name.upper()), ["red", "green", "blue"])
        for name in ("red", "green")
    }
    luck = torch.stack([seen["red"][name][0].flatten() for name in ("red", "green", "blue")])
    assert all(abs(float(each.mean()) - 0.5) < 0.05 and each.min() >= 0 and each.max() <= 1 for each in luck)
    # What a machine pays is its share of 99 ticks; its deviation is sqrt(99 p (1 - p)), below 5.
    paid = seen["red"].reward.sum(dim=0).flatten()
    assert (paid - 99 * luck[0]).abs().mean() < 5
    assert ((paid - 99 * luck[0]) / 99).mean().abs() < 0.01
    # Who always plays one machine loses E[max] - E[one] = 3/4 - 1/2 in a tick.
    assert abs(float(seen["green"]["regret"].mean()) - 0.25) < 0.02


def test_who_gives_is_given_to() -> None:
    env = make("reputation", worlds=64, agents=16)
    share, keep = (env.action_names.index(name) for name in ("SHARE", "KEEP"))
    generous = torch.arange(env.num_lanes) % 2 == 0
    actions = torch.where(generous, share, keep).to(torch.int32)
    lived = torch.zeros(64, 16)
    ended = torch.zeros(64, 16, dtype=torch.bool)
    for _ in range(299):
        _, _, terminated, _, _ = env.step(actions)
        ended |= terminated.reshape(64, 16)
        lived += (~ended).float()
    assert lived[:, 0::2].mean() > 1.3 * lived[:, 1::2].mean()


def test_water_keeps_a_garden_through_the_summer() -> None:
    fruit = {
        action: watch(make("garden", worlds=32, agents=2), 300, always(action), ["fruit", "soil"])
        for action in ("WAIT", "WATER")
    }
    assert fruit["WATER"]["soil"].mean() > fruit["WAIT"]["soil"].mean()


def test_nights_are_cold_and_a_hut_keeps_warm() -> None:
    env = make("cold_night", worlds=256)
    hut = env.observation_names.index("here[Hut]")
    interact = env.action_names.index("INTERACT")

    def settle(env: Env, tick: int) -> Tensor:
        """Who comes to the hut stays there, the others walk."""
        walk = torch.randint(0, 4, (env.num_lanes,), generator=torch.Generator().manual_seed(tick), dtype=torch.int32)
        return torch.where(env.observation[:, hut] > 0, interact, walk)

    seen = watch(env, 120, settle, ["air", "warmth"])
    air, warmth = (seen[name].flatten(1) for name in ("air", "warmth"))
    assert 6 < air.mean() < 10
    assert air[12::24].mean() > air[0::24].mean() + 5
    inside = (seen.used[-24:] == 0).all(dim=0).flatten()
    outside = (seen.used[-24:] != 0).all(dim=0).flatten()
    assert inside.sum() > 50
    assert outside.sum() > 20
    assert warmth[-1, inside].min() > warmth[-1, outside].max()


def test_coins_go_from_hand_to_hand_and_pile_up_as_in_queues() -> None:
    env = make("gifts", worlds=12, agents=64)
    seen = watch(env, 320, always("WAIT"), ["coins"])["coins"]
    # All give and get in the same tick, and no coin is made or lost.
    assert (seen.sum(dim=2) == 4 * 64).all()
    # Each agent serves one coin per tick, and as many arrive on average as agents have some: with a share s of those a
    # queue holds s + s**2 / (2 (1 - s)) on average, which is 4 coins for s = 5 - sqrt(17).
    share = (seen[120:] > 0).float().mean()
    assert abs(share - (5 - math.sqrt(17))) < 0.01
    assert seen[-1].max() > 15


def test_calls_reach_who_is_near_and_save_them() -> None:
    env = make("alarm", worlds=64, agents=24)
    x, y = (env.state["position"][axis].reshape(64, 24) for axis in (0, 1))
    heard = watch(env, 1, always("CALL"), ["heard"])["heard"][0]
    steps = [(axis[:, :, None] - axis[:, None, :]).abs() for axis in (x, y)]
    away = torch.stack([torch.minimum(step, 16 - step) for step in steps]).amax(dim=0)
    assert torch.equal(heard, (away <= 4).sum(dim=2).float() - 1)
    # The others are anywhere, 9 * 9 of the 16 * 16 cells are in reach.
    assert abs(float(heard.mean()) - 23 * 81 / 256) < 0.2
    caught = {}
    for listening in (False, True):
        env = make("alarm", worlds=32, agents=24)
        call, hide, wait = (env.action_names.index(name) for name in ("CALL", "HIDE", "WAIT"))
        alive = torch.ones(32 * 24, dtype=torch.bool)
        for _ in range(40):
            warned = (env.meter("fear") > 0) & listening
            action = torch.where(warned, hide, torch.where(env.meter("sees") > 0, call, wait))
            _, _, terminated, _, _ = env.step(action.to(torch.int32))
            alive &= ~terminated
        caught[listening] = int((~alive).sum())
    assert 0 < caught[True] < 0.6 * caught[False]
