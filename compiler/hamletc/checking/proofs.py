"""Proofs for who shows them beside a text: where meters lie in play, and expressions wherever they stand in a tick."""

from __future__ import annotations

from dataclasses import dataclass, field

from hamlet import universe
from hamlet.universe import Expression, Span, operands
from hamletc.checking.conditions import Conditions, Place
from hamletc.checking.course import Course
from hamletc.checking.knowledge import Known
from hamletc.checking.report import Findings
from hamletc.expansion.places import Places
from hamletc.intervals import Interval, hull

COMPARING = ("<", ">", "<=", ">=", "==", "!=", "and", "or")
"""Operations that give a condition."""

ELSEWHERE = (
    *(universe.Previous, universe.Among, universe.Rank, universe.Nearest, universe.Upon, universe.Neighbours),
    universe.At,
)
"""Expressions whose parts are about other agents, cells, or times than the place where they stand."""


@dataclass(slots=True)
class Proofs:
    """Where values were found to lie.

    Attributes:
        meters: where meters and states lie when a tick begins, in play: from the start values on, whatever agents do.
        values: where numbers lie, by the places of expressions; one that stands for several, as in a `let`, wherever
            any of them lies. `None` where something of it is not known.
    """

    meters: dict[str, Interval] = field(default_factory=dict)
    values: dict[Span, Interval | None] = field(default_factory=dict)

    def note(self, expression: Expression, known: Known) -> None:
        """Note where the numbers in an expression lie at a place of a tick."""
        pending = [expression]
        while pending:
            part = pending.pop()
            if not _is_condition(part):
                self._join(part.span, known.number(part))
            if not isinstance(part, ELSEWHERE):
                pending += operands(part)

    def _join(self, span: Span, where: Interval | None) -> None:
        before = self.values.get(span, where)
        self.values[span] = None if where is None or before is None else hull(before, where)

    def settle(self, places: Places) -> None:
        """Let places be those in which expressions are written, where these stand for copies."""
        values, self.values = self.values, {}
        for span, where in values.items():
            self._join(places.written(span), where)


def _is_condition(part: Expression) -> bool:
    match part:
        case universe.Binary(op=op):
            return op in COMPARING
        case universe.Unary(op=op):
            return op == "not"
        case _:
            return False


class _Noting(Conditions):
    """Conditions that note where the numbers lie which they are about, and say nothing."""

    def __init__(self, proofs: Proofs) -> None:
        super().__init__(Findings(), "from the start", {}, ())
        self._proofs = proofs

    def condition(self, condition: Expression, place: Place | None) -> bool:
        """Note the numbers in a condition."""
        self.in_number(condition, place)
        return False

    def in_number(self, expression: Expression, place: Place | None) -> None:
        """Note a number, and those in it."""
        if place is not None:
            self._proofs.note(expression, place.known)


@dataclass(slots=True)
class Recording(Course):
    """A course that notes where values lie."""

    proofs: Proofs = field(default_factory=Proofs)

    def _conditions(self, report: Findings) -> Conditions:
        del report
        return _Noting(self.proofs)
