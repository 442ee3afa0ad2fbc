"""Pieces of syntax trees that are written out for something else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import fields, replace
from functools import cache, reduce
from itertools import count
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, cast

from hamlet.universe import Span
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression
from hamletc.language.words import CALLS

T = TypeVar("T")
WORDS = frozenset(("kind", "function", "quantity", "word"))
"""Fields that hold words of the language."""
Role: TypeAlias = Literal["expression", "span", "tree"]
"""What a field of a node holds."""


class Field(NamedTuple):
    """A field of a kind of node: its name, and what it holds."""

    name: str
    role: Role


Each: TypeAlias = Callable[[Any, Field], Any]
"""What stands for a node or a name in a field of the node above: itself, another one, or several in a list."""


@cache
def _fields(kind: Any) -> tuple[Field, ...]:
    made: list[Field] = []
    for field in fields(kind):
        written = str(field.type)
        if written not in ("str", "bool", "BoundTo") and not written.startswith("Literal"):
            of_expressions = "Expr" in written or written.startswith("Bounds")
            role: Role = "expression" if of_expressions else "span" if "Span" in written else "tree"
            made.append(Field(field.name, role))
    return tuple(made)


@cache
def _parts(kind: Any) -> tuple[Field, ...]:
    return tuple(field for field in _fields(kind) if field.role != "span")


@cache
def _trees(kind: Any) -> tuple[str, ...] | None:
    """The names of the fields that hold neither expressions nor spans, last to first; `None` of what is no node."""
    if kind is Span or issubclass(kind, syntax.Name) or not hasattr(kind, "__dataclass_fields__"):
        return None
    return tuple(field.name for field in reversed(_fields(kind)) if field.role == "tree")


def holds_expressions(node: object, name: str) -> bool:
    """Whether a field of a node holds expressions."""
    kind: Any = type(node)
    return (name, "expression") in _fields(kind)


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


def names_in(tree: object) -> Iterator[syntax.Name]:
    """The names in a tree; no functions of the language."""
    pending: list[Any] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            pending.extend(node)
        elif isinstance(node, syntax.Name):
            yield node
        elif isinstance(node, syntax.CallExpr):
            pending += (
                (node.arguments, node.each)
                if of_language(node.function)
                else (node.arguments, node.each, node.function)
            )
        elif not isinstance(node, _LEAVES):
            kind: Any = type(node)
            pending.extend(getattr(node, field.name) for field in _parts(kind))


def of_language(function: syntax.Name) -> bool:
    """Whether what is called is a function of the language; what a universe declares is `Bound` once names are."""
    return not function.quoted and function.text in CALLS and not isinstance(function, syntax.Bound)


# --- rewriting -------------------------------------------------------------------------------------------------------

_LEAVES = (str, bool, type(None))
_STATEMENTS = Field("items", "tree")


def rebuilt(node: Any, each: Each, moved: Callable[[Span], Span] | None = None) -> Any:
    """A node with what `each` gives for every node and name in its fields, at the places that `moved` gives; itself
    where all stay. What rewrites a tree calls it for the nodes that it has nothing to say of, with itself as `each`."""
    kind: Any = type(node)
    changes: dict[str, Any] = {}
    for field in _parts(kind) if moved is None else _fields(kind):
        old = getattr(node, field.name)
        if isinstance(old, _LEAVES):
            continue
        if isinstance(old, tuple):
            new: Any = listed(old, each, field)
        else:
            new = moved(old) if moved is not None and field.role == "span" else each(old, field)
        if new is not old:
            changes[field.name] = new
    return replace(node, **changes) if changes else node


def listed(items: tuple[Any, ...], each: Each, field: Field = _STATEMENTS) -> tuple[Any, ...]:
    """The items of a list with what `each` gives; several for one stand in its place. Itself where all stay."""
    made: list[Any] = []
    for item in items:
        if isinstance(item, _LEAVES):
            made.append(item)
        elif isinstance(item, tuple):
            made.append(listed(item, each, field))
        elif isinstance(new := each(item, field), tuple):
            made += new
        else:
            made.append(new)
    same = len(made) == len(items) and all(new is old for new, old in zip(made, items, strict=True))
    return items if same else tuple(made)


def in_backticks(node: T, names: Collection[str]) -> T:
    """A tree in which these names mean declarations, as if they stood in backticks; words that begin something, and
    functions, stay what they are."""

    def each(item: Any, field: Field) -> Any:
        if field.name in WORDS:
            return item
        if isinstance(item, syntax.Name):
            return replace(item, quoted=True) if item.text in names else item
        return rebuilt(item, each)

    return cast(T, rebuilt(node, each))


def as_written(signed: syntax.Signed) -> syntax.Signed:
    """A number for which a parameter or an index stood."""
    match signed.value:
        case None:
            return signed
        case syntax.Numeral(text=text, unit=""):
            return replace(signed, text=text, value=None)
        case syntax.UnaryExpr(op="-", operand=syntax.Numeral(text=text, unit="")):
            return replace(signed, text=f"-{text}", value=None)
        case value:
            return replace(signed, text=spell_expression(value))


def constant(written: syntax.Signed | syntax.Expr) -> float | None:
    """The number that is written there; `None` where something else is, which is no constant."""
    match written:
        case syntax.Signed(text=text, value=None) | syntax.Numeral(text=text, unit=""):
            return float(text)
        case syntax.UnaryExpr(op="-", operand=syntax.Numeral(text=text, unit="")):
            return -float(text)
        case _:
            return None


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
    name: str | syntax.Name,
    low: float,
    high: float,
    start: syntax.Expr,
    span: Span,
    of: Literal["author", "item", "compiler", "births", "layouts", "posts"] = "compiler",
) -> syntax.MeterDecl:
    """`state name: int in low .. high = start`."""
    bounds = (number(low, span), number(high, span))
    state, own = syntax.StateSpec("int", (), span, of), named(name, span) if isinstance(name, str) else name
    return syntax.MeterDecl(own, start, bounds, (), span, state)
