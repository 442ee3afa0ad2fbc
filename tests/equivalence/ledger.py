"""The ledger of random universes: which cases ran on which backends with which result, in JSON and as a page."""

from __future__ import annotations

import json
import platform
import subprocess
from collections import Counter
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from constructs import KINDS

ENOUGH = 0.75
"""The share of its constructs that must fire for a case to count."""


@dataclass(slots=True)
class Tally:
    """Cases `first` to `last` on some backends.

    Attributes:
        generator, commit, versions: what the numbers mean, and what ran.
        backends: what was compared with the interpreter, separated by commas.
        clean: cases in which everything agreed and at least `ENOUGH` of the constructs fired; these count.
        complete: those of them in which every construct fired.
        idle: cases in which everything agreed and less fired.
        refused: numbers whose universe is not valid.
        failed: numbers of cases in which something differed.
        ticks: agent-ticks that each backend ran.
        values: values compared with the interpreter's, over all backends.
        fired, constructs: constructs of clean cases, and those of them that fired.
        seconds: of CPU time.
        kinds: clean cases by the construct of the language that they have.
    """

    generator: str
    commit: str
    versions: str
    backends: str
    first: int
    last: int
    clean: int = 0
    complete: int = 0
    idle: int = 0
    refused: int = 0
    failed: list[int] = field(default_factory=list)
    ticks: int = 0
    values: int = 0
    fired: int = 0
    constructs: int = 0
    seconds: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter)

    def follows(self, other: Tally) -> bool:
        """Whether this goes on where another ended."""
        same = ("generator", "commit", "versions", "backends")
        return self.first == other.last + 1 and all(getattr(self, name) == getattr(other, name) for name in same)

    def add(self, other: Tally) -> None:
        """Take in the cases that follow."""
        self.last = other.last
        for name in ("clean", "complete", "idle", "refused", "failed", "ticks", "values", "fired", "constructs"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.seconds = round(self.seconds + other.seconds, 1)
        self.kinds += other.kinds


def read(path: Path) -> list[Tally]:
    """What is in a ledger; nothing, where there is none."""
    if not path.exists():
        return []
    known = {each.name for each in fields(Tally)}
    runs: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["runs"]
    return [Tally(**{k: Counter(v) if k == "kinds" else v for k, v in run.items() if k in known}) for run in runs]


def record(path: Path, tally: Tally) -> None:
    """Enter cases into the ledger, a JSON file, and write the page beside it anew."""
    runs = read(path)
    before = next((run for run in runs if tally.follows(run)), None)
    if before is None:
        runs.append(tally)
    else:
        before.add(tally)
    data = {"runs": [asdict(run) | {"kinds": dict(sorted(run.kinds.items()))} for run in runs]}
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(page(runs), encoding="utf-8")


def next_number(path: Path, generator: str, backends: str) -> int:
    """The first number of which these backends have no case yet."""
    ended = (run.last for run in read(path) if (run.generator, run.backends) == (generator, backends))
    return max(ended, default=-1) + 1


def page(runs: list[Tally]) -> str:
    """The ledger for a reader."""
    lines = [
        "# Random universes",
        "",
        "Written by `make fuzz LEDGER=benchmarks/results/fuzz.json`. Universe number n of a generator is always the",
        "same one. Each runs on the interpreter and on the backends of its row, and every array is compared to the bit",
        "after every event. `ir` is the program without passes or with one, and with all. `c` and `triton` run",
        "the generated kernels, Triton's in its interpreter; `c:haswell` runs those for CPUs with AVX2, whose",
        "vectors are shorter, on the same machine. `ptx` is the compiled PTX, executed on the CPU.",
        "",
        f"A universe counts where at least {ENOUGH:.0%} of its constructs fired, and is complete where all did. Some",
        "cannot fire, like a cause of death that no state meets.",
        "",
        "| backends | universes | complete | constructs fired | agent-ticks | values | too little fired | failed |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for backends in dict.fromkeys(_ran(run) for run in runs):
        mine = [run for run in runs if _ran(run) == backends]

        def total(name: str, mine: list[Tally] = mine) -> int:
            return sum(getattr(run, name) for run in mine)

        share = total("fired") / max(total("constructs"), 1)
        lines.append(
            f"| {backends} | {total('clean'):,} | {total('complete'):,} | {share:.1%} | {total('ticks'):,} "
            f"| {total('values'):,} | {total('idle'):,} | {sum(len(run.failed) for run in mine)} |"
        )
    lines += ["", "## Runs", "", "| generator | commit | backends | numbers | universes | refused | failed | CPU s |"]
    lines.append("|---|---|---|---|--:|--:|---|--:|")
    for run in runs:
        failed = ", ".join(map(str, run.failed)) or "none"
        lines.append(
            f"| {run.generator} | {run.commit} | {_ran(run)} | {run.first} to {run.last} | {run.clean:,} "
            f"| {run.refused} | {failed} | {run.seconds:,.0f} |"
        )
    lines += ["", *(f"- {versions}: {', '.join(commits)}" for versions, commits in _versions(runs).items())]
    lines += ["", "## Found so far", "", "Each is a test now, `tests/equivalence/regressions`:", "", *_found()]
    found = sum((run.kinds for run in runs), Counter[str]())
    lines += ["", "## Constructs", "", "Universes that have it, over all runs:", ""]
    lines.append(", ".join(f"{kind} {found[kind]}" for kind in KINDS) + ".")
    return "\n".join(lines) + "\n"


def _ran(run: Tally) -> str:
    """What ran: the backends, and of PTX the Triton that compiled it."""
    compiler = next((each for each in run.versions.split(", ") if each.startswith("triton ")), "")
    return f"{run.backends}, {compiler}" if compiler and "ptx" in run.backends else run.backends


def _versions(runs: list[Tally]) -> dict[str, list[str]]:
    """The commits by the versions that they ran with."""
    found: dict[str, list[str]] = {}
    for run in runs:
        commits = found.setdefault(run.versions, [])
        if run.commit not in commits:
            commits.append(run.commit)
    return found


def _found() -> list[str]:
    """What went wrong once, as the universes that show it say in their first line."""
    folder = Path(__file__).parent / "regressions"
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.hamlet"))}
    return [f"- `{name}`: {text.splitlines()[0].removeprefix('# ')}" for name, text in texts.items()]


def commit() -> str:
    """The commit of the working tree, with a plus where it was changed."""
    here = Path(__file__).parent

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=here, capture_output=True, text=True, check=True).stdout.strip()

    root = git("rev-parse", "--show-toplevel")
    changed = git("-C", root, "status", "--porcelain", "--", "compiler", "runtime", "tests/equivalence")
    return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")


def versions() -> str:
    """The versions of all that a result can depend on."""
    import numpy
    import torch
    import triton

    found = [f"{each.__name__} {each.__version__}" for each in (torch, triton, numpy)]
    return ", ".join([f"Python {platform.python_version()}", *found])
