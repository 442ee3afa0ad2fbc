"""What the shipped universes did in earlier versions and on other machines: a digest of every bit after so many ticks.

A digest that changes belongs into CHANGELOG.md, under **Bits**.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

import hamlet

ROOT = Path(__file__).parents[3]
WORLDS, AGENTS, TICKS, SEED = 96, 2, 300, 20_260_101


@pytest.mark.parametrize("name", ["first_meal", "shifts", "town"])
def test_bits_are_those_of_earlier_versions(name: str, golden: Callable[[Path, str], None]) -> None:
    env = hamlet.make(
        hamlet.load(ROOT / "generated" / name),
        worlds=WORLDS,
        agents=AGENTS,
        backend="interpreter",
        device="cpu",
        seed=SEED,
    )
    counted = env.rollout(TICKS)
    assert counted.episodes() > WORLDS
    arrays = {**env.state, **env.outcome, "observation": env.observation, "mask": env.action_mask}
    lines = []
    for array, values in arrays.items():
        assert values is not None
        digest = hashlib.sha256(values.contiguous().numpy().tobytes()).hexdigest()
        lines.append(f"{array} {values.dtype} {list(values.shape)} {digest}")
    golden(Path(__file__).with_name(f"{name}.txt"), "\n".join(lines) + "\n")
