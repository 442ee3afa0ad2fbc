"""Run the same worlds on every backend of this machine, and show that the bits are equal and how the speeds differ.

python examples/compare_backends.py
"""

import time
from pathlib import Path

import torch

import hamlet

UNIVERSES = Path(__file__).parents[1] / "universes"
WORLDS, TICKS = 4096, 100

universe = hamlet.compile(UNIVERSES / "town.hamlet")
backends = ["interpreter", "c", *(["triton"] if torch.cuda.is_available() else [])]

reference = None
for backend in backends:
    env = hamlet.make(universe, worlds=WORLDS, seed=7, backend=backend)
    env.rollout(1)  # the first launch compiles
    env.reset(seed=7)
    started = time.perf_counter()
    result = env.rollout(TICKS)
    episodes = result.episodes()  # waits for the device
    seconds = time.perf_counter() - started

    bits = env.state["meters"].cpu().view(torch.int32).clone()
    reference = bits if reference is None else reference
    same = "the same bits" if torch.equal(bits, reference) else "OTHER BITS"
    print(f"{env.choice:<40} {WORLDS * TICKS / seconds:>14,.0f} agent-ticks/s, {episodes:,} episodes, {same}")
