"""A critic that sees the world (MAPPO: Yu and others, "The surprising effectiveness of PPO in cooperative multi-agent
games", 2022): a network of its own, which is given what all agents observe and says what an observation is worth.

The actor sees what it saw before, and it alone is the policy. For an agent the critic is given its own observation,
then those of all agents of its world in the order of their numbers, zeros of those that do not live.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch

from hamlet.env.environment import Env
from hamlet_train.collect import Actor, Present
from hamlet_train.crews import Crew
from hamlet_train.errors import TrainError
from hamlet_train.exact.network import Array, Network
from hamlet_train.exact.store import Store
from hamlet_train.groups import Share
from hamlet_train.ppo import Learned, Learner, Lives, Progress
from hamlet_train.ranks import Ranks
from hamlet_train.settings import Settings
from hamlet_train.team import Team

MOST_INPUTS = 4096
"""Numbers that a critic is given."""
NOTHING = np.zeros(0, np.uint32)


class Overview(Present):
    """The present tick as a critic sees it: it chooses nothing that anybody does."""

    def __init__(self, present: Present, crew: Crew) -> None:
        """An overview for the agents of a crew."""
        env = self.env = present.env
        self._crew, self._observed = crew, present.seen[0]
        self._alive = present.seen[2]
        self._living = np.zeros(env.num_lanes, np.float32)
        self._own = len(crew.reach)
        inputs = self._own + env.num_agents * len(self._observed)
        self.ranges = np.zeros((0, 4), np.float32)
        self.chosen, self.controls = np.zeros(env.num_lanes, np.int32), np.zeros((0, env.num_lanes), np.float32)
        self.last = np.zeros((inputs, env.num_lanes), np.float32)
        self.seen = np.zeros((inputs, env.num_lanes), np.float32), np.ones((1, env.num_lanes), np.bool_), self._alive
        self.age = present.age

    def words(self) -> tuple[Array, Array]:
        """No words: there is nothing to draw."""
        return NOTHING, NOTHING

    def look(self) -> None:
        """See what agents observe now."""
        self._living[:] = self._alive
        self._see(self._observed, self.seen[0])

    def look_back(self, last: torch.Tensor) -> torch.Tensor:
        """The same of the last observations [lanes, values] of episodes, where those live who did so before the tick:
        [lanes, inputs]."""
        self._see(last.T.numpy(), self.last)
        return torch.from_numpy(self.last).T

    def _see(self, observed: Array, into: Array) -> None:
        env = self.env
        worlds, agents, values = env.num_worlds, env.num_agents, len(observed)
        into[: self._own] = observed[: self._own]
        every = (observed * self._living).reshape(values, worlds, agents).transpose(2, 0, 1).reshape(-1, worlds)
        into[self._own :].reshape(-1, worlds, agents)[:] = every[:, :, None]


def first_critic(env: Env, crew: Crew, settings: Settings, seed: int) -> tuple[Network, Learned, Settings]:
    """The network of a critic of a crew, its parameters before the first update, and the settings by which it learns.

    Raises:
        TrainError: it would be given too much, or agents are born.
    """
    if env.universe.pools:
        raise TrainError("--critic world: agents are born in this universe, and such a critic knows no births")
    inputs = len(crew.reach) + env.num_agents * len(env.observation_names)
    if inputs > MOST_INPUTS:
        raise TrainError(
            f"--critic world: {env.num_agents} agents observe {inputs:,} numbers together, and at most "
            f"{MOST_INPUTS:,} are given to a critic"
        )
    # Its one action is always taken, and teaches nothing.
    network = Network(inputs, settings.hidden, 1)
    reach = np.maximum(env.observation_low.abs().cpu().numpy(), env.observation_high.abs().cpu().numpy())
    learned = Learned.begun(network, np.concatenate([crew.reach, np.tile(reach, env.num_agents)]), seed ^ 1)
    # Who sees the world remembers nothing of it.
    return network, learned, replace(settings, entropy=0.0, memory=0)


@dataclass(frozen=True, slots=True)
class Judging:
    """The critic of a crew as what learns: it has what it learns from."""

    learner: Learner

    def teach(self, store: Store) -> Progress:
        """Learn from what came of the values of the critic, which the store of the crew has then."""
        return self.learner.update(store)


@dataclass(frozen=True, slots=True)
class Critic(Judging):
    """The critic of a crew on a CPU: what it sees, who evaluates that, and its store, whose samples are those of
    the crew's store."""

    overview: Overview
    actor: Actor
    store: Store

    @classmethod
    def begun(
        cls, present: Present, team: Team, crew: Crew, share: Share, settings: Settings, updates: int, seed: int,
        ranks: Ranks,
    ) -> Critic:  # fmt: skip
        """A critic before its first update; `seed` is that of its crew.

        Raises:
            TrainError: it would be given too much, or agents are born.
        """
        network, learned, quiet = first_critic(present.env, crew, settings, seed)
        overview = Overview(present, crew)
        mine = team.beside(network.scratch)
        learner = Learner(network, quiet, seed, updates, share, ranks, mine, learned, Lives.begun(share.lanes))
        actor = Actor(overview, network, mine, share.bounds, crew.lanes)
        return cls(learner, overview, actor, Store.empty(network, share.lanes, settings.horizon))

    def judge(self, tick: int) -> None:
        """Evaluate what agents observe before a tick, or after the last one of the store."""
        self.overview.look()
        self.actor.act(self.learner.learned.parameters, self.store, tick)

    def look(self, tick: int, last: torch.Tensor, *flags: torch.Tensor) -> None:
        """Evaluate the last observations of episodes that a tick has cut short, see `Actor.look`."""
        self.actor.look(self.learner.learned.parameters, self.store, tick, self.overview.look_back(last), *flags)

    def teach(self, store: Store) -> Progress:
        """Give the store of the crew the critic's values, and learn from what came of them."""
        mine = self.store
        for name in ("rewards", "ends", "valid"):
            getattr(mine, name)[:] = getattr(store, name)
        mine.chances[:] = 0.0
        store.values[:], store.beyond[:] = mine.values, mine.beyond
        return self.learner.update(mine)
