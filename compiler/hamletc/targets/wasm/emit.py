"""Emits a module of WebAssembly: the tree of kernels for CPUs as functions with vectors of 128 bits.

Memory holds the tables of the universe, then what kernels make for themselves, then what its host puts there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hamlet.universe import Universe
from hamletc.ir.function import Program, Table
from hamletc.ir.ops import Type
from hamletc.kernel.body import table_name
from hamletc.targets.c.emit import TRUTHS, array_of
from hamletc.targets.c.module import built, functions_of
from hamletc.targets.c.places import cached_cells
from hamletc.targets.c.types import BOOL, INDEX, CType
from hamletc.targets.wasm.act import act
from hamletc.targets.wasm.cells import cells
from hamletc.targets.wasm.counts import counts
from hamletc.targets.wasm.encoding import Module, binary32
from hamletc.targets.wasm.meeting import meeting
from hamletc.targets.wasm.memory import memory
from hamletc.targets.wasm.native import NATIVE
from hamletc.targets.wasm.observe import observe
from hamletc.targets.wasm.printer import ALIGNED, WasmPrinter
from hamletc.targets.wasm.rollout import rollout
from hamletc.targets.wasm.together import together
from hamletc.targets.wasm.values import WIDE, Coded, constant

LANES, MOST_AGENTS = 256, 1024
WORD = 64
NOTES = 3 * LANES + WORD


@dataclass(frozen=True, slots=True)
class Kernels:
    """The functions of a program in a module that is not yet done.

    Attributes:
        arguments: of the kernel `rollout`, in order. Arrays are called as in `hamlet.schema.abi`, `_array` behind it.
        tables: the arguments that are constant tables.
        data: what memory holds at first.
        cells: rows of the cell cache, 0 where there is none.
    """

    printer: WasmPrinter
    arguments: tuple[str, ...]
    tables: frozenset[str]
    data: tuple[tuple[int, bytes], ...]
    cells: int


def kernels_of(program: Program, universe: Universe) -> Kernels:
    """The kernel of a program, before its functions are printed."""
    made = built(program, universe)
    bindings = made.bindings
    library = [*memory(), *counts(), *act(), *observe(), *together(), *meeting(), *cells(), *rollout()]
    functions = {each.name: each for each in (*library, *functions_of(made))}
    tables: dict[str, Coded] = {}
    data, end = [], ALIGNED
    for table in made.tables:
        contents = _contents(table)
        tables[table_name(table.name)] = constant(CType("table", table.type.value), end)
        data.append((end, contents))
        end += -(-len(contents) // ALIGNED) * ALIGNED
    row = LANES + 16 if made.cuts is not None else LANES
    constants = {
        "LANES": LANES,
        "WIDE": WIDE,
        "ROW": row,
        "CHOSEN": LANES + WORD,
        "NOTES": NOTES,
        "AHEAD": 4 * row,
        "CACHE_TICKS": 4,
        "CELLS": cached_cells(bindings),
        "TERMS": MOST_AGENTS + 2 * WORD,
        "SHARED": LANES + WIDE,
        "TALLIES": 2 * (MOST_AGENTS + 1) + WIDE,
        "TILED": MOST_AGENTS,
        "TREE": 12 * WIDE,
    }
    printer = WasmPrinter(functions, bindings.bodies, tables, constants, NATIVE, end)
    arguments = tuple(each.name for each in functions["rollout"].parameters)
    passed = frozenset(name for name in tables if name in arguments)
    return Kernels(printer, arguments, passed, tuple(data), constants["CELLS"])


def argument(name: str, kernels: Kernels, universe: Universe, observed: str) -> CType:
    """The type of an argument of the rollout, which observes in memory of a type."""
    if name in kernels.tables:
        return kernels.printer.tables[name].type
    if name.endswith("_array"):
        element = array_of(name.removesuffix("_array"), universe)[0]
        return CType("array", observed if element == "observed" else element)
    return BOOL if name in TRUTHS else INDEX


def module_of(kernels: Kernels, exports: Sequence[tuple[str, int]], custom: Sequence[tuple[str, bytes]] = ()) -> bytes:
    """The module of functions that were printed. Rooms begin behind everything that functions have in memory."""
    printer = kernels.printer
    end = printer.room(0)
    return Module(printer.types, printer.made, exports, end, kernels.data, [end], custom).encoded


def _contents(table: Table) -> bytes:
    """A table in memory."""
    if table.type is Type.F32:
        return b"".join(binary32(float(value)) for value in table.values)
    return b"".join((int(value) % (1 << 32)).to_bytes(4, "little") for value in table.values)
