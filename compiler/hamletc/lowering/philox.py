"""Random words: Philox4x32-10.

J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value

ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)


def philox(builder: Builder, counter: list[Value], keys: list[Value]) -> list[Value]:
    """Four words of a counter of four numbers and a key of two, all U32."""
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
    return counter
