"""`hamletc train` as one of the programs that `learning.py` trains: `Config`, `train`, `evaluate`."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hamlet.package.module import Module
from hamlet_train.cli.defaults import WORLDS
from hamlet_train.evaluate import chooser, environment, first_episodes
from hamlet_train.policy import Policy
from hamlet_train.ppo import Progress
from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest, packaged
from hamlet_train.settings import Settings
from hamlet_train.training import begun

EPISODES = 1000
"""Of an evaluation."""


@dataclass(frozen=True, slots=True)
class Config:
    """What is trained: `steps` ticks of agents, in worlds of one agent, with the settings that the command has."""

    universe: str
    seed: int = 0
    steps: int = 1_000_000
    worlds: int = WORLDS


Agent = tuple[Module, Policy]


def train(config: Config, note: Callable[[dict[str, float]], None]) -> Agent:
    """Train, and note every update."""
    with tempfile.TemporaryDirectory() as folder:
        module = packaged(Path(config.universe), Path(folder) / "package")
    manifest = Manifest(
        module.name, module.digest, config.universe, (), {}, config.worlds, 1, config.seed, config.steps, Settings()
    )
    training = begun(module, manifest, Ranks(), threads=1)
    for _ in range(manifest.updates):
        note(_said(training.advance()[0]))
    return module, training.policies()[None]


def evaluate(agent: Agent, _config: Config, seed: int) -> dict[str, float]:
    """First episodes in worlds of another seed, with drawn actions and controls."""
    module, policy = agent
    env = environment(module, EPISODES, None, seed)
    found = first_episodes(env, chooser(env, policy, threads=1))
    return {"length": found.length, "return": found.returned}


def _said(progress: Progress) -> dict[str, Any]:
    """An update in numbers; 0 where no episode ended, as the examples have it."""
    ended = not math.isnan(progress.length)
    return {
        "steps": progress.ticks,
        "episodes": progress.episodes,
        "length": progress.length if ended else 0.0,
        "return": progress.returned if ended else 0.0,
        "entropy": progress.entropy,
    }
