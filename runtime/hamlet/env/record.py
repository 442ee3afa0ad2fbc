"""Playing one world to the end of its episode, and noting what is needed to do it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import torch
from torch import Tensor

from hamlet.arguments import Actions
from hamlet.backend.buffers import Buffers
from hamlet.backend.protocol import NetworkPolicy, RandomPolicy, RecordedPolicy, Stream, TabularPolicy
from hamlet.env.act.trajectories import chosen
from hamlet.env.keep.episode import Episode, check_of, ended_by, this_version
from hamlet.errors import EnvError
from hamlet.interpreter.interpreter import Interpreter, global_lanes
from hamlet.interpreter.policy import drawn_controls
from hamlet.policies import acting
from hamlet.policies.acting import Choice
from hamlet.policies.learnt import Learnt
from hamlet.universe import Universe

MOST_TICKS = 1 << 16
"""An episode that has not ended by then is recorded so far."""


class World(acting.World, Protocol):
    """The part of an environment of one world that is played; see `hamlet.env.environment.Env`."""

    @property
    def universe(self) -> Universe: ...

    @property
    def state(self) -> Mapping[str, Tensor]: ...

    @property
    def outcome(self) -> Mapping[str, Tensor]: ...

    def state_dict(self) -> dict[str, Any]: ...

    def step(self, actions: Actions, controls: Any = None) -> Any: ...

    def checked_actions(self, actions: Actions) -> Tensor: ...


def played(env: World, buffers: Buffers, policy: Any, ticks: int) -> Episode:
    """Run the only world of an environment, and note what happens, to the end of its episode or for so many ticks.

    Raises:
        EnvError: nobody is alive in it.
    """
    before, state = env.state_dict(), env.state
    if isinstance(policy, Learnt):
        choose: Callable[[int], Choice] = _learnt(policy, env)
    else:
        decide, steer = _deciding(env, buffers, policy), _steering(env, buffers, policy)

        def choose(tick: int) -> Choice:
            return decide(tick), steer()

    actions: list[Tensor] = []
    controls: list[Tensor | None] = []
    checks: list[int] = []
    episode = int(state["episode"])
    while len(checks) < ticks and int(state["episode"]) == episode and bool(state["alive"].any()):
        chosen_actions, chosen_controls = choose(len(checks))
        actions.append(chosen_actions)
        controls.append(chosen_controls)
        env.step(actions[-1], controls[-1])
        assert env.observation is not None
        checks.append(check_of(env.universe, state, env.outcome, [env.observation, env.action_mask]))
    if not checks:
        raise EnvError("nobody is alive in this world: reset it first")
    return Episode(
        env.universe,
        env.module.digest,
        this_version(),
        env.first_world,
        env.num_agents,
        before["seed"],
        before["tick"],
        {name: values.cpu() for name, values in before["state"].items()},
        torch.stack(actions).cpu(),
        torch.stack([each for each in controls if each is not None]).cpu() if env.num_controls else None,
        tuple(checks),
        ended_by(env.universe, env.outcome["cause"]),
    )


def _learnt(policy: Learnt, env: World) -> Callable[[int], Choice]:
    """A function from the number of a tick to what a policy that acts by steps chooses in it."""
    chosen_by = policy.acting(env)
    return lambda _: chosen_by()


def _deciding(env: World, buffers: Buffers, policy: Any) -> Callable[[int], Tensor]:
    """A function from the number of a tick to its actions [agents] i32."""
    interpreter = Interpreter(env.universe, env.device)
    match policy:
        case RecordedPolicy(actions=recorded):
            return lambda tick: recorded[tick]
        case RandomPolicy() | TabularPolicy() | NetworkPolicy():
            return lambda _: chosen(interpreter, buffers, policy, Stream(env.seed, env.tick)).contiguous()
        case _:
            return lambda _: env.checked_actions(policy(env.observation, env.action_mask)).clone()


def _steering(env: World, buffers: Buffers, policy: Any) -> Callable[[], Tensor | None]:
    """A function that returns the controls [controls, agents] of a tick: drawn for policies that draw, else those of
    the state.
    """
    if not env.num_controls:
        return lambda: None
    if isinstance(policy, (RandomPolicy, TabularPolicy)):
        numbers = global_lanes(buffers.shape, env.device)
        return lambda: drawn_controls(env.universe, numbers, Stream(env.seed, env.tick))
    return lambda: env.state["controls"].clone()
