"""Roles of the gallery, what they learn beside random actions and scripts.

    python benchmarks/roles.py
    python benchmarks/roles.py tag --ticks 200_000 --results /tmp

Each universe is trained by `hamletc train`, by the command in the table. Then a role plays by its policy, at random and
by scripts, each time beside the policies that the other roles have learnt, in the same worlds. Runs stay in `--runs`;
those that are there are not trained again. Writes roles.json, roles.md and roles.png into `--results`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from facts import ROOT, facts

from hamlet.env.environment import Env
from hamlet.package.module import Module, load
from hamlet_train.crossing import Mean
from hamlet_train.evaluate import chooser, environment, first_episodes
from hamlet_train.evaluation import of_chance, trained
from hamlet_train.policy import Policy, read_all
from hamlet_train.run import Run

GALLERY = ROOT / "universes" / "gallery"
RESULTS = Path(__file__).parent / "results"
WORLDS, TICKS = 200, 3_000
"""Of what is compared."""

Script = Callable[[Env], torch.Tensor]
"""The actions [lanes] that a script has for the present tick."""


def always(action: str) -> Script:
    """One action, whatever happens."""
    return lambda env: torch.full((env.num_lanes,), env.action_names.index(action), dtype=torch.int32)


def some(action: str, other: str, every: int) -> Script:
    """One action by every so-manyth agent, and another one by the rest."""

    def chosen(env: Env) -> torch.Tensor:
        mine = torch.arange(env.num_lanes) % every == 0
        first, second = (env.action_names.index(name) for name in (action, other))
        return torch.where(mine, first, second).int()

    return chosen


def toward(role: str, away: bool = False) -> Script:
    """A step on a ring toward the nearest living agent of a role, or away from it."""

    def chosen(env: Env) -> torch.Tensor:
        count = int(env.observation_high.new_tensor(11))
        place = env.state["position"].reshape(-1, env.num_worlds, env.num_agents)[0]
        there = torch.zeros(env.num_agents, dtype=torch.bool)
        there[list(env.roles[role].agents)] = True
        alive = env.state["alive"].view(env.num_worlds, env.num_agents) & there
        right = (place.unsqueeze(1) - place.unsqueeze(2)) % count
        far = torch.where(alive.unsqueeze(1), torch.minimum(right, count - right), 10 * count)
        nearest = far.argmin(dim=2, keepdim=True)
        goes_right = (right.gather(2, nearest).squeeze(2) * 2 < count) ^ away
        names = env.action_names.index("RIGHT"), env.action_names.index("LEFT")
        return torch.where(goes_right, *names).int().flatten()

    return chosen


def when(meter: str, above: float, then: str, otherwise: str) -> Script:
    """An action while a meter of the world is above a number, else another one."""

    def chosen(env: Env) -> torch.Tensor:
        many = (env.meter(meter) > above).repeat_interleave(env.num_agents)
        return torch.where(many, env.action_names.index(then), env.action_names.index(otherwise)).int()

    return chosen


@dataclass(frozen=True, slots=True)
class Study:
    """A training, and the scripts of each role; `None` is the role of all agents where there are none. `soon`: of
    roles that are paid for what they do and not for when, so that the length of episodes says how good they are, a
    short one being better."""

    universe: str
    agents: int
    ticks: int
    scripts: Mapping[str | None, Mapping[str, Script]]
    soon: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


STUDIES = (
    Study(
        "tag",
        6,
        8_000_000,
        {
            "it": {"chases the nearest": toward("runner"), "waits": always("WAIT"), "goes round": always("RIGHT")},
            "runner": {"flees": toward("it", away=True), "waits": always("WAIT"), "goes round": always("RIGHT")},
        },
        soon=("it",),
    ),
    Study(
        "wolves",
        12,
        6_000_000,
        {
            "wolf": {"stalks": always("wolf.STALK"), "waits": always("WAIT")},
            "sheep": {
                "grazes": always("sheep.GRAZE"),
                "watches": always("sheep.WATCH"),
                "every third watches": some("sheep.WATCH", "sheep.GRAZE", 3),
            },
        },
    ),
    Study(
        "predators",
        1,
        1_000_000,
        {
            None: {
                "shoots hares": always("SHOOT_HARE"),
                "shoots lynxes": always("SHOOT_LYNX"),
                "shoots lynxes above 5": when("lynxes", 5.0, "SHOOT_LYNX", "SHOOT_HARE"),
                "shoots hares above 40": when("hares", 40.0, "SHOOT_HARE", "WAIT"),
            }
        },
    ),
    Study("hidden_prey", 8, 4_000_000, {None: {"waits": always("WAIT"), "eats": always("INTERACT")}}),
    Study("garden", 1, 1_000_000, {None: {"picks": always("PICK"), "waters": always("WATER")}}),
    Study("berries", 4, 3_000_000, {None: {"waits": always("WAIT"), "eats": always("INTERACT")}}),
)


def returns(
    study: Study, module: Module, role: str | None, others: Mapping[str | None, Policy], script: Script | None
) -> Mean:
    """How a role fares by its policy, which `others` has then, or by a script, or at random."""
    env = environment(module, WORLDS, study.agents, 1_000_003)
    lanes = slice(None) if role is None else env.roles[role].lanes.numpy()
    choosing = chooser(env, dict(others), threads=1) if others else None

    def chosen() -> tuple[torch.Tensor, torch.Tensor | None]:
        if choosing is not None:
            actions, controls = choosing()
        else:
            actions, controls = torch.zeros(env.num_lanes, dtype=torch.int32), None
        if script is not None:
            actions = actions.clone()
            actions[lanes] = script(env)[lanes]
        elif role not in others and role is None:
            actions = (env.policy_words() * env.num_actions >> 32).int()
        return actions, controls

    episodes = first_episodes(env, chosen, TICKS)
    numbers = -episodes.lengths if role in study.soon else episodes.returns
    return Mean.of(np.asarray(numbers, np.float64)[lanes].reshape(WORLDS, -1).mean(axis=1))


def studied(study: Study, folder: Path, ticks: int | None) -> dict[str, Any]:
    """Train, unless that is done, and compare."""
    universe, run = GALLERY / f"{study.universe}.hamlet", Run(folder / "runs" / study.universe)
    arguments = [
        "train",
        str(universe.relative_to(ROOT)),
        "--agents",
        str(study.agents),
        "--ticks",
        str(ticks or study.ticks),
    ]
    arguments += ["--name", study.universe, *study.options]
    if not run.begun or run.read().weights is None:
        program = "import sys; from hamletc.cli.main import main; sys.argv[0] = 'hamletc'; main()"
        given = [sys.executable, "-c", program, *arguments, *(["--resume"] if run.begun else [])]
        given[given.index(arguments[1])] = str(universe)
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(given, cwd=folder, check=True)
    module = load(run.package)
    policies = {role: each for role, each in read_all(run.folder, module).items() if isinstance(each, Policy)}
    roles = {}
    for role, scripts in study.scripts.items():
        others = {name: each for name, each in policies.items() if name != role}
        sides = {
            "trained": returns(study, module, role, policies, None),
            "random": returns(study, module, role, others, None),
        }
        sides |= {name: returns(study, module, role, others, script) for name, script in scripts.items()}
        roles[role or "agents"] = {name: asdict(mean) for name, mean in sides.items()}
    evaluations = run.evaluations()
    curve = [
        {"ticks": each.ticks, **{fared.role or "agents": fared.returned.mean for fared in each.fared}}
        for each in trained(evaluations)
    ]
    chance = of_chance(evaluations)
    return {
        "command": f"hamletc {' '.join(arguments)}",
        "weights": run.read().weights,
        "soon": list(study.soon),
        "roles": roles,
        "curve": curve,
        "random": {fared.role or "agents": fared.returned.mean for fared in chance.fared} if chance else {},
    }


def page(results: Mapping[str, Any], about: Mapping[str, str]) -> str:
    """The table as Markdown."""
    lines = [
        "# What roles of the gallery learn",
        "",
        "A role plays by its policy, at random and by scripts, beside the policies that the other roles have",
    ]
    lines += [
        f"learnt: mean returns of first episodes in {WORLDS} worlds, with intervals of 95 %. Where a role is paid for "
        "what it does and not for when,"
    ]
    lines += [
        "the number is the length of its episodes with a minus. *Beaten* says which script has more than the policy.",
        "",
    ]
    lines += ["| universe | role | trained | random | best script | beaten by |", "|---|---|--:|--:|---|---|"]
    for name, study in results.items():
        for role, sides in study["roles"].items():
            scripts = {script: mean for script, mean in sides.items() if script not in ("trained", "random")}
            best = max(scripts, key=lambda script: scripts[script]["value"])
            mine = sides["trained"]
            beaten = [
                script
                for script, mean in scripts.items()
                if mean["value"] - mean["half"] > mine["value"] + mine["half"]
            ]
            shown = [f"{each['value']:.4g} ± {each['half']:.2g}" for each in (mine, sides["random"], scripts[best])]
            lines.append(
                f"| {name} | {role} | {shown[0]} | {shown[1]} | {shown[2]}, {best} | {', '.join(beaten) or 'none'} |"
            )
    lines += ["", "![Curves](roles.png)", "", "| universe | command | weights |", "|---|---|---|"]
    lines += [f"| {name} | `{study['command']}` | `{study['weights'][:12]}` |" for name, study in results.items()]
    lines += [
        "",
        "Each curve is that of the evaluations of a training, by role; dashed lines are random actions.",
        "",
    ]
    return "\n".join([*lines, *(f"- {name}: {value}" for name, value in about.items()), ""])


def draw(results: Mapping[str, Any], path: Path) -> None:
    """The curves of all roles."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(
        1, len(results), figsize=(3 * len(results), 2.8), layout="constrained", squeeze=False
    )
    for panel, (name, study) in zip(panels[0], results.items(), strict=True):
        for number, role in enumerate(study["roles"]):
            ticks = [point["ticks"] / 1e6 for point in study["curve"]]
            panel.plot(ticks, [point[role] for point in study["curve"]], color=f"C{number}", label=role, marker=".")
            panel.axhline(study["random"][role], color=f"C{number}", linestyle="--", linewidth=1)
        panel.set_title(name, fontsize=9)
        panel.set_xlabel("million agent-ticks", fontsize=8)
        panel.legend(fontsize=7)
    figure.savefig(path, dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "studies", nargs="*", help=f"of {', '.join(study.universe for study in STUDIES)}; by default all"
    )
    parser.add_argument("--ticks", type=int, help="of each training")
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "roles")
    parser.add_argument("--results", type=Path, default=RESULTS)
    asked = parser.parse_args()
    begin, cpu = time.perf_counter(), time.process_time()
    chosen = [study for study in STUDIES if not asked.studies or study.universe in asked.studies]
    results = {study.universe: studied(study, asked.runs.resolve(), asked.ticks) for study in chosen}
    about = facts("roles.py", "c") | {"load": f"{os.getloadavg()[0]:.1f}"}
    asked.results.mkdir(parents=True, exist_ok=True)
    (asked.results / "roles.json").write_text(json.dumps({"facts": about, "studies": results}, indent=1) + "\n")
    (asked.results / "roles.md").write_text(page(results, about))
    draw(results, asked.results / "roles.png")
    print(
        page(results, about),
        f"{time.perf_counter() - begin:.0f} s, CPU of this process {time.process_time() - cpu:.0f} s",
    )


if __name__ == "__main__":
    main()
