"""Registers, as they may be at each instruction of a kernel in PTX, of any thread, in any state within bounds.

Each block is run once behind those that lead to it, loops until nothing new is found. Where ways meet, what differs is
anything within the range of both; it stays a sum where the same terms are in it. Memory is told by `Memory`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hamlet_lab.proof.bounds import Bounds
from hamlet_lab.proof.flow import Loop, Part, blocks
from hamlet_lab.proof.intervals import Numbers, Range, Sum, full, modulo, signed, unsigned
from hamlet_lab.proof.of_ir import UnprovenError
from hamlet_lab.proof.of_ptx import Pair, Thread
from hamlet_lab.proof.outside import Outside
from hamlet_lab.proof.ranges import Ranges
from hamlet_lab.proof.term import Term, Variable
from hamlet_lab.proof.terms import Arena
from hamlet_lab.ptx.syntax import Address, Instruction, Kernel, Name, Vector

PATIENCE, ROUNDS = 128, 160
"""How often a loop is run until what still grows is taken for anything, and at most."""
MOST_TURNS = 1 << 62
"""No loop has as many turns."""
OWN = ("param", "shared", "local", "const")
"""Spaces of memory that are not the launch's."""


class Memory(Protocol):
    """Global memory, as a thread may find it."""

    def content(self, address: Term, ranges: Ranges, size: int) -> Range | Numbers | None:
        """The words, as integers, or the numbers that may be there; `None` for anything."""


@dataclass(frozen=True, slots=True)
class Access:
    """A load or a store: where, in how many bytes, and under which condition; and what is known there."""

    instruction: Instruction
    address: Term
    size: int
    where: Term
    ranges: Ranges


@dataclass(slots=True)
class State:
    """Registers and ranges at a place."""

    registers: dict[str, Term]
    pairs: dict[str, Pair]
    ranges: Ranges


class Walk(Thread):
    """Runs a kernel. `accesses` are by the number of the instruction, as they are when nothing new is found."""

    def __init__(
        self, variables: Mapping[str, Variable], kernel: Kernel, arguments: Iterable[str | int], memory: Memory
    ):
        arena = Arena(variables, lambda _, left, right: self._is(left, right))
        arena.comparing = False
        self._first = Ranges(arena)
        terms = [arena.constant(each, 32) if isinstance(each, int) else arena.variable(each) for each in arguments]
        outside = Outside({}, {}, {}, set(), {})
        super().__init__(arena, Bounds(arena, guessing=False), kernel, terms, outside)
        self._memory, self._ranges, self._number = memory, self._first, 0
        self._blocks = blocks(kernel)
        self._edges: dict[tuple[int, int], State] = {}
        self.accesses: dict[int, Access] = {}

    def variable(self, name: str) -> Term:
        """A variable of the launch."""
        return self._arena.variable(name)

    def _is(self, left: Term, right: Term) -> bool:
        """Whether a term can be one constant alone."""
        if right.value is None:
            return False
        low, high = self._first.words(left)
        return low == high and (low - right.value) % (1 << left.bits) == 0

    def run(self) -> None:
        """Run all blocks.

        Raises:
            UnprovenError: an instruction is in memory that is not known.
        """
        self._edges[-1, 0] = State({}, {}, self._first)
        self._parts(self._blocks.order)

    def _parts(self, parts: Iterable[Part]) -> None:
        for part in parts:
            if isinstance(part, Loop):
                self._loop(part)
            else:
                self._block(part, self._joined(part, set()))

    def _incoming(self, block: int, without: set[int]) -> list[State]:
        return [each for (start, end), each in self._edges.items() if end == block and start not in without]

    def _joined(self, block: int, without: set[int]) -> State | None:
        """Registers where ways meet."""
        states = self._incoming(block, without)
        if len(states) < 2:
            return states[0] if states else None
        registers: dict[str, Term] = {}
        for name, term in states[0].registers.items():
            if all(name in each.registers for each in states):
                terms = [(each.registers[name], each.ranges) for each in states]
                same = all(each is term for each, _ in terms)
                registers[name] = term if same else self._either(term, terms)[0]
        shared = {
            name: pair for name, pair in states[0].pairs.items() if all(each.pairs.get(name) == pair for each in states)
        }
        return State(registers, shared, _common([each.ranges for each in states]))

    def _either(self, root: Term, terms: list[tuple[Term, Ranges]], grows: bool = False) -> tuple[Term, object]:
        """A term that may be any of several, and its range: the first one and an integer, where all are."""
        bits = root.bits
        if bits == 1:
            return self._anything(1), None
        plain = _hull([ranges.words(term) for term, ranges in terms], bits)
        apart = [ranges.bounds(ranges.sum(term).plus(ranges.sum(root), -1)) for term, ranges in terms]
        moved = min(low for low, _ in apart), max(high for _, high in apart)
        if grows:
            plain, moved = full(bits), (moved[0] if moved[0] >= 0 else -1 << (bits - 1), (1 << (bits - 1)) - 1)
        if moved[1] - moved[0] < min(plain[1] - plain[0], 1 << (bits - 1)) and root.value is None:
            return self._arena.op("add", root, self._anything(bits, moved)), moved
        numbers = [ranges.numbers(term) for term, ranges in terms]
        chosen = [each for each in numbers if each is not None]
        if plain == full(bits) and len(chosen) == len(numbers) and not grows:
            ends = min(low for low, _ in chosen), max(high for _, high in chosen)
            return self._anything(bits, ends, floating=True), ends
        return self._anything(bits, plain), plain

    def _anything(self, bits: int, within: Range | Numbers | None = None, floating: bool = False) -> Term:
        """A term of which no more is known."""
        low, high = within or full(bits)
        name, word = f"anything {len(self._arena.variables)}", int(low) % (1 << bits)
        if floating:
            word = int(np.float32(low).view(np.uint32))
        samples = np.array([bool(word)]) if bits == 1 else np.array([word], np.uint64).astype(f"u{bits // 8}")
        self._arena.variables[name] = Variable(name, samples, low, high, floating)
        return self._arena.variable(name)

    def _loop(self, loop: Loop) -> None:
        """Run a loop until nothing new comes back to its head. A register that grows by the same in each turn is what
        it was before, and so often that as there were turns."""
        inside, first = set(loop.blocks()), len(self._arena.terms)
        self._forget_edges(inside)
        entry = self._joined(loop.head, inside)
        if entry is None:
            return
        last, turn = 0, self._anything(64, (0, 0))
        steps: dict[str, Sum] = {}
        others: dict[str, object] = {}
        registers, pairs = dict(entry.registers), dict(entry.pairs)
        for number in range(ROUNDS):
            self._forget_edges(inside)
            self._block(loop.head, State(dict(registers), dict(pairs), entry.ranges))
            self._parts(loop.body)
            back = [each for (start, end), each in self._edges.items() if end == loop.head and start in inside]
            after = max((each.ranges.words(turn)[1] + 1 for each in back), default=0)
            changed = False
            for name in [name for name in pairs if any(each.pairs.get(name) != pairs[name] for each in back)]:
                del pairs[name]
                changed = True
            for name, term in list(registers.items()):
                if any(name not in each.registers for each in back):
                    del registers[name]
                    changed = True
                    continue
                differ = [(each.registers[name], each.ranges) for each in back if each.registers[name] is not term]
                if not differ:
                    continue
                root = entry.registers[name]
                if number == 0 and (step := self._step(root, back, name, first)) is not None:
                    steps[name], changed = step, True
                    continue
                if name in steps and all(self._stepped(each, name, term, steps[name]) for each in back):
                    continue
                steps.pop(name, None)
                either, range_ = self._either(
                    root, [(root, entry.ranges), (term, entry.ranges), *differ], number > PATIENCE
                )
                if name not in others or others[name] != range_:
                    others[name], registers[name], changed = range_, either, True
            if steps and (last < after <= MOST_TURNS or number == 0):
                stops = [each.ranges.stops(turn, entry.ranges) for each in back]
                last = max([after, *(each for each in stops if each is not None)]) if number < PATIENCE else MOST_TURNS
                turn, changed = self._anything(64, (0, last)), True
                for name, step in steps.items():
                    registers[name] = self._after(entry.registers[name], step, turn)
            if not changed:
                return
        raise UnprovenError(f"a loop of more than {ROUNDS} turns whose registers keep growing")

    def _forget_edges(self, inside: set[int]) -> None:
        for edge in [each for each in self._edges if each[0] in inside]:
            del self._edges[edge]

    def _step(self, root: Term, back: list[State], name: str, first: int) -> Sum | None:
        """The sum that is added to a register in each turn, if that is the same always."""
        chosen = [
            modulo(each.ranges.sum(each.registers[name]).plus(each.ranges.sum(root), -1), root.bits) for each in back
        ]
        terms = chosen[0].times
        lasting = all(each.number < first and self._first.words(each)[0] >= 0 for each in terms)
        return chosen[0] if root.bits > 1 and lasting and all(each == chosen[0] for each in chosen) else None

    def _stepped(self, state: State, name: str, term: Term, step: Sum) -> bool:
        """Whether a register has grown by a step."""
        rest = state.ranges.sum(state.registers[name]).plus(state.ranges.sum(term), -1).plus(step, -1)
        return modulo(rest, term.bits) == Sum({})

    def _after(self, root: Term, step: Sum, turn: Term) -> Term:
        """A register after so many turns."""
        arena, result = self._arena, root
        times = arena.wide(turn, root.bits)
        for term, count in step.times.items():
            product = arena.op("mul", times, arena.wide(term, root.bits))
            result = arena.op("add", result, arena.op("mul", product, arena.constant(count, root.bits)))
        return arena.op("add", result, arena.op("mul", times, arena.constant(step.rest, root.bits)))

    # --- blocks -------------------------------------------------------------------------------------------------------

    def _block(self, block: int, state: State | None) -> None:
        following = self._blocks.following[block]
        for each in following:
            self._edges.pop((block, each), None)
        if state is None or state.ranges.dead:
            return
        self._registers, self._pairs, self._ranges = dict(state.registers), dict(state.pairs), state.ranges
        code, end = self._kernel.instructions, self._blocks.ends[block]
        for self._number in range(block, end):
            instruction = code[self._number]
            if instruction.opcode not in ("bra", "bra.uni", "ret"):
                self._any_instruction(instruction)
        ways = [(each, self._ranges) for each in following]
        last = code[end - 1]
        if (
            last.opcode in ("bra", "bra.uni", "ret")
            and last.guard is not None
            and last.guard.register in self._registers
        ):
            condition, jumps = self._condition(last.guard), last.opcode != "ret"
            holds = self._ranges.decide(condition)
            sides = {True: following[:1] if jumps else (), False: following[1:] if jumps else following}
            if jumps and len(following) == 1:
                sides[False] = following
            ways = [
                (each, self._ranges.under(condition, side) if condition.value is None else self._ranges)
                for side, targets in sides.items()
                for each in targets
                if holds in (None, side)
            ]
        for each, ranges in ways:
            if not ranges.dead:
                self._edges[block, each] = State(dict(self._registers), dict(self._pairs), ranges)

    def _any_instruction(self, instruction: Instruction) -> None:
        """Run an instruction. Of one that is not known its targets may be anything; but it may not be in memory."""
        name, *modifiers = instruction.opcode.split(".")
        written = instruction.guard is None or instruction.guard.register in self._registers
        where = self._condition(instruction.guard) if written else self._anything(1)
        if where.value is None and (holds := self._ranges.decide(where)) is not None:
            where = self._arena.constant(holds, 1)
        if where.value == 0 or name in ("bar", "barrier"):
            return
        addresses = [each for each in instruction.operands if isinstance(each, Address)]
        if addresses and not set(modifiers) & set(OWN):
            self._global(instruction, addresses, modifiers, where)
            return
        if name == "st":
            return
        try:
            self._instruction(instruction)
        except (UnprovenError, KeyError, AssertionError):
            self._forget(instruction)

    def _forget(self, instruction: Instruction) -> None:
        """Have anything in the targets of an instruction."""
        target = instruction.operands[0]
        for each in target.elements if isinstance(target, Vector) else (target,):
            if not isinstance(each, Name):
                raise UnprovenError(f"PTX line {instruction.line}: {instruction.opcode} is not known to the proof")
            if each.name != "_":
                self._registers[each.name] = self._anything(self._widths[each.name])
                self._pairs.pop(each.name, None)

    def _global(self, instruction: Instruction, addresses: list[Address], modifiers: list[str], where: Term) -> None:
        """A load, a store, or both, of global memory."""
        name, kind = instruction.opcode.split(".")[0], modifiers[-1]
        if name not in ("ld", "st", "atom", "red") or "global" not in modifiers or not kind[1:].isdigit():
            raise UnprovenError(f"PTX line {instruction.line}: {instruction.opcode} is not known to the proof")
        others = [each for each in instruction.operands if not isinstance(each, Address)]
        vector = next((each for each in others if isinstance(each, Vector)), None)
        count = len(vector.elements) if vector is not None else 1
        try:
            address = self._address(addresses[0])
        except UnprovenError:
            address = self._anything(64)
        bits = int(kind[1:])
        ranges = self._ranges if where.value == 1 else self._ranges.under(where, True)
        self.accesses[self._number] = Access(instruction, address, count * bits // 8, where, self._ranges)
        if name in ("st", "red"):
            return
        target = others[0]
        elements = target.elements if isinstance(target, Vector) else (target,)
        if name == "atom" or count != 1:
            self._forget(instruction)
            return
        (each,) = elements
        assert isinstance(each, Name)
        chosen = self._memory.content(address, ranges, bits // 8)
        wide = max(bits, 16)
        floating = chosen is not None and isinstance(chosen[0], float)
        small = chosen is None
        value = self._arena.wide(self._anything(bits), wide) if small else self._anything(wide, chosen, floating)
        if where.value != 1 and each.name not in self._registers:
            self._forget(instruction)
        else:
            self.write(each.name, value, where)

    def _result(self, instruction: Instruction, name: str, modifiers: list[str]) -> Term:
        """The result of an instruction. A word whose lowest bits are cleared is a multiple, and words without common
        bits are added: so the number of a world is one term, in however many ways it is computed."""
        term, arena = super()._result(instruction, name, modifiers), self._arena
        match term.op, term.operands:
            case "or", (one, other) if self._first.apart(one, other) or self._first.apart(other, one):
                return arena.op("add", one, other)
            case "and", (word, Term(value=int(mask))) if mask and mask & 1 == 0:
                amount = (mask & -mask).bit_length() - 1
                above = arena.op("lshr", word, arena.constant(amount, term.bits))
                if mask >> amount != (1 << (term.bits - amount)) - 1:
                    above = arena.op("and", above, arena.constant(mask >> amount, term.bits))
                return arena.op("shl", above, arena.constant(amount, term.bits))
            case _:
                return term

    def _together(self, instruction: Instruction, modifiers: list[str]) -> Term:
        """A word that threads of a warp find together: of another thread one that may be in this one, too."""
        value = self.source(instruction.operands[1], 32)
        words, numbers = self._ranges.words(value), self._ranges.numbers(value)
        if instruction.opcode.startswith("shfl") or modifiers[1] in ("max", "min"):
            if words == full(32) and numbers is not None and instruction.opcode.startswith("shfl"):
                return self._anything(32, numbers, floating=True)
            return self._anything(32, words)
        if modifiers[1] == "or" and words[0] >= 0:
            return self._anything(32, (0, (1 << words[1].bit_length()) - 1))
        return self._anything(32)


def _hull(ranges: list[Range], bits: int) -> Range:
    """The smallest range of all words of several."""
    kinds = [ranges, [unsigned(each, bits) for each in ranges], [signed(each, bits) for each in ranges]]
    hulls = [(min(low for low, _ in each), max(high for _, high in each)) for each in kinds]
    low, high = min(hulls, key=lambda each: each[1] - each[0])
    return (low, high) if high - low < (1 << bits) - 1 else full(bits)


def _common(several: list[Ranges]) -> Ranges:
    """The ranges of all that is assumed on each of several ways."""
    chains = []
    for each in several:
        chain: list[Ranges] = []
        at: Ranges | None = each
        while at is not None:
            chain.append(at)
            at = at.outer
        chains.append(chain)
    return next(each for each in chains[0] if all(any(each is other for other in chain) for chain in chains[1:]))
