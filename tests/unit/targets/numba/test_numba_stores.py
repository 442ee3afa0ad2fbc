"""Lanes that kernels hold as bytes become the wider numbers of arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from hamlet.launch.cpu.ops import LANES, local_i8, part, store_lanes
from hamletc.compile import check
from hamletc.language.source import Source
from hamletc.read import parsed
from hamletc.targets.numba.slots import outcomes


def test_bytes_are_widened_with_their_sign() -> None:
    @numba.njit
    def copy(numbers: Any, target: Any) -> None:
        chunk = local_i8(LANES)
        for lane in range(LANES):
            chunk[lane] = numbers[lane]
        store_lanes(chunk, part(target, 1, 2), 200)

    numbers = np.arange(-128, 128, dtype=np.int32)
    target = np.full((2, 300), 7, np.int32)
    copy(numbers, target)
    assert np.array_equal(target[1, 2:202], numbers[:200])
    target[1, 2:202] = 7
    assert (target == 7).all()


@pytest.mark.parametrize(("count", "made"), [(128, "local_i8"), (129, "local_i32")])
def test_numbers_of_affordances_are_bytes_where_they_fit(count: int, made: str) -> None:
    lines = [f"affordance a{number} at ({number}) {{ instantly {{ energy += 0.1 }} }}" for number in range(count)]
    text = "\n".join(["universe many", "space grid 200", "meter energy = 1", "reward energy", *lines])
    universe = check(parsed(Source(Path("many.hamlet"), text))).universe
    assert next(slot.chunk.own.maker for slot in outcomes(universe) if slot.name == "used") == made
