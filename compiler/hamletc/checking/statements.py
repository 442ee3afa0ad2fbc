"""Statements: what a rule, an affordance or an action does to meters."""

from __future__ import annotations

from hamlet.universe import Assign, Span, Statement, Together
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.report import Report
from hamletc.diagnostics import Label
from hamletc.language import syntax


class Statements:
    """Resolves the statements of one declaration; those with errors are left out."""

    def __init__(self, names: Names, report: Report, expressions: Expressions) -> None:
        self._names = names
        self._report = report
        self._expressions = expressions

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
        meter = self._names.target(statement.meter)
        value = self._expressions.number(statement.value)
        if meter is None:
            return None
        if value is None:
            self._names.suspects.add(meter)
            return None
        return Assign(meter, statement.op, value, clamped, statement.span)


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
