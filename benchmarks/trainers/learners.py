"""The trainers: each learns a task for so many steps of who learns, and gives the layers of its policy.

All but CleanRL have the settings of `hamletc train` (1,024 agents, 32 ticks to an update, two epochs of 16 minibatches,
two layers of 64, a step size that goes down to 0, rewards scaled), as far as they have them: Stable-Baselines3 and SBX
weigh the entropy by a constant, which is the mean of what goes down to 0 elsewhere. CleanRL has its own defaults.
"""

from __future__ import annotations

import builtins
import os
import runpy
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from seats import Seats
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv, VecNormalize
from tasks import SEATS, Layers, Task

import hamlet
import hamlet_gym
from hamlet_sb3 import VecEnv as Worlds
from hamlet_train.crews import crews_of
from hamlet_train.policy import Policy
from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest
from hamlet_train.settings import Settings, usual_of
from hamlet_train.training import begun

DEFAULTS = Settings()
BATCH = 512
"""Steps of an update of CleanRL: 4 worlds, 128 ticks."""


@dataclass(slots=True)
class Laps:
    """Steps, and CPU seconds of this process, at the end of each update."""

    marks: list[tuple[int, float]] = field(default_factory=list)

    def mark(self, steps: int) -> None:
        self.marks.append((steps, time.process_time()))

    @property
    def seconds(self) -> float:
        """CPU seconds from the end of the first update to that of the last."""
        return self.marks[-1][1] - self.marks[0][1]

    @property
    def rate(self) -> float:
        """Steps in a CPU second."""
        return (self.marks[-1][0] - self.marks[0][0]) / self.seconds


@dataclass(frozen=True, slots=True)
class Trainer:
    """A trainer.

    Attributes:
        learn: trains on a task for so many updates with a seed.
        batch: steps of an update.
        masked: whether it is told which actions make sense.
        roles: whether it can learn a role.
        trial: updates of the sample that says how fast it is.
    """

    learn: Callable[[Task, int, int, Laps], Layers]
    batch: int = SEATS * DEFAULTS.horizon
    masked: bool = False
    roles: bool = True
    trial: int = 24


def exact(task: Task, updates: int, seed: int, laps: Laps) -> Layers:
    """`hamletc train`, without its evaluations and files."""
    module, batch = hamlet.compile(task.path), task.worlds * task.agents * DEFAULTS.horizon
    sizes = task.worlds, task.agents, seed, updates * batch, usual_of(module.universe)
    manifest = Manifest(module.name, module.digest, str(task.path), (), {}, *sizes, shared=task.role is None)
    fixed = {} if task.role is None else _random(task)
    training = begun(module, manifest, Ranks(0, 1), 1, fixed)
    (crew,) = training.crews
    for update in range(updates):
        training.advance()
        laps.mark((update + 1) * SEATS * DEFAULTS.horizon)
    views = crew.learner.network.views(crew.learner.learned.parameters)
    layers = [tuple(torch.from_numpy(np.ascontiguousarray(each)) for each in layer) for layer in views]
    # The last row is the value.
    weights, biases = layers[-1]
    return [*layers[:-1], (weights[: crew.crew.choices], biases[: crew.crew.choices])]  # type: ignore[list-item]


def _random(task: Task) -> dict[str | None, Policy]:
    """Policies of the other roles whose parameters are 0, so that all their actions are as likely."""
    others = [crew for crew in crews_of(task.env(1, 0), shared=False) if crew.role != task.role]
    networks = {crew.role: crew.network((8,)) for crew in others}
    return {role: Policy(each, np.zeros(each.parameters, np.float32), {}) for role, each in networks.items()}


class Mark(BaseCallback):
    """Marks the ends of updates: where the next rollout begins."""

    def __init__(self, laps: Laps) -> None:
        super().__init__()
        self._laps = laps

    def _on_rollout_start(self) -> None:
        # The first rollout begins before the first update.
        if self.num_timesteps:
            self._laps.mark(self.num_timesteps)

    def _on_step(self) -> bool:
        return True


def _worlds(task: Task, seed: int) -> VecEnv:
    many = Worlds(SEATS, task.path, observations="flat", seed=seed) if task.role is None else Seats(task, seed)
    return VecNormalize(many, norm_obs=False, gamma=DEFAULTS.discount)


def _same_settings(seed: int, entropy: float) -> dict[str, Any]:
    return {
        "n_steps": DEFAULTS.horizon,
        "batch_size": SEATS * DEFAULTS.horizon // DEFAULTS.minibatches,
        "n_epochs": DEFAULTS.epochs,
        "learning_rate": lambda left: DEFAULTS.rate * left,
        "gamma": DEFAULTS.discount,
        "gae_lambda": DEFAULTS.trace,
        "clip_range": DEFAULTS.clip,
        "ent_coef": entropy,
        "vf_coef": DEFAULTS.value,
        "max_grad_norm": DEFAULTS.norm,
        "policy_kwargs": {"net_arch": list(DEFAULTS.hidden)},
        "seed": seed,
        "device": "cpu",
    }


def _trained(model: Any, updates: int, laps: Laps) -> Any:
    model.learn(updates * SEATS * DEFAULTS.horizon, callback=Mark(laps))
    laps.mark(model.num_timesteps)
    return model


def _of_torch(model: Any) -> Layers:
    policy = model.policy
    modules = [each for each in policy.mlp_extractor.policy_net if isinstance(each, torch.nn.Linear)]
    return [(each.weight.detach(), each.bias.detach()) for each in (*modules, policy.action_net)]


def stable_baselines(task: Task, updates: int, seed: int, laps: Laps) -> Layers:
    """PPO of Stable-Baselines3."""
    from stable_baselines3 import PPO

    settings = _same_settings(seed, DEFAULTS.entropy / 2)
    return _of_torch(_trained(PPO("MlpPolicy", _worlds(task, seed), **settings), updates, laps))


def maskable(task: Task, updates: int, seed: int, laps: Laps) -> Layers:
    """MaskablePPO of sb3-contrib."""
    from sb3_contrib import MaskablePPO

    settings = _same_settings(seed, DEFAULTS.entropy / 2)
    return _of_torch(_trained(MaskablePPO("MlpPolicy", _worlds(task, seed), **settings), updates, laps))


def sbx(task: Task, updates: int, seed: int, laps: Laps) -> Layers:
    """PPO of SBX, in JAX."""
    from sbx import PPO

    settings = _same_settings(seed, DEFAULTS.entropy / 2)
    model = _trained(PPO("MlpPolicy", _worlds(task, seed), **settings), updates, laps)
    dense = model.policy.actor_state.params["params"]
    names = sorted(dense, key=lambda name: int(name.split("_")[-1]))
    arrays = [(np.array(dense[name]["kernel"]).T, np.array(dense[name]["bias"])) for name in names]
    return [(torch.tensor(weights), torch.tensor(biases)) for weights, biases in arrays]


def cleanrl(task: Task, updates: int, seed: int, laps: Laps) -> Layers:
    """The file ppo.py of CleanRL, which the variable CLEANRL names, with its defaults."""
    path, said = os.environ["CLEANRL"], builtins.print
    name = "hamlet/task-v0"
    gymnasium.registry[name] = replace(hamlet_gym.spec(task.path, observations="flat"), id=name)

    def listen(*words: Any, **options: Any) -> None:
        if words and words[0] == "SPS:":
            laps.mark((len(laps.marks) + 1) * BATCH)
        elif words and "return" not in str(words[0]):
            said(*words, **options, file=sys.stderr)

    options = ["--env-id", name, "--total-timesteps", str(updates * BATCH), "--seed", str(seed), "--no-cuda"]
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        sys.argv = [path, *options]
        builtins.print = listen
        try:
            os.chdir(folder)
            ended = runpy.run_path(path, run_name="__main__")
        finally:
            builtins.print = said
            os.chdir(here)
    modules = [each for each in ended["agent"].actor if isinstance(each, torch.nn.Linear)]
    return [(each.weight.detach(), each.bias.detach()) for each in modules]


TRAINERS = {
    "hamletc train": Trainer(exact, masked=True),
    "SBX": Trainer(sbx),
    "Stable-Baselines3": Trainer(stable_baselines),
    "MaskablePPO": Trainer(maskable, masked=True),
    "CleanRL, its defaults": Trainer(cleanrl, batch=BATCH, roles=False, trial=6),
}
