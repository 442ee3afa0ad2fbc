"""Spaces of Gymnasium for the observations and actions of agents."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import torch
from gymnasium import spaces

from hamlet.env.environment import Env
from hamlet.env.roles import RoleInfo
from hamlet.errors import EnvError, shown
from hamlet.schema.actions import idle_action
from hamlet.schema.groups import Group
from hamlet_adapters.choosing import num_choices
from hamlet_adapters.grouped import Handout, whole_ends
from hamlet_adapters.worlds import observed, steered, whole_controls

Array = np.ndarray[Any, Any]

DTYPES: dict[torch.dtype, Any] = {torch.float32: np.float32, torch.uint8: np.uint8}
"""The types of observations that numpy has too."""
PER_SECOND = 8
"""Ticks of a second of a video."""


View: TypeAlias = (
    "spaces.Box | spaces.Discrete[Any] | spaces.MultiDiscrete | spaces.Text | spaces.Tuple[Any] | spaces.Dict"
)
"""The space of what an agent observes."""


def observation_space(env: Env, handout: Handout, role: RoleInfo | None = None) -> View:
    """The observations of an agent, or of one of a role, as they are handed out, within the ranges that they can have:
    a row of numbers [values], or a dictionary of groups, in the order of the file: an image [channels, height, width],
    or in the order that its author says, a discrete number, a text, a row, or several discrete numbers. An image, a
    text, or whole numbers, that are all that is observed are no dictionary.

    Raises:
        EnvError: the environment has no observations, or of a type that numpy lacks.
    """
    if env.observation is None or env.observation.dtype not in DTYPES:
        raise EnvError('arrays of numpy hold observations of obs_dtype "float32" or "uint8"')
    dtype = DTYPES[env.observation.dtype]
    ends = observed(env, role)
    low, high = (end.cpu().numpy() for end in ends)
    if dtype is np.uint8:
        low, high = np.zeros_like(low, np.uint8), np.full_like(high, 255, np.uint8)
    if not handout.groups:
        return spaces.Box(low, high, dtype=dtype)
    each = [
        (
            group.name,
            spaces.Box(group.of(low), group.of(high), dtype=dtype) if group.dtype is None else whole_space(group, ends),
        )
        for group in handout.groups
    ]
    return each[0][1] if handout.alone is not None else spaces.Dict(each)


def whole_space(group: Group, ends: tuple[torch.Tensor, torch.Tensor]) -> Any:
    """The space of a group of whole numbers: a `Discrete`, a `MultiDiscrete`, a `Tuple` of discrete ones, or a `Box` of
    integers; of texts a `Text`, whose characters are theirs. `ends` are those of observations."""
    if group.texts:
        lengths = [len(text) for text in group.texts]
        return spaces.Text(max(lengths), min_length=min(lengths), charset=frozenset("".join(group.texts)))
    low, high = (end.cpu().numpy().astype(group.dtype) for end in whole_ends(group, ends))
    if group.kind == "discrete":
        return spaces.Discrete(int(high - low) + 1, start=int(low))
    if group.numbers == "discrete":
        return spaces.MultiDiscrete(high - low + 1, start=low)
    if group.numbers == "tuple":
        ranges = zip(low.tolist(), high.tolist(), strict=True)
        return spaces.Tuple([spaces.Discrete(most - least + 1, start=least) for least, most in ranges])
    return spaces.Box(low, high, dtype=low.dtype.type)


Choice: TypeAlias = "spaces.Discrete[Any] | spaces.MultiDiscrete | spaces.Box | spaces.Dict"


def action_space(env: Env) -> Choice:
    """The space of an agent's actions: the number of an action (`env.action_names` has their names); in a universe with
    controls that has nothing else to do, a number for each control; otherwise a dictionary of `action` and `controls`.
    Controls are a `MultiDiscrete` where they are whole numbers, else a `Box`.

    Raises:
        EnvError: some controls are whole numbers, and others are not.
    """
    number = spaces.Discrete(num_choices(env))
    if not env.num_controls:
        return number
    low, high = env.control_low.cpu().numpy(), env.control_high.cpu().numpy()
    if whole_controls(env):
        first = low.astype(np.int64)
        counts = high.astype(np.int64) - first + 1
        controls: spaces.Box | spaces.MultiDiscrete = spaces.MultiDiscrete(counts, start=first)
    else:
        controls = spaces.Box(low, high, dtype=np.float32)
    return controls if steered(env) else spaces.Dict({"action": number, "controls": controls})


def parted(env: Env, actions_and_controls: Any) -> tuple[Any, Array | None]:
    """Actions [lanes] and controls [controls, lanes] of what agents do, which is as their spaces are, batched.

    Raises:
        EnvError: it is something else. `Env.step` checks the numbers.
    """
    if not env.num_controls:
        return actions_and_controls, None
    if steered(env):
        actions, controls = np.full(env.num_lanes, idle_action(env.universe)), actions_and_controls
    elif isinstance(actions_and_controls, dict) and set(actions_and_controls) == {"action", "controls"}:
        actions, controls = actions_and_controls["action"], actions_and_controls["controls"]
    else:
        raise EnvError(f"agents do a dictionary of action and controls, not {shown(actions_and_controls)}")
    size = (env.num_lanes, env.num_controls)
    if not isinstance(controls, np.ndarray) or controls.shape != size or controls.dtype.kind not in numbers_of(env):
        raise EnvError(f"controls are an array {list(size)} of {called(env)}, not {shown(controls)}")
    return actions, np.ascontiguousarray(controls.T, np.float32)


def numbers_of(env: Env) -> str:
    """The kinds of numpy's types that controls can have: whole numbers where they are whole, else real ones."""
    return "iu" if whole_controls(env) else "f"


def called(env: Env) -> str:
    """The words for such numbers, in messages."""
    return "whole numbers" if whole_controls(env) else "floating-point numbers"
