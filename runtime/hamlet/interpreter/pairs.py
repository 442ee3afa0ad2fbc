"""States of pairs: how they begin, and their rules, which run once per tick for each two agents.

Tensors are [askers, worlds, agents], as where agents are asked (`hamlet.interpreter.expressions.pairs`): an axis of
those who have something before that of the agents of whom they have it.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from hamlet.interpreter import coverage
from hamlet.interpreter.expressions import MOST_PAIRS, evaluate
from hamlet.interpreter.lanes import Lanes, store_pairs
from hamlet.interpreter.space import clamp
from hamlet.interpreter.statements import run
from hamlet.universe import PairMeter


def run_pair_rules(lanes: Lanes) -> None:
    """Run the rules of pairs, on what the tick began with."""
    pairs, began = lanes.universe.pairs, lanes.others
    if pairs is None or not pairs.rules or began is None:
        return
    written = [meter.name for meter in pairs.written]
    parts: dict[str, list[Tensor]] = {name: [] for name in written}
    for asking, another in _asking(began):
        now = {name: asking.of_pairs(name, reverse=False) for name in written}
        mine = asking.running[:, asking.askers].T.unsqueeze(-1)
        asking.meters |= now
        asking.coverage, asking.trace = lanes.coverage, None
        for rule in pairs.rules:
            who = mine & asking.running & another
            if rule.guard is not None:
                who = who & evaluate(rule.guard, asking)
            lanes.count(coverage.rule(rule), who)
            run(rule.body, asking, who, coverage.rule(rule))
        for name in written:
            parts[name].append(asking.meters[name])
    for name in written:
        lanes.pairs[name] = torch.cat(parts[name]).permute(1, 0, 2)


def begin_pairs(lanes: Lanes, state: dict[str, Tensor], worlds: Tensor) -> None:
    """Give the states of pairs their values in these worlds, which begin an episode. `lanes`: views of the state."""
    pairs = lanes.universe.pairs
    if pairs is None:
        return
    for meter in pairs.meters:
        lanes.pairs[meter.name] = lanes.pairs[meter.name].clone()
        for asking, another in _asking(lanes):
            value = _start(meter, asking, another)
            lanes.pairs[meter.name][worlds, asking.these] = value.permute(1, 0, 2)[worlds]
    store_pairs(lanes.pairs, state)


def _start(meter: PairMeter, asking: Lanes, another: Tensor) -> Tensor:
    """The value that these agents begin with."""
    low, high = asking.constant(meter.low), asking.constant(meter.high)
    value = asking.constant(meter.start) if isinstance(meter.start, float) else evaluate(meter.start, asking)
    return clamp(torch.where(another, value, asking.constant(0.0)), low, high)


def _asking(lanes: Lanes) -> Iterator[tuple[Lanes, Tensor]]:
    """The agents that ask, some at a time, and which agents are others to them, [askers, worlds, agents]."""
    worlds, agents = lanes.age.shape
    number, some = torch.arange(agents, device=lanes.age.device), max(1, MOST_PAIRS // (worlds * agents))
    for first in range(0, agents, some):
        askers = slice(first, min(first + some, agents))
        another = number[askers].view(-1, 1, 1) != number
        sites = None if lanes.draws_of_pairs is None else lanes.draws_of_pairs.of(askers)
        asking = lanes.changed(askers=askers, meters=dict(lanes.meters), sites_of_pairs=sites)
        yield asking, another.expand(-1, worlds, agents)
