"""`Env.step` as a CUDA graph: one launch, whatever the batch, where launching costs more than running."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import torch

from hamlet.state import Buffers

if TYPE_CHECKING:
    from hamlet.env import Env, Stepped

Work: TypeAlias = Callable[[], None]


class Graphed:
    """Steps of an environment, replayed from a graph; made by `Env.graphed`. Between them the environment may be used
    as always: it is one and the same.

    Attributes:
        actions: [lanes] i32, on the device: what `step` takes where it is given nothing.
    """

    def __init__(
        self,
        env: Env,
        buffers: Buffers,
        launch: Callable[[torch.Tensor], None],
        finish: Callable[[], Stepped],
        record: Callable[[Work, Buffers], Work],
    ) -> None:
        """`launch` does a tick with actions, `finish` counts it. `record` gives what repeats some work."""
        self.actions = torch.zeros(buffers.shape.lanes, dtype=torch.int32, device=env.device)
        self._env = env
        self._buffers = buffers
        self._launch = launch
        self._finish = finish
        self._record = record
        self._seed = env.seed
        self._replay = self._recorded()

    def step(self, actions: torch.Tensor | None = None) -> Stepped:
        """What `Env.step` does and returns, with these actions, or those that were written into `actions`.

        Raises:
            EnvError: the actions have a wrong type, shape or device, or (where the environment validates) range.
        """
        if actions is not None:
            self.actions.copy_(self._env.checked_actions(actions))
        elif self._env.validate:
            self._env.checked_actions(self.actions)
        if self._seed != self._env.seed:
            # A graph holds the numbers that it was recorded with.
            self._seed = self._env.seed
            self._replay = self._recorded()
        self._replay()
        return self._finish()

    def _recorded(self) -> Work:
        return self._record(lambda: self._launch(self.actions), self._buffers)


def record(work: Work, buffers: Buffers) -> Work:
    """A CUDA graph of some work on buffers, which are as before afterwards.

    The work runs first, on a stream of its own, so that nothing is compiled, tuned or loaded while it is recorded.
    """
    kept = [tensor.clone() for tensor in buffers.tensors]
    current, side = torch.cuda.current_stream(), torch.cuda.Stream()
    side.wait_stream(current)
    with torch.cuda.stream(side):
        work()
    current.wait_stream(side)
    for tensor, before in zip(buffers.tensors, kept, strict=True):
        tensor.copy_(before)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph.replay
