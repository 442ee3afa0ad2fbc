"""What is written in C by hand and runs beside generated kernels: a team of threads, and rollouts of networks."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, get_type_hints

import numpy as np

from hamlet.launch.cpu.memory import Array
from hamlet.launch.cpu.player import Frame, Network, Own, Player, Recalling, Stored, Worlds
from hamlet.launch.cpu.team import LEAD, SERVE, Functions, functions_at
from hamlet.native.library import library
from hamlet.native.texts import text

SOURCE = "beside.c"
PLAY, SIZES = "hamlet_play", "hamlet_play_sizes"
TUPLES: tuple[type[Any], ...] = (Frame, Network, Own, Worlds, Stored, Recalling)
"""What a player is given."""


class View(ctypes.Structure):
    """An array, as `hamlet.h` has it: [rows, columns], or [rows] with one column."""

    _fields_ = (("data", ctypes.c_void_p), ("rows", ctypes.c_int64), ("columns", ctypes.c_int64))


def view(array: Array) -> View:
    """The view of an array whose numbers lie in memory side by side."""
    assert array.flags.c_contiguous
    return View(array.ctypes.data, len(array), array.shape[1] if array.ndim > 1 else 1)


def beside() -> ctypes.CDLL:
    """Both, as a library; compiled where nobody has.

    Raises:
        EnvError: see `hamlet.native.library.library`.
    """
    return library(text(SOURCE))


def team(loaded: ctypes.CDLL) -> Functions:
    """What a team of threads runs."""
    serve, lead = (_address(loaded, name) for name in (SERVE, LEAD))
    return functions_at(serve, lead, loaded)


def player(loaded: ctypes.CDLL) -> Player:
    """What plays rollouts of networks."""
    sizes = np.zeros(2, np.int64)
    loaded[SIZES](ctypes.c_void_p(sizes.ctypes.data))
    function = loaded[PLAY]
    function.restype = None
    wide, room = sizes.tolist()
    return Player(wide, room, _play(function))


def network_struct(network: Network) -> ctypes.Structure:
    """A network as functions of C take it."""
    return _passed(_structure(Network), network)


def recalling_struct(recalling: Recalling) -> ctypes.Structure:
    """What lanes remember as functions of C take it."""
    return _passed(_structure(Recalling), recalling)


def _play(function: Any) -> Callable[..., None]:
    kinds = [_structure(each) for each in TUPLES]

    def play(*given: Any) -> None:
        *tuples, shares, thread, per_chunk, ticks = given
        passed = [
            None if each is None else ctypes.byref(_passed(kind, each))
            for kind, each in zip(kinds, tuples, strict=True)
        ]
        numbers = (ctypes.c_int64(each) for each in (thread, per_chunk, ticks))
        function(*passed, ctypes.byref(view(shares)), *numbers)

    return play


def _structure(of: type[NamedTuple]) -> type[ctypes.Structure]:
    """The structure with the fields of a tuple."""
    fields = [(name, ctypes.c_int64 if kind is int else View) for name, kind in get_type_hints(of).items()]
    return type(of.__name__, (ctypes.Structure,), {"_fields_": fields})


def _passed(kind: type[ctypes.Structure], given: Sequence[Any]) -> ctypes.Structure:
    return kind(*(view(each) if isinstance(each, np.ndarray) else each for each in given))


def _address(loaded: ctypes.CDLL, name: str) -> int:
    found = ctypes.cast(loaded[name], ctypes.c_void_p).value
    assert found is not None
    return found
