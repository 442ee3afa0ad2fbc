"""Binary32 of the PTX ISA on single values, see `ptx_isa`."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

NAN = 0x7FFFFFFF
INFINITY = 0x7F800000
SIGN = 0x80000000

Function = Callable[..., int]


def is_nan(bits: int) -> bool:
    return bits & ~SIGN > INFINITY


def is_infinite(bits: int) -> bool:
    return bits & ~SIGN == INFINITY


def exact(bits: int) -> Fraction:
    """A finite binary32 number."""
    exponent, mantissa = bits >> 23 & 0xFF, bits & 0x7FFFFF
    magnitude = Fraction(mantissa if exponent == 0 else mantissa | 1 << 23) * Fraction(2) ** (max(exponent, 1) - 150)
    return -magnitude if bits & SIGN else magnitude


def nearest(value: Fraction, negative_zero: bool = False) -> int:
    """The binary32 number nearest to a number, ties to even; a zero has the given sign."""
    if value == 0:
        return SIGN if negative_zero else 0
    sign, magnitude = (SIGN if value < 0 else 0), abs(value)
    exponent = max(math.floor(math.log2(magnitude)) - 1, -126)
    while magnitude >= Fraction(2) ** (exponent + 1):
        exponent += 1
    while exponent > -126 and magnitude < Fraction(2) ** exponent:
        exponent -= 1
    # Python rounds fractions to nearest even.
    mantissa = round(magnitude / Fraction(2) ** (exponent - 23))
    biased = mantissa if exponent == -126 else mantissa + ((exponent + 126) << 23)
    return sign | min(biased, INFINITY)


def add(a: int, b: int) -> int:
    if is_nan(a) or is_nan(b):
        return NAN
    if is_infinite(a) or is_infinite(b):
        if is_infinite(a) and is_infinite(b):
            return a if a == b else NAN
        return a if is_infinite(a) else b
    return nearest(exact(a) + exact(b), bool(a & b & SIGN))


def subtract(a: int, b: int) -> int:
    return add(a, b ^ SIGN)


def multiply(a: int, b: int) -> int:
    sign = (a ^ b) & SIGN
    if is_nan(a) or is_nan(b):
        return NAN
    if is_infinite(a) or is_infinite(b):
        return NAN if not (a & ~SIGN and b & ~SIGN) else sign | INFINITY
    return nearest(exact(a) * exact(b), bool(sign))


def divide(a: int, b: int) -> int:
    sign = (a ^ b) & SIGN
    if is_nan(a) or is_nan(b) or (is_infinite(a) and is_infinite(b)) or not (a | b) & ~SIGN:
        return NAN
    if is_infinite(a) or not b & ~SIGN:
        return sign | INFINITY
    if is_infinite(b):
        return sign
    return nearest(exact(a) / exact(b), bool(sign))


def square_root(a: int) -> int:
    if is_nan(a) or (a & SIGN and a != SIGN):
        return NAN
    if a in (0, SIGN, INFINITY):
        return a
    # 200 bits of it, and one more that says whether there is a rest: enough to round.
    value = exact(a) * Fraction(2) ** 400
    root = math.isqrt(math.floor(value))
    rest = root * root != value
    return nearest(Fraction(2 * root + rest, 2) / Fraction(2) ** 200)


def fused(a: int, b: int, c: int) -> int:
    if is_nan(a) or is_nan(b) or is_nan(c):
        return NAN
    if is_infinite(a) or is_infinite(b):
        return add(multiply(a, b), c)
    if is_infinite(c):
        return c
    both = bool((a ^ b) & SIGN) and bool(c & SIGN)
    return nearest(exact(a) * exact(b) + exact(c), both)


def order(bits: int) -> int:
    """A number that compares as binary32 numbers do, with -0 less than +0."""
    return -1 - (bits & ~SIGN) if bits & SIGN else bits


def minimum(a: int, b: int) -> int:
    if is_nan(a) and is_nan(b):
        return NAN
    if is_nan(a) or is_nan(b):
        return b if is_nan(a) else a
    return min(a, b, key=order)


def maximum(a: int, b: int) -> int:
    if is_nan(a) and is_nan(b):
        return NAN
    if is_nan(a) or is_nan(b):
        return b if is_nan(a) else a
    return max(a, b, key=order)


FLOATS: dict[str, Function] = {
    "add.rn.f32": add,
    "sub.rn.f32": subtract,
    "mul.rn.f32": multiply,
    "div.rn.f32": divide,
    "sqrt.rn.f32": square_root,
    "fma.rn.f32": fused,
    "min.f32": minimum,
    "max.f32": maximum,
    "neg.f32": lambda a: a ^ SIGN,
    "abs.f32": lambda a: a & ~SIGN,
    "copysign.f32": lambda a, b: (a & SIGN) | (b & ~SIGN),
}


def compare(name: str, a: Fraction | float, b: Fraction | float) -> int:
    """`eq` and so on, of numbers or infinities."""
    return int(
        {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[
            {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}.get(name, name)
        ]
    )


def compare_floats(name: str, a: int, b: int) -> int:
    unordered = is_nan(a) or is_nan(b)
    if name in ("num", "nan"):
        return int(unordered == (name == "nan"))
    if unordered:
        return int(name.endswith("u"))
    values = [math.copysign(math.inf, -1 if x & SIGN else 1) if is_infinite(x) else exact(x) for x in (a, b)]
    return compare(name.removesuffix("u"), *values)
