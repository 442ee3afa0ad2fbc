"""Trainings on a GPU, whose kernels Triton's interpreter runs here: every file is that of the CPU, to the byte."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hamlet_train.run import Run as Training
from processes import COMMAND, Run, Says

LESSONS = Path("universes/gallery/lessons.hamlet").resolve()
"""Its episodes are cut short after ten ticks."""
SMALL = ("--worlds", "6", "--set", "horizon=11", "--set", "minibatches=1", "--set", "hidden=16", "--set", "epochs=1")
TICKS = 6 * 11 * 2


def train(run_program: Run, folder: Path, path: Path, *options: str) -> None:
    done = run_program(COMMAND, "train", path, *options, cwd=folder, TRITON_INTERPRET="1")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("universe", "agents", "options"),
    [
        ("lessons", 1, ()),
        ("lessons", 1, ("--set", "hidden=70,8,8")),
        ("lessons by hand", 1, ()),
        ("lessons", 1, ("--memory", "gru:32", "--set", "hidden=32,8")),
        ("berries", 2, ("--agents", "2", "--critic", "world")),
    ],
)
def test_a_gpu_goes_on_with_what_the_cpu_began(
    run_program: Run, tmp_path: Path, universe: str, agents: int, options: tuple[str, ...]
) -> None:
    path = LESSONS.with_name(f"{universe}.hamlet")
    if universe == "lessons by hand":
        path = tmp_path / "by_hand.hamlet"
        path.write_text(LESSONS.read_text().replace("universe lessons", "universe lessons\nepisodes by hand"))
    train(run_program, tmp_path, path, "--ticks", str(TICKS * agents), "--name", "cpu", *SMALL, *options)
    cpu, gpu = (Training(tmp_path / "runs" / name) for name in ("cpu", "gpu"))
    shutil.copytree(cpu.folder, gpu.folder)
    first, second = sorted(cpu.checkpoints.iterdir())
    for name in (f"checkpoints/{second.name}", "policy.safetensors", "curve.png", "episode.gif"):
        (gpu.folder / name).unlink()
    train(run_program, tmp_path, path, "--name", "gpu", "--device", "cuda", "--resume")
    assert sum(line.episodes for line in cpu.lines()[1:]) > 0 or universe == "berries"
    for name in ("progress.jsonl", "evaluations.jsonl", "policy.safetensors", f"checkpoints/{second.name}"):
        assert (gpu.folder / name).read_bytes() == (cpu.folder / name).read_bytes(), name
    assert (gpu.checkpoints / first.name).read_bytes() != second.read_bytes()


@pytest.mark.parametrize(
    ("universe", "options", "lacking"),
    [
        ("lessons", ["--worlds", str(2**20), "--set", "horizon=4096"], "2**31 samples of an update"),
    ],
)
def test_what_it_does_not_learn_is_a_line(
    hamletc_says: Says, monkeypatch: pytest.MonkeyPatch, universe: str, options: list[str], lacking: str
) -> None:
    path = LESSONS.with_name(f"{universe}.hamlet")
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    code, _, said = hamletc_says("train", path, "--device", "cuda", *options)
    assert (code, said.splitlines()[-1]) == (
        1,
        f"error: --device cuda knows no {lacking}: leave it out to train on the CPU",
    )
    assert not list(Path("runs").glob("*"))


def test_no_gpu_is_a_line(hamletc_says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRITON_INTERPRET")
    code, _, said = hamletc_says("train", LESSONS, "--device", "cuda")
    assert code == 1
    otherwise = "leave it out to have the same weights, to the bit, from the CPU"
    assert said == f"error: --device cuda needs a CUDA device, and torch finds none here: {otherwise}\n"
    assert not list(Path("runs").glob("*"))
