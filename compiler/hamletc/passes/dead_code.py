"""Dead code elimination."""

from __future__ import annotations

from hamlet.frozen import dataclass
from hamletc.ir.function import Function, Node, Output
from hamletc.ir.operands import operands, with_operands
from hamletc.ir.ops import Value


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
        dead = live.index(False)
        # What comes before the first dead node keeps its number.
        new: dict[Value, Value] = {value: value for value in range(dead)}
        nodes: list[Node] = list(function.nodes[:dead])
        for value, node in enumerate(function.nodes[dead:], dead):
            if live[value]:
                new[value] = len(nodes)
                if values := operands(node.op):
                    node = Node(with_operands(node.op, tuple([new[each] for each in values])), node.type, node.origin)
                nodes.append(node)
        outputs = [Output(output.name, new[output.value], output.count) for output in function.outputs]
        return Function(function.name, tuple(nodes), tuple(outputs))
