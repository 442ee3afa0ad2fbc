"""The schedule of a program: docs/semantics.md, "A tick", as statements over the functions of the tick IR. The order of
a tick is that of `hamlet.universe.stages`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hamlet import schema
from hamlet.universe import Universe, stages
from hamletc.ir.function import (
    BEAR,
    BEGIN_CELLS,
    BEGIN_PAIRS,
    CARRIED_OUT,
    CELLS,
    CROWD,
    NEAR,
    OVER,
    Program,
    Stage,
    function_of,
    pairer,
    reducer,
    stage_of,
    ticking,
)
from hamletc.ir.ops import Input
from hamletc.kernel.schedule import Kernel, Routine, Schedule
from hamletc.kernel.statements import (
    BEGINS,
    RUNNING,
    Act,
    Agents,
    Allow,
    BeginPairs,
    Call,
    CallCells,
    Copy,
    Count,
    Counters,
    Crowd,
    Do,
    End,
    Fill,
    Gain,
    Give,
    If,
    Join,
    Live,
    Load,
    Near,
    Next,
    Observe,
    OnCells,
    Over,
    Pair,
    Place,
    Set,
    Some,
    Statement,
    Store,
    Take,
    Ticks,
    Within,
)

BEFORE = "before"
CELL = "cell."
NOBODY: dict[str, tuple[str, ...]] = {
    "0.0": ("reward",),
    "false": ("terminated", "truncated"),
    str(schema.NOWHERE): ("used", "cause"),
}
"""What happens in a tick to lanes that do not run it."""


def build(universe: Universe, program: Program) -> Schedule:
    """The kernels `reset`, `observe`, `step` and `rollout` of a program of the universe: as it was lowered, after any
    passes, or as a target specialised it."""
    return _Builder(universe, program).schedule()


def before_births(tick: Sequence[Statement]) -> Sequence[Statement]:
    """The statements of a tick up to those by which agents are born."""
    runs = [number for number, each in enumerate(tick) if isinstance(each, Set) and each.register == RUNNING]
    return tick[: runs[1]] if len(runs) > 1 else tick


class _Builder:
    def __init__(self, universe: Universe, program: Program) -> None:
        self._universe, self._program = universe, program
        self._fields = schema.state_fields(universe)
        self._outcomes = schema.outcome_fields(universe)
        self._reads = {
            function.name: {node.op.name for node in function.nodes if isinstance(node.op, Input)}
            for function in program.functions
        }

    def schedule(self) -> Schedule:
        """All routines and kernels."""
        by_hand = self._universe.by_hand
        state = tuple(field.name for field in self._fields)
        kept = tuple(field.name for field in self._fields if not field.written_by_users)
        tick = (Do("tick"), If("counting", (Count(),)))
        routines = (
            Routine("tick", tuple(self._tick())),
            Routine("begin", tuple(self._begin())),
            *(() if by_hand else (Routine("conclude", self._conclude()),)),
            Routine("survey", tuple(self._survey())),
        )
        load, survey = (Load(state), Agents()), Do("survey")
        kernels = (
            Kernel("reset", (*load, Take(), Do("begin"), Store(kept, BEGINS), survey)),
            Kernel("observe", (*load, survey)),
            Kernel("step", (*load, Counters(), Act(), *tick, *self._after(Store(kept), survey))),
            Kernel(
                "rollout",
                (
                    *load,
                    Ticks((Counters(), Act(), *self._given(), *tick, *self._after(If("every_tick", (survey,))))),
                    Store(kept),
                    *self._regained(),
                    If("last_only", (survey,)),
                ),
            ),
        )
        return Schedule(routines, kernels)

    # --- the routines -----------------------------------------------------------------------------------------------

    def _tick(self) -> Iterable[Statement]:
        yield Fill((RUNNING,), "true") if self._universe.by_hand else Set(RUNNING, "alive")
        if self._program.has(CARRIED_OUT):
            yield Within(RUNNING, (Call(CARRIED_OUT),))
        if any("interacting" in reads for reads in self._reads.values()):
            yield Set("interacting", "action", str(schema.interact_action(self._universe)))
            yield Some("interacting", "interacting")
        met: set[Stage] = set()
        for stretch in ticking():
            if function_of(stretch) == BEAR and not self._program.has(BEAR):
                continue
            if function_of(stretch) == BEAR:
                yield Set(RUNNING, "alive")
            # On each cell by themselves agents are counted with its rules.
            if (stage := stage_of(stretch)) not in met and stage != "cells":
                yield from self._together(stage)
            if not met:
                yield from self._nobody()
            met.add(stage)
            yield from self._stretch(stretch)
        yield Store(tuple(field.name for field in self._outcomes))

    def _nobody(self) -> Iterable[Statement]:
        """What a tick begins with: what `previous` reads, and what happens to lanes that do not run."""
        before = {name for reads in self._reads.values() for name in reads if name.startswith(f"{BEFORE}.")}
        if before:
            yield Copy(tuple(sorted(name.removeprefix(f"{BEFORE}.") for name in before)), BEFORE)
        for value, names in NOBODY.items():
            yield Fill(names, value)
        if reports := schema.report_names(self._universe):
            yield Fill(tuple(f"report.{name}" for name in reports), "0.0")

    def _stretch(self, stretch: stages.Stretch) -> Iterable[Statement]:
        """Steps of a tick that are one function."""
        function = function_of(stretch)
        match stretch.scope:
            case "agent" if function == BEAR:
                yield Call(function)
            case "agent":
                if self._program.has(function):
                    yield Within(RUNNING, (*self._finding(function), Call(function)))
                for step in stretch.steps:
                    if step.name == "reward":
                        yield Within(RUNNING, (Gain(),))
                    elif step.name == "alive":
                        yield Live()
            case "world":
                if self._program.has(function):
                    yield Call(function)
            case "cell":
                yield from self._spread()

    def _after(self, *survey: Statement) -> Iterable[Statement]:
        """What follows after a tick, in every world; agents see what they do then by `survey`."""
        for stretch in stages.stretches():
            if stretch.together is None:
                match stretch.scope:
                    case "cell":
                        yield from self._crowd()
                    case "world":
                        yield from self._worlds(stretch)
                    case "agent":
                        yield from survey

    def _worlds(self, stretch: stages.Stretch) -> Iterable[Statement]:
        for step in stretch.steps:
            if step.name == "clock" and self._program.has("clock"):
                yield Call("clock")
            elif step.name == "episode" and not self._universe.by_hand:
                yield Do("conclude")

    def _survey(self) -> Iterable[Statement]:
        """Observations and masks."""
        for step in stages.steps():
            if step.name == "observe" and schema.observation_segments(self._universe):
                yield from self._finding("observe")
                yield Observe("observation")
            elif step.name == "mask":
                yield from self._finding("mask")
                yield Allow("" if self._universe.by_hand else str(schema.idle_action(self._universe)))

    def _together(self, stage: Stage) -> Iterable[Statement]:
        """What the agents of a world have together in a stage."""
        reductions = self._program.stage(stage)
        if reductions or self._program.has(pairer(stage)):
            # Also where the lane does not run: how many places there are, all lanes of a world know.
            yield from (*self._finding(reducer(stage)), Call(reducer(stage)))
        if self._program.has(pairer(stage)):
            yield Pair(stage)
        yield from (Join(each.name) for each in reductions)

    def _spread(self) -> Iterable[Statement]:
        """The rules of cells."""
        if not self._program.has(CELLS):
            return
        if self._program.has(NEAR):
            yield Near()
        if reductions := self._program.stage("cells"):
            yield from (*self._finding(reducer("cells")), Call(reducer("cells")))
            yield from (OnCells(each.name) for each in reductions)
        yield CallCells(CELLS)
        yield from self._over()

    def _over(self) -> Iterable[Statement]:
        cells = self._universe.cells
        if cells is not None and self._program.has(OVER):
            yield Over(tuple(each.meter for each in cells.sums))

    def _crowd(self) -> Iterable[Statement]:
        """What the agents on each cell come to."""
        if self._program.has(CROWD):
            yield Crowd(tuple(each.meter for each in self._universe.counts))

    def _conclude(self) -> tuple[Statement, ...]:
        """The end of episodes, and the beginning of the next ones."""
        last = (*self._finding("observe"), Observe("final_observation", BEGINS))
        shown = (If("shown", last),) if schema.observation_segments(self._universe) else ()
        return (End(), *shown, Within(BEGINS, (Next(),)), Do("begin"))

    def _begin(self) -> Iterable[Statement]:
        yield Counters()
        body: list[Statement] = []
        if self._program.has("shuffle"):
            random = sum(affordance.place is None for affordance in self._universe.affordances)
            body += [Call("shuffle"), Place((), str(random))]
        body.append(Call("reset"))
        begun = {output.name for output in self._program.function("reset").outputs}
        for field in self._fields:
            if field.start is not None and not begun & {*field.names}:
                start = float(field.start) if field.dtype == "f32" else field.start
                body.append(Fill(field.names, str(start).lower()))
        if self._program.has(BEGIN_PAIRS):
            body.append(BeginPairs())
        if self._program.has(BEGIN_CELLS):
            body += [CallCells(BEGIN_CELLS), *self._over(), *self._crowd()]
        yield Within(BEGINS, tuple(body))

    # --- what several of them need ----------------------------------------------------------------------------------

    def _given(self) -> Iterable[Statement]:
        """What is given for each tick of a rollout."""
        for field in self._fields:
            if field.name in schema.GIVEN_BY_TICK:
                yield Give(field.name, "steer" if field.name == "controls" and self._program.has("steer") else "")

    def _regained(self) -> Iterable[Statement]:
        """What was given for single ticks is, after them, as the state has it."""
        fields = tuple(field.name for field in self._fields if field.name in schema.GIVEN_BY_TICK)
        if fields:
            yield If("last_only", (Load(fields),))

    def _finding(self, function: str) -> tuple[Statement, ...]:
        """What a function needs of the affordances at random on the cells of lanes, where a program has a cell cache's
        functions."""
        reads = self._reads[function]
        cells = tuple(sorted((name.removeprefix(CELL) for name in reads if name.startswith(CELL)), key=int))
        if not self._program.has("search") or not (cells or "found" in reads or function == "tick"):
            return ()
        moves: tuple[Statement, ...] = (Call("stand"),)
        if function == "tick":
            moves = (Call("move"), Call("stand", "moved"))
        return (*moves, *((Place(cells),) if cells else ()), Call("search"))
