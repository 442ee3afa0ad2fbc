"""What agents have together and whose claims are granted, against plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from hamlet.interpreter import among

f32 = np.float32
NUMBERS = st.floats(width=32, allow_nan=False, min_value=-(2.0**100), max_value=2.0**100)
AGENTS = st.lists(st.tuples(NUMBERS, st.booleans()), min_size=1, max_size=40)


def tree(values: list[tuple[float, bool]]) -> np.float32:
    """The sum as docs/semantics.md states it."""
    x = [f32(value) if running else f32(0) for value, running in values]
    while len(x) & (len(x) - 1):
        x.append(f32(0))
    while len(x) > 1:
        x = [x[2 * j] + x[2 * j + 1] for j in range(len(x) // 2)]
    return x[0]


def extreme(values: list[tuple[float, bool]], *, least: bool) -> np.float32:
    """The least or the greatest number, by recursion: the right half begins with the half of the padded length."""
    size = 1
    while size < len(values):
        size *= 2
    found = _half([*((f32(v), r) for v, r in values), *[(f32(0), False)] * (size - len(values))], least=least)
    return f32(0) if found is None else found


def _half(x: list[tuple[np.float32, bool]], *, least: bool) -> np.float32 | None:
    if len(x) == 1:
        return x[0][0] if x[0][1] else None
    a, b = _half(x[: len(x) // 2], least=least), _half(x[len(x) // 2 :], least=least)
    if a is None or b is None:
        return b if a is None else a
    return (a if a < b else b) if least else (a if b < a else b)


def same(found: torch.Tensor, expected: float) -> None:
    assert found.shape == (1, 1)
    assert found.numpy().view(np.uint32)[0, 0] == f32(expected).view(np.uint32), (found.item(), expected)


@settings(max_examples=examples(300), deadline=None)
@given(AGENTS)
def test_numbers_of_all_agents_are_those_of_the_tree(agents: list[tuple[float, bool]]) -> None:
    values = torch.tensor([[f32(value) for value, _ in agents]])
    running = torch.tensor([[runs for _, runs in agents]])
    with np.errstate(over="ignore"):
        sum_of_all, many = tree(agents), sum(runs for _, runs in agents)
    same(among.total(values, running), float(sum_of_all))
    same(among.extreme(values, running, least=True), float(extreme(agents, least=True)))
    same(among.extreme(values, running, least=False), float(extreme(agents, least=False)))
    same(among.average(values, running), float(sum_of_all / f32(many)) if many else 0.0)
    same(among.count(values > 0, running), sum(value > 0 and runs for value, runs in agents))


def test_the_tree_is_no_sum_from_left_to_right() -> None:
    """1e8 + 1 rounds to 1e8, so each order of additions has another result."""
    values, everybody = torch.tensor([[1e8, 1.0, 1.0, 1.0, -1e8]]), torch.ones((1, 5), dtype=torch.bool)
    # ((1e8 + 1) + (1 + 1)) + ((-1e8 + 0) + (0 + 0)) = 1e8 - 1e8; from left to right the same; pairs of three differ:
    same(among.total(values, everybody), 0.0)
    same(among.total(values[:, [0, 4, 1, 2, 3]], everybody), 3.0)
    same(among.total(torch.tensor([[1.0, 1e8, -1e8]]), everybody[:, :3]), 0.0)
    same(among.total(torch.tensor([[-0.0]]), everybody[:, :1]), -0.0)
    same(among.extreme(torch.tensor([[0.0, -0.0]]), everybody[:, :2], least=True), -0.0)
    same(among.extreme(torch.tensor([[0.0, -0.0]]), everybody[:, :2], least=False), -0.0)


PLACES = st.lists(
    st.tuples(st.booleans(), st.one_of(NUMBERS, st.sampled_from([-1.5, -0.0, 0.0, 0.25, 2.0**-149]))),
    min_size=1,
    max_size=30,
)


@settings(max_examples=examples(300), deadline=None)
@given(PLACES)
def test_who_comes_before_whom(agents: list[tuple[bool, float]]) -> None:
    found = among.rank(torch.tensor([[counts for counts, _ in agents]]), torch.tensor([[value for _, value in agents]]))
    expected = [
        sum(
            counts and (value > mine or (value == mine and other < number))
            for other, (counts, value) in enumerate(agents)
        )
        for number, (_, mine) in enumerate(agents)
    ]
    assert found.dtype == torch.float32
    assert found[0].tolist() == expected


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 1.0, 1.5, 7.0])), min_size=1, max_size=30))
def test_the_nearest_of_equals_is_the_first(agents: list[tuple[bool, float]]) -> None:
    counts, away = torch.tensor([[c for c, _ in agents]]), torch.tensor([[a for _, a in agents]])
    found = among.nearest(counts, away, torch.arange(float(len(agents)))[None], torch.tensor([[-1.0]]))
    there = [(distance, number) for number, (counts, distance) in enumerate(agents) if counts]
    assert found.item() == (min(there)[1] if there else -1)


CLAIMS = st.lists(
    st.tuples(st.booleans(), st.booleans(), st.sampled_from([-1.5, -0.0, 0.0, 0.25, 0.25, 3.0])),
    min_size=1,
    max_size=30,
)


@settings(max_examples=examples(300), deadline=None)
@given(CLAIMS, st.floats(-2, 12, width=32))
def test_claims_are_granted_in_order(agents: list[tuple[bool, bool, float]], places: float) -> None:
    ranked = sorted(
        (number for number, (claims, _, _) in enumerate(agents) if claims),
        key=lambda number: (not agents[number][1], -agents[number][2], number),
    )
    expected = set(ranked[: max(0, math.floor(places))])
    found = among.granted(
        torch.tensor([[claims for claims, _, _ in agents]]),
        torch.tensor([[engaged for _, engaged, _ in agents]]),
        torch.tensor([[priority for _, _, priority in agents]]),
        torch.tensor([[places]]),
    )
    assert set(found[0].nonzero().flatten().tolist()) == expected


@pytest.mark.parametrize("places", [0.0, 0.99, -3.0])
def test_without_a_place_nobody_is_served(places: float) -> None:
    all_of_them = torch.ones((2, 3), dtype=torch.bool)
    found = among.granted(all_of_them, all_of_them, torch.zeros((2, 3)), torch.full((2, 1), places))
    assert not found.any()
