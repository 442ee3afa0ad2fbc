"""Ctrl-C leaves worlds at a tick: all lanes at the same, and the one that the environment says."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import hamlet
from hamlet.backend.buffers import Buffers
from hamlet.env.act import pace
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


@pytest.mark.parametrize("backend", ["c", "interpreter"])
def test_steps(backend: str) -> None:
    env, drawn = worlds(backend, 64), torch.Generator().manual_seed(1)
    actions = torch.randint(env.num_actions, (PERIOD, 64), generator=drawn, dtype=torch.int32)
    ends = time.monotonic() + 0.5

    def step() -> bool:
        env.step(actions[env.tick % PERIOD])
        return time.monotonic() < ends

    assert interrupted(0.003, step) > 10
    other = worlds(backend, 64)
    for tick in range(env.tick):
        other.step(actions[tick % PERIOD])
    assert same(env, other)


@pytest.mark.parametrize("backend", ["c", "interpreter"])
def test_rollouts_of_several_threads(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAMLET_THREADS", "3")
    monkeypatch.setattr(pace, "SECONDS", 0.002)
    count, ticks = (20_000, 400) if backend == "c" else (500, 120)
    env, other = worlds(backend, count), worlds(backend, count)
    counts = env.rollout(1).counts

    def roll() -> bool:
        if env.tick < ticks:
            env.rollout(ticks - env.tick, statistics=counts)
        return env.tick < ticks

    assert interrupted(0.004, roll) > 2
    expected = other.rollout(ticks).counts
    assert same(env, other)
    assert all(np.array_equal(value, expected.memory[name]) for name, value in counts.memory.items())


def test_a_rollout_in_parts_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = worlds("c", 100), worlds("c", 100)
    drawn = torch.Generator().manual_seed(2)
    actions = torch.randint(one.num_actions, (50, 100), generator=drawn, dtype=torch.int32)
    one.rollout(50, actions, observe=True)
    one.rollout(31)
    monkeypatch.setattr(pace, "SECONDS", 0.0)
    other.rollout(50, actions, observe=True)
    other.rollout(31)
    assert same(one, other)


def test_without_python_s_handler_and_in_other_threads() -> None:
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append("pressed"))
    try:
        with Whole() as whole:
            os.kill(os.getpid(), signal.SIGINT)
            assert whole.pressed
            assert not seen
            whole.pause(lambda: None)
            assert seen == ["pressed"]
            os.kill(os.getpid(), signal.SIGINT)
            assert len(seen) == 1
        assert len(seen) == 2

        def elsewhere() -> None:
            with Whole() as inner:
                inner.pause(lambda: None)
                assert inner.before is None

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("backend", "obs_dtype"),
    [("c", "float32"), ("c", None), ("interpreter", "bfloat16"), ("interpreter", None)],
)
def test_launches_are_short_and_the_last_one_observes(
    backend: str, obs_dtype: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {"worlds": 40, "agents": 2, "device": "cpu", "backend": backend, "obs_dtype": obs_dtype, "quiet": True}
    one, other = (hamlet.make(FIRST_MEAL, **made, seed=11) for _ in range(2))
    one._pace.most.update({("RandomPolicy", observe, 0): 100 for observe in (False, True)})
    launches: list[tuple[int, bool]] = []
    run = other._backend.rollout

    def rollout(buffers: Buffers, ticks: int, *arguments: Any) -> None:
        launches.append((ticks, buffers.observation is None))
        run(buffers, ticks, *arguments)

    monkeypatch.setattr(other._backend, "rollout", rollout)
    monkeypatch.setattr(pace, "SECONDS", 0.0)
    other._pace.most[("RandomPolicy", False, 0)] = 20
    for env in (one, other):
        env.rollout(23)
        env.rollout(2, observe=True)
    seen = obs_dtype is None
    assert launches[:4] == [(20, True), (1, True), (1, True), (1, seen)]
    assert sum(ticks for ticks, _ in launches) == 25
    assert all(unseen is seen for _, unseen in launches[4:])
    assert same(one, other)


def test_whoever_stops_a_rollout_sees_the_worlds_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "SECONDS", 0.0)
    env, other = worlds("c", 300), worlds("c", 300)
    run = env._backend.rollout

    def rollout(*arguments: Any) -> None:
        run(*arguments)
        if env.tick > 30:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(env._backend, "rollout", rollout)
    with pytest.raises(KeyboardInterrupt):
        env.rollout(1 << 30)
    other.rollout(env.tick)
    assert same(env, other)
    monkeypatch.undo()
    env.rollout(5)
    other.rollout(5)
    assert same(env, other)


@pytest.mark.parametrize("backend", ["c", "interpreter"])
def test_ctrl_c_takes_effect_within_a_second(backend: str) -> None:
    """A rollout that would take hours, of many lanes at once; nobody has timed one before."""
    env, pressed = worlds(backend, 200_000 if backend == "c" else 2000), 0.0

    def press() -> None:
        nonlocal pressed
        pressed = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(1.5, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        env.rollout(1 << 30)
    # Other tests run beside this one.
    assert time.monotonic() - pressed < 2.5
    assert env.tick > 0
