"""Where values lie: divisors that can be zero, values that can overflow, what is always the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from hamlet import universe
from hamlet.universe import Expression, Span, parts
from hamlet.universe.functions import Function
from hamletc.diagnostics import Edit, Finding, Label, Told, finding
from hamletc.diagnostics.edit import around
from hamletc.intervals import ZERO, Interval, spell
from hamletc.language import syntax
from hamletc.language.spelling import spell_name

MOST_NAMED = 3
"""How many names a hint lists."""

Cause: TypeAlias = Expression | Sequence[Expression] | universe.Assign | universe.Goal | universe.Lifespan | str | None
"""What makes a number too large: an expression, or several; a statement; what is paid; a meter that may have left its
bounds."""
Side: TypeAlias = tuple[Expression, str, Interval]
"""What a comparison compares, how that is called unless it has a name, and where it lies."""
NO_TICK = "No tick leads elsewhere from the start values; let something change that"


def called(node: Expression, otherwise: str) -> str:
    """The name of what an author gave bounds to, in backticks; of anything else what is given."""
    match node:
        case universe.MeterValue(name, _) | universe.WorldValue(name, _) | universe.CellValue(name, _):
            return f"`{name}`"
        case universe.ParamValue(name, _) | universe.InputValue(name, _) | universe.ControlValue(name, _):
            return f"`{name}`"
        case _:
            return otherwise


def no_whole(part: Expression, value: Expression) -> str:
    """The label of a value that may be no whole number, because this part of it may be none; empty where that is all
    of it."""
    return "" if part is value else f"{called(part, 'this')} may be no whole number"


def cure(cause: Cause) -> str:
    """What to bound, so that a number becomes smaller."""
    match cause:
        case None:
            return narrowing()
        case str():
            return f"`{cause}` may have left its bounds: leave out `unclamped`, or add less to it."
        case universe.Goal() | universe.Lifespan():
            return "Write a smaller reward."
        case universe.Assign():
            return f"Narrow the bounds of `{cause.meter}`, or change it by less. {narrowing(cause.value)}"
        case universe.Deficit() | universe.Shortfall():
            return "Narrow the bounds of the cascade's source, or write a threshold that is nearer to them."
        case universe.Binary(op="/"):
            return f"Keep the divisor further away from 0, as in `max(x, 0.01)`. {narrowing(cause)}"
        case Sequence():
            return narrowing(*cause)
        case _:
            return narrowing(cause)


def narrowing(*expressions: Expression) -> str:
    """What to bound, so that expressions reach less far."""
    nodes = [node for expression in expressions for node, _ in parts(expression)]
    names = {name: None for node in reversed(nodes) if (name := called(node, ""))}
    if not names:
        return "Limit what goes into it, as in `clamp(x, low, high)`."
    *several, last = names
    if not several:
        return f"Narrow the bounds of {last}, or use `clamp({last[1:-1]}, low, high)`."
    return f"Narrow the bounds of {', '.join(several[: MOST_NAMED - 1])} or {last}, or use `clamp(x, low, high)`."


def _lying(sides: Iterable[Side], here: str = "") -> str:
    """Where the sides of a comparison lie."""
    return "; ".join(f"{called(node, name)} {where.lies}{here}" for node, name, where in sides)


@finding("H051")
class TooLarge(Finding):
    """The result of an operation on numbers that lie in `a` and in `b`."""

    a: Interval
    b: Interval
    cause: Cause

    def told(self) -> Told:
        label = f"the operands reach {self.a} and {self.b}"
        return Told("this value can be too large for binary32", cure(self.cause), label)


@finding("H051")
class FunctionTooLarge(Finding):
    """A function of `arguments`, the first of which lies in `reached`."""

    function: Function
    arguments: tuple[Expression, ...]
    reached: Interval

    def told(self) -> Told:
        most, hint = self.function.most, narrowing(*self.arguments)
        hint = hint if most is None else f"Keep it at {most} or less, as in `min(x, {most})`. {hint}"
        edits = () if most is None else around(self.arguments[0].span, "min(", f", {most})", sure=False)
        label = f"its argument reaches {self.reached}"
        return Told("this value can be too large for binary32", hint, label, edits=edits)


POWER = "`pow` needs a base above 0; with a constant exponent above 0 it may be 0, with a whole one anything"
QUOTIENT = "`mod(a, b)` needs an a of at most 2^46 times b"


LITTLE = 0.01
"""A number that is no zero, in hints."""


def _kept_up(span: Span, where: Interval) -> tuple[Edit, ...]:
    """The edits that keep what is there above zero, where it can be."""
    return around(span, "max(", f", {LITTLE})", sure=False) if where.high > LITTLE else ()


@finding("H054")
class OutsideFunction(Finding):
    """An argument of a function that has no value for it; `demand` says what it needs."""

    demand: str
    argument: Interval

    def told(self) -> Told:
        hint = "Keep it inside, as in `max(x, 0.01)` or `clamp(x, low, high)`; a guard does not do that."
        label = f"this is {self.argument}" if self.argument.is_single else f"anywhere in {self.argument}"
        return Told(self.demand, hint, label, edits=_kept_up(self.span, self.argument))


@finding("H050")
class DivisorOfZero(Finding):
    divisor: Interval

    def told(self) -> Told:
        hint = "Keep it away from zero, as in `max(x, 0.01)`; a guard does not do that."
        label = "always 0" if self.divisor == ZERO else f"anywhere in {self.divisor}"
        return Told("this divisor can be zero", hint, label, edits=_kept_up(self.span, self.divisor))


@finding("H062")
class CertainChance(Finding):
    happens: bool
    probability: Interval
    is_number: bool

    def told(self) -> Told:
        hint = "Write a probability above 0 and below 1, or leave the condition out."
        label = f"the probability {'is' if self.is_number else 'is in'} {self.probability}"
        return Told(f"this {'always' if self.happens else 'never'} happens", hint, label)


@finding("H062")
class CertainTime(Finding):
    """`every N ticks` or `after N ticks`; `ticks` is how long a life is."""

    holds: bool
    ticks: float | None

    def told(self) -> Told:
        if self.holds:
            return Told("this condition is always true", "Leave it out.")
        label = "" if self.ticks is None else f"a life has {self.ticks:.0f} ticks"
        return Told("this condition is never true", "Write fewer ticks, or lengthen the lifespan.", label)


@finding("H062")
class CertainComparison(Finding):
    holds: bool
    comparison: universe.Binary
    left: Interval
    right: Interval

    def told(self) -> Told:
        hint = "Compare with a value it can have on either side, or leave the condition out."
        edits: tuple[Edit, ...] = ()
        if (edge := self._edge()) is not None:
            name, bound, sign, beyond = edge
            hint = f"`{name}` is never {beyond} {bound}, but can be {bound}: write `{name} {sign} {bound}`."
            edits = (Edit(self.span, f"{spell_name(syntax.Name(name, self.span))} {sign} {bound}"),)
        left, right = self.comparison.left, self.comparison.right
        sides = ((left, "the left side", self.left), (right, "the right side", self.right))
        label = _lying(side for side in sides if not isinstance(side[0], universe.Number))
        return Told(f"this comparison is {'always' if self.holds else 'never'} true", hint, label, edits=edits)

    def _edge(self) -> tuple[str, str, str, str] | None:
        """What to write for `energy < 0` where energy reaches 0 and no less: the name, the bound, the sign between
        them, and what the meter never is."""
        written, low, high = self.comparison, spell(self.left.low), spell(self.left.high)
        match written.op, written.left, written.right:
            case "<", universe.MeterValue(name) | universe.WorldValue(name), universe.Number():
                if self.left.low == self.right.high:
                    return name, low, "<=", "below"
            case ">", universe.MeterValue(name) | universe.WorldValue(name), universe.Number():
                if self.left.high == self.right.low:
                    return name, high, ">=", "above"
            case _:
                pass
        return None


@finding("H062")
class CertainHere(Finding):
    """A condition that is decided where it stands.

    Attributes:
        holds: whether it is always or never true.
        comparison: whether it is a comparison, or others joined.
        sides: what it compares.
        reasons: conditions around it that decide it, or statements before it.
        died: whether it stands in a reward, and a cause of death decides it.
    """

    holds: bool
    comparison: bool
    sides: tuple[Side, ...]
    reasons: tuple[Label, ...]
    died: bool

    def told(self) -> Told:
        hint = "Compare with a value it can have on either side here, or leave the condition out."
        if self.died:
            ends = "What ends a life and is paid is a goal: `ends when CONDITION { reward -1 }` instead of `dies when`."
            hint = "Leave the condition out: whoever is paid lives." if self.holds else ends
        return Told(f"this {self._what()} true here", hint, _lying(self.sides, " here"), self.reasons)

    def _what(self) -> str:
        return f"{'comparison' if self.comparison else 'condition'} is {'always' if self.holds else 'never'}"


@finding("H079")
class CertainInPlay(CertainHere):
    def told(self) -> Told:
        hint = f"{NO_TICK}, or leave the condition out."
        return Told(f"in play this {self._what()} true", hint, _lying(self.sides, " here"), self.reasons)


@finding("H064")
class CauseHidden(Finding):
    """A cause of death where an earlier one holds too."""

    earlier: Span | None

    def told(self) -> Told:
        message = "this cause of death is never the one reported"
        earlier = () if self.earlier is None else (Label(self.earlier, "then this holds too, and comes first"),)
        return Told(message, "Leave it out, or write it before the other.", secondary=earlier)


@finding("H061")
class CascadeNeverFires(Finding):
    """A cascade whose source lies nowhere below its threshold; `declared` is the declaration of the source."""

    cascade: str
    source: str
    where: Interval
    threshold: float
    declared: Span

    def told(self) -> Told:
        hint = f"Write a threshold above {spell(self.where.low)}, or delete the cascade."
        label = f"`{self.source}` is never below {spell(self.threshold)}"
        secondary = (Label(self.declared, f"`{self.source}` is in {self.where} here"),)
        return Told(f"the cascade `{self.cascade}` can never fire", hint, label, secondary)


@finding("H070")
class CascadeAlwaysFires(Finding):
    cascade: str
    source: str
    where: Interval
    threshold: float
    declared: Span

    def told(self) -> Told:
        hint = f"Write a threshold of at most {spell(self.where.high)}, or a rule without a guard."
        label = f"`{self.source}` is always below {spell(self.threshold)}"
        secondary = (Label(self.declared, f"`{self.source}` is in {self.where} here"),)
        return Told(f"the cascade `{self.cascade}` fires in every tick", hint, label, secondary)


@finding("H061")
class NeverFiresHere(Finding):
    """A cascade that cannot fire where it stands; `wrote` is the statement that gave its source a value."""

    cascade: str
    source: str
    where: Interval
    wrote: Span | None

    def told(self) -> Told:
        hint = f"Write a threshold above {spell(self.where.low)}, or delete the cascade."
        return Told(f"the cascade `{self.cascade}` can never fire", hint, *self._because())

    def _because(self) -> tuple[str, tuple[Label, ...]]:
        secondary = () if self.wrote is None else (Label(self.wrote, "by then this has happened"),)
        return f"`{self.source}` {self.where.lies} here", secondary


@finding("H070")
class AlwaysFiresHere(NeverFiresHere):
    def told(self) -> Told:
        hint = f"Write a threshold of at most {spell(self.where.high)}, or write a rule without a guard."
        return Told(f"the cascade `{self.cascade}` fires in every tick", hint, *self._because())


@finding("H079")
class FiresAlikeInPlay(NeverFiresHere):
    """A cascade that always or never fires in play."""

    fires: bool

    def told(self) -> Told:
        often = "fires in every tick" if self.fires else "can never fire"
        hint = f"{NO_TICK}, or {'write a rule without a guard' if self.fires else 'delete the cascade'}."
        return Told(f"in play the cascade `{self.cascade}` {often}", hint, *self._because())


@finding("H041")
class StartAlwaysOutside(Finding):
    meter: str
    start: Interval
    bounds: Interval

    def told(self) -> Told:
        hint = "Change it, or the bounds: it is clamped to them."
        label = f"{self.start}, and bounds are {self.bounds}"
        return Told(f"the start value of `{self.meter}` is never within its bounds", hint, label)


@finding("H063")
class ChangesNothing(Finding):
    """A statement that adds 0 to what it writes: a meter, or a velocity."""

    target: str

    def told(self) -> Told:
        return Told(f"this never changes `{self.target}`", "Leave it out, or write a value that is not 0.")


@finding("H163")
class MaybeNotWhole(Finding):
    """A value of a state of whole numbers; `part` is the part of it that may be none."""

    state: str
    value: Expression
    part: Expression

    def told(self) -> Told:
        hint = "Make it one: `floor(x)`, `ceil(x)` or `round(x)`; a state `real in LOW .. HIGH` takes any number."
        if isinstance(self.part, universe.MeterValue | universe.WorldValue | universe.CellValue):
            name = self.part.meter
            hint = f"`{name}` may hold any number: declare `state {name}: int in LOW .. HIGH = ...`, or write "
            hint += f"`floor({name})`, `ceil({name})` or `round({name})`."
        label = no_whole(self.part, self.value)
        return Told(f"`{self.state}` holds whole numbers, and this may be none", hint, label)
