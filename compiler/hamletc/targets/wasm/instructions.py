"""Instructions of WebAssembly by their names in the specification."""

from __future__ import annotations

from functools import lru_cache

from hamletc.targets.wasm.encoding import binary32, signed, unsigned

_SCALAR = """
i32.eqz i32.eq i32.ne i32.lt_s i32.lt_u i32.gt_s i32.gt_u i32.le_s i32.le_u i32.ge_s i32.ge_u
i64.eqz i64.eq i64.ne i64.lt_s i64.lt_u i64.gt_s i64.gt_u i64.le_s i64.le_u i64.ge_s i64.ge_u
f32.eq f32.ne f32.lt f32.gt f32.le f32.ge f64.eq f64.ne f64.lt f64.gt f64.le f64.ge
i32.clz i32.ctz i32.popcnt i32.add i32.sub i32.mul i32.div_s i32.div_u i32.rem_s i32.rem_u
i32.and i32.or i32.xor i32.shl i32.shr_s i32.shr_u i32.rotl i32.rotr
i64.clz i64.ctz i64.popcnt i64.add i64.sub i64.mul i64.div_s i64.div_u i64.rem_s i64.rem_u
i64.and i64.or i64.xor i64.shl i64.shr_s i64.shr_u i64.rotl i64.rotr
f32.abs f32.neg f32.ceil f32.floor f32.trunc f32.nearest f32.sqrt f32.add f32.sub f32.mul f32.div
"""
"""Those whose codes follow each other, from 0x45 on."""

PLAIN: dict[str, bytes] = {
    **{each: bytes([0x45 + place]) for place, each in enumerate(_SCALAR.split())},
    **{each: bytes([0xA0 + place]) for place, each in enumerate(("f64.add", "f64.sub", "f64.mul"))},
    "unreachable": b"\x00", "end": b"\x0b", "else": b"\x05", "return": b"\x0f", "drop": b"\x1a", "select": b"\x1b",
    "i32.wrap_i64": b"\xa7", "i64.extend_i32_s": b"\xac", "i64.extend_i32_u": b"\xad",
    "f32.convert_i32_s": b"\xb2", "f32.convert_i32_u": b"\xb3", "f32.convert_i64_s": b"\xb4",
    "f32.demote_f64": b"\xb6", "f64.promote_f32": b"\xbb",
    "i32.reinterpret_f32": b"\xbc", "i64.reinterpret_f64": b"\xbd",
    "f32.reinterpret_i32": b"\xbe", "f64.reinterpret_i64": b"\xbf",
    "i32.trunc_sat_f32_s": b"\xfc\x00", "i32.trunc_sat_f32_u": b"\xfc\x01", "i64.trunc_sat_f32_s": b"\xfc\x04",
    "memory.copy": b"\xfc\x0a\0\0", "memory.fill": b"\xfc\x0b\0", "memory.size": b"\x3f\0", "memory.grow": b"\x40\0",
}  # fmt: skip
"""Those without operands of their own."""

VECTORS: dict[str, int] = {
    "v128.load": 0, "i16x8.load8x8_u": 2, "v128.store": 11, "v128.const": 12, "i8x16.shuffle": 13, "i8x16.swizzle": 14,
    "i8x16.splat": 15, "i32x4.splat": 17, "i64x2.splat": 18, "f32x4.splat": 19,
    "i32x4.extract_lane": 27, "i32x4.replace_lane": 28, "f32x4.extract_lane": 31,
    "i8x16.eq": 35, "i32x4.eq": 55, "i32x4.ne": 56, "i32x4.lt_s": 57, "i32x4.lt_u": 58, "i32x4.le_s": 61,
    "i32x4.le_u": 62, "f32x4.eq": 65, "f32x4.lt": 67, "f32x4.le": 69,
    "f64x2.eq": 71, "f64x2.ne": 72, "f64x2.lt": 73, "i64x2.eq": 214,
    "v128.not": 77, "v128.and": 78, "v128.andnot": 79, "v128.or": 80, "v128.xor": 81, "v128.bitselect": 82,
    "v128.any_true": 83, "v128.load32_lane": 86, "v128.store32_lane": 90, "v128.store64_lane": 91,
    "v128.load32_zero": 92, "v128.load64_zero": 93, "f32x4.demote_f64x2_zero": 94, "f64x2.promote_low_f32x4": 95,
    "i8x16.bitmask": 100, "i16x8.extend_low_i8x16_s": 135, "i16x8.extend_low_i8x16_u": 137,
    "i32x4.abs": 160, "i32x4.neg": 161, "i32x4.bitmask": 164,
    "i32x4.extend_low_i16x8_s": 167, "i32x4.extend_low_i16x8_u": 169,
    "i32x4.shl": 171, "i32x4.shr_s": 172, "i32x4.shr_u": 173, "i32x4.add": 174, "i32x4.sub": 177, "i32x4.mul": 181,
    "i64x2.shl": 203, "i64x2.shr_u": 205, "i64x2.add": 206, "i64x2.sub": 209,
    "i64x2.extmul_low_i32x4_u": 222, "i64x2.extmul_high_i32x4_u": 223,
    "f32x4.abs": 224, "f32x4.neg": 225, "f32x4.sqrt": 227, "f32x4.add": 228, "f32x4.sub": 229, "f32x4.mul": 230,
    "f32x4.div": 231, "f32x4.pmin": 234, "f32x4.pmax": 235,
    "f64x2.abs": 236, "f64x2.add": 240, "f64x2.sub": 241, "f64x2.mul": 242, "f32x4.convert_i32x4_s": 250,
}  # fmt: skip
"""Those on vectors of 128 bits behind the byte 0xFD; none of the relaxed ones, whose results depend on the machine."""

MEMORY: dict[str, tuple[bytes, int]] = {
    "i32.load": (b"\x28", 2), "i64.load": (b"\x29", 3), "f32.load": (b"\x2a", 2), "i32.load8_s": (b"\x2c", 0),
    "i32.load8_u": (b"\x2d", 0), "i32.load16_u": (b"\x2f", 1), "i32.store": (b"\x36", 2), "i64.store": (b"\x37", 3),
    "f32.store": (b"\x38", 2), "i32.store8": (b"\x3a", 0), "i32.store16": (b"\x3b", 1),
}  # fmt: skip
"""Those that read or write memory, with the power of two at multiples of which numbers are."""


@lru_cache(1 << 10)
def op(*spelt: str) -> bytes:
    """Instructions without operands of their own, one after the other."""
    return b"".join(PLAIN[each] if each in PLAIN else _of_vectors(each) for each in spelt)


def lane(spelt: str, number: int) -> bytes:
    """An instruction on a lane of a vector."""
    return _of_vectors(spelt) + bytes([number])


def shuffle(lanes: bytes) -> bytes:
    """16 bytes of two vectors: 0 .. 15 of the first, 16 .. 31 of the second."""
    assert len(lanes) == 16
    return _of_vectors("i8x16.shuffle") + lanes


def access(spelt: str, offset: int = 0, of_lane: int | None = None) -> bytes:
    """An instruction on the memory at an address, and `offset` bytes behind it."""
    if spelt in MEMORY:
        code, align = MEMORY[spelt]
        return code + unsigned(align) + unsigned(offset)
    # Vectors are at multiples of no more than an element.
    code = _of_vectors(spelt) + b"\0" + unsigned(offset)
    return code if of_lane is None else code + bytes([of_lane])


def get(variable: int) -> bytes:
    """`local.get`."""
    return b"\x20" + unsigned(variable)


def put(variable: int) -> bytes:
    """`local.set`."""
    return b"\x21" + unsigned(variable)


def tee(variable: int) -> bytes:
    """`local.tee`."""
    return b"\x22" + unsigned(variable)


def get_global(number: int) -> bytes:
    """`global.get`."""
    return b"\x23" + unsigned(number)


def put_global(number: int) -> bytes:
    """`global.set`."""
    return b"\x24" + unsigned(number)


def i32(number: int) -> bytes:
    """A constant of 32 bits, of the range of signed or of unsigned numbers."""
    return b"\x41" + signed((number + (1 << 31)) % (1 << 32) - (1 << 31))


def i64(number: int) -> bytes:
    """A constant of 64 bits."""
    return b"\x42" + signed((number + (1 << 63)) % (1 << 64) - (1 << 63))


def f32(number: float) -> bytes:
    """A constant of 32 bits."""
    return b"\x43" + binary32(number)


def v128(contents: bytes) -> bytes:
    """A constant vector."""
    assert len(contents) == 16
    return _of_vectors("v128.const") + contents


def call(function: int) -> bytes:
    """A call of a function by its index."""
    return b"\x10" + unsigned(function)


def branch(depth: int) -> bytes:
    """A jump to the end of the block around so many others, or to the beginning of a loop."""
    return b"\x0c" + unsigned(depth)


def branch_if(depth: int) -> bytes:
    """The same where a condition holds."""
    return b"\x0d" + unsigned(depth)


def block(body: bytes, kind: bytes = b"\x40") -> bytes:
    """A block; its kind is a type of value, the index of a signature, or nothing."""
    return b"\x02" + kind + body + PLAIN["end"]


def loop(body: bytes) -> bytes:
    """A loop, which ends unless it is jumped to."""
    return b"\x03\x40" + body + PLAIN["end"]


def when(body: bytes, otherwise: bytes = b"", kind: bytes = b"\x40") -> bytes:
    """One of two bodies, by a condition on the stack."""
    return b"\x04" + kind + body + (PLAIN["else"] + otherwise if otherwise else b"") + PLAIN["end"]


def _of_vectors(spelt: str) -> bytes:
    return b"\xfd" + unsigned(VECTORS[spelt])
