"""A tick of all lanes: docs/semantics.md, "A tick", steps 1 to 9."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet.backend.buffers import Buffers
from hamlet.interpreter import coverage
from hamlet.interpreter.act import act
from hamlet.interpreter.acting import carried_out
from hamlet.interpreter.cells import spread
from hamlet.interpreter.dynamics import decay, dynamics
from hamlet.interpreter.ending import end
from hamlet.interpreter.interact import interact
from hamlet.interpreter.lanes import Lanes, as_they_are, store
from hamlet.interpreter.pairs import run_pair_rules
from hamlet.interpreter.world import begin, world


def tick(lanes: Lanes, actions: Tensor, buffers: Buffers) -> None:
    """One tick with actions i32 [worlds, agents]: the new state and the outcomes go to the buffers."""
    actions = carried_out(lanes, actions)
    lanes.before = as_they_are(lanes)
    lanes.count(coverage.AFTER_THE_END, lanes.running & ~lanes.alive)
    lanes.action = actions
    for meter in lanes.universe.meters:
        if meter.of_tick:
            old = lanes.meters[meter.name]
            lanes.meters[meter.name] = torch.where(lanes.running, torch.zeros_like(old), old)
    begin(lanes)
    act(lanes, actions)
    used = interact(lanes, actions)
    decay(lanes)
    run_pair_rules(lanes)
    dynamics(lanes)
    world(lanes)
    spread(lanes)
    ending = end(lanes)

    store(lanes, buffers)
    state, outcome = buffers.state, buffers.outcome
    alive, running, total = lanes.alive.reshape(-1), lanes.running.reshape(-1), state["episode_return"]
    outcome["reward"].copy_(ending.reward.reshape(-1))
    outcome["terminated"].copy_(ending.terminated.reshape(-1))
    outcome["truncated"].copy_(ending.truncated.reshape(-1))
    outcome["used"].copy_(used.reshape(-1))
    outcome["cause"].copy_(ending.cause.reshape(-1))
    for row, value in enumerate(ending.reports):
        outcome["reports"][row].copy_(value.reshape(-1))
    total.copy_(torch.where(running, total + outcome["reward"], total))
    state["alive"].copy_(alive & ~outcome["terminated"] & ~outcome["truncated"])
