"""The zoo: a policy of each shipped universe, which still fits it, plays, and is better than random actions."""

from __future__ import annotations

from pathlib import Path

import pytest

import hamlet
from hamlet.errors import EnvError
from hamlet.policies.by_role import read_by_role
from hamlet.policies.parts import parts_of, parts_with_pictures
from hamlet.policies.zoo import SHIPPED, ZOO, names
from hamlet_train.gallery import compared
from hamlet_train.run import Run
from hamletc.compile import check_file
from hamletc.frontend import Stopwatch

MOST_BYTES = 2_000_000


def texts() -> dict[str, Path]:
    return {path.stem: path for path in [*SHIPPED.glob("*.hamlet"), *SHIPPED.glob("gallery/*.hamlet")]}


def test_each_shipped_universe_has_policies_of_its_present_version() -> None:
    assert names() == sorted(texts())
    for name, path in texts().items():
        universe = check_file(path, Stopwatch()).universe
        policies, parts = read_by_role(ZOO / name), (parts_of(universe), parts_with_pictures(universe))
        assert list(policies) == sorted(role.name for role in universe.roles or ()) or list(policies) == [None]
        assert all(each.parts in parts for each in policies.values()), f"python benchmarks/zoo.py {name}"
        manifest = Run(ZOO / name).read()
        assert manifest.weights is not None
        assert SHIPPED / manifest.source.removeprefix("universes/") == path


def test_the_zoo_is_small() -> None:
    assert 500_000 < sum(path.stat().st_size for path in ZOO.rglob("*") if path.is_file()) < MOST_BYTES


def test_a_policy_of_the_zoo_is_named_by_its_universe() -> None:
    module = hamlet.compile(SHIPPED / "gallery" / "bandit.hamlet")
    env = hamlet.make(module, worlds=200, seed=5, backend="interpreter", quiet=True)
    learnt = env.rollout(100, hamlet.policy("zoo:bandit"))
    chance = hamlet.make(module, worlds=200, seed=5, backend="interpreter", quiet=True).rollout(100)
    assert learnt.mean_return() > 1.3 * chance.mean_return()
    with pytest.raises(EnvError, match=r"zoo:nobody is not there: the zoo has alarm, "):
        hamlet.policy("zoo:nobody")
    with pytest.raises(EnvError, match="another universe"):
        hamlet.policy("zoo:commons").check(module)


def test_the_gallery_compares_random_scripted_trained_and_theory() -> None:
    [row] = compared("bandit", 100, 1)
    assert row.random.value < row.scripted < row.trained.value < (row.theory or 0) == 75
    assert row.role == "all"
    assert row.script.endswith("all the time")
