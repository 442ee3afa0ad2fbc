"""Gymnasium's vector environments of processes, which it forks from one that has made an environment already."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
UNLIMITED = {name: value for name, value in os.environ.items() if name not in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
SECONDS = 120
PROGRAM = """
import gymnasium, hamlet, hamlet_gym, torch
from gymnasium.vector import AsyncVectorEnv

torch.set_num_threads(2)
meal = hamlet.load("generated/first_meal")
envs = AsyncVectorEnv([lambda: hamlet_gym.Env(meal)] * 2, context="fork")
other = gymnasium.make_vec("hamlet/first_meal-v0", num_envs=2, vectorization_mode="async")
print((envs.reset(seed=1)[0] == other.reset(seed=1)[0]).all())
for each in (envs, other):
    each.step([0, 0])
    each.close()
"""


def test_its_processes_have_worlds() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env=UNLIMITED,
        timeout=SECONDS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "True\n"
