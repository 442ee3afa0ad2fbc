"""Tables of windows that turn are read by all lanes at one place, or by a heading: nowhere by heading and row together.
What they show is tested by bits (tests/features/observations/test_views.py)."""

from __future__ import annotations

from hamletc.compile import lower, optimise
from hamletc.ir.operands import operands
from hamletc.ir.ops import Element, Input, Lookup, Value
from hamletc.ir.verifier import element_of
from samples import universe_of

TEXT = """
universe looking
space grid map { moves turning }
map { "#..." "...#" region stone "#" terrain height = 1 { stone 4 } }
cells { state solid = on stone  wall when solid }
lifespan 50 ticks
reward nothing
inert allowed
observe { window 5 x 3 ahead of height in view }
"""


def test_rows_of_turning_windows_are_read_alike_by_all_lanes() -> None:
    observe = optimise(lower(universe_of(TEXT))).program.function("observe")
    of_rows = element_of(observe)

    def of_lanes(value: Value) -> bool:
        op = observe.nodes[value].op
        return isinstance(op, Input) or any(of_lanes(operand) for operand in operands(op))

    read = [op for node in observe.nodes if isinstance(op := node.op, Lookup) and op.table.startswith("view0.")]
    by_row = {op.table for op in read if of_rows[op.index] and isinstance(observe.nodes[op.index].op, Element)}
    by_heading = {op.table for op in read if of_rows[op.index] is None and of_lanes(op.index)}
    assert by_row == {"view0.right", "view0.ahead"}
    assert by_heading == {f"view0.to_{way}.{axis}" for way in ("right", "ahead") for axis in "xy"}
    assert len(read) == len(by_row) + len(by_heading)
