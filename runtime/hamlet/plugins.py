"""What installed packages add: objects that they name in groups of entry points.

| group | object | found |
|---|---|---|
| `hamletc.frontends` | a `hamletc.frontend.FrontEnd` | when a universe is read that is no text |
| `hamletc.targets` | a `hamletc.targets.target.Target` | when kernels are emitted |
| `hamletc.commands` | a command of click | when `hamletc` is given a verb that it has not itself |

The packages of this distribution are found in the same way.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@cache
def named(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group, by name in alphabetical order; of several with one name the first installed."""
    from importlib.metadata import entry_points

    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        found.setdefault(point.name, point)
    return dict(sorted(found.items()))


@cache
def loaded(group: str) -> tuple[object, ...]:
    """The objects of a group, by the order of their names."""
    return tuple(point.load() for point in named(group).values())
