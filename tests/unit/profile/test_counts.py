"""The counts of machine code are true: it stores as often as it must."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hamlet.package.module import Module
from processes import Run

GENERATED = Path(__file__).parents[3] / "generated"
PROGRAM = Path(__file__).with_name("count_stores.py")
WITHOUT_HERE = """
universe plain_grid

space grid 8 x 8
lifespan 100 ticks { reward 1.0 }

meter energy = 1.0 { decay 0.01  move 0.005 }

affordance Bed at random {
    instantly { energy += 0.4 }
}

dies when energy <= 0
reward energy
observe { grid  meters }
"""


def counted(run_program: Run, package: Path, *forms: str) -> dict[str, Any]:
    done = run_program(PROGRAM, package, *forms)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def check(found: dict[str, Any]) -> None:
    """Rates are counts of warps divided by a power of two, so that they are exact."""
    assert found.pop("ended") > 0
    for kernel in found.values():
        assert kernel["stores"] == kernel["due"]
        assert sum(kernel["pipes"].values()) == pytest.approx(kernel["executed"])
        assert kernel["alu"] == pytest.approx(kernel["pipes"]["alu"])
        assert "unknown" not in kernel["pipes"]


@pytest.mark.parametrize(
    ("name", "forms"),
    [("town", ("step", "rollout")), pytest.param("shifts", ("step",), marks=pytest.mark.long)],
)
def test_stores_that_are_counted_are_those_that_must_occur(name: str, forms: tuple[str, ...], run_program: Run) -> None:
    """Those of first_meal are in `test_cli_profile.py`."""
    found = counted(run_program, GENERATED / name, *forms)
    check(found)
    assert tuple(found) == forms


def test_a_grid_without_here(run_program: Run, compiled: Callable[[str], Module]) -> None:
    """Without `here` assemblers like to unroll the loop over its 64 cells: whether they do or not, each cell costs some
    instructions, and each only once for each time that it is observed, up to 1.2 in a step."""
    found = counted(run_program, compiled(WITHOUT_HERE, "triton").path, "step")
    check(found)
    step = found["step"]
    assert 64 * 8 < step["executed"] < 64 * 40
