"""Statistics of variants against the same statistics in plain Python; and that batches do not change them."""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import torch

import hamlet
from hamlet.backend.buffers import LaneCounts
from hamlet.package.module import Module
from hamlet_lab.sweep import Measured, Trial, measure
from hamlet_lab.sweep import run as running
from hamlet_lab.sweep.grid import grid
from hamlet_lab.sweep.run import Numbers
from samples.shop import SHOP

CAUSES = 2


@pytest.fixture(scope="module")
def shop(compiled: Callable[[str], Module]) -> Module:
    return compiled(SHOP)


def kaplan_meier(ended: list[int], watched: list[int], share: float) -> tuple[float, float]:
    """The area under the curve of survival, and the quantile, in fractions, tick by tick."""
    alive, area, found = Fraction(1), Fraction(0), math.inf
    last = max([*ended, *watched], default=0)
    for tick in range(1, last + 1):
        area += alive
        at_risk = sum(life >= tick for life in [*ended, *watched])
        died = ended.count(tick)
        alive *= Fraction(at_risk - died, at_risk)
        if found == math.inf and died and alive <= 1 - Fraction(str(share)):
            found = tick
    return float(area), found


def quantile(values: list[float], share: float) -> float:
    """The least value that so many are at most."""
    ordered = sorted(values)
    return next(v for n, v in enumerate(ordered, 1) if Fraction(n, len(ordered)) >= Fraction(str(share)))


def some_counts(choose: random.Random, lanes: int, kept: int) -> tuple[LaneCounts, np.ndarray, np.ndarray]:
    episodes = torch.tensor([choose.randrange(kept + 1) for _ in range(lanes)], dtype=torch.int32)
    lengths = torch.tensor([[choose.randrange(1, 9) for _ in range(lanes)] for _ in range(kept)], dtype=torch.int32)
    returns = torch.tensor([[choose.choice([-1.5, 0.25, 3.0, 7.0]) for _ in range(lanes)] for _ in range(kept)])
    causes = torch.tensor([[choose.randrange(CAUSES) for _ in range(lanes)] for _ in range(kept)], dtype=torch.int32)
    uses = torch.tensor([[choose.randrange(5) for _ in range(lanes)] for _ in range(3)], dtype=torch.int32)
    ages = np.array([choose.randrange(12) for _ in range(lanes)], np.int32)
    alive = np.array([choose.random() < 0.7 for _ in range(lanes)])
    return LaneCounts(uses, episodes, lengths, returns, causes), ages, alive


@pytest.mark.parametrize("seed", range(6))
def test_statistics_are_those_of_plain_python(seed: int) -> None:
    choose, variants, lanes = random.Random(seed), 5, 20
    counts, ages, alive = some_counts(choose, lanes, 4)
    found = Measured.of(counts, ages, alive, variants, CAUSES)
    for variant in range(variants):
        own = range(variant * 4, variant * 4 + 4)
        slots = [(lane, number) for lane in own for number in range(int(counts.episodes[lane]))]
        ended = [int(counts.lengths[number, lane]) for lane, number in slots]
        returns = [float(counts.returns[number, lane]) for lane, number in slots]
        watched = [int(ages[lane]) for lane in own if alive[lane] and ages[lane] > 0]
        assert found.episodes[variant] == len(ended)
        for share in (0.1, 0.25, 0.5, 0.7, 0.9):
            area, life = kaplan_meier(ended, watched, share)
            assert found.life_quantile(share)[variant] == life
            assert math.isclose(found.mean_life()[variant], area, rel_tol=1e-12)
            if returns:
                assert found.return_quantile(share)[variant] == quantile(returns, share)
        assert not returns or math.isclose(found.mean_return()[variant], math.fsum(returns) / len(returns))
        ends = [sum(int(counts.causes[n, lane]) == cause for lane, n in slots) for cause in range(CAUSES)]
        assert found.ends[:, variant].tolist() == ends
        assert found.uses[:, variant].tolist() == [int(counts.uses[n, list(own)].sum()) for n in range(3)]


def test_quantiles_of_few_lives_are_exact() -> None:
    """Ten lives of 1 to 10 ticks: rounding moves no quantile."""
    lengths = torch.arange(1, 11, dtype=torch.int32)[:, None]
    one = torch.ones(10, 1, dtype=torch.int32)
    counts = LaneCounts(one[:0], torch.tensor([10], dtype=torch.int32), lengths, lengths.float(), one * 0)
    found = Measured.of(counts, np.array([0], np.int32), np.array([True]), 1, 1)
    for tenths in range(1, 10):
        assert found.life_quantile(tenths / 10)[0] == tenths
        assert found.return_quantile(tenths / 10)[0] == tenths
    assert found.mean_life()[0] == 5.5


def test_where_nothing_happened() -> None:
    none = torch.zeros(0, 2, dtype=torch.int32)
    counts = LaneCounts(
        torch.zeros(1, 2, dtype=torch.int32), torch.zeros(2, dtype=torch.int32), none, none.float(), none
    )
    found = Measured.of(counts, np.array([5, 0], np.int32), np.array([True, True]), 2, 1)
    assert found.episodes.tolist() == [0, 0]
    assert found.life_quantile(0.5)[0] == math.inf, "somebody lives longer than was watched"
    assert math.isnan(found.life_quantile(0.5)[1])
    assert found.mean_life()[0] == 5
    for unknown in (found.mean_return(), found.return_quantile(0.5), found.use_shares()[0], found.end_shares()[0]):
        assert np.isnan(unknown).all()


def joined(found: list[Measured]) -> dict[str, list[float]]:
    mean = {"mean life": [m.mean_life() for m in found], "mean return": [m.mean_return() for m in found]}
    rest = {"life": [m.life_quantile(0.5) for m in found], "return": [m.return_quantile(0.25) for m in found]}
    shares = {f"use {n}": [m.uses[n] for m in found] for n in range(2)}
    ends = {f"end {n}": [m.ends[n] for m in found] for n in range(2)}
    return {name: np.concatenate(parts).tolist() for name, parts in (mean | rest | shares | ends).items()}


def test_batches_and_backends_change_nothing(shop: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = grid(["wage=0:0.5:5", "hunger=0.5:4:7"], shop.universe)
    trial = Trial(shop, worlds=3, ticks=150, seed=4, backend="c", numbers="independent")
    once = joined(list(measure(trial, wanted.values, wanted.variants)))
    # Little room at first, so that the first batch runs twice.
    monkeypatch.setattr(running, "FIRST_LANES", 12)
    monkeypatch.setattr(running, "FIRST_KEPT", 2)
    monkeypatch.setattr(running, "BATCH", 4000)
    batches = list(measure(trial, wanted.values, wanted.variants))
    assert len(batches) > 3
    assert joined(batches) == once
    interpreted = dataclasses.replace(trial, backend="interpreter")
    assert joined(list(measure(interpreted, wanted.values, 8))) == {name: part[:8] for name, part in once.items()}
    assert joined(list(measure(trial, wanted.values, 5, first=20))) == {
        name: part[20:25] for name, part in once.items()
    }


@pytest.mark.parametrize(("numbers", "apart"), [("common", 0), ("independent", 6)])
def test_a_variant_is_what_an_environment_with_its_params_is(shop: Module, numbers: Numbers, apart: int) -> None:
    wanted = grid(["wage=0,0.5", "hunger=1,3"], shop.universe)
    trial = Trial(shop, worlds=6, ticks=200, seed=9, backend="c", numbers=numbers)
    found = joined(list(measure(trial, wanted.values, 4)))
    for variant in range(4):
        params = {name: float(values[variant]) for name, values in wanted.values(0, 4).items()}
        env = hamlet.make(
            shop, worlds=6, first_world=apart * variant, seed=9, params=params, backend="c", obs_dtype=None
        )
        rollout = env.rollout(200)
        assert rollout.episodes() == sum(found[f"end {n}"][variant] for n in range(2))
        assert math.isclose(rollout.mean_return(), found["mean return"][variant], rel_tol=1e-6)
        assert list(rollout.uses().values()) == [found[f"use {n}"][variant] for n in range(2)]
