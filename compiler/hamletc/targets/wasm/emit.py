"""Emits a module of WebAssembly: the tree of kernels for CPUs as functions with vectors of 128 bits.

Memory holds the tables of the universe, then what kernels make for themselves, then what its host puts there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from hamlet.frozen import dataclass
from hamlet.universe import Universe
from hamletc.ir.function import Program, Table
from hamletc.ir.ops import Type
from hamletc.kernel.body import table_name
from hamletc.kernel.code import Function
from hamletc.targets.c.emit import ARRAY, HEAD, PLANE, TRUTHS, array_of
from hamletc.targets.c.module import built, functions_of
from hamletc.targets.c.places import cached_cells
from hamletc.targets.c.types import BOOL, INDEX, CType
from hamletc.targets.wasm import encoding
from hamletc.targets.wasm.act import act
from hamletc.targets.wasm.cells import cells
from hamletc.targets.wasm.counts import counts
from hamletc.targets.wasm.encoding import I32, Module, binary32
from hamletc.targets.wasm.instructions import access, call, get, i64, op, put_global
from hamletc.targets.wasm.library import ROOMS
from hamletc.targets.wasm.lookups import MOST_ENTRIES
from hamletc.targets.wasm.meeting import meeting
from hamletc.targets.wasm.memory import memory
from hamletc.targets.wasm.native import NATIVE
from hamletc.targets.wasm.observe import observe
from hamletc.targets.wasm.printer import ALIGNED, WasmPrinter
from hamletc.targets.wasm.rollout import rollout
from hamletc.targets.wasm.together import together
from hamletc.targets.wasm.values import WIDE, Coded, constant

ENTRY = "rollout_"
"""What the names of functions begin with that a launcher calls with a table of words, see `hamlet.launch.wasm.kernels`;
then comes the type of observations in memory."""
OBSERVED = ("f32", "u8", "u16")
LANES, MOST_AGENTS = 256, 1024
WORD = 64
NOTES = 3 * LANES + WORD


@dataclass(frozen=True, slots=True)
class Kernels:
    """The functions of a program in a module that is not yet done.

    Attributes:
        arguments: of the kernel `rollout`, in order. Arrays are called as in `hamlet.schema.abi`, `_array` behind it.
        tables: the arguments that are constant tables.
        cells: rows of the cell cache, 0 where there is none.
    """

    printer: WasmPrinter
    arguments: tuple[str, ...]
    tables: frozenset[str]
    cells: int


def emit(program: Program, universe: Universe) -> bytes:
    """The contents of `wasm_kernels.wasm`; the same for the same program and universe."""
    kernels = kernels_of(program, universe)
    exports = [(f"{ENTRY}{observed}", _entry(kernels, universe, observed)) for observed in OBSERVED]
    heap = kernels.printer.room(0)
    about = f"cells {kernels.cells} lanes {LANES} heap {heap}"
    return module_of(kernels.printer, exports, [("hamlet", about.encode())])


def kernels_of(program: Program, universe: Universe) -> Kernels:
    """The kernel of a program, before its functions are printed."""
    made = built(program, universe)
    bindings = made.bindings
    functions = {each.name: each for each in (*library(), *functions_of(made))}
    tables: dict[str, Coded] = {}
    data: list[tuple[int, bytes]] = []
    end = ALIGNED
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
    short = {each.name: _contents(each) for each in made.tables if len(each.values) <= MOST_ENTRIES}
    printer = WasmPrinter(functions, bindings.bodies, tables, constants, NATIVE, end, short, data)
    arguments = tuple(each.name for each in functions["rollout"].parameters)
    passed = frozenset(name for name in tables if name in arguments)
    return Kernels(printer, arguments, passed, constants["CELLS"])


@cache
def library() -> tuple[Function, ...]:
    """The functions that every module may call; those that it does not call are not in it."""
    return (*memory(), *counts(), *act(), *observe(), *together(), *meeting(), *cells(), *rollout())


def argument(name: str, kernels: Kernels, universe: Universe, observed: str) -> CType:
    """The type of an argument of the rollout, which observes in memory of a type."""
    if name in kernels.tables:
        return kernels.printer.tables[name].type
    if name.endswith("_array"):
        element = array_of(name.removesuffix("_array"), universe)[0]
        return CType("array", observed if element == "observed" else element)
    return BOOL if name in TRUTHS else INDEX


def module_of(
    printer: WasmPrinter, exports: Sequence[tuple[str, int]], custom: Sequence[tuple[str, bytes]] = ()
) -> bytes:
    """The module of functions that were printed. Rooms begin behind everything that functions have in memory."""
    end = printer.room(0)
    return Module(printer.types, printer.made, exports, end, printer.data, [end], custom).encoded


def _entry(kernels: Kernels, universe: Universe, observed: str) -> int:
    """The function that a launcher calls with the address of a table of words, and that of the first room."""
    printer = kernels.printer
    types = tuple(argument(name, kernels, universe, observed) for name in kernels.arguments)
    printed = printer.function("rollout", types)
    words, rooms = range(2)
    code, word = get(rooms) + put_global(ROOMS), HEAD

    def number(place: int) -> bytes:
        return get(words) + access("i64.load", 8 * place)

    for name, type_ in zip(kernels.arguments, types, strict=True):
        if name in kernels.tables:
            code += printer.tables[name].code
        elif type_.shape == "array":
            dimensions = array_of(name.removesuffix("_array"), universe)[1]
            columns = number(word + ARRAY + 1) if dimensions == PLANE else i64(1)
            code += number(word + ARRAY - 1) + op("i32.wrap_i64") + number(word + ARRAY) + columns
            word += ARRAY + 2 * dimensions
        else:
            code += number(word) + (op("i32.wrap_i64") if type_ == BOOL else b"")
            word += 1
    signature = printer.kind((I32, I32), ())
    printer.made.append(encoding.Function(signature, (), code + call(printed.index)))
    return len(printer.made) - 1


def _contents(table: Table) -> bytes:
    """A table in memory."""
    if table.type is Type.F32:
        return b"".join(binary32(float(value)) for value in table.values)
    return b"".join((int(value) % (1 << 32)).to_bytes(4, "little") for value in table.values)
