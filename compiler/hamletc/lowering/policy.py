"""The random policy: Philox4x32-10 words, and the action that a word draws (docs/semantics.md, "Randomness")."""

from __future__ import annotations

from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output
from hamletc.ir.ops import U32
from hamletc.lowering.philox import philox

SITE = 1


def lower_policy() -> Function:
    """Inputs lane, tick, seed_low, seed_high; outputs word0 .. word3, all U32."""
    builder = Builder()
    with builder.at("policy", None):
        lane, tick = builder.input(U32, "lane"), builder.input(U32, "tick")
        keys = [builder.input(U32, "seed_low"), builder.input(U32, "seed_high")]
        counter = [lane, builder.shift_right(tick, 2), builder.u32(SITE), builder.u32(0)]
        words = philox(builder, counter, keys)
    return builder.finish("policy", tuple(Output(f"word{number}", word) for number, word in enumerate(words)))


def lower_choose(actions: int) -> Function:
    """Input word (U32); output action (I32), uniform in 0 .. actions - 1."""
    builder = Builder()
    with builder.at("policy", None):
        drawn = builder.mul_high(builder.input(U32, "word"), builder.u32(actions))
        return builder.finish("choose", (Output("action", builder.to_i32(drawn)),))
