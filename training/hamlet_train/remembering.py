"""The networks that can remember, and what a user says of it."""

from __future__ import annotations

from hamlet.policies.mlp import MEMORIES as SIZES
from hamlet.policies.mlp import MOST_HIDDEN, MOST_WIDTH, WHOLE
from hamlet_train.exact.network import BLOCK
from hamlet_train.settings import Settings

KIND = "gru"
"""Minimal gated recurrent units."""


def memory_of(text: str) -> int:
    """The size of a memory, written `gru:64`.

    Raises:
        ValueError: it is written in another way.
    """
    kind, _, size = text.partition(":")
    if kind != KIND or not size.isdecimal() or int(size) not in SIZES:
        raise ValueError(f"write {KIND}:N, of which N is {' or '.join(map(str, SIZES))}")
    return int(size)


def check_memory(settings: Settings) -> None:
    """Raise `ValueError` unless a network of these settings can have their memory."""
    if not settings.memory:
        return
    hidden, horizon = settings.hidden, settings.horizon
    if settings.memory not in SIZES:
        raise ValueError(f"a memory of {settings.memory} numbers is none of {' or '.join(map(str, SIZES))}")
    if len(hidden) != MOST_HIDDEN or hidden[0] % WHOLE or max(hidden) > MOST_WIDTH:
        raise ValueError(
            f"a memory stands between two hidden layers of at most {MOST_WIDTH}, of which the first has a multiple of "
            f"{WHOLE}, as in hidden=64,64"
        )
    if horizon > BLOCK:
        raise ValueError(f"a memory learns over at most {BLOCK} ticks at a time: horizon is {horizon}")
