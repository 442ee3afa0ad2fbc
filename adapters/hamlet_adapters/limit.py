"""A limit of ticks for episodes, which whoever trains sets, and which the universe knows nothing of."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet.env.environment import Env
from hamlet_adapters.frames import Frame


class Limit:
    """How many ticks of its episode each world has done, of those that an episode may have at most."""

    def __init__(self, env: Env, ticks: int) -> None:
        self._ticks = ticks
        self._done = torch.zeros(env.num_worlds, dtype=torch.int64, device=env.device)

    def begin(self, worlds: Tensor | None) -> None:
        """Begin episodes in all worlds, or in those of a mask [worlds] bool."""
        self._done.masked_fill_(
            torch.ones_like(self._done, dtype=torch.bool) if worlds is None else worlds.to(self._done.device), 0
        )

    def truncate(self, frame: Frame, begun: Tensor | None) -> Tensor:
        """Count a tick, and write into its outcome which episodes are truncated; worlds that began one in it,
        [worlds] bool, have done none.

        Returns:
            The worlds that go on but for that, [worlds] bool.
        """
        self._done += 1
        if begun is not None:
            self.begin(begun)
        full = self._done >= self._ticks
        late = full & ~frame.ended()
        frame.outputs.buffers.outcome["truncated"].logical_or_(full)
        self.begin(frame.ended())
        return late
