"""Loops written out: each row of a `Fold` becomes nodes of the function that asks for it."""

from __future__ import annotations

from dataclasses import replace

from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Program
from hamletc.ir.ops import Fold, Input, Op, Value, operands, with_operands
from hamletc.ir.types import Type
from hamletc.passes.rewrite import rewrite


def unrolled(program: Program, name: str) -> Program:
    """The program with every loop that runs the function of this name written out, and without that function.

    The rows run in the same order on the same values, so all bits stay. A program without such a loop stays as it is.
    """
    bodies = [function for function in program.functions if function.name == name]
    if not bodies:
        return program
    (body,) = bodies
    functions = tuple(_written_out(function, body) for function in program.functions if function is not body)
    return replace(program, functions=functions)


def _written_out(function: Function, body: Function) -> Function:
    builder = Builder()

    def rule(op: Op, _type: Type) -> Value | None:
        if not isinstance(op, Fold) or op.function != body.name:
            return None
        state = dict(zip(op.names, op.initial, strict=True))
        for row in range(op.count):
            state = _row(builder, body, state | {"row": builder.i32(row)})
        return state[op.output]

    return rewrite(function, builder, rule)


def _row(builder: Builder, body: Function, given: dict[str, Value]) -> dict[str, Value]:
    """The outputs of the body for these inputs."""
    new: list[Value] = []
    for node in body.nodes:
        if isinstance(node.op, Input):
            new.append(given[node.op.name])
        else:
            new.append(
                builder.node(with_operands(node.op, tuple(new[value] for value in operands(node.op))), node.type)
            )
    return {output.name: new[output.value] for output in body.outputs}
