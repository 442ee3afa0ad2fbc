"""What is decided about a universe before it is lowered: what is unrolled, and what becomes tables and loops."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet.universe import Universe
from hamletc.ir.function import Table
from hamletc.lowering.cascade_table import CascadeTable, cascade_tables
from hamletc.lowering.catalogue import Catalogue, catalogue
from hamletc.lowering.places import Places, places


@dataclass(frozen=True, slots=True)
class Limits:
    """Up to so many affordances of a universe, and steps of cascades in a row, are unrolled. More are tables: the size
    of a kernel does not depend on them. A lookup is as fast as 64 affordances; a step of a loop takes many times
    longer than an unrolled one, which knows its meters, so that only many become a loop."""

    affordances: int = 64
    cascades: int = 256


@dataclass(frozen=True, slots=True)
class Plan:
    """A universe and how it is lowered.

    Attributes:
        numbers: of the affordances by name, in file order.
        catalogue: `None` where affordances are unrolled.
        cascades: those that are not unrolled.
    """

    universe: Universe
    limits: Limits
    numbers: dict[str, int]
    places: Places
    catalogue: Catalogue | None
    cascades: tuple[CascadeTable, ...]

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables of affordances and cascades."""
        searched = () if self.places.searched is None else self.places.searched.tables
        rows = () if self.catalogue is None else self.catalogue.tables
        return (*searched, *rows, *(table for cascades in self.cascades for table in cascades.tables))


def plan(universe: Universe, limits: Limits) -> Plan:
    """The plan of a universe."""
    many = len(universe.affordances) > limits.affordances
    return Plan(
        universe,
        limits,
        {affordance.name: number for number, affordance in enumerate(universe.affordances)},
        places(universe, limits.affordances),
        catalogue(universe) if many else None,
        cascade_tables(universe, limits.cascades),
    )
