"""The forms that a program goes through on its way from a universe to kernels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hamlet.package.module import Module
from hamlet.universe import Universe
from hamletc.compilation import Compilation
from hamletc.compile import lower, specialise
from hamletc.errors import CompileError
from hamletc.ir.function import Program
from hamletc.ir.text import ParseError, parse_program
from hamletc.lowering.plan import LIMITS, plan
from hamletc.package import IR_FILE
from hamletc.passes.facts import facts_of
from hamletc.passes.pipeline import default_passes


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
        after = Program(program.universe, functions, program.tables)
        if after != program:
            yield Form(f"pass {each.name}", after)
        program = after
