"""Functions that are written as instructions, in wasmtime."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from hamletc.targets.wasm import encoding
from hamletc.targets.wasm.encoding import F32, Module, Signature
from hamletc.targets.wasm.instructions import call, get, lane, op
from hamletc.targets.wasm.native import NATIVE

wasmtime: Any = pytest.importorskip("wasmtime")

NAMES = ("fma_half", "fma_number", "fma_vector")


def number(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


def bits_of(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


@pytest.fixture(scope="module")
def fused() -> Any:
    """What the functions make of three numbers: that for numbers, then those for the lanes of vectors."""
    types, functions = [], []

    def add(signature: Signature, variables: tuple[bytes, ...], code: bytes) -> int:
        types.append(signature)
        functions.append(encoding.Function(len(types) - 1, variables, code))
        return len(functions) - 1

    indices: dict[str, int] = {}
    for name in NAMES:
        indices[name] = add(*NATIVE[name](lambda other: call(indices[other])))
    plain = Signature((F32,) * 3, (F32,))
    exports = [("number", indices["fma_number"])]
    for each in range(4):
        splats = b"".join(get(place) + op("f32x4.splat") for place in range(3))
        code = splats + call(indices["fma_vector"]) + lane("f32x4.extract_lane", each)
        exports.append((f"lane{each}", add(plain, (), code)))
    store = wasmtime.Store()
    module = wasmtime.Module(store.engine, Module(types, functions, exports, 1).encoded)
    exported = wasmtime.Instance(store, module, []).exports(store)

    def results(*given: int) -> list[int]:
        numbers = [number(each) for each in given]
        return [bits_of(exported[name](store, *numbers)) for name, _ in exports]

    return results


@pytest.mark.parametrize(
    ("left", "right", "addend", "expected"),
    [
        # (1 + 2**-12)**2 is half way between two numbers; 2**-60 decides, which no f64 has beside it.
        (0x3F800800, 0x3F800800, 0x21800000, 0x3F801001),
        (0x3F800800, 0x3F800800, 0xA1800000, 0x3F801000),
        (0xBF800800, 0x3F800800, 0xA1800000, 0xBF801001),
        (0xBF800800, 0x3F800800, 0x21800000, 0xBF801000),
        # Rounded once where a product and a sum of two roundings give 0.
        (0x3F800800, 0x3F800800, 0xBF801000, 0x33800000),
        # 2**-150 more than the least number: half way, to the even one.
        (0x1A000000, 0x1A000000, 0x00000001, 0x00000002),
        # 2**-196 less than half way between two numbers of few bits, which no f64 has beside them.
        (0x1A000001, 0x19FFFFFE, 0x00400001, 0x00400001),
        (0x9A000001, 0x19FFFFFE, 0x80400001, 0x80400001),
        # Beyond all numbers.
        (0x7F7FFFFF, 0x40000000, 0x00000000, 0x7F800000),
    ],
)
def test_a_product_and_a_sum_are_rounded_once(fused: Any, left: int, right: int, addend: int, expected: int) -> None:
    assert [hex(each) for each in fused(left, right, addend)] == [hex(expected)] * 5
