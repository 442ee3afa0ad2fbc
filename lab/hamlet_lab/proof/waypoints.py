"""Programs on the way from the tick IR as lowered to kernels: as each pass left it.

What a compiler does in one go has many small steps, each of which is proven with ease. Terms of one program after the
other are made and merged; what a pass only made on its way, and nothing needs in the end, is a step as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hamlet.universe import Universe
from hamletc.compile import Options, lower, optimise, schedule
from hamletc.ir.function import Function, Program
from hamletc.kernel.schedule import Schedule


def waypoints(universe: Universe) -> Iterator[tuple[Program, Schedule]]:
    """The programs that passes leave, each with its schedule."""
    left: dict[str, list[Function]] = {}

    def observe(_: str, function: Function) -> None:
        left.setdefault(function.name, []).append(function)

    compilation = optimise(lower(universe, Options(observer=observe)))
    before: tuple[Function, ...] = ()
    for number in range(max(map(len, left.values()))):
        functions = tuple(
            left[each.name][number] if number < len(left.get(each.name, ())) else each
            for each in compilation.program.functions
        )
        if functions != before:
            before = functions
            program = replace(compilation.program, functions=functions)
            yield program, schedule(compilation.with_program(program))
