"""Rules and cascades: what happens to meters every tick."""

from __future__ import annotations

from dataclasses import replace

from hamlet.universe import Cascade, Rule
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names, builtin
from hamletc.checking.quantities import Threshold
from hamletc.checking.report import Report
from hamletc.checking.statements import Statements, written
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression, spell_name


def resolve_rule(declaration: syntax.RuleDecl, names: Names, report: Report) -> Rule | None:
    """`rule NAME: guard -> statements`."""
    expressions = Expressions(names, report)
    guard = None if declaration.guard is None else expressions.condition(declaration.guard)
    if declaration.guard is not None and guard is None:
        names.suspects |= written(declaration.body)
    body = Statements(names, report, expressions).body(declaration.body)
    if not body:
        return None
    return Rule(declaration.name.text, guard, body, declaration.span)


def resolve_cascade(declaration: syntax.CascadeDecl, names: Names, report: Report) -> Cascade | None:
    """`cascade NAME: meter < threshold -> statements`."""
    guard = declaration.guard
    source, threshold = None, None
    if (
        isinstance(guard, syntax.BinaryExpr)
        and guard.op == "<"
        and isinstance(guard.left, syntax.Name)
        and names.value_kind(guard.left) in ("meter", None)
        and builtin(guard.left) is None
    ):
        source = names.find(guard.left, "meter")
        threshold = Expressions(names, report).constant(guard.right, "the threshold of a cascade")
    else:
        report.add(
            "H039",
            "a cascade is guarded by `meter < constant`",
            guard.span,
            "this is another condition",
            hint=_other_guard(declaration, names),
        )
    written = guard.right.span if isinstance(guard, syntax.BinaryExpr) else guard.span
    expressions = Expressions(names, report, Threshold(threshold, written))
    body = Statements(names, report, expressions).body(declaration.body)
    if source is None or threshold is None or not body:
        return None
    return Cascade(declaration.name.text, source, threshold, body, declaration.span)


def _other_guard(declaration: syntax.CascadeDecl, names: Names) -> str:
    """What to write for a guard that is not `meter < constant`."""
    guard = declaration.guard
    name = spell_name(declaration.name)
    if (
        isinstance(guard, syntax.BinaryExpr)
        and guard.op == "<="
        and isinstance(guard.left, syntax.Name)
        and names.value_kind(guard.left) == "meter"
    ):
        below = spell_expression(replace(guard, op="<"))
        return f"Write `{below}`; or `rule {name}: {spell_expression(guard)} -> ...`, which has no `deficit`."
    return f"Write `rule {name}: guard -> ...` for other guards."
