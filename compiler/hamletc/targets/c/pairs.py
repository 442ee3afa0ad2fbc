"""What agents have of each other, as kernels for CPUs work on it: in memory, world by world, with a row for each other
agent. What rules write stays in room of the thread until all agents of a world have asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.schema.fields import WIDEST_VECTOR
from hamlet.universe import Universe
from hamletc.ir.function import BEGIN_PAIRS, OF_PAIRS
from hamletc.kernel.code import Code, Function, assign, do, function, loop, when
from hamletc.kernel.expressions import Expression, Name, Operand, call, names
from hamletc.targets.c.arrays import Array, heap
from hamletc.targets.c.bindings import Bindings
from hamletc.targets.c.lanes import SEEDED, WIDE, agents, first, first_world, lane, numbers, world
from hamletc.targets.c.memory import part

MEMORY, ROOM = Name("pair_states_array"), Name("new_pairs")
begin, other, index, place, own = names("begin other index place own")


@dataclass(frozen=True, slots=True)
class PairStep:
    """What kernels need for the pairs of a universe.

    Attributes:
        agents: of a world; `room`: the numbers of a row in the room of the thread.
        states: what agents have of each other, by names of outputs.
        written: the numbers of the states that rules write.
    """

    functions: Bindings
    agents: int
    room: int
    states: list[str]
    written: list[int]

    @property
    def arrays(self) -> dict[str, Array]:
        """The room of the thread."""
        rows = max(len(self.written) * self.agents, len(self.states))
        return {ROOM.name: heap("f32", rows * self.room)}

    @property
    def fetched(self) -> list[tuple[str, int]]:
        """The variables of arrays that functions fetch from, and the number of the state."""
        tables = {table for body in self.functions.bodies.values() for table in body.tables}
        known = ((self.functions.passed_tables([name])[0], name, number) for number, name in enumerate(self.states))
        return [(variable, number) for variable, name, number in known if name in tables]

    def named(self) -> Iterator[Code]:
        """The arrays of the worlds of a chunk that functions fetch from, as they are called there."""
        for variable, number in self.fetched:
            yield assign(variable, part(MEMORY, world, number * self.agents**2))

    def noted(self, outputs: dict[str, Expression]) -> Iterator[Code]:
        """What rules write about the lane `other` of the world from `begin` on, for the lanes from `first` on."""
        for row, number in enumerate(self.written):
            where = (other - begin + row * self.agents) * self.room + (first - begin)
            yield assign(ROOM[call("wide", where)], outputs[self.states[number]])

    def kept(self) -> Iterator[Code]:
        """What rules have written about the agents of a world that run, in memory."""
        if self.written:
            yield assign(place, world + begin // agents)
            copied = list(self._copied())
            yield loop(other, begin, begin + agents, body=[when(Name("runs")[other], copied)])

    def _copied(self) -> Iterator[Code]:
        for row, number in enumerate(self.written):
            new = part(ROOM, 0, (other - begin + row * self.agents) * self.room)
            old = part(MEMORY, place, (other - begin + number * self.agents) * self.agents)
            yield do("store_lanes", new, old, self.agents)


def pair_step(universe: Universe, functions: Bindings) -> PairStep | None:
    """What kernels need for the pairs of a universe; `None` where agents have nothing of each other."""
    pairs = universe.pairs
    if pairs is None:
        return None
    count = schema.pair_agents(universe)
    room = -(-count // WIDEST_VECTOR) * WIDEST_VECTOR
    written = [pairs.meters.index(meter) for meter in pairs.written]
    return PairStep(functions, count, room, [f"{OF_PAIRS}{meter.name}" for meter in pairs.meters], written)


def begun(step: PairStep) -> Function:
    """The function by which the agents of a world, from lane `begin` on, begin with each other."""
    bindings = step.functions
    given: dict[str, Operand] = {
        "other": call("i32", other),
        "agent": call("subtract", call("to_i32", numbers()), call("i32", begin)),
        "agents": call("i32", agents),
        "lane": call("add", numbers(), call("u32", (first_world + world) * agents)),
        **SEEDED,
    }

    def body() -> Iterator[Code]:
        yield loop(other, agents, body=of_other())

    def of_other() -> Iterator[Code]:
        yield loop(first, begin, begin + agents, WIDE, body=of_lanes())
        for number in range(len(step.states)):
            new = part(ROOM, 0, number * step.room)
            yield do("store_lanes", new, part(MEMORY, place, (other + number * step.agents) * step.agents), step.agents)

    def of_lanes() -> Iterator[Code]:
        yield assign(lane, call("wide", first))
        rows = [ROOM[call("wide", first - begin + number * step.room)] for number in range(len(step.states))]
        yield assign(rows, call(f"_{BEGIN_PAIRS}", *bindings.passing(BEGIN_PAIRS, given)))

    summary = "What the agents of the world from lane `begin` on, which is at `place`, have of each other at first."
    return function("_begin_world", ["begin", "place"], summary, body(), "apart")
