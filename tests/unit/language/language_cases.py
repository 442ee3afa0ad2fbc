"""What the tests of the language share: parsing that must succeed or fail, and trees compared without their spans."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from hamlet.universe import Span
from hamletc.diagnostics import Diagnostic
from hamletc.language import syntax
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse
from hamletc.language.words import MEANINGS


def parsed(text: str) -> syntax.File:
    """The tree of a text that has no errors."""
    file, diagnostics = parse(text)
    assert diagnostics == ()
    assert file is not None
    return file


def formatted(text: str) -> str:
    """A text as the formatter writes it; it has no errors."""
    result, diagnostics = format_source(text)
    assert diagnostics == ()
    assert result is not None
    return result


def declared(text: str) -> Any:
    """The tree of a text with one declaration."""
    (declaration,) = parsed(f"universe u\n{text}").declarations
    return declaration


def expression(text: str) -> syntax.Expr:
    """The tree of an expression."""
    value: syntax.Expr = declared(f"reward {text}").value
    return value


def errors(text: str) -> list[tuple[str, int, int]]:
    """Code, line and column of each diagnostic."""
    return [(d.code, d.primary.span.line, d.primary.span.column) for d in parse(text)[1]]


def error(text: str) -> Diagnostic:
    """The only diagnostic of a text."""
    (diagnostic,) = parse(text)[1]
    return diagnostic


def bare(node: Any) -> Any:
    """A tree as nested tuples, without spans and without backticks that mean nothing. Whether there is a span where one
    may be missing stays."""
    if isinstance(node, tuple):
        return tuple(bare(item) for item in node)
    if isinstance(node, Span):
        return True
    if isinstance(node, syntax.Name):
        return node.text, node.quoted and node.text in MEANINGS
    if is_dataclass(node):
        return (
            type(node).__name__,
            *(bare(getattr(node, field.name)) for field in fields(node) if field.name not in ("span", "op_span")),
        )
    assert node is None or isinstance(node, str | bool)
    return node


def sketch(node: syntax.Expr) -> str:
    """An expression with every operation in brackets: what the parser understood."""
    match node:
        case syntax.Name(text=text, quoted=quoted):
            return f"`{text}`" if quoted else text
        case syntax.Numeral(text=text):
            return text
        case syntax.UnaryExpr(op=op, operand=operand):
            return f"[{op} {sketch(operand)}]"
        case syntax.BinaryExpr(op=op, left=left, right=right):
            return f"[{sketch(left)} {op} {sketch(right)}]"
        case syntax.CallExpr(function=function, arguments=arguments):
            return f"{function.text}[{', '.join(map(sketch, arguments))}]"
        case syntax.WeightedExpr(value=value, weight=weight):
            return f"{sketch(value)}: {sketch(weight)}"
        case syntax.IfExpr(condition=condition, then=then, otherwise=otherwise):
            return f"[if {sketch(condition)} then {sketch(then)} else {sketch(otherwise)}]"
        case syntax.WhenExpr(value=value, condition=condition):
            return f"[{sketch(value)} when {sketch(condition)}]"
        case syntax.DistanceExpr(affordance=affordance, way=way):
            return f"[{'' if way is None else f'{way} '}distance to {affordance.text}]"
        case syntax.AxisExpr(quantity=quantity, axis=axis):
            return f"[{quantity} {axis.text}]"
        case syntax.StreakExpr(affordance=affordance):
            return f"[streak of {affordance.text}]"
