"""Policies against each other: tables by role, in the same worlds, and ratings."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small import HUNT, MEAL, trained

from hamlet.package.module import Module, load
from hamlet_train.cli.meeting import RATED, checkpoints_of, show_crossed, show_rated
from hamlet_train.crossing import FIRST, RANDOM, Arena, Mean, crossed, fitted, rated
from hamlet_train.errors import TrainError
from hamlet_train.evaluate import Policies, chooser, environment, first_episodes
from hamlet_train.policy import Policy, read_all
from hamlet_train.run import Run


@pytest.fixture(scope="module")
def hunt(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder: Path = tmp_path_factory.mktemp("hunt") / "one"
    return trained(folder, replace(HUNT, ticks=2 * HUNT.ticks))


@pytest.fixture(scope="module")
def module(hunt: Run) -> Module:
    return load(hunt.package)


@pytest.fixture(scope="module")
def sides(hunt: Run, module: Module) -> dict[str, Policies]:
    first = sorted(hunt.checkpoints.iterdir())[0]
    return {"last": read_all(hunt.folder, module), "first": read_all(first, module)}


def test_a_role_has_its_policy_and_the_others_have_theirs(module: Module, sides: dict[str, Policies]) -> None:
    arena = Arena(module, 12, 5, 8, 1)
    tables = crossed(arena, sides)
    assert list(tables) == ["it", "runner"]
    assert list(tables["runner"]) == [(own, other) for own in ("last", "first", RANDOM) for other in ("last", "first")]
    env = environment(module, 12, 5, 8)
    mixed = {"it": sides["first"]["it"], "runner": sides["last"]["runner"]}
    episodes = first_episodes(env, chooser(env, {r: p for r, p in mixed.items() if isinstance(p, Policy)}, 1))
    by_world = episodes.returns.reshape(12, 5)[:, 1:].mean(axis=1)
    assert tables["runner"]["last", "first"] == Mean.of(by_world)
    assert len({mean.value for mean in tables["runner"].values()}) == 6


def test_an_interval_is_that_of_independent_worlds() -> None:
    mean = Mean.of(np.array([1.0, 2.0, 3.0, 6.0]))
    assert mean.value == 3.0
    assert math.isclose(mean.half, 1.96 * math.sqrt(14 / 3) / 2)
    assert math.isnan(Mean.of(np.array([1.0])).half)


def test_ratings_are_odds() -> None:
    """With ten times as many wins, 400 points more."""
    wins = np.array([[0.0, 1000.0, 100.0], [10_000.0, 0.0, 1000.0], [10_000.0, 10_000.0, 0.0]])
    ratings = fitted(wins)
    assert ratings[0] == FIRST
    assert abs(ratings[1] - 1400) < 40
    assert abs(ratings[2] - 1800) < 40
    assert fitted(np.full((3, 3), 7.0)) == pytest.approx([FIRST] * 3)
    assert all(map(math.isfinite, fitted(np.array([[0.0, 0.0], [50.0, 0.0]]))))


def test_checkpoints_are_rated_by_role(hunt: Run, module: Module, sides: dict[str, Policies]) -> None:
    ratings = rated(Arena(module, 6, 5, 8, 1), [sides["first"], sides["last"]])
    assert {role: len(each) for role, each in ratings.items()} == {"it": 2, "runner": 2}
    assert all(each[0] != each[1] for each in ratings.values())
    names = [int(path.stem) for path in checkpoints_of(hunt.folder)]
    assert len(names) == RATED
    assert names[-1] == 8
    assert names == sorted(set(names))
    with pytest.raises(TrainError, match="has no checkpoints"):
        checkpoints_of(hunt.folder / "package")


def test_tables_are_shown(
    hunt: Run, module: Module, sides: dict[str, Policies], run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    show_crossed(Arena(module, 4, 5, 8, 1), sides)
    show_rated(Arena(module, 2, 5, 8, 1, ticks=20), hunt.folder)
    shown = capsys.readouterr().out
    assert "tag: mean return of runner in 4 worlds, seed 8" in shown
    assert shown.count("others: first") == 2
    assert "random actions have 1000" in shown
    meal = load(run.package)
    show_crossed(Arena(meal, 40, 1, 8, 1), {"a": read_all(run.folder, meal), "b": read_all(run.folder, meal)})
    shown = capsys.readouterr().out
    assert f"{MEAL.stem}: mean return of agents in 40 worlds" in shown
    rows = {line.split("│")[1].strip(): line.split("│")[2] for line in shown.splitlines() if line.startswith("│")}
    assert rows["a"] == rows["b"] != rows[RANDOM]
