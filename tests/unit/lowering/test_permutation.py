"""The permutation of docs/semantics.md, written once more in plain Python, against the lowered one."""

from __future__ import annotations

import numpy as np
import pytest

from hamlet.numbers.permutation import Domain, domain
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Output
from hamletc.ir.ops import Type
from hamletc.lowering.layouts import new_layout, permute, unpermute

WORD = 0xFFFFFFFF
SIZES = (1, 2, 3, 4, 5, 7, 12, 13, 17, 23, 25, 37, 59, 64, 97, 127, 1000)


def keyed(value: int, number: int, layout: int) -> int:
    t = ((value ^ (layout + number * 0x9E3779B9)) & WORD) * 0x9E3779B1 & WORD
    return (t ^ t >> 15) * 0x85EBCA77 & WORD


def plain(shape: Domain, layout: int, index: int) -> int:
    while True:
        high, low = divmod(index, shape.low)
        for number in range(8):
            if number % 2 == 0:
                low = (low + (keyed(high, number, layout) * shape.low >> 32)) % shape.low
            else:
                high = (high + (keyed(low, number, layout) * shape.high >> 32)) % shape.high
        index = high * shape.low + low
        if index < shape.size:
            return index


def mix(x: int) -> int:
    x ^= x >> 16
    x = x * 0x7FEB352D & WORD
    x ^= x >> 15
    x = x * 0x846CA68B & WORD
    return x ^ x >> 16


@pytest.mark.parametrize("size", SIZES)
def test_the_permutation_and_its_inverse(size: int) -> None:
    shape = domain(size)
    layouts = np.repeat(np.array([0, 1, 0xDEADBEEF, 0x12345678], np.uint32), size)
    indices = np.tile(np.arange(size, dtype=np.uint32), 4)
    builder = Builder()
    layout, index = builder.input(Type.U32, "layout"), builder.input(Type.U32, "index")
    place = permute(builder, shape, layout, index)
    back = unpermute(builder, shape, layout, place)
    function = builder.finish("f", (Output("place", place), Output("back", back)))
    results = evaluate(function, {"layout": layouts, "index": indices}, ())
    expected = [plain(shape, int(key), int(i)) for key, i in zip(layouts, indices, strict=True)]
    assert results["place"].tolist() == expected
    assert results["back"].tolist() == indices.tolist()
    for each in results["place"].reshape(4, size):
        assert sorted(each.tolist()) == list(range(size))


def test_sizes_with_ghosts_were_among_them() -> None:
    assert {domain(size).ghosts for size in SIZES} >= {0, 1, 3}


def test_a_new_layout() -> None:
    builder = Builder()
    names = ("seed_low", "seed_high", "world", "episode")
    layout = new_layout(builder, *(builder.input(Type.U32, name) for name in names))
    function = builder.finish("f", (Output("layout", layout),))
    generator = np.random.default_rng(1)
    inputs = {name: generator.integers(0, 2**32, 50, dtype=np.uint64).astype(np.uint32) for name in names}
    expected = []
    for low, high, world, episode in zip(*(inputs[name].tolist() for name in names), strict=True):
        seed = mix(low ^ mix(high ^ 0x68616D6C))
        expected.append(mix((mix(world ^ seed) + episode * 0x9E3779B9) & WORD))
    assert evaluate(function, inputs, ())["layout"].tolist() == expected
