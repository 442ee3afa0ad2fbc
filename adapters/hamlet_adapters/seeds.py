"""Seeds of environments that nobody seeded: each lives a life of its own, and so do copies that nobody reset yet."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

BITS = 62
"""Fresh seeds have fewer bits than `hamlet.make` takes: other libraries add numbers of worlds to a seed, and keep the
sum as a signed number of 64 bits."""


def unseeded(arguments: Mapping[str, Any]) -> bool:
    """Whether arguments of an adapter have no seed."""
    return arguments.get("seed") is None


def fresh_seed() -> int:
    """A seed that nobody else draws, below 2**62."""
    return secrets.randbits(BITS)


class FirstSeed:
    """The seed of the first reset. Libraries make vector environments of copies of one environment, which has a seed by
    then; where nobody gave it one, and nobody reset it, a copy takes a fresh one."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        """`arguments` are those of the adapter."""
        self._ours = unseeded(arguments)
        self._fresh: int | None = None

    def __setstate__(self, state: dict[str, Any]) -> None:
        # `copy` and `pickle` call this for what they made.
        self.__dict__.update(state)
        if self._ours:
            self._fresh = fresh_seed()

    def of(self, seed: int | None) -> int | None:
        """The seed that a reset takes, which was given this one."""
        return self._fresh if seed is None else seed

    def begun(self) -> None:
        """From now on a copy goes on as the environment does."""
        self._ours, self._fresh = False, None
