"""Proximal policy optimisation for agents that must remember, by a gated recurrent unit (K. Cho and others, 2014).

    python examples/ppo_gru.py
    python examples/ppo_gru.py --universe universes/town.hamlet --steps 10_000_000

An agent that sees a window has to keep in mind what is where. Gradients flow back through the ticks of one rollout;
what is remembered goes on to the next one, and is empty where an episode begins. Otherwise this is ppo.py. Every
hyperparameter is a field of `Config` and an option of the command.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

import torch
from torch import Tensor, nn

import hamlet
from hamlet.env.environment import Env

SHIFTS = Path(__file__).parents[1] / "universes" / "shifts.hamlet"
OFF = -1e9
"""The logit of an action that the mask switches off."""


@dataclass(frozen=True, slots=True)
class Config:
    universe: str = str(SHIFTS)
    backend: str = "auto"
    seed: int = 1
    steps: int = 20_000_000  # agent-ticks of the whole training
    worlds: int = 1024
    agents: int = 1  # in each world
    team: bool = False  # whether agents of a world are paid the mean of their rewards
    ticks: int = 32  # of one rollout; a batch has ticks * worlds * agents samples
    epochs: int = 2  # how often each batch is learnt from
    minibatches: int = 4
    learning_rate: float = 2e-3  # at the beginning; it falls to 0 in a line
    discount: float = 0.999
    trace: float = 0.97  # lambda of the generalised advantage estimate
    clip: float = 0.2
    entropy: float = 0.05  # what a nat of entropy is worth at the beginning; it falls to 0 in a line
    value_weight: float = 0.5
    gradient_norm: float = 0.5
    hidden: int = 64
    evaluation: int = 1024  # worlds in which the learnt policy is evaluated
    longest: int = 1000  # ticks of an evaluation
    precision: str = "float32"  # of observations and layers; "bfloat16" is faster on GPUs and on CPUs with AMX
    log: str = ""  # a file for one line of JSON per update


Report = Callable[[dict[str, float]], None]


class Agent(nn.Module):
    """Logits [actions, ticks, lanes] and values [ticks, lanes] of observations [values, ticks, lanes]."""

    def __init__(self, env: Env, hidden: int) -> None:
        super().__init__()
        low, high = env.observation_low[:, None], env.observation_high[:, None]
        self.register_buffer("low", low)
        self.register_buffer("scale", 2 / (high - low).clamp(min=1e-6))
        self.hidden = hidden
        self.encoder, self.heads = nn.Linear(len(low), hidden), nn.Linear(hidden, env.num_actions + 1)
        self.seen, self.known = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, 3 * hidden)
        for layer, gain in ((self.encoder, 2**0.5), (self.seen, 1.0), (self.known, 1.0), (self.heads, 0.01)):
            nn.init.orthogonal_(layer.weight, gain)
            nn.init.zeros_(layer.bias)

    def forward(self, observation: Tensor, memory: Tensor, begins: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """And the memory afterwards. `memory` [hidden, lanes] is forgotten where an episode `begins` [ticks, lanes]."""
        weight = self.encoder.weight * self.scale.T
        bias = self.encoder.bias - weight @ self.low[:, 0] - self.encoder.weight.sum(dim=1)
        ticks, kind, memories = observation.shape[1], observation.dtype, []
        seen = affine(self.seen, affine_of(weight, bias, observation.flatten(1)).relu_())
        for new, begin in zip(seen.float().unflatten(1, (ticks, -1)).unbind(1), begins, strict=True):
            memory = memory * ~begin
            known = affine(self.known, memory.to(kind)).float()
            keep, reset = (new[: 2 * self.hidden] + known[: 2 * self.hidden]).sigmoid().chunk(2)
            fresh = (new[2 * self.hidden :] + reset * known[2 * self.hidden :]).tanh()
            memory = fresh + keep * (memory - fresh)
            memories.append(memory)
        heads = affine(self.heads, torch.stack(memories, dim=1).flatten(1).to(kind)).float().unflatten(1, (ticks, -1))
        return heads[:-1], heads[-1], memory

    def log_probabilities(
        self, observation: Tensor, mask: Tensor, memory: Tensor, begins: Tensor
    ) -> tuple[Tensor, ...]:
        """Of all actions, [actions, ticks, lanes], values [ticks, lanes], and the memory afterwards."""
        logits, value, memory = self(observation, memory, begins)
        return logits.masked_fill(~mask, OFF).log_softmax(dim=0), value, memory


def affine_of(weight: Tensor, bias: Tensor, x: Tensor) -> Tensor:
    return torch.addmm(bias[:, None].to(x.dtype), weight.to(x.dtype), x)


def affine(layer: nn.Linear, x: Tensor) -> Tensor:
    return affine_of(layer.weight, layer.bias, x)


def drawn(log_probabilities: Tensor) -> Tensor:
    """An action per sample: the first arrival of Poisson processes whose rates are the probabilities."""
    return (log_probabilities.exp() / torch.empty_like(log_probabilities).exponential_()).argmax(dim=0)


class Batch:
    """What a rollout leaves, with lanes last, as the environment stores them: a step writes observations in place."""

    def __init__(self, env: Env, ticks: int, hidden: int) -> None:
        values, lanes, device = len(env.observation_names), env.num_lanes, env.device
        self.observations = torch.zeros(ticks + 1, values, lanes, dtype=env.observation.dtype, device=device)
        self.masks = torch.zeros(ticks + 1, env.num_actions, lanes, dtype=torch.bool, device=device)
        self.actions = torch.zeros(ticks, lanes, dtype=torch.int64, device=device)
        self.alive = torch.zeros(ticks, lanes, dtype=torch.bool, device=device)
        self.begins = torch.zeros(ticks, lanes, dtype=torch.bool, device=device)
        self.memory, self.memory_after = torch.zeros(2, hidden, lanes, device=device)
        self.ended = torch.zeros(ticks, lanes, dtype=torch.bool, device=device)
        self.chances, self.values, self.rewards, self.after, self.advantages = torch.zeros(
            5, ticks, lanes, device=device
        )
        observation, info = env.reset()
        self.observations[0], self.masks[0] = observation.T, info["action_mask"].T


@torch.no_grad()
def collect(env: Env, agent: Agent, batch: Batch, config: Config) -> None:
    """Fill the batch with the next ticks. `after` is the value of what is lost at a lifespan, 0 elsewhere."""
    memory = batch.memory
    for tick in range(config.ticks):
        batch.alive[tick], batch.begins[tick] = env.state["alive"], env.state["age"] == 0
        seen, mask, begins = (
            batch.observations[tick, :, None],
            batch.masks[tick, :, None],
            batch.begins[tick : tick + 1],
        )
        log_probabilities, batch.values[tick : tick + 1], memory = agent.log_probabilities(seen, mask, memory, begins)
        actions = drawn(log_probabilities)
        batch.chances[tick] = log_probabilities.gather(0, actions[None])[0, 0]
        batch.actions[tick] = actions = actions[0]
        observation, reward, terminated, truncated, info = env.step(actions.int(), out=batch.observations[tick + 1].T)
        batch.masks[tick + 1] = info["action_mask"].T
        batch.rewards[tick] = shared(reward, config) if config.team else reward
        batch.ended[tick] = terminated | truncated
        batch.after[tick] = 0
        if truncated.any():
            # Where a world has begun anew its last observation is kept apart; lanes that wait for others show it still.
            last = torch.where(env.state["alive"], info["final_observation"].T, observation.T)[:, None, truncated]
            goes_on = torch.zeros(1, last.shape[2], dtype=torch.bool, device=last.device)
            batch.after[tick, truncated] = agent(last, memory[:, truncated], goes_on)[1][0]
    batch.memory_after = memory


def shared(reward: Tensor, config: Config) -> Tensor:
    return reward.view(-1, config.agents).mean(dim=1, keepdim=True).expand(-1, config.agents).flatten()


@torch.no_grad()
def estimate(agent: Agent, batch: Batch, spread: float, config: Config) -> None:
    """Generalised advantage estimates. Values are in units of `spread`, the deviation of discounted returns."""
    begins = batch.ended[-1:]
    following = agent(batch.observations[-1, :, None], batch.memory_after, begins)[1][0]
    advantage = torch.zeros_like(following)
    for tick in reversed(range(config.ticks)):
        onward = ~batch.ended[tick]
        target = batch.rewards[tick] / spread + config.discount * (onward * following + batch.after[tick])
        advantage = target - batch.values[tick] + config.discount * config.trace * onward * advantage
        batch.advantages[tick], following = advantage, batch.values[tick]


def learn(agent: Agent, optimizer: torch.optim.Optimizer, batch: Batch, left: float, config: Config) -> float:
    """Learn from the batch; a minibatch is all ticks of some lanes. Returns the mean entropy of the policy."""
    lanes = batch.values.shape[1]
    size = -(-lanes // config.minibatches)
    entropies = []
    for _ in range(config.epochs):
        for number in torch.randperm(config.minibatches).tolist():
            loss, entropy = objective(agent, batch, slice(number * size, (number + 1) * size), config)
            loss = loss - left * config.entropy * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), config.gradient_norm)
            optimizer.step()
            entropies.append(entropy.detach())
    return torch.stack(entropies).mean().item()


def objective(agent: Agent, batch: Batch, lanes: slice, config: Config) -> tuple[Tensor, Tensor]:
    """The loss, and the entropy of the policy, over the lanes that were alive."""

    def part(rows: Tensor) -> Tensor:
        return rows[: config.ticks, ..., lanes]

    weight = part(batch.alive).float()
    weight /= weight.sum().clamp(min=1)
    seen, mask = part(batch.observations).movedim(0, 1), part(batch.masks).movedim(0, 1)
    log_probabilities, value, _ = agent.log_probabilities(seen, mask, batch.memory[:, lanes], part(batch.begins))
    advantage, old = part(batch.advantages), part(batch.values)
    target = advantage + old
    mean = (weight * advantage).sum()
    advantage = (advantage - mean) / ((weight * (advantage - mean).square()).sum().sqrt() + 1e-8)
    ratio = (log_probabilities.gather(0, part(batch.actions)[None])[0] - part(batch.chances)).exp()
    gain = torch.minimum(ratio * advantage, ratio.clamp(1 - config.clip, 1 + config.clip) * advantage)
    entropy = -(weight * (log_probabilities.exp() * log_probabilities)).sum()
    error = (weight * (value - target).square()).sum()
    return -(weight * gain).sum() + config.value_weight * error, entropy


class Episodes:
    """Returns and lengths of the episodes that run, over updates."""

    def __init__(self, lanes: int, device: torch.device) -> None:
        self.running = torch.zeros(3, lanes, device=device)  # discounted return, return, length
        self.spread, self.updates = 1.0, 0

    def add(self, batch: Batch, config: Config) -> dict[str, float]:
        """Means over the episodes that ended in the batch, and a new `spread`: the deviation of discounted returns."""
        discount = torch.tensor([config.discount, 1, 1], device=batch.rewards.device)[:, None]
        found = torch.zeros(3, device=batch.rewards.device)
        for reward, alive, ended in zip(batch.rewards, batch.alive, batch.ended, strict=True):
            self.running = self.running * discount + torch.stack([reward, reward, alive.float()])
            found += torch.stack([self.running[0].square().mean(), *(self.running[1:] @ ended.float())])
            self.running *= ~ended
        self.updates += 1
        share, square, count = max(0.02, 1 / self.updates), found[0].item() / config.ticks, batch.ended.sum().item()
        self.spread = ((1 - share) * self.spread**2 + share * square) ** 0.5 or 1.0
        return {"episodes": count, "return": found[1].item() / max(count, 1), "length": found[2].item() / max(count, 1)}


def made(config: Config, worlds: int, seed: int) -> Env:
    universe, kind = hamlet.compile(config.universe), config.precision
    agents = config.agents
    return hamlet.make(
        universe, worlds=worlds, agents=agents, backend=config.backend, seed=seed, obs_dtype=kind, quiet=True
    )


@torch.no_grad()
def evaluate(agent: Agent, config: Config, seed: int) -> dict[str, float]:
    """Mean length and return of the first episode of every lane, in worlds that training has not seen."""
    env = made(config, config.evaluation, seed)
    observation, info = env.reset()
    length, gained = torch.zeros(2, env.num_lanes, device=env.device)
    going = torch.ones(env.num_lanes, dtype=torch.bool, device=env.device)
    memory = torch.zeros(config.hidden, env.num_lanes, device=env.device)
    for _ in range(config.longest):
        if not going.any():
            break
        seen, mask = observation.T[:, None], info["action_mask"].T[:, None]
        log_probabilities, _, memory = agent.log_probabilities(seen, mask, memory, env.state["age"][None] == 0)
        actions = drawn(log_probabilities)[0]
        observation, reward, terminated, truncated, info = env.step(actions.int())
        length, gained = length + going, gained + reward * going
        going &= ~(terminated | truncated)
    return {"length": length.mean().item(), "return": gained.mean().item()}


def train(config: Config, report: Report) -> Agent:
    """Train an agent; `report` is called after every update."""
    torch.manual_seed(config.seed)
    env = made(config, config.worlds, config.seed)
    agent = Agent(env, config.hidden).to(env.device)
    optimizer = torch.optim.Adam(agent.parameters(), lr=config.learning_rate, eps=1e-5, fused=True)
    batch, episodes = Batch(env, config.ticks, config.hidden), Episodes(env.num_lanes, env.device)
    updates = max(1, config.steps // (config.ticks * env.num_lanes))
    started = time.perf_counter()
    for update in range(updates):
        left = 1 - update / updates
        optimizer.param_groups[0]["lr"] = config.learning_rate * left
        collect(env, agent, batch, config)
        found = episodes.add(batch, config)
        estimate(agent, batch, episodes.spread, config)
        entropy = learn(agent, optimizer, batch, left, config)
        batch.observations[0], batch.masks[0] = batch.observations[-1], batch.masks[-1]
        batch.memory = batch.memory_after
        done = (update + 1) * config.ticks * env.num_lanes
        report({"steps": done, "seconds": time.perf_counter() - started, **found, "entropy": entropy})
    return agent


def options(arguments: list[str] | None = None) -> Config:
    """A `Config` from the command line: each field is an option."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for field in fields(Config):
        yes = {"action": "store_true"} if isinstance(field.default, bool) else {"type": type(field.default)}
        parser.add_argument(f"--{field.name.replace('_', '-')}", default=field.default, **yes)
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
    learnt = train(config, reporter(config.log))
    print("evaluated:", evaluate(learnt, config, config.seed + 1_000_000))
