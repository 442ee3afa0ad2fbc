"""The sequences of operations that make numbers of words, as one IR function on given words, and what it must give."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from hamlet.interpreter import draws as defined
from hamlet.numbers.random import multiply_high, philox_rounds
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output
from hamletc.ir.ops import F32, U32
from hamletc.lowering import draws
from hamletc.lowering.draws import philox

Array = np.ndarray[Any, Any]

KNOWN = (
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
)
"""Counters, keys and words of philox4x32 with 10 rounds: Random123's kat_vectors."""
COUNTER, KEY = ("c0", "c1", "c2", "c3"), ("k0", "k1")
LANES = 1024
THRESHOLDS = (2**31, 2**32 - 256)
LEAST, MOST = -(2**24), 2**24
EDGES = [0, 1, 255, 256, 257, 2**23, 2**31 - 1, 2**31, 2**32 - 257, 2**32 - 256, 2**32 - 1, 2**30, 3 * 2**30]
"""Words at which shares, choices and angles jump."""


def words_of(text: str) -> list[int]:
    return [int(word, 16) for word in text.split()]


def sequences() -> Function:
    """Of a counter, a key, two words and two numbers: the words of Philox, and each kind of draw."""
    builder = Builder()
    counter, key = ([builder.input(U32, name) for name in names] for names in (COUNTER, KEY))
    w, v = builder.input(U32, "w"), builder.input(U32, "v")
    a, b = builder.input(F32, "a"), builder.input(F32, "b")
    values = {f"word{number}": word for number, word in enumerate(philox(builder, counter, key))}
    values["uniform"] = draws.uniform(builder, w, a, b)
    values["die"] = draws.integer(builder, w, 1, 6)
    values["widest"] = draws.integer(builder, w, LEAST, MOST)
    values["choice"] = draws.choice(builder, w, [a, b, builder.f32(-0.0)], None)
    values["weighted"] = draws.choice(builder, w, [a, b, builder.f32(-0.0)], THRESHOLDS)
    values["normal"] = draws.normal(builder, w, v, a, b)
    values["chance"] = builder.select(draws.chance(builder, w, a), a, b)
    return builder.finish("sequences", tuple(Output(name, value) for name, value in values.items()))


def inputs() -> dict[str, Array]:
    """Known answers first; all pairs of edge words, then random ones."""
    generator = np.random.default_rng(17)
    given: dict[str, Array] = {
        name: generator.integers(0, 2**32, LANES, dtype=np.uint64).astype(np.uint32) for name in (*COUNTER, *KEY)
    }
    for lane, (counter, key, _) in enumerate(KNOWN):
        for name, word in zip((*COUNTER, *KEY), (*words_of(counter), *words_of(key)), strict=True):
            given[name][lane] = word
    pairs = np.array([(w, v) for w in EDGES for v in EDGES], np.uint32)
    given |= {name: generator.integers(0, 2**32, LANES, dtype=np.uint64).astype(np.uint32) for name in ("w", "v")}
    given["w"][: len(pairs)], given["v"][: len(pairs)] = pairs[:, 0], pairs[:, 1]
    for name in ("a", "b"):
        given[name] = generator.normal(0, 3, LANES).astype(np.float32)
    given["a"][generator.random(LANES) < 0.5] = generator.random(1, np.float32)[0]
    given["a"][:4], given["b"][:4] = (0.0, -0.0, 1e-45, 1.0), (1.0, 0.0, 3.0, -0.0)
    # Words whose shares are exactly the probability, and the step below it.
    given["w"][-2:], given["a"][-2:] = (2**31, 2**31 - 1), 0.5
    return given


def expected(given: dict[str, Array]) -> dict[str, Array]:
    """What the interpreter makes of it."""
    words = {name: torch.from_numpy(given[name].astype(np.int64)) for name in (*COUNTER, *KEY, "w", "v")}
    w, v, a, b = words["w"], words["v"], torch.from_numpy(given["a"]), torch.from_numpy(given["b"])
    counter = (words["c0"], words["c1"], words["c2"], words["c3"])
    known = philox_rounds(*counter, words["k0"], words["k1"])
    result = {f"word{number}": word.numpy().astype(np.uint32) for number, word in enumerate(known)}
    options = torch.stack([a, b, torch.full_like(a, -0.0)])
    numbers = {
        "uniform": defined.uniform(w, a, b),
        "die": defined.integer(w, 1, 6),
        "widest": defined.integer(w, LEAST, MOST),
        "choice": options[defined.choice(w, 3, None), torch.arange(LANES)],
        "weighted": options[defined.choice(w, 3, THRESHOLDS), torch.arange(LANES)],
        "normal": defined.normal(w, v, a, b),
        "chance": torch.where(defined.chance(w, a), a, b),
    }
    assert torch.equal(defined.choice(w, 3, None), multiply_high(w, 3))
    return result | {name: value.numpy() for name, value in numbers.items()}


def assert_same(have: dict[str, Array], want: dict[str, Array]) -> None:
    """All words and all bits of numbers."""
    assert have.keys() == want.keys()
    for name, values in want.items():
        assert have[name].dtype == values.dtype, name
        wrong = np.flatnonzero(have[name].view(np.uint32) != values.view(np.uint32))
        assert len(wrong) == 0, f"{name} in lane {wrong[0]}: {have[name][wrong[0]]} instead of {values[wrong[0]]}"
