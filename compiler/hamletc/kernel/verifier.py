"""Says whether a schedule is one of a program: every function gets its inputs, in their types, from statements before
it, what belongs to worlds is the same in all lanes of a world, and what changes is stored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from hamlet import schema
from hamlet.universe import Universe
from hamletc.ir.function import (
    BEGIN_PAIRS,
    CROWD,
    NEAR,
    OF_PAIRS,
    OVER,
    PAIRS_AT,
    STAGES,
    Function,
    Program,
    pairer,
)
from hamletc.ir.ops import Input, Type
from hamletc.kernel import statements as tree
from hamletc.kernel.schedule import Kernel, Routine, Schedule, ScheduleError
from hamletc.kernel.statements import BEGINS, FLAGS, OF_WORLD, RUNNING, SHARED, Statement, literal_type

TYPES = {"f32": Type.F32, "i32": Type.I32, "bool": Type.BOOL}
COUNTERS = dict.fromkeys(("lane", "world", "tick", "seed_low", "seed_high"), Type.U32)
TABLE = ("stride", "scale", "top")
"""What `situation` reads of a table, by the beginnings of the names of its inputs."""
COUNTED = {"used": Type.I32, "cause": Type.I32, "age": Type.I32, "episode_return": Type.F32}
ENDED = {"terminated": Type.BOOL, "truncated": Type.BOOL}


def verify_schedule(schedule: Schedule, universe: Universe, program: Program) -> None:
    """Check a schedule.

    Raises:
        ScheduleError: it is none of this program of the universe.
    """
    names: set[str] = set()
    for name in (*(each.name for each in schedule.routines), *(each.name for each in schedule.kernels)):
        if name in names:
            raise ScheduleError(f"there are two parts called {name}")
        names.add(name)
    for kernel in schedule.kernels:
        _Kernel(schedule, universe, program, kernel).check()


@dataclass(slots=True)
class _Kernel:
    """A walk through a kernel, in the order in which it runs.

    Attributes:
        types: of the registers that are set.
        of_cells: of the registers of cells.
        of_pairs: the names of what agents have of each other.
        unstored: the fields whose registers have changed since they were stored.
        written: the arrays of observations and masks that were written.
    """

    schedule: Schedule
    universe: Universe
    program: Program
    kernel: Kernel
    types: dict[str, Type] = field(default_factory=dict)
    of_cells: dict[str, Type] = field(default_factory=dict)
    of_pairs: set[str] = field(default_factory=set)
    unstored: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    fields: dict[str, schema.Field] = field(init=False)
    owners: dict[str, str] = field(init=False)
    where: str = ""

    def __post_init__(self) -> None:
        state, outcome = schema.state_fields(self.universe), schema.outcome_fields(self.universe)
        self.fields = {each.name: each for each in (*state, *outcome)}
        self.owners = {
            name: each.name
            for each in self.fields.values()
            for name in each.names
            if not (each.pitch or each.written_by_users)
        }

    def check(self) -> None:
        """Walk, and look at what is left at the end."""
        self._body(self.kernel.body, self.schedule.routines)
        if self.unstored:
            self._fail(f"{', '.join(sorted(self.unstored))} changed and is not stored")
        wanted = {"mask"} | ({"observation"} if schema.observation_segments(self.universe) else set())
        if missing := wanted - self.written:
            self._fail(f"{', '.join(sorted(missing))} is not written")

    def _fail(self, why: str) -> None:
        raise ScheduleError(f"kernel {self.kernel.name}{self.where}: {why}")

    def _body(self, body: Iterable[Statement], routines: tuple[Routine, ...]) -> None:
        for statement in body:
            self._statement(statement, routines)

    def _statement(self, statement: Statement, routines: tuple[Routine, ...]) -> None:
        match statement:
            case tree.Load(fields):
                for name in fields:
                    self._load(self._field(name))
            case tree.Store(fields, where):
                if where:
                    self._need({where: Type.BOOL})
                for name in fields:
                    self._store(self._field(name))
            case tree.Agents():
                self._set({"agent": Type.I32, "agents": Type.I32})
            case tree.Counters():
                self._set(COUNTERS)
            case tree.Take():
                self._set({BEGINS: Type.BOOL})
            case tree.Act():
                self._act()
            case tree.Give(name, steered):
                self._give(name, steered)
            case tree.Set(register, source, number):
                if source not in self.types:
                    self._fail(f"{source} is not set")
                if number:
                    self._need({source: Type.I32})
                self._set({register: Type.BOOL if number else self.types[source]})
            case tree.Copy(names, prefix):
                self._some(names)
                self._set({f"{prefix}.{name}": self.types[name] for name in names if name in self.types})
            case tree.Call(function, at):
                self._call(function, at)
            case tree.Place(numbers, own):
                self._need({"layout": Type.U32} | ({"agent": Type.I32} if own else {}))
                self._function("place")
                self._set({f"cell.{number}": Type.U32 for number in numbers} | ({"cell": Type.U32} if own else {}))
            case tree.Some(register, condition):
                self._need({condition: Type.BOOL, RUNNING: Type.BOOL})
                self._set({register: Type.BOOL})
            case tree.Pair(stage):
                self._pair(stage)
            case tree.Join(name):
                self._join(name)
            case tree.BeginPairs():
                self._begin_pairs()
            case tree.Near():
                self._call_cells(NEAR)
            case tree.OnCells(name):
                self._on_cells(name)
            case tree.CallCells(function):
                self._call_cells(function)
            case tree.Over(meters):
                sums = () if self.universe.cells is None else tuple(each.meter for each in self.universe.cells.sums)
                if meters != sums:
                    self._fail(f"cells come to {', '.join(sums)}, not to {', '.join(meters)}")
                self._inputs_of_cells(self._function(OVER))
                self._set({f"world.{meter}": Type.F32 for meter in meters})
            case tree.Crowd(meters):
                self._crowd(meters)
            case tree.Gain():
                self._need({"reward": Type.F32, "episode_return": Type.F32})
                self._set({"episode_return": Type.F32})
            case tree.Live():
                self._need({"alive": Type.BOOL, **ENDED})
                self._set({"alive": Type.BOOL})
            case tree.End():
                self._need({"alive": Type.BOOL, "cause": Type.I32})
                self._set({BEGINS: Type.BOOL})
            case tree.Fill(names, value):
                self._set(dict.fromkeys(names, literal_type(value)))
            case tree.Next():
                self._need({"episode": Type.I32})
                self._set({"episode": Type.I32})
            case tree.Count():
                self._need(COUNTED | ENDED)
            case tree.Observe(array, where):
                self._observe(array, where)
            case tree.Allow(wait):
                self._allow(wait)
            case tree.Within(condition, body):
                self._need({condition: Type.BOOL})
                self._body(body, routines)
            case tree.If(flag, body):
                if flag not in FLAGS:
                    self._fail(f"there is no flag {flag}")
                self._body(body, routines)
            case tree.Ticks(body):
                if self.kernel.name != "rollout":
                    self._fail("only rollouts have several ticks")
                # Twice: what a tick changes is what the next one begins with.
                self._body(body, routines)
                self._body(body, routines)
            case tree.Do(name):
                self._do(name, routines)

    def _do(self, name: str, routines: tuple[Routine, ...]) -> None:
        for index, routine in enumerate(routines):
            if routine.name == name:
                outside, self.where = self.where, f", routine {name}"
                self._body(routine.body, routines[:index])
                self.where = outside
                return
        self._fail(f"there is no routine {name} before it")

    # --- registers --------------------------------------------------------------------------------------------------

    def _set(self, types: dict[str, Type]) -> None:
        for name, type_ in types.items():
            if self.types.setdefault(name, type_) is not type_:
                self._fail(f"{name} is {self.types[name].value}, and set to {type_.value}")
            if name in self.owners:
                self.unstored.add(self.owners[name])

    def _some(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.types and name not in self.of_cells:
                self._fail(f"{name} is not set")

    def _need(self, types: dict[str, Type]) -> None:
        self._some(types)
        for name, type_ in types.items():
            if self.types[name] is not type_:
                self._fail(f"{name} is {self.types[name].value}, not {type_.value}")

    def _field(self, name: str) -> schema.Field:
        if name not in self.fields:
            self._fail(f"there is no field {name}")
        return self.fields[name]

    def _load(self, of: schema.Field) -> None:
        if of.name == schema.PAIR_STATES and self.universe.pairs is not None:
            self.of_pairs |= {f"{OF_PAIRS}{meter.name}" for meter in self.universe.pairs.meters}
        elif of.pitch and self.universe.cells is not None:
            self.of_cells |= {f"cells.{meter.name}": Type.F32 for meter in self.universe.cells.meters}
        else:
            self.types |= dict.fromkeys(of.names, Type.U32 if of.name == "layout" else TYPES[of.dtype])

    def _store(self, of: schema.Field) -> None:
        if of.written_by_users:
            self._fail(f"users write {of.name}")
        self._some(() if of.pitch else of.names)
        self.unstored.discard(of.name)

    # --- functions --------------------------------------------------------------------------------------------------

    def _function(self, name: str) -> Function:
        if not self.program.has(name):
            self._fail(f"the program has no function {name}")
        return self.program.function(name)

    def _call(self, name: str, at: str) -> None:
        function = self._function(name)
        axes = schema.axes(self.universe) if at else ()
        self._need({f"{at}.{axis}": self._inputs(function).get(f"position.{axis}", Type.I32) for axis in axes})
        read = self._inputs(function).items()
        self._need({each: type_ for each, type_ in read if each not in {f"position.{axis}" for axis in axes}})
        self._set({output.name: function.nodes[output.value].type for output in function.outputs})

    def _inputs(self, function: Function) -> dict[str, Type]:
        """What a function of lanes reads, but for the numbers of cells of worlds, which it looks up."""
        read = {node.op.name: node.op.type for node in function.nodes if isinstance(node.op, Input)}
        if "cells_at" in read and not self.of_cells:
            self._fail(f"{function.name} reads cells, which are not loaded")
        if PAIRS_AT in read and not self.of_pairs:
            self._fail(f"{function.name} reads pairs, which are not loaded")
        return {name: type_ for name, type_ in read.items() if name not in ("cells_at", PAIRS_AT)}

    def _act(self) -> None:
        self._need(COUNTERS)
        self._function("policy")
        self._function("choose")
        read = self._inputs(self._function("situation"))
        self._need({name: type_ for name, type_ in read.items() if name.partition(".")[0] not in TABLE})
        self._set({"action": Type.I32})

    def _give(self, name: str, steered: str) -> None:
        of = self._field(name)
        if of.name not in schema.GIVEN_BY_TICK:
            self._fail(f"{name} is not given by ticks")
        if steered:
            self._need(self._inputs(self._function(steered)))
        self._set(dict.fromkeys(of.names, Type.F32))

    def _pair(self, stage: str) -> None:
        kinds = [each for each in STAGES if each == stage]
        if not kinds:
            self._fail(f"there is no stage {stage}")
        read = self._inputs(self._function(pairer(kinds[0])))
        self._need({f"shown.{name.partition('.')[2]}": type_ for name, type_ in read.items()} | {RUNNING: Type.BOOL})
        function = self.program.function(pairer(kinds[0]))
        given = {output.name: function.nodes[output.value].type for output in function.outputs}
        self._give_pairs(name for name in given if name.startswith(OF_PAIRS))
        self._set({name: type_ for name, type_ in given.items() if not name.startswith(OF_PAIRS)})

    def _begin_pairs(self) -> None:
        function = self._function(BEGIN_PAIRS)
        self._need({name: type_ for name, type_ in self._inputs(function).items() if name != "other"})
        given = {output.name for output in function.outputs}
        if given != self.of_pairs:
            self._fail(f"{', '.join(sorted(self.of_pairs ^ given))} of pairs does not begin")
        self._give_pairs(given)

    def _give_pairs(self, names: Iterable[str]) -> None:
        """What agents have of each other is written."""
        for name in names:
            if name not in self.of_pairs:
                self._fail(f"{name} is not loaded")
            self.unstored.add(schema.PAIR_STATES)

    def _join(self, name: str) -> None:
        for reduction in self.program.reductions:
            if reduction.name == name and reduction.stage != "cells":
                self._need(reduction.terms | reduction.defaults | {RUNNING: Type.BOOL})
                self._set({reduction.result: reduction.type})
                return
        self._fail(f"the program has no reduction {name}")

    # --- cells ------------------------------------------------------------------------------------------------------

    def _on_cells(self, name: str) -> None:
        for reduction in self.program.stage("cells"):
            if reduction.name == name:
                self._need(reduction.terms | {reduction.standing: Type.I32, RUNNING: Type.BOOL})
                self.of_cells[reduction.result] = reduction.type
                return
        self._fail(f"the program has no reduction {name} of cells")

    def _crowd(self, meters: tuple[str, ...]) -> None:
        counts = tuple(each.meter for each in self.universe.counts)
        if meters != counts:
            self._fail(f"agents on cells come to {', '.join(counts)}, not to {', '.join(meters)}")
        self._need(self._inputs(self._function(CROWD)))
        self.unstored.add(schema.CELL_METERS)

    def _call_cells(self, name: str) -> None:
        function = self._function(name)
        self._inputs_of_cells(function)
        self.of_cells |= {output.name: function.nodes[output.value].type for output in function.outputs}
        if any(output.name.startswith("cells.") for output in function.outputs):
            self.unstored.add(schema.CELL_METERS)

    def _inputs_of_cells(self, function: Function) -> None:
        for node in function.nodes:
            if not isinstance(node.op, Input) or node.op.name in ("cell", "cells_at", *self.of_cells):
                continue
            name = node.op.name
            if name not in OF_WORLD and not name.startswith(SHARED):
                self._fail(f"{function.name} reads {name}, which is not of cells or worlds")
            self._need({name: node.op.type})

    # --- what is written --------------------------------------------------------------------------------------------

    def _observe(self, array: str, where: str) -> None:
        if where:
            self._need({where: Type.BOOL})
        function = self._function("observe")
        self._need(self._inputs(function))
        rows = [(each.name, each.count) for each in schema.observation_segments(self.universe)]
        if [(output.name, output.count or 1) for output in function.outputs] != rows:
            self._fail("what is observed has other rows")
        self.written.add(array)

    def _allow(self, wait: str) -> None:
        function, actions = self._function("mask"), schema.action_names(self.universe)
        self._need(self._inputs(function) | ({} if self.universe.by_hand else {"alive": Type.BOOL}))
        if wait != ("" if self.universe.by_hand else str(schema.idle_action(self.universe))):
            self._fail("who is not alive may take one action, and no other")
        if sum(output.count or 1 for output in function.outputs) != len(actions):
            self._fail("masks have another number of actions")
        self.written.add("mask")
