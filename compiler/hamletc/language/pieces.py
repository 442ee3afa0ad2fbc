"""Pieces of the syntax tree: tokens where they were read, and what several of them become together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar, cast

from hamlet.frozen import dataclass
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
    first, last = pieces[0], pieces[-1]
    if first is None or last is None:
        present = [piece for piece in pieces if piece is not None]
        first, last = present[0], present[-1]
    first, last = first.span, last.span
    return Span(first.line, first.column, last.end_line, last.end_column)


def is_token(piece: Any, texts: frozenset[str]) -> bool:
    """Whether a piece is one of these keywords and symbols."""
    return isinstance(piece, Leaf) and piece.terminal != "NAME" and piece.text in texts


def name_of(token: Leaf) -> syntax.Name:
    quoted = token.text.startswith("`")
    return syntax.Name(token.text[1:-1] if quoted else token.text, token.span, quoted=quoted)


Kind: TypeAlias = type[T] | tuple[type[T], ...] | frozenset[str]
"""Nodes of these types, or tokens: these keywords and symbols, or `NAME`."""

NAMES = frozenset(("NAME",))
UNITS = frozenset(("tick", "ticks", "hour", "hours", "day", "days"))
"""The units of time."""
BRACES = frozenset("{}")
PARENTHESES = frozenset("(,)")


def apart(pieces: Iterable[Any], *kinds: Kind[Any], fixed: frozenset[str] = BRACES) -> list[tuple[Any, ...]]:
    """The pieces of each kind, in order. Absent ones say nothing, nor do `fixed` keywords and symbols.

    Raises:
        TypeError: a piece is of none of these kinds. Nothing that an author wrote is dropped in silence: whoever adds
            to a rule of the grammar says here what becomes of it.
    """
    sorted_out: list[list[Any]] = [[] for _ in kinds]
    for piece in pieces:
        token = None if not isinstance(piece, Leaf) else "NAME" if piece.terminal == "NAME" else piece.text
        if piece is None or token in fixed:
            continue
        for kind, those in zip(kinds, sorted_out, strict=True):
            if token in kind if isinstance(kind, frozenset) else token is None and isinstance(piece, kind):
                those.append(piece)
                break
        else:
            raise TypeError(f"the syntax tree has no place for {piece}")
    return [tuple(those) for those in sorted_out]


def every(kind: type[T] | tuple[type[T], ...], pieces: Iterable[Any], fixed: frozenset[str] = BRACES) -> tuple[T, ...]:
    """The pieces, all of which are of one kind, apart from absent ones and `fixed` keywords and symbols.

    Raises:
        TypeError: a piece is of another kind.
    """
    (those,) = apart(pieces, kind, fixed=fixed)
    return those


def nodes(pieces: Iterable[Any], fixed: frozenset[str] = BRACES) -> tuple[Any, ...]:
    """The pieces that are no tokens; all tokens are `fixed` keywords and symbols.

    Raises:
        TypeError: a token is another one.
    """
    present = tuple(piece for piece in pieces if piece is not None and not isinstance(piece, Leaf))
    apart((piece for piece in pieces if isinstance(piece, Leaf)), fixed=fixed)
    return present


SPOTS = (Pieces, syntax.Quoted, syntax.Name)
"""What a place becomes."""


def lasting(ticks: N, unit: Leaf | None) -> N:
    """A duration with its unit; ticks need none."""
    counted = "" if unit is None else unit.text.removesuffix("s")
    return ticks if counted in ("", "tick") else replace(ticks, unit=cast(Any, counted))


def statements_of(body: Pieces | syntax.Stmt) -> tuple[syntax.Stmt, ...]:
    return body.items if isinstance(body, Pieces) else (body,)


def is_braced(body: Pieces | syntax.Stmt) -> bool:
    """Whether it is a block of one statement."""
    return isinstance(body, Pieces) and len(body.items) == 1
