"""Trackers of experiments: offline runs of Weights & Biases and MLflow; a function takes numbers of trainings."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hamlet.errors import EnvError
from hamlet.telemetry import MLflow, WandB
from hamlet.telemetry.window import Record
from hamlet_train.cli.boards import sinks_of
from hamlet_train.errors import TrainError
from hamlet_train.evaluation import RANDOM, TRAINED, Evaluated, Fared, Middle


def record(number: int, length: float) -> Record:
    return Record(number, 40 * number, 40, 16, 9, 2.5, length, (1, 2, 3), {"hunger": 9}, {"Bed": 64}, {"food": 0.5})


def test_mlflow_has_curves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    sink = MLflow("town", tmp_path.as_uri())
    for number, length in ((1, 20.0), (2, 30.0)):
        sink(record(number, length))
    sink.close()
    client = mlflow.MlflowClient(tracking_uri=tmp_path.as_uri())
    [run] = client.search_runs([client.get_experiment_by_name("town").experiment_id])
    points = client.get_metric_history(run.info.run_id, "episode/length")
    assert [(each.step, each.value) for each in points] == [(640, 20.0), (1280, 30.0)]
    assert run.info.status == "FINISHED"
    assert run.data.metrics["use/Bed"] == 64 / 640


def test_weights_and_biases_write_offline(tmp_path: Path) -> None:
    wandb = pytest.importorskip("wandb")
    sink = WandB("town", mode="offline", dir=str(tmp_path), settings=wandb.Settings(silent=True))
    sink(record(1, 20.0))
    summary = dict(sink.run.summary)
    sink.close()
    assert (summary["episode/length"], summary["agent-ticks"]) == (20.0, 640)
    assert len(list(tmp_path.rglob("*.wandb"))) == 1


@pytest.mark.parametrize(("kind", "module"), [(WandB, "wandb"), (MLflow, "mlflow")])
def test_without_its_package_one_line_says_so(
    kind: type[WandB | MLflow], module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(EnvError, match=rf"pip install 'hamletc\[{module}\]'"):
        kind("town")


def test_a_function_takes_the_numbers_of_a_training(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "noted.py").write_text("rows = []\ndef note(*both):\n    rows.append(both)\n")
    monkeypatch.chdir(tmp_path)
    with sinks_of(["noted:note"]) as [watch]:
        for policy, ticks, mean in ((RANDOM, 0, 2.0), (TRAINED, 500, 3.0)):
            middle = Middle(mean, 0.5, 4.0)
            watch.evaluated(Evaluated(policy, 0, ticks, (Fared(None, 200, 0, middle, middle),)))
    [(numbers, ticks)] = sys.modules.pop("noted").rows
    assert (ticks, numbers["return"], numbers["return/random"]) == (500, 3.0, 2.0)
    for text, said in (("noted", "write wandb:PROJECT"), ("noted:rows", "no function"), ("nowhere:note", "nowhere")):
        with pytest.raises(TrainError, match=said), sinks_of([text]):
            pass
    sys.modules.pop("noted", None)
