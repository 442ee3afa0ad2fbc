"""The words that a kernel must leave in memory: its schedule over terms, for one lane of a world.

This says what `hamletc.kernel.run` says with numpy; `hamlet_lab.proof.of_worlds` says what lanes have together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hamlet import schema
from hamlet.universe import Universe
from hamlet_lab.proof.cells import Cells
from hamlet_lab.proof.of_cells import OfCells
from hamlet_lab.proof.of_ir import Functions, UnprovenError, bits_of
from hamlet_lab.proof.overall import Overalls
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena
from hamletc.ir.ops import Type
from hamletc.kernel import statements as tree
from hamletc.kernel.statements import BEGINS, Statement, literal_type

Word = tuple[str, int]
"""A word of memory that belongs to the lane: the array's name, and the row."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A lane of a launch, in terms.

    Attributes:
        counters: the registers that the statement `Counters` sets.
        agent: its number; `None` in worlds of one agent.
        agents: of a world.
        of_worlds: the arrays that have a word for each world.
        whose: stands behind the names of arrays of lanes.
    """

    counters: Mapping[str, Term]
    waits: Term
    observing: bool = False
    agent: Term | None = None
    agents: int = 1
    of_worlds: frozenset[str] = frozenset()
    whose: str = ""

    def word(self, name: str, row: int) -> Word:
        """The word of the lane or its world in a row of an array."""
        return name if name in self.of_worlds else f"{name}{self.whose}", row


@dataclass(slots=True)
class Memory:
    """The words of the lane. Each is 32 bits, and one of a bool 8. Of each meter of cells what any of them has."""

    words: dict[Word, Term] = field(default_factory=dict)
    cells: list[Term] = field(default_factory=list)
    overalls: Overalls = field(default_factory=Overalls)


class LaneSpecification:
    """Runs statements of a schedule on terms, for one lane."""

    def __init__(self, arena: Arena, universe: Universe, functions: Functions, launch: Launch, memory: Memory) -> None:
        self._arena, self._universe, self._functions, self._launch = arena, universe, functions, launch
        fields = (*schema.state_fields(universe), *schema.outcome_fields(universe))
        self._fields = {each.name: each for each in fields}
        self.registers: dict[str, Term] = {}
        self.memory = memory
        self.within = arena.constant(1, 1)
        self._first = arena.constant(1, 1)
        if launch.agent is not None:
            self._first = arena.op("eq", launch.agent, arena.constant(0, 32))
        cells = Cells.of(universe)
        self._cells = None if cells is None else OfCells(arena, universe, self._functions, cells)

    def do(self, statement: Statement) -> None:
        """Run a statement."""
        arena, registers = self._arena, self.registers
        match statement:
            case tree.Load(fields):
                for name in fields:
                    self._load(name)
            case tree.Store(fields, where):
                for name in fields:
                    self._store(name, registers[where] if where else arena.constant(1, 1))
            case tree.Agents():
                self.set("agent", self._launch.agent or arena.constant(0, 32))
                self.set("agents", arena.constant(self._launch.agents, 32))
            case tree.Counters():
                registers |= self._launch.counters
            case tree.Take():
                self.set(BEGINS, self._register(self.memory.words[self._launch.word(BEGINS, 0)]))
            case tree.Act():
                self.set("action", self.memory.words[self._launch.word("actions", 0)])
            case tree.Set(register, source, number):
                value = registers[source]
                self.set(register, arena.op("eq", value, arena.constant(int(number), 32)) if number else value)
            case tree.Copy(names, prefix):
                for name in names:
                    self.set(f"{prefix}.{name}", registers[name])
            case tree.Call(function, ""):
                for name, values in self._functions.call(function, self._inputs()).items():
                    self.set(name, *values)
            case tree.OnCells() | tree.Crowd() if self._launch.agents > 1:
                raise UnprovenError("what agents have together on cells is not known to the proof of one alone")
            case tree.Near() | tree.OnCells() | tree.CallCells() | tree.Crowd() if self._cells is not None:
                self._cells.run(statement, registers, self.within)
            case tree.Over(meters) if self._cells is not None:
                for name, value in self._cells.overall(meters, registers, self.memory.overalls):
                    self.set(name, value)
            case tree.Gain():
                self.set("episode_return", arena.op("fadd", registers["episode_return"], registers["reward"]))
            case tree.Live():
                over = arena.op("or", registers["terminated"], registers["truncated"])
                self.set("alive", arena.op("and", registers["alive"], arena.no(over)))
            case tree.Fill(names, value):
                type_ = literal_type(value)
                word = bits_of(type_, value == "true" if type_ is Type.BOOL else float(value))
                for name in names:
                    self.set(name, arena.constant(word, 1 if type_ is Type.BOOL else 32))
            case tree.Next():
                self.set("episode", arena.op("add", registers["episode"], arena.constant(1, 32)))
            case tree.Observe():
                if self._launch.observing:
                    raise UnprovenError("observations are not known to the proof")
            case tree.Allow(wait):
                self._allow(wait)
            case tree.If(flag):
                if flag not in ("counting", "every_tick", "last_only", "shown"):
                    raise UnprovenError(f"whether a launch is {flag} is not known to the proof")
                # A step counts nothing. Observations, of which the others are about, are none here.
            case tree.Ticks():
                raise UnprovenError("a loop over ticks is not known to the proof")
            case _:
                raise UnprovenError(f"`{type(statement).__name__.lower()}` of a schedule is not known to the proof")

    def _inputs(self) -> dict[str, Term]:
        """Inputs of functions of lanes: registers, and what cells have."""
        return self.registers if self._cells is None else {**self.registers, **self._cells.read()}

    def set(self, name: str, value: Term) -> None:
        """Set a register; where the lane is not within, it keeps its value if it has one."""
        before = self.registers.get(name)
        self.registers[name] = value if before is None else self._arena.select(self.within, value, before)

    def _load(self, name: str) -> None:
        of = self._fields[name]
        if self._cells is not None and of.pitch:
            self._cells.load(self.memory.cells)
            return
        if of.pitch or name == schema.PAIR_STATES:
            raise UnprovenError(f"array {name} is not known to the proof")
        for row, register in enumerate(of.names):
            self.registers[register] = self._register(self.memory.words[self._launch.word(name, row)])

    def _register(self, word: Term) -> Term:
        return self._arena.no(self._arena.op("eq", word, self._arena.constant(0, 8))) if word.bits == 8 else word

    def _store(self, name: str, where: Term) -> None:
        if self._cells is not None and self._fields[name].pitch:
            self._cells.store(self.memory.cells, where)
            return
        if name in self._launch.of_worlds:
            where = self._arena.op("and", where, self._first)
        for row, register in enumerate(self._fields[name].names):
            self._write(self._launch.word(name, row), self.registers[register], where)

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
                self._write(self._launch.word("mask", row), may, arena.constant(1, 1))
                row += 1
