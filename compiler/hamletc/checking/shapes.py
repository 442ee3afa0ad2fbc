"""Expressions without their places: what is written the same is the same quantity, wherever it stands."""

from __future__ import annotations

from dataclasses import fields
from typing import TypeAlias

from hamlet.universe import Age, Expression, Here, LastUse, MeterValue, Previous
from hamletc.checking import trees

Shape: TypeAlias = int
"""Stands for all expressions that are written alike."""


class Shapes:
    """Gives expressions their shapes, and knows what each shape depends on."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], Shape] = {}
        self._known: dict[int, tuple[Expression, Shape]] = {}  # by identity; the expression is kept alive
        self.height: list[int] = []
        """The levels of each shape."""
        self.reads: list[frozenset[str]] = []
        """The meters whose values now each shape depends on; inside `previous` there are none."""
        self.ages: list[bool] = []
        """Whether each shape depends on the age."""
        self.affordances: dict[Shape, tuple[type[Here | LastUse], str | None]] = {}
        """What `here == Bed` and `last == Bed` are about."""

    def of(self, expression: Expression) -> Shape:
        """The shape of an expression."""
        known = self._known.get(id(expression))
        if known is not None:
            return known[1]
        parts = [self.of(operand) for operand in trees.operands(expression)]
        words = [value for f in fields(expression) if isinstance(value := getattr(expression, f.name), _ATOMS)]
        key = (type(expression), *words, *parts)
        shape = self._numbers.get(key)
        if shape is None:
            shape = self._numbers[key] = len(self.height)
            self.height.append(1 + max((self.height[part] for part in parts), default=0))
            self.reads.append(self._meters(expression, parts))
            self.ages.append(isinstance(expression, Age) or any(self.ages[part] for part in parts))
            if isinstance(expression, Here | LastUse):
                self.affordances[shape] = type(expression), expression.affordance
        self._known[id(expression)] = expression, shape
        return shape

    def _meters(self, expression: Expression, parts: list[Shape]) -> frozenset[str]:
        match expression:
            case MeterValue(meter):
                return frozenset((meter,))
            case Previous():
                return frozenset()
            case _:
                return frozenset().union(*(self.reads[part] for part in parts))


_ATOMS = (str, int, float, type(None))
