"""Reads machine code as `nvdisasm -c -gi -gp` prints it: instructions, branches, the places in the source and in the
PTX that they come from, the loop that takes most of them, and how often they wait for memory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

LABEL = re.compile(r"^(\S+):$")
INSTRUCTION = re.compile(r"^/\*([0-9a-f]{4,})\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")
CONDITION = re.compile(r"!?U?P\d")
TARGET = re.compile(r"`\((\S+)\)")
PLACE = re.compile(r'^//## File "([^"]*)", line (\d+)(?: inlined at "([^"]*)", line (\d+))?')
PTX = ".nv_debug_ptx_txt"
"""The name of the PTX as a file of places."""
LEAVES = ("EXIT", "RET")
APART = "BRA.DIV"
"""The branch that is taken where threads of a warp are not together."""
LOCAL = ".L_"
"""How labels inside a kernel begin; subroutines have other names."""
REGISTER = re.compile(r"\bR(\d+)(\.64)?")
WIDE = {"64": 2, "128": 4}
"""The registers that a load of so many bits fills."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One machine instruction. `opcode` is without modifiers: `FADD`; `full` has them: `FADD.FTZ`.

    `places`: file and line that it comes from, and from where that was called, innermost first; empty if unknown.
    `ptx`: the line of the PTX that it comes from, `None` if unknown. `operands`: as they are printed.
    """

    opcode: str
    full: str
    conditional: bool
    target: str | None
    places: tuple[tuple[str, int], ...] = ()
    ptx: int | None = None
    operands: str = ""

    @property
    def registers(self) -> frozenset[int]:
        """Registers that it names."""
        named = [(int(number), bool(wide)) for number, wide in REGISTER.findall(self.operands)]
        return frozenset(register for number, wide in named for register in range(number, number + 1 + wide))

    @property
    def loaded(self) -> range:
        """The registers that it fills from global memory."""
        target = REGISTER.match(self.operands) if self.opcode == "LDG" else None
        count = next((WIDE[part] for part in self.full.split(".") if part in WIDE), 1)
        return range(int(target[1]), int(target[1]) + count) if target else range(0)

    @property
    def jumps(self) -> bool:
        """Whether it is a branch within the kernel. On sm_80 a call of a local label is one, too."""
        return self.target is not None and self.target.startswith(LOCAL) and self.opcode in ("BRA", "CALL")

    @property
    def calls(self) -> bool:
        """Whether it calls a subroutine."""
        return self.opcode == "CALL" and not self.jumps

    @property
    def ends(self) -> bool:
        """Whether it is the last instruction of a basic block."""
        return self.jumps or self.opcode in LEAVES


@dataclass(frozen=True, slots=True)
class Loop:
    """The largest loop of a kernel, in instructions.

    Attributes:
        every: of the blocks that run in every iteration.
        sometimes: of the other blocks in the loop.
        opcodes: how often each opcode occurs in the blocks that run in every iteration.
    """

    every: int
    sometimes: int
    opcodes: dict[str, int]


@dataclass(frozen=True, slots=True)
class Block:
    """Instructions that run together.

    Attributes:
        next: the numbers of the blocks that can run after it, the one that it jumps to first.
    """

    instructions: tuple[Instruction, ...]
    next: tuple[int, ...]


def instructions(text: str, kernel: str) -> list[Instruction]:
    """All instructions of a kernel with the subroutines that it calls."""
    return [instruction for _, body in _labelled(text, kernel) for instruction in body]


def basic_blocks(text: str, kernel: str) -> list[Block]:
    """The instructions of a kernel and its subroutines, block by block in the order of the text. A call of a subroutine
    is an instruction like others, and no way to it."""
    pieces: list[list[Instruction]] = []
    first: dict[str, int] = {}
    for label, body in _labelled(text, kernel):
        first[label] = len(pieces)
        piece: list[Instruction] = []
        pieces.append(piece)
        for instruction in body:
            piece.append(instruction)
            if instruction.ends:
                piece = []
                pieces.append(piece)
    blocks = []
    for number, piece in enumerate(pieces):
        following = []
        last = piece[-1] if piece else None
        if last is not None and last.jumps and last.target is not None:
            following.append(first[last.target])
        leaves = last is not None and last.ends and not last.conditional
        if not leaves and number + 1 < len(pieces):
            following.append(number + 1)
        blocks.append(Block(tuple(piece), tuple(following)))
    return blocks


def reached(blocks: Sequence[Block]) -> list[bool]:
    """Whether there is a way to each block from the beginning of the kernel. Not to subroutines, which are called."""
    numbers, work = {0}, [0]
    while work:
        more = set(blocks[work.pop()].next) - numbers
        numbers |= more
        work += more
    return [number in numbers for number in range(len(blocks))]


def largest_loop(text: str, kernel: str) -> Loop | None:
    """The natural loop with the most instructions; `None` where there is no loop."""
    blocks = basic_blocks(text, kernel)
    dominators = _dominators(blocks)
    best: Loop | None = None
    headers = {head for number in dominators for head in blocks[number].next if head in dominators[number]}
    for head in sorted(headers):
        latches = [n for n in dominators if head in blocks[n].next and head in dominators[n]]
        if latches == [head] and len(blocks[head].instructions) == 1:
            continue  # The trap behind the end of the code.
        inside = _natural(blocks, head, latches)
        always = [n for n in inside if all(n in dominators[latch] for latch in latches)]
        opcodes = Counter(i.opcode for n in always for i in blocks[n].instructions)
        every = opcodes.total()
        loop = Loop(every, sum(len(blocks[n].instructions) for n in inside) - every, dict(opcodes.most_common()))
        if best is None or loop.every + loop.sometimes > best.every + best.sometimes:
            best = loop
    return best


def waits(text: str, kernel: str, counted: Callable[[Instruction], bool] = lambda _: True) -> int:
    """How many loads from global memory in a row have to be waited for, each issued after the wait for the one before:
    the most of all ways through the kernel that take no loop twice. All loads take the same time, and other
    instructions take none.

    Args:
        counted: which loads are looked at.
    """
    blocks = basic_blocks(text, kernel)
    dominators = _dominators(blocks)
    start: dict[int, _Waiting] = {0: _Waiting(0, {})}
    most = 0
    for number in _forwards(blocks, dominators):
        waiting = start[number]
        for instruction in blocks[number].instructions:
            arrivals = [waiting.there[register] for register in instruction.registers if register in waiting.there]
            now = max([waiting.now, *arrivals])
            there = {register: time for register, time in waiting.there.items() if time > now}
            if instruction.loaded and counted(instruction):
                there |= dict.fromkeys(instruction.loaded, now + 1)
            waiting = _Waiting(now, there)
        most = max(most, waiting.now)
        for following in blocks[number].next:
            start[following] = waiting.joined(start.get(following, waiting))
    return most


@dataclass(frozen=True, slots=True)
class _Waiting:
    """How many waits there were so far, and with which one the load of a register is there."""

    now: int
    there: dict[int, int]

    def joined(self, other: _Waiting) -> _Waiting:
        registers = self.there.keys() | other.there.keys()
        there = {each: max(self.there.get(each, 0), other.there.get(each, 0)) for each in registers}
        return _Waiting(max(self.now, other.now), there)


def _forwards(blocks: list[Block], dominators: dict[int, frozenset[int]]) -> list[int]:
    """The blocks that are reached, each after all from which there is a way to it but back in a loop."""
    ahead = {n: [after for after in blocks[n].next if after not in dominators[n]] for n in dominators}
    before = Counter(following for number in ahead for following in set(ahead[number]))
    order = [number for number in ahead if not before[number]]
    for number in order:
        for following in set(ahead[number]):
            before[following] -= 1
            if not before[following]:
                order.append(following)
    return order


def _labelled(text: str, kernel: str) -> list[tuple[str, list[Instruction]]]:
    """The code of a kernel, cut at labels."""
    result: list[tuple[str, list[Instruction]]] = []
    inside = False
    places: tuple[tuple[str, int], ...] = ()
    called: tuple[str, int] | None = None
    ptx: int | None = None
    for raw in text.splitlines():
        line = raw.strip()
        if line.split()[:1] == [".section"]:
            inside = f".text.{kernel}," in line
        if not inside:
            continue
        if label := LABEL.match(line):
            result.append((label[1], []))
            if not label[1].startswith(LOCAL):
                # A subroutine of NVIDIA's: nobody's line.
                places, called, ptx = (), None, None
        elif (match := PLACE.match(line)) and match[1] == PTX:
            ptx = int(match[2])
        elif match:
            place = (match[1], int(match[2]))
            places = (*places, place) if place == called else (place,)
            called = None if match[3] is None else (match[3], int(match[4]))
        elif (match := INSTRUCTION.match(line)) and result:
            target = TARGET.search(match[4])
            full = match[3]
            result[-1][1].append(
                Instruction(
                    full.split(".")[0],
                    full,
                    match[2] is not None or CONDITION.match(match[4]) is not None or full.startswith(APART),
                    target and target[1],
                    places,
                    ptx,
                    match[4],
                )
            )
    return result


def _dominators(blocks: list[Block]) -> dict[int, frozenset[int]]:
    """For every block that is reached, the blocks on each way to it."""
    order, before = [0], {0: set[int]()}
    for number in order:
        for following in blocks[number].next:
            if following not in before:
                before[following] = set()
                order.append(following)
            before[following].add(number)
    everything = frozenset(order)
    result = dict.fromkeys(order, everything) | {0: frozenset({0})}
    changed = True
    while changed:
        changed = False
        for number in order[1:]:
            common = frozenset.intersection(*(result[previous] for previous in before[number])) | {number}
            changed |= common != result[number]
            result[number] = common
    return result


def _natural(blocks: list[Block], head: int, latches: list[int]) -> set[int]:
    """The blocks from which a latch is reached without passing the head."""
    before: dict[int, list[int]] = {}
    for number, block in enumerate(blocks):
        for following in block.next:
            before.setdefault(following, []).append(number)
    inside, work = {head, *latches}, [latch for latch in latches if latch != head]
    while work:
        for previous in before.get(work.pop(), []):
            if previous not in inside:
                inside.add(previous)
                work.append(previous)
    return inside
