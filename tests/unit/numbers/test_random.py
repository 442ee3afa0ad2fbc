"""Philox, layouts and permutations on torch, against published vectors and plain Python."""

from __future__ import annotations

import math
import random as python_random

import pytest
import torch

from hamlet.numbers import permutation
from hamlet.numbers.few import FEW
from hamlet.numbers.permutation import Domain, domain
from hamlet.numbers.random import (
    layout_of,
    mix,
    multiply_high,
    multiply_low,
    permute,
    permute_inverse,
    philox,
    policy_words,
)

WORD = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ],
)
def test_philox_known_answers(counter: str, key: str, expected: str) -> None:
    """The vectors of Random123's kat_vectors for philox4x32 with 10 rounds."""
    c0, c1, c2, c3 = (torch.tensor([int(word, 16)]) for word in counter.split())
    k0, k1 = (int(word, 16) for word in key.split())
    assert " ".join(f"{int(word):08x}" for word in philox((c0, c1, c2, c3), (k0, k1))) == expected


def test_policy_words_are_those_of_the_counter() -> None:
    """Counter (lane, tick >> 2, 1, 0), also where lanes and ticks wrap at 2**32."""
    lanes = torch.tensor([0, 7, WORD, WORD + 8])
    words = policy_words(lanes, (1 << 32) + 13, (11, 22))
    expected = philox(
        (lanes & WORD, torch.full_like(lanes, 3), torch.full_like(lanes, 1), torch.zeros_like(lanes)), (11, 22)
    )
    assert torch.equal(torch.stack(words), torch.stack(expected))
    assert torch.equal(words[0][1], words[0][3])


def test_few_words_are_those_of_many() -> None:
    lanes = torch.arange(WORD - 5000, WORD + FEW)
    for many, few in (
        (
            torch.stack(policy_words(lanes, 9, (3, 4))),
            [torch.stack(policy_words(x, 9, (3, 4))) for x in lanes.split(99)],
        ),
        (permute(lanes % 48, lanes, domain(48)), [permute(x % 48, x, domain(48)) for x in lanes.split(99)]),
    ):
        assert torch.equal(many, torch.cat(few, dim=-1))


def test_products_of_words() -> None:
    drawn = python_random.Random(0)
    words = [0, 1, WORD, WORD - 1, 1 << 31, *(drawn.getrandbits(32) for _ in range(100))]
    for factor in words:
        tensor = torch.tensor(words)
        assert multiply_high(tensor, factor).tolist() == [(word * factor) >> 32 for word in words]
        assert multiply_low(tensor, factor).tolist() == [word * factor & WORD for word in words]


def scalar_mix(x: int) -> int:
    x ^= x >> 16
    x = x * 0x7FEB352D & WORD
    x ^= x >> 15
    x = x * 0x846CA68B & WORD
    return x ^ (x >> 16)


def scalar_permute(index: int, layout: int, size: Domain) -> int:
    """docs/semantics.md, "Layouts", read aloud."""
    while True:
        low, high = index % size.low, index // size.low
        for r in range(permutation.ROUNDS):
            v = high if r % 2 == 0 else low
            t = (v ^ ((layout + r * 0x9E3779B9) & WORD)) * 0x9E3779B1 & WORD
            f = (t ^ (t >> 15)) * 0x85EBCA77 & WORD
            if r % 2 == 0:
                low = (low + (f * size.low >> 32)) % size.low
            else:
                high = (high + (f * size.high >> 32)) % size.high
        index = high * size.low + low
        if index < size.size:
            return index


def test_layouts_are_the_formula() -> None:
    drawn = python_random.Random(1)
    for _ in range(50):
        seed, world, episode = drawn.getrandbits(64), drawn.getrandbits(32), drawn.getrandbits(31)
        low, high = seed & WORD, seed >> 32
        s = scalar_mix(low ^ scalar_mix(high ^ 0x68616D6C))
        expected = scalar_mix((scalar_mix(world ^ s) + episode * 0x9E3779B9) & WORD)
        assert int(layout_of((low, high), torch.tensor([world]), torch.tensor([episode]))) == expected
    assert mix(0x12345678) == scalar_mix(0x12345678)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 9, 13, 64, 100, 1009, 1 << 20])
def test_permutation_is_the_formula(size: int) -> None:
    drawn = python_random.Random(size)
    for _ in range(20):
        index, layout = drawn.randrange(size), drawn.getrandbits(32)
        expected = scalar_permute(index, layout, domain(size))
        assert int(permute(torch.tensor([index]), torch.tensor([layout]), domain(size))) == expected


LAYOUTS = torch.tensor([[0], [WORD], [0x80000000], [0x12345678]])


def test_permutation_is_a_bijection_with_its_inverse() -> None:
    """Of all small sizes, of those around powers of two, and of one in eleven others."""
    for size in (
        *range(1, 140),
        *range(140, 2001, 11),
        *(power + beside for power in (256, 512, 1024) for beside in (-1, 0, 1)),
    ):
        index = torch.arange(size).expand(len(LAYOUTS), size)
        cells = permute(index, LAYOUTS, domain(size))
        assert torch.equal(cells.sort(dim=1).values, index)
        assert torch.equal(permute_inverse(cells, LAYOUTS, domain(size)), index)


@pytest.mark.parametrize(
    "size",
    [65_537, 262_143, *(pytest.param(size, marks=pytest.mark.long) for size in (99_991, 1 << 20, (1 << 20) + 7))],
)
def test_large_permutations(size: int) -> None:
    index = torch.arange(size).unsqueeze(0)
    cells = permute(index, LAYOUTS[3:], domain(size))
    assert torch.equal(cells.sort(dim=1).values, index)
    assert torch.equal(permute_inverse(cells, LAYOUTS[3:], domain(size)), index)


def unevenness(size: int, worlds: int = 100_000) -> float:
    """How far the chances that a pair of indices is on a pair of cells are from equal: their standard deviation over
    their mean, beyond what chance alone gives. Over all pairs of the first ten indices, in that many worlds."""
    layouts = layout_of((12345, 0), torch.arange(worlds), torch.zeros(worlds, dtype=torch.int64))
    cells = permute(torch.arange(min(size, 10)).unsqueeze(1), layouts, domain(size))
    excess, expected = 0.0, worlds / (size * (size - 1))
    pairs = [(i, j) for i in range(len(cells)) for j in range(i)]
    apart = ~torch.eye(size, dtype=torch.bool).view(-1)
    for i, j in pairs:
        counts = torch.bincount(cells[i] * size + cells[j], minlength=size * size)[apart].double()
        excess += float(((counts - expected) ** 2 / expected).sum()) - (len(counts) - 1)
    return math.sqrt(max(excess / (worlds * len(pairs)), 0.0))


@pytest.mark.parametrize("size", [9, 13, 64, *(pytest.param(size, marks=pytest.mark.long) for size in (10, 25))])
def test_layouts_are_even(size: int) -> None:
    assert unevenness(size) < 0.05
