"""Kernels under proof, and in which states: the premises of a proof, as variables with bounds and samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from hamlet import schema
from hamlet.launch.gpu.forms import compile_form
from hamlet.schema import abi
from hamlet.universe import Universe
from hamlet_lab.proof.cells import NUMBER, Cells
from hamlet_lab.proof.meanings import Words
from hamlet_lab.proof.of_ir import UnprovenError, bits_of
from hamlet_lab.proof.of_ptx import VOTES
from hamlet_lab.proof.of_schedule import Word
from hamlet_lab.proof.term import Variable
from hamlet_lab.ptx.parser import parse
from hamlet_lab.ptx.syntax import Kernel
from hamletc.ir.function import Program
from hamletc.ir.ops import Type
from hamletc.kernel.schedule import Schedule
from hamletc.kernel.statements import BEGINS

if TYPE_CHECKING:
    from types import ModuleType

MOST_WORLDS = 2**31 - 33
MOST_BLOCKS = 2**26
SAMPLED_WORLDS = 200
ELSEWHERE = 16
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

    def bytes_of(self, array: str) -> int:
        """The bytes of a word of an array."""
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
    """A kernel without observations for worlds of one agent, as a launch compiles it for compute capability
    `capability`; `text` may change the PTX.

    Raises:
        EnvError: Triton cannot compile it.
        UnprovenError: the universe has what the proof does not know.
    """
    if any(each.name == schema.PAIR_STATES for each in _fields(universe)):
        raise UnprovenError("what pairs of agents have is not known to the proof")
    if _agents(universe) != 1:
        raise UnprovenError("worlds of more than one agent are not known to the proof")
    compiled = compile_form(kernels, universe, capability, name, observing=False)
    ptx = parse(text(compiled.asm["ptx"]))
    names = [each for each in abi.array_arguments(universe, name) if each not in ("observation", "final_observation")]
    tables = [f"&table{number}" for number in range(len(kernels.TABLES))]
    scalars: list[str | int] = [1 if each == "agents" else each for each in abi.scalar_arguments(name)]
    arguments = [*(f"&{each}" for each in names), *tables, *scalars]
    # Triton adds two pointers, to scratch memory that these kernels do not have.
    missing = len(ptx.parameters) - len(arguments)
    if missing < 0:
        raise UnprovenError(f"the kernel takes {len(ptx.parameters)} parameters, not {len(arguments)}")
    arguments += ["&scratch"] * missing
    fields = [each for each in _fields(universe) if each.name in names and not each.pitch]
    words = [(each.name, row) for each in fields for row in range(len(each.names))]
    words += [("mask", row) for row in range(len(schema.action_names(universe)))]
    words += [(each, 0) for each in ("actions", BEGINS) if each in names]
    types = {"f32": Type.F32, "i32": Type.I32, "u32": Type.U32}
    rows = tuple(tuple(bits_of(types[of], each) % (1 << 32) for each in values) for _, of, values in kernels.TABLES)
    cells = Cells.of(universe)
    return KernelUnderProof(universe, program, schedule, name, ptx, tuple(arguments), tuple(words), rows, (), cells)


def _agents(universe: Universe) -> int:
    """The fewest agents of a world of the universe."""
    from hamlet.schema.roles import fewest_agents

    return fewest_agents(universe)


def variables(kernel: KernelUnderProof, samples: int, seed: int) -> dict[str, Variable]:
    """The variables of a proof: what the launch has, and each word of memory as it is before.

    The samples are of states in bounds. Some numbers are at an end of their bounds, and some lanes are none of the
    launch.
    """
    random = np.random.default_rng(seed)
    result: list[Variable] = [
        Variable("tid", random.integers(0, 32, samples, np.uint32), 0, 31),
        Variable("ctaid", random.integers(0, SAMPLED_WORLDS // 32, samples, np.uint32), 0, MOST_BLOCKS - 1),
    ]
    lanes = result[1].samples * np.uint32(32) + result[0].samples
    beyond = np.where(random.random(samples) < 0.9, random.integers(1, 2**20, samples), -(lanes.astype(np.int64) // 2))
    worlds = np.maximum(lanes.astype(np.int64) + beyond, 1).astype(np.uint32)
    result.append(Variable("worlds", worlds, 1, MOST_WORLDS))
    result += [_any(name, samples, random) for name in ("first_world", "seed_low", "seed_high", "tick")]
    result.append(Variable("waits", random.integers(0, 2, samples, np.uint32), 0, 1))
    votes = (f"vote{number + 1}" for number in range(VOTES))
    result += [Variable(each, random.integers(0, 2, samples, np.uint32), 0, 1) for each in votes]
    pointers = [each for each in kernel.arguments if isinstance(each, str) and each.startswith("&")]
    for number, pointer in enumerate(dict.fromkeys(pointers)):
        places = (random.integers(0, 2**30, samples, np.uint64) << np.uint64(4)) + np.uint64((number + 1) << 40)
        result.append(Variable(pointer, places, 0, 2**64 - 1))
    for each in _fields(kernel.universe):
        for row in range(len(each.names)):
            if (each.name, row) in kernel.words:
                result.append(_field(f"{each.name}[{row}]", each, row, samples, random))
    if kernel.cells is not None:
        result += _of_cells(kernel.cells, {each.name: each for each in result}, samples, random)
    masks = len(schema.action_names(kernel.universe))
    masked = (f"mask[{row}]" for row in range(masks))
    begins = [f"{BEGINS}[0]"] if (BEGINS, 0) in kernel.words else []
    bits = (*masked, *begins)
    result += [Variable(each, random.integers(0, 2, samples).astype(np.uint8), 0, 1) for each in bits]
    if ("actions", 0) not in kernel.words:
        return {each.name: each for each in result}
    actions = random.integers(0, masks, samples).astype(np.uint32)
    interact = schema.interact_action(kernel.universe)
    if interact != schema.NOWHERE:
        actions = np.where(random.random(samples) < 0.7, np.uint32(interact), actions)
    result.append(Variable("actions[0]", actions, 0, masks - 1))
    return {each.name: each for each in result}


def _of_cells(
    cells: Cells, others: Mapping[str, Variable], samples: int, random: np.random.Generator
) -> Iterator[Variable]:
    """Any cell, often that of the agent or one beside it; and of each meter which of all worlds there may be it is."""
    own = np.zeros(samples, np.int64)
    for axis in range(len(cells.grid.sizes)):
        if (position := others.get(f"position[{axis}]")) is not None:
            own += position.samples.astype(np.int64) * prod(cells.grid.sizes[:axis])
    steps = [0, *(sign * prod(cells.grid.sizes[:axis]) for axis in range(len(cells.grid.sizes)) for sign in (-1, 1))]
    near = np.clip(own + random.choice(steps, samples), 0, cells.count - 1)
    chosen = np.where(random.random(samples) < 0.4, near, random.integers(0, cells.count, samples))
    yield Variable(NUMBER, chosen.astype(np.uint32), 0, cells.count - 1)
    yield from (_any(f"cells.{each}", samples, random) for each in cells.meters)
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
    kinds = (random.integers(least, most + 1, samples), np.full(samples, most), np.full(samples, max(most - 1, least)))
    ends = _mixed(random, samples, kinds, (0.8, 0.1, 0.1))
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
