"""Expressions: names found, types checked, constants folded, draws given their random words.

Every method returns `None` where something was wrong; it has been reported then, and callers say no more about it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from hamlet import universe
from hamlet.universe import Expression, Span, parts
from hamletc.checking.draws import Draws
from hamletc.checking.history import LONGEST, MOST_SINCE, Look
from hamletc.checking.names import Names, is_word
from hamletc.checking.operations import Constant, Operand, Operations, is_condition
from hamletc.checking.overall import OPERATIONS
from hamletc.checking.quantities import (
    COMPARED,
    NEEDS,
    Asker,
    Quantities,
    Scope,
    Threshold,
    Whose,
    wrong_arguments,
)
from hamletc.checking.report import Findings
from hamletc.checking.states import Options
from hamletc.checking.surroundings import farthest
from hamletc.diagnostics import Label
from hamletc.foreign import FOREIGN_WORDS, OWN_WORDS
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression
from hamletc.language.words import AMONG, FUNCTIONS, HISTORY

MOST_TICKS = 1_000_000_000
NUMBERS_OF_ARGUMENTS = {"rank": (2,), "nearest": (1, 2, 3)}
"""Of what agents are asked; one argument where nothing is said here."""
NOT_AMONG = {
    "needs": NEEDS,
    "claim": "claims are made before agents are counted",
    "mask": "masks are made between ticks",
    "opening": "doors open between ticks",
    "previous": "inside `previous`",
    "among": "inside another of what agents have together",
    "early among": "inside another of what agents have together",
    "history": "inside what looks back",
}
"""Why agents are not counted there, nor what they have is joined."""


LOOKS_BACK = ("tick", "ending", "acting", "needs", "mask")
NO_PAST = {
    "previous": "inside `previous`",
    "history": "inside another of what looks back",
    "among": "inside what agents have together",
    "early among": "inside what agents have together",
}
"""Why nothing looks back there."""
ARITHMETIC = "Write a number, or arithmetic on numbers."
OF_CELLS = (universe.CellValue, universe.Coordinate, universe.On, universe.TerrainValue)
"""What differs from cell to cell."""
LONGEST_EXAMPLE = 30
"""The longest expression that a hint repeats."""


class Expressions:
    """Resolves the expressions of one declaration. `threshold` is set in the body of a cascade only; `whose` they are
    says which quantities have a value."""

    def __init__(
        self,
        names: Names,
        report: Findings,
        threshold: Threshold | None = None,
        scope: Scope = "tick",
        whose: Whose = "agent",
        asker: Asker = "nobody",
    ) -> None:
        self._names = names
        self._report = report
        self._threshold = threshold
        self._scope = scope
        self._whose = whose
        self._operations = Operations(report)
        self._quantities = Quantities(names, report, threshold, scope, whose, asker)
        self._draws = Draws(names, report, self._operations, scope, whose)
        self._options = Options(names, self, report)

    def number(self, expr: syntax.Expr) -> Expression | None:
        """An expression that must be a number."""
        operand = self._operand(expr)
        return None if operand is None else self._operations.rounded(operand)

    def condition(self, expr: syntax.Expr) -> Expression | None:
        """An expression that must be a condition."""
        return self._condition(self._value(expr), expr)

    def held(self, expr: syntax.Expr) -> Expression | None:
        """The number that a state with options is, or was."""
        match expr:
            case syntax.Name():
                return self._quantities.held(expr)
            case syntax.CallExpr(function=syntax.Name(text="previous")):
                return self._previous(expr)
            case syntax.CallExpr():
                return self._look_back(expr)
            case _:
                return self.number(expr)

    def chosen(self, expr: syntax.CallExpr, options: list[Operand]) -> Expression | None:
        """`choice` of these."""
        if len(options) < 2:
            wrong_arguments(expr.function, expr.span, self._report)
            return None
        weights = self._weights(expr)
        return None if weights is None else self._draws.draw(expr, options, weights)

    def constant(self, expr: syntax.Expr, what: str, hint: str = ARITHMETIC) -> float | None:
        """An expression that must be constant, rounded to binary32. `what` names it: "the start value"; `hint` says
        what to do where it is not constant."""
        constant = self._constant(expr, what, hint)
        number = None if constant is None else self._operations.number(constant)
        return None if number is None else number.value

    def exact(self, expr: syntax.Expr, what: str) -> float | None:
        """Such a constant in binary64, not rounded; binary32 can hold it."""
        constant = self._constant(expr, what)
        return None if constant is None or self._operations.number(constant) is None else constant.value

    def _constant(self, expr: syntax.Expr, what: str, hint: str = ARITHMETIC) -> Constant | None:
        match self._operand(expr):
            case None:
                return None
            case Constant() as constant:
                return constant
            case _:
                self._report.add("H031", f"{what} must be a constant", expr.span, "this is not", hint=hint)
                return None

    # --- types -------------------------------------------------------------------------------------------------------

    def _operand(self, expr: syntax.Expr) -> Operand | None:
        """An expression that must be a number, its constant not rounded yet."""
        if isinstance(expr, syntax.Name) and is_word(expr, "true", "false"):
            hint = f"Write {int(expr.text == 'true')}: a meter that is 0 or 1 can be compared, as in `ready > 0`."
            self._report.add("H027", "a number is needed here", expr.span, "this is a condition", hint=hint)
            return None
        return self._number(self._value(expr), expr)

    def _number(self, value: Operand | None, expr: syntax.Expr) -> Operand | None:
        """The value of `expr`, which must be a number."""
        if value is None or not is_condition(value):
            return value
        hint = "`1 when CONDITION` is 1 where the condition holds and 0 elsewhere."
        self._report.add("H027", "a number is needed here", expr.span, "this is a condition", hint=hint)
        return None

    def _condition(self, value: Operand | None, expr: syntax.Expr, hint: str | None = None) -> Expression | None:
        """The value of `expr`, which must be a condition; `hint` says what to do where it is not."""
        if value is None:
            return None
        if not isinstance(value, Constant) and is_condition(value):
            return value
        if hint is None:
            hint = f"Compare it, as in `{spell_expression(_operand(expr))} > 0`."
        self._report.add("H027", "a condition is needed here", expr.span, "this is a number", hint=hint)
        return None

    # --- nodes -------------------------------------------------------------------------------------------------------

    def _value(self, expr: syntax.Expr) -> Operand | None:
        match expr:
            case syntax.Numeral():
                return self._numeral(expr)
            case syntax.Name():
                return self._quantities.name(expr)
            case syntax.UnaryExpr(op="not"):
                condition = self.condition(expr.operand)
                return None if condition is None else universe.Unary("not", condition, expr.span)
            case syntax.UnaryExpr():
                operand = self._operand(expr.operand)
                return None if operand is None else self._operations.negation(operand, expr.span)
            case syntax.BinaryExpr():
                return self._binary(expr)
            case syntax.CallExpr():
                return self._call(expr)
            case syntax.WeightedExpr():
                hint = "Leave the weight out."
                self._report.add("H030", "only the options of `choice` have weights", expr.weight.span, hint=hint)
                return None
            case syntax.IfExpr():
                return self._if(expr)
            case syntax.WhenExpr():
                condition, value = self.condition(expr.condition), self.number(expr.value)
                if condition is None or value is None:
                    return None
                return universe.If(condition, value, universe.Number(0.0, expr.span), expr.span)
            case syntax.DistanceExpr():
                return self._quantities.distance(expr)
            case syntax.AxisExpr():
                return self._quantities.axis(expr)
            case syntax.OnExpr():
                return self._quantities.on(expr)
            case syntax.StreakExpr():
                return self._quantities.streak(expr)
            case syntax.OfExpr():
                return self._quantities.of(expr)
            case syntax.TimedExpr():
                return self._timed(expr)
            case syntax.RoleExpr():
                return self._quantities.role(expr)
            case syntax.AtHourExpr():
                return self._at_hour(expr)

    def _numeral(self, expr: syntax.Numeral) -> Operand | None:
        """`0.3`, `30 %`, `3 hours`."""
        if expr.unit == "%":
            digits, _, exponent = expr.text.lower().partition("e")
            return self._operations.numeral(f"{digits}e{int(exponent or 0) - 2}", expr.span)
        number, each = self._operations.numeral(expr.text, expr.span), self._names.ticks_of(expr.unit, expr.span)
        if number is None or each is None:
            return None
        return self._operations.arithmetic("*", number, Constant(each, expr.span), expr.span) if each > 1 else number

    def _binary(self, expr: syntax.BinaryExpr) -> Operand | None:
        match expr.op:
            case "and" | "or":
                hint = _in_parentheses(expr)
                p = self._condition(self._value(expr.left), expr.left, hint)
                q = self.condition(expr.right)
                return None if p is None or q is None else universe.Binary(expr.op, p, q, expr.span)
            case "+" | "-" | "*" | "/":
                a, b = self._operand(expr.left), self._operand(expr.right)
                if a is None or b is None:
                    return None
                return self._operations.arithmetic(expr.op, a, b, expr.span)
            case _ if self._options.of(expr.left) or self._options.of(expr.right):
                return self._options.compared(expr)
            case _ if is_word(expr.left, *COMPARED) or is_word(expr.right, *COMPARED):
                return self._quantities.compared(expr)
            case _:
                a, b = self._compared(expr.left, expr), self._compared(expr.right, expr)
                if a is None or b is None:
                    return None
                return self._operations.comparison(expr.op, a, b, expr.span)

    def _compared(self, side: syntax.Expr, whole: syntax.BinaryExpr) -> Operand | None:
        """One side of a comparison."""
        if is_word(side, "true", "false"):
            hint = "A condition stands alone, or behind `not`; a meter of 0 or 1 is compared, as in `ready > 0`."
            self._report.add("H027", "a condition cannot be compared", side.span, "this is a condition", hint=hint)
            return None
        value = self._value(side)
        if value is None or not is_condition(value):
            return value
        self._report.add(
            "H027",
            "a condition cannot be compared",
            side.span,
            "this is a condition",
            secondary=(Label(whole.op_span, "compared here"),),
            hint="Join conditions by `and` and `or`: `a < b and b < c`.",
        )
        return None

    def _if(self, expr: syntax.IfExpr) -> Expression | None:
        """`if c then a else b`: the first branch decides the type of both."""
        condition = self.condition(expr.condition)
        first, second = self._value(expr.then), self._value(expr.otherwise)
        if first is None or second is None:
            return None
        if is_condition(first):
            a, b = self._condition(first, expr.then), self._condition(second, expr.otherwise)
        else:
            number = self._number(second, expr.otherwise)
            a = self._operations.rounded(first)
            b = None if number is None else self._operations.rounded(number)
        return None if condition is None or a is None or b is None else universe.If(condition, a, b, expr.span)

    def _call(self, expr: syntax.CallExpr) -> Operand | None:
        function = expr.function.text
        if expr.over_cells:
            return self._over_cells(expr)
        if (spec := self._options.of(expr)) is not None:
            self._quantities.refuse_options(expr, spec)
            return None
        if function == "previous" and not expr.function.quoted:
            return self._previous(expr)
        if function in AMONG and not expr.function.quoted:
            return self._among(expr)
        if function == "own" and not expr.function.quoted:
            return self._own(expr)
        if function == "neighbours" and not expr.function.quoted:
            return self._neighbours(expr)
        if function in HISTORY and not expr.function.quoted:
            return self._look_back(expr)
        if function not in FUNCTIONS or expr.function.quoted:
            self._names.refuse(expr.function, "a function", (*FUNCTIONS, *HISTORY))
            if function not in FOREIGN_WORDS and function not in OWN_WORDS:
                for argument in expr.arguments:
                    self._operand(argument)
            return None
        if function == "choice":
            arguments = tuple(_unweighted(argument) for argument in expr.arguments)
        else:
            arguments = expr.arguments
        values = [self._operand(argument) for argument in arguments]
        operands = [value for value in values if value is not None]
        if len(operands) < len(values):
            return None
        match function, operands:
            case "abs", [a]:
                return self._operations.absolute(a, expr.span)
            case "floor" | "ceil" | "round" as op, [a]:
                return self._operations.whole(op, a, expr.span)
            case "mod", [a, b]:
                return self._operations.modulo(a, b, expr.span)
            case "sqrt", [a]:
                return self._operations.root(a, expr.span)
            case "exp" | "exp2" | "log" | "log2" | "sin" | "cos" | "tanh" | "sigmoid" as op, [a]:
                return self._operations.function(op, a, expr.span)
            case "pow", [a, b]:
                return self._operations.binary("pow", a, b, expr.span)
            case "clamp", [x, low, high]:
                return self._operations.clamp(x, low, high, expr.span)
            case "min" | "max" as op, [_, _, *_]:
                return self._operations.extremum(op, operands, expr.span)
            case ("uniform" | "integer" | "normal", [_, _]) | ("choice", [_, _, *_]) | ("chance", [_]):
                if not self._same_for_all_askers(f"`{function}`", operands):
                    return None
                weights = self._weights(expr)
                return None if weights is None else self._draws.draw(expr, operands, weights)
            case _:
                wrong_arguments(expr.function, expr.span, self._report)
                return None

    def _weights(self, expr: syntax.CallExpr) -> list[Constant] | None:
        """The weights of the options, none where they have none; `None` where something is wrong."""
        weighted = [argument for argument in expr.arguments if isinstance(argument, syntax.WeightedExpr)]
        if weighted and len(weighted) < len(expr.arguments):
            without = next(argument for argument in expr.arguments if not isinstance(argument, syntax.WeightedExpr))
            hint = "Give each option a weight, as in `choice(a: 3, b: 1)`, or none."
            self._report.add("H030", "this option has no weight", without.span, "others have", hint=hint)
            return None
        hint = "Write a number. Where chances change, `if chance(p) then a else b` chooses."
        found = [self._constant(option.weight, "a weight", hint) for option in weighted]
        weights = [weight for weight in found if weight is not None]
        return None if len(weights) < len(found) else weights

    def _timed(self, expr: syntax.TimedExpr) -> Expression | None:
        """`every 24 ticks`, `after 2 days`."""
        if not self._quantities.of_agent(f"`{expr.when}`", expr.span):
            return None
        ticks = self._names.duration(expr.ticks, MOST_TICKS, f"what stands after `{expr.when}` in")
        if ticks is None:
            return None
        return universe.Every(ticks, expr.span) if expr.when == "every" else universe.After(ticks, expr.span)

    def _at_hour(self, expr: syntax.AtHourExpr) -> Expression | None:
        """`at hour 8`."""
        hour = self._names.hour(expr.hour) if self._names.has("clock", "`at hour`", expr.span) else None
        if hour is None:
            return None
        return universe.Binary("==", universe.Hour(expr.span), universe.Number(float(hour), expr.hour.span), expr.span)

    def _previous(self, expr: syntax.CallExpr) -> Expression | None:
        """`previous(e)`, of a number or a condition."""
        if self._scope not in ("tick", "ending", "acting", "needs"):
            self._quantities.unseen("`previous`", expr.span)
            return None
        if self._whose == "neighbour":
            self._not_beside("`previous`", expr.span)
            return None
        if len(expr.arguments) != 1:
            wrong_arguments(expr.function, expr.span, self._report)
            return None
        value = self._inside(expr.arguments[0], "previous")
        operand = None if value is None else self._operations.rounded(value)
        return None if operand is None else universe.Previous(operand, expr.span)

    def _inside(self, expr: syntax.Expr, scope: Scope) -> Operand | None:
        """What is looked at of the past: a number, a condition, or the number of an option."""
        inner = Expressions(self._names, self._report, self._threshold, scope, self._whose)
        has_options = isinstance(expr, syntax.Name) and self._options.of(expr) is not None
        return inner.held(expr) if has_options else inner._value(expr)

    def _look_back(self, expr: syntax.CallExpr) -> Expression | None:
        """`lag(x, 3)`, `rising(c)`, `falling(c)`, `since(c)`, `since(c, 20)`, `smooth(x, 0.1)`, `mean(x, 8)`."""
        function, scope = expr.function.text, self._scope
        if scope not in LOOKS_BACK or self._whose == "places" or self._names.history is None:
            where = NO_PAST.get(scope, "claims are made at the beginning of the tick")
            hint = "Let a rule keep it in a state, and read that: `rule NAME: kept = ...`."
            self._report.add("H168", f"`{function}` cannot stand here", expr.span, where, hint=hint)
            return None
        counts = {"lag": (2,), "smooth": (2,), "mean": (2,), "since": (1, 2)}.get(function, (1,))
        if len(expr.arguments) not in counts:
            wrong_arguments(expr.function, expr.span, self._report)
            return None
        looked, *rest = expr.arguments
        found = self._inside(looked, "history")
        number = None if not rest else self._how_far(function, rest[0])
        if found is None or (rest and number is None):
            return None
        if function in ("rising", "falling", "since"):
            value = self._condition(found, looked)
        elif function == "lag":
            value = self._operations.rounded(found)
        else:
            counted = self._number(found, looked)
            value = None if counted is None else self._operations.rounded(counted)
        if value is None or not self._can_be_looked_at(value):
            return None
        spec, history = self._options.of(looked), self._names.history
        look = Look(
            owner="world" if self._whose == "world" else "agent",
            value=value,
            text=spell_expression(looked),
            construct=spell_expression(expr),
            span=expr.span,
            masked=scope == "mask",
            chosen=scope in ("tick", "ending", "acting"),
            used=scope in ("tick", "ending"),
        )
        history.spans.add(expr.span)
        match function:
            case "lag":
                options = () if spec is None else tuple(option.text for option in spec.options)
                return history.lag(look, int(number or 1), options)
            case "rising" | "falling":
                return history.edge(look, rises=function == "rising")
            case "since":
                return history.since(look, None if number is None else int(number))
            case "smooth":
                return history.smooth(look, number or 0.0)
            case _:
                return history.mean(look, int(number or 2))

    def _how_far(self, function: str, expr: syntax.Expr) -> float | None:
        """The second argument of what looks back: a number of ticks, or the share of `smooth`."""
        what = "the share of `smooth`" if function == "smooth" else f"the number of ticks of `{function}`"
        number = self.constant(expr, what)
        if number is None:
            return None
        least, most = {"smooth": (0, 1), "mean": (2, LONGEST), "lag": (1, LONGEST)}.get(function, (1, MOST_SINCE))
        good = 0 < number < 1 if function == "smooth" else number.is_integer() and least <= number <= most
        if not good:
            limits = "between 0 and 1" if function == "smooth" else f"a whole number, {least} .. {most}"
            hint = (
                "Write a number there."
                if function != "smooth"
                else "`smooth(x, 0.1)` goes a tenth of the way in a tick."
            )
            self._report.add("H166", f"{what} must be {limits}", expr.span, hint=hint)
            return None
        return number

    def _can_be_looked_at(self, value: Expression) -> bool:
        """Whether an expression changes, and can be looked at where it stands."""
        if isinstance(value, universe.Number):
            hint = "Look at what changes."
            self._report.add("H165", "the past of a number is the number", value.span, "it never changes", hint=hint)
            return False
        read = [node for node, _ in parts(value) if isinstance(node, universe.InputValue)]
        if read and self._scope == "mask":
            self._quantities.unseen(f"the input `{read[0].input}`", read[0].span)
            return False
        return True

    def _among(self, expr: syntax.CallExpr) -> Expression | None:
        """`count(c)`, `total(x)`, `lowest(x)`, `highest(x)`, `average(x)`, `rank(c, x)`, `nearest(c, x)`."""
        op = expr.function.text
        if self._whose == "places" or self._scope in NOT_AMONG:
            hint = "Let a rule of the world keep it in a meter, and read that."
            where = NOT_AMONG.get(self._scope, NOT_AMONG["claim"])
            self._report.add("H093", f"`{op}` cannot stand here", expr.span, where, hint=hint)
            return None
        if self._whose == "neighbour":
            self._not_beside(f"`{op}`", expr.span)
            return None
        if op in ("rank", "nearest") and not self._quantities.of_agent(f"`{op}`", expr.span):
            return None
        if len(expr.arguments) not in NUMBERS_OF_ARGUMENTS.get(op, (1,)):
            wrong_arguments(expr.function, expr.span, self._report)
            return None
        known = self._whose in ("world", "cell") or self._scope == "ending"
        asker: Asker = "agent" if self._whose == "agent" else "world"
        scope: Scope = "among" if known else "early among"
        each = Expressions(self._names, self._report, self._threshold, scope, asker=asker)
        if op == "rank":
            return self._rank(expr, each)
        if op == "nearest":
            return self._nearest(expr, each)
        (argument,) = expr.arguments
        value = each.number(argument) if op != "count" else _everybody(argument) or each.condition(argument)
        joined = universe.Upon if self._whose == "cell" else universe.Among
        if value is None or not self._asks_others(value):
            return None
        return joined(cast(Any, op), value, expr.span)

    def _over_cells(self, expr: syntax.CallExpr) -> Expression | None:
        """`total(moss) over cells`."""
        overall, space, op = self._names.overall, self._names.space, expr.function.text
        if self._whose == "neighbour":
            self._not_beside("`over cells`", expr.span)
            return None
        if not self._names.of_kind("cell meter") or not isinstance(space, universe.Grid) or overall is None:
            hint = "Give them some: `cells { meter moss = 0  rule grow: moss += 0.01 }`."
            self._report.add("H242", "cells have nothing here", expr.span, hint=hint)
            return None
        if op not in OPERATIONS or expr.function.quoted or len(expr.arguments) != 1:
            hint = "Write `total(x)`, `average(x)`, `lowest(x)`, `highest(x)` or `count(c)` before it."
            self._report.add("H243", "this cannot be asked of all cells", expr.function.span, hint=hint)
            return None
        (argument,) = expr.arguments
        each = Expressions(self._names, self._report, whose="neighbour")
        value = each.condition(argument) if op == "count" else each.number(argument)
        if value is None:
            return None
        if not any(isinstance(node, OF_CELLS) for node, _ in parts(value)):
            hint = "Ask for a meter of cells, as in `total(moss) over cells`."
            self._report.add("H244", "this says nothing of cells", argument.span, "the same for ever", hint=hint)
            return None
        try:
            return overall.ask(op, value, spell_expression(argument), space, expr.span)
        except OverflowError:
            hint = "Divide what is summed, or give the meter narrower bounds."
            self._report.add("H051", "the total over all cells can overflow", expr.span, hint=hint)
            return None

    def _neighbours(self, expr: syntax.CallExpr) -> Expression | None:
        """`neighbours(x)`."""
        if self._whose == "neighbour":
            self._not_beside("`neighbours`", expr.span)
            return None
        if self._whose != "cell" or self._scope == "previous":
            hint = "Let a rule in `cells { }` keep it in a meter of cells, and read that."
            self._report.add("H182", "`neighbours` stands in rules of cells", expr.span, "not here", hint=hint)
            return None
        if len(expr.arguments) != 1:
            wrong_arguments(expr.function, expr.span, self._report)
            return None
        value = Expressions(self._names, self._report, whose="neighbour").number(expr.arguments[0])
        return None if value is None else universe.Neighbours(value, expr.span)

    def _not_beside(self, what: str, span: Span) -> None:
        hint = "Let a rule of cells keep it in a meter, and sum that."
        label = "they are read as they are"
        self._report.add("H184", f"{what} cannot be asked of other cells", span, label, hint=hint)

    def _rank(self, expr: syntax.CallExpr, each: Expressions) -> Expression | None:
        """`rank(c, x)`."""
        who, first = expr.arguments
        condition, priority = self._who(who, each), each.number(first)
        if isinstance(priority, universe.Number):
            hint = "Write a value that differs; `-agent` for the order of agents."
            self._report.add("H064", "this puts nobody before others", priority.span, "the same for all", hint=hint)
        if (
            condition is None
            or priority is None
            or not self._same_for_all_askers("what agents are ranked by", [priority])
        ):
            return None
        return universe.Rank(condition, priority, expr.span)

    def _nearest(self, expr: syntax.CallExpr, each: Expressions) -> Expression | None:
        """`nearest(c)`: how far it is; `nearest(c, x)`: what it has, or 0; `nearest(c, x, y)`: what it has, or y."""
        who, *numbers = expr.arguments
        condition = self._who(who, each)
        value: Expression | None = universe.Apart(expr.span)
        otherwise: Expression | None = universe.Number(0.0, expr.span)
        if not numbers and self._names.space is not None:
            otherwise = universe.Number(farthest(self._names.space).high, expr.span)
        if numbers:
            value = each.number(numbers[0])
        if numbers[1:]:
            itself = Expressions(self._names, self._report, self._threshold, each._scope, asker="itself")
            otherwise = itself.number(numbers[1])
        if condition is None or value is None or otherwise is None or not self._asks_others(value):
            return None
        return universe.Nearest(condition, value, otherwise, expr.span)

    def _who(self, who: syntax.Expr, each: Expressions) -> Expression | None:
        """Which agents are ranked, or looked for. With `true` all are, which is no condition that says nothing."""
        if (everybody := _everybody(who)) is not None:
            return everybody
        condition = each.condition(who)
        return condition if condition is not None and self._asks_others(condition) else None

    def _own(self, expr: syntax.CallExpr) -> Expression | None:
        """`own(e)`, of a number or a condition."""
        if not self._quantities.asked("`own`", expr.span):
            return None
        if len(expr.arguments) != 1:
            wrong_arguments(expr.function, expr.span, self._report)
            return None
        itself = Expressions(self._names, self._report, self._threshold, self._scope, asker="itself")
        value = itself._value(expr.arguments[0])
        operand = None if value is None else self._operations.rounded(value)
        if operand is None:
            return None
        if not any(universe.owners(operand)):
            message, hint = "all agents of a world have this alike", "Leave `own( )` out."
            self._report.add("H204", message, expr.span, "nobody has it as its own", hint=hint)
            return None
        return universe.Own(operand, expr.span)

    def _asks_others(self, value: Expression) -> bool:
        """Whether something is asked of each agent of a world, unless that is a constant; if not, that is reported."""
        mine, others = universe.owners(value)
        if mine and not others:
            hint = "It is the same for each of them: write it without asking them, or compare it with what they have."
            self._report.add(
                "H205", "this asks nothing of the other agents", value.span, "all of it is `own`", hint=hint
            )
        return others or not mine

    def _same_for_all_askers(self, what: str, values: list[Operand]) -> bool:
        """Whether numbers depend on nobody who asks; where they do, that is reported."""
        for value in values:
            if not isinstance(value, Constant) and universe.owners(value)[0]:
                hint = "Leave `own` and `apart` out of it; a condition may have them."
                self._report.add("H203", f"{what} cannot depend on who asks", value.span, "this does", hint=hint)
                return False
        return True


def _everybody(who: syntax.Expr) -> Expression | None:
    """`true`, which says that all agents are meant; elsewhere it would be a condition that says nothing."""
    return universe.Truth(True, who.span) if is_word(who, "true") else None


def _unweighted(option: syntax.Expr) -> syntax.Expr:
    return option.value if isinstance(option, syntax.WeightedExpr) else option


def _in_parentheses(expr: syntax.Expr) -> str | None:
    """What to write for `a when b and c`, whose condition ends before `and`."""
    regrouped = _regrouped(expr)
    if regrouped is None:
        return None
    return f"After `when` stands one comparison; put more in parentheses: `{spell_expression(regrouped)}`."


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


def _operand(expr: syntax.Expr) -> syntax.Expr:
    """The expression, or a word for one that is too long to be repeated."""
    return expr if len(spell_expression(expr)) <= LONGEST_EXAMPLE else syntax.Name("energy", expr.span)
