"""The elementary functions of networks on CPUs, against those of the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from hamlet.interpreter import functions
from hamlet.launch.cpu.ops import LANES, WIDE, kernel, load_lanes, local_f32, part, store_lanes, wide
from hamlet.launch.cpu.ops.elementary import exp, log_from_1, tanh


@kernel
def compute(x: Any, y: Any, which: Any) -> None:
    """y = exp, log, tanh of x."""
    values = local_f32(LANES)
    for start in range(0, x.shape[0], LANES):
        count = min(LANES, x.shape[0] - start)
        load_lanes(values, part(x, 0, start), count)
        for first in range(0, LANES, WIDE):
            lane = wide(first)
            if which == 0:
                values[lane] = exp(values[lane])
            elif which == 1:
                values[lane] = log_from_1(values[lane])
            else:
                values[lane] = tanh(values[lane])
        store_lanes(values, part(y, 0, start), count)


def check(words: np.ndarray[Any, Any]) -> None:
    """Compare the functions for the numbers with these bits that are no NaN; logarithms for those from 1 on."""
    x = words.astype(np.uint32).view(np.float32)
    x = x[~np.isnan(x)]
    for which, (function, given) in enumerate(((functions.exp, x), (functions.log, x[(x >= 1) & np.isfinite(x)]))):
        compare(which, function, given)
    compare(2, functions.tanh, x)


def compare(which: int, function: Any, x: np.ndarray[Any, Any]) -> None:
    found = np.empty_like(x)
    compute(np.ascontiguousarray(x), found, which)
    expected = function(torch.from_numpy(x)).numpy()
    wrong = np.flatnonzero(found.view(np.uint32) != expected.view(np.uint32))
    assert len(x) > 1000
    assert not len(wrong), f"{function.__name__}({x[wrong[0]]!r}) = {found[wrong[0]]!r}, not {expected[wrong[0]]!r}"


def test_a_sample_of_all_numbers() -> None:
    edges = np.array([0.0, 1.0, 10.0, 0.55, 89.5, 105.0, 87.3, 103.97], np.float32).view(np.uint32)
    near = (edges[:, None].astype(np.int64) + np.arange(-40, 41)).reshape(-1) % (1 << 32)
    check(np.concatenate([np.arange(0, 1 << 32, 150011), near, near ^ (1 << 31)]))


@pytest.mark.long
def test_many_of_all_numbers() -> None:
    for start in range(0, 1 << 32, 1 << 28):
        check(np.arange(start + start // (1 << 28), start + (1 << 28), 61))
