"""Steps as functions of a state: nothing is remembered between two calls, and nothing is changed but what is handed in
to be written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch

from hamlet import schema
from hamlet.arguments import Actions
from hamlet.backend.buffers import Buffers, copied
from hamlet.backend.protocol import Backend, Stream
from hamlet.env.act.inputs import Arguments
from hamlet.env.act.operator import Stepper, step
from hamlet.env.act.outputs import transposed
from hamlet.env.keep.state import TICK_LIMIT, checked_seed
from hamlet.errors import EnvError, shown


class State(NamedTuple):
    """The state of all worlds, which determines the following ticks. A pytree of torch.

    Attributes:
        fields: the tensors of the state by name, see `hamlet.schema.state_fields`.
        final_observation: [values, lanes], the last one of the episode that a lane finished most recently; `None` where
            nothing is observed.
        seed, tick: as `Env` has them.
    """

    fields: dict[str, torch.Tensor]
    final_observation: torch.Tensor | None
    seed: int
    tick: int


class Out(NamedTuple):
    """The outputs of a functional step: as `Env.step` returns them, and `reports` [reports, lanes] f32, `None` where
    there are none. A pytree of torch.
    """

    observation: torch.Tensor | None
    reward: torch.Tensor
    terminated: torch.Tensor
    truncated: torch.Tensor
    used: torch.Tensor
    cause: torch.Tensor
    action_mask: torch.Tensor
    reports: torch.Tensor | None


class Functional:
    """Steps as functions: `step(state, actions)` gives the next state and what the tick gave, and leaves the state as
    it was. It has the backend, the sizes, the checks and the bits of the environment whose `functional` made it.

    Example:
        functional, state = env.functional()
        state, out = functional.step(state, torch.zeros(env.num_lanes, dtype=torch.int32))
    """

    def __init__(self, backend: Backend, buffers: Buffers, arguments: Arguments) -> None:
        """`buffers` are like those of all states."""
        self._backend = backend
        self._arguments = arguments
        self._shape = buffers.shape
        self._fields = {name: (tensor.dtype, tensor.shape) for name, tensor in buffers.state.items()}
        self._like = buffers.moved(torch.device("meta"))
        self._device = buffers.mask.device
        self._operator = Stepper(backend, buffers, _unseen)

    def step(
        self, state: State, actions: Actions, controls: Any = None, into: tuple[State, Out] | None = None
    ) -> tuple[State, Out]:
        """Run one tick. Nothing waits for the device, unless the environment validates on one.

        Args:
            state: what `Env.functional`, a step or a reset gave. Params and inputs in it are not looked at: a value out
                of its bounds has an undefined effect.
            actions, controls: as `Env.step` takes them.
            into: what an earlier call gave, to be written instead of new memory. With the state that is given, the tick
                runs in place, and copies nothing.

        Raises:
            EnvError: actions or controls are wrong, or the tensors are not like those of a state. Nothing was changed.
        """
        taken, new = self._arguments.actions.actions(actions), self._arguments.stepping(controls)
        self._check(state)
        buffers = self._buffers(state, into)
        if new is not None:
            buffers.state["controls"].copy_(new)
        stream = Stream(state.seed, state.tick)
        if torch.compiler.is_compiling():
            read, changed = self._operator.unchanged(buffers), self._operator.changed(buffers)
            step(taken, read, changed, stream.low, stream.high, stream.tick, self._operator.number)
        else:
            self._backend.step(buffers, taken, stream)
        return _state(buffers, state.seed, (state.tick + 1) % TICK_LIMIT), _out(buffers)

    def reset(self, state: State, seed: int | None = None) -> tuple[State, Out]:
        """Begin a new episode in every world, of which params and inputs stay; with a seed random numbers start again,
        at tick 0 and episode 0.

        Raises:
            EnvError: the seed is no whole number in 0 .. 2**64 - 1, or the tensors are not like those of a state.
        """
        begun = None if seed is None else checked_seed(seed)
        self._check(state)
        buffers = self._buffers(state, None)
        episode = buffers.state["episode"]
        episode.copy_(episode + 1 if begun is None else torch.zeros_like(episode))
        drawn, tick = (state.seed, state.tick) if begun is None else (begun, 0)
        for name in ("used", "cause"):
            buffers.outcome[name].fill_(schema.NOWHERE)
        if buffers.final_observation is not None:
            buffers.final_observation.zero_()
        self._backend.reset(buffers, Stream(drawn, tick))
        return _state(buffers, drawn, tick), _out(buffers)

    def _check(self, state: State) -> None:
        """Kernels read memory by its address: it has to be there."""
        if not isinstance(state, State) or state.fields.keys() != self._fields.keys():
            raise EnvError(f"a state is what Env.functional or a step gave, not {shown(state)}")
        for name, (dtype, shape) in self._fields.items():
            tensor = state.fields[name]
            if tensor.dtype is not dtype or tensor.shape != shape or tensor.device != self._device:
                raise EnvError(f"{name} of a state is {dtype} {list(shape)} on {self._device}, not {shown(tensor)}")

    def _buffers(self, state: State, into: tuple[State, Out] | None) -> Buffers:
        """The state, copied into memory of the caller's or into new memory, with room for what a tick gives."""
        if into is None:
            return self._new(state)
        target, out = into
        self._check(target)
        for name, tensor in state.fields.items():
            if target.fields[name] is not tensor:
                target.fields[name].copy_(tensor)
        final = target.final_observation
        if final is not None and state.final_observation is not None and final is not state.final_observation:
            final.copy_(state.final_observation)
        outcome = {name: getattr(out, name) for name in self._like.outcome}
        observation = None if out.observation is None else out.observation.T
        return Buffers(self._shape, dict(target.fields), outcome, observation, final, out.action_mask.T)

    def _new(self, state: State) -> Buffers:
        like = self._like
        # A tick changes neither params nor inputs.
        fields = {name: each if name in UNCHANGED else copied(each) for name, each in state.fields.items()}
        outcome = {name: torch.zeros_like(each, device=self._device) for name, each in like.outcome.items()}
        observation = None if like.observation is None else torch.zeros_like(like.observation, device=self._device)
        final = None if state.final_observation is None else state.final_observation.clone()
        return Buffers(
            self._shape, fields, outcome, observation, final, torch.zeros_like(like.mask, device=self._device)
        )


UNCHANGED = ("params", "inputs")


def first_state(buffers: Buffers, seed: int, tick: int) -> State:
    """A copy of the state that an environment has."""
    final = buffers.final_observation
    fields = {name: copied(tensor) for name, tensor in buffers.state.items()}
    return State(fields, None if final is None else final.clone(), seed, tick)


def _state(buffers: Buffers, seed: int, tick: int) -> State:
    return State(buffers.state, buffers.final_observation, seed, tick)


def _out(buffers: Buffers) -> Out:
    outcome = buffers.outcome
    return Out(
        observation=transposed(buffers.observation),
        reward=outcome["reward"],
        terminated=outcome["terminated"],
        truncated=outcome["truncated"],
        used=outcome["used"],
        cause=outcome["cause"],
        action_mask=buffers.mask.T,
        reports=outcome.get("reports"),
    )


def _unseen(_unchanged: Mapping[str, torch.Tensor]) -> None:
    """Params and inputs of a state are not looked at."""
