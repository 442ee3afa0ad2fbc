"""A tuning as it was asked for, in a file, from which `--resume` goes on."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from hamlet.regular import read_regular
from hamlet.strict_json import parsed
from hamlet_train.beside import write_opponents
from hamlet_train.errors import TrainError
from hamlet_train.files import write_whole
from hamlet_train.run import Run
from hamlet_train.settings import read_settings
from hamlet_train.tuning.asked import Asked
from hamlet_train.tuning.budget import Budget
from hamlet_train.tuning.search import Search

FORMAT, PLAN = 1, "plan.json"
NOT_WRITTEN = ("universe", "threads")
"""Arguments of a process: where the universe lies, and how many threads there are."""


def write_plan(folder: Path, asked: Asked, search: Search) -> None:
    """Write the plan of a tuning, with its budget in agent-ticks and its opponents.

    Raises:
        TrainError: it cannot be written there.
    """
    rungs, worlds = search.rungs, search.candidates[0].manifest.worlds
    budget = replace(asked.budget, ticks=rungs.budget)
    count = None if asked.population is not None else rungs.counts[0]
    digests = search.candidates[0].manifest.opponents
    settled = replace(
        asked, budget=budget, candidates=count, worlds=worlds, digest=search.module.digest, digests=digests
    )
    said = {name: value for name, value in asdict(settled).items() if name not in NOT_WRITTEN}
    write_opponents(Run(folder), search.worlds.opponents)
    write_whole(folder / PLAN, f"{json.dumps({'format': FORMAT, **said}, indent=1)}\n".encode())


def read_plan(folder: Path, universe: Path, threads: int) -> Asked:
    """The tuning that a folder has begun.

    Raises:
        TrainError: there is none, or the file is damaged.
    """
    path = folder / PLAN
    try:
        said = parsed(read_regular(path))
    except OSError as error:
        raise TrainError(f"{folder.parent} has no tuning to go on with: leave out --resume") from error
    except ValueError as error:
        raise TrainError(f"{path} is no plan of a tuning, or a damaged one") from error
    try:
        return _asked(said, universe, threads)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise TrainError(f"{path} is no plan of a tuning, or a damaged one") from error


def _asked(said: dict[str, Any], universe: Path, threads: int) -> Asked:
    if said.pop("format") != FORMAT:
        raise ValueError("it has another format")
    usual = read_settings(said["usual"])
    # Each number is one that the settings of a training may have.
    space = {
        name: tuple(getattr(read_settings(said["usual"] | {name: value}), name) for value in values)
        for name, values in said["space"].items()
    }
    budget = Budget(int(said["budget"]["ticks"]), said["budget"]["seconds"])
    whole: dict[str, Any] = {"params": tuple(map(str, said["params"])), "usual": usual, "space": space}
    whole["opponents"] = tuple(map(str, said.get("opponents", ())))
    whole["digests"] = {str(role): str(sha) for role, sha in said.get("digests", {}).items()}
    return Asked(universe=universe, threads=threads, **said | whole | {"budget": budget})
