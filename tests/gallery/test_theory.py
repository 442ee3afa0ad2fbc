"""What each universe of the gallery teaches, held to the theory behind it. Tolerances are of statistics and of
approximations: what is compared is a law of the model, not bits."""

from __future__ import annotations

import itertools
import math

import torch
from torch import Tensor
from watch import always, cycle, make, watch

from hamlet.env.environment import Env


def test_the_swing_wanders_from_one_oscillator_to_the_other_and_energy_stays() -> None:
    seen = watch(make("oscillators"), 1600, always("WAIT"), ["left", "right"])
    energy = seen["energy"].flatten()
    # Symplectic Euler: the energy oscillates by about omega / 2 = 5 %, and does not drift.
    assert (energy / energy[0] - 1).abs().max() < 0.12
    assert abs(energy[-600:].mean() / energy[:600].mean() - 1) < 0.01
    # Two normal modes, of spring and spring + 2 beam: the swing has changed sides after pi / (their difference).
    slow, fast = math.sqrt(0.01), math.sqrt(0.012)
    swing = seen["right"].flatten()[:600].abs()
    assert abs(int(swing.argmax()) - math.pi / (fast - slow)) < math.pi / slow
    assert swing.max() > 0.95


def test_a_puck_loses_speed_to_the_air_alone() -> None:
    seen = watch(make("momentum"), 400, always("WAIT"), ["heat"])
    east, ticks = seen["east"].flatten().double(), torch.arange(400)
    # Walls turn a velocity around, and the air takes a hundredth of it in a tick.
    assert (east.abs() / (0.03 * 0.99 ** (ticks + 1)) - 1).abs().max() < 1e-4
    assert (east < 0).any()
    assert seen["x"].abs().max() <= 1
    # What the air takes becomes heat.
    energy = (seen["moving"] + seen["heat"]).flatten()
    assert (energy / energy[0] - 1).abs().max() < 1e-4


def test_elastic_walls_give_back_what_they_get() -> None:
    env = make("momentum", worlds=16)
    env.params["drag"] = 0.0
    seen = watch(env, 400, always("WAIT"))
    assert (seen["moving"] == seen["moving"][0, 0]).all()
    # From wall to wall and back the way is 4: after 400 ticks of 0.03 a puck has gone it three times.
    x = seen["x"].flatten(1)
    assert (x[399] - x[266]).abs().max() < 0.02
    assert ((seen["east"][1:] != seen["east"][:-1]).sum(dim=0) >= 5).all()


def test_a_pole_falls_as_fast_as_the_equation_says_and_controls_hold_it() -> None:
    env = make("cartpole")
    env.state["meters"].zero_()
    env.meter("angle")[0] = 1e-3
    angle = watch(env, 80, always("WAIT"), ["angle"], lambda *_: torch.zeros(1, 1))["angle"].flatten()
    # Near the top angle'' = rate^2 angle, here in steps of 1/50 s: the root of (m - 1)^2 = a m that is above 1.
    a = 9.8 / (0.5 * (4 / 3 - 0.1 / 1.1)) * 0.02**2
    growth = 1 + a / 2 + math.sqrt(a + a * a / 4)
    assert abs(float(angle[60] / angle[50]) ** 0.1 / growth - 1) < 1e-3

    def hold(env: Env, _: int) -> Tensor:
        weights = {"angle": 12, "turn": 2.5, "place": 0.3, "roll": 0.6}
        wanted = torch.stack([weight * env.meter(name) for name, weight in weights.items()]).sum(dim=0)
        return wanted.clamp(-1, 1).unsqueeze(0)

    many = make("cartpole", worlds=64)
    assert watch(many, 250, always("WAIT"), controls=hold).reward.sum(dim=0).eq(250).all()
    fallen = make("cartpole", worlds=256).rollout(100)
    assert 10 < fallen.mean_length() < 60


def test_sleep_comes_once_a_day_and_ends_where_the_curves_meet() -> None:
    asleep = watch(make("sleep"), 2879, always("WAIT"), ["asleep"])["asleep"].flatten()
    begins = [t for t in range(1, 2879) if asleep[t] == 1 and asleep[t - 1] == 0]
    ends = [t for t in range(begins[0], 2879) if asleep[t] == 0 and asleep[t - 1] == 1]
    lengths = torch.tensor([end - begin for begin, end in zip(begins, ends, strict=False)], dtype=torch.float32)
    days = torch.tensor([later - early for early, later in itertools.pairwise(begins[3:])])
    # 96 quarters of an hour; somebody who is left alone sleeps a third of them, always at the same time of day.
    assert (days - 96).abs().max() <= 1
    assert 28 <= len(begins) <= 31
    for begin, length in zip(begins[3:-1], lengths[3:-1], strict=True):
        assert abs(_sleep(begin) - length) <= 1


def _sleep(begin: int) -> int:
    """How long somebody sleeps who falls asleep in this tick: until an exponential meets a wave."""

    def wave(tick: int) -> float:
        return 0.1 * math.sin(2 * math.pi * (tick % 96) / 96)

    pressure = 0.67 + wave(begin)
    length = 0
    while pressure >= 0.17 + wave(begin + length):
        length += 1
        pressure *= 1 - 1 / 16.8
    return length


def test_a_combo_does_more_than_its_parts_and_a_hook_needs_rest() -> None:
    combined = watch(make("combo"), 32, cycle("JAB", "JAB", "JAB", "HOOK"), ["enemy"])
    jabs, hooks = (watch(make("combo"), 32, always(action), ["enemy"]) for action in ("JAB", "HOOK"))
    # Of four ticks: three jabs of 0.01 and a double hook of 0.1, against four jabs, or one hook of 0.05.
    lost = [1 - float(seen["enemy"][31]) - 32 * 0.002 for seen in (combined, jabs, hooks)]
    assert lost[0] > 2 * max(lost[1:])
    struck = (hooks.reward.flatten() > 0.04).nonzero().flatten().tolist()
    assert struck == list(range(0, 32, 4))


def test_an_axe_triples_the_wood_until_it_is_worn_out() -> None:
    env = make("tools", worlds=256)
    seen = watch(env, 300, _here_or_walk, ["wood", "axe"])
    wood, axe, used = (rows[1:].flatten() for rows in (seen["wood"], seen["axe"], seen.used))
    wood_before, axe_before = (seen[name][:-1].flatten() for name in ("wood", "axe"))
    felled = (used == 0) & (wood_before <= 17) & (wood > 0)
    with_axe, bare = felled & (axe_before > 0), felled & (axe_before == 0)
    assert with_axe.sum() > 20
    assert bare.sum() > 100
    assert (wood - wood_before)[with_axe].unique().tolist() == [3]
    assert (wood - wood_before)[bare].unique().tolist() == [1]
    assert (axe_before - axe)[with_axe].unique().tolist() == [1]
    made = (axe == 10) & (axe_before == 0)
    assert made.sum() > 3
    assert (wood_before - wood)[made].unique().tolist() == [4]


def _here_or_walk(env: Env, tick: int) -> Tensor:
    """Who stands on something uses it in most ticks, the others walk at random."""
    random = torch.randint(0, 4, (env.num_lanes,), generator=torch.Generator().manual_seed(tick), dtype=torch.int32)
    stays = env.action_mask[:, 4] & (random > 0)
    return torch.where(stays, 4, random)


def test_three_missed_days_cost_the_job_and_the_office_gives_it_back() -> None:
    env = make("job")
    seen = watch(env, 100, always("WAIT"), ["hired", "missed"])
    let_go = int((seen["hired"].flatten() == 0).nonzero()[0])
    assert (let_go, let_go // 24) == (18 + 48, 2)


def test_the_queue_at_the_doctors_is_as_long_as_theory_says() -> None:
    env = make("queue", worlds=256, agents=32)
    env.params["arrivals"] = 0.02
    waiting = watch(env, 900, always("INTERACT"), ["waiting"])["waiting"][300:]
    # Of M/M/1 with load 1/2: the doctor is free half of the time, and one patient is there on average.
    free, mean = float((waiting == 0).float().mean()), float(waiting.mean())
    assert abs(free - 0.5) < 0.05
    assert abs(mean - 1) < 0.15
    # Geometric: a queue of one more patient is half as likely.
    likely = [float((waiting == length).float().mean()) for length in range(4)]
    assert all(abs(after / before - 0.5) < 0.08 for before, after in itertools.pairwise(likely))


def test_hares_and_lynxes_go_round_their_equilibrium() -> None:
    seen = watch(make("predators"), 2600, always("WAIT"), ["hares", "lynxes"])
    hares, lynxes = (seen[name].flatten() for name in ("hares", "lynxes"))
    peaks = [t for t in range(1, 2599) if hares[t - 1] < hares[t] >= hares[t + 1]]
    later = [t for t in range(1, 2599) if lynxes[t - 1] < lynxes[t] >= lynxes[t + 1]]
    # Small cycles take 2 pi / sqrt(0.02 * 0.008) ticks; lynxes follow hares by about a quarter.
    cycle_length = 2 * math.pi / math.sqrt(0.02 * 0.008)
    lengths = [after - before for before, after in itertools.pairwise(peaks)]
    assert len(lengths) >= 3
    assert all(abs(length / cycle_length - 1) < 0.25 for length in lengths)
    assert 0.1 < (next(t for t in later if t > peaks[0]) - peaks[0]) / cycle_length < 0.4
    # Volterra: over whole cycles the means are the equilibrium.
    whole = slice(peaks[0], peaks[3])
    assert abs(float(hares[whole].mean()) / (0.008 / 0.0002) - 1) < 0.05
    assert abs(float(lynxes[whole].mean()) / (0.02 / 0.001) - 1) < 0.05


def test_more_effort_than_half_of_what_kills_the_fish_brings_less() -> None:
    caught = {}
    for steps in (2, 4, 6):
        env = make("commons", agents=8)
        seen = watch(
            env, 390, lambda env, tick, steps=steps: always("MORE" if tick < steps else "WAIT")(env, tick), ["fish"]
        )
        effort = 1 + steps / 2
        fish = float(seen["fish"][-1])
        # What grows back is what is caught: 0.08 (1 - fish) = 0.02 effort.
        assert abs(fish - max(0, 1 - effort / 4)) < 0.05
        caught[effort] = 0.02 * effort * fish
    assert caught[2] > caught[3] > caught[4]


def test_the_most_idle_get_the_jobs_and_no_job_is_given_twice() -> None:
    env = make("notice_board", worlds=4, agents=16)
    seen = watch(env, 300, always("INTERACT"), ["board", "idle", "left"])
    served = 0
    for tick in range(1, 300):
        board, idle, left = seen["board"][tick - 1, :, 0], seen["idle"][tick - 1], seen["left"][tick - 1]
        took, wanted = seen.used[tick] == 0, left == 0
        served += int(took.sum())
        assert (took.sum(dim=1) == torch.minimum(board, wanted.sum(dim=1))).all()
        for world in range(4):
            refused = wanted[world] & ~took[world]
            if took[world].any() and refused.any():
                assert idle[world][took[world]].min() >= idle[world][refused].max()
    assert served > 200


def test_a_second_sip_follows_one_of_four_laws() -> None:
    """Those of counters that are dead for a while, which a second particle prolongs or not, and of a queue."""
    effects = ("calm", "swift", "lucky", "strong")
    seen = watch(make("potions", worlds=192), 250, always("WAIT"), [*(f"left of {each}" for each in effects), "gold"])
    lasts = {each: float((seen[f"left of {each}"][100:] > 0).float().mean()) for each in effects}
    found, ticks = 0.05, 10
    assert abs(lasts["calm"] - ticks / (ticks + (1 - found) / found)) < 0.02
    assert abs(lasts["swift"] - (1 - (1 - found) ** ticks)) < 0.02
    assert abs(lasts["strong"] - lasts["swift"]) < 0.03
    assert abs(lasts["lucky"] - found * ticks) < 0.03
    gold = seen["gold"].flatten(1).double().mean(dim=1)
    assert abs(float(gold[-1] - gold[100]) / 149 - 0.5 * lasts["lucky"]) < 0.02


def test_a_spring_is_drunk_from_as_often_as_it_fills() -> None:
    drank = watch(make("cooldowns", agents=8), 100, always("INTERACT"))["drank"].sum(dim=(1, 2))
    assert drank.nonzero().flatten().tolist() == list(range(0, 100, 9))
    drank = watch(make("cooldowns", worlds=48, agents=8), 250, _now_and_then)["drank"].sum(dim=2)
    # Between two uses lie 9 ticks, and a wait for the first of 8 who come with probability 0.05.
    somebody = 1 - 0.95**8
    assert abs(float(drank.mean()) * (9 + (1 - somebody) / somebody) - 1) < 0.03


def _now_and_then(env: Env, tick: int) -> Tensor:
    """Who interacts does so with probability 0.05."""
    rolled = torch.rand(env.num_lanes, generator=torch.Generator().manual_seed(tick))
    return torch.where(rolled < 0.05, env.action_names.index("INTERACT"), env.action_names.index("WAIT")).int()


def test_a_smith_gets_his_breath_back_and_a_forge_has_to_be_mended() -> None:
    forged = watch(make("cooldowns"), 80, always("HAMMER"))["forged"].flatten()
    assert forged.nonzero().flatten().tolist() == list(range(0, 40, 4))
    both = watch(make("cooldowns"), 132, cycle(*(("HAMMER",) * 40), *(("MEND",) * 4)))["forged"]
    assert int(both.sum()) == sum(1 for tick in range(0, 132, 4) if tick % 44 < 40)
