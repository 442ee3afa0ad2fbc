"""Dead code elimination."""

from __future__ import annotations

from dataclasses import dataclass

from hamletc.ir.function import Function, Node, Output
from hamletc.ir.ops import Value, operands, with_operands


@dataclass(frozen=True, slots=True)
class DeadCodeElimination:
    """Drops nodes that no output depends on."""

    name: str = "dead_code"

    def run(self, function: Function) -> Function:
        live = [False] * len(function.nodes)
        for output in function.outputs:
            live[output.value] = True
        for value in reversed(range(len(function.nodes))):
            if live[value]:
                for operand in operands(function.nodes[value].op):
                    live[operand] = True
        if all(live):
            return function
        new: dict[Value, Value] = {}
        nodes: list[Node] = []
        for value, node in enumerate(function.nodes):
            if live[value]:
                new[value] = len(nodes)
                op = with_operands(node.op, tuple([new[operand] for operand in operands(node.op)]))
                nodes.append(Node(op, node.type, node.origin))
        outputs = [Output(output.name, new[output.value], output.count) for output in function.outputs]
        return Function(function.name, tuple(nodes), tuple(outputs))
