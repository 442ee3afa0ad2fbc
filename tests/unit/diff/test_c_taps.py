"""Lines of kernels in C: in functions of vectors and of numbers, in parts of large functions, and loops over rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from faults import TOY, package, replaced, universe_of

from hamlet.package.module import load
from hamlet_lab.divergence import CPU
from hamlet_lab.divergence.compiled import packaged, specialised
from hamlet_lab.divergence.kernels import Fault, first_fault, kernels_of
from hamletc.kernel.calls import FunctionCall
from hamletc.passes.facts import facts_of
from samples.inputs import random_inputs

LANES = 40
CELLS = 9
"""Of the grid with a cell that is observed."""
GRID = """universe seen
space grid 3 x 3
meter food = 0.8 { decay 0.02 }
affordance Kitchen at random { instantly { food += 0.4 } }
dies when food <= 0
reward food
observe { grid }
"""
METERS = "".join(f"meter m{number} = 0.8 {{ decay 0.02 }}\n" for number in range(100))
LARGE = f"universe large\nspace grid 4 x 4\n{METERS}dies when m0 <= 0\nreward m1\nobserve {{ meters }}\n"

CASCADES = "".join(f"cascade c{number}: a < 0.{number + 100} -> b -= 0.01 * deficit\n" for number in range(260))
ROWS = f"""universe rows
space grid 4 x 4
meter a = 0.8 {{ decay 0.02 }}
meter b = 0.5
{CASCADES}dies when a <= 0
reward b
observe {{ meters }}
"""


def fault_in(text: str, function: str, edited: Path) -> Fault | None:
    """What is said of a function of edited kernels, whose inputs are random."""
    module, universe = load(edited), universe_of(text)
    form = specialised(packaged(module), universe, "c")
    program = form.program
    inputs = random_inputs(universe, program.function(function), facts_of(universe, program), LANES, 1)
    inputs |= {name: values % CELLS for name, values in inputs.items() if name.startswith("cell.")}
    kernels = kernels_of(module, form, "c", CPU, None)
    return first_fault(kernels, FunctionCall(function, inputs, np.ones(LANES, np.bool_)))


@pytest.mark.parametrize(
    ("text", "function", "before", "after", "at"),
    [
        (TOY, "tick", "subtract_vf32(health_1, t64)", "subtract_vf32(t64, health_1)", "health_2 = "),
        (GRID, "observe", "equal_vu32(bit_and_vu32(t6,", "equal_vu32(bit_or_vu32(t6,", "t15 = "),
        (LARGE, "tick", "subtract_vf32(m3_0,", "add_vf32(m3_0,", "m3_1 = "),
        (ROWS, "tick", "do_cascades0_rows(a_2, ", "do_cascades0_rows(b_0, ", "do_cascades0_rows("),
    ],
    ids=["vectors", "a second function", "a part", "rows"],
)
def test_an_edited_line(tmp_path: Path, text: str, function: str, before: str, after: str, at: str) -> None:
    edited = package(text, tmp_path / "edited", replaced(before, after))
    fault = fault_in(text, function, edited)
    assert fault is not None
    assert fault.line is not None
    number, line = fault.line
    assert line.startswith(at)
    assert after in line
    assert (edited / "c_kernels.c").read_text().split("\n")[number - 1].strip() == line
    assert (fault.together, fault.returned) == (True, False)


def test_right_lines(tmp_path: Path) -> None:
    """Of numbers, too: random words are drawn for vectors of lanes, in one world of one tick."""
    edited = package(TOY, tmp_path / "edited", lambda text: text + "\n")
    assert fault_in(TOY, "policy", edited) is None
