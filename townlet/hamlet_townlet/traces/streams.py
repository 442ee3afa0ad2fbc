"""The streams of a trace: what was recorded of every step, and of every reset.

Shapes are in letters: T steps, K resets, N agents, D axes, M meters, V affordances of the vocabulary, O values of an
observation, C actions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch
from torch import Tensor

from hamlet_townlet.adapter.env import VectorizedEnv

Kind: TypeAlias = Literal["f32", "f64", "whole", "bool", "position"]
"""Types of the numbers of a stream; "position": f32 in a continuous space, else whole."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A recorded array.

    Attributes:
        shape: in letters.
        kind: the type of its numbers.
        array: the name in `hamlet.schema` of what it shows.
        read: the same numbers of an environment; `None` for what a trace gives instead of compares.
    """

    name: str
    shape: str
    kind: Kind
    array: str
    read: Callable[[VectorizedEnv], Tensor] | None


STEPS = (
    Stream("actions", "TN", "whole", "", None),
    Stream("intrinsic_raw", "TN", "f32", "inputs", None),
    Stream("positions", "TND", "position", "position", lambda env: env.positions),
    Stream("last_interaction_affordance", "TN", "whole", "engaged", lambda env: env.last_interaction_affordance),
    Stream("last_interaction_position", "TND", "position", "used_at", lambda env: env.last_interaction_position),
    Stream("interaction_progress", "TN", "whole", "progress", lambda env: env.interaction_progress),
    Stream("success", "TN", "whole", "used", lambda env: env.success),
    Stream("meters", "TNM", "f32", "meters", lambda env: env.meters),
    Stream("last_affordance", "TN", "whole", "last", lambda env: env.last_affordance),
    Stream("streaks", "TNV", "whole", "streaks", lambda env: env.streaks),
    Stream("unique_count", "TN", "whole", "seen", lambda env: env.unique_count),
    Stream("step_counts", "TN", "whole", "age", lambda env: env.step_counts),
    Stream("dones", "TN", "bool", "alive", lambda env: env.dones),
    Stream("intrinsic_weights", "TN", "f32", "reports", lambda env: env.intrinsic_weights),
    Stream("r_extrinsic", "TN", "f32", "reports", lambda env: env.r_extrinsic),
    Stream("r_intrinsic", "TN", "f32", "reports", lambda env: env.r_intrinsic),
    Stream("r_shaping", "TN", "f32", "reports", lambda env: env.r_shaping),
    Stream("rewards", "TN", "f32", "reward", lambda env: env.rewards),
    Stream("time_of_day", "T", "whole", "hour", lambda env: torch.tensor(env.time_of_day)),
    Stream("observations", "TNO", "f32", "observation", lambda env: env.observe()),
    Stream("action_masks", "TNC", "bool", "mask", lambda env: env.get_action_masks()),
)
"""What was recorded after each step, causes before consequences; the first two were given to it."""

REPORTS = {
    "r_extrinsic": "extrinsic",
    "r_intrinsic": "intrinsic",
    "r_shaping": "shaping",
    "intrinsic_weights": "intrinsic_weights",
}
"""Streams that show a report of the universe."""

BEGINNINGS = (
    Stream("reset_positions", "KND", "position", "position", None),
    Stream("reset_affordance_positions", "KVD", "f64", "places", None),
    Stream("reset_meters", "KNM", "f32", "meters", lambda env: env.meters),
    Stream("reset_dones", "KN", "bool", "alive", lambda env: env.dones),
    Stream("reset_step_counts", "KN", "whole", "age", lambda env: env.step_counts),
    Stream("reset_time_of_day", "K", "whole", "hour", lambda env: torch.tensor(env.time_of_day)),
)
"""What was recorded after each reset. A universe of this project draws other places, which is why they are given; the
rest is compared, unless the recording changed it."""

VIEWS = (
    Stream("reset_observations", "KNO", "f32", "observation", lambda env: env.observe()),
    Stream("reset_action_masks", "KNC", "bool", "mask", lambda env: env.get_action_masks()),
)
"""What was recorded of the state that a segment of the trace begins with."""
