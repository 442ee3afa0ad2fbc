"""Operations of `hamlet.h` on numbers and vectors: the bits of numpy, where that computes the same."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_int32, c_uint32
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from built import Array, Header

from hamlet.numbers.binary32 import round32

DTYPES: dict[str, Any] = {"f32": np.float32, "i32": np.int32, "u32": np.uint32, "bool": np.bool_}
COUNT = 4096

LIMITS = {
    "f32": np.array(
        [
            *(0x00000000, 0x80000000, 1, 0x80000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000),
            *(0xFF800000, 0x7FC00000, 0x3F800000, 0xBF800000, 0x3F800001, 0x4B7FFFFF, 0x4B800001),
        ],
        np.uint32,
    ),
    "i32": np.array([0, 1, -1, 2, 2**31 - 1, -(2**31), 2**24 + 1, -(2**24) - 1], np.int32),
    "u32": np.array([0, 1, 2, 2**31 - 1, 2**31, 2**32 - 1, 2**16, 0x01010101], np.uint32),
    "bool": np.array([False, True]),
}


def numbers(dtype: str, seed: int) -> Array:
    """All pairs of limits are among two such arrays of other seeds, beside random numbers."""
    limits, generator = LIMITS[dtype], np.random.default_rng(seed)
    pairs = np.repeat(limits, len(limits)) if seed % 2 else np.tile(limits, len(limits))
    words = generator.integers(0, 2**32, COUNT - len(pairs), np.uint32)
    if dtype == "bool":
        return np.concatenate([pairs, words % 2 == 1])
    if dtype == "f32":
        near = generator.standard_normal(len(words)).astype(np.float32)
        return np.concatenate([pairs, np.where(words % 4 == 0, words, near.view(np.uint32))]).view(np.float32)
    return np.concatenate([pairs, words.view(DTYPES[dtype])])


def same(found: Array, wanted: Array) -> bool:
    """Whether bits are equal; a NaN is like another."""
    if found.dtype == np.float32:
        both = np.isnan(found) & np.isnan(wanted)
        return bool(np.all(both | (found.view(np.uint32) == wanted.view(np.uint32))))
    return np.array_equal(found, wanted)


def _high(a: Array, b: Array) -> Array:
    return (a.astype(np.uint64) * b >> np.uint64(32)).astype(np.uint32)


BINARY: dict[str, tuple[tuple[str, ...], Callable[..., Array]]] = {
    "add": (("f32", "i32", "u32"), np.add),
    "subtract": (("f32", "i32", "u32"), np.subtract),
    "multiply": (("f32", "i32", "u32"), np.multiply),
    "divide": (("f32",), np.divide),
    "mulhigh": (("u32",), _high),
    "bit_and": (("u32", "bool"), np.bitwise_and),
    "bit_or": (("u32", "bool"), np.bitwise_or),
    "bit_xor": (("u32",), np.bitwise_xor),
    "less": (("f32", "i32", "u32"), np.less),
    "less_equal": (("f32", "i32", "u32"), np.less_equal),
    "equal": (("f32", "i32", "u32", "bool"), np.equal),
}
UNARY: dict[str, tuple[tuple[str, ...], Callable[..., Array]]] = {
    "negate": (("f32", "i32"), np.negative),
    "absolute": (("f32", "i32"), np.absolute),
    "not": (("bool",), np.logical_not),
    "to_f32": (("i32",), lambda x: x.astype(np.float32)),
    "to_i32": (("u32",), lambda x: x.view(np.int32)),
    "to_u32": (("i32",), lambda x: x.view(np.uint32)),
    "to_bits": (("f32",), lambda x: x.view(np.uint32)),
    "from_bits": (("u32",), lambda x: x.view(np.float32)),
}
WAYS = pytest.mark.parametrize("way", ["lane", "wide"])


@pytest.mark.parametrize("name", BINARY)
def test_two_operands(header: Header, name: str) -> None:
    dtypes, meaning = BINARY[name]
    for dtype in dtypes:
        operands = numbers(dtype, 0), numbers(dtype, 1)
        with np.errstate(all="ignore"):
            wanted = meaning(*operands)
        for way in ("lane", "wide"):
            assert same(header.computed(way, f"{name}_{dtype}", wanted.dtype, operands), wanted), (dtype, way)


@pytest.mark.parametrize("name", UNARY)
def test_one_operand(header: Header, name: str) -> None:
    dtypes, meaning = UNARY[name]
    for dtype in dtypes:
        operand = numbers(dtype, 0)
        wanted = meaning(operand)
        for way in ("lane", "wide"):
            assert same(header.computed(way, f"{name}_{dtype}", wanted.dtype, [operand]), wanted), (dtype, way)


@WAYS
@pytest.mark.parametrize("name", ["divide", "remainder"])
def test_quotients_of_words(header: Header, name: str, way: str) -> None:
    left, right = numbers("u32", 0), numbers("u32", 1)
    right[right == 0] = 7
    wanted = left // right if name == "divide" else left % right
    assert same(header.computed(way, f"{name}_u32", np.uint32, [left, right]), wanted)


@WAYS
@pytest.mark.parametrize("name", ["shift_left", "shift_right"])
def test_shifts(header: Header, name: str, way: str) -> None:
    left, by = numbers("u32", 0), numbers("u32", 1) % 32
    wanted = left << by if name == "shift_left" else left >> by
    assert same(header.computed(way, f"{name}_u32", np.uint32, [left, by]), wanted)


@WAYS
@pytest.mark.parametrize("dtype", DTYPES)
def test_where(header: Header, dtype: str, way: str) -> None:
    condition, then, otherwise = numbers("bool", 2), numbers(dtype, 0), numbers(dtype, 1)
    found = header.computed(way, f"where_{dtype}", DTYPES[dtype], [condition, then, otherwise])
    wanted = np.where(condition, then, otherwise)
    assert np.array_equal(found.view(np.uint8), wanted.view(np.uint8))


def test_lesser_and_greater_are_selects_by_less(header: Header) -> None:
    # Zeros of both signs and NaNs are among the operands: which of two that are not less is given matters.
    left, right = numbers("f32", 0), numbers("f32", 1)
    for name, expected in {
        "lesser": np.where(left < right, left, right),
        "greater": np.where(right < left, left, right),
    }.items():
        made = header.computed("wide", f"{name}_f32", np.float32, [left, right])
        assert np.array_equal(made.view(np.uint32), expected.view(np.uint32)), name


@WAYS
def test_square_roots(header: Header, way: str) -> None:
    operand = np.abs(numbers("f32", 0))
    operand[:64] = np.arange(64, dtype=np.float32) ** 2
    operand[64:128] = np.arange(1, 65, dtype=np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        wanted = np.sqrt(operand)
    assert same(header.computed(way, "square_root_f32", np.float32, [operand]), wanted)


def fused(left: float, right: float, addend: float) -> float:
    """left * right + addend of finite numbers, rounded once."""
    exact = Fraction(left) * Fraction(right) + Fraction(addend)
    if exact == 0:
        return left * right + addend
    return _nearest(exact)


def _nearest(exact: Fraction) -> float:
    """The number of f32 that is nearest; of two the even one."""
    size, exponent = abs(exact), 0
    while size >= 2 ** (exponent + 1):
        exponent += 1
    while size < Fraction(2) ** exponent and exponent > -126:
        exponent -= 1
    unit = Fraction(2) ** (exponent - 23)
    rounded = round(size / unit) * unit
    nearest = float("inf") if rounded >= 2**128 else float(rounded)
    return -nearest if exact < 0 else nearest


@WAYS
def test_fma(header: Header, way: str) -> None:
    a, b, c = numbers("f32", 0)[-1024:], numbers("f32", 2)[-1024:], numbers("f32", 4)[-1024:]
    with np.errstate(all="ignore"):
        # Sums that cancel, that end between two numbers, and that are subnormal.
        c[:256] = -(a[:256] * b[:256])
        c[256:512] = np.ldexp(a[256:512] * b[256:512], 24)
        a[512:600] = np.ldexp(a[512:600], -100)
        b[512:600] = np.ldexp(b[512:600], -40)
    c[512:600] = np.arange(88, dtype=np.uint32).view(np.float32)
    finite = np.isfinite(a) & np.isfinite(b) & np.isfinite(c)
    a, b, c = (np.where(finite, x, np.float32(1.0)) for x in (a, b, c))
    wanted = np.array([fused(*map(float, each)) for each in zip(a, b, c, strict=True)], np.float32)
    assert same(header.computed(way, "fma_f32", np.float32, [a, b, c]), wanted)
    # Sums whose 53 bits end in the middle between two numbers of f32; what f64 has lost decides.
    low, high = np.float32(2.0**-24 - 2.0**-42), np.float32(1.0 + 2.0**-18)
    signs = [(each, other) for each in (-1.0, 1.0) for other in (-1.0, 1.0)]
    a = np.resize(np.array([sign * low for sign, _ in signs], np.float32), 64)
    b = np.full(64, high)
    c = np.array([sign * (1.0 + number * 2.0**-23) for number in range(16) for _, sign in signs], np.float32)
    wanted = np.array([fused(*map(float, each)) for each in zip(a, b, c, strict=True)], np.float32)
    assert same(header.computed(way, "fma_f32", np.float32, [a, b, c]), wanted)
    limits = np.resize(LIMITS["f32"].view(np.float32), 64)
    one, zero = np.ones(64, np.float32), np.full(64, -0.0, np.float32)
    assert same(header.computed(way, "fma_f32", np.float32, [limits, one, zero]), limits)
    assert same(header.computed(way, "fma_f32", np.float32, [one, one, limits]), one + limits)


def test_numbers_for_every_lane(header: Header) -> None:
    count = 64
    for real, whole, word, truth in [(-0.0, -(2**31), 2**32 - 3, True), (1.5, 7, 3, False)]:
        filled = [np.zeros(count, dtype) for dtype in DTYPES.values()] + [np.zeros(count, np.uint32)]
        word_ = np.uint32(word)
        header.call("fill", *_fill(real, whole, word, truth), *filled, count, gives=None)
        for array, value in zip(filled, (real, whole, word_, truth), strict=False):
            assert np.array_equal(array.view(np.uint8), np.full(count, value, array.dtype).view(np.uint8))
        with np.errstate(over="ignore"):
            assert np.array_equal(filled[-1], word_ + np.arange(count, dtype=np.uint32))


def _fill(real: float, whole: int, word: int, truth: bool) -> tuple[Any, ...]:
    return round32(real), c_int32(whole), c_uint32(word), truth
