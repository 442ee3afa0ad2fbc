"""A recorded run: everything that one backend gave, tick by tick, in a file that another machine can compare with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hamlet import schema
from hamlet.arguments import whole
from hamlet.backend.buffers import Buffers, Shape, Statistics, allocate
from hamlet.backend.protocol import NOTHING_BY_TICK, ByTick, Policy, Stream
from hamlet.env.keep.state import SEED_LIMIT, check_bounds, checked_seed
from hamlet.env.write.bounds import Rows
from hamlet.errors import EnvError, shown
from hamlet.strict_json import parsed
from hamlet.terminal import visible
from hamlet.universe import Universe
from hamlet.universe.codec import from_json, to_json
from hamlet_lab.divergence.arrays import Named
from hamlet_lab.divergence.events import Candidate, Event, Inject, Reset, Runner, Step, later, ticks_of
from hamlet_lab.divergence.session import Scenario
from hamlet_lab.verify.archive import ArchiveError, read_arrays
from hamlet_lab.verify.injection import Injector
from hamlet_lab.verify.players import Script

FORMAT = 1
MOST_LANES = 1 << 31
INTERACTING = 0.2
LIVES = 4
"""Ticks between two injected states."""
RESET, INJECT, STEP = range(3)


@dataclass(frozen=True, slots=True)
class Recording:
    """A run from a reset on.

    Attributes:
        label: what ran.
        universe: what was run.
        shape, seed: on which worlds, with which random numbers.
        kinds: u8 [events]: `RESET`, `INJECT` or `STEP`.
        actions: i32 [events, lanes], of steps.
        frames: every array by name, [events, rows, columns], after each event.
        tick: the number of the first one, on which random numbers depend.
        observes: whether worlds are observed, in f32.
    """

    label: str
    universe: Universe
    shape: Shape
    seed: int
    kinds: Tensor
    actions: Tensor
    frames: dict[str, Tensor]
    tick: int = 0
    observes: bool = True

    def first(self, steps: int) -> Recording:
        """The run up to the end of so many steps, or all of it."""
        ends = (self.kinds == STEP).nonzero().flatten()
        if steps >= len(ends):
            return self
        events = int(ends[steps - 1]) + 1
        frames = {name: values[:events] for name, values in self.frames.items()}
        return replace(self, kinds=self.kinds[:events], actions=self.actions[:events], frames=frames)

    @property
    def scenario(self) -> Scenario:
        """The scenario to run in order to compare with it."""
        return Scenario("recorded run", self.shape, Stream(self.seed, self.tick), _observed(self.observes))

    def events(self) -> Iterator[Event]:
        """Every event, in order."""
        for index, kind in enumerate(self.kinds.tolist()):
            match kind:
                case 0:
                    yield Reset()
                case 1:
                    yield Inject(self._state(index))
                case _:
                    controls = self.frames.get("controls")
                    yield Step(self.actions[index], None if controls is None else controls[index])

    def _state(self, index: int) -> dict[str, Tensor]:
        """The state after an event."""
        state = {
            field.name: (self.frames[field.name][index], field.rows) for field in schema.state_fields(self.universe)
        }
        return {name: values[0] if rows is None else values for name, (values, rows) in state.items()}


def record(label: str, universe: Universe, candidate: Candidate, shape: Shape, seed: int, ticks: int) -> Recording:
    """Run so many ticks: every other agent walks to affordances and uses them, the others act at random. In the second
    half of them the state is replaced every few ticks, so that rules meet their thresholds."""
    runner = Runner(universe, candidate, shape, torch.float32)
    return _recorded(label, runner, Stream(seed, 0), _events(universe, runner.buffers, ticks, seed))


def record_events(
    label: str, universe: Universe, candidate: Candidate, shape: Shape, stream: Stream, events: Iterable[Event]
) -> Recording:
    """Run resets of all worlds, injected states and steps, without observations."""
    kinds = {Reset: RESET, Inject: INJECT, Step: STEP}
    return _recorded(
        label, Runner(universe, candidate, shape), stream, ((kinds[type(event)], event) for event in events)
    )


def _recorded(label: str, runner: Runner, stream: Stream, events: Iterable[tuple[int, Event]]) -> Recording:
    shape, kinds, actions = runner.buffers.shape, list[int](), list[Tensor]()
    frames: dict[str, list[Tensor]] = {}
    now = stream
    for kind, event in events:
        kinds.append(kind)
        actions.append(event.actions if isinstance(event, Step) else torch.zeros(shape.lanes, dtype=torch.int32))
        for array in runner.apply(event, now):
            frames.setdefault(array.name, []).append(array.values.to("cpu", copy=True))
        now = later(now, ticks_of(event))
    stacked = {name: torch.stack(values) for name, values in frames.items()}
    made = torch.tensor(kinds, dtype=torch.uint8), torch.stack(actions), stacked
    observes = runner.buffers.observation is not None
    return Recording(label, runner.universe, shape, stream.seed, *made, stream.tick, observes)


def _events(universe: Universe, buffers: Buffers, ticks: int, seed: int) -> Iterator[tuple[int, Event]]:
    injector, script = Injector(universe, buffers.shape, seed), Script(universe, buffers.shape.lanes)
    scripted = torch.arange(buffers.shape.lanes) % 2 == 0
    yield RESET, Reset()
    for tick in range(ticks):
        if tick >= ticks // 2 and (tick - ticks // 2) % LIVES == 0:
            yield INJECT, Inject(injector.state())
        yield (
            STEP,
            Step(torch.where(scripted, script.actions(buffers), injector.actions(INTERACTING)), injector.controls()),
        )


def write_recording(recording: Recording, path: Path) -> None:
    """Raises `EnvError` where the file cannot be written."""
    about = {
        "format": FORMAT,
        "label": recording.label,
        "universe": to_json(recording.universe),
        "shape": [recording.shape.worlds, recording.shape.agents, recording.shape.first_world],
        "seed": recording.seed,
        "waits": recording.shape.waits,
        "tick": recording.tick,
        "observes": recording.observes,
    }
    contents: dict[str, Any] = {f"frames.{name}": values.numpy() for name, values in recording.frames.items()}
    try:
        with path.open("wb") as file:
            np.savez_compressed(
                file,
                about=json.dumps(about),
                kinds=recording.kinds.numpy(),
                actions=recording.actions.numpy(),
                **contents,
            )
    except OSError as error:
        raise EnvError(f"cannot write {path}: {error.strerror}") from error


def read_recording(path: Path) -> Recording:
    """Raises `EnvError` where the file is no recorded run."""
    try:
        arrays = read_arrays(path)
    except OSError as error:
        raise EnvError(f"{path} cannot be read: {error.strerror or error}") from error
    except ArchiveError as error:
        raise EnvError(f"{path} is no recorded run: {error}") from error
    if "about" not in arrays:
        raise EnvError(f"{path} is no run recorded by `hamletc record`")
    try:
        about = parsed(str(arrays["about"]))
        if about["format"] != FORMAT:
            raise EnvError(f"{path} has format {shown(about['format'])}, and this hamlet reads format {FORMAT}")
        recording = _recording(about, arrays)
        _check_inputs(recording)
    except EnvError:
        raise
    except (ValueError, KeyError, TypeError) as error:
        raise EnvError(f"{path} is no recorded run, or a damaged one: {error}") from error
    return recording


def _recording(about: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Recording:
    """The recording in the content of a file, with the size and the type of each array checked.

    Raises:
        KeyError, TypeError, ValueError, EnvError: it says something else.
    """
    universe, (worlds, agents, first) = from_json(about["universe"]), about["shape"]
    kinds, actions = arrays["kinds"], arrays["actions"]
    shape = Shape(
        whole(worlds, 1, MOST_LANES, "a recorded run has 1 or more worlds"),
        whole(agents, 1, MOST_LANES, "worlds have 1 or more agents"),
        whole(first, 0, SEED_LIMIT - 1, "the number of the first world is 0 or more"),
        _flag(about, "waits", False),
    )
    tick = whole(about.get("tick", 0), 0, (1 << 32) - 1, "the number of a tick has 32 bits")
    observes = _flag(about, "observes", True)
    events = len(kinds)
    _check_array("kinds", kinds, np.uint8, (events,))
    _check_array("actions", actions, np.int32, (events, shape.lanes))
    frames = {}
    for name, dtype, rows in _frames(universe, shape, observes):
        frames[name] = arrays[f"frames.{name}"]
        _check_array(name, frames[name], dtype, (events, *rows))
    tensors = {name: torch.from_numpy(values) for name, values in frames.items()}
    made = torch.from_numpy(kinds), torch.from_numpy(actions), tensors
    label = visible(str(about["label"]))
    return Recording(label, universe, shape, checked_seed(about["seed"]), *made, tick, observes)


def _flag(about: dict[str, Any], name: str, default: bool) -> bool:
    """An answer of yes or no about a run; files of earlier versions have none."""
    if not isinstance(value := about.get(name, default), bool):
        raise TypeError(f"{name} is true or false, not {shown(value)}")
    return value


def _observed(observes: bool) -> torch.dtype | None:
    return torch.float32 if observes else None


def _frames(universe: Universe, shape: Shape, observes: bool) -> Iterator[tuple[str, Any, tuple[int, ...]]]:
    """The name, the type and the size of each array after an event."""
    one = allocate(universe, replace(shape, worlds=1), torch.device("cpu"), _observed(observes))
    for array in Named(universe).arrays(one, None):
        columns = shape.worlds if array.column == "world" else shape.lanes
        yield array.name, array.values.numpy().dtype, (len(array.values), columns)


def _check_array(name: str, array: NDArray[Any], dtype: Any, size: tuple[int, ...]) -> None:
    if array.dtype != dtype or array.shape != size:
        raise ValueError(f"{name} is {array.dtype} {list(array.shape)}, not {np.dtype(dtype)} {list(size)}")


def _check_inputs(recording: Recording) -> None:
    """Raise `ValueError` or `EnvError` unless backends can be given what a recording has for them."""
    universe, kinds = recording.universe, recording.kinds
    actions = len(schema.action_names(universe))
    if not len(kinds) or int(kinds[0]) != RESET or int(kinds.max()) > STEP:
        raise ValueError("a run begins with a reset, then there are steps and injected states")
    if not bool(((recording.actions >= 0) & (recording.actions < actions)).all()):
        raise ValueError(f"actions are 0 .. {actions - 1}")
    for event in recording.events():
        match event:
            case Inject(state=state):
                check_bounds(universe, state)
            case Step(controls=Tensor() as controls):
                Rows.of("control", universe.controls, controls.device).check(controls)
            case _:
                pass


class Playback:
    """A recorded run in the place of a backend: gives what was recorded, event by event."""

    origin = "none"

    def __init__(self, recording: Recording) -> None:
        self.name = "recording"
        self.recording = recording
        self._named = Named(recording.universe)
        self._index = 0

    def reset(
        self,
        buffers: Buffers,
        stream: Stream,  # noqa: ARG002 - what is recorded needs no seed
        worlds: Tensor | None = None,  # noqa: ARG002 - every reset is one of all worlds
    ) -> None:
        """The next event, a reset."""
        self._give(buffers, RESET)

    def observe(self, buffers: Buffers) -> None:
        """The next event, an injected state."""
        self._give(buffers, INJECT)

    def step(
        self,
        buffers: Buffers,
        actions: Tensor,
        stream: Stream,  # noqa: ARG002 - as above
        statistics: Statistics | None = None,  # noqa: ARG002
    ) -> None:
        """The next event, a step with these actions."""
        if not torch.equal(actions, self.recording.actions[self._index]):
            raise EnvError(f"{self.recording.label} was recorded with other actions")
        controls = self.recording.frames.get("controls")
        if controls is not None and not torch.equal(buffers.state["controls"], controls[self._index]):
            raise EnvError(f"{self.recording.label} was recorded with other controls")
        self._give(buffers, STEP)

    def rollout(
        self,
        buffers: Buffers,  # noqa: ARG002 - there are no recorded rollouts
        ticks: int,  # noqa: ARG002
        policy: Policy,  # noqa: ARG002
        stream: Stream,  # noqa: ARG002
        observe_every_tick: bool,  # noqa: ARG002
        statistics: Statistics | None,  # noqa: ARG002
        by_tick: ByTick = NOTHING_BY_TICK,  # noqa: ARG002
    ) -> None:
        """Raises `EnvError`: none is recorded."""
        raise EnvError("a recorded run has no rollouts")

    def _give(self, buffers: Buffers, kind: int) -> None:
        recording = self.recording
        if self._index >= len(recording.kinds) or int(recording.kinds[self._index]) != kind:
            raise EnvError(f"{recording.label} was recorded with other events")
        for array in self._named.arrays(buffers, None):
            array.values.copy_(recording.frames[array.name][self._index])
        self._index += 1
