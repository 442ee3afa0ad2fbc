"""A port beside the environment that it is a port of: the same actions from the same state, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol, TypeAlias

import gymnasium
import numpy as np
from numpy.typing import NDArray

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module

Array: TypeAlias = NDArray[Any]
State: TypeAlias = Mapping[str, Any]
"""Meters and states of a port by name, as `Env.set` takes them for one world: a number, or a row of agents or cells;
"position" of a world of one agent: a row of coordinates."""

STEPS = 5000
"""Steps of a comparison, at least."""
ROOM = 1e-5


@dataclass(frozen=True, slots=True)
class Step:
    """A step of one world of the original.

    Attributes:
        observation: [agents, values], as the port observes.
        reward: [agents].
        terminated: [agents] bool.
        truncated: [agents] bool.
    """

    observation: Array
    reward: Array
    terminated: Array
    truncated: Array


class Original(Protocol):
    """One world of the environment that a port is a port of."""

    def reset(self) -> Array:
        """Begin an episode: the first observations, [agents, values]."""

    def state(self) -> State:
        """The state by the names of the port. What is not in it begins with the episode of the port."""

    def step(self, actions: Array) -> Step:
        """One step with the numbers of actions, [agents], or the controls, [controls, agents]."""


class Single:
    """A world of Gymnasium: one agent.

    Args:
        env: the environment, with its limit of time.
        state: its state by the names of the port.
        observe: the values of an observation; by default the observation is a row of them.
        seed: of the first episode.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        state: Callable[[Any], State],
        observe: Callable[[Any], Any] = np.asarray,
        seed: int = 0,
    ) -> None:
        self._env, self._state, self._observe = env, state, observe
        self._seed: int | None = seed

    def reset(self) -> Array:
        observation, _ = self._env.reset(seed=self._seed)
        self._seed = None
        return np.atleast_2d(self._observe(observation))

    def state(self) -> State:
        return self._state(self._env.unwrapped)

    def step(self, actions: Array) -> Step:
        action = int(actions[0]) if actions.ndim == 1 else actions[:, 0]
        observation, reward, terminated, truncated, _ = self._env.step(action)
        values = np.atleast_2d(self._observe(observation))
        return Step(values, np.array([reward]), np.array([terminated]), np.array([truncated]))


class Players:
    """A world of PettingZoo: several agents that act at the same time.

    Args:
        env: the parallel environment.
        state: its state by the names of the port.
        observe: the values of an agent's observation; by default the observation is a row of them.
        seed: of the first episode.
    """

    def __init__(
        self,
        env: Any,
        state: Callable[[Any], State],
        observe: Callable[[Any], Any] = np.asarray,
        seed: int = 0,
    ) -> None:
        self._env, self._state, self._observe = env, state, observe
        self._seed: int | None = seed

    def reset(self) -> Array:
        observations, _ = self._env.reset(seed=self._seed)
        self._seed = None
        return self._values(observations)

    def state(self) -> State:
        return self._state(self._env.unwrapped)

    def step(self, actions: Array) -> Step:
        names = self._env.possible_agents
        results = self._env.step({name: int(action) for name, action in zip(names, actions, strict=True)})
        return Step(self._values(results[0]), *(np.array([each[name] for name in names]) for each in results[1:4]))

    def _values(self, observations: Mapping[str, Any]) -> Array:
        return np.stack([self._observe(observations[name]) for name in self._env.possible_agents])


@dataclass(slots=True)
class Comparison:
    """What was compared, and how far apart both were at most.

    Attributes:
        steps: of agents.
        terminated, truncated: ends of agents.
        differences: numbers of observations, rewards and ends that were not equal.
        wrong_ends: ends that only one of both had.
        observation, reward, state: the largest difference of a number.
    """

    steps: int = 0
    terminated: int = 0
    truncated: int = 0
    differences: int = 0
    wrong_ends: int = 0
    observation: float = 0.0
    reward: float = 0.0
    state: float = 0.0

    def observed(self, ours: Array, theirs: Array) -> None:
        """Compare observations, of the same shape."""
        assert ours.shape == theirs.shape, f"{ours.shape} here, {theirs.shape} there"
        self.differences += int((ours != theirs).sum())
        self.observation = max(self.observation, float(np.abs(ours - theirs).max()))

    def held(self, ours: Array, theirs: Array) -> None:
        """Compare the values of a meter or a state."""
        assert ours.shape == theirs.shape, f"{ours.shape} here, {theirs.shape} there"
        self.differences += int((ours != theirs.astype(np.float32)).sum())
        self.state = max(self.state, float(np.abs(ours - theirs).max(initial=0)))

    def stepped(self, ours: Step, theirs: Step) -> None:
        """Compare a step of all worlds."""
        self.observed(ours.observation, theirs.observation)
        self.steps += theirs.reward.size
        self.terminated += int(theirs.terminated.sum())
        self.truncated += int(theirs.truncated.sum())
        self.reward = max(self.reward, float(np.abs(ours.reward - theirs.reward).max()))
        wrong = (ours.terminated != theirs.terminated) | (ours.truncated != theirs.truncated)
        self.wrong_ends += int(wrong.sum())
        self.differences += int(wrong.sum()) + int((ours.reward != theirs.reward.astype(np.float32)).sum())

    def sufficient(self, terminated: int = 1, truncated: int = 1, steps: int = STEPS) -> Comparison:
        """The same, if it is of enough steps, and of so many ends at least."""
        assert self.steps >= steps, f"too little was compared: {self}"
        assert self.terminated >= terminated, f"too little ended: {self}"
        assert self.truncated >= truncated, f"too little was truncated: {self}"
        return self


Chooser: TypeAlias = Callable[[int, Array], Array]
"""The numbers of actions [worlds, agents], or controls [worlds, controls, agents] f32, by the tick and the observations
of the originals, [worlds, agents, values]."""


def side_by_side(
    module: Module, originals: Sequence[Original], choose: Chooser, ticks: int, again: int | None = None
) -> Comparison:
    """Give both the same actions, each episode from the state with which the original begins.

    Args:
        module: the port.
        originals: one for each world.
        choose: the actions.
        ticks: how many.
        again: both go on from the state of the original after so many ticks, too: rounding errors do not add up longer.
    """
    comparison, began = Comparison(), list(range(len(originals)))
    observations = np.stack([each.reset() for each in originals])
    env = hamlet.make(module, worlds=len(originals), agents=observations.shape[1], backend="c", quiet=True)
    for tick in range(ticks):
        placed = range(len(originals)) if again is not None and tick % again == 0 else began
        place(env, {w: originals[w].state() for w in placed})
        if began:
            comparison.observed(of_worlds(env.observation, env)[began], observations[began])
        actions = choose(tick, observations)
        ours = stepped(env, actions)
        each = [original.step(row) for original, row in zip(originals, actions, strict=True)]
        theirs = Step(*(np.stack([getattr(step, name) for step in each]) for name in Step.__slots__))
        comparison.stepped(ours, theirs)
        observations = theirs.observation
        # Where only one of both ended, which is counted, both begin anew.
        over = (ours.terminated | ours.truncated).all(axis=1) | (theirs.terminated | theirs.truncated).all(axis=1)
        began = np.flatnonzero(over).tolist()
        goes_on = np.flatnonzero(~over).tolist()
        for name, values in by_name([originals[w].state() for w in goes_on]).items():
            if name == "position":
                continue  # what is observed says it
            comparison.held(values_of(env, name)[goes_on], values)
        for w in began:
            observations[w] = originals[w].reset()
    return comparison


def drawn(actions: int, seed: int = 1) -> Chooser:
    """Each of the actions as likely."""
    rng = np.random.default_rng(seed)
    return lambda _, observations: rng.integers(0, actions, observations.shape[:2])


def place(env: Env, states: Mapping[int, State]) -> None:
    """Write the states of some worlds."""
    for name, values in by_name(list(states.values())).items():
        if name == "position":
            env.set(name, values, worlds=list(states))
            continue
        by_cells = env.meter(name).ndim == 2
        rows = values.T if by_cells else values if values.shape[1] > 1 else values[:, 0]
        env.set(name, rows, worlds=list(states))


def by_name(states: Sequence[State]) -> dict[str, Array]:
    """The values of several worlds, [worlds, agents or cells], by their name."""
    return {name: np.stack([np.atleast_1d(each[name]) for each in states]) for name in (states[0] if states else ())}


def values_of(env: Env, name: str) -> Array:
    """The values of a meter or a state, [worlds, agents or cells]."""
    values: Array = env.meter(name).cpu().numpy()
    return values.T if values.ndim == 2 else values.reshape(env.num_worlds, -1)


def of_worlds(values: Any, env: Env) -> Array:
    """[worlds, agents, ...] of a tensor of lanes."""
    array: Array = values.cpu().numpy()
    return array.reshape(env.num_worlds, env.num_agents, *array.shape[1:])


def stepped(env: Env, actions: Array) -> Step:
    """A step of the port: arrays [worlds, agents, ...]."""
    if actions.ndim == 3:
        chosen = np.zeros((env.num_worlds, env.num_agents), np.int32)
        results = env.step(chosen, np.ascontiguousarray(np.moveaxis(actions, 1, 0), np.float32))
    else:
        results = env.step(actions.astype(np.int32))
    observation, reward, terminated, truncated, info = results
    rest = [of_worlds(each, env) for each in (reward, terminated, truncated)]
    over = (rest[1] | rest[2]).all(axis=1)[:, None, None]
    return Step(np.where(over, of_worlds(info["final_observation"], env), of_worlds(observation, env)), *rest)


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean and the half of its 95 % interval."""

    value: float
    half: float

    def __str__(self) -> str:
        return f"{self.value:.4g} +- {self.half:.2g}"


def mean(values: Sequence[float] | Array) -> Mean:
    """The mean of independent values."""
    array = np.asarray(values, np.float64)
    assert len(array) > 1
    return Mean(float(array.mean()), float(1.96 * array.std(ddof=1) / np.sqrt(len(array))))


def agree(ours: Mean, theirs: Mean) -> bool:
    """Whether the difference of the means is within its 95 % interval."""
    return abs(ours.value - theirs.value) <= np.hypot(ours.half, theirs.half)


@dataclass(frozen=True, slots=True)
class Episodes:
    """Returns and lengths of episodes, a row of each."""

    returns: Array
    lengths: Array


Policy: TypeAlias = Callable[[Array], Array]
"""The actions [n] for observations [n, values]."""


def uniform(actions: int, seed: int = 0) -> Policy:
    """Each of the actions as likely."""
    rng = np.random.default_rng(seed)
    return lambda observations: rng.integers(0, actions, len(observations))


def port_episodes(module: Module, policy: Policy, episodes: int, seed: int = 1) -> Episodes:
    """The first episodes of as many worlds of one agent."""
    env = hamlet.make(module, worlds=episodes, seed=seed, backend="c", quiet=True)
    returns, lengths, alive = np.zeros(episodes), np.zeros(episodes, int), np.ones(episodes, bool)
    while alive.any():
        actions = policy(env.observation.numpy())
        _, reward, terminated, truncated, _ = env.step(actions.astype(np.int32))
        returns += np.where(alive, reward.numpy(), 0)
        lengths += alive
        alive &= ~(terminated | truncated).numpy()
    return Episodes(returns, lengths)


def original_episodes(original: Original, policy: Policy, episodes: int) -> Episodes:
    """As many episodes of the original, one after the other."""
    returns, lengths = np.zeros(episodes), np.zeros(episodes, int)
    for number in range(episodes):
        observation = original.reset()
        for ticks in count(1):
            step = original.step(policy(observation))
            observation = step.observation
            returns[number] += step.reward[0]
            if step.terminated[0] or step.truncated[0]:
                lengths[number] = ticks
                break
    return Episodes(returns, lengths)


def same_episodes(module: Module, original: Original, here: Policy, there: Policy, episodes: int) -> float:
    """Returns and lengths of four times as many episodes of a port have the means that they have there. Gives the mean
    return."""
    ours = port_episodes(module, here, 4 * episodes)
    theirs = original_episodes(original, there, episodes)
    for a, b in ((ours.returns, theirs.returns), (ours.lengths, theirs.lengths)):
        assert agree(mean(a), mean(b)), f"{mean(a)} here, {mean(b)} there"
    return mean(ours.returns).value


Transitions: TypeAlias = Mapping[int, Mapping[int, Sequence[tuple[float, int, float, bool]]]]
"""`P` of Gymnasium's toy text: of each state and action the probability, the next state, the reward, and the end."""


def optimal(transitions: Transitions, discount: float = 0.99, tolerance: float = 1e-10) -> Array:
    """The best action of each state, [states], by value iteration."""
    states, actions = len(transitions), len(transitions[0])
    most = max(len(row) for of in transitions.values() for row in of.values())
    chance, reward = np.zeros((2, states, actions, most))
    then, goes_on = np.zeros((states, actions, most), int), np.zeros((states, actions, most))
    for s, of in transitions.items():
        for a, row in of.items():
            for k, (p, after, r, done) in enumerate(row):
                chance[s, a, k], then[s, a, k], reward[s, a, k], goes_on[s, a, k] = p, after, r, not done
    values = np.zeros(states)
    while True:
        of_actions = (chance * (reward + discount * goes_on * values[then])).sum(axis=2)
        best = of_actions.max(axis=1)
        if np.abs(best - values).max() < tolerance:
            return of_actions.argmax(axis=1)
        values = best
