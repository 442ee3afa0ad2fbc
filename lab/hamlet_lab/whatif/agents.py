"""Which agents earned the reward of their world: their Shapley values (`orders`).

An agent that has not joined waits in every tick. The others act by chance, with the same random numbers in each
coalition.
"""

from __future__ import annotations

import numpy as np
import torch

from hamlet import schema
from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.env.act.trajectories import chosen
from hamlet.interpreter import Interpreter
from hamlet.interpreter.interpreter import global_lanes
from hamlet.interpreter.policy import drawn_controls
from hamlet.schema.roles import members
from hamlet.universe import Universe
from hamlet_lab.whatif.orders import Shares, coalitions, sampled, shares_of
from hamlet_lab.whatif.question import Start
from hamletc.ir.evaluate import Array


def agent_shares(start: Start, shape: Shape, ticks: int, orders: int) -> Shares:
    """The values of the agents of a world.

    Args:
        start: of the worlds; its seed is that of the orders, too.
        shape: of the worlds that each coalition plays.
        ticks: for how long, at most to the end of the first life of each agent.
        orders: how many are sampled, two at a time.
    """
    played: dict[bytes, Array] = {}

    def gained(coalition: Array) -> Array:
        # Orders share coalitions: nobody, all, and most of those of few agents.
        key = coalition.tobytes()
        if key not in played:
            played[key] = _gained(start, shape, ticks, coalition)
        return played[key]

    drawn = sampled(shape.agents, orders, start.seed)
    returns = np.array([[gained(each) for each in coalitions(order)] for order in drawn])
    return shares_of(names_of(start.side.universe, shape.agents), drawn, returns)


def names_of(universe: Universe, agents: int) -> list[str]:
    """The agents of a world in words, with their roles."""
    roles = {agent: role.name for role in universe.roles or () for agent in members(role, agents)}
    return [f"agent {agent}" + (f", {roles[agent]}" if agent in roles else "") for agent in range(agents)]


def _gained(start: Start, shape: Shape, ticks: int, coalition: Array) -> Array:
    """The rewards of all agents of each world in their first lives, f64 [worlds], where those of a coalition act."""
    side, buffers = start.side, start.after(0, shape).buffers
    universe, device = side.universe, side.candidate.device
    interpreter, numbers = Interpreter(universe, device), global_lanes(shape, device)
    acts = torch.from_numpy(coalition > 0).repeat(shape.worlds).to(device)
    nothing = torch.tensor([[min(max(0.0, each.low), each.high)] for each in universe.controls], device=device)
    running, total = buffers.state["alive"].cpu().numpy().copy(), np.zeros(shape.lanes)
    for tick in range(ticks):
        now = Stream(start.seed, tick)
        if universe.controls:
            buffers.state["controls"].copy_(torch.where(acts, drawn_controls(universe, numbers, now), nothing))
        actions = torch.where(acts, chosen(interpreter, buffers, RandomPolicy(), now), schema.idle_action(universe))
        side.candidate.backend.step(buffers, actions.to(torch.int32).contiguous(), now)
        total += np.where(running, buffers.outcome["reward"].cpu().numpy(), 0.0)
        running &= ~(buffers.outcome["terminated"] | buffers.outcome["truncated"]).cpu().numpy()
        if not running.any():
            break
    result: Array = total.reshape(-1, shape.agents).sum(axis=1)
    return result
