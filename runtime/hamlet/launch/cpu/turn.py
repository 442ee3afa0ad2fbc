"""A step of one world that is one call of Python, see `native/turn.c`."""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np

from hamlet.backend.protocol import Clock
from hamlet.errors import EnvError
from hamlet.native.library import library
from hamlet.native.texts import text

SOURCE = "turn.c"
ONE_ARGUMENT = 0x8
"""`METH_O` of Python's stable ABI."""
FUNCTIONS = (
    "PyCFunction_NewEx",
    "PyCapsule_New",
    "PyCapsule_GetPointer",
    "Py_IncRef",
    "Py_DecRef",
    "PyObject_Type",
    "PyObject_SetAttr",
    "PyObject_CallNoArgs",
    "PyObject_CallFunctionObjArgs",
    "PyErr_Occurred",
    "PyErr_Clear",
    "PyLong_AsLong",
    "PyFloat_AsDouble",
    "PyLong_FromLongLong",
    "PyFloat_FromDouble",
    "PyBool_FromLong",
    "PyTuple_New",
    "PyTuple_SetItem",
    "PyDict_Copy",
    "PyDict_SetItem",
    "PyObject_Size",
    "PySequence_GetItem",
)
"""Functions of Python that a step calls, all of its stable ABI (https://docs.python.org/3/c-api/stable.html)."""
COPY = "PyArray_NewCopy"
MASK, USED, CAUSE = "action_mask", "used", "cause"
OBJECTS: dict[str, Any] = {
    "info": dict.fromkeys((MASK, USED, CAUSE)),
    "plain": int,
    "of_numpy": np.int64,
    "array": np.ndarray,
    "narrow": np.float32,
    "tick_name": "tick",
    "mask_key": MASK,
    "used_key": USED,
    "cause_key": CAUSE,
}
"""Objects that every step takes."""
OF_ANSWER = ("taken", "observation", "mask", "numbers", "ended")
OUTCOMES = {"reward": np.float32, "terminated": np.bool_, "truncated": np.bool_, USED: np.int32, CAUSE: np.int32}
Array: TypeAlias = np.ndarray[Any, Any]
Step: TypeAlias = Callable[[Any], tuple[Any, float, bool, bool, dict[str, Any]]]
"""Takes what an agent does; gives what Gymnasium's `step` does."""


class Turn(ctypes.Structure):
    """What a step reads and writes."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("by", "kernel", "words", "tick", "share")),
        *((name, ctypes.c_int64) for name in ("now", "full", "actions", "count")),
        *((name, ctypes.c_void_p) for name in ("action", "controls", *OUTCOMES)),
        ("idle", ctypes.c_int32),
        *((name, ctypes.c_float) for name in ("least", "greatest")),
        *((name, ctypes.py_object) for name in ("clock", *OF_ANSWER, *OBJECTS)),
        ("name", ctypes.c_char_p),
        ("called", ctypes.c_void_p),
        ("flags", ctypes.c_int64),
        ("doc", ctypes.c_char_p),
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """What a step takes and hands out.

    Attributes:
        taken: gives an action and controls in range of what an agent is said to do, or raises `EnvError`.
        actions: the number of actions.
        idle: the action of an agent that says a control alone.
        controls: the least and the greatest number of that control; none is between them where agents say more.
        observation, mask: the environment's own, [values] and [actions] int8, of which a step hands out copies.
        outcomes: of the environment, by the names of `OUTCOMES`, [1] each.
        numbers: the objects that stand for the numbers of `used` and `cause`; the last one for -1.
        ended: called where the step ended the episode.
    """

    taken: Callable[[Any], tuple[int, Sequence[float]]]
    actions: int
    idle: int
    controls: tuple[float, float]
    observation: Array
    mask: Array
    outcomes: dict[str, Array]
    numbers: list[Any]
    ended: Callable[[], None]


def is_able() -> bool:
    """Whether this is CPython, with the lock that a step relies on."""
    locked: Callable[[], bool] = getattr(sys, "_is_gil_enabled", lambda: True)
    return sys.implementation.name == "cpython" and locked()


def step_of(turn: Turn, answer: Answer, clock: Clock, held: object) -> Step:
    """The step of a `turn` with the pointers of its kernel, which holds on to `held`. Nobody else may count ticks of
    the clock.

    Raises:
        EnvError: see `hamlet.native.library.library`.
    """
    loaded = library(text(SOURCE))
    turn.by = ctypes.addressof(_python())
    for name, dtype in OUTCOMES.items():
        assert answer.outcomes[name].dtype == dtype
        setattr(turn, name, answer.outcomes[name].ctypes.data)
    turn.actions, (turn.least, turn.greatest) = answer.actions, answer.controls
    turn.clock, turn.now, turn.idle = clock, clock.tick, answer.idle
    for name in OF_ANSWER:
        setattr(turn, name, getattr(answer, name))
    for name, value in OBJECTS.items():
        setattr(turn, name, value)
    turn.name, turn.flags, turn.doc = b"step", ONE_ARGUMENT, b"A step."
    made = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object)(("hamlet_step_of_python", loaded))
    return cast("Step", made(ctypes.addressof(turn), (turn, answer, loaded, held)))


@cache
def _python() -> ctypes.Array[ctypes.c_void_p]:
    """The addresses of Python's functions, and of numpy's that copies an array."""
    addresses = [ctypes.cast(ctypes.pythonapi[name], ctypes.c_void_p).value for name in FUNCTIONS]
    return (ctypes.c_void_p * (len(addresses) + 1))(*addresses, _of_numpy(COPY))


def _of_numpy(name: str) -> int | None:
    """The address of a function of numpy's interface for C. Its place in the table of all has numpy's own header, and
    the table is where that header finds it (https://numpy.org/doc/stable/reference/c-api/array.html)."""
    header = Path(np.get_include(), "numpy", "__multiarray_api.h").read_text(encoding="utf-8")
    place = re.search(rf"#define {name} \\\n(?:.*\\\n)* *PyArray_API\[(\d+)\]", header)
    if place is None:
        raise EnvError(f"numpy {np.__version__} has no {name}")
    interface = import_module("numpy._core._multiarray_umath")._ARRAY_API
    pointer_in = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    table = pointer_in(("PyCapsule_GetPointer", ctypes.pythonapi))(interface, None)
    return (ctypes.c_void_p * (int(place[1]) + 1)).from_address(table)[int(place[1])]
