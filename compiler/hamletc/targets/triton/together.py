"""What the lanes of a world have together at each stage of a tick, in kernels for GPUs: variables, and how they are
computed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hamlet.frozen import dataclass
from hamletc.ir.function import (
    BEAR,
    CELLS,
    CROWD,
    NEAR,
    OF_PAIRS,
    PUSHED,
    STAGES,
    Program,
    Reduction,
    ReductionOp,
    Stage,
    pairer,
    reducer,
)
from hamletc.ir.ops import Type
from hamletc.kernel.body import Body, identifier, table_name, unique
from hamletc.kernel.expressions import Constant, Expression, Name, call
from hamletc.targets.triton.blocks import BLOCK, GROUP, where
from hamletc.targets.triton.formatter import TritonFormatter

PAIRED = {
    pairer("tick"): "What a lane that asks finds in another one at the beginning of the tick.",
    pairer("settle"): "What a lane that asks finds in another one after their rules.",
    pairer("births"): "What a lane that waits to be born finds in another one.",
}
"""The functions of pairs of lanes."""

SUMMARIES = {
    reducer("tick"): "What a lane adds to what the agents of its world have together at the beginning of a tick.",
    reducer("settle"): "What a lane adds to what the agents of its world have together after their rules.",
    reducer("cells"): "What a lane adds to what the agents on its cell have together.",
    "world": "What the rules of a world do in a tick: its new meters.",
    NEAR: "What the cells beside a cell sum of it.",
    CELLS: "What the rules of cells do in a tick: the new meters of a cell.",
    "settle": "What becomes of a living lane after the rules of its world: its outcome.",
    reducer("births"): "What a lane adds to what those that wait to be born find.",
    BEAR: "The state of a lane after births.",
    CROWD: "What a lane adds to the totals of the agents on its cell.",
}
"""The functions of a tick besides `tick`, in order."""


AFTER: Mapping[Stage, tuple[str, ...]] = MappingProxyType({"tick": (), "births": ("tick", "world", "settle")})
"""The functions of the tick that come before a stage; before others it is `tick`."""


@dataclass(frozen=True, slots=True)
class Found:
    """What lanes find that ask all lanes of their world: by which operation, and the variable of it; `base` begins
    those that it takes, `otherwise` is the one of what a lane has that finds nobody."""

    op: ReductionOp
    result: str
    base: str
    otherwise: str

    def given(self, name: str) -> str:
        """A variable that finding it takes."""
        return f"{self.base}_{name}"


@dataclass(frozen=True, slots=True)
class Asked:
    """What pairs of lanes are looked at for at a stage: each asks all lanes of its world.

    Attributes:
        name: of the function that does it.
        function: the function of pairs.
        shown: the variables of what lanes show, and their types.
        inputs: what the function of pairs takes: these variables, with `own_` or `other_` before them.
        outputs: the variables of what it gives.
        tables: the variables of tables that it reads.
        written: those of outputs that are what the asking lane has of the other one then.
    """

    name: str
    function: str
    shown: dict[str, Type]
    found: list[Found]
    inputs: list[str]
    outputs: list[str]
    tables: list[str]
    written: list[str]

    @property
    def others(self) -> list[tuple[str, bool]]:
        """What is taken of the other lane, and whether it is a condition."""
        return [(name, type_ is Type.BOOL) for name, type_ in self.shown.items() if f"other_{name}" in self.inputs]

    @property
    def calls(self) -> list[str]:
        """The arguments of the function of pairs: the asking lane has what it shows."""
        return [*(each.removeprefix("own_") for each in self.inputs), *self.tables]

    @property
    def totals(self) -> list[Found]:
        return [each for each in self.found if each.op == "total"]

    @property
    def taken(self) -> list[str]:
        """What the function takes."""
        otherwise = (each.otherwise for each in self.found if each.otherwise)
        written = ["new_pairs", "valid", "agents"] if self.written else []
        return ["running", *self.shown, *otherwise, *self.tables, *written]

    @property
    def ordered(self) -> bool:
        """Whether it counts which lane is before which."""
        return bool(self.written) or any(each.op in ("lowest", "highest", "nearest") for each in self.found)


@dataclass(frozen=True, slots=True)
class Together:
    """What lanes have together at one stage of a tick.

    Attributes:
        function: gives what a lane adds.
        after: the functions of the tick that came before, and changed the state.
        terms: the variables of that.
        uniform: those of them that are the same for all lanes, and have to become blocks.
        results: variables, each with what computes it.
        asked: what lanes find in pairs of them; `None` where none do.
    """

    function: str
    after: tuple[str, ...]
    terms: list[str]
    uniform: list[str]
    results: list[tuple[str, Expression]]
    asked: Asked | None = None


class Meeting:
    """The stages of a tick in which agents of a world meet; none where they do not.

    Attributes:
        functions: those that a tick has besides `tick`.
        pairs: the functions of pairs of lanes.
        ops: what is computed of what lanes add.
        settles: whether `tick` ends before the deaths of agents.
        seeks: whether what is on an agent's cell has to be known before it moves.
        given: variables of kernels for inputs that only such universes have.
    """

    def __init__(self, program: Program, bodies: Mapping[str, Body], formatters: Mapping[str, TritonFormatter]) -> None:
        self.functions = tuple(name for name in SUMMARIES if name in bodies)
        self.pairs = tuple(name for name in PAIRED if name in bodies)
        of_worlds = [each for each in program.reductions if each.stage != "cells" and not each.pairs]
        self.ops = {reduction.op for reduction in of_worlds}
        self.settles = "settle" in bodies
        beginning = bodies.get(reducer("tick"))
        self.seeks = beginning is not None and any(parameter.input == "found" for parameter in beginning.parameters)
        self._program, self._bodies, self._formatters = program, bodies, formatters
        taken: set[str] = set()
        self.given = {each.result: unique(identifier(each.result), taken) for each in program.reductions}
        self.given |= {
            output.name: unique(identifier(output.name), taken)
            for output in bodies["tick"].outputs
            if output.name.startswith(("uses.", "was.", "there.", f"{PUSHED}."))
        }

    def together(self, stage: Stage) -> Together | None:
        """What lanes have together at a stage."""
        reductions = self._program.stage(stage)
        if not reductions and pairer(stage) not in self._bodies:
            return None
        function = reducer(stage)
        outputs, formatter = self._bodies[function].outputs, self._formatters[function]
        taken: set[str] = set()
        terms = {output.name: unique(identifier(output.name), taken) for output in outputs}
        uniform = [terms[output.name] for output in outputs if formatter.scalar[output.value]]
        of_worlds = [each for each in reductions if stage != "cells" and not each.pairs]
        results = [(self.given[each.result], _result(each, terms)) for each in of_worlds]
        after = AFTER.get(stage, ("tick",))
        return Together(function, after, list(terms.values()), uniform, results, self._asked(stage, terms))

    @property
    def asked(self) -> list[Asked]:
        """What lanes find in pairs of them, at all stages."""
        found = (self.together(stage) for stage in STAGES)
        return [each.asked for each in found if each is not None and each.asked is not None]

    def _asked(self, stage: Stage, terms: Mapping[str, str]) -> Asked | None:
        """What lanes find in pairs of them at a stage; `terms`: variables of what they give."""
        if pairer(stage) not in self._bodies:
            return None
        printed, shows = self._bodies[pairer(stage)], self._bodies[reducer(stage)]
        found: list[Found] = []
        variables: dict[str, str] = {}
        for each in self._program.stage(stage):
            if each.pairs:
                base = identifier(each.name)
                otherwise = "".join(terms[name] for name in each.defaults)
                found.append(Found(each.op, self.given[each.result], base, otherwise))
                variables |= {name: found[-1].given(name.partition(".")[0]) for name in each.terms}
        shown = {terms[o.name]: shows.type(o.value) for o in shows.outputs if o.name.startswith("shown.")}
        halves = (each.input.partition(".") for each in printed.parameters)
        inputs = [f"{whose}_{terms[f'shown.{number}']}" for whose, _, number in halves]
        pairs = [output.name for output in printed.outputs if output.name.startswith(OF_PAIRS)]
        written = {name: f"new_pair_{number}" for number, name in enumerate(pairs)}
        outputs = [(variables | written)[output.name] for output in printed.outputs]
        tables = [*map(table_name, printed.tables)]
        named = f"_ask_{stage}", f"_{pairer(stage)}"
        return Asked(*named, shown, found, inputs, outputs, tables, list(written.values()))


def _result(reduction: Reduction, terms: Mapping[str, str]) -> Expression:
    """What computes a reduction of the running lanes; `terms`: variables of what they give."""
    term = Name(terms[f"term.{reduction.name}"])
    counts = Name("running") & term
    match reduction.op:
        case "grant":
            order = [terms.get(f"{kind}.{reduction.name}") for kind in ("first", "priority")]
            return call("_granted", counts, *order, terms[f"places.{reduction.name}"], GROUP, BLOCK)
        case "rank":
            priority = terms[f"priority.{reduction.name}"]
            return call("_ranked", counts, priority, call("_zero", "lanes"), GROUP, BLOCK)
        case "alike":
            key, asked = (terms[f"{kind}.{reduction.name}"] for kind in ("key", "asked"))
            others = Constant(reduction.others)
            return call("_alike", counts, key, asked, others, call("_zero", "lanes"), GROUP, BLOCK)
        case "count":
            return call("_counted", counts, GROUP, BLOCK)
        case "total":
            return call("_total", where("running", term, 0.0), GROUP, BLOCK)
        case "lowest" | "highest":
            return call("_extreme", "running", term, Constant(reduction.op), GROUP, BLOCK)
        case "last" | "nearest":
            raise ValueError(f"all lanes of a world have no {reduction.op} one")
