"""Scripts that roles of the gallery play by: what `benchmarks/roles.py` compares with policies."""

from __future__ import annotations

from collections.abc import Callable

import torch

from hamlet.env.environment import Env

Script = Callable[[Env], torch.Tensor]
"""The actions [lanes] that a script has for the present tick. What the mask of an agent switches off it does not take,
as no policy does: it waits."""
RING = 11
"""Cells of the ring of tag."""


def always(action: str) -> Script:
    """One action, whatever happens."""
    return lambda env: torch.full((env.num_lanes,), env.action_names.index(action), dtype=torch.int32)


def some(action: str, other: str, every: int) -> Script:
    """One action by every so-manyth agent, and another one by the rest."""

    def chosen(env: Env) -> torch.Tensor:
        mine = torch.arange(env.num_lanes) % every == 0
        first, second = (env.action_names.index(name) for name in (action, other))
        return torch.where(mine, first, second).int()

    return chosen


def toward(role: str, away: bool = False) -> Script:
    """A step on the ring toward the nearest living agent of a role, or away from it."""

    def chosen(env: Env) -> torch.Tensor:
        place = env.state["position"].reshape(-1, env.num_worlds, env.num_agents)[0]
        there = torch.zeros(env.num_agents, dtype=torch.bool)
        there[list(env.roles[role].agents)] = True
        alive = env.state["alive"].view(env.num_worlds, env.num_agents) & there
        right = (place.unsqueeze(1) - place.unsqueeze(2)) % RING
        far = torch.where(alive.unsqueeze(1), torch.minimum(right, RING - right), 10 * RING)
        nearest = far.argmin(dim=2, keepdim=True)
        goes_right = (right.gather(2, nearest).squeeze(2) * 2 < RING) ^ away
        names = env.action_names.index("RIGHT"), env.action_names.index("LEFT")
        return torch.where(goes_right, *names).int().flatten()

    return chosen


def seen(env: Env) -> torch.Tensor:
    """A step of who is it in tag toward the nearer runner of those that it observes, to the right where both are as
    near."""
    left = (env.meter("back") < env.meter("ahead")).repeat_interleave(env.num_agents)
    return torch.where(left, env.action_names.index("LEFT"), env.action_names.index("RIGHT")).int()


def when(meter: str, above: float, then: str, otherwise: str) -> Script:
    """An action while a meter of the world is above a number, else another one."""

    def chosen(env: Env) -> torch.Tensor:
        many = (env.meter(meter) > above).repeat_interleave(env.num_agents)
        return torch.where(many, env.action_names.index(then), env.action_names.index(otherwise)).int()

    return chosen


def allowed(env: Env, actions: torch.Tensor) -> torch.Tensor:
    """Actions that masks allow, [lanes]; others are waits."""
    may = env.action_mask.gather(1, actions.long().unsqueeze(1)).squeeze(1)
    return torch.where(may, actions, env.action_names.index("WAIT")).int()
