"""Kernels in WebAssembly, as functions that take the table of words that those in C take (`hamlet.launch.cpu.entry`).

A module has a memory of its own. So a launch copies arrays into it, calls the kernel, and copies what kernels write
back: this is for comparing bits. Who wants worlds that live there exports them (`hamletc export --to wasm`).
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import wasmtime

from hamlet.backend.buffers import Buffers
from hamlet.backend.protocol import NetworkPolicy, Stream
from hamlet.errors import EnvError, ModuleError
from hamlet.launch.cpu import by_hand
from hamlet.launch.cpu.entry import (
    ACTIONS,
    C_FUNCTION,
    COUNT,
    HEAD,
    KERNEL,
    LANES,
    NARROWED,
    WIDE,
    WRONG,
    Entry,
    Value,
    places,
    words_of,
)
from hamlet.launch.cpu.kernels import Kernels
from hamlet.launch.cpu.launch import CpuBackend
from hamlet.launch.cpu.memory import Arrays
from hamlet.package.module import Module, text_of
from hamlet.schema import abi

SUFFIX = "wasm"
ENTRY = "rollout_"
"""The beginning of the names of a module's functions; then comes the type of observations in memory."""
ABOUT = re.compile(rb"cells (\d+) lanes (\d+) heap (\d+)$")
"""The last section of a module: rows of the cell cache, lanes of a chunk, where memory begins that is a host's."""
PAGE = 1 << 16
MOST = (1 << 32) - PAGE
"""Bytes of memory, at most."""
ALIGNED = 64
ONLY_READ = frozenset(("actions", *abi.TABULAR, *abi.GIVEN))
"""Arrays that kernels do not write."""
Words: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
Bytes: TypeAlias = "np.ndarray[Any, np.dtype[np.uint8]]"


class WasmBackend(CpuBackend):
    """The backend of kernels in WebAssembly; see `hamlet.backend.protocol.Backend`."""

    name = "wasm"

    def __init__(self, module: Module) -> None:
        """Raises `ModuleError`: the module was compiled without them, or by another version."""
        kernels = WasmKernels(module)
        super().__init__(module.universe, kernels, threads=1)
        self._failed = kernels.failed

    def _play(
        self,
        policy: NetworkPolicy,
        buffers: Buffers,
        arrays: Arrays,
        scalars: dict[str, int],
        stream: Stream,
        observe: bool,
    ) -> None:
        super()._play(policy, buffers, arrays, scalars, stream, observe)
        if self._failed:
            raise self._failed.pop()


class WasmKernels(Kernels):
    """The kernel `rollout` of a package in WebAssembly. Entries are functions of Python, also for callers of functions
    of C by their address.

    Attributes:
        failed: exceptions of calls by an address.
    """

    def __init__(self, module: Module) -> None:
        """Raises `ModuleError`: the module was compiled without kernels in WebAssembly, or by another version."""
        contents = text_of(module, "wasm", SUFFIX)
        about = ABOUT.search(contents)
        if about is None:
            raise ModuleError(
                f"{module.path} has kernels in WebAssembly of another version: compile {module.name} again"
            )
        self.cells, self.lanes, self._heap = map(int, about.groups())
        self.origin = "just in time, WebAssembly"
        self._names = abi.array_arguments(module.universe, "rollout")
        self._beside, self._player = by_hand.beside, None
        self._functions: list[Any] = []
        self.failed: list[Exception] = []
        engine = wasmtime.Engine()
        self._store = wasmtime.Store(engine)
        instance = wasmtime.Instance(self._store, wasmtime.Module(engine, contents), [])
        self._exports: Any = instance.exports(self._store)

    def entry(self, values: Sequence[Value], whole: bool) -> Entry:
        """The kernel for these arguments."""
        del whole
        observations = values[self._names.index("observation")]
        assert isinstance(observations, np.ndarray), "observations are an array"
        kernel = self._exports[f"{ENTRY}{observations.dtype.kind}{8 * observations.itemsize}"]
        names = (*self._names, *[""] * len(values))
        arrays = [
            _Array(place, value.itemsize, value.ndim, name in ONLY_READ)
            for name, place, value in zip(names, places(values), values, strict=False)
            if isinstance(value, np.ndarray)
        ]
        words = len(HEAD) + sum(len(words_of(value)) for value in values)

        def call(address: int) -> int:
            return self._launch(kernel, arrays, np.ctypeslib.as_array((ctypes.c_int64 * words).from_address(address)))

        def called(address: int) -> int:
            # Who calls a function of C hears of no exception.
            try:
                return call(address)
            except (EnvError, wasmtime.WasmtimeError, wasmtime.Trap) as error:
                self.failed.append(error)
                return WRONG

        function = C_FUNCTION(called)
        self._functions.append(function)
        pointer = ctypes.cast(function, ctypes.c_void_p).value
        assert pointer is not None, "a function has an address"
        return Entry(pointer, call, places(values))

    def _launch(self, kernel: Any, arrays: Sequence[_Array], table: Words) -> int:
        """Run a kernel in the memory of the module."""
        if not _are_in_range(table):
            return WRONG
        if not table[KERNEL]:
            return 0
        begins: dict[_Array, int] = {}
        end, own = -(-(self._heap + table.nbytes) // ALIGNED) * ALIGNED, table.copy()
        for each in arrays:
            # Who runs no ticks passes observations in the place of final ones, too.
            size = each.size(table)
            same = (b for e, b in begins.items() if table[e.place] == table[each.place] and e.size(table) == size)
            own[each.place] = begin = next(same, end)
            if begin == end:
                begins[each] = begin
                end += -(-size // ALIGNED) * ALIGNED
        self._grow(end)
        memory = self._memory()
        for each, begin in begins.items():
            memory[begin : begin + each.size(table)] = each.bytes_in(table)
        memory[self._heap : self._heap + own.nbytes] = own.view(np.uint8)
        kernel(self._store, self._heap, end)
        # Memory may have grown, and stand elsewhere then.
        memory = self._memory()
        for each, begin in begins.items():
            if not each.only_read:
                each.bytes_in(table)[:] = memory[begin : begin + each.size(table)]
        return 0

    def _memory(self) -> Bytes:
        memory = self._exports["memory"]
        return np.ctypeslib.as_array(memory.data_ptr(self._store), (memory.data_len(self._store),))

    def _grow(self, size: int) -> None:
        """Memory of so many bytes.

        Raises:
            EnvError: there is none.
        """
        memory = self._exports["memory"]
        missing = -(-size // PAGE) - memory.size(self._store)
        if size > MOST:
            raise EnvError(f"{size >> 20} MiB of worlds do not fit into the 4 GiB of WebAssembly: take fewer worlds")
        if missing > 0:
            memory.grow(self._store, missing)


@dataclass(frozen=True, slots=True)
class _Array:
    """An array among the arguments of a kernel.

    Attributes:
        place: the word of a table that has its address; those of its shape follow.
    """

    place: int
    itemsize: int
    dimensions: int
    only_read: bool

    def size(self, table: Words) -> int:
        """The bytes of the array."""
        return self.itemsize * math.prod(map(int, table[self.place + 1 : self.place + 1 + self.dimensions]))

    def bytes_in(self, table: Words) -> Bytes:
        """The contents of the array."""
        size = self.size(table)
        return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(int(table[self.place])), (size,))


def _are_in_range(table: Words) -> bool:
    """Whether the actions that a table names are; those of 64 bits are then narrowed."""
    count = int(table[LANES])
    if not count:
        return True
    kind = ctypes.c_int64 if table[WIDE] else ctypes.c_int32
    actions = np.ctypeslib.as_array((kind * count).from_address(int(table[ACTIONS])))
    if table[WIDE]:
        np.ctypeslib.as_array((ctypes.c_int32 * count).from_address(int(table[NARROWED])))[:] = actions
    return bool(((actions >= 0) & (actions < table[COUNT])).all())
