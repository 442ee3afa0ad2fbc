"""`hamlet::step`: a tick as an operator of torch, so that `torch.compile` keeps it in one graph with a policy.

`Env.step` calls it where it is compiled. The operator is a function of its arguments: what a tick changes are tensors
that it is given, and nothing else.
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
    """What `hamlet::step` runs: a backend, and how the tensors of its worlds are called.

    Attributes:
        number: by which the operator finds it.
    """

    def __init__(self, backend: Backend, buffers: Buffers, check: Callable[[Mapping[str, Tensor]], None]) -> None:
        """`check` refuses wrong params and inputs, by name."""
        self.number = next(_NUMBERS)
        self._backend = backend
        self._check = check
        self._shape: Shape = buffers.shape
        self._given = tuple(name for name in buffers.state if name in GIVEN)
        self._state = tuple(name for name in buffers.state if name not in GIVEN)
        self._outcome = tuple(buffers.outcome)
        self._observes = buffers.observation is not None
        _STEPPERS[self.number] = self

    def given(self, buffers: Buffers) -> list[Tensor]:
        """What a tick reads and never changes."""
        return [buffers.state[name] for name in self._given]

    def changed(self, buffers: Buffers) -> list[Tensor]:
        """What a tick changes."""
        observed = [each for each in (buffers.observation, buffers.final_observation) if each is not None]
        state = [buffers.state[name] for name in self._state]
        return [*state, *(buffers.outcome[name] for name in self._outcome), buffers.mask, *observed]

    def step(self, actions: Tensor, given: list[Tensor], changed: list[Tensor], stream: Stream) -> None:
        """One tick on these tensors."""
        self._check(dict(zip(self._given, given, strict=True)))
        state = dict(zip((*self._state, *self._given), [*changed[: len(self._state)], *given], strict=True))
        rest = changed[len(self._state) :]
        outcome = dict(zip(self._outcome, rest, strict=False))
        mask, *observed = rest[len(outcome) :]
        observation, final = observed if self._observes else (None, None)
        self._backend.step(Buffers(self._shape, state, outcome, observation, final, mask), actions, stream)


_NUMBERS = count()
# Operators take tensors and numbers: this is the one place where a number leads to an object. It keeps none alive.
_STEPPERS: WeakValueDictionary[int, Stepper] = WeakValueDictionary()


@torch.library.custom_op("hamlet::step", mutates_args=("changed",))
def step(
    actions: Tensor, given: list[Tensor], changed: list[Tensor], seed_low: int, seed_high: int, tick: int, stepper: int
) -> None:
    """One tick with actions i32 [lanes]; `given` and `changed` as `Stepper` has them, `stepper` its number."""
    _STEPPERS[stepper].step(actions, given, changed, Stream(seed_high << 32 | seed_low, tick))


@step.register_fake
def _(
    actions: Tensor, given: list[Tensor], changed: list[Tensor], seed_low: int, seed_high: int, tick: int, stepper: int
) -> None:
    """It gives nothing, and changes no shape."""
