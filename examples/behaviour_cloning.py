"""Behaviour cloning (D. Pomerleau, 1989): a network learns from a data set of Minari to act as its teacher did.

    python examples/behaviour_cloning.py
    python examples/behaviour_cloning.py --universe universes/town.hamlet --teacher runs/town --dataset town/expert-v0
    hamletc record universes/first_meal.hamlet --minari first_meal/zoo-v0 --policy zoo:first_meal --worlds 300

The teacher plays the data set first, unless there is one of this name. Nothing of the universe but its episodes is
learnt from; where a mask switches an action off, no probability is left for it. In the end the teacher, the clone and
random actions play worlds that the data set does not have. It needs the extra `minari`; each field of `Config` is an
option.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import minari
import torch
from gymnasium.spaces import Box, Discrete
from torch import Tensor, nn

import hamlet
import hamlet_minari
from hamlet.env.environment import Env

FIRST_MEAL = Path(__file__).parents[1] / "universes" / "first_meal.hamlet"
OFF = -1e9
"""The logit of an action that the mask switches off."""


@dataclass(frozen=True, slots=True)
class Config:
    universe: str = str(FIRST_MEAL)
    teacher: str = "zoo:first_meal"  # the folder of a run, or a policy of the zoo
    dataset: str = "first_meal/zoo-v0"
    episodes: int = 300  # that the teacher plays, where there is no data set yet
    epochs: int = 10
    batch: int = 512
    learning_rate: float = 3e-3  # at the beginning; it falls to 0 in a line
    hidden: int = 64
    seed: int = 1
    evaluation: int = 1000  # worlds in which all are played
    longest: int = 500  # ticks of an evaluation


def rows_of(dataset: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Observations [rows, values], masks [rows, actions] and actions [rows] of all steps of a data set."""
    if not isinstance(dataset.observation_space, Box) or not isinstance(dataset.action_space, Discrete):
        raise SystemExit(f"this example clones rows of numbers and single actions, not {dataset.action_space}")
    episodes = list(dataset.iterate_episodes())
    # The last observation of an episode has no action.
    seen = torch.cat([torch.from_numpy(each.observations[:-1]) for each in episodes])
    masks = torch.cat([torch.from_numpy(each.infos["action_mask"][:-1]) for each in episodes])
    return seen, masks.bool(), torch.cat([torch.from_numpy(each.actions) for each in episodes])


def clone(network: nn.Sequential, dataset: Any, config: Config) -> float:
    """Raise the probability of each action that the teacher took. Returns the mean loss of the last epoch."""
    seen, masks, actions = rows_of(dataset)
    optimizer = torch.optim.Adam(network.parameters(), lr=config.learning_rate)
    steps = config.epochs * -(-len(seen) // config.batch)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, steps)
    losses: list[float] = []
    for _ in range(config.epochs):
        losses.clear()
        for batch in torch.randperm(len(seen)).split(config.batch):
            logits = network(seen[batch]).masked_fill(~masks[batch], OFF)
            loss = nn.functional.cross_entropy(logits, actions[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
    return sum(losses) / len(losses)


def played(env: Env, policy: Any, config: Config) -> tuple[float, float]:
    """Mean return and length of the first episodes that end within an evaluation, by any policy of `hamlet`."""
    env.reset(seed=config.seed + 1_000_000)
    lanes = env.rollout(config.longest, policy, per_lane=1).lanes
    ended = lanes.episodes > 0
    return lanes.returns[0, ended].mean().item(), lanes.lengths[0, ended].float().mean().item()


def main(config: Config) -> dict[str, tuple[float, float]]:
    """Clone, and play all. Returns mean return and length of each."""
    torch.manual_seed(config.seed)
    module, teacher = hamlet.compile(config.universe), hamlet.policy(config.teacher)
    if config.dataset not in minari.list_local_datasets():
        hamlet_minari.record(config.universe, config.dataset, teacher, config.episodes, seed=config.seed)
    dataset = minari.load_dataset(config.dataset)
    if dataset.storage.metadata["digest"] != module.digest:
        raise SystemExit(f"{config.dataset} is of another universe, or of another version of {module.name}")
    env = hamlet.make(module, worlds=config.evaluation, seed=config.seed, quiet=True)
    values, actions = len(env.observation_names), dataset.action_space.n
    network = nn.Sequential(
        nn.Linear(values, config.hidden), nn.Tanh(),
        nn.Linear(config.hidden, config.hidden), nn.Tanh(),
        nn.Linear(config.hidden, actions),
    )  # fmt: skip
    loss = clone(network, dataset, config)
    print(f"cloned {dataset.total_steps:,} steps of {dataset.total_episodes} episodes: loss {loss:.3f}")
    layers = [network[number] for number in (0, 2, 4)]
    student = hamlet.MLP(
        [each.weight.detach() for each in layers], [each.bias.detach() for each in layers], value=False
    )
    players: dict[str, Any] = {"teacher": teacher, "clone": student, "random": "random"}
    results = {name: played(env, policy, config) for name, policy in players.items()}
    for name, (gained, length) in results.items():
        print(f"{name:8} return {gained:8.2f}  length {length:7.1f}")
    return results


def options(arguments: list[str] | None = None) -> Config:
    """A `Config` from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for field in fields(Config):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default), default=field.default)
    return Config(**vars(parser.parse_args(arguments)))


if __name__ == "__main__":
    main(options())
