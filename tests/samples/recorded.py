"""Traces in the format of HAMLET's, recorded from an environment of this project, for tests of replays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from hamlet import schema
from hamlet.package.module import Module
from hamlet_townlet.adapter import VectorizedEnv
from hamlet_townlet.traces.trace import BEGINNINGS, STEPS, VIEWS

Arrays = dict[str, NDArray[Any]]


class Surprise:
    """An exploration module whose rewards depend on what it sees."""

    def compute_intrinsic_rewards(self, observations: torch.Tensor) -> torch.Tensor:
        return observations.sum(dim=1) * 0.01


def record(
    module: Module, folder: Path, steps: int = 24, agents: int = 5, explored: bool = False, scrambled: bool = False
) -> Path:
    """Random play with a reset in the middle, after which the state may be scrambled; the path of the .npz."""
    env = VectorizedEnv(module, agents, backend="interpreter")
    env.exploration_module = Surprise() if explored else None
    resets = [0, steps // 2]
    generator = torch.Generator().manual_seed(7)
    values: dict[str, list[NDArray[Any]]] = {stream.name: [] for stream in (*BEGINNINGS, *VIEWS, *STEPS)}
    for step in range(steps):
        if step in resets:
            env.reset()
            if scrambled:
                _scramble(env, generator)
            for stream in (*BEGINNINGS, *VIEWS):
                if stream.read is not None:
                    values[stream.name].append(stream.read(env).numpy().copy())
            values["reset_positions"].append(env.positions.numpy().copy())
            values["reset_affordance_positions"].append(_places(env))
        actions = torch.randint(0, env.action_dim, (agents,), generator=generator)
        env.step(actions, 0.5)
        values["actions"].append(actions.numpy())
        values["intrinsic_raw"].append(env.intrinsic_raw.numpy())
        for stream in STEPS:
            if stream.read is not None:
                values[stream.name].append(stream.read(env).numpy().copy())
    arrays = {name: np.stack(each) for name, each in values.items()}
    arrays["reset_at"] = np.array(resets)
    return write(folder / f"{module.name}.npz", arrays, meta(env, steps, explored, scrambled))


def write(path: Path, arrays: Arrays, about: dict[str, Any]) -> Path:
    """Write a trace."""
    np.savez_compressed(path, **arrays)
    path.with_suffix(".json").write_text(json.dumps(about), encoding="utf-8")
    return path


def read(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """A trace as it was given to `write`."""
    with np.load(path) as archive:
        return dict(archive), json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))


def meta(env: VectorizedEnv, steps: int, explored: bool, scrambled: bool) -> dict[str, Any]:
    """What stands in the .json."""
    description, universe = env.description, env.module.universe
    return {
        "pack_dir": f"packs/{description.pack}",
        "N": env.num_agents,
        "T": steps,
        "depletion_multiplier": 0.5,
        "scrambled_state": scrambled,
        "intrinsic_raw_injected": explored,
        "temporal": description.temporal,
        "pomdp": description.pomdp,
        "lifespan": universe.lifespan.ticks if universe.lifespan is not None else None,
        "meters": [meter.name for meter in universe.meters],
        "affordances": list(description.vocabulary),
        "deployed": [description.vocabulary[number] for number in description.deployed],
        "actions": [
            {"name": name, "enabled": enabled}
            for name, enabled in zip(schema.action_names(universe), description.enabled, strict=True)
        ],
        "obs_layout": [
            {"variable": field.name, "offset": field.offset, "size": field.count} for field in description.fields
        ],
        "error": None,
    }


def _places(env: VectorizedEnv) -> NDArray[Any]:
    axes = len(schema.axes(env.module.universe))
    places = np.full((len(env.description.vocabulary), axes), np.nan)
    for name, position in env.affordances.items():
        places[env.description.vocabulary.index(name)] = position.numpy()
    return places


def _scramble(env: VectorizedEnv, generator: torch.Generator) -> None:
    """Another state than that of a reset; all agents stand where the first affordance is."""
    env.meters = torch.rand(env.meters.shape, generator=generator)
    env.step_counts = torch.randint(0, 50, (env.num_agents,), generator=generator)
    env.time_of_day = int(torch.randint(0, 24, (1,), generator=generator))
    env.positions = env.affordances[next(iter(env.affordances))].repeat(env.num_agents, 1)
