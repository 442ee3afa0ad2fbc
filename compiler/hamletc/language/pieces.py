"""Pieces of the syntax tree: tokens where they were read, and what several of them become together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from hamlet.universe import Span
from hamletc.language import syntax

T = TypeVar("T")
N = TypeVar("N", syntax.Signed, syntax.Numeral)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A token where the parser read it, as the terminal that it is there."""

    terminal: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Pieces:
    """Several nodes that become fields of the node above: bounds, a duration, a cell, the statements of a block."""

    items: tuple[Any, ...]
    span: Span


def span_of(*pieces: Any) -> Span:
    """From the beginning of the first piece to the end of the last; absent ones do not count."""
    present = [piece for piece in pieces if piece is not None]
    first, last = present[0].span, present[-1].span
    return Span(first.line, first.column, last.end_line, last.end_column)


def name_of(token: Leaf) -> syntax.Name:
    quoted = token.text.startswith("`")
    return syntax.Name(token.text[1:-1] if quoted else token.text, token.span, quoted=quoted)


def every(kind: type[T] | tuple[type[T], ...], pieces: tuple[Any, ...]) -> tuple[T, ...]:
    """The pieces of a kind, in order."""
    return tuple(piece for piece in pieces if isinstance(piece, kind))


SPOTS = (Pieces, syntax.Quoted, syntax.Name)
"""What a place becomes."""


def period(pieces: Sequence[Any]) -> syntax.Signed | None:
    """`every 3 ticks`, where it is written."""
    number = next((piece for piece in pieces if isinstance(piece, syntax.Signed)), None)
    return None if number is None else lasting(number, pieces[-1])


def lasting(ticks: N, unit: Leaf | None) -> N:
    """A duration with its unit; ticks need none."""
    counted = "" if unit is None else unit.text.removesuffix("s")
    return ticks if counted in ("", "tick") else replace(ticks, unit=cast(Any, counted))


def statements_of(body: Pieces | syntax.Stmt) -> tuple[syntax.Stmt, ...]:
    return body.items if isinstance(body, Pieces) else (body,)


def is_braced(body: Pieces | syntax.Stmt) -> bool:
    """Whether it is a block of one statement."""
    return isinstance(body, Pieces) and len(body.items) == 1
