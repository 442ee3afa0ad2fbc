"""The instructions of the PTX ISA on binary64 numbers, in Python's fractions: what the executor must give.

Values are raw bits. A fraction becomes the nearest number, ties to even, by `float`.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction

NAN = (1 << 63) - 1
SIGN = 1 << 63

Function = Callable[..., int]


def number(bits: int) -> float:
    """The number that bits are."""
    result: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
    return result


def bits_of(value: float) -> int:
    """The bits of a number; the canonical ones of NaN."""
    result: int = struct.unpack("<Q", struct.pack("<d", value))[0]
    return NAN if math.isnan(value) else result


def nearest(value: Fraction, negative_zero: bool) -> int:
    """The number nearest to a fraction, ties to even; a zero has the given sign."""
    if value == 0:
        return SIGN if negative_zero else 0
    try:
        return bits_of(float(value))
    except OverflowError:
        return bits_of(math.inf if value > 0 else -math.inf)


def add(a: int, b: int) -> int:
    x, y = number(a), number(b)
    if not math.isfinite(x) or not math.isfinite(y):
        return bits_of(x + y)
    return nearest(Fraction(x) + Fraction(y), bool(a & b & SIGN))


def multiply(a: int, b: int) -> int:
    x, y = number(a), number(b)
    if not math.isfinite(x) or not math.isfinite(y):
        return bits_of(x * y)
    return nearest(Fraction(x) * Fraction(y), bool((a ^ b) & SIGN))


def divide(a: int, b: int) -> int:
    x, y = number(a), number(b)
    sign = math.copysign(1.0, x) * math.copysign(1.0, y)
    if math.isnan(x) or math.isnan(y) or (x == 0 and y == 0) or (math.isinf(x) and math.isinf(y)):
        return NAN
    if math.isinf(x) or y == 0:
        return bits_of(sign * math.inf)
    return bits_of(sign * 0.0) if math.isinf(y) else nearest(Fraction(x) / Fraction(y), sign < 0)


def square_root(a: int) -> int:
    x = number(a)
    if math.isnan(x) or x < 0:
        return NAN
    if x == 0 or math.isinf(x):
        return a
    # 300 bits of it, and one more that says whether there is a rest: enough to round.
    value = Fraction(x) * Fraction(4) ** 800
    root = math.isqrt(math.floor(value))
    return nearest(Fraction(2 * root + (root * root != value), 2) / Fraction(2) ** 800, False)


def chosen(a: int, b: int, greatest: bool) -> int:
    """The least or the greatest of two, -0 before +0; of a number and a NaN the number."""
    x, y = number(a), number(b)
    if math.isnan(x) or math.isnan(y):
        return bits_of(y if math.isnan(x) else x)
    order = sorted((a, b), key=lambda each: (number(each), not each & SIGN))
    return order[1] if greatest else order[0]


def compare(name: str, a: int, b: int) -> int:
    x, y = number(a), number(b)
    unordered = math.isnan(x) or math.isnan(y)
    if name in ("num", "nan"):
        return int(unordered == (name == "nan"))
    if unordered:
        return int(name.endswith("u"))
    found = {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}
    return int(found[name.removesuffix("u")])


FUNCTIONS: dict[str, Function] = {
    "add.rn.f64": add,
    "sub.rn.f64": lambda a, b: add(a, b ^ SIGN),
    "mul.rn.f64": multiply,
    "div.rn.f64": divide,
    "sqrt.rn.f64": square_root,
    "min.f64": lambda a, b: chosen(a, b, False),
    "max.f64": lambda a, b: chosen(a, b, True),
}


def reference(opcode: str) -> Function:
    """What an instruction computes. Raises `KeyError` for one that is not here."""
    first, name, *_ = opcode.split(".")
    if first == "setp":
        return lambda a, b: compare(name, a, b)
    if first == "selp":
        return lambda a, b, condition: a if condition else b
    return FUNCTIONS[opcode]
