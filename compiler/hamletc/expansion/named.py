"""What the parameters of functions name: a number or a condition, or, as `place` in `distance to place`, a declaration.
So a call binds the name of a declaration as such, whatever else has that name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from hamlet.universe import nodes
from hamletc.language import syntax
from hamletc.language.words import PLACES

Space: TypeAlias = Literal["affordance", "owner", "region", "action"]
Spaces: TypeAlias = tuple[Space | None, ...]
_NAMED: Mapping[type[Any], tuple[str, Space]] = MappingProxyType(
    {
        syntax.DistanceExpr: ("affordance", "affordance"),
        syntax.StreakExpr: ("affordance", "affordance"),
        syntax.OfExpr: ("owner", "owner"),
        syntax.OnExpr: ("region", "region"),
    }
)
"""The fields of expressions that hold names of declarations."""


def spaces_of(functions: Mapping[str, syntax.LetDecl]) -> Mapping[str, Spaces]:
    """What the parameters of each function name; `None` where that is a number or a condition. A parameter that is
    handed on names what it names there."""
    found: dict[str, Spaces] = {name: _direct(let) for name, let in functions.items()}
    changed = True
    while changed:
        changed = False
        for name, let in functions.items():
            spaces = dict(zip(_texts(let), found[name], strict=True))
            for text, space in _handed_on(let, found):
                if spaces.get(text, space) is None and space is not None:
                    spaces[text], changed = space, True
            found[name] = tuple(spaces[text] for text in _texts(let))
    return found


def _texts(let: syntax.LetDecl) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.text for each in let.parameters))


def _direct(let: syntax.LetDecl) -> Spaces:
    uses = dict(_uses(let.value))
    return tuple(uses.get(text) for text in _texts(let))


def _uses(value: syntax.Expr) -> Iterator[tuple[str, Space]]:
    """The names of declarations in an expression."""
    for node in nodes(value):
        if (named := _NAMED.get(type(node))) is not None:
            field, space = named
            yield getattr(node, field).text, space
        if isinstance(node, syntax.BinaryExpr) and node.op in ("==", "!="):
            for side, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(side, syntax.Name) and isinstance(other, syntax.Name) and _is_place(other):
                    yield side.text, "action" if other.text == "action" else "affordance"


def _is_place(name: syntax.Name) -> bool:
    return not name.quoted and name.text in PLACES


def _handed_on(let: syntax.LetDecl, found: Mapping[str, Spaces]) -> Iterable[tuple[str, Space | None]]:
    """The names that a function calls others with, and what these are there."""
    for node in nodes(let.value):
        if isinstance(node, syntax.CallExpr) and node.function.text in found:
            for argument, space in zip(node.arguments, found[node.function.text], strict=False):
                if isinstance(argument, syntax.Name):
                    yield argument.text, space
