"""States: what they hold, and what is written into them and compared with them.

In a Universe a state is a number: that of a condition is 1 where it holds and 0 elsewhere, that of options counts them
from 0 on.
"""

from __future__ import annotations

from dataclasses import replace

from hamlet import universe
from hamlet.universe import Expression
from hamletc import messages
from hamletc.checking.names import Names
from hamletc.checking.operations import Constant, Operand
from hamletc.checking.report import Findings
from hamletc.checking.standpoint import Resolver
from hamletc.checking.symbols import is_word
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression, spell_name

OF_OPTIONS = ("previous", "lag", "own")
"""Functions that give of a state with options one of them: which it was, or which it is of the agent who asks."""


def written(
    value: syntax.Expr, spec: syntax.StateSpec | None, resolver: Resolver, names: Names, report: Findings
) -> Expression | None:
    """The number that a meter, or a state that holds this, is given."""
    match spec:
        case syntax.StateSpec(kind="bool"):
            return _truth(value, resolver)
        case syntax.StateSpec(kind="options"):
            return Options(names, resolver, report).number(value, spec)
        case _:
            return resolver.number(value)


def _place(option: str, spec: syntax.StateSpec) -> int | None:
    """The number of an option, counted from 0; `None` where it is none of these."""
    return next((number for number, name in enumerate(spec.options) if name.text == option), None)


def _truth(value: syntax.Expr, resolver: Resolver) -> Expression | None:
    """1 where a condition holds, else 0."""
    span = value.span
    if isinstance(value, syntax.Name) and is_word(value, "true", "false"):
        return universe.Number(1.0 if value.text == "true" else 0.0, span)
    if isinstance(value, syntax.IfExpr):
        condition = resolver.condition(value.condition)
        then, otherwise = _truth(value.then, resolver), _truth(value.otherwise, resolver)
        if condition is None or then is None or otherwise is None:
            return None
        return universe.If(condition, then, otherwise, span)
    condition = resolver.condition(value)
    if condition is None:
        return None
    return universe.If(condition, universe.Number(1.0, span), universe.Number(0.0, span), span)


class Options:
    """Resolves what has options: their names are known only beside such a state."""

    def __init__(self, names: Names, resolver: Resolver, report: Findings) -> None:
        self._names = names
        self._report = report
        self._resolver = resolver

    def of(self, expr: syntax.Expr) -> syntax.StateSpec | None:
        """What a state with options holds, or held, or holds of the agent who asks; `None` for anything else."""
        while isinstance(expr, syntax.CallExpr) and expr.arguments and is_word(expr.function, *OF_OPTIONS):
            expr = expr.arguments[0]
        expr = expr.value if isinstance(expr, syntax.AtExpr | syntax.PostedExpr) else expr
        found = self._names.state(expr)
        return found if found is not None and found.kind == "options" else None

    def asked(self, expr: syntax.Expr) -> str | None:
        """How is asked for what would be an option: `weather == rainy`; `None` for anything else."""
        if (spec := self.of(expr)) is not None:
            return f"{spell_expression(expr)} == {spell_name(spec.options[-1])}"
        if isinstance(expr, syntax.Name) and self._names.is_unknown(expr):
            return next((f"{state} == {expr.text}" for state in self._names.holding(expr.text)), None)
        return None

    def compared(self, expr: syntax.BinaryExpr) -> Expression | None:
        """`weather == rainy`, `rainy != weather`, `weather == previous(weather)`."""
        left, right = self.of(expr.left), self.of(expr.right)
        spec = left or right
        assert spec is not None, "one side has options"
        if expr.op not in ("==", "!="):
            self._report.add(messages.states.OptionsWithoutOrder(expr.op_span))
            return None
        a, b = (self._side(side, spec) for side in (expr.left, expr.right))
        return None if a is None or b is None else universe.Binary(expr.op, a, b, expr.span)

    def _side(self, expr: syntax.Expr, spec: syntax.StateSpec) -> Expression | None:
        """One side of a comparison: an option, what has options, or one or the other of them."""
        if isinstance(expr, syntax.Name | syntax.IfExpr) or self.of(expr) is not None:
            return self.number(expr, spec)
        self._report.add(messages.states.NoOption(expr.span, expr, spec.options, spec.span))
        return None

    def number(self, expr: syntax.Expr, spec: syntax.StateSpec) -> Expression | None:
        """The number of one of these options."""
        match expr:
            case syntax.Name() if (place := _place(expr.text, spec)) is not None:
                return universe.Number(float(place), expr.span)
            case syntax.IfExpr():
                condition = self._resolver.condition(expr.condition)
                then, otherwise = self.number(expr.then, spec), self.number(expr.otherwise, spec)
                if condition is None or then is None or otherwise is None:
                    return None
                return universe.If(condition, then, otherwise, expr.span)
            case syntax.CallExpr() if is_word(expr.function, "choice"):
                return self._choice(expr, spec)
            case _ if (other := self.of(expr)) is not None:
                if [option.text for option in other.options] == [option.text for option in spec.options]:
                    return self._resolver.held(expr)
                self._report.add(messages.states.NoOption(expr.span, expr, spec.options, spec.span, other.span))
            case _:
                self._report.add(messages.states.NoOption(expr.span, expr, spec.options, spec.span))
        return None

    def _choice(self, expr: syntax.CallExpr, spec: syntax.StateSpec) -> Expression | None:
        """`choice(sunny: 3, rainy: 1)`."""
        options: list[Operand] = []
        for argument in expr.arguments:
            value = argument.value if isinstance(argument, syntax.WeightedExpr) else argument
            number = self.number(value, spec)
            if number is None:
                return None
            options.append(Constant(number.value, value.span) if isinstance(number, universe.Number) else number)
        return self._resolver.chosen(expr, options)


def is_written(statement: syntax.AssignStmt, spec: syntax.StateSpec | None, report: Findings) -> bool:
    """Whether a statement writes a state, or a meter, as it can be written."""
    if spec is None:
        return True
    if spec.kind in ("bool", "options") and statement.op != "=":
        report.add(messages.states.AddsToNoNumber(statement.span, statement, spec))
        return False
    if statement.unclamped is not None:
        report.add(messages.states.UnclampedState(statement.unclamped, spec.span))
        return False
    return True


def type_of(declaration: syntax.MeterDecl, report: Findings) -> universe.StateType | None:
    """What a state holds, as it is declared; `None` where that is wrong."""
    spec = declaration.state
    assert spec is not None, "it is a state"
    held = _declared(declaration, spec, report)
    hidden = dict(zip(("compiler", "births", "layouts", "posts", "posted"), universe.MADE, strict=True))
    return replace(held, past=hidden[spec.of]) if held is not None and spec.of in hidden else held


def _declared(declaration: syntax.MeterDecl, spec: syntax.StateSpec, report: Findings) -> universe.StateType | None:
    match spec.kind:
        case "":
            if isinstance(declaration.start, syntax.Numeral | syntax.UnaryExpr):
                report.add(messages.states.NoType(spec.span, declaration.name))
                return None
            return universe.StateType("bool", ())
        case "int" | "real" | "bool":
            return universe.StateType(spec.kind, ())
        case "options":
            first: dict[str, syntax.Name] = {}
            for option in spec.options:
                if first.setdefault(option.text, option) is not option:
                    report.add(messages.states.OptionTwice(option.span, option.text, first[option.text].span))
                    return None
            if len(first) < 2:
                report.add(messages.states.OneOption(spec.span, declaration.name))
                return None
            return universe.StateType("options", tuple(first))
