"""Tables in registers and in memory: the same numbers for a lane and for a vector."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from hamlet.launch.cpu.ops import WIDE, Short, part, tables, take, vectors, wide


@pytest.fixture(params=["avx512f", "avx2", "neither"])
def registers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are looked up as a machine would that has this, and nothing better."""
    if request.param != "neither" and not vectors.supports(request.param):
        pytest.skip(f"this machine has no {request.param}")
    monkeypatch.setattr(tables, "supports", lambda feature: feature == request.param)


def taken(table: Any, given: Any, index: Any, at_once: bool) -> Any:
    """What a table has at each index. `given` is the table, or nothing where it is a constant."""
    in_memory = given.shape[0] > 0

    @numba.njit
    def lanes(given: Any, index: Any, found: Any) -> None:
        for lane in range(index.shape[0]):
            found[lane] = take(given if in_memory else table, index[lane])

    @numba.njit
    def vectors(given: Any, index: Any, found: Any) -> None:
        for first in range(0, index.shape[0], WIDE):
            lane = wide(first)
            part(found, 0, 0)[lane] = take(given if in_memory else table, part(index, 0, 0)[lane])

    found = np.zeros(len(index), given.dtype)
    (vectors if at_once else lanes)(given, index, found)
    return found


@pytest.mark.usefixtures("registers")
@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("size", [1, 8, 9, 16, 17, 33, 64])
@pytest.mark.parametrize("dtype", ["f32", "i32"])
def test_short_tables(dtype: str, size: int, at_once: bool) -> None:
    kind = {"f32": np.float32, "i32": np.int32}[dtype]
    values = np.arange(-3, size - 3).astype(kind)
    index = np.random.default_rng(size).integers(0, size, 8 * WIDE).astype(np.int32)
    table = Short(dtype, tuple(values.tolist()))
    assert np.array_equal(taken(table, np.zeros(0, kind), index, at_once), values[index])


@pytest.mark.parametrize("at_once", [False, True])
def test_long_tables(at_once: bool) -> None:
    values = np.arange(1000).astype(np.float32)
    index = np.random.default_rng(3).integers(0, len(values), 8 * WIDE).astype(np.int32)
    assert np.array_equal(taken(values, values, index, at_once), values[index])
