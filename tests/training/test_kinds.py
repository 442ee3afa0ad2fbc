"""Worlds in stages, and worlds that draw a param: a training says how policies fare in each kind."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

import hamlet
from hamlet.package.module import Module
from hamlet_train import checkpoint
from hamlet_train.cli import ending
from hamlet_train.evaluation import RANDOM, Evaluated, of_chance, trained
from hamlet_train.exact.network import Network
from hamlet_train.kinds import begin_in, by_number, in_stages, stages_of, told
from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest, Run
from hamlet_train.settings import Settings
from hamlet_train.training import begun
from hamletc.cli.main import main

SCHOOL = """
universe school
space none
lifespan 8 ticks
param gain = 0.5 in 0 .. 1
world { kept state lessons: int in 0 .. 1000 = 0   rule counts: lessons += 1 }
stages { easy -> hard when lessons >= 100 }
meter skill = if stage == easy then 0.4 else 0.1 { only rises }
action PLAY { skill += gain * 0.1 }
reward skill
observe { meters  state stage }
"""


@pytest.fixture
def school(compiled: Callable[[str], Module]) -> Module:
    return compiled(SCHOOL)


def test_worlds_are_put_into_stages_and_counted(school: Module) -> None:
    env = hamlet.make(school, worlds=6, seed=3, backend="interpreter", quiet=True)
    assert stages_of(school.universe) == ("easy", "hard")
    assert in_stages(env, Ranks()) == {"easy": 6, "hard": 0}
    begin_in(env, "hard")
    assert in_stages(env, Ranks()) == {"easy": 0, "hard": 6}
    np.testing.assert_array_equal(env.meter("skill").numpy(), np.full(6, 0.1, np.float32))
    assert told({"easy": 1200, "mid": 0, "hard": 6}) == "1,200 easy, 6 hard"


def test_worlds_are_kinds_by_the_numbers_that_they_drew(school: Module) -> None:
    drawn = {"gain": hamlet.Uniform(0.1, 0.4)}
    env = hamlet.make(school, worlds=7, seed=3, backend="interpreter", quiet=True, params=drawn)
    kinds, numbers = by_number(env, drawn), env.params["gain"].numpy()
    assert [each.sum() for each in kinds.values()] == [3, 2, 2]
    low, middle, high = (numbers[worlds] for worlds in kinds.values())
    assert low.max() < middle.min() <= middle.max() < high.min()
    assert list(kinds)[1] == f"gain {middle.min():.4g} .. {middle.max():.4g}"
    chosen = {"gain": hamlet.Choice([0.25, 0.5, 0.5])}
    env = hamlet.make(school, worlds=7, seed=3, backend="interpreter", quiet=True, params=chosen)
    kinds = by_number(env, chosen)
    assert list(kinds) == ["gain = 0.25", "gain = 0.5"]
    np.testing.assert_array_equal(kinds["gain = 0.5"], env.params["gain"].numpy() == 0.5)
    assert by_number(env, {"gain": 0.5}) == {}


def test_a_training_says_how_it_fares_in_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ending, "write_film", lambda *_: 0)
    Path("school.hamlet").write_text(SCHOOL)
    options = ("--ticks", "16000", "--worlds", "32", "--threads", "1", "--param", "gain=choice(0.2,0.8)")
    monkeypatch.setattr(sys, "argv", ["hamletc", "train", "school.hamlet", *options])
    with pytest.raises(SystemExit) as ended:
        sys.exit(main())
    captured = capsys.readouterr()
    assert not ended.value.code, captured.err
    run = Run(Path("runs/school"))
    evaluations = run.evaluations()
    chance, last = of_chance(evaluations), trained(evaluations)[-1]
    assert chance is not None
    for each in (chance, last):
        assert [kind.name for kind in each.kinds] == ["gain = 0.2", "gain = 0.8", "stage easy", "stage hard"]
        means = {kind.name: kind.fared[0].returned.mean for kind in each.kinds}
        assert means["gain = 0.2"] < each.fared[0].returned.mean < means["gain = 0.8"]
        # Worlds begin in the first stage, and in the other one with 0.3 less in each of 8 ticks.
        assert means["stage easy"] == each.fared[0].returned.mean
        assert means["stage easy"] > means["stage hard"] + 2
        assert sum(kind.fared[0].episodes for kind in each.kinds[:2]) == each.fared[0].episodes
    said = [line for line in captured.out.splitlines() if line.startswith("evaluated")]
    assert [line.split(": return")[0] for line in said[1:]] == [f"evaluated {kind.name}" for kind in last.kinds]
    assert (
        f"return {last.kinds[3].fared[0].returned.mean:.4g} (random {chance.kinds[3].fared[0].returned.mean:.4g})"
        in said[4]
    )
    lines = run.lines()
    assert lines[0].stages == {"easy": 32, "hard": 0}
    assert lines[-1].stages == {"easy": 8, "hard": 24}
    assert "; stage hard " in captured.err
    assert "(worlds: 8 easy, 24 hard)" in captured.err
    assert all(Evaluated.read(json.loads(json.dumps(said))).kinds for said in _said(run))
    assert {each.policy for each in evaluations} >= {RANDOM}
    monkeypatch.setattr(sys, "argv", ["hamletc", "report", "runs/school"])
    with pytest.raises(SystemExit):
        sys.exit(main())
    report = (run.folder / "report.html").read_text()
    table = report[report.index("<h2>In which worlds</h2>") :]
    assert f"<td>stage hard</td><td></td><td>{last.kinds[3].fared[0].episodes}</td>" in table


def _said(run: Run) -> list[dict[str, object]]:
    return [json.loads(line) for line in (run.folder / "evaluations.jsonl").read_text().splitlines()]


def test_a_part_of_the_worlds_begins_a_curriculum_anew(school: Module, tmp_path: Path) -> None:
    settings = Settings(hidden=(8,), horizon=61, minibatches=1, epochs=1)
    manifest = Manifest("school", school.digest, "", (), {}, 10, 1, 3, 10 * 61 * 4, settings)
    training = begun(school, manifest, Ranks(), 1)
    stages = [training.advance()[0].stages for _ in range(2)]
    assert stages == [{"easy": 10, "hard": 0}, {"easy": 2, "hard": 8}]
    anew, others = [3, 7], [0, 1, 2, 4, 5, 6, 8, 9]
    lives = training.crews[0].learner.lives
    for numbers in (training.env.meter("lessons"), training.env.state["age"], lives.lengths):
        assert set(numbers[anew].tolist()) == {0}
        assert len(set(numbers[others].tolist()) - {0}) == 1
    assert training.env.meter("skill")[anew].tolist() == [np.float32(0.4)] * 2
    checkpoint.save(tmp_path / "two.safetensors", training)
    later = begun(school, manifest, Ranks(), 1)
    checkpoint.load(tmp_path / "two.safetensors", later)
    # At the end of the last update they are through once more.
    ends = [[each.advance()[0] for _ in range(2)] for each in (training, later)]
    assert repr(ends[0]) == repr(ends[1])
    assert [line.stages for line in ends[0]] == [{"easy": 2, "hard": 8}] * 2
    assert training.env.meter("lessons")[anew].tolist() == [0, 0]


def test_a_gpu_forgets_the_episodes_of_lanes_too() -> None:
    from hamlet_train.gpu.mind import Mind

    mind = Mind(Network(3, (8,), 2), 4, torch.device("cpu"))
    sums = mind.lengths, mind.returned, mind.discounted
    for each in sums:
        each.fill_(5)
    mind.forget(np.array([False, True, False, True]))
    assert [each.tolist() for each in sums] == [[5, 0, 5, 0]] * 3
