"""The table of trainers, and the policies that are evaluated for it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import hamlet

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def trainers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The modules of the script; benchmarks is no package."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks" / "trainers"))
    for name in ("run", "tasks"):
        # Other folders of benchmarks have modules of these names, which tests may have imported.
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield
    for name in ("run", "tasks"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("trainers")
def test_a_table_has_medians_and_how_much_slower_others_are() -> None:
    import run

    def sample(trainer: str, seed: int, rate: float, length: float) -> dict[str, Any]:
        return {"task": "t", "trainer": trainer, "seed": seed, "steps": 9000, "rate": rate, "seconds": 3.0} | {
            "returned": -1.0,
            "length": length,
        }

    samples = [sample("a", seed, rate, 10 * rate) for seed, rate in enumerate((300.0, 100.0, 200.0))]
    tasks = {"t": {"universe": "town", "role": None, "agents": 1, "shows": "length", "random": 7.0}}
    text = run.page({"facts": {"machine": "m"}, "tasks": tasks, "samples": [*samples, sample("b", 0, 50.0, 9.5)]})
    assert "| a | 200 (100 to 300) | 1.0 | 9,000 | 3.0 (3.0 to 3.0) | 2,000 (1,000 to 3,000) |" in text
    assert "| b | 50 (50 to 50) | 4.0 | 9,000 | 3.0 (3.0 to 3.0) | 9.50 (9.50 to 9.50) |" in text
    assert "## town\n\nRandom actions: length 7.00." in text


@pytest.mark.usefixtures("trainers")
def test_a_policy_plays_its_role_by_its_own_actions() -> None:
    import tasks

    task = tasks.Task("gallery/tag", "it", agents=2)
    env = hamlet.make(hamlet.compile(task.path), worlds=4, agents=2, seed=1, backend="interpreter", quiet=True)
    crew = task.crew(env)
    assert crew.lanes is not None
    assert crew.actions is not None
    right = [env.action_names[number] for number in crew.actions].index("RIGHT")
    weights, biases = torch.zeros(crew.choices, len(crew.reach)), torch.full((crew.choices,), -50.0)
    biases[right] = 50.0
    lanes, before = torch.from_numpy(crew.lanes), env.state["position"].reshape(-1).clone()
    choose = tasks.drawn(env, crew, crew.lanes, [(weights, biases)], True)
    actions, controls = choose()
    assert controls is None
    assert [env.action_names[number] for number in actions[lanes].tolist()] == ["RIGHT"] * 4
    env.step(actions)
    assert ((env.state["position"].reshape(-1) - before)[lanes] % 11).tolist() == [1] * 4
