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
from hamlet.schema.roles import members
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
"""The actions [lanes] that a script has for the present tick. What the mask of an agent switches off it does not take,
as no policy does: it waits."""


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
    """A training, and the scripts of each role; `None` is the role of all agents where there are none. `options` are
    further ones of its command."""

    universe: str
    agents: int
    ticks: int
    scripts: Mapping[str | None, Mapping[str, Script]]
    options: tuple[str, ...] = ()


STUDIES = (
    Study(
        "tag",
        6,
        6_000_000,
        {
            "it": {"chases the nearest": toward("runner"), "waits": always("WAIT"), "goes round": always("RIGHT")},
            "runner": {"flees": toward("it", away=True), "waits": always("WAIT"), "goes round": always("RIGHT")},
        },
        ("--worlds", "256", "--set", "entropy=0.01"),
    ),
    Study(
        "wolves",
        12,
        3_000_000,
        {
            "wolf": {"stalks": always("wolf.STALK"), "waits": always("WAIT")},
            "sheep": {
                "grazes": always("sheep.GRAZE"),
                "watches": always("sheep.WATCH"),
                "every third watches": some("sheep.WATCH", "sheep.GRAZE", 3),
            },
        },
        ("--worlds", "64", "--critic", "world"),
    ),
    Study(
        "predators",
        1,
        1_500_000,
        {
            None: {
                "shoots hares": always("SHOOT_HARE"),
                "shoots lynxes": always("SHOOT_LYNX"),
                "shoots lynxes above 5": when("lynxes", 5.0, "SHOOT_LYNX", "SHOOT_HARE"),
                "shoots hares above 40": when("hares", 40.0, "SHOOT_HARE", "WAIT"),
            }
        },
        ("--worlds", "128", "--set", "entropy=0.005", "--set", "discount=0.99", "--set", "trace=0.95"),
    ),
    Study(
        "hidden_prey",
        8,
        2_000_000,
        {None: {"waits": always("WAIT"), "eats": always("INTERACT")}},
        ("--worlds", "128"),
    ),
    Study("garden", 1, 1_000_000, {None: {"picks": always("PICK"), "waters": always("WATER")}}),
    Study("berries", 4, 2_000_000, {None: {"waits": always("WAIT"), "eats": always("INTERACT")}}, ("--worlds", "128")),
)


def allowed(env: Env, actions: torch.Tensor) -> torch.Tensor:
    """Actions that masks allow, [lanes]; others are waits."""
    may = env.action_mask.gather(1, actions.long().unsqueeze(1)).squeeze(1)
    return torch.where(may, actions, env.action_names.index("WAIT")).int()


def returns(
    study: Study,
    module: Module,
    role: str | None,
    others: Mapping[str | None, Policy],
    script: Script | None,
    alone: bool = False,
) -> Mean:
    """How a role fares by its policy, which `others` has then, or by a script, or at random. `alone`: how its first
    agent in each world does, who alone plays by the script."""
    env = environment(module, WORLDS, study.agents, 1_000_003)
    lanes = np.arange(env.num_lanes) if role is None else env.roles[role].lanes.numpy()
    if alone:
        lanes = lanes.reshape(WORLDS, -1)[:, 0]
    choosing = chooser(env, dict(others), threads=1) if others else None

    def chosen() -> tuple[torch.Tensor, torch.Tensor | None]:
        if choosing is not None:
            actions, controls = choosing()
        else:
            actions, controls = torch.zeros(env.num_lanes, dtype=torch.int32), None
        if script is not None:
            actions = actions.clone()
            actions[lanes] = allowed(env, script(env))[lanes]
        elif role not in others and role is None:
            actions = (env.policy_words() * env.num_actions >> 32).int()
        return actions, controls

    episodes = first_episodes(env, chosen, TICKS)
    return Mean.of(np.asarray(episodes.returns, np.float64)[lanes].reshape(WORLDS, -1).mean(axis=1))


def count_of(module: Module, study: Study, role: str | None) -> int:
    """How many agents of a world have this role."""
    sizes = {each.name: len(members(each, study.agents)) for each in module.universe.roles or ()}
    return study.agents if role is None else sizes[role]


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
        several = count_of(module, study, role) > 1
        firsts = {"trained": returns(study, module, role, policies, None, True)} if several else {}
        if several:
            firsts |= {name: returns(study, module, role, policies, script, True) for name, script in scripts.items()}
        roles[role or "agents"] = {
            "all": {name: asdict(mean) for name, mean in sides.items()},
            "one": {name: asdict(mean) for name, mean in (firsts or sides).items()},
        }
    evaluations = run.evaluations()
    curve = [
        {"ticks": each.ticks, **{fared.role or "agents": fared.returned.mean for fared in each.fared}}
        for each in trained(evaluations)
    ]
    chance = of_chance(evaluations)
    return {
        "command": f"hamletc {' '.join(arguments)}",
        "weights": run.read().weights,
        "roles": roles,
        "curve": curve,
        "random": {fared.role or "agents": fared.returned.mean for fared in chance.fared} if chance else {},
    }


def scripts_of(sides: Mapping[str, Any]) -> list[str]:
    """The names of scripts."""
    return [name for name in sides if name not in ("trained", "random")]


def shown(mean: Mapping[str, float]) -> str:
    """A mean with its interval."""
    return f"{mean['value']:.4g} ± {mean['half']:.2g}"


def best(sides: Mapping[str, Any]) -> str:
    """The script that earns most, and how much."""
    name = max(scripts_of(sides), key=lambda script: float(sides[script]["value"]))
    return f"{shown(sides[name])}, {name}"


def page(results: Mapping[str, Any], about: Mapping[str, str]) -> str:
    """The table as Markdown."""
    lines = [
        "# What roles of the gallery learn",
        "",
        "A role plays by its policy, at random and by scripts, beside the policies that the other roles have learnt:",
        f"mean returns of first episodes in {WORLDS} worlds, with intervals of 95 %. Scripts take no action that a",
        "mask switches off. *All by a script*: all agents of the role play by it. *One by a script*: one agent of each",
        "world does, and its return stands beside that of the same agent by the policy. Agents learnt to earn for",
        "themselves, so a script beats a policy where one of them earns more by it, beyond both intervals.",
        "",
        "| universe | role | trained | random | all by the best script | one by its policy | one by the best script "
        "| beaten by |",
        "|---|---|--:|--:|---|--:|---|---|",
    ]
    for name, study in results.items():
        for role, sides in study["roles"].items():
            every, one = sides["all"], sides["one"]
            mine, beaten = one["trained"], []
            for script in scripts_of(one):
                if one[script]["value"] - one[script]["half"] > mine["value"] + mine["half"]:
                    beaten.append(script)
            cells = [shown(every["trained"]), shown(every["random"]), best(every), shown(mine), best(one)]
            lines.append(f"| {name} | {role} | {' | '.join(cells)} | {', '.join(beaten) or 'none'} |")
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
