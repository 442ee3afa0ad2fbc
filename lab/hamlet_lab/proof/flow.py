"""The blocks of a kernel in PTX, in an order in which each comes behind those before it, and loops in themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hamlet_lab.ptx.syntax import Kernel, Name


@dataclass(frozen=True, slots=True)
class Loop:
    """Blocks that are run again and again: `head` is the one through which the loop is entered."""

    head: int
    body: tuple[Part, ...]

    def blocks(self) -> Iterator[int]:
        """All of its blocks."""
        yield self.head
        for part in self.body:
            yield from (part,) if isinstance(part, int) else part.blocks()


Part: TypeAlias = "int | Loop"


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocks by the number of their first instruction: where each ends, and which may follow it."""

    ends: dict[int, int]
    following: dict[int, tuple[int, ...]]
    order: tuple[Part, ...]


def blocks(kernel: Kernel) -> Blocks:
    """The blocks of a kernel."""
    code = kernel.instructions
    labels = {label: number for number, each in enumerate(code) for label in each.targets}
    jumps = {number: each for number, each in enumerate(code) if each.opcode in ("bra", "bra.uni", "ret")}
    begins = sorted({0, *labels.values(), *(number + 1 for number in jumps)} & set(range(len(code))))
    ends = dict(zip(begins, [*begins[1:], len(code)], strict=True))
    following: dict[int, tuple[int, ...]] = {}
    for begin, end in ends.items():
        last = code[end - 1]
        goes_on = [end] if end < len(code) and (end - 1 not in jumps or last.guard is not None) else []
        targets = [labels[each.name] for each in last.operands if isinstance(each, Name)] if end - 1 in jumps else []
        following[begin] = tuple(dict.fromkeys([*targets, *goes_on]))
    return Blocks(ends, following, tuple(_ordered(_reached(following), following)))


def _reached(following: dict[int, tuple[int, ...]]) -> list[int]:
    """The blocks that are reached, each before those that follow it alone."""
    done: list[int] = []
    seen = {0}
    stack = [(0, iter(following[0]))]
    while stack:
        block, rest = stack[-1]
        for each in rest:
            if each not in seen:
                seen.add(each)
                stack.append((each, iter(following[each])))
                break
        else:
            done.append(block)
            stack.pop()
    return done[::-1]


def _ordered(among: Sequence[int], following: dict[int, tuple[int, ...]]) -> Iterator[Part]:
    """Blocks in an order in which those of a loop are together."""
    left = list(among)
    place = {block: at for at, block in enumerate(among)}
    reaches = {block: _reachable(block, set(among), following) for block in among}
    while left:
        block = left[0]
        together = [each for each in left if each == block or (block in reaches[each] and each in reaches[block])]
        left = [each for each in left if each not in together]
        if len(together) == 1 and block not in reaches[block]:
            yield block
        else:
            head = min(together, key=place.__getitem__)
            rest = [each for each in together if each != head]
            yield Loop(head, tuple(_ordered(rest, following)))


def _reachable(block: int, among: set[int], following: dict[int, tuple[int, ...]]) -> set[int]:
    """The blocks that one reaches in one step or more, among some."""
    chosen: set[int] = set()
    stack = [each for each in following[block] if each in among]
    while stack:
        each = stack.pop()
        if each not in chosen:
            chosen.add(each)
            stack += [later for later in following[each] if later in among]
    return chosen
