"""Where the numbers of a training go beside the screen: TensorBoard, trackers of experiments, any function."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from hamlet.telemetry.trackers import MLflow, WandB
from hamlet_train.errors import TrainError
from hamlet_train.evaluation import RANDOM, Evaluated
from hamlet_train.ppo import Progress
from hamlet_train.training import Watch

LEARNING = ("policy_loss", "value_loss", "entropy", "clipped", "divergence", "gradient")
"""Numbers of an update that a board shows."""
FORMS = "wandb:PROJECT, mlflow:EXPERIMENT, or MODULE:FUNCTION of yours, which takes numbers by name and agent-ticks"

Write: TypeAlias = Callable[[Mapping[str, float], int], object]
"""Takes numbers by their names, and the agent-ticks of the training before them."""


def watch_of(write: Write) -> Watch:
    """Hands updates and evaluations to a function, those of random actions as lines that do not change."""

    def updated(update: Progress) -> None:
        numbers = {name: value for name, value in asdict(update).items() if name in LEARNING and not math.isnan(value)}
        write({f"{name}/{update.role}" if update.role else name: each for name, each in numbers.items()}, update.ticks)

    chance = dict[str, float]()

    def evaluated(said: Evaluated) -> None:
        values = scalars(said)
        if said.policy == RANDOM:
            chance.update({f"{name}/random": each for name, each in values.items() if not name.endswith("quartile")})
        else:
            write({**values, **chance}, said.ticks)

    return Watch(updated, evaluated)


def on_board(folder: Path) -> Watch:
    """Writes updates and evaluations for TensorBoard, into a folder, in the place of what is there.

    Raises:
        TrainError: TensorBoard is not installed.
    """
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ModuleNotFoundError as error:
        raise TrainError("--tensorboard needs TensorBoard: pip install 'hamletc[tensorboard]'") from error
    shutil.rmtree(folder, ignore_errors=True)
    writer: Any = SummaryWriter(str(folder))

    def write(numbers: Mapping[str, float], ticks: int) -> None:
        for name, value in numbers.items():
            writer.add_scalar(name, value, ticks)
        writer.flush()

    return watch_of(write)


@contextmanager
def sinks_of(texts: Sequence[str]) -> Iterator[list[Watch]]:
    """The sinks that a user names, closed at the end.

    Raises:
        TrainError: one is malformed, or there is no such function.
        EnvError: its package is missing, or no run begins there.
    """
    with ExitStack() as stack:
        watches = []
        for text in texts:
            before, sign, after = text.partition(":")
            if not (before and sign and after):
                raise TrainError(f"--sink {text}: write {FORMS}")
            if before not in ("wandb", "mlflow"):
                watches.append(watch_of(_function(text, before, after)))
                continue
            tracker = WandB(after) if before == "wandb" else MLflow(after)
            stack.callback(tracker.close)
            watches.append(watch_of(tracker.write))
        yield watches


def _function(text: str, module: str, name: str) -> Write:
    # A module beside the user is found, as by `python -m`.
    sys.path.insert(0, "")
    try:
        function: Any = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise TrainError(f"--sink {text}: {error}") from error
    finally:
        sys.path.remove("")
    if not callable(function):
        raise TrainError(f"--sink {text}: {name} is no function")
    write: Write = function
    return write


def scalars(evaluated: Evaluated) -> dict[str, float]:
    """The numbers of an evaluation by the names under which boards show them: `length`, `return`, or of each role
    `length/wolf`, and quartiles behind them."""
    numbers = dict[str, float]()
    for fared in evaluated.fared:
        for name, middle in (("length", fared.length), ("return", fared.returned)):
            whole = f"{name}/{fared.role}" if fared.role else name
            numbers[whole] = middle.mean
            numbers[f"{whole}/lower quartile"] = middle.lower
            numbers[f"{whole}/upper quartile"] = middle.upper
    for kind in evaluated.kinds:
        for fared in kind.fared:
            whole = f"return/{fared.role}" if fared.role else "return"
            numbers[f"{whole}/{kind.name}"] = fared.returned.mean
    return numbers
