"""Trains the zoo: a policy for each shipped universe and each of its roles, see docs/policies.md.

    python benchmarks/zoo.py
    python benchmarks/zoo.py town tag --zoo /tmp/zoo

Each training is that of `hamletc train` by the command in its manifest, and its weights are the same bytes wherever
those of `hamletc train` are: with the same version of hamletc, on CPUs with AVX2 or AVX-512, for any number of threads.
Writes manifest.json, evaluations.jsonl and the policies of each into `--zoo`. Trainings stay in `--runs`; those that
have ended are not trained again, so what was interrupted goes on. With `--check` it writes nothing into the zoo, and
says which weights there are others. `hamletc eval gallery` plays all of them anew.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from facts import ROOT

from hamlet.package.module import Module, load
from hamlet.schema.roles import fewest_agents
from hamlet_train.cli.options import settings_of, threads_of
from hamlet_train.policy import filename
from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest, Run, packaged, versions
from hamlet_train.settings import usual_of
from hamlet_train.training import Watch, train

RESULTS = ROOT / "benchmarks" / "results"
ZOO = ROOT / "universes" / "zoo"
LITTLE = 0.05
"""Of what random actions return: a policy that gains less is said to be hardly better."""
TICKS, WORLDS = 2_000_000, 128


@dataclass(frozen=True, slots=True)
class Keeping:
    """How a universe is trained, where that is not as the others are."""

    ticks: int = TICKS
    worlds: int = WORLDS
    agents: int | None = None
    settings: tuple[str, ...] = ()


OTHERS = {
    "town": Keeping(ticks=30_000_000, worlds=1024),
    "shifts": Keeping(ticks=8_000_000),
    "tag": Keeping(agents=6),
    "wolves": Keeping(agents=12),
}


def universes() -> dict[str, Path]:
    """The shipped universes, by name."""
    paths = sorted([*(ROOT / "universes").glob("*.hamlet"), *(ROOT / "universes" / "gallery").glob("*.hamlet")])
    return {path.stem: path for path in sorted(paths, key=lambda path: path.stem)}


def said(source: str, name: str, keeping: Keeping) -> tuple[str, ...]:
    """The command that trains it, in a clone."""
    agents = () if keeping.agents is None else ("--agents", str(keeping.agents))
    settings = [part for each in keeping.settings for part in ("--set", each)]
    sizes = ("--ticks", str(keeping.ticks), "--worlds", str(keeping.worlds), *agents)
    return ("hamletc", "train", source, *sizes, *settings, "--name", name)


def begun(run: Run, path: Path, keeping: Keeping) -> tuple[Module, Manifest]:
    """The manifest of a training that has not begun yet, and its universe."""
    module = packaged(path, run.package)
    source = path.relative_to(ROOT).as_posix()
    manifest = Manifest(
        universe=module.name,
        digest=module.digest,
        source=source,
        command=said(source, path.stem, keeping),
        versions=versions(),
        worlds=keeping.worlds,
        agents=keeping.agents or fewest_agents(module.universe),
        seed=0,
        ticks=keeping.ticks,
        settings=settings_of(keeping.settings, usual=usual_of(module.universe)),
        shared=not module.universe.roles,
    )
    run.write(manifest)
    return module, manifest


def trained(path: Path, keeping: Keeping, folder: Path, threads: int) -> Run:
    """The run of a universe, to its end."""
    run = Run(folder / path.stem)
    if run.begun and run.read().weights is not None:
        return run
    module, manifest = (load(run.package), run.read()) if run.begun else begun(run, path, keeping)
    cpu, wall = time.process_time(), time.perf_counter()
    train(run, module, manifest, Ranks(), threads, Watch())
    spent, load_now = time.process_time() - cpu, os.getloadavg()[0]
    last, chance = run.evaluations()[-1], run.evaluations()[0]
    means = [
        f"{now.role or 'agents'} {now.returned.mean:.4g} (random {before.returned.mean:.4g})"
        for now, before in zip(last.fared, chance.fared, strict=True)
    ]
    clock = f"{spent:.0f} CPU s, {time.perf_counter() - wall:.0f} s by the clock, load {load_now:.1f}"
    print(f"{path.stem}: {', '.join(means)}; {clock}", flush=True)
    return run


def files_of(run: Run) -> dict[str, bytes]:
    """The files of a run that the zoo has, by name."""
    module = load(run.package)
    roles = [role.name for role in module.universe.roles or ()] or [None]
    names = ["manifest.json", "evaluations.jsonl", *map(filename, roles)]
    return {name: (run.folder / name).read_bytes() for name in names}


def page(zoo: Path) -> str:
    """The table of what the zoo has, by the last evaluations of its trainings."""
    lines = [
        "# The zoo",
        "",
        "`python benchmarks/zoo.py` trains all of it, `--check` compares the bytes of weights.",
        "",
    ]
    lines += [
        "| universe | role | agents | agent-ticks | random | trained | weights |",
        "|---|---|--:|--:|--:|--:|---|",
    ]
    little, total = [], 0
    for folder in sorted(path.parent for path in zoo.glob("*/manifest.json")):
        run = Run(folder)
        manifest, evaluations = run.read(), run.evaluations()
        total += sum(path.stat().st_size for path in folder.iterdir())
        for now, before in zip(evaluations[-1].fared, evaluations[0].fared, strict=True):
            random, learnt = before.returned.mean, now.returned.mean
            sizes = f"{manifest.agents} | {manifest.ticks:,} | {random:.4g} | {learnt:.4g}"
            lines.append(f"| {folder.name} | {now.role or ''} | {sizes} | `{(manifest.weights or '')[:12]}` |")
            if learnt - random <= LITTLE * abs(random):
                little.append(f"{folder.name}{f' ({now.role})' if now.role else ''}")
    lines += [
        "",
        "Mean returns of the first episodes of about 200 agents in worlds that the training does not have. Settings",
    ]
    lines += [f"are the defaults; all has {total / 1e6:.2f} MB. Weights are the same bytes with the same hamletc on"]
    lines += [
        f"CPUs with AVX2 or AVX-512. Less than {LITTLE:.0%} above random actions: {', '.join(little) or 'none'}.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("universes", nargs="*", help="by default all")
    parser.add_argument("--zoo", type=Path, default=ZOO)
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "zoo")
    parser.add_argument("--table", type=Path, default=RESULTS / "zoo.md")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    shipped, others = universes(), 0
    for name in arguments.universes or shipped:
        run = trained(shipped[name], OTHERS.get(name, Keeping()), arguments.runs, threads_of(arguments.threads))
        for file, contents in files_of(run).items():
            path = arguments.zoo / name / file
            if not arguments.check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(contents)
            elif file.endswith(".safetensors") and (not path.exists() or path.read_bytes() != contents):
                others += 1
                print(f"{path} is another one")
    if not arguments.check:
        arguments.table.write_text(page(arguments.zoo))
    sys.exit(others > 0)


if __name__ == "__main__":
    main()
