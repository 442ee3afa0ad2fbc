"""Kernels run on Triton's interpreter as it is, and twice with operations of ours: a line for each, of its bits.

It wants TRITON_INTERPRET=1.
"""

from __future__ import annotations

from hashlib import sha256

import torch
import triton
import triton.language as tl

from hamlet.launch.gpu import interpreted_operations
from hamlet.launch.gpu.interpreted import make_interpreter_exact

SIZE = 16


@triton.jit
def floats(a, b, wide, out, out64, size: tl.constexpr) -> None:  # type: ignore[no-untyped-def]
    lane = tl.arange(0, size)
    x, y, z = tl.load(a + lane), tl.load(b + lane), tl.load(wide + lane)
    one = tl.load(a + 3)
    tl.store(out + 0 * size + lane, x + y)
    tl.store(out + 1 * size + lane, x - one)
    tl.store(out + 2 * size + lane, one - x)
    tl.store(out + 3 * size + lane, x * -0.0)
    tl.store(out + 4 * size + lane, x * 0.0)
    tl.store(out + 5 * size + lane, 1 - x)
    tl.store(out + 6 * size + lane, x * 0.1)
    tl.store(out + 7 * size + lane, tl.fma(x, y, one + tl.zeros((size,), tl.float32)))
    tl.store(out + 8 * size + lane, tl.fma(x, 0.3, y))
    tl.store(out + 9 * size + lane, tl.fma(x, x, 0.7))
    tl.store(out + 10 * size + lane, tl.where(x < y, x, 0.1))
    tl.store(out + 11 * size + lane, tl.where(x <= 0, -0.0, y))
    tl.store(out + 12 * size + lane, tl.where(x > one, one, y))
    tl.store(out + 13 * size + lane, ((x >= y) | (x == y) | (y != x)).to(tl.float32))
    tl.store(out + 14 * size + lane, tl.load(a + lane, mask=lane < 9, other=-0.0))
    tl.store(out + 15 * size + lane, tl.load(a + lane, mask=(lane & 1) == 0))
    tl.store(out + 16 * size + lane, z.to(tl.float32))
    tl.store(out + 17 * size + lane, tl.load(a + lane - 2 + 2))
    table = x[:, None] * y[None, :] + tl.broadcast_to(y[:, None], (size, size))
    tl.store(out + 18 * size + lane, tl.sum(table, 1))
    tl.store(out + 19 * size + lane, (x >= x).to(tl.float32) + (x > x).to(tl.float32))
    tl.store(out64 + lane, z * 0.1 + x.to(tl.float64))
    tl.store(out64 + size + lane, tl.where(z < 0.0, z, 1))


@triton.jit
def integers(a, words, wide, truth, small, out, size: tl.constexpr) -> None:  # type: ignore[no-untyped-def]
    lane = tl.arange(0, size)
    x, word, long = tl.load(a + lane), tl.load(words + lane).to(tl.uint32), tl.load(wide + lane)
    yes, byte = tl.load(truth + lane), tl.load(small + lane)
    one = tl.load(a + 1)
    tl.store(out + 0 * size + lane, x + x)
    tl.store(out + 1 * size + lane, x * long)
    tl.store(out + 2 * size + lane, long - one)
    tl.store(out + 3 * size + lane, one - long)
    tl.store(out + 4 * size + lane, word * 0x9E3779B9)
    tl.store(out + 5 * size + lane, word ^ (word + 5))
    tl.store(out + 6 * size + lane, (word < x.to(tl.uint32)).to(tl.int32))
    tl.store(out + 7 * size + lane, x + word)
    tl.store(out + 8 * size + lane, (yes & (x > 0)).to(tl.int32))
    tl.store(out + 9 * size + lane, (yes == 0).to(tl.int32))
    tl.store(out + 10 * size + lane, (yes != 1).to(tl.int32) + (yes == 2).to(tl.int32))
    tl.store(out + 11 * size + lane, yes + yes)
    tl.store(out + 12 * size + lane, byte + byte)
    tl.store(out + 13 * size + lane, byte.to(tl.int32) * 3)
    tl.store(out + 14 * size + lane, tl.where(yes, x, -7))
    tl.store(out + 15 * size + lane, tl.load(truth + lane, mask=lane > 4, other=1).to(tl.int32))
    tl.store(out + 16 * size + lane, (x < 3) ^ yes)
    tl.store(out + 17 * size + lane, 7 - x)
    tl.store(out + 18 * size + lane, x * 0.5)
    tl.store(out + 19 * size + lane, (long == x).to(tl.int32))
    tl.store(out + 20 * size + lane, tl.load(a + lane.to(tl.int64)))
    tl.store(out + 21 * size + lane, tl.load(a + one.to(tl.uint32) * 0 + lane))
    tl.store(out + 22 * size + lane, (x < 3.5).to(tl.int32))
    tl.store(out + 23 * size + lane, (x >= x).to(tl.int32) + (x > x).to(tl.int32) * 2)
    tl.store(out + 24 * size + lane, (x <= x).to(tl.int32) + (x < x).to(tl.int32) * 2)


def bits() -> tuple[str, str]:
    """Hashes of what both kernels write."""
    random = torch.Generator().manual_seed(4)
    a, b = (torch.randn(SIZE, generator=random) * 3 for _ in range(2))
    a[0], a[1], b[0], b[2] = 0.0, -0.0, -0.0, float("inf")
    wide = torch.randn(SIZE, generator=random, dtype=torch.float64)
    out, out64 = torch.zeros(20, SIZE), torch.zeros(2, SIZE, dtype=torch.float64)
    floats[(1,)](a, b, wide, out, out64, size=SIZE)
    whole = torch.randint(-(2**31), 2**31, (SIZE,), generator=random).int()
    whole[1] = 3
    words, long = whole.flip(0).contiguous(), torch.randint(-(2**62), 2**62, (SIZE,), generator=random)
    long[5] = whole[5]
    truth, small = whole > 0, (whole & 255).to(torch.uint8)
    result = torch.zeros(25, SIZE, dtype=torch.int64)
    integers[(1,)](whole, words, long, truth, small, result, size=SIZE)
    texts = (out.numpy().tobytes() + out64.numpy().tobytes(), result.numpy().tobytes())
    first, second = (sha256(each).hexdigest() for each in texts)
    return first, second


def main() -> None:
    """The command line."""
    of_triton = bits()
    make_interpreter_exact()
    computed, of = [0], interpreted_operations.Made.of

    def counted(self: interpreted_operations.Made, data: object) -> object:
        computed[0] += 1
        return of(self, data)

    interpreted_operations.Made.of = counted  # type: ignore[method-assign]
    for _ in range(2):
        ours = bits()
        print(*("same" if one == other else "different" for one, other in zip(of_triton, ours, strict=True)))
    print(computed[0])


if __name__ == "__main__":
    main()
