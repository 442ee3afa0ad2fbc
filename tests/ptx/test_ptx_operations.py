"""Every instruction that computes, on edge values and random ones, against its definition in Python."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from ptx_binary64 import bits_of
from ptx_isa import reference
from ptx_text import computed

from hamlet_lab.ptx.program import OPERATIONS
from hamlet_lab.ptx.types import F32, F64, PRED, S16, Scalar

FLOATS = [
    0x00000000,
    0x00000001,
    0x00000003,
    0x00400000,
    0x007FFFFF,
    0x00800000,
    0x00800001,
    0x33800000,
    0x33800001,
    0x3EFFFFFF,
    0x3F000000,
    0x3F7FFFFF,
    0x3F800000,
    0x3F800001,
    0x3F808000,
    0x3F818000,
    0x3FC00000,
    0x40200000,
    0x4AFFFFFF,
    0x4B7FFFFF,
    0x4F000000,
    0x4F7FFFFF,
    0x5F000000,
    0x7F000000,
    0x7F7FFFFF,
    0x7F7F8000,
    0x7F800000,
    0x7F800001,
    0x7FC12345,
]
"""Zero, subnormals, ulps of 1, ties of bf16 and of whole numbers, bounds of integers, huge, infinity, NaN; and so on
with the other sign."""
WIDE = (
    0.0,
    5e-324,
    2.2250738585072014e-308,
    1e-200,
    2.0**-149,
    2.0**-150,
    1.0,
    1 + 2.0**-24,
    1 + 2.0**-52,
    1.5,
    2.0**24 + 1,
    2.0**63,
    3.4028235677973366e38,
    2.0**128,
    1e200,
    1.7976931348623157e308,
    math.inf,
    math.nan,
)
"""The same of binary64, with ties of binary32."""
NEARLY_TIES = [
    (0x42C20000 ^ sign, 0x3C28E840, c)
    for sign in (0, 0x80000000)
    for c in (0x19800000, 0x99800000, 0x257FFFFF, 0xA57FFFFF)
]
"""97 * 172961 * 2**-24 is 1 + 2**-24, a tie. What is added here decides, and is too small for binary64, or nearly."""
AMOUNTS = (0, 1, 7, 8, 31, 32, 63, 64, 255, 256, 0xFFFFFFFF)


def edges(scalar: Scalar, few: bool) -> list[int]:
    """Values of a type at which something happens."""
    if scalar is PRED:
        return [0, 1]
    if scalar is F32:
        values = FLOATS[:: 3 if few else 1]
        return values + [value | 0x80000000 for value in values]
    if scalar is F64:
        values = [*(bits_of(number) for number in WIDE[:: 3 if few else 1]), 0x7FF0000000000001]
        return values + [value ^ 1 << 63 for value in values]
    top, full = 1 << (scalar.bits - 1), (1 << scalar.bits) - 1
    near = [0, 1, top - 1, top, full] if few else [0, 1, 2, 3, 5, 10, top - 1, top, top + 1, full - 1, full]
    return sorted({*near, *(amount & full for amount in AMOUNTS), 0x0123456789ABCDEF & full, 0xFEDCBA9876543210 & full})


def columns(opcode: str, operands: tuple[Scalar, ...]) -> list[tuple[int, ...]]:
    """Columns of operands: all combinations of edges, and random ones."""
    generator = random.Random(opcode)
    rows = list(itertools.product(*(edges(scalar, len(operands) > 2) for scalar in operands)))
    if len(rows) > 4000:
        rows = generator.sample(rows, 4000)
    rows += [tuple(generator.getrandbits(scalar.bits) for scalar in operands) for _ in range(300)]
    if opcode.endswith("16x2"):
        halves = edges(S16, True)
        rows += [tuple(generator.choice(halves) << 16 | generator.choice(halves) for _ in operands) for _ in range(999)]
    if opcode.endswith("f32x2"):
        pairs = edges(F32, True)
        rows += [tuple(generator.choice(pairs) << 32 | generator.choice(pairs) for _ in operands) for _ in range(999)]
    if set(operands) == {F32}:
        # Numbers of like sizes, so that sums cancel and products neither overflow nor vanish.
        rows += [tuple(generator.randint(0x3F000000, 0x40000000) for _ in operands) for _ in range(300)]
    if set(operands) == {F64}:
        rows += [tuple(bits_of(generator.uniform(0.5, 2.0)) for _ in operands) for _ in range(300)]
    if opcode == "fma.rn.f32":
        rows += NEARLY_TIES
    if opcode.startswith("cvt.rn.bf16."):
        # In f32, they would become ties of bf16.
        rows += [(0x80800001,), (0x40400001,)] if operands[0].bits == 32 else []
    return list(zip(*rows, strict=True))


@pytest.mark.parametrize("opcode", sorted(OPERATIONS))
def test_operation(opcode: str) -> None:
    operation, function = OPERATIONS[opcode], reference(opcode)
    values = columns(opcode, operation.operands)
    found = computed(opcode, operation.result, operation.operands, values)
    for operands, result in zip(zip(*values, strict=True), found, strict=True):
        assert hex(result) == hex(function(*operands)), f"{opcode} of {', '.join(map(hex, operands))}"


def test_all_operations_are_here() -> None:
    """What Triton emits for the shipped universes is in the table; so are all types of each instruction."""
    assert len(OPERATIONS) > 200
    emitted = (
        "add.rn.f32 sub.rn.f32 mul.rn.f32 div.rn.f32 max.f32 bfe.s32 mul.hi.u32 mad.wide.s32 setp.ltu.f32 selp.b16"
    )
    assert set(emitted.split()) <= set(OPERATIONS)


def test_fused_is_rounded_once() -> None:
    """(1 + 2**-12)**2 - 1: the product has a bit too many."""
    ulp = 0x3F800800
    found = computed("fma.rn.f32", F32, (F32, F32, F32), [[ulp], [ulp], [0xBF800000]])
    product = computed("mul.rn.f32", F32, (F32, F32), [[ulp], [ulp]])
    twice = computed("add.rn.f32", F32, (F32, F32), [product, [0xBF800000]])
    assert (found, twice) == ([0x3A000400], [0x3A000000])
