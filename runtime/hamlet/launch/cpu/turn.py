"""A step of one world that is one call of Python, see `native/turn.c`."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, cast

import numpy as np

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
    "PyObject_GetAttr",
    "PyObject_SetAttr",
    "PyObject_CallNoArgs",
    "PyObject_CallFunctionObjArgs",
    "PyErr_Occurred",
    "PyErr_Clear",
    "PyObject_IsTrue",
    "PyObject_RichCompare",
    "PyLong_AsLong",
    "PyFloat_AsDouble",
    "PyLong_FromLongLong",
    "PyFloat_FromDouble",
    "PyBool_FromLong",
    "PyTuple_New",
    "PyTuple_SetItem",
    "PyDict_Copy",
    "PyDict_SetItem",
    "PySequence_GetItem",
)
"""Functions of Python that a step calls, all of its stable ABI (https://docs.python.org/3/c-api/stable.html)."""
MASK, USED, CAUSE = "action_mask", "used", "cause"
OBJECTS: dict[str, Any] = {
    "info": dict.fromkeys((MASK, USED, CAUSE)),
    "plain": int,
    "of_numpy": np.int64,
    "array": np.ndarray,
    "narrow": np.dtype(np.float32),
    "one": (1,),
    "tick_name": "tick",
    "acted_name": "acted",
    "dtype_name": "dtype",
    "shape_name": "shape",
    "mask_key": MASK,
    "used_key": USED,
    "cause_key": CAUSE,
}
"""Objects that every step takes."""
OF_ANSWER = ("idle", "taken", "observation", "mask", "numbers", "ended")
OUTCOMES = {"reward": np.float32, "terminated": np.bool_, "truncated": np.bool_, USED: np.int32, CAUSE: np.int32}
Array: TypeAlias = np.ndarray[Any, Any]
Step: TypeAlias = Callable[[Any], tuple[Any, float, bool, bool, dict[str, Any]]]
"""Takes what an agent does; gives what Gymnasium's `step` does."""


class Turn(ctypes.Structure):
    """What a step reads and writes."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("by", "kernel", "words", "tick", "share")),
        *((name, ctypes.c_int64) for name in ("full", "actions", "count")),
        *((name, ctypes.c_void_p) for name in ("action", "controls", *OUTCOMES)),
        *((name, ctypes.c_float) for name in ("least", "greatest")),
        *((name, ctypes.py_object) for name in ("now", *OF_ANSWER, *OBJECTS)),
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
        observation, mask: make copies of the environment's own.
        outcomes: of the environment, by the names of `OUTCOMES`, [1] each.
        numbers: the objects that stand for the numbers of `used` and `cause`; the last one for -1.
        ended: called where the step ended the episode.
    """

    taken: Callable[[Any], tuple[int, Sequence[float]]]
    actions: int
    idle: int
    controls: tuple[float, float]
    observation: Callable[[], Array]
    mask: Callable[[], Array]
    outcomes: dict[str, Array]
    numbers: list[Any]
    ended: Callable[[], None]


def is_able() -> bool:
    """Whether this is CPython, with the lock that a step relies on."""
    locked: Callable[[], bool] = getattr(sys, "_is_gil_enabled", lambda: True)
    return sys.implementation.name == "cpython" and locked()


def step_of(turn: Turn, answer: Answer, now: object, held: object) -> Step:
    """The step of a `turn` with the pointers of its kernel, which holds on to `held`. `now` counts ticks.

    Raises:
        EnvError: see `hamlet.native.library.library`.
    """
    loaded = library(text(SOURCE))
    turn.by = ctypes.addressof(_python())
    for name, dtype in OUTCOMES.items():
        assert answer.outcomes[name].dtype == dtype
        setattr(turn, name, answer.outcomes[name].ctypes.data)
    turn.actions, (turn.least, turn.greatest) = answer.actions, answer.controls
    turn.now = now
    for name in OF_ANSWER:
        setattr(turn, name, getattr(answer, name))
    for name, value in OBJECTS.items():
        setattr(turn, name, value)
    turn.name, turn.flags, turn.doc = b"step", ONE_ARGUMENT, b"A step."
    made = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object)(("hamlet_step_of_python", loaded))
    return cast("Step", made(ctypes.addressof(turn), (turn, answer, loaded, held)))


@cache
def _python() -> ctypes.Array[ctypes.c_void_p]:
    """The addresses of Python's functions."""
    addresses = [ctypes.cast(ctypes.pythonapi[name], ctypes.c_void_p).value for name in FUNCTIONS]
    return (ctypes.c_void_p * len(addresses))(*addresses)
