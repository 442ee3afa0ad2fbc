"""Executes schedules with numpy: what each statement means, as plainly as possible."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field

import numpy as np

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.schema.observed import STEPS, Scale
from hamlet.universe import Universe
from hamletc.ir.evaluate import DTYPES, Array, evaluate
from hamletc.ir.function import BEGIN_PAIRS, CROWD, NEAR, OVER, PAST, STAGES, Program, pairer
from hamletc.ir.together import paired, together
from hamletc.kernel import statements as tree
from hamletc.kernel.calls import FunctionCall, Watch, unwatched
from hamletc.kernel.cells import Cells, joined_on_cells, on_cells
from hamletc.kernel.counts import count
from hamletc.kernel.memory import Launch, Memory, Random, Recorded, Table
from hamletc.kernel.pairs import PairStates
from hamletc.kernel.schedule import Schedule
from hamletc.kernel.statements import BEGINS, RUNNING, Flag, Statement, literal_type
from hamletc.lowering.crowd import nobody


@dataclass(frozen=True, slots=True)
class Executable:
    """A schedule with the functions that it calls, of a universe."""

    universe: Universe
    program: Program
    schedule: Schedule
    cells: Cells = field(init=False)
    fields: dict[str, schema.Field] = field(init=False)
    segments: tuple[schema.Segment, ...] = field(init=False)

    def __post_init__(self) -> None:
        fields = (*schema.state_fields(self.universe), *schema.outcome_fields(self.universe))
        object.__setattr__(self, "cells", Cells.of(self.universe))
        object.__setattr__(self, "fields", {each.name: each for each in fields})
        object.__setattr__(self, "segments", schema.observation_segments(self.universe))

    def run(
        self, kernel: str, memory: Memory, launch: Launch, watch: Watch = unwatched, watch_cells: Watch = unwatched
    ) -> None:
        """Run a kernel on memory. `watch_cells` is told of functions that give cells what they have then, with an input
        for each cell of each world in the place of one for each lane."""
        _Run(self, memory, launch, watch, watch_cells).body(self.schedule.kernel(kernel).body)


class _Run:
    """A launch. `registers`: [lanes] by name; `of_cells`: [worlds * cells]; `pairs`: what functions of pairs give,
    [lanes * agents]."""

    def __init__(
        self, executable: Executable, memory: Memory, launch: Launch, watch: Watch, watch_cells: Watch
    ) -> None:
        self._universe, self._program, self._cells = executable.universe, executable.program, executable.cells
        self._schedule, self._fields, self._segments = executable.schedule, executable.fields, executable.segments
        self._memory, self._launch, self._watch, self._watch_cells = memory, launch, watch, watch_cells
        self._registers: dict[str, Array] = {}
        self._of_cells: dict[str, Array] = {}
        self._pairs: dict[str, Array] = {}
        self._states = PairStates.of(executable.universe, launch.agents)
        self._within = np.ones(launch.lanes, np.bool_)
        self._now = 0

    def body(self, statements: tuple[Statement, ...]) -> None:
        """Run statements, one after the other."""
        for statement in statements:
            self._run(statement)

    def _run(self, statement: Statement) -> None:
        registers, launch = self._registers, self._launch
        match statement:
            case tree.Load(fields):
                for name in fields:
                    self._load(name)
            case tree.Store(fields, where):
                lanes = registers[where] if where else np.ones(launch.lanes, np.bool_)
                for name in fields:
                    self._store(name, lanes)
            case tree.Agents():
                self._set("agent", (np.arange(launch.lanes) % launch.agents).astype(np.int32))
                self._set("agents", np.full(launch.lanes, launch.agents, np.int32))
            case tree.Counters():
                self._count_up()
            case tree.Take():
                assert launch.begins is not None, "a reset is given the worlds that begin"
                self._set(BEGINS, np.repeat(launch.begins, launch.agents))
            case tree.Act():
                self._set("action", self._action())
            case tree.Give(name, steered):
                self._give(name, steered)
            case tree.Set(register, source, number):
                self._set(register, registers[source] == np.int32(number) if number else registers[source])
            case tree.Copy(names, prefix):
                for name in names:
                    self._set(f"{prefix}.{name}", registers[name].copy())
            case tree.Call(function, at):
                self._call(function, at)
            case tree.Place(numbers, own):
                self._place(numbers, own)
            case tree.Some(register, condition):
                held = (registers[condition] & registers[RUNNING]).reshape(-1, launch.agents).any(axis=1)
                self._set(register, np.repeat(held, launch.agents))
            case tree.Pair(stage):
                self._pair(stage)
            case tree.Join(name):
                (reduction,) = (each for each in self._program.reductions if each.name == name)
                terms = registers | self._pairs
                self._set(reduction.result, together(reduction, terms, registers[RUNNING], launch.agents))
            case tree.BeginPairs():
                self._begin_pairs()
            case tree.Near():
                for name, values in self._cell_values(NEAR).items():
                    self._of_cells[name] = self._cells.beside(values)
            case tree.OnCells(name):
                self._on_cells(name)
            case tree.CallCells(function):
                self._call_cells(function)
            case tree.Over(meters):
                self._over(meters)
            case tree.Crowd(meters):
                self._crowd(meters)
            case tree.Gain():
                self._set("episode_return", registers["episode_return"] + registers["reward"])
            case tree.Live():
                self._set("alive", registers["alive"] & ~(registers["terminated"] | registers["truncated"]))
            case tree.End():
                stays = registers["alive"]
                if launch.waits:
                    stays = stays | (registers["cause"] != schema.NOWHERE)
                over = ~stays.reshape(-1, launch.agents).any(axis=1)
                self._set(BEGINS, np.repeat(over, launch.agents))
            case tree.Fill(names, value):
                constant = DTYPES[literal_type(value)](value == "true" if value in ("true", "false") else float(value))
                for name in names:
                    self._set(name, np.full(launch.lanes, constant))
            case tree.Next():
                self._set("episode", registers["episode"] + np.int32(1))
            case tree.Count():
                count(self._memory.counts, registers, self._universe)
            case tree.Observe(array, where):
                self._observe(array, registers[where] if where else np.ones(launch.lanes, np.bool_))
            case tree.Allow(wait):
                self._allow(wait)
            case tree.Within(condition, body):
                with self._in(registers[condition]):
                    self.body(body)
            case tree.If(flag, body):
                if self._holds(flag):
                    self.body(body)
            case tree.Ticks(body):
                for self._now in range(launch.ticks):
                    self.body(body)
            case tree.Do(routine):
                self.body(self._schedule.routine(routine).body)

    # --- registers --------------------------------------------------------------------------------------------------

    def _set(self, name: str, values: Array) -> None:
        """Set a register; where the lane is not within, it keeps its value if it has one."""
        before = self._registers.get(name)
        self._registers[name] = values if before is None else np.where(self._within, values, before)

    @contextmanager
    def _in(self, condition: Array) -> Iterator[None]:
        outside = self._within
        self._within = outside & condition
        try:
            yield
        finally:
            self._within = outside

    def _holds(self, flag: Flag) -> bool:
        match flag:
            case "counting":
                return bool(self._memory.counts)
            case "every_tick":
                return self._launch.every_tick
            case "last_only":
                return not self._launch.every_tick
            case "shown":
                return self._launch.every_tick and not self._launch.waits

    # --- arrays -----------------------------------------------------------------------------------------------------

    def _load(self, name: str) -> None:
        of, launch = self._fields[name], self._launch
        array = self._memory.fields[name]
        if of.name == schema.PAIR_STATES:
            self._states.load(array)
            return
        if of.pitch:
            values = array.reshape(len(self._cells.meters), self._cells.count, launch.worlds)
            for row, meter in enumerate(self._cells.meters):
                self._of_cells[f"cells.{meter}"] = values[row].T.reshape(-1)
            return
        if of.per == "world":
            array = np.repeat(array, launch.agents, axis=-1)
        if name == "layout":
            array = array.view(np.uint32)
        for register, values in zip(of.names, [array] if of.rows is None else array, strict=True):
            self._registers[register] = values.copy()

    def _store(self, name: str, lanes: Array) -> None:
        of, array, agents = self._fields[name], self._memory.fields[name], self._launch.agents
        worlds = lanes[::agents]
        if of.name == schema.PAIR_STATES:
            self._states.store(array, worlds)
            return
        if of.pitch:
            for row, meter in enumerate(self._cells.meters):
                values = self._of_cells[f"cells.{meter}"].reshape(-1, self._cells.count)
                array[row * self._cells.count : (row + 1) * self._cells.count, worlds] = values[worlds].T
            return
        for there, register in zip(array.reshape(-1, array.shape[-1]), of.names, strict=True):
            values = self._registers[register].view(there.dtype)
            if of.per == "lane":
                there[lanes] = values[lanes]
            else:
                there[worlds] = values[::agents][worlds]

    # --- numbers, actions, what is given ----------------------------------------------------------------------------

    def _count_up(self) -> None:
        self._registers |= self._launch.counters(self._now)

    def _action(self) -> Array:
        match self._launch.policy:
            case Recorded(actions):
                recorded: Array = actions[self._now]
                return recorded
            case Random():
                return self._value("choose", {"word": self._word()})["action"]
            case Table() as table:
                return self._look_up(table)

    def _word(self) -> Array:
        """The random word of the tick."""
        return self._value("policy", self._registers)[f"word{(self._launch.tick + self._now) & 3}"]

    def _look_up(self, table: Table) -> Array:
        inputs, word = dict(self._registers), self._word()
        for name, values in {"stride": table.strides, "scale": table.scales, "top": table.tops}.items():
            for number, value in enumerate(values):
                inputs[f"{name}.{number}"] = np.full(self._launch.lanes, value)
        row = self._value("situation", inputs)["situation"]
        if table.choices is not None:
            return table.choices[row]
        assert table.thresholds is not None
        chosen: Array = (table.thresholds[row] <= (word >> 2).astype(np.int64)[:, None]).sum(1)
        return chosen.astype(np.int32)

    def _give(self, name: str, steered: str) -> None:
        if name in self._launch.given:
            for register, values in zip(self._fields[name].names, self._launch.given[name][self._now], strict=True):
                self._registers[register] = values
        elif steered and not isinstance(self._launch.policy, Recorded):
            drawn = self._value(steered, self._registers)
            self._registers |= dict(zip(self._fields[name].names, drawn.values(), strict=True))

    # --- functions --------------------------------------------------------------------------------------------------

    def _value(self, function: str, inputs: dict[str, Array]) -> dict[str, Array]:
        return self._evaluate(FunctionCall(function, inputs, self._within))

    def _evaluate(self, call: FunctionCall) -> dict[str, Array]:
        self._watch(call)
        program = self._program
        return evaluate(program.function(call.function), call.inputs, program.tables, program.functions)

    def _inputs(self) -> dict[str, Array]:
        """What functions of lanes read: registers, the meters of the cells of their worlds, and pairs."""
        if not self._cells.meters:
            return {**self._registers, **self._states.read(self._launch.lanes)}
        launch, size = self._launch, self._cells.count
        begin = (np.arange(launch.lanes) // launch.agents * size).astype(np.int32)
        of_cells = {f"cells.{name}": self._of_cells[f"cells.{name}"].reshape(-1, size) for name in self._cells.meters}
        return {**self._registers, **of_cells, "cells_at": begin, **self._states.read(launch.lanes)}

    def _call(self, function: str, at: str) -> None:
        inputs = self._inputs()
        if at:
            axes = schema.axes(self._universe)
            inputs |= {f"position.{axis}": inputs[f"{at}.{axis}"] for axis in axes}
        for name, values in self._value(function, inputs).items():
            self._set(name, values)

    def _place(self, numbers: tuple[str, ...], own: str) -> None:
        lanes = self._launch.lanes
        places = {f"cell.{number}": np.full(lanes, int(number), np.uint32) for number in numbers}
        if own:
            places["cell"] = (int(own) + self._registers["agent"]).astype(np.uint32)
        for name, index in places.items():
            self._set(name, self._value("place", {"layout": self._registers["layout"], "index": index})["cell"])

    def _pair(self, stage: str) -> None:
        (kind,) = (each for each in STAGES if each == stage)
        agents, runs = self._launch.agents, self._registers[RUNNING]
        inputs = paired(self._program, kind, self._registers, agents) | self._states.arrays
        others = np.repeat(runs.reshape(-1, agents), agents, axis=0).reshape(-1)
        both = np.repeat(runs, agents) & others
        given = self._evaluate(FunctionCall(pairer(kind), inputs, both, agents))
        self._pairs |= given
        self._states.keep(given, both)

    def _begin_pairs(self) -> None:
        agents = self._launch.agents
        inputs = {name: np.repeat(values, agents) for name, values in self._registers.items()}
        inputs["other"] = np.tile(np.arange(agents, dtype=np.int32), self._launch.lanes)
        lanes = np.repeat(self._within, agents)
        self._states.keep(self._evaluate(FunctionCall(BEGIN_PAIRS, inputs, lanes, agents)), lanes)

    # --- cells ------------------------------------------------------------------------------------------------------

    def _cell_inputs(self) -> dict[str, Array]:
        shared = self._cells.shared(self._registers, self._launch.worlds, self._launch.agents)
        past = {f"{PAST}{name}": self._of_cells[f"cells.{name}"].reshape(1, -1) for name in self._cells.meters}
        return shared | past | self._of_cells

    def _cell_values(self, function: str) -> dict[str, Array]:
        program = self._program
        return evaluate(program.function(function), self._cell_inputs(), program.tables, program.functions)

    def _call_cells(self, function: str) -> None:
        worlds = np.repeat(self._within[:: self._launch.agents], self._cells.count)
        self._watch_cells(FunctionCall(function, self._cell_inputs(), worlds))
        for name, values in self._cell_values(function).items():
            self._of_cells[name] = np.where(worlds, values, self._of_cells[name])

    def _over(self, meters: tuple[str, ...]) -> None:
        assert self._universe.cells is not None, "there are cells"
        ops = {each.meter: each.op for each in self._universe.cells.sums}
        for meter, values in zip(meters, self._cell_values(OVER).values(), strict=True):
            self._set(f"world.{meter}", np.repeat(self._cells.overall(ops[meter], values), self._launch.agents))

    def _on_cells(self, name: str) -> None:
        launch, registers = self._launch, self._registers
        (reduction,) = (each for each in self._program.stage("cells") if each.name == name)
        first = np.arange(launch.lanes) // launch.agents * self._cells.count
        term, standing = registers[f"term.{name}"], registers[reduction.standing]
        there, cells = registers[RUNNING] & (standing >= 0), launch.worlds * self._cells.count
        self._of_cells[reduction.result] = on_cells(reduction, term, first + standing, there, cells)

    def _crowd(self, meters: tuple[str, ...]) -> None:
        launch = self._launch
        given = self._value(CROWD, self._inputs())
        first = np.arange(launch.lanes) // launch.agents * self._cells.count
        worlds = np.repeat(self._within[:: launch.agents], self._cells.count)
        for number, meter in enumerate(meters):
            counted, cell = given["counted"], first + given["standing"]
            each, cells = self._universe.counts[number], launch.worlds * self._cells.count
            begins = nobody(self._universe, each)
            total = joined_on_cells(each.extreme, begins, given[f"crowd.{number}"], cell, counted, cells)
            self._of_cells[f"cells.{meter}"] = np.where(worlds, total, self._of_cells[f"cells.{meter}"])

    # --- what is written --------------------------------------------------------------------------------------------

    def _observe(self, name: str, lanes: Array) -> None:
        array = self._memory.observation if name == "observation" else self._memory.final_observation
        if array is None:
            return
        seen = self._value("observe", self._inputs())
        for segment in self._segments:
            values = seen[segment.name].reshape(segment.count, -1)
            if self._memory.as_bytes:
                values = encoded(values, segment.scale)
            array[segment.offset : segment.offset + segment.count, lanes] = values[:, lanes]

    def _allow(self, wait: str) -> None:
        alive = self._registers["alive"]
        with self._in(alive if wait else np.ones_like(alive)):
            allowed = self._value("mask", self._inputs())
        row, mask = 0, self._memory.mask
        for name, values in allowed.items():
            assert name == f"mask.{row}", f"{name} comes at action {row}"
            for may in values.reshape(-1, self._launch.lanes):
                mask[row] = np.where(alive, may, row == int(wait)) if wait else may
                row += 1
        assert row == len(mask), f"{row} of {len(mask)} actions have a mask"


def encoded(values: Array, scale: Scale) -> Array:
    """Observed f32 as bytes, see `hamlet.schema.observed`; still f32."""
    steps = (values - np.float32(scale.low)) * np.float32(scale.scale)
    result: Array = np.rint(np.clip(steps, np.float32(0), np.float32(STEPS)))
    return result
