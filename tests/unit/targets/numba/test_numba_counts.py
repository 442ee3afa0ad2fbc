"""Chosen lanes and statistics: the same with and without instructions that pack numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

from hamlet.launch.cpu import ops as numba_ops
from hamlet.launch.cpu.ops import CHOSEN, LANES, NOTES, add_notes, count_episodes, machinery, packing, part

GENERATOR = np.random.default_rng(1)


@pytest.fixture(params=["as this machine can", "one by one"])
def again(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], Any]:
    """Makes a function anew, so that it packs numbers in this way when it is compiled."""
    if request.param == "one by one":
        monkeypatch.setattr(packing, "supports", lambda _feature: False)
    return lambda operation: numba.njit(machinery.definition(operation).__wrapped__)  # type: ignore[union-attr]


def test_lanes_are_chosen_in_order(again: Callable[[Any], Any]) -> None:
    choose_lanes = again(numba_ops.choose_lanes)

    @numba.njit
    def choose(flags: Any, lanes: Any) -> int:
        return choose_lanes(flags, part(lanes, 0, 0))

    for density in (0.0, 0.3, 1.0):
        flags = GENERATOR.random(LANES) < density
        flags[[0, 63, 64, 255]] = True
        lanes = np.zeros(CHOSEN, np.uint8)
        assert choose(flags, lanes) == flags.sum()
        assert np.array_equal(lanes[: flags.sum()], np.flatnonzero(flags))


@pytest.mark.parametrize(
    ("dtype", "count"),
    [(np.uint8, 14), (np.uint8, 64), (np.uint8, 65), (np.uint8, 256), (np.uint16, 10_000), (np.uint32, 70_000)],
)
def test_every_use_is_counted_once(
    again: Callable[[Any], Any], dtype: type[np.unsignedinteger[Any]], count: int
) -> None:
    """Also when more is used than there is room for notes."""
    count_uses = again(numba_ops.count_uses)

    @numba.njit
    def add_up(used: Any, notes: Any, uses: Any) -> int:
        noted, most = 0, 0
        for tick in range(used.shape[0]):
            noted = count_uses(part(used, tick, 0), part(notes, 0, 0), noted, part(uses, 0, 0), uses.shape[0])
            most = max(most, noted)
        add_notes(part(notes, 0, 0), noted, part(uses, 0, 0), uses.shape[0])
        return most

    used = GENERATOR.integers(0, count, (40, LANES)).astype(np.int32)
    used[:2] = count - 1
    used[2:][GENERATOR.random((38, LANES)) < 0.4] = -1
    used[5] = -1
    uses = np.zeros(count, np.int64)
    notes = np.zeros(NOTES, dtype)
    assert 0 < add_up(used, notes, uses) <= NOTES
    assert np.array_equal(uses, np.bincount(used[used >= 0], minlength=count))
    assert (used >= 0).sum() > 4 * NOTES


def test_episodes_are_counted_where_there_is_a_cause() -> None:
    @numba.njit
    def add_up(lanes: Any, chosen: Any, cause: Any, age: Any, total: Any, counts: Any, lengths: Any, sums: Any) -> None:
        counted = part(counts, 0, 0), part(lengths, 0, 0), lengths.shape[0] - 1, part(sums, 0, 0)
        count_episodes(part(lanes, 0, 0), chosen, part(cause, 0, 0), part(age, 0, 0), part(total, 0, 0), *counted)

    cause, age = np.array([1, -1, 0, 1], np.int32), np.array([3, 2, 900, 4], np.int32)
    total = np.array([0.5, 8.0, 0.25, 2.0], np.float32)
    counts, lengths, sums = np.zeros(2, np.int64), np.zeros(6, np.int64), np.ones(4, np.float32)
    add_up(np.array([0, 1, 2, 9], np.uint8), 3, cause, age, total, counts, lengths, sums)
    assert counts.tolist() == [1, 1]
    assert lengths.tolist() == [0, 0, 0, 1, 0, 1]
    assert sums.tolist() == [1.5, 1.0, 1.25, 1.0]
