"""A small training, and what is done with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from hamlet.package.module import Module, load
from hamlet_train.ppo import Progress
from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest, Run, packaged
from hamlet_train.settings import Settings
from hamlet_train.training import Watch, ignore, train

MEAL, CARTPOLE, TAG = (
    Path(f"universes/{name}.hamlet").resolve() for name in ("first_meal", "gallery/cartpole", "gallery/tag")
)
WORLDS, HORIZON, UPDATES = 200, 20, 5
"""Four groups, the last of which has 8 lanes."""

SMALL = Manifest(
    universe="first_meal",
    digest="",
    source=str(MEAL),
    command=(),
    versions={},
    worlds=WORLDS,
    agents=1,
    seed=3,
    ticks=WORLDS * HORIZON * UPDATES,
    settings=Settings(hidden=(16, 20), horizon=HORIZON, minibatches=3, rate=3e-3),
)
"""Hidden layers of other sizes than vectors have, and minibatches that do not divide samples."""


CART = replace(
    SMALL,
    universe="cartpole",
    source=str(CARTPOLE),
    ticks=WORLDS * HORIZON * 40,
    settings=Settings(hidden=(16, 20), horizon=HORIZON, minibatches=3, rate=6e-3),
)
"""A training on a universe with a control."""


HUNT = replace(
    SMALL,
    universe="tag",
    source=str(TAG),
    worlds=70,
    agents=5,
    ticks=70 * 5 * 10 * 4,
    settings=Settings(hidden=(16, 20), horizon=10, minibatches=3, rate=3e-3),
    shared=False,
)
"""A training of two roles, with a hunter and four runners in each world."""


def trained(folder: Path, manifest: Manifest, threads: int = 1, watch: Callable[[Progress], None] = ignore) -> Run:
    """The folder of a training, from its beginning or from its latest checkpoint to its end."""
    run = Run(folder)
    module: Module = load(run.package) if run.begun else packaged(Path(manifest.source), run.package)
    whole = replace(manifest, digest=module.digest)
    if not run.begun:
        run.write(whole)
    train(run, module, whole, Ranks(), threads, Watch(watch))
    return run


class StoppedError(Exception):
    """What a watcher ends a training with."""
