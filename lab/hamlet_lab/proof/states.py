"""Kernels under proof, and in which states: the premises of a proof, as variables with bounds and samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from hamlet import schema
from hamlet.launch.gpu.forms import compile_form
from hamlet.schema import abi
from hamlet.schema.roles import fewest_agents
from hamlet.universe import Affordance, Universe
from hamlet_lab.proof import attest
from hamlet_lab.proof.cells import NUMBER, TURN, Cells
from hamlet_lab.proof.meanings import Words
from hamlet_lab.proof.of_ir import UnprovenError, bits_of
from hamlet_lab.proof.of_ptx import VOTES
from hamlet_lab.proof.of_schedule import Word
from hamlet_lab.proof.overall import HALVED, MOST, OVERALL
from hamlet_lab.proof.placement import THREADS, WARP, Placement, array_of, group_of
from hamlet_lab.proof.term import Variable
from hamlet_lab.ptx.parser import parse
from hamlet_lab.ptx.syntax import Kernel
from hamletc.ir.function import Program
from hamletc.ir.ops import Type
from hamletc.kernel.schedule import Schedule
from hamletc.kernel.statements import BEGINS

if TYPE_CHECKING:
    from types import ModuleType

SAMPLED_WORLDS = 200
EXCHANGES = ("redux", "shfl")
"""Operations of the threads of a warp together."""
FEW = 8
"""Counts are often no further from their least."""
AT_WORK = 0.25
WORK: dict[str, Callable[[int, Affordance, int], float]] = {
    "position": lambda _, affordance, axis: (affordance.place or ())[axis],
    "used_at": lambda _, affordance, axis: (affordance.place or ())[axis],
    "engaged": lambda number, *_: number,
    "progress": lambda _, affordance, __: max(affordance.duration or 1, 1) - 1,
}
"""The words of an agent that is about to complete an affordance, by its number, itself and the row of the word."""
ELSEWHERE = 64
"""Numbers of cells of other worlds than the lane's that a thread loads, at most."""
GREATEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True, slots=True)
class KernelUnderProof:
    """A kernel in PTX, and what it is held to.

    Attributes:
        name: of the kernel in its schedule.
        ptx: as it was parsed.
        arguments: of each parameter of the PTX the name of its variable, or a constant.
        words: the words of memory of a lane.
        tables: the rows of each table.
        waypoints: programs between the one and the PTX, each with its schedule.
        cells: those of its worlds, if there are any.
        placement: where the lanes of its worlds are.
        own_votes_first: whether cases are split by what a thread votes, before others do.
    """

    universe: Universe
    program: Program
    schedule: Schedule
    name: abi.Kernel
    ptx: Kernel
    arguments: tuple[str | int, ...]
    words: tuple[Word, ...]
    tables: tuple[tuple[int, ...], ...]
    waypoints: tuple[tuple[Program, Schedule], ...] = ()
    cells: Cells | None = None
    placement: Placement = field(default_factory=Placement)
    own_votes_first: bool = False

    def bytes_of(self, name: str) -> int:
        """The bytes of a word by its name."""
        array = array_of(name)
        fields = {each.name: each.dtype for each in _fields(self.universe)}
        return 1 if array in ("mask", BEGINS) or fields.get(array) == "bool" else 4


def _fields(universe: Universe) -> tuple[schema.Field, ...]:
    return (*schema.state_fields(universe), *schema.outcome_fields(universe))


def kernel_under_proof(
    kernels: ModuleType,
    universe: Universe,
    program: Program,
    schedule: Schedule,
    name: abi.Kernel,
    capability: int,
    text: Callable[[str], str] = lambda ptx: ptx,
) -> KernelUnderProof:
    """A kernel without observations for worlds of the fewest agents, as a launch compiles it for compute capability
    `capability`; `text` may change the PTX.

    Raises:
        EnvError: Triton cannot compile it.
        UnprovenError: the universe has what the proof does not know.
    """
    if any(each.name == schema.PAIR_STATES for each in _fields(universe)):
        raise UnprovenError("what pairs of agents have is not known to the proof")
    agents = fewest_agents(universe)
    compiled = compile_form(kernels, universe, capability, name, group_of(agents), observing=False)
    written = text(compiled.asm["ptx"])
    ptx = parse(written)
    meet = agents > 1 and any(each.opcode.startswith(EXCHANGES) for each in ptx.instructions)
    of_worlds = frozenset(each.name for each in _fields(universe) if each.per == "world") | {BEGINS}
    placement = Placement(agents, meet, of_worlds)
    cells = Cells.of(universe)
    if ptx.threads != placement.block:
        raise UnprovenError(f"blocks of {ptx.threads} threads are not known to the proof")
    if meet and (parted := attest.Kernel(attest.bare(written)).parted()) is not None:
        raise UnprovenError(f"PTX line {parted}: threads may part, behind it they do something together")
    if meet and (placement.group > WARP or cells is not None):
        raise UnprovenError("agents that meet in several warps, or on cells, are not known to the proof")
    names = [each for each in abi.array_arguments(universe, name) if each not in ("observation", "final_observation")]
    tables = [f"&table{number}" for number in range(len(kernels.TABLES))]
    scalars: list[str | int] = [agents if each == "agents" else each for each in abi.scalar_arguments(name)]
    arguments = [*(f"&{each}" for each in names), *tables, *scalars]
    # Triton adds two pointers, to scratch memory that these kernels do not have.
    missing = len(ptx.parameters) - len(arguments)
    if missing < 0:
        raise UnprovenError(f"the kernel takes {len(ptx.parameters)} parameters, not {len(arguments)}")
    arguments += ["&scratch"] * missing
    rows_of = {each.name: len(each.names) for each in _fields(universe) if each.name in names and not each.pitch}
    rows_of |= {"mask": len(schema.action_names(universe))} | {each: 1 for each in ("actions", BEGINS) if each in names}
    words = [(each, row) for of, rows in rows_of.items() for each in placement.names(of) for row in range(rows)]
    types = {"f32": Type.F32, "i32": Type.I32, "u32": Type.U32}
    rows = tuple(tuple(bits_of(types[of], each) % (1 << 32) for each in values) for _, of, values in kernels.TABLES)
    return KernelUnderProof(
        universe, program, schedule, name, ptx, tuple(arguments), tuple(words), rows, (), cells, placement
    )


def variables(kernel: KernelUnderProof, samples: int, seed: int) -> dict[str, Variable]:
    """The variables of a proof: what the launch has, and each word of memory as it is before.

    The samples are of states in bounds. Some numbers are at an end of their bounds, and some lanes are none of the
    launch.
    """
    random = np.random.default_rng(seed)
    placement = kernel.placement
    per_block = placement.block // placement.group
    name, most = ("unit", per_block) if placement.meet else ("tid", placement.block)
    result: list[Variable] = [
        Variable(name, random.integers(0, most, samples, np.uint32), 0, most - 1),
        Variable(
            "ctaid",
            random.integers(0, max(SAMPLED_WORLDS // per_block, 2), samples, np.uint32),
            0,
            THREADS // placement.block - 1,
        ),
    ]
    within = result[0].samples if placement.meet else result[0].samples // np.uint32(placement.group)
    world = (result[1].samples * np.uint32(per_block) + within).astype(np.int64)
    beyond = np.where(random.random(samples) < 0.9, random.integers(1, 2**20, samples), -(world // 2))
    worlds = np.maximum(world + beyond, 1).astype(np.uint32)
    result.append(Variable("worlds", worlds, 1, placement.most_worlds))
    result += [_any(name, samples, random) for name in ("first_world", "seed_low", "seed_high", "tick")]
    result.append(Variable("waits", random.integers(0, 2, samples, np.uint32), 0, 1))
    votes = (f"vote{number + 1}" for number in range(VOTES))
    result += [Variable(each, random.integers(0, 2, samples, np.uint32), 0, 1) for each in votes]
    pointers = [each for each in kernel.arguments if isinstance(each, str) and each.startswith("&")]
    for number, pointer in enumerate(dict.fromkeys(pointers)):
        places = (random.integers(0, 2**30, samples, np.uint64) << np.uint64(4)) + np.uint64((number + 1) << 40)
        result.append(Variable(pointer, places, 0, 2**64 - 1))
    for each in _fields(kernel.universe):
        for of in placement.names(each.name):
            for row in range(len(each.names)):
                if (of, row) in kernel.words:
                    result.append(_field(f"{of}[{row}]", each, row, samples, random))
    result = [*_at_work(kernel, {each.name: each for each in result}, samples, random)]
    if kernel.cells is not None:
        result += _of_cells(kernel.cells, placement.agents, {each.name: each for each in result}, samples, random)
    masks, interact = len(schema.action_names(kernel.universe)), schema.interact_action(kernel.universe)
    for of, row in kernel.words:
        if array_of(of) in ("mask", BEGINS):
            result.append(Variable(f"{of}[{row}]", random.integers(0, 2, samples).astype(np.uint8), 0, 1))
        elif array_of(of) == "actions":
            actions = random.integers(0, masks, samples).astype(np.uint32)
            if interact != schema.NOWHERE:
                actions = np.where(random.random(samples) < 0.7, np.uint32(interact), actions)
            result.append(Variable(f"{of}[0]", actions, 0, masks - 1))
    return {each.name: each for each in result}


def _at_work(
    kernel: KernelUnderProof, before: dict[str, Variable], samples: int, random: np.random.Generator
) -> Iterator[Variable]:
    """The variables, in some samples those of an agent that is where an affordance is, and is about to complete it."""
    affordances = [(at, each) for at, each in enumerate(kernel.universe.affordances) if each.place is not None]
    chosen = random.integers(0, max(len(affordances), 1), samples)
    where, last = random.random(samples) < AT_WORK, random.random(samples) < 0.5
    for name, variable in before.items():
        word, _, row = name.rstrip("]").partition("[")
        array = array_of(word)
        if affordances and array in WORK:
            values = np.array([WORK[array](at, each, int(row)) for at, each in affordances])
            there = values.astype(np.float32).view(np.uint32) if variable.floating else values.astype(np.uint32)
            here = where & last if array == "progress" else where
            yield replace(variable, samples=np.where(here, there[chosen], variable.samples))
        else:
            yield variable


def _of_cells(
    cells: Cells, agents: int, others: Mapping[str, Variable], samples: int, random: np.random.Generator
) -> Iterator[Variable]:
    """Any cell, often that of the agent, one beside it, or the last; and of each meter in which of all worlds it is."""
    own = np.zeros(samples, np.int64)
    for axis in range(len(cells.grid.sizes)):
        if (position := others.get(f"position[{axis}]")) is not None:
            own += position.samples.astype(np.int64) * prod(cells.grid.sizes[:axis])
    steps = [0, *(sign * prod(cells.grid.sizes[:axis]) for axis in range(len(cells.grid.sizes)) for sign in (-1, 1))]
    near = np.clip(own + random.choice(steps, samples), 0, cells.count - 1)
    kinds = (near, random.integers(0, cells.count, samples), np.full(samples, cells.count - 1))
    chosen = _mixed(random, samples, kinds, (0.4, 0.5, 0.1))
    if cells.sums:  # where halves begin and end
        ends = [each - less for less in (0, 1) for each in (1 << power for power in range(32)) if each < cells.count]
        chosen = np.where(random.random(samples) < 0.2, random.choice(ends, samples), chosen)
    yield Variable(NUMBER, chosen.astype(np.uint32), 0, cells.count - 1)
    if agents > 1:
        turns = (cells.count - 1) // agents
        yield Variable(TURN, random.integers(0, turns + 1, samples).astype(np.uint32), 0, turns)
    yield from (_any(f"cells.{each}", samples, random) for each in cells.meters)
    names = *(f"{OVERALL}{each + 1}" for each in range(MOST)), *(f"{HALVED}{row}" for row in range(cells.rows))
    yield from (_any(each, samples, random) for each in names if cells.sums)
    yield from (_any(f"elsewhere{number + 1}", samples, random) for number in range(ELSEWHERE))


def _any(name: str, samples: int, random: np.random.Generator) -> Variable:
    return Variable(name, random.integers(0, 2**32, samples, np.uint64).astype(np.uint32), 0, 2**32 - 1)


def _field(name: str, of: schema.Field, row: int, samples: int, random: np.random.Generator) -> Variable:
    if of.dtype == "bool":
        held = (random.random(samples) < (0.8 if of.name == "alive" else 0.5)).astype(np.uint8)
        return Variable(name, held, 0, 1)
    outcome = of.name in ("reward", "used", "cause")
    if of.bounds is None or outcome:
        if of.dtype == "f32":
            return Variable(
                name,
                _numbers(-100.0, 100.0, samples, random),
                -GREATEST,
                GREATEST,
                True,
            )
        return _any(name, samples, random)
    bounds = of.bounds[row if len(of.bounds) > 1 else 0]
    if of.dtype == "f32":
        return Variable(name, _numbers(bounds.low, bounds.high, samples, random), bounds.low, bounds.high, True)
    least, most = int(bounds.low), int(bounds.high)
    few = random.integers(least, min(most, least + FEW) + 1, samples)
    kinds = (
        random.integers(least, most + 1, samples),
        few,
        np.full(samples, most),
        np.full(samples, max(most - 1, least)),
    )
    ends = _mixed(random, samples, kinds, (0.6, 0.2, 0.1, 0.1))
    unsigned = (least, most) if least >= 0 else (0, 2**32 - 1)
    return Variable(name, ends.astype(np.int64).astype(np.uint32), *unsigned)


def _numbers(low: float, high: float, samples: int, random: np.random.Generator) -> Words:
    """Numbers between two, some of them an end, zero, -0, or close to an end."""
    size = min(high, 1e30) - max(low, -1e30)
    start = max(low, -1e30)
    inside = start + size * random.random(samples)
    near = start + size * random.random(samples) ** 4 * 0.05
    kinds = (inside, near, np.full(samples, low), np.full(samples, high), np.full(samples, -0.0))
    values = _mixed(random, samples, kinds, (0.55, 0.25, 0.08, 0.08, 0.04))
    if not low <= 0.0 <= high:
        values = np.where(values == 0.0, inside, values)
    clipped = np.clip(values, low, high).astype(np.float32)
    return np.asarray(clipped.view(np.uint32))


def _mixed(random: np.random.Generator, samples: int, kinds: Iterable[Words], shares: tuple[float, ...]) -> Words:
    return np.asarray(np.choose(random.choice(len(shares), samples, p=shares), list(kinds)))
