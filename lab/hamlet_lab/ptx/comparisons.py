"""setp and selp. PTX ISA, "Comparison and Selection Instructions"."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hamlet_lab.ptx.types import BITS, F32, F64, PRED, SIGNED, UNSIGNED, Array, Operation, Scalar

Comparison = Callable[[Array, Array], Array]

EQUALITY: dict[str, Comparison] = {"eq": np.equal, "ne": np.not_equal}
ORDER: dict[str, Comparison] = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
UNSIGNED_ORDER = {"lo": np.less, "ls": np.less_equal, "hi": np.greater, "hs": np.greater_equal}
FLOAT: dict[str, Comparison] = {
    "eq": np.equal,
    # Numpy's not_equal is true for NaN; PTX's ne is not.
    "ne": lambda a, b: (a < b) | (a > b),
    **ORDER,
    "equ": lambda a, b: ~((a < b) | (a > b)),
    "neu": np.not_equal,
    "ltu": lambda a, b: ~np.greater_equal(a, b),
    "leu": lambda a, b: ~np.greater(a, b),
    "gtu": lambda a, b: ~np.less_equal(a, b),
    "geu": lambda a, b: ~np.less(a, b),
    "num": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
    "nan": lambda a, b: np.isnan(a) | np.isnan(b),
}


def _comparisons(scalar: Scalar, functions: dict[str, Comparison]) -> dict[str, Operation]:
    return {
        f"setp.{name}.{scalar.name}": Operation(PRED, (scalar, scalar), function)
        for name, function in functions.items()
    }


def _select(a: Array, b: Array, condition: Array) -> Array:
    return np.where(condition, a, b)


OPERATIONS: dict[str, Operation] = _comparisons(F32, FLOAT) | _comparisons(F64, FLOAT)
for _scalar in BITS:
    OPERATIONS |= _comparisons(_scalar, EQUALITY)
for _scalar in SIGNED:
    OPERATIONS |= _comparisons(_scalar, EQUALITY | ORDER)
for _scalar in UNSIGNED:
    OPERATIONS |= _comparisons(_scalar, EQUALITY | ORDER | UNSIGNED_ORDER)
for _scalar in (*BITS, *SIGNED, *UNSIGNED, F32, F64):
    OPERATIONS[f"selp.{_scalar.name}"] = Operation(_scalar, (_scalar, _scalar, PRED), _select)
