"""Roles of the gallery, what they learn beside random actions and scripts.

    python benchmarks/roles.py
    python benchmarks/roles.py tag --ticks 200_000 --results /tmp

Each universe is trained by `hamletc train`, by the command in the table. Then a role plays by its policy, at random and
by scripts, each time beside the policies that the other roles have learnt, in the same worlds. A role may learn once
more by itself, beside these as they are. Runs stay in `--runs`; those that are there are not trained again. Writes
roles.json, roles.md and roles.png into `--results`, where universes that are not named keep their lines.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from facts import ROOT, facts
from role_scripts import Script, allowed, always, seen, some, toward, when

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
ALL = "agents"
"""The role of all agents where there are none."""


@dataclass(frozen=True, slots=True)
class Study:
    """A training, and the scripts of each role; `None` is the role of all agents where there are none. `options` are
    further ones of its command. `alone` are those of a second training, in which a role learns once more from nothing
    beside the policies of the others as they are."""

    universe: str
    agents: int
    ticks: int
    scripts: Mapping[str | None, Mapping[str, Script]]
    options: tuple[str, ...] = ()
    alone: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


STUDIES = (
    Study(
        "tag",
        6,
        6_000_000,
        {
            "it": {
                "chases the nearest": toward("runner"),
                "chases who it sees": seen,
                "waits": always("WAIT"),
                "goes round": always("RIGHT"),
            },
            "runner": {"flees": toward("it", away=True), "waits": always("WAIT"), "goes round": always("RIGHT")},
        },
        ("--worlds", "256", "--set", "entropy=0.01"),
        {
            # Where both learn, who is it settles on a way round, and runners on fleeing that.
            "it": (
                *("--worlds", "64", "--set", "horizon=128", "--set", "discount=0.98"),
                *("--set", "trace=0.95", "--set", "rate=0.001"),
            ),
        },
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


def learnt(study: Study, name: str, options: Sequence[str], folder: Path, ticks: int | None) -> tuple[Run, str]:
    """A training, unless it is done, and its command."""
    universe, run = GALLERY / f"{study.universe}.hamlet", Run(folder / "runs" / name)
    sizes = "--agents", str(study.agents), "--ticks", str(ticks or study.ticks)
    arguments = ["train", str(universe.relative_to(ROOT)), *sizes, "--name", name, *options]
    if not run.begun or run.read().weights is None:
        program = "import sys; from hamletc.cli.main import main; sys.argv[0] = 'hamletc'; main()"
        given = [sys.executable, "-c", program, *arguments, *(["--resume"] if run.begun else [])]
        given[given.index(arguments[1])] = str(universe)
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(given, cwd=folder, check=True)
    return run, f"hamletc {' '.join(arguments)}"


def curve_of(run: Run, roles: Container[str]) -> list[dict[str, float]]:
    """What these roles return at each evaluation of a training."""
    return [
        {
            "ticks": each.ticks,
            **{fared.role or ALL: fared.returned.mean for fared in each.fared if (fared.role or ALL) in roles},
        }
        for each in trained(run.evaluations())
    ]


def studied(study: Study, folder: Path, ticks: int | None) -> dict[str, Any]:
    """Train, unless that is done, and compare."""
    run, command = learnt(study, study.universe, study.options, folder, ticks)
    module = load(run.package)
    policies, again = networks(run, module), {}
    for role, options in study.alone.items():
        others = [part for name in policies if name != role for part in ("--opponent", f"{name}=runs/{study.universe}")]
        once, by = learnt(study, f"{study.universe}-{role}", [*others, *options], folder, ticks)
        again[role] = once, by, networks(once, module)[role]
    roles = {}
    for role, scripts in study.scripts.items():
        others = {name: each for name, each in policies.items() if name != role}
        mine = policies | {role: again[role][2]} if role in again else policies
        sides = {
            "trained": returns(study, module, role, mine, None),
            "random": returns(study, module, role, others, None),
        }
        if role in again:
            sides["trained together"] = returns(study, module, role, policies, None)
        sides |= {name: returns(study, module, role, others, script) for name, script in scripts.items()}
        several = count_of(module, study, role) > 1
        firsts = {"trained": returns(study, module, role, mine, None, True)} if several else {}
        if several:
            firsts |= {name: returns(study, module, role, mine, script, True) for name, script in scripts.items()}
        roles[role or ALL] = {
            "all": {name: asdict(mean) for name, mean in sides.items()},
            "one": {name: asdict(mean) for name, mean in (firsts or sides).items()},
        }
    chance = of_chance(run.evaluations())
    return {
        "command": command,
        "weights": run.read().weights,
        "roles": roles,
        "curve": curve_of(run, roles),
        "random": {fared.role or ALL: fared.returned.mean for fared in chance.fared} if chance else {},
        "alone": {
            role: {"command": by, "weights": once.read().weights, "curve": curve_of(once, [role])}
            | {
                "others": {
                    name: met(study, module, name, policies | {role: policy}) for name in policies if name != role
                }
            }
            for role, (once, by, policy) in again.items()
        },
    }


def met(study: Study, module: Module, role: str | None, policies: Mapping[str | None, Policy]) -> dict[str, Any]:
    """How a role fares by its policy and by scripts beside a policy that it did not learn with."""
    sides: dict[str, Script | None] = {"trained": None, **study.scripts[role]}
    return {name: asdict(returns(study, module, role, policies, script)) for name, script in sides.items()}


def networks(run: Run, module: Module) -> dict[str | None, Policy]:
    """The policies of a run, by role."""
    return {role: each for role, each in read_all(run.folder, module).items() if isinstance(each, Policy)}


def scripts_of(sides: Mapping[str, Any]) -> list[str]:
    """The names of scripts."""
    return [name for name in sides if name not in ("trained", "trained together", "random")]


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
        "A role with two commands learnt with the others first, and by the second one from nothing beside these.",
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
    for name, study in results.items():
        lines.append(f"| {name} | `{study['command']}` | `{study['weights'][:12]}` |")
        for role, more in study.get("alone", {}).items():
            lines.append(f"| {name}, {role} again | `{more['command']}` | `{more['weights'][:12]}` |")
    for name, study in results.items():
        for role, more in study.get("alone", {}).items():
            first = shown(study["roles"][role]["all"]["trained together"])
            lines += [
                "",
                f"By what it learnt with the others {role} of {name} returns {first}. Beside what it learnt again",
            ]
            lines += [
                f"{other} returns {shown(x['trained'])}, by a script {best(x)}." for other, x in more["others"].items()
            ]
    lines += [
        "",
        "Each curve is that of the evaluations of a training, by role, dotted of a second one; dashed lines are random",
        "actions.",
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
            again = study.get("alone", {}).get(role, {"curve": []})["curve"]
            if again:
                millions = [point["ticks"] / 1e6 for point in again]
                panel.plot(millions, [point[role] for point in again], color=f"C{number}", linestyle=":", marker=".")
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
    about = facts("roles.py", "c") | {"load": f"{os.getloadavg()[0]:.1f}"}
    asked.results.mkdir(parents=True, exist_ok=True)
    results, kept = dict[str, Any](), asked.results / "roles.json"
    if asked.studies and kept.exists():
        before = json.loads(kept.read_text())
        about, results = before["facts"] | {"anew": f"{about['command']}, commit {about['commit']}"}, before["studies"]
    results |= {study.universe: studied(study, asked.runs.resolve(), asked.ticks) for study in chosen}
    results = {study.universe: results[study.universe] for study in STUDIES if study.universe in results}
    (asked.results / "roles.json").write_text(json.dumps({"facts": about, "studies": results}, indent=1) + "\n")
    (asked.results / "roles.md").write_text(page(results, about))
    draw(results, asked.results / "roles.png")
    print(
        page(results, about),
        f"{time.perf_counter() - begin:.0f} s, CPU of this process {time.process_time() - cpu:.0f} s",
    )


if __name__ == "__main__":
    main()
