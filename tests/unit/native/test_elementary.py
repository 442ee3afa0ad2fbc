"""Elementary functions and random words in C have the interpreter's bits, with vectors and without."""

from __future__ import annotations

import ctypes
import shutil
from typing import Any

import numpy as np
import pytest
import torch

from hamlet.interpreter import functions
from hamlet.native.library import library
from hamlet.native.texts import text
from hamlet.numbers.random import policy_words, share

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="this machine has no compiler of C")

OF_ONE = ("exp", "log", "log_from_1", "tanh", "cos")
TEXT = (
    text("elementary.h")
    + "".join(
        f"HAMLET_EXPORT void of_{name}(const f32 *x, f32 *y, ix count) {{\n"
        f"    for (ix i = 0; i < count; i += WIDE) store_vf32(y, i, {name}_vf32(fetch_vf32(x, i)));\n}}\n"
        for name in OF_ONE
    )
    + """
HAMLET_EXPORT void words(u32 lane, u32 tick, u32 low, u32 high, u32 *drawn, ix count) {
    for (ix i = 0; i < count; i += WIDE) {
        vu32 lanes = ramp_vu32(lane + (u32)i), block = alike_vu32(tick >> 2);
        drawn_words four = philox(lanes, block, alike_vu32(1), alike_vu32(0), low, high);
        for (int word = 0; word < 4; word++) store_vu32(drawn, word * count + i, four.word[word]);
    }
}
HAMLET_EXPORT void shares(const u32 *drawn, f32 *y, u32 above, ix count) {
    for (ix i = 0; i < count; i += WIDE) store_vf32(y, i, share_vu32(fetch_vu32(drawn, i), above));
}
"""
)
COUNT = 1 << 15


@pytest.fixture(scope="module", params=["vectors", "scalar"])
def compiled(request: pytest.FixtureRequest) -> ctypes.CDLL:
    return library(TEXT, {"HAMLET_SCALAR": "1"} if request.param == "scalar" else {})


def bits(numbers: Any) -> Any:
    return np.asarray(numbers).view(np.int32)


def pointer(array: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


@pytest.mark.parametrize("name", OF_ONE)
def test_functions_have_the_bits_of_the_interpreter(compiled: ctypes.CDLL, name: str) -> None:
    words = np.random.default_rng(1).integers(0, 2**32, COUNT, dtype=np.uint32)
    x = words.view(np.float32).copy()
    x = np.where(np.isfinite(x), x, np.float32(-0.0))
    # Random bits are seldom near 1, where most happens.
    x[: COUNT // 2] = np.linspace(-20, 20, COUNT // 2, dtype=np.float32)
    if name == "log":
        x = np.abs(x) + np.float32(1e-45)
    elif name == "log_from_1":
        x = np.maximum(np.abs(x), np.float32(1.0))
    found = np.zeros_like(x)
    compiled[f"of_{name}"](pointer(x), pointer(found), ctypes.c_int64(COUNT))
    wanted = functions.call(name.removesuffix("_from_1"), torch.from_numpy(x)).numpy()  # type: ignore[arg-type]
    assert np.array_equal(bits(found), bits(wanted))


def test_words_are_those_of_policies(compiled: ctypes.CDLL) -> None:
    first, count = (1 << 32) - 32, 64
    lanes = torch.arange(first, first + count) & 0xFFFFFFFF
    for tick in (0, 5, (1 << 32) - 1):
        drawn = np.zeros((4, count), np.uint32)
        numbers = (ctypes.c_uint32(each) for each in (first, tick, 3, 7))
        compiled.words(*numbers, pointer(drawn), ctypes.c_int64(count))
        wanted = torch.stack(list(policy_words(lanes, tick, (3, 7))))
        assert np.array_equal(drawn, wanted.numpy().astype(np.uint32))


def test_shares_of_words(compiled: ctypes.CDLL) -> None:
    words = np.random.default_rng(2).integers(0, 2**32, 64, dtype=np.uint32)
    words[:2] = 0, 2**32 - 1
    for above in (0, 1):
        found = np.zeros(64, np.float32)
        compiled.shares(pointer(words), pointer(found), ctypes.c_uint32(above), ctypes.c_int64(64))
        assert np.array_equal(bits(found), bits(share(torch.from_numpy(words.astype(np.int64)), above)))
