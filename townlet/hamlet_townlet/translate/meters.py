"""Meters: start values and what every tick, move and INTERACT takes."""

from __future__ import annotations

from collections.abc import Collection

from hamlet_townlet.pack import Bar, Spanned
from hamlet_townlet.translate.terms import as_binary32, binary, number, quoted, word
from hamletc.language.syntax import Expr, MeterDecl, Name, Property


def meter(bar: Bar, depletion: Name, unclamped: Collection[str]) -> MeterDecl:
    """`meter energy = 1 { decay 0.005 * depletion  move 0.005  interact 0.005 }`.

    A meter that some statement leaves `unclamped` decays even by 0: its clamp comes with the decay.
    """
    properties = []
    if as_binary32(bar.base_depletion.value) != 0 or bar.name.value in unclamped:
        span = bar.base_depletion.span
        decay = binary(number(bar.base_depletion.value, span), "*", Name(depletion.text, span, quoted=True), span)
        properties.append(Property(word("decay", span), decay, span))
    for key, cost in (("move", bar.base_move_depletion), ("interact", bar.base_interaction_cost)):
        if as_binary32(cost.value) != 0:
            properties.append(_property(key, cost))
    start: Expr = number(bar.initial.value, bar.initial.span)
    return MeterDecl(quoted(bar.name), start, None, tuple(properties), bar.span)


def _property(key: str, value: Spanned[float]) -> Property:
    return Property(word(key, value.span), number(value.value, value.span), value.span)
