"""What names and words stand for in expressions, and what they need."""

from __future__ import annotations

import math
from typing import Literal

from hamlet import universe
from hamlet.universe import Expression, Span
from hamlet.universe.space import graph_of, is_hexagonal, letters_of
from hamletc import messages
from hamletc.checking.effects import left_of, stacks_of
from hamletc.checking.graph import is_graph
from hamletc.checking.names import Need, Numbered
from hamletc.checking.operations import Constant, Operand, wrong_arguments
from hamletc.checking.standpoint import BETWEEN, KNOW_USES, Standpoint
from hamletc.checking.symbols import axis_of, is_word
from hamletc.language import syntax
from hamletc.language.declared import NAMED
from hamletc.language.words import FUNCTIONS

OF_AGENT = frozenset(("age", "progress", "speed", "visited", "deficit", "shortfall"))
"""The words for numbers that each agent has of its own."""
COMPARED = ("here", "last", "used", "action")
"""The words that are compared with a name."""


class Quantities:
    """Resolves names, and words that need one."""

    def __init__(self, at: Standpoint) -> None:
        self._at = at

    def name(self, name: syntax.Name) -> Operand | None:
        """A word, a local, or a declared name."""
        if isinstance(name, syntax.LocalName):
            return self._at.local(name)
        if not name.quoted and name.text in OF_AGENT and not self._at.of_agent(f"`{name.text}`", name.span):
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
                case "speed" if self._is_graph("a speed", name.span):
                    return None
                case "speed":
                    known = self._at.names.starts_with_speed or self._has("space", name)
                    return universe.Speed(name.span) if known else None
                case "visited":
                    return universe.Visited(name.span) if self._has("tracking", name) else None
                case "true" | "false":
                    return self._truth(name)
                case "here" | "last" | "used" | "action" | "nothing" as word:
                    self._misplaced(word if word != "nothing" else "here", name.span)
                    return None
                case _:
                    pass
        if self._at.names.means(name, "effect"):
            return self._lasts(name)
        match self._at.names.value_kind(name):
            case "meter" | "input" | "control" if not self._at.of_agent(f"`{name.text}`", name.span):
                return None
            case "terrain" if not self._at.of_place(f"`{name.text}`", name.span):
                return None
            case "meter" | "world meter" | "cell meter" | "pair meter":
                return self._typed(name)
            case "param":
                return universe.ParamValue(name.text, name.span)
            case "input":
                return self._input(name)
            case "control":
                return self._control(name)
            case "terrain":
                return universe.TerrainValue(name.text, name.span)
            case None if self._at.names.means(name, "table"):
                self._refuse_table(name)
                return None
            case None if name.text == "pi" and not name.quoted:
                return Constant(math.pi, name.span)
            case None if name.text in ("apart", "other") and not name.quoted:
                return self._pair(name)
            case None if name.text == "agents" and not name.quoted:
                return universe.AgentCount(name.span)
            case None if name.text == "agent" and not name.quoted:
                return universe.AgentNumber(name.span) if self._at.of_agent("`agent`", name.span) else None
            case None if name.text in FUNCTIONS and not name.quoted:
                wrong_arguments(name, name.span, self._at.report, 0)
                return None
            case None:
                kinds = self._at.names.of_kind(*NAMED)
                candidates = (*kinds, *self._known_quantities())
                self._at.names.refuse(name, "a number", candidates)
                return None

    def _refuse_table(self, name: syntax.Name) -> None:
        """A table where a number is needed."""
        tabled = (self._at.names.tables or {}).get(name.text)
        axes = 1 if tabled is None else len(tabled.table.sizes)
        span = self._at.names.span("table", name.text)
        self._at.report.add(messages.tables.TableWithoutIndex(name.span, name.text, axes, span))

    def _pair(self, name: syntax.Name) -> Expression | None:
        """`apart`, and `other`: not the agent that asks."""
        if not self._at.asked(f"`{name.text}`", name.span):
            return None
        if name.text == "apart":
            # Without a space all agents are within reach.
            nowhere = isinstance(self._at.names.space, universe.NoSpace | None)
            return universe.Number(0.0, name.span) if nowhere else universe.Apart(name.span)
        number = universe.AgentNumber(name.span)
        return universe.Binary("!=", number, universe.Own(number, name.span), name.span)

    def held(self, name: syntax.Name) -> Expression | None:
        """The number that a meter or a state is."""
        if self._at.names.means(name, "world meter"):
            return universe.WorldValue(name.text, name.span)
        if self._at.names.means(name, "cell meter"):
            return universe.CellValue(name.text, name.span) if self._at.of_place(f"`{name.text}`", name.span) else None
        if self._at.names.means(name, "pair meter"):
            return self._of_pair(name, reverse=False)
        return universe.MeterValue(name.text, name.span) if self._at.of_agent(f"`{name.text}`", name.span) else None

    def _of_pair(self, name: syntax.Name, *, reverse: bool) -> Expression | None:
        """What the agent that asks has of the other one; in `reverse` what that has of it."""
        known = self._at.asked(f"`{name.text}`", name.span)
        return universe.PairValue(name.text, reverse, name.span) if known else None

    def _typed(self, name: syntax.Name) -> Expression | None:
        """The value of a meter, or of a state: a number or a condition."""
        return self._as_held(name, self.held(name))

    def _as_held(self, name: syntax.Name, value: Expression | None) -> Expression | None:
        """The number that a meter or a state is, as a condition where it holds one."""
        spec = self._at.names.state(name)
        if spec is None or value is None or spec.kind in ("int", "real"):
            return value
        if spec.kind == "bool":
            return universe.Binary(">", value, universe.Number(0.0, name.span), name.span)
        self.refuse_options(name, spec)
        return None

    def refuse_options(self, expr: syntax.Expr, spec: syntax.StateSpec) -> None:
        """Report one of several options that stands where a number or a condition is needed."""
        self._at.report.add(messages.expressions.OptionForValue(expr.span, expr, spec.options[0], spec.span))

    def _known_quantities(self) -> tuple[str, ...]:
        """The words for values that this universe has."""
        has_space = self._at.names.space is not None and not isinstance(self._at.names.space, universe.NoSpace)
        return (
            "age",
            "agents",
            "pi",
            *(("agent",) if self._at.whose == "agent" else ()),
            *(("apart", "other") if self._at.asker in ("agent", "each") else ()),
            *(("deficit", "shortfall") if self._at.threshold else ()),
            *(("hour", "day_sin", "day_cos") if self._at.names.clock is not None else ()),
            *(("progress",) if self._at.names.has_lasting else ()),
            *(("last", "streak of", "visited") if self._at.names.tracking is not None else ()),
            *(("action",) if self._at.scope not in ("needs", *BETWEEN, "previous") else ()),
            *(("used",) if self._at.scope in KNOW_USES and self._at.names.of_kind("affordance") else ()),
            *(("here",) if self._at.names.of_kind("affordance") else ()),
            *(("position", "velocity", "speed") if has_space else ()),
            *(("distance to",) if has_space and self._at.names.of_kind("affordance") else ()),
        )

    def distance(self, expr: syntax.DistanceExpr) -> Expression | None:
        """`distance to Bed`, `straight distance to Bed`, `walking distance to Bed`."""
        if not self._at.of_agent("the distance", expr.span):
            return None
        affordance = self._at.names.find(expr.affordance, "affordance")
        if affordance is None:
            return None
        match expr.way:
            case None if self._at.names.of_kind("node"):
                return universe.WalkingDistance(affordance, expr.span)
            case "straight" if self._is_graph("a straight distance", expr.span):
                return None
            case None:
                return universe.Distance(affordance, expr.span)
            case "straight" if is_hexagonal(self._at.names.space):
                space = self._at.names.space
                if space is not None:
                    self._at.report.add(messages.expressions.StraightOnHexagons(expr.span, space.span))
                return None
            case "straight":
                return universe.StraightDistance(affordance, expr.span)
            case "walking":
                return universe.WalkingDistance(affordance, expr.span) if self._walks(expr) else None

    def _is_graph(self, what: str, span: Span) -> bool:
        return is_graph(what, self._at.names.space, span, self._at.report)

    def _walks(self, expr: syntax.DistanceExpr) -> bool:
        """Whether there are cells to walk on."""
        space = self._at.names.space
        if self._at.names.turning is not None:
            self._at.report.add(messages.headings.WalkOfTurning(expr.span, self._at.names.turning))
            return False
        if space is None or isinstance(space, universe.Grid):
            return True
        none = isinstance(space, universe.NoSpace)
        self._at.report.add(messages.expressions.WalkWithoutGrid(expr.span, space.span, none))
        return False

    def on(self, expr: syntax.OnExpr) -> Expression | None:
        """`on forest`; on a graph `on home`."""
        if not self._at.of_place("`on`", expr.span):
            return None
        names = self._at.names
        space = names.space
        if names.of_kind("node") and not names.means(expr.region, "region"):
            node, graph = names.find(expr.region, "node"), graph_of(space)
            if node is None or graph is None:
                return None
            own, number = universe.Coordinate("x", expr.span), universe.Number(float(graph.number(node)), expr.span)
            return universe.Binary("==", own, number, expr.span)
        region = self._at.names.find(expr.region, "region")
        if region is None:
            return None
        ground = None if space is None else letters_of(space)
        known = None if ground is None else next((each for each in ground.regions if each.name == region), None)
        if ground is not None and known is not None:
            in_window = self._at.whose == "neighbour" and self._at.scope == "observe"  # where walls are shown, too
            letters = set("".join(ground.rows)).difference(() if in_window else ground.walls)
            there = letters.intersection(known.letters)
            if not there or there == letters:
                who: Literal["agents", "cells"] = "agents" if self._at.whose == "agent" else "cells"
                self._at.report.add(messages.expressions.CertainRegion(expr.span, region, who, bool(there)))
        return universe.On(region, expr.span)

    def role(self, expr: syntax.RoleExpr) -> Expression | None:
        """`wolf`: the agent is one."""
        if not self._at.of_agent(f"`{expr.role}`", expr.span):
            return None
        # Where sizes are still found out, no role has its agents yet: the condition is then no constant, whichever.
        numbered = Numbered(0, 1) if self._at.names.roles is None else self._at.names.roles.get(expr.role)
        return None if numbered is None else universe.is_numbered(numbered.first, numbered.agents, expr.span)

    def _lasts(self, name: syntax.Name) -> Expression | None:
        """The name of an effect: the condition that it lasts."""
        effect = self._at.names.effects.known.get(name.text)
        if effect is None or (not effect.of_world and not self._at.of_agent(f"`{name.text}`", name.span)):
            return None
        self._at.names.effects.asked.add(name.text)
        return effect.lasts(name.span)

    def of(self, expr: syntax.OfExpr) -> Expression | None:
        """`left of poisoned`, `stacks of poisoned`. Meters of affordances have become the world's."""
        quantity, owner = expr.quantity.text, expr.owner.text
        if owner == "other" and self._at.names.means(expr.quantity, "pair meter"):
            return self._as_held(expr.quantity, self._of_pair(expr.quantity, reverse=True))
        of_effect = quantity in ("left", "stacks") and self._at.names.means(expr.owner, "effect")
        if self._at.names.means(expr.owner, "affordance") and not of_effect:
            parts = (self._at.names.part("world meter", each) for each in self._at.names.of_kind("world meter"))
            meant = self._at.names.guess(quantity, tuple(part[0] for part in parts if part and part[1] == owner))
            declared = self._at.names.span("affordance", owner)
            self._at.report.add(messages.expressions.NoMeterOfAffordance(expr.span, quantity, owner, declared, meant))
            return None
        if not self._at.names.means(expr.owner, "effect"):
            candidates = (*self._at.names.of_kind("effect"), *self._at.names.of_kind("affordance"))
            self._at.names.refuse(expr.owner, "an effect or an affordance", candidates)
            return None
        effect = self._at.names.effects.known.get(owner)
        if effect is None or (not effect.of_world and not self._at.of_agent(f"`{quantity} of {owner}`", expr.span)):
            return None
        self._at.names.effects.asked.add(owner)
        if quantity == "left":
            return effect.read(left_of(owner), expr.span)
        if quantity == "stacks" and effect.stacks:
            return effect.read(stacks_of(owner), expr.span)
        about = quantity, owner, bool(effect.stacks), effect.span
        self._at.report.add(messages.expressions.NoPartOfEffect(expr.span, *about))
        return None

    def streak(self, expr: syntax.StreakExpr) -> Expression | None:
        """`streak of Bed`."""
        if not self._at.of_agent("`streak`", expr.span):
            return None
        affordance = self._at.names.find(expr.affordance, "affordance")
        if not self._at.names.has("tracking", "`streak`", expr.span) or affordance is None:
            return None
        return universe.Streak(affordance, expr.span)

    def _input(self, name: syntax.Name) -> Expression | None:
        if self._at.scope in BETWEEN:
            self._at.unseen(f"the input `{name.text}`", name.span)
            return None
        return universe.InputValue(name.text, name.span)

    def _control(self, name: syntax.Name) -> Expression | None:
        scope = self._at.scope
        if scope not in ("needs", "mask", "acts", "observe", "previous"):
            return universe.ControlValue(name.text, name.span)
        self._at.report.add(messages.expressions.ControlTooEarly(name.span, name.text, scope))
        return None

    def _truth(self, name: syntax.Name) -> Expression:
        holds = name.text == "true"
        self._at.report.add(messages.expressions.Truth(name.span, holds))
        return universe.Truth(holds, name.span)

    def _has(self, need: Need, name: syntax.Name) -> bool:
        """Whether the universe has what a word needs."""
        return self._at.names.has(need, f"`{name.text}`", name.span)

    def axis(self, expr: syntax.AxisExpr) -> Expression | None:
        """`position x`, `velocity x`."""
        known = self._at.of_place if expr.quantity == "position" else self._at.of_agent
        if not known(f"the {expr.quantity}", expr.span):
            return None
        if not self._at.names.has("space", f"`{expr.quantity}`", expr.span):
            return None
        velocity = expr.quantity == "velocity"
        if velocity and self._is_graph("a velocity", expr.span):
            return None
        axis = axis_of(expr.axis, self._at.names, self._at.report)
        if axis is None:
            return None
        quantity = universe.Coordinate if expr.quantity == "position" else universe.Velocity
        return quantity(axis, expr.span)

    def _guards_cascade(self, guard: syntax.Expr | None) -> bool:
        """Whether a rule is guarded as cascades of agents are: by `meter < number`."""
        if self._at.whose != "agent" or not isinstance(guard, syntax.BinaryExpr) or guard.op != "<":
            return False
        if not isinstance(guard.left, syntax.Name) or not isinstance(guard.right, syntax.Numeral):
            return False
        return self._at.names.value_kind(guard.left) == "meter"

    def _cascade_quantity(self, name: syntax.Name) -> Expression | None:
        if self._at.scope in ("among", "early among", "history"):
            self._at.unseen(f"`{name.text}`", name.span)
            return None
        if self._at.threshold is None:
            rule = self._at.rule
            guarded = rule is not None and self._guards_cascade(rule.guard)
            written = rule.span if rule is not None and guarded else None
            self._at.report.add(messages.expressions.OutsideCascade(name.span, name.text, written))
            return None
        if self._at.scope == "previous":
            self._at.unseen(f"`{name.text}`", name.span)
            return None
        if name.text == "shortfall":
            return universe.Shortfall(name.span)
        threshold = self._at.threshold.value
        if threshold is not None and threshold <= 0:
            written = self._at.threshold.span
            self._at.report.add(messages.expressions.ThresholdNotAboveZero(name.span, threshold, written))
            return None
        return universe.Deficit(name.span)

    def compared(self, expr: syntax.BinaryExpr) -> Expression | None:
        """`here == Bed`, `nothing != here`, `last == Bed`, `used == Bed`, `action == REST`."""
        sides = (expr.left, expr.right) if is_word(expr.left, *COMPARED) else (expr.right, expr.left)
        word, other = sides
        assert isinstance(word, syntax.Name)
        in_window = word.text == "here" and self._at.whose == "neighbour" and self._at.scope == "observe"
        if not in_window and not self._at.of_agent(f"`{word.text}`", word.span):
            return None
        if expr.op not in ("==", "!=") or not isinstance(other, syntax.Name) or is_word(other, *COMPARED):
            self._misplaced(word.text, expr.span)
            return None
        found = self._action(word, other, expr.span) if word.text == "action" else self._place(word, other, expr.span)
        return found if found is None or expr.op == "==" else universe.Unary("not", found, expr.span)

    def _place(self, word: syntax.Name, other: syntax.Name, span: Span) -> Expression | None:
        """A condition on the affordance that an agent is at, used last, or used in this tick."""
        if word.text == "last" and not self._at.names.has("tracking", "`last`", word.span):
            return None
        affordance = None if is_word(other, "nothing") else other.text
        if affordance is not None and not self._at.names.means(other, "affordance"):
            self._at.names.refuse(other, "an affordance", (*self._at.names.of_kind("affordance"), "nothing"))
            return None
        match word.text:
            case "here":
                return universe.Here(affordance, span)
            case "last":
                return universe.LastUse(affordance, span)
            case _:
                return universe.Used(affordance, span) if self._at.is_known(word) else None

    def _action(self, word: syntax.Name, other: syntax.Name, span: Span) -> Expression | None:
        """A condition on the action that an agent chose."""
        if not self._at.is_known(word) or not self._at.names.is_action(other):
            return None
        return universe.ActionTaken(other.text, span)

    def _misplaced(self, word: str, span: Span) -> None:
        self._at.report.add(messages.expressions.NotCompared(span, word))
