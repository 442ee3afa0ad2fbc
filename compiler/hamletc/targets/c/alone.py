"""A function of the tick IR by itself, as a library that computes it for the lanes of arrays."""

from __future__ import annotations

from typing import Literal

from hamletc.ir.function import Function
from hamletc.kernel.body import body
from hamletc.kernel.code import Code, Compute, function, give
from hamletc.targets.c.printer import CPrinter
from hamletc.targets.c.types import CType

RUN = "run"
"""The function of the library: takes the addresses of arrays [lanes], one for each input and then for each output, and
how many lanes there are, i64; of vectors whole ones."""


def alone(of: Function, shape: Literal["number", "vector"]) -> str:
    """The text of the library, which computes numbers or vectors. Inputs and outputs are numbers, and no output is a
    constant."""
    printed = body(of)
    names = [parameter.name for parameter in printed.parameters]
    results = [printed.names[output.value] for output in printed.outputs]
    # The printer lets a function with one result return it: given twice, it is written to an address as others are.
    lines: list[Code] = [Compute(of.name, printed.lines), give(*results, *results[: len(results) == 1])]
    printer = CPrinter(
        {"_alone": function("_alone", names, f"The function `{of.name}`.", lines)},
        {of.name: printed},
        [of.name],
        {},
    )
    types = [CType(shape, parameter.type.value) for parameter in printed.parameters]
    made = printer.called("_alone", tuple(types))
    of_vectors = shape == "vector"
    read, write, step = ("fetch_v", "store_v", "WIDE") if of_vectors else ("load_", "store_", "1")
    arguments = [f"const {each.element} *in_{place}" for place, each in enumerate(types)]
    arguments += [f"{each.element} *out_{place}" for place, each in enumerate(made.gives[: len(results)])]
    passed = [f"{read}{each.element}(in_{place}, i)" for place, each in enumerate(types)]
    passed += [f"&result_{place}" for place in range(len(made.gives))]
    text = [
        '#include "hamlet.h"',
        *printer.texts,
        f"HAMLET_EXPORT void {RUN}({', '.join(arguments)}, i64 lanes) {{",
        f"  for (ix i = 0; i < lanes; i += {step}) {{",
        *(f"    {each.declared(f'result_{place}')};" for place, each in enumerate(made.gives)),
        f"    {made.name}({', '.join(passed)});",
        *(
            f"    {write}{each.element}(out_{place}, i, result_{place});"
            for place, each in enumerate(made.gives[: len(results)])
        ),
        "  }",
        "}",
    ]
    return "\n".join(text) + "\n"
