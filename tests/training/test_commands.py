"""What `hamletc train`, `eval` and `reproduce` say."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from small import MEAL

from hamlet.native.compilers import CHOICE
from hamlet_train.cli.watch import Last
from hamlet_train.evaluation import RANDOM, TRAINED, Evaluated, Fared, Middle
from hamlet_train.exact import compiled
from hamlet_train.ppo import Learner, Progress
from hamlet_train.run import Run
from hamlet_train.settings import names
from processes import Says

TAG = Path("universes/gallery/tag.hamlet").resolve()
SHORT = "--ticks", "2000", "--worlds", "20", "--threads", "1"


@pytest.fixture
def stopped(hamletc_says: Says, monkeypatch: pytest.MonkeyPatch) -> str:
    """What is said of a training that Ctrl-C ends in its third update."""
    update = Learner.update

    def interrupted(learner: Learner, store: object) -> Progress:
        if learner.learned.update == 2:
            raise KeyboardInterrupt
        return update(learner, store)  # type: ignore[arg-type]  # a store

    with monkeypatch.context() as patch:
        patch.setattr(Learner, "update", interrupted)
        code, _, said = hamletc_says("train", MEAL, "--name", "cut short", *SHORT)
    assert code == 130
    return said


def test_the_command_that_ctrl_c_prints_goes_on(stopped: str, hamletc_says: Says) -> None:
    *_, line, command = stopped.splitlines()
    assert line == "stopped; this goes on from runs/cut short/checkpoints/00000002.safetensors:"
    program, *arguments = shlex.split(command)
    assert program == "hamletc"
    code, said, _ = hamletc_says(*arguments)
    assert code == 0
    assert "evaluated return " in said
    assert len(Run(Path("runs/cut short")).lines()) == 4


def test_a_training_that_is_stopped_at_once_says_so(hamletc_says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hamlet_train.cli.begin.packaged", interrupted)
    code, _, said = hamletc_says("train", MEAL, *SHORT)
    assert (code, said) == (130, "stopped before the training began\n")
    assert not Path("runs/first_meal").exists()


@pytest.mark.usefixtures("stopped")
def test_an_interrupted_run_is_evaluated_by_its_latest_checkpoint(hamletc_says: Says) -> None:
    latest = "runs/cut short/checkpoints/00000002.safetensors"
    code, table, said = hamletc_says("eval", MEAL, "--policy", "runs/cut short", "--episodes", "20")
    assert code == 0
    assert said == f"runs/cut short has not ended: these are the weights of its latest checkpoint, {latest}\n"
    assert hamletc_says("eval", MEAL, "--policy", latest, "--episodes", "20") == (0, table, "")
    shutil.rmtree("runs/cut short/checkpoints")
    code, _, said = hamletc_says("eval", MEAL, "--policy", "runs/cut short")
    assert code == 1
    assert "runs/cut short has no policy.safetensors: its training has no checkpoint yet" in said


def test_what_was_killed_before_its_manifest_begins_anew(hamletc_says: Says) -> None:
    folder = Path("runs/first_meal")
    (folder / "package").mkdir(parents=True)
    (folder / ".manifest.json.77.part").write_bytes(b"{")
    # `hamletc run` of the universe was here before.
    (folder / "meters.png").write_bytes(b"")
    assert hamletc_says("train", MEAL, *SHORT)[0] == 0
    assert not (folder / ".manifest.json.77.part").exists()
    code, _, said = hamletc_says("train", MEAL, *SHORT)
    assert code == 1
    assert "runs/first_meal exists" in said


def test_each_role_learns_a_policy_or_all_share_one(hamletc_says: Says) -> None:
    size = "--agents", "4", "--ticks", "2560", "--worlds", "20", "--threads", "1"
    whose = {"each learns a policy of its own": (), "all of them learn one policy": ("--shared", "--name", "one")}
    for said, options in whose.items():
        code, out, err = hamletc_says("train", TAG, *size, *options)
        assert code == 0
        assert f"tag has the roles it and runner: {said}" in err
        assert [line.split(":")[0] for line in out.splitlines()[:2]] == ["evaluated it", "evaluated runner"]
        assert err.count("update 1 of 1,") == 1
        assert re.search(r"return it [\d.]+ \(random [\d.]+\), runner [\d.]+ \(random ", err)
        files = ["policy.safetensors"] if options else ["policy-it.safetensors", "policy-runner.safetensors"]
        folder = Path("runs") / (options[-1] if options else "tag")
        assert sorted(path.name for path in folder.glob("policy*")) == files
        assert [line.split()[-1] for line in out.splitlines() if line.startswith("policy ")] == [
            str(folder / name) for name in files
        ]
        code, out, _ = hamletc_says("eval", TAG, "--policy", folder, "--agents", "4", "--episodes", "40")
        assert code == 0
        titles = [line.strip() for line in out.splitlines() if line.strip().startswith("tag: ")]
        assert titles == [f"tag: the first episodes of 40 agents, seed 1: {role}" for role in ("it", "runner")]
    code, _, err = hamletc_says("train", TAG, "--resume", "--shared")
    assert code != 0
    assert "runs/tag has a policy for each role: leave out --shared" in err


def test_what_cannot_be_played_is_refused_and_nothing_is_written(hamletc_says: Says) -> None:
    meter = "meter m = 1 { decay 0.1 }\nreward m\n"
    orders = "universe shop\nspace none\nlifespan 9 ticks\ncontrol order: int in 0 .. 3\nrule r: m += 0.01 * order\n"
    Path("shop.hamlet").write_text(f"{orders}{meter}observe {{ meters }}\n", encoding="utf-8")
    for universe, options, said in (
        (Path("shop.hamlet"), (), "shop has whole numbers as controls (order)"),
        (TAG, ("--against", "past:3", "--worlds", "2"), "take 128 worlds or more"),
        (TAG, ("--against", "past:3", "--shared"), "--shared has all roles learn one policy"),
        (TAG, ("--against", "3"), "write past:N"),
        (MEAL, ("--against", "past:3"), "here one policy learns"),
        (MEAL, ("--opponent", "runs/x"), "has no two roles"),
    ):
        code, _, err = hamletc_says("train", universe, *options, "--ticks", "100", "--name", "x")
        assert code != 0
        assert said in err
        assert err.count("\n") == 1
        assert not Path("runs/x").exists()


def test_help_names_the_settings() -> None:
    program = [sys.executable, "-c", "from hamletc.cli.main import main; main()", "train", "--help"]
    said = " ".join(
        subprocess.run(program, capture_output=True, text=True, check=True).stdout.replace("│", " ").split()
    )
    assert f"A setting of PPO, repeatable: {', '.join(names())}." in said
    assert {"hidden", "rate", "entropy"} <= set(names())


def test_progress_is_the_last_evaluation_beside_random_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the rate of the last seconds; not what happened to end in an update."""
    seconds = iter([0.0, 2.0])
    monkeypatch.setattr("hamlet_train.cli.watch.monotonic", lambda: next(seconds))
    last = Last()
    for policy, mean in ((RANDOM, 130.8), (TRAINED, 139.2)):
        middle = Middle(mean, 10.0, 200.0)
        last.evaluated(Evaluated(policy, 1, 1000, (Fared(None, 200, 0, middle, middle),)))
    numbers = dict.fromkeys(("policy_loss", "value_loss", "entropy", "clipped", "divergence"), 0.0)
    first, second = (
        Progress(update, update * 500_000, 9, 260.0, 1.0, 260.0, **numbers, weights="") for update in (1, 2)
    )
    assert last.said(first) == "return 139.2 (random 130.8)"
    assert last.said(second) == "250 k agent-ticks/s: return 139.2 (random 130.8)"


def test_a_board_has_evaluations_and_random_actions(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    from hamlet_train.cli.boards import on_board

    board = on_board(tmp_path)
    for policy, ticks, mean in ((RANDOM, 0, 2.0), (TRAINED, 0, 1.0), (TRAINED, 500, 3.0)):
        middle = Middle(mean, 0.5, 4.0)
        board.evaluated(Evaluated(policy, 0, ticks, (Fared(None, 200, 0, middle, middle),)))
    found = EventAccumulator(str(tmp_path))
    found.Reload()
    curve = {name: [(each.step, each.value) for each in found.Scalars(name)] for name in found.Tags()["scalars"]}
    assert curve["return"] == [(0, 1.0), (500, 3.0)]
    assert curve["return/random"] == [(0, 2.0), (500, 2.0)]
    assert curve["length/upper quartile"] == [(0, 4.0), (500, 4.0)]


def test_a_machine_without_a_compiler_is_told_and_nothing_is_written(
    hamletc_says: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CHOICE, "no-such-compiler")
    compiled.kernels.cache_clear()
    code, _, said = hamletc_says("train", MEAL, *SHORT)
    assert code != 0
    assert said.startswith(f"error: {CHOICE} names no command: there is no 'no-such-compiler'")
    assert said.count("\n") == 1
    assert not list(Path().iterdir())
