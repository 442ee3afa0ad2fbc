"""`let task = once integer(0, 11)`: written out as a state that nothing writes, of each agent or of the world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from hamletc.diagnostics import Diagnostic
from hamletc.expansion.places import Places
from hamletc.language import syntax

Stands: TypeAlias = syntax.LetDecl | syntax.Expr | None

_COMPARING = ("<", "<=", ">", ">=", "==", "!=", "and", "or")
_HOLDING = ("chance", "rising", "falling")
"""The functions that are conditions."""


def once_written_out(
    declarations: tuple[syntax.Decl, ...], _places: Places
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations, each `let NAME = once ...` in its place as a state: a condition where it is given one, else a
    number, whose bounds the check finds."""
    values = dict(_values(declarations))
    return tuple(_state(item, values) for item in declarations), ()


def _state(item: Any, values: Mapping[str, Stands]) -> Any:
    match item:
        case syntax.OnceDecl(name=name, value=value, span=span):
            holds = syntax.StateSpec("bool" if _holds(value, values, frozenset()) else "real", (), name.span, "once")
            return syntax.MeterDecl(name, value, None, (), span, holds)
        case syntax.RoleDecl(items=items) | syntax.WorldDecl(items=items) if any(
            isinstance(each, syntax.OnceDecl) for each in items
        ):
            return replace(item, items=tuple(_state(each, values) for each in items))
        case _:
            return item


def _values(items: tuple[Any, ...]) -> Iterator[tuple[str, Stands]]:
    """What stands behind names of lets; `None` is that of a condition that is no let."""
    for item in items:
        match item:
            case syntax.LetDecl(name=name):
                yield name.text, item
            case syntax.OnceDecl(name=name, value=value):
                yield name.text, value
            case syntax.MeterDecl(name=name, start=start, state=syntax.StateSpec(kind=kind)):
                numbers = isinstance(start, syntax.Numeral | syntax.UnaryExpr)
                if kind == "bool" or (not kind and not numbers):
                    yield name.text, None
            case syntax.RoleDecl(name=name, items=inner):
                yield name.text, None
                yield from _values(inner)
            case syntax.WorldDecl(items=inner):
                yield from _values(inner)
            case _:
                pass


def _holds(value: syntax.Expr, values: Mapping[str, Stands], met: frozenset[str]) -> bool:
    """Whether an expression is a condition, as far as its text shows it; `met` are the lets around it."""
    match value:
        case syntax.Name(text="true" | "false", quoted=False):
            return True
        case syntax.Name(text=name) if name in values and name not in met:
            stands = values[name]
            behind = stands.value if isinstance(stands, syntax.LetDecl) else stands
            return behind is None or _holds(behind, values, met | {name})
        case syntax.UnaryExpr(op=op):
            return op == "not"
        case syntax.BinaryExpr(op=op):
            return op in _COMPARING
        case syntax.IfExpr(then=then):
            return _holds(then, values, met)
        case syntax.CallExpr(function=syntax.Name(text=name), arguments=arguments):
            function = values.get(name)
            if name in met or not isinstance(function, syntax.LetDecl) or not function.parameters:
                return name in _HOLDING
            bound = {each.text: value for each, value in zip(function.parameters, arguments, strict=False)}
            return _holds(function.value, {**values, **bound}, met.difference(bound) | {name})
        case syntax.OnExpr() | syntax.TimedExpr() | syntax.AtHourExpr():
            return True
        case _:
            return False
