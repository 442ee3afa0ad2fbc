"""`hamletc record` and `hamletc replay` are a pair: what one wrote, the other compares."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hamlet.errors import TraceError
from hamlet_townlet.traces import read_trace
from processes import Command
from samples import SHIPPED

MEAL = SHIPPED / "first_meal.hamlet"


@pytest.fixture
def run(hamletc_here: Command, tmp_path: Path) -> Path:
    done = hamletc_here("record", f"{MEAL}@ir", "-o", "meal.npz", "--worlds", "9", "--ticks", "24")
    assert (done.returncode, done.stdout) == (0, "meal.npz: 24 ticks of 9 agents of first_meal.hamlet@ir\n")
    return tmp_path / "meal.npz"


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("universe", [(MEAL,), ()])
@pytest.mark.parametrize("backend", ["interpreter", "ir"])
def test_a_recorded_run_is_equal(hamletc_here: Command, universe: tuple[Path, ...], backend: str) -> None:
    """Beside the text now, and beside the universe that was recorded."""
    done = hamletc_here("replay", *universe, "meal.npz", "--backend", backend)
    assert done.returncode == 0, done.stdout + done.stderr
    name = "first_meal.hamlet" if universe else "first_meal"
    assert done.stdout.startswith(f"meal.npz (first_meal.hamlet@ir) and {name}@{backend} are equal in all ")
    assert "of 216 agent-ticks" in done.stdout


@pytest.mark.usefixtures("run")
def test_kernels_replay_a_recorded_run(hamletc_here: Command) -> None:
    done = hamletc_here("replay", "meal.npz", "--backend", "c", "--device", "cpu", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["ok"]
    assert report["ticks"] == 216


@pytest.mark.usefixtures("run")
def test_only_so_many_steps(hamletc_here: Command) -> None:
    done = hamletc_here("replay", MEAL, "meal.npz", "--steps", "5")
    assert done.returncode == 0, done.stdout
    assert "of 45 agent-ticks" in done.stdout
    assert hamletc_here("replay", MEAL, "meal.npz", "--steps", "500").stdout.count("of 216 agent-ticks") == 1


def test_the_first_difference_is_found(hamletc_here: Command, run: Path) -> None:
    with np.load(run) as file:
        contents = dict(file)
    contents["frames.meters"].view(np.uint32)[7, 1, 4] ^= 1
    np.savez(run, **contents)
    done = hamletc_here("replay", MEAL, "meal.npz")
    assert done.returncode == 1
    assert "when   tick 6, step" in done.stdout
    assert "where  meters mood, world 4, agent 0" in done.stdout
    # The steps before it are equal.
    assert hamletc_here("replay", MEAL, "meal.npz", "--steps", "6").returncode == 0


@pytest.mark.usefixtures("run")
def test_another_universe(hamletc_here: Command, tmp_path: Path) -> None:
    (tmp_path / "other.hamlet").write_text(MEAL.read_text().replace("decay 0.02", "decay 0.03"))
    done = hamletc_here("replay", "other.hamlet", "meal.npz")
    assert done.returncode == 1
    assert "other.hamlet:8  meter satiation decay" in done.stdout
    (tmp_path / "more.hamlet").write_text(MEAL.read_text().replace("reward mood", "report m: mood\nreward mood"))
    done = hamletc_here("replay", "more.hamlet", "meal.npz")
    assert done.returncode == 1
    assert "only more.hamlet@interpreter has report m" in done.stdout
    # What was recorded is still what it was, and diff takes it as well.
    assert hamletc_here("diff", "meal.npz", "@interpreter").returncode == 0


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("meal.npz", "--device", "cuda:77"), 2, "error: "),
        (
            ("meal.npz", "--backend", "ir", "--device", "cpu"),
            2,
            "error: ir is executed on the CPU: leave the device out",
        ),
        (("nowhere.hamlet", "meal.npz"), 2, "error[H001]: cannot read the file"),
        ((str(MEAL), "nowhere.npz"), 2, "error: nowhere.npz does not exist"),
        (
            ("meal.npz", str(MEAL)),
            2,
            "error: meal.npz is a recorded run: `hamletc replay UNIVERSE RUN`, `diff` and `trace` take it",
        ),
    ],
)
def test_mistakes(hamletc_here: Command, arguments: tuple[str, ...], code: int, says: str) -> None:
    done = hamletc_here("replay", *arguments)
    assert done.returncode == code
    assert done.stderr.startswith(says)


def test_a_trace_of_hamlet_is_something_else(run: Path) -> None:
    with pytest.raises(TraceError, match="is no trace of HAMLET but a run of `hamletc record`"):
        read_trace(run)
