"""Ctrl-C leaves worlds at a tick: all lanes at the same, and the one that the environment says."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

import hamlet
from hamlet.backend.registry import backend_kind
from hamlet.env.environment import Env
from hamlet.env.interrupts import Whole

FIRST_MEAL = hamlet.load(Path(__file__).parents[3] / "generated" / "first_meal")
PERIOD = 64
"""Of the actions."""


def interrupted(every: float, work: Callable[[], bool]) -> int:
    """Do a piece of work until it returns false, while Ctrl-C is pressed again and again, after so many seconds each;
    how often that interrupted it."""
    armed, count, done = False, 0, threading.Event()

    def handler(*_arguments: object) -> None:
        nonlocal armed
        if armed:
            armed = False
            raise KeyboardInterrupt

    def press() -> None:
        while not done.wait(every):
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, handler)
    thread = threading.Thread(target=press)
    thread.start()
    try:
        while True:
            try:
                armed = True
                while work():
                    pass
                armed = False
                return count
            except KeyboardInterrupt:
                count += 1
    finally:
        done.set()
        thread.join()
        signal.signal(signal.SIGINT, before)


def worlds(backend: str, count: int) -> Env:
    """Some worlds, with everything compiled."""
    env = hamlet.make(FIRST_MEAL, worlds=count, device="cpu", backend=backend, seed=11, quiet=True)
    env.step(torch.zeros(count, dtype=torch.int32))
    env.rollout(1)
    env.reset(seed=11)
    return env


def same(one: Env, other: Env) -> bool:
    """Whether two environments have the same bits."""
    tensors = zip(one._buffers.tensors, other._buffers.tensors, strict=True)
    return one.tick == other.tick and all(torch.equal(a, b) for a, b in tensors)


@pytest.mark.parametrize("backend", ["numba", "interpreter"])
def test_steps(backend: str) -> None:
    env, drawn = worlds(backend, 64), torch.Generator().manual_seed(1)
    actions = torch.randint(env.num_actions, (PERIOD, 64), generator=drawn, dtype=torch.int32)
    ends = time.monotonic() + 1

    def step() -> bool:
        env.step(actions[env.tick % PERIOD])
        return time.monotonic() < ends

    assert interrupted(0.003, step) > 20
    other = worlds(backend, 64)
    for tick in range(env.tick):
        other.step(actions[tick % PERIOD])
    assert same(env, other)


@pytest.mark.parametrize("backend", ["numba", "interpreter"])
def test_rollouts_of_several_threads(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_NUM_THREADS", "3")
    monkeypatch.setattr(type(backend_kind(backend)), "span", (0, 5))
    count, ticks = (20_000, 400) if backend == "numba" else (500, 120)
    env, other = worlds(backend, count), worlds(backend, count)
    counts = env.rollout(1).counts

    def roll() -> bool:
        if env.tick < ticks:
            env.rollout(ticks - env.tick, statistics=counts)
        return env.tick < ticks

    assert interrupted(0.01, roll) > 2
    expected = other.rollout(ticks).counts
    assert same(env, other)
    assert all(np.array_equal(value, expected.memory[name]) for name, value in counts.memory.items())


def test_a_rollout_in_parts_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = worlds("numba", 100), worlds("numba", 100)
    drawn = torch.Generator().manual_seed(2)
    actions = torch.randint(one.num_actions, (50, 100), generator=drawn, dtype=torch.int32)
    one.rollout(50, actions, observe=True)
    one.rollout(31)
    monkeypatch.setattr(type(backend_kind("numba")), "span", (0, 7))
    other.rollout(50, actions, observe=True)
    other.rollout(31)
    assert same(one, other)


def test_without_python_s_handler_and_in_other_threads() -> None:
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append("pressed"))
    try:
        with Whole() as whole:
            os.kill(os.getpid(), signal.SIGINT)
            assert whole.wanted
            assert not seen
            whole.pause()
            assert seen == ["pressed"]
            os.kill(os.getpid(), signal.SIGINT)
            assert len(seen) == 1
        assert len(seen) == 2

        def elsewhere() -> None:
            with Whole() as inner:
                inner.pause()
                assert inner.before is None

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    finally:
        signal.signal(signal.SIGINT, before)
