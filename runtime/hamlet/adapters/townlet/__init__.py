"""HAMLET's environment class, on a compiled universe.

    from hamlet.adapters.townlet import VectorizedEnv

The descriptions of packs (`hamlet.adapters.townlet.description`) need no torch, and importing them imports none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hamlet.adapters.townlet.env import VectorizedEnv

__all__ = ["VectorizedEnv"]


def __getattr__(name: str) -> Any:
    if name == "VectorizedEnv":
        from hamlet.adapters.townlet.env import VectorizedEnv

        return VectorizedEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
