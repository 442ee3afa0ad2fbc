"""Further seeds of a run: the same training again, each in a folder of its own."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from hamlet.waiting import told
from hamlet_train.cli.begin import Arguments, opened_in
from hamlet_train.cli.watch import shown
from hamlet_train.errors import TrainError
from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest, Run
from hamlet_train.training import Watch, train


def train_others(
    universe: Path, first: Run, manifest: Manifest, arguments: Arguments, count: int, ranks: Ranks, threads: int
) -> None:
    """Train the seeds after that of a run, `count` with it. Trainings that have ended stay as they are, others go on.

    Raises:
        TrainError: the universe was changed meanwhile, or a seed's folder is of another training.
    """
    for seed in range(manifest.seed + 1, manifest.seed + count):
        run = Run(first.seeds / str(seed % 2**64))
        same = replace(
            arguments,
            ticks=manifest.ticks,
            minutes=None,
            worlds=manifest.worlds,
            agents=manifest.agents,
            seed=seed % 2**64,
        )
        run, module, own = opened_in(run, universe, same, run.begun, ranks)
        if own.digest != manifest.digest:
            raise TrainError(f"{universe} was changed while it was trained on: {run.folder} is of another version")
        if own.weights is not None:
            continue
        title = f"training {own.universe}, seed {own.seed}"
        screen = shown(title, own.updates) if ranks.first else nullcontext(Watch())
        with screen as watch, told(own.universe, quiet=not ranks.first):
            train(run, module, own, ranks, threads, watch, arguments.device)
