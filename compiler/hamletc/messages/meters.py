"""Meters, states, params, inputs, controls: start values and bounds."""

from __future__ import annotations

from typing import Literal

from hamlet import universe
from hamlet.universe import Expression, Span
from hamletc.diagnostics import Finding, Label, Told, finding
from hamletc.intervals import spell
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression, spell_name
from hamletc.messages.everywhere import LONGEST_EXAMPLE, quoted

MOST_KEPT_SHOWN = 4
"""How many of the meters that the world keeps a hint names."""


@finding("H041")
class OutsideBounds(Finding):
    """`bounds` is where they are written, if they are."""

    value: Literal["the default", "the start value"]
    low: float
    high: float
    bounds: Span | None

    def told(self) -> Told:
        limits, bounds = f"{spell(self.low)} .. {spell(self.high)}", self.bounds
        hint = "Change it, or the bounds." if bounds else f"Bounds are {limits} unless you add `in LOW .. HIGH`."
        secondary = () if bounds is None else (Label(bounds, "the bounds"),)
        return Told(f"{self.value} is outside the bounds", hint, f"not in {limits}", secondary)


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
        kept: the meters of the world that the start value could read.
    """

    node: Expression
    meter: syntax.MeterDecl
    whose: Literal["agent", "world", "cell"]
    kept: frozenset[str]

    def told(self) -> Told:
        message, tick = "a start value cannot read this", self._tick()
        if isinstance(self.node, universe.MeterValue | universe.WorldValue | universe.CellValue):
            # What has a start value itself is there, but all begin at once.
            hint = "Let the world keep what both read: `world { kept meter luck = uniform(0, 1)  "
            hint += f"rule draws: luck = uniform(0, 1) }}`; {tick}"
            if self.kept:
                shown = quoted(sorted(self.kept)[:MOST_KEPT_SHOWN])
                hint = f"Read what the world keeps, as {shown}, or let it keep this, too: `kept meter ...`."
            return Told(message, hint, "start values do not see each other")
        label = "this is known from the first tick on"
        match self.whose:
            case "cell":
                return Told(message, "Read params, terrains, regions and `position x`, or draw.", label)
            case "world":
                return Told(message, f"Read params and `agents`, or draw; {tick}", label)
            case "agent":
                return Told(message, f"Read params, `agent` and `agents`, or draw; {tick}", label)

    def _tick(self) -> str:
        """How a tick gives the meter such a value."""
        if self.whose != "agent":
            return f"a rule of {'cells' if self.whose == 'cell' else 'the world'} can write it in a tick."
        value = "..." if self.meter.state is not None else spell_expression(self.meter.start)
        example = value if len(value) <= LONGEST_EXAMPLE else "..."
        return f"in the first tick: `rule start: age == 0 -> {spell_name(self.meter.name)} = {example}`."
