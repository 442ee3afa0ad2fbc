"""A whole replay: take an environment through a recorded run, compare every stream, and tell the first difference."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np
import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import Buffers, Shape, allocate
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Write
from hamlet.package.module import Module
from hamlet.universe import Universe
from hamlet_lab.divergence.events import Step
from hamlet_lab.divergence.locate import retold, writers, written
from hamlet_lab.divergence.record import Divergence, value_of
from hamlet_lab.divergence.session import Outcome
from hamlet_townlet.adapter.description import Description
from hamlet_townlet.adapter.env import VectorizedEnv
from hamlet_townlet.traces.compare import StreamComparison, compare, tolerances
from hamlet_townlet.traces.trace import BEGINNINGS, REPORTS, STEPS, VIEWS, Array, HamletTrace, RecordedStream, check_fit

STREAMS = (*BEGINNINGS, *VIEWS, *STEPS)


@dataclass(frozen=True, slots=True)
class TraceReplay:
    """The result of a replay.

    Attributes:
        trace, pack: their names.
        backend: what the universe ran on.
        agents: how many.
        steps: how many were replayed, of `recorded_steps`.
        resets: how many of the recorded ones were replayed.
        comparisons: of each stream, in the order in which a step makes them.
        divergence: the first difference, or `None`.
        stopped: the step at which the universe raised an error that the recorded engine did not, and the error.
        recorded_error: with what the recorded engine stopped after its last step, or "".
        raising: what raises an error here as well: affordances when they are used, bonuses in every step.
    """

    trace: str
    pack: str
    backend: str
    agents: int
    steps: int
    recorded_steps: int
    resets: int
    comparisons: tuple[StreamComparison, ...]
    divergence: Divergence | None
    stopped: tuple[int, str] | None
    recorded_error: str
    raising: tuple[str, ...]

    @property
    def compared(self) -> int:
        """How many values were compared."""
        return sum(comparison.count or 0 for comparison in self.comparisons)

    @property
    def ok(self) -> bool:
        """Everything that was compared is equal, and that is something."""
        return self.divergence is None and self.stopped is None and self.compared > 0

    def render(self) -> str:
        """A line per stream, then what there is to say about the first difference."""
        steps = f"{self.steps} steps" if self.steps == self.recorded_steps else self._some_steps()
        lines = [f"{self.trace} on {self.pack}, {self.backend}: {self.agents} agents, {steps}, {self.resets} reset(s)"]
        lines += [comparison.line() for comparison in self.comparisons]
        if self.divergence is not None:
            lines += self.divergence.lines()
        if self.stopped is not None:
            lines.append(f"stopped at step {self.stopped[0]}: {self.stopped[1]}; the recorded engine went on")
        if self.recorded_error and self.steps == self.recorded_steps:
            lines.append(f"the recorded engine stopped at step {self.recorded_steps} with {self.recorded_error}")
            also = ", ".join(self.raising) or "nothing"
            lines.append(f"what the agents did in that step is not recorded; what raises here as well: {also}")
        if self.compared == 0:
            lines.append("nothing was compared: that is a failure")
        elif self.ok:
            lines.append(f"equal in all {self.compared:,} values")
        return "\n".join(lines)

    def _some_steps(self) -> str:
        return f"the first {self.steps} of {self.recorded_steps} steps"

    def to_json(self) -> str:
        """The report as JSON, with a newline at its end."""
        values = {**asdict(self), "compared": self.compared, "equal": self.ok}
        return json.dumps(values, indent=2) + "\n"


def replay(
    module: Module,
    trace: HamletTrace,
    backend: str = "interpreter",
    device: str | torch.device = "cpu",
    steps: int | None = None,
) -> TraceReplay:
    """Take a trace's actions in the universe of its pack, and compare everything that was recorded.

    Args:
        steps: only so many of them, at least 1.

    Raises:
        TraceError: the trace was recorded from another pack.
        EnvError: the backend cannot run here, or the trace has an action or a position that does not exist.
        ModuleError: the package is damaged.
    """
    most = trace.meta.steps if steps is None else min(steps, trace.meta.steps)
    env = VectorizedEnv(module, trace.meta.agents, device, backend=backend)
    check_fit(trace, module.universe, env.description)
    streams = drive(env, trace, most)
    ulps = tolerances(module.universe)
    arrays = {name: np.stack(values) for name, values in streams.values.items()}
    comparisons = tuple(_compared(stream, trace, arrays, ulps) for stream in STREAMS)
    return TraceReplay(
        trace=trace.path.name,
        pack=env.description.pack,
        backend=env.backend,
        agents=trace.meta.agents,
        steps=most if streams.stopped is None else streams.stopped[0],
        recorded_steps=trace.meta.steps,
        resets=sum(step < max(most, 1) for step in trace.resets),
        comparisons=comparisons,
        divergence=_first(module, trace, env, comparisons, arrays),
        stopped=streams.stopped,
        recorded_error=trace.meta.error,
        raising=(*env.description.stopping, *env.description.raising),
    )


def _compared(
    stream: RecordedStream, trace: HamletTrace, arrays: dict[str, Array], ulps: dict[str, int]
) -> StreamComparison:
    if stream.name not in arrays:
        return StreamComparison(stream.name, None if stream.read is None or stream in BEGINNINGS else 0)
    actual = arrays[stream.name]
    if actual.dtype == np.float64 and np.isnan(actual).all():
        return StreamComparison(stream.name, None)
    return compare(stream.name, trace.arrays[stream.name][: len(actual)], actual, ulps.get(stream.name, 0))


def _first(
    module: Module,
    trace: HamletTrace,
    env: VectorizedEnv,
    comparisons: Sequence[StreamComparison],
    arrays: dict[str, Array],
) -> Divergence | None:
    """The record of the first difference in time; of those in one step, of that in the first stream."""
    places = []
    for order, (stream, comparison) in enumerate(zip(STREAMS, comparisons, strict=True)):
        if comparison.first is not None:
            number, reset = comparison.first[0], stream.shape.startswith("K")
            places.append((trace.resets[number] if reset else number, not reset, order, stream, comparison.first))
    if not places:
        return None
    step, after, _, stream, first = min(places, key=lambda place: place[:3])
    universe = module.universe
    values = trace.arrays[stream.name][first], arrays[stream.name][first]
    expected, actual = (_tensor(value) for value in values)
    agent = first[1] if stream.shape[1:2] == "N" else None
    action, writes = "", list[Write]()
    if agent is not None and after:
        action = schema.action_names(universe)[int(trace.arrays["actions"][step][agent])]
        if stream.name == "meters":
            writes = _writes(module, trace, step, agent)
    row = _row(universe, env.description, stream, first)
    return Divergence(
        left=trace.path.name,
        right=f"{env.description.pack}@{env.backend}",
        run=f"{trace.meta.name}, {trace.meta.agents} agents",
        event="step" if after else "the reset before it",
        tick=step,
        field=stream.name,
        row=row,
        world=None,
        agent=agent,
        action=action,
        expected=value_of(expected),
        found=value_of(actual),
        more=sum(comparison.differing for comparison in comparisons) - 1,
        writers=writers(universe, stream.array, _written_row(universe, stream, first, row)),
        writes=written(universe, writes, row, actual),
    )


def _tensor(value: Array) -> Tensor:
    """A recorded number; whole ones are recorded in fewer bits than they have here."""
    if value.dtype.kind == "f":
        return torch.tensor(float(value), dtype=torch.float32)
    return torch.tensor(bool(value) if value.dtype == np.bool_ else int(value))


def _written_row(universe: Universe, stream: RecordedStream, first: tuple[int, ...], row: str) -> str:
    """The name of a stream's row in the array that it shows."""
    if stream.array == "observation":
        return schema.observation_names(universe)[first[-1]]
    return REPORTS.get(stream.name, row)


def _writes(module: Module, trace: HamletTrace, step: int, agent: int) -> list[Write]:
    """The writes of the interpreter to the meters of an agent in a step of the trace."""
    env = VectorizedEnv(module, trace.meta.agents, "cpu", backend="interpreter")
    before: list[Buffers] = []
    drive(env, trace, step + 1, lambda: before.append(_copy(env, module.universe)))
    actions = torch.from_numpy(trace.arrays["actions"][step].astype(np.int32))
    return retold(module.universe, Outcome(Step(actions), before[0], []), Stream(0, 0), agent).writes


def _row(universe: Universe, description: Description, stream: RecordedStream, first: tuple[int, ...]) -> str:
    """The names of the numbers after those of step and agent."""
    words = []
    for letter, index in zip(stream.shape, first, strict=True):
        match letter:
            case "D":
                words.append(schema.axes(universe)[index])
            case "M":
                words.append(universe.meters[index].name)
            case "V":
                words.append(description.vocabulary[index])
            case "C":
                words.append(schema.action_names(universe)[index])
            case "O":
                field = next(item for item in description.fields if index < item.offset + item.count)
                words.append(field.name if field.count == 1 else f"{field.name}[{index - field.offset}]")
            case _:
                continue  # "T" and "K" count steps and agents, which are named elsewhere
    return " ".join(words)


def _copy(env: VectorizedEnv, universe: Universe) -> Buffers:
    buffers = allocate(universe, Shape(1, env.num_agents), torch.device("cpu"), torch.float32)
    for name, value in env.state.items():
        buffers.state[name].copy_(value)
    return buffers


@dataclass(slots=True)
class FoundStreams:
    """The values of an environment, by stream: one for each step, or for each reset.

    `stopped` is the step at which it raised an error, and the error.
    """

    values: dict[str, list[Array]] = field(default_factory=dict)
    stopped: tuple[int, str] | None = None

    def add(self, stream: RecordedStream, env: VectorizedEnv) -> None:
        if stream.read is not None:
            self.values.setdefault(stream.name, []).append(stream.read(env).cpu().numpy().copy())


class RecordedRewards:
    """An exploration module that gives what was recorded."""

    def __init__(self) -> None:
        self.rewards = torch.zeros(0)

    def compute_intrinsic_rewards(self, observations: Tensor) -> Tensor:
        return self.rewards.to(observations.device)


def drive(
    env: VectorizedEnv, trace: HamletTrace, steps: int, before_last: Callable[[], None] = lambda: None
) -> FoundStreams:
    """Take so many steps of a trace, of which 0 are the reset only. `before_last` is called before the last one."""
    streams = FoundStreams()
    module = RecordedRewards()
    env.exploration_module = module if trace.meta.explored else None
    begins = {step: number for number, step in enumerate(trace.resets)}
    multiplier = trace.meta.depletion_multiplier
    for step in range(max(steps, 1)):
        if step in begins:
            begin(env, trace, begins[step], streams)
        if step == steps:
            break
        if step == steps - 1:
            before_last()
        actions = torch.from_numpy(trace.arrays["actions"][step].astype(np.int64)).to(env.device)
        module.rewards = torch.from_numpy(trace.arrays["intrinsic_raw"][step])
        try:
            env.step(actions, multiplier)
        except RuntimeError as error:
            streams.stopped = (step, str(error))
            break
        for stream in STEPS:
            streams.add(stream, env)
    return streams


def begin(env: VectorizedEnv, trace: HamletTrace, number: int, streams: FoundStreams) -> None:
    """Reset, then set what was recorded of this reset."""
    env.reset()
    for stream in BEGINNINGS:
        if stream.name == "reset_dones" or not trace.meta.scrambled:
            streams.add(stream, env)
    streams.values.setdefault("reset_affordance_positions", []).append(_fixed_places(env, trace))
    arrays = {stream.name: trace.arrays[stream.name][number] for stream in BEGINNINGS}
    env.positions = torch.from_numpy(arrays["reset_positions"])
    env.meters = torch.from_numpy(arrays["reset_meters"])
    env.dones = torch.from_numpy(arrays["reset_dones"])
    env.step_counts = torch.from_numpy(arrays["reset_step_counts"])
    env.time_of_day = int(arrays["reset_time_of_day"])
    places = arrays["reset_affordance_positions"]
    for name in env.affordances:
        env.affordances[name] = torch.from_numpy(places[trace.meta.affordances.index(name)])
    for stream in VIEWS:
        streams.add(stream, env)


def _fixed_places(env: VectorizedEnv, trace: HamletTrace) -> Array:
    """Where affordances are after a reset, f64 [affordances of the vocabulary, axes]; NaN but at configured places."""
    places = np.full(trace.arrays["reset_affordance_positions"].shape[1:], np.nan)
    for item in env.module.universe.affordances:
        if item.place is not None:
            places[trace.meta.affordances.index(item.name)] = env.affordances[item.name].cpu().numpy()
    return places
