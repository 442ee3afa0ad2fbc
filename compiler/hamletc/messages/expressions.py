"""Expressions: numbers and conditions, constants, words and functions."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from hamlet.universe import Span
from hamletc.diagnostics import Edit, Finding, Label, Told, finding
from hamletc.diagnostics.edit import around, behind
from hamletc.intervals import spell
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression, spell_name
from hamletc.messages.everywhere import LONGEST_EXAMPLE
from hamletc.messages.standpoint import BETWEEN, NEEDS


def _regrouped(expr: syntax.Expr) -> syntax.Expr | None:
    """`a when (b and c)` for `(a when b) and c`, also where something is added before it."""
    if not isinstance(expr, syntax.BinaryExpr):
        return None
    if expr.op in ("and", "or"):
        left = _regrouped(expr.left) if isinstance(expr.left, syntax.BinaryExpr) else expr.left
        return None if left is None else _extended(left, expr)
    return expr if isinstance(_last(expr), syntax.WhenExpr) else None


def _extended(left: syntax.Expr, whole: syntax.BinaryExpr) -> syntax.Expr | None:
    """An expression that ends in `when`, its condition joined with the right side of the whole."""
    match left:
        case syntax.WhenExpr(condition=condition):
            return replace(left, condition=replace(whole, left=condition))
        case syntax.BinaryExpr(op="+" | "-", right=right):
            extended = _extended(right, whole)
            return None if extended is None else replace(left, right=extended)
        case _:
            return None


def _last(expr: syntax.Expr) -> syntax.Expr:
    """The last summand."""
    while isinstance(expr, syntax.BinaryExpr) and expr.op in ("+", "-"):
        expr = expr.right
    return expr


def _short(expr: syntax.Expr) -> syntax.Expr:
    """The expression, or a word for one that is too long to be repeated."""
    return expr if len(spell_expression(expr)) <= LONGEST_EXAMPLE else syntax.Name("energy", expr.span)


@finding("H027")
class NumberNeeded(Finding):
    def told(self) -> Told:
        hint = "`1 when CONDITION` is 1 where the condition holds and 0 elsewhere."
        edits = around(self.span, "1 when (", ")")
        return Told("a number is needed here", hint, "this is a condition", edits=edits)


@finding("H027")
class TruthForNumber(Finding):
    """`true` or `false` where a number stands."""

    holds: bool

    def told(self) -> Told:
        hint = f"Write {int(self.holds)}: a meter that is 0 or 1 can be compared, as in `ready > 0`."
        edits = (Edit(self.span, str(int(self.holds))),)
        return Told("a number is needed here", hint, "this is a condition", edits=edits)


CHANGES = {"rising": ("grew", ">"), "falling": ("fell", "<")}
"""Functions of conditions, and how it is said of a number that it did the same."""


@finding("H027")
class ConditionNeeded(Finding):
    """A number where a condition stands; `whole` is the expression in which it is a side of `and` or `or`, `inside` the
    function that asks for one."""

    written: syntax.Expr
    whole: syntax.Expr | None
    inside: str | None

    def told(self) -> Told:
        hint = f"Compare it, as in `{spell_expression(_short(self.written))} > 0`."
        edits: tuple[Edit, ...] = (behind(self.span, " > 0", sure=False),)
        if self.inside in CHANGES:
            word, sign = CHANGES[self.inside]
            number = spell_expression(_short(self.written))
            hint = f"`{self.inside}` is of conditions; that a number {word} is `{number} {sign} previous({number})`."
            edits = ()
        regrouped = None if self.whole is None else _regrouped(self.whole)
        if self.whole is not None and regrouped is not None:
            hint = f"After `when` stands one comparison; put more in parentheses: `{spell_expression(regrouped)}`."
            edits = (Edit(self.whole.span, spell_expression(regrouped)),)
        return Told("a condition is needed here", hint, "this is a number", edits=edits)


@finding("H161")
class OptionForValue(Finding):
    """A state of options where a number or a condition stands."""

    written: syntax.Expr
    option: syntax.Name
    declared: Span

    def told(self) -> Told:
        compared = f"{spell_expression(self.written)} == {spell_name(self.option)}"
        hint = f"Compare it, as in `{compared}`; `1 when {compared}` is a number."
        message = f"`{spell_expression(self.written)}` is one of its options, and no number"
        return Told(message, hint, "", (Label(self.declared, "the options"),))


@finding("H245")
class StraightOnHexagons(Finding):
    space: Span

    def told(self) -> Told:
        secondary = (Label(self.space, "the axes are at 60 degrees"),)
        hint = "Write `distance to`: the fewest moves."
        return Told("a straight distance has no meaning on hexagons", hint, "", secondary)


@finding("H055")
class WalkWithoutGrid(Finding):
    space: Span
    none: bool

    def told(self) -> Told:
        hint = "Write `distance to`, or declare a grid, as in `space grid 8 x 8`."
        secondary = (Label(self.space, "no space" if self.none else "the space"),)
        return Told("a walking distance needs a grid", hint, "", secondary)


@finding("H062")
class CertainRegion(Finding):
    """`on forest` where agents, or cells, are always or never in it."""

    region: str
    who: Literal["agents", "cells"]
    always: bool

    def told(self) -> Told:
        often, where = ("always", "every cell that is no wall is") if self.always else ("never", "only walls are")
        hint = "Leave it out, or give the region other letters."
        return Told(f"{self.who} are {often} on `{self.region}`", hint, f"{where} in it")


@finding("H176")
class NoMeterOfAffordance(Finding):
    """`stock of Shop`; `guess` is the meter that may be meant."""

    meter: str
    affordance: str
    declared: Span
    guess: str | None

    def told(self) -> Told:
        hint = f"Did you mean `{self.guess} of {self.affordance}`?"
        if self.guess is None:
            hint = f"Write `meter {self.meter} = 1` in its braces."
        secondary = (Label(self.declared, "the affordance"),)
        return Told(f"the affordance `{self.affordance}` has no meter `{self.meter}`", hint, "", secondary)


@finding("H176")
class NoPartOfEffect(Finding):
    """`force of poisoned`; `stacks`: whether the effect can be stacked."""

    part: str
    effect: str
    stacks: bool
    declared: Span

    def told(self) -> Told:
        effect = self.effect
        hint = f"Write `left of {effect}`{f' or `stacks of {effect}`' if self.stacks else ''}."
        if self.part == "stacks":
            hint = f"Write `again stack up to 3` in its braces, or `left of {effect}`."
        return Told(f"the effect `{effect}` has no `{self.part}`", hint, "", (Label(self.declared, "the effect"),))


@finding("H155")
class ControlTooEarly(Finding):
    control: str
    scope: Literal["needs", "mask", "acts", "observe", "previous"]

    def told(self) -> Told:
        message = f"the control `{self.control}` is not known here: it is given in the tick"
        match self.scope:
            case "needs":
                return Told(message, "Leave it out; an own action's statements and rules can be guarded by it.", NEEDS)
            case "mask" | "acts" | "observe" as scope:
                return Told(message, "Use the values that agents have now.", BETWEEN[scope][1])
            case "previous":
                hint = "Take it out of `previous( )`, or let a rule keep it in a meter."
                return Told(message, hint, "inside `previous`")


@finding("H062")
class Truth(Finding):
    """`true` or `false` where a condition stands."""

    holds: bool

    def told(self) -> Told:
        hint = "Write a condition that can change, or leave it out."
        return Told(f"this condition is {'always' if self.holds else 'never'} true", hint)


@finding("H029")
class OutsideCascade(Finding):
    """`rule` is the declaration around it, where a cascade could stand instead."""

    word: str
    rule: Span | None = None

    def told(self) -> Told:
        hint, edits = "In a rule, write it out, as in `(0.3 - energy) / 0.3`.", tuple[Edit, ...]()
        if self.rule is not None:
            begin = self.rule
            word = Span(begin.line, begin.column, begin.line, begin.column + len("rule"), begin.file)
            hint, edits = "Write `cascade` instead of `rule`.", (Edit(word, "cascade"),)
        return Told(f"`{self.word}` is known in a cascade only", hint, "not in a cascade", edits=edits)


@finding("H038")
class ThresholdNotAboveZero(Finding):
    threshold: float
    written: Span

    def told(self) -> Told:
        secondary = (Label(self.written, f"the threshold is {spell(self.threshold)}"),)
        message = "`deficit` divides by the threshold, which must be above 0"
        return Told(message, "Use `shortfall`, which is threshold - source.", "", secondary)


@finding("H028")
class NotCompared(Finding):
    """`here`, `last`, `used` or `action` otherwise than beside `==` or `!=`."""

    word: str

    def told(self) -> Told:
        names, hint = "an action", "Write `action == NAME` or `action != NAME`."
        if (word := self.word) != "action":
            names = "an affordance or `nothing`"
            hint = f"Write `{word} == NAME`, `{word} != NAME`, `{word} == nothing` or `{word} != nothing`."
        return Told(f"`{word}` can only be compared with {names}", hint, "by `==` or `!=`")


@finding("H027")
class ComparedTruth(Finding):
    """`true` or `false` beside a comparison."""

    def told(self) -> Told:
        hint = "A condition stands alone, or behind `not`; a meter of 0 or 1 is compared, as in `ready > 0`."
        return Told("a condition cannot be compared", hint, "this is a condition")


@finding("H027")
class ComparedCondition(Finding):
    comparison: Span

    def told(self) -> Told:
        hint = "Join conditions by `and` and `or`: `a < b and b < c`."
        secondary = (Label(self.comparison, "compared here"),)
        return Told("a condition cannot be compared", hint, "this is a condition", secondary)


@finding("H062")
class CertainTimeOfWorld(Finding):
    """`every 1 tick` of a world, or more ticks than an episode has."""

    always: bool
    longest: int

    def told(self) -> Told:
        if self.always:
            return Told("this condition is always true", "Leave it out.")
        hint = "Write fewer ticks, or lengthen the lifespan."
        return Told("this condition is never true", hint, f"an episode has {self.longest} ticks")


# --- constants and functions -----------------------------------------------------------------------------------------


@finding("H031")
class NotConstant(Finding):
    """`number` is what must be a constant; `weight`: whether it is the weight of an option."""

    number: str
    weight: bool

    def told(self) -> Told:
        hint = "Write a number, or arithmetic on numbers."
        if self.weight:
            hint = "Write a number. Where chances change, `if chance(p) then a else b` chooses."
        return Told(f"{self.number} must be a constant", hint, "this is not")


@finding("H030")
class WeightOutsideChoice(Finding):
    def told(self) -> Told:
        return Told("only the options of `choice` have weights", "Leave the weight out.")


@finding("H030")
class OptionWithoutWeight(Finding):
    def told(self) -> Told:
        hint = "Give each option a weight, as in `choice(a: 3, b: 1)`, or none."
        return Told("this option has no weight", hint, "others have")


OF_ONE_AGENT = {"lowest": "min", "highest": "max"}
"""Functions of values of one agent, by those of the agents of a world that are like them."""


@finding("H030")
class WrongArguments(Finding):
    """`takes` is how many arguments the function has, in words; `several`: it was given more than one."""

    function: str
    takes: str
    example: str
    called: Span
    several: bool

    def told(self) -> Told:
        hint, edits = f"Write `{self.example}`.", tuple[Edit, ...]()
        if (other := OF_ONE_AGENT.get(self.function)) is not None:
            hint += f" Values of one agent are joined by `{other}`."
            edits = (Edit(self.called, other, sure=self.several),)
        return Told(f"`{self.function}` takes {self.takes}", hint, edits=edits)


@finding("H035")
class ConstantTooSmall(Finding):
    def told(self) -> Told:
        hint = "Write 0, or a number that binary32 can hold."
        return Told("this number is too small: it would become 0", hint, "less than half of 1.4e-45")


@finding("H034")
class ConstantTooLarge(Finding):
    def told(self) -> Told:
        hint = "Numbers are binary32; write one that fits."
        return Told("this number is too large", hint, "more than 3.4028235e38")


@finding("H054")
class ConstantOutsideFunction(Finding):
    """A constant for which a function has no value; `problem` is what the function needs."""

    problem: str
    value: float

    def told(self) -> Told:
        return Told(self.problem, "Write a number that it takes.", f"this is {self.value:g}")


@finding("H050")
class DivisionByZero(Finding):
    def told(self) -> Told:
        return Told("division by zero", "Divide by a number that is not 0.", "this is 0")


@finding("H040")
class BoundsOfClamp(Finding):
    def told(self) -> Told:
        message = "the lower bound of `clamp` must be less than the upper one"
        return Told(message, "Write `clamp(x, low, high)` with low < high.")


@finding("H062")
class ConstantComparison(Finding):
    holds: bool

    def told(self) -> Told:
        hint = "Compare something that changes, or leave the condition out."
        message = f"this comparison is {'always' if self.holds else 'never'} true"
        return Told(message, hint, "both sides are constant")


@finding("H015")
class TooManyLevels(Finding):
    most: int

    def told(self) -> Told:
        return Told(f"an expression of more than {self.most} levels", "A rule can compute a meter in steps.")
