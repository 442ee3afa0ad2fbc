"""Everything that determines how a training goes on, in one file, whatever number of processes wrote it or reads it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from hamlet import schema
from hamlet.env.environment import Env
from hamlet.errors import EnvError
from hamlet.policies import opened
from hamlet.policies.opened import checkpoints_in
from hamlet_train.errors import TrainError
from hamlet_train.exact.network import Array
from hamlet_train.files import read_tensors, write_tensors
from hamlet_train.policy import about, check_for, parameters_of, tensors_of
from hamlet_train.ppo import Learned, Learner

MOMENTS = ("first_moment", "second_moment")
COUNTED = ("first_power", "second_power", "samples", "discounted", "discounted_squares")
LIVES = ("lengths", "returns", "discounted")


def save(path: Path, env: Env, learner: Learner) -> None:
    """Write a checkpoint. All processes call it, and the first one writes.

    Raises:
        TrainError: it cannot be written there.
    """
    learned, saved = learner.learned, env.state_dict()
    tensors = {f"lives.{name}": _all_lanes(learner, getattr(learner.lives, name)) for name in LIVES}
    for field in schema.state_fields(env.universe):
        value = saved["state"][field.name].numpy()
        rows = np.ascontiguousarray(np.moveaxis(value, -1, 0))
        every = _all_lanes(learner, rows) if field.per == "lane" else _all_worlds(learner, rows)
        tensors[f"env.{field.name}"] = np.moveaxis(every, 0, -1)
    if not learner.ranks.first:
        return
    tensors |= tensors_of(learner.network, learned.parameters)
    tensors |= {name: getattr(learned, name) for name in MOMENTS}
    counts = {name: float(getattr(learned, name)).hex() for name in COUNTED}
    said = {"update": learned.update, "tick": env.tick, "counts": counts, "of": _training(learner)}
    write_tensors(path, tensors, about(env.module, learner.network, env.seed) | said)


def load(path: Path, env: Env, learner: Learner) -> None:
    """Go on from a checkpoint.

    Raises:
        TrainError: the file cannot be read, or belongs to another universe or another training.
        EnvError: it has a value that no tick leaves.
    """
    tensors, said = read_tensors(path)
    check_for(path, tensors, said, env.module)
    of, this = said.get("of", {}), _training(learner)
    for name, value in this.items():
        if of.get(name) != value:
            raise TrainError(f"{path} is of a training with {name} {of.get(name)}, and this one has {value}")
    share = learner.share
    lanes = slice(share.first_world * env.num_agents, share.first_world * env.num_agents + share.lanes)
    worlds = slice(share.first_world, share.first_world + share.worlds)
    state = {}
    for field in schema.state_fields(env.universe):
        part = tensors[f"env.{field.name}"][..., lanes if field.per == "lane" else worlds]
        state[field.name] = torch.from_numpy(np.ascontiguousarray(part))
    env.load_state_dict(
        {
            "universe": env.module.digest,
            "first_world": env.first_world,
            "seed": said["seed"],
            "tick": said["tick"],
            "state": state,
        }
    )
    for name in LIVES:
        getattr(learner.lives, name)[:] = tensors[f"lives.{name}"][lanes]
    moments = {name: tensors[name].copy() for name in MOMENTS}
    counts = {name: float.fromhex(said["counts"][name]) for name in COUNTED}
    counters: dict[str, Any] = moments | counts
    learner.learned = Learned(parameters_of(path, learner.network, tensors), update=said["update"], **counters)


def latest(folder: Path) -> Path | None:
    """The checkpoint of the greatest update in a folder."""
    return max(checkpoints_in(folder), default=None)


def weights_in(path: Path) -> Path:
    """The file that has the weights of a run: those of its end, or of its latest checkpoint if it has not ended. A
    path that is no folder is that of a file already.

    Raises:
        TrainError: the folder has neither.
    """
    try:
        return opened.weights_in(path)
    except EnvError as error:
        raise TrainError(str(error)) from error


def named(folder: Path, update: int) -> Path:
    """The checkpoint after an update."""
    return folder / f"{update:08}.safetensors"


def _training(learner: Learner) -> dict[str, Any]:
    """The settings that determine a training beside its universe, for JSON."""
    groups = learner.share.groups
    size = {"worlds": groups.worlds, "agents": groups.agents, "seed": learner.seed, "updates": learner.updates}
    return size | asdict(learner.settings) | {"hidden": list(learner.settings.hidden)}


def _all_lanes(learner: Learner, rows: Array) -> Array:
    groups, ranks = learner.share.groups, learner.ranks
    return ranks.gather(rows, [groups.share(rank, ranks.size).lanes for rank in range(ranks.size)])


def _all_worlds(learner: Learner, rows: Array) -> Array:
    groups, ranks = learner.share.groups, learner.ranks
    return ranks.gather(rows, [groups.share(rank, ranks.size).worlds for rank in range(ranks.size)])
