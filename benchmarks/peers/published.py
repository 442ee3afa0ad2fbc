"""Grid environments of other projects as published, under a random policy: `vmap` over agents, `lax.scan` over ticks.

They are other worlds than the town, with less in them: one or two numbers of state where the town has eight meters,
cascades and fourteen affordances. Each writes its own observation every tick.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import jax
import jax.numpy as jnp


@dataclass(frozen=True, slots=True)
class Published:
    """An environment: `reset(key)` gives what `step(key, carried, action)` takes and gives, for one agent."""

    name: str
    leaves_out: str
    actions: int
    reset: Callable[[jax.Array], Any]
    step: Callable[[jax.Array, Any, jax.Array], Any]


def gymnax_four_rooms() -> Published:
    import gymnax

    env, params = gymnax.make("FourRooms-misc")

    def step(key: jax.Array, carried: Any, action: jax.Array) -> Any:
        observation, state, reward, *_ = env.step(key, carried[1], action, params)
        return observation, state, reward.astype(jnp.float32)

    return Published(
        f"gymnax {metadata.version('gymnax')}: FourRooms-misc",
        "no meters, cascades, affordances, statistics; 4 moves in fixed rooms; observes 4 numbers",
        env.num_actions,
        lambda key: (*env.reset(key, params), jnp.float32(0.0)),
        step,
    )


def navix_empty() -> Published:
    import navix

    env = navix.make("Navix-Empty-8x8-v0")
    return Published(
        f"NAVIX {metadata.version('navix')}: Navix-Empty-8x8-v0",
        "no meters, cascades, affordances, statistics; an empty room; observes 8 x 8 x 3 bytes",
        env.action_space.n if hasattr(env.action_space, "n") else int(env.action_space.maximum) + 1,
        env.reset,
        lambda _, carried, action: env.step(carried, action),
    )


def xland_empty() -> Published:
    import xminigrid
    from xminigrid.wrappers import GymAutoResetWrapper

    env, params = xminigrid.make("MiniGrid-Empty-8x8")
    env = GymAutoResetWrapper(env)
    return Published(
        f"XLand-MiniGrid {metadata.version('xminigrid')}: MiniGrid-Empty-8x8",
        "no meters, cascades, affordances, statistics; an empty room; observes 7 x 7 x 2 bytes",
        env.num_actions(params),
        lambda key: env.reset(params, key),
        lambda _, carried, action: env.step(params, carried, action),
    )


ALL = (gymnax_four_rooms, navix_empty, xland_empty)


def compiled(peer: Published, lanes: int, ticks: int) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    """What prepares a rollout, and what does it, both waiting for the result."""

    @jax.jit
    def start(key: jax.Array) -> Any:
        return jax.vmap(peer.reset)(jax.random.split(key, lanes))

    @jax.jit
    def rollout(key: jax.Array, carried: Any) -> Any:
        def scanned(carry: Any, key: jax.Array) -> tuple[Any, None]:
            choose, act = jax.random.split(key)
            actions = jax.random.randint(choose, (lanes,), 0, peer.actions, jnp.int32)
            after = jax.vmap(peer.step)(jax.random.split(act, lanes), carry, actions)
            # Every tick's observation is written, although nobody reads it.
            return jax.lax.optimization_barrier(after), None

        return jax.lax.scan(scanned, carried, jax.random.split(key, ticks))[0]

    key = jax.random.key(7)
    return lambda: jax.block_until_ready(start(key)), lambda carried: jax.block_until_ready(rollout(key, carried))
