"""python tests/mutation/run.py [--jobs N] [--only PATH] [--sample N --seed S] [--resume FILE] [--last STAGE]

Alters the compiler in one small place after the other and says who notices: benchmarks/results/mutants.md. The sample
is drawn at random, of each folder in proportion: the same N and S draw the same.

Verdicts of the last table are taken over: they hold as long as the mutant's file stays the same. `--anew` runs all.
`--resume FILE` keeps verdicts in a file while they come, one per line, so that an interrupted run can go on. Only a run
without `--only` writes the table.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "equivalence"))

import server
from baseline import Baseline, baseline
from draw import all_mutants, draw, folder
from killers import holds
from more_universes import FORMS, UNIVERSES, Form, Unaltered, Universes, made_of
from mutant import ROOT, Mutant
from store import COMPILED, Store
from table import Drawn, hole, settled, survived, table
from verdict import SCRATCH, STAGES, StageName, Verdict

RESULTS = ROOT / "benchmarks" / "results"
SAMPLE, SEED = 400, 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=1, help="mutants that run at a time")
    parser.add_argument("--only", default="", help="those of the sample in this file or folder below compiler/hamletc")
    parser.add_argument("--sample", type=int, default=SAMPLE, help=f"how many mutants; by default {SAMPLE}, 0: all")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the sample; by default {SEED}")
    parser.add_argument("--resume", type=Path, help="a file of verdicts to go on with")
    parser.add_argument("--anew", action="store_true", help="take no verdict from the last table")
    parser.add_argument("--table", action="store_true", help="run nothing: the table of the verdicts that there are")
    parser.add_argument("--last", choices=STAGES, default="long", help="the last stage that looks at a mutant")
    options = parser.parse_args()
    everything = all_mutants()
    sample = draw(everything, options.sample, options.seed) if options.sample else everything
    chosen = [mutant for mutant in sample if mutant.path.startswith(options.only)]
    known = {} if options.anew else _committed()
    known |= _read(options.resume)
    stages = STAGES[: STAGES.index(options.last) + 1]
    waiting = [(mutant, left) for mutant in chosen if (left := _left(known.get(mutant.name), stages))]
    print(f"{len(chosen)} of {len(everything)} mutants, {len(chosen) - len(waiting)} known", flush=True)
    if waiting and not options.table:
        known |= _run(waiting, options)
    verdicts = [known[mutant.name] for mutant in chosen if mutant.name in known]
    if not options.only:
        sites = Counter(folder(mutant.path) for mutant in everything)
        _write(verdicts, Drawn(len(everything), len(chosen), options.seed, dict(sorted(sites.items()))))
    unexplained = [verdict for verdict in verdicts if survived(verdict) and not settled(verdict)]
    for verdict in unexplained:
        print(f"not explained: {verdict.path}:{verdict.line} {verdict.kind}\n  - {verdict.before}\n  + {verdict.after}")
    return 1 if unexplained else 0


def _left(verdict: Verdict | None, stages: Sequence[StageName]) -> Sequence[StageName]:
    """The stages that have not looked at a mutant yet, if it lives; all where tests were written for it since."""
    if verdict is None or (not verdict.killed_by and hole(verdict)):
        return stages
    return () if verdict.killed_by or survived(verdict) else stages[STAGES.index(verdict.stage) + 1 :]


def _run(waiting: Sequence[tuple[Mutant, Sequence[StageName]]], options: argparse.Namespace) -> dict[str, Verdict]:
    begin, found, sound = time.monotonic(), dict[str, Verdict](), set[str]()
    with tempfile.TemporaryDirectory(prefix=SCRATCH) as scratch:
        _prepare(Path(scratch))
        known = _baseline(sorted({mutant.path for mutant, _ in waiting}), options)
        print(f"recorded in {time.monotonic() - begin:.0f} s", flush=True)
        for verdict in server.run_all(waiting, known, options.jobs, Path(scratch)):
            _confirm(verdict, sound)
            found[verdict.mutant] = verdict
            if options.resume is not None:
                with options.resume.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(verdict)) + "\n")
            mark = verdict.killed_by or "SURVIVED"
            print(f"{len(found)}/{len(waiting)} {verdict.seconds:6.1f} s {mark:9} {verdict.mutant}", flush=True)
    return found


def _prepare(scratch: Path) -> None:
    """What is compiled of kernels is kept for this run alone. It is made by the quickest way: no bit depends on it."""
    os.environ["XDG_CACHE_HOME"] = str(scratch / "cache")
    if shutil.which("cc"):
        os.environ.setdefault("HAMLET_CC", "cc -O1")


def _confirm(verdict: Verdict, sound: set[str]) -> None:
    """Refuse a kill by a slow test that fails without a mutant, too; others were run before."""
    if verdict.killed_by == "long" and verdict.check and verdict.check not in sound:
        if not server.forked(partial(holds, verdict.check)):
            sys.exit(f"{verdict.check} fails without a mutant: nothing that it finds counts")
        sound.add(verdict.check)


def _baseline(paths: list[str], options: argparse.Namespace) -> Baseline:
    """What mutants are compared with."""
    store = Store(None if options.resume is None else options.resume.with_suffix(".kept"))
    asked = STAGES.index(options.last) >= STAGES.index("universes")
    universes: Universes = (
        store.get(("universes",), (*COMPILED, "tests/mutation/more_universes.py"), lambda: _universes(options.jobs))
        if asked
        else {}
    )
    return baseline(paths, universes, store, server.forked)


def _universes(jobs: int) -> Universes:
    """What is made of universes."""
    works = [partial(made_of, UNIVERSES[part::jobs], form) for form in FORMS for part in range(jobs)]
    found: dict[Form, dict[str, Unaltered]] = {form: {} for form in FORMS}
    for work, known in zip(works, server.all_forked(works, jobs), strict=True):
        found[work.args[1]] |= known
    return found


def _committed() -> dict[str, Verdict]:
    """The verdicts of the last table."""
    path = RESULTS / "mutants.json"
    listed = json.loads(path.read_text(encoding="utf-8"))["verdicts"] if path.exists() else []
    return {each["mutant"]: Verdict(**each) for each in listed}


def _read(path: Path | None) -> dict[str, Verdict]:
    if path is None or not path.exists():
        return {}
    verdicts = (Verdict(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())
    return {verdict.mutant: verdict for verdict in verdicts}


def _write(verdicts: Sequence[Verdict], drawn: Drawn) -> None:
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=ROOT)
    content = {
        "commit": commit.stdout.strip(),
        "command": f"python tests/mutation/run.py --sample {drawn.mutants} --seed {drawn.seed}",
        "machine": f"{platform.system()} {platform.machine()}, {_cpu()}, {os.cpu_count()} CPUs",
        **asdict(drawn),
        "verdicts": [asdict(verdict) for verdict in verdicts],
    }
    (RESULTS / "mutants.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "mutants.md").write_text(table(commit.stdout.strip(), drawn, verdicts), encoding="utf-8")


def _cpu() -> str:
    """The name of this machine's CPU."""
    named = Path("/proc/cpuinfo")
    lines = named.read_text(encoding="utf-8").splitlines() if named.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "CPU unknown")


if __name__ == "__main__":
    sys.exit(main())
