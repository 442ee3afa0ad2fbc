"""Trackers of experiments as sinks: Weights & Biases, MLflow. They take records and numbers."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from hamlet.errors import EnvError, shown
from hamlet.telemetry.window import Record


class Tracker:
    """A run in a tracker of experiments."""

    def __init__(self) -> None:
        self._passed = 0

    def write(self, numbers: Mapping[str, float], ticks: int) -> None:
        """Write numbers by their names, of after so many agent-ticks."""
        raise NotImplementedError

    def __call__(self, record: Record) -> None:
        """Write the scalars of a record."""
        self._passed += record.ticks * record.lanes
        self.write(record.scalars(), self._passed)


class WandB(Tracker):
    """Curves of Weights & Biases over the number of agent-ticks, see `Record.scalars`. Arguments of `wandb.init` may
    follow: `WandB("town", mode="offline")` writes into a folder and sends nothing.

    Attributes:
        run: that of wandb.

    Raises:
        EnvError: the package wandb is missing, or no run begins there.
    """

    def __init__(self, project: str, **arguments: Any) -> None:
        super().__init__()
        _check_name("WandB", "a project", project)
        library = _library("wandb", "Weights & Biases")
        try:
            self.run = library.init(project=project, **arguments)
        except Exception as error:
            raise EnvError(f"Weights & Biases begins no run of {project}: {_line(error)}") from error

    def write(self, numbers: Mapping[str, float], ticks: int) -> None:
        """Write numbers by their names, of after so many agent-ticks."""
        self.run.log({**numbers, "agent-ticks": ticks})

    def close(self) -> None:
        """End the run, when all of it has been sent or written."""
        self.run.finish()


class MLflow(Tracker):
    """Curves of MLflow over the number of agent-ticks, see `Record.scalars`, as a run of an experiment that is made if
    there is none of that name; `uri` is that of its server, database or folder, by default the one that MLflow has.

    Raises:
        EnvError: the package mlflow is missing, or no run begins there.
    """

    def __init__(self, experiment: str, uri: str | None = None) -> None:
        super().__init__()
        _check_name("MLflow", "an experiment", experiment)
        library = _library("mlflow", "MLflow")
        try:
            self._client = library.MlflowClient(tracking_uri=uri)
            has = self._client.get_experiment_by_name(experiment)
            number = self._client.create_experiment(experiment) if has is None else has.experiment_id
            self._run = str(self._client.create_run(number).info.run_id)
        except Exception as error:
            raise EnvError(f"MLflow begins no run of {experiment}: {_line(error)}") from error

    def write(self, numbers: Mapping[str, float], ticks: int) -> None:
        """Write numbers by their names, of after so many agent-ticks."""
        for name, value in numbers.items():
            self._client.log_metric(self._run, name, value, step=ticks)

    def close(self) -> None:
        """End the run."""
        self._client.set_terminated(self._run)


def _check_name(sink: str, what: str, name: object) -> None:
    if not isinstance(name, str) or not name.strip():
        raise EnvError(f"{sink} takes the name of {what}, not {shown(name)}")


def _library(module: str, title: str) -> Any:
    # What it has to say of its own goes to where programs log.
    logging.getLogger(module).setLevel(logging.ERROR)
    try:
        return import_module(module)
    except ImportError as error:
        raise EnvError(f"{title} needs its package: pip install 'hamletc[{module}]'") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
