"""Where the lanes of worlds are among the threads of a launch.

A world has the threads of a group, as many as its agents, or more up to a power of two; a block has whole groups. One
thread stands for all where agents do not meet: its number `tid` is any, and with it its agent. Where they meet the
threads of one world run together: `unit` is the number of the world in its block, and agents are constants.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena

THREADS = 1 << 31
"""No launch has more threads."""
WARP = 32
OF_AGENT = "@"
"""Stands in the name of a word before the agent that it is of, where agents meet."""


def group_of(agents: int) -> int:
    """The threads that a world of so many agents takes."""
    return 1 << (agents - 1).bit_length()


def array_of(name: str) -> str:
    """The array of a word's name, which may say of which agent it is."""
    return name.partition(OF_AGENT)[0]


@dataclass(frozen=True, slots=True)
class Lane:
    """A thread as a term, and what it is about: its world, its agent, and its lane; whether there is such a lane."""

    thread: Term
    world: Term
    agent: Term
    lane: Term
    valid: Term


@dataclass(frozen=True, slots=True)
class Placement:
    """Where lanes are.

    Attributes:
        agents: of a world.
        meet: whether the agents of a world meet, and their threads run together.
        of_worlds: the arrays that have a word for each world, and not for each lane.
    """

    agents: int = 1
    meet: bool = False
    of_worlds: frozenset[str] = frozenset()

    @property
    def group(self) -> int:
        """The threads of a world."""
        return group_of(self.agents)

    @property
    def block(self) -> int:
        """The threads of a block."""
        return max(WARP, self.group)

    @property
    def most_worlds(self) -> int:
        """The most worlds of a launch."""
        return THREADS - WARP - 1 if self.agents == 1 else (THREADS - 1) // self.group

    def names(self, array: str) -> list[str]:
        """The names of the words of an array: where agents meet, each has its own."""
        if not self.meet or array in self.of_worlds:
            return [array]
        return [f"{array}{OF_AGENT}{agent}" for agent in range(self.agents)]

    def world_of(self, values: Mapping[str, int]) -> int:
        """The number in its launch of the world that the values of variables are about."""
        if self.meet:
            return values["ctaid"] * (self.block // self.group) + values["unit"]
        return (values["ctaid"] * self.block + values["tid"]) // self.group

    def lane(self, arena: Arena, agent: int | None = None) -> Lane:
        """The lane of a thread; of an agent, where agents meet."""
        ctaid, worlds, agents = arena.variable("ctaid"), arena.variable("worlds"), arena.constant(self.agents, 32)
        shift, spread = self.group.bit_length() - 1, self.block.bit_length() - 1
        if agent is None:
            thread = arena.variable("tid")
            index = arena.op("or", arena.op("shl", ctaid, arena.constant(spread, 32)), thread)
            if self.agents == 1:
                return Lane(thread, index, arena.constant(0, 32), index, arena.op("slt", index, worlds))
            world = arena.op("lshr", index, arena.constant(shift, 32))
            number = arena.op("and", thread, arena.constant(self.group - 1, 32))
        else:
            unit, number = arena.variable("unit"), arena.constant(agent, 32)
            thread = arena.op("or", arena.op("shl", unit, arena.constant(shift, 32)), number)
            world = arena.op("or", arena.op("shl", ctaid, arena.constant(spread - shift, 32)), unit)
        lane = arena.op("add", arena.op("mul", world, agents), number)
        valid = arena.op("and", arena.op("slt", world, worlds), arena.op("slt", number, agents))
        return Lane(thread, world, number, lane, valid)

    def address(self, arena: Arena, lane: Lane, name: str, row: int, size: int) -> Term:
        """Where a word is: arrays are [rows, lanes] or [rows, worlds]."""
        of_world, worlds = array_of(name) in self.of_worlds, arena.wide(arena.variable("worlds"), 64)
        pitch = worlds if of_world else arena.op("mul", worlds, arena.constant(self.agents, 64))
        column = arena.wide(lane.world if of_world else lane.lane, 64)
        index = arena.op("add", arena.op("mul", pitch, arena.constant(row, 64)), column)
        return arena.op("add", arena.variable(f"&{array_of(name)}"), arena.op("mul", index, arena.constant(size, 64)))
