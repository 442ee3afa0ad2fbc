"""Rules and cascades, and the statements that they, affordances and actions consist of."""

from __future__ import annotations

from dataclasses import replace

from hamlet.universe import Assign, Cascade, Rule, Span, Statement, Together
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names, builtin
from hamletc.checking.quantities import Threshold, Whose
from hamletc.checking.report import Findings
from hamletc.diagnostics import Label
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression, spell_name


class Statements:
    """Resolves the statements of one declaration; those with errors are left out. `whose` meters they write."""

    def __init__(self, names: Names, report: Findings, expressions: Expressions, whose: Whose = "agent") -> None:
        self._names = names
        self._report = report
        self._expressions = expressions
        self._whose = whose

    def body(self, statements: tuple[syntax.Stmt, ...]) -> tuple[Statement, ...]:
        """Statements one after the other."""
        resolved = (self.statement(statement) for statement in statements)
        return tuple(statement for statement in resolved if statement is not None)

    def statement(self, statement: syntax.Stmt) -> Statement | None:
        """One statement."""
        match statement:
            case syntax.AssignStmt(unclamped=unclamped):
                return self._assign(statement, clamped=unclamped is None)
            case syntax.TogetherStmt():
                body = self.together(statement.body, statement.span)
                return Together(body, statement.span) if body else None

    def together(self, statements: tuple[syntax.Stmt, ...], outer: Span) -> tuple[Assign, ...]:
        """Statements that are clamped together, since `outer` says so."""
        members = (self._member(member, outer) for member in statements)
        return tuple(member for member in members if member is not None)

    def _member(self, statement: syntax.Stmt, outer: Span) -> Assign | None:
        match statement:
            case syntax.AssignStmt(unclamped=unclamped):
                if unclamped is not None:
                    self._report.add(
                        "H064",
                        "`unclamped` has no effect inside `together`",
                        unclamped,
                        secondary=(Label(outer, "clamps once, at its end"),),
                        hint="Leave `unclamped` out.",
                    )
                return self._assign(statement, clamped=False)
            case syntax.TogetherStmt():
                self._report.add(
                    "H052",
                    "`together` cannot stand inside `together`",
                    statement.span,
                    secondary=(Label(outer, "the outer one"),),
                    hint="Write the statements of both in one `together { }`.",
                )
                self.body(statement.body)
                return None

    def _assign(self, statement: syntax.AssignStmt, *, clamped: bool) -> Assign | None:
        if self._whose == "world":
            meter = self._names.target_of_world(statement.meter)
            clamped = self._never_unclamped(statement.unclamped, clamped=clamped)
        else:
            meter = self._names.target(statement.meter)
        value = self._expressions.number(statement.value)
        if meter is None:
            return None
        if value is None:
            self._names.suspects.add(meter)
            return None
        return Assign(meter, statement.op, value, clamped, statement.span)

    def _never_unclamped(self, span: Span | None, *, clamped: bool) -> bool:
        if span is None:
            return clamped
        hint = "Leave it out, or give the meter wider bounds."
        self._report.add("H096", "a meter of the world never leaves its bounds", span, hint=hint)
        return True


def written(statements: tuple[syntax.Stmt, ...]) -> set[str]:
    """The names that the statements write."""
    names: set[str] = set()
    for statement in statements:
        match statement:
            case syntax.AssignStmt(meter=meter):
                names.add(meter.text)
            case syntax.TogetherStmt(body=body):
                names |= written(body)
    return names


def resolve_rule(declaration: syntax.RuleDecl, names: Names, report: Findings) -> Rule | None:
    """`rule NAME: guard -> statements`."""
    expressions = Expressions(names, report)
    guard = None if declaration.guard is None else expressions.condition(declaration.guard)
    if declaration.guard is not None and guard is None:
        names.suspects |= written(declaration.body)
    body = Statements(names, report, expressions).body(declaration.body)
    if not body:
        return None
    return Rule(declaration.name.text, guard, body, declaration.span)


def resolve_cascade(declaration: syntax.CascadeDecl, names: Names, report: Findings) -> Cascade | None:
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
        hint = _other_guard(declaration, names)
        report.add(
            "H039", "a cascade is guarded by `meter < constant`", guard.span, "this is another condition", hint=hint
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
