"""Policies that stay as they are, and past selves, play beside those who learn; trainings repeat as all do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small import HUNT, TAG, StoppedError, trained

from hamlet.package.module import load
from hamlet_train.beside import opponents_of, past_of, write_opponents
from hamlet_train.errors import TrainError
from hamlet_train.files import read_tensors
from hamlet_train.learning import Training
from hamlet_train.policy import read_all
from hamlet_train.ppo import Progress
from hamlet_train.ranks import Ranks
from hamlet_train.reproduce import repeat
from hamlet_train.run import Run, packaged
from hamlet_train.training import Watch, begun, ignore
from hamletc.errors import CompileError

PAST = replace(HUNT, worlds=200, past=2, ticks=200 * 5 * 10 * 5)


MINDED = replace(PAST, settings=replace(PAST.settings, hidden=(32, 8), memory=32))


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Five updates of `PAST` with one thread."""
    folder: Path = tmp_path_factory.mktemp("past") / "one"
    return trained(folder, PAST)


def noted(run: Run) -> str:
    return "".join((run.folder / f"{name}.jsonl").read_text() for name in ("progress", "evaluations"))


def test_past_selves_play_and_nobody_learns_from_what_they_do(past: Run) -> None:
    training: Training = begun(load(past.package), past.read(), Ranks(), 1)
    selves = training.past
    assert selves is not None
    for update in range(4):
        assert [each.update for each in selves.selves] == list(range(max(update - 1, 0), update + 1))
        training.advance()
    played = selves.players(4, [None, None])
    valid, left = [each.store.valid.any(axis=1) for each in training.crews], 0
    for crew, learning in enumerate(training.crews):
        assert learning.crew.lanes is not None
        groups = np.arange(learning.learner.share.groups.count)
        bounds = learning.learner.share.bounds
        others = [group for group in groups if group % 2 and (group // 2) % 2 != crew]
        lanes = {lane for group in others for lane in range(bounds[group], bounds[group + 1])}
        assert not any(valid[crew][lane] for lane in lanes)
        assert 0 < len(lanes) < len(learning.crew.lanes) / 2
        # Others learn but where they were dead from the first tick on.
        assert valid[crew].sum() > (len(learning.crew.lanes) - len(lanes)) / 3
        left += len(lanes)
    assert left == sum(len(each.store.rewards) for each in played)
    assert len({each.parameters.tobytes() for each in played}) > 2


def test_past_selves_act_as_they_did(past: Run) -> None:
    """The lanes of a past self have the actions that the crew had with those weights."""
    training = begun(load(past.package), past.read(), Ranks(), 1)
    assert training.past is not None
    first = [each.learner.learned.parameters.copy() for each in training.crews]
    training.advance()
    (learning, _), present = training.crews, training.present
    for player in training.past.players(1, [None, None]):
        present.chosen[:] = -1
        player.act(0)
        lanes, chosen = np.flatnonzero(present.chosen >= 0), present.chosen.copy()
        crew = next(each for each in training.crews if each.crew.lanes is not None and lanes[0] in each.crew.lanes)
        then = first[training.crews.index(crew)]
        now = crew.learner.learned.parameters
        acting = then if player.parameters.tobytes() == then.tobytes() else now
        assert acting.tobytes() == player.parameters.tobytes()
        crew.actor.act(acting.copy(), crew.store, 0)
        assert chosen[lanes].tolist() == present.chosen[lanes].tolist()
    assert learning.crew.role == "it"


def test_a_training_beside_past_selves_repeats(past: Run, tmp_path: Path) -> None:
    assert noted(trained(tmp_path / "three", PAST, threads=3)) == noted(past)
    repeated = repeat(past, past.read(), 2, Watch(ignore))
    assert (repeated.differs, repeated.weights) == (None, past.read().weights)
    assert past.read().weights != trained(tmp_path / "none", replace(PAST, past=0)).read().weights

    def stop(update: Progress) -> None:
        if update.update == 4:
            raise StoppedError

    with pytest.raises(StoppedError):
        trained(tmp_path / "cut", PAST, watch=stop)
    cut = trained(tmp_path / "cut", PAST)
    assert noted(cut) == noted(past)
    tensors, about = read_tensors(cut.checkpoints / "00000005.safetensors")
    assert about["selves"] == [4, 5]
    assert tensors["it/selves"].shape[0] == 2


def test_past_selves_know_what_was_seen_and_done_before(tmp_path: Path) -> None:
    """They go on with what the crew remembers, which has listened, and begin with nothing where episodes do."""
    run = Run(tmp_path / "minded")
    module = packaged(TAG, run.package)
    training: Training = begun(module, replace(MINDED, digest=module.digest), Ranks(), 1)
    assert training.past is not None
    memories, middle, differing = [each.store.memory for each in training.crews], 0, 0
    for update in range(3):
        training.advance()
        for part in training.past.parts(update):
            crew, known = training.crews[part.crew], memories[part.crew]
            assert known is not None
            assert crew.crew.actions is not None
            # Those are what past selves did, not what the crew chose for its store.
            assert (crew.crew.actions[known.acted[part.own]] == training.present.chosen[part.lanes]).all()
            differing += int((crew.store.actions[part.own, -1] != known.acted[part.own]).sum())
        players = training.past.players(update + 1, memories)
        for part, player in zip(training.past.parts(update + 1), players, strict=True):
            mine, listener = player.store.memory, player.listener
            assert mine is not None
            assert listener is not None
            for name in ("hidden", "before", "acted"):
                assert getattr(mine, name).tobytes() == getattr(listener.memory, name)[listener.lanes].tobytes()
            middle += int(np.abs(mine.hidden[training.present.age[part.lanes] > 0]).sum() > 0)
    assert (middle > 0, differing > 0) == (True, True)


def test_a_training_beside_past_selves_that_remember_repeats(tmp_path: Path) -> None:
    whole = trained(tmp_path / "one", MINDED)
    assert noted(trained(tmp_path / "three", MINDED, threads=3)) == noted(whole)
    repeated = repeat(whole, whole.read(), 2, Watch(ignore))
    assert (repeated.differs, repeated.weights) == (None, whole.read().weights)

    def stop(update: Progress) -> None:
        if update.update == 4:
            raise StoppedError

    with pytest.raises(StoppedError):
        trained(tmp_path / "cut", MINDED, watch=stop)
    assert noted(trained(tmp_path / "cut", MINDED)) == noted(whole)


@pytest.fixture(scope="module")
def beaten(past: Run, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int], Run]:
    """A training beside the hunter of `past`, by the name of its folder and its threads."""
    folder: Path = tmp_path_factory.mktemp("beaten")

    def train(name: str, threads: int) -> Run:
        run = Run(folder / name)
        module = packaged(TAG, run.package)
        opponents = write_opponents(run, opponents_of([str(past.folder / "policy-it.safetensors")], module))
        run.write(replace(HUNT, digest=module.digest, opponents=opponents))
        return trained(run.folder, run.read(), threads)

    return train


def test_an_opponent_stays_as_it_is_and_the_others_learn(past: Run, beaten: Callable[[str, int], Run]) -> None:
    one, two = beaten("one", 1), beaten("two", 2)
    assert noted(one) == noted(two)
    assert {line.role for line in one.lines()} == {"runner"}
    repeated = repeat(one, one.read(), 2, Watch(ignore))
    assert (repeated.differs, repeated.weights) == (None, one.read().weights)
    before, after = read_all(past.folder, load(past.package)), read_all(one.folder, load(one.package))
    assert before["it"].about["seed"] == past.read().seed
    same = {role: before[role].parameters.tobytes() == after[role].parameters.tobytes() for role in before}  # type: ignore[union-attr]
    assert same == {"it": True, "runner": False}
    other = read_all(past.folder, load(past.package))["runner"]
    one.opponent("it").write_bytes((past.folder / "policy-runner.safetensors").read_bytes())
    assert other is not None
    with pytest.raises(TrainError, match="is another policy than"):
        one.opponents(load(one.package), one.read().opponents)


def test_an_opponent_remembers_beside_a_critic_and_goes_on(tmp_path: Path) -> None:
    settings = replace(HUNT.settings, hidden=(32, 8), memory=32)
    hunt = replace(HUNT, worlds=30, ticks=30 * 5 * 10, settings=settings)
    minded = trained(tmp_path / "minded", hunt)
    opponents = opponents_of([str(minded.folder / "policy-it.safetensors")], load(minded.package))
    # Its actions are to depend on the little that it remembers.
    for weights, _ in opponents["it"].network.views(opponents["it"].parameters)[1:]:
        weights *= 20

    def run(name: str, watch: Callable[[Progress], None] = ignore) -> Run:
        folder = Run(tmp_path / name)
        if not folder.begun:
            module = packaged(TAG, folder.package)
            beside = write_opponents(folder, opponents)
            seeing = replace(settings, critic=1)
            folder.write(replace(hunt, digest=module.digest, opponents=beside, settings=seeing, ticks=30 * 5 * 10 * 3))
        return trained(folder.folder, folder.read(), 1, watch)

    def stop(update: Progress) -> None:
        if update.update == 3:
            raise StoppedError

    whole = run("whole")
    with pytest.raises(StoppedError):
        run("cut", stop)
    tensors, _ = read_tensors(Run(tmp_path / "cut").checkpoints / "00000002.safetensors")
    assert tensors["opponent.it.hidden"].shape == (30, 32)
    assert np.abs(tensors["opponent.it.hidden"]).max() > 0
    assert noted(run("cut")) == noted(whole)


def test_opponents_are_named_by_role(past: Run) -> None:
    module, folder = load(past.package), past.folder
    assert list(opponents_of([f"runner={folder}"], module)) == ["runner"]
    assert list(opponents_of([f"{folder}/policy-it.safetensors"], module)) == ["it"]
    for texts, said in (
        ([str(folder)], "say which role it plays, it=.* or runner="),
        ([f"it={folder}", f"runner={folder}"], "every role has an opponent's policy"),
        ([f"it={folder}", f"it={folder}"], "the role it has an opponent's policy already"),
        ([f"runner={folder}/policy-it.safetensors"], "has a policy for it, and none for runner"),
        (["it=nowhere"], "cannot read nowhere"),
    ):
        with pytest.raises((TrainError, CompileError), match=said):
            opponents_of(texts, module)
    for text in ("10", "past", "past:", "past:0", "past:101", "past:x", "past:-1"):
        with pytest.raises(TrainError, match="write past:N"):
            past_of(text)
    assert (past_of("past:10"), past_of(None)) == (10, 0)
