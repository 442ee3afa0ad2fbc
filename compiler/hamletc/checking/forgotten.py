"""What was forgotten before a statement: `x = 0.1 * health` for `let x = 0.1 * health`."""

from __future__ import annotations

from collections.abc import Iterator

from hamletc.checking.symbols import Symbols
from hamletc.expansion.trees import names_in, outside_expressions
from hamletc.language import syntax


def forgotten(statements: tuple[syntax.Stmt, ...], names: Symbols) -> Iterator[tuple[syntax.AssignStmt, bool]]:
    """The statements that write what nobody declares, which statements behind them read, and whether these write it,
    too."""
    for number, statement in enumerate(statements, 1):
        match statement:
            case syntax.AssignStmt(op="=", owner=None, meter=name) if names.is_unknown(name):
                behind = statements[number:]
                same = sum(each.text == name.text for each in names_in(behind))
                written = (each.meter for each in outside_expressions(behind) if isinstance(each, syntax.AssignStmt))
                again = sum(each.text == name.text for each in written)
                if same > again:
                    yield statement, again > 0
            case _:
                pass
