"""Which affordances, actions and rules earned the reward: their Shapley values.

The value of a construct is the mean, over the orders in which constructs can be switched on one after the other, of
the gain of the mean return when it is (L. S. Shapley: A value for n-person games, 1953). Orders are sampled, and each
is used backwards, too (R. Mitchell et al.: Sampling permutations for Shapley value estimation, 2022). All coalitions
run side by side, as variants of one universe in which each construct has a switch, with common random numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path

import numpy as np

from hamlet.package.module import in_memory
from hamlet.universe import Binary, Expression, Number, Param, ParamValue, Rule, Span, Universe
from hamlet_lab.sweep.run import Trial, measure
from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from hamletc.ir.evaluate import Array

NORMAL = 1.959964


@dataclass(frozen=True, slots=True)
class Share:
    """The Shapley value of a construct, and half of its 95% interval over orders."""

    construct: str
    value: float
    half: float


@dataclass(frozen=True, slots=True)
class Shares:
    """The values of all constructs, which add up to `all_on` less `all_off`: mean returns with all and with none."""

    shares: tuple[Share, ...]
    all_on: float
    all_off: float


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


def shares(universe: Universe, trial: Trial, orders: int, kinds: str) -> Shares:
    """The values of the constructs of some kinds, "affordance" or "rule", or of both, "".

    Args:
        trial: how each coalition is run; its module is not looked at.
        orders: how many are sampled, two at a time.
    """
    with_switches, names = switched(universe)
    chosen = [name for name in names if name.startswith(kinds)]
    files = build(with_switches, Options(("c",)), Stopwatch())
    module = in_memory(Path(universe.name), files)
    generator = np.random.default_rng(trial.seed)
    sampled: list[Array] = []
    for _ in range((orders + 1) // 2):
        order = generator.permutation(len(chosen))
        sampled += [order, order[::-1]]
    sampled = sampled[:orders]
    rows = np.array([row for order in sampled for row in _coalitions(order)])
    held = {name: 1.0 for name in names if name not in chosen}

    def params(first: int, end: int) -> Mapping[str, Array]:
        rest = {name: np.full(end - first, value) for name, value in held.items()}
        return rest | {name: rows[first:end, number] for number, name in enumerate(chosen)}

    returns = [float(each.mean_return()[row]) for each in measure(replace(trial, module=module), params, len(rows))
               for row in range(len(each.ends[0]))]  # fmt: skip
    gains = np.zeros((len(sampled), len(chosen)))
    for number, order in enumerate(sampled):
        values = returns[number * (len(chosen) + 1) : (number + 1) * (len(chosen) + 1)]
        for place, construct in enumerate(order):
            gains[number, construct] = values[place + 1] - values[place]
    # Both directions of an order are one sample: they are no two independent ones.
    pairs = np.array([gains[begin : begin + 2].mean(axis=0) for begin in range(0, len(gains), 2)])
    means = gains.mean(axis=0)
    spread = pairs.std(axis=0, ddof=1) if len(pairs) > 1 else np.full(len(chosen), np.nan)
    made = [
        Share(name, float(mean), NORMAL * float(each) / sqrt(len(pairs)))
        for name, mean, each in zip(chosen, means, spread, strict=True)
    ]
    ordered = sorted(made, key=lambda share: -abs(share.value))
    return Shares(tuple(ordered), returns[len(chosen)], returns[0])


def _coalitions(order: Array) -> Iterator[Array]:
    """The coalitions of an order, from nobody to all."""
    on = np.zeros(len(order))
    yield on.copy()
    for construct in order:
        on[construct] = 1.0
        yield on.copy()


def lines(made: Shares) -> Iterator[str]:
    """The values as text, the greatest first."""
    width = max((len(share.construct) for share in made.shares), default=0)
    yield f"mean return {made.all_on:.4g} with all of them, {made.all_off:.4g} with none; each construct's share:"
    for share in made.shares:
        low, high = share.value - share.half, share.value + share.half
        yield f"  {share.construct:<{width}}  {share.value:+.4g}  ({low:.4g} .. {high:.4g})"
