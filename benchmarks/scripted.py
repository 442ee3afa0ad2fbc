"""Policies for the town and for shifts that somebody wrote down: what learnt ones are compared with.

python benchmarks/scripted.py universes/shifts.hamlet
"""

from __future__ import annotations

import argparse
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

HOUSEHOLD = {"energy": 0.4, "satiation": 0.35, "money": 0.1}
"""Meters that keep somebody alive, and below what each is looked after."""

Lows = dict[str, float]
Policy = Callable[[Env], Tensor]
"""Actions [lanes] for what is now."""


def rest(env: Env) -> Tensor:
    return torch.full((env.num_lanes,), number(env, "REST"), dtype=torch.int32)


def number(env: Env, action: str) -> int:
    return env.action_names.index(action)


def needs(env: Env, lows: Lows) -> Tensor:
    """How far each of some meters is below its low, [meters, lanes]: nobody needs what is closed."""
    helps = affordances(env, lows)
    short = torch.stack([low - env.meter(name) for name, low in lows.items()])
    return short.where(open_now(env)[:, helps].T, -1.0)


def affordances(env: Env, lows: Lows) -> Tensor:
    """The numbers of the affordances that restore these meters."""
    names = [each.name for each in env.universe.affordances]
    return torch.tensor([names.index(HELPS[name]) for name in lows])


def open_now(env: Env) -> Tensor:
    """Which affordances are open, [lanes, affordances]."""
    spans = [each.hours for each in env.universe.affordances]
    if "hour" not in env.state or not any(spans):
        return torch.ones(env.num_lanes, len(spans), dtype=torch.bool)
    hour = env.state["hour"]
    return torch.stack([(hour - span.opens) % 24 < (span.closes - span.opens - 1) % 24 + 1 for span in spans], dim=1)


def engaged(env: Env) -> Tensor:
    """Who is in the middle of something that takes several ticks, [lanes]."""
    return env.state["progress"] > 0 if "progress" in env.state else torch.zeros(env.num_lanes, dtype=torch.bool)


def towards(env: Env, goal: Tensor) -> Tensor:
    """The next step to cells [lanes, 2]; who is there interacts."""
    east, south = (goal - env.state["position"].T).unbind(dim=1)
    left, right, up, down, use = (number(env, name) for name in ("LEFT", "RIGHT", "UP", "DOWN", "INTERACT"))
    across = torch.where(east > 0, right, left)
    along = torch.where(south > 0, down, up)
    return torch.where(east != 0, across, torch.where(south != 0, along, use))


@dataclass(frozen=True, slots=True)
class Wanderer:
    """Uses what restores the meter that it needs most where it stands, rests while it needs none, and else walks at
    random. It knows as much as somebody who sees the cell beneath them and their meters."""

    lows: Lows
    places: Tensor  # [lanes, affordances, 2]
    generator: torch.Generator

    def __call__(self, env: Env) -> Tensor:
        need, which = needs(env, self.lows).max(dim=0)
        goal = self.places[torch.arange(env.num_lanes), affordances(env, self.lows)[which]]
        on = (goal == env.state["position"].T).all(dim=1)
        numbers = torch.tensor([number(env, name) for name in ("UP", "DOWN", "LEFT", "RIGHT")])
        walk = numbers[torch.randint(4, (env.num_lanes,), generator=self.generator)]
        use, still = number(env, "INTERACT"), number(env, "REST")
        return torch.where(need > 0, torch.where(on, use, walk), still).int()


@dataclass(frozen=True, slots=True)
class Errands:
    """Goes to what restores the meter that it needs most, ends what it has begun, and rests while it needs none. It
    knows where everything is, which no observation of these universes tells."""

    lows: Lows
    places: Tensor

    def __call__(self, env: Env) -> Tensor:
        need, which = needs(env, self.lows).max(dim=0)
        goal = self.places[torch.arange(env.num_lanes), affordances(env, self.lows)[which]]
        action = torch.where(need > 0, towards(env, goal), number(env, "REST"))
        return action.where(~engaged(env), number(env, "INTERACT")).int()


class Explorer:
    """Sees the cells around it, as the window of shifts does, tries what stands there, and remembers what it was.

    It looks for what it does not know until it has found bed and meal, in between runs the errands that it can, and
    rests. The rules of the universe it knows as `Errands` does: what has to be learnt by a policy that remembers.
    """

    def __init__(self, env: Env, lows: Lows, places: Tensor, sight: int = 2) -> None:
        self.lows, self.places, self.sight = lows, places, sight
        self.width, self.height = sizes(env)
        cells = torch.cartesian_prod(torch.arange(self.height), torch.arange(self.width)).flip(1)
        self.cells, self.stands = cells.int(), places[..., 1] * self.width + places[..., 0]
        lanes, count = env.num_lanes, len(cells)
        self.seen, self.tried = torch.zeros(2, lanes, count, dtype=torch.bool)
        self.known = torch.zeros(lanes, places.shape[1], dtype=torch.bool)
        self.taken = torch.zeros(lanes, count, dtype=torch.bool).scatter_(1, self.stands.long(), True)

    def __call__(self, env: Env) -> Tensor:
        helps, position = affordances(env, self.lows), env.state["position"].T
        self.seen |= (self.cells - position[:, None]).abs().amax(dim=2) <= self.sight
        need, which = needs(env, self.lows).where(self.known[:, helps].T, -1.0).max(dim=0)
        unknown, looks = self.unknown(position)
        looks &= ~self.known[:, affordances(env, {"energy": 0, "satiation": 0})].all(dim=1)
        errand = self.places[torch.arange(env.num_lanes), helps[which]]
        goal = torch.where((need > 0)[:, None], errand, unknown)
        action = torch.where((need > 0) | looks, towards(env, goal), number(env, "REST"))
        action = action.where(~(engaged(env) & self.useful(position, helps)), number(env, "INTERACT"))
        return self.tries(env, action, position).int()

    def unknown(self, position: Tensor) -> tuple[Tensor, Tensor]:
        """The nearest affordance that was seen and not tried, else the nearest cell that was not seen, [lanes, 2]."""
        far = (self.cells - position[:, None]).abs().sum(dim=2)
        rank = far + 100 * (self.seen & ~(self.taken & ~self.tried)) + 50 * ~self.seen
        least, which = rank.min(dim=1)
        return self.cells[which], least < 100

    def useful(self, position: Tensor, helps: Tensor) -> Tensor:
        return (self.places[:, helps] == position[:, None]).all(dim=2).any(dim=1)

    def tries(self, env: Env, action: Tensor, position: Tensor) -> Tensor:
        """Who interacts knows afterwards what it was; where one may not, one rests and asks no more."""
        lanes, use = torch.arange(env.num_lanes), number(env, "INTERACT")
        here = (self.places == position[:, None]).all(dim=2)
        may = env.action_mask[:, use]
        self.known |= here & ((action == use) & may)[:, None]
        self.tried[lanes, position[:, 1] * self.width + position[:, 0]] |= action == use
        return action.where((action != use) | may, number(env, "REST"))


def sizes(env: Env) -> tuple[int, int]:
    width, height = env.view(0).board.size
    return int(width), int(height)


def places(env: Env) -> Tensor:
    """Where affordances stand, [lanes, affordances, 2], by what a viewer of each world sees."""
    return torch.tensor([[stand.at for stand in env.view(world).stands] for world in range(env.num_worlds)]).int()


def householders(env: Env) -> dict[str, Callable[[], Policy]]:
    """Scripted policies by name, made when their episodes begin. What knows where everything is has `knows` in its
    name, what finds out and remembers has `remembers`."""
    stands = places(env)
    found: dict[str, Callable[[], Policy]] = {"rests": lambda: rest}

    def add(name: str, lows: Lows) -> None:
        found[f"wanders, {name}"] = lambda: Wanderer(lows, stands, torch.Generator().manual_seed(1))
        found[f"remembers, {name}"] = lambda: Explorer(env, lows, stands)
        found[f"knows, {name}"] = lambda: Errands(lows, stands)

    for low in (0.3, 0.5, 0.7):
        add(f"all meters below {low}", dict.fromkeys(HELPS, low))
        add(f"four meters below {low}", dict.fromkeys(("energy", "satiation", "health", "money"), low))
    add("household", HOUSEHOLD)
    return found


@dataclass(frozen=True, slots=True)
class Grazer:
    """An animal of `alarm` that does one thing when it sees the hawk and one when it is afraid, and else grazes."""

    seeing: str
    afraid: str

    def __call__(self, env: Env) -> Tensor:
        graze, seeing, afraid = (torch.tensor(number(env, name)) for name in ("WAIT", self.seeing, self.afraid))
        action = torch.where(env.meter("fear") > 0, afraid, torch.where(env.meter("sees") > 0, seeing, graze))
        return action.where(env.state["alive"], graze).int()


def herd() -> dict[str, Callable[[], Policy]]:
    return {
        "grazes": lambda: Grazer("WAIT", "WAIT"),
        "hides when it sees": lambda: Grazer("HIDE", "HIDE"),
        "calls when it sees": lambda: Grazer("CALL", "HIDE"),
    }


def lived(env: Env, policy: Policy, longest: int) -> dict[str, float]:
    """Mean length and return of the first episode of each lane, from a reset that has just been."""
    length, gained = torch.zeros(2, env.num_lanes)
    going = torch.ones(env.num_lanes, dtype=torch.bool)
    for _ in range(longest):
        _, reward, terminated, truncated, _ = env.step(policy(env))
        length, gained = length + going, gained + reward * going
        going &= ~(terminated | truncated)
    return {"length": length.mean().item(), "return": gained.mean().item()}


def best(universe: str, worlds: int, agents: int, shows: str) -> dict[str, dict[str, float]]:
    """Of each kind of scripted policy, which is its name up to a comma, the one that lives or earns most."""
    env = hamlet.make(hamlet.compile(universe), worlds=worlds, agents=agents, seed=7, quiet=True)
    made = herd() if env.universe.name == "alarm" else householders(env)
    found: dict[str, tuple[str, dict[str, float]]] = {}
    for name, policy in made.items():
        env.reset(seed=7)
        result, kind = lived(env, policy(), env.universe.lifespan.ticks + 1), name.split(",")[0]
        if kind not in found or result[shows] > found[kind][1][shows]:
            found[kind] = name, result
    return dict(found.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("universe")
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--agents", type=int, default=1, help="in each world")
    parser.add_argument("--shows", default="length", help="what is best: length or return")
    given = parser.parse_args()
    for name, result in best(given.universe, given.worlds, given.agents, given.shows).items():
        print(f"{name}: {result['length']:.1f} ticks, {result['return']:.1f} of reward")


if __name__ == "__main__":
    main()
