"""Policies for the town and for shifts that somebody wrote down: what learnt ones are compared with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

import hamlet
from hamlet.env.environment import Env

HELPS = {
    "energy": "Bed",
    "hygiene": "Shower",
    "satiation": "HomeMeal",
    "money": "Job",
    "mood": "Recreation",
    "social": "Park",
    "health": "Doctor",
    "fitness": "Gym",
}
"""The affordance that restores a meter."""

Policy = Callable[[Env], Tensor]
"""Actions [lanes] for what is now."""


def rest(env: Env) -> Tensor:
    return torch.full((env.num_lanes,), env.action_names.index("REST"), dtype=torch.int32)


def needs(env: Env, meters: tuple[str, ...], low: float) -> tuple[Tensor, Tensor]:
    """The affordance that restores the lowest of some meters, [lanes], and whether one is below `low`."""
    least, which = torch.stack([env.meter(name) for name in meters]).min(dim=0)
    names = [each.name for each in env.universe.affordances]
    return torch.tensor([names.index(HELPS[name]) for name in meters])[which], least < low


@dataclass(frozen=True, slots=True)
class Wanderer:
    """Uses what restores its lowest meter where it stands, rests while no meter is low, and else walks at random. It
    knows as much as somebody who sees the cell beneath them and their meters."""

    meters: tuple[str, ...]
    low: float
    generator: torch.Generator
    places: Tensor  # [lanes, affordances, 2]

    def __call__(self, env: Env) -> Tensor:
        wanted, need = needs(env, self.meters, self.low)
        on = (self.places[torch.arange(env.num_lanes), wanted] == env.state["position"].T).all(dim=1)
        numbers = torch.tensor([env.action_names.index(name) for name in ("UP", "DOWN", "LEFT", "RIGHT")])
        walk = numbers[torch.randint(4, (env.num_lanes,), generator=self.generator)]
        use, still = (env.action_names.index(name) for name in ("INTERACT", "REST"))
        return torch.where(need, torch.where(on, use, walk), still).int()


@dataclass(frozen=True, slots=True)
class Errands:
    """Goes to what restores its lowest meter, and rests while no meter is low. It knows where everything is, which no
    observation of these universes tells."""

    meters: tuple[str, ...]
    low: float
    places: Tensor

    def __call__(self, env: Env) -> Tensor:
        wanted, need = needs(env, self.meters, self.low)
        east, south = (self.places[torch.arange(env.num_lanes), wanted] - env.state["position"].T).unbind(dim=1)
        left, right, up, down, use, still = (
            env.action_names.index(name) for name in ("LEFT", "RIGHT", "UP", "DOWN", "INTERACT", "REST")
        )
        across = torch.where(east > 0, right, left)
        along = torch.where(south > 0, down, up)
        way = torch.where(east != 0, across, torch.where(south != 0, along, use))
        return torch.where(need, way, still).int()


def places(env: Env) -> Tensor:
    """Where affordances stand, [lanes, affordances, 2], by what a viewer of each world sees."""
    return torch.tensor([[stand.at for stand in env.view(world).stands] for world in range(env.num_worlds)]).int()


FEW = ("energy", "satiation", "health", "money")


def candidates(env: Env) -> dict[str, Policy]:
    """Scripted policies by name. What knows where everything is has `knows` in its name."""
    found: dict[str, Policy] = {"rests": rest}
    stands, all_meters = places(env), tuple(HELPS)
    for low in (0.3, 0.5, 0.7):
        for kind, meters in (("four meters", FEW), ("all meters", all_meters)):
            generator = torch.Generator().manual_seed(1)
            found[f"wanders, {kind} below {low}"] = Wanderer(meters, low, generator, stands)
            found[f"knows, {kind} below {low}"] = Errands(meters, low, stands)
    return found


def lived(env: Env, policy: Policy, longest: int) -> dict[str, float]:
    """Mean length and return of the first episode of each lane, from a reset that has just been."""
    length, gained = torch.zeros(2, env.num_lanes)
    going = torch.ones(env.num_lanes, dtype=torch.bool)
    for _ in range(longest):
        _, reward, terminated, truncated, _ = env.step(policy(env))
        length, gained = length + going, gained + reward * going
        going &= ~(terminated | truncated)
    return {"length": length.mean().item(), "return": gained.mean().item()}


def best(universe: str, worlds: int, seed: int, longest: int) -> dict[str, dict[str, float]]:
    """Of each kind of scripted policy the one that lives longest: `rests`, `wanders ...`, `knows ...`."""
    env = hamlet.make(hamlet.compile(universe), worlds=worlds, seed=seed, quiet=True)
    found: dict[str, tuple[str, dict[str, float]]] = {}
    for name, policy in candidates(env).items():
        env.reset(seed=seed)
        result, kind = lived(env, policy, longest), name.split(",")[0]
        if kind not in found or result["length"] > found[kind][1]["length"]:
            found[kind] = name, result
    return dict(found.values())
