"""Inlay hints: proven ranges behind the names of meters and lets, and behind what is computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hamlet_language.document import Document
from hamlet_language.outline import every
from hamlet_language.positions import Position, Range
from hamlet_language.proving import told, value_of
from hamletc.expansion.trees import outside_expressions
from hamletc.intervals import Interval
from hamletc.language import syntax


@dataclass(frozen=True, slots=True)
class Hint:
    """A few words to be shown behind a place, and a sentence about them."""

    position: Position
    text: str
    about: str


def inlay_hints(document: Document, range_: Range | None = None) -> tuple[Hint, ...]:
    """Where meters lie in play, and numbers wherever they count, of a text without errors: in the order of the text, of
    a part of it where a range is asked for."""
    if document.proofs is None or document.file is None:
        return ()
    hints = (*_of_meters(document, document.proofs.meters), *_of_values(document, document.file.declarations))
    asked = (hint for hint in hints if range_ is None or range_.holds(hint.position))
    return tuple(sorted(asked, key=lambda hint: hint.position))


def _of_meters(document: Document, meters: dict[str, Interval]) -> Iterator[Hint]:
    """The hints of what has one declaration: in roles and templates a name may stand for several."""
    declared = [each for each in every(document.declarations) if isinstance(each.declaration, syntax.MeterDecl)]
    names = [each.name.text for each in declared]
    for each in declared:
        name = each.name
        if name.span.file == 0 and names.count(name.text) == 1 and name.text in meters:
            about = f"`{name.text}` lies in {told(meters[name.text])} when a tick begins, in play"
            yield _behind(document, name, meters[name.text], about)


def _of_values(document: Document, declarations: tuple[syntax.Decl, ...]) -> Iterator[Hint]:
    for node in outside_expressions(declarations):
        match node:
            case (
                syntax.LetDecl(name=name, value=value)
                | syntax.LetStmt(name=name, value=value)
                | syntax.ReportDecl(name=name, value=value)
            ):
                yield from _of_value(document, value, name)
            case syntax.AssignStmt(value=value) | syntax.RewardDecl(value=value) | syntax.ObserveValue(value=value):
                yield from _of_value(document, value, value)
            case _:
                pass


def _of_value(document: Document, value: syntax.Expr, behind: syntax.Expr) -> Iterator[Hint]:
    """The hint of a number that is computed; none of a constant, and of a name, whose declaration has one."""
    where = value_of(document, value)
    if where is not None and not isinstance(value, (syntax.Numeral, syntax.Name)):
        yield _behind(document, behind, where, f"this is in {told(where)} wherever it counts")


def _behind(document: Document, node: syntax.Expr, where: Interval, about: str) -> Hint:
    span = node.span
    return Hint(document.lines.position(span.end_line, span.end_column), f": {told(where)}", about)
