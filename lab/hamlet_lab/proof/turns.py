"""A kernel in PTX over terms, in worlds with cells: a loop in which each turn is about a cell of its own is one turn,
for any cell.

So it is where all numbers of cells that a turn writes are those of its own cell, and where it reads no other cell's
that any turn writes. Then no turn depends on another, and each leaves what the one that was run does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from hamlet import schema
from hamlet_lab.proof.bounds import Bounds
from hamlet_lab.proof.cells import NUMBER, CellMemory, at, mentions
from hamlet_lab.proof.flow import Loop, Part, blocks
from hamlet_lab.proof.of_ir import UnprovenError
from hamlet_lab.proof.of_ptx import Thread, UndecidedError
from hamlet_lab.proof.outside import Outside
from hamlet_lab.proof.overall import HALVED, Halved, Overall, all_alike, any_of, number_of
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena
from hamlet_lab.ptx.syntax import Instruction, Integer, Kernel, Name, Operand, Vector

JUMPS = ("bra", "bra.uni")
MOST_SCATTERED = 256
"""Stores to one cell each, outside of turns, that a thread makes at most."""


class DependsError(UnprovenError):
    """A loop is none in which each turn is about a cell of its own."""


@dataclass(slots=True)
class Turn:
    """The turn of a loop that is run for any cell: what cells had before, how many turns there are, the rows that it
    wrote, and those of which it read another cell's that a turn may take."""

    before: list[Term | None]
    count: int
    written: set[int] = field(default_factory=set)
    read: set[int] = field(default_factory=set)


class CellThread(Thread):
    """Executes a kernel as one thread of worlds with cells."""

    def __init__(
        self,
        arena: Arena,
        bounds: Bounds,
        kernel: Kernel,
        arguments: list[Term],
        outside: Outside,
        memory: CellMemory,
    ) -> None:
        super().__init__(arena, bounds, kernel, arguments, outside)
        self._memory, self._cell = memory, arena.variable(NUMBER)
        self._number_of_turn, self._taken, self._last = memory.own(arena)
        self._turn: Turn | None = None
        self._why, self._scattered = "", 0
        self._blocks = blocks(kernel)
        self._loops = {each.head: each for each in _writing(self._blocks.order, self._stores)}

    # --- loops --------------------------------------------------------------------------------------------------------

    def _stores(self, block: int) -> bool:
        """Whether a block stores to the memory of the launch."""
        code = self._kernel.instructions[block : self._blocks.ends[block]]
        return any(each.opcode.startswith("st.global") for each in code)

    def next(self, number: int) -> int | None:
        loop = self._loops.get(number) if self._turn is None else None
        if loop is None:
            return super().next(number)
        registers, pairs, counts = dict(self._registers), dict(self._pairs), (self._votes, self.executed)
        content, stored, barriers = list(self._memory.content), len(self._outside.stored), self._outside.met.count
        elsewhere, halved = self._memory.elsewhere, dict(self._memory.halved)
        for run in (self._turned, self._halved):
            try:
                return run(loop)
            except (UnprovenError, KeyError) as error:
                self._why = f"{self._why}; {error}" if run == self._halved else str(error)
                self._registers, self._pairs, (self._votes, self.executed) = dict(registers), dict(pairs), counts
                self._memory.content, self._outside.met.count = list(content), barriers
                self._memory.elsewhere, self._memory.halved = elsewhere, dict(halved)
                del self._outside.stored[stored:]
            finally:
                self._turn = None
        del self._loops[number]
        return super().next(number)

    def _turned(self, loop: Loop) -> int:
        """Run a loop over all cells, and find where the thread goes on."""
        memory, before = self._memory, list(self._memory.content)
        end = self._run(loop, self._last)
        turn = self._turn
        assert turn is not None
        for row in turn.written:
            stored = memory.content[row]
            before[row] = None if stored is None else self._of_any(stored)
            memory.halved.pop(row, None)
        memory.content = before
        return end

    def _halved(self, loop: Loop) -> int:
        """Run a loop that joins halves of what is left of rows, and find where the thread goes on."""
        arena, memory, before = self._arena, self._memory, list(self._memory.content)
        turns = self._turns(loop)
        _sure(memory.agents == 1 and turns is not None and turns <= memory.cells.count, "it is for no part of cells")
        assert turns is not None
        elsewhere, levels = memory.elsewhere, (memory.cells.count - 1).bit_length()
        halved = {row: [each] for row, each in memory.halved.items()}
        for row, content in enumerate(before):
            if content is not None and row not in halved:
                halved[row] = [Halved(each) for each in memory.overalls.those(arena, content)]
        for row, those in halved.items():
            those[:] = [each for each in those if 1 << levels - each.times == 2 * turns]
            if those:
                memory.content[row] = any_of(arena, f"{HALVED}{row}", self._cell, [each.overall.sum for each in those])
        held = list(memory.content)
        end = self._run(loop, turns - 1)
        turn = self._turn
        assert turn is not None
        half = arena.constant(turns, 32)
        other = arena.op("add", self._cell, half)
        there = arena.op("ult", other, arena.constant(memory.cells.count, 32))
        inside = arena.op("and", arena.op("ult", self._cell, half), there)
        for row in turn.written:
            content, now = held[row], memory.content[row]
            _sure((content is None) == (now is None), "it joins what is not known with what is")
            memory.halved.pop(row, None)
            if content is not None:
                memory.halved[row] = self._joined(halved[row], content, now, inside, other)
            before[row] = None
        # What was loaded from where nothing is known is nowhere any more.
        memory.content, memory.elsewhere = before, elsewhere
        return end

    def _joined(self, those: Sequence[Halved], before: Term, now: Term | None, inside: Term, other: Term) -> Halved:
        """The one of those numbers of all cells for which a turn has joined halves of a row."""
        for each in those:
            joined = each.overall.sum.join(self._arena, before, at(self._arena, before, other))
            if now is self._arena.select(inside, joined, before) and self._is_bounded(each.overall):
                return Halved(each.overall, each.times + 1)
        raise DependsError("it joins no halves, or to what is out of bounds")

    def _turns(self, loop: Loop) -> int | None:
        """The turns of a loop that counts them down."""
        code = [self._kernel.instructions[at] for at in loop.blocks() for at in range(at, self._blocks.ends[at])]
        down = (name for name, step in self._stepping(code).items() if step.value == (1 << step.bits) - 1)
        counts = (self._registers[name].value for name in down)
        return next((each for each in counts if each), None)

    def _is_bounded(self, overall: Overall) -> bool:
        """Whether the number of all cells, and those on the way to it, are within the bounds of the meter."""
        numbers, count, sum_ = self._bounds.numbers(overall.row), self._memory.cells.count, overall.sum
        if numbers is None:
            return False
        ends = (numbers.low, numbers.high, *(all_alike(sum_.op, each, count) for each in (numbers.low, numbers.high)))
        return number_of(sum_.low) <= min(ends) and max(ends) <= number_of(sum_.high)

    def _run(self, loop: Loop, last: int) -> int:
        """Run the turn of a loop for any cell, up to that of a last turn, and find where the thread goes on."""
        arena, memory, turn = self._arena, self._memory, self._number_of_turn
        if memory.agents == 1:
            _sure(not any(mentions(each, self._cell) for each in arena.premises), "it is run for some cells alone")
        else:
            _sure(all(map(memory.is_of_world, arena.premises)), "it is run by some agents alone")
        inside = [at for block in loop.blocks() for at in range(block, self._blocks.ends[block])]
        steps = self._stepping([self._kernel.instructions[each] for each in inside])
        begin = {name: self._registers[name] for name in steps}
        for name in self._written(self._kernel.instructions[each] for each in inside):
            self._registers.pop(name, None)
            self._pairs.pop(name, None)
        self._registers |= {name: self._after(begin[name], step, turn) for name, step in steps.items()}
        here, votes, barriers = {name: self._registers[name] for name in steps}, self._votes, self._outside.met.count
        self._turn = run = Turn(list(memory.content), last + 1)
        memory.content = [None if each is None else at(arena, each, self._taken) for each in memory.content]
        goes_on, end = self._once(loop, set(inside))
        for name, step in steps.items():
            _sure(self._registers.get(name) is arena.op("add", here[name], step), f"{name} does not grow by the same")
        _sure(barriers == self._outside.met.count, "threads meet barriers in it")
        _sure(votes == self._votes and not run.written & run.read, "turns depend on each other")
        final = arena.constant(last, 32)
        _sure(arena.copy(goes_on, instead={turn.number: final}).value == 0, "it does not end with the last cell")
        ended = arena.no(arena.op("ult", turn, final))
        _sure(arena.op("or", goes_on, ended).value == 1, "it may end before the last cell")
        for name in self._written(self._kernel.instructions[each] for each in inside):
            self._registers.pop(name, None)
            self._pairs.pop(name, None)
        count = arena.constant(last + 1, 32)
        self._registers |= {name: self._after(begin[name], step, count) for name, step in steps.items()}
        return end

    def _of_any(self, stored: Term | None) -> Term:
        """The number of any cell, by that of the one that a thread takes in a turn; each agent takes others."""
        assert stored is not None
        if self._taken is self._cell:
            return stored
        result = self._arena.copy(stored, instead={self._taken.number: self._cell})
        _sure(self._memory.is_of_world(result), "it depends on the agent")
        return result

    def _once(self, loop: Loop, inside: set[int]) -> tuple[Term, int]:
        """Run a turn: under which condition another one follows, and where the thread goes on behind the last one."""
        number: int | None = loop.head
        while number in inside:
            assert number is not None
            instruction = self._kernel.instructions[number]
            if instruction.opcode in JUMPS:
                condition = self._condition(instruction.guard)
                if condition.value is None:
                    to = self._target(instruction), number + 1
                    if loop.head not in to:
                        some = mentions(condition, self._cell) or mentions(condition, self._number_of_turn)
                        _sure(not some, "a branch depends on the cell")
                        raise UndecidedError(condition)
                    end = to[1] if to[0] == loop.head else to[0]
                    _sure(end not in inside, "a turn goes on at its beginning")
                    return (condition if to[0] == loop.head else self._arena.no(condition)), end
            number = super().next(number)
            _sure(number != loop.head, "it has no end")
        raise DependsError("it is left within a turn")

    def _stepping(self, code: list[Instruction]) -> dict[str, Term]:
        """By how much registers grow in a turn, of those that do nothing else."""
        writes = list(self._written(code))
        result: dict[str, Term] = {}
        for each in code:
            if each.opcode in ("add.s32", "add.s64") and each.guard is None and each.operands[0] == each.operands[1]:
                target, _, amount = each.operands
                assert isinstance(target, Name)
                same = isinstance(amount, Integer) or (isinstance(amount, Name) and amount.name not in writes)
                if same and writes.count(target.name) == 1 and target.name in self._registers:
                    result[target.name] = self.source(amount, int(each.opcode[-2:]))
        return result

    def _after(self, begin: Term, step: Term, turns: Term) -> Term:
        """A register after so many turns."""
        return self._arena.op("add", self._arena.op("mul", self._arena.wide(turns, step.bits), step), begin)

    def _written(self, code: Iterable[Instruction]) -> Iterator[str]:
        """The registers that instructions write, once for each of them."""
        for each in code:
            if each.opcode not in JUMPS and each.operands and not each.opcode.startswith(("st.", "bar")):
                target = each.operands[0]
                for name in target.elements if isinstance(target, Vector) else (target,):
                    if isinstance(name, Name):
                        yield name.name

    # --- memory -------------------------------------------------------------------------------------------------------

    def _load(self, instruction: Instruction, where: Term) -> None:
        place = self._place(instruction, instruction.operands[1], where)
        if place is None:
            super()._load(instruction, where)
            return
        row, index, own = place
        self.write(self._only(instruction.operands[0], instruction), self._number(row, index, own, where), where)

    def _number(self, row: int, index: Term, own: bool, where: Term) -> Term:
        """The number of a cell in a row."""
        arena, memory = self._arena, self._memory
        if not own:
            memory.elsewhere += 1
            if f"elsewhere{memory.elsewhere}" not in arena.variables:
                raise UnprovenError("so many numbers of cells of other worlds are not known to the proof")
            return arena.variable(f"elsewhere{memory.elsewhere}")
        content, own = memory.content[row], self._turn is not None and self._is(self._taken, index, where)
        if self._turn is not None and not own:
            other = arena.op("add", self._taken, arena.constant(self._turn.count, 32))
            index = other if self._is(other, index, where) else index
            taken = arena.op("ult", index, arena.constant(self._turn.count, 32))
            if memory.agents > 1 or arena.op("and", where, taken).value != 0:
                self._turn.read.add(row)
            content = self._turn.before[row]
        if not own:
            self._outside.met.loads_of((schema.CELL_METERS, row))
        halved = memory.halved.get(row)
        if halved is not None and index.value == 0 and 1 << halved.times >= memory.cells.count:
            return halved.overall.number
        if content is None and memory.cells.sums:
            return self._number(row, index, False, where)
        if content is None:
            raise UnprovenError(f"what row {row} of cells has is not known to the proof")
        return content if own else at(arena, content, index)

    def _is(self, cell: Term, index: Term, where: Term) -> bool:
        """Whether a number is that of a cell where a condition holds."""
        arena = self._arena
        return index is cell or arena.op("and", where, arena.no(arena.op("eq", index, cell))).value == 0

    def _store(self, instruction: Instruction, where: Term) -> None:
        place = self._place(instruction, instruction.operands[0], where)
        if place is None:
            _sure(self._turn is None, "a turn stores elsewhere")
            super()._store(instruction, where)
            return
        row, index, own = place
        agents = self._memory.agents
        if agents > 1 and self._turn is None:
            raise UnprovenError(f"PTX line {instruction.line}: a store to a cell of several agents is not known")
        source = instruction.operands[1]
        value = self.source(source.elements[0] if isinstance(source, Vector) else source, 32)
        before = self._memory.content[row]
        if self._turn is None and own and before is not None and self._scattered < MOST_SCATTERED:
            self._scattered += 1
            here = self._arena.op("and", where, self._arena.op("eq", self._cell, index))
            self._memory.content[row] = self._arena.select(here, value, before)
            return
        if self._turn is None or not own or not self._is(self._taken, index, where):
            why = self._why or "it is none of the turn's own"
            raise DependsError(f"PTX line {instruction.line}: a store to a cell: {why}")
        self._turn.written.add(row)
        self._outside.met.stores_of((schema.CELL_METERS, row))
        depends = mentions(where, self._cell) or mentions(where, self._number_of_turn)
        if before is None and where.value is None and self._memory.cells.sums and not depends:
            raise UndecidedError(where)
        if before is not None or where.value == 1:
            self._memory.content[row] = value if before is None else self._arena.select(where, value, before)

    def _place(self, instruction: Instruction, operand: Operand, where: Term) -> tuple[int, Term, bool] | None:
        """The row and the cell of a number, and whether it is of the lane's world."""
        address = self._address(operand)
        if not mentions(address, self._memory.array):
            return None
        place = self._memory.place(self._arena, self._bounds, address, where)
        if place is None or instruction.opcode.split(".")[2:] != ["b32"]:
            raise UnprovenError(f"PTX line {instruction.line}: in which cell that is, is not known to the proof")
        return place

    def _only(self, target: Operand, instruction: Instruction) -> str:
        names = target.elements if isinstance(target, Vector) else (target,)
        if len(names) != 1 or not isinstance(names[0], Name):
            raise self._unknown(instruction)
        return names[0].name


def _sure(holds: bool, reason: str) -> None:
    if not holds:
        raise DependsError(reason)


def _writing(parts: Iterable[Part], stores: Callable[[int], bool]) -> Iterator[Loop]:
    """The loops that store something, and have no loop in them that does."""
    for part in parts:
        if isinstance(part, Loop):
            inner = list(_writing(part.body, stores))
            yield from inner
            if not inner and any(stores(each) for each in part.blocks()):
                yield part
