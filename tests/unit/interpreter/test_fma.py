"""Fused multiply-add against exact arithmetic of whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from hamlet.interpreter.fma import fma
from hamlet.interpreter.space import length
from samples.by_hand import f32

LEAST = 149
"""Binary32 numbers are multiples of 2**-149, and their products of the square of that."""
TINY = 1 << LEAST
"""The smallest of them, as a multiple of 2**-298."""


def multiples(numbers: Any) -> list[int]:
    """Binary32 numbers as multiples of 2**-149."""
    return [int(each) for each in np.ldexp(np.asarray(numbers, np.float64), LEAST)]


def rounded(exact: int) -> Any:
    """The binary32 number nearest to a multiple of 2**-298, ties to even; worked out with integers."""
    size = abs(exact)
    dropped = max(size.bit_length() - 24, LEAST)
    units, rest, half = size >> dropped, size & ((1 << dropped) - 1), 1 << (dropped - 1)
    if rest > half or (rest == half and units % 2):
        units += 1
    value = f32(np.ldexp(float(units), dropped - 2 * LEAST))
    return -value if exact < 0 else value


def bits(x: Any) -> Any:
    return np.asarray(x, f32).view(np.uint32)


def check(a: Any, b: Any, c: Any) -> int:
    """Compare as many triples; the number of those that two roundings would have got wrong."""
    a, b, c = (np.array(x, f32) for x in (a, b, c))
    tensors = [torch.from_numpy(x) for x in (a, b, c)]
    found = fma(*tensors).numpy()
    # Few numbers are computed in another way than many.
    few = torch.cat([fma(*part) for part in zip(*(x.split(500) for x in tensors), strict=True)]).numpy()
    assert (bits(few) == bits(found)).all()
    exact = (x * y + (z << LEAST) for x, y, z in zip(*map(multiples, (a, b, c)), strict=True))
    expected = np.array([rounded(each) for each in exact], f32)
    differs = (bits(found) != bits(expected)) & ~((found == 0) & (expected == 0))
    assert not differs.any(), [(x[differs][0], found[differs][0], expected[differs][0]) for x in (a, b, c)]
    with np.errstate(all="ignore"):
        return int((bits(f32(a * b) + c) != bits(expected)).sum())


def test_the_reference_rounds_as_numpy_does() -> None:
    words = np.random.default_rng(1).integers(0, 0x7F800000, 2000, dtype=np.uint32)
    numbers = np.concatenate([words, np.arange(40, dtype=np.uint32)]).view(f32)
    for x, multiple in zip(numbers, multiples(numbers), strict=True):
        assert bits(rounded(multiple << LEAST)) == bits(x)
    assert bits(rounded(TINY // 2)) == 0
    assert bits(rounded(TINY * 3 // 2)) == 2
    assert bits(rounded(TINY // 2 + TINY // 1000)) == 1


def test_ordinary_numbers() -> None:
    random = np.random.default_rng(0)
    assert check(*(random.normal(size=20_000) for _ in range(3))) > 1000


def test_any_bits() -> None:
    words = np.random.default_rng(2).integers(0, 1 << 32, (3, 60_000), dtype=np.uint64).astype(np.uint32)
    a, b, c = words.view(f32)
    with np.errstate(all="ignore"):
        fits = (
            np.isfinite(a) & np.isfinite(b) & np.isfinite(c) & (np.abs(a.astype(float) * b) < 1e38) & (np.abs(c) < 1e38)
        )
    assert fits.sum() > 10_000
    check(a[fits], b[fits], c[fits])


def test_cancellation() -> None:
    """The addend is minus the rounded product, or next to it: what remains is the product's rounding error."""
    random = np.random.default_rng(3)
    a, b = (random.normal(size=5000).astype(f32) for _ in range(2))
    for steps in (-1, 0, 1):
        c = (bits(-(a * b)) + np.uint32(steps % 2**32)).view(f32)
        assert check(a, b, c) > 1000


def test_ties_and_just_beside_them() -> None:
    """Products in the middle of two neighbours of the sum, and next to it by far less than binary64 can hold."""
    one, half_ulp = np.ones(1, f32), f32(2.0**-24)
    for factor in (f32(1.0), np.nextafter(f32(1.0), f32(2)), np.nextafter(f32(1.0), f32(0))):
        check([half_ulp], [factor], one)
        check([half_ulp], [factor], [1 + f32(2.0**-23)])
        check([-half_ulp], [factor], one)
    for scale in range(30, 100, 7):
        large = f32(2.0**scale)
        for addend in (large, large * (1 + f32(2.0**-23)), -large, -large * (1 + f32(2.0**-23))):
            product = half_ulp * np.sign(addend) * large
            check([product * (1 + f32(2.0**-23))], [1 - f32(2.0**-23)], [addend])
            check([product * (1 - f32(2.0**-23))], [1 + f32(2.0**-22)], [addend])
        check([half_ulp * large, half_ulp * large], [1, 1], [large, large * (1 + f32(2.0**-23))])


def test_subnormals() -> None:
    random = np.random.default_rng(4)
    small = random.integers(0, 1 << 24, 5000, dtype=np.uint32).view(f32)
    factor = random.normal(size=5000).astype(f32)
    assert check(small, factor, small[::-1]) > 300
    root = (random.random(5000) * 2.0**-72).astype(f32)
    check(root, root[::-1], small * f32(0.01))
    # Products in the middle of two subnormal neighbours of the sum, and beside it by less than binary64 can hold.
    root, ulp = f32(2.0**-75), f32(2.0**-149)
    for addend in (f32(2.0**-127), f32(2.0**-127) + ulp, f32(2.0**-130) + ulp, -f32(2.0**-127) - ulp):
        for below, above in ((2.0**-23, 2.0**-23), (2.0**-23, 2.0**-22), (0, 0)):
            check([root * f32(1 - below)], [np.sign(addend) * root * f32(1 + above)], [addend])


def test_a_length_adds_squares_as_written() -> None:
    """Groups of four are rounded twice per component, the last one to three are fused."""
    random = np.random.default_rng(5)
    differing = 0
    for count in range(10):
        vector = random.normal(size=(count, 200)).astype(f32)
        total = np.zeros(200, f32)
        for v in vector[: count // 4 * 4]:
            total = total + v * v
        for v in vector[count // 4 * 4 :]:
            pairs = zip(multiples(v), multiples(total), strict=True)
            total = np.array([rounded(x**2 + (t << LEAST)) for x, t in pairs], f32)
        found = length([torch.from_numpy(v) for v in vector], torch.zeros(200))
        assert np.array_equal(found.numpy(), np.sqrt(total)), count
        differing += int((np.sqrt((vector * vector).sum(0)) != np.sqrt(total)).sum())
    assert differing > 0
