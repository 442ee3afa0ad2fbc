"""Functions of the tick IR: SSA nodes in an order in which operands come first, and named outputs."""

from __future__ import annotations

from dataclasses import field
from typing import Literal, TypeAlias, get_args

from hamlet.frozen import dataclass
from hamlet.universe import stages
from hamletc.ir.ops import Op, Type, Value

Phase: TypeAlias = stages.Phase | Literal["state", "policy", "draws"]
PHASES: tuple[Phase, ...] = ("state", "policy", "draws", *dict.fromkeys(step.phase for step in stages.ORDER))
"""The phases of a tick in their order. `state` is what a lane brings into the tick; `draws` are the random numbers of
whichever phase asks for them; `episode` is the beginning of one."""


@dataclass(frozen=True, slots=True)
class Construct:
    """A construct of the author's, by its kind and name (`cascade`, `hunger_sickens`), or a step of a tick that nobody
    wrote (`progress`). The name is empty where a construct has none, the kind where a node belongs to nothing.
    """

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
class Local:
    """A local as it is worked out: its name, its value, the conditions (BOOL) under which its statement runs, where it
    is from, and how many nodes were made `before` it."""

    name: str
    value: Value
    guards: tuple[Value, ...]
    origin: Origin
    before: int


@dataclass(frozen=True, slots=True)
class Function:
    """A function of one lane. Node i is value i; operands have smaller numbers than the node that uses them.

    Attributes:
        locals: those that it works out, in order, for who reads the lowered function; passes make functions without.
    """

    name: str
    nodes: tuple[Node, ...]
    outputs: tuple[Output, ...]
    locals: tuple[Local, ...] = field(default=(), compare=False)

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
        in_warp: whether kernels for GPUs hold it in registers of a warp, not in memory.
    """

    name: str
    type: Type
    values: tuple[float | int, ...]
    origins: tuple[Origin | None, ...] = ()
    in_warp: bool = False


Stage: TypeAlias = Literal["tick", "settle", "cells", "births"]
STAGES: tuple[Stage, ...] = get_args(Stage)
"""When the agents of a world are counted together: on the state at the beginning of a tick, and on that after the rules
of the agents; then also those on each cell by themselves, and for births those that are still alive."""

ReductionOp: TypeAlias = Literal["count", "total", "lowest", "highest", "last", "nearest", "rank", "alike", "grant"]
REDUCTION_OPS: tuple[ReductionOp, ...] = get_args(ReductionOp)


STANDING = "standing"
"""The output of `reduce_cells` that is the cell on which a lane stands; with a point and a name behind it, another
one."""


PUSHED = "pushed"
"""With which names begin of what an agent adds to cells that it pushes something from or to: `pushed.cell.<number>`, an
index, and `pushed.by.<number>`, both outputs (F32) of `tick`."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """A reduction over the lanes of a world that run a tick: a result `among.<name>`, an input of later functions.

    The function `reduce_<stage>` gives what a lane adds: `term.<name>`, F32, or BOOL for `count`, `rank` and `grant`.
    Results are F32 and the same for all lanes of a world (docs/semantics.md, "Worlds whose agents meet"): the count;
    the total and the extremes in the order of a tree over the numbers of agents, 0 where nobody runs.

    Of the stage `cells` results are of each cell: of the running agents that are at it, numbers joined in the order
    of agents, from 0 on, or from the first one; of `last` that of the last one. Only functions of cells read them.
    `reduce_cells` also gives `standing` (I32): the cell at which the lane is, -1 where at none. That is the one on
    which it stands, or by another name another one: to or from which it pushes, or where it has posted something.

    The result of `rank` is F32 and each lane's own: for how many other lanes that run the term holds and
    `priority.<name>` (U32, never 0) is higher, or the same and the number of the agent lower.

    That of `alike` is F32 and each lane's own, too: for how many lanes that run the term (BOOL) holds and `key.<name>`
    (I32) is what this lane asks for, `asked.<name>` (I32): a key from 0 on, of which there are `few`, or -1, which none
    has. Of `others` the lane itself does not count.

    The result of `grant` is BOOL: whether the lane's claim is granted. The first `places.<name>` (I32 from 0 on, the
    same for all lanes of a world) claims are: those with `first.<name>` (BOOL) before those without, then by
    `priority.<name>` (U32), the highest first, then by the number of the agent, the lowest first. A function that does
    not give `first.<name>` or `priority.<name>` has the same for all.

    Of `pairs` each lane has a result of its own, F32: it asks all lanes of its world, itself too, and what these add
    depends on both. The function `pair_<stage>` gives it, of what the asking lane shows (`own.<number>`) and of what
    the other shows (`other.<number>`): the outputs `shown.<number>` of `reduce_<stage>`. A count, a total and extremes
    are made of it as above. The result of `nearest` is `value.<name>` (F32) of the lane that runs, for which the term
    (BOOL) holds, and which has the least `away.<name>` (F32, 0 or more), of several such the one with the lowest
    number; where there is none, `otherwise.<name>` (F32) that `reduce_<stage>` gives of the asking lane. What the
    function of pairs of the stage `tick` gives as `pairs.<state>` is what the asking lane has of the other one then.

    Of `few` priorities it is known that they are 1 .. `few`.
    """

    stage: Stage
    name: str
    op: ReductionOp
    pairs: bool = False
    few: int | None = None
    standing: str = STANDING
    others: bool = False

    @property
    def result(self) -> str:
        """The name of the result."""
        return f"among.{self.name}"

    @property
    def type(self) -> Type:
        """The type of the result."""
        return Type.BOOL if self.op == "grant" else Type.F32

    @property
    def function(self) -> str:
        """The name of the function that gives what lanes add."""
        return (pairer if self.pairs else reducer)(self.stage)

    @property
    def terms(self) -> dict[str, Type]:
        """The terms of a lane, by the names of outputs; that of a grant which not all have is `optional`."""
        conditions = ("count", "nearest", "rank", "alike", "grant")
        term = {f"term.{self.name}": Type.BOOL if self.op in conditions else Type.F32}
        if self.op == "nearest":
            return term | {f"away.{self.name}": Type.F32, f"value.{self.name}": Type.F32}
        if self.op == "rank":
            return term | {f"priority.{self.name}": Type.U32}
        if self.op == "alike":
            return term | {f"key.{self.name}": Type.I32, f"asked.{self.name}": Type.I32}
        return term | ({f"places.{self.name}": Type.I32} if self.op == "grant" else {})

    @property
    def defaults(self) -> dict[str, Type]:
        """Outputs of `reduce_<stage>` beside the terms, by name."""
        return {f"otherwise.{self.name}": Type.F32} if self.op == "nearest" else {}

    @property
    def optional(self) -> dict[str, Type]:
        """Further terms that a lane may have, by the names of outputs."""
        if self.op != "grant":
            return {}
        return {f"first.{self.name}": Type.BOOL, f"priority.{self.name}": Type.U32}


NEAR, CELLS, BEGIN_CELLS, OVER = "near", "spread", "begin_cells", "over"
"""The functions of cells: what neighbours sum, what the rules do, how an episode begins, and what is asked of all."""
PUSHES = "pushes"
"""The input (BOOL) of `awake`: whether an agent of the world pushes something."""
AWAKE = "awake"
"""The function (BOOL) of whether rules of cells do anything in a world, where all that can be told without a cell."""
ONLY_CELL = "only_cell"
"""The function (I32) of the only cell in which rules of cells can do anything, where a world tells that; or -1."""
CROWD = "crowd"
"""The function of what an agent adds to meters of cells that are totals of the agents on each: `standing` (I32), its
cell; `counted` (BOOL), whether it does; and `crowd.<number>` (F32)."""
BEGIN_PAIRS = "begin_pairs"
"""The function of what a lane has of agent `other` (I32) of its world as an episode begins: `pairs.<state>`, F32."""
OF_PAIRS = "pairs."
"""Before the name of a state of pairs: the array that `Fetch` reads; or an output of the function of pairs: what the
asking lane has of the other one when the rules of pairs have run."""
PAIRS_AT = "pairs_at"
"""The input (I32) of where the pairs of the lane's world begin."""
PAST = "past."
"""Before the name of a meter of cells: the array of what it was in all cells of the world before their rules."""

CARRIED_OUT = "carried_out"
"""The function of the action that an agent carries out, of the one that it chose; where not all agents act in all
ticks."""

TICK, WORLD, SETTLE, BEAR = "tick", "world", "settle", "bear"
"""The functions of the stretches of a tick that agents and worlds run; `CELLS` is that of cells."""


def function_of(stretch: stages.Stretch) -> str:
    """The name of the function of a stretch of a tick, which a program has where something happens in it. Where nothing
    follows after the rules of agents but what each agent knows alone, the first one has what the last one had."""
    match stretch.scope:
        case "agent":
            functions = {"began": TICK, "settled": SETTLE, "living": BEAR}
            return functions[stretch.together or "began"]
        case "world":
            return WORLD
        case "cell":
            return CELLS


def stage_of(stretch: stages.Stretch) -> Stage:
    """When the agents are counted together that a stretch of a tick asks for."""
    of_agents: dict[stages.Together, Stage] = {"began": "tick", "settled": "settle", "living": "births"}
    return "cells" if stretch.scope == "cell" else of_agents[stretch.together or "began"]


def ticking() -> tuple[stages.Stretch, ...]:
    """The stretches of a tick that are functions of what agents, worlds and cells do, in their order."""
    return tuple(stretch for stretch in stages.stretches() if stretch.together is not None)


def reducer(stage: Stage) -> str:
    """The name of the function that gives what lanes add in a stage."""
    return f"reduce_{stage}"


def pairer(stage: Stage) -> str:
    """The name of the function of pairs of lanes in a stage."""
    return f"pair_{stage}"


@dataclass(frozen=True, slots=True)
class Program:
    """All functions of a universe, by name, the tables they share, and what the agents of a world have together, in the
    order of stages. docs/design.md lists inputs and outputs."""

    universe: str
    functions: tuple[Function, ...]
    tables: tuple[Table, ...]
    reductions: tuple[Reduction, ...] = ()

    def stage(self, stage: Stage) -> tuple[Reduction, ...]:
        """The reductions of a stage."""
        return tuple(reduction for reduction in self.reductions if reduction.stage == stage)

    def has(self, name: str) -> bool:
        """Whether there is a function of this name."""
        return any(function.name == name for function in self.functions)

    def function(self, name: str) -> Function:
        """The function of this name.

        Raises:
            KeyError: there is none.
        """
        for function in self.functions:
            if function.name == name:
                return function
        raise KeyError(name)
