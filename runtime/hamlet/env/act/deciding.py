"""The actions and controls of the next tick by a policy, without the tick: what `Env.record` and games take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from torch import Tensor

from hamlet.arguments import Actions
from hamlet.backend.buffers import Buffers
from hamlet.backend.protocol import NetworkPolicy, RandomPolicy, RecordedPolicy, Stream, TabularPolicy
from hamlet.env.act.trajectories import chosen
from hamlet.interpreter.interpreter import Interpreter, global_lanes
from hamlet.interpreter.policy import drawn_controls
from hamlet.policies import acting
from hamlet.policies.acting import Choice
from hamlet.policies.learnt import Learnt
from hamlet.universe import Universe


class World(acting.World, Protocol):
    """The part of an environment that a policy chooses for; see `hamlet.env.environment.Env`."""

    @property
    def universe(self) -> Universe: ...

    @property
    def state(self) -> Mapping[str, Tensor]: ...

    def checked_actions(self, actions: Actions) -> Tensor: ...


def deciding(env: World, buffers: Buffers, policy: Any) -> Callable[[int], Choice]:
    """A function from the number of a tick, from 0, to the actions [lanes] i32 and controls [controls, lanes] f32 that
    a policy takes in it. Whatever neither draws controls nor gives any leaves them as they are."""
    if isinstance(policy, Learnt):
        chosen_by = policy.acting(env)
        return lambda _: chosen_by()
    decide, steer = _acting(env, buffers, policy), _steering(env, buffers, policy)
    return lambda tick: (decide(tick), steer())


def _acting(env: World, buffers: Buffers, policy: Any) -> Callable[[int], Tensor]:
    interpreter = Interpreter(env.universe, env.device)
    match policy:
        case RecordedPolicy(actions=recorded):
            return lambda tick: recorded[tick]
        case RandomPolicy() | TabularPolicy() | NetworkPolicy():
            return lambda _: chosen(interpreter, buffers, policy, Stream(env.seed, env.tick)).contiguous()
        case _:
            return lambda _: env.checked_actions(policy(env.observation, env.action_mask)).clone()


def _steering(env: World, buffers: Buffers, policy: Any) -> Callable[[], Tensor | None]:
    if not env.num_controls:
        return lambda: None
    if isinstance(policy, (RandomPolicy, TabularPolicy)):
        numbers = global_lanes(buffers.shape, env.device)
        return lambda: drawn_controls(env.universe, numbers, Stream(env.seed, env.tick))
    return lambda: env.state["controls"].clone()
