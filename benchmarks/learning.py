"""What the programs in examples/ and `hamletc train` learn: several seeds, beside random and scripted policies.

    python benchmarks/learning.py
    python benchmarks/learning.py town --seeds 1 --steps 1_000_000 --results /tmp

Each seed is a training of its own; its curve and evaluation are kept in a file of `--runs`. Those that are there
are not trained again, so what was interrupted goes on; with `--kept` nothing is trained. Evaluations are first episodes
in worlds that training has not seen. Writes learning.json, learning.md and learning.png into `--results`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from statistics import mean, median
from typing import Any

import torch
from facts import ROOT, facts
from scripted import best

import hamlet

sys.path.insert(0, str(ROOT / "examples"))

RESULTS = Path(__file__).parent / "results"
POINTS = 60
"""Of a curve that is kept."""


@dataclass(frozen=True, slots=True)
class Study:
    """A training of one of the examples, or of `hamletc train`.

    Attributes:
        example: the module in examples/; `command` is the one beside this file.
        universe: its path in the repository.
        options: fields of the example's `Config`.
        shows: what of an evaluation the curve and the table are about, `length` or `return`.
        scripted: whether scripted policies know this universe.
        meter: of agents, whose mean over some ticks is evaluated too.
        ticks: the first and the last of these ticks.
    """

    example: str
    universe: str
    options: dict[str, Any] = field(default_factory=dict)
    shows: str = "length"
    scripted: bool = False
    meter: str = ""
    ticks: tuple[int, int] = (100, 300)


MANY = {"agents": 16, "worlds": 64, "hidden": 64, "discount": 0.99, "trace": 0.95, "steps": 1_000_000}
BIDDERS = {**MANY, "agents": 10, "worlds": 100, "discount": 0.95, "trace": 0.9, "steps": 2_000_000}
STUDIES = {
    "town": Study("ppo", "universes/town.hamlet", {"precision": "bfloat16", "steps": 7_000_000}, scripted=True),
    "town_evolution": Study("evolution", "universes/town.hamlet", scripted=True),
    "shifts": Study(
        "ppo_gru", "universes/shifts.hamlet", {"precision": "bfloat16", "steps": 100_000_000}, scripted=True
    ),
    "first_meal_dqn": Study("dqn", "universes/first_meal.hamlet", {"steps": 500_000}, shows="return"),
    "commons": Study("ppo", "universes/gallery/commons.hamlet", MANY, shows="return", meter="effort"),
    "commons_team": Study(
        "ppo", "universes/gallery/commons.hamlet", {**MANY, "team": True}, shows="return", meter="effort"
    ),
    "alarm": Study(
        "ppo",
        "universes/gallery/alarm.hamlet",
        {**MANY, "worlds": 16, "entropy": 0.02},
        shows="return",
        scripted=True,
    ),
    "cartpole": Study("command", "universes/gallery/cartpole.hamlet"),
    "auction": Study(
        "ppo", "universes/gallery/auction.hamlet", BIDDERS, shows="return", meter="shade", ticks=(50, 199)
    ),
}


def trained(study: Study, seed: int, steps: int | None) -> dict[str, Any]:
    """Train with one seed: the curve, the evaluation, seconds by the clock and of the CPU."""
    example = import_module(study.example)
    options = {**study.options, **({"steps": steps} if steps and study.example != "evolution" else {})}
    config = example.Config(universe=str(ROOT / study.universe), seed=seed, **options)
    curve: list[dict[str, float]] = []
    cpu, wall = time.process_time(), time.perf_counter()
    agent = example.train(config, curve.append)
    taken = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    evaluation = example.evaluate(agent, config, 1_000_000 + seed)
    if study.meter:
        evaluation[study.meter] = watched(example, agent, config, study)
    # The path is of this machine.
    told = {**asdict(config), "universe": study.universe}
    return {"config": told, "curve": thinned(curve), "evaluation": evaluation, **taken}


@torch.no_grad()
def watched(example: Any, agent: Any, config: Any, study: Study) -> float:
    """The mean of a meter over lanes and ticks under a policy of ppo.py."""
    env = example.made(config, config.worlds, 2_000_000 + config.seed)
    observation, info = env.reset()
    means = []
    for _ in range(study.ticks[1]):
        log_probabilities, _ = agent.log_probabilities(agent.sight(observation.T), info["action_mask"].T)
        observation, _, _, _, info = env.step(example.drawn(log_probabilities).int())
        means.append(env.meter(study.meter).mean().item())
    return mean(means[study.ticks[0] :])


def thinned(curve: list[dict[str, float]]) -> list[dict[str, float]]:
    """At most so many points, each the mean of those that it stands for; of returns and lengths the mean over episodes,
    since no episode may have ended in an update."""
    size = -(-len(curve) // POINTS)
    parts = [curve[start : start + size] for start in range(0, len(curve), size)]
    return [{key: round(middle(part, key), 4) for key in part[0]} | {"steps": part[-1]["steps"]} for part in parts]


def middle(part: list[dict[str, float]], key: str) -> float:
    count = sum(each.get("episodes", 1) for each in part)
    if key in ("return", "length") and count:
        return sum(each[key] * each.get("episodes", 1) for each in part) / count
    return mean(each[key] for each in part)


def kept(name: str, study: Study, seed: int, steps: int | None, runs: Path) -> dict[str, Any]:
    """The training of a seed, from its file, which is made if there is none."""
    path = runs / f"{name}-{seed}.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(trained(study, seed, steps)))
        print(path, json.loads(path.read_text())["evaluation"], flush=True)
    found: dict[str, Any] = json.loads(path.read_text())
    return {**found, "curve": thinned(found["curve"]), "config": {**found["config"], "universe": study.universe}}


def random_life(study: Study) -> dict[str, float]:
    """Mean length and return of first episodes under random actions."""
    agents = study.options.get("agents", 1)
    env = hamlet.make(
        hamlet.compile(ROOT / study.universe), worlds=-(-2048 // agents), agents=agents, seed=7, quiet=True
    )
    first = env.rollout(1000, per_lane=1).lanes
    over = first.episodes > 0
    return {
        "length": first.lengths[0][over].double().mean().item(),
        "return": first.returns[0][over].double().mean().item(),
    }


def summary(name: str, study: Study, seeds: list[int], steps: int | None, runs: Path) -> dict[str, Any]:
    found = [kept(name, study, seed, steps, runs) for seed in seeds]
    result = {"study": asdict(study), "random": random_life(study), "seeds": found}
    if study.scripted:
        agents = study.options.get("agents", 1)
        result["scripted"] = best(str(ROOT / study.universe), max(64, 256 // agents), agents, study.shows)
    return result


def table(found: dict[str, Any], facts_: dict[str, str]) -> str:
    lines = ["# What the examples learn", "", "`" + facts_["command"] + "`", ""]
    lines += [f"{facts_['machine']}; {facts_['versions']}. {facts_['load']}", ""]
    head = (
        "study",
        "agent-ticks",
        "measure",
        "random",
        "others",
        "learnt: median (least to most)",
        "of random",
        "CPU s",
    )
    lines += ["| " + " | ".join(head) + " |"]
    lines += ["|---|--:|---|--:|---|--:|--:|--:|"]
    for name, each in found.items():
        shows = each["study"]["shows"]
        learnt = [run["evaluation"][shows] for run in each["seeds"]]
        by_chance = each["random"][shows]
        others = "; ".join(f"{who}: {what[shows]:.1f}" for who, what in each.get("scripted", {}).items()) or "-"
        ticks = max(point["steps"] for point in each["seeds"][0]["curve"])
        if meter := each["study"]["meter"]:
            others = f"{meter} learnt: {median(run['evaluation'][meter] for run in each['seeds']):.2f}"
        ratio = f"{median(learnt) / by_chance:.2f}" if by_chance > 0 else "-"
        seeds = f"{len(learnt)} {'seed' if len(learnt) == 1 else 'seeds'}"
        spread = f"{median(learnt):.1f} ({min(learnt):.1f} to {max(learnt):.1f}), {seeds}"
        cpu = median(run["cpu"] for run in each["seeds"])
        lines.append(f"| {name} | {ticks:,} | {shows} | {by_chance:.1f} | {others} | {spread} | {ratio} | {cpu:.0f} |")
    return "\n".join(lines) + "\n"


def draw(found: dict[str, Any], path: Path) -> None:
    """A panel for each study: a thin line for each seed, a thick one for their median, and what others reach."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    columns = min(3, len(found))
    rows = -(-len(found) // columns)
    figure, panels = plt.subplots(
        rows, columns, figsize=(4.2 * columns, 3.0 * rows), squeeze=False, layout="constrained"
    )
    for panel in panels.flat[len(found) :]:
        panel.axis("off")
    for panel, (name, each) in zip(panels.flat, found.items(), strict=False):
        shows = each["study"]["shows"]
        curves = [[(point["steps"] / 1e6, point.get(shows)) for point in run["curve"]] for run in each["seeds"]]
        for curve in curves:
            known = [(x, y) for x, y in curve if y]
            panel.plot(*zip(*known, strict=True), color="tab:blue", alpha=0.35, linewidth=0.8)
        learnt = median(run["evaluation"][shows] for run in each["seeds"])
        panel.axhline(learnt, color="tab:blue", label="learnt, evaluated")
        panel.axhline(each["random"][shows], color="tab:gray", linestyle=":", label="random")
        for (who, what), style in zip(each.get("scripted", {}).items(), ("--", "-.", (0, (1, 3))), strict=False):
            panel.axhline(what[shows], color="tab:red", linestyle=style, linewidth=0.9, label=who)
        panel.set(title=name, xlabel="million agent-ticks", ylabel=f"mean {shows}")
        panel.legend(fontsize=6, loc="best")
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(STUDIES), help=", ".join(STUDIES))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, help="agent-ticks of each training, where a study says otherwise")
    parser.add_argument("--kept", action="store_true", help="train nothing, take the seeds that are in --runs")
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "learning")
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", len(os.sched_getaffinity(0)))))
    found = {}
    for name in given.names:
        seeds = [
            each
            for each in range(1, given.seeds + 1)
            if not given.kept or (given.runs / f"{name}-{each}.json").exists()
        ]
        if seeds:
            found[name] = summary(name, STUDIES[name], seeds, given.steps, given.runs)
    where = facts("benchmarks/learning.py", "c")
    where["command"] = "python benchmarks/learning.py " + " ".join(given.names if given.names != list(STUDIES) else [])
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / "learning.json").write_text(json.dumps({"facts": where, "studies": found}, indent=1) + "\n")
    (given.results / "learning.md").write_text(table(found, where))
    draw(found, given.results / "learning.png")
    print(table(found, where))


if __name__ == "__main__":
    main()
