"""Walking over a universe."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from hamlet.universe.expressions import Draw, DrawChance, DrawChoice, DrawInteger, DrawNormal, DrawUniform
from hamlet.universe.whole import Universe


def nodes(node: object) -> Iterator[object]:
    """All nodes of a universe, or of a part of it."""
    if isinstance(node, tuple):
        for item in node:
            yield from nodes(item)
    elif dataclasses.is_dataclass(node):
        yield node
        for field in dataclasses.fields(node):
            yield from nodes(getattr(node, field.name))


def draws(universe: Universe) -> tuple[Draw, ...]:
    """The draws of a universe in the order of their sites, which is that of the file."""
    found = [
        node
        for node in nodes(universe)
        if isinstance(node, DrawUniform | DrawInteger | DrawChoice | DrawNormal | DrawChance)
    ]
    return tuple(sorted(found, key=lambda draw: draw.site))
