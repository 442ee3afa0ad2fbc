"""Modules of WebAssembly as bytes: numbers and sections as the specification has them."""

from __future__ import annotations

import pytest

from hamletc.targets.wasm import instructions
from hamletc.targets.wasm.encoding import I32, Function, Module, Signature, name, signed, unsigned


@pytest.mark.parametrize(
    ("number", "encoded"),
    [(0, "00"), (127, "7f"), (128, "80 01"), (624485, "e5 8e 26"), (2**32 - 1, "ff ff ff ff 0f")],
)
def test_numbers_without_a_sign(number: int, encoded: str) -> None:
    assert unsigned(number).hex(" ") == encoded


@pytest.mark.parametrize(
    ("number", "encoded"),
    [
        (0, "00"),
        (63, "3f"),
        (64, "c0 00"),
        (-1, "7f"),
        (-64, "40"),
        (-65, "bf 7f"),
        (-123456, "c0 bb 78"),
        (-(2**31), "80 80 80 80 78"),
    ],
)
def test_numbers_with_a_sign(number: int, encoded: str) -> None:
    assert signed(number).hex(" ") == encoded


def test_constants_of_both_ranges_are_the_same_bits() -> None:
    assert instructions.i32(0xFFFFFFFF) == instructions.i32(-1)
    assert instructions.i32(0x80000000) == instructions.i32(-(2**31))
    assert instructions.i64(0xCBF29CE484222325) == instructions.i64(0xCBF29CE484222325 - 2**64)


def test_a_module_is_its_sections_in_their_order() -> None:
    """As the reference assembler writes `(module (memory (export "memory") 1) (func (export "f") ...))`."""
    module = Module(
        [Signature((), (I32,))],
        [Function(0, (I32, I32), instructions.i32(42))],
        [("f", 0)],
        size=1,
        data=[(64, b"\1\2")],
        globals=[128],
        custom=[("hamlet", b"{}")],
    )
    assert module.encoded.hex(" ") == (
        "00 61 73 6d 01 00 00 00 "
        "01 05 01 60 00 01 7f "
        "03 02 01 00 "
        "05 03 01 00 01 "
        "06 07 01 7f 01 41 80 01 0b "
        "07 0e 02 06 6d 65 6d 6f 72 79 02 00 01 66 00 00 "
        "0a 08 01 06 01 02 7f 41 2a 0b "
        "0b 09 01 00 41 c0 00 0b 02 01 02 "
        "00 09 06 68 61 6d 6c 65 74 7b 7d"
    )


def test_names_are_utf_8() -> None:
    assert name("é") == b"\2\xc3\xa9"


def test_instructions_have_their_codes() -> None:
    """One of each group that is listed without its code."""
    assert instructions.op("i32.eqz", "i64.ge_u", "f64.ge", "i64.rotr", "f32.div") == b"\x45\x5a\x66\x8a\x95"
    assert instructions.op("f64.add", "f64.mul", "i32x4.add") == b"\xa0\xa2\xfd\xae\x01"
    assert instructions.access("v128.load32_lane", 8, 3) == b"\xfd\x56\x00\x08\x03"


def test_no_two_instructions_have_one_code() -> None:
    for codes in (instructions.PLAIN, instructions.VECTORS):
        assert len(set(codes.values())) == len(codes)


def test_no_instruction_depends_on_the_machine() -> None:
    """Relaxed vector instructions begin at 0x100."""
    assert max(instructions.VECTORS.values()) < 0x100
