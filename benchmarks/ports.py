"""Ports beside their originals, and beside environments of other projects that run many worlds at once:

    pip install -e '.[ports]' && pip install jax gymnax navix pgx jumanji   # as much of it as you like
    python benchmarks/ports.py [--only cartpole ...] [--rounds 7]

One world is stepped through the interface of Gymnasium or PettingZoo, ours and the original's, with random actions;
whoever ended is reset. Of 4,096 worlds a rollout under a random policy is timed, ours and the rivals', with the
observations of every tick and without. All take turns, so that a busy moment of the machine hits all of them; a ratio
is the median of those of rounds. All have the same CPUs: rivals take as many threads as there are, and so do we
(HAMLET_THREADS). Writes results/ports.json, and
`python benchmarks/performance/page.py` writes its numbers into docs/ports.md.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

import gymnasium
import rivals
from facts import facts

import hamlet
import hamlet_gym
import hamlet_pettingzoo
from hamlet.package.module import Module

HERE = Path(__file__).parent
PORTS = HERE.parent / "universes" / "ports"
WORLDS, TICKS, STEPS, DRAWN = 4096, 64, 1500, 64
LEAST = 0.1
"""Seconds of a sample of a rollout."""
Row: TypeAlias = dict[str, Any]
Run: TypeAlias = Callable[[], None]
"""A sample: as many steps as another one of the same kind."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A port with what it is timed beside.

    Attributes:
        original: `gymnasium CartPole-v1`, `minigrid MiniGrid-Empty-8x8-v0`, `pettingzoo classic.rps_v2`; empty where
            none can be installed, or its interface is none of Gymnasium's or PettingZoo's.
        rivals: the projects with the same environment, and what it is called there.
        agents: in a world.
        worlds: of a rollout.
        turns: whether agents move one after the other. Then a step is a move of one of them.
    """

    original: str = ""
    rivals: tuple[tuple[str, str], ...] = ()
    agents: int = 1
    worlds: int = WORLDS
    turns: bool = False


SUBJECTS = {
    "acrobot": Subject("gymnasium Acrobot-v1", (("gymnax", "Acrobot-v1"),)),
    "blackjack": Subject("gymnasium Blackjack-v1"),
    "cartpole": Subject("gymnasium CartPole-v1", (("gymnax", "CartPole-v1"),)),
    "cliff_walking": Subject("gymnasium CliffWalking-v1"),
    "commons_harvest": Subject(agents=7, worlds=512),
    "connect_four": Subject("pettingzoo classic.connect_four_v3", (("pgx", "connect_four"),), agents=2, turns=True),
    "deep_sea": Subject("", (("gymnax", "DeepSea-bsuite size=10 max_steps_in_episode=10"),)),
    "fire": Subject(worlds=4),
    "frozen_lake": Subject("gymnasium FrozenLake-v1", (("gymnax", "FrozenLake-misc"),)),
    "frozen_lake_8x8": Subject(
        "gymnasium FrozenLake8x8-v1", (("gymnax", "FrozenLake-misc map_name=8x8 max_steps_in_episode=200"),)
    ),
    "memory_chain": Subject("", (("gymnax", "MemoryChain-bsuite num_bits=3 memory_length=10"),)),
    "mettagrid_arena": Subject(agents=24, worlds=64),
    "minigrid_door_key_8x8": Subject("minigrid MiniGrid-DoorKey-8x8-v0", (("navix", "Navix-DoorKey-8x8-v0"),)),
    "minigrid_empty_8x8": Subject("minigrid MiniGrid-Empty-8x8-v0", (("navix", "Navix-Empty-8x8-v0"),)),
    "minigrid_four_rooms": Subject("minigrid MiniGrid-FourRooms-v0", (("navix", "Navix-FourRooms-v0"),)),
    "minigrid_lava_gap_s7": Subject("minigrid MiniGrid-LavaGapS7-v0", (("navix", "Navix-LavaGapS7-v0"),)),
    "mountain_car": Subject("gymnasium MountainCar-v0", (("gymnax", "MountainCar-v0"),)),
    "mountain_car_continuous": Subject("gymnasium MountainCarContinuous-v0", (("gymnax", "MountainCarContinuous-v0"),)),
    "pendulum": Subject("gymnasium Pendulum-v1", (("gymnax", "Pendulum-v1"),)),
    "pursuit": Subject("pettingzoo sisl.pursuit_v5", agents=38, worlds=128),
    "rock_paper_scissors": Subject("pettingzoo classic.rps_v2", agents=2),
    "segregation": Subject(agents=590, worlds=16),
    "simple_spread": Subject("mpe2 simple_spread_v3", agents=3),
    "sokoban": Subject("", (("jumanji", "Sokoban-v0 ToyGenerator"),)),
    "sysadmin": Subject(agents=10),
    "taxi": Subject("gymnasium Taxi-v4"),
    "tic_tac_toe": Subject("pettingzoo classic.tictactoe_v3", (("pgx", "tic_tac_toe"),), agents=2, turns=True),
    "virus": Subject(agents=150, worlds=64),
    "wolf_sheep": Subject(agents=600, worlds=16),
}
"""By the name of the port; a port without a row is timed alone."""


def of_one(env: Any) -> Run:
    """Steps of one world of Gymnasium."""
    env.reset(seed=1)
    env.action_space.seed(1)
    actions = [env.action_space.sample() for _ in range(DRAWN)]

    def run() -> None:
        step = env.step
        for number in range(STEPS):
            stepped = step(actions[number % DRAWN])
            if stepped[2] or stepped[3]:
                env.reset()

    return run


def of_players(env: Any) -> Run:
    """Steps of one world of PettingZoo."""
    env.reset(seed=1)
    spaces = {name: env.action_space(name) for name in env.possible_agents}
    for number, space in enumerate(spaces.values()):
        space.seed(number)
    actions = [{name: space.sample() for name, space in spaces.items()} for _ in range(DRAWN)]

    def run() -> None:
        for number in range(STEPS):
            agents = env.agents
            # Who is born again has the name of its place, with the number of its life behind a dot.
            env.step({name: actions[number % DRAWN][name.partition(".")[0]] for name in agents})
            if not env.agents:
                env.reset()

    return run


def of_turns(env: Any) -> Run:
    """Moves of one world of PettingZoo, whose players move one after the other, each by its mask."""
    env.reset(seed=1)
    generator = random.Random(1)
    drawn = [generator.random() for _ in range(DRAWN)]

    def run() -> None:
        number = 0
        while number < STEPS:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            (able,) = observation["action_mask"].nonzero()
            env.step(int(able[int(drawn[number % DRAWN] * len(able))]))
            number += 1

    return run


def one_world(module: Module, subject: Subject) -> tuple[dict[str, Run], list[str]]:
    """What steps one world, and what is missing."""
    if subject.turns:
        runs = {"ours": of_turns(hamlet_pettingzoo.AECEnv(module, subject.agents, backend="c", quiet=True))}
    elif subject.agents == 1:
        runs = {"ours": of_one(hamlet_gym.Env(module, backend="c", seed=1, quiet=True))}
    else:
        runs = {"ours": of_players(hamlet_pettingzoo.ParallelEnv(module, subject.agents, backend="c", quiet=True))}
    project, _, name = subject.original.partition(" ")
    try:
        match project:
            case "gymnasium" | "minigrid":
                import_module(project)
                runs["original"] = of_one(gymnasium.make(name).unwrapped)
            case "pettingzoo" if subject.turns:
                runs["original"] = of_turns(import_module(f"{project}.{name}").env())
            case "pettingzoo" | "mpe2":
                runs["original"] = of_players(import_module(f"{project}.{name}").parallel_env())
            case "":
                return runs, []
            case other:
                raise ValueError(f"no interface of {other}")
    except ImportError as error:
        return runs, [f"{subject.original}: {error}"]
    return runs, []


def many_worlds(module: Module, subject: Subject, observe: bool) -> tuple[dict[str, Run], list[str]]:
    """What rolls many worlds out, and what is missing."""
    env = hamlet.make(module, worlds=subject.worlds, agents=subject.agents, backend="c", seed=1, quiet=True)

    def ours() -> None:
        env.rollout(TICKS, observe=observe)

    runs: dict[str, Run] = {"ours": ours}
    missing = []
    for project, name in subject.rivals:
        if rivals.version(project) is None:
            missing.append(f"{project} {name}: not installed")
            continue
        try:
            rival = rivals.PROJECTS[project](name)
        except OSError as error:
            # Some projects fetch their levels when they are made.
            missing.append(f"{project} {name}: {type(error).__name__}")
            continue
        runs[rival.name] = rivals.compiled(rival, subject.worlds, TICKS, observe)
    return runs, missing


def in_turns(runs: dict[str, Run], steps: int, rounds: int, least: float) -> Row:
    """Steps per second of each, by the clock and per second of CPU time, and our rate over theirs in the same round."""
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    repeats = dict.fromkeys(runs, 1)
    for number in range(-2, rounds):
        for name, run in runs.items():
            begun, used = time.perf_counter(), time.process_time()
            for _ in range(repeats[name]):
                run()
            seconds, busy = time.perf_counter() - begun, time.process_time() - used
            if number == -1:
                repeats[name] = max(1, round(least / seconds))
            if number >= 0:
                amount = steps * repeats[name]
                samples[name].append((amount / seconds, amount / busy))
    result: Row = {}
    for name, rates in samples.items():
        result[name] = {"clock": spread([by_clock for by_clock, _ in rates]), "cpu": spread([by for _, by in rates])}
        pairs = list(zip(samples["ours"], rates, strict=True))
        result[name]["ours_over_it"] = {
            "clock": spread([mine[0] / its[0] for mine, its in pairs]),
            "cpu": spread([mine[1] / its[1] for mine, its in pairs]),
        }
    return result


def spread(values: list[float]) -> dict[str, float]:
    return {"median": median(values), "least": min(values), "most": max(values)}


def measured(name: str, rounds: int, folder: Path) -> Row:
    """The row of a port."""
    subject = SUBJECTS.get(name, Subject())
    module = hamlet.compile(PORTS / f"{name}.hamlet", folder / name)
    row: Row = {"port": name, "original": subject.original, "worlds": subject.worlds, "missing": []}
    steps = subject.worlds * TICKS * (1 if subject.turns else subject.agents)
    singles, missing = one_world(module, subject)
    row["one_world"] = in_turns(singles, STEPS, rounds, 0)
    row["missing"] += missing
    for key, observe in (("observed", True), ("unobserved", False)):
        runs, missing = many_worlds(module, subject, observe)
        row[key] = in_turns(runs, steps, rounds, LEAST)
    row["missing"] += missing
    return row


def main() -> None:
    names = sorted(path.stem for path in PORTS.glob("*.hamlet"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--json", type=Path, default=HERE / "results" / "ports.json")
    arguments = parser.parse_args()
    machine = facts("benchmarks/ports.py", "c")
    versions = [f"{project} {rivals.version(project) or 'not installed'}" for project in ("jax", *rivals.PROJECTS)]
    machine["versions"] += ", " + ", ".join([f"gymnasium {gymnasium.__version__}", *versions])
    machine["threads"] = os.environ.get("HAMLET_THREADS", str(len(os.sched_getaffinity(0))))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.only:
            rows.append(measured(name, arguments.rounds, Path(folder)))
            print(line(rows[-1]), flush=True)
            report = {"facts": machine, "worlds": WORLDS, "ticks": TICKS, "rounds": arguments.rounds, "rows": rows}
            arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def line(row: Row) -> str:
    """A port for who waits."""
    told = [row["port"]]
    for key in ("one_world", "observed", "unobserved"):
        told += [
            f"{key} {name}: {rates['clock']['median']:.3g}/s, per CPU {rates['cpu']['median']:.3g}"
            for name, rates in row[key].items()
        ]
    return "; ".join([*told, *row["missing"]])


if __name__ == "__main__":
    main()
