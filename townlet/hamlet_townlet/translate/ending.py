"""How an episode ends: death and the lifespan."""

from __future__ import annotations

from hamlet.universe import Span
from hamlet_townlet.pack import Pack, Spanned, TerminalCondition
from hamlet_townlet.translate.terms import as_binary32, binary, call, exactly, joined, minus, number, quoted, word
from hamletc.language.syntax import DiesDecl, Expr, LifespanDecl, Property, Signed


def lifespan(ticks: Spanned[int]) -> LifespanDecl:
    """`lifespan 500 ticks { reward 1 }`."""
    span = ticks.span
    return LifespanDecl(
        Signed(str(ticks.value), span), (Property(word("reward", span), number(1.0, span), span),), span
    )


def dies(pack: Pack) -> DiesDecl | None:
    """`dies when energy <= 0 or health <= 0`."""
    if not pack.terminal_conditions:
        return None
    span = pack.terminal_conditions[0].span
    return DiesDecl(joined([_condition(each) for each in pack.terminal_conditions], "or", span), span)


def _condition(condition: TerminalCondition) -> Expr:
    value, span = condition.value, condition.span
    meter = quoted(condition.meter)
    if condition.operator.value != "==":
        return binary(meter, condition.operator.value, number(value.value, value.span), span)
    gap = call("abs", [minus(meter, number(value.value, value.span), span)], span)
    return binary(gap, "<=", _tolerance(value.value, span), span)


def _tolerance(value: float, span: Span) -> Expr:
    """How near HAMLET wants a meter to be: 1e-8 + 1e-5 * |value|, in binary32."""
    relative = as_binary32(as_binary32(1e-5) * abs(as_binary32(value)))
    return exactly(as_binary32(as_binary32(1e-8) + relative), span)
