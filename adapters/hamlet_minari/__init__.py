"""Episodes of universes as data sets of Minari, for those who learn from what others did.

`record(universe, "first_meal/random-v0")` writes one, as `hamletc record --minari` does, and `minari.load_dataset`
reads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hamlet_minari.writing import record

__all__ = ["record"]


def __getattr__(name: str) -> object:
    """Import `record` at its first use, for it brings torch and Minari."""
    if name == "record":
        from hamlet_minari import writing

        globals()[name] = writing.record
        return writing.record
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
