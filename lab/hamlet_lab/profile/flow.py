"""How often each block of machine code runs, from how often the lines of its PTX ran.

The assembler unrolls loops, repeats ends of branches, moves instructions about and makes branches of guards, so a line
alone does not tell. But what comes to a block leaves it; the kernel begins once in a launch; and no assembler adds,
drops or repeats a store: its copies together run as often as its line. These equations are solved exactly. What they
leave open is decided by how assemblers unroll loops, then by votes of the other instructions, the largest block first,
until nothing is open.

Triton branches for whole blocks of lanes, and the assembler skips what no lane of a warp wants. So a warp is not
divided into two that go different ways, and what comes to a block is a number of warps.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from statistics import median

from hamlet.errors import EnvError
from hamlet_lab.machine_code.sass import APART, LEAVES, Block, Instruction, reached
from hamlet_lab.profile.frequency import Frequency

STORES = ("STG", "ST")
ATOMICS = ("RED", "REDG", "ATOM", "ATOMG")
"""Opcodes of what changes global memory: there once for each time that PTX says so."""

Row = Mapping[int, Fraction]
"""Factors of unknown numbers."""


def executions(blocks: Sequence[Block], often: Frequency) -> list[Fraction]:
    """How many warps run each block, of all warps and ticks that were counted.

    0 where the kernel does not come, in subroutines (the slow path of a division) and where they are called from, and
    where threads of a warp would wait for each other although they are together.

    Raises:
        EnvError: the machine code does not say which PTX it comes from, or stores other things than its PTX.
    """
    runs = _Runs(blocks, often)
    if not runs.instructions:
        raise EnvError("the machine code does not say which PTX it comes from")
    equations = _Equations()
    for row, value in runs.flow():
        equations.add(row, value)
    for line, row, value in runs.stores():
        if equations.add(row, value):
            raise EnvError(f"machine code and line {line} of its PTX do not store equally often")
    votes = [*((number, Fraction(0)) for number in runs.never), *runs.turns(), *runs.votes()]
    result = runs.decided(equations, votes, False)
    if min(result) < 0:
        result = runs.decided(equations, votes, True)
    return [max(warps, Fraction(0)) for warps in result]


class _Runs:
    """Equations about the blocks of a kernel. The unknown numbers: how many warps go from a block to another."""

    def __init__(self, blocks: Sequence[Block], often: Frequency) -> None:
        self._blocks = blocks
        self._often = often
        self._reached = reached(blocks)
        self.never = self._avoided()
        self.instructions: list[tuple[int, Instruction, int]] = [
            (number, instruction, instruction.ptx)
            for number, block in enumerate(blocks)
            if self._reached[number] and number not in self.never
            for instruction in block.instructions
            if instruction.ptx is not None and instruction.ptx in often.executed
        ]
        self._into: dict[int, list[int]] = defaultdict(list)
        self._out: dict[int, list[int]] = defaultdict(list)
        ways = [(None, 0), *((number, after) for number in self._there() for after in self._after(number))]
        for way, (before, after) in enumerate(ways):
            if before is not None:
                self._out[before].append(way)
            if after is not None:
                self._into[after].append(way)

    def _there(self) -> list[int]:
        return [number for number, there in enumerate(self._reached) if there]

    def _after(self, number: int) -> list[int | None]:
        """The blocks after one; `None` for the end of the kernel."""
        block = self._blocks[number]
        ends = not block.next or (bool(block.instructions) and block.instructions[-1].opcode in LEAVES)
        return [*block.next, *([None] if ends else [])]

    def _avoided(self) -> list[int]:
        """The blocks that call a subroutine, or are for threads of a warp that are not together."""
        ends = [(block.instructions[-1], block.next[0]) for block in self._blocks if block.instructions and block.next]
        apart = {first for last, first in ends if last.full.startswith(APART)}
        calling = {number for number in self._there() if any(i.calls for i in self._blocks[number].instructions)}
        return sorted(apart | calling)

    def row(self, number: int) -> Row:
        """How many warps come to a block."""
        return dict.fromkeys(self._into[number], Fraction(1))

    def flow(self) -> list[tuple[Row, Fraction]]:
        """The kernel begins once in a launch; what comes to a block leaves it."""
        begin: Row = {0: Fraction(1)}
        conserved = ((self._conserved(number), Fraction(0)) for number in self._there())
        return [(begin, Fraction(self._often.launches)), *conserved]

    def _conserved(self, number: int) -> Row:
        factors = Counter(self._into[number])
        factors.subtract(self._out[number])
        return {way: Fraction(factor) for way, factor in factors.items() if factor}

    def stores(self) -> list[tuple[int, Row, Fraction]]:
        """By line of the PTX: its copies together run as often as the line."""
        copies: dict[int, list[tuple[int, Instruction]]] = defaultdict(list)
        for number, instruction, line in self.instructions:
            if instruction.opcode in STORES or (instruction.opcode in ATOMICS and not instruction.conditional):
                copies[line].append((number, instruction))
        result: list[tuple[int, Row, Fraction]] = []
        for line, blocks in copies.items():
            total: Counter[int] = Counter()
            for number, _ in blocks:
                total.update(self._into[number])
            row = {way: Fraction(times) for way, times in total.items()}
            result.append((line, row, Fraction(self._ran(line, blocks[0][1]))))
        return result

    def _ran(self, line: int, instruction: Instruction) -> int:
        """How many warps a machine instruction of a line of the PTX must have run for: where it has no guard and the
        line has one, only those of which the guard lets a thread through come to it."""
        passing = self._often.passing.get(line)
        return self._often.executed[line] if passing is None or instruction.conditional else passing.warps

    def decided(self, equations: _Equations, votes: Sequence[tuple[int, Fraction]], careful: bool) -> list[Fraction]:
        """How often each block runs by the equations and what votes add to them; `careful`: without those votes by
        which a block would run less than never."""
        decided = equations.copy()
        for number, value in votes:
            voted = decided.copy() if careful else decided
            voted.add(self.row(number), value)
            if not careful or all(voted.value(self.row(each)) >= 0 for each in self._there()):
                decided = voted
        return [decided.value(self.row(number)) for number in range(len(self._blocks))]

    def turns(self) -> list[tuple[int, Fraction]]:
        """How often blocks run that a loop with a store became, one stretch of PTX that has as many turns each time.
        The assembler takes as many turns as it can with the block that has most copies, then with the next."""
        copies: dict[int, Counter[int]] = defaultdict(Counter)
        lines: dict[int, set[int]] = defaultdict(set)
        for number, instruction, line in self.instructions:
            lines[line].add(number)
            if instruction.opcode in STORES:
                copies[line][number] += 1
        result = []
        for before, stretch in pairwise(self._often.stretches):
            blocks = next((copies[line] for line in stretch if line in copies), Counter[int]())
            entered = self._often.executed[before[-1]] if before else 0
            if len(blocks) < 2 or not entered or self._often.executed[stretch[-1]] % entered:
                continue
            left = self._often.executed[stretch[-1]] // entered
            inside = set().union(*(lines[line] for line in stretch))
            looped = {number for number in blocks if self._returns(number, inside)}
            for number in sorted(blocks, key=lambda number: (-blocks[number], number not in looped, number)):
                runs = left // blocks[number] if number in looped else min(left // blocks[number], 1)
                left -= runs * blocks[number]
                result.append((number, Fraction(runs * entered)))
        return result

    def _returns(self, number: int, inside: set[int]) -> bool:
        """Whether there is a way from a block back to it in these blocks."""
        following: set[int] = set()
        work = [number]
        while work:
            more = (set(self._blocks[work.pop()].next) & inside) - following
            following |= more
            work += more
        return number in following

    def votes(self) -> list[tuple[int, Fraction]]:
        """How often each block runs by its own instructions: the median of them. The largest block first."""
        copies = self._copies()
        shares: dict[int, list[Fraction]] = defaultdict(list)
        for number, instruction, line in self.instructions:
            shares[number].append(Fraction(self._ran(line, instruction), copies[line]))
        ordered = sorted(shares, key=lambda number: (-len(shares[number]), number))
        return [(number, median(shares[number])) for number in ordered]

    def _copies(self) -> dict[int, int]:
        """How many copies of the stretch of each line there are.

        One instruction of 64 bits becomes several kinds of machine instruction, each once to a copy. Some copies were
        moved out of the loop, or are constant, or are computed twice to save registers. So the machine instructions
        vote: it is the count that the middle one of them has.
        """
        kinds: dict[int, Counter[str]] = defaultdict(Counter)
        for _, instruction, line in self.instructions:
            kinds[line][instruction.full] += 1
        result: dict[int, int] = {}
        for lines in self._often.stretches:
            counts = [count for line in lines if line in kinds for count in kinds[line].values()]
            result |= dict.fromkeys(lines, _middle([count for count in counts for _ in range(count)]) or 1)
        return result


def _middle(numbers: Sequence[int]) -> int:
    """The middle one, the upper one of two; 0 of none."""
    return sorted(numbers)[len(numbers) // 2] if numbers else 0


@dataclass(slots=True)
class _Equations:
    """Linear equations, solved exactly: rows that begin with different unknown numbers, with factor 1."""

    _rows: dict[int, tuple[Row, Fraction]] = field(default_factory=dict)

    def add(self, row: Row, value: Fraction) -> Fraction:
        """One more equation, if it says something new. Returns by how much it contradicts the others, else 0."""
        rest, value = self._reduced(row, value)
        if not rest:
            return value
        first = min(rest)
        factor = rest[first]
        self._rows[first] = {number: each / factor for number, each in rest.items()}, value / factor
        return Fraction(0)

    def copy(self) -> _Equations:
        return _Equations(dict(self._rows))

    def value(self, row: Row) -> Fraction:
        """The value of a sum; numbers without an equation count as 0."""
        return -self._reduced(row, Fraction(0))[1]

    def _reduced(self, row: Row, value: Fraction) -> tuple[Row, Fraction]:
        """The rest of an equation beyond the others."""
        rest = dict(row)
        for number in iter(lambda: min((each for each in rest if each in self._rows), default=-1), -1):
            factor = rest[number]
            equation, sum_ = self._rows[number]
            value -= factor * sum_
            for each, times in equation.items():
                rest[each] = rest.get(each, Fraction(0)) - factor * times
                if not rest[each]:
                    del rest[each]
        return rest, value
