"""Common random numbers: kernels in which each variant of a launch has worlds of the same numbers.

Kernels number the worlds of a launch one after the other, and all that is random follows from that number. Here the
number that a random word is drawn with is the one within the variant. This is done in the tick IR, where a divisor is a
constant, so that the kernels are as fast as others. The interpreter runs no tick IR.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from hamlet.package.module import Module, in_memory
from hamlet.universe import Universe
from hamletc.compile import Options, emit_texts, lower, optimise
from hamletc.ir import ops
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Program
from hamletc.ir.operands import operands, with_operands
from hamletc.package import package


@lru_cache(maxsize=2)
def build_repeating(universe: Universe, worlds: int, agents: int, target: str) -> Module:
    """Kernels of a universe for one target, in memory, to be run from world 0 on: world w draws what world
    w % `worlds` draws in other kernels of the universe, for worlds of `agents` agents."""
    lowered = lower(universe, Options(edit=lambda program: repeating(program, worlds, agents)))
    texts = emit_texts(optimise(lowered), (target,))
    return in_memory(Path(universe.name), package(universe, texts))


def repeating(program: Program, worlds: int, agents: int) -> Program:
    """A lowered program whose numbers of worlds and lanes begin again with every `worlds` worlds."""
    periods = {"world": worlds, "lane": worlds * agents}
    return replace(program, functions=tuple(_repeating(each, periods) for each in program.functions))


def _repeating(function: Function, periods: Mapping[str, int]) -> Function:
    builder = Builder()
    new: list[ops.Value] = []
    for node in function.nodes:
        builder.origin = node.origin
        value = builder.node(with_operands(node.op, tuple(new[each] for each in operands(node.op))), node.type)
        if isinstance(node.op, ops.Input) and node.op.name in periods:
            period = builder.node(ops.Const(ops.U32, periods[node.op.name]), ops.U32)
            value = builder.node(ops.Rem(value, period), ops.U32)
        new.append(value)
    return builder.finish(function.name, tuple(replace(each, value=new[each.value]) for each in function.outputs))
