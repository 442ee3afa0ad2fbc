"""What is asked of all agents of a world, of all its cells, and of the cells beside one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, cast

from hamlet import universe
from hamlet.universe import Expression, parts
from hamlet.universe.space import is_hexagonal, sides, surrounding
from hamletc import messages
from hamletc.checking.around import MOST_AROUND, summed_around
from hamletc.checking.crowds import OPERATIONS as CROWDS
from hamletc.checking.crowds import uncounted
from hamletc.checking.graph import is_graph
from hamletc.checking.operations import Constant, Operand, Operations, wrong_arguments
from hamletc.checking.overall import OPERATIONS
from hamletc.checking.report import whole_number
from hamletc.checking.roles import most_of
from hamletc.checking.standpoint import BETWEEN, Asker, Resolver, Scope, Standpoint
from hamletc.checking.surroundings import farthest
from hamletc.checking.symbols import is_word
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression
from hamletc.language.words import CALLS

NOT_AMONG = ("needs", "claim", *BETWEEN, "opening", "previous", "among", "early among", "history")
"""The scopes in which agents are not counted, nor what they have is joined."""
OF_CELLS = (universe.CellValue, universe.Coordinate, universe.On, universe.TerrainValue)
"""What differs from cell to cell."""


class Asking:
    """Resolves what the expressions of one declaration ask of others."""

    def __init__(self, at: Standpoint, resolver: Resolver) -> None:
        self._at = at
        self._resolver = resolver
        self._operations = Operations(at.report)

    def among(self, expr: syntax.CallExpr) -> Expression | None:
        """`count(c)`, `total(x)`, `lowest(x)`, `highest(x)`, `average(x)`, `rank(c, x)`, `nearest(c, x)`."""
        op = expr.function.text
        if self._at.whose == "neighbour" and self._at.scope == "observe":
            return self._on_cell(expr)
        if self._at.whose == "places" or self._at.scope in NOT_AMONG:
            self._at.report.add(messages.agents.NotCounted(expr.span, op, self._at.scope))
            return None
        if self._at.whose == "neighbour":
            self._at.not_beside(f"`{op}`", expr.span)
            return None
        if op in ("rank", "nearest") and not self._at.of_agent(f"`{op}`", expr.span):
            return None
        if not CALLS[op].takes(len(expr.arguments)):
            wrong_arguments(expr.function, expr.span, self._at.report, len(expr.arguments))
            return None
        known = self._at.whose in ("world", "cell", "beside") or self._at.scope == "ending"
        asker: Asker = "agent" if self._at.whose == "agent" else "world"
        scope: Scope = "among" if known else "early among"
        each = self._resolver.inside(scope, asker=asker)
        if op == "rank":
            return self._rank(expr, each)
        if op == "nearest":
            return self._nearest(expr, each, scope)
        (argument,) = expr.arguments
        if op == "count" and is_word(argument, "agents"):
            self._at.report.add(messages.agents.AgentsCounted(argument.span, expr.span))
            return None
        value = each.number(argument) if op != "count" else _everybody(argument) or each.condition(argument)
        joined = universe.Upon if self._at.whose in ("cell", "beside") else universe.Among
        if value is None or not self._asks_others(value):
            return None
        return joined(cast(Any, op), value, expr.span)

    def _on_cell(self, expr: syntax.CallExpr) -> Expression | None:
        """`count(wolf)` in a window: of the agents on each cell."""
        crowds, op = self._at.names.crowds, expr.function.text
        if op not in CROWDS:
            self._at.report.add(messages.crowds.NotOnCells(expr.span, op))
            return None
        if len(expr.arguments) != 1:
            wrong_arguments(expr.function, expr.span, self._at.report, len(expr.arguments))
            return None
        (argument,) = expr.arguments
        each = self._resolver.inside("observe")
        value = each.number(argument) if op != "count" else _everybody(argument) or each.condition(argument)
        if value is None or crowds is None:
            return None
        if (part := uncounted(value)) is not None:
            self._at.report.add(messages.crowds.NotOfAgentAlone(part.span))
            return None
        try:
            return crowds.ask(op, value, spell_expression(argument), most_of(argument, self._at.names), expr.span)
        except OverflowError:
            self._at.report.add(messages.agents.TotalTooLarge(expr.span))
            return None

    def posted(self, expr: syntax.PostedExpr) -> Expression | None:
        """What the agents have together that post on the cell."""
        each = self._resolver.inside("among", asker="world")
        value = _everybody(expr.value) if expr.op == "count" else each.held(expr.value)
        post = each.number(expr.post)
        return None if value is None or post is None else universe.Upon(expr.op, value, expr.span, post)

    def over_cells(self, expr: syntax.CallExpr) -> Expression | None:
        """`total(moss) over cells`."""
        overall, space, op = self._at.names.overall, self._at.names.space, expr.function.text
        if self._at.of_others:
            self._at.not_beside("`over cells`", expr.span)
            return None
        if not self._at.names.of_kind("cell meter"):
            self._at.report.add(messages.agents.CellsHaveNothing(expr.span))
            return None
        if not isinstance(space, universe.Grid) or overall is None:
            return None  # what cells have needs a grid, which is reported where it is missing or wrong
        if op not in OPERATIONS or expr.function.quoted or len(expr.arguments) != 1:
            self._at.report.add(messages.agents.NotOverCells(expr.function.span))
            return None
        (argument,) = expr.arguments
        each = self._resolver.inside("tick", whose="neighbour")
        value = each.condition(argument) if op == "count" else each.number(argument)
        if value is None:
            return None
        if not any(isinstance(node, OF_CELLS) for node, _ in parts(value)):
            self._at.report.add(messages.agents.NothingOfCells(argument.span))
            return None
        try:
            return overall.ask(op, value, spell_expression(argument), space, expr.span)
        except OverflowError:
            self._at.report.add(messages.agents.TotalTooLarge(expr.span))
            return None

    def neighbours(self, expr: syntax.CallExpr) -> Expression | None:
        """`neighbours(x)`."""
        if self._at.of_others:
            self._at.not_beside("`neighbours`", expr.span)
            return None
        if self._at.whose not in ("cell", "agent") or self._at.scope == "previous":
            self._at.report.add(messages.agents.NeighboursOutsideCells(expr.span))
            return None
        of_cell = self._at.whose == "cell"
        further = self._further(expr)
        if len(expr.arguments) != 1 + (further == "diagonal") or further is None:
            if further is not None:
                wrong_arguments(expr.function, expr.span, self._at.report, len(expr.arguments))
            return None
        scope: Scope = "tick" if of_cell else self._at.scope
        value = self._resolver.inside(scope, whose="beside").number(expr.arguments[0])
        space = self._at.names.space
        if value is None or not isinstance(space, universe.Grid):
            return None
        if not of_cell and is_graph("`neighbours` of an agent", space, expr.span, self._at.report):
            return None
        counted = next((node for node, _ in parts(value) if isinstance(node, universe.Upon)), None)
        if counted is not None and not of_cell:
            self._at.report.add(messages.agents.CountedAround(counted.span))
            return None
        if further == "beside":
            if of_cell and counted is None:
                return universe.Neighbours(value, expr.span)
            return summed_around(value, sides(len(space.sizes), space.metric), space, expr.span)
        offsets = tuple(surrounding(space, None if further == "diagonal" else further))
        if len(offsets) > MOST_AROUND:
            self._at.report.add(messages.elsewhere.TooManyAround(expr.span, len(offsets), MOST_AROUND))
            return None
        return summed_around(value, offsets, space, expr.span)

    def _further(self, expr: syntax.CallExpr) -> Literal["beside", "diagonal"] | int | None:
        """Which cells around one are meant: those beside it, those that touch it, or those within a radius."""
        space = self._at.names.space
        if expr.within is not None:
            return whole_number(expr.within, 1, MOST_AROUND, "the radius of `neighbours`", self._at.report)
        if len(expr.arguments) != 2 or not is_word(expr.arguments[1], "diagonal"):
            return "beside"
        if is_hexagonal(space):
            self._at.report.add(messages.elsewhere.NoDiagonals(expr.arguments[1].span))
            return None
        return "diagonal"

    def _rank(self, expr: syntax.CallExpr, each: Resolver) -> Expression | None:
        """`rank(c, x)`."""
        who, first = expr.arguments
        condition, priority = self._who(who, each), each.number(first)
        if isinstance(priority, universe.Number):
            self._at.report.add(messages.agents.SameRank(priority.span))
        if (
            condition is None
            or priority is None
            or not self.same_for_all_askers("what agents are ranked by", [priority])
        ):
            return None
        return universe.Rank(condition, priority, expr.span)

    def _nearest(self, expr: syntax.CallExpr, each: Resolver, scope: Scope) -> Expression | None:
        """`nearest(c)`: how far it is; `nearest(c, x)`: what it has, or 0; `nearest(c, x, y)`: what it has, or y."""
        who, *numbers = expr.arguments
        condition = self._who(who, each)
        otherwise: Expression | None = universe.Number(0.0, expr.span)
        # Without a space all agents are within reach.
        value = otherwise if isinstance(self._at.names.space, universe.NoSpace | None) else universe.Apart(expr.span)
        if not numbers and self._at.names.space is not None:
            otherwise = universe.Number(farthest(self._at.names.space).high, expr.span)
        if numbers:
            value = each.number(numbers[0])
        if numbers[1:]:
            itself = self._resolver.inside(scope, asker="itself")
            otherwise = itself.number(numbers[1])
        if condition is None or value is None or otherwise is None or not self._asks_others(value):
            return None
        return universe.Nearest(condition, value, otherwise, expr.span)

    def _who(self, who: syntax.Expr, each: Resolver) -> Expression | None:
        """Which agents are ranked, or looked for. With `true` all are, which is no condition that says nothing."""
        if (everybody := _everybody(who)) is not None:
            return everybody
        condition = each.condition(who)
        return condition if condition is not None and self._asks_others(condition) else None

    def own(self, expr: syntax.CallExpr) -> Expression | None:
        """`own(e)`, of a number or a condition."""
        return self._own(expr, self._resolver.inside(self._at.scope, asker="itself").value)

    def own_option(self, expr: syntax.CallExpr) -> Expression | None:
        """The number of the option that a state of the agent who asks is: `own(weather)`."""
        return self._own(expr, self._resolver.inside(self._at.scope, asker="itself").held)

    def _own(self, expr: syntax.CallExpr, resolved: Callable[[syntax.Expr], Operand | None]) -> Expression | None:
        if not self._at.asked("`own`", expr.span):
            return None
        if len(expr.arguments) != 1:
            wrong_arguments(expr.function, expr.span, self._at.report, len(expr.arguments))
            return None
        value = resolved(expr.arguments[0])
        operand = None if value is None else self._operations.rounded(value)
        if operand is None:
            return None
        if not any(universe.owners(operand)):
            self._at.report.add(messages.agents.OwnedByNobody(expr.span))
            return None
        return universe.Own(operand, expr.span)

    def _asks_others(self, value: Expression) -> bool:
        """Whether something is asked of each agent of a world, unless that is a constant; if not, that is reported."""
        mine, others = universe.owners(value)
        if mine and not others:
            self._at.report.add(messages.agents.AsksNobody(value.span))
        return others or not mine

    def same_for_all_askers(self, what: str, values: list[Operand]) -> bool:
        """Whether numbers depend on nobody who asks; where they do, that is reported."""
        for value in values:
            if not isinstance(value, Constant) and universe.owners(value)[0]:
                self._at.report.add(messages.agents.OtherForEachAsker(value.span, what))
                return False
        return True


def _everybody(who: syntax.Expr) -> Expression | None:
    """`true`, which says that all agents are meant; elsewhere it would be a condition that says nothing."""
    return universe.Truth(True, who.span) if is_word(who, "true") else None
