"""Runs beside each other: how far each is, how good, and in what they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hamlet_train.evaluation import Evaluated, Fared, of_chance, trained
from hamlet_train.report.studied import settings_of, trainings_of
from hamlet_train.run import Manifest, Run


@dataclass(frozen=True, slots=True)
class Summary:
    """A run in short.

    Attributes:
        updates: how many of its first seed are done. seeds: how many there are.
        last: the last evaluation of each seed; those without one are left out. chance: that of random actions.
    """

    folder: Path
    manifest: Manifest
    updates: int
    seeds: int
    last: tuple[Evaluated, ...]
    chance: Evaluated | None

    @classmethod
    def of(cls, run: Run) -> Summary:
        """The summary of a run.

        Raises:
            TrainError: it is no folder of a training, or a damaged one.
        """
        trainings = trainings_of(run)
        every = [each.run.evaluations() for each in trainings]
        ends = tuple(points[-1] for points in map(trained, every) if points)
        lines = run.lines()
        done = lines[-1].update if lines else 0
        return cls(run.folder, trainings[0].manifest, done, len(trainings), ends, of_chance(every[0]))

    @property
    def state(self) -> str:
        """How far it is."""
        if self.manifest.weights is not None:
            return "ended"
        return f"{self.updates:,} of {self.manifest.updates:,} updates"

    def fared(self, name: str) -> str:
        """The mean of `returned` or `length` at the end, of all seeds, beside that of random actions, by role."""
        if not self.last:
            return ""
        texts = []
        for number, first in enumerate(self.last[0].fared):
            mean = sum(_mean(each.fared[number], name) for each in self.last) / len(self.last)
            chance = "" if self.chance is None else f" (random {_mean(self.chance.fared[number], name):.4g})"
            texts.append(f"{first.role + ' ' if first.role else ''}{mean:.4g}{chance}")
        return ", ".join(texts)

    def report(self) -> dict[str, Any]:
        """The summary for JSON."""
        return {
            "run": str(self.folder),
            "manifest": asdict(self.manifest),
            "updates": self.updates,
            "seeds": self.seeds,
            "last": [asdict(each) for each in self.last],
            "random": None if self.chance is None else asdict(self.chance),
        }


def _mean(fared: Fared, name: str) -> float:
    return float(getattr(fared, name).mean)


def runs_in(folder: Path) -> list[Run]:
    """The runs in a folder, by name."""
    if not folder.is_dir():
        return []
    return [Run(path) for path in sorted(folder.iterdir()) if Run(path).begun]


def differences(summaries: Sequence[Summary]) -> dict[str, list[str]]:
    """Facts that runs do not have in common: the value of each, by name."""
    facts = [_facts(each.manifest) for each in summaries]
    names = list(dict.fromkeys(name for each in facts for name in each))
    rows = {name: [each.get(name, "") for each in facts] for name in names}
    return {name: values for name, values in rows.items() if len(set(values)) > 1}


def _facts(manifest: Manifest) -> dict[str, str]:
    numbers = {name: f"{getattr(manifest, name):,}" for name in ("ticks", "worlds", "agents", "seed")}
    of_universe = {"universe": manifest.universe, "its sha256": manifest.digest[:12]}
    return of_universe | numbers | settings_of(manifest) | {f"{n} (version)": v for n, v in manifest.versions.items()}
