"""Pieces of syntax trees that are written out for something else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache, reduce
from itertools import count
from typing import Any, Literal, TypeAlias, TypeVar, cast

from hamlet.universe import Span
from hamletc.language import syntax

T = TypeVar("T")
WORDS = frozenset(("kind", "key", "function", "quantity", "word"))
"""Fields that hold words of the language."""
Role: TypeAlias = Literal["expression", "span", "tree"]
"""What a field of a node holds."""


@cache
def _roles(kind: Any) -> tuple[tuple[str, Role], ...]:
    found: list[tuple[str, Role]] = []
    for field in fields(kind):
        written = str(field.type)
        if written in ("str", "bool") or written.startswith("Literal"):
            continue
        role: Role = "expression" if "Expr" in written else "span" if "Span" in written else "tree"
        found.append((field.name, role))
    return tuple(found)


@cache
def _parts(kind: Any) -> tuple[tuple[str, Role], ...]:
    return tuple((name, role) for name, role in _roles(kind) if role != "span")


@cache
def _trees(kind: Any) -> tuple[str, ...] | None:
    """The names of the fields that hold neither expressions nor spans, last to first; `None` of what is no node."""
    if kind in (Span, syntax.Name, syntax.Bound) or not hasattr(kind, "__dataclass_fields__"):
        return None
    return tuple(name for name, role in reversed(_roles(kind)) if role == "tree")


def roles(node: object) -> tuple[tuple[str, Role], ...]:
    """The fields of a node that may hold something, and what."""
    kind: Any = type(node)
    return _roles(kind)


def parts(node: object) -> tuple[tuple[str, Role], ...]:
    """The fields of a node that may hold something else than its place, and what."""
    kind: Any = type(node)
    return _parts(kind)


def outside_expressions(node: object) -> Iterator[object]:
    """The declarations, items and statements of a tree, in order; neither expressions nor names."""
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, tuple):
            pending += reversed(each)
        else:
            kind: Any = type(each)
            if (names := _trees(kind)) is not None:
                yield each
                pending += [getattr(each, name) for name in names]


def rebuilt(node: Any, changed: Callable[[str, Role, Any], Any]) -> Any:
    """The node with what `changed` gives for the name, the role and the value of each field; itself where all stay."""
    changes: dict[str, Any] = {}
    for name, role in parts(node):
        old = getattr(node, name)
        if old is not None and (new := changed(name, role, old)) is not old:
            changes[name] = new
    return replace(node, **changes) if changes else node


def in_backticks(node: T, names: Collection[str]) -> T:
    """A tree in which these names mean declarations, as if they stood in backticks; words that begin something, and
    functions, stay what they are."""
    made: Any = node
    if isinstance(node, syntax.Name):
        made = replace(node, quoted=True) if node.text in names else node
    elif isinstance(node, tuple):
        made = tuple(in_backticks(item, names) for item in node)
    elif is_dataclass(node) and not isinstance(node, Span | type):
        olds = {field.name: getattr(node, field.name) for field in fields(node) if field.name not in WORDS}
        made = replace(node, **{name: in_backticks(old, names) for name, old in olds.items()})
    return cast(T, made)


def number(value: float, span: Span) -> syntax.Expr:
    """The number as an author would write it."""
    text = str(abs(int(value))) if value == int(value) else repr(abs(value))
    numeral = syntax.Numeral(text, span)
    return syntax.UnaryExpr("-", numeral, span) if value < 0 else numeral


def named(name: str, span: Span) -> syntax.Name:
    """The name of a declaration."""
    return syntax.Name(name, span, quoted=True)


def word(text: str, span: Span) -> syntax.Bound:
    """A word of the language, whatever is declared by that name."""
    return syntax.Bound(text, span)


def free(name: str, taken: Collection[str]) -> str:
    """The name of something that nobody wrote; with a number behind it where an author has given that name away."""
    numbered = (f"{name} {number}" for number in count(2))
    return name if name not in taken else next(each for each in numbered if each not in taken)


def binary(op: syntax.BinaryOp, left: syntax.Expr, right: syntax.Expr, span: Span) -> syntax.Expr:
    """Two expressions, joined."""
    return syntax.BinaryExpr(op, left, right, span, span)


def every(op: Literal["and", "or", "+"], parts: list[syntax.Expr], span: Span) -> syntax.Expr:
    """One or more expressions, joined from left to right."""
    return reduce(lambda a, b: binary(op, a, b, span), parts)


def call(function: str, *arguments: syntax.Expr, span: Span) -> syntax.Expr:
    """A function of the language."""
    return syntax.CallExpr(syntax.Name(function, span), arguments, span)


def assign(name: str | syntax.Name, op: Literal["+=", "-=", "="], value: syntax.Expr, span: Span) -> syntax.AssignStmt:
    """A statement that writes the meter of this name."""
    return syntax.AssignStmt(named(name, span) if isinstance(name, str) else name, op, value, None, span)


def whole(
    name: str,
    low: float,
    high: float,
    start: syntax.Expr,
    span: Span,
    of: Literal["author", "item", "compiler"] = "compiler",
) -> syntax.MeterDecl:
    """`state name: int in low .. high = start`."""
    bounds = (number(low, span), number(high, span))
    return syntax.MeterDecl(named(name, span), start, bounds, (), span, syntax.StateSpec("int", (), span, of))
