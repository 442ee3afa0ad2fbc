"""The actions that an agent of an adapter chooses from: those that the author of a universe lists.

An environment has besides, as its last action, a WAIT that no list has, for those who do not act in a tick (`acts
when`). Agents of adapters cannot choose it, and whoever does not act may be given any of the others.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import torch

from hamlet.env.environment import Env
from hamlet.errors import EnvError
from hamlet.schema.actions import choices

Masks = TypeVar("Masks", torch.Tensor, "np.ndarray[Any, Any]")


def num_choices(env: Env) -> int:
    """How many actions agents choose from: the first of the environment's."""
    return len(choices(env.universe))


def choosable(env: Env, masks: Masks) -> Masks:
    """Masks [..., actions] of an environment as masks of the actions that agents choose from. They allow all where none
    is carried out, for trainers draw from what is allowed."""
    if not env.universe.acting:
        return masks
    count = num_choices(env)
    return masks if count == env.num_actions else masks[..., :count] | masks[..., count:]


def check_choices(env: Env, actions: Any) -> None:
    """Raise `EnvError` where a number is that of an action nobody chooses. On a GPU this waits for it."""
    count = num_choices(env)
    numbers = actions if isinstance(actions, (torch.Tensor, np.ndarray)) else np.asarray(actions)
    if bool((numbers >= count).any()):
        raise EnvError(f"actions are 0 .. {count - 1}, not up to {int(numbers.max())}")
