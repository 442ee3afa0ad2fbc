"""Meters by what each affordance adds to them, by the tick IR."""

from __future__ import annotations

import numpy as np

from hamlet.universe import Universe
from hamlet_lab.lint.players import Gains
from hamletc.explanation.moment import tick_from
from hamletc.ir.function import Program


def gains_of(universe: Universe, program: Program) -> Gains:
    """The amounts that each affordance adds to each meter, at the start of an episode, over all its ticks."""
    lasts = {place.name: max(place.duration or 1, 1) for place in universe.affordances}
    completing = {place.name: {each.span.line for each in place.on_completion} for place in universe.affordances}
    tick = tick_from(universe, program, {}, tuple(f"meter.{meter.name}" for meter in universe.meters))
    gains: dict[str, dict[str, float]] = {name: {} for name in lasts}
    for meter in universe.meters:
        for each in tick.amounts.get(f"meter.{meter.name}", ()):
            name, amount = each.origin.construct.name, float(each.values[0])
            if each.origin.construct.kind == "affordance" and name in gains and np.isfinite(amount):
                times = 1 if each.origin.line in completing[name] else lasts[name]
                gains[name][meter.name] = gains[name].get(meter.name, 0.0) + amount * times
    return gains
