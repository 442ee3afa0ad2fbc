"""The operations of terms, and with numpy what each means.

A term is a word of 1, 8, 16, 32 or 64 bits. Numbers in binary32 are words of 32 bits; a NaN that an operation makes is
the canonical one of PTX. A word of one bit is an array of bools, every other one an array of unsigned integers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hamlet_lab.ptx.floats import OPERATIONS as FLOATS

Words: TypeAlias = npt.NDArray[Any]
"""The values of a term in sampled states."""

SIGN = 0x80000000
INFINITY = 0x7F800000
CONSTANT, VARIABLE, TABLE, CELL = "constant", "variable", "table", "cell"
COMMUTATIVE = frozenset(("add", "mul", "and", "or", "xor", "eq", "fadd", "fmul", "feq", "mulhi"))
PREDICATES = frozenset(("eq", "ult", "ule", "slt", "sle", "flt", "fle", "feq"))
FLOATING = frozenset(("fadd", "fmul", "fdiv", "fma", "fsqrt", "fmin", "fmax", "tofloat", "unsignedtofloat"))
"""Operations whose result is a number in binary32."""
_COMPARING = frozenset(("flt", "fle", "feq"))


def words(value: int, bits: int) -> Words:
    """One word of so many bits."""
    return np.array([bool(value)]) if bits == 1 else np.array([value], f"u{bits // 8}")


def _signed(value: Words) -> Words:
    return -value.astype(np.int8) if value.dtype == np.bool_ else value.view(f"i{value.dtype.itemsize}")


def _unsigned(value: Words) -> Words:
    return np.ascontiguousarray(value).view(f"u{value.dtype.itemsize}")


def _shifted(function: Callable[[Words, Words], Words]) -> Callable[[Words, Words], Words]:
    """A shift by amounts of the width and more, which leave nothing."""

    def shift(value: Words, amount: Words) -> Words:
        width = 8 * value.dtype.itemsize
        within = function(value, np.minimum(amount, width - 1).astype(value.dtype))
        return np.asarray(np.where(amount < width, within, np.zeros(1, value.dtype)))

    return shift


def _right_arithmetic(value: Words, amount: Words) -> Words:
    width = 8 * value.dtype.itemsize
    signed = _signed(value)
    return _unsigned(signed >> np.minimum(amount, width - 1).astype(signed.dtype))


def _high(left: Words, right: Words) -> Words:
    return ((left.astype(np.uint64) * right.astype(np.uint64)) >> np.uint64(32)).astype(np.uint32)


def _divided(left: Words, right: Words) -> Words:
    """By 0 as SMT-LIB says: all ones."""
    ones = np.array([-1]).astype(left.dtype)
    return np.asarray(np.where(right == 0, ones, left // np.where(right == 0, np.ones(1, right.dtype), right)))


def _remainder(left: Words, right: Words) -> Words:
    return np.asarray(np.where(right == 0, left, left % np.where(right == 0, np.ones(1, right.dtype), right)))


def _rounded(name: str) -> Callable[..., Words]:
    function = FLOATS[f"{name}.f32"].function
    return lambda *operands: _unsigned(function(*[np.ascontiguousarray(each).view(np.float32) for each in operands]))


def _compared(function: Callable[[Words, Words], Words]) -> Callable[[Words, Words], Words]:
    return lambda a, b: np.asarray(
        function(np.ascontiguousarray(a).view(np.float32), np.ascontiguousarray(b).view(np.float32))
    )


MEANINGS: dict[str, Callable[..., Words]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "mulhi": _high,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": _shifted(lambda a, b: a << b),
    "lshr": _shifted(lambda a, b: a >> b),
    "ashr": _right_arithmetic,
    "udiv": _divided,
    "urem": _remainder,
    "eq": lambda a, b: a == b,
    "ult": lambda a, b: a < b,
    "ule": lambda a, b: a <= b,
    "slt": lambda a, b: _signed(a) < _signed(b),
    "sle": lambda a, b: _signed(a) <= _signed(b),
    "ite": lambda c, a, b: np.asarray(np.where(c, a, b)),
    "fadd": _rounded("add.rn"),
    "fmul": _rounded("mul.rn"),
    "fdiv": _rounded("div.rn"),
    "fma": _rounded("fma.rn"),
    "fsqrt": _rounded("sqrt.rn"),
    "fmin": _rounded("min"),
    "fmax": _rounded("max"),
    "flt": _compared(np.less),
    "fle": _compared(np.less_equal),
    "feq": _compared(np.equal),
    "tofloat": lambda a: _unsigned(_signed(a).astype(np.float32)),
    "unsignedtofloat": lambda a: _unsigned(a.astype(np.float32)),
}
"""Meanings of operations whose result has no width of its own."""


def meaning(op: str, operands: tuple[Words, ...], bits: int, attribute: object) -> Words:
    """The value of an operation of so many bits on values of its operands."""
    match op:
        case "zext":
            return operands[0].astype(f"u{bits // 8}")
        case "sext":
            return _unsigned(_signed(operands[0]).astype(f"i{bits // 8}"))
        case "low":
            return (operands[0] & 1).astype(np.bool_) if bits == 1 else operands[0].astype(f"u{bits // 8}")
        case "table":
            assert isinstance(attribute, tuple)
            rows = np.array(attribute, np.uint32)
            return rows[np.minimum(operands[0], len(rows) - 1)]
        case "cell":
            assert isinstance(attribute, tuple)
            world, index = operands
            low, high = attribute
            return _of_cells(world, index, low, high)
        case _ if op in FLOATING or op in _COMPARING:
            # NaNs and infinities are numbers like others; words never warn.
            with np.errstate(all="ignore"):
                return MEANINGS[op](*operands)
        case _:
            return MEANINGS[op](*operands)


def _of_cells(world: Words, index: Words, low: int, high: int) -> Words:
    """A number between two for each cell of each world, the same whenever it is asked for: a third of them at an end,
    some of them whole numbers, some -0."""
    mixed = world.astype(np.uint64) << np.uint64(32) | index.astype(np.uint64)
    for shift, factor in ((33, 0xFF51AFD7ED558CCD), (33, 0xC4CEB9FE1A85EC53), (33, 1)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    least, most = (float(np.uint32(each).view(np.float32)) for each in (low, high))
    start, size = max(least, -1e30), min(most, 1e30) - max(least, -1e30)
    inside = start + size * ((mixed >> np.uint64(32)).astype(np.float64) / 2**32)
    zeros = np.full(inside.shape, -0.0) if least <= 0 <= most else inside
    ends = np.full(inside.shape, least), np.full(inside.shape, most)
    kind = (mixed & np.uint64(15)).astype(np.int64)
    chosen = np.select([kind < 3, kind < 6, kind < 8, kind < 9], [*ends, np.rint(inside), zeros], inside)
    return _unsigned(np.clip(chosen, least, most).astype(np.float32))
