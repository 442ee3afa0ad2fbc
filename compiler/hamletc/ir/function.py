"""Functions of the tick IR: SSA nodes in an order in which operands come first, and named outputs."""

from __future__ import annotations

from dataclasses import dataclass

from hamletc.ir.ops import Op, Type, Value


@dataclass(frozen=True, slots=True)
class Origin:
    """Why a node exists: the construct (`cascade hunger_sickens`), its line in the universe's source (0: none), and
    which of the universe's sources that is."""

    construct: str
    line: int
    file: int = 0


@dataclass(frozen=True, slots=True)
class Node:
    """One operation, its type, and where it comes from."""

    op: Op
    type: Type
    origin: Origin


@dataclass(frozen=True, slots=True)
class Output:
    """A named result. `count` is `None` for a single value; otherwise the value stands for `count` values, one per
    element: it may depend on `Element(name)`, and is the same for all where it does not."""

    name: str
    value: Value
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """What one lane computes. Node i is value i; operands have smaller numbers than the node that uses them."""

    name: str
    nodes: tuple[Node, ...]
    outputs: tuple[Output, ...]

    def output(self, name: str) -> Output:
        """The output of this name.

        Raises:
            KeyError: there is none.
        """
        for output in self.outputs:
            if output.name == name:
                return output
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class Table:
    """A constant array that `Lookup` reads."""

    name: str
    type: Type
    values: tuple[float | int, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """All functions of a universe, by name, and the tables they share. docs/design.md lists inputs and outputs."""

    universe: str
    functions: tuple[Function, ...]
    tables: tuple[Table, ...]

    def function(self, name: str) -> Function:
        """The function of this name.

        Raises:
            KeyError: there is none.
        """
        for function in self.functions:
            if function.name == name:
                return function
        raise KeyError(name)
