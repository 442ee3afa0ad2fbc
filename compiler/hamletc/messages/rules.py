"""Rules and cascades: their statements and guards."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from hamlet.universe import Span
from hamletc.diagnostics import Edit, Finding, Label, Told, finding
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression, spell_name


@finding("H064")
class UnclampedInTogether(Finding):
    together: Span

    def told(self) -> Told:
        secondary = (Label(self.together, "clamps once, at its end"),)
        return Told("`unclamped` has no effect inside `together`", "Leave `unclamped` out.", "", secondary)


@finding("H156")
class VelocityInTogether(Finding):
    together: Span

    def told(self) -> Told:
        label = "it is brought within its limit at once"
        secondary = (Label(self.together, "clamps meters once, at its end"),)
        return Told("velocity cannot be written inside `together`", "Write it before or after.", label, secondary)


@finding("H052")
class TogetherTwice(Finding):
    together: Span

    def told(self) -> Told:
        hint = "Write the statements of both in one `together { }`."
        secondary = (Label(self.together, "the outer one"),)
        return Told("`together` cannot stand inside `together`", hint, "", secondary)


@finding("H052")
class NotInTogether(Finding):
    word: str
    together: Span

    def told(self) -> Told:
        hint = "Write it before or behind the braces, or leave `together` out."
        secondary = (Label(self.together, "clamps once, at its end"),)
        return Told(f"`{self.word}` cannot stand inside `together`", hint, "", secondary)


@finding("H084")
class BecomesZero(Finding):
    """`mood = 1 when rested`."""

    meter: str

    def told(self) -> Told:
        hint = "Write `if C then A else 0` if that is meant, or its name behind `else` where it is to stay."
        message = f"`{self.meter}` becomes 0 where the condition does not hold"
        return Told(message, hint, "`A when C` is a value: A, or 0")


@finding("H156")
class UnclampedVelocity(Finding):
    def told(self) -> Told:
        return Told("a velocity never leaves its limit", "Leave it out, or raise `momentum up to`.")


@finding("H156")
class VelocityOfNobody(Finding):
    """A rule of the world or of cells that writes the velocity on an axis."""

    axis: str
    owner: Literal["the world", "cells"]

    def told(self) -> Told:
        hint = f"Let a rule of the agents do it; it can read meters of {self.owner}."
        message = f"a rule of {self.owner} cannot change `velocity {self.axis}`"
        return Told(message, hint, "each agent has its own")


@finding("H150")
class VelocityWithoutMomentum(Finding):
    axis: str
    space: Span
    grid: bool

    def told(self) -> Told:
        hint = "Add `momentum up to 2` to the space: then pushes add up, and positions follow from velocities."
        if self.grid:
            hint = "Give a continuous space momentum, as in `{ step 0.1  reach 1  momentum up to 2 }`."
        space = Label(self.space, "a grid has no momentum" if self.grid else "this space has no momentum")
        label = "moves change positions, and the velocity is what they did"
        return Told(f"`velocity {self.axis}` cannot be written without momentum", hint, label, (space,))


@finding("H096")
class NeverUnclamped(Finding):
    owner: Literal["the world", "cells"]

    def told(self) -> Told:
        hint = "Leave it out, or give the meter wider bounds."
        return Told(f"a meter of {self.owner} never leaves its bounds", hint)


@finding("H039")
class OtherGuard(Finding):
    """A cascade whose guard is not `meter < constant`; `of_meter`: whether a meter is compared, `asks`: whether its
    statements have `deficit` or `shortfall`."""

    cascade: syntax.CascadeDecl
    of_meter: bool
    asks: bool

    def told(self) -> Told:
        name, guard = spell_name(self.cascade.name), self.cascade.guard
        hint = f"Write `rule {name}: guard -> ...` for other guards."
        begin = self.cascade.span
        word = Span(begin.line, begin.column, begin.line, begin.column + len("cascade"), begin.file)
        edits: tuple[Edit, ...] = () if self.asks else (Edit(word, "rule"),)
        if isinstance(guard, syntax.BinaryExpr) and guard.op == "<=" and self.of_meter:
            below = spell_expression(replace(guard, op="<"))
            hint = f"Write `{below}`; or `rule {name}: {spell_expression(guard)} -> ...`, which has no `deficit`."
            edits = (Edit(self.span, below),) if self.asks else edits
        return Told("a cascade is guarded by `meter < constant`", hint, "this is another condition", edits=edits)


@finding("H278")
class RoundsOutsideLimits(Finding):
    """A number of rounds that is no constant, no whole number, or outside its limits; `number` is how it is written."""

    number: str
    most: int

    def told(self) -> Told:
        hint = f"Write a whole number of 2 to {self.most}, or a `let` of one; what happens once needs no `repeat`."
        return Told(f"`repeat` cannot take {self.number} rounds", hint)


@finding("H278")
class TooManyRepeated(Finding):
    most: int

    def told(self) -> Told:
        hint = "Repeat fewer statements, or less often: each round is written out."
        return Told(f"the rounds of `repeat` stand for more than {self.most:,} statements", hint)


@finding("H090")
class WrittenByAgent(Finding):
    """A meter of the world that an agent writes; `affordance` is the one that has it, and `own` its name there."""

    meter: str
    declared: Span
    own: str
    affordance: str | None

    def told(self) -> Told:
        rule = f"`rule NAME: {self.meter} -= count(used == Shop)`"
        hint = f"A rule of the world can, by what its agents did: {rule} in `world {{ }}`."
        if self.affordance is not None:
            rule = f"`rule NAME: {self.own} -= count(used == {self.affordance})`"
            hint = f"A rule in the braces of the affordance can, by what agents did: {rule}."
        secondary = (Label(self.declared, "a meter of the world"),)
        label = "agents of a world would write it at once"
        return Told(f"an agent cannot change `{self.meter}`, which is the world's", hint, label, secondary)


@finding("H091")
class WrittenByWorld(Finding):
    meter: str
    declared: Span

    def told(self) -> Told:
        hint = f"Write a meter of the world here; a rule of the agents can read that and change `{self.meter}`."
        message = f"a rule of the world cannot change `{self.meter}`, which each agent has"
        return Told(message, hint, "", (Label(self.declared, "a meter of agents"),))


@finding("H186")
class WrittenByCells(Finding):
    meter: str
    whose: Literal["agents", "the world"]
    declared: Span

    def told(self) -> Told:
        hint = f"A rule of {self.whose} can, and reads what cells have: an agent by the name, of its own cell."
        message = f"a rule of cells cannot change `{self.meter}`, which is no meter of cells"
        return Told(message, hint, "", (Label(self.declared, f"a meter of {self.whose}"),))


@finding("H185")
class WrittenOfCells(Finding):
    """A meter of cells that the world writes."""

    meter: str
    declared: Span

    def told(self) -> Told:
        hint = f"Let cells ask for what the world has: `rule NAME: raining -> {self.meter} += 0.1` in `cells {{ }}`."
        secondary = (Label(self.declared, "a meter of cells"),)
        return Told(f"the world cannot change `{self.meter}`, which each cell has for itself", hint, "", secondary)


@finding("H272")
class WrittenOnce(Finding):
    let: str
    declared: Span

    def told(self) -> Told:
        hint = f"Declare a state, which statements can write: `state {self.let}: ... = ...`."
        secondary = (Label(self.declared, "drawn once, when an episode begins"),)
        return Told(f"`{self.let}` is a let, and nothing writes it", hint, "", secondary)
