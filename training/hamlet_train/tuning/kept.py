"""The best candidate as a run: the folder that `hamletc train` with its settings leaves, and what the tuning was."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from hamlet.package.module import Module
from hamlet_train import checkpoint
from hamlet_train.beside import write_opponents
from hamlet_train.certainty import Interval
from hamlet_train.errors import TrainError
from hamlet_train.files import write_whole
from hamlet_train.policy import filename, write_policy
from hamlet_train.run import Manifest, Run, packaged
from hamlet_train.schedule import json_of
from hamlet_train.settings import MEMORY, Settings
from hamlet_train.tuning.search import Candidate, Ended, Search
from hamlet_train.tuning.space import differing
from hamlet_train.tuning.worlds import Tell

TABLE, PICTURE = "tuning.json", "tuning.png"


@dataclass(frozen=True, slots=True)
class Tuned:
    """A tuning that has ended.

    Attributes:
        search: the trainings. ranking: their candidates, the best one first.
        references: the means of those who learn nothing, by name.
        fresh: the means of the best one and of random actions in worlds that ranked nobody.
    """

    search: Search
    ranking: tuple[Candidate, ...]
    references: Mapping[str, Interval]
    fresh: tuple[Interval, Interval]

    @classmethod
    def of(cls, search: Search, tell: Tell, ended: Ended) -> Tuned:
        """A tuning from its beginning to its end.

        Raises:
            TrainError: the universe cannot be trained on.
        """
        references = search.worlds.references(tell)
        ranking = tuple(search.climb(tell, ended))
        tell("playing in other worlds")
        best, worlds = search.opened(ranking[0]), search.worlds.fresh((ranking[0].manifest.seed + 1) % 2**64)
        now = worlds.score(best, ranking[0].manifest.ticks).mean
        return cls(search, ranking, references, (now, worlds.by_chance()))

    @property
    def best(self) -> Candidate:
        """The first of the ranking."""
        return self.ranking[0]

    def report(self) -> dict[str, Any]:
        """The tuning for JSON."""
        rungs, manifest = self.search.rungs, self.best.manifest
        return {
            "universe": manifest.universe,
            "digest": manifest.digest,
            "measure": self.search.worlds.measure,
            "role": self.search.worlds.role,
            "candidates": list(rungs.counts),
            "ticks": list(rungs.ticks),
            "worlds": manifest.worlds,
            "agents": manifest.agents,
            "seed": manifest.seed,
            "fresh": {name: asdict(each) for name, each in zip(("best", "random actions"), self.fresh, strict=True)},
            "references": {name: asdict(each) for name, each in self.references.items()},
            "ranking": [
                {
                    "candidate": each.number,
                    "settings": asdict(each.manifest.settings),
                    "scores": [asdict(score) for score in each.scores],
                    "weights": each.lines[-1].weights,
                }
                | ({"changes": [json_of(one) for one in each.manifest.changes]} if each.manifest.changes else {})
                for each in self.ranking
            ],
        }


def command(manifest: Manifest, name: str, shared: bool, usual: Settings, opponents: Sequence[str] = ()) -> list[str]:
    """The command that trains it again, without a tuning; `shared`: the universe has roles, which share a policy;
    `usual`: its defaults; `opponents`: as a user says them. Settings that change are in the manifest alone."""
    if manifest.changes:
        return ["hamletc", "reproduce", f"runs/{name}"]
    sizes = (
        ("ticks", manifest.ticks),
        ("worlds", manifest.worlds),
        ("agents", manifest.agents),
        ("seed", manifest.seed),
    )
    words = ["hamletc", "train", manifest.source]
    for option, number in sizes:
        words += [f"--{option}", str(number)]
    for setting, value in differing(manifest.settings, usual).items():
        words += ["--memory", f"gru:{value}"] if setting == MEMORY else ["--set", f"{setting}={value}"]
    for param in manifest.params:
        words += ["--param", param]
    for opponent in opponents:
        words += ["--opponent", opponent]
    return [*words, *["--shared"] * shared, "--name", name]


def keep(run: Run, tuned: Tuned, universe: Path) -> tuple[Module, Manifest, str]:
    """Write the folder of the best candidate, whole or not at all, beside the shelf; its package, its manifest, and the
    SHA-256 of what it learnt.

    Raises:
        TrainError: a file cannot be written, or the universe was changed meanwhile.
        CompileError: the universe has errors now.
    """
    best, search = tuned.best, tuned.search
    shared = best.manifest.shared and bool(search.module.universe.roles)
    again = command(best.manifest, run.folder.name, shared, search.usual, search.beside)
    manifest = replace(best.manifest, command=tuple(again))
    try:
        module = packaged(universe, run.package)
        if module.digest != manifest.digest:
            raise TrainError(f"{universe} was changed while it was tuned")
        write_opponents(run, search.worlds.opponents)
        training = search.opened(best)
        saved = search.saved(best).read_bytes()
        write_whole(checkpoint.named(run.checkpoints, training.update), saved)
        for line in best.lines:
            run.add_line(line)
        for evaluated in best.evaluations:
            run.add_evaluation(evaluated)
        for role, policy in training.policies().items():
            write_policy(run.folder / filename(role), module, policy, manifest.seed, role)
        write_whole(run.folder / TABLE, f"{json.dumps(tuned.report(), indent=1)}\n".encode())
        run.finish(manifest, training.digest())
    except BaseException:
        _remove(run.folder, search.shelf.folder)
        raise
    return module, run.read(), training.digest()


def _remove(folder: Path, shelf: Path) -> None:
    """Remove a folder, but for the shelf in it."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path == shelf:
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    if not shelf.is_dir():
        shutil.rmtree(folder, ignore_errors=True)
