"""The part of an environment's state that changes from tick to tick and is no tensor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from torch import Tensor

from hamlet.backend.recall import Memories
from hamlet.env.act.graph import Graphed
from hamlet.env.act.outputs import Outputs
from hamlet.env.act.replays import Replays
from hamlet.telemetry.opened import Opened
from hamlet.telemetry.telemetry import Telemetry


@dataclass(slots=True)
class Now:
    """The part of an environment that changes from tick to tick and is not a tensor.

    Attributes:
        seed, tick: see `Env`.
        untouched: whether nothing has happened since the environment was made.
        shown: what the last step wrote, where that is memory of the caller's.
        graphed: the steps of the environment as a CUDA graph; `None` until they are recorded.
        replays: the rollouts of networks as a CUDA graph.
        acted: the actions of the last tick, where they are known: [lanes], or that of the only lane, or `drawn` by the
            random policy.
        telemetry: what counts steps and rollouts; `None` where nothing does.
        memories: what lanes remember of the networks that acted last.
        opened: the window of a checkpoint, until telemetry continues it.
    """

    seed: int
    tick: int = 0
    untouched: bool = True
    shown: Outputs | None = None
    acted: Tensor | int | Literal["drawn"] | None = None
    graphed: Graphed | None = None
    telemetry: Telemetry | None = None
    opened: Opened | None = None
    memories: Memories = field(default_factory=Memories)
    replays: Replays = field(default_factory=Replays)
