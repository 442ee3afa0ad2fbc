"""Worlds in which agents have no meters: what environments and `hamletc run` do with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet.package.module import Module
from processes import Command
from samples import text

ORCHARD = text("orchard")


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_an_environment_does_all_it_does_elsewhere(compiled: Callable[[str], Module], backend: str) -> None:
    env = hamlet.make(compiled(ORCHARD), worlds=3, agents=2, backend=backend, seed=4)
    pick = env.action_names.index("PICK")
    for _ in range(5):
        env.step(torch.full((6,), pick, dtype=torch.int32))
    kept = env.state_dict()
    rollout = env.rollout(30, statistics=True)
    assert rollout.episodes() > 0
    env.load_state_dict(kept)
    assert int(env.state["age"][0]) == 5
    assert env.state["meters"].shape == (0, 6)
    assert env.plot() is not None
    assert "orchard" in env.render()


def test_run_draws_no_meters(hamletc_here: Command, tmp_path: Path) -> None:
    (tmp_path / "orchard.hamlet").write_text(ORCHARD, encoding="utf-8")
    hamletc_here("run", "orchard.hamlet", "--worlds", "4", "--ticks", "30", "--backend", "interpreter")
    assert (tmp_path / "runs" / "orchard" / "meters.png").exists()
