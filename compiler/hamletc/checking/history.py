"""What looks back at earlier ticks: `lag`, `rising`, `falling`, `since`, `smooth`, `mean`.

Each is written out: hidden states keep what is needed of the past, a hidden rule behind all others brings them up to
date, and the expression reads them as they were when the tick began. So no backend knows of it (docs/semantics.md,
"Looking back").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field, fields, replace
from typing import Any, Literal, TypeAlias

from hamlet import universe
from hamlet.frozen import dataclass
from hamlet.universe import Assign, Expression, Meter, Number, Rule, Span, StateType, Truth, WorldMeter, operands
from hamletc import intervals
from hamletc.checking.operations import is_condition
from hamletc.intervals import Interval
from hamletc.language.spelling import counted

LONGEST = 64
"""The most ticks that `lag` and `mean` look back."""
MOST_SINCE = 1 << 24
"""Up to here `since` counts where lives are longer."""
LONGEST_TEXT = 40
"""The most characters of an expression that the name of a hidden state repeats."""

Owner: TypeAlias = Literal["agent", "world"]
"""Whose past it is."""
Bounds: TypeAlias = Callable[[Expression], Interval | None]
"""Where a number lies in a tick; `None` where nothing is known, since something is wrong."""


@dataclass(frozen=True, slots=True)
class Look:
    """One place that looks back.

    Attributes:
        value: what is looked at, as the rules leave it.
        text: how the author writes that.
        construct: how the author writes all of it.
        masked: the place is between two ticks, where masks are made.
        chosen, used: what an agent chose, and used, in this tick is known there.
    """

    owner: Owner
    value: Expression
    text: str
    construct: str
    span: Span
    masked: bool
    chosen: bool
    used: bool

    def here(self) -> Expression:
        """The value at this place. What an agent did counts as nothing where that is not known yet."""
        return without_deeds(self.value, chosen=not self.chosen, used=not self.used)

    def begun(self) -> Expression:
        """The value in the state that the episode begins with; right in the first tick, or before it."""
        value = without_deeds(self.value)
        return value if self.masked or isinstance(value, Number | Truth) else universe.Previous(value, self.span)


@dataclass(slots=True)
class _Line:
    """The last values of an expression: `names` are the states that hold them, the latest first."""

    look: Look
    names: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Kept:
    """A hidden state, with what the hidden rule writes into it."""

    name: str
    owner: Owner
    start: float
    bounds: Interval
    type: StateType
    whole: Expression | None
    """What has to be whole for the state to be; `None`: nothing is asked."""
    update: Expression
    span: Span


class History:
    """The hidden states of a universe. `taken` are the names that its author uses, `lifespan` is the longest life.

    Attributes:
        longest: the most ticks that an episode has, as far as is counted.
        spans: where something looks back. What it looks at stands in several places then: there, in the state that the
            episode begins with, and behind all rules.
    """

    def __init__(self, taken: Iterable[str], bounds: Bounds, lifespan: int | None) -> None:
        self.spans: set[Span] = set()
        self._taken = set(taken)
        self._bounds = bounds
        self.longest = min(lifespan or MOST_SINCE, MOST_SINCE)
        self._kept: list[_Kept] = []
        self._lines: dict[tuple[Owner, str], _Line] = {}
        self._counters: dict[tuple[Owner, str], str] = {}
        self._started: str | None = None

    # --- the constructs ----------------------------------------------------------------------------------------------

    def lag(self, look: Look, ticks: int, options: tuple[str, ...] = ()) -> Expression | None:
        """The value, so many ticks ago: a number, the number of an option, or a condition."""
        if is_condition(look.value):
            number = _as_number(look.value, look.span)
            line = self._line(replace(look, value=number), ticks, StateType("bool", ()))
            return (
                None if line is None else self._past(look, _holds(self._read(look, line.names[ticks - 1]), look.span))
            )
        line = self._line(look, ticks, StateType("options", options) if options else None)
        return None if line is None else self._past(look, self._read(look, line.names[ticks - 1]))

    def edge(self, look: Look, *, rises: bool) -> Expression | None:
        """Whether a condition holds here and did not in the last tick, when rules had run; or the other way round."""
        before, here, span = self.lag(look, 1), look.here(), look.span
        if before is None:
            return None
        falls = _decided(universe.Unary("not", here, span))
        now, then = (here, universe.Unary("not", before, span)) if rises else (falls, before)
        return _decided(universe.Binary("and", now, then, span))

    def since(self, look: Look, most: int | None) -> Expression | None:
        """The ticks since a condition held last, here or when the rules of a tick had run; at most so many, and so many
        where it never did. Without a limit they are counted from the beginning of the episode."""
        span, limit = look.span, self.longest if most is None else most
        key = look.owner, f"since {look.text} {most}"
        name = self._counters.get(key)
        if name is None:
            name = self._counters[key] = self._name(f"ticks since {short(look.text)}")
            kept = self._read(replace(look, masked=False), name)
            passed = universe.Binary("+", kept, Number(1.0, span), span)
            update = universe.If(look.value, Number(0.0, span), passed, span)
            start = 0.0 if most is None else float(most)
            self._keep(look, name, start, Interval(0.0, float(limit)), StateType("int", ()), update)
        passed = universe.Binary("+", self._read(look, name), Number(1.0, span), span)
        most_of = universe.Binary("min", passed, Number(float(limit), span), span)
        return _decided(universe.If(look.here(), Number(0.0, span), most_of, span))

    def smooth(self, look: Look, share: float) -> Expression | None:
        """The exponential moving average: every tick it goes this share of the way to the value."""
        bounds, span = self._bounds(look.value), look.span
        if bounds is None:
            return None
        key = look.owner, f"smooth {look.text} {share}"
        name = self._counters.get(key)
        if name is None:
            name = self._counters[key] = self._name(f"smooth {short(look.text)}, {intervals.spell(share)}")
            tick = replace(look, masked=False)
            update = _nearer(self._past(tick, self._read(tick, name)), look.value, share, bounds, span)
            self._keep(look, name, bounds.low, bounds, StateType("real", ()), update)
        return _nearer(self._past(look, self._read(look, name)), look.here(), share, bounds, span)

    def mean(self, look: Look, ticks: int) -> Expression | None:
        """The mean of the value here and of those when the rules of the last ticks had run."""
        line, span, here = self._line(look, ticks - 1, None), look.span, look.here()
        if line is None:
            return None
        total = here
        for name in line.names[: ticks - 1]:
            total = universe.Binary("+", total, self._read(look, name), span)
        others = universe.Binary("*", look.begun(), Number(float(ticks - 1), span), span)
        first = universe.Binary("+", here, others, span)
        summed = universe.If(self._lived(look.owner, span, masked=look.masked), total, first, span)
        return universe.Binary("/", summed, Number(float(ticks), span), span)

    def timed(self, when: Literal["every", "after"], ticks: int, span: Span) -> Expression:
        """`every 24 ticks`, `after 100 ticks`: a hidden state counts the ticks of a world in its episode, of `every`
        from 0 on after each time that it holds."""
        construct = f"{when} {counted(ticks, 'tick')}"
        name = self._counters.get(("world", construct))
        last = min(ticks - (when == "every"), self.longest - 1)
        if name is None:
            name = self._counters["world", construct] = self._name(f"ticks of {construct}")
            kept, one = universe.WorldValue(name, span), Number(1.0, span)
            update: Expression = universe.Binary("+", kept, one, span)
            if when == "every":
                whole = universe.Binary(">=", kept, Number(ticks - 1.0, span), span)
                update = universe.If(whole, Number(0.0, span), update, span)
            held = StateType("int", (), past=construct)
            self._kept.append(_Kept(name, "world", 0.0, Interval(0.0, float(last)), held, None, update, span))
        passed = universe.Previous(universe.WorldValue(name, span), span)
        return universe.Binary(">=", passed, Number(float(ticks - (when == "every")), span), span)

    # --- what is kept ------------------------------------------------------------------------------------------------

    def _line(self, look: Look, ticks: int, held: StateType | None) -> _Line | None:
        """States that hold at least so many of the last values."""
        bounds = self._bounds(look.value)
        if bounds is None:
            return None
        line = self._lines.setdefault((look.owner, look.text), _Line(look))
        for number in range(len(line.names) + 1, ticks + 1):
            name = self._name(f"{short(look.text)}, {number} tick{'' if number == 1 else 's'} ago")
            update = look.value
            if number > 1:
                tick = replace(look, masked=False)
                update = self._past(tick, self._read(tick, line.names[-1]))
            self._keep(look, name, bounds.low, bounds, held or StateType("real", ()), update, whole=held is None)
            line.names.append(name)
        return line

    def _keep(
        self,
        look: Look,
        name: str,
        start: float,
        bounds: Interval,
        held: StateType,
        update: Expression,
        *,
        whole: bool = False,
    ) -> None:
        held = replace(held, past=look.construct)
        kept = _Kept(name, look.owner, start, bounds, held, look.value if whole else None, update, look.span)
        self._kept.append(kept)

    def _name(self, name: str) -> str:
        """The name of a hidden state, which the author uses for nothing else."""
        while name in self._taken:
            name += "'"
        self._taken.add(name)
        return name

    def _value(self, owner: Owner, name: str, span: Span) -> Expression:
        return universe.MeterValue(name, span) if owner == "agent" else universe.WorldValue(name, span)

    def _read(self, look: Look, name: str) -> Expression:
        """A hidden state as the last tick left it."""
        value = self._value(look.owner, name, look.span)
        return value if look.masked else universe.Previous(value, look.span)

    def _past(self, look: Look, kept: Expression) -> Expression:
        """What was kept, or before there is a past what the episode begins with."""
        return universe.If(self._lived(look.owner, look.span, masked=look.masked), kept, look.begun(), look.span)

    def _lived(self, owner: Owner, span: Span, *, masked: bool) -> Expression:
        """Whether the episode has had a tick before."""
        if owner == "agent":
            return universe.After(1, span)
        if self._started is None:
            self._started = self._name("the world has begun")
            update = Number(1.0, span)
            began = StateType("bool", (), "the first tick of a world")
            self._kept.append(_Kept(self._started, "world", 0.0, Interval(0.0, 1.0), began, None, update, span))
        value = universe.WorldValue(self._started, span)
        return _holds(value if masked else universe.Previous(value, span), span)

    # --- the universe ------------------------------------------------------------------------------------------------

    @property
    def names(self) -> frozenset[str]:
        """The names of the hidden states."""
        return frozenset(kept.name for kept in self._kept)

    def meters(self, is_whole: Callable[[Expression], bool]) -> list[Meter]:
        """The hidden states of agents."""
        own = (kept for kept in self._kept if kept.owner == "agent")
        return [
            Meter(
                each.name,
                each.start,
                each.bounds.low,
                each.bounds.high,
                None,
                None,
                None,
                each.span,
                type=_held(each, is_whole),
            )
            for each in own
        ]

    def world_meters(self, is_whole: Callable[[Expression], bool]) -> list[WorldMeter]:
        """The hidden states of the world."""
        return [
            WorldMeter(each.name, each.start, each.bounds.low, each.bounds.high, each.span, _held(each, is_whole))
            for each in self._kept
            if each.owner == "world"
        ]

    def rules(self, owner: Owner, taken: Iterable[str]) -> list[Rule]:
        """The hidden rule that keeps the past, where there is one. It reads the past as the tick began with it."""
        kept = [each for each in self._kept if each.owner == owner]
        if not kept:
            return []
        name, names = "past", set(taken)
        while name in names:
            name += "'"
        body = tuple(Assign(each.name, "=", each.update, True, each.span) for each in kept)
        return [Rule(name, None, body, kept[0].span)]


def _held(kept: _Kept, is_whole: Callable[[Expression], bool]) -> StateType:
    """The type of a hidden state: whole numbers where nothing else is ever kept."""
    ends = (kept.bounds.low, kept.bounds.high)
    counts = all(end.is_integer() and abs(end) <= MOST_SINCE for end in ends)
    if kept.whole is not None and counts and is_whole(kept.whole):
        return replace(kept.type, holds="int")
    return kept.type


def without_deeds(expression: Expression, *, chosen: bool = True, used: bool = True) -> Expression:
    """The expression where an agent has chosen no action, and used nothing."""
    match expression:
        case universe.ActionTaken(span=span) if chosen:
            return Truth(False, span)
        case universe.Used(affordance=affordance, span=span) if used:
            return Truth(affordance is None, span)
        case _ if not operands(expression):
            return expression
        case _:
            changes: dict[str, Any] = {}
            for each_field in fields(expression):
                name, old = each_field.name, getattr(expression, each_field.name)
                if isinstance(old, tuple) and name == "options":
                    changes[name] = tuple(without_deeds(each, chosen=chosen, used=used) for each in old)
                elif any(old is each for each in operands(expression)):
                    changes[name] = without_deeds(old, chosen=chosen, used=used)
            return _decided(replace(expression, **changes))


def _decided(expression: Expression) -> Expression:
    """The expression without conditions of which it is known whether they hold."""
    match expression:
        case universe.Unary(op="not", operand=Truth(value), span=span):
            return Truth(not value, span)
        case universe.Binary(op="and" | "or" as op, left=Truth(value), right=other):
            return other if value == (op == "and") else Truth(value, expression.span)
        case universe.Binary(op="and" | "or" as op, left=other, right=Truth(value)):
            return other if value == (op == "and") else Truth(value, expression.span)
        case universe.If(condition=Truth(value), then=then, otherwise=otherwise):
            return then if value else otherwise
        case _:
            return expression


def _as_number(condition: Expression, span: Span) -> Expression:
    return universe.If(condition, Number(1.0, span), Number(0.0, span), span)


def _holds(number: Expression, span: Span) -> Expression:
    """Whether a condition held that was kept as a number."""
    return universe.Binary(">", number, Number(0.0, span), span)


def _nearer(before: Expression, value: Expression, share: float, bounds: Interval, span: Span) -> Expression:
    """A share of the way from what was before to a value, within what the value can be."""
    way = universe.Binary("*", Number(share, span), universe.Binary("-", value, before, span), span)
    ends = Number(bounds.low, span), Number(bounds.high, span)
    return universe.Clamp(universe.Binary("+", before, way, span), *ends, span)


def short(text: str) -> str:
    """The text for a name, in which no backtick can be."""
    plain = text.replace("`", "")
    return plain if len(plain) <= LONGEST_TEXT else f"{plain[: LONGEST_TEXT - 3]}..."
