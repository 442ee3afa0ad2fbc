"""Emits `triton_kernels.py`: the functions that builders make of a program, within the frame of `kernels.py.j2`."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from hamlet import schema
from hamlet.package.manifest import plain
from hamlet.universe import Universe
from hamletc.ir.function import BEGIN_CELLS, BEGIN_PAIRS, CARRIED_OUT, OVER, Program
from hamletc.ir.ops import Const
from hamletc.kernel.build import build
from hamletc.kernel.code import Function, Parameter
from hamletc.kernel.expressions import Typed
from hamletc.kernel.passing import passing
from hamletc.kernel.scopes import verify
from hamletc.targets.printing import listing, table_values
from hamletc.targets.python import PythonPrinter
from hamletc.targets.triton.act import act
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.cells import cells
from hamletc.targets.triton.counts import counts
from hamletc.targets.triton.crowds import crowds
from hamletc.targets.triton.episodes import episodes
from hamletc.targets.triton.formatter import DTYPES, literal, typed
from hamletc.targets.triton.functions import computed, elementary
from hamletc.targets.triton.kernels import kernels
from hamletc.targets.triton.meeting import meeting
from hamletc.targets.triton.memory import memory
from hamletc.targets.triton.observe import observe
from hamletc.targets.triton.pair_states import of_pairs
from hamletc.targets.triton.places import places
from hamletc.targets.triton.survey import scene_words, survey
from hamletc.targets.triton.tick import tick
from hamletc.targets.triton.together import PAIRED

LIBRARY = ("tl", "range", "float")
"""Names of Triton and of Python in generated functions."""
FEW = 96
"""Registers that a step gets where a lane has little to hold. The assembler would take 128, to no end, and a fifth of
the warps would not fit."""
MEETING = 128
"""Registers of ticks in which agents meet, where a lane has little to hold otherwise. Two blocks of 256 lanes fit then,
which the assembler would try to reach without a limit, and spill."""


def emit(program: Program, universe: Universe, notes: Sequence[str] = ()) -> str:
    """The text of `triton_kernels.py`; the same for the same program and universe. `notes`: what was chosen, and
    why."""
    bindings = Bindings(program, universe)
    sources = [plain(source) for source in universe.sources]
    tables = [table for table in program.tables if table.name not in bindings.columns.of]
    scene, columns = scene_words(bindings), bindings.columns
    limit = MEETING if bindings.meets.functions else FEW
    module = functions(bindings)
    verify(module, LIBRARY, bindings.bodies)
    return _frame().render(
        universe=universe,
        source=", ".join(sources),
        outcome=", ".join(field.name for field in schema.outcome_fields(universe)),
        columns=columns.all,
        notes=notes,
        tables=[
            *(listing(f'("{each.name}", "{each.type.value}", (', table_values(each), ")),") for each in tables),
            *columns.arrays(sources),
        ],
        kept=1 + len(scene) if scene else 0,
        registers=limit if bindings.has_little(bindings.held) else None,
        functions=printer(bindings).module(module),
    )


def functions(bindings: Bindings) -> list[Function]:
    """The functions of the module, in its order."""
    plan = build(bindings.universe, bindings.program)
    first = [
        *elementary(bindings),
        *computed(bindings, CARRIED_OUT, "tick", *bindings.meets.functions, *PAIRED),
        *places(bindings),
        *computed(bindings, "clock", "reset", "scene", "policy", "choose", "steer", "situation"),
        *act(bindings),
        *observe(bindings),
        *memory(bindings),
        *survey(bindings),
        *meeting(bindings),
        *computed(bindings, BEGIN_CELLS, OVER, BEGIN_PAIRS),
        *cells(bindings),
        *of_pairs(bindings),
        *crowds(bindings),
        *tick(bindings, plan),
    ]
    others = [*episodes(bindings, plan), *counts(bindings), *kernels(bindings, plan)]
    return passing([*first, *others], LIBRARY, bindings.bodies)


def printer(bindings: Bindings) -> PythonPrinter:
    """Prints functions of the module."""
    return PythonPrinter(
        bindings.formatters, bindings.universe.sources, constant, declared, decorator, ": tl.constexpr"
    )


def constant(value: Typed) -> str:
    """A number of a type."""
    plain = Const(value.type, value.value)
    return typed(plain) if value.alone else literal(plain)


def declared(parameter: Parameter) -> str:
    """A parameter of a function."""
    if parameter.constant:
        return f"{parameter.name}: tl.constexpr"
    return parameter.name if parameter.type is None else f"{parameter.name}: {DTYPES[parameter.type]}"


def decorator(function: Function) -> str:
    """What compiles a function; a kernel is not compiled anew for every number that it is passed."""
    if function.kind != "kernel":
        return "@triton.jit"
    numbers = [f'"{each.name}"' for each in function.parameters if each.type is not None]
    return listing("@triton.jit(do_not_specialize=[", numbers, "])")


def _frame() -> Template:
    """The frame of the file: docstring, imports and tables, around the functions."""
    environment = Environment(
        loader=PackageLoader("hamletc.targets.triton", ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("kernels.py.j2")
