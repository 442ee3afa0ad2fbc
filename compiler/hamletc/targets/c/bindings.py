"""The functions of a program as kernels call them: on a vector of lanes, with the rows and tables they read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hamlet import schema
from hamlet.package.manifest import plain
from hamlet.schema import abi
from hamlet.universe import Universe
from hamletc.ir.function import Output, Program, Table
from hamletc.ir.operands import operands
from hamletc.ir.ops import Const, Input, Type, Value
from hamletc.kernel.body import Body, Loop, body, table_name
from hamletc.kernel.expressions import Expression, Name, Operand, Typed, expression
from hamletc.targets.c.slots import HEAP, Chunk, ChunkMemory, Slot, cell_cache, chunks, counted, outcomes, state
from hamletc.targets.c.together import CLOSING, together
from hamletc.targets.known_rows import KnownRows

SHORT = 64
"""The most numbers of a table that registers hold as a constant (`short_table` of `hamlet.h`)."""


class Bindings:
    """The functions of a program, ready to print, and where the values that they read and write are in a chunk.

    Attributes:
        state, outcomes, cached: rows of the state, of what a tick gives beside it, of the cell cache.
        counted: rows of the numbers of agents.
        held: all that functions read from a chunk, by the names of inputs.
        together: what the agents of a world have together.
        sources: the names of the files that comments name.
        meter_scales: the table of `hamlet.schema.abi.meter_scales` where meters share an array.
        short: names of the tables that are constants.
        known: repeated outputs of `observe` that it gives as words.
        offsets, scales: of what is observed or allowed the first row, and how it becomes bytes, by names of outputs.
    """

    def __init__(
        self,
        program: Program,
        universe: Universe,
        memory: ChunkMemory,
        known: tuple[KnownRows, ...] = (),
    ) -> None:
        self.program = program
        self.known = known
        self.universe = universe
        self.sources = [plain(source) for source in universe.sources]
        self.state = state(universe, frozenset(output.name for output in program.function("reset").outputs), memory)
        self.held = {slot.name: slot for slot in self.state}
        self.cached = cell_cache(program, self.held, sum(each.place is None for each in universe.affordances))
        self.held |= {slot.name: slot for slot in self.cached}
        self.counted = counted(program)
        self.held |= {slot.name: slot for slot in self.counted}
        self.outcomes = outcomes(universe, memory)
        self.together = together(program, self.held, self.outcomes, memory is HEAP)
        self.held |= self.together.slots
        self.bodies = {function.name: body(function) for function in program.functions}
        shared = any(slot.chunk.field.name == "meters" and slot.chunk.rows > 1 for slot in self.state)
        self.meter_scales = Table("meter.scales", Type.F32, abi.meter_scales(universe)) if shared else None
        self.short = frozenset(table.name for table in program.tables if len(table.values) <= SHORT)
        segments = schema.observation_segments(universe)
        self.offsets = {segment.name: segment.offset for segment in segments}
        self.offsets |= {f"mask.{number}": number for number in range(len(schema.action_names(universe)))}
        self.scales: dict[str, tuple[Expression, ...]] = {
            each.name: tuple(Typed(Type.F32, number) for number in (each.scale.low, each.scale.scale))
            for each in segments
        }

    def tables_of(self, function: str) -> list[str]:
        """The parameters and arguments for the tables that a function reads."""
        return self.passed_tables(self.bodies[function].tables)

    def passed_tables(self, names: Iterable[str]) -> list[str]:
        """Those of these tables that are no constants."""
        return [table_name(name) for name in names if name not in self.short]

    def parameters(self, function: str) -> list[str]:
        """The parameters of a function: its inputs, then its tables."""
        return [parameter.name for parameter in self.bodies[function].parameters] + self.tables_of(function)

    def passing(self, function: str, given: Mapping[str, Operand]) -> list[Expression]:
        """What is passed to it for a lane: what is `given` by the name of an input, else the lane's element; tables."""
        inputs = [
            expression(given[parameter.input]) if parameter.input in given else self.held[parameter.input].of_lane
            for parameter in self.bodies[function].parameters
        ]
        return [*inputs, *map(Name, self.tables_of(function))]

    def value(self, function: str, value: Value) -> Expression:
        """A value of a function where its lines stand: its name, or a constant of its type."""
        printed = self.bodies[function]
        if value in printed.names:
            return Name(printed.names[value])
        op = printed.op(value)
        assert isinstance(op, Const), "what a function gives has a name or is a constant"
        return Typed(op.type, op.value)

    @property
    def sees(self) -> bool:
        """Whether agents observe anything."""
        return bool(self.bodies["observe"].outputs or self.bodies["observe"].loops)

    @property
    def changing(self) -> list[Chunk]:
        """The chunks of the state that a tick writes, but for what settling it writes."""
        ticked = {slot.chunk.variable for slot in (*self.written("tick"), *self.cached)}
        ticked |= set() if self.together.settles else {"episode_return"}
        return [chunk for chunk in chunks(self.state) if chunk.variable in ticked]

    @property
    def closing(self) -> list[Chunk]:
        """The chunks of the state that settling a tick writes."""
        return [chunk for chunk in chunks(self.state) if self.together.settles and chunk.variable in CLOSING]

    def reads(self, function: str, name: str) -> bool:
        """Whether a function has an input of this name."""
        return any(parameter.input == name for parameter in self.bodies[function].parameters)

    def written(self, function: str) -> list[Slot]:
        """Where the outputs of a function belong; of a tick see `changed`."""
        slots = {slot.name: slot for slot in (*self.state, *self.outcomes)} | self.together.slots
        outputs = self.changed() if function == "tick" else self.bodies[function].outputs
        return [slots[output.name] for output in outputs]

    def outputs(self, function: str) -> list[Expression]:
        """The single outputs of a function; of a tick those that are not in their place already."""
        outputs = self.changed() if function == "tick" else self.bodies[function].outputs
        return [self.value(function, output.value) for output in outputs]

    def changed(self) -> list[Output]:
        """The outputs of a tick but positions that are in their place already."""
        moved = {slot.of_lane for slot in self.cached if slot.name.startswith("moved.")}
        outputs = self.bodies["tick"].outputs
        return [o for o in outputs if o.name not in self.held or self.held[o.name].of_lane not in moved]


def outside(printed: Body, loop: Loop) -> list[Value]:
    """The named values that the lines of a loop use and do not define, in order."""
    inside = {line.value for line in loop.lines}

    def used(values: Iterable[Value]) -> Iterable[Value]:
        for value in values:
            if value not in printed.names:
                yield from used(operands(printed.op(value)))
            elif value not in inside and printed.names[value] != loop.element:
                yield value

    roots = [operand for line in loop.lines for operand in operands(printed.op(line.value))]
    return sorted(set(used([*roots, loop.value])))


def shared(printed: Body) -> list[Value]:
    """The named values that the loops of a function use and no element changes, inputs left out, in order."""
    values = dict.fromkeys(value for loop in printed.loops for value in outside(printed, loop))
    return [value for value in values if not isinstance(printed.op(value), Input)]
