"""What would be if an operation were done differently, where a function reads cells."""

from __future__ import annotations

import numpy as np

from hamlet_lab.divergence.explain import suppositions
from hamlet_lab.divergence.values import Evaluation
from hamletc.ir.function import Function, Node, Origin, Output, Program
from hamletc.ir.ops import Add, Const, Fetch, Input, Type
from hamletc.kernel.calls import FunctionCall

STATE = Origin("state")


def test_a_cell_read_at_another_index() -> None:
    """cells.hours[index + 1], where some backend leaves the 1 out."""
    nodes = (
        Node(Input(Type.I32, "index"), Type.I32, STATE),
        Node(Const(Type.I32, 1), Type.I32, STATE),
        Node(Add(0, 1), Type.I32, STATE),
        Node(Fetch("cells.hours", 2), Type.F32, STATE),
    )
    function = Function("tick", nodes, (Output("meter.hours", 3),))
    cells = np.array([[1, 2, 4, 8]], np.float32)
    inputs = {"index": np.array([0, 1, 2], np.int32), "cells.hours": cells}
    call = FunctionCall("tick", inputs, np.ones(3, np.bool_))
    evaluation = Evaluation(Program("toy", (function,), ()), call)
    actual = np.array([1, 2, 4], np.float32).view(np.uint32)
    explained = suppositions(evaluation, 3, 0, actual, np.ones(3, np.bool_))
    assert any("index" in each.text for each in explained), explained
