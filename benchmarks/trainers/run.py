"""How fast trainers go, and what they learn in the same CPU time: `hamletc train`, SBX, Stable-Baselines3, MaskablePPO
and CleanRL on the town, a grid and a universe with roles, in one run:

    python benchmarks/trainers/run.py --cleanrl ppo.py

It needs sbx-rl and sb3-contrib, and of CleanRL the file ppo.py that you fetched (github.com/vwxyzjn/cleanrl), with tyro
and tensorboard; without `--cleanrl` it is left out. A first sample of each trainer says how many steps it learns from
in a CPU second; then each seed learns from as many as that makes in `--budget` CPU seconds, and its policy plays 512
episodes in worlds that nobody learnt in. A sample is a process of its own with one thread. Imports, compiling and the
first update are left out. Samples that are in the file of results are not measured again, so what was interrupted goes
on. Writes results/trainers.json and a table beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent))
THREADS = ("OMP_NUM_THREADS", "HAMLET_THREADS", "MKL_NUM_THREADS")
if "--sample" in sys.argv:
    # Libraries read these when they are imported.
    os.environ |= dict.fromkeys(THREADS, "1") | {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


@dataclass(frozen=True, slots=True)
class Sample:
    """A training.

    Attributes:
        task, trainer, seed: what learnt.
        steps: of who learns, in all.
        rate: steps in a CPU second.
        seconds: CPU seconds of the updates after the first one.
        returned, length: means of episodes of its policy.
    """

    task: str
    trainer: str
    seed: int
    steps: int
    rate: float
    seconds: float
    returned: float
    length: float


def sample(task: str, trainer: str, seed: int, updates: int) -> Sample:
    """A training in this process."""
    import torch
    from learners import TRAINERS, Laps
    from tasks import TASKS, evaluated

    torch.set_num_threads(1)
    one, laps = TRAINERS[trainer], Laps()
    layers = one.learn(TASKS[task], updates, seed, laps)
    returned, length = evaluated(TASKS[task], layers, one.masked) if updates > one.trial else (0.0, 0.0)
    return Sample(task, trainer, seed, laps.marks[-1][0], laps.rate, laps.seconds, returned, length)


def sample_apart(task: str, trainer: str, seed: int, updates: int) -> Sample:
    """A training in a process of its own."""
    command = [sys.executable, __file__, "--sample", task, trainer, str(seed), str(updates)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{task}, {trainer}: {done.stderr[-2000:]}")
    return Sample(**json.loads(done.stdout.split("SAMPLE", 1)[1]))


def random_play(task: str) -> tuple[float, float]:
    """Mean return and length of random actions."""
    from tasks import TASKS, evaluated

    return evaluated(TASKS[task], None, masked=False)


def spread(values: Sequence[float], digits: int) -> str:
    """A median, the least and the greatest."""
    return f"{median(values):,.{digits}f} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"


def page(report: dict[str, Any]) -> str:
    """The results in Markdown."""
    samples = [Sample(**each) for each in report["samples"]]
    lines = ["# Trainers", "", ", ".join(f"{name} {value}" for name, value in report["facts"].items()), ""]
    lines += ["`hamletc train` has its defaults in each universe; the others but CleanRL have those of the town.", ""]
    if since := report.get("since"):
        lines += [f"Since then: {', '.join(f'{of} at commit {commit[:12]}' for of, commit in since.items())}.", ""]
    for task in dict.fromkeys(each.task for each in samples):
        about = report["tasks"][task]
        shows = about["shows"]
        chance = about["random"]
        whose = f", the role {about['role']} of {about['agents']} agents" if about["role"] else ""
        lines += [
            f"## {about['universe']}{whose}",
            "",
            f"Random actions: {shows} {chance:,.2f}.",
            "",
            f"| trainer | steps in a CPU second | slower | steps learnt from | CPU s | {shows} |",
            "|---|--:|--:|--:|--:|--:|",
        ]
        of_task = [each for each in samples if each.task == task]
        first = median(each.rate for each in of_task if each.trainer == of_task[0].trainer)
        for trainer in dict.fromkeys(each.trainer for each in of_task):
            mine = [each for each in of_task if each.trainer == trainer]
            shown = [each.length if shows == "length" else each.returned for each in mine]
            rates = [each.rate for each in mine]
            lines.append(
                f"| {trainer} | {spread(rates, 0)} | {first / median(rates):,.1f} | "
                f"{median(each.steps for each in mine):,.0f} | {spread([each.seconds for each in mine], 1)} | "
                f"{spread(shown, 2 if max(shown) < 100 else 0)} |"
            )
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Measure what is not measured yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cleanrl", help="the file ppo.py of CleanRL")
    parser.add_argument("--budget", type=float, default=20.0, help="CPU seconds of a training")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--tasks", nargs="*", help="some of town, grid, roles")
    parser.add_argument("--json", type=Path, default=HERE.parent / "results" / "trainers.json")
    parser.add_argument("--sample", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.sample:
        task, trainer, seed, updates = given.sample
        print("SAMPLE", json.dumps(asdict(sample(task, trainer, int(seed), int(updates)))))
        return
    if given.cleanrl:
        os.environ["CLEANRL"] = str(Path(given.cleanrl).resolve())
    from facts import facts
    from learners import TRAINERS
    from tasks import TASKS

    report: dict[str, Any] = json.loads(given.json.read_text()) if given.json.exists() else {"tasks": {}, "samples": []}
    now = facts("benchmarks/trainers/run.py", "c")
    report = {"facts": now} | report
    there = {(each["task"], each["trainer"], each["seed"]) for each in report["samples"]}
    for name in given.tasks or TASKS:
        task = TASKS[name]
        returned, length = random_play(name)
        chance = length if task.shows == "length" else returned
        report["tasks"][name] = asdict(task) | {"random": chance}
        for trainer, one in TRAINERS.items():
            left = [seed for seed in range(given.seeds) if (name, trainer, seed) not in there]
            if not left or (task.role and not one.roles) or (one.batch == 512 and not given.cleanrl):
                continue
            rate = sample_apart(name, trainer, 0, one.trial).rate
            if now["commit"] != report["facts"]["commit"]:
                report.setdefault("since", {})[f"{trainer} on {task.universe}"] = now["commit"]
            updates = max(round(given.budget * rate / one.batch), one.trial) + 1
            for seed in left:
                report["samples"].append(asdict(sample_apart(name, trainer, seed, updates)))
                print(report["samples"][-1], flush=True)
                report["samples"].sort(
                    key=lambda each: [*map([*TASKS, *TRAINERS].index, (each["task"], each["trainer"]))]
                )
                given.json.write_text(json.dumps(report, indent=1) + "\n")
                given.json.with_suffix(".md").write_text(page(report))


if __name__ == "__main__":
    main()
