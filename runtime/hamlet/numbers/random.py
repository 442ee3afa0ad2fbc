"""Random words and layouts on torch tensors (docs/semantics.md, "Randomness" and "Layouts").

Words of 32 bits are kept in int64 tensors, 0 .. 2**32 - 1: torch has no arithmetic on uint32.
"""

from __future__ import annotations

from typing import TypeAlias, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hamlet.numbers.counters import POLICY, POLICY_BLOCK
from hamlet.numbers.few import arrays
from hamlet.numbers.permutation import (
    DRAW_MULTIPLIER,
    GOLDEN,
    MIX_MULTIPLIERS,
    ROUND_MULTIPLIERS,
    ROUNDS,
    SEED_SALT,
    Domain,
)

Array: TypeAlias = NDArray[np.int64]
Word = TypeVar("Word", int, Tensor, Array)
Words: TypeAlias = tuple[Tensor, Tensor, Tensor, Tensor]
Numbers = TypeVar("Numbers", Tensor, Array)

WORD = 0xFFFFFFFF
SHARE_BITS = 24
"""The bits of a random share of 1."""

PHILOX_ROUNDS = 10
PHILOX_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
PHILOX_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)


def multiply_high(word: Numbers, factor: int | Numbers) -> Numbers:
    """The upper 32 bits of the 64-bit product of two words."""
    return ((word * factor) >> 32) & WORD


def multiply_low(word: Word, factor: int) -> Word:
    """The lower 32 bits of the product of two words."""
    return (word * factor) & WORD


def philox(counter: Words, key: tuple[int, int]) -> Words:
    """Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011): four words."""
    few = arrays(*counter)
    if few is None:
        return philox_rounds(*counter, *key)
    c0, c1, c2, c3 = map(torch.from_numpy, philox_rounds(few[0], few[1], few[2], few[3], *key))
    return c0, c1, c2, c3


def philox_rounds(
    c0: Numbers, c1: Numbers, c2: Numbers, c3: Numbers, k0: int | Numbers, k1: int | Numbers
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """The words of a counter and of a key, which may be others for each of the counter's."""
    for _ in range(PHILOX_ROUNDS):
        first, second = c0 * PHILOX_MULTIPLIERS[0], c2 * PHILOX_MULTIPLIERS[1]
        c0, c1 = ((second >> 32) & WORD) ^ c1 ^ k0, second & WORD
        c2, c3 = ((first >> 32) & WORD) ^ c3 ^ k1, first & WORD
        k0, k1 = (k0 + PHILOX_KEY_STEPS[0]) & WORD, (k1 + PHILOX_KEY_STEPS[1]) & WORD
    return c0, c1, c2, c3


def policy_words(lanes: Tensor, tick: int, seed: tuple[int, int]) -> Words:
    """The random policy's words of these global lanes for the four ticks from `tick & ~3` on; `seed` is (low, high)."""

    def word(value: int) -> Tensor:
        return torch.full_like(lanes, value)

    return philox((lanes & WORD, word((tick & WORD) >> 2), word(POLICY_BLOCK), word(POLICY)), seed)


def draw_words(numbers: Tensor, time: int | Tensor, block: int, stream: int | Tensor, seed: tuple[int, int]) -> Words:
    """The words of the draw sites 4 * block .. 4 * block + 3 in a stream (`hamlet.numbers.counters`).

    Args:
        numbers: of global lanes or worlds, i64.
        time: the tick; for draws at the beginning of an episode its number, also one for each of `numbers`.
        stream: with the number of the cell in it where one draws.
        seed: (low, high).
    """

    def word(value: int | Tensor) -> Tensor:
        return value + torch.zeros_like(numbers)

    return philox((numbers & WORD, word(time & WORD), word(block), word(stream)), seed)


def share(word: Tensor, above: int = 0) -> Tensor:
    """(word >> 8) + above in units of 2**-24, f32: 0 .. 1 without 1, and with `above` = 1 without 0."""
    return ((word >> (32 - SHARE_BITS)) + above).to(torch.float32) * 2.0**-SHARE_BITS


def mix(word: Word) -> Word:
    """The 32-bit finalizer that layouts are made with."""
    word = word ^ (word >> 16)
    word = multiply_low(word, MIX_MULTIPLIERS[0])
    word = word ^ (word >> 15)
    word = multiply_low(word, MIX_MULTIPLIERS[1])
    return word ^ (word >> 16)


def layout_of(seed: tuple[int, int], world: Tensor, episode: Tensor) -> Tensor:
    """The 32 bits that key the places of an episode of these worlds (global numbers); `seed` is (low, high)."""
    low, high = seed
    salt = mix(mix(high ^ SEED_SALT) ^ low)
    return mix((mix((world & WORD) ^ salt) + (episode & WORD) * GOLDEN) & WORD)


def draw(layout: Tensor, index: Tensor, axis: int) -> Tensor:
    """The word from which a layout draws a coordinate for an index; layout: words, index: 0 .. 2**32 - 2."""
    of_index = mix((layout + (index + 1) * GOLDEN) & WORD)
    return mix((of_index + (axis + 1) * DRAW_MULTIPLIER) & WORD)


def _round_function(value: Numbers, layout: Numbers, index: int) -> Numbers:
    key = (layout + index * GOLDEN) & WORD
    word = multiply_low(value ^ key, ROUND_MULTIPLIERS[0])
    return multiply_low(word ^ (word >> 15), ROUND_MULTIPLIERS[1])


def _forward(index: Tensor, layout: Tensor, domain: Domain) -> Tensor:
    few = arrays(index, layout)
    return torch.from_numpy(_forwards(few[0], few[1], domain)) if few else _forwards(index, layout, domain)


def _forwards(index: Numbers, layout: Numbers, domain: Domain) -> Numbers:
    low, high = index % domain.low, index // domain.low
    for index_of_round in range(ROUNDS):
        if index_of_round % 2 == 0:
            shift = multiply_high(_round_function(high, layout, index_of_round), domain.low)
            low = (low + shift) % domain.low
        else:
            shift = multiply_high(_round_function(low, layout, index_of_round), domain.high)
            high = (high + shift) % domain.high
    return high * domain.low + low


def _backward(index: Tensor, layout: Tensor, domain: Domain) -> Tensor:
    low, high = index % domain.low, index // domain.low
    for index_of_round in reversed(range(ROUNDS)):
        if index_of_round % 2 == 0:
            shift = multiply_high(_round_function(high, layout, index_of_round), domain.low)
            low = (low - shift) % domain.low
        else:
            shift = multiply_high(_round_function(low, layout, index_of_round), domain.high)
            high = (high - shift) % domain.high
    return high * domain.low + low


def permute(index: Tensor, layout: Tensor, domain: Domain) -> Tensor:
    """The cell (0 .. size - 1) at an index (0 .. size - 1) of the permutation that a layout keys; they broadcast."""
    result = _forward(index, layout, domain)
    for _ in range(domain.ghosts):
        ghost = result >= domain.size
        if not ghost.any():
            break
        result = torch.where(ghost, _forward(result, layout, domain), result)
    return result


def permute_inverse(cell: Tensor, layout: Tensor, domain: Domain) -> Tensor:
    """The index of a cell: `permute_inverse(permute(i)) = i`."""
    result = _backward(cell, layout, domain)
    for _ in range(domain.ghosts):
        ghost = result >= domain.size
        if not ghost.any():
            break
        result = torch.where(ghost, _backward(result, layout, domain), result)
    return result
