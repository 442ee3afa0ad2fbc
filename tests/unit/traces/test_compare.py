"""Comparing numbers by their bits, and how much is let pass where HAMLET takes powers from a library."""

from __future__ import annotations

import numpy as np
import pytest

from hamlet_townlet.traces.compare import POWER_ULPS, compare, tolerances
from samples import universe_of

TEXT = """universe powers
space grid 3 x 3
lifespan 9 ticks
episodes by hand
meter energy = 0.5 {{ decay 0.01 }}
affordance Bed at random {{ instantly {{ energy += 0.3 }} }}
dies when energy <= 0
reward extrinsic: {}
reward shaping: energy
report intrinsic_weights: {}
observe {{ meters energy }}
"""


def f32(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array(values, dtype=np.float32)


@pytest.mark.parametrize("value", [0.7, -0.7, 1e-45, -1e-40, 3e38])
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_units_in_the_last_place(value: float, steps: int) -> None:
    recorded, found = f32(value), f32(value)
    for _ in range(steps):
        found = np.nextafter(found, np.float32(-np.inf))
    assert compare("x", recorded, recorded, 0).first is None
    assert compare("x", recorded, found, steps - 1).first == (0,)
    passed = compare("x", recorded, found, steps)
    assert (passed.first, passed.largest) == (None, steps)


def test_across_zero() -> None:
    assert compare("x", f32(1e-45), f32(-1e-45), 1).first == (0,)
    assert compare("x", f32(1e-45), f32(-1e-45), 2).largest == 2


def test_zeros_and_nans() -> None:
    other_nan = np.array([0x7F800001], dtype=np.int32).view(np.float32)
    same = compare("x", f32(0.0, -0.0, 0.0, np.nan), np.concatenate([f32(-0.0, 0.0, 0.0), other_nan]), 0)
    assert (same.first, same.zeros, same.count) == (None, 2, 4)
    for recorded, found in ((np.nan, 1.0), (1.0, np.nan), (np.inf, np.nan), (np.inf, -np.inf), (np.inf, 3.4028235e38)):
        assert compare("x", f32(recorded), f32(found), 0).first == (0,)
    assert compare("x", f32(np.nan), f32(1.0), POWER_ULPS).first == (0,)


def test_whole_numbers_and_conditions() -> None:
    recorded = np.array([[1, -1], [0, 7]], dtype=np.int8)
    found = recorded.astype(np.int64)
    assert compare("x", recorded, found, 0).count == 4
    found[1, 0] = 256
    assert compare("x", recorded, found, 0).first == (1, 0)
    assert compare("x", np.array([True, False]), np.array([True, True]), 0).first == (1,)


def test_places_that_were_not_asked_for() -> None:
    found = np.array([np.nan, 2.0])
    assert compare("x", np.array([5.0, 2.0]), found, 0).count == 1
    assert compare("x", np.array([5.0, 3.0]), found, 0).first == (1,)


@pytest.mark.parametrize(
    ("extrinsic", "weights", "streams"),
    [
        ("energy * energy", "energy", []),
        ("pow(energy, 0.7)", "energy", ["r_extrinsic", "rewards"]),
        ("0.5 + 2 * sqrt(energy)", "energy", ["r_extrinsic", "rewards"]),
        ("energy", "pow(energy, 0.7)", ["intrinsic_weights"]),
    ],
)
def test_what_depends_on_powers(extrinsic: str, weights: str, streams: list[str]) -> None:
    universe = universe_of(TEXT.format(extrinsic, weights))
    assert sorted(tolerances(universe)) == sorted(streams)
