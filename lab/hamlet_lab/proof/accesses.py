"""Whether all threads of a launch, also those that are no agents, stay within its arrays: every load and every store is
masked off or within the array that its address begins in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from hamlet import schema
from hamlet.launch.gpu.forms import compile_form
from hamlet.schema import abi
from hamlet.schema.roles import fewest_agents, suited_agents
from hamlet.universe import Universe
from hamlet_lab.proof.intervals import Numbers, Range, Sum, signed
from hamlet_lab.proof.of_ir import UnprovenError, bits_of
from hamlet_lab.proof.placement import group_of
from hamlet_lab.proof.ranges import Ranges
from hamlet_lab.proof.states import GREATEST
from hamlet_lab.proof.term import Term, Variable
from hamlet_lab.proof.walk import Access, Walk
from hamlet_lab.ptx.parser import parse
from hamletc.ir.ops import Type

if TYPE_CHECKING:
    from types import ModuleType

MOST_THREADS = 2**31 - 1
"""Fewer than 2^31 threads are launched."""
SPLITS = 8
"""Conditions in an address of which both sides are tried."""
SOME_AGENTS = 3
"""Agents of a world of which a group of threads has one more."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array of a launch: `rows` numbers for each of `each` lanes or worlds and so many bytes, or for a whole launch.

    Attributes:
        worlds: how many lanes it has for each world; 0 where it is the same for all.
        pitch: not 0 where it lies world by world, with so many numbers each.
        within: of each row the words, as integers, or the numbers that it may hold; none where it may hold anything.
    """

    name: str
    size: int
    rows: int
    worlds: int = 0
    pitch: int = 0
    within: tuple[Range | Numbers, ...] = ()

    def bytes_for(self, worlds: Term) -> Sum:
        """The bytes of the array."""
        if not self.worlds:
            return Sum({}, self.rows * self.size)
        return Sum({worlds: (self.pitch or self.rows * self.worlds) * self.size})


@dataclass(frozen=True, slots=True)
class Outside:
    """Global memory of a launch."""

    arrays: dict[str, Array]
    worlds: Term

    def content(self, address: Term, ranges: Ranges, size: int) -> Range | Numbers | None:
        """The words, as integers, or the numbers that may be at an address; `None` for anything."""
        located = self.located(ranges.sum(address))
        if located is None or located[0].size != size or not located[0].within:
            return None
        array, offset = located
        rows = self._rows(array, offset, ranges)
        low, high = min(each[0] for each in rows), max(each[1] for each in rows)
        return (low, high) if isinstance(low, float) else (int(low), int(high))

    def _rows(self, array: Array, offset: Sum, ranges: Ranges) -> Sequence[Range | Numbers]:
        """The ranges of the rows that an offset may be in."""
        if not array.worlds or len(array.within) == 1:
            return array.within
        if array.pitch:
            # Of the world that is nearest: its own numbers begin at a multiple of the pitch.
            times = {term: count for term, count in offset.times.items() if count % (array.pitch * array.size)}
            low, high = ranges.bounds(Sum(times, offset.rest))
            if low < 0 or high >= array.pitch * array.size:
                return array.within if len(array.within) == array.pitch else ((-GREATEST, GREATEST),)
            held = array.within[low // array.size : high // array.size + 1]
            return held if high // array.size < len(array.within) else ((-GREATEST, GREATEST),)
        row, rest = divmod(offset.times.get(self.worlds, 0), array.worlds * array.size)
        if rest == 0 and 0 <= row < array.rows:
            begins = Sum({self.worlds: row * array.worlds * array.size})
            ends = Sum({self.worlds: (row + 1) * array.worlds * array.size}, -array.size)
            own = ranges.bounds(offset.plus(begins, -1))[0] >= 0 and ranges.bounds(offset.plus(ends, -1))[1] <= 0
            if own:
                return (array.within[row],)
        return array.within

    def located(self, total: Sum) -> tuple[Array, Sum] | None:
        """The array that an address begins in, and how far behind its beginning."""
        pointers = [term for term in total.times if str(term.attribute) in self.arrays]
        if len(pointers) != 1 or total.times[pointers[0]] != 1:
            return None
        (pointer,) = pointers
        return self.arrays[str(pointer.attribute)], total.plus(Sum({pointer: 1}), -1)

    def holds(self, access: Access) -> str:
        """Nothing where an access is within its array, or the array and what is known of how far it goes."""
        ranges = access.ranges
        if access.where.value is None:
            ranges = ranges.under(access.where, True)
        return self._holds(access, ranges, SPLITS)

    def _holds(self, access: Access, ranges: Ranges, left: int) -> str:
        if ranges.dead:
            return ""
        located, told = self.located(ranges.sum(access.address)), "it is not known in which array"
        if located is not None:
            array, offset = located
            low = ranges.bounds(offset)[0]
            behind = offset.plus(array.bytes_for(self.worlds), -1)
            high = ranges.bounds(Sum(behind.times, behind.rest + access.size))[1]
            if low >= 0 >= high:
                return ""
            over = f"up to {high} bytes behind the end of" if high > 0 else f"up to {-low} bytes before"
            told = f"{over} {array.name.removeprefix('&')}"
        condition = next(self._undecided(access.address, ranges), None) if left else None
        if condition is None:
            return told
        for holds in (True, False):
            if self._holds(access, ranges.under(condition, holds), left - 1):
                return told
        return ""

    def _undecided(self, root: Term, ranges: Ranges) -> Iterator[Term]:
        """Conditions of choices in a term that may hold or not, the nearest first."""
        seen, row = {root}, [root]
        while row:
            for term in row:
                if term.op == "ite" and ranges.decide(term.operands[0]) is None:
                    yield term.operands[0]
            row = [each for each in dict.fromkeys(each for term in row for each in term.operands) if each not in seen]
            seen |= set(row)


@dataclass(frozen=True, slots=True)
class Accesses:
    """The loads and stores of a kernel for worlds of so many agents, and those that may leave their array: the line
    of the PTX, and why."""

    kernel: abi.Kernel
    agents: int
    count: int
    failed: tuple[tuple[int, str], ...] = ()

    def lines(self) -> Iterator[str]:
        """Lines about how many stay within their arrays, and which may not."""
        done = self.count - len(self.failed)
        of = f"{self.kernel} of worlds of {self.agents}, all threads"
        yield f"{'memory':10}{done} of {self.count} loads and stores stay within their arrays: {of}"
        for line, why in self.failed:
            yield f"not proven: PTX line {line} may read or write {why}"


def arrays(kernels: ModuleType, universe: Universe, agents: int) -> dict[str, Array]:
    """The arrays of a launch by their variables."""
    result: list[Array] = []
    for each in (*schema.state_fields(universe), *schema.outcome_fields(universe)):
        lanes = agents if each.per == "lane" else 1
        size = 1 if each.dtype == "bool" else 4
        result.append(Array(f"&{each.name}", size, len(each.names), lanes, each.pitch, _within(each)))
    actions = len(schema.action_names(universe))
    result += [
        Array("&mask", 1, actions, agents, within=((0, 1),) * actions),
        Array("&actions", 4, 1, agents, within=((0, actions - 1),)),
        Array("&begins", 1, 1, 1, within=((0, 1),)),
        Array("&scratch", 1, 0),
    ]
    types = {"f32": Type.F32, "i32": Type.I32, "u32": Type.U32}
    for number, (_, of, values) in enumerate(kernels.TABLES):
        words = [signed((word, word), 32)[0] for word in (bits_of(types[of], each) for each in values)]
        floats = [float(each) for each in values] if of == "f32" else []
        within = (min(floats), max(floats)) if floats else (min(words), max(words))
        result.append(Array(f"&table{number}", 4, len(words), within=(within,)))
    return {each.name: each for each in result}


def _within(of: schema.Field) -> tuple[Range | Numbers, ...]:
    rows = len(of.names)
    if of.dtype == "bool":
        return ((0, 1),) * rows
    if of.bounds is None:
        return ((-GREATEST, GREATEST),) * rows if of.dtype == "f32" else ()
    bounds = of.bounds if len(of.bounds) == rows else of.bounds * rows
    if of.dtype == "f32":
        return tuple((float(each.low), float(each.high)) for each in bounds)
    return tuple((int(each.low), int(each.high)) for each in bounds)


def of_ptx(text: str, kernels: ModuleType, universe: Universe, kernel: abi.Kernel, agents: int) -> Accesses:
    """The loads and stores of a text of PTX: of a kernel without observations for worlds of so many agents.

    Raises:
        UnprovenError: it has an instruction in memory that is not known.
    """
    ptx = parse(text)
    if ptx.threads != 32:
        raise UnprovenError(f"blocks of {ptx.threads} threads are not known to the proof, those of 32 are")
    of, group = arrays(kernels, universe, agents), group_of(agents)
    shown = ("observation", "final_observation")
    names = [f"&{each}" for each in abi.array_arguments(universe, kernel) if each not in shown]
    names += [f"&table{number}" for number in range(len(kernels.TABLES))]
    scalars: list[str | int] = [agents if each == "agents" else each for each in abi.scalar_arguments(kernel)]
    arguments = [*names, *scalars]
    arguments += ["&scratch"] * (len(ptx.parameters) - len(arguments))
    words = {"tid": (0, 31), "ctaid": (0, MOST_THREADS // 32), "worlds": (1, MOST_THREADS // group), "waits": (0, 1)}
    variables = [Variable(each, np.array([low], np.uint32), low, high) for each, (low, high) in words.items()]
    variables += [
        Variable(each, np.array([0], np.uint32), 0, 2**32 - 1)
        for each in ("first_world", "seed_low", "seed_high", "tick")
    ]
    pointers = sorted({each for each in arguments if isinstance(each, str) and each.startswith("&")})
    variables += [Variable(each, np.array([at << 40], np.uint64), 0, 2**64 - 1) for at, each in enumerate(pointers, 1)]
    memory = _Late(of)
    walk = Walk({each.name: each for each in variables}, ptx, arguments, memory)
    outside = memory.outside = Outside(of, walk.variable("worlds"))
    walk.run()
    failed = ((each, outside.holds(each)) for each in walk.accesses.values())
    unsure = sorted((each.instruction.line, why) for each, why in failed if why)
    return Accesses(kernel, agents, len(walk.accesses), tuple(unsure))


@dataclass(slots=True)
class _Late:
    """Memory whose terms are made with the walk that reads it."""

    arrays: dict[str, Array]
    outside: Outside | None = field(default=None)

    def content(self, address: Term, ranges: Ranges, size: int) -> Range | Numbers | None:
        """Words or numbers that may be at an address."""
        assert self.outside is not None
        return self.outside.content(address, ranges, size)


def proven(kernels: ModuleType, universe: Universe, architecture: str, kernel: abi.Kernel) -> Iterator[Accesses]:
    """The loads and stores of a kernel for the fewest agents a world may have; where it may have any number, also for
    some that leave threads without one.

    Raises:
        EnvError: Triton cannot compile it.
        UnprovenError: it has an instruction in memory that is not known.
    """
    capability = int(architecture.removeprefix("sm_"))
    for agents in dict.fromkeys(suited_agents(universe, each) for each in (fewest_agents(universe), SOME_AGENTS)):
        compiled = compile_form(kernels, universe, capability, kernel, group_of(agents), observing=False)
        yield of_ptx(compiled.asm["ptx"], kernels, universe, kernel, agents)
