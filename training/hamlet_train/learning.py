"""A training between two updates: the crews that learn, and the worlds in which they act."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from hamlet.env.environment import Env
from hamlet_train.collect import Actor, Player, Present, collect
from hamlet_train.crews import Crew
from hamlet_train.critic import Critic, Judging
from hamlet_train.curriculum import Curriculum
from hamlet_train.exact.network import Array
from hamlet_train.exact.store import Memory, Store
from hamlet_train.kinds import in_stages
from hamlet_train.past import Past
from hamlet_train.policy import Policy
from hamlet_train.ppo import Learner, Progress, digest_of
from hamlet_train.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Learning:
    """A crew that learns: its learner, the actor that plays for it, and the store between both; and its critic, where
    that is a network of its own. There is no actor where rollouts play."""

    crew: Crew
    learner: Learner
    actor: Actor | None
    store: Store
    critic: Judging | None = None

    @property
    def player(self) -> Player:
        """The actor with what was learnt so far."""
        assert self.actor is not None
        judge = self.critic if isinstance(self.critic, Critic) else None
        return Player(self.actor, self.learner.learned.parameters, self.store, judge)

    def forget(self, lanes: Array) -> None:
        """Episodes of these lanes [lanes of the crew] bool ended, and nobody counts them."""
        self.learner.forget(lanes)
        if self.critic is not None:
            self.critic.learner.forget(lanes)

    def update(self) -> Progress:
        """Learn from the store."""
        judged = None if self.critic is None else self.critic.teach(self.store)
        line = self.learner.update(self.store)
        return line if judged is None else replace(line, value_loss=judged.value_loss)


@dataclass(frozen=True, slots=True)
class Training:
    """A training.

    Attributes:
        env, present: the worlds, and their present tick; `None` where rollouts play.
        crews: those that learn.
        fixed: policies of roles that play as they are, by role; opponents: these, playing.
        past: earlier selves of the crews, who play too.
        curriculum: of a universe with stages.
        schedule: the settings of each update.
    """

    env: Env
    present: Present | None
    crews: tuple[Learning, ...]
    fixed: Mapping[str | None, Policy]
    opponents: tuple[Player, ...]
    past: Past | None
    curriculum: Curriculum | None
    schedule: Schedule

    @property
    def update(self) -> int:
        """How many updates are done."""
        return self.crews[0].learner.learned.update

    def collect(self) -> None:
        """Fill the stores."""
        assert self.present is not None
        past = [] if self.past is None else self.past.players(self.update, [each.store.memory for each in self.crews])
        collect(self.present, [each.player for each in self.crews], [*self.opponents, *past])
        if self.past is not None:
            self.past.leave([each.store for each in self.crews])

    def advance(self) -> tuple[Progress, ...]:
        """One update of each crew."""
        if self.schedule.changes:
            for each in self.crews:
                each.learner.settings = self.schedule.at(self.update)
        self.collect()
        lines = tuple(each.update() for each in self.crews)
        self.note()
        self.begin_anew()
        stages = in_stages(self.env, self.crews[0].learner.ranks)
        return lines if stages is None else tuple(replace(each, stages=stages) for each in lines)

    def begin_anew(self) -> None:
        """Let worlds begin their curriculum anew, where there is one."""
        worlds = None if self.curriculum is None else self.curriculum.begin_anew()
        if worlds is not None:
            for each in self.crews:
                each.forget(np.repeat(worlds, len(each.crew.agents)))

    def memories(self) -> list[tuple[str, Memory, int]]:
        """The memories of policies that play as they are: the role of each, and how many agents of a world have it."""
        roles = [role for role in self.env.roles if role in self.fixed]
        stores = [each.store for each in self.opponents]
        return [
            (role, store.memory, len(store.valid) // self.env.num_worlds)
            for role, store in zip(roles, stores, strict=True)
            if store.memory is not None
        ]

    def remember(self) -> None:
        """Go on from what was written into memories."""

    def note(self) -> None:
        """Keep the crews as they are among their past selves, where there are any."""
        if self.past is not None:
            self.past.note(self.update, [each.learner.learned.parameters for each in self.crews])

    def digest(self) -> str:
        """The SHA-256 of what was learnt."""
        return digest_of({each.crew.role: each.learner.learned.digest() for each in self.crews})

    def policies(self) -> dict[str | None, Policy]:
        """The policies as they are, by role, those that are fixed too."""
        learnt = {
            each.crew.role: Policy(each.learner.network, each.learner.learned.parameters, {}) for each in self.crews
        }
        return {**learnt, **self.fixed}
