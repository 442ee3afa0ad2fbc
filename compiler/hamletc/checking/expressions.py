"""Expressions: names found, types checked, constants folded, draws given their random words.

Every method returns `None` where something was wrong; it has been reported then, and callers say no more about it.
"""

from __future__ import annotations

from hamlet import universe
from hamlet.universe import Expression
from hamletc import messages
from hamletc.checking.asking import Asking
from hamletc.checking.draws import Draws
from hamletc.checking.elsewhere import Elsewhere
from hamletc.checking.history import MOST_SINCE, History
from hamletc.checking.names import Names
from hamletc.checking.operations import Constant, Operand, Operations, is_condition, wrong_arguments
from hamletc.checking.past import Past
from hamletc.checking.quantities import COMPARED, Quantities
from hamletc.checking.report import Findings
from hamletc.checking.standpoint import Asker, Scope, Standpoint, Threshold, Whose
from hamletc.checking.states import Options
from hamletc.checking.symbols import is_word
from hamletc.checking.tables import reading
from hamletc.checking.types import as_condition, as_number
from hamletc.foreign import FOREIGN_WORDS, OWN_WORDS
from hamletc.language import syntax
from hamletc.language.words import AMONG, CALLS, DRAWS, FUNCTIONS, HISTORY

MOST_TICKS = 1_000_000_000


class Expressions:
    """Resolves the expressions of one declaration. `threshold` is set in the body of a cascade only, `rule` in a rule;
    `whose` they are says which quantities have a value."""

    def __init__(
        self,
        names: Names,
        report: Findings,
        threshold: Threshold | None = None,
        scope: Scope = "tick",
        whose: Whose = "agent",
        asker: Asker = "nobody",
        rule: syntax.RuleDecl | None = None,
    ) -> None:
        self._at = Standpoint(names, report, threshold, scope, whose, asker, rule)
        self._operations = Operations(report)
        self._quantities = Quantities(self._at)
        self._draws = Draws(self._at, self._operations)
        self._options = Options(names, self, report)
        self._past = Past(self._at, self, self._options)
        self._asking = Asking(self._at, self)
        self._elsewhere = Elsewhere(self._at, self)

    def inside(self, scope: Scope, whose: Whose = "agent", asker: Asker = "nobody") -> Expressions:
        """What resolves an expression that stands inside of one of this declaration."""
        return Expressions(self._at.names, self._at.report, self._at.threshold, scope, whose, asker)

    def worked_out(self, let: syntax.LetStmt) -> Expression | None:
        """The value of a local, a number or a condition, which what is resolved from here on can read."""
        assert isinstance(let.name, syntax.LocalName), "names are bound"
        value = None
        if (compared := self._options.asked(let.value)) is not None:
            self._at.report.add(messages.locals.OptionInLocal(let.value.span, let.name.text, compared))
        elif (operand := self.value(let.value)) is not None:
            value = self._operations.rounded(operand)
        if value is None:
            self._at.names.failed.add(let.name.key)
        else:
            self._at.locals[let.name.key] = is_condition(value)
        return value

    def number(self, expr: syntax.Expr) -> Expression | None:
        """An expression that must be a number."""
        operand = self._operand(expr)
        return None if operand is None else self._operations.rounded(operand)

    def rounded(self, operand: Operand) -> Expression | None:
        """What was resolved, as a part of an expression."""
        return self._operations.rounded(operand)

    def condition(self, expr: syntax.Expr, whole: syntax.Expr | None = None) -> Expression | None:
        """An expression that must be a condition; `whole` is that in which it is the first side of `and` or `or`."""
        if isinstance(expr, syntax.Name) and self._is_affordance(expr):
            self._at.names.refuse(expr, "a condition", ())
            return None
        return as_condition(self.value(expr), expr, self._at.report, whole)

    def _is_affordance(self, name: syntax.Name) -> bool:
        """Whether an affordance has the name, and no value."""
        return self._at.names.value_kind(name) is None and self._at.names.means(name, "affordance")

    def held(self, expr: syntax.Expr) -> Expression | None:
        """The number that a state with options is, or was."""
        match expr:
            case syntax.Name():
                return self._quantities.held(expr)
            case syntax.AtExpr():
                return self._elsewhere.held(expr)
            case syntax.PostedExpr():
                return self._asking.posted(expr)
            case syntax.CallExpr(function=syntax.Name(text="previous")):
                return self._past.previous(expr)
            case syntax.CallExpr(function=syntax.Name(text="own")):
                return self._asking.own_option(expr)
            case syntax.CallExpr():
                return self._past.look_back(expr)
            case _:
                return self.number(expr)

    def chosen(self, expr: syntax.CallExpr, options: list[Operand]) -> Expression | None:
        """`choice` of these."""
        if len(options) < 2:
            wrong_arguments(expr.function, expr.span, self._at.report, len(expr.arguments))
            return None
        weights = self._weights(expr)
        return None if weights is None else self._draws.draw(expr, options, weights)

    def constant(self, expr: syntax.Expr, what: str) -> float | None:
        """An expression that must be constant, rounded to binary32. `what` names it: "the start value"."""
        constant = self._constant(expr, what)
        number = None if constant is None else self._operations.number(constant)
        return None if number is None else number.value

    def exact(self, expr: syntax.Expr, what: str) -> float | None:
        """Such a constant in binary64, not rounded; binary32 can hold it."""
        constant = self._constant(expr, what)
        return None if constant is None or self._operations.number(constant) is None else constant.value

    def _constant(self, expr: syntax.Expr, number: str, *, weight: bool = False) -> Constant | None:
        match self._operand(expr):
            case None:
                return None
            case Constant() as constant:
                return constant
            case _:
                self._at.report.add(messages.expressions.NotConstant(expr.span, number, weight))
                return None

    # --- types -------------------------------------------------------------------------------------------------------

    def _operand(self, expr: syntax.Expr) -> Operand | None:
        """An expression that must be a number, its constant not rounded yet."""
        if isinstance(expr, syntax.Name) and is_word(expr, "true", "false"):
            self._at.report.add(messages.expressions.TruthForNumber(expr.span, expr.text == "true"))
            return None
        return as_number(self.value(expr), expr, self._at.report)

    # --- nodes -------------------------------------------------------------------------------------------------------

    def value(self, expr: syntax.Expr) -> Operand | None:
        """An expression that may be a number or a condition."""
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
            case syntax.IndexExpr():
                return self._index(expr)
            case syntax.WeightedExpr():
                self._at.report.add(messages.expressions.WeightOutsideChoice(expr.weight.span))
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
            case syntax.AtExpr() if (spec := self._options.of(expr)) is not None:
                self._quantities.refuse_options(expr, spec)
                return None
            case syntax.AtExpr():
                return self._elsewhere.value(expr)
            case syntax.CellExpr():
                return self._elsewhere.number_of_cell(expr)
            case syntax.PostedExpr():
                return self._asking.posted(expr)
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
        number, each = self._operations.numeral(expr.text, expr.span), self._at.names.ticks_of(expr.unit, expr.span)
        if number is None or each is None:
            return None
        return self._operations.arithmetic("*", number, Constant(each, expr.span), expr.span) if each > 1 else number

    def _binary(self, expr: syntax.BinaryExpr) -> Operand | None:
        match expr.op:
            case "and" | "or":
                p = self.condition(expr.left, expr)
                q = self.condition(expr.right)
                return None if p is None or q is None else universe.Binary(expr.op, p, q, expr.span)
            case "+" | "-" | "*" | "/":
                a, b = self._operand(expr.left), self._operand(expr.right)
                if a is None or b is None:
                    return None
                return self._operations.arithmetic(expr.op, a, b, expr.span)
            case _ if self._is_of_place(expr.left, expr.right) or self._is_of_place(expr.right, expr.left):
                return self._quantities.compared(expr)
            case _ if self._at.names.failed and (self._fails(expr.left) or self._fails(expr.right)):
                return None
            case _ if self._options.of(expr.left) or self._options.of(expr.right):
                return self._options.compared(expr)
            case _ if is_word(expr.left, *COMPARED) or is_word(expr.right, *COMPARED):
                return self._quantities.compared(expr)
            case _:
                a, b = self._compared(expr.left, expr), self._compared(expr.right, expr)
                if a is None or b is None:
                    return None
                return self._operations.comparison(expr.op, a, b, expr.span)

    def _fails(self, side: syntax.Expr) -> bool:
        """Whether it is a local of which was said what is wrong with it."""
        return isinstance(side, syntax.LocalName) and side.key in self._at.names.failed

    def _is_of_place(self, word: syntax.Expr, other: syntax.Expr) -> bool:
        """Whether it is a word beside a name that it is compared with, and no option of a state of that name."""
        if not is_word(word, *COMPARED) or not isinstance(word, syntax.Name) or not isinstance(other, syntax.Name):
            return False
        spec = self._at.names.state(other)
        is_option = spec is not None and any(option.text == word.text for option in spec.options)
        return not is_option and self._at.names.means(other, "action" if word.text == "action" else "affordance")

    def _compared(self, side: syntax.Expr, whole: syntax.BinaryExpr) -> Operand | None:
        """One side of a comparison."""
        if is_word(side, "true", "false"):
            self._at.report.add(messages.expressions.ComparedTruth(side.span))
            return None
        value = self.value(side)
        if value is None or not is_condition(value):
            return value
        self._at.report.add(messages.expressions.ComparedCondition(side.span, whole.op_span))
        return None

    def _if(self, expr: syntax.IfExpr) -> Expression | None:
        """`if c then a else b`: the first branch decides the type of both."""
        condition = self.condition(expr.condition)
        first, second = self.value(expr.then), self.value(expr.otherwise)
        if first is None or second is None:
            return None
        if is_condition(first):
            a = as_condition(first, expr.then, self._at.report)
            b = as_condition(second, expr.otherwise, self._at.report)
        else:
            number = as_number(second, expr.otherwise, self._at.report)
            a = self._operations.rounded(first)
            b = None if number is None else self._operations.rounded(number)
        return None if condition is None or a is None or b is None else universe.If(condition, a, b, expr.span)

    def _call(self, expr: syntax.CallExpr) -> Operand | None:
        function = "" if expr.function.quoted else expr.function.text
        if expr.over_cells:
            return self._asking.over_cells(expr)
        if (spec := self._options.of(expr)) is not None:
            self._quantities.refuse_options(expr, spec)
            return None
        if function == "previous":
            return self._past.previous(expr)
        if function in AMONG:
            return self._asking.among(expr)
        if function == "own":
            return self._asking.own(expr)
        if function == "neighbours":
            return self._asking.neighbours(expr)
        if function in HISTORY:
            return self._past.look_back(expr)
        if function not in FUNCTIONS:
            self._no_function(expr)
            return None
        arguments = map(_unweighted, expr.arguments) if function == "choice" else expr.arguments
        values = [self._operand(argument) for argument in arguments]
        operands = [value for value in values if value is not None]
        if len(operands) < len(values):
            return None
        if not FUNCTIONS[function].takes(len(operands)):
            wrong_arguments(expr.function, expr.span, self._at.report, len(expr.arguments))
            return None
        if function not in DRAWS:
            return self._operations.call(function, operands, expr.span)
        if self._at.asker != "each" and not self._asking.same_for_all_askers(f"`{function}`", operands):
            return None
        weights = self._weights(expr)
        return None if weights is None else self._draws.draw(expr, operands, weights)

    def _index(self, expr: syntax.IndexExpr) -> Operand | None:
        """`right[column]`."""
        names = self._at.names
        name, indices = names.find(expr.table, "table"), [self._operand(index) for index in expr.indices]
        operands = [index for index in indices if index is not None]
        if name is None or len(operands) < len(indices):
            return None
        if names.tables is None:
            self._at.report.add(messages.expressions.NotConstant(expr.span, "this number", False))
            return None
        names.tables_read.add(name)
        tabled = names.tables.get(name)
        return None if tabled is None else reading(tabled, operands, expr, self._at.report)

    def _no_function(self, expr: syntax.CallExpr) -> None:
        function = expr.function.text
        self._at.names.refuse(expr.function, "a function", (*CALLS, *self._at.names.of_kind("function")), expr)
        if function not in FOREIGN_WORDS and function not in OWN_WORDS:
            for argument in expr.arguments:
                self._operand(argument)

    def _weights(self, expr: syntax.CallExpr) -> list[Constant] | None:
        """The weights of the options, none where they have none; `None` where something is wrong."""
        weighted = [argument for argument in expr.arguments if isinstance(argument, syntax.WeightedExpr)]
        if weighted and len(weighted) < len(expr.arguments):
            without = next(argument for argument in expr.arguments if not isinstance(argument, syntax.WeightedExpr))
            self._at.report.add(messages.expressions.OptionWithoutWeight(without.span))
            return None
        found = [self._constant(option.weight, "a weight", weight=True) for option in weighted]
        weights = [weight for weight in found if weight is not None]
        return None if len(weights) < len(found) else weights

    def _timed(self, expr: syntax.TimedExpr) -> Expression | None:
        """`every 24 ticks`, `after 2 days`."""
        at = self._at
        world = at.names.history if at.whose in ("world", "cell") and at.scope == "tick" else None
        if world is None and not at.of_agent(f"`{expr.when}`", expr.span):
            return None
        most = MOST_TICKS if world is None else MOST_SINCE
        ticks = at.names.duration(expr.ticks, most, f"what stands after `{expr.when}` in")
        if ticks is None:
            return None
        if world is not None:
            return self._of_world_in_time(world, expr, ticks)
        return universe.Every(ticks, expr.span) if expr.when == "every" else universe.After(ticks, expr.span)

    def _of_world_in_time(self, world: History, expr: syntax.TimedExpr, ticks: int) -> Expression:
        always = expr.when == "every" and ticks == 1
        if not always and ticks + (expr.when == "after") <= world.longest:
            return world.timed(expr.when, ticks, expr.span)
        self._at.report.add(messages.expressions.CertainTimeOfWorld(expr.span, always, world.longest))
        return universe.Truth(always, expr.span)

    def _at_hour(self, expr: syntax.AtHourExpr) -> Expression | None:
        """`at hour 8`."""
        hour = self._at.names.hour(expr.hour) if self._at.names.has("clock", "`at hour`", expr.span) else None
        if hour is None:
            return None
        return universe.Binary("==", universe.Hour(expr.span), universe.Number(float(hour), expr.hour.span), expr.span)


def _unweighted(option: syntax.Expr) -> syntax.Expr:
    return option.value if isinstance(option, syntax.WeightedExpr) else option
