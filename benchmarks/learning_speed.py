"""How fast PPO trains on the town: examples/ppo.py, Stable-Baselines3 and CleanRL, on the same universe in one run.

    python benchmarks/learning_speed.py --cleanrl /path/to/cleanrl/cleanrl/ppo.py

Stable-Baselines3 and CleanRL train by their own defaults through the Gymnasium adapter; the former also on many worlds
through its own adapter. CleanRL is a file that you fetched (github.com/vwxyzjn/cleanrl) and needs tyro and tensorboard.
Contenders take turns; a sample is a process of its own. Its rate leaves out imports, compiling and the first update:
environment steps per second by the clock and per CPU second. Writes benchmarks/results/learning_speed.json.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import torch
from facts import ROOT, facts

TOWN = ROOT / "universes" / "town.hamlet"
RESULTS = Path(__file__).parent / "results"


class Laps:
    """Clock and CPU time from the end of the first update to that of the last."""

    def __init__(self) -> None:
        self.marks: list[tuple[int, float, float]] = []

    def mark(self, steps: int) -> None:
        self.marks.append((steps, time.perf_counter(), time.process_time()))

    def rates(self) -> dict[str, float]:
        (first, clock, cpu), (last, clock_after, cpu_after) = self.marks[0], self.marks[-1]
        steps = last - first
        return {"steps": steps, "clock": steps / (clock_after - clock), "cpu": steps / (cpu_after - cpu)}


def ours(updates: int, precision: str) -> dict[str, float]:
    sys.path.insert(0, str(ROOT / "examples"))
    import ppo

    laps = Laps()
    batch = ppo.Config().worlds * ppo.Config().ticks
    config = ppo.Config(universe=str(TOWN), steps=(updates + 1) * batch, precision=precision)
    ppo.train(config, lambda line: laps.mark(int(line["steps"])))
    return laps.rates()


def exact(updates: int) -> dict[str, float]:
    """`hamletc train`, with its defaults."""
    import hamlet
    from hamlet_train.cli.defaults import WORLDS
    from hamlet_train.ranks import Ranks
    from hamlet_train.run import Manifest
    from hamlet_train.settings import Settings
    from hamlet_train.training import begun

    module, settings, laps = hamlet.compile(TOWN), Settings(), Laps()
    ticks = (updates + 1) * settings.horizon * WORLDS
    manifest = Manifest(module.name, module.digest, str(TOWN), (), {}, WORLDS, 1, 0, ticks, settings)
    training = begun(module, manifest, Ranks(0, 1), os.cpu_count() or 1)
    for _ in range(updates + 1):
        laps.mark(training.advance()[0].ticks)
    return laps.rates()


def stable_baselines(updates: int, worlds: int) -> dict[str, float]:
    """With `worlds` 1 by its defaults through Gymnasium's single environments, else through the adapter of its own."""
    import gymnasium
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback

    import hamlet_gym  # noqa: F401
    from hamlet_sb3 import VecEnv

    laps = Laps()

    class Mark(BaseCallback):
        def _on_rollout_start(self) -> None:
            laps.mark(self.num_timesteps)

        def _on_step(self) -> bool:
            return True

    if worlds == 1:
        model = PPO("MlpPolicy", gymnasium.make("hamlet/town-v0"), device="cpu", seed=1)
    else:
        many = VecEnv(worlds, TOWN, seed=1)
        model = PPO("MlpPolicy", many, n_steps=32, batch_size=8192, n_epochs=3, device="cpu", seed=1)
    model.learn((updates + 2) * model.n_steps * worlds, callback=Mark())
    # The first rollout begins before the first update.
    laps.marks = laps.marks[1:]
    return laps.rates()


def cleanrl(updates: int, path: str) -> dict[str, float]:
    """Its own defaults; an update ends where it prints its rate."""
    import builtins

    import hamlet_gym  # noqa: F401

    laps, said = Laps(), builtins.print

    def listen(*words: Any, **options: Any) -> None:
        if words and words[0] == "SPS:":
            laps.mark((len(laps.marks) + 1) * 512)
        else:
            said(*words, **options, file=sys.stderr)

    with tempfile.TemporaryDirectory() as folder:
        sys.argv = [path, "--env-id", "hamlet/town-v0", "--total-timesteps", str((updates + 1) * 512), "--no-cuda"]
        builtins.print = listen
        try:
            os.chdir(folder)
            runpy.run_path(path, run_name="__main__")
        finally:
            builtins.print = said
            os.chdir("/")
    return laps.rates()


def contenders(path: str | None, updates: int) -> dict[str, tuple[str, int, str]]:
    """By name: the function, updates, and its other argument."""
    found = {
        "hamletc train": ("exact", updates, ""),
        "examples/ppo.py, float32": ("ours", updates, "float32"),
        "examples/ppo.py, bfloat16": ("ours", updates, "bfloat16"),
        "Stable-Baselines3, defaults, Gymnasium": ("stable_baselines", 1, "1"),
        "Stable-Baselines3, 1,024 worlds, its adapter": ("stable_baselines", 1, "1024"),
    }
    if path is not None:
        found["CleanRL, defaults, Gymnasium"] = ("cleanrl", 4, str(Path(path).resolve()))
    return found


def sample(kind: str, updates: int, argument: str) -> dict[str, float]:
    match kind:
        case "ours":
            return ours(updates, argument)
        case "exact":
            return exact(updates)
        case "stable_baselines":
            return stable_baselines(updates, int(argument))
        case _:
            return cleanrl(updates, argument)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cleanrl", help="the file ppo.py of CleanRL")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--updates", type=int, default=10, help="of examples/ppo.py in a sample")
    parser.add_argument("--json", type=Path, default=RESULTS / "learning_speed.json")
    parser.add_argument("--sample", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.sample:
        kind, updates, argument = given.sample
        print("RATES", json.dumps(sample(kind, int(updates), argument)))
        return
    found: dict[str, list[dict[str, float]]] = {}
    for _ in range(given.rounds):
        for name, (kind, updates, argument) in contenders(given.cleanrl, given.updates).items():
            command = [sys.executable, __file__, "--sample", kind, str(updates), argument]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            found.setdefault(name, []).append(json.loads(said.split("RATES", 1)[1]))
            print(name, found[name][-1], flush=True)
    ours_cpu = median(each["cpu"] for each in found["hamletc train"])
    rates = {
        name: {
            **{key: median(each[key] for each in samples) for key in ("clock", "cpu")},
            "least": min(each["clock"] for each in samples),
            "most": max(each["clock"] for each in samples),
            "times slower per CPU second": ours_cpu / median(each["cpu"] for each in samples),
        }
        for name, samples in found.items()
    }
    where = {**facts("benchmarks/learning_speed.py", "c"), "threads of torch": str(torch.get_num_threads())}
    options = f"--rounds {given.rounds} --updates {given.updates}" + (" --cleanrl ppo.py" if given.cleanrl else "")
    where["command"] = f"python benchmarks/learning_speed.py {options}"
    given.json.write_text(json.dumps({"facts": where, "steps per second": rates}, indent=1) + "\n")


if __name__ == "__main__":
    main()
