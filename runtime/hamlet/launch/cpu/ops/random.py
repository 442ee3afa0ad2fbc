"""The random words of policies (docs/semantics.md, "Randomness")."""

from __future__ import annotations

from typing import Any

from hamlet.launch.cpu.ops.machinery import types
from hamlet.launch.cpu.ops.operations import (
    add,
    bit_and,
    bit_xor,
    equal,
    mulhigh,
    multiply,
    shift_right,
    to_f32,
    to_i32,
    where,
)
from hamlet.launch.cpu.ops.tracing import traced
from hamlet.numbers.counters import POLICY, POLICY_BLOCK
from hamlet.numbers.random import PHILOX_KEY_STEPS, PHILOX_MULTIPLIERS, PHILOX_ROUNDS, SHARE_BITS

f32, u32 = types.float32, types.uint32


@traced
def policy_word(lanes: Any, tick: Any, low: Any, high: Any) -> Any:
    """The word of a tick for these global lanes, by Philox4x32-10; all are u32."""
    c0, c1, c2, c3 = lanes, shift_right(tick, 2), u32(POLICY_BLOCK), u32(POLICY)
    for _ in range(PHILOX_ROUNDS):
        high0, low0 = mulhigh(c0, PHILOX_MULTIPLIERS[0]), multiply(c0, PHILOX_MULTIPLIERS[0])
        high1, low1 = mulhigh(c2, PHILOX_MULTIPLIERS[1]), multiply(c2, PHILOX_MULTIPLIERS[1])
        c0, c1, c2, c3 = bit_xor(bit_xor(high1, c1), low), low1, bit_xor(bit_xor(high0, c3), high), low0
        low, high = add(low, PHILOX_KEY_STEPS[0]), add(high, PHILOX_KEY_STEPS[1])
    last = bit_and(tick, 3)
    return where(equal(last, 0), c0, where(equal(last, 1), c1, where(equal(last, 2), c2, c3)))


@traced
def share(word: Any) -> Any:
    """The upper bits of a word in units of 2**-24, f32."""
    return to_f32(to_i32(shift_right(word, 32 - SHARE_BITS))) * f32(2.0**-SHARE_BITS)
