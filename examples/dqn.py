"""Deep Q-learning (V. Mnih and others, 2015) with double estimates (H. van Hasselt and others, 2016) and action masks.

    python examples/dqn.py
    python examples/dqn.py --universe universes/town.hamlet --steps 4_000_000
    python examples/dqn.py --save meal.safetensors

Transitions of all lanes go into a replay memory on the device of the environment. One step of all worlds is followed by
one gradient step. Every hyperparameter is a field of `Config` and an option of the command.
"""

from __future__ import annotations

import argparse
import copy
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

import torch
from torch import Tensor, nn

import hamlet
from hamlet.env.environment import Env

FIRST_MEAL = Path(__file__).parents[1] / "universes" / "first_meal.hamlet"
OFF = -1e9
"""The value of an action that the mask switches off."""


@dataclass(frozen=True, slots=True)
class Config:
    universe: str = str(FIRST_MEAL)
    backend: str = "auto"
    seed: int = 1
    steps: int = 1_000_000  # agent-ticks of the whole training
    worlds: int = 256
    memory: int = 200_000  # transitions that are kept
    warmup: int = 20_000  # agent-ticks before the first gradient step
    batch: int = 1024
    learning_rate: float = 1e-3  # at the beginning; it falls to 0 in a line
    discount: float = 0.99
    follow: float = 0.01  # how far the target network goes to the trained one with each gradient step
    explore: float = 0.5  # the share of the training in which exploration falls from 1 to `explore_last`
    explore_last: float = 0.02
    gradient_norm: float = 10.0
    hidden: int = 64
    evaluation: int = 1024  # worlds in which the learnt policy is evaluated
    longest: int = 1000  # ticks of an evaluation
    log: str = ""  # a file for one line of JSON per report
    save: str = ""  # a file for the weights, which `hamletc eval --greedy` reads; it takes `hidden` up to 64


Report = Callable[[dict[str, float]], None]


class Values(nn.Module):
    """The value of each action, [samples, actions], of observations [samples, values]. Rewards are scaled by
    1 - discount, so values are of the size of a reward."""

    def __init__(self, env: Env, hidden: int) -> None:
        super().__init__()
        self.register_buffer("low", env.observation_low)
        self.register_buffer("scale", 2 / (env.observation_high - env.observation_low).clamp(min=1e-6))
        first, second = nn.Linear(len(env.observation_names), hidden), nn.Linear(hidden, hidden)
        self.layers = nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), nn.Linear(hidden, env.num_actions))

    def forward(self, observation: Tensor) -> Tensor:
        values: Tensor = self.layers((observation - self.low) * self.scale - 1)
        return values


class Memory:
    """The last transitions, a row each; the oldest make place for the newest."""

    def __init__(self, env: Env, capacity: int) -> None:
        values, rows, device = len(env.observation_names), capacity // env.num_lanes * env.num_lanes, env.device
        self.before, self.after = torch.zeros(2, rows, values, device=device)
        self.mask_after = torch.zeros(rows, env.num_actions, dtype=torch.bool, device=device)
        self.actions = torch.zeros(rows, dtype=torch.int64, device=device)
        self.reward = torch.zeros(rows, device=device)
        self.terminated = torch.zeros(rows, dtype=torch.bool, device=device)
        self.rows, self.size, self.next = rows, 0, 0

    def add(self, *columns: Tensor) -> None:
        """Observations before and after, the mask after, actions, rewards, and whether the agent died."""
        here = slice(self.next, self.next + len(columns[0]))
        own = (self.before, self.after, self.mask_after, self.actions, self.reward, self.terminated)
        for kept, new in zip(own, columns, strict=True):
            kept[here] = new
        self.next = here.stop % self.rows
        self.size = max(self.size, here.stop)


def greedy(values: nn.Module, observation: Tensor, mask: Tensor) -> Tensor:
    chosen: Tensor = values(observation).masked_fill(~mask, OFF).argmax(dim=1)
    return chosen


@torch.no_grad()
def acted(values: nn.Module, observation: Tensor, mask: Tensor, exploration: float) -> Tensor:
    """The best allowed action, or with a chance of `exploration` any allowed one."""
    anything = torch.multinomial(mask.float(), 1)[:, 0]
    return torch.where(
        torch.rand(len(mask), device=mask.device) < exploration, anything, greedy(values, observation, mask)
    )


def learn(
    values: nn.Module, target: nn.Module, optimizer: torch.optim.Optimizer, memory: Memory, config: Config
) -> float:
    """One gradient step on transitions from the memory. Returns the loss."""
    rows = torch.randint(memory.size, (config.batch,), device=memory.reward.device)
    after, mask = memory.after[rows], memory.mask_after[rows]
    with torch.no_grad():
        following = target(after).gather(1, greedy(values, after, mask)[:, None])[:, 0] * ~memory.terminated[rows]
        wanted = (1 - config.discount) * memory.reward[rows] + config.discount * following
    found = values(memory.before[rows]).gather(1, memory.actions[rows][:, None])[:, 0]
    loss = nn.functional.smooth_l1_loss(found, wanted)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(values.parameters(), config.gradient_norm)
    optimizer.step()
    with torch.no_grad():
        for slow, fast in zip(target.parameters(), values.parameters(), strict=True):
            slow.lerp_(fast, config.follow)
    return loss.item()


def made(config: Config, worlds: int, seed: int) -> Env:
    return hamlet.make(hamlet.compile(config.universe), worlds=worlds, backend=config.backend, seed=seed, quiet=True)


def train(config: Config, report: Report) -> Values:
    """Train values; `report` is called for every 100 steps of the worlds."""
    torch.manual_seed(config.seed)
    env = made(config, config.worlds, config.seed)
    values = Values(env, config.hidden).to(env.device)
    target, memory = copy.deepcopy(values), Memory(env, config.memory)
    optimizer = torch.optim.Adam(values.parameters(), lr=config.learning_rate, fused=True)
    observation, info = env.reset()
    before, mask = observation.clone(), info["action_mask"].clone()
    ended, lengths, loss, started = 0, 0, 0.0, time.perf_counter()
    for step in range(1, max(2, config.steps // config.worlds + 1)):
        done = step * config.worlds
        optimizer.param_groups[0]["lr"] = config.learning_rate * max(0.0, 1 - done / config.steps)
        exploration = max(config.explore_last, 1 - done / (config.explore * config.steps))
        actions, age = acted(values, before, mask, exploration), env.state["age"] + 1
        observation, reward, terminated, truncated, info = env.step(actions.int())
        # Where an episode has ended the observation is of the next one, and its last one is kept apart.
        over = terminated | truncated
        after = torch.where(over[:, None], info["final_observation"], observation)
        memory.add(before, after, info["action_mask"] | over[:, None], actions, reward, terminated)
        before, mask = observation.clone(), info["action_mask"].clone()
        ended, lengths = ended + int(over.sum()), lengths + int(age[over].sum())
        if done >= config.warmup:
            loss = learn(values, target, optimizer, memory, config)
        if step % 100 == 0:
            seconds, length = time.perf_counter() - started, lengths / max(ended, 1)
            report({"steps": done, "seconds": seconds, "episodes": ended, "length": length, "loss": loss})
            ended, lengths = 0, 0
    return values


@torch.no_grad()
def evaluate(values: nn.Module, config: Config, seed: int) -> dict[str, float]:
    """Mean length and return of the first episode of every world, in worlds that training has not seen."""
    env = made(config, config.evaluation, seed)
    observation, info = env.reset()
    length, gained = torch.zeros(2, env.num_lanes, device=env.device)
    going = torch.ones(env.num_lanes, dtype=torch.bool, device=env.device)
    for _ in range(config.longest):
        if not going.any():
            break
        actions = acted(values, observation, info["action_mask"], config.explore_last)
        observation, reward, terminated, truncated, info = env.step(actions.int())
        length, gained = length + going, gained + reward * going
        going &= ~(terminated | truncated)
    return {"length": length.mean().item(), "return": gained.mean().item()}


def save(path: str, env: Env, layers: list[tuple[Tensor, Tensor]], seed: int) -> None:
    """Write weights and biases as `hamletc eval` and `hamlet.MLP` take them; the last row of the heads, the value, says
    nothing here."""
    from safetensors.torch import save_file

    (first, _), *_, (_, heads) = layers
    about = {
        "format": 1,
        "universe": env.module.name,
        "digest": env.module.digest,
        "seed": seed,
        "inputs": first.shape[1],
        "hidden": [len(bias) for _, bias in layers[:-1]],
        "actions": len(heads) - 1,
        "controls": 0,
        "activation": "relu",
    }
    tensors = {f"weights.{number}": weight.detach().cpu().contiguous() for number, (weight, _) in enumerate(layers)}
    tensors |= {f"biases.{number}": bias.detach().cpu().contiguous() for number, (_, bias) in enumerate(layers)}
    save_file(tensors, path, {name: json.dumps(value) for name, value in about.items()})


def plain(values: Values) -> list[tuple[Tensor, Tensor]]:
    """The layers of a network that sees observations as they are: the scale goes into the first one."""
    first, second, heads = (values.layers[number] for number in (0, 2, 4))
    weight = first.weight * values.scale
    bias = first.bias - weight @ values.low - first.weight.sum(dim=1)
    rows = torch.cat([heads.weight, torch.zeros_like(heads.weight[:1])]), torch.cat([heads.bias, heads.bias[:1] * 0])
    return [(weight, bias), (second.weight, second.bias), rows]


def options(arguments: list[str] | None = None) -> Config:
    """A `Config` from the command line: each field is an option."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for field in fields(Config):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default), default=field.default)
    return Config(**vars(parser.parse_args(arguments)))


def reporter(log: str) -> Report:
    """Prints what training reports, and adds it to the file `log` if there is one."""

    def report(line: dict[str, float]) -> None:
        print({name: round(value, 3) for name, value in line.items()}, flush=True)
        if log:
            with Path(log).open("a") as file:
                file.write(json.dumps(line) + "\n")

    return report


if __name__ == "__main__":
    config = options()
    if config.save and config.hidden > 64:
        raise SystemExit("hamletc eval reads networks of at most 64 hidden units: --save takes --hidden 64")
    learnt = train(config, reporter(config.log))
    print("evaluated:", evaluate(learnt, config, config.seed + 1_000_000))
    if config.save:
        save(config.save, made(config, 1, 0), plain(learnt), config.seed)
