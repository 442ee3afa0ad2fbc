"""Proximal policy optimisation (J. Schulman and others, 2017) with action masks, in one file.

    python examples/ppo.py
    python examples/ppo.py --universe universes/gallery/commons.hamlet --agents 16 --worlds 128 --steps 2_000_000
    python examples/ppo.py --look 0 --hidden 64 --save town.safetensors
    python examples/ppo.py --save sighted.safetensors && python examples/ppo.py --play sighted.safetensors

One network of two hidden layers gives the logits of the actions and the value. All lanes share it: in a universe of
many agents each of them acts by its own observation. It suits universes whose observations say all that matters; where
agents must remember, take ppo_gru.py. Every hyperparameter is a field of `Config` and an option of the command.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import torch
from torch import Tensor, nn

import hamlet
from hamlet.env.environment import Env

TOWN = Path(__file__).parents[1] / "universes" / "town.hamlet"
OFF = -1e9
"""The logit of an action that the mask switches off."""


@dataclass(frozen=True, slots=True)
class Config:
    universe: str = str(TOWN)
    backend: str = "auto"
    seed: int = 1
    steps: int = 7_000_000  # agent-ticks of the whole training
    worlds: int = 1024
    agents: int = 1  # in each world
    team: bool = False  # whether agents of a world are paid the mean of their rewards
    ticks: int = 32  # of one rollout; a batch has ticks * worlds * agents samples
    epochs: int = 3  # how often each batch is learnt from
    minibatches: int = 4
    learning_rate: float = 2e-3  # at the beginning; it falls to 0 in a line
    discount: float = 0.998
    trace: float = 0.98  # lambda of the generalised advantage estimate
    clip: float = 0.2
    entropy: float = 0.05  # what a nat of entropy is worth at the beginning; it falls to 0 in a line
    value_weight: float = 0.5
    gradient_norm: float = 0.5
    hidden: int = 128
    look: int = 3  # how far an agent sees where a universe observes the whole `grid`; 0 is the grid as it is
    evaluation: int = 1024  # worlds in which the learnt policy is evaluated
    longest: int = 1000  # ticks of an evaluation
    precision: str = "float32"  # of observations and layers; "bfloat16" is faster on GPUs and on CPUs with AMX
    log: str = ""  # a file for one line of JSON per update
    save: str = ""  # a file for the weights; `hamletc eval` reads it with `look` 0 and `hidden` up to 64
    play: str = ""  # such a file of another network: it is evaluated, and nothing is learnt


Report = Callable[[dict[str, float]], None]


class Sight:
    """What the network sees of observations [values, lanes]: an agent in the middle of the `grid` that it observes.

    The cells up to `look` away take the place of the whole grid, where the position is observed too; -1 is what lies
    beyond its edge. So the way to a neighbour is the same wherever one stands, and not learnt anew for each cell.
    """

    def __init__(self, env: Env, look: int) -> None:
        names = env.observation_names
        cells = [number for number, name in enumerate(names) if name.startswith("grid[") and name.count(",") == 1]
        self.look = look if cells and {"position.x", "position.y"} <= set(names) else 0
        self.low, self.high = env.observation_low, env.observation_high
        if not self.look:
            return
        rest = sorted(set(range(len(names))) - set(cells))
        self.x, self.y = names.index("position.x"), names.index("position.y")
        last = names[cells[-1]].removeprefix("grid[").removesuffix("]").split(",")
        self.width, self.height = (int(each) + 1 for each in last)
        # A position is observed from 0 to 1, or in cells.
        self.across, self.down = (
            (self.width - 1) / self.high[self.x].item(),
            (self.height - 1) / self.high[self.y].item(),
        )
        self.cells, self.rest = (torch.tensor(each, device=env.device) for each in (cells, rest))
        around = torch.arange(2 * look + 1, device=env.device)
        self.offsets = (around[:, None] * (self.width + 2 * look) + around).view(-1, 1)
        ones = torch.ones(len(self.offsets), device=env.device)
        self.low, self.high = torch.cat([-ones, self.low[self.rest]]), torch.cat([2 * ones, self.high[self.rest]])

    def __call__(self, observation: Tensor) -> Tensor:
        if not self.look:
            return observation
        x = (observation[self.x].float() * self.across).round().long()
        y = (observation[self.y].float() * self.down).round().long()
        grid = observation[self.cells].view(self.height, self.width, -1)
        grid = nn.functional.pad(grid, (0, 0) + (self.look,) * 4, value=-1.0).flatten(0, 1)
        seen = grid.gather(0, y * (self.width + 2 * self.look) + x + self.offsets)
        return torch.cat([seen, observation[self.rest]])


class Agent(nn.Module):
    """Logits [actions, samples] and values [samples] of what is seen, [values, samples]."""

    def __init__(self, env: Env, config: Config) -> None:
        super().__init__()
        self.sight = Sight(env, config.look)
        low, high, hidden = self.sight.low[:, None], self.sight.high[:, None], config.hidden
        self.register_buffer("low", low)
        self.register_buffer("scale", 2 / (high - low).clamp(min=1e-6))
        self.layers = nn.ModuleList([nn.Linear(len(low), hidden), nn.Linear(hidden, hidden)])
        self.heads = nn.Linear(hidden, env.num_actions + 1)
        for layer in self.layers:
            nn.init.orthogonal_(layer.weight, 2**0.5)
        nn.init.orthogonal_(self.heads.weight, 0.01)
        nn.init.zeros_(self.heads.bias)

    def first_layer(self) -> tuple[Tensor, Tensor]:
        """It sees numbers from -1 to 1: its weights, which are fewer, are scaled."""
        weight = self.layers[0].weight * self.scale.T
        return weight, self.layers[0].bias - weight @ self.low[:, 0] - self.layers[0].weight.sum(dim=1)

    def forward(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        x = affine(*self.first_layer(), seen).relu_()
        x = affine(self.layers[1].weight, self.layers[1].bias, x).relu_()
        heads = affine(self.heads.weight, self.heads.bias, x).float()
        return heads[:-1], heads[-1]

    def log_probabilities(self, seen: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Of all actions, [actions, samples], and values [samples]."""
        logits, value = self(seen)
        return logits.masked_fill(~mask, OFF).log_softmax(dim=0), value


def affine(weight: Tensor, bias: Tensor, x: Tensor) -> Tensor:
    return torch.addmm(bias[:, None].to(x.dtype), weight.to(x.dtype), x)


def drawn(log_probabilities: Tensor) -> Tensor:
    """An action per sample: the first arrival of Poisson processes whose rates are the probabilities."""
    return (log_probabilities.exp() / torch.empty_like(log_probabilities).exponential_()).argmax(dim=0)


class Batch:
    """What a rollout leaves, with lanes last, as the environment stores them."""

    def __init__(self, env: Env, agent: Agent, ticks: int) -> None:
        values, lanes, device = len(agent.sight.low), env.num_lanes, env.device
        self.seen = torch.zeros(ticks + 1, values, lanes, dtype=env.observation.dtype, device=device)
        self.masks = torch.zeros(ticks + 1, env.num_actions, lanes, dtype=torch.bool, device=device)
        self.actions = torch.zeros(ticks, lanes, dtype=torch.int64, device=device)
        self.alive = torch.zeros(ticks, lanes, dtype=torch.bool, device=device)
        self.ended = torch.zeros(ticks, lanes, dtype=torch.bool, device=device)
        self.chances, self.values, self.rewards, self.after, self.advantages = torch.zeros(
            5, ticks, lanes, device=device
        )
        observation, info = env.reset()
        self.seen[0], self.masks[0] = agent.sight(observation.T), info["action_mask"].T


@torch.no_grad()
def collect(env: Env, agent: Agent, batch: Batch, config: Config) -> None:
    """Fill the batch with the next ticks. `after` is the value of what is lost at a lifespan, 0 elsewhere."""
    for tick in range(config.ticks):
        batch.alive[tick] = env.state["alive"]
        log_probabilities, batch.values[tick] = agent.log_probabilities(batch.seen[tick], batch.masks[tick])
        batch.actions[tick] = actions = drawn(log_probabilities)
        batch.chances[tick] = log_probabilities.gather(0, actions[None])[0]
        observation, reward, terminated, truncated, info = env.step(actions.int())
        batch.seen[tick + 1] = agent.sight(observation.T)
        batch.masks[tick + 1] = info["action_mask"].T
        batch.rewards[tick] = shared(reward, config) if config.team else reward
        batch.ended[tick] = terminated | truncated
        batch.after[tick] = 0
        if truncated.any():
            # Where a world has begun anew its last observation is kept apart; lanes that wait for others show it still.
            last = torch.where(env.state["alive"], info["final_observation"].T, observation.T)[:, truncated]
            batch.after[tick, truncated] = agent(agent.sight(last))[1]


def shared(reward: Tensor, config: Config) -> Tensor:
    return reward.view(-1, config.agents).mean(dim=1, keepdim=True).expand(-1, config.agents).flatten()


@torch.no_grad()
def estimate(agent: Agent, batch: Batch, spread: float, config: Config) -> None:
    """Generalised advantage estimates. Values are in units of `spread`, the deviation of discounted returns."""
    following, advantage = agent(batch.seen[-1])[1], torch.zeros_like(batch.values[0])
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

    def flat(rows: Tensor) -> Tensor:
        return rows[: config.ticks, ..., lanes].movedim(0, -2).flatten(-2)

    weight = flat(batch.alive).float()
    weight /= weight.sum().clamp(min=1)
    log_probabilities, value = agent.log_probabilities(flat(batch.seen), flat(batch.masks))
    advantage, old = flat(batch.advantages), flat(batch.values)
    target = advantage + old
    mean = (weight * advantage).sum()
    advantage = (advantage - mean) / ((weight * (advantage - mean).square()).sum().sqrt() + 1e-8)
    ratio = (log_probabilities.gather(0, flat(batch.actions)[None])[0] - flat(batch.chances)).exp()
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
    for _ in range(config.longest):
        if not going.any():
            break
        actions = drawn(agent.log_probabilities(agent.sight(observation.T), info["action_mask"].T)[0])
        observation, reward, terminated, truncated, info = env.step(actions.int())
        length, gained = length + going, gained + reward * going
        going &= ~(terminated | truncated)
    return {"length": length.mean().item(), "return": gained.mean().item()}


def train(config: Config, report: Report) -> Agent:
    """Train an agent; `report` is called after every update."""
    torch.manual_seed(config.seed)
    env = made(config, config.worlds, config.seed)
    agent = Agent(env, config).to(env.device)
    optimizer = torch.optim.Adam(agent.parameters(), lr=config.learning_rate, eps=1e-5, fused=True)
    batch, episodes = Batch(env, agent, config.ticks), Episodes(env.num_lanes, env.device)
    updates = max(1, config.steps // (config.ticks * env.num_lanes))
    started = time.perf_counter()
    for update in range(updates):
        left = 1 - update / updates
        optimizer.param_groups[0]["lr"] = config.learning_rate * left
        collect(env, agent, batch, config)
        found = episodes.add(batch, config)
        estimate(agent, batch, episodes.spread, config)
        entropy = learn(agent, optimizer, batch, left, config)
        batch.seen[0], batch.masks[0] = batch.seen[-1], batch.masks[-1]
        done = (update + 1) * config.ticks * env.num_lanes
        report({"steps": done, "seconds": time.perf_counter() - started, **found, "entropy": entropy})
    return agent


def save(path: str, env: Env, layers: list[tuple[Tensor, Tensor]], seed: int) -> None:
    """Write weights and biases as `hamletc eval` and `hamlet.MLP` take them; the last row of the heads is the value."""
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


def save_sighted(path: str, env: Env, agent: Agent, config: Config) -> None:
    """Write the weights of a network that `hamletc eval` cannot read, as `restored` reads them."""
    from safetensors.torch import save_file

    about = {"format": 1, "universe": env.module.name, "digest": env.module.digest, "seed": config.seed}
    about |= {"program": "ppo.py", "config": asdict(config)}
    tensors = {name: tensor.cpu().contiguous() for name, tensor in agent.state_dict().items()}
    save_file(tensors, path, {name: json.dumps(value) for name, value in about.items()})


def restored(path: str, config: Config) -> tuple[Agent, Config]:
    """The agent whose weights `save_sighted` wrote, and a `Config` with its sizes."""
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        about = {name: json.loads(value) for name, value in (file.metadata() or {}).items()}
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # it is no mapping
    if about.get("program") != "ppo.py":
        raise SystemExit(f"{path} has no network that ppo.py plays: hamletc eval may read it")
    config = replace(config, **{name: about["config"][name] for name in ("look", "hidden")})
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
    if config.save and (learnt.sight.look or config.hidden > 64):
        save_sighted(config.save, made(config, 1, 0), learnt, config)
    elif config.save:
        heads = (learnt.layers[1].weight, learnt.layers[1].bias), (learnt.heads.weight, learnt.heads.bias)
        save(config.save, made(config, 1, 0), [learnt.first_layer(), *heads], config.seed)
