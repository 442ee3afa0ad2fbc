"""SysAdmin beside the rules of its RDDL in numpy: its simulator, pyRDDLGym, takes 650 steps in a second."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from beside import Array, agree, mean

import hamlet
from hamlet.package.module import Module

COMPUTERS, HORIZON, WORLDS = 10, 40, 2000
WAIT, REBOOT = 0, 1
PROB, PENALTY = 0.05, 0.75
CONNECTED = "c1,c4 c1,c9 c2,c8 c3,c4 c3,c9 c4,c5 c5,c7 c6,c4 c6,c8 c7,c9 c8,c6 c8,c10 c9,c6 c10,c2"  # of instance 1


def chances(running: Array, reboot: Array) -> Array:
    """How likely computers run next: `running'(?x)` of the domain."""
    connected = np.zeros((COMPUTERS, COMPUTERS))
    for each in CONNECTED.split():
        first, second = (int(computer[1:]) - 1 for computer in each.split(","))
        connected[first, second] = 1
    share = (1 + running @ connected) / (1 + connected.sum(axis=0))
    return np.where(reboot, 1.0, np.where(running, 0.45 + 0.5 * share, PROB))


def played(module: Module) -> Iterator[tuple[Array, Array, Array, Array]]:
    """Steps at random, one computer at most rebooted in each: who ran, who was rebooted, who runs, and rewards."""
    env = hamlet.make(module, worlds=WORLDS, agents=COMPUTERS, backend="c", seed=3, quiet=True)
    assert env.action_names == ("WAIT", "REBOOT")
    rng = np.random.default_rng(4)
    for tick in range(HORIZON):
        running = env.meter("running").numpy().reshape(WORLDS, COMPUTERS) > 0
        assert tick or running.all(), "all run in the beginning"
        reboot = (np.arange(COMPUTERS) == rng.integers(0, COMPUTERS + 3, (WORLDS, 1))).astype(np.int32)
        _, reward, terminated, truncated, _ = env.step(reboot)
        assert not terminated.any()
        assert bool(truncated.all()) == (tick == HORIZON - 1)
        if tick < HORIZON - 1:
            after = env.meter("running").numpy().reshape(WORLDS, COMPUTERS) > 0
            yield running, reboot == REBOOT, after, reward.numpy().reshape(WORLDS, COMPUTERS).copy()


def test_computers_run_and_fail_as_often_as_in_the_original(port: Callable[[str], Module]) -> None:
    steps = list(played(port("sysadmin")))
    running, reboot, after, reward = (np.concatenate(each) for each in zip(*steps, strict=True))
    np.testing.assert_array_equal(reward, running - np.float32(PENALTY) * reboot)
    likely = chances(running, reboot)
    assert after[reboot].all()
    for computer in range(COMPUTERS):
        for chance in np.unique(likely[:, computer]):
            alike = likely[:, computer] == chance
            runs, error = after[alike, computer].mean(), np.sqrt(chance * (1 - chance) / alike.sum())
            assert abs(runs - chance) <= 4 * error, f"c{computer + 1} runs in {runs} instead of {chance}"


def test_episodes_return_as_much(port: Callable[[str], Module]) -> None:
    rng, theirs = np.random.default_rng(5), np.zeros(WORLDS)
    running = np.ones((WORLDS, COMPUTERS), bool)
    for _ in range(HORIZON - 1):
        reboot = np.arange(COMPUTERS) == rng.integers(0, COMPUTERS + 3, (WORLDS, 1))
        theirs += (running - PENALTY * reboot).sum(axis=1)
        running = rng.random(running.shape) < chances(running, reboot)
    ours = np.sum([reward.sum(axis=1) for _, _, _, reward in played(port("sysadmin"))], axis=0)
    assert agree(mean(ours), mean(theirs)), f"{mean(ours)} here, {mean(theirs)} there"
