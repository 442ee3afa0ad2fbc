"""Environments of other projects that run many worlds at once, in JAX: `jit` of `lax.scan` over ticks of `vmap` over
worlds, under a random policy.

    pip install jax gymnax navix pgx jumanji   # as much of it as you like

Each of them begins episodes anew by itself, as the project has it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any

Step = Callable[[Any, Any, Any], Any]


@dataclass(frozen=True, slots=True)
class Rival:
    """An environment for one world.

    Attributes:
        name: of the project and the environment.
        begin: gives what a step takes, of a key.
        step: what is carried on, with the observation and the reward, of a key, what was carried, and the action.
        choose: actions of all worlds at once, of a key, what they carry, and their number.
    """

    name: str
    begin: Callable[[Any], Any]
    step: Step
    choose: Callable[[Any, Any, int], Any]


def gymnax(name: str) -> Rival:
    """An environment of gymnax, behind its name whole numbers and words that it or its params are made with."""
    identifier, *written = name.split()
    pairs = (each.partition("=") for each in written)
    settings = {key: int(value) if value.isdigit() else value for key, _, value in pairs}
    library = import_module("gymnax")
    of_params = {key for key in settings if hasattr(library.make(identifier)[1], key)}
    env, params = library.make(identifier, **{key: settings[key] for key in settings.keys() - of_params})
    params = params.replace(**{key: settings[key] for key in of_params})

    def step(key: Any, state: Any, action: Any) -> Any:
        observation, state, reward, *_ = env.step(key, state, action, params)
        return state, (observation, reward)

    space = env.action_space(params)
    choose = _uniform(space.n) if hasattr(space, "n") else _real(space.low, space.high, space.shape)
    return Rival(f"gymnax {name}", lambda key: env.reset(key, params)[1], step, choose)


def navix(name: str) -> Rival:
    """An environment of NAVIX."""
    env = import_module("navix").make(name)

    def step(_: Any, timestep: Any, action: Any) -> Any:
        timestep = env.step(timestep, action)
        return timestep, (timestep.observation, timestep.reward)

    return Rival(f"NAVIX {name}", env.reset, step, _uniform(len(env.action_set)))


def pgx(name: str) -> Rival:
    """A game of pgx; of the moves one that is allowed is drawn."""
    import jax

    library = import_module("pgx")
    env = library.make(name)
    step_on = import_module("pgx.experimental.wrappers").auto_reset(env.step, env.init)

    def step(key: Any, state: Any, action: Any) -> Any:
        state = step_on(state, action, key)
        return state, (state.observation, state.rewards)

    def choose(key: Any, states: Any, _: int) -> Any:
        return jax.random.categorical(key, jax.numpy.where(states.legal_action_mask, 0.0, -jax.numpy.inf))

    return Rival(f"pgx {name}", env.init, step, choose)


def jumanji(name: str) -> Rival:
    """An environment of Jumanji, behind its name the generator of levels of Sokoban, which else are fetched."""
    identifier, *generators = name.split()
    settings = {}
    if generators:
        made = import_module("jumanji.environments.routing.sokoban.generator")
        settings["generator"] = getattr(made, generators[0])()
    wrappers = import_module("jumanji.wrappers")
    env = wrappers.AutoResetWrapper(import_module("jumanji").make(identifier, **settings))

    def step(_: Any, state: Any, action: Any) -> Any:
        state, timestep = env.step(state, action)
        return state, (timestep.observation, timestep.reward)

    return Rival(f"Jumanji {name}", lambda key: env.reset(key)[0], step, _uniform(env.action_spec.num_values))


PROJECTS: dict[str, Callable[[str], Rival]] = {"gymnax": gymnax, "navix": navix, "pgx": pgx, "jumanji": jumanji}


def version(project: str) -> str | None:
    """The version of a project; `None` where it is not installed, or JAX is not."""
    try:
        metadata.version("jax")
        return metadata.version(project)
    except metadata.PackageNotFoundError:
        return None


def compiled(rival: Rival, worlds: int, ticks: int, observe: bool) -> Callable[[], None]:
    """A rollout that goes on from where the last one ended, and waits for the result.

    Args:
        rival: the environment.
        worlds: how many.
        ticks: of a rollout.
        observe: whether the observation of every tick is written, although nobody reads it.
    """
    import jax

    def ticked(key: Any, states: Any) -> Any:
        keys = jax.random.split(key, worlds + 1)
        return jax.vmap(rival.step)(keys[1:], states, rival.choose(keys[0], states, worlds))

    @jax.jit
    def rollout(key: Any, carried: Any) -> Any:
        def scanned(carry: Any, key: Any) -> Any:
            states, (observation, reward) = ticked(key, carry[0])
            if observe:
                observation, reward = jax.lax.optimization_barrier((observation, reward))
            return (states, carry[1] + reward), None

        return jax.lax.scan(scanned, carried, jax.random.split(key, ticks))[0]

    begin, key = jax.random.split(jax.random.key(7))
    states = jax.jit(jax.vmap(rival.begin))(jax.random.split(begin, worlds))
    rewards = jax.eval_shape(ticked, key, states)[1][1]
    carried = [(states, jax.numpy.zeros(rewards.shape, rewards.dtype))]

    def run() -> None:
        carried[0] = jax.block_until_ready(rollout(key, carried[0]))

    return run


def _uniform(actions: int) -> Callable[[Any, Any, int], Any]:
    import jax

    return lambda key, _, worlds: jax.random.randint(key, (worlds,), 0, actions)


def _real(low: Any, high: Any, shape: tuple[int, ...]) -> Callable[[Any, Any, int], Any]:
    import jax

    return lambda key, _, worlds: jax.random.uniform(key, (worlds, *shape), minval=low, maxval=high)
