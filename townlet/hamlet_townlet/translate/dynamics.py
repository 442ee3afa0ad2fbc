"""Dynamics of meters: start values, depletions of a tick, modulations as rules, cascades, death."""

from __future__ import annotations

from collections.abc import Collection

from hamlet.universe import Span
from hamlet_townlet.pack import Bar, Cascade, Modulation, Pack, TerminalCondition
from hamlet_townlet.reader.read_cascades import GROUPS
from hamlet_townlet.spanned import Spanned
from hamlet_townlet.translate.terms import (
    as_binary32,
    binary,
    call,
    exactly,
    fresh_name,
    joined,
    literal,
    minus,
    number,
    plus,
    quoted,
    times,
    word,
)
from hamletc.language import syntax
from hamletc.language.syntax import Expr, Name


def meter(bar: Bar, depletion: Name, unclamped: Collection[str]) -> syntax.MeterDecl:
    """`meter energy = 1 { decay 0.005 * depletion  move 0.005  interact 0.005 }`.

    A meter that some statement leaves `unclamped` decays even by 0: its clamp comes with the decay.
    """
    properties: list[syntax.MeterProperty] = []
    if as_binary32(bar.base_depletion.value) != 0 or bar.name.value in unclamped:
        span = bar.base_depletion.span
        decay = binary(number(bar.base_depletion.value, span), "*", Name(depletion.text, span, quoted=True), span)
        properties.append(syntax.DecayProperty(decay, span))
    if as_binary32((cost := bar.base_move_depletion).value) != 0:
        properties.append(syntax.MoveProperty(literal(cost), cost.span))
    if as_binary32((cost := bar.base_interaction_cost).value) != 0:
        properties.append(syntax.InteractProperty(literal(cost), cost.span))
    return syntax.MeterDecl(quoted(bar.name), literal(bar.initial), None, tuple(properties), bar.span)


def dynamics(pack: Pack) -> list[syntax.RuleDecl | syntax.CascadeDecl]:
    """Modulations, then the cascades group by group, each by the index of its target; names are made unique."""
    order = {bar.name.value: bar.index.value for bar in pack.bars}
    taken: set[str] = set()
    result: list[syntax.RuleDecl | syntax.CascadeDecl] = []
    for modulation in sorted(pack.modulations, key=lambda m: order[m.target.value]):
        result.append(_rule(modulation, Name(fresh_name(modulation.name, taken), modulation.span, quoted=True)))
    for cascade in sorted(pack.cascades, key=lambda c: (GROUPS.index(c.group), order[c.target.value])):
        result.append(_cascade(cascade, Name(fresh_name(cascade.name, taken), cascade.span, quoted=True)))
    return result


def _rule(modulation: Modulation, name: Name) -> syntax.RuleDecl:
    """`rule unfit: health -= 0.001 * (0.5 + 2.5 * (1 - fitness))`."""
    span = modulation.span
    lack = minus(number(1.0, span), quoted(modulation.source), span)
    extra = times(literal(modulation.range), lack, span)
    factor = plus(literal(modulation.base_multiplier), extra, span)
    loss = binary(literal(modulation.baseline_depletion), "*", factor, span)
    return syntax.RuleDecl(name, None, (syntax.AssignStmt(quoted(modulation.target), "-=", loss, None, span),), span)


def _cascade(cascade: Cascade, name: Name) -> syntax.CascadeDecl:
    """`cascade hunger: satiation < 0.3 -> energy -= 0.005 * deficit`."""
    span = cascade.span
    guard = binary(quoted(cascade.source), "<", literal(cascade.threshold), span)
    loss = binary(literal(cascade.strength), "*", word("deficit", span), span)
    return syntax.CascadeDecl(name, guard, (syntax.AssignStmt(quoted(cascade.target), "-=", loss, None, span),), span)


def lifespan(ticks: Spanned[int]) -> syntax.LifespanDecl:
    """`lifespan 500 ticks { reward 1 }`."""
    reward = syntax.RewardProperty(number(1.0, ticks.span), ticks.span)
    return syntax.LifespanDecl(syntax.Signed(str(ticks.value), ticks.span), (reward,), ticks.span)


def dies(pack: Pack) -> syntax.DiesDecl | None:
    """`dies when energy <= 0 or health <= 0`."""
    if not pack.terminal_conditions:
        return None
    span = pack.terminal_conditions[0].span
    return syntax.DiesDecl(joined([_condition(each) for each in pack.terminal_conditions], "or", span), span)


def _condition(condition: TerminalCondition) -> Expr:
    value, span = condition.value, condition.span
    meter = quoted(condition.meter)
    if condition.operator.value != "==":
        return binary(meter, condition.operator.value, literal(value), span)
    gap = call("abs", [minus(meter, literal(value), span)], span)
    return binary(gap, "<=", _tolerance(value.value, span), span)


def _tolerance(value: float, span: Span) -> Expr:
    """How near HAMLET wants a meter to be: 1e-8 + 1e-5 * |value|, in binary32."""
    relative = as_binary32(as_binary32(1e-5) * abs(as_binary32(value)))
    return exactly(as_binary32(as_binary32(1e-8) + relative), span)
