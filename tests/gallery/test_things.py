"""What the universes of the gallery about things teach: totals are compared exactly, tolerances are of statistics."""

from __future__ import annotations

import torch
from torch import Tensor
from watch import always, make, watch

from hamlet.env.environment import Env

ROUND, STANDS = 12, 3


def anything(env: Env, tick: int) -> Tensor:
    generator = torch.Generator().manual_seed(tick)
    return torch.randint(0, len(env.action_names), (env.num_lanes,), dtype=torch.int32, generator=generator)


def test_whoever_comes_to_the_bus_at_any_time_waits_as_long_as_theory_says() -> None:
    env = make("bus", worlds=128)
    seen = watch(env, 600, always("INTERACT"), ["rides", "waited", "position x of Bus"])
    stops = seen["position x of Bus"][:, 0, 0]
    assert stops[: ROUND + 4].tolist() == [0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0, 0, 0, 1, 1]
    assert (seen["position x of Bus"] == stops[:, None, None]).all()
    late = ROUND - STANDS
    mean = float(seen["waited"][-1].sum() / seen["rides"][-1].sum())
    assert abs(mean / (late * (late + 1) / (2 * ROUND)) - 1) < 0.05
    # Nobody rides where the bus is not.
    assert (stops[:-1][(seen.used[1:] == 0).any(dim=(1, 2))] == 0).all()


def test_berries_are_counted_and_the_hungriest_come_first() -> None:
    env = make("berries", worlds=16, agents=12)
    seen = watch(env, 150, anything, ["grown", "picked", "eaten", "left", "food"])
    assert (seen["left"][..., 0] == 25 + seen["grown"][..., 0] - seen["picked"][..., 0]).all()
    assert (seen["eaten"].sum(dim=2) == seen["picked"][..., 0]).all()
    assert seen["picked"][-1].sum() > 100
    # Of those who sit at one bush the hungriest is fed.
    env = make("berries", worlds=1, agents=4)
    bush = int(env.state["places"][0, 0])
    env.state["position"][:] = torch.tensor([[bush % 8], [bush // 8]])
    shared = watch(env, 60, always("INTERACT"), ["food"])
    food, fed = shared["food"][:-1], shared.used[1:] >= 0
    assert fed.sum(dim=2).max() == 1
    assert fed.sum() >= 10
    assert (food[fed] == food.amin(dim=2)[fed.any(dim=2)]).all()


def test_nothing_in_the_workshop_comes_from_nothing_or_is_lost() -> None:
    env = make("workshop", worlds=24, agents=6)

    def held(name: str) -> tuple[Tensor, Tensor]:
        return env.meter(name).view(24, 6).clone(), env.meter(f"lying of {name}").clone()

    began = {
        name: carried.sum(dim=1) + lying.sum(dim=0) for name in ("wood", "stone") for carried, lying in [held(name)]
    }
    before, fired = held("wood")[0], dict.fromkeys(("PICK_wood", "DROP_wood", "GIVE_wood", "CRAFT_axe"), 0)
    for tick in range(200):
        actions = anything(env, tick).view(24, 6)
        env.step(actions.view(-1))
        made = env.meter("made").view(24, 6).sum(dim=1)
        total = torch.zeros(24, 6)
        for name, share in (("wood", 2), ("stone", 1)):
            carried, lying = held(name)
            assert (carried.sum(dim=1) + lying.sum(dim=0) + share * made == began[name]).all()
            total += carried
        axes, axes_lying = held("axe")
        assert (axes.sum(dim=1) + axes_lying.sum(dim=0) <= made).all()
        assert ((total + axes) <= 6).all()
        wood = held("wood")[0]
        for name in fired:
            fired[name] += int(((actions == env.action_names.index(name)) & (wood != before)).sum())
        before = wood
    assert min(fired.values()) >= 10, fired
