"""Intervals and probabilities of improvement, beside numbers that are known in another way."""

from __future__ import annotations

import numpy as np
import pytest

from hamlet_train import certainty


def draws(count: int, mean: float, seed: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.random.Generator(np.random.Philox(seed)).normal(mean, 2.0, count)


def test_an_interval_of_a_mean_is_that_of_the_normal_distribution() -> None:
    numbers = draws(400, 10.0, 1)
    found = certainty.of_mean([numbers])
    error = 1.96 * numbers.std() / 20
    assert found.value == numbers.mean()
    assert abs(found.low - (numbers.mean() - error)) < 0.03
    assert abs(found.high - (numbers.mean() + error)) < 0.03
    assert found == certainty.of_mean([numbers])


def test_an_interval_holds_the_mean_as_often_as_it_says() -> None:
    held = [certainty.of_mean([draws(50, 3.0, seed)]) for seed in range(200)]
    share = np.mean([each.low <= 3.0 <= each.high for each in held])
    assert 0.89 <= share <= 0.98


def test_seeds_that_differ_widen_it() -> None:
    """Episodes of a seed are alike: that there are many of them tells little of another seed."""
    seeds = [draws(500, mean, number) for number, mean in enumerate((4.0, 9.0, 12.0))]
    several, together = certainty.of_mean(seeds), certainty.of_mean([np.concatenate(seeds)])
    assert several.value == pytest.approx(together.value)
    assert several.high - several.low > 5 * (together.high - together.low)


def test_improvement_counts_pairs_and_equal_ones_half() -> None:
    first, second = np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 0.0, 9.0])
    pairs = [(x > y) + 0.5 * (x == y) for x in first for y in second]
    assert certainty.of_improvement([first], [second]).value == np.mean(pairs)
    same = certainty.of_improvement([first], [first])
    assert same.value == 0.5
    assert same.low < 0.5 < same.high
    sure = certainty.of_improvement([first + 10], [first])
    assert (sure.value, sure.low, sure.high) == (1.0, 1.0, 1.0)


def test_seeds_are_compared_where_both_sides_have_several() -> None:
    """By the means of seeds, as Agarwal and others have it, not by their episodes."""
    first = [np.array([0.0, 10.0]), np.array([1.0, 11.0])]
    second = [np.array([4.0, 4.0]), np.array([4.5, 4.5])]
    assert certainty.of_improvement(first, second).value == 1.0
    assert certainty.of_improvement(first[:1], second).value == 0.5


def test_many_numbers_take_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = certainty.of_mean([draws(100, 0.0, 5)])
    monkeypatch.setattr(certainty, "AT_ONCE", 100)
    assert certainty.of_mean([draws(100, 0.0, 5)]) == whole
