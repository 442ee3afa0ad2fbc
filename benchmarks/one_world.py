"""One world through Gymnasium's interface, beside Gymnasium's own environment of the same kind, in one process.

    python benchmarks/one_world.py

`originals/` has universes with the state, the dynamics and the observations of Gymnasium's classic control and toy
text. Both sides are the bare environments, without the wrappers of `gymnasium.make`, and are given random actions,
drawn beforehand; whoever ended is reset. They take turns, so that a busy moment of the machine hits both: a ratio is
the median of those of rounds. Times are CPU time and the clock, of a step with its share of resets. Writes
results/one_world.json and results/one_world.md.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from statistics import median
from typing import Any

import gymnasium
from facts import facts

import hamlet
import hamlet_gym

HERE = Path(__file__).parent
PAIRS = {
    "cartpole": "CartPole-v1",
    "mountain_car": "MountainCar-v0",
    "mountain_car_continuous": "MountainCarContinuous-v0",
    "pendulum": "Pendulum-v1",
    "frozen_lake": "FrozenLake-v1",
    "cliff_walking": "CliffWalking-v1",
    "taxi": "Taxi-v4",
    "blackjack": "Blackjack-v1",
}
STEPS, DRAWN = 1500, 64
CLOCKS = {"cpu": time.process_time, "clock": time.perf_counter}


def timed(env: Any, actions: list[Any]) -> dict[str, float]:
    """Microseconds of a step, by each clock."""
    begun = {name: clock() for name, clock in CLOCKS.items()}
    step = env.step
    for number in range(STEPS):
        stepped = step(actions[number % DRAWN])
        if stepped[2] or stepped[3]:
            env.reset()
    return {name: (clock() - begun[name]) / STEPS * 1e6 for name, clock in CLOCKS.items()}


def measured(universe: str, original: str, rounds: int) -> dict[str, Any]:
    """Medians of both sides and of their ratio, with the least and the most of rounds."""
    module = hamlet.compile(HERE / "originals" / f"{universe}.hamlet")
    sides: list[Any] = [hamlet_gym.Env(module, backend="c", seed=1), gymnasium.make(original).unwrapped]
    actions = []
    for env in sides:
        env.reset(seed=1)
        env.action_space.seed(1)
        actions.append([env.action_space.sample() for _ in range(DRAWN)])
    found: list[list[dict[str, float]]] = []
    for number in range(-2, rounds):
        turn = [timed(env, drawn) for env, drawn in zip(sides, actions, strict=True)]
        if number >= 0:
            found.append(turn)
    row: dict[str, Any] = {"universe": universe, "original": original}
    for name in CLOCKS:
        ours, theirs = ([turn[side][name] for turn in found] for side in (0, 1))
        ratios = [their / our for our, their in zip(ours, theirs, strict=True)]
        for what, values in (("ours", ours), ("theirs", theirs), ("ratio", ratios)):
            row[f"{what}_{name}"] = {"median": median(values), "least": min(values), "most": max(values)}
    return row


def table(report: dict[str, Any]) -> str:
    """The report for a reader."""
    lines = [
        "# One world, beside Gymnasium's own",
        "",
        *(f"- {name}: {value}" for name, value in report["facts"].items()),
    ]
    lines += [
        "",
        "Microseconds of a step with its share of resets: medians of rounds, with the least and the most. The ratio is",
        "how often `hamlet_gym.Env` on kernels in C steps while Gymnasium's environment steps once.",
        "",
        "| environment | `hamlet_gym.Env`, us of CPU | Gymnasium, us of CPU | ratio | ratio by the clock |",
        "|---|--:|--:|--:|--:|",
    ]
    for row in report["rows"]:
        shown = [_spread(row[name], 2) for name in ("ours_cpu", "theirs_cpu", "ratio_cpu", "ratio_clock")]
        lines.append(f"| {row['original']} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def _spread(values: dict[str, float], digits: int) -> str:
    return f"{values['median']:.{digits}f} ({values['least']:.{digits}f} to {values['most']:.{digits}f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--only", nargs="+", choices=list(PAIRS), default=list(PAIRS))
    parser.add_argument("--json", type=Path, default=HERE / "results" / "one_world.json")
    arguments = parser.parse_args()
    machine = facts("benchmarks/one_world.py", "c")
    rows = [measured(name, PAIRS[name], arguments.rounds) for name in arguments.only]
    report = {"facts": machine, "rows": rows}
    arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    arguments.json.with_suffix(".md").write_text(table(report), encoding="utf-8")
    print(table(report))


if __name__ == "__main__":
    main()
