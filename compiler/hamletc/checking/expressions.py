"""Expressions: names found, types checked, constants folded, draws given their random words.

Every method returns `None` where something was wrong; it has been reported then, and callers say no more about it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from hamlet import universe
from hamlet.universe import Expression
from hamletc.checking.draws import Draws
from hamletc.checking.names import Names, is_word
from hamletc.checking.operations import Constant, Operand, Operations
from hamletc.checking.quantities import COMPARED, NEEDS, Quantities, Scope, Threshold, Whose, wrong_arguments
from hamletc.checking.report import Findings
from hamletc.diagnostics import Label
from hamletc.foreign import FOREIGN_WORDS, OWN_WORDS
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression
from hamletc.language.words import AMONG, FUNCTIONS

MOST_TICKS = 1_000_000_000
NOT_AMONG = {
    "needs": NEEDS,
    "claim": "claims are made before agents are counted",
    "mask": "masks are made between ticks",
    "previous": "inside `previous`",
    "among": "inside another of what agents have together",
    "early among": "inside another of what agents have together",
}
"""Why agents are not counted there, nor what they have is joined."""


ARITHMETIC = "Write a number, or arithmetic on numbers."
LONGEST_EXAMPLE = 30
"""The longest expression that a hint repeats."""
CONDITIONS = frozenset(["<", "<=", ">", ">=", "==", "!=", "and", "or"])


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
    ) -> None:
        self._names = names
        self._report = report
        self._threshold = threshold
        self._scope = scope
        self._whose = whose
        self._operations = Operations(report)
        self._quantities = Quantities(names, report, threshold, scope, whose)
        self._draws = Draws(names, report, self._operations, scope, whose)

    def number(self, expr: syntax.Expr) -> Expression | None:
        """An expression that must be a number."""
        operand = self._operand(expr)
        return None if operand is None else self._operations.rounded(operand)

    def condition(self, expr: syntax.Expr) -> Expression | None:
        """An expression that must be a condition."""
        return self._condition(self._value(expr), expr)

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
        if value is None or not _is_condition(value):
            return value
        hint = "`1 when CONDITION` is 1 where the condition holds and 0 elsewhere."
        self._report.add("H027", "a number is needed here", expr.span, "this is a condition", hint=hint)
        return None

    def _condition(self, value: Operand | None, expr: syntax.Expr, hint: str | None = None) -> Expression | None:
        """The value of `expr`, which must be a condition; `hint` says what to do where it is not."""
        if value is None:
            return None
        if not isinstance(value, Constant) and _is_condition(value):
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
            case syntax.TimedExpr():
                return self._timed(expr)

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
        if value is None or not _is_condition(value):
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
        if _is_condition(first):
            a, b = self._condition(first, expr.then), self._condition(second, expr.otherwise)
        else:
            number = self._number(second, expr.otherwise)
            a = self._operations.rounded(first)
            b = None if number is None else self._operations.rounded(number)
        return None if condition is None or a is None or b is None else universe.If(condition, a, b, expr.span)

    def _call(self, expr: syntax.CallExpr) -> Operand | None:
        function = expr.function.text
        if function == "previous" and not expr.function.quoted:
            return self._previous(expr)
        if function in AMONG and not expr.function.quoted:
            return self._among(expr)
        if function not in FUNCTIONS or expr.function.quoted:
            self._names.refuse(expr.function, "a function", FUNCTIONS)
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

    def _previous(self, expr: syntax.CallExpr) -> Expression | None:
        """`previous(e)`, of a number or a condition."""
        if self._scope not in ("tick", "ending", "acting", "needs"):
            self._quantities.unseen("`previous`", expr.span)
            return None
        if len(expr.arguments) != 1:
            wrong_arguments(expr.function, expr.span, self._report)
            return None
        value = Expressions(self._names, self._report, self._threshold, "previous", self._whose)._value(
            expr.arguments[0]
        )
        operand = None if value is None else self._operations.rounded(value)
        return None if operand is None else universe.Previous(operand, expr.span)

    def _among(self, expr: syntax.CallExpr) -> Expression | None:
        """`count(c)`, `total(x)`, `lowest(x)`, `highest(x)`, `average(x)`, `rank(c, x)`."""
        op = expr.function.text
        if self._whose == "places" or self._scope in NOT_AMONG:
            hint = "Let a rule of the world keep it in a meter, and read that."
            where = NOT_AMONG.get(self._scope, NOT_AMONG["claim"])
            self._report.add("H093", f"`{op}` cannot stand here", expr.span, where, hint=hint)
            return None
        if op == "rank" and not self._quantities.of_agent("`rank`", expr.span):
            return None
        if len(expr.arguments) != (2 if op == "rank" else 1):
            wrong_arguments(expr.function, expr.span, self._report)
            return None
        known = self._whose == "world" or self._scope == "ending"
        each = Expressions(self._names, self._report, self._threshold, "among" if known else "early among")
        if op == "rank":
            return self._rank(expr, each)
        (argument,) = expr.arguments
        value = each.condition(argument) if op == "count" else each.number(argument)
        return None if value is None else universe.Among(cast(Any, op), value, expr.span)

    def _rank(self, expr: syntax.CallExpr, each: Expressions) -> Expression | None:
        """`rank(c, x)`. With `true` all agents are ranked, which is no condition that says nothing."""
        who, first = expr.arguments
        condition: Expression | None
        condition = universe.Truth(True, who.span) if is_word(who, "true") else each.condition(who)
        priority = each.number(first)
        if isinstance(priority, universe.Number):
            hint = "Write a value that differs; `-agent` for the order of agents."
            self._report.add("H064", "this puts nobody before others", priority.span, "the same for all", hint=hint)
        return None if condition is None or priority is None else universe.Rank(condition, priority, expr.span)


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


def _is_condition(value: Operand) -> bool:
    match value:
        case universe.Truth() | universe.Here() | universe.LastUse() | universe.ActionTaken() | universe.Used():
            return True
        case universe.On() | universe.Every() | universe.After() | universe.DrawChance() | universe.Unary(op="not"):
            return True
        case universe.Binary(op=op):
            return op in CONDITIONS
        case universe.If(then=operand) | universe.Previous(operand=operand):
            return _is_condition(operand)
        case _:
            return False
