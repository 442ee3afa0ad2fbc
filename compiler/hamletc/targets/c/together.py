"""What the agents of a world have together, as kernels for CPUs hold it: arrays of what lanes add, and of results.

Arrays of what lanes add hold a chunk, or all agents of a world of several tiles; functions take them from the first
lane of a tile on. Where ticks are settled apart, what later functions need of a tile is carried from tile to tile.
"""

from __future__ import annotations

from dataclasses import field, replace

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.schema import MOST_AGENTS
from hamletc.ir.function import (
    BEAR,
    CELLS,
    CROWD,
    NEAR,
    OF_PAIRS,
    OVER,
    PUSHED,
    STAGES,
    Program,
    Reduction,
    ReductionOp,
    Stage,
    pairer,
    reducer,
)
from hamletc.ir.ops import Input
from hamletc.kernel.body import body, held_name, identifier, unique
from hamletc.kernel.expressions import Expression, Name, Operand
from hamletc.targets.c.arrays import Array, heap, stack
from hamletc.targets.c.slots import Chunk, Slot
from hamletc.targets.c.speaking import conditions_of_speakers

TILED = Name("TILED")

CLOSING = ("age", "episode_return")
"""The chunks of the state that settling a tick changes, beside who is alive."""

EXTREMES: tuple[ReductionOp, ...] = ("lowest", "highest")
OF_EACH: tuple[ReductionOp, ...] = ("grant", "rank", "alike")
"""What is another for each lane: there is room for all agents of a world."""


@dataclass(frozen=True, slots=True)
class Reduced:
    """A reduction.

    Attributes:
        terms: the array of what lanes add, by the part of an output's name before its point.
        shared: the array of the result of each lane; that of a grant is the array of claims itself.
        cell: the array of the cell that a lane adds to, where the result is of cells.
    """

    reduction: Reduction
    terms: dict[str, str]
    shared: str
    cell: str = "standing_cells"

    @property
    def op(self) -> str:
        return self.reduction.op

    @property
    def term(self) -> str:
        """The array of the terms, which are the claims of a grant."""
        return self.terms["term"]

    @property
    def ranked(self) -> list[Operand]:
        """What decides between the claims of a grant: arguments of `grant_worlds`."""
        first, priority = self.terms.get("first", "nobody"), self.terms.get("priority", "no_priority")
        return [first, priority, self.terms["places"], "priority" in self.terms, "claiming", "keys", "above"]

    @property
    def counted(self) -> bool:
        """Whether a rank is found by counting how many agents have each priority."""
        return self.op == "rank" and self.reduction.few is not None and self.reduction.few <= MOST_AGENTS

    @property
    def function(self) -> str:
        """What reduces worlds."""
        return "rank_few_worlds" if self.counted else f"{self.op}_worlds"

    @property
    def ranking(self) -> list[Operand]:
        """What a rank takes beside its terms and its result."""
        return ["keys", "ranked", *(["tally", self.reduction.few] if self.counted else [])]


@dataclass(frozen=True, slots=True)
class Found:
    """What each lane finds that asks all lanes of its world.

    Attributes:
        base: with which the names of its variables begin.
        otherwise: the array of what a lane has that finds nobody.
        result: the array of what lanes find.
    """

    reduction: Reduction
    base: str
    otherwise: str
    result: str

    @property
    def op(self) -> str:
        return self.reduction.op

    @property
    def found(self) -> Name:
        """The variable of what a lane has of those that it has asked."""
        return self.given("found")

    def given(self, output: str) -> Name:
        """The variable of an output of the function of pairs, by the part of its name before the point."""
        return Name(f"{self.base}_{output}")


@dataclass(frozen=True, slots=True)
class Asked:
    """What pairs of lanes are looked at for in a stage: each asks all lanes of its world.

    Attributes:
        function: the function of pairs.
        shown: the arrays of what lanes show, by the names of outputs.
        outputs: the variables of what the function gives.
        written: those of what the asking lane has of the other one then, by names of outputs.
        inputs: the names of what it takes.
        speakers: the arrays of conditions of which one holds for all lanes that have to be asked; empty: all have.
    """

    function: str
    shown: dict[str, str]
    found: list[Found]
    outputs: list[Name]
    inputs: list[str]
    written: dict[str, Name]
    speakers: list[str]

    @property
    def own(self) -> list[tuple[str, str]]:
        """The variables of what the asking lane shows, and the arrays."""
        numbers = [name.removeprefix("own.") for name in self.inputs if name.startswith("own.")]
        return [(f"own_{number}", self.shown[f"shown.{number}"]) for number in numbers]

    @property
    def arguments(self) -> list[Expression]:
        """What the function of pairs is given: own values, which are variables, and those of the lane `other`."""
        own = {f"own.{name.removeprefix('own_')}": Name(name) for name, _ in self.own}
        return [own.get(each) or Name(self.shown[each.replace("other.", "shown.")])["other"] for each in self.inputs]

    @property
    def totals(self) -> list[Found]:
        return [each for each in self.found if each.op == "total"]


@dataclass(frozen=True, slots=True)
class Together:
    """The reductions of a program, and what kernels need for them.

    Attributes:
        stages: the reductions of each stage that has some, without those of pairs of lanes.
        asked: those, of the stages that have some.
        slots: of what functions read and write beside the state, by names of inputs and outputs.
        made: what makes each array beside the state.
        begun: chunks of the state that functions read as they were at the beginning of a tick.
        extremes: whether somebody asks for an extreme, and thus who runs.
        settles: whether ticks are settled apart.
        carried: chunks that functions after a tick read, and the arrays that hold them for all tiles of a world.
        ended: what births read of how a tick has ended, likewise.
        crowding: the arrays of what lanes add to the totals on their cells.
    """

    stages: dict[Stage, list[Reduced]]
    slots: dict[str, Slot]
    made: dict[str, Array]
    begun: list[Chunk]
    settles: bool
    large: bool
    carried: list[tuple[Chunk, str]] = field(default_factory=list)
    ended: list[tuple[Chunk, str]] = field(default_factory=list)
    asked: dict[Stage, Asked] = field(default_factory=dict)
    crowding: list[str] = field(default_factory=list)

    @property
    def meets(self) -> bool:
        """Whether the agents of a world meet."""
        return bool(self.stages) or self.settles

    @property
    def all(self) -> list[Reduced]:
        """Those of whole worlds."""
        return [each for stage, several in self.stages.items() if stage != "cells" for each in several]

    def asks(self, stage: Stage, *ops: ReductionOp) -> bool:
        """Whether one of the reductions of a stage is one of these operations."""
        return any(each.op in ops for each in self.stages[stage])

    def asks_who_runs(self, stage: Stage) -> bool:
        """Whether reducing a stage needs to know which lanes run."""
        return stage == "cells" or stage in self.asked or self.asks(stage, *EXTREMES)

    def _shown(self, stage: Stage) -> list[str]:
        """The arrays of what lanes give for pairs of them."""
        if stage not in self.asked:
            return []
        asked = self.asked[stage]
        return [*asked.shown.values(), *(each.otherwise for each in asked.found if each.otherwise)]

    @property
    def from_tile(self) -> set[str]:
        """The arrays that functions take from the first lane of a tile on."""
        ranks = {each.shared for each in self.all if each.op in ("rank", "alike")}
        found = {each.result for asked in self.asked.values() for each in asked.found}
        shown = {name for stage in self.asked for name in self._shown(stage)}
        terms = {name for several in self.stages.values() for each in several for name in each.terms.values()}
        cells = {each.cell for several in self.stages.values() for each in several}
        return terms | ranks | found | shown | cells | {"runs", *self.crowding}

    def array(self, dtype: str, size: Operand) -> Array:
        """An array of that many elements."""
        return heap(dtype, size) if self.large else stack(dtype, size)


def together(program: Program, held: dict[str, Slot], outcomes: tuple[Slot, ...], large: bool) -> Together:
    """The reductions of a program. `held`: the state by names of inputs; `large`: arrays are on the heap."""
    found = Together({}, {}, {}, [], program.has("settle"), large)
    taken: set[str] = set()
    for stage in STAGES:
        if program.has(pairer(stage)):
            found.stages.setdefault(stage, [])
        for reduction in program.stage(stage):
            found.stages.setdefault(stage, [])
            if reduction.pairs:
                continue
            base = unique(identifier(reduction.name), taken)
            given = {output.name for output in program.function(reducer(stage)).outputs}
            terms = {}
            for output, type_ in (reduction.terms | reduction.optional).items():
                if output in given:
                    kind = output.partition(".")[0]
                    terms[kind] = name = f"{base}_{'claims' if reduction.op == 'grant' and kind == 'term' else kind}"
                    _add(found, output, name, found.array(type_.value, "TERMS"))
            if stage == "cells":
                cell = f"{identifier(reduction.standing)}_cells"
                _add(found, reduction.standing, cell, found.array("i32", "TERMS"))
                found.stages[stage].append(Reduced(reduction, terms, f"{base}_on_cells", cell))
                continue
            shared = terms["term"] if reduction.op == "grant" else f"{base}_together"
            room = "TERMS" if reduction.op in OF_EACH else "SHARED"
            _add(found, reduction.result, shared, found.array(reduction.type.value, room))
            found.stages[stage].append(Reduced(reduction, terms, shared))
        if program.has(pairer(stage)):
            found.asked[stage] = _asked(found, program, stage, taken)
    if "cells" in found.stages:
        found.made["runs"] = found.array("bool", "TERMS")
    if program.has(CROWD):
        _crowding(found, program)
    for stage in (each for each in found.stages if each != "cells"):
        if stage in found.asked or found.asks(stage, *EXTREMES):
            found.made["runs"] = found.array("bool", "TERMS")
        if found.asks(stage, "count"):
            found.made["counts"] = found.array("f32", "TERMS")
        if found.asks(stage, "rank", "grant"):
            found.made["keys"] = found.array("u32", "TERMS")
        if found.asks(stage, "rank"):
            found.made["ranked"] = found.array("i32", "TERMS")
        if any(each.counted for each in found.stages[stage]):
            found.made["tally"] = found.array("i32", "TALLIES")
        if cells := [each.reduction.few or 0 for each in found.stages[stage] if each.op == "alike"]:
            found.made["on_each_cell"] = heap("i32", max(cells))
        if found.asks(stage, "grant"):
            found.made.update(claiming=found.array("i32", "TERMS"), nobody=found.array("bool", "TERMS"))
            found.made["above"] = found.array("bool", "TERMS")
            found.made["no_priority"] = found.array("u32", "TERMS")
    if found.meets:
        _carry(found, _local("action", stack("i32")))
    if program.has(BEAR):
        found.slots["cause"] = next(slot for slot in outcomes if slot.name == "cause")
        found.ended.append(_carried(found, found.slots["cause"].chunk))
    if found.settles:
        _settling(found, program, held, outcomes)
    return found


def _crowding(found: Together, program: Program) -> None:
    """What lanes add to the totals on their cells."""
    crowd = program.function(CROWD)
    named = {"standing": "standing_cells", "counted": "counted_agents"}
    for output in crowd.outputs:
        name = named.get(output.name) or identifier(output.name)
        _add(found, output.name, name, found.array(crowd.nodes[output.value].type.value, "TERMS"))
        found.crowding.append(name)


def _asked(found: Together, program: Program, stage: Stage, taken: set[str]) -> Asked:
    """What pairs of lanes are looked at for in a stage."""
    shows = program.function(reducer(stage))
    shown: dict[str, str] = {}
    for output in shows.outputs:
        if output.name.startswith("shown."):
            shown[output.name] = name = held_name(identifier(output.name), taken)
            _add(found, output.name, name, found.array(shows.nodes[output.value].type.value, "TERMS"))
    each_finds = []
    for reduction in program.stage(stage):
        if not reduction.pairs:
            continue
        base = unique(identifier(reduction.name), taken)
        otherwise = f"{base}_otherwise" if reduction.defaults else ""
        for given in reduction.defaults:
            _add(found, given, otherwise, found.array("f32", "TERMS"))
        _add(found, reduction.result, f"{base}_together", found.array("f32", "TERMS"))
        if reduction.op == "total":
            found.made[f"{base}_sums"] = found.array("f32", "TREE")
        each_finds.append(Found(reduction, base, otherwise, f"{base}_together"))
    printed = body(program.function(pairer(stage)))
    variables = {name: each.given(name.partition(".")[0]) for each in each_finds for name in each.reduction.terms}
    pairs = [output.name for output in printed.outputs if output.name.startswith(OF_PAIRS)]
    written = {name: Name(unique(f"new_{identifier(name)}", taken)) for name in pairs}
    outputs = [(variables | written).get(output.name, Name("_")) for output in printed.outputs]
    speakers = [shown[name] for name in conditions_of_speakers(program, stage)]
    if speakers:
        found.made["speaking"] = found.array("i32", "TERMS")
    inputs = [each.input for each in printed.parameters]
    return Asked(pairer(stage), shown, each_finds, outputs, inputs, written, speakers)


def _add(found: Together, name: str, variable: str, array: Array) -> None:
    """Add an array, unless it is there already, and its slot."""
    found.slots[name] = Slot(name, _local(variable, array), 0)
    found.made.setdefault(variable, array)


def _local(variable: str, array: Array) -> Chunk:
    """A chunk that is not part of the state."""
    return Chunk(schema.Field(variable, "f32", "lane"), variable, "", 0, 1, array, None)


def _carry(found: Together, chunk: Chunk) -> None:
    """Carry a chunk from tile to tile."""
    found.carried.append(_carried(found, chunk))


def _carried(found: Together, chunk: Chunk) -> tuple[Chunk, str]:
    """A chunk, and the array that holds it for all tiles of a world."""
    carried = f"carried_{chunk.variable}"
    found.made[carried] = found.array(chunk.own.dtype, TILED if chunk.rows == 1 else chunk.rows * TILED)
    return chunk, carried


def _settling(found: Together, program: Program, held: dict[str, Slot], outcomes: tuple[Slot, ...]) -> None:
    """What functions after step 4 of a tick need."""
    for output in program.function("tick").outputs:
        if output.name.startswith(("uses.", "was.", "there.", f"{PUSHED}.")):
            kind = "bool" if output.name.startswith("uses.") else "f32"
            _add(found, output.name, f"{identifier(output.name)}_in_tick", found.array(kind, "LANES"))
            _carry(found, found.slots[output.name].chunk)
    found.slots["used"] = next(slot for slot in outcomes if slot.name == "used")
    _carry(found, found.slots["used"].chunk)
    names = (reducer("settle"), reducer("cells"), "world", NEAR, CELLS, OVER, "settle")
    late = [program.function(name) for name in names if program.has(name)]
    read = {node.op.name for function in late for node in function.nodes if isinstance(node.op, Input)}
    for name in sorted(read):
        if name.startswith("before."):
            slot = held[name.removeprefix("before.")]
            begun = replace(slot.chunk, variable=f"before_{slot.chunk.variable}")
            found.slots[name] = replace(slot, name=name, chunk=begun)
            if slot.chunk not in found.begun:
                found.begun.append(slot.chunk)
                _carry(found, begun)
