"""Logic, shifts and bit fields. PTX ISA, "Logic and Shift Instructions", "bfe", "bfi", "popc", "prmt", "lop3"."""

from __future__ import annotations

import numpy as np

from hamlet_lab.ptx.types import B32, B64, BITS, PRED, S16, S32, S64, U16, U32, U64, Array, Operation, like


def _left(a: Array, amount: Array) -> Array:
    """Zeros come in; amounts of the width and more leave only them."""
    width = 8 * a.dtype.itemsize
    return np.asarray(np.where(amount < width, a << np.minimum(amount, width - 1).astype(a.dtype), a.dtype.type(0)))


def _right_logical(a: Array, amount: Array) -> Array:
    """Zeros come in; amounts of the width and more leave only them."""
    width = 8 * a.dtype.itemsize
    return np.asarray(np.where(amount < width, a >> np.minimum(amount, width - 1).astype(a.dtype), a.dtype.type(0)))


def _right_arithmetic(a: Array, amount: Array) -> Array:
    """Copies of the sign come in; amounts of the width and more leave only them."""
    return np.asarray(a >> np.minimum(amount, 8 * a.dtype.itemsize - 1).astype(a.dtype))


def _field(a: Array, position: Array, length: Array) -> Array:
    """Bits of `a` from `position` on, `length` of them, both modulo 256. Above them: zeros for an unsigned `a`, for a
    signed one copies of the field's last bit, or of a's where the field goes beyond it."""
    width = 8 * a.dtype.itemsize
    raw = a.view(f"u{a.dtype.itemsize}")
    one = raw.dtype.type(1)
    start, count = position & np.uint32(0xFF), length & np.uint32(0xFF)
    shifted = _right_logical(raw, start)
    mask = _left(np.broadcast_to(one, shifted.shape), np.broadcast_to(count, shifted.shape)) - one
    if a.dtype.kind == "u":
        return np.asarray(shifted & mask)
    last = np.minimum(start + np.maximum(count, 1) - 1, width - 1)
    negative = (((raw >> last.astype(raw.dtype)) & one) != 0) & (count != 0)
    # Bits of the field that are beyond a's last one take the sign as well.
    inside = np.minimum(count, np.maximum(width, start) - start)
    mask = _left(np.broadcast_to(one, shifted.shape), np.broadcast_to(inside, shifted.shape)) - one
    return np.asarray(np.where(negative, shifted | ~mask, shifted & mask).view(a.dtype))


def _inserted(a: Array, b: Array, position: Array, length: Array) -> Array:
    """The lowest `length` bits of `a` in the place of bits of `b` from `position` on, both modulo 256; those beyond the
    width are left out."""
    one, start, count = b.dtype.type(1), position & np.uint32(0xFF), length & np.uint32(0xFF)
    shape = np.broadcast_shapes(a.shape, b.shape, start.shape, count.shape)
    field = _left(np.broadcast_to(one, shape), count) - one
    mask = _left(field, np.broadcast_to(start, shape))
    return np.asarray((b & ~mask) | (_left(np.broadcast_to(a, shape), start) & mask))


def _ones(a: Array) -> Array:
    """How many bits are set."""
    return np.bitwise_count(a).astype(np.uint32)


def _permute(a: Array, b: Array, selector: Array) -> Array:
    """Each byte of the result is one of b's and a's bytes (a's are 0 to 3), or eight copies of its sign."""
    source = _pair(a, b)
    result = np.zeros(np.broadcast_shapes(source.shape, selector.shape), np.uint32)
    for index in range(4):
        choice = (selector >> (4 * index)) & 0xF
        byte = (source >> (8 * (choice & 7)).astype(np.uint64)) & 0xFF
        byte = np.where(choice & 8, np.where(byte & 0x80, 0xFF, 0), byte)
        result |= byte.astype(np.uint32) << np.uint32(8 * index)
    return result


def _table(a: Array, b: Array, c: Array, table: Array) -> Array:
    """Bit i of the result is bit (4 a_i + 2 b_i + c_i) of the table."""
    result = np.zeros(np.broadcast_shapes(a.shape, b.shape, c.shape, table.shape), np.uint32)
    for index in range(8):
        term = (a if index & 4 else ~a) & (b if index & 2 else ~b) & (c if index & 1 else ~c)
        result |= np.where((table >> index) & 1, term, np.uint32(0))
    return result


def _pair(low: Array, high: Array) -> Array:
    """Two words as one of 64 bits."""
    return low.astype(np.uint64) | (high.astype(np.uint64) << 32)


def _funnel_left(low: Array, high: Array, amount: Array) -> Array:
    """The upper word of high:low, moved left by the amount modulo 32."""
    return ((_pair(low, high) << (amount & 31).astype(np.uint64)) >> 32).astype(np.uint32)


def _funnel_right(low: Array, high: Array, amount: Array) -> Array:
    """The lower word of high:low, moved right by the amount modulo 32."""
    return (_pair(low, high) >> (amount & 31).astype(np.uint64)).astype(np.uint32)


OPERATIONS: dict[str, Operation] = {
    "popc.b32": Operation(U32, (B32,), _ones),
    "popc.b64": Operation(U32, (B64,), _ones),
    "prmt.b32": like(B32, 3, _permute),
    "lop3.b32": Operation(B32, (B32, B32, B32, U32), _table),
    "shf.l.wrap.b32": Operation(B32, (B32, B32, U32), _funnel_left),
    "shf.r.wrap.b32": Operation(B32, (B32, B32, U32), _funnel_right),
}
for _scalar in (PRED, *BITS):
    OPERATIONS |= {
        f"and.{_scalar.name}": like(_scalar, 2, np.bitwise_and),
        f"or.{_scalar.name}": like(_scalar, 2, np.bitwise_or),
        f"xor.{_scalar.name}": like(_scalar, 2, np.bitwise_xor),
        f"not.{_scalar.name}": like(_scalar, 1, np.invert),
    }
for _scalar in BITS:
    OPERATIONS[f"shl.{_scalar.name}"] = Operation(_scalar, (_scalar, U32), _left)
for _scalar in (*BITS, U16, U32, U64):
    OPERATIONS[f"shr.{_scalar.name}"] = Operation(_scalar, (_scalar, U32), _right_logical)
for _scalar in (S16, S32, S64):
    OPERATIONS[f"shr.{_scalar.name}"] = Operation(_scalar, (_scalar, U32), _right_arithmetic)
for _scalar in (B32, B64):
    OPERATIONS[f"bfi.{_scalar.name}"] = Operation(_scalar, (_scalar, _scalar, U32, U32), _inserted)
for _scalar in (U32, U64, S32, S64):
    OPERATIONS[f"bfe.{_scalar.name}"] = Operation(_scalar, (_scalar, U32, U32), _field)
