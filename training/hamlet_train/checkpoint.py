"""Everything that determines how a training goes on, in one file, whatever number of processes wrote it or reads it."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from hamlet import schema
from hamlet.errors import EnvError
from hamlet.policies import opened
from hamlet.policies.opened import checkpoints_in
from hamlet_train.errors import TrainError
from hamlet_train.exact.network import Array
from hamlet_train.files import read_tensors, write_tensors
from hamlet_train.groups import Share
from hamlet_train.learning import Learning, Training
from hamlet_train.past import Self
from hamlet_train.policy import about, about_network, check_for, parameters_of, tensors_of
from hamlet_train.ppo import Learned
from hamlet_train.ranks import Ranks
from hamlet_train.schedule import json_of

MOMENTS = ("first_moment", "second_moment")
COUNTED = ("first_power", "second_power", "samples", "discounted", "discounted_squares")
LIVES = ("lengths", "returns", "discounted")
MEMORY = ("hidden", "before", "acted")
BEFORE: dict[str, Any] = {"shared": True, "past": 0, "fixed": [], "memory": 0, "critic": 0, "team": 0,
                          "changes": []}  # fmt: skip
"""The settings of trainings that do not say them: those of before there were any."""


def save(path: Path, training: Training) -> None:
    """Write a checkpoint. All processes call it, and the first one writes.

    Raises:
        TrainError: it cannot be written there.
    """
    env, first = training.env, training.crews[0].learner
    tensors, saved = dict[str, Array](), env.state_dict()
    for each in training.crews:
        each.learner.leave()
        if each.critic is not None:
            each.critic.learner.leave()
    for field in schema.state_fields(env.universe):
        value = saved["state"][field.name].cpu().numpy()
        rows = np.ascontiguousarray(np.moveaxis(value, -1, 0))
        every = _all(first.ranks, first.share, rows, env.num_agents if field.per == "lane" else 1)
        tensors[f"env.{field.name}"] = np.moveaxis(every, 0, -1)
    said: dict[str, Any] = {"update": training.update, "tick": env.tick, "of": _training(training)}
    if changes := _changes(training, training.update):
        said["of"]["changes"] = changes
    roles = dict[str, Any]()
    for each in training.crews:
        crew, learned = each.crew, each.learner.learned
        lives = {f"lives.{name}": _lives(each, name) for name in LIVES}
        moments = {name: getattr(learned, name) for name in MOMENTS}
        mine = lives | tensors_of(each.learner.network, learned.parameters) | moments | _remembered(each)
        if each.critic is not None:
            mine |= {f"critic.{name}": getattr(each.critic.learner.learned, name) for name in ("parameters", *MOMENTS)}
        tensors |= {f"{crew.prefix}{name}": tensor for name, tensor in mine.items()}
        counts = {name: float(getattr(learned, name)).hex() for name in COUNTED}
        facts = about_network(each.learner.network) | {"counts": counts}
        if crew.role is None:
            said |= facts
        else:
            roles[crew.role] = facts
    for role, memory, size in training.memories():
        for part in MEMORY:
            tensors[f"opponent.{role}.{part}"] = _all(first.ranks, first.share, getattr(memory, part), size)
    if training.past is not None:
        said["selves"] = [each.update for each in training.past.selves]
        for number, of in enumerate(training.crews):
            selves = [each.parameters[number] for each in training.past.selves]
            tensors[f"{of.crew.prefix}selves"] = np.stack(selves)
    if first.ranks.first:
        write_tensors(path, tensors, about(env.module, env.seed) | said | ({"roles": roles} if roles else {}))


def load(path: Path, training: Training) -> None:
    """Go on from a checkpoint.

    Raises:
        TrainError: the file cannot be read, or belongs to another universe or another training.
        EnvError: it has a value that no tick leaves.
    """
    env, share = training.env, training.crews[0].learner.share
    tensors, said = read_tensors(path)
    parts = check_for(path, tensors, said, env.module)
    of, this = said.get("of", {}), _training(training) | {"changes": _changes(training, said["update"])}
    for name, value in this.items():
        if of.get(name, BEFORE.get(name)) != value:
            raise TrainError(f"{path} is of a training with {name} {of.get(name)}, and this one has {value}")
    lanes = slice(share.first_world * env.num_agents, (share.first_world + share.worlds) * env.num_agents)
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
    for each in training.crews:
        mine, facts = parts[each.crew.role]
        learner, size = each.learner, len(each.crew.agents)
        for name in LIVES:
            every = mine[f"lives.{name}"]
            getattr(learner.lives, name)[:] = every[
                share.first_world * size : (share.first_world + share.worlds) * size
            ]
        if each.store.memory is not None:
            for name in MEMORY:
                getattr(each.store.memory, name)[:] = mine[f"remembered.{name}"][
                    share.first_world * size : (share.first_world + share.worlds) * size
                ]
        moments = {name: mine[name].copy() for name in MOMENTS}
        counts = {name: float.fromhex(facts["counts"][name]) for name in COUNTED}
        counters: dict[str, Any] = moments | counts
        learner.learned = Learned(parameters_of(path, learner.network, mine), update=said["update"], **counters)
        learner.take()
        if each.critic is not None:
            # Counts and lives are those of its crew, which sees the same rewards.
            judge = each.critic.learner
            arrays: dict[str, Any] = {name: mine[f"critic.{name}"].copy() for name in ("parameters", *MOMENTS)}
            judge.learned = replace(learner.learned, **arrays)
            for name in LIVES:
                getattr(judge.lives, name)[:] = getattr(learner.lives, name)
            judge.take()
    for role, memory, size in training.memories():
        rows = slice(share.first_world * size, (share.first_world + share.worlds) * size)
        for numbers in MEMORY:
            getattr(memory, numbers)[:] = tensors[f"opponent.{role}.{numbers}"][rows]
    training.remember()
    if training.past is not None:
        selves = [parts[each.crew.role][0]["selves"] for each in training.crews]
        training.past.selves[:] = [
            Self(update, tuple(each[index].copy() for each in selves)) for index, update in enumerate(said["selves"])
        ]


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


def _training(training: Training) -> dict[str, Any]:
    """The settings that determine a training beside its universe, for JSON."""
    env, learner = training.env, training.crews[0].learner
    size = {
        "worlds": learner.share.groups.worlds,
        "agents": env.num_agents,
        "seed": env.seed,
        "updates": learner.updates,
        "shared": training.crews[0].crew.role is None,
        "past": 0 if training.past is None else training.past.most,
        "fixed": [policy.digest() for policy in training.fixed.values()],
    }
    # A critic of its own leaves the learner beside it other settings.
    settings = training.schedule.first if training.schedule.changes else learner.settings
    return size | asdict(settings) | {"hidden": list(settings.hidden)}


def _changes(training: Training, update: int) -> list[dict[str, Any]]:
    """The changes of settings before an update, for JSON."""
    return [json_of(each) for each in training.schedule.before(update)]


def _lives(of: Learning, name: str) -> Array:
    learner = of.learner
    return _all(learner.ranks, learner.share, getattr(learner.lives, name), len(of.crew.agents))


def _remembered(of: Learning) -> dict[str, Array]:
    """The memory of all lanes of a crew."""
    learner, memory, size = of.learner, of.store.memory, len(of.crew.agents)
    if memory is None:
        return {}
    return {f"remembered.{name}": _all(learner.ranks, learner.share, getattr(memory, name), size) for name in MEMORY}


def _all(ranks: Ranks, share: Share, rows: Array, each: int) -> Array:
    """The rows of all processes, of which each world has so many."""
    return ranks.gather(rows, [share.groups.share(rank, ranks.size).worlds * each for rank in range(ranks.size)])
