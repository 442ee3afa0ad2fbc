"""The ground of a grid of two dimensions, as a map of letters: walls, regions, and numbers that cells have. A graph
with regions has one of a single row, with a letter of its own for each node."""

from __future__ import annotations

from collections.abc import Iterable

from hamlet.frozen import dataclass
from hamlet.universe.span import Span

__all__ = ["Map", "Region", "RegionNumber", "Terrain", "ThinWall"]


@dataclass(frozen=True, slots=True)
class Region:
    """A name for the cells that have one of these letters."""

    name: str
    letters: str
    span: Span


@dataclass(frozen=True, slots=True)
class RegionNumber:
    """The number of each cell of a region."""

    region: str
    value: float


@dataclass(frozen=True, slots=True)
class Terrain:
    """A number per cell that never changes: that of the region which the cell is in, or `default`. The regions have no
    letter in common."""

    name: str
    default: float
    numbers: tuple[RegionNumber, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ThinWall:
    """A wall between two cells that touch: no move leads from one to the other. `cells` are their indices, the lower
    one first."""

    cells: tuple[int, int]
    span: Span


@dataclass(frozen=True, slots=True)
class Map:
    """A letter per cell.

    Attributes:
        rows: of letters, all of one length: row y has the letters of the cells (0, y), (1, y), ...
        walls: the letters of cells that nobody enters.
        starts: the letters of the cells on which agents begin an episode; `None`: on any free cell.
        thin: walls between two cells.
    """

    rows: tuple[str, ...]
    walls: str
    regions: tuple[Region, ...]
    terrains: tuple[Terrain, ...]
    span: Span
    starts: str | None = None
    thin: tuple[ThinWall, ...] = ()

    @property
    def between(self) -> frozenset[tuple[int, int]]:
        """The pairs of cells between which no move leads, each in both orders."""
        return frozenset(pair for wall in self.thin for pair in (wall.cells, wall.cells[::-1]))

    def cells(self, letters: str) -> tuple[int, ...]:
        """The indices of the cells that have one of these letters, in order."""
        return tuple(cell for cell, letter in enumerate("".join(self.rows)) if letter in letters)

    def region(self, name: str | None) -> str:
        """The letters of a region; of `None` those of walls."""
        return self.walls if name is None else next(each.letters for each in self.regions if each.name == name)

    def number(self, terrain: Terrain, letter: str) -> float:
        """The number of the cells of a letter."""
        numbers = (each.value for each in terrain.numbers if letter in self.region(each.region))
        return next(numbers, terrain.default)

    def terrain(self, name: str) -> Terrain:
        """The terrain of a name."""
        return next(each for each in self.terrains if each.name == name)


def distinct(letters: Iterable[str]) -> str:
    """Distinct letters, in the order in which they are met."""
    return "".join(dict.fromkeys("".join(letters)))
