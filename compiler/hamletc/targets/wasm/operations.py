"""Operations on numbers and on vectors of one type, as instructions."""

from __future__ import annotations

from hamletc.targets.wasm.instructions import f32, i32, i64, lane, op, shuffle, v128

Key = tuple[str, str, str]

ODD_WORDS = bytes(4 * word + byte for word in (1, 3, 5, 7) for byte in range(4))
"""The upper halves of the numbers of 64 bits in two vectors."""
EVEN, ODD = (bytes(4 * word + byte for word in words for byte in range(4)) for words in ((0, 2, 4, 6), (1, 3, 5, 7)))
"""Every other lane of two vectors, from the first and from the second one on."""


def _plain() -> dict[Key, bytes]:
    """Those that are an instruction behind their operands, by shape, name and element."""
    made: dict[Key, bytes] = {}
    for element in ("i32", "u32"):
        for name, suffix in (("add", "add"), ("subtract", "sub"), ("multiply", "mul")):
            made["number", name, element] = op(f"i32.{suffix}")
            made["vector", name, element] = op(f"i32x4.{suffix}")
        sign = "s" if element == "i32" else "u"
        for name, suffix in (("less", f"lt_{sign}"), ("less_equal", f"le_{sign}"), ("equal", "eq")):
            made["number", name, element] = op(f"i32.{suffix}")
            made["vector", name, element] = op(f"i32x4.{suffix}")
    for name, suffix in (("add", "add"), ("subtract", "sub"), ("multiply", "mul"), ("divide", "div"), ("less", "lt"),
                         ("less_equal", "le"), ("equal", "eq"), ("square_root", "sqrt"), ("absolute", "abs"),
                         ("negate", "neg")):  # fmt: skip
        made["number", name, "f32"] = op(f"f32.{suffix}")
        made["vector", name, "f32"] = op(f"f32x4.{suffix}")
    for element in ("u32", "bool"):
        for name in ("and", "or", "xor"):
            made["number", f"bit_{name}", element] = op(f"i32.{name}")
            made["vector", f"bit_{name}", element] = op(f"v128.{name}")
    made["number", "equal", "bool"] = op("i32.eq")
    made["vector", "equal", "bool"] = op("i32x4.eq")
    made["number", "divide", "u32"] = op("i32.div_u")
    made["number", "remainder", "u32"] = op("i32.rem_u")
    made["number", "shift_left", "u32"] = op("i32.shl")
    made["number", "shift_right", "u32"] = op("i32.shr_u")
    made["vector", "negate", "i32"] = op("i32x4.neg")
    made["vector", "absolute", "i32"] = op("i32x4.abs")
    return made


PLAIN = _plain()
CONVERTED = {
    ("number", "to_f32", "i32"): op("f32.convert_i32_s"),
    ("vector", "to_f32", "i32"): op("f32x4.convert_i32x4_s"),
    ("number", "to_bits", "f32"): op("i32.reinterpret_f32"),
    ("number", "from_bits", "u32"): op("f32.reinterpret_i32"),
    ("vector", "to_bits", "f32"): b"",
    ("vector", "from_bits", "u32"): b"",
    **{(shape, "to_i32", "u32"): b"" for shape in ("number", "vector")},
    **{(shape, "to_u32", "i32"): b"" for shape in ("number", "vector")},
}
"""What makes a number of another type of one, behind that."""


def mulhigh(shape: str, left: bytes, right: bytes) -> bytes:
    """The upper half of the product of two u32; of vectors `left` and `right` are variables, which are read twice."""
    if shape == "number":
        wide = op("i64.extend_i32_u")
        return left + wide + right + wide + op("i64.mul") + i64(32) + op("i64.shr_u", "i32.wrap_i64")
    halves = (left + right + op(f"i64x2.extmul_{half}_i32x4_u") for half in ("low", "high"))
    return b"".join(halves) + shuffle(ODD_WORDS)


def each_lane(number: str, left: bytes, right: bytes) -> bytes:
    """An operation on integers that vectors do not have, lane by lane; both are variables."""
    made = v128(bytes(16))
    for each in range(4):
        operands = b"".join(vector + lane("i32x4.extract_lane", each) for vector in (left, right))
        made += operands + op(number) + lane("i32x4.replace_lane", each)
    return made


def nearest_byte(shape: str) -> bytes:
    """The lower bits of an f32 of 0 .. 255, rounded to nearest even, behind it."""
    if shape == "number":
        return f32(12582912.0) + op("f32.add", "i32.reinterpret_f32") + i32(255) + op("i32.and")
    return f32(12582912.0) + op("f32x4.splat", "f32x4.add")
