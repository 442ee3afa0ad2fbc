"""`repeat 10 { ... }`: its statements, written out once for each round. A round has places of its own, and so draws."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hamletc import messages
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.places import Copy, Places
from hamletc.expansion.trees import Field, constant, rebuilt
from hamletc.language import syntax

MOST_ROUNDS = 100
"""The most rounds of one `repeat`."""
MOST_REPEATED = 2000
"""The most statements that all of them stand for in a universe."""


def repeats_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations without `repeat`, and what is wrong with the numbers of rounds."""
    rounds = _Rounds(places)
    return tuple(map(rounds.tree, declarations)), tuple(rounds.problems)


class _Rounds:
    """Writes out rounds. `problems` is what is wrong with their numbers."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._statements = 0
        self.problems: list[Diagnostic] = []

    def tree(self, node: Any, field: Field | None = None) -> Any:
        """The node with everything below it; the statements of all rounds for a `repeat`."""
        if field is not None and field.role == "expression":
            return node
        made = rebuilt(node, self.tree)
        if isinstance(made, syntax.RepeatStmt):
            return self._written(made)
        is_longer = isinstance(made, syntax.RuleDecl | syntax.CascadeDecl) and len(made.body) > 1
        return replace(made, braced=True) if is_longer and made is not node else made

    def _written(self, repeat: syntax.RepeatStmt) -> tuple[syntax.Stmt, ...]:
        assert repeat.rounds is not None, "indices are written out"
        number = constant(repeat.rounds)
        if number is None or not number.is_integer() or not 2 <= number <= MOST_ROUNDS:
            found = messages.rules.RoundsOutsideLimits(repeat.rounds.span, repeat.rounds.text, MOST_ROUNDS)
            self.problems.append(self._places.told(found))
            return repeat.body
        self._statements += int(number) * _count(repeat.body)
        if self._statements > MOST_REPEATED:
            if not self.problems:
                found_many = messages.rules.TooManyRepeated(repeat.span, MOST_REPEATED)
                self.problems.append(self._places.told(found_many))
            return repeat.body
        every = (self._round(repeat, index, int(number)) for index in range(int(number)))
        return tuple(statement for each in every for statement in each)

    def _round(self, repeat: syntax.RepeatStmt, index: int, rounds: int) -> tuple[syntax.Stmt, ...]:
        """The statements of one round, at places of their own."""
        numbers: dict[int, int] = {}

        def moved(node: Any) -> Any:
            return rebuilt(node, lambda item, _: moved(item), place)

        def place(span: Any) -> Any:
            if span.file not in numbers:
                copy = Copy(span.file, repeat.span, "written", "repeated here", repeats=index > 0, rounds=rounds)
                numbers[span.file] = self._places.add(copy)
            return replace(span, file=numbers[span.file])

        return tuple(moved(statement) for statement in repeat.body)


def _count(body: tuple[syntax.Stmt, ...]) -> int:
    """The number of statements of a body, those of branches too."""
    branches = (_count((*each.body, *each.others)) for each in body if isinstance(each, syntax.IfStmt))
    return len(body) + sum(branches)
