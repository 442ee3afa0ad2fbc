"""Folding of every operation on edge values, against its definition. The two share no code: one computes with Python's
numbers and rounds them, the other with numpy's."""

from __future__ import annotations

from dataclasses import fields
from itertools import product

import numpy as np
import pytest

from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import DTYPES, evaluate
from hamletc.ir.function import Output
from hamletc.ir.ops import F32, PLAIN, U32, Plain, Type
from hamletc.passes.constant_folding import fold
from samples.functions import EDGES

CASES = [(op, type_) for op, traits in PLAIN.items() for type_ in traits.results]
UNKNOWN: set[type[Plain]] = set()
"""Operations that are not folded."""


@pytest.mark.parametrize(("op", "type_"), CASES, ids=lambda case: getattr(case, "__name__", str(case)))
def test_folding_gives_the_bits_of_the_definition(op: type[Plain], type_: Type) -> None:
    traits = PLAIN[op]
    edges = [np.array(EDGES[type_], DTYPES[type_]).tolist()] * len(fields(op))
    if type_ is U32 and traits.right is not None:
        edges[1] = [value for value in edges[1] if value in traits.right.value]
    lanes = list(product(*edges))
    builder = Builder()
    names = [field.name for field in fields(op)]
    value = builder.emit(op(*(builder.input(type_, name) for name in names)))
    inputs = {
        name: np.array(column, DTYPES[type_]) for name, column in zip(names, zip(*lanes, strict=True), strict=True)
    }
    expected = evaluate(builder.finish("f", (Output("y", value),)), inputs, ())["y"]
    result = traits.results[type_]
    folded = [fold(op(*range(len(names))), result, list(lane)) for lane in lanes]
    if op in UNKNOWN:
        assert set(folded) == {None}
        return
    for lane, got, wanted in zip(lanes, folded, expected, strict=True):
        if got is None:
            assert result is F32, lane
            assert not np.isfinite(wanted), lane
        else:
            assert type(got) is type(wanted.item()), lane
            assert np.array(got, DTYPES[result]).tobytes() == wanted.tobytes(), lane
    assert any(got is not None for got in folded)
