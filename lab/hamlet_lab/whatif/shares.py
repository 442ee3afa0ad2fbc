"""Which affordances, actions and rules earned the reward: their Shapley values (`orders`).

All coalitions run side by side, as variants of one universe in which each construct has a switch, with common random
numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from hamlet.package.module import in_memory
from hamlet.universe import Binary, Expression, Number, Param, ParamValue, Rule, Span, Universe
from hamlet_lab.sweep.run import Trial, measure
from hamlet_lab.whatif.orders import Shares, coalitions, sampled, shares_of
from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from hamletc.ir.evaluate import Array


def switched(universe: Universe) -> tuple[Universe, tuple[str, ...]]:
    """A universe in which each affordance and rule of agents happens only where its switch is 1; and their names."""
    params: list[Param] = []

    def under(name: str, condition: Expression | None, span: Span) -> Expression:
        params.append(Param(name, 1.0, 0.0, 1.0, span))
        on = Binary(">", ParamValue(name, span), Number(0.5, span), span)
        return on if condition is None else Binary("and", on, condition, span)

    affordances = tuple(
        replace(each, needs=under(f"affordance {each.name}", each.needs, each.span)) for each in universe.affordances
    )
    dynamics = tuple(
        replace(each, guard=under(f"rule {each.name}", each.guard, each.span))
        if isinstance(each, Rule) and each.name
        else each
        for each in universe.dynamics
    )
    made = replace(universe, params=(*universe.params, *params), affordances=affordances, dynamics=dynamics)
    return made, tuple(param.name for param in params)


def shares(universe: Universe, trial: Trial, orders: int, kinds: str, others: Mapping[str, float]) -> Shares:
    """The values of the constructs of some kinds, "affordance" or "rule", or of both, "".

    Args:
        trial: how each coalition is run; its module is not looked at.
        orders: how many are sampled, two at a time.
        others: params of all worlds.
    """
    with_switches, names = switched(universe)
    chosen = [name for name in names if name.startswith(kinds)]
    files = build(with_switches, Options(("c",)), Stopwatch())
    module = in_memory(Path(universe.name), files)
    drawn = sampled(len(chosen), orders, trial.seed)
    rows = np.array([row for order in drawn for row in coalitions(order)])
    held = {**{name: 1.0 for name in names if name not in chosen}, **others}

    def params(first: int, end: int) -> Mapping[str, Array]:
        rest = {name: np.full(end - first, value) for name, value in held.items()}
        return rest | {name: rows[first:end, number] for number, name in enumerate(chosen)}

    measured = measure(replace(trial, module=module), params, len(rows))
    returns = np.concatenate([each.mean_return() for each in measured])
    return shares_of(chosen, drawn, returns.reshape(len(drawn), len(chosen) + 1, 1))
