"""Lines of kernels: in PTX, and where a compiler merges them so that looking makes a fault vanish."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from faults import TOY, package, replaced, universe_of

from hamlet_lab.diff.diff import diff
from hamlet_lab.diff.open import open_side
from hamlet_lab.divergence.c_taps import generated
from hamlet_lab.divergence.compiled import Generated, Kernels
from hamlet_lab.divergence.kernels import apart_from_operands, first_fault
from hamlet_lab.divergence.record import Cause
from hamlet_lab.divergence.values import Evaluation, words
from hamlet_lab.verify import QUICK
from hamletc.compilation import Compilation
from hamletc.compile import emit_kernels
from hamletc.ir.evaluate import DTYPES, Array
from hamletc.ir.function import Program
from hamletc.ir.ops import Input, Value
from hamletc.kernel.body import Body
from hamletc.kernel.calls import FunctionCall

LANES = 8


def cause_in_ptx(text: str, old: str, new: str, folder: Path) -> Cause:
    """The cause of the difference that a line of Triton kernels makes in the PTX that is compiled from it."""
    (folder / "right.hamlet").write_text(text)
    edited = package(text, folder / "edited", replaced(old, new), "triton")
    report = diff(open_side(folder / "right.hamlet", None, folder), open_side(edited, "sm_90", folder), QUICK, 0)
    assert report.divergence is not None
    cause = report.divergence.cause
    assert cause is not None
    assert cause.right.code.startswith("triton_kernels.py:")
    assert new in cause.right.code
    return cause


def test_ptx(tmp_path: Path) -> None:
    """Operands swapped in the text of Triton kernels, found in the PTX that was compiled from it."""
    cause = cause_in_ptx(TOY, "1.0 - food_4", "food_4 - 1.0", tmp_path)
    assert cause.notes == ("the value found is that of the operands of sub(1.0, food_4) swapped",)


WELLS = """
universe wells
space grid 3 x 2 { edges wrap  starts anywhere }
lifespan 9 ticks
meter food = 0.5
cells {
    meter water = uniform(0, 1)
    rule dries: water -= 0.01
}
rule drinks: food += 0.375 * water at (position x + 1, position y) - 0.125
reward food
observe { meters }
"""


def test_ptx_of_what_is_fetched_from_cells(tmp_path: Path) -> None:
    """A function that reads cells of the world, which are no table of the program, is looked at as any other."""
    cause_in_ptx(WELLS, "0.375", "0.75", tmp_path)


@pytest.fixture
def compilation() -> Compilation:
    return Compilation.begin(universe_of(TOY)).run()


@pytest.fixture
def program(compilation: Compilation) -> Program:
    return compilation.program


def call_of(program: Program) -> FunctionCall:
    nodes = program.function("tick").nodes
    inputs = {node.op.name: np.ones(LANES, DTYPES[node.type]) for node in nodes if isinstance(node.op, Input)}
    inputs |= {"meter.food": np.linspace(0, 1, LANES, dtype=np.float32)}
    return FunctionCall("tick", inputs, np.ones(LANES, np.bool_))


def test_a_fault_that_vanishes_where_it_is_looked_at(compilation: Compilation, program: Program) -> None:
    """A subtraction is wrong, but not while the product that it takes is stored: as with a contraction."""
    call = call_of(program)
    evaluation = Evaluation(program, call)
    names = {name: value for value, name in evaluation.printed.names.items()}
    product, wrong = names["t179"], names["health_2"]
    assert product in evaluation.leaves(wrong)

    def tap(wanted: Generated, _: Body, lines: Collection[Value], __: list[Array | str]) -> tuple[list[Value], Array]:
        rows = [*sorted(lines), *wanted.results]
        values = [np.broadcast_to(words(evaluation.values[value]), LANES).copy() for value in rows]
        if product not in lines:
            for value, row in zip(rows, values, strict=True):
                if value in (wrong, names["health_3"]):
                    row[3] ^= 1
        return rows, np.array(values).view(np.int32)

    kernels = Kernels("kernels.c", program, partial(generated, emit_kernels(compilation, "c")), tap)
    fault = first_fault(kernels, call)
    assert fault is not None
    assert (fault.value, fault.spot.lane, fault.together, fault.returned) == (wrong, 3, False, False)
    assert fault.line is not None
    assert fault.line[1] == "health_2 = subtract_vf32(health_1, t179);"


def test_lines_are_apart_from_what_they_are_computed_from(program: Program) -> None:
    evaluation = Evaluation(program, call_of(program))
    lines = {value for value in evaluation.printed.names if not isinstance(evaluation.node(value).op, Input)}
    groups = apart_from_operands(evaluation, lines)
    assert set().union(*groups) == lines
    assert sum(map(len, groups)) == len(lines)
    assert 1 < len(groups) < 10
    for group in groups:
        assert all(group.isdisjoint(evaluation.leaves(value)) for value in group)
