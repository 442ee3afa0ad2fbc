"""How passes go through a function: node by node, operands first, into a new builder."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeAlias

from hamletc.ir import ops
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output
from hamletc.ir.operands import operands, with_operands
from hamletc.ir.ops import Op, Type, Value

Rule: TypeAlias = Callable[[Op, Type], Value | None]
"""A value to use instead of an operation (on operands that have been rewritten), in the new builder; `None`: keep it.
"""


def rewrite(
    function: Function, builder: Builder, rule: Rule, on: Collection[type[Op]] = frozenset(ops.OPS)
) -> Function:
    """The function with a rule applied to every node; the same one if nothing changes. New nodes get the origin of the
    node that they replace.

    Args:
        on: the operations that the rule may replace.
    """
    if not any(type(node.op) in on for node in function.nodes):
        return function
    new: list[Value] = []
    changed = False
    for node in function.nodes:
        builder.origin = node.origin
        values = operands(node.op)
        # As long as nothing has changed, each node has its old number.
        op = with_operands(node.op, tuple([new[value] for value in values])) if changed and values else node.op
        value = rule(op, node.type) if type(op) in on else None
        if value is None:
            value = builder.keep(node) if op is node.op else builder.node(op, node.type)
        if not changed:
            there = builder.nodes[value].op
            changed = value != len(new) or (there is not op and there != op)
        new.append(value)
    if not changed and len(builder.nodes) == len(function.nodes):
        return function
    outputs = [Output(output.name, new[output.value], output.count) for output in function.outputs]
    return builder.finish(function.name, tuple(outputs))
