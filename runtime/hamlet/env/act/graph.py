"""`Env.step` as a CUDA graph: one short launch per tick, for ticks that take less time than launching their kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, TypeAlias

import torch

from hamlet.arguments import Actions
from hamlet.backend.buffers import Buffers
from hamlet.env.act.results import Stepped
from hamlet.env.interrupts import Whole
from hamlet.env.sealed import Sealed
from hamlet.errors import EnvError
from hamlet.garbage import without_collections
from hamlet.schema import GIVEN

Work: TypeAlias = Callable[[], None]


class Steps(Protocol):
    """The part of an environment that its recorded steps need; see `hamlet.env.environment.Env`."""

    @property
    def device(self) -> torch.device: ...

    @property
    def seed(self) -> int: ...

    @property
    def tick(self) -> int: ...

    @property
    def validate(self) -> bool: ...

    def checked_actions(self, actions: Actions) -> torch.Tensor: ...

    def checked_controls(self, controls: Any) -> torch.Tensor: ...

    def check_given(self) -> None: ...


@dataclass(slots=True)
class _Recording:
    """A recorded tick: the seed and the tick of its recording, the tick that a replay runs next, and the replay."""

    seed: int
    first: int
    next: int
    replay: Work


class Graphed(Sealed):
    """Steps of an environment that replay a CUDA graph; `Env.graphed` makes it. It works on that environment, whose
    other methods may be called between steps.

    Attributes:
        actions: [lanes] i32, on the device: the actions of a `step` that is called without any. Write into it in place.
        controls: [controls, lanes] f32, on the device: the controls of such a step; `None` in a universe without any.
    """

    def __init__(
        self,
        env: Steps,
        buffers: Buffers,
        launch: Callable[[torch.Tensor, torch.Tensor], None],
        finish: Callable[[], Stepped],
        record: Callable[[Work, Sequence[torch.Tensor]], Work],
    ) -> None:
        """`launch` runs a tick with actions, at a tick that lies as far after the recording as a tensor says; `finish`
        counts it. `record` returns a function that repeats the given work on the given tensors."""
        self.actions = torch.zeros(buffers.shape.lanes, dtype=torch.int32, device=env.device)
        self.controls = buffers.state.get("controls")
        self._env = env
        self._buffers = buffers
        self._launch = launch
        self._finish = finish
        self._record = record
        # A graph holds the seed and the tick of its recording; the ticks since then are counted on the device.
        self._whole = Whole()
        self._elapsed = torch.zeros(1, dtype=torch.int32, device=env.device)
        self._recording = _Recording(env.seed, env.tick, env.tick, self._recorded())
        self._seal()

    def step(self, actions: Actions | None = None, controls: Any = None) -> Stepped:
        """Run one tick as `Env.step` does, with the given actions and controls, or without actions those in the
        attributes `actions` and `controls`.

        Returns:
            The results of `Env.step`.

        Raises:
            EnvError: the actions or controls have a wrong type, shape or device, or (if the environment validates)
                range, or a param or an input was written in place and is out of bounds. Nothing was changed.
        """
        env = self._env
        taken = self.actions
        if actions is not None or env.validate:
            taken = env.checked_actions(self.actions if actions is None else actions)
        held, new = self.controls, None
        if controls is not None or (held is not None and (actions is not None or env.validate)):
            new = env.checked_controls(held if controls is None and actions is None else controls)
        env.check_given()
        if taken is not self.actions:
            self.actions.copy_(taken)
        if held is not None and new is not None and new is not held:
            held.copy_(new)
        recording = self._recording
        if env.seed != recording.seed:
            recording.seed = env.seed
            recording.first = env.tick
            recording.replay = self._recorded()
        elif env.tick != recording.next:
            self._elapsed.fill_(signed(env.tick - recording.first))
        with self._whole:
            recording.replay()
            result = self._finish()
            recording.next = env.tick
            return result

    def __repr__(self) -> str:
        return f"Graphed({self._env!r})"

    def __reduce__(self) -> NoReturn:
        raise EnvError("recorded steps cannot be copied or pickled: copy the environment, and call its graphed()")

    def _instead(self, name: str) -> str | None:
        return (
            f"write into it in place, as in graphed.{name}.copy_(...)"
            if name in ("actions", "controls")
            else super()._instead(name)
        )

    def _recorded(self) -> Work:
        """A recording of the environment's next tick."""
        self._elapsed.zero_()
        return self._record(self._tick, (*changed(self._buffers), self._elapsed))

    def _tick(self) -> None:
        self._launch(self.actions, self._elapsed)
        self._elapsed.add_(1)


def record(work: Work, tensors: Sequence[torch.Tensor]) -> Work:
    """Record work on tensors as a CUDA graph, and restore the tensors.

    The work runs once before, on a stream of its own, so that the recording compiles, tunes and loads nothing.
    """
    device = tensors[0].device
    with torch.cuda.device(device):
        before = [tensor.clone() for tensor in tensors]
        current = torch.cuda.current_stream()
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]  # torch does not annotate it
        side.wait_stream(current)
        with torch.cuda.stream(side):
            work()
        current.wait_stream(side)
        for tensor, value in zip(tensors, before, strict=True):
            tensor.copy_(value)
        graph = torch.cuda.CUDAGraph()
        # Other threads may go on allocating while this one records. What this one does not need any more ends later:
        # the end of a graph that lay in a cycle of objects would break the recording off.
        with without_collections(), torch.cuda.graph(graph, capture_error_mode="thread_local"):
            work()

    def replay() -> None:
        if torch.cuda.current_device() == device.index:
            graph.replay()
        else:
            with torch.cuda.device(device):
                graph.replay()

    return replay


def changed(buffers: Buffers) -> list[torch.Tensor]:
    """The tensors that a tick writes into. Restoring params and inputs would count as a write in place."""
    unchanged = [id(values) for name, values in buffers.state.items() if name in GIVEN]
    return [tensor for tensor in buffers.tensors if id(tensor) not in unchanged]


def signed(word: int) -> int:
    """The i32 with the lower 32 bits of a number."""
    return (word + (1 << 31)) % (1 << 32) - (1 << 31)
