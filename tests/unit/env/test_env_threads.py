"""Two threads never run one environment together: the second is refused in a line, and the first goes on."""

from __future__ import annotations

import copy
import pickle
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module

FIRST_MEAL = hamlet.load(Path(__file__).parents[3] / "generated" / "first_meal")
REFUSED = "in another call now"


def worlds(count: int) -> Env:
    return hamlet.make(FIRST_MEAL, worlds=count, device="cpu", backend="c", seed=5, quiet=True)


def in_a_thread(call: Callable[[], object]) -> BaseException | None:
    """What a call raises in another thread."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except hamlet.EnvError as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return raised[0] if raised else None


def test_whoever_comes_second_is_refused_and_nothing_was_changed(valley: Module) -> None:
    env = hamlet.make(valley, worlds=3, device="cpu", backend="interpreter", seed=5, quiet=True)
    (param, *_), saved = env.params, env.state_dict()
    wanted = env.params[param].tolist()
    calls: dict[str, Callable[[], object]] = {
        "step": lambda: env.step(torch.zeros(3, dtype=torch.int32)),
        "rollout": lambda: env.rollout(2),
        "reset": lambda: env.reset(seed=1),
        "reset of some": lambda: env.reset(worlds=[True, False, True]),
        "observe": env.observe,
        "params": lambda: env.params.update({param: wanted}),
        "state_dict": env.state_dict,
        "load_state_dict": lambda: env.load_state_dict(saved),
        "copy": lambda: copy.deepcopy(env),
        "pickle": lambda: pickle.dumps(env),
        "functional": env.functional,
        "record": lambda: env.record(ticks=2),
    }
    with env._whole:
        for name, call in (*calls.items(), ("close", env.close)):
            assert REFUSED in str(in_a_thread(call)), name
    for name, call in calls.items():
        assert in_a_thread(call) is None, name
    env.load_state_dict(saved)
    assert env.tick == 0
    assert in_a_thread(env.close) is None


def test_the_thread_of_ctrl_c_is_refused_too_and_keeps_its_handler() -> None:
    env, before = worlds(2), signal.getsignal(signal.SIGINT)
    inside, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with env._whole:
            inside.set()
            leave.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait()
    with pytest.raises(hamlet.EnvError, match=REFUSED):
        env.rollout(1)
    leave.set()
    thread.join()
    assert signal.getsignal(signal.SIGINT) is before
    env.rollout(1)
    assert signal.getsignal(signal.SIGINT) is before


def test_no_tick_is_done_beside_another() -> None:
    env, refusals, done, actions = worlds(5000), 0, [0, 0], torch.zeros(5000, dtype=torch.int32)

    def play(number: int) -> None:
        nonlocal refusals
        for _ in range(300):
            try:
                env.step(actions)
                done[number] += 1
            except hamlet.EnvError:
                refusals += 1

    threads = [threading.Thread(target=play, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refusals > 0
    assert env.tick == sum(done)
    other = worlds(5000)
    for _ in range(env.tick):
        other.step(actions)
    assert all(torch.equal(a, b) for a, b in zip(env._buffers.tensors, other._buffers.tensors, strict=True))
