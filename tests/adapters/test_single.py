"""A world that is stepped alone does what all others do, however few statements of Python that takes."""

from __future__ import annotations

import copy
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hamlet
from hamlet.errors import EnvError
from hamlet.launch.cpu.single import Single
from hamlet.package.module import Module
from hamlet_gym import Env

MEAL = hamlet.load(Path(__file__).parents[2] / "generated" / "first_meal")
KITE = """
universe kite
space none
lifespan 40 ticks
param wind = 0.5 in 0 .. 1
control pull in -1 .. 1
control lean in 0 .. 2
meter height = uniform(0.2, 0.8)
action REEL { height += 0.1 }
rule flies { height += 0.1 * wind * pull + 0.01 * lean + uniform(-0.02, 0.02) }
dies when height <= 0
ends when height >= 1 { reward 2 }
reward height
report spare: 1 - height
observe { meters  lifetime }
"""


@pytest.fixture(scope="module")
def kite(compiled: Callable[[str], Module]) -> Module:
    return compiled(KITE)


def equal(one: Any, other: Any) -> bool:
    """Whether what two calls gave has the same types and bits."""
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(one[name], other[name]) for name in one)
    same = type(one) is type(other) and np.array_equal(one, other)
    return same and getattr(one, "dtype", None) == getattr(other, "dtype", None)


def actions_of(env: Env, count: int) -> list[Any]:
    env.action_space.seed(3)
    return [env.action_space.sample() for _ in range(count)]


@pytest.mark.parametrize("universe", ["meal", "kite"])
def test_its_steps_are_those_of_the_interpreter(universe: str, request: pytest.FixtureRequest) -> None:
    """All that calls give, and nothing that was given changes later."""
    module = MEAL if universe == "meal" else request.getfixturevalue("kite")
    one, other = Env(module, backend="c", seed=2), Env(module, backend="interpreter", seed=2)
    assert equal(one.reset(), other.reset())
    kept, ends = [], 0
    for number, action in enumerate(actions_of(one, 300)):
        stepped = one.step(action)
        assert equal(stepped, other.step(action)), number
        kept.append((stepped, copy.deepcopy(stepped)))
        if stepped[2] or stepped[3]:
            ends += 1
            options = {"params": {"wind": 0.9}} if ends % 3 == 0 and universe == "kite" else None
            given: dict[str, Any] = {"seed": number if ends % 4 == 0 else None, "options": options}
            assert equal(one.reset(**given), other.reset(**given))
    assert ends > 4
    assert one._single is not None
    assert one.env.tick == other.env.tick
    assert all(
        np.array_equal(now, then) for now, then in zip(one.env.state.values(), other.env.state.values(), strict=True)
    )
    assert all(equal(now, then) for now, then in kept)


WRONG_ACTIONS = (6, -1, 1.0, True, "UP", [1, 2], None, np.float32(1), np.array([0, 1]))
WRONG_CONTROLS = (
    np.array([2, 1], np.float32),
    np.array([0, np.nan], np.float32),
    np.array([0.0, -1e-3]),
    np.zeros(2, int),
    np.zeros(3, np.float32),
    [0.0],
    None,
)


def test_what_is_wrong_is_refused_as_by_the_interpreter(kite: Module) -> None:
    for module in (MEAL, kite):
        fine = np.zeros(2, np.float32)
        wrong = [
            *([{"action": each, "controls": fine} for each in WRONG_ACTIONS] if module is kite else WRONG_ACTIONS),
            *([{"action": 0, "controls": each} for each in WRONG_CONTROLS] if module is kite else ()),
            *([fine, {"action": 0}] if module is kite else [{"action": 0}]),
        ]
        envs = [Env(module, backend=backend, seed=2) for backend in ("c", "interpreter")]
        for env in envs:
            with pytest.raises(EnvError, match="call reset before"):
                env.step(actions_of(env, 1)[0])
            env.reset()
            env.step(actions_of(env, 1)[0])
            before = {name: values.clone() for name, values in env.env.state.items()}
            for each in wrong:
                with pytest.raises(EnvError) as caught:
                    env.step(each)
                assert "\n" not in str(caught.value)
            assert env.env.tick == 1
            assert all(np.array_equal(before[name], values) for name, values in env.env.state.items())
        one, other = envs
        for action in (np.array(1), np.array([1]), np.int16(1), np.uint8(1)):
            given = {"action": action, "controls": np.array([0.5, 1.0])} if module is kite else action
            assert equal(one.step(given), other.step(given))
        for env in envs:
            env.close()
            with pytest.raises(EnvError, match="closed"):
                env.step(actions_of(env, 1)[0])
            with pytest.raises(EnvError, match="closed"):
                env.reset()


def test_an_episode_that_ended_is_not_stepped() -> None:
    env = Env(MEAL, backend="c", seed=1)
    env.reset()
    while not any(env.step(0)[2:4]):
        pass
    tick = env.env.tick
    with pytest.raises(EnvError, match="has ended"):
        env.step(0)
    assert env.env.tick == tick


def test_a_control_is_checked_unless_nobody_is_to_look(kite: Module) -> None:
    env = Env(kite, backend="c", validate=False)
    env.reset(seed=1)
    action = {"action": 1, "controls": np.array([5, 1], np.float32)}
    for _ in range(3):
        env.step(action)
    assert env.env.state["controls"][:, 0].tolist() == [5, 1]


def test_whoever_has_the_environment_can_do_anything_with_it(kite: Module) -> None:
    """Tensors that are given other memory, telemetry, params, rollouts and checkpoints between steps."""
    one, other = Env(kite, backend="c", seed=5), Env(kite, backend="interpreter", seed=5)
    between: list[Callable[[Env], Any]] = [
        lambda env: [values.share_memory_() for values in env.env.state.values()],
        lambda env: [values.share_memory_() for values in env.env.outcome.values()],
        lambda env: env.env.observation.share_memory_(),
        lambda env: env.env.params.__setitem__("wind", 0.25),
        lambda env: env.env.rollout(2, statistics=False),
        lambda env: env.env.load_state_dict(env.env.state_dict()),
        lambda env: env.env.reset(seed=9),
    ]
    held = []
    for env in (one, other):
        env.reset()
    for number, action in enumerate(actions_of(one, 120)):
        if number % 5 == 4:
            turn = number // 5 % len(between)
            # The frames of the other one are not told that the memory of outputs was moved.
            for env in (one,) if turn in (1, 2) else (one, other):
                held.append(between[turn](env))
        stepped = one.step(action)
        assert equal(stepped, other.step(action)), number
        if stepped[2] or stepped[3]:
            assert equal(one.reset(), other.reset())
    counts: list[Any] = []
    with one.env.telemetry(every=3, to=counts.append):
        for action in actions_of(one, 7):
            if any(one.step(action)[2:4]):
                one.reset()
    assert [record.ticks for record in counts] == [3, 3, 1]


@pytest.mark.parametrize(
    ("universe", "calls", "copies"),
    [
        ("meal", [], 0),
        (
            "kite",
            ["Taken.both", "Taken.action", "Taken.controls", "SingleSteps.step", "Held.check", "Single.step"],
            3,
        ),
    ],
)
def test_a_step_calls_few_functions(
    universe: str, calls: list[str], copies: int, request: pytest.FixtureRequest
) -> None:
    """Each function of Python takes a fiftieth of a step, and each copy a twentieth: of what is handed out alone. Where
    a universe has no params, no function is one of Python."""
    module = MEAL if universe == "meal" else request.getfixturevalue("kite")
    env = Env(module, backend="c", seed=1)
    env.reset()
    first, second, third = [2, 2, 2] if universe == "meal" else actions_of(env, 3)
    env.step(first)
    env.step(second)
    called, made = list[str](), list[str]()

    def count(frame: Any, event: str, argument: Any) -> None:
        if event == "call":
            called.append(frame.f_code.co_qualname)
        elif event == "c_call" and isinstance(getattr(argument, "__self__", None), np.ndarray):
            made.append(argument.__name__)

    sys.setprofile(count)
    try:
        env.step(third)
    finally:
        sys.setprofile(None)
    assert called == ["Env.step", *calls]
    assert made.count("copy") == copies


CART = """
universe cart
space none
lifespan 30 ticks
control push in -1 .. 0.5
meter place = uniform(-0.1, 0.1) in -2 .. 2
rule rolls { place += 0.1 * push + uniform(-0.01, 0.01) }
dies when place >= 0.6
reward place
observe { meters }
"""


def refusal(env: Env, action: Any) -> str:
    with pytest.raises(EnvError) as refused:
        env.step(action)
    return str(refused.value)


@pytest.fixture(scope="module")
def cart(compiled: Callable[[str], Module]) -> Module:
    return compiled(CART)


@pytest.mark.parametrize("universe", ["meal", "cart"])
def test_a_step_at_once_is_a_step(universe: str, request: pytest.FixtureRequest) -> None:
    """It takes and refuses what other steps do, in the same words, and a refused step changes nothing."""
    module = MEAL if universe == "meal" else request.getfixturevalue("cart")
    one, other = Env(module, backend="c", seed=2), Env(module, backend="c", seed=2)
    assert other.env.seed == 2
    control = np.float32([0.25])
    taken = (
        [1, np.int64(2), np.array(1), np.uint8(3)] if universe == "meal" else [control, control.astype(float), [0.5]]
    )
    numbers = [-1, other.env.num_actions, 99, 10**30, 1.5]
    refused = [*numbers, "UP", None, np.array([1, 2]), control * 3, np.float32([np.nan]), [[0.25]]]
    before = [np.int64(1) if universe == "meal" else control]
    assert equal(one.reset(), other.reset())
    assert equal(one.step(before[0]), other.step(before[0]))
    assert one._single is not None
    assert one._single.at_once is not None
    for number in range(60):
        assert refusal(one, refused[number % len(refused)]) == refusal(other, refused[number % len(refused)])
        action = taken[number % len(taken)]
        stepped = one.step(action)
        assert equal(stepped, other.step(action)), number
        assert int(one._single._now.acted) == int(other._single._now.acted)
        if stepped[2] or stepped[3]:
            assert one._single.at_once is None
            assert refusal(one, action) == refusal(other, action)
            assert equal(one.reset(), other.reset())
            assert one._single.at_once is not None
    assert equal(one.reset(seed=9), other.reset(seed=9))
    for _ in range(3):
        assert equal(one.step(before[0]), other.step(before[0]))
    assert one._single.at_once is not None
    again = copy.deepcopy(one)
    assert equal(again.step(before[0]), other.step(before[0]))
    one.close()
    assert "closed" in refusal(one, before[0])


def test_who_has_the_environment_is_looked_for_at_each_step() -> None:
    env, other = Env(MEAL, backend="c", seed=5), Env(MEAL, backend="interpreter", seed=5)
    for each in (env, other):
        each.reset()
        each.step(1)
    assert env._single is not None
    assert env._single.at_once is not None
    env.env.load_state_dict(env.env.state_dict())
    assert env._single.at_once is None
    for action in (2, 3, 4):
        assert equal(env.step(action), other.step(action))
    assert env._single.at_once is None


def test_ctrl_c_falls_between_ticks() -> None:
    """A tick is counted if it happened, wherever Ctrl-C is pressed."""
    env, other = Env(MEAL, backend="c", seed=3), Env(MEAL, backend="c", seed=3)
    actions = [int(each) for each in np.random.default_rng(1).integers(0, 6, 64)]
    for each in (env, other):
        each.reset()
        each.step(0)
    assert isinstance(env._single._single, Single)  # type: ignore[union-attr]
    steps, now, done, stepping = env._single, env._env._now, threading.Event(), threading.Event()  # type: ignore[union-attr]
    pressed, ends = 0, time.monotonic() + 0.7

    def press() -> None:
        """Once each time that steps have begun, so that no press falls elsewhere."""
        while not done.is_set():
            if stepping.wait(0.01):
                stepping.clear()
                time.sleep(0.001)
                os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        thread.start()
        while time.monotonic() < ends or pressed <= 20:
            try:
                stepping.set()
                while True:
                    steps.step(actions[now.tick % 64])
            except KeyboardInterrupt:
                pressed += 1
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        done.set()
        thread.join()
        signal.signal(signal.SIGINT, before)
    assert pressed > 20
    for tick in range(1, env.env.tick):
        other._single.step(actions[tick % 64])  # type: ignore[union-attr]
    assert env.env.tick == other.env.tick
    assert all(
        np.array_equal(one, two) for one, two in zip(env.env.state.values(), other.env.state.values(), strict=True)
    )
