"""The tree of code of kernels for GPUs."""

from __future__ import annotations

import pytest

from hamletc.kernel.code import Function
from hamletc.kernel.scopes import CodeError, verify
from hamletc.lowering import lower
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.emit import LIBRARY, functions
from samples import sample

KERNELS = ("reset", "observe", "step", "rollout")
OF_LINES = ("_f32", "_take")
"""Functions that lines of the tick IR call, as they call loops over rows."""


@pytest.fixture(scope="module")
def bindings() -> Bindings:
    universe = sample("town")
    return Bindings(lower(universe), universe)


@pytest.fixture(scope="module")
def module(bindings: Bindings) -> list[Function]:
    return functions(bindings)


def test_every_function_is_called(module: list[Function], bindings: Bindings) -> None:
    """Without a function of the module, no kernel or other function of it is code."""
    verify(module, LIBRARY, bindings.bodies)
    for missing in module:
        if missing.name in KERNELS or missing.name in OF_LINES or missing.name.endswith("_rows"):
            continue
        with pytest.raises(CodeError, match=f"nothing sets {missing.name}$"):
            verify([each for each in module if each is not missing], LIBRARY, bindings.bodies)


def test_functions_are_called_with_what_they_take(module: list[Function], bindings: Bindings) -> None:
    (store,) = (each for each in module if each.name == "_store")
    shorter = Function(store.name, store.parameters[1:], store.summary, ())
    with pytest.raises(CodeError, match="_store has 3 parameters, and is passed 4 arguments"):
        verify([shorter if each is store else each for each in module], LIBRARY, bindings.bodies)
