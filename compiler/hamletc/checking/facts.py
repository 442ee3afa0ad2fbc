"""What knowledge is about: shapes of expressions, and levels of meters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, TypeAlias

from hamlet import universe
from hamlet.universe import Expression
from hamletc.intervals import Interval, hull_of, single

MOST_LEVELS = 16
"""How many levels the factors of a product have together that are looked at again, for their signs."""
Shape: TypeAlias = int
"""Stands for all expressions that are written alike."""
Naming: TypeAlias = universe.Here | universe.LastUse | universe.Used | universe.ActionTaken
"""Conditions that name an affordance or an action."""


class Shapes:
    """Gives expressions their shapes, and knows what each shape depends on."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], Shape] = {}
        self._known: dict[int, tuple[Expression, Shape]] = {}  # by identity; the expression is kept alive
        self.height: list[int] = []
        """The levels of each shape."""
        self.reads: list[frozenset[str]] = []
        """The meters whose values now each shape depends on, `VELOCITY`, `PLACE`; inside `previous` there are none."""
        self.ages: list[bool] = []
        """Whether each shape depends on the age."""
        self.literals: dict[Shape, Interval] = {}
        """Where numbers lie that are written."""
        self.named: dict[Shape, tuple[type[Naming], str | None]] = {}
        """What `here == Bed` and `action == REST` are about."""

    def of(self, expression: Expression) -> Shape:
        """The shape of an expression."""
        known = self._known.get(id(expression))
        if known is not None:
            return known[1]
        parts = [self.of(operand) for operand in universe.operands(expression)]
        kind: Any = type(expression)
        words = [value for name in _names(kind) if isinstance(value := getattr(expression, name), _ATOMS)]
        key = (type(expression), *words, *parts)
        shape = self._numbers.get(key)
        if shape is None:
            shape = self._numbers[key] = len(self.height)
            self.height.append(1 + max((self.height[part] for part in parts), default=0))
            self.reads.append(self._meters(expression, parts))
            self.ages.append(isinstance(expression, universe.Age) or any(self.ages[part] for part in parts))
            match expression:
                case universe.Here(name) | universe.LastUse(name) | universe.Used(name) | universe.ActionTaken(name):
                    self.named[shape] = type(expression), name
                case universe.Number(value):
                    self.literals[shape] = single(value)
                case _:
                    pass
        self._known[id(expression)] = expression, shape
        return shape

    def _meters(self, expression: Expression, parts: list[Shape]) -> frozenset[str]:
        match expression:
            case universe.MeterValue(meter) | universe.WorldValue(meter):
                return frozenset((meter,))
            case universe.CellValue(meter):
                return frozenset((meter, PLACE))
            case universe.PairValue(name) | universe.LocalValue(name):
                return frozenset((name,))
            case _ if isinstance(expression, OF_PLACE):
                return frozenset((PLACE,))
            case universe.Velocity() | universe.Speed():
                return frozenset((VELOCITY,))
            case universe.Previous():
                return frozenset()
            case _:
                return frozenset().union(*(self.reads[part] for part in parts))


def factors_but_squares(product: universe.Binary, shapes: Shapes) -> list[Expression] | None:
    """The factors of a product without those that are there twice: one of each that is there an odd number of times.
    `None` where none is there twice, or where there is much to look through."""
    factors: list[Expression] = []
    pending: list[Expression] = [product]
    while pending:
        factor = pending.pop()
        if isinstance(factor, universe.Binary) and factor.op == "*":
            pending += [factor.right, factor.left]
        else:
            factors.append(factor)
    found: dict[Shape, list[Expression]] = {}
    for factor in factors:
        found.setdefault(shapes.of(factor), []).append(factor)
    if len(found) == len(factors):
        return None
    others = [same[0] for same in found.values() if len(same) % 2]
    return others if sum(shapes.height[shapes.of(other)] for other in others) <= MOST_LEVELS else None


_ATOMS = (str, int, float, type(None))


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


VELOCITY, PLACE = "the velocity", "the place"
"""The names under which expressions read what statements can change, as they read meters: the velocity of an agent, and
where it is."""
OF_PLACE = (
    *(universe.Coordinate, universe.Here, universe.On, universe.TerrainValue),
    *(universe.Distance, universe.StraightDistance, universe.WalkingDistance),
)
"""Quantities of where an agent is."""


class Levels(Mapping[str, Interval | None]):
    """An unchanging mapping from meters to where they lie. After a write it shares what was not written, so that writes
    and joins cost no more in a universe with many meters."""

    __slots__ = ("_recent", "_shared")

    def __init__(self, shared: Mapping[str, Interval | None], recent: Mapping[str, Interval | None]) -> None:
        self._shared = shared
        self._recent = recent

    def __getitem__(self, name: str) -> Interval | None:
        return self._recent[name] if name in self._recent else self._shared[name]

    def __contains__(self, name: object) -> bool:
        return name in self._recent or name in self._shared

    def __iter__(self) -> Iterator[str]:
        yield from self._shared
        yield from (name for name in self._recent if name not in self._shared)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def write(self, name: str, where: Interval | None) -> Levels:
        """These, but for one meter."""
        return Levels(self._shared, {**self._recent, name: where})

    def settled(self) -> Levels:
        """The same, all of it shared where much is not; for a place from which others branch off."""
        many = len(self._recent) ** 2 > len(self._shared)
        return Levels({**self._shared, **self._recent}, {}) if many else self


def joined(levels: Sequence[Levels], bounds: Mapping[str, Interval]) -> Levels:
    """Where meters lie when they lie as in one of these; a meter that is missing lies in its `bounds`."""
    first = levels[0]
    if any(other._shared is not first._shared for other in levels):
        names = {name: None for each in levels for name in each}
        return Levels({name: hull_of([each.get(name, bounds.get(name)) for each in levels]) for name in names}, {})
    written: dict[str, list[Interval | None]] = {}
    for each in levels:
        for name, where in each._recent.items():
            written.setdefault(name, []).append(where)
    for name, found in written.items():
        if len(found) < len(levels):
            found.append(first._shared.get(name, bounds.get(name)))
    return Levels(first._shared, {name: hull_of(found) for name, found in written.items()}).settled()
