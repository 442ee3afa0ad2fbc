"""Ctrl-C in steps and rollouts."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import torch
from fault import SEED, Fault

import hamlet
from hamlet.backend.buffers import Statistics
from hamlet.backend.registry import backend_kind

FIRST_MEAL = Path(__file__).resolve().parents[2] / "generated" / "first_meal"


def interrupted(share: float) -> Iterator[Fault]:
    """Steps and rollouts of several threads; afterwards as if nobody had pressed anything."""
    module = hamlet.load(FIRST_MEAL)
    for name, ticks in (("c", 50), ("interpreter", 5)):
        type(backend_kind(name)).span = 0, ticks
    for backend, worlds, seconds in (("c", 64, 20.0), ("c", 20_000, 20.0), ("interpreter", 300, 20.0)):
        for kind in ("steps", "rollouts"):
            fault = Fault(f"Ctrl-C in {kind} of {worlds:,} worlds, {backend}", "all lanes at the tick that `tick` says")
            env, other = (
                hamlet.make(module, worlds=worlds, device="cpu", backend=backend, seed=5, quiet=True) for _ in range(2)
            )
            actions = torch.randint(env.num_actions, (64, worlds), generator=torch.Generator().manual_seed(SEED))
            counts = env.rollout(1).counts
            tick = _pressed(fault, partial(_work, env, kind, actions, counts), max(seconds * share, 1))
            expected = other.rollout(1).counts
            if kind == "steps":
                for at in range(1, env.tick):
                    other.step(actions[at % 64])
            else:
                other.rollout(env.tick - 1, statistics=expected)
            same = all(
                torch.equal(a, b) for a, b in zip(env._buffers.tensors, other._buffers.tensors, strict=True)
            ) and all(np.array_equal(value, expected.memory[name]) for name, value in counts.memory.items())
            fault.seen[f"equal after {env.tick:,} ticks"] = 1
            if not same or tick != env.tick:
                fault.problems.append("other bits")
            yield fault


def _work(env: hamlet.env.environment.Env, kind: str, actions: torch.Tensor, counts: Statistics) -> int:
    if kind == "steps":
        env.step(actions[env.tick % 64])
    else:
        env.rollout(200, statistics=counts)
    return env.tick


def _pressed(fault: Fault, work: Callable[[], int], seconds: float) -> int:
    """Do it again and again, and press Ctrl-C meanwhile; the last tick."""
    armed, done, ends = False, threading.Event(), time.monotonic() + seconds

    def handler(*_: object) -> None:
        nonlocal armed
        if armed:
            armed = False
            raise KeyboardInterrupt

    def press() -> None:
        while not done.wait(0.002):
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, handler)
    thread = threading.Thread(target=press)
    thread.start()
    while time.monotonic() < ends:
        try:
            armed = True
            while time.monotonic() < ends:
                work()
            armed = False
        except KeyboardInterrupt:
            fault.note("interrupted")
    done.set()
    thread.join()
    signal.signal(signal.SIGINT, before)
    return work()
