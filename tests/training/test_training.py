"""The same weights whatever threads, interruptions and processes there are; files of another universe are refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from small import CARTPOLE, MEAL, SMALL, TAG, UPDATES, StoppedError, trained

from hamlet.package.module import load
from hamlet_train import checkpoint
from hamlet_train.errors import TrainError
from hamlet_train.files import read_tensors, write_tensors
from hamlet_train.policy import read_policy
from hamlet_train.ppo import Progress
from hamlet_train.reproduce import repeat
from hamlet_train.run import Run, line_of
from hamlet_train.training import Watch

LONG = "--ticks", "150000", "--worlds", "200", "--seed", "3"


def progress(run: Run) -> str:
    return "".join((run.folder / f"{name}.jsonl").read_text() for name in ("progress", "evaluations"))


def test_threads_change_nothing(run: Run, tmp_path: Path) -> None:
    assert len(run.lines()) == UPDATES
    assert len({line.weights for line in run.lines()}) == UPDATES
    assert sum(line.episodes for line in run.lines()) > 0
    assert progress(trained(tmp_path / "two", SMALL, threads=2)) == progress(run)


def test_the_weights_are_those_of_earlier_versions(run: Run) -> None:
    """What a universe has no use for, such as controls, changes no bit of its training."""
    assert run.read().weights == "a5220a4c25f3ff071a4f0d3db342b386dc0c478bbb53bb4234b78d7607106d91"


def test_worlds_that_are_begun_by_hand_learn_the_same(run: Run, tmp_path: Path) -> None:
    """Who begins an episode changes nothing: the trainer does it where worlds do not."""
    text = tmp_path / "by_hand.hamlet"
    name = "universe first_meal"
    assert name in MEAL.read_text()
    text.write_text(MEAL.read_text().replace(name, f"{name}\nepisodes by hand"))
    by_hand = trained(tmp_path / "by_hand", replace(SMALL, source=str(text)))
    assert load(by_hand.package).universe.by_hand
    assert progress(by_hand) == progress(run)


def test_a_training_that_was_cut_short_goes_on(run: Run, tmp_path: Path) -> None:
    """It stops after update 3 is noted, and before its checkpoint is written."""

    def stop(update: Progress) -> None:
        if update.update == 3:
            raise StoppedError

    with pytest.raises(StoppedError):
        trained(tmp_path / "cut", SMALL, watch=stop)
    cut = Run(tmp_path / "cut")
    assert [path.name for path in sorted(cut.checkpoints.iterdir())] == ["00000001.safetensors", "00000002.safetensors"]
    (cut.folder / "progress.jsonl").open("a").write('{"update": 4, "ti')
    seen: list[int] = []
    trained(cut.folder, SMALL, threads=2, watch=lambda update: seen.append(update.update))
    assert seen == [1, 2, 3, 4, 5]
    assert progress(cut) == progress(run)
    for name in ("00000004.safetensors", "00000005.safetensors"):
        (left, left_about), (right, right_about) = (read_tensors(each.checkpoints / name) for each in (cut, run))
        assert left_about == right_about
        assert {key: value.tobytes() for key, value in left.items()} == {
            key: value.tobytes() for key, value in right.items()
        }


def test_a_training_is_reproduced_or_the_first_difference_is_named(run: Run, tmp_path: Path) -> None:
    manifest, seen = run.read(), list[Progress]()
    found = repeat(run, manifest, 1, Watch(seen.append))
    assert (found.updates, found.differs, found.weights) == (UPDATES, None, manifest.weights)
    other = Run(tmp_path / "other")
    other.folder.mkdir()
    other.package.symlink_to(run.package)
    lines = run.lines()
    lines[2] = replace(lines[2], weights="0" * 64)
    (other.folder / "progress.jsonl").write_text("".join(map(line_of, lines)))
    differs = repeat(other, manifest, 1, Watch(seen.append)).differs
    assert differs is not None
    assert (differs[0].update, differs[1].weights) == (3, run.lines()[2].weights)


def test_files_of_another_universe_are_refused(run: Run, tmp_path: Path) -> None:
    module = load(run.package)
    path = run.folder / "policy.safetensors"
    tensors, about = read_tensors(path)
    assert read_policy(path, module).about["digest"] == module.digest
    older = {name: said for name, said in about.items() if name != "controls"}
    write_tensors(tmp_path / "older", tensors, older)
    assert read_policy(tmp_path / "older", module).network.controls == 0
    write_tensors(tmp_path / "other", tensors, about | {"digest": "0" * 64, "parts": about["parts"] | {"space": "1"}})
    with pytest.raises(TrainError, match="was learnt on another version of first_meal: space differs"):
        read_policy(tmp_path / "other", module)
    write_tensors(tmp_path / "newer", tensors, about | {"format": 2})
    with pytest.raises(TrainError, match="has format 2"):
        read_policy(tmp_path / "newer", module)
    (tmp_path / "half").write_bytes(path.read_bytes()[:1000])
    with pytest.raises(TrainError, match="is no file of hamletc train, or a damaged one"):
        read_policy(tmp_path / "half", module)
    other = Run(tmp_path / "run")
    latest = checkpoint.latest(run.checkpoints)
    assert latest is not None
    checkpoints = other.checkpoints
    checkpoints.mkdir(parents=True)
    (checkpoints / latest.name).write_bytes(latest.read_bytes())
    slower = replace(SMALL.settings, rate=1e-3)
    for differing, name in (
        (replace(SMALL, worlds=100, ticks=SMALL.ticks // 2), "worlds"),
        (replace(SMALL, seed=4), "seed"),
        (replace(SMALL, ticks=2 * SMALL.ticks), "updates"),
        (replace(SMALL, settings=slower), "rate"),
    ):
        (other.folder / "manifest.json").unlink(missing_ok=True)
        with pytest.raises(TrainError, match=f"is of a training with {name} "):
            trained(other.folder, differing)


def command(*arguments: str, processes: int | None = None) -> list[str]:
    """A process that trains, or several of torchrun."""
    program = "from hamletc.cli.main import main; main()"
    if processes is None:
        return [sys.executable, "-c", program, *arguments]
    script = Path("program.py")
    launcher = ["-m", "torch.distributed.run", f"--nproc-per-node={processes}", "--max-restarts=1", "--standalone"]
    return [sys.executable, *launcher, str(script), *arguments]


def finish(folder: Path, universe: Path, *arguments: str, processes: int | None = None, **environment: str) -> str:
    """What a training notes that is run to its end."""
    (folder / "program.py").write_text("from hamletc.cli.main import main\nmain()\n")
    given = command("train", str(universe), *arguments, processes=processes)
    done = subprocess.run(given, cwd=folder, capture_output=True, text=True, env=os.environ | environment, timeout=600)
    assert done.returncode == 0, done.stderr
    name = arguments[arguments.index("--name") + 1]
    return progress(Run(folder / "runs" / name))


def start(
    folder: Path, universe: Path, *arguments: str, processes: int | None = None
) -> tuple[subprocess.Popen[bytes], Path]:
    """A training that has written two checkpoints, and its folder."""
    (folder / "program.py").write_text("from hamletc.cli.main import main\nmain()\n")
    given = command("train", str(universe), *arguments, processes=processes)
    process = subprocess.Popen(given, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    run = folder / "runs" / arguments[arguments.index("--name") + 1]
    while len(list(run.glob("checkpoints/*.safetensors"))) < 2:
        assert process.poll() is None
        time.sleep(0.02)
    return process, run


EACH = pytest.mark.parametrize("universe", [MEAL, CARTPOLE, TAG], ids=["actions", "controls", "roles"])


@pytest.mark.long
@EACH
def test_a_killed_training_resumes_to_the_same_weights(tmp_path: Path, universe: Path) -> None:
    whole = finish(tmp_path, universe, "--name", "whole", *LONG)
    process, run = start(tmp_path, universe, "--name", "killed", *LONG)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not list(run.glob("policy*.safetensors"))
    assert finish(tmp_path, universe, "--name", "killed", "--resume") == whole


@pytest.mark.long
@EACH
def test_processes_of_torchrun_and_kinds_of_cpu_change_nothing(tmp_path: Path, universe: Path) -> None:
    whole = finish(tmp_path, universe, "--name", "whole", *LONG)
    for processes in (2, 3):
        assert finish(tmp_path, universe, "--name", f"of{processes}", *LONG, processes=processes) == whole
    narrow = {"HAMLET_CC": "cc -O1 -DHAMLET_SCALAR"}
    assert finish(tmp_path, universe, "--name", "narrow", *LONG, **narrow) == whole


@pytest.mark.long
def test_processes_of_torchrun_change_nothing_of_what_remembers(tmp_path: Path) -> None:
    remembering = *LONG, "--memory", "gru:32"
    whole = finish(tmp_path, MEAL, "--name", "whole", *remembering)
    assert finish(tmp_path, MEAL, "--name", "of2", *remembering, processes=2) == whole


@pytest.mark.long
def test_processes_of_torchrun_change_nothing_beside_past_selves_that_remember(tmp_path: Path) -> None:
    given = *LONG, "--agents", "5", "--memory", "gru:32", "--against", "past:3"
    whole = finish(tmp_path, TAG, "--name", "whole", *given)
    assert finish(tmp_path, TAG, "--name", "of2", *given, processes=2) == whole


@pytest.mark.long
@pytest.mark.parametrize("memory", [(), ("--memory", "gru:32")], ids=["all", "remembering"])
def test_processes_of_torchrun_change_nothing_on_gpus(tmp_path: Path, memory: tuple[str, ...]) -> None:
    # Three groups, of which the last one is small: one process has two of them.
    sizes = "--worlds", "130", "--ticks", str(130 * 4 * 2), "--set", "horizon=4", "--set", "minibatches=2"
    given = *sizes, "--set", "epochs=1", "--set", "hidden=32,8", *memory
    whole = finish(tmp_path, MEAL, "--name", "whole", *given)
    on_gpus = finish(tmp_path, MEAL, "--name", "of2", "--device", "cuda", *given, processes=2, TRITON_INTERPRET="1")
    assert on_gpus == whole


@pytest.mark.long
def test_torchrun_restarts_what_was_killed(tmp_path: Path) -> None:
    whole = finish(tmp_path, MEAL, "--name", "whole", *LONG)
    process, run = start(tmp_path, MEAL, "--name", "killed", *LONG, processes=2)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(children[-1]), signal.SIGKILL)
    assert process.wait(timeout=600) == 0
    assert progress(Run(run)) == whole
