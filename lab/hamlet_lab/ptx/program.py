"""A kernel as numpy operations over all threads, and its launch.

Threads run in lockstep. Where a branch divides them, those that are furthest behind in the text run first, the others
wait, and who meets there goes on together. At an instruction of the threads of a warp or block together, those that
come first wait for the rest (PTX ISA, "shfl.sync", "redux.sync", "bar.sync").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hamlet_lab.ptx.bits import OPERATIONS as BITS
from hamlet_lab.ptx.comparisons import OPERATIONS as COMPARISONS
from hamlet_lab.ptx.conversions import OPERATIONS as CONVERSIONS
from hamlet_lab.ptx.floats import OPERATIONS as FLOATS
from hamlet_lab.ptx.integers import OPERATIONS as INTEGERS
from hamlet_lab.ptx.memory import Memory
from hamlet_lab.ptx.moves import move
from hamlet_lab.ptx.sources import Scope, Site, scope
from hamlet_lab.ptx.syntax import Guard, Instruction, Kernel, Name, PtxError, Variable
from hamlet_lab.ptx.threads import POISON, WARP, Effect, Mask, Meeting, Threads, poison
from hamlet_lab.ptx.types import Array, Operation
from hamlet_lab.ptx.warps import meeting, together

OPERATIONS: dict[str, Operation] = INTEGERS | BITS | FLOATS | COMPARISONS | CONVERSIONS
"""Every instruction that computes, by its name with all modifiers."""

THREADS_AT_ONCE = 8192
"""Threads that run in lockstep: a register of them fits into the fastest cache."""


ALIGNED = 64
"""To a multiple of so many bytes variables of threads begin."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How a kernel is launched.

    Attributes:
        arguments: the bits of each parameter.
        blocks: how many.
        threads: of a block, a multiple of 32.
        shared_bytes: of shared memory for each block.
    """

    arguments: Sequence[int]
    blocks: int
    threads: int
    shared_bytes: int = 0


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Instructions without branches, and where threads go then.

    Attributes:
        meeting: who waits for each other before them.
        jumps: who jumps; nobody where it is `None`.
        target: the stretch they jump to; `None` at the end of the kernel.
        following: where the others go.
    """

    meeting: Meeting
    effects: tuple[Effect, ...]
    jumps: Guard | bool
    target: int | None
    following: int | None


@dataclass(slots=True)
class Passed:
    """Whom a guard let through so far: warps with such a thread, and threads."""

    warps: int = 0
    threads: int = 0

    def add(self, passing: Mask) -> None:
        self.warps += int(passing.reshape(-1, WARP).any(axis=1).sum())
        self.threads += int(passing.sum())


class Program:
    """A kernel that can be launched."""

    def __init__(self, kernel: Kernel) -> None:
        """Raises `PtxError` for an instruction that is not known to the bit."""
        self.kernel = kernel
        self._scope = scope(kernel)
        self._pieces = _pieces(kernel)
        self._passed: dict[int, Passed] = {}
        self._stretches = _stretches(self._pieces, self._scope, self._passed)
        self._executed = [0] * len(self._stretches)

    def launch(self, memory: Memory, launch: Launch) -> None:
        """Run it on this memory.

        Raises:
            PtxError: it does what it must not do, or the launch does not fit.
        """
        kernel = self.kernel
        if launch.threads % WARP or kernel.threads not in (None, launch.threads):
            raise PtxError(1, f"{kernel.name} cannot run in blocks of {launch.threads} threads")
        if len(launch.arguments) != len(kernel.parameters):
            raise PtxError(1, f"{kernel.name} has {len(kernel.parameters)} parameters, not {len(launch.arguments)}")
        at_once = max(THREADS_AT_ONCE // launch.threads, 1)
        with np.errstate(all="ignore"):
            for first in range(0, launch.blocks, at_once):
                self._run(self._threads(memory, launch, first, min(at_once, launch.blocks - first)))

    def executions(self) -> list[tuple[tuple[int, ...], int]]:
        """The lines of the instructions that run together, and how many warps have come to them in all launches so far;
        every instruction of the text once."""
        counted = zip(self._pieces, self._executed, strict=True)
        return [(tuple(instruction.line for instruction in piece), warps) for piece, warps in counted]

    def passed(self) -> dict[int, tuple[int, int]]:
        """By line of an instruction with a guard: the warps of which it has let a thread through in all launches so
        far, and those threads."""
        return {line: (passed.warps, passed.threads) for line, passed in self._passed.items()}

    def _threads(self, memory: Memory, launch: Launch, first: int, blocks: int) -> Threads:
        """The threads of some blocks, from number `first` on."""
        number = np.arange(blocks * launch.threads, dtype=np.uint32)
        memory = memory.beside()
        variables = {each.name: _table(each, memory) for each in self.kernel.tables}
        variables |= {each.name: _own(each, memory, len(number)) for each in self.kernel.locals}
        shared = Memory(0)
        shared.place(np.full(blocks * launch.shared_bytes, POISON & 0xFF, np.uint8))
        return Threads(
            count=len(number),
            block=launch.threads,
            parameters={
                parameter.name: np.array([value % (1 << parameter.bits)], f"u{parameter.bits // 8}")
                for parameter, value in zip(self.kernel.parameters, launch.arguments, strict=True)
            },
            variables=variables,
            own=tuple((variables[each.name], each.size) for each in self.kernel.locals),
            special=_special(number, launch, first),
            memory=memory,
            shared=shared,
            shared_bytes=launch.shared_bytes,
            registers=[poison(register.type.raw) for register in self._scope.registers.values()],
            active=np.ones(len(number), bool),
        )

    def _run(self, threads: Threads) -> None:
        waiting: dict[int, Mask] = {0: threads.active}
        while waiting:
            number = self._next(waiting, threads)
            threads.active = waiting.pop(number)
            threads.everyone = bool(threads.active.all())
            stretch = self._stretches[number]
            self._executed[number] += threads.warps()
            for effect in stretch.effects:
                effect(threads, None)
            jumping = self._jumping(stretch.jumps, threads)
            for target, group in ((stretch.target, jumping), (stretch.following, threads.active & ~jumping)):
                if target is not None and group.any():
                    waiting[target] = waiting[target] | group if target in waiting else group

    def _next(self, waiting: dict[int, Mask], threads: Threads) -> int:
        """The first stretch in the text whose threads need not wait for others; the first one if all must."""
        ready = (number for number in sorted(waiting) if threads.met(waiting[number], self._stretches[number].meeting))
        return next(ready, min(waiting))

    def _jumping(self, jumps: Guard | bool, threads: Threads) -> Mask:
        match jumps:
            case Guard(register=name, negated=negated):
                taken = threads.registers[self._scope.registers[name].index]
                return threads.active & (~taken if negated else taken)
            case _:
                return threads.active & jumps


def _table(variable: Variable, memory: Memory) -> Array:
    """The address of a variable of the text, which nobody writes."""
    contents = np.frombuffer(variable.contents.ljust(variable.size, b"\0"), np.uint8)
    return np.array([memory.place(contents)], np.uint64)


def _own(variable: Variable, memory: Memory, threads: int) -> Array:
    """The address of a variable for each thread."""
    pitch = -(-variable.size // ALIGNED) * ALIGNED
    begin = memory.place(np.full(threads * pitch, POISON & 0xFF, np.uint8))
    return np.uint64(begin) + np.arange(threads, dtype=np.uint64) * np.uint64(pitch)


def _special(number: Array, launch: Launch, first: int) -> dict[str, Array]:
    """Special registers. Launches have one dimension."""
    zero, one = np.zeros(1, np.uint32), np.ones(1, np.uint32)
    values = {f"%{name}.{axis}": zero for name in ("tid", "ctaid") for axis in "yz"}
    values |= {f"%{name}.{axis}": one for name in ("ntid", "nctaid") for axis in "yz"}
    size = np.uint32(launch.threads)
    values |= {"%tid.x": number % size, "%ctaid.x": number // size + np.uint32(first), "%laneid": number % WARP}
    return values | {"%ntid.x": one * size, "%nctaid.x": one * np.uint32(launch.blocks)}


def _pieces(kernel: Kernel) -> list[list[Instruction]]:
    """A kernel, cut before labels, behind branches, and where threads wait."""
    pieces: list[list[Instruction]] = [[]]
    for instruction in kernel.instructions:
        waits = meeting(instruction) is not Meeting.NONE
        if pieces[-1] and (instruction.targets or waits or _leaves(pieces[-1][-1])):
            pieces.append([])
        pieces[-1].append(instruction)
    return pieces


def _stretches(pieces: list[list[Instruction]], names: Scope, passed: dict[int, Passed]) -> list[_Stretch]:
    labels = {label: number for number, piece in enumerate(pieces) for label in piece[0].targets} if pieces[0] else {}
    return [
        _stretch(piece, number + 1 if number + 1 < len(pieces) else None, labels, names, passed)
        for number, piece in enumerate(pieces)
    ]


def _leaves(instruction: Instruction) -> bool:
    return instruction.opcode in ("bra", "bra.uni", "ret")


def _stretch(
    piece: list[Instruction],
    following: int | None,
    labels: dict[str, int],
    names: Scope,
    passed: dict[int, Passed],
) -> _Stretch:
    first = meeting(piece[0]) if piece else Meeting.NONE
    leaves = bool(piece) and _leaves(piece[-1])
    effects = tuple(_effect(instruction, names, passed) for instruction in (piece[:-1] if leaves else piece))
    if not leaves:
        return _Stretch(first, effects, False, None, following)
    last = piece[-1]
    target = None
    match last.opcode, last.operands:
        case "ret", []:
            pass
        case "bra" | "bra.uni", [Name(name=label)] if label in labels:
            target = labels[label]
        case _:
            raise PtxError(last.line, f"{last.opcode} goes nowhere")
    if last.guard is None:
        return _Stretch(first, effects, True, target, None)
    Site(last, names).guard(last.guard)
    return _Stretch(first, effects, last.guard, target, following)


def _effect(instruction: Instruction, names: Scope, passed: dict[int, Passed]) -> Effect:
    """The effect of an instruction in the threads that its guard lets through, which are counted."""
    site = Site(instruction, names)
    effect = _computes(site) or move(site) or together(site)
    if effect is None:
        raise site.error(f"{instruction.opcode} is not known with {len(instruction.operands)} operands")
    if instruction.guard is None:
        return effect
    guard, guarded, counted = site.guard(instruction.guard), effect, passed.setdefault(instruction.line, Passed())

    def some(threads: Threads, _: Mask | None) -> None:
        mask = guard(threads)
        counted.add(threads.active & mask)
        guarded(threads, mask)

    return some


def _computes(site: Site) -> Effect | None:
    operation, operands = OPERATIONS.get(site.instruction.opcode), site.instruction.operands
    if operation is None or len(operands) != 1 + len(operation.operands):
        return None
    target = site.register(operands[0], operation.result.bits)
    sources = tuple(map(site.source, operands[1:], operation.operands))
    function, index, raw = operation.function, target.index, target.type.raw

    def effect(threads: Threads, mask: Mask | None) -> None:
        values = function(*[source(threads) for source in sources])
        threads.write(index, values.view(raw), mask)

    return effect
