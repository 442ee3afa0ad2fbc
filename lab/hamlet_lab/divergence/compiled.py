"""Compiled forms of a side's universe: the forms of its program, from the lowering on, and the text of its kernels.

Names in generated functions are those that `hamletc.kernel.body` gives, for all targets: so a name stands for a value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from hamlet.package.module import Module
from hamlet.universe import Universe
from hamletc.compilation import Compilation
from hamletc.compile import lower, specialise
from hamletc.errors import CompileError
from hamletc.ir.evaluate import Array
from hamletc.ir.function import Program
from hamletc.ir.ops import Value
from hamletc.ir.text import ParseError, parse_program
from hamletc.kernel.body import Body, Loop
from hamletc.kernel.schedule import Schedule, ScheduleError
from hamletc.kernel.text import parse_schedule
from hamletc.lowering.plan import LIMITS, plan
from hamletc.package import IR_FILE, SCHEDULE_FILE
from hamletc.passes.facts import facts_of
from hamletc.passes.pipeline import default_passes

TABLE = "table_"


@dataclass(frozen=True, slots=True)
class Form:
    """A program, and what made it of the form before: "the lowering", "pass dead_code", "the package's tick.ir"."""

    made_by: str
    program: Program


def packaged(module: Module) -> Form:
    """The optimised program as a package has it.

    Raises:
        CompileError: the package has none.
    """
    try:
        text = module.sources[IR_FILE].decode()
        return Form(f"the package's {IR_FILE}", parse_program(text))
    except (KeyError, UnicodeDecodeError, ParseError) as error:
        raise CompileError(f"{module.path / IR_FILE} holds no program: compile {module.name} again") from error


def scheduled(module: Module) -> Schedule:
    """The schedule as a package has it.

    Raises:
        CompileError: the package has none.
    """
    try:
        return parse_schedule(module.sources[SCHEDULE_FILE].decode())
    except (KeyError, UnicodeDecodeError, ScheduleError) as error:
        raise CompileError(f"{module.path / SCHEDULE_FILE} holds no schedule: compile {module.name} again") from error


def specialised(form: Form, universe: Universe, target: str) -> Form:
    """The program that kernels of a target are printed from."""
    program = specialise(Compilation.of(plan(universe, LIMITS), form.program), target).program
    return form if program == form.program else Form(f"the passes for {target}", program)


def lowered(universe: Universe) -> Form:
    """The first form."""
    return Form("the lowering", lower(universe).program)


def passes(universe: Universe, first: Form) -> Iterator[Form]:
    """The forms after each pass that changes something."""
    program = first.program
    for each in default_passes(facts_of(universe, program)):
        functions = tuple(each.run(function) for function in program.functions)
        after = replace(program, functions=functions)
        if after != program:
            yield Form(f"pass {each.name}", after)
        program = after


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated function.

    Attributes:
        name: in the text.
        parameters: the names of what it is called with, but for where it writes results.
        lines: number and text of the line that gives a name its value.
        results: the values that it returns, in order; there may be more.
        loop: the repeated output that it computes, one element a call; else `None`.
    """

    name: str
    parameters: tuple[str, ...]
    lines: Mapping[str, tuple[int, str]]
    results: tuple[Value, ...]
    loop: Loop | None = None


def values_of(names: Collection[str], printed: Body) -> dict[str, Value]:
    """The values that names stand for; those that the compiler does not give are left out."""
    by_name = {name: value for value, name in printed.names.items()}
    return {name: by_name[name] for name in names if name in by_name}


Tap = Callable[[Generated, Body, Collection[Value], list[Array | str]], tuple[list[Value], Array]]
"""Runs a generated function on inputs [lanes] (or names of tables) with stores of some lines; which values these and
the results are, and their bits, i32 [values, lanes]."""


@dataclass(frozen=True, slots=True)
class Kernels:
    """The kernels of a package, and what they were made from.

    Attributes:
        file: their name.
        program: what they should compute.
        functions: which of their functions a function of the program became.
        tap: what runs them.
    """

    file: str
    program: Program
    functions: Callable[[str, Body], list[Generated]]
    tap: Tap


@dataclass(frozen=True, slots=True)
class Compiled:
    """The compiled forms of a side's universe.

    Attributes:
        forms: of its program, from the lowering on. The results of the side should be those of the last.
        kernels: `None` for what runs programs or universes as they are.
    """

    forms: tuple[Form, ...]
    kernels: Kernels | None = None
