"""Functions of the tick IR: SSA nodes in an order in which operands come first, and named outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from hamletc.ir.ops import Op, Type, Value

Phase: TypeAlias = Literal[
    "state",
    "policy",
    "draws",
    "act",
    "interact",
    "decay",
    "rules",
    "deaths",
    "reward",
    "clock",
    "episode",
    "observe",
    "mask",
]
PHASES: tuple[Phase, ...] = get_args(Phase)
"""The phases of a tick (docs/semantics.md) in their order. `state` is what a lane brings into the tick; `draws` are the
random numbers of whichever phase asks for them; `episode` is the beginning of one."""


@dataclass(frozen=True, slots=True)
class Construct:
    """What an author wrote, by its kind and name (`cascade`, `hunger_sickens`), or a step of a tick that nobody wrote
    (`progress`). The name is empty where a construct has none, the kind where a node belongs to nothing."""

    kind: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".strip()


NOTHING = Construct("")


@dataclass(frozen=True, slots=True)
class Origin:
    """Why a node exists: the phase of a tick, the construct, its line in the universe's source (0: none), and which of
    the universe's sources that is."""

    phase: Phase
    construct: Construct = NOTHING
    line: int = 0
    file: int = 0

    @property
    def title(self) -> str:
        """The construct for a reader, and of a meter what it does: `cascade hunger_sickens`, `meter energy decay`."""
        return f"{self.construct} {self.phase}" if self.construct.kind == "meter" else str(self.construct)

    def __str__(self) -> str:
        return self.phase if str(self.construct) in ("", self.phase) else f"{self.phase}: {self.construct}"


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
    """A constant array that `Lookup` reads.

    Attributes:
        origins: where each value comes from, in tables that passes make; `None` for what no construct asked for.
    """

    name: str
    type: Type
    values: tuple[float | int, ...]
    origins: tuple[Origin | None, ...] = ()


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
