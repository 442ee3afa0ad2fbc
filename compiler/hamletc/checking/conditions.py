"""Places where conditions are tested, and conditions that decide nothing there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from hamlet import universe
from hamlet.frozen import dataclass
from hamlet.universe import Expression, Span, Statement, assigns
from hamletc import intervals, messages
from hamletc.checking.knowledge import Known, join, links
from hamletc.checking.report import Findings
from hamletc.diagnostics import Label
from hamletc.intervals import Interval

if TYPE_CHECKING:
    from hamletc.messages.ranges import Side

LONGEST_CHAIN = 16
"""In a chain of `and` or `or` that is longer, a condition is held against those before it only, not against all."""

Basis: TypeAlias = Literal["anywhere", "from the start"]
"""Where meters lie when a tick begins: anywhere in their bounds, or where play leads them from their start values."""


PAID_ALIVE = "who dies is paid nothing any more"
"""The reason of a condition of a reward that a cause of death decides."""


@dataclass(frozen=True, slots=True)
class Given:
    """A condition that holds at a place, or does not, and what to say about it."""

    condition: Expression
    holds: bool
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is tested: what is known there, and what was known before the conditions that are given there."""

    known: Known
    before: Known
    given: tuple[Given, ...] = ()

    def where(self, condition: Expression, holds: bool, text: str | None = None) -> Place | None:
        """The place where, besides, a condition holds or does not; `None` where that cannot be."""
        known = self.known.assume(condition, holds)
        said = text or ("where this holds" if holds else "where this does not hold")
        return None if known is None else Place(known, self.before, (*self.given, Given(condition, holds, said)))

    def then(self) -> Place | None:
        """The beginning of the tick."""
        return None if self.known.then is None else Place(self.known.then, self.known.then)

    def after(self, known: Known) -> Place:
        """The same place when a statement has run."""
        return Place(known, self.before, self.given)

    def clamped(self, written: Iterable[Statement]) -> Place:
        """The same place when the meters that statements write have been clamped."""
        known = self.known
        for assign in assigns(written):
            known = known.write(assign.meter, inside(known.meter(assign.meter), known.around.bounds.get(assign.meter)))
        return self.after(known)


def choosing(action: str, where: Span, known: Known) -> Place:
    """The place where an agent has chosen an action; `where` says so."""
    place = Place(known, known).where(universe.ActionTaken(action, where), True, "this action is chosen here")
    assert place is not None, "nothing was said of the action"
    return place


def joined_places(places: Iterable[Known | None]) -> Known:
    """What is known where one of these is the case, of which there is one."""
    found = join(list(places))
    assert found is not None, "something happens in every tick"
    return found


def inside(value: Interval | None, bounds: Interval | None) -> Interval | None:
    """Where a clamped value lies."""
    if bounds is None:
        return value
    return bounds if value is None else intervals.inside(value, bounds)


class Conditions:
    """Reports conditions that are always or never true at their place. `wrote` has the statement that wrote a meter
    last. Inside `past`, where something looks back, nothing is said: what decides a condition in one of the places
    where it is looked at need not decide it in the others."""

    def __init__(self, report: Findings, basis: Basis, wrote: Mapping[str, Span], past: Collection[Span]) -> None:
        self._report = report
        self._basis = basis
        self._wrote = wrote
        self._past = past

    def in_number(self, expression: Expression, place: Place | None) -> None:
        """Look through the conditions inside a number."""
        if place is None or expression.span in self._past or not place.known.has_parts(expression):
            return
        match expression:
            case universe.If(condition, then, otherwise, _):
                self.condition(condition, place)
                self.in_number(then, place.where(condition, True))
                self.in_number(otherwise, place.where(condition, False))
            case universe.Previous(operand):
                self.in_number(operand, place.then())
            case universe.At(_, place_of):
                for coordinate in place_of:
                    self.in_number(coordinate, place)
            # What is known at a place is known of one agent, or of one cell.
            case universe.Among() | universe.Rank() | universe.Nearest() | universe.Upon() | universe.Neighbours():
                pass
            case _:
                for operand in universe.operands(expression):
                    self.in_number(operand, place)

    def condition(self, condition: Expression, place: Place | None) -> bool:
        """Look through a condition; whether something was found."""
        if place is None or place.known.is_high(condition):
            return False
        if condition.span in self._past:
            return self._decide(condition, place)
        match condition:
            case universe.Truth():
                return False
            case universe.Unary(operand=operand, span=span) if operand.span != span:
                found = self.condition(operand, place)
            case universe.Unary():  # `here != Bed` is one condition to its author
                found = False
            case universe.Previous(operand):
                found = self.condition(operand, place.then())
            case universe.Binary(left=left, span=span) if left.span == span:
                # `solid at ahead` is one condition to its author; what makes a cell solid stands elsewhere.
                found = False
            case universe.Binary(op="and" | "or"):
                found = self._chain(condition, place)
            case universe.If(test, then, otherwise, _):
                looked = (
                    self.condition(test, place),
                    self.condition(then, place.where(test, True)),
                    self.condition(otherwise, place.where(test, False)),
                )
                found = any(looked)
            case universe.At():
                self.in_number(condition, place)
                found = False
            case _:
                for operand in universe.operands(condition):
                    self.in_number(operand, place)
                found = False
        return found or self._decide(condition, place)

    def _chain(self, chain: universe.Binary, place: Place) -> bool:
        """Each condition of the chain is held against the others that decide something, the last one first; in a long
        chain against those before it. What looks back is one condition: `rising(c)` is not `c` and something else."""
        conditions, holds = links(chain, self._past), chain.op == "and"
        found, decided = False, set[int]()
        for number in reversed(range(len(conditions))):
            last = len(conditions) if len(conditions) <= LONGEST_CHAIN else number
            others = [conditions[index] for index in range(last) if index != number and index not in decided]
            here = _given(place, others, holds)
            if here is None:
                continue
            found |= self.condition(conditions[number], here)
            if here.known.holds(conditions[number]) is not None:
                decided.add(number)
        return found

    def _decide(self, condition: Expression, place: Place) -> bool:
        holds = place.known.holds(condition)
        if holds is None:
            return False
        if self._report.said(condition.span):
            return True
        comparison = isinstance(condition, universe.Binary) and condition.op not in ("and", "or")
        kind = messages.ranges.CertainInPlay if self._basis == "from the start" else messages.ranges.CertainHere
        reasons = self._reasons(condition, place)
        died = any(reason.text == PAID_ALIVE for reason in reasons)
        self._report.add(kind(condition.span, holds, comparison, sides_of(condition, place.known), reasons, died))
        return True

    def _reasons(self, condition: Expression, place: Place) -> tuple[Label, ...]:
        """The conditions around it that decide it, or the statements that did before."""
        if place.before.holds(condition) is None:
            alone = [
                Label(given.condition.span, given.text)
                for given in place.given
                if (narrowed := place.before.assume(given.condition, given.holds)) is not None
                and narrowed.holds(condition) is not None
            ]
            if alone:
                return tuple(alone[:1])
        read = place.known.setting.shapes.reads[place.known.setting.shapes.of(condition)]
        return tuple(
            Label(self._wrote[meter], "by then this has happened") for meter in sorted(read & self._wrote.keys())
        )


def sides_of(condition: Expression, known: Known) -> tuple[Side, ...]:
    """The sides of a comparison, or the probability of a chance: how each is called unless it has a name, and where it
    lies."""
    match condition:
        case universe.Binary(op=op, left=left, right=right) if op not in ("and", "or"):
            sides = [(left, "the left side"), (right, "the right side")]
        case universe.DrawChance(probability=probability):
            sides = [(probability, "the probability")]
        case _:
            return ()
    lying = ((side, name, known.number(side)) for side, name in sides if not isinstance(side, universe.Number))
    return tuple((side, name, where) for side, name, where in lying if where is not None)


def _given(place: Place, conditions: Sequence[Expression], holds: bool) -> Place | None:
    here: Place | None = place
    for condition in conditions:
        here = None if here is None else here.where(condition, holds)
    return here
