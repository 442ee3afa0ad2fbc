"""A kernel in PTX over terms: the threads of one world of a launch, whose agents meet, one instruction after the other.

All execute each instruction together, those of a world one way. A shuffle gives what the other thread has, or, of words
that are known of every thread of the warp, the row of that thread. Of a vote it is known how the world votes; other
worlds of the warp may vote as they like.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from hamlet_lab.proof.bounds import Bounds
from hamlet_lab.proof.of_ir import UnprovenError
from hamlet_lab.proof.of_ptx import MOST_INSTRUCTIONS, VOTES, Thread
from hamlet_lab.proof.outside import Outside
from hamlet_lab.proof.placement import WARP, Placement
from hamlet_lab.proof.states import EXCHANGES
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena
from hamlet_lab.ptx.syntax import Instruction, Kernel, Name


class WorldThreads:
    """Executes a kernel as the threads of a world."""

    def __init__(
        self,
        arena: Arena,
        bounds: Bounds,
        kernel: Kernel,
        arguments: list[Term],
        outside: Outside,
        placement: Placement,
    ) -> None:
        self._arena, self._bounds, self._kernel, self._outside = arena, bounds, kernel, outside
        self._placement, self._votes, self.executed = placement, 0, 0
        self._threads = [
            Thread(arena, bounds, kernel, arguments, outside, placement.lane(arena, agent).thread)
            for agent in range(placement.group)
        ]

    def run(self) -> None:
        """Run to the end.

        Raises:
            UndecidedError: a branch is not decided.
            UnprovenError: an instruction is not known, or threads go different ways.
        """
        number: int | None = 0
        code = self._kernel.instructions
        while number is not None and number < len(code):
            self.executed += 1
            if self.executed > MOST_INSTRUCTIONS:
                raise UnprovenError(f"a thread executes more than {MOST_INSTRUCTIONS} instructions")
            instruction, before = code[number], len(self._outside.stored)
            if instruction.opcode.startswith(EXCHANGES):
                self._exchange(instruction)
                number += 1
                continue
            ways = {each.next(number) for each in self._threads}
            if len(ways) > 1:
                raise UnprovenError(f"PTX line {instruction.line}: threads of a world go different ways")
            (number,) = ways
            self._apart(instruction, before)

    def _apart(self, instruction: Instruction, before: int) -> None:
        """Refuse stores of an instruction of which two may be to the same word."""
        stores = self._outside.stored[before:]
        for at, each in enumerate(stores):
            for other in stores[:at]:
                both = self._arena.op("and", each.where, other.where)
                if each.address is other.address and both.value != 0:
                    raise UnprovenError(f"PTX line {instruction.line}: two threads may store to one word")

    def _exchange(self, instruction: Instruction) -> None:
        arena, (name, *modifiers) = self._arena, instruction.opcode.split(".")
        target, *operands = instruction.operands
        rows = [[each.source(operand, 32) for operand in operands] for each in self._threads]
        if instruction.guard is not None or any(row[-1].value != (1 << 32) - 1 for row in rows):
            raise UnprovenError(f"PTX line {instruction.line}: not all threads take part")
        values = [row[0] for row in rows]
        if name == "redux":
            results = [self._voted(instruction, modifiers, values)] * len(values)
        elif name == "shfl" and all(row[2].value == WARP - 1 for row in rows):
            results = [self._shuffled(instruction, modifiers, values, row[1], at) for at, row in enumerate(rows)]
        else:
            raise self._unknown(instruction)
        assert isinstance(target, Name)
        for thread, result in zip(self._threads, results, strict=True):
            thread.write(target.name, result, arena.constant(1, 1))

    def _unknown(self, instruction: Instruction) -> UnprovenError:
        return UnprovenError(f"PTX line {instruction.line}: {instruction.opcode} is not known to the proof")

    def _voted(self, instruction: Instruction, modifiers: list[str], values: Sequence[Term]) -> Term:
        if modifiers not in (["sync", "max", "s32"], ["sync", "max", "u32"], ["sync", "or", "b32"]):
            raise self._unknown(instruction)
        if all(each.value == 0 for each in values) and self.executed in self._outside.abstained:
            return values[0]
        if any(self._bounds.words(each)[1] > 1 for each in values):
            raise UnprovenError(f"PTX line {instruction.line}: a vote on more than 0 and 1")
        own = reduce(lambda left, right: self._arena.op("or", left, right), values)
        if own.value == 1 or self._placement.group == WARP:
            return own
        self._votes += 1
        if self._votes > VOTES:
            raise UnprovenError(f"more than {VOTES} votes")
        return self._arena.op("or", own, self._arena.variable(f"vote{self._votes}"))

    def _rows(self, values: Sequence[Term]) -> tuple[int | None, ...]:
        """The words of each thread of the warp, as far as it is known of any world of the block."""
        arena, unit = self._arena, self._arena.variable("unit").number
        worlds = [{unit: arena.constant(number, 32)} for number in range(WARP // len(values))]
        return tuple(arena.copy(each, instead=instead).value for instead in worlds for each in values)

    def _shuffled(
        self, instruction: Instruction, modifiers: list[str], values: Sequence[Term], other: Term, own: int
    ) -> Term:
        """The word of another thread."""
        arena, group = self._arena, self._placement.group
        if modifiers[:2] == ["sync", "bfly"] and other.value is not None and other.value < group:
            return values[own ^ other.value]
        if modifiers[:2] != ["sync", "idx"]:
            raise self._unknown(instruction)
        rows = self._outside.rows.get(self.executed)
        if rows is not None and rows == self._rows(values):
            return arena.make("table", 32, (arena.op("and", other, arena.constant(WARP - 1, 32)),), rows)
        low = arena.op("and", other, arena.constant(group - 1, 32))
        shift = arena.constant(group.bit_length() - 1, 32)
        unit = arena.op("lshr", arena.op("and", other, arena.constant(WARP - 1, 32)), shift)
        if group == WARP or arena.op("eq", unit, arena.variable("unit")).value == 1:
            result = values[-1]
            for number, value in list(enumerate(values))[-2::-1]:
                result = arena.select(arena.op("eq", low, arena.constant(number, 32)), value, result)
            return result
        raise UnprovenError(f"PTX line {instruction.line}: what the thread of another world has is not known")
