"""Emits `numba_kernels.py`: the functions of a program, and kernels around them from `kernels.py.j2`."""

from __future__ import annotations

from hamlet.universe import Universe
from hamletc.ir.function import Program, Table
from hamletc.ir.ops import Const
from hamletc.kernel import code
from hamletc.kernel.body import remarks, table_name
from hamletc.kernel.scopes import verify
from hamletc.targets.frame import frame
from hamletc.targets.numba.bindings import Bindings
from hamletc.targets.numba.formatter import literal, typed
from hamletc.targets.numba.library import BESIDE, imports
from hamletc.targets.numba.module import built, functions_of
from hamletc.targets.numba.places import cached_cells
from hamletc.targets.printing import listing, table_values
from hamletc.targets.python import PythonPrinter

VECTOR = 16
"""Lanes that a vector has at least: four registers of four."""


def emit(program: Program, universe: Universe) -> str:
    """The text of `numba_kernels.py`; the same for the same program and universe."""
    rollout = built(program, universe, VECTOR)
    bindings, module = rollout.bindings, functions_of(rollout)
    imported = imports(module)
    verify(module, {*imported, *BESIDE, *map(table_name, bindings.short)}, bindings.bodies)
    return frame("numba").render(
        universe=universe,
        source=", ".join(bindings.sources),
        imports=imported,
        tables=[_table(each) for each in rollout.tables if each.name not in bindings.short],
        constants=[_short_table(each, bindings) for each in rollout.tables if each.name in bindings.short],
        cells=cached_cells(bindings),
        code=printer(bindings).module(module),
    )


def _table(table: Table) -> str:
    """A table that is passed to kernels."""
    return listing(f'("{table.name}", "{table.type.value}", (', table_values(table), ")),", 4)


def _short_table(table: Table, bindings: Bindings) -> str:
    """A table that is a constant, with remarks on where its values come from."""
    origins = [remarks(origin, bindings.sources) for origin in table.origins]
    return listing(f'{table_name(table.name)} = Short("{table.type.value}", (', table_values(table), "))", 0, origins)


def printer(bindings: Bindings) -> PythonPrinter:
    """Prints functions of the module."""
    return PythonPrinter(bindings.formatters, bindings.sources, constant, declared, decorator)


def constant(value: code.Typed) -> str:
    """A number of a type."""
    plain = Const(value.type, value.value)
    return typed(plain) if value.alone else literal(plain)


def declared(parameter: code.Parameter) -> str:
    """A parameter of a function."""
    return parameter.name


def decorator(function: code.Function) -> str:
    """What compiles a function."""
    return f"@{function.kind}"
