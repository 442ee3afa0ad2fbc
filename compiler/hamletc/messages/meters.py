"""Meters, states, params, inputs, controls: start values and bounds."""

from __future__ import annotations

from typing import Literal

from hamlet import universe
from hamlet.universe import Expression, Span
from hamletc.diagnostics import Edit, Finding, Label, Told, finding
from hamletc.diagnostics.edit import behind
from hamletc.intervals import spell
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression, spell_name
from hamletc.messages.everywhere import LONGEST_EXAMPLE


@finding("H041")
class OutsideBounds(Finding):
    """`bounds` is where they are written, if they are."""

    value: Literal["the default", "the start value"]
    number: float
    low: float
    high: float
    bounds: Span | None

    def told(self) -> Told:
        limits, bounds = f"{spell(self.low)} .. {spell(self.high)}", self.bounds
        hint = "Change it, or the bounds." if bounds else f"Bounds are {limits} unless you add `in LOW .. HIGH`."
        secondary = () if bounds is None else (Label(bounds, "the bounds"),)
        wider = f"{spell(min(self.low, self.number))} .. {spell(max(self.high, self.number))}"
        edit = behind(self.span, f" in {wider}", sure=False) if bounds is None else Edit(bounds, wider, sure=False)
        return Told(f"{self.value} is outside the bounds", hint, f"not in {limits}", secondary, (edit,))


@finding("H154")
class BoundsTooFarApart(Finding):
    control: str

    def told(self) -> Told:
        label = "the random policy draws from them, and their difference is beyond binary32"
        return Told(f"the bounds of `{self.control}` are too far apart", "Write bounds nearer to 0.", label)


@finding("H164")
class BoundsNotWhole(Finding):
    bound: float
    most: int

    def told(self) -> Told:
        hint = f"Write whole numbers from -{self.most} to {self.most}: binary32 has all of them."
        label = "" if self.bound.is_integer() else "this is none"
        return Told("the bounds of an `int` are whole numbers", hint, label)


@finding("H163")
class StartNotWhole(Finding):
    state: str

    def told(self) -> Told:
        hint = "Write one, or a state `real in LOW .. HIGH`."
        return Told(f"`{self.state}` holds whole numbers, and this is none", hint)


@finding("H064")
class MoveWithoutSpace(Finding):
    space: Span

    def told(self) -> Told:
        message = "`move` of a meter has no effect without a space"
        return Told(message, "Leave it out.", "nobody moves", (Label(self.space, "no space"),))


@finding("H083")
class UnknownAtStart(Finding):
    """A start value reads what is not there when an episode begins.

    Attributes:
        node: what it reads.
        meter: the declaration that it starts.
        whose: whose meter it starts.
    """

    node: Expression
    meter: syntax.MeterDecl
    whose: Literal["agent", "world", "cell", "pair"]

    def told(self) -> Told:
        message, tick = "a start value cannot read this", self._tick()
        if isinstance(self.node, universe.CellValue) and self.whose == "cell":
            return Told(message, f"Read what this cell has; {tick}", "cells begin at the same time")
        if isinstance(self.node, universe.CellValue):
            return Told(message, f"Agents are there before cells; {tick}", "cells begin last")
        label, earlier = "this is known from the first tick on", "what begins earlier, or draw"
        match self.whose:
            case "cell":
                return Told(message, f"Read params, terrains, regions, `position x` and {earlier}.", label)
            case "world":
                return Told(message, f"Read params, `agents` and {earlier}; {tick}", label)
            case "agent":
                return Told(message, f"Read params, `agent`, `agents` and {earlier}; {tick}", label)
            case "pair":
                return Told(message, f"Read params, `agent`, `own(e)` of who has it, and {earlier}; {tick}", label)

    def _tick(self) -> str:
        """How a tick gives the meter such a value."""
        if self.meter.state is not None and self.meter.state.of == "once":
            return "a rule can write it into a state in a tick."
        if self.whose != "agent":
            owners = {"cell": "cells", "world": "the world", "pair": "pairs"}
            return f"a rule of {owners[self.whose]} can write it in a tick."
        value = "..." if self.meter.state is not None else spell_expression(self.meter.start)
        example = value if len(value) <= LONGEST_EXAMPLE else "..."
        return f"in the first tick: `rule start: age == 0 -> {spell_name(self.meter.name)} = {example}`."


@finding("H270")
class StartReadsLater(Finding):
    """A start value reads what begins later.

    Attributes:
        meter: what it starts.
        later: what it reads.
        anew: whether the world keeps the one, and the other begins anew with each episode.
        declared: where the other is declared.
    """

    meter: str
    later: str
    anew: bool
    declared: Span

    def told(self) -> Told:
        if self.meter == self.later:
            return Told(f"the start value of `{self.meter}` reads itself", "Read what is declared above it.")
        message, secondary = f"`{self.meter}` begins before `{self.later}`", (Label(self.declared, "declared here"),)
        if self.anew:
            hint = f"Let the world keep `{self.later}`, too, above it, or do not keep `{self.meter}`."
            return Told(message, hint, "what the world keeps begins first", secondary)
        hint = f"Start values are found in the order of the file: move `{self.later}` above `{self.meter}`."
        return Told(message, hint, "this has no value yet", secondary)


@finding("H271")
class OnceTheSame(Finding):
    let: str

    def told(self) -> Told:
        hint = f"Write `let {self.let} = ...` without `once`, or draw it: `once uniform(0, 1)`."
        return Told(f"`{self.let}` is the same in every episode", hint, "nothing is drawn here")
