"""`hamlet::step`: a tick as a custom operator of torch, so that `torch.compile` keeps it in one graph with a policy.

`Env.step` calls the operator inside `torch.compile`. The operator changes nothing but the tensors in its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from weakref import WeakValueDictionary

import torch
from torch import Tensor

from hamlet.backend.buffers import Buffers, Shape
from hamlet.backend.protocol import Backend, Stream
from hamlet.schema import GIVEN


class Stepper:
    """The backend that `hamlet::step` runs, and the names of the tensors of its environment.

    Attributes:
        number: the argument by which the operator finds this object.
    """

    def __init__(self, backend: Backend, buffers: Buffers, check: Callable[[Mapping[str, Tensor]], None]) -> None:
        """`check` raises an error for params and inputs, by name, that are out of bounds."""
        self.number = next(_NUMBERS)
        self._backend = backend
        self._check = check
        self._shape: Shape = buffers.shape
        self._unchanged = tuple(name for name in buffers.state if name in GIVEN)
        self._state = tuple(name for name in buffers.state if name not in GIVEN)
        self._outcome = tuple(buffers.outcome)
        self._observes = buffers.observation is not None
        _STEPPERS[self.number] = self

    def unchanged(self, buffers: Buffers) -> list[Tensor]:
        """The tensors that a tick reads and never changes."""
        return [buffers.state[name] for name in self._unchanged]

    def changed(self, buffers: Buffers) -> list[Tensor]:
        """The tensors that a tick changes."""
        observed = [each for each in (buffers.observation, buffers.final_observation) if each is not None]
        state = [buffers.state[name] for name in self._state]
        return [*state, *(buffers.outcome[name] for name in self._outcome), buffers.mask, *observed]

    def step(self, actions: Tensor, unchanged: list[Tensor], changed: list[Tensor], stream: Stream) -> None:
        """One tick on these tensors."""
        self._check(dict(zip(self._unchanged, unchanged, strict=True)))
        state = dict(zip((*self._state, *self._unchanged), [*changed[: len(self._state)], *unchanged], strict=True))
        rest = changed[len(self._state) :]
        outcome = dict(zip(self._outcome, rest, strict=False))
        mask, *observed = rest[len(outcome) :]
        observation, final = observed if self._observes else (None, None)
        self._backend.step(Buffers(self._shape, state, outcome, observation, final, mask), actions, stream)


_NUMBERS = count()
# Operators take only tensors and numbers, so this table leads from a number to its object. It keeps no object alive.
_STEPPERS: WeakValueDictionary[int, Stepper] = WeakValueDictionary()


@torch.library.custom_op("hamlet::step", mutates_args=("changed",))
def step(
    actions: Tensor,
    unchanged: list[Tensor],
    changed: list[Tensor],
    seed_low: int,
    seed_high: int,
    tick: int,
    stepper: int,
) -> None:
    """One tick with actions i32 [lanes]; `unchanged` and `changed` as `Stepper` has them, `stepper` its number."""
    _STEPPERS[stepper].step(actions, unchanged, changed, Stream(seed_high << 32 | seed_low, tick))


@step.register_fake
def _(
    actions: Tensor,
    unchanged: list[Tensor],
    changed: list[Tensor],
    seed_low: int,
    seed_high: int,
    tick: int,
    stepper: int,
) -> None:
    """The operator returns nothing and changes no shape."""
