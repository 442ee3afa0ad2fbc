"""HAMLET's environment class, on a compiled universe.

    from hamlet_townlet.adapter import VectorizedEnv

The descriptions of packs (`hamlet_townlet.adapter.description`) need no torch, and importing them imports none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hamlet_townlet.adapter.env import VectorizedEnv

__all__ = ["VectorizedEnv"]


def __getattr__(name: str) -> Any:
    if name == "VectorizedEnv":
        from hamlet_townlet.adapter.env import VectorizedEnv

        return VectorizedEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
