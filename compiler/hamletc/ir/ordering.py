"""Numbers as words that are ordered like them: how priorities are compared."""

from __future__ import annotations

from collections.abc import Sequence

from hamletc.ir.builder import Builder
from hamletc.ir.function import Node
from hamletc.ir.ops import Add, Const, Select, ToBits, Type, Value, Xor

SIGN = 1 << 31
ZERO = Const(Type.F32, 0.0)


def ordered(builder: Builder, number: Value) -> Value:
    """A word (U32) that is ordered like a number (F32, no NaN); zeros of either sign are equal. It is never 0."""
    bits = builder.to_bits(builder.add(number, builder.f32(0.0)))
    negative = builder.less(number, builder.f32(0.0))
    flipped = builder.xor(bits, builder.u32(0xFFFFFFFF))
    return builder.select(negative, flipped, builder.xor(bits, builder.u32(SIGN)))


def number_of(nodes: Sequence[Node], word: Value) -> Value | None:
    """The number that `ordered` made a word of, as long as no pass has changed it; `None` where it is another word."""
    match nodes[word].op:
        case Select(otherwise=otherwise):
            pass
        case _:
            return None
    match nodes[otherwise].op:
        case Xor(left=left) if isinstance(bits := nodes[left].op, ToBits):
            total = nodes[bits.operand].op
        case _:
            return None
    if not isinstance(total, Add) or nodes[total.right].op != ZERO:
        return None
    again = Builder()
    for node in nodes:
        again.keep(node)
    return total.left if ordered(again, total.left) == word else None
