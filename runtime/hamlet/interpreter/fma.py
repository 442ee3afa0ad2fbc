"""Fused multiply-add of binary32 numbers, the same on every device."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hamlet.numbers.few import arrays

Numbers: TypeAlias = "NDArray[np.float32]"

LAST_BITS = (1 << 28) - 1
"""Of the significand of binary64, those that no middle between neighbours in binary32 has."""


def fma(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """a * b + c rounded once; f32 tensors that broadcast.

    In binary64 the product is exact. The sum is rounded to odd (Boldo, Melquiond: Emulation of FMA and correctly
    rounded sums: proved algorithms using rounding to odd; IEEE Transactions on Computers 57, 2008), after which
    rounding to binary32 gives what rounding once would have given, also for subnormals.
    """
    few = arrays(a, b, c)
    if few and (quickly := _at_once(*few)) is not None:
        return torch.from_numpy(quickly)
    product, addend = a.double() * b.double(), c.double()
    total = product + addend
    rounded = total.float()
    # Nobody waits for a GPU to say whether it may be left out.
    if total.is_cpu and not may_round_twice(total, rounded).any():
        return rounded
    back = total - product
    error = (product - (total - back)) + (addend - back)
    return rounded_to_odd(total, error).float()


def _at_once(a: Numbers, b: Numbers, c: Numbers) -> Numbers | None:
    """The same of few numbers, where none may round twice."""
    with np.errstate(all="ignore"):
        total = a.astype(np.float64) * b + c
        rounded = total.astype(np.float32)
    doubtful = ((total.view(np.int64) & LAST_BITS) == 0) & (total != rounded)
    return None if doubtful.any() else rounded


def may_round_twice(total: Tensor, rounded: Tensor) -> Tensor:
    """Where a sum that was rounded to `total`, f64, need not round to `rounded`, what total rounds to in binary32.

    It does wherever total is not just in the middle between two neighbours in binary32: no rounding of a sum goes past
    a number that binary64 has. In the significand of such a middle the last 28 bits are 0.
    """
    return ((total.view(torch.int64) & LAST_BITS) == 0) & (total != rounded)


def rounded_to_odd(total: Tensor, error: Tensor) -> Tensor:
    """total + error rounded to odd, where total is that sum rounded to nearest; f64.

    Where the sum is not exact it lies between two neighbours, one of which has an odd significand: that one. The bits
    of the neighbour that is nearer to zero are one less than those of the other.
    """
    bits = total.view(torch.int64)
    less, more = error < 0, error > 0
    nearer_to_zero = bits - torch.where(total > 0, less, more).long()
    return torch.where(less | more, nearer_to_zero | 1, bits).view(torch.float64)
