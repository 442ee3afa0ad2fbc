"""What adapters cost: a step through each of them beside `Env.step`, in one run, taking turns.

    python benchmarks/adapters.py

Every adapter has worlds of its own, begun by the same seed, and takes the same actions, which are drawn beforehand. A
round is some steps of each, one after the other; a sample is the mean of a round, by CPU seconds of all threads and by
the clock. An overhead is the median of those of rounds, in each of which the adapter and `Env.step` stand side by side.

`Env.step, two outputs by turns` is the core in the memory that a step of an adapter needs where the last one is still
held: what it costs more is that of caches, and no adapter that overwrites nothing can do without. `Env.step, next_step`
is the core of the adapters that show last observations in the place of first ones: Gymnasium's NEXT_STEP and DISABLED,
TorchRL. Gymnasium is also measured with somebody who keeps the last results, and reads `final_obs`, whose entries are
made when they are read.
TorchRL is measured twice: `step`, and `step_and_maybe_reset`, which a collector calls: it also hands out the first
observations of new episodes beside the last ones of old ones, in two tensors, so observations are copied once. With
worlds that stand still TorchRL's own part is left. Writes benchmarks/results/adapters.json and adapters.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
import torch

import hamlet
from hamlet.package.module import Module

sys.path.insert(0, str(Path(__file__).parent))

from facts import facts

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "adapters.json"
Step = Callable[[int], object]
Samples = dict[str, dict[str, list[float]]]


def core(autoreset: str) -> Callable[[Module, int, np.ndarray[Any, Any]], Step]:
    def make(module: Module, worlds: int, actions: np.ndarray[Any, Any]) -> Step:
        env = hamlet.make(module, worlds=worlds, seed=1, quiet=True, autoreset=autoreset)
        given = torch.from_numpy(actions.astype(np.int32))
        return lambda tick: env.step(given[tick])

    return make


def by_turns(module: Module, worlds: int, actions: np.ndarray[Any, Any]) -> Step:
    env = hamlet.make(module, worlds=worlds, seed=1, quiet=True)
    given, outputs = torch.from_numpy(actions.astype(np.int32)), [env.outputs(), env.outputs()]
    return lambda tick: env.step(given[tick], out=outputs[tick % 2])


def gymnasium_read(module: Module, worlds: int, actions: np.ndarray[Any, Any]) -> Step:
    from hamlet_gym import VectorEnv

    env = VectorEnv(worlds, module, "SameStep", seed=1)
    last: list[Any] = [env.reset()]

    def step(tick: int) -> None:
        last[0] = env.step(actions[tick])
        last[0][4].get("final_obs")

    return step


def gymnasium(mode: str) -> Callable[[Module, int, np.ndarray[Any, Any]], Step]:
    def make(module: Module, worlds: int, actions: np.ndarray[Any, Any]) -> Step:
        from hamlet_gym import VectorEnv

        env = VectorEnv(worlds, module, mode, seed=1)
        env.reset()

        def step(tick: int) -> None:
            _, _, terminated, truncated, _ = env.step(actions[tick])
            if mode == "Disabled" and (over := terminated | truncated).any():
                env.reset(options={"reset_mask": over})

        return step

    return make


def torchrl(collecting: bool) -> Callable[[Module, int, np.ndarray[Any, Any]], Step]:
    def make(module: Module, worlds: int, actions: np.ndarray[Any, Any]) -> Step:
        from hamlet_torchrl import TorchRLEnv

        env = TorchRLEnv(worlds, module, seed=1)
        if collecting:
            return collected(env, actions)
        given = torch.from_numpy(actions)
        now = [env.reset()]

        def step(tick: int) -> None:
            now[0]["action"] = given[tick]
            stepped = env.step(now[0])
            # Outside of what is measured would be better, but a step needs worlds that do not wait.
            env._worlds._waiting = None
            del stepped["next"]

        return step

    return make


def collected(env: Any, actions: np.ndarray[Any, Any]) -> Step:
    """Steps as a collector takes them."""
    given = torch.from_numpy(actions)
    now = [env.reset()]

    def step(tick: int) -> None:
        now[0]["action"] = given[tick]
        now[0] = env.step_and_maybe_reset(now[0])[1]

    return step


def torchrl_alone(module: Module, worlds: int, actions: np.ndarray[Any, Any]) -> Step:
    from hamlet_torchrl import TorchRLEnv

    class Still(TorchRLEnv):
        """Worlds that stand still: what is left is TorchRL's part."""

        last: Any = None

        def _step(self, tensordict: Any) -> Any:
            if self.last is None:
                self.last = super()._step(tensordict)
                for name in ("done", "terminated", "truncated"):
                    self.last[name].zero_()
            return self.last.copy()

    return collected(Still(worlds, module, seed=1), actions)


def sb3(module: Module, worlds: int, actions: np.ndarray[Any, Any]) -> Step:
    from hamlet_sb3 import VecEnv

    env = VecEnv(worlds, module, seed=1)
    env.reset()
    return lambda tick: env.step(actions[tick])


def pettingzoo(module: Module, agents: int, actions: np.ndarray[Any, Any]) -> Step:
    from hamlet_pettingzoo import ParallelEnv

    env = ParallelEnv(module, agents=agents, backend="c", seed=1)
    env.reset()

    def step(tick: int) -> None:
        if not env.agents:
            env.reset()
        chosen = dict(zip(env.possible_agents, actions[tick].tolist(), strict=True))
        env.step({name: chosen[name] for name in env.agents})

    return step


def core_of_agents(module: Module, agents: int, actions: np.ndarray[Any, Any]) -> Step:
    env = hamlet.make(module, agents=agents, backend="c", seed=1, quiet=True)
    given = torch.from_numpy(actions.astype(np.int32))
    return lambda tick: env.step(given[tick])


MANY: dict[str, Callable[[Module, int, np.ndarray[Any, Any]], Step]] = {
    "Env.step": core("same_step"),
    "Env.step, next_step": core("next_step"),
    "Env.step, two outputs by turns": by_turns,
    "Gymnasium, SAME_STEP, kept and final_obs read": gymnasium_read,
    "Gymnasium, SAME_STEP": gymnasium("SameStep"),
    "Gymnasium, NEXT_STEP": gymnasium("NextStep"),
    "Gymnasium, DISABLED and reset_mask": gymnasium("Disabled"),
    "TorchRL, step": torchrl(collecting=False),
    "TorchRL, step_and_maybe_reset": torchrl(collecting=True),
    "TorchRL, step_and_maybe_reset of worlds that stand still": torchrl_alone,
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
) -> Samples:
    """Microseconds of a step, by name and round: of CPU and by the clock."""
    rng = np.random.default_rng(0)
    actions = rng.integers(0, len(module.universe.moves) + 2, (steps, size))
    runs: dict[str, Step] = {}
    samples: Samples = {}
    for name, make in made.items():
        try:
            runs[name] = make(module, size, actions)
        except ImportError as error:
            print(f"{name}: left out, {error}", file=sys.stderr)
    # The first rounds fill caches, and let episodes of all ages be under way.
    for turn in range(-2, rounds):
        for name, step in runs.items():
            begin, busy = perf_counter(), process_time()
            for tick in range(steps):
                step(tick)
            if turn >= 0:
                taken = {"cpu": process_time() - busy, "clock": perf_counter() - begin}
                for by, seconds in taken.items():
                    samples.setdefault(name, {}).setdefault(by, []).append(seconds / steps * 1e6)
    return samples


def table(samples: Samples, count: str) -> str:
    """The rows of a table in Markdown."""
    lines = [f"| {count} | us of CPU a step | overhead | us by the clock | overhead |", "| --- " + "| --: " * 4 + "|"]
    for name, taken in samples.items():
        cells = []
        for by in ("cpu", "clock"):
            mine, base = taken[by], samples["Env.step"][by]
            ratio = median(one / other for one, other in zip(mine, base, strict=True))
            cells += [f"{median(mine):,.0f} ({min(mine):,.0f} to {max(mine):,.0f})", f"{ratio - 1:+.1%}"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=Path, default=ROOT / "generated" / "town")
    parser.add_argument("--worlds", type=int, default=16384)
    parser.add_argument("--agents", type=int, default=16, help="of PettingZoo's one world")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--json", type=Path, default=RESULTS)
    given = parser.parse_args()
    module = hamlet.load(given.package)
    many = measure(MANY, module, given.worlds, given.rounds, given.steps)
    one = measure(ONE, module, given.agents, given.rounds, given.steps)
    about = facts("benchmarks/adapters.py", "c")
    text = "\n\n".join(
        [
            "# What adapters cost",
            "Medians of rounds, with the least and the most: `python benchmarks/adapters.py`, whose text says what is "
            "measured.",
            table(many, f"{given.worlds:,} worlds of {module.name}"),
            table(one, f"1 world of {given.agents} agents"),
            f"Measured on: {', '.join(f'{name} {value}' for name, value in about.items())}.",
        ]
    )
    print(text)
    found = {"facts": about, "worlds": given.worlds, "agents": given.agents, "many": many, "one": one}
    given.json.write_text(json.dumps(found, indent=1) + "\n")
    given.json.with_suffix(".md").write_text(text + "\n")


if __name__ == "__main__":
    main()
