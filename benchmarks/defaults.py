"""The default settings in the shipped universes of one agent: which learn, and what a tuning finds in the others.

    python benchmarks/defaults.py
    python benchmarks/defaults.py lessons combo --budget 2_000_000

The policies are those of the zoo, which learnt without a setting (`benchmarks/zoo.py`). Each plays worlds that its
training has not, beside random actions and the best single action, or a script that somebody wrote. Where it has less
than `ENOUGH` of what is to be gained, `hamletc tune` looks for better settings. Writes defaults.json and defaults.md
into `--results`, where universes that are not named keep their lines; tunings stay in `--runs`, and those that are
there are not done again.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from facts import ROOT, facts
from zoo import OTHERS, universes

from hamlet.policies.zoo import ZOO, names
from hamlet_train.certainty import Interval
from hamlet_train.gallery import Row, compared
from hamlet_train.run import Run

RESULTS = Path(__file__).parent / "results"
ENOUGH = 0.9
"""Of the best return that anybody has, above random actions: who has less is tuned."""

NOTHING = 1e-4
"""Of the best return: who gains no more gains nothing, for some sums are in binary32 and others in binary64."""
WHY = {
    "alarm": "An animal that is alone does best to graze all the time, and chance decides the rest.",
    "combo": "The enemy is nearly dead at the end whatever one does: 0.003 are to be gained.",
    "notice_board": "Money is nearly full whatever one does: 0.6 % are to be gained.",
    "shifts": "Who remembers nothing cannot know where anything stands: `--memory gru:64`.",
}
"""The reasons why the defaults have less than others."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """The best candidate of a tuning: its mean in worlds that ranked nobody, its settings, the agent-ticks of all."""

    mean: Interval
    settings: str
    ticks: int


@dataclass(frozen=True, slots=True)
class Line:
    """A universe of one agent: how its policy of the zoo fares, and the best candidate of a tuning, if there is one."""

    row: Row
    tuned: Tuning | None = None

    @property
    def best(self) -> float:
        """The greatest mean that anybody has."""
        row = self.row
        every = [row.scripted, row.trained.value, row.random.value]
        return max([*every, *([] if self.tuned is None else [self.tuned.mean.value])])

    @property
    def share(self) -> float | None:
        """The part of what is to be gained above random actions that the defaults have; `None` where nothing is."""
        most = self.best - self.row.random.value
        return None if most <= NOTHING * abs(self.best) else (self.row.trained.value - self.row.random.value) / most

    @property
    def verdict(self) -> str:
        """What is to be said of the defaults, in words."""
        if self.share is None:
            return "nothing to choose"
        if self.row.trained.low <= self.row.random.high:
            return "not beyond chance"
        return "learns" if self.share >= ENOUGH else "learns a part"


def before(path: Path) -> tuple[dict[str, str], dict[str, Line]]:
    """The facts of a file of before, and its lines by universe."""
    said, lines = json.loads(path.read_text()), dict[str, Line]()
    for each in said["lines"]:
        row, tuning = each["row"], each["tuned"]
        row |= {name: Interval(**row[name]) for name in ("random", "trained")}
        if tuning is not None:
            tuning = Tuning(**tuning | {"mean": Interval(**tuning["mean"])})
        lines[row["universe"]] = Line(Row(**row), tuning)
    return said["facts"], lines


def tuned(name: str, path: Path, folder: Path, budget: int, threads: int) -> Tuning:
    """The tuning of a universe."""
    run = Run(folder / "runs" / f"{name}-tuned")
    if not (run.folder / "tuning.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "hamletc", "tune", str(path), "--budget", str(budget), "--worlds", "64"]
        command += ["--candidates", "27", "--threads", str(threads)]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    said = json.loads((run.folder / "tuning.json").read_text())
    words = [each for each in run.read().command if "=" in each]
    spent = sum(count * more for count, more in zip(said["candidates"], _added(said["ticks"]), strict=True))
    return Tuning(Interval(**said["fresh"]["best"]), " ".join(words) or "the defaults", spent)


def _added(ticks: list[int]) -> list[int]:
    return [after - before for before, after in zip([0, *ticks], ticks, strict=False)]


def table(lines: list[Line], about: dict[str, str]) -> str:
    """The page."""
    parts = [
        "# Defaults in universes of one agent",
        "",
        f"`{about['command']}`: {about['machine']}, commit {about['commit']}.",
        *([f"Lines since then by {about['anew']}."] if "anew" in about else []),
        "",
        "Mean returns (of town and shifts lengths) of 200 first episodes, in worlds that no training has; in brackets",
        "95 % intervals. *random* are random actions, *script* is the best single action, or what somebody wrote,",
        "*defaults* is the policy of the zoo: 2 million agent-ticks in 128 worlds without a setting (shifts 8 million,",
        "the town as `hamletc train` does). *part*: of the most that anybody has above random actions. *tuned* is",
        f"the best of 27 candidates of `hamletc tune`, where the defaults have less than {ENOUGH:.0%}.",
        "",
        "| universe | random | script | defaults | part | verdict | tuned |",
        "|---|--:|--:|--:|--:|---|---|",
    ]
    for line in lines:
        row, share = line.row, line.share
        script = f"{row.scripted:.4g} ({row.script})"
        part = "" if share is None else f"{share:.0%}"
        told = ""
        if line.tuned is not None:
            told = f"{line.tuned.mean.value:.4g} by {line.tuned.settings}"
        cells = (row.universe, f"{row.random.value:.4g}", script, str(row.trained), part, line.verdict, told)
        parts.append(f"| {' | '.join(cells)} |")
    counts = {
        verdict: sum(line.verdict == verdict for line in lines) for verdict in sorted({each.verdict for each in lines})
    }
    parts += ["", ", ".join(f"{verdict}: {count}" for verdict, count in counts.items()) + "."]
    less = [line.row.universe for line in lines if line.share is not None and line.share < ENOUGH]
    parts += ["", *(f"- {name}: {WHY[name]}" for name in less if name in WHY)]
    return "\n".join([*parts, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("universes", nargs="*", help="by default all of one agent")
    parser.add_argument("--budget", type=int, default=3_000_000, help="agent-ticks of a tuning")
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "defaults")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    shipped, every = universes(), [each for each in names() if Run(ZOO / each).read().agents == 1]
    about = facts("benchmarks/defaults.py", "c") | {"command": shlex.join(["python", *sys.argv])}
    lines, path = dict[str, Line](), arguments.results / "defaults.json"
    if arguments.universes and path.exists():
        first, lines = before(path)
        about = first | {"anew": f"{first.get('anew', '')} `{about['command']}`".strip()}
    for name in arguments.universes or every:
        (row,) = compared(name, 200, arguments.threads)
        line = Line(row)
        # Who remembers, and the town, take longer than all others together.
        if line.share is not None and line.share < ENOUGH and name not in OTHERS:
            line = Line(row, tuned(name, shipped[name], arguments.runs, arguments.budget, arguments.threads))
        lines[name] = line
        print(f"{name}: {line.verdict}, random {row.random}, {row.script} {row.scripted:.4g}, defaults {row.trained}",
              flush=True)  # fmt: skip
    ordered = [lines[name] for name in every if name in lines]
    said: dict[str, Any] = {"facts": about, "lines": [asdict(each) | {"verdict": each.verdict} for each in ordered]}
    path.write_text(f"{json.dumps(said, indent=1)}\n")
    (arguments.results / "defaults.md").write_text(table(ordered, about))


if __name__ == "__main__":
    main()
