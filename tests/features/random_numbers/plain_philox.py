"""Philox of any width on Python's integers, after the paper: an implementation that shares nothing with hamlet's.

J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011, section 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce


@dataclass(frozen=True, slots=True)
class Width:
    """The constants of Philox with four words of so many bits."""

    bits: int
    multipliers: tuple[int, int]
    key_steps: tuple[int, int]


NARROW = Width(32, (0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85))
WIDE = Width(64, (0xD2E7470EE14C6C93, 0xCA5A826395121157), (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B))
ROUNDS = 10


def philox(width: Width, counter: Sequence[int], key: Sequence[int]) -> list[int]:
    """Four words; a key is stepped before every round but the first."""
    whole = 2**width.bits
    left, right = [counter[0], counter[2]], [counter[1], counter[3]]
    for number in range(ROUNDS):
        keys = [(word + number * step) % whole for word, step in zip(key, width.key_steps, strict=True)]
        products = [multiplier * word for multiplier, word in zip(width.multipliers, left, strict=True)]
        high, low = [product // whole for product in products], [product % whole for product in products]
        left = [high[1] ^ right[0] ^ keys[0], high[0] ^ right[1] ^ keys[1]]
        right = [low[1], low[0]]
    return [left[0], right[0], left[1], right[1]]


def site(construct: str, number: int = 0) -> int:
    """The site of the draw of this number of a construct, where no two keys collide (docs/semantics.md, "Draws")."""
    return reduce(lambda key, byte: (key ^ byte) * 16777619 % 2**32, construct.encode("utf-8"), 2166136261) * 4 + number


def draw_word(seed: int, lane: int, tick: int, site: int, stream: int = 1) -> int:
    """The word of a draw site (docs/semantics.md, "Draws")."""
    counter = (lane % 2**32, tick % 2**32, site // 4, stream)
    return philox(NARROW, counter, (seed % 2**32, seed // 2**32))[site % 4]
