"""Whether the PTX of a kernel leaves in memory what its specification says, word by word, in all states in bounds."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from hamlet import schema
from hamlet_lab.proof import sides
from hamlet_lab.proof.barriers import Barriers
from hamlet_lab.proof.bounds import Bounds
from hamlet_lab.proof.cells import CellMemory, Cells
from hamlet_lab.proof.meanings import Words
from hamlet_lab.proof.merge import Merge
from hamlet_lab.proof.merging import Merger, nearest_condition
from hamlet_lab.proof.of_ir import UnprovenError
from hamlet_lab.proof.of_ptx import Thread, UndecidedError
from hamlet_lab.proof.of_schedule import Launch, Memory, Word
from hamlet_lab.proof.of_worlds import Specification
from hamlet_lab.proof.outside import Outside, Stored
from hamlet_lab.proof.overall import is_abstract
from hamlet_lab.proof.placement import OF_AGENT, WARP, Lane, Placement
from hamlet_lab.proof.states import KernelUnderProof, variables
from hamlet_lab.proof.term import Term, Variable
from hamlet_lab.proof.terms import Arena
from hamlet_lab.proof.together import WorldThreads
from hamlet_lab.proof.turns import CellThread
from hamletc.ir.function import Program
from hamletc.kernel.schedule import Schedule
from hamletc.kernel.statements import BEGINS

FEW = 64
"""Samples of a thread of which nothing is known."""
REPLAYED = 1 << 30
"""Worlds before which a launch begins that is replayed."""
SPLITS = 5
"""How many conditions a word may need that hold in one case and not in the other."""


class UnseenError(UnprovenError):
    """No sampled state is on one side of a branch, and it is not proven that none is."""


@dataclass(frozen=True, slots=True)
class Obligation:
    """A word that a kernel must leave, in a case.

    Attributes:
        case: the branches that led there, in words.
        contexts: those in which it was proven, which are all together; none where it is not proven.
        left, right: in words, what is expected and what is there; where it is proven, empty.
        counterexample: variables by name, where a sampled state shows that it is not so.
        merge: the last one of its proof, if there was one in its context. Nothing else was made of what that merges.
    """

    word: Word
    case: str
    contexts: tuple[Arena, ...]
    counterexample: dict[str, int] | None = None
    left: str = ""
    right: str = ""
    merge: Merge | None = None


@dataclass(slots=True)
class Proof:
    """The obligations of a kernel, and how they were proven. Its cases are contexts, which are all together."""

    obligations: list[Obligation] = field(default_factory=list)
    merger: Merger = field(default_factory=Merger)
    cases: list[Arena] = field(default_factory=list)
    barriers: Barriers = field(default_factory=Barriers)
    executed: int = 0
    seconds: float = 0.0

    @property
    def failed(self) -> list[Obligation]:
        """Obligations that are not proven."""
        return [each for each in self.obligations if not each.contexts]


def prove(kernel: KernelUnderProof, samples: int = 8192, seed: int = 1) -> Proof:
    """Prove a kernel. Where a sampled state refutes it nothing else is tried.

    Raises:
        UnprovenError: it has something that the proof does not know.
    """
    try:
        return _prove(kernel, samples, seed)
    except UnseenError:
        # Of what a thread and others vote together it is not known that others must, where it does not.
        return _prove(replace(kernel, own_votes_first=True), samples, seed)


def _prove(kernel: KernelUnderProof, samples: int, seed: int) -> Proof:
    began = time.perf_counter()
    proof = _attempt(kernel, Merger(trusting=True), samples, seed)
    proof.obligations = _refuted(proof)
    if not proof.obligations:
        many = any(sides.of_many(each) for each in proof.cases)
        proof = _attempt(kernel, Merger(by_sides=many), samples, seed)
        if proof.failed:
            other = _attempt(kernel, Merger(by_sides=not many), samples, seed, fewer=len(proof.failed))
            proof = min(proof, other, key=lambda each: len(each.failed))
    proof.seconds = time.perf_counter() - began
    return proof


def refuted(kernel: KernelUnderProof, samples: int, seed: int) -> bool:
    """Whether a sampled state shows that a kernel is wrong.

    Raises:
        UnprovenError: it has something that the proof does not know.
    """
    return bool(_refuted(_attempt(kernel, Merger(trusting=True), samples, seed)))


def _refuted(proof: Proof) -> list[Obligation]:
    return [each for each in proof.failed if each.counterexample is not None]


def _attempt(kernel: KernelUnderProof, merger: Merger, samples: int, seed: int, fewer: float = math.inf) -> Proof:
    """The proof of a kernel by a merger, which is given up where it has not `fewer` words that are not proven."""
    proof = Proof(merger=merger)
    blind = _blind(kernel, seed)
    arena = Arena(variables(kernel, samples, seed), proof.merger.equal, proof.merger.simpler)
    inside = _valid(kernel, arena)
    pending: list[tuple[Arena, str]] = []
    for holds in (False, True):
        case = arena.under(inside, holds)
        if case is None:
            raise UnprovenError("no sampled lane is one of the launch, or all are")
        pending.append((case, "a lane of the launch" if holds else "no lane of the launch"))
    while pending and len(proof.failed) < fewer:
        case_arena, words = pending.pop()
        try:
            _case(proof, kernel, case_arena, words, blind)
        except UndecidedError as fork:
            for holds in (True, False):
                side = case_arena.under(fork.condition, holds)
                if side is not None:
                    side.decide()
                    pending.append((side, f"{words}, {'' if holds else 'not '}{_short(fork.condition)}"))
                elif case_arena.op("eq", fork.condition, case_arena.constant(holds, 1)).value != 0:
                    unseen = _short(fork.condition)
                    raise UnseenError(f"no sampled state is on one side of a branch: {unseen}") from fork
        else:
            proof.cases.append(case_arena)
    unordered = proof.barriers.unordered(schema.CELL_METERS) if kernel.placement.group > WARP else None
    if unordered is not None:
        raise UnprovenError(unordered)
    return proof


def _valid(kernel: KernelUnderProof, arena: Arena) -> Term:
    """Whether a thread has a lane; where agents meet, whether there is the world."""
    return kernel.placement.lane(arena, 0 if kernel.placement.meet else None).valid


def _blind(kernel: KernelUnderProof, seed: int) -> Outside:
    """The findings of a thread that knows nothing of memory, which hold in all threads: bounds alone say so."""
    arena = Arena(variables(kernel, FEW, seed), _within_bounds)
    most = kernel.placement.block - 1
    arena.variables["tid"] = Variable("tid", np.arange(FEW, dtype=np.uint32) % np.uint32(most + 1), 0, most)
    random = np.random.default_rng(seed)

    def anything(bits: int) -> Term:
        name = f"load {len(arena.variables)}"
        words = random.integers(0, 1 << bits, FEW, np.uint64).astype(f"u{bits // 8}")
        arena.variables[name] = Variable(name, words, 0, (1 << bits) - 1)
        return arena.variable(name)

    tables = {arena.variable(f"&table{number}").number: rows for number, rows in enumerate(kernel.tables)}
    outside = Outside({}, {}, tables, set(), {}, anything)
    # What comes behind is known in cases alone.
    with suppress(UndecidedError, UnprovenError):
        Thread(arena, Bounds(arena, guessing=False), kernel.ptx, _arguments(arena, kernel), outside).run()
    return outside


def _within_bounds(arena: Arena, left: Term, right: Term) -> bool:
    return right.value is not None and Bounds(arena, guessing=False).words(left) == (right.value, right.value)


def _arguments(arena: Arena, kernel: KernelUnderProof) -> list[Term]:
    values = kernel.arguments
    return [arena.constant(value, 32) if isinstance(value, int) else arena.variable(value) for value in values]


def _case(proof: Proof, kernel: KernelUnderProof, arena: Arena, case: str, blind: Outside) -> None:
    placement = kernel.placement
    lanes = [placement.lane(arena, each) for each in (range(placement.agents) if placement.meet else (None,))]
    words = {word: arena.variable(f"{word[0]}[{word[1]}]") for word in kernel.words}
    places = {_address(arena, kernel, word, lanes).number: word for word in kernel.words}
    cells = kernel.cells.before(arena) if kernel.cells is not None else []
    memory = Memory(dict(words), list(cells))
    inside = lanes[0].valid
    if inside.value != 0:
        arena.comparing = not proof.merger.by_sides
        _specify(arena, kernel, kernel.program, kernel.schedule, lanes, memory)
        if proof.merger.by_sides:
            proof.merger.tell_apart(arena)
        arena.comparing = True
        for program, schedule in kernel.waypoints if proof.merger.goes_by_passes else ():
            between = Memory(dict(words), list(cells), memory.overalls)
            _specify(arena, kernel, program, schedule, lanes, between, whole=True)
    tables = {arena.variable(f"&table{number}").number: rows for number, rows in enumerate(kernel.tables)}
    outside = Outside(places, dict(words), tables, blind.abstained, blind.rows)
    outside.own_votes_first = kernel.own_votes_first
    if placement.agents > 1 and not placement.meet:
        outside.shared = placement.of_worlds
    of_cells = None if kernel.cells is None else _cell_memory(arena, kernel.cells, lanes[0], cells, placement)
    if of_cells is not None:
        of_cells.base, of_cells.overalls = of_cells.base if inside.value else None, memory.overalls
    bounds, arguments = proof.merger.bounds(arena), _arguments(arena, kernel)
    thread: Thread | WorldThreads
    if placement.meet:
        thread = WorldThreads(arena, bounds, kernel.ptx, arguments, outside, placement)
    elif of_cells is None:
        thread = Thread(arena, bounds, kernel.ptx, arguments, outside)
    else:
        thread = CellThread(arena, bounds, kernel.ptx, arguments, outside, of_cells)
    thread.run()
    proof.executed = max(proof.executed, thread.executed)
    proof.barriers.cases.append(outside.met)
    if inside.value == 0:
        # Its word is beyond the array.
        if outside.loaded:
            raise UnprovenError(f"PTX line {outside.loaded[0]}: a thread without a lane loads")
        _nothing(proof, kernel, arena, outside.stored, places, case)
        return
    for word in kernel.words:
        expected, actual = memory.words[word], outside.words[word]
        proof.obligations.append(_proven(proof.merger, arena, word, case, (expected, actual), kernel.cells))
    for row, (said, left) in enumerate(
        zip(memory.cells, of_cells.content if of_cells is not None else (), strict=False)
    ):
        assert left is not None, "kernels know what cells had before"
        word = schema.CELL_METERS, row
        proof.obligations.append(_proven(proof.merger, arena, word, case, (said, left), kernel.cells))


def _specify(
    arena: Arena,
    kernel: KernelUnderProof,
    program: Program,
    schedule: Schedule,
    lanes: list[Lane],
    memory: Memory,
    whole: bool = False,
) -> None:
    """Leave in memory what the schedule says."""
    placement, counters = kernel.placement, {name: arena.variable(name) for name in ("tick", "seed_low", "seed_high")}
    waits = arena.no(arena.op("eq", arena.variable("waits"), arena.constant(0, 32)))
    launches: list[Launch] = []
    for number, each in enumerate(lanes):
        world = arena.op("add", arena.variable("first_world"), each.world)
        lane = arena.op("add", arena.op("mul", world, arena.constant(placement.agents, 32)), each.agent)
        whose = f"{OF_AGENT}{number}" if placement.meet else ""
        of_lane = {**counters, "lane": lane, "world": world}
        launches.append(Launch(of_lane, waits, False, each.agent, placement.agents, placement.of_worlds, whose))
    Specification(arena, kernel.universe, program, schedule, launches, memory, whole).run(kernel.name)


def _cell_memory(arena: Arena, cells: Cells, lane: Lane, before: list[Term], placement: Placement) -> CellMemory:
    array, behind = arena.variable(f"&{schema.CELL_METERS}"), arena.constant(4 * cells.rows * cells.count, 64)
    base = arena.op("add", array, arena.op("mul", arena.wide(lane.world, 64), behind))
    content = [*before, *[None] * (cells.rows - len(before))]
    limits = (lane.world, arena.variable("worlds")), (lane.agent, arena.constant(placement.agents, 32))
    everywhere = lane.world, *(arena.made("slt", 1, each, None) for each in limits)
    return CellMemory(cells, array, base, content, 0, lane.agent, placement.agents, everywhere, placement.of_worlds)


def _nothing(
    proof: Proof,
    kernel: KernelUnderProof,
    arena: Arena,
    stored: Iterable[Stored],
    places: dict[int, Word],
    case: str,
) -> None:
    for each in stored:
        word = places[each.address.number]
        state = None
        if each.where.samples.any():
            state = _state(arena, np.broadcast_to(each.where.samples, arena.size), kernel.cells)
        contexts = (arena,) if each.where.value == 0 else ()
        proof.obligations.append(Obligation(word, case, contexts, state, "nothing", _short(each.value)))


def _proven(
    merger: Merger, arena: Arena, word: Word, case: str, terms: tuple[Term, Term], cells: Cells | None
) -> Obligation:
    expected, actual = terms
    if expected is actual:
        return Obligation(word, case, (arena,))
    differs = np.broadcast_to(expected.samples != actual.samples, arena.size)
    if differs.any():
        state = None if is_abstract(expected) or is_abstract(actual) else _state(arena, differs, cells)
        return Obligation(word, case, (), state, _short(expected), _short(actual))
    if merger.equal(arena, expected, actual):
        return Obligation(word, case, (arena,), merge=merger.merges.pop() if merger.merges else None)
    contexts = _splits(arena, expected, actual, SPLITS)
    if contexts:
        return Obligation(word, case, contexts)
    return Obligation(word, case, (), None, _short(expected), _short(actual))


def _state(arena: Arena, where: Words, cells: Cells | None) -> dict[str, int]:
    """The first sampled state of those that are marked, if there is one in which a launch can be replayed."""
    first = arena.variables["first_world"].samples < REPLAYED
    begins = arena.variables[f"{BEGINS}[0]"].samples == 1 if f"{BEGINS}[0]" in arena.variables else True
    replayed = where & np.broadcast_to(first & begins, arena.size)
    at = int((replayed if replayed.any() else where).argmax())
    numbers = dict(cells.sampled(arena, at)) if cells is not None else {}
    return {name: int(each.samples[at]) for name, each in arena.variables.items()} | numbers


def _splits(arena: Arena, expected: Term, actual: Term, left: int) -> tuple[Arena, ...]:
    """The contexts, sides of an arena, in which two terms are equal; none if that is not proven."""
    if expected is actual:
        return (arena,)
    if left == 0:
        return ()
    condition = nearest_condition(expected) or nearest_condition(actual)
    if condition is None:
        return ()
    result: list[Arena] = []
    for holds in (True, False):
        side = arena.under(condition, holds)
        if side is None:
            return ()
        one, other = side.copies([expected, actual])
        contexts = _splits(side, one, other, left - 1)
        if not contexts:
            return ()
        result += contexts
    return tuple(result)


def _address(arena: Arena, kernel: KernelUnderProof, word: Word, lanes: list[Lane]) -> Term:
    """Where a word is: of the lane, or where agents meet of the one that its name says, or of the world."""
    name, row = word
    _, _, agent = name.partition(OF_AGENT)
    return kernel.placement.address(arena, lanes[int(agent or 0)], name, row, kernel.bytes_of(name))


def _short(term: Term, levels: int = 4) -> str:
    """A term in words, cut off."""
    if term.value is not None:
        return str(term.value)
    if term.op == "variable":
        return str(term.attribute)
    if levels == 0:
        return "..."
    return f"{term.op}({', '.join(_short(each, levels - 1) for each in term.operands)})"
