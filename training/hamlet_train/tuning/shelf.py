"""The trainings of a tuning at the end of their rungs, in a folder from which it goes on."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hamlet.regular import read_regular
from hamlet_train import checkpoint
from hamlet_train.certainty import Interval
from hamlet_train.errors import TrainError
from hamlet_train.evaluation import Evaluated
from hamlet_train.files import write_whole
from hamlet_train.learning import Training
from hamlet_train.ppo import Progress
from hamlet_train.run import line_of, line_of_evaluation, progress_of
from hamlet_train.tuning.worlds import Score

TUNING = "tuning"
"""The shelf's name in the folder of the run that will be left."""


@dataclass(frozen=True, slots=True)
class Record:
    """A training on a rung: its updates and evaluations there, and how it fares at the end."""

    lines: tuple[Progress, ...]
    evaluations: tuple[Evaluated, ...]
    score: Score


@dataclass(frozen=True, slots=True)
class Shelf:
    """The folder with a record and a checkpoint for each rung that a candidate has learnt on.

    A record is written after its checkpoint: a rung without a record is learnt on once more.
    """

    folder: Path

    def checkpoint(self, number: int, rung: int) -> Path:
        """The file with the checkpoint of a candidate at the end of a rung."""
        return self.folder / f"{number:08}" / f"{rung:08}.safetensors"

    def put(self, number: int, rung: int, training: Training, record: Record) -> None:
        """Keep a candidate as it is at the end of a rung.

        Raises:
            TrainError: a file cannot be written.
        """
        checkpoint.save(self.checkpoint(number, rung), training)
        said = {
            "lines": [json.loads(line_of(each)) for each in record.lines],
            "evaluations": [json.loads(line_of_evaluation(each)) for each in record.evaluations],
            "score": _written(record.score),
        }
        write_whole(self._record(number, rung), f"{json.dumps(said)}\n".encode())

    def drop(self, number: int, rung: int) -> None:
        """Forget a checkpoint, if it is there."""
        self.checkpoint(number, rung).unlink(missing_ok=True)

    def record(self, number: int, rung: int) -> Record | None:
        """The record of a candidate on a rung, if it has learnt there.

        Raises:
            TrainError: the file is damaged.
        """
        path = self._record(number, rung)
        try:
            said = json.loads(read_regular(path))
        except OSError:
            return None
        except (ValueError, RecursionError) as error:
            raise TrainError(f"{path} is no record of a tuning, or a damaged one") from error
        try:
            lines, evaluations = map(progress_of, said["lines"]), map(Evaluated.read, said["evaluations"])
            return Record(tuple(lines), tuple(evaluations), _score(said["score"]))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise TrainError(f"{path} is no record of a tuning, or a damaged one") from error

    def _record(self, number: int, rung: int) -> Path:
        return self.checkpoint(number, rung).with_suffix(".json")


def _written(score: Score) -> dict[str, Any]:
    """A score for JSON, in which `null` is a number that there is not."""
    mean = {name: None if math.isnan(value) else value for name, value in asdict(score.mean).items()}
    return {"update": score.update, "ticks": score.ticks, "mean": mean}


def _score(said: dict[str, Any]) -> Score:
    mean = {name: math.nan if value is None else float(value) for name, value in said["mean"].items()}
    return Score(int(said["update"]), int(said["ticks"]), Interval(**mean))
