"""The space as far as what moves in it must know it before anything is checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from hamlet.universe import CellMetric
from hamlet.universe.space import axis_names, sides
from hamletc.expansion.constants import constant
from hamletc.language import syntax

Edges: TypeAlias = Literal["clamp", "wrap", "bounce", "sticky"]
Spot: TypeAlias = "tuple[syntax.Signed, ...] | syntax.Quoted | syntax.Name"


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of the space, with the least and the greatest of its coordinates."""

    name: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Room:
    """A space.

    Attributes:
        whole: whether coordinates are whole numbers.
        leads: of a graph the numbers of the nodes to which each leads; `None` elsewhere.
        rows: of a map; none without one.
        walls: the letters of its walls.
        metric: of a grid, unless another is written.
    """

    axes: tuple[Axis, ...]
    whole: bool
    edges: Edges
    leads: Mapping[str, tuple[int, ...]] | None = None
    rows: tuple[str, ...] = ()
    walls: str = ""
    metric: CellMetric = "manhattan"

    @property
    def ways(self) -> tuple[tuple[int, ...], ...]:
        """What leads to the cells beside one, a number per axis."""
        return sides(len(self.axes), self.metric)

    def coordinates(self, spot: Spot) -> tuple[float, ...] | None:
        """Those of a place; `None` where there is none such."""
        if isinstance(spot, syntax.Name):
            known = () if self.leads is None else tuple(self.leads)
            return (float(known.index(spot.text)),) if spot.text in known else None
        if self.leads is not None:
            return None
        if isinstance(spot, syntax.Quoted):
            cells = [(x, y) for y, row in enumerate(self.rows) for x, each in enumerate(row) if each == spot.text]
            return (float(cells[0][0]), float(cells[0][1])) if len(cells) == 1 else None
        found = tuple(x for each in spot if (x := constant(each)) is not None)
        inside = all(axis.low <= x <= axis.high for axis, x in zip(self.axes, found, strict=False))
        fits = len(found) == len(spot) == len(self.axes) and (not self.whole or all(x == int(x) for x in found))
        return found if inside and fits else None


def room_of(declarations: tuple[syntax.Decl, ...]) -> Room | None:
    """The space that is declared; `None` where there is none, or where its size is no constant."""
    space = next((item for item in declarations if isinstance(item, syntax.SpaceDecl)), None)
    if space is None:
        return None
    words = {each.key.text: each.value.text for each in space.properties if isinstance(each.value, syntax.Name)}
    edges: Any = words.get("edges", "clamp")
    match space.kind.text:
        case "graph":
            leads = _leads(space.paths)
            return Room((Axis("x", 0, len(leads) - 1),), True, "clamp", leads)
        case kind if kind in syntax.GRIDS:
            return _grid(space, next((item for item in declarations if isinstance(item, syntax.MapDecl)), None), edges)
        case "continuous":
            lows, highs = ([constant(end) for end in ends] for ends in zip(*space.bounds, strict=True))
            ends = zip(axis_names(len(lows)), lows, highs, strict=True)
            axes = tuple(Axis(name, low, high) for name, low, high in ends if low is not None and high is not None)
            return Room(axes, False, edges) if len(axes) == len(space.bounds) else None
        case _:
            return None


def _grid(space: syntax.SpaceDecl, drawn: syntax.MapDecl | None, edges: Edges) -> Room | None:
    rows = () if drawn is None else tuple(row.text for row in drawn.rows)
    sizes = [constant(size) for size in space.sizes] or ([len(rows[0]), len(rows)] if rows else [])
    axes = tuple(Axis(name, 0, size - 1) for name, size in zip(axis_names(len(sizes)), sizes, strict=True) if size)
    letters = () if drawn is None else drawn.items
    walls = (each.letters.text for each in letters if isinstance(each, syntax.MapLetters) and each.kind.text == "wall")
    if not axes or len(axes) != len(sizes):
        return None
    return Room(axes, True, edges, None, rows, "".join(walls), syntax.GRIDS[space.kind.text])


def _leads(paths: tuple[syntax.GraphPath, ...]) -> dict[str, tuple[int, ...]]:
    """By node, in the order in which they are first met, those to which it leads."""
    order = dict.fromkeys(node.text for path in paths for node in path.nodes)
    numbers = {name: number for number, name in enumerate(order)}
    edges: dict[str, set[int]] = {name: set() for name in order}
    for path in paths:
        for link, one, other in zip(path.links, path.nodes, path.nodes[1:], strict=False):
            edges[one.text].add(numbers[other.text])
            if link == "-":
                edges[other.text].add(numbers[one.text])
    return {name: tuple(sorted(leads)) for name, leads in edges.items()}
