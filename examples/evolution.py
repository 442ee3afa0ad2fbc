"""Evolution strategies (T. Salimans and others, 2017) on tables, which kernels look up while they run.

    python examples/evolution.py
    python examples/evolution.py --universe universes/first_meal.hamlet --features here satiation:4 --ticks 200
    python examples/evolution.py --save table.safetensors

A table has a row of logits for each situation: where the agent is, and how full some of its meters are. A generation
is pairs of tables, the present one plus and minus noise. Each lives whole episodes in one launch, in the same worlds as
all others, so that luck does not decide between them; the table moves towards the noise that lived better. Nothing is
differentiated. Another policy that a rollout takes evolves the same way: `situations` and `lived` say what a policy is.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

import torch
from torch import Tensor

import hamlet
from hamlet.env.environment import Env

TOWN = Path(__file__).parents[1] / "universes" / "town.hamlet"


@dataclass(frozen=True, slots=True)
class Config:
    universe: str = str(TOWN)
    backend: str = "auto"
    seed: int = 1
    features: tuple[str, ...] = ("here", "energy:4", "money:4")  # axes of the table; a meter has a number of bins
    generations: int = 150
    pairs: int = 16  # of tables in each generation
    worlds: int = 256  # in which each table lives
    ticks: int = 500  # of a life that counts
    noise: float = 0.3  # the deviation of logits within a generation
    learning_rate: float = 0.1
    decay: float = 0.002  # how much of itself the table loses in each generation
    evaluation: int = 1024  # worlds in which the table is evaluated in the end
    save: str = ""  # a file for the table, which `hamletc eval` reads


Report = Callable[[dict[str, float]], None]


def axes(features: tuple[str, ...]) -> list[str | tuple[str, int]]:
    """The features as `Env.tabular` takes them."""
    return [(name, int(bins)) if bins else name for name, _, bins in (each.partition(":") for each in features)]


def situations(env: Env, features: tuple[str, ...]) -> list[int]:
    """The size of each axis of the table."""
    sizes = {"here": len(env.universe.affordances) + 1}
    if env.universe.lifespan is not None:
        sizes["age"] = env.universe.lifespan.ticks
    return [axis[1] if isinstance(axis, tuple) else sizes[axis] for axis in axes(features)]


def made(config: Config, worlds: int, seed: int) -> Env:
    universe = hamlet.compile(config.universe)
    return hamlet.make(universe, worlds=worlds, backend=config.backend, seed=seed, obs_dtype=None, quiet=True)


def lived(env: Env, logits: Tensor, config: Config, seed: int) -> dict[str, float]:
    """Mean return and length of the first episodes of all lanes, of which those still running count as they stand."""
    env.reset(seed=seed)
    policy = env.tabular(logits.softmax(dim=-1), axes(config.features))
    first = env.rollout(config.ticks, policy, per_lane=1).lanes
    over = first.episodes > 0
    gained = torch.where(over, first.returns[0], env.state["episode_return"])
    length = torch.where(over, first.lengths[0], env.state["age"])
    return {"return": gained.double().mean().item(), "length": length.double().mean().item()}


def ranked(fitness: Tensor) -> Tensor:
    """Ranks from -0.5 to 0.5 in place of numbers, so that no single one of them decides."""
    return fitness.argsort().argsort() / (len(fitness) - 1) - 0.5


def train(config: Config, report: Report) -> Tensor:
    """Evolve the logits of a table; `report` is called after every generation."""
    generator = torch.Generator().manual_seed(config.seed)
    env = made(config, config.worlds, config.seed)
    logits = torch.zeros(*situations(env, config.features), env.num_actions, requires_grad=True)
    optimizer = torch.optim.Adam([logits], lr=config.learning_rate)
    started = time.perf_counter()
    for generation in range(1, config.generations + 1):
        noise = config.noise * torch.randn(config.pairs, *logits.shape, generator=generator)
        noise = torch.cat([noise, -noise])
        found = [lived(env, (logits + each).detach(), config, config.seed + generation) for each in noise]
        fitness = ranked(torch.tensor([each["return"] for each in found]))
        better = torch.einsum("n,n...->...", fitness, noise) / (len(noise) * config.noise**2)
        logits.grad = config.decay * logits.detach() - better
        optimizer.step()
        means = {key: sum(each[key] for each in found) / len(found) for key in ("return", "length")}
        steps = generation * len(noise) * config.worlds * config.ticks
        report({"steps": steps, "seconds": time.perf_counter() - started, **means})
    return logits.detach()


def evaluate(logits: Tensor, config: Config, seed: int) -> dict[str, float]:
    """Mean return and length of a life in worlds that evolution has not seen."""
    return lived(made(config, config.evaluation, seed), logits, config, seed)


def save(path: str, env: Env, logits: Tensor, config: Config) -> None:
    """Write the probabilities of actions, and by which features, as `hamletc eval` takes them."""
    from safetensors.torch import save_file

    about = {"format": 1, "universe": env.module.name, "digest": env.module.digest, "seed": config.seed}
    about["features"] = axes(config.features)
    tensors = {"probabilities": logits.softmax(dim=-1)}
    save_file(tensors, path, {name: json.dumps(value) for name, value in about.items()})


def options(arguments: list[str] | None = None) -> Config:
    """A `Config` from the command line: each field is an option."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for field in fields(Config):
        many = {"nargs": "+"} if isinstance(field.default, tuple) else {"type": type(field.default)}
        parser.add_argument(f"--{field.name.replace('_', '-')}", default=field.default, **many)
    given = vars(parser.parse_args(arguments))
    return Config(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})


if __name__ == "__main__":
    config = options()
    best = train(config, lambda line: print({name: round(value, 1) for name, value in line.items()}, flush=True))
    print("evaluated:", evaluate(best, config, config.seed + 1_000_000))
    if config.save:
        save(config.save, made(config, 1, 0), best, config)
