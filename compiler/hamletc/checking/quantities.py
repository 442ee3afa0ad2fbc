"""What names and words stand for in expressions, and what they need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet import universe
from hamlet.universe import Expression, Span
from hamlet.universe.space import letters_of
from hamletc.checking.intervals import spell
from hamletc.checking.names import Names, Need, axis_of, is_word
from hamletc.checking.report import Findings
from hamletc.diagnostics import Label
from hamletc.language import syntax
from hamletc.language.words import FUNCTIONS

ARGUMENTS = {
    "chance": ("one argument", "chance(0.1)"),
    "choice": ("two or more arguments", "choice(a, b)"),
    "clamp": ("three arguments", "clamp(x, low, high)"),
    "integer": ("two arguments", "integer(1, 6)"),
    "max": ("two or more arguments", "max(a, b)"),
    "min": ("two or more arguments", "min(a, b)"),
    "mod": ("two arguments", "mod(a, 24)"),
    "normal": ("two arguments", "normal(mean, deviation)"),
    "pow": ("two arguments", "pow(a, b)"),
    "rank": ("two arguments", "rank(condition, x)"),
    "uniform": ("two arguments", "uniform(low, high)"),
}
Scope: TypeAlias = Literal["tick", "ending", "acting", "needs", "mask", "previous", "claim", "among", "early among"]
"""When an expression is evaluated: in a tick when agents have acted; when all that they do is done; while they act and
use affordances, as a condition of what can be done; between two ticks; on what a tick began with; where claims are
ranked; for each agent of a world, when all is done or when a tick begins."""
Whose: TypeAlias = Literal["agent", "world", "places"]
"""Of what an expression is: of an agent, of a world, or the places of an affordance, which are of a world too."""
OF_AGENT = frozenset(("age", "progress", "speed", "visited", "deficit", "shortfall"))
"""The words for numbers that each agent has of its own."""
NEEDS = "`needs` says what can be done, which an agent is told before it acts"
COMPARED = ("here", "last", "used", "action")
"""The words that are compared with a name."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """The threshold of the cascade whose body is read; `value` is `None` where it had an error."""

    value: float | None
    span: Span


class Quantities:
    """Resolves names, and words that need one. `threshold` is set in the body of a cascade only."""

    def __init__(
        self, names: Names, report: Findings, threshold: Threshold | None, scope: Scope, whose: Whose = "agent"
    ) -> None:
        self._names = names
        self._report = report
        self._threshold = threshold
        self._scope = scope
        self._whose = whose

    def of_agent(self, what: str, span: Span) -> bool:
        """Whether what each agent has of its own has a value here; where it has none, that is reported."""
        match self._whose:
            case "agent":
                return True
            case "world":
                hint = "Count agents, or join what they have: `count(energy < 0.2)`, `total(x)`, `highest(x)`."
                self._report.add("H092", f"{what} is another for each agent", span, "a world has none", hint=hint)
            case "places":
                hint = "Write a number, params, meters of the world or `hour`; who comes first is said behind `to`."
                message = f"{what} is another for each agent, and all share the places"
                self._report.add("H095", message, span, hint=hint)
        return False

    def name(self, name: syntax.Name) -> Expression | None:
        """A word, or a declared name."""
        if not name.quoted and name.text in OF_AGENT and not self.of_agent(f"`{name.text}`", name.span):
            return None
        if not name.quoted:
            match name.text:
                case "age":
                    return universe.Age(name.span)
                case "hour":
                    return universe.Hour(name.span) if self._has("clock", name) else None
                case "day_sin":
                    return universe.DayTime("sin", name.span) if self._has("clock", name) else None
                case "day_cos":
                    return universe.DayTime("cos", name.span) if self._has("clock", name) else None
                case "deficit" | "shortfall":
                    return self._cascade_quantity(name)
                case "progress":
                    return universe.Progress(name.span) if self._has("lasting affordance", name) else None
                case "speed":
                    known = self._names.starts_with_speed or self._has("space", name)
                    return universe.Speed(name.span) if known else None
                case "visited":
                    return universe.Visited(name.span) if self._has("tracking", name) else None
                case "true" | "false":
                    return self._truth(name)
                case "here" | "last" | "used" | "action" | "nothing" as word:
                    self._misplaced(word if word != "nothing" else "here", name.span)
                    return None
                case _ if name.text in FUNCTIONS:
                    wrong_arguments(name, name.span, self._report)
                    return None
                case _:
                    pass
        match self._names.value_kind(name):
            case "meter" | "input" | "terrain" if not self.of_agent(f"`{name.text}`", name.span):
                return None
            case "meter":
                return universe.MeterValue(name.text, name.span)
            case "world meter":
                return universe.WorldValue(name.text, name.span)
            case "param":
                return universe.ParamValue(name.text, name.span)
            case "input":
                return self._input(name)
            case "terrain":
                return (
                    universe.TerrainValue(name.text, name.span) if self.of_agent(f"`{name.text}`", name.span) else None
                )
            case None if name.text == "agents" and not name.quoted:
                return universe.AgentCount(name.span)
            case None if name.text == "agent" and not name.quoted:
                return universe.AgentNumber(name.span) if self.of_agent("`agent`", name.span) else None
            case None:
                is_affordance = self._names.means(name, "affordance")
                hint = f"Write `here == {name.text}` or `distance to {name.text}`." if is_affordance else None
                kinds = self._names.of_kind("meter", "world meter", "param", "input", "let", "terrain")
                candidates = (*kinds, *self._known_quantities())
                self._names.refuse(name, "a number", candidates, hint)
                return None

    def _known_quantities(self) -> tuple[str, ...]:
        """The words for values that this universe has."""
        has_space = self._names.space is not None and not isinstance(self._names.space, universe.NoSpace)
        return (
            "age",
            "agents",
            *(("agent",) if self._whose == "agent" else ()),
            *(("deficit", "shortfall") if self._threshold else ()),
            *(("hour", "day_sin", "day_cos") if self._names.clock is not None else ()),
            *(("progress",) if self._names.has_lasting else ()),
            *(("last", "streak of", "visited") if self._names.tracking is not None else ()),
            *(("action",) if self._scope not in ("needs", "mask", "previous") else ()),
            *(("used",) if self._scope in ("tick", "ending", "among") and self._names.of_kind("affordance") else ()),
            *(("here",) if self._names.of_kind("affordance") else ()),
            *(("position", "velocity", "speed") if has_space else ()),
            *(("distance to",) if has_space and self._names.of_kind("affordance") else ()),
        )

    def distance(self, expr: syntax.DistanceExpr) -> Expression | None:
        """`distance to Bed`, `straight distance to Bed`."""
        if not self.of_agent("the distance", expr.span):
            return None
        affordance = self._names.find(expr.affordance, "affordance")
        if affordance is None:
            return None
        distance = universe.StraightDistance if expr.straight else universe.Distance
        return distance(affordance, expr.span)

    def on(self, expr: syntax.OnExpr) -> Expression | None:
        """`on forest`."""
        if not self.of_agent("`on`", expr.span):
            return None
        region = self._names.find(expr.region, "region")
        if region is None:
            return None
        space = self._names.space
        ground = None if space is None else letters_of(space)
        known = None if ground is None else next((each for each in ground.regions if each.name == region), None)
        if ground is not None and known is not None:
            letters = set("".join(ground.rows)) - set(ground.walls)
            there = letters.intersection(known.letters)
            if not there or there == letters:
                often, where = ("always", "every cell that is no wall is") if there else ("never", "only walls are")
                hint = "Leave it out, or give the region other letters."
                self._report.add("H062", f"agents are {often} on `{region}`", expr.span, f"{where} in it", hint=hint)
        return universe.On(region, expr.span)

    def streak(self, expr: syntax.StreakExpr) -> Expression | None:
        """`streak of Bed`."""
        if not self.of_agent("`streak`", expr.span):
            return None
        affordance = self._names.find(expr.affordance, "affordance")
        if not self._names.has("tracking", "`streak`", expr.span) or affordance is None:
            return None
        return universe.Streak(affordance, expr.span)

    def _input(self, name: syntax.Name) -> Expression | None:
        if self._scope == "mask":
            self.unseen(f"the input `{name.text}`", name.span)
            return None
        return universe.InputValue(name.text, name.span)

    def _truth(self, name: syntax.Name) -> Expression:
        holds = name.text == "true"
        hint = "Write a condition that can change, or leave it out."
        self._report.add("H062", f"this condition is {'always' if holds else 'never'} true", name.span, hint=hint)
        return universe.Truth(holds, name.span)

    def _has(self, need: Need, name: syntax.Name) -> bool:
        """Whether the universe has what a word needs."""
        return self._names.has(need, f"`{name.text}`", name.span)

    def axis(self, expr: syntax.AxisExpr) -> Expression | None:
        """`position x`, `velocity x`."""
        if not self.of_agent(f"the {expr.quantity}", expr.span):
            return None
        if not self._names.has("space", f"`{expr.quantity}`", expr.span):
            return None
        axis = axis_of(expr.axis, self._names, self._report)
        if axis is None:
            return None
        quantity = universe.Coordinate if expr.quantity == "position" else universe.Velocity
        return quantity(axis, expr.span)

    def unseen(self, what: str, span: Span) -> None:
        """Report what has no meaning in a mask, or at the beginning of a tick."""
        if self._scope == "mask":
            hint = "Use the values that agents have now."
            self._report.add(
                "H059", f"{what} has no meaning in `allow`", span, "masks are made between ticks", hint=hint
            )
        elif self._scope in ("among", "early among"):
            hint = "Write out what it stands for, or let a rule of the agents keep it in a meter."
            self._report.add(
                "H097", f"{what} is not known of all agents", span, "in what agents have together", hint=hint
            )
        elif self._scope == "claim":
            label = "claims are made at the beginning of the tick"
            self._report.add("H097", f"{what} says nothing here", span, label, hint="Leave `previous` out.")
        else:
            self._report.add(
                "H058", f"{what} has no previous value", span, "inside `previous`", hint="Take it out of `previous( )`."
            )

    def _cascade_quantity(self, name: syntax.Name) -> Expression | None:
        if self._scope in ("among", "early among"):
            self.unseen(f"`{name.text}`", name.span)
            return None
        if self._threshold is None:
            hint = "In a rule, write it out, as in `(0.3 - energy) / 0.3`."
            self._report.add(
                "H029", f"`{name.text}` is known in a cascade only", name.span, "not in a cascade", hint=hint
            )
            return None
        if self._scope == "previous":
            self.unseen(f"`{name.text}`", name.span)
            return None
        if name.text == "shortfall":
            return universe.Shortfall(name.span)
        threshold = self._threshold.value
        if threshold is not None and threshold <= 0:
            self._report.add(
                "H038",
                "`deficit` divides by the threshold, which must be above 0",
                name.span,
                secondary=(Label(self._threshold.span, f"the threshold is {spell(threshold)}"),),
                hint="Use `shortfall`, which is threshold - source.",
            )
            return None
        return universe.Deficit(name.span)

    def compared(self, expr: syntax.BinaryExpr) -> Expression | None:
        """`here == Bed`, `nothing != here`, `last == Bed`, `used == Bed`, `action == REST`."""
        sides = (expr.left, expr.right) if is_word(expr.left, *COMPARED) else (expr.right, expr.left)
        word, other = sides
        assert isinstance(word, syntax.Name)
        if not self.of_agent(f"`{word.text}`", word.span):
            return None
        if expr.op not in ("==", "!=") or not isinstance(other, syntax.Name) or is_word(other, *COMPARED):
            self._misplaced(word.text, expr.span)
            return None
        found = self._action(word, other, expr.span) if word.text == "action" else self._place(word, other, expr.span)
        return found if found is None or expr.op == "==" else universe.Unary("not", found, expr.span)

    def _place(self, word: syntax.Name, other: syntax.Name, span: Span) -> Expression | None:
        """A condition on the affordance that an agent is at, used last, or used in this tick."""
        if word.text == "last" and not self._names.has("tracking", "`last`", word.span):
            return None
        affordance = None if is_word(other, "nothing") else other.text
        if affordance is not None and not self._names.means(other, "affordance"):
            self._names.refuse(other, "an affordance", (*self._names.of_kind("affordance"), "nothing"))
            return None
        match word.text:
            case "here":
                return universe.Here(affordance, span)
            case "last":
                return universe.LastUse(affordance, span)
            case _:
                return universe.Used(affordance, span) if self._is_known(word) else None

    def _action(self, word: syntax.Name, other: syntax.Name, span: Span) -> Expression | None:
        """A condition on the action that an agent chose."""
        if not self._is_known(word) or not self._names.is_action(other):
            return None
        return universe.ActionTaken(other.text, span)

    def _is_known(self, word: syntax.Name) -> bool:
        """Whether what happens in this tick is known where `action` or `used` stands."""
        match self._scope:
            case "mask" | "previous":
                self.unseen(f"`{word.text}`", word.span)
            case "needs":
                hint = "Leave it out: an affordance is used by `INTERACT` alone, and an own action by itself."
                self._report.add("H082", f"`{word.text}` is not known in `needs`", word.span, NEEDS, hint=hint)
            case "early among" if word.text == "used":
                hint = (
                    "Let a rule of the world keep it in a meter, which agents see in the next tick; in `dies when`, "
                    "`reward` and `report` it is known."
                )
                label = "agents are counted when the tick begins"
                self._report.add("H082", "`used` is not known of all agents yet", word.span, label, hint=hint)
            case "acting" | "claim" if word.text == "used":
                hint = (
                    "Read it in `decay`, a rule, a cascade, `dies when`, `reward` or `report`; here, `here` may help."
                )
                label = "this runs before all has been used"
                self._report.add("H082", "`used` is not known here yet", word.span, label, hint=hint)
            case _:
                return True
        return False

    def _misplaced(self, word: str, span: Span) -> None:
        if word == "action":
            names, hint = "an action", "Write `action == NAME` or `action != NAME`."
        else:
            names = "an affordance or `nothing`"
            hint = f"Write `{word} == NAME`, `{word} != NAME`, `{word} == nothing` or `{word} != nothing`."
        self._report.add("H028", f"`{word}` can only be compared with {names}", span, "by `==` or `!=`", hint=hint)


def wrong_arguments(function: syntax.Name, span: Span, report: Findings) -> None:
    """Report a function that is given too few arguments, or too many."""
    count, example = ARGUMENTS.get(function.text, ("one argument", f"{function.text}(a)"))
    report.add("H030", f"`{function.text}` takes {count}", span, hint=f"Write `{example}`.")
