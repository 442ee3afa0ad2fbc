"""The digest of worlds: one number that any build of a universe can be held against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch

from hamlet import schema
from hamlet.universe import Universe

BASIS, PRIME, WORD = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
"""FNV-1a of 64 bits (G. Fowler, L. C. Noll, K.-P. Vo; RFC 9923)."""


def digest(universe: Universe, state: Mapping[str, torch.Tensor], outcome: Mapping[str, torch.Tensor]) -> int:
    """The digest of the fields of the state, then of the outcomes, in the order of `hamlet.schema`: of their numbers in
    memory, 32 bits with the lowest byte first, conditions of a byte; of fields with a pitch world by world."""
    held = {**state, **outcome}
    fields = (*schema.state_fields(universe), *schema.outcome_fields(universe))
    tensors = ((field, held[field.name]) for field in fields)
    return fnv1a(byte for field, tensor in tensors for byte in _bytes(tensor.T if field.pitch else tensor))


def fnv1a(data: Iterable[int]) -> int:
    """The 64 bits of FNV-1a over bytes."""
    number = BASIS
    for byte in data:
        number = (number ^ byte) * PRIME & WORD
    return number


def _bytes(tensor: torch.Tensor) -> bytes:
    array = tensor.cpu().contiguous().numpy()
    return array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
