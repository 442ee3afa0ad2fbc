"""`hamletc verify`: equal backends pass, a kernel with a mistake fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from shipped import UNIVERSES, Command

import hamlet
from hamlet.package import manifest

MEAL = UNIVERSES / "first_meal.hamlet"


def test_verify_compares_all_backends(hamletc: Command) -> None:
    done = hamletc("verify", MEAL, "--quick")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "numba, triton against the interpreter" in done.stdout
    assert "equal in all " in done.stdout


def test_verify_finds_a_wrong_kernel(hamletc: Command, tmp_path: Path) -> None:
    """A package whose kernels were made from another universe than it says, hashes and all."""
    assert hamletc("compile", MEAL, "-o", "right", "--target", "numba").returncode == 0
    (tmp_path / "wrong.hamlet").write_text(MEAL.read_text().replace("satiation += 0.4", "satiation += 0.375"))
    assert hamletc("compile", "wrong.hamlet", "-o", "wrong", "--target", "numba").returncode == 0
    wrong, right = tmp_path / "wrong", tmp_path / "right"
    (wrong / "universe.json").write_bytes((right / "universe.json").read_bytes())
    init = (wrong / "__init__.py").read_text()
    before = manifest.parse(init)
    files = [(name, manifest.sha256((wrong / name).read_bytes())) for name, _ in before.files]
    after = manifest.Manifest(before.universe, before.source, before.hamletc, tuple(files))
    (wrong / "__init__.py").write_text(manifest.render(after))
    assert hamlet.load(wrong).name == "first_meal"
    done = hamletc("verify", "wrong", "--quick", "--backends", "numba")
    assert done.returncode == 1
    assert "numba differs from the interpreter" in done.stdout
    assert "meters satiation" in done.stdout
    assert "affordance Kitchen" in done.stdout
    assert "first_meal.hamlet:14" in done.stdout


@pytest.mark.parametrize("name", ["cuda", "", "numba,,triton"])
def test_verify_knows_its_backends(hamletc: Command, name: str) -> None:
    done = hamletc("verify", MEAL, "--backends", name)
    assert done.returncode == 2
    assert "is not one of numba, triton, interpreter" in done.stderr
