"""What adapters cost: a step through each of them beside `Env.step`, in one run, taking turns.

    python benchmarks/adapters.py --json benchmarks/results/adapters.json

Every adapter has worlds of its own, begun by the same seed, and takes the same actions, which are drawn beforehand. A
round is some steps of each, one after the other; a sample is the mean of a round. The overhead is that of the medians.
TorchRL is measured twice: `step`, and `step_and_maybe_reset`, which a collector calls: it also hands out the first
observations of new episodes beside the last ones of old ones, in two tensors, so observations are copied once.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import torch

import hamlet
from hamlet.package.module import Module

sys.path.insert(0, str(Path(__file__).parent))

from facts import facts

ROOT = Path(__file__).parents[1]
Step = Callable[[int], object]


def core(module: Module, worlds: int, actions: np.ndarray[Any, Any]) -> Step:
    env = hamlet.make(module, worlds=worlds, seed=1, quiet=True)
    given = torch.from_numpy(actions.astype(np.int32))
    return lambda tick: env.step(given[tick])


def gymnasium(mode: str) -> Callable[[Module, int, np.ndarray[Any, Any]], Step]:
    def make(module: Module, worlds: int, actions: np.ndarray[Any, Any]) -> Step:
        from hamlet_gym import VectorEnv

        env = VectorEnv(worlds, module, mode, seed=1)
        env.reset()

        def step(tick: int) -> None:
            _, _, terminated, truncated, _ = env.step(actions[tick])
            over = terminated | truncated
            if mode == "Disabled" and over.any():
                env.reset(options={"reset_mask": over})

        return step

    return make


def torchrl(collecting: bool) -> Callable[[Module, int, np.ndarray[Any, Any]], Step]:
    def make(module: Module, worlds: int, actions: np.ndarray[Any, Any]) -> Step:
        from hamlet_torchrl import TorchRLEnv

        env = TorchRLEnv(worlds, module, seed=1)
        given = torch.from_numpy(actions)
        now = [env.reset()]

        def step(tick: int) -> None:
            now[0]["action"] = given[tick]
            now[0] = env.step_and_maybe_reset(now[0])[1]

        def plain(tick: int) -> None:
            now[0]["action"] = given[tick]
            stepped = env.step(now[0])
            # Outside of what is measured would be better, but a step needs worlds that do not wait.
            env._worlds._waiting = None
            del stepped["next"]

        return step if collecting else plain

    return make


def sb3(module: Module, worlds: int, actions: np.ndarray[Any, Any]) -> Step:
    from hamlet_sb3 import VecEnv

    env = VecEnv(worlds, module, seed=1)
    env.reset()
    return lambda tick: env.step(actions[tick])


def pettingzoo(module: Module, agents: int, actions: np.ndarray[Any, Any]) -> Step:
    from hamlet_pettingzoo import ParallelEnv

    env = ParallelEnv(module, agents=agents, backend="numba", seed=1)
    env.reset()

    def step(tick: int) -> None:
        if not env.agents:
            env.reset()
        chosen = dict(zip(env.possible_agents, actions[tick].tolist(), strict=True))
        env.step({name: chosen[name] for name in env.agents})

    return step


def core_of_agents(module: Module, agents: int, actions: np.ndarray[Any, Any]) -> Step:
    env = hamlet.make(module, agents=agents, backend="numba", seed=1, quiet=True)
    given = torch.from_numpy(actions.astype(np.int32))
    return lambda tick: env.step(given[tick])


MANY: dict[str, Callable[[Module, int, np.ndarray[Any, Any]], Step]] = {
    "Env.step": core,
    "Gymnasium, SAME_STEP": gymnasium("SameStep"),
    "Gymnasium, NEXT_STEP": gymnasium("NextStep"),
    "Gymnasium, DISABLED and reset_mask": gymnasium("Disabled"),
    "TorchRL, step": torchrl(collecting=False),
    "TorchRL, step_and_maybe_reset": torchrl(collecting=True),
    "Stable-Baselines3": sb3,
}
ONE: dict[str, Callable[[Module, int, np.ndarray[Any, Any]], Step]] = {
    "Env.step": core_of_agents,
    "PettingZoo": pettingzoo,
}


def measure(
    made: dict[str, Callable[[Module, int, np.ndarray[Any, Any]], Step]],
    module: Module,
    size: int,
    rounds: int,
    steps: int,
) -> dict[str, list[float]]:
    """Microseconds of a step, by name, sorted."""
    rng = np.random.default_rng(0)
    actions = rng.integers(0, len(module.universe.moves) + 2, (steps, size))
    runs, samples = {}, {name: list[float]() for name in made}
    for name, make in made.items():
        try:
            runs[name] = make(module, size, actions)
        except ImportError as error:
            print(f"{name}: left out, {error}", file=sys.stderr)
    # The first rounds fill caches, and let episodes of all ages be under way.
    for turn in range(-2, rounds):
        for name, step in runs.items():
            begin = perf_counter()
            for tick in range(steps):
                step(tick)
            if turn >= 0:
                samples[name].append((perf_counter() - begin) / steps * 1e6)
    return {name: sorted(taken) for name, taken in samples.items() if taken}


def table(samples: dict[str, list[float]], count: str) -> str:
    """The rows of a table in Markdown."""
    base = median(samples["Env.step"])
    lines = [f"| {count} | us a step | overhead |", "| --- | --: | --: |"]
    for name, taken in samples.items():
        middle = median(taken)
        lines.append(f"| {name} | {middle:,.0f} ({taken[0]:,.0f} to {taken[-1]:,.0f}) | {middle / base - 1:+.1%} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=Path, default=ROOT / "generated" / "town")
    parser.add_argument("--worlds", type=int, default=16384)
    parser.add_argument("--agents", type=int, default=16, help="of PettingZoo's one world")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    module = hamlet.load(given.package)
    many = measure(MANY, module, given.worlds, given.rounds, given.steps)
    one = measure(ONE, module, given.agents, given.rounds, given.steps)
    print(table(many, f"{given.worlds:,} worlds of {module.name}"))
    print()
    print(table(one, f"1 world of {given.agents} agents"))
    if given.json is not None:
        found = {
            "facts": facts("benchmarks/adapters.py", "numba"),
            "worlds": given.worlds,
            "agents": given.agents,
            "many": many,
            "one": one,
        }
        given.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
