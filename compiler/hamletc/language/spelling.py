"""Names and expressions in canonical spelling: single spaces; parentheses and backticks only where they are needed."""

from __future__ import annotations

import re
from typing import assert_never

from hamletc.language import syntax
from hamletc.language.words import FUNCTIONS, MEANINGS, RESERVED

_IF, _OR, _AND, _NOT, _COMPARE, _ADD, _WHEN, _MULTIPLY, _NEGATE, _ATOM = range(10)
"""How tightly a form binds; the grammar has the same order."""

_BINARY = {"or": _OR, "and": _AND, "+": _ADD, "-": _ADD, "*": _MULTIPLY, "/": _MULTIPLY}


_BEGINNING, _INDEXED = frozenset(("on",)), frozenset(("at", "in", "on"))
"""Words that mean something else where an expression begins, and in front of a bracket."""
_HIDING = frozenset(("on", "map"))
"""Keywords that a declaration without backticks hides everywhere: `on rest`, `space grid map`."""
_THROUGH = frozenset(("cells",))
"""Words that mean something else behind `over`."""
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OF_ROLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\.[A-Za-z_][A-Za-z0-9_]*")


def spell_name(name: syntax.Name, keywords: frozenset[str] = frozenset()) -> str:
    """A name, in backticks where it needs them; `keywords` are the words that mean something else where it stands."""
    return f"`{name.text}`" if in_backticks(name, keywords) else name.text


def in_backticks(name: syntax.Name, keywords: frozenset[str] = frozenset()) -> bool:
    """Whether a name needs backticks, among these `keywords`."""
    if _OF_ROLE.fullmatch(name.text) and not name.quoted:
        return False
    meant = name.quoted and (name.text in MEANINGS or name.text in _HIDING)
    return meant or name.text in RESERVED or name.text in keywords or _PLAIN.fullmatch(name.text) is None


def spell_quantity(text: str, unit: syntax.Unit) -> str:
    """A number with its unit: `1 hour`, `3 hours`, `20 %`."""
    return f"{text} {unit}{'' if text == '1' or unit == '%' else 's'}" if unit else text


def spell_toward(toward: syntax.Toward) -> str:
    """A direction: `ahead`, `left 2`."""
    return toward.way if toward.cells is None else f"{toward.way} {spell_quantity(toward.cells.text, '')}"


def counted(number: int, noun: str) -> str:
    """`1 cell`, `2 cells`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def spell_expression(expression: syntax.Expr) -> str:
    """The text of an expression. Parsed again it gives the same tree."""
    return _spell(expression, _IF)


def spell_given(argument: syntax.Expr | syntax.Series | syntax.SeriesList) -> str:
    """The text of what a template is used with."""
    match argument:
        case syntax.Series():
            return _series(argument)
        case syntax.SeriesList():
            return _list(argument)
        case _:
            return spell_expression(argument)


def spell_each(each: syntax.Each) -> str:
    """The text of indices, and of what they go through."""
    if len(each.names) > 1:
        return f"({', '.join(map(spell_name, each.names))}) in ({', '.join(map(_in_step, each.lists))})"
    (name,), (through,) = each.names, each.lists
    is_short = len(through.series) == 1 and through.series[0].last is not None
    return f"{spell_name(name, _THROUGH)} in {_in_step(through) if is_short else _list(through)}"


def _in_step(through: syntax.SeriesList) -> str:
    return _series(through.series[0]) if len(through.series) == 1 else _list(through)


def _list(through: syntax.SeriesList) -> str:
    return f"({', '.join(map(_series, through.series))})"


def _series(series: syntax.Series) -> str:
    return series.first.text if series.last is None else f"{series.first.text} .. {series.last.text}"


def _spell(expression: syntax.Expr, level: int) -> str:
    """The text, in parentheses where the expression binds less tightly than its place demands."""
    text = _bare(expression)
    return text if _tightness(expression) >= level else f"({text})"


def _tightness(expression: syntax.Expr) -> int:
    match expression:
        case syntax.IfExpr() | syntax.WeightedExpr():
            return _IF
        case syntax.CallExpr(each=syntax.Each()):  # what follows a series would look like a part of it
            return _COMPARE
        case syntax.BinaryExpr(op=op):
            return _BINARY.get(op, _COMPARE)
        case syntax.UnaryExpr(op="not"):
            return _NOT
        case syntax.WhenExpr():
            return _WHEN
        case syntax.UnaryExpr():
            return _NEGATE
        case (
            syntax.Name()
            | syntax.Numeral()
            | syntax.CallExpr()
            | syntax.IndexExpr()
            | syntax.DistanceExpr()
            | syntax.AxisExpr()
            | syntax.StreakExpr()
            | syntax.TimedExpr()
            | syntax.AtExpr()
            | syntax.CellExpr()
            | syntax.PostedExpr()
        ):
            return _ATOM
        case syntax.OnExpr() | syntax.OfExpr() | syntax.AtHourExpr() | syntax.RoleExpr():
            return _ATOM
    assert_never(expression)


def _bare(expression: syntax.Expr) -> str:
    match expression:
        case syntax.Name():
            return spell_name(expression, _BEGINNING)
        case syntax.Numeral(text=text, unit=unit):
            return spell_quantity(text, unit)
        case syntax.DistanceExpr(affordance=affordance, way=way):
            return f"{'' if way is None else f'{way} '}distance to {spell_name(affordance)}"
        case syntax.AxisExpr(quantity=quantity, axis=axis):
            return f"{quantity} {axis.text}"
        case syntax.OnExpr(region=region):
            return f"on {spell_name(region)}"
        case syntax.AtExpr(value=value, toward=syntax.Toward() as toward):
            return f"{_spell(value, _ATOM)} at {spell_toward(toward)}"
        case syntax.AtExpr(value=value, place=place):
            return f"{_spell(value, _ATOM)} at ({', '.join(map(spell_expression, place))})"
        case syntax.CellExpr(place=place):
            return f"cell at ({', '.join(map(spell_expression, place))})"
        case syntax.PostedExpr(op=op, value=value, post=post):
            return f"{op}({spell_expression(value)}) at {spell_name(post)}"
        case syntax.RoleExpr(role=role):
            return spell_name(syntax.Name(role, expression.span))
        case syntax.StreakExpr(affordance=affordance):
            return f"streak of {spell_name(affordance)}"
        case syntax.OfExpr(quantity=quantity, owner=owner):
            quantity_of = quantity.text if quantity.text.startswith("position ") else spell_name(quantity, _BEGINNING)
            return f"{quantity_of} of {spell_name(owner)}"
        case syntax.TimedExpr(when=when, ticks=ticks):
            return f"{when} {spell_quantity(ticks.text, ticks.unit or 'tick')}"
        case syntax.AtHourExpr(hour=hour):
            return f"at hour {hour.text}"
        case syntax.CallExpr(function=function, arguments=arguments):
            over = " over cells" if expression.over_cells else ""
            over = over if expression.each is None else f" over {spell_each(expression.each)}"
            # In backticks it is no function, which the check says.
            name = f"`{function.text}`" if function.quoted and function.text in FUNCTIONS else spell_name(function)
            inside = [*map(spell_expression, arguments)]
            inside += [] if expression.within is None else [f"within {expression.within.text}"]
            return f"{name}({', '.join(inside)}){over}"
        case syntax.IndexExpr(table=table, indices=indices):
            return f"{spell_name(table, _INDEXED)}[{', '.join(map(spell_expression, indices))}]"
        case syntax.WeightedExpr(value=value, weight=weight):
            return f"{spell_expression(value)}: {spell_expression(weight)}"
        case syntax.IfExpr(condition=condition, then=then, otherwise=otherwise):
            return f"if {_spell(condition, _OR)} then {_spell(then, _OR)} else {_spell(otherwise, _IF)}"
        case syntax.WhenExpr(value=value, condition=condition):
            return f"{_spell(value, _MULTIPLY)} when {_condition(condition)}"
        case syntax.UnaryExpr(op="not", operand=operand):
            return f"not {_spell(operand, _NOT)}"
        case syntax.UnaryExpr(operand=operand):
            return f"-{_spell(operand, _NEGATE)}"
        case syntax.BinaryExpr(op=op, left=left, right=right):
            if op not in _BINARY:  # a comparison: what it compares may not itself be one
                first = f"({_bare(left)})" if _is_open(left) else _spell(left, _ADD)
                return f"{first} {op} {_spell(right, _ADD)}"
            return f"{_spell(left, _BINARY[op])} {op} {_spell(right, _BINARY[op] + 1)}"
    assert_never(expression)


def _condition(condition: syntax.Expr) -> str:
    """What follows `when`: a comparison of products, a call, a name, the negation of one, or parentheses."""
    match condition:
        case syntax.BinaryExpr(op=op, left=left, right=right) if op not in _BINARY:
            return f"{_spell(left, _MULTIPLY)} {op} {_spell(right, _MULTIPLY)}"
        case syntax.UnaryExpr(op="not", operand=operand):
            return f"not {_condition(operand)}"
        case (
            syntax.CallExpr()
            | syntax.Name()
            | syntax.TimedExpr()
            | syntax.OnExpr()
            | syntax.AtExpr()
            | syntax.AtHourExpr()
            | syntax.RoleExpr()
            | syntax.OfExpr()
        ):
            return _bare(condition)
        case _:
            return f"({_bare(condition)})"


def _is_open(expression: syntax.Expr) -> bool:
    """Whether it is a sum that ends in `when`, whose condition would swallow a comparison that follows."""
    match expression:
        case syntax.WhenExpr():
            return True
        case syntax.BinaryExpr(op="+" | "-", right=right):
            return _is_open(right)
        case _:
            return False
