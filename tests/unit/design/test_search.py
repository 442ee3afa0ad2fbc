"""The search of params: it finds what there is, the same for a seed, and says how near it came otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest

import hamlet
from hamlet.package.module import Module
from hamlet_lab.design import search as searching
from hamlet_lab.design.search import Candidate, Looks, Range, search
from hamlet_lab.design.wishes import parse
from hamlet_lab.sweep import Trial, measure
from hamletc.cli.policy import Player

TOWN = """
universe hamlet
space grid 3 x 3
param wage = 0.1 in 0 .. 0.5
param hunger = 1 in 0.5 .. 4
lifespan 200 ticks
meter food = 0.5 { decay 0.02 * hunger }
meter money = 0.1
affordance Kitchen at random { needs money >= 0.1 instantly { food += 0.3  money -= 0.1 } }
affordance Job at random { instantly { money += wage } }
dies when food <= 0
reward food
observe { meters }
"""
RANGES = [Range("wage", 0, 0.5), Range("hunger", 0.5, 4)]


@pytest.fixture(scope="module")
def town(compiled: Callable[[str], Module]) -> Module:
    return compiled(TOWN)


def look(town: Module, wishes: list[str], seed: int = 0) -> tuple[Candidate, list[float]]:
    told: list[float] = []
    trial = Trial(town, worlds=16, ticks=400, seed=seed, backend="c")
    parsed = [parse(text, town.universe, 400) for text in wishes]
    return search(trial, RANGES, parsed, told.append), told


WISHES = ["median life 20 .. 24", "no affordance above 75 % of uses", "end by lifespan below 1 %"]


def test_wishes_hold_with_what_was_found(town: Module) -> None:
    found, told = look(town, WISHES)
    assert found.met
    assert set(found.misses) == {0.0}
    assert told[-1] == found.rounds / searching.ROUNDS
    # In worlds of its own, apart from the search, with some room for chance.
    values = {name: np.array([value]) for name, value in found.params.items()}
    (again,) = measure(Trial(town, worlds=1000, ticks=400, seed=99, backend="c"), lambda *_: values, 1)
    assert 19 <= again.life_quantile(0.5)[0] <= 25
    assert again.use_shares().max() < 0.8
    env = hamlet.make(town, worlds=100, params=found.params, backend="c")
    assert set(env.params) == set(found.params)


def test_the_same_for_a_seed(town: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "ROUNDS", 3)
    first, second, other = (look(town, WISHES, seed)[0] for seed in (3, 3, 4))
    assert first == second
    assert other.params != first.params


def test_how_near_it_came(town: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "ROUNDS", 4)
    found, told = look(town, ["median life above 150", "median return below 100"])
    assert not found.met
    assert (found.rounds, found.candidates) == (4, 4 * searching.CANDIDATES)
    assert told == [0.25, 0.5, 0.75, 1.0]
    (life,), _ = found.values
    assert found.misses == ((150 - life) / 150, 0.0)
    # The longest life is where food runs out most slowly.
    assert found.params["hunger"] < 0.6


def test_values_are_short_and_in_their_range() -> None:
    shares = np.linspace(0, 1, 1001)
    values = Range("wage", 0.05, 0.3).values(shares)
    assert (values[0], values[-1]) == (0.05, 0.3)
    assert all(len(f"{value:.10g}") <= 7 for value in values)
    assert len(set(values)) > 900
    assert Range("tiny", 1.0, 1.001).values(shares).min() == 1.0
    assert set(Range("fixed", 0.2, 0.2).values(shares)) == {0.2}


def test_each_candidate_is_played_by_what_was_trained_for_it(town: Module) -> None:
    """Once for both looks, with its own params, and no more often than a budget allows."""
    trained: list[dict[str, float]] = []

    def retrain(params: Mapping[str, float]) -> Player:
        trained.append(dict(params))
        return Player()

    trial = Trial(town, worlds=4, ticks=50, backend="c")
    wish = [parse("median return below -1", town.universe, 50)]
    found = search(trial, RANGES, wish, lambda _: None, Looks.within(10), retrain)
    assert (found.rounds, found.candidates) == (2, 8)
    assert len(trained) == len({tuple(each.values()) for each in trained}) == 8
    assert dict(found.params) in trained


@pytest.mark.parametrize("trainings", [1, 3, 4, 10, 32, 1000])
def test_a_budget_is_kept_and_used(trainings: int) -> None:
    looks = Looks.within(trainings)
    assert trainings // 2 < looks.candidates * looks.rounds <= trainings
    assert min(looks.elite, looks.second) >= 1
