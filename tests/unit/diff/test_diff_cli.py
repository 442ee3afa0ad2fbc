"""`hamletc diff` and `hamletc record`: what they take, print, and exit with."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from faults import TOY, package

from hamlet.backend.registry import backend_names
from hamletc.cli.main import hamletc


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a universe and a newer version of it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toy.hamlet").write_text(TOY)
    (tmp_path / "newer.hamlet").write_text(TOY.replace("mood -= 0.02", "mood -= 0.03"))
    return tmp_path


def run(*arguments: str) -> Result:
    done = CliRunner().invoke(hamletc, arguments)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


@pytest.mark.usefixtures("folder")
def test_equal_sides() -> None:
    done = run("diff", "toy.hamlet", "@ir", "--quick", "--worlds", "21", "--ticks", "5")
    assert done.exit_code == 0, done.output
    assert "toy.hamlet@interpreter and toy.hamlet@ir are equal in all " in done.output
    assert "18 of 18 constructs fired" in done.output


@pytest.mark.usefixtures("folder")
def test_versions_as_json() -> None:
    done = run("diff", "toy.hamlet", "newer.hamlet", "--quick", "--json")
    assert done.exit_code == 1, done.output
    report = json.loads(done.stdout)
    assert not report["ok"]
    cause = report["divergence"]["cause"]
    assert cause["left"]["source"] | {"text": ""} == {
        "construct": "cascade hunger_saddens",
        "file": "toy.hamlet",
        "line": 8,
        "text": "",
    }
    assert "mul(0.02, " in cause["left"]["code"]
    assert "mul(0.03, " in cause["right"]["code"]
    assert cause["left"]["value"] != cause["right"]["value"]
    assert [(part["name"], part["values"]) for part in report["meaning"]] == [
        ("cascade hunger_saddens", ["body 0.02 -> 0.03"])
    ]
    assert report["behaviour"]["agents"] == [1, 1]


def test_a_stale_package(folder: Path) -> None:
    """A package that was compiled before the text was changed."""
    package(TOY, folder / "toy", lambda kernels: kernels + "\n")
    done = run("diff", "toy@ir", "newer.hamlet", "--quick")
    assert done.exit_code == 1, done.output
    assert "universes that say different things" in done.output
    assert "newer.hamlet:8  cascade hunger_saddens" in done.output
    assert "^^^^" in done.output


def test_more_on_one_side(folder: Path) -> None:
    """A meter and an action more, and another order of actions' effects: what both have is compared."""
    more = TOY.replace("meter health", "meter rest = 1 { decay 0.01 }\nmeter health")
    more = more.replace("dies when", "action NAP { rest += 0.5  health += 0.25 }\ndies when").replace(
        "reward mood", "reward rest * mood"
    )
    (folder / "more.hamlet").write_text(more)
    done = run("diff", "toy.hamlet", "more.hamlet", "--quick", "--common")
    assert done.exit_code == 1, done.output
    assert "reward" in done.output


def test_recorded_runs(folder: Path) -> None:
    for side, name in (("toy.hamlet@ir", "ours.npz"), ("toy.hamlet", "theirs.npz")):
        done = run("record", side, "-o", name, "--ticks", "24")
        assert done.exit_code == 0, done.output
    done = run("diff", "ours.npz", "theirs.npz")
    assert done.exit_code == 0, done.output
    assert "ours.npz (toy.hamlet@ir) and theirs.npz (toy.hamlet@interpreter) are equal" in done.output
    done = run("diff", "ours.npz", "newer.hamlet")
    assert done.exit_code == 1, done.output
    assert "newer.hamlet:8  cascade hunger_saddens" in done.output
    _tamper(folder / "ours.npz")
    done = run("diff", "ours.npz", "toy.hamlet")
    assert done.exit_code == 1, done.output
    assert "ours.npz (toy.hamlet@ir) does not have what its program gives" in done.output
    assert "meters health, world 5, agent 0" in done.output
    assert "toy.hamlet:10  rule wear" in done.output


def _tamper(path: Path) -> None:
    """One bit of one meter of one agent."""
    with np.load(path) as file:
        contents = dict(file)
    contents["frames.meters"].view(np.uint32)[20, 2, 5] ^= 1
    np.savez(path, **contents)


@pytest.mark.usefixtures("folder")
def test_recorded_runs_of_other_worlds() -> None:
    assert run("record", "toy.hamlet", "-o", "a.npz", "--ticks", "3").exit_code == 0
    assert run("record", "toy.hamlet", "-o", "b.npz", "--ticks", "3", "--seed", "1").exit_code == 0
    done = run("diff", "a.npz", "b.npz")
    assert done.exit_code == 1
    assert "are of different worlds, seeds or actions" in done.output


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("diff", "@c", "@ir"), 2, "one of both sides has to name a universe"),
        (("diff", "@cuda", "toy.hamlet"), 2, f"'cuda' is not one of {', '.join(backend_names())}, ir, kernel"),
        (
            ("diff", "toy.hamlet", "toy.hamlet@moon"),
            1,
            f"there is no backend 'moon': take {', '.join(backend_names())}",
        ),
        (("diff", "toy.hamlet"), 2, "Missing argument"),
        (("replay", "missing.episode"), 2, "missing.episode does not exist"),
        (("diff", "nowhere.hamlet", "@ir"), 1, "no such file"),
        (("diff", "nowhere.npz", "toy.hamlet"), 1, "cannot read the file: no such file"),
        (("diff", "text.npz", "toy.hamlet"), 1, "text.npz is no recorded run"),
        (("record", "run.npz", "-o", "a.npz"), 1, "run.npz is a recorded run: `hamletc replay UNIVERSE RUN`"),
        (("diff", "run.npz@ir", "toy.hamlet"), 1, "is a recorded run: nothing runs it"),
        (("record", "@ir", "-o", "a.npz"), 2, "names no universe"),
        (("record", "toy.hamlet", "-o", "a.txt"), 2, "does not end in .npz"),
    ],
)
def test_wrong_usage(folder: Path, arguments: tuple[str, ...], code: int, says: str) -> None:
    (folder / "text.npz").write_text("this is no recorded run")
    np.savez(folder / "run.npz", about="of a recorded run")
    done = run(*arguments)
    assert done.exit_code == code
    assert says in " ".join(done.output.replace("│", " ").split())
