"""The instructions of the PTX ISA on single values, in Python's integers and fractions: what the executor must give.

Values are raw bits. Every function was written from the text of "PTX ISA", not from the executor.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from ptx_binary32 import (
    FLOATS,
    INFINITY,
    NAN,
    SIGN,
    compare,
    compare_floats,
    exact,
    is_infinite,
    is_nan,
    multiply,
    nearest,
)
from ptx_binary64 import bits_of
from ptx_binary64 import number as number64
from ptx_binary64 import reference as binary64

Function = Callable[..., int]


def signed(value: int, bits: int) -> int:
    """Raw bits as a two's complement number."""
    return value - (1 << bits) if value >> (bits - 1) else value


def number(value: int, kind: str) -> int:
    """Raw bits as an integer of type `s32`, `u16`, `b64`."""
    return signed(value, int(kind[1:])) if kind[0] == "s" else value


def raw(value: int, kind: str) -> int:
    """An integer as raw bits of a type: the lower ones."""
    return value & ((1 << int(kind[1:])) - 1)


def quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def integer(opcode: str) -> Function:
    """Integer arithmetic: `add.s32`, `mad.wide.u16`."""
    *name, kind = opcode.split(".")
    bits = int(kind[1:])

    def product(a: int, b: int) -> int:
        return number(a, kind) * number(b, kind)

    match name:
        case ["add"]:
            return lambda a, b: raw(a + b, kind)
        case ["sub"]:
            return lambda a, b: raw(a - b, kind)
        case ["mul", "lo"]:
            return lambda a, b: raw(product(a, b), kind)
        case ["mul", "hi"]:
            return lambda a, b: raw(product(a, b) >> bits, kind)
        case ["mul", "wide"]:
            return lambda a, b: raw(product(a, b), f"b{2 * bits}")
        case ["mad", "lo"]:
            return lambda a, b, c: raw(product(a, b) + c, kind)
        case ["mad", "hi"]:
            return lambda a, b, c: raw((product(a, b) >> bits) + c, kind)
        case ["mad", "wide"]:
            return lambda a, b, c: raw(product(a, b) + c, f"b{2 * bits}")
        case ["min"]:
            return lambda a, b: min(a, b, key=lambda x: number(x, kind))
        case ["max"]:
            return lambda a, b: max(a, b, key=lambda x: number(x, kind))
        case ["min" | "max" as chosen, "relu"]:
            inner = integer(f"{chosen}.{kind}")
            return lambda a, b: raw(max(number(inner(a, b), kind), 0), kind)
        case ["div"]:
            return lambda a, b: raw(quotient(number(a, kind), number(b, kind)) if b else -1, kind)
        case ["rem"]:
            return lambda a, b: raw(
                number(a, kind) - (quotient(number(a, kind), number(b, kind)) * number(b, kind) if b else 0), kind
            )
        case ["neg"]:
            return lambda a: raw(-a, kind)
        case ["abs"]:
            return lambda a: raw(abs(number(a, kind)), kind)
        case _:
            raise KeyError(opcode)


def field(a: int, position: int, length: int, kind: str) -> int:
    """bfe, bit by bit."""
    last = int(kind[1:]) - 1
    start, count = position & 0xFF, length & 0xFF
    sign = 0 if kind[0] == "u" or count == 0 else a >> min(start + count - 1, last) & 1
    bits = [(a >> (start + i) & 1) if i < count and start + i <= last else sign for i in range(last + 1)]
    return sum(bit << i for i, bit in enumerate(bits))


def inserted(a: int, b: int, position: int, length: int, bits: int) -> int:
    """bfi, bit by bit."""
    start, count = position & 0xFF, length & 0xFF
    return sum((a >> (i - start) & 1 if start <= i < start + count else b >> i & 1) << i for i in range(bits))


def permute(a: int, b: int, selector: int) -> int:
    source = [value >> (8 * i) & 0xFF for value in (a, b) for i in range(4)]
    result = 0
    for i in range(4):
        choice = selector >> (4 * i) & 0xF
        byte = source[choice & 7]
        result |= ((0xFF if byte & 0x80 else 0) if choice & 8 else byte) << (8 * i)
    return result


def lookup(a: int, b: int, c: int, table: int) -> int:
    return sum((table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i for i in range(32))


def bitwise(opcode: str) -> Function:
    """Logic and shifts."""
    *name, kind = opcode.split(".")
    bits = 1 if kind == "pred" else int(kind[1:])
    full = (1 << bits) - 1
    match name:
        case ["and"]:
            return lambda a, b: a & b
        case ["or"]:
            return lambda a, b: a | b
        case ["xor"]:
            return lambda a, b: a ^ b
        case ["not"]:
            return lambda a: ~a & full
        case ["shl"]:
            return lambda a, b: (a << min(b, bits)) & full
        case ["shr"]:
            return lambda a, b: raw(number(a, kind) >> min(b, bits), kind)
        case ["bfe"]:
            return lambda a, b, c: field(a, b, c, kind)
        case ["bfi"]:
            return lambda a, b, c, d: inserted(a, b, c, d, bits)
        case ["popc"]:
            return int.bit_count
        case ["prmt"]:
            return permute
        case ["lop3"]:
            return lookup
        case ["shf", "l", "wrap"]:
            return lambda a, b, c: (((b << 32 | a) << (c & 31)) >> 32) & full
        case ["shf", "r", "wrap"]:
            return lambda a, b, c: ((b << 32 | a) >> (c & 31)) & full
        case _:
            raise KeyError(opcode)


ROUNDINGS: dict[str, Callable[[Fraction], int]] = {
    "rni": round,
    "rzi": math.trunc,
    "rmi": math.floor,
    "rpi": math.ceil,
}


def to_integer(a: int, rounding: str, kind: str) -> int:
    """Saturated; NaN is 0."""
    bits = int(kind[1:])
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind[0] == "s" else (0, (1 << bits) - 1)
    if is_nan(a):
        return 0
    if is_infinite(a):
        return raw(least if a & SIGN else most, kind)
    return raw(min(max(ROUNDINGS[rounding](exact(a)), least), most), kind)


def to_whole(a: int, rounding: str) -> int:
    if is_nan(a):
        return NAN
    return a if is_infinite(a) else nearest(Fraction(ROUNDINGS[rounding](exact(a))), bool(a & SIGN))


def to_bf16(a: int) -> int:
    if is_nan(a):
        return 0x7FFF
    if is_infinite(a):
        return a >> 16
    lower = a & 0xFFFF0000
    upper = lower + 0x10000
    # Between two neighbours; beyond the largest number the next one would be 2**128.
    below, above = exact(lower), Fraction(2) ** 128 if is_infinite(upper) else abs(exact(upper))
    middle = (abs(below) + above) / 2
    magnitude = abs(exact(a))
    up = magnitude > middle or (magnitude == middle and lower >> 16 & 1 == 1)
    return (upper if up else lower) >> 16


def nearest_bf16(value: Fraction, negative_zero: bool = False) -> int:
    """The bf16 number nearest to a number, ties to even: one of 8 significant bits, which is an f32."""
    if value == 0:
        return nearest(value, negative_zero) >> 16
    exponent = -126
    while abs(value) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    unit = Fraction(2) ** (exponent - 7)
    return nearest(round(value / unit) * unit, value < 0) >> 16


def multiply_bf16(a: int, b: int) -> int:
    """A product of bf16 numbers, rounded once; NaN and infinity as in f32."""
    a, b = a << 16, b << 16
    if any(is_nan(each) or is_infinite(each) for each in (a, b)):
        return to_bf16(multiply(a, b))
    return nearest_bf16(exact(a) * exact(b), bool((a ^ b) & SIGN))


def to_binary64(a: int) -> int:
    if is_nan(a):
        return bits_of(math.nan)
    size = math.inf if is_infinite(a) else float(abs(exact(a)))
    return bits_of(-size if a & SIGN else size)


def to_binary32(a: int) -> int:
    value = number64(a)
    if math.isnan(value):
        return NAN
    sign = SIGN if math.copysign(1.0, value) < 0 else 0
    return sign | INFINITY if math.isinf(value) else nearest(Fraction(value), bool(sign))


def conversion(opcode: str) -> Function:
    match opcode.split(".")[1:]:
        case ["rn", "bf16", "f32"]:
            return to_bf16
        case ["rn", "bf16x2", "f32"]:
            return lambda a, b: to_bf16(a) << 16 | to_bf16(b)
        case ["rn", "bf16", kind]:
            return lambda a: nearest_bf16(Fraction(number(a, kind)))
        case ["f64", "f32"]:
            return to_binary64
        case ["rn", "f32", "f64"]:
            return to_binary32
        case ["rn", "f64", kind]:
            return lambda a: bits_of(float(Fraction(number(a, kind))))
        case ["rn", "f32", kind]:
            return lambda a: nearest(Fraction(number(a, kind)))
        case [rounding, "f32", "f32"]:
            return lambda a: to_whole(a, rounding)
        case [rounding, kind, "f32"]:
            return lambda a: to_integer(a, rounding, kind)
        case [target, source]:
            return lambda a: raw(number(a, source), target)
        case _:
            raise KeyError(opcode)


def reference(opcode: str) -> Function:
    """What an instruction computes. Raises `KeyError` for one that is not here."""
    first, *_, kind = opcode.split(".")
    if kind == "f64" and first != "cvt":
        return binary64(opcode)
    if opcode in FLOATS:
        return FLOATS[opcode]
    if opcode == "mul.rn.bf16":
        return multiply_bf16
    if first != "cvt" and kind.endswith("x2"):
        half, bits = reference(opcode.removesuffix("x2")), int(kind[1:3])
        mask = (1 << bits) - 1
        return lambda *pairs: half(*(pair >> bits for pair in pairs)) << bits | half(*(pair & mask for pair in pairs))
    match first:
        case "setp" if kind == "f32":
            return lambda a, b: compare_floats(opcode.split(".")[1], a, b)
        case "setp":
            return lambda a, b: compare(opcode.split(".")[1], Fraction(number(a, kind)), Fraction(number(b, kind)))
        case "selp":
            return lambda a, b, condition: a if condition else b
        case "cvt":
            return conversion(opcode)
        case "and" | "or" | "xor" | "not" | "shl" | "shr" | "bfe" | "bfi" | "popc" | "prmt" | "lop3" | "shf":
            return bitwise(opcode)
        case _:
            return integer(opcode)
