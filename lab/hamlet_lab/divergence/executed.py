"""Programs as backends: the schedule of a program is executed by the definition of its statements and operations
(`hamletc.kernel.run`). No code is generated, so that thousands of universes can be compared with the interpreter, and
every value can be asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch

from hamlet.backend.buffers import Buffers, Statistics
from hamlet.backend.playing import play
from hamlet.backend.protocol import (
    NOTHING_BY_TICK,
    ByTick,
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
from hamletc.ir.evaluate import Array
from hamletc.ir.function import Program
from hamletc.kernel import memory
from hamletc.kernel.build import build
from hamletc.kernel.calls import FunctionCall, Watch
from hamletc.kernel.memory import Launch, Memory
from hamletc.kernel.run import Executable
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
        self._run("reset", buffers, replace(_launch(buffers, stream), begins=begins))

    def observe(self, buffers: Buffers) -> None:
        """Observations and masks of the state as it is."""
        self._run("observe", buffers, _launch(buffers, Stream(0, 0)))

    def step(
        self, buffers: Buffers, actions: torch.Tensor, stream: Stream, statistics: Statistics | None = None
    ) -> None:
        """One tick."""
        policy = memory.Recorded(actions.numpy()[None])
        self._run("step", buffers, replace(_launch(buffers, stream), policy=policy), statistics)

    def rollout(
        self,
        buffers: Buffers,
        ticks: int,
        policy: Policy,
        stream: Stream,
        observe_every_tick: bool,
        statistics: Statistics | None,
        by_tick: ByTick = NOTHING_BY_TICK,
    ) -> None:
        """`ticks` ticks with actions of a policy."""
        if isinstance(policy, NetworkPolicy):
            deciding = decider(policy, buffers.shape, stream)
            store, by_hand = policy.store, self._by_hand
            told = observe_every_tick, statistics, by_tick, store, by_hand, policy.recall
            play(self, buffers, ticks, deciding, stream, *told)
            return
        launch = replace(
            _launch(buffers, stream),
            ticks=ticks,
            every_tick=observe_every_tick,
            policy=_policy(policy),
            given={name: rows.numpy() for name, rows in by_tick.items()},
        )
        self._run("rollout", buffers, launch, statistics)

    def _run(self, kernel: str, buffers: Buffers, launch: Launch, statistics: Statistics | None = None) -> None:
        # numpy has no bfloat16: what is observed is written as f32, and rounded once.
        observation, final = _as_f32(buffers.observation), _as_f32(buffers.final_observation)
        fields = {name: tensor.numpy() for name, tensor in (buffers.state | buffers.outcome).items()}
        of_bytes = buffers.observation is not None and buffers.observation.element_size() == 1
        counts = {} if statistics is None else {name: np.asarray(each) for name, each in statistics.memory.items()}
        arrays = Memory(fields, buffers.mask.numpy(), observation, final, of_bytes, counts)
        self._executable.run(kernel, arrays, launch, self._watch)
        for tensor, values in ((buffers.observation, observation), (buffers.final_observation, final)):
            if tensor is not None and values is not None:
                tensor.copy_(torch.from_numpy(values))


def _as_f32(tensor: torch.Tensor | None) -> Array | None:
    return None if tensor is None else tensor.float().numpy().copy()


def _launch(buffers: Buffers, stream: Stream) -> Launch:
    """A launch of one tick, with random actions and observations after it."""
    shape = buffers.shape
    return Launch(shape.worlds, shape.agents, shape.first_world, shape.waits, stream.seed, stream.tick)


def _policy(policy: RandomPolicy | RecordedPolicy | TabularPolicy) -> memory.Policy:
    match policy:
        case RecordedPolicy(actions=actions):
            return memory.Recorded(actions.numpy())
        case RandomPolicy():
            return memory.Random()
        case TabularPolicy(choices=choices, thresholds=thresholds, strides=strides, bins=bins):
            scales, tops = bins.numpy().reshape(2, -1)
            chosen = None if choices is None else choices.numpy()
            drawn = None if thresholds is None else thresholds.numpy()
            return memory.Table(chosen, drawn, strides.numpy(), scales, tops)


@dataclass(frozen=True, slots=True)
class Rerun:
    """The event of a side, run again by its program.

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
