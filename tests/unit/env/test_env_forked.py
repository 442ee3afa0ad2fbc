"""A process that has worlds is forked: its children make, run and go on with worlds, with as many threads as they like.

The program has the threads that a user's has, which tests limit to one (`tests/conftest.py`), and a limit of time:
without care a child waits for ever.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
UNLIMITED = {name: value for name, value in os.environ.items() if name not in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
SECONDS = 120

BEGINNING = """
import os, threading, torch, hamlet
meal = hamlet.load("generated/first_meal")
torch.set_num_threads(2)

def threads():
    return len(os.listdir("/proc/self/task"))

def make(worlds, **named):
    return hamlet.make(meal, worlds=worlds, device="cpu", quiet=True, **named)

def play(env):
    env.reset(seed=3)
    env.reset(worlds=[True] + [False] * (env.num_worlds - 1))
    for _ in range(3):
        env.step(torch.zeros(env.num_lanes, dtype=torch.int32))
    return env.rollout(40).mean_return(), env.meter("satiation").double().sum().item()
"""

FEW = """
before = threads()
for backend in ("c", "interpreter"):
    for worlds, agents in ((1, 1), (1, 3), (4, 2)):
        env = make(worlds, agents=agents, backend=backend)
        play(env)
        env.close()
print(threads() - before)
"""
"""Prints how many threads a few worlds needed."""

FORKED = """
os.environ["HAMLET_THREADS"] = "3"
many, few = make(20_000, backend="c"), make(1, backend="c")
expected = play(many), play(few)
child = os.fork()
if child == 0:
    before = threads()
    went_on = play(many), play(few)
    names = " ".join(thread.name for thread in threading.enumerate())
    anew = play(make(20_000, backend="c")), play(make(1, backend="c"))
    print(before, "hamlet-step" in names, "hamlet-kernels" in names, went_on == anew == expected, flush=True)
    os._exit(0)
os.waitpid(child, 0)
# Whoever forked has threads again.
print((play(many), play(few)) == expected)
"""


def lines(program: str) -> list[str]:
    """What a program prints, in a process that nobody limits to one thread."""
    command = [sys.executable, "-c", BEGINNING + program]
    done = subprocess.run(
        command, cwd=ROOT, env=UNLIMITED, timeout=SECONDS, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_few_worlds_start_no_threads_and_a_child_has_threads_of_its_own() -> None:
    started, child, parent = lines(FEW + FORKED)
    assert started == "0"
    assert child == "1 True True True"
    assert parent == "True"
