"""`hamletc verify`: equal backends pass, a kernel with a mistake fails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import hamlet
import hamlet_lab.verify
from hamlet.backend.registry import backend_names
from hamlet.package import manifest
from processes import Command, Run
from samples import SHIPPED

MEAL = SHIPPED / "first_meal.hamlet"


SMALL = """
universe small
space grid 3 x 2
lifespan 20 ticks
meter fuel = 1 { decay 0.1  move 0.02 }
rule drip: fuel < 0.5 -> fuel -= 0.01
affordance Pump at random { needs fuel < 0.9  instantly { fuel += 0.5 } }
dies when fuel <= 0
reward fuel
observe { grid  meters }
"""
"""On Triton's interpreter everything takes long; tests/equivalence compares larger universes there."""
PROGRAM = """
from dataclasses import replace

import torch

import hamlet_lab.verify
from hamletc.cli.main import main

# Kernels are compiled for each type of observations.
hamlet_lab.verify.QUICK = replace(
    hamlet_lab.verify.QUICK, worlds=131, ticks=2, rounds=8, compact=(torch.float32,)
)
main()
"""


def test_verify_compares_all_backends(tmp_path: Path, run_program: Run) -> None:
    (tmp_path / "small.hamlet").write_text(SMALL)
    done = run_program(PROGRAM, "verify", "small.hamlet", "--quick", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.startswith(
        "small.hamlet@interpreter, small.hamlet@c and small.hamlet@triton (Triton's interpreter) are equal "
    )


RARE = """
universe rare
space none
lifespan 20 ticks
meter fuel = choice(1: 1, 0.5: 0.000001)
rule drip: fuel -= 0.1 * uniform(0.5, 1)
affordance Pump { instantly { fuel += 0.5 } }
dies when fuel <= 0
reward fuel
observe { meters }
"""


def test_what_is_too_rare_is_listed_and_may_be_allowed(
    hamletc_here: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hamlet_lab.verify, "QUICK", replace(hamlet_lab.verify.QUICK, rounds=16))
    (tmp_path / "rare.hamlet").write_text(RARE)
    verify = ("verify", "rare.hamlet", "--backends", "c", "--quick", "--worlds", "9", "--ticks", "3")
    strict = hamletc_here(*verify)
    assert strict.returncode == 1, strict.stdout + strict.stderr
    listed = "  never fired, so not verified: `choice(1: 1, 0.5: 0.000001)` in line 5: option 2, `0.5`"
    assert listed in strict.stdout.splitlines()
    assert strict.stdout.splitlines()[-1] == (
        "what never fired is a failure: take more --ticks or --worlds, or --allow-unfired where it is rare"
    )
    allowed = hamletc_here(*verify, "--allow-unfired", "--counts")
    assert allowed.returncode == 0, allowed.stdout + allowed.stderr
    assert listed in allowed.stdout.splitlines()
    assert "`uniform(0.5, 1)` in line 6" in allowed.stdout


def test_verify_finds_a_wrong_kernel(hamletc: Command, hamletc_here: Command, tmp_path: Path) -> None:
    """A package whose kernels were made from another universe than it says, hashes and all."""
    assert hamletc_here("compile", MEAL, "-o", "right", "--target", "c").returncode == 0
    (tmp_path / "wrong.hamlet").write_text(MEAL.read_text().replace("satiation += 0.4", "satiation += 0.375"))
    assert hamletc_here("compile", "wrong.hamlet", "-o", "wrong", "--target", "c").returncode == 0
    wrong, right = tmp_path / "wrong", tmp_path / "right"
    (wrong / "universe.json").write_bytes((right / "universe.json").read_bytes())
    init = (wrong / "__init__.py").read_text()
    before = manifest.parse(init)
    files = [(name, manifest.sha256((wrong / name).read_bytes())) for name, _ in before.files]
    after = manifest.Manifest(before.universe, before.source, before.hamletc, tuple(files))
    (wrong / "__init__.py").write_text(manifest.render(after))
    assert hamlet.load(wrong).name == "first_meal"
    done = hamletc("verify", "wrong", "--quick", "--backends", "c")
    assert done.returncode == 1
    assert "wrong@interpreter and wrong@c differ" in done.stdout
    assert "wrong@c does not compute what its program says" in done.stdout
    given = "where_vf32(t13, alike_vf32(0x1.8000000000000p-2f), alike_vf32((-0x0.0p+0f)))"
    assert f"satiation_1 = add_vf32(satiation_0, {given});" in done.stdout
    assert "meters satiation" in done.stdout
    assert "affordance Kitchen" in done.stdout
    assert "first_meal.hamlet:14" in done.stdout


@pytest.mark.parametrize("name", ["cuda", "", "c,,triton"])
def test_verify_knows_its_backends(hamletc: Command, name: str) -> None:
    done = hamletc("verify", MEAL, "--backends", name)
    assert done.returncode == 2
    assert f"is not one of {', '.join(backend_names())}" in done.stderr
