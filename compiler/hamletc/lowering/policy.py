"""The random policy: Philox4x32-10 words, and the action that a word draws (docs/semantics.md, "Randomness").

J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output
from hamletc.ir.typing import U32

ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
SITE = 1


def lower_policy() -> Function:
    """Inputs lane, tick, seed_low, seed_high; outputs word0 .. word3, all U32."""
    builder = Builder()
    with builder.at("policy", None):
        lane, tick = builder.input(U32, "lane"), builder.input(U32, "tick")
        keys = [builder.input(U32, "seed_low"), builder.input(U32, "seed_high")]
        counter = [lane, builder.shift_right(tick, 2), builder.u32(SITE), builder.u32(0)]
        for number in range(ROUNDS):
            first, second = (builder.add(key, builder.u32(number * weyl)) for key, weyl in zip(keys, WEYL, strict=True))
            c0, c1, c2, c3 = counter
            m0, m1 = builder.u32(MULTIPLIERS[0]), builder.u32(MULTIPLIERS[1])
            counter = [
                builder.xor(builder.xor(builder.mul_high(c2, m1), c1), first),
                builder.mul(c2, m1),
                builder.xor(builder.xor(builder.mul_high(c0, m0), c3), second),
                builder.mul(c0, m0),
            ]
    return builder.finish("policy", tuple(Output(f"word{number}", word) for number, word in enumerate(counter)))


def lower_choose(actions: int) -> Function:
    """Input word (U32); output action (I32), uniform in 0 .. actions - 1."""
    builder = Builder()
    with builder.at("policy", None):
        drawn = builder.mul_high(builder.input(U32, "word"), builder.u32(actions))
        return builder.finish("choose", (Output("action", builder.to_i32(drawn)),))
