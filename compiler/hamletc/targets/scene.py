"""Splits what is observed into the *scene*, which stays for an episode, and the rest, which is computed every tick."""

from __future__ import annotations

from dataclasses import replace

from hamletc.ir.function import Function, Node, Origin, Output
from hamletc.ir.operands import operands
from hamletc.ir.ops import Const, Element, Fold, Input, Type, Value
from hamletc.passes.dead_code import DeadCodeElimination

LEAST_WORK = 8
"""Operations that make a value worth a register for a whole episode."""
MOST_VALUES = 8
"""Registers that a scene may take; a larger one is computed every tick instead."""


def split(function: Function) -> tuple[Function, Function]:
    """The function of the scene, with outputs `scene.0`, ..., and `function` with those as inputs.

    The scene are the values that depend on layout, places and cached cells alone and are costly; without any, it is the
    layout.
    """
    nodes = function.nodes
    reach = _reach(function)
    used = {operand for number, node in enumerate(nodes) if reach[number] is None for operand in operands(node.op)}
    used.update(output.value for output in function.outputs)
    values = [
        value for value in sorted(used) if (below := reach[value]) is not None and _work(nodes, below) >= LEAST_WORK
    ]
    if not 0 < len(values) <= MOST_VALUES:
        return _only_layout(), function
    names = {value: f"scene.{position}" for position, value in enumerate(values)}
    inputs = tuple(
        replace(node, op=Input(node.type, names[number])) if number in names else node
        for number, node in enumerate(nodes)
    )
    scene = Function("scene", nodes, tuple(Output(name, value) for value, name in names.items()))
    return DeadCodeElimination().run(scene), Function(function.name, inputs, function.outputs)


def _reach(function: Function) -> list[frozenset[Value] | None]:
    """For each value that depends on nothing but those, the operations that compute it; `None` for the
    others."""
    result: list[frozenset[Value] | None] = []
    for value, node in enumerate(function.nodes):
        match node.op:
            case Const():
                result.append(frozenset())
            case Input(name=name):
                result.append(frozenset() if name == "layout" or name.startswith(("place.", "cell.")) else None)
            case Element():
                result.append(None)
            case op:
                known = [below for operand in operands(op) if (below := result[operand]) is not None]
                fixed = len(known) == len(operands(op))
                result.append(frozenset({value}).union(*known) if fixed else None)
    return result


def _work(nodes: tuple[Node, ...], values: frozenset[Value]) -> int:
    """How many operations compute these values; each row of a loop is one at the least."""
    return sum(op.count if isinstance(op := nodes[value].op, Fold) else 1 for value in values)


def _only_layout() -> Function:
    node = Node(Input(Type.U32, "layout"), Type.U32, Origin("observe"))
    return Function("scene", (node,), (Output("scene.0", 0),))
