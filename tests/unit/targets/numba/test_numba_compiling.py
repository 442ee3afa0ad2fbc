"""How kernels are compiled: what numba has inside and this project uses, helpers without machine code, traces."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import codegen, compiler, errors

from hamlet.launch.cpu.ops import LANES, add, helper, inline, kernel, less, local_f32, part, traced, where
from hamlet.launch.cpu.ops.compiling import PASSES, KernelCompiler
from hamlet.launch.cpu.ops.entries import entry_of
from hamlet.launch.cpu.ops.machinery import definition
from hamlet.package.module import execute

i32 = numba.int32
f32 = numba.float32
LARGEST = 9


@traced
def _limited(value: Any) -> Any:
    return where(less(LARGEST, value), i32(LARGEST), value)


@traced
def _both(value: Any, other: Any) -> Any:
    sum_ = _limited(add(value, 1))
    return sum_, ~(other < f32(0.5)) & True, -1


@helper
def _fill(chunk: Any, value: Any) -> None:
    for lane in range(LANES):
        chunk[lane] = value


@inline
def _total(chunk: Any) -> Any:
    result = f32(0.0)
    for lane in range(LANES):
        result += chunk[lane]
    return result


@kernel
def _run(integers: Any, floats: Any, out: Any, totals: Any) -> None:
    chunk = local_f32(LANES)
    before = _total(chunk)
    _fill(chunk, floats[0])
    totals[0], totals[1] = before, _total(part(chunk, 0, 0))
    for index in range(integers.shape[0]):
        out[index, 0], out[index, 1], out[index, 2] = _both(integers[index], floats[index])


def arguments() -> list[np.ndarray[Any, Any]]:
    return [
        np.array([3, 8, 9, 20], np.int32),
        np.array([0.25, 0.5, np.nan, 2.0], np.float32),
        np.zeros((4, 3), np.int32),
        np.zeros(2, np.float32),
    ]


def test_kernels_call_helpers_and_traced_functions_and_their_memory_is_zero_at_first() -> None:
    given = arguments()
    _run(*given)
    assert given[2].tolist() == [[4, 0, -1], [9, 1, -1], [9, 1, -1], [9, 1, -1]]
    assert given[3].tolist() == [0.0, 0.25 * LANES]


def test_only_kernels_become_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    finish = codegen.JITCodeLibrary._finalize_final_module

    def noting(self: Any) -> None:
        made.append(self.name)
        finish(self)

    monkeypatch.setattr(codegen.JITCodeLibrary, "_finalize_final_module", noting)
    again = numba.njit(pipeline_class=KernelCompiler, _nrt=False)(_run.py_func)
    again(*arguments())
    assert [name for name in made if name != "nrt"] == [_run.py_func.__qualname__]


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda value: value if value else 1, "takes no decisions"),
        (lambda value: value + f32(1.0), "takes no int32, float32"),
        (lambda value: not value, "takes no decisions"),
    ],
)
def test_a_traced_function_that_decides_or_mixes_types_is_an_error(function: Callable[..., Any], said: str) -> None:
    with pytest.raises((TypeError, errors.TypingError), match=said):
        definition(traced(function))(None, numba.int32)  # type: ignore[misc]


def test_what_is_used_of_numba_is_there() -> None:
    """Where this fails, `numba_ops.machinery` and `numba_ops.compiling` do not fit the numba that is installed."""
    methods = ("_optimize_functions", "_get_module_for_linking", "add_linking_library", "finalize")
    for name in methods:
        assert callable(getattr(codegen.JITCodeLibrary, name, None)), name
    assert {"_linking_libraries", "_final_module"} <= set(codegen.CPUCodeLibrary.__init__.__code__.co_names)
    assert "_finalized" in codegen.CodeLibrary._ensure_finalized.__code__.co_names
    wanted = ["typingctx", "targetctx", "func", "args", "return_type", "flags", "locals", "library", "pipeline_class"]
    assert list(inspect.signature(compiler.compile_extra).parameters) == wanted
    assert "library" in compiler.CompilerBase.__init__.__code__.co_varnames
    assert len({each.name() for each in PASSES}) == len(PASSES)
    assert definition(add) is not None
    assert definition(operator.add) is None


NOTED = """
from hamlet.launch.cpu.ops import kernel

@kernel
def noted(array, number, flag):
    array[1, 2] = number + 1 if flag else number
"""


def test_a_kernel_is_called_by_a_table_of_words() -> None:
    """Where this fails, `hamlet.launch.cpu.ops.entries` does not fit the numba that is installed."""
    array = np.zeros((3, 4), np.int64)
    values = [array, 7, True]
    entry = entry_of(execute("noted.py", NOTED.encode()).noted, values)
    table = np.array(entry.table(values), np.int64)
    for flag, expected in ((1, 8), (0, 7)):
        table[entry.places[2]] = flag
        assert entry.call(table.ctypes.data) == 0
        assert array[1, 2] == expected
        assert array.sum() == expected
    other = np.zeros((3, 4), np.int64)
    table[entry.places[0]] = other.ctypes.data
    entry.call(table.ctypes.data)
    assert other[1, 2] == 7
