"""The words that a kernel must leave in memory: its schedule over terms, for one lane of a world of one agent.

This says what `hamletc.kernel.run` says with numpy. A world of one agent has one lane: what the lanes of a world have
together is what the one has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hamlet import schema
from hamlet.universe import Universe
from hamlet_lab.proof.cells import Cells
from hamlet_lab.proof.of_cells import OfCells
from hamlet_lab.proof.of_ir import Functions, UnprovenError, bits_of
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena
from hamletc.ir.function import Program, Reduction
from hamletc.ir.ops import Type
from hamletc.kernel import statements as tree
from hamletc.kernel.schedule import Schedule
from hamletc.kernel.statements import BEGINS, Statement, literal_type

Word = tuple[str, int]
"""A word of memory that belongs to the lane: the array's name, and the row."""


@dataclass(frozen=True, slots=True)
class Launch:
    """Arguments of a launch as terms; `counters` are the registers that the statement `Counters` sets."""

    counters: Mapping[str, Term]
    waits: Term
    observing: bool = False


@dataclass(slots=True)
class Memory:
    """The words of the lane. Each is 32 bits, and one of a bool 8. Of each meter of cells what any of them has."""

    words: dict[Word, Term] = field(default_factory=dict)
    cells: list[Term] = field(default_factory=list)


class Specification:
    """Runs the schedule of a kernel on terms."""

    def __init__(
        self,
        arena: Arena,
        universe: Universe,
        program: Program,
        schedule: Schedule,
        launch: Launch,
        memory: Memory,
        whole: bool = False,
    ) -> None:
        self._arena, self._universe, self._schedule, self._launch = arena, universe, schedule, launch
        self._functions = Functions(arena, program, whole)
        fields = (*schema.state_fields(universe), *schema.outcome_fields(universe))
        self._fields = {each.name: each for each in fields}
        self.registers: dict[str, Term] = {}
        self._pairs: dict[str, Term] = {}
        self.memory = memory
        self._within = arena.constant(1, 1)
        cells = Cells.of(universe)
        self._cells = None if cells is None else OfCells(arena, universe, self._functions, cells)

    def run(self, kernel: str) -> None:
        """Run a kernel."""
        self._body(self._schedule.kernel(kernel).body)

    def _body(self, statements: tuple[Statement, ...]) -> None:
        for statement in statements:
            self._run(statement)

    def _run(self, statement: Statement) -> None:
        arena, registers = self._arena, self.registers
        match statement:
            case tree.Load(fields):
                for name in fields:
                    self._load(name)
            case tree.Store(fields, where):
                for name in fields:
                    self._store(name, registers[where] if where else arena.constant(1, 1))
            case tree.Agents():
                self._set("agent", arena.constant(0, 32))
                self._set("agents", arena.constant(1, 32))
            case tree.Counters():
                registers |= self._launch.counters
            case tree.Take():
                self._set(BEGINS, self._register(self.memory.words[BEGINS, 0]))
            case tree.Act():
                self._set("action", arena.variable("actions[0]"))
            case tree.Set(register, source, number):
                value = registers[source]
                self._set(register, arena.op("eq", value, arena.constant(int(number), 32)) if number else value)
            case tree.Copy(names, prefix):
                for name in names:
                    self._set(f"{prefix}.{name}", registers[name])
            case tree.Call(function, ""):
                for name, values in self._functions.call(function, self._inputs()).items():
                    self._set(name, *values)
            case tree.Near() | tree.OnCells() | tree.CallCells() | tree.Crowd() if self._cells is not None:
                self._cells.run(statement, registers, self._within)
            case tree.Some(register, condition):
                self._set(register, arena.op("and", registers[condition], registers[tree.RUNNING]))
            case tree.Pair(stage):
                self._pairs |= self._functions.pair(stage, registers)
            case tree.Join(name):
                (reduction,) = self._functions.reductions(name)
                self._set(reduction.result, joined(arena, reduction, registers | self._pairs))
            case tree.Gain():
                self._set("episode_return", arena.op("fadd", registers["episode_return"], registers["reward"]))
            case tree.Live():
                over = arena.op("or", registers["terminated"], registers["truncated"])
                self._set("alive", arena.op("and", registers["alive"], arena.no(over)))
            case tree.End():
                ended = arena.no(arena.op("eq", registers["cause"], arena.constant(schema.NOWHERE, 32)))
                stays = arena.op("or", registers["alive"], arena.op("and", self._launch.waits, ended))
                self._set(BEGINS, arena.no(stays))
            case tree.Fill(names, value):
                type_ = literal_type(value)
                word = bits_of(type_, value == "true" if type_ is Type.BOOL else float(value))
                for name in names:
                    self._set(name, arena.constant(word, 1 if type_ is Type.BOOL else 32))
            case tree.Next():
                self._set("episode", arena.op("add", registers["episode"], arena.constant(1, 32)))
            case tree.Observe():
                if self._launch.observing:
                    raise UnprovenError("observations are not known to the proof")
            case tree.Allow(wait):
                self._allow(wait)
            case tree.Within(condition, body):
                outside = self._within
                self._within = arena.op("and", outside, registers[condition])
                self._body(body)
                self._within = outside
            case tree.If(flag, body):
                if flag not in ("counting", "every_tick", "last_only", "shown"):
                    raise UnprovenError(f"whether a launch is {flag} is not known to the proof")
                # A step counts nothing. Observations, of which the others are about, are none here.
            case tree.Ticks():
                raise UnprovenError("a loop over ticks is not known to the proof")
            case tree.Do(routine):
                self._body(self._schedule.routine(routine).body)
            case _:
                raise UnprovenError(f"`{type(statement).__name__.lower()}` of a schedule is not known to the proof")

    def _inputs(self) -> dict[str, Term]:
        """Inputs of functions of lanes: registers, and what cells have."""
        return self.registers if self._cells is None else {**self.registers, **self._cells.read()}

    def _set(self, name: str, value: Term) -> None:
        before = self.registers.get(name)
        self.registers[name] = value if before is None else self._arena.select(self._within, value, before)

    def _load(self, name: str) -> None:
        of = self._fields[name]
        if self._cells is not None and of.pitch:
            self._cells.load(self.memory.cells)
            return
        if of.pitch or name == schema.PAIR_STATES:
            raise UnprovenError(f"array {name} is not known to the proof")
        for row, register in enumerate(of.names):
            self.registers[register] = self._register(self.memory.words[name, row])

    def _register(self, word: Term) -> Term:
        return self._arena.no(self._arena.op("eq", word, self._arena.constant(0, 8))) if word.bits == 8 else word

    def _store(self, name: str, where: Term) -> None:
        if self._cells is not None and self._fields[name].pitch:
            self._cells.store(self.memory.cells, where)
            return
        for row, register in enumerate(self._fields[name].names):
            self._write((name, row), self.registers[register], where)

    def _write(self, word: Word, value: Term, where: Term) -> None:
        stored = self._arena.wide(value, 8) if value.bits == 1 else value
        self.memory.words[word] = self._arena.select(where, stored, self.memory.words[word])

    def _allow(self, wait: str) -> None:
        arena, alive = self._arena, self.registers["alive"]
        row = 0
        for values in self._functions.call("mask", self._inputs()).values():
            for may in values:
                if wait:
                    may = arena.select(alive, may, arena.constant(row == int(wait), 1))
                self._write(("mask", row), may, arena.constant(1, 1))
                row += 1


def joined(arena: Arena, reduction: Reduction, registers: Mapping[str, Term]) -> Term:
    """The result of a reduction over the lanes of a world, of which there is one, which is the only one it asks."""
    name, nothing = reduction.name, arena.constant(0, 32)
    term, runs, one = registers[f"term.{name}"], registers[tree.RUNNING], arena.constant(bits_of(Type.F32, 1.0), 32)
    match reduction.op:
        case "count":
            return arena.select(arena.op("and", term, runs), one, nothing)
        case "total" | "lowest" | "highest":
            return arena.select(runs, term, nothing)
        case "grant":
            free = arena.op("slt", nothing, registers[f"places.{name}"])
            return arena.op("and", arena.op("and", term, runs), free)
        case "alike" if not reduction.others:
            same = arena.op("eq", registers[f"asked.{name}"], registers[f"key.{name}"])
            return arena.select(arena.op("and", arena.op("and", term, runs), same), one, nothing)
        case "rank" | "alike":
            return nothing
        case "nearest":
            return arena.select(arena.op("and", term, runs), registers[f"value.{name}"], registers[f"otherwise.{name}"])
        case "last":
            raise UnprovenError(f"`{reduction.op}` of a schedule is not known to the proof")
