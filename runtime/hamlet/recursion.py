"""How deep Python may call functions: trees of universes are walked by functions that call themselves."""

from __future__ import annotations

import sys

MOST_CALLS = 5_000
"""A tree of 200 levels, the most that a universe may have, takes at most ten calls for each level."""


def allow_deep_trees() -> None:
    """Raise Python's limit where it is lower, and leave it so: another thread may be in the midst of a tree."""
    if sys.getrecursionlimit() < MOST_CALLS:
        sys.setrecursionlimit(MOST_CALLS)
