"""The actions and policies that an environment takes, checked and converted for its backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from hamlet.arguments import dense
from hamlet.backend.protocol import Policy, RandomPolicy, RecordedPolicy, TabularPolicy
from hamlet.errors import EnvError, shown

INTEGERS = (torch.int32, torch.int64, torch.int16, torch.int8, torch.uint8)
"""Types of actions, the usual ones first: a step looks its own up."""
STEPPED = (torch.int32, torch.int64)
"""Types of actions that a step takes as they are."""


@dataclass(frozen=True, slots=True)
class ActionCheck:
    """The check of actions for one environment.

    Attributes:
        worlds, agents: the environment's.
        count: the number of actions of its universe.
        digest: the universe's.
        ranges: whether the range of actions is checked, for which a GPU has to be waited for.
    """

    worlds: int
    agents: int
    count: int
    device: torch.device
    digest: str
    ranges: bool

    def actions(self, argument: Any, *ticks: int) -> torch.Tensor:
        """Actions [*ticks, lanes] i32.

        Args:
            given: [*ticks, lanes] or [*ticks, worlds, agents] of an integer type; a tensor on the environment's device,
                a numpy array or a list.

        Raises:
            EnvError: they have another type, shape, device or range.
        """
        actions = self._placed(argument, (*ticks, self.worlds * self.agents))
        # A compiled graph cannot read the numbers of a tensor.
        if self.ranges and not torch.compiler.is_compiling():
            least, most = torch.aminmax(actions)
            if least.item() < 0 or most.item() >= self.count:
                raise self.missing(actions)
        # These tests cost less than a conversion that changes nothing.
        whole = actions.dtype is torch.int32 and actions.is_contiguous()
        return actions if whole else actions.to(torch.int32).contiguous()

    def of_step(self, argument: Any) -> torch.Tensor:
        """Actions [lanes] of a step, contiguous, whose range nobody has looked at: i32, and where it is to be checked
        also i64.

        Raises:
            EnvError: they have another type, shape or device.
        """
        stepped = STEPPED if self.ranges else STEPPED[:1]
        try:
            if (
                type(argument) is torch.Tensor
                and argument.dtype in stepped
                and argument.is_cpu
                and argument.is_contiguous()
            ):
                (lanes,) = argument.shape
                if lanes == self.worlds * self.agents:
                    return argument
        except (RuntimeError, ValueError):
            # Others than dense tensors of one dimension: what is wrong with them is found below.
            pass
        actions = self._placed(argument, (self.worlds * self.agents,))
        if actions.dtype not in stepped:
            actions = actions.to(torch.int32)
        return actions.contiguous()

    def missing(self, actions: torch.Tensor) -> EnvError:
        """The error about actions of which one is out of range."""
        least, most = (bound.item() for bound in torch.aminmax(actions))
        wrong = least if least < 0 else most
        return EnvError(f"action {wrong} does not exist: actions are 0 .. {self.count - 1}")

    def _placed(self, argument: Any, shape: tuple[int, ...]) -> torch.Tensor:
        """Actions in this shape, of an integer type, on the environment's device."""
        try:
            plain = argument.layout is torch.strided and argument.dtype in INTEGERS and argument.shape == shape
        except (AttributeError, RuntimeError):
            # Only tensors have a layout, and nested tensors have no shape.
            plain = False
        actions: torch.Tensor = argument if plain else self._flat(argument, shape)
        if actions.device != self.device:
            raise EnvError(f"actions are on {actions.device}, the environment is on {self.device}")
        return actions

    def policy(self, argument: Any, ticks: int) -> Policy:
        """A policy of `ticks`: "random", actions, or what `Env.tabular` made.

        Raises:
            EnvError: it is none of these, or of another environment.
        """
        # Comparing an array with a word compares every entry, so the types are matched first.
        match argument:
            case torch.Tensor() | np.ndarray() | list() | tuple():
                return RecordedPolicy(self.actions(argument, ticks))
            case TabularPolicy(universe=universe, strides=strides):
                if universe != self.digest or strides.device != self.device:
                    raise EnvError("this policy was made by an environment of another universe, or on another device")
                return argument
            case str("random"):
                return RandomPolicy()
            case str():
                raise EnvError(f'there is no policy {argument!r}: take "random" or a tensor of actions [ticks, lanes]')
            case _:
                raise EnvError(f'a policy is "random", actions, or what `tabular` made, not {shown(argument)}')

    def _flat(self, argument: Any, shape: tuple[int, ...]) -> torch.Tensor:
        """Actions in this shape and of an integer type, from any argument that `step` takes."""
        what = "actions are whole numbers (torch.int32)"
        actions = dense(argument, what)
        if actions.dtype not in INTEGERS:
            raise EnvError(f"{what}, not {actions.dtype}")
        grouped = (*shape[:-1], self.worlds, self.agents)
        if tuple(actions.shape) not in (shape, grouped):
            raise EnvError(f"actions have the shape {list(shape)} or {list(grouped)}, not {list(actions.shape)}")
        if not isinstance(argument, torch.Tensor):
            actions = actions.to(self.device)
        return actions.reshape(shape)
