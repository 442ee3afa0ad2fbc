"""Worlds whose agents meet, in kernels for GPUs: what the lanes of a world have together, and in which order a tick
computes it.

A world's lanes are neighbours in a block. Within a warp they exchange values by shuffles; where a world has several
warps, these meet once in shared memory for each result. `meeting.py.j2` has the functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hamletc.ir.function import Program, Reduction, Stage, reducer
from hamletc.targets.body import Body, identifier, unique
from hamletc.targets.triton.formatter import TritonFormatter

SUMMARIES = {
    reducer("tick"): "What a lane adds to what the agents of its world have together at the beginning of a tick.",
    reducer("settle"): "What a lane adds to what the agents of its world have together after their rules.",
    "world": "What the rules of a world do in a tick: its new meters.",
    "settle": "What becomes of a living lane after the rules of its world: its outcome.",
}
"""The functions of a tick besides `tick`, in order."""


@dataclass(frozen=True, slots=True)
class Together:
    """What lanes have together at one stage of a tick.

    Attributes:
        function: gives what a lane adds.
        after: the functions of the tick that came before, and changed the state.
        terms: the variables of that.
        uniform: those of them that are the same for all lanes, and have to become blocks.
        results: variables, each with the function that computes it and its arguments.
    """

    function: str
    after: tuple[str, ...]
    terms: list[str]
    uniform: list[str]
    results: list[tuple[str, str, list[str]]]


class Meeting:
    """The stages of a tick in which agents of a world meet; none where they do not.

    Attributes:
        functions: those that a tick has besides `tick`.
        ops: what is computed of what lanes add.
        settles: whether `tick` ends before the deaths of agents.
        seeks: whether what is on an agent's cell has to be known before it moves.
        given: variables of kernels for inputs that only such universes have.
    """

    def __init__(self, program: Program, bodies: Mapping[str, Body], formatters: Mapping[str, TritonFormatter]) -> None:
        self.functions = tuple(name for name in SUMMARIES if name in bodies)
        self.ops = {reduction.op for reduction in program.reductions}
        self.settles = "settle" in bodies
        beginning = bodies.get(reducer("tick"))
        self.seeks = beginning is not None and any(parameter.input == "found" for parameter in beginning.parameters)
        self._program, self._bodies, self._formatters = program, bodies, formatters
        taken: set[str] = set()
        self.given = {each.result: unique(identifier(each.result), taken) for each in program.reductions}
        self.given |= {
            output.name: unique(identifier(output.name), taken)
            for output in bodies["tick"].outputs
            if output.name.startswith("uses.")
        }

    def together(self, stage: Stage) -> Together | None:
        """What lanes have together at a stage."""
        reductions = self._program.stage(stage)
        if not reductions:
            return None
        function = reducer(stage)
        outputs, formatter = self._bodies[function].outputs, self._formatters[function]
        taken: set[str] = set()
        terms = {output.name: unique(identifier(output.name), taken) for output in outputs}
        uniform = [terms[output.name] for output in outputs if formatter.scalar[output.value]]
        results = [(self.given[each.result], *self._result(each, terms)) for each in reductions]
        after = ("tick",) if stage == "settle" else ()
        return Together(function, after, list(terms.values()), uniform, results)

    def _result(self, reduction: Reduction, terms: Mapping[str, str]) -> tuple[str, list[str]]:
        """The function that computes a reduction, and its arguments."""
        term = terms[f"term.{reduction.name}"]
        match reduction.op:
            case "grant":
                order = [terms.get(f"{kind}.{reduction.name}", "None") for kind in ("first", "priority")]
                places = terms[f"places.{reduction.name}"]
                return "_granted", [f"running & {term}", *order, places, "GROUP", "BLOCK"]
            case "rank":
                priority = terms[f"priority.{reduction.name}"]
                return "_ranked", [f"running & {term}", priority, "_zero(lanes)", "GROUP", "BLOCK"]
            case "count":
                return "_counted", [f"running & {term}", "GROUP", "BLOCK"]
            case "total":
                return "_total", [f"tl.where(running, {term}, 0.0)", "GROUP", "BLOCK"]
            case "lowest" | "highest":
                return "_extreme", ["running", term, f'"{reduction.op}"', "GROUP", "BLOCK"]
