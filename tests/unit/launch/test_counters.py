"""Copies of counters: how many, and that they are added up once."""

from __future__ import annotations

import pytest
import torch

from hamlet.backend.buffers import Shape, allocate_statistics, with_ended_meters
from hamlet.launch.gpu.counters import LINE, Counters
from hamlet.schema import abi
from samples import sample

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("words", "copies"),
    [(0, 64), (1, 64), (14, 64), (256, 64), (257, 32), (501, 32), (1001, 16), (16_384, 1), (16_385, 1), (1 << 30, 1)],
)
def test_long_counters_have_few_copies(words: int, copies: int) -> None:
    assert abi.copies(words) == copies
    assert copies == 1 or copies * words <= abi.MOST_COPIED


def test_they_are_added_up_once() -> None:
    universe = sample("town")
    counters, counts = Counters(universe, CPU), allocate_statistics(universe, Shape(3, 1), CPU)
    counts = with_ended_meters(counts, len(universe.meters))
    assert {name: array.shape[1] for name, array in counters.arrays.items()} == abi.counters(universe)
    assert tuple(counters.arrays) == abi.SUMS, "kernels take them in this order"
    assert all(each.data_ptr() % 16 == 0 for each in counters.arrays.values())
    lines = [{word // LINE for word in _words(array)} for array in counters.arrays.values()]
    assert not lines[0] & lines[1]
    assert not lines[1] & lines[2]
    for turn in (1, 2):
        for array in counters.arrays.values():
            array += torch.arange(array.numel()).view_as(array)
        expected = {name: turn * array.sum(dim=0) for name, array in counters.arrays.items()}
        counters.add_to(counts)
        for name, value in expected.items():
            assert torch.equal(getattr(counts, name), value)
        assert not any(array.any() for array in counters.arrays.values())


def _words(array: torch.Tensor) -> range:
    first = array.storage_offset()
    return range(first, first + array.numel())
