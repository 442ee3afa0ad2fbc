"""Warnings that are allowed or denied for one run, and where they are printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from processes import Command

FUEL = """universe fuel

space grid 4 x 4

meter fuel = 1 { decay 0.02 }

reward fuel
observe { meters }
"""
"""It has the warnings H071 and H074."""


@pytest.fixture
def fuel(tmp_path: Path) -> Path:
    path = tmp_path / "fuel.hamlet"
    path.write_text(FUEL)
    return path


@pytest.mark.parametrize(
    ("options", "code", "shown"),
    [
        ([], 0, {"H071": "warning", "H074": "warning"}),
        (["--allow", "H071"], 0, {"H074": "warning"}),
        (["--allow", "H071,H074"], 0, {}),
        (["--allow", "H071", "--allow", "H074"], 0, {}),
        (["--allow", "all"], 0, {}),
        (["--deny", "H071"], 1, {"H071": "error", "H074": "warning"}),
        (["--deny", "all"], 1, {"H071": "error", "H074": "error"}),
        (["--deny", "all", "--allow", "H071"], 1, {"H074": "error"}),
        (["--allow", "all", "--deny", "H071"], 1, {"H071": "error"}),
    ],
)
def test_check(hamletc_here: Command, fuel: Path, options: list[str], code: int, shown: dict[str, str]) -> None:
    done = hamletc_here("check", fuel, "--format", "json", *options)
    assert done.returncode == code
    assert {d["code"]: d["severity"] for d in json.loads(done.stdout)["diagnostics"]} == shown
    assert done.stderr == ""


def test_what_is_allowed_in_vain_is_said(hamletc_here: Command, fuel: Path) -> None:
    done = hamletc_here("check", fuel, "--allow", "H071,H072")
    assert done.stderr == f"{fuel}: no warning H072, nothing to allow\n"
    assert "H071" not in done.stdout
    assert hamletc_here("check", fuel, "--allow", "all").stdout == f"{fuel}: no problems\n"


def test_errors_stay(hamletc_here: Command, fuel: Path) -> None:
    fuel.write_text(FUEL + "report one: 1\n")
    done = hamletc_here("check", fuel, "--allow", "all")
    assert done.returncode == 1
    assert "error[H064]" in done.stdout
    fuel.write_text(FUEL + "param unread = 1 in 0 .. 2\ninert allowed\n")
    assert "warning[H060]" in hamletc_here("check", fuel).stdout
    assert "H060" not in hamletc_here("check", fuel, "--allow", "H060").stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--allow", "H0711"], "Did you mean H071?"),
        (["--deny", "unused"], "there is no 'unused'"),
        (["--allow", "H020"], "H020 is an error, not a warning"),
        (["--allow", "H071", "--deny", "H071"], "H071 is both allowed and denied"),
    ],
)
def test_wrong_codes(hamletc_here: Command, fuel: Path, options: list[str], message: str) -> None:
    done = hamletc_here("check", fuel, *options)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())


def test_other_verbs_only_count(hamletc_here: Command, fuel: Path, tmp_path: Path) -> None:
    """`compile` prints warnings, but for those that are allowed; to run a universe is not to check it."""
    done = hamletc_here("compile", fuel, "-o", tmp_path / "out", "--allow", "H071")
    assert (done.returncode, "H074" in done.stderr, "H071" in done.stderr) == (0, True, False)
    done = hamletc_here("run", fuel, "--worlds", 2, "--ticks", 2, "--backend", "interpreter", "-o", tmp_path / "runs")
    assert done.returncode == 0, done.stderr
    assert done.stderr == f"{fuel}: 2 warnings: hamletc check {fuel}\n"
