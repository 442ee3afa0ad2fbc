"""The axes of a space by name."""

from __future__ import annotations

from hamlet.schema import axis_names
from hamlet.universe import Continuous, Grid, NoSpace, Space


def axes_of(space: Space) -> tuple[str, ...]:
    """The names of the axes."""
    match space:
        case Grid(sizes=of_space) | Continuous(axes=of_space):
            return axis_names(len(of_space))
        case NoSpace():
            return ()
