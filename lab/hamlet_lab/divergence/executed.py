"""Programs as backends: the schedule of a program is executed by the definition of its statements and operations
(`hamletc.kernel.run`). No code is generated, so that thousands of universes can be compared with the interpreter, and
every value can be asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from hamlet.backend.buffers import Buffers, Statistics
from hamlet.backend.playing import play
from hamlet.backend.protocol import (
    NOTHING_GIVEN,
    Given,
    NetworkPolicy,
    Policy,
    RandomPolicy,
    RecordedPolicy,
    Stream,
    TabularPolicy,
)
from hamlet.interpreter.networks import decider
from hamlet.universe import Universe
from hamlet_lab.divergence.arrays import Array as Compared
from hamlet_lab.divergence.arrays import Difference, differences
from hamlet_lab.divergence.events import CPU, Candidate, Runner
from hamlet_lab.divergence.session import Outcome
from hamletc.ir.function import Program
from hamletc.kernel import memory
from hamletc.kernel.build import build
from hamletc.kernel.memory import Launch, Memory
from hamletc.kernel.run import Executable, FunctionCall, Watch
from hamletc.kernel.schedule import Schedule
from hamletc.kernel.verifier import verify_schedule


class Executed:
    """The backend of a program; see `hamlet.backend.protocol.Backend`."""

    origin = "none"

    def __init__(
        self,
        universe: Universe,
        program: Program,
        name: str,
        watch: Watch = lambda _: None,
        schedule: Schedule | None = None,
    ) -> None:
        """`watch` is told of every evaluation of a function; `schedule` is by default built of the program.

        Raises:
            ScheduleError: the schedule is none of this program.
        """
        self.name = name
        self._watch = watch
        self._by_hand = universe.by_hand
        schedule = schedule or build(universe, program)
        verify_schedule(schedule, universe, program)
        self._executable = Executable(universe, program, schedule)

    def reset(self, buffers: Buffers, stream: Stream, worlds: torch.Tensor | None = None) -> None:
        """Start a new episode in every world, or in some; then observations and masks."""
        begins = np.ones(buffers.shape.worlds, np.bool_) if worlds is None else worlds.numpy()
        self._run("reset", buffers, _launch(buffers, stream, begins=begins))

    def observe(self, buffers: Buffers) -> None:
        """Observations and masks of the state as it is."""
        self._run("observe", buffers, _launch(buffers, Stream(0, 0)))

    def step(
        self, buffers: Buffers, actions: torch.Tensor, stream: Stream, statistics: Statistics | None = None
    ) -> None:
        """One tick."""
        policy = memory.Recorded(actions.numpy()[None])
        self._run("step", buffers, _launch(buffers, stream, policy=policy), statistics)

    def rollout(
        self,
        buffers: Buffers,
        ticks: int,
        policy: Policy,
        stream: Stream,
        observe_every_tick: bool,
        statistics: Statistics | None,
        given: Given = NOTHING_GIVEN,
    ) -> None:
        """`ticks` ticks with actions of a policy."""
        if isinstance(policy, NetworkPolicy):
            deciding = decider(policy, buffers.shape, stream)
            store, by_hand = policy.store, self._by_hand
            play(self, buffers, ticks, deciding, stream, observe_every_tick, statistics, given, store, by_hand)
            return
        launch = _launch(
            buffers,
            stream,
            ticks=ticks,
            every_tick=observe_every_tick,
            policy=_policy(policy),
            given={name: rows.numpy() for name, rows in given.items()},
        )
        self._run("rollout", buffers, launch, statistics)

    def _run(self, kernel: str, buffers: Buffers, launch: Launch, statistics: Statistics | None = None) -> None:
        observed = [buffers.observation, buffers.final_observation]
        # numpy has no bfloat16: what is observed is written as f32 and rounded once.
        scratch = [None if each is None else each.float().numpy().copy() for each in observed]
        fields = {name: tensor.numpy() for name, tensor in (buffers.state | buffers.outcome).items()}
        of_bytes = buffers.observation is not None and buffers.observation.element_size() == 1
        counts = {} if statistics is None else {name: np.asarray(each) for name, each in statistics.memory.items()}
        arrays = Memory(fields, buffers.mask.numpy(), *scratch, of_bytes, counts)
        self._executable.run(kernel, arrays, launch, self._watch)
        for tensor, values in zip(observed, scratch, strict=True):
            if tensor is not None and values is not None:
                tensor.copy_(torch.from_numpy(values))


def _launch(buffers: Buffers, stream: Stream, **more: object) -> Launch:
    shape = buffers.shape
    return Launch(  # type: ignore[arg-type]
        shape.worlds, shape.agents, shape.first_world, shape.waits, stream.seed, stream.tick, **more
    )


def _policy(policy: RandomPolicy | RecordedPolicy | TabularPolicy) -> memory.Policy:
    match policy:
        case RecordedPolicy(actions=actions):
            return memory.Recorded(actions.numpy())
        case RandomPolicy():
            return memory.Random()
        case TabularPolicy(choices=choices, thresholds=thresholds, strides=strides, bins=bins):
            tables = [None if each is None else each.numpy() for each in (choices, thresholds)]
            return memory.Table(*tables, strides.numpy(), *bins.numpy().reshape(2, -1))


@dataclass(frozen=True, slots=True)
class Rerun:
    """What a program makes of an event.

    Attributes:
        calls: evaluations of its functions, in the order of a tick.
        arrays: all of them afterwards.
        departures: where the side that was run has something else: the first difference of each array.
    """

    calls: tuple[FunctionCall, ...]
    arrays: list[Compared]
    departures: tuple[Difference, ...]

    def call(self, function: str) -> FunctionCall | None:
        """The first evaluation of a function."""
        return next((call for call in self.calls if call.function == function), None)

    @property
    def lane(self) -> int | None:
        """The lane of the first departure that has one."""
        return next((each.index for each in self.departures if each.column == "lane"), None)


def rerun(universe: Universe, program: Program, outcome: Outcome, stream: Stream) -> Rerun:
    """Run the event of an outcome on its buffers before."""
    calls: list[FunctionCall] = []
    backend = Executed(universe, program, "program", calls.append)
    arrays = Runner.resumed(universe, Candidate(backend, CPU), outcome.before).apply(outcome.event, stream)
    return Rerun(tuple(calls), arrays, tuple(differences(arrays, outcome.after)))
