"""What universes do, recorded once from the interpreter, and whether programs and kernels do the same.

The recording needs nothing of the compiler that is mutated; what runs a program is imported where it is used, so that a
process with a mutant in its path runs the mutant.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import torch
from mutant import ROOT

from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import Backend, RandomPolicy, RecordedPolicy, Stream
from hamlet.interpreter import Coverage, Interpreter
from hamlet.schema import encodes
from hamlet.schema.roles import suited_agents
from hamlet.schema.room import room
from hamlet.universe import Universe
from hamlet_lab.divergence.arrays import Array, compare
from hamlet_lab.divergence.events import Event, Inject, Reset, Rollout, Runner, Step, describe, ticks_of
from hamlet_lab.verify import Candidate
from hamlet_lab.verify.fired import counting
from hamlet_lab.verify.injection import Injector
from hamlet_lab.verify.players import some_table

if TYPE_CHECKING:
    from hamletc.ir.function import Program

Made: TypeAlias = Mapping[str, str] | Mapping[str, bytes]
"""Texts of programs, or files of a package."""
CPU = torch.device("cpu")
SHAPES = {
    "couples": (Shape(33, 2), Stream(3, 9), torch.float32),
    "alone": (Shape(67, 1), Stream(0x9E3779B97F4A7C15, 5), torch.float32),
    "together": (Shape(23, 3, first_world=1000), Stream(7, 2**32 - 4), torch.bfloat16),
    "bytes": (Shape(23, 3, first_world=1000), Stream(7, 2**32 - 4), torch.uint8),
    "some": (Shape(3, 21), Stream(5, 2**32 - 2), torch.float32),
    "crowd": (Shape(2, 300), Stream(11, 2), torch.float32),
}
"""Worlds of two agents; of one; of several, with ticks that wrap around, seen in 16 and in 8 bits; of some 20, enough
for trees of sums; large worlds."""

MOST_ROUNDS, ROLLED = 8, 5


@dataclass(frozen=True, slots=True)
class Moment:
    """An event, and all arrays after it."""

    event: Event
    stream: Stream
    expected: tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """What the interpreter did with a universe."""

    universe: Universe
    shape: str
    moments: tuple[Moment, ...]
    never_fired: tuple[str, ...]


def recordings(universe: Universe, names: Sequence[str], most_rounds: int = MOST_ROUNDS) -> tuple[Recording, ...]:
    """What the interpreter does with worlds of these shapes; of those whose agents have room, and whose
    observations fit."""
    most = room(universe)
    fitting = [name for name in names if most is None or shape_of(universe, name).agents <= most]
    fitting = [name for name in fitting if name != "bytes" or encodes(universe)]
    return tuple(record(universe, name, most_rounds) for name in fitting)


def shape_of(universe: Universe, name: str) -> Shape:
    """The shape of this name; where agents have something of each other, with as many as its roles have."""
    shape = SHAPES[name][0]
    return shape if universe.pairs is None else replace(shape, agents=suited_agents(universe, shape.agents))


def record(universe: Universe, name: str, most_rounds: int = MOST_ROUNDS) -> Recording:
    """Resets, injected states with two ticks each until everything has fired, and rollouts."""
    shape, (_, stream, dtype) = shape_of(universe, name), SHAPES[name]
    coverage = counting(universe)
    side = Runner(universe, Candidate(Interpreter(universe, CPU, coverage), CPU), shape, dtype)
    moments = []
    for event in _events(universe, shape, coverage, most_rounds):
        expected = tuple(replace(array, values=array.values.clone()) for array in side.apply(event, stream))
        moments.append(Moment(event, stream, expected))
        stream = Stream(stream.seed, (stream.tick + ticks_of(event)) % (1 << 32))
    return Recording(universe, name, tuple(moments), tuple(coverage.never_fired))


def _events(universe: Universe, shape: Shape, coverage: Coverage, most_rounds: int) -> Iterator[Event]:
    injector = Injector(universe, shape, 11)
    yield Reset()
    for number in range(most_rounds):
        state = injector.state()
        if number == 1 and universe.lifespan is not None:
            state["age"].fill_(universe.lifespan.ticks - 1)
        yield Inject(state)
        yield Step(injector.actions(0.5), injector.controls())
        yield Step(injector.actions(0.5))
        if number >= 2 and not coverage.never_fired:
            break
    actions = torch.stack([injector.actions(0.3) for _ in range(ROLLED)])
    yield Rollout(ROLLED, RecordedPolicy(actions), True, injector.by_tick(ROLLED, "inputs", "controls"))
    yield Rollout(ROLLED, RandomPolicy(), False)
    yield Rollout(ROLLED, some_table(universe, shape.agents == 1, 11), shape.agents > 1)


def replay(recording: Recording, backend: Backend) -> int:
    """How many values were compared; `AssertionError` at the first difference."""
    shape, (_, _, dtype) = shape_of(recording.universe, recording.shape), SHAPES[recording.shape]
    side, compared = Runner(recording.universe, Candidate(backend, CPU), shape, dtype), 0
    for moment in recording.moments:
        count, difference = compare(list(moment.expected), side.apply(moment.event, moment.stream))
        compared += count
        if difference is not None:
            where = f"{difference.array} {difference.row} of {difference.column} {difference.index}"
            raise AssertionError(f"{describe(moment.event)}: {where}: {difference.expected}, not {difference.actual}")
    return compared


def programs(universe: Universe) -> Iterator[tuple[str, Program]]:
    """The program of a universe: as it is lowered, after all passes, and with tables for all that can be in tables."""
    from hamletc.compilation import Compilation
    from hamletc.ir.verifier import verify_program
    from hamletc.lowering.plan import Limits
    from hamletc.passes.pipeline import gpu_passes

    plain = Compilation.begin(universe)
    verify_program(plain.program)
    yield "unoptimised", plain.program
    yield "optimised", plain.run().run(gpu_passes).program
    by_table = Compilation.begin(universe, Limits(1, 1, 1, 1))
    if by_table.program != plain.program:
        yield "by table", by_table.run().run(gpu_passes).program


def texts(universe: Universe) -> dict[str, str]:
    """The printed programs of a universe: where one is the same as without a mutant, it does the same."""
    from hamletc.ir.text import print_program

    return {name: print_program(program) for name, program in programs(universe)}


def check_programs(recordings: Sequence[Recording], known: Mapping[str, str]) -> int:
    """All programs of a universe do what was recorded; how many values were compared.

    Args:
        known: the texts of programs that do.
    """
    from hamlet_lab.divergence.executed import Executed
    from hamletc.ir.text import print_program

    universe, compared = recordings[0].universe, 0
    for name, program in programs(universe):
        if print_program(program) != known.get(name):
            backend = Executed(universe, program, name)
            compared += sum(replay(recording, backend) for recording in recordings)
    return compared


def files(universe: Universe, target: str) -> dict[str, bytes]:
    """The package of a universe for one target."""
    from hamletc.compile import Options, build
    from hamletc.frontend import Stopwatch

    return build(universe, Options(targets=(target,)), Stopwatch())


def check_kernels(recordings: Sequence[Recording], target: str, known: Mapping[str, bytes]) -> int:
    """The kernels of a universe do what was recorded; Triton's on its interpreter.

    Args:
        known: the files of a package that does.
    """
    made = files(recordings[0].universe, target)
    return 0 if made == known else replayed(recordings, target, made)


def check_library(recordings: Sequence[Recording], made: Mapping[str, bytes]) -> int:
    """The kernels in C of a package, compiled with what runs beside them, do what was recorded."""
    return replayed(recordings, "c", made)


def replayed(recordings: Sequence[Recording], target: str, made: Mapping[str, bytes]) -> int:
    """A package does what was recorded; how many values were compared."""
    from hamlet import load
    from hamlet.backend.choose import Choice, start
    from hamletc.package import write

    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        package = Path(folder) / "package"
        write(made, package)
        backend = start(load(package), Choice(target, CPU, "compared"))
        return sum(replay(recording, backend) for recording in recordings)


def check_package(name: str) -> None:
    """The committed package of a shipped universe is what the compiler writes."""
    from hamletc.compile import Options, build, check_file
    from hamletc.frontend import Stopwatch

    universe = check_file(ROOT / "universes" / f"{name}.hamlet", Stopwatch()).universe
    for file, content in build(universe, Options(), Stopwatch()).items():
        committed = (ROOT / "generated" / name / file).read_bytes()
        assert content == committed, f"{name}/{file} differs from the committed one"
