"""Tunings: what a budget has room for, who stays, and that all of it repeats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small import MEAL, TAG

from hamlet_train.certainty import Interval
from hamlet_train.cli import ending
from hamlet_train.cli.options import searched_of
from hamlet_train.cli.tune import behind
from hamlet_train.errors import TrainError
from hamlet_train.run import Run
from hamlet_train.settings import Settings
from hamlet_train.tuning import asked, picture, worlds
from hamlet_train.tuning.budget import Budget
from hamlet_train.tuning.halving import Halving
from hamlet_train.tuning.kept import Tuned
from hamlet_train.tuning.rungs import Rungs, sizes
from hamlet_train.tuning.search import Candidate, Search
from hamlet_train.tuning.shelf import Shelf
from hamlet_train.tuning.space import SPACE, candidates, differing
from hamlet_train.tuning.worlds import Score, Worlds
from processes import Says

SMALL = "--budget", "40k", "--candidates", "4", "--worlds", "20", "--threads", "1"
NARROW = "--search", "horizon=8/16", "--search", "hidden=8,8/16"


@pytest.fixture
def without_films(hamletc_says: Says, monkeypatch: pytest.MonkeyPatch) -> Says:
    """Runs `hamletc` in an empty folder, without films: its exit code, and what it says on each stream."""
    monkeypatch.setattr(ending, "show", lambda *_: None)
    return hamletc_says


def test_a_budget_is_shared_among_rungs() -> None:
    rungs = Rungs.of(21_000, 9)
    assert rungs == Rungs((9, 3, 1), (1000, 3000, 9000))
    assert rungs.budget == 9 * 1000 + 3 * 2000 + 6000
    assert Rungs.of(rungs.budget + 20, 9) == rungs
    assert [rungs.updates(rung, 90) for rung in range(3)] == [10, 30, 90]
    assert rungs.updates(0, 5) == 1
    assert Rungs.of(1_000, 5).counts == (5, 1)


def test_candidates_and_worlds_are_as_many_as_there_is_room_for() -> None:
    assert sizes(500_000_000, 1, None, None, 128) == (27, 1024)
    assert sizes(20_000_000, 1, None, None, 128) == (27, 512)
    assert sizes(1_000_000, 1, None, None, 128) == (9, 128)
    assert sizes(1_000_000, 1, 3, 10, 128) == (3, 10)
    with pytest.raises(
        TrainError, match=r"^100,000 agent-ticks are too few: 9 candidates in 64 worlds need 172,032, or"
    ):
        sizes(100_000, 1, None, None, 128)


@pytest.mark.parametrize(
    ("text", "ticks", "seconds"),
    [
        ("20M", 20_000_000, None),
        ("1.5k", 1500, None),
        ("2_000", 2000, None),
        ("10m", None, 600.0),
        ("2 h", None, 7200.0),
    ],
)
def test_a_budget_is_agent_ticks_or_time(text: str, ticks: int | None, seconds: float | None) -> None:
    assert Budget.of([text]) == Budget(ticks, seconds)


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ([], "say --budget: write agent-ticks"),
        (["10m", "20M"], "--budget 10m and 20M: take one of them"),
        (["ten"], "--budget ten: write agent-ticks"),
        (["10 Mm"], "write agent-ticks"),
        (["0"], "more than 0"),
        (["99999999h"], "at most"),
    ],
)
def test_other_budgets_are_refused(texts: list[str], words: str) -> None:
    with pytest.raises(TrainError, match=words):
        Budget.of(texts)


def test_candidates_are_all_different_and_drawn_by_the_seed() -> None:
    usual, space = Settings(clip=0.15), searched_of(["rate=0.001/0.01"], ["clip=0.15"])
    every = candidates(20, 3, space, usual)
    assert every[0] == usual
    assert len(set(every)) == 20
    assert every == candidates(20, 3, space, usual) != candidates(20, 4, space, usual)
    assert {each.clip for each in every} == {0.15}
    assert {each.rate for each in every[1:]} == {0.001, 0.01}
    for name, values in {**SPACE, "rate": (0.001, 0.01), "clip": (0.15,)}.items():
        assert {getattr(each, name) for each in every[1:]} <= set(values)
    assert differing(Settings(hidden=(32,), rate=0.003), Settings()) == {"hidden": "32", "rate": "0.003"}
    remembering = candidates(20, 3, SPACE, Settings(memory=64))
    assert {(len(each.hidden), each.horizon <= 64) for each in remembering} == {(2, True)}
    assert len(candidates(9, 3, {"rate": (0.002, 0.1)}, Settings())) == 2


@pytest.mark.parametrize(
    ("searches", "words"),
    [
        (["clip=0.1/0.2"], "--search clip=0.1/0.2: clip has its numbers already"),
        (["rate=1", "rate=0.5"], "--search rate=0.5: rate has its numbers already"),
        (["rate=0.1/7"], "--search rate=0.1/7: rate lies in 0 .. 1"),
        (["colour=1"], "--search colour=1: write NAME=NUMBER, of hidden"),
        (["epochs="], "--search epochs=: epochs is a whole number"),
    ],
)
def test_other_searches_are_refused(searches: list[str], words: str) -> None:
    with pytest.raises(TrainError, match=words):
        searched_of(searches, ["clip=0.15"])


def test_those_who_return_most_learn_on(monkeypatch: pytest.MonkeyPatch) -> None:
    learnt = list[tuple[int, int]]()

    def learn(_: Halving, candidate: Candidate, rung: int) -> None:
        learnt.append((rung, candidate.number))
        mean = {0: 5.0, 1: float("nan"), 2: 7.0, 3: 7.0}.get(candidate.number, 1.0)
        candidate.scores.append(Score(rung, rung, Interval(mean, mean, mean)))

    monkeypatch.setattr(Halving, "_learn", learn)
    nothing: Any = None
    every = tuple(Candidate(number, nothing) for number in range(9))
    ladder = Halving(nothing, Rungs.of(21_000, 9), every, nothing, Shelf(Path()), 1)
    rankings = list[list[int]]()
    ranking = ladder.climb(lambda _: None, lambda _, now: rankings.append([each.number for each in now]))
    assert learnt[9:] == [(1, 2), (1, 3), (1, 0), (2, 2)]
    assert rankings[0][-1] == 1
    assert [each.number for each in ranking] == rankings[-1] == [2, 3, 0, 4, 5, 6, 7, 8, 1]


def test_a_tuning_repeats_and_leaves_the_run_that_train_would(without_films: Says) -> None:
    code, out, err = without_films("tune", MEAL, *SMALL, *NARROW, "--name", "one")
    assert code == 0, err
    assert "4 > 1 candidates in 20 worlds learn until 6,666 < 19,998 agent-ticks, 39,996 in all\n" in err
    assert "rung 2: " in err
    code, second, _ = without_films("tune", MEAL, *SMALL, *NARROW, "--name", "two", "--json")
    assert code == 0
    tables = [json.loads(Path(f"runs/{name}/tuning.json").read_text()) for name in ("one", "two")]
    assert tables[0] == tables[1] == json.loads(second)
    best = tables[0]["ranking"][0]
    assert [len(each["scores"]) for each in tables[0]["ranking"]] == [2, 1, 1, 1]
    assert next(iter(tables[0]["references"])) == "random actions"
    assert "│ random actions" in out
    assert f"in worlds that ranked nobody: return {Interval(**tables[0]['fresh']['best'])}, random actions " in out
    run = Run(Path("runs/one"))
    command = list(run.read().command)
    assert f"again     {' '.join(command)}" in out
    assert command[-2:] == ["--name", "one"]
    code, _, err = without_films(*command[1:-1], "again", "--threads", "1")
    assert code == 0, err
    again = Run(Path("runs/again"))
    assert again.read().weights == run.read().weights
    assert best["weights"] == again.lines()[-1].weights
    for name in ("progress.jsonl", "evaluations.jsonl", "policy.safetensors"):
        assert (run.folder / name).read_bytes() == (again.folder / name).read_bytes()
    assert (run.folder / "tuning.png").stat().st_size > 10_000


def test_who_learns_less_than_one_action_gives_is_told() -> None:
    nothing: Any = None
    best = Candidate(0, nothing, scores=[Score(1, 9000, Interval(5.0, 4.0, 6.0))])
    ranking = Worlds(nothing, 1, 1, 0, (), 9, "return", 1)
    ladder = Halving(nothing, Rungs((1,), (9000,)), (best,), ranking, Shelf(Path()), 1)

    def said(most: float) -> list[str]:
        references = {"random actions": Interval(1.0, 1.0, 1.0), "REST all the time": Interval(most, most, most)}
        return behind(Tuned(ladder, (best,), references, (best.scores[0].mean, references["random actions"])))

    assert said(5.9) == []
    (line,) = said(6.5)
    assert line.startswith(
        "the mean return of REST all the time is 6.5, that of the best candidate 5 after 9,000 agent"
    )


def test_a_time_is_measured_and_what_repeats_it_is_said(without_films: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked, "seconds_of", lambda *_: 1e-3)
    monkeypatch.setattr(worlds, "EPISODES", 20)
    code, _, err = without_films("tune", MEAL, *SMALL[2:], *NARROW, "--budget", "40s")
    assert code == 0, err
    said = err[err.index("--budget") :].split()
    assert said[2:6] == ["--candidates", "4", "--worlds", "20"]
    assert 20_000 < int(said[1]) <= 32_000
    assert Path("runs/first_meal-tuned/tuning.json").exists()


def test_what_cannot_be_tuned_is_refused_and_nothing_is_written(without_films: Says) -> None:
    Path("runs/there").mkdir(parents=True)
    for universe, options, said in (
        (MEAL, ("--budget", "1k"), "1,000 agent-ticks are too few"),
        (MEAL, ("--budget", "1M", "--name", "there"), "runs/there exists: take another --name"),
        (TAG, ("--budget", "1M"), "it and runner of tag learn beside each other"),
        (TAG, ("--budget", "1M", "--opponent", "it=runs/none"), "runs/none"),
        (MEAL, ("--budget", "1M", "--opponent", "it=runs/none"), "first_meal has no two roles"),
        (MEAL, ("--budget", "1M", "--search", "rate=0.1", "--set", "rate=0.1"), "rate has its numbers already"),
    ):
        code, out, err = without_films("tune", universe, *options)
        assert code != 0
        assert said in err
        assert err.count("\n") == 1
        assert not out
        assert [path.name for path in Path("runs").iterdir()] == ["there"]


def test_a_tuning_that_was_stopped_goes_on_to_the_same_table(
    without_films: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = *SMALL, *NARROW
    for name in ("EPISODES", "FRESH"):
        monkeypatch.setattr(worlds, name, 20)
    # Drawn for the other tuning.
    monkeypatch.setattr(picture, "write_picture", lambda *_: None)
    code, whole, err = without_films("tune", MEAL, *options, "--name", "whole")
    assert code == 0, err
    taught, learnt = Search.taught, list[int]()

    def teach(self: Search, candidate: Candidate, *arguments: Any) -> Any:
        if len(learnt) == 3 and "stopped" in str(self.shelf.folder):
            learnt.append(-1)
            raise KeyboardInterrupt
        learnt.append(candidate.number)
        return taught(self, candidate, *arguments)

    monkeypatch.setattr(Search, "taught", teach)
    code, out, err = without_films("tune", MEAL, *options, "--name", "stopped")
    assert (code, out, learnt) == (130, "", [0, 1, 2, -1])
    assert err.splitlines()[-1] == f"hamletc tune {MEAL} --name stopped --resume"
    folder = Path("runs/stopped")
    assert [path.name for path in folder.iterdir()] == ["tuning"]
    code, _, err = without_films("tune", MEAL, *options, "--name", "stopped")
    assert (code, err) == (1, "error: runs/stopped has a tuning that was stopped: take --resume, or another --name\n")
    code, _, err = without_films("tune", MEAL, "--name", "stopped", "--resume", "--budget", "1M")
    assert (code, err) == (1, "error: --resume goes on as the tuning began: leave out --budget\n")
    code, _, err = without_films("tune", TAG, "--name", "stopped", "--resume")
    another = f"runs/stopped tunes for another universe than {TAG}, or another version of it"
    assert (code, err) == (1, f"error: {another}\n")
    code, again, err = without_films("tune", MEAL, "--name", "stopped", "--resume", "--threads", "2")
    assert code == 0, err
    assert learnt[4:] == [3, json.loads((folder / "tuning.json").read_text())["ranking"][0]["candidate"]]
    assert again == whole.replace("whole", "stopped")
    assert not (folder / "tuning").exists()
    for name in ("tuning.json", "progress.jsonl", "evaluations.jsonl", "policy.safetensors"):
        assert (folder / name).read_bytes() == Path("runs/whole", name).read_bytes(), name
    code, _, err = without_films("tune", MEAL, "--name", "stopped", "--resume")
    assert (code, err.count("\n"), "has a tuning that has ended" in err) == (1, 1, True)


def test_a_role_is_tuned_beside_others_that_play_as_they_are(
    without_films: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after it was stopped; the best one is the training of `train` beside the same opponent."""
    for name in ("EPISODES", "FRESH"):
        monkeypatch.setattr(worlds, name, 20)
    monkeypatch.setattr(picture, "write_picture", lambda *_: None)
    few = "--agents", "4", "--worlds", "16", "--threads", "1"
    code, _, err = without_films("train", TAG, "--ticks", "2000", *few, "--name", "before")
    assert code == 0, err
    options = TAG, "--budget", "12k", "--candidates", "3", *few, "--search", "hidden=8", "--search", "horizon=8"
    beside = "--opponent", "it=runs/before"
    code, whole, err = without_films("tune", *options, *beside, "--name", "whole")
    assert code == 0, err
    taught, learnt = Search.taught, list[int]()

    def teach(self: Search, candidate: Candidate, *arguments: Any) -> Any:
        learnt.append(candidate.number)
        if len(learnt) == 3:
            raise KeyboardInterrupt
        return taught(self, candidate, *arguments)

    monkeypatch.setattr(Search, "taught", teach)
    assert without_films("tune", *options, *beside, "--name", "stopped")[0] == 130
    Path("runs/before").rename("runs/gone")
    code, again, err = without_films("tune", TAG, "--name", "stopped", "--resume", "--threads", "1")
    assert code == 0, err
    assert again == whole.replace("whole", "stopped")
    assert "all the time" not in whole
    Path("runs/gone").rename("runs/before")
    run = Run(Path("runs/stopped"))
    command = list(run.read().command)
    assert command[command.index("--opponent") + 1] == "it=runs/before"
    code, _, err = without_films(*command[1:-1], "again", "--threads", "1")
    assert code == 0, err
    trained = Run(Path("runs/again"))
    assert run.read().weights == trained.read().weights
    assert run.opponent("it").read_bytes() == trained.opponent("it").read_bytes()
    assert (run.folder / "policy-runner.safetensors").read_bytes() == (
        trained.folder / "policy-runner.safetensors"
    ).read_bytes()
    made = json.loads((run.folder / "tuning.json").read_text())
    played = [each for each in trained.evaluations() if each.policy == "trained"][-1]
    assert {fared.role for fared in played.fared} == {"it", "runner"}
    assert made["role"] == "runner"


def test_a_damaged_or_another_plan_is_a_line(without_films: Says) -> None:
    code, _, err = without_films("tune", MEAL, "--name", "none", "--resume")
    assert (code, err) == (1, "error: runs/none has no tuning to go on with: leave out --resume\n")
    plan = Path("runs/none/tuning/plan.json")
    plan.parent.mkdir(parents=True)
    for text in ("{", "[]", '{"format": 2}'):
        plan.write_text(text)
        code, _, err = without_films("tune", MEAL, "--name", "none", "--resume")
        assert (code, err) == (1, "error: runs/none/tuning/plan.json is no plan of a tuning, or a damaged one\n")
