"""Functions that are written as instructions: where rooms are made, and the product and sum that are rounded once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from hamletc.targets.wasm.encoding import F32, F64, I32, V128, Signature
from hamletc.targets.wasm.instructions import (
    get,
    get_global,
    i32,
    i64,
    op,
    put,
    put_global,
    shuffle,
    tee,
    v128,
    when,
)
from hamletc.targets.wasm.library import ROOMS

Calls: TypeAlias = Callable[[str], bytes]
Made: TypeAlias = tuple[Signature, tuple[bytes, ...], bytes]
"""A function: its signature, its variables behind its parameters, its instructions."""
EXPONENT = 0x7FF0000000000000
BELOW, MIDDLE, LEAST = 0x1FFFFFFF, 0x10000000, (1023 - 126) << 52
"""Of an f64: the bits that an f32 has not, those bits in the middle between two f32, the smallest normal f32."""
PAGES = 16
"""Bits of a number in a page."""


def _room(_calls: Calls) -> Made:
    """So many bytes behind the last room; memory grows where it ends before."""
    size, at, missing = range(3)
    ends = get_global(ROOMS) + tee(at) + get(size) + i32(63) + op("i32.add") + i32(-64) + op("i32.and", "i32.add")
    pages = get_global(ROOMS) + i32((1 << PAGES) - 1) + op("i32.add") + i32(PAGES) + op("i32.shr_u")
    missing_pages = pages + op("memory.size", "i32.sub") + tee(missing) + i32(0) + op("i32.gt_s")
    grows = get(missing) + op("memory.grow") + i32(-1) + op("i32.eq") + when(op("unreachable"))
    code = ends + put_global(ROOMS) + missing_pages + when(grows) + get(at)
    return Signature((I32,), (I32,)), (I32, I32), code


def _fma_number(_calls: Calls) -> Made:
    """The product is exact in f64. Its sum is rounded to odd there: that keeps what rounding to f32 asks for."""
    left, right, addend, product, other, total, part, lost = range(8)
    wide = op("f64.promote_f32")
    code = get(left) + wide + get(right) + wide + op("f64.mul") + put(product) + get(addend) + wide + put(other)
    code += get(product) + get(other) + op("f64.add") + tee(total) + get(product) + op("f64.sub") + put(part)
    code += get(product) + get(total) + get(part) + op("f64.sub", "f64.sub")
    code += get(other) + get(part) + op("f64.sub", "f64.add") + put(lost)
    zero = i64(0) + op("f64.reinterpret_i64")
    bits = get(total) + op("i64.reinterpret_f64")
    even = bits + i64(1) + op("i64.and", "i64.eqz")
    finite = bits + i64(EXPONENT) + op("i64.and") + i64(EXPONENT) + op("i64.ne")
    rounds = get(lost) + zero + op("f64.ne") + even + op("i32.and") + finite + op("i32.and")
    same = get(lost) + zero + op("f64.gt") + get(total) + zero + op("f64.gt", "i32.eq")
    odd = bits + i64(1) + i64(-1) + same + op("select", "i64.add", "f64.reinterpret_i64") + put(total)
    code += rounds + when(odd) + get(total) + op("f32.demote_f64")
    return Signature((F32, F32, F32), (F32,)), (F64,) * 5, code


def _fma_half(_calls: Calls) -> Made:
    """The same of the first two lanes of vectors."""
    left, right, addend, product, other, total, part, lost = range(8)
    wide = op("f64x2.promote_low_f32x4")
    code = get(left) + wide + get(right) + wide + op("f64x2.mul") + put(product) + get(addend) + wide + put(other)
    code += get(product) + get(other) + op("f64x2.add") + tee(total) + get(product) + op("f64x2.sub") + put(part)
    code += get(product) + get(total) + get(part) + op("f64x2.sub", "f64x2.sub")
    code += get(other) + get(part) + op("f64x2.sub", "f64x2.add") + put(lost)
    zero = v128(bytes(16))
    one, exponent = (v128(number.to_bytes(8, "little") * 2) for number in (1, EXPONENT))
    same = zero + get(lost) + op("f64x2.lt") + zero + get(total) + op("f64x2.lt", "i64x2.eq")
    change = same + op("v128.not") + one + op("v128.or")
    even = get(total) + one + op("v128.and") + zero + op("i64x2.eq")
    finite = get(total) + exponent + op("v128.and") + exponent + op("i64x2.eq", "v128.not")
    rounds = get(lost) + zero + op("f64x2.ne") + even + op("v128.and") + finite + op("v128.and")
    code += get(total) + change + rounds + op("v128.and", "i64x2.add", "f32x4.demote_f64x2_zero")
    return Signature((V128,) * 3, (V128,)), (V128,) * 5, code


def _fma_vector(calls: Calls) -> Made:
    """The sum in f64, rounded once more to f32, is the one that is rounded once: but where it ends in the middle
    between two f32, or is so small that it has fewer bits there. Those are rare, and done with care."""
    first, second = range(3, 5)
    upper, both = bytes((*range(8, 16), *range(8))), bytes((*range(8), *range(16, 24)))
    wide = op("f64x2.promote_low_f32x4")

    def total(halves: bytes) -> bytes:
        left, right, addend = (get(each) + (get(each) + shuffle(halves) if halves else b"") for each in range(3))
        return left + wide + right + wide + op("f64x2.mul") + addend + wide + op("f64x2.add")

    def doubtful(of: int) -> bytes:
        below, middle, least = (v128(number.to_bytes(8, "little") * 2) for number in (BELOW, MIDDLE, LEAST))
        is_middle = get(of) + below + op("v128.and") + middle + op("i64x2.eq")
        is_small = get(of) + op("f64x2.abs") + least + op("f64x2.lt")
        return is_middle + is_small + get(of) + v128(bytes(16)) + op("f64x2.ne", "v128.and", "v128.or")

    half = calls("fma_half")
    low = b"".join(map(get, range(3))) + half
    high = b"".join(get(each) * 2 + shuffle(upper) for each in range(3)) + half
    rounded = b"".join(get(each) + op("f32x4.demote_f64x2_zero") for each in (first, second))
    code = total(b"") + put(first) + total(upper) + put(second)
    code += doubtful(first) + doubtful(second) + op("v128.or", "v128.any_true")
    joined = shuffle(both)
    code += when(low + high + joined, rounded + joined, V128)
    return Signature((V128,) * 3, (V128,)), (V128, V128), code


NATIVE: Mapping[str, Callable[[Calls], Made]] = {
    "room": _room,
    "fma_number": _fma_number,
    "fma_half": _fma_half,
    "fma_vector": _fma_vector,
}
"""The functions by name."""
