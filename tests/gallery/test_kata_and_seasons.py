"""What was done says what can be done, and the weather of a season: Markov chains, held to their stationary
distributions."""

from __future__ import annotations

import itertools

import numpy as np
import torch
from torch import Tensor
from watch import always, make, watch

from hamlet.env.environment import Env

MOVES = ("WAIT", "JAB", "HOOK", "UPPERCUT")
Stance = tuple[int, int, int]
"""Ticks since a jab (at most 3), whether a hook was last, ticks since an uppercut (at most 5)."""


def allowed(stance: Stance) -> list[str]:
    jab, hook, uppercut = stance
    able = {"WAIT": True, "JAB": uppercut >= 5, "HOOK": jab <= 2, "UPPERCUT": hook == 1}
    return [move for move in MOVES if able[move]]


def after(stance: Stance, move: str) -> Stance:
    jab, _, uppercut = stance
    return (
        1 if move == "JAB" else min(jab + 1, 3),
        int(move == "HOOK"),
        1 if move == "UPPERCUT" else min(uppercut + 1, 5),
    )


def share_of_uppercuts() -> float:
    """How often somebody makes one who picks among the moves that are allowed, in the long run."""
    stances = list(itertools.product((1, 2, 3), (0, 1), (1, 2, 3, 4, 5)))
    chain, uppercuts = np.zeros((len(stances), len(stances))), np.zeros(len(stances))
    for number, stance in enumerate(stances):
        moves = allowed(stance)
        for move in moves:
            chain[number, stances.index(after(stance, move))] += 1 / len(moves)
        uppercuts[number] = ("UPPERCUT" in moves) / len(moves)
    spread = np.zeros(len(stances))
    spread[stances.index((3, 0, 5))] = 1
    for _ in range(500):
        spread = spread @ chain
    return float(spread @ uppercuts)


def test_what_was_done_says_what_can_be_done() -> None:
    generator = torch.Generator().manual_seed(7)

    def pick(env: Env, _: int) -> Tensor:
        return torch.multinomial(env.action_mask.float(), 1, generator=generator).flatten().to(torch.int32)

    seen = watch(make("kata", worlds=300), 390, pick, ["points"])
    expected = share_of_uppercuts()
    found = float(seen["uppercuts"][100:].mean())
    assert 0.02 < expected < 0.2
    # 87,000 ticks: three deviations of a coin that comes up so often, doubled since ticks are not independent.
    assert abs(found - expected) < 6 * (expected / 87_000) ** 0.5
    assert torch.equal(seen["points"][1:] - seen["points"][:-1], seen.reward[1:])


def test_each_season_has_the_weather_of_its_chain_and_the_bear_sleeps_through_winter() -> None:
    seen = watch(make("seasons", worlds=60), 1439, always("FORAGE"), ["season", "weather", "snow", "asleep"])
    season, weather = (seen[name][360:, :, 0] for name in ("season", "weather"))
    asleep, snow = seen["asleep"][360:, :, 0], seen["snow"][360:, :, 0]
    for number in range(3):
        wet = (weather[season == number] == 1).double().mean()
        assert abs(wet - 0.2 / (0.2 + 0.4)) < 0.02
    white = (weather[season == 3] == 2).double().mean()
    assert abs(white - 0.3 / (0.3 + 0.3)) < 0.03
    assert [int((season[:360, 0] == number).sum()) for number in range(4)] == [90] * 4
    # It falls asleep a tick after winter has begun, and wakes in spring when the snow is nearly gone.
    begins = (season == 3) & (torch.roll(season, 1, 0) == 2)
    assert (torch.roll(asleep, -1, 0)[begins] == 1).all()
    assert (asleep[(season == 3) & ~begins] == 1).all()
    assert (asleep[(season == 1) | (season == 2)] == 0).all()
    woke = (asleep == 0) & (torch.roll(asleep, 1, 0) == 1)
    woke[0] = False
    assert (season[woke] == 0).all()
    assert (torch.roll(snow, 1, 0)[woke] < 5).all()
