"""Populations: who goes on from whom, with which settings; and that all of it repeats, as one training too."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small import MEAL

from hamlet_train.cli import ending
from hamlet_train.errors import TrainError
from hamlet_train.reproduce import repeat
from hamlet_train.run import Run
from hamlet_train.schedule import Change, Schedule, check_changes
from hamlet_train.settings import Settings
from hamlet_train.training import Watch
from hamlet_train.tuning import population, worlds
from hamlet_train.tuning.population import narrowed, near, rounds_of, sizes
from hamlet_train.tuning.search import Candidate, Search
from hamlet_train.tuning.space import SPACE
from processes import Says

SMALL = "--population", "4", "--budget", "10k", "--worlds", "20", "--threads", "1", "--set", "horizon=8"
NARROW = "--set", "hidden=8", "--search", "rate=0.0001/0.003/0.01"


def test_settings_move_to_the_next_number_of_a_space() -> None:
    space = {"rate": (0.001, 0.004, 0.002), "clip": (0.1, 0.3)}
    usual = Settings(rate=0.002, clip=0.2)

    def moved(*words: int) -> tuple[float, float]:
        settings = near(usual, space, iter(words).__next__)
        return settings.rate, settings.clip

    assert moved(0, 1) == (0.001, 0.2)
    assert moved(2, 2) == (0.004, 0.3)
    assert moved(1, 0) == (0.002, 0.1)
    assert near(Settings(rate=0.004), space, iter((2, 1)).__next__).rate == 0.004
    assert set(narrowed(SPACE, ["rate"])) == {"epochs", "minibatches", "rate", "discount", "trace", "clip", "entropy"}
    with pytest.raises(TrainError, match=r"^--search hidden: a population changes epochs, "):
        narrowed(SPACE, ["hidden"])


def test_a_budget_is_shared_among_members_and_rounds() -> None:
    assert rounds_of(40_000, 4).ticks == tuple(range(1000, 11_000, 1000))
    assert rounds_of(40_000, 4).budget == 40_000
    assert sizes(100_000_000, 1, 8, None, 32) == 1024
    with pytest.raises(TrainError, match=r"^10,000 agent-ticks are too few: 4 members in 64 worlds need 81,920, or"):
        sizes(10_000, 1, 4, None, 32)


def test_a_schedule_says_the_settings_of_each_update() -> None:
    first, second, third = (Settings(rate=rate) for rate in (0.1, 0.2, 0.3))
    changes = Change(3, second), Change(5, third)
    schedule = Schedule(first, changes)
    assert [schedule.at(update).rate for update in (0, 2, 3, 4, 5, 9)] == [0.1, 0.1, 0.2, 0.2, 0.3, 0.3]
    assert [len(schedule.before(update)) for update in (3, 4, 6)] == [0, 1, 2]
    check_changes(first, changes)
    for wrong, words in (
        (changes[::-1], "ascending"),
        ((Change(0, second),), "ascending"),
        ((Change(3, replace(second, horizon=9)),), "settings that change are"),
    ):
        with pytest.raises(ValueError, match=words):
            check_changes(first, wrong)
    with pytest.raises(ValueError, match="critic"):
        check_changes(Settings(critic=1), changes)


def test_a_population_repeats_goes_on_and_is_one_training(hamletc_says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "show", lambda *_: None)
    for name in ("EPISODES", "FRESH"):
        monkeypatch.setattr(worlds, name, 20)
    monkeypatch.setattr(population, "ROUNDS", 4)
    taught, ends = Search.taught, list[tuple[int, int]]()

    def teach(self: Search, member: Candidate, training: Any, end: int) -> Any:
        ends.append((member.number, end))
        # Within a round, after some have gone on from others.
        if len(ends) == 10 and "stopped" in str(self.shelf.folder):
            raise KeyboardInterrupt
        return taught(self, member, training, end)

    monkeypatch.setattr(Search, "taught", teach)
    code, _, err = hamletc_says("tune", MEAL, *SMALL, *NARROW, "--name", "stopped")
    assert (code, err.splitlines()[-1]) == (130, f"hamletc tune {MEAL} --name stopped --resume"), err
    code, out, err = hamletc_says("tune", MEAL, "--name", "stopped", "--resume")
    assert code == 0, err
    assert ends[9] == ends[10]
    assert len(ends) == 4 * 4 + 1
    code, whole, err = hamletc_says("tune", MEAL, *SMALL, *NARROW, "--name", "whole")
    assert code == 0, err
    assert out == whole.replace("whole", "stopped")
    run = Run(Path("runs/stopped"))
    for name in ("tuning.json", "progress.jsonl", "evaluations.jsonl", "policy.safetensors"):
        assert (run.folder / name).read_bytes() == Path("runs/whole", name).read_bytes(), name
    manifest, table = run.read(), json.loads((run.folder / "tuning.json").read_text())
    changed = [each for each in table["ranking"] if "changes" in each]
    assert len(changed) >= 1
    assert len({each["weights"] for each in table["ranking"]}) > 1
    assert manifest.changes
    assert [json.loads(json.dumps(each.settings.rate)) for each in manifest.changes]
    found = repeat(run, manifest, 1, Watch())
    assert (found.updates, found.differs) == (manifest.updates, None)
    assert manifest.command == ("hamletc", "reproduce", "runs/stopped")
