"""Proximal policy optimisation for agents that must remember, by gated recurrent units.

    python examples/ppo_gru.py
    python examples/ppo_gru.py --universe universes/town.hamlet --steps 10_000_000
    python examples/ppo_gru.py --save shifts.safetensors && python examples/ppo_gru.py --play shifts.safetensors

An agent that sees a window has to keep in mind what is where. The units are the minimal ones of L. Feng and others
(2024, "Were RNNs all we needed?"): gates and news depend on what comes in and not on what is remembered, so all ticks
go through one product of matrices, and what is left for each tick is a mean that the gate weighs. As in RL2 (Y. Duan
and others, 2016) the network is also given its last action, and what has changed since. Gradients flow back through the
ticks of one rollout; what is remembered goes on to the next one, and is empty where an episode begins. Otherwise this
is ppo.py. Every hyperparameter is a field of `Config` and an option of the command.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

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
    steps: int = 100_000_000  # agent-ticks of the whole training
    worlds: int = 1024
    agents: int = 1  # in each world
    team: bool = False  # whether agents of a world are paid the mean of their rewards
    ticks: int = 64  # of one rollout; a batch has ticks * worlds * agents samples
    epochs: int = 2  # how often each batch is learnt from
    minibatches: int = 8
    learning_rate: float = 2e-3  # at the beginning; it falls to 0 in a line
    discount: float = 0.998
    trace: float = 0.98  # lambda of the generalised advantage estimate
    clip: float = 0.2
    entropy: float = 0.02  # what a nat of entropy is worth at the beginning; it falls to 0 in a line
    value_weight: float = 0.5
    gradient_norm: float = 0.5
    hidden: int = 128
    memory: int = 64  # numbers that an agent remembers
    change: float = 5.0  # how many times larger a change is shown than what has changed
    evaluation: int = 1024  # worlds in which the learnt policy is evaluated
    longest: int = 1000  # ticks of an evaluation
    precision: str = "float32"  # of layers; "bfloat16" is faster on GPUs and on CPUs with AMX
    log: str = ""  # a file for one line of JSON per update
    save: str = ""  # a file for the weights
    play: str = ""  # such a file: it is evaluated, and nothing is learnt


Report = Callable[[dict[str, float]], None]


class Senses:
    """What the network is given, [size, lanes]: observations from -1 to 1, what has changed since the tick before, and
    the action of that tick; the last two are 0 where an episode begins."""

    def __init__(self, env: Env, change: float) -> None:
        low, high = env.observation_low[:, None], env.observation_high[:, None]
        self.low, self.scale, self.change, self.actions = low, 2 / (high - low).clamp(min=1e-6), change, env.num_actions
        self.size = 2 * len(low) + self.actions

    def __call__(self, observation: Tensor, before: Tensor, action: Tensor, begins: Tensor) -> Tensor:
        on = (~begins).float()
        change = (observation - before) * (self.scale * self.change) * on
        acted = (torch.arange(self.actions, device=action.device)[:, None] == action) * on
        return torch.cat([(observation - self.low) * self.scale - 1, change, acted])


class Recurrence(torch.autograd.Function):
    """y[t] = keep[t] y[t - 1] + new[t] over the ticks of [numbers, ticks, lanes], from y[-1] = first [numbers, lanes].

    A function of its own because one operation per tick and direction is all that this takes.
    """

    @staticmethod
    def forward(ctx: Any, keep: Tensor, new: Tensor, first: Tensor) -> Tensor:
        before = new.new_empty(new.shape[0], new.shape[1] + 1, new.shape[2])
        before[:, 0] = first
        for tick in range(new.shape[1]):
            torch.addcmul(new[:, tick], keep[:, tick], before[:, tick], out=before[:, tick + 1])
        ctx.save_for_backward(keep, before)
        return before[:, 1:]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        keep, before = ctx.saved_tensors
        total = gradient.clone(memory_format=torch.contiguous_format)
        for tick in reversed(range(keep.shape[1] - 1)):
            total[:, tick].addcmul_(keep[:, tick + 1], total[:, tick + 1])
        return total * before[:, :-1], total, None


class Agent(nn.Module):
    """Logits [actions, ticks, lanes] and values [ticks, lanes] of what is sensed, [size, ticks, lanes]."""

    def __init__(self, env: Env, config: Config) -> None:
        super().__init__()
        self.senses, hidden, memory = Senses(env, config.change), config.hidden, config.memory
        self.encoder, self.gates = nn.Linear(self.senses.size, hidden), nn.Linear(hidden, 2 * memory)
        self.mixer, self.heads = nn.Linear(hidden + memory, hidden), nn.Linear(hidden, env.num_actions + 1)
        for layer, gain in ((self.encoder, 2**0.5), (self.gates, 1.0), (self.mixer, 2**0.5), (self.heads, 0.01)):
            nn.init.orthogonal_(layer.weight, gain)
            nn.init.zeros_(layer.bias)
        nn.init.constant_(self.gates.bias[:memory], -2.0)  # what is new goes in slowly at first

    def forward(self, sensed: Tensor, memory: Tensor, begins: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """And the memory afterwards: `memory` [numbers, lanes] is empty where an episode `begins` [ticks, lanes]."""
        ticks, width = sensed.shape[1], self.heads.in_features
        seen = affine(self.encoder.weight, self.encoder.bias, sensed.flatten(1)).relu_()
        gates, news = affine(self.gates.weight, self.gates.bias, seen).float().unflatten(1, (ticks, -1)).chunk(2)
        gates = gates.sigmoid()
        memories = Recurrence.apply((1 - gates) * ~begins, gates * news.tanh(), memory)
        mixed = affine(self.mixer.weight[:, :width], self.mixer.bias, seen)
        mixed = mixed.addmm(self.mixer.weight[:, width:].to(seen.dtype), memories.flatten(1).to(seen.dtype)).relu_()
        heads = affine(self.heads.weight, self.heads.bias, mixed).float().unflatten(1, (ticks, -1))
        memory = memories[:, -1]
        return heads[:-1], heads[-1], memory

    def log_probabilities(self, sensed: Tensor, mask: Tensor, memory: Tensor, begins: Tensor) -> tuple[Tensor, ...]:
        """Of all actions, [actions, ticks, lanes], values [ticks, lanes], and the memory afterwards."""
        logits, value, memory = self(sensed, memory, begins)
        return logits.masked_fill(~mask, OFF).log_softmax(dim=0), value, memory


def affine(weight: Tensor, bias: Tensor, x: Tensor) -> Tensor:
    return torch.addmm(bias[:, None].to(x.dtype), weight.to(x.dtype), x)


def drawn(log_probabilities: Tensor) -> Tensor:
    """An action per sample: the first one up to which the probabilities sum to a random part of their sum."""
    sums = log_probabilities.exp().cumsum(dim=0)
    return (sums < (1 - torch.rand_like(sums[0])) * sums[-1]).sum(dim=0)


class Batch:
    """What a rollout leaves, with lanes last, as the environment stores them."""

    def __init__(self, env: Env, agent: Agent, config: Config) -> None:
        ticks, lanes, device = config.ticks, env.num_lanes, env.device
        kind = getattr(torch, config.precision)
        self.sensed = torch.zeros(agent.senses.size, ticks + 1, lanes, dtype=kind, device=device)
        self.masks = torch.zeros(env.num_actions, ticks + 1, lanes, dtype=torch.bool, device=device)
        self.begins = torch.zeros(ticks + 1, lanes, dtype=torch.bool, device=device)
        self.actions = torch.zeros(ticks, lanes, dtype=torch.int64, device=device)
        self.alive, self.ended = torch.zeros(2, ticks, lanes, dtype=torch.bool, device=device)
        self.memory, self.memory_after = torch.zeros(2, config.memory, lanes, device=device)
        self.chances, self.values, self.rewards, self.after, self.advantages = torch.zeros(
            5, ticks, lanes, device=device
        )
        observation, info = env.reset()
        self.observation, self.masks[:, 0], self.begins[0] = observation.T.clone(), info["action_mask"].T, True
        self.sensed[:, 0] = agent.senses(self.observation, self.observation, self.actions[0], self.begins[0])

    def go_on(self) -> None:
        """What the rollout ended with is what the next one begins with."""
        for rows in (self.sensed, self.masks):
            rows[:, 0] = rows[:, -1]
        self.begins[0], self.memory = self.begins[-1], self.memory_after


@torch.no_grad()
def collect(env: Env, agent: Agent, batch: Batch, config: Config) -> None:
    """Fill the batch with the next ticks. `after` is the value of what is lost at a lifespan, 0 elsewhere."""
    memory = batch.memory
    for tick in range(config.ticks):
        now = slice(tick, tick + 1)
        batch.alive[tick] = env.state["alive"]
        log_probabilities, batch.values[now], memory = agent.log_probabilities(
            batch.sensed[:, now], batch.masks[:, now], memory, batch.begins[now]
        )
        batch.actions[tick] = actions = drawn(log_probabilities)[0]
        batch.chances[tick] = log_probabilities[:, 0].gather(0, actions[None])[0]
        observation, reward, terminated, truncated, info = env.step(actions.int())
        observation, before = observation.T.clone(), batch.observation
        batch.observation, batch.masks[:, tick + 1] = observation, info["action_mask"].T
        batch.begins[tick + 1] = begins = env.state["age"] == 0
        batch.sensed[:, tick + 1] = agent.senses(observation, before, actions, begins)
        batch.rewards[tick] = shared(reward, config) if config.team else reward
        batch.ended[tick] = terminated | truncated
        batch.after[tick] = 0
        if truncated.any():
            # Where a world has begun anew its last observation is kept apart; lanes that wait for others show it still.
            last = torch.where(env.state["alive"], info["final_observation"].T, observation)[:, truncated]
            goes_on = torch.zeros(1, last.shape[1], dtype=torch.bool, device=last.device)
            sensed = agent.senses(last, before[:, truncated], actions[truncated], goes_on[0]).to(batch.sensed.dtype)
            batch.after[tick, truncated] = agent(sensed[:, None], memory[:, truncated], goes_on)[1][0]
    batch.memory_after = memory


def shared(reward: Tensor, config: Config) -> Tensor:
    return reward.view(-1, config.agents).mean(dim=1, keepdim=True).expand(-1, config.agents).flatten()


@torch.no_grad()
def estimate(agent: Agent, batch: Batch, spread: float, config: Config) -> None:
    """Generalised advantage estimates. Values are in units of `spread`, the deviation of discounted returns."""
    following = agent(batch.sensed[:, -1:], batch.memory_after, batch.begins[-1:])[1][0]
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
        return rows[: config.ticks, lanes]

    weight = part(batch.alive).float()
    weight /= weight.sum().clamp(min=1)
    sensed, mask = (rows[:, : config.ticks, lanes] for rows in (batch.sensed, batch.masks))
    log_probabilities, value, _ = agent.log_probabilities(sensed, mask, batch.memory[:, lanes], part(batch.begins))
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
    universe, agents = hamlet.compile(config.universe), config.agents
    return hamlet.make(universe, worlds=worlds, agents=agents, backend=config.backend, seed=seed, quiet=True)


@torch.no_grad()
def evaluate(agent: Agent, config: Config, seed: int) -> dict[str, float]:
    """Mean length and return of the first episode of every lane, in worlds that training has not seen."""
    env, kind = made(config, config.evaluation, seed), getattr(torch, config.precision)
    observation, info = env.reset()
    observation = before = observation.T.clone()
    length, gained = torch.zeros(2, env.num_lanes, device=env.device)
    going = torch.ones(env.num_lanes, dtype=torch.bool, device=env.device)
    actions, memory = going.long(), torch.zeros(config.memory, env.num_lanes, device=env.device)
    for _ in range(config.longest):
        if not going.any():
            break
        begins, mask = env.state["age"] == 0, info["action_mask"].T[:, None]
        sensed = agent.senses(observation, before, actions, begins).to(kind)[:, None]
        log_probabilities, _, memory = agent.log_probabilities(sensed, mask, memory, begins[None])
        actions, before = drawn(log_probabilities)[0], observation
        observation, reward, terminated, truncated, info = env.step(actions.int())
        observation = observation.T.clone()
        length, gained = length + going, gained + reward * going
        going &= ~(terminated | truncated)
    return {"length": length.mean().item(), "return": gained.mean().item()}


def train(config: Config, report: Report) -> Agent:
    """Train an agent; `report` is called after every update."""
    torch.manual_seed(config.seed)
    env = made(config, config.worlds, config.seed)
    agent = Agent(env, config).to(env.device)
    optimizer = torch.optim.Adam(agent.parameters(), lr=config.learning_rate, eps=1e-5, fused=True)
    batch, episodes = Batch(env, agent, config), Episodes(env.num_lanes, env.device)
    updates = max(1, config.steps // (config.ticks * env.num_lanes))
    started = time.perf_counter()
    for update in range(updates):
        left = 1 - update / updates
        optimizer.param_groups[0]["lr"] = config.learning_rate * left
        collect(env, agent, batch, config)
        found = episodes.add(batch, config)
        estimate(agent, batch, episodes.spread, config)
        entropy = learn(agent, optimizer, batch, left, config)
        batch.go_on()
        done = (update + 1) * config.ticks * env.num_lanes
        report({"steps": done, "seconds": time.perf_counter() - started, **found, "entropy": entropy})
    return agent


def save(path: str, env: Env, agent: Agent, config: Config) -> None:
    """Write the weights, as `restored` reads them."""
    from safetensors.torch import save_file

    about = {"format": 1, "universe": env.module.name, "digest": env.module.digest, "seed": config.seed}
    about |= {"program": "ppo_gru.py", "config": asdict(config)}
    tensors = {name: tensor.cpu().contiguous() for name, tensor in agent.state_dict().items()}
    save_file(tensors, path, {name: json.dumps(value) for name, value in about.items()})


def restored(path: str, config: Config) -> tuple[Agent, Config]:
    """The agent whose weights `save` wrote, and a `Config` with its sizes."""
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        about = {name: json.loads(value) for name, value in (file.metadata() or {}).items()}
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # it is no mapping
    if about.get("program") != "ppo_gru.py":
        raise SystemExit(f"{path} has no network that ppo_gru.py plays: hamletc eval may read it")
    config = replace(config, **{name: about["config"][name] for name in ("hidden", "memory", "change")})
    env = made(config, 1, 0)
    if about["digest"] != env.module.digest:
        raise SystemExit(f"{path} was trained on {about['universe']}, and this is {config.universe}: see --universe")
    agent = Agent(env, config)
    agent.load_state_dict(tensors)
    return agent.to(env.device), config


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
    if config.play:
        learnt, config = restored(config.play, config)
    else:
        learnt = train(config, reporter(config.log))
    print("evaluated:", evaluate(learnt, config, config.seed + 1_000_000))
    if config.save:
        save(config.save, made(config, 1, 0), learnt, config)
