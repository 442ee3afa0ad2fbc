"""Past selves: opponents of those who learn, so that none forgets how to meet what it has beaten before.

Every second group of worlds is played by one crew that learns and by others as they were after an earlier update, which
Philox draws for each of these groups and each update. Which crew learns in which group stays the same, so the lanes of
a crew learn always or never.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hamlet_train.collect import Actor, Player, Present, bounds_of
from hamlet_train.crews import Crew
from hamlet_train.draws import past_words
from hamlet_train.errors import TrainError
from hamlet_train.exact.network import Array, Network
from hamlet_train.exact.store import Store
from hamlet_train.groups import Groups, Share
from hamlet_train.team import Team


@dataclass(frozen=True, slots=True)
class Self:
    """The parameters of all crews after an update."""

    update: int
    parameters: tuple[Array, ...]


@dataclass(slots=True)
class Past:
    """The latest past selves of the crews that learn, and where they play.

    Attributes:
        present, team: in which worlds, by which threads.
        crews, networks: that learn.
        shares: of this process, one for each crew.
        most: how many selves there are at most. every: updates from one to the next.
        seed: of the training.
        selves: those that there are, the oldest first.
    """

    present: Present
    team: Team
    crews: tuple[Crew, ...]
    networks: tuple[Network, ...]
    shares: tuple[Share, ...]
    most: int
    every: int
    seed: int
    selves: list[Self] = field(default_factory=list)

    def note(self, update: int, parameters: Sequence[Array]) -> None:
        """Keep what the crews are after an update, where it is time to."""
        if update % self.every == 0:
            self.selves.append(Self(update, tuple(each.copy() for each in parameters)))
            del self.selves[: -self.most]

    def players(self, update: int) -> list[Player]:
        """The past selves that play during an update."""
        share = self.shares[0]
        groups = np.arange(share.first, share.end)
        drawn = past_words(groups, update, self.seed) % len(self.selves)
        players = []
        for number, (crew, network) in enumerate(zip(self.crews, self.networks, strict=True)):
            team = self.team.beside(network.scratch)
            for index, self_then in enumerate(self.selves):
                lanes = self._lanes(number, groups[drawn == index])
                if len(lanes) == 0:
                    continue
                every = np.arange(self.present.env.num_lanes) if crew.lanes is None else crew.lanes
                actor = Actor(self.present, network, team, bounds_of(len(lanes)), every[lanes], crew.actions)
                store = Store.empty(network, len(lanes), 1)
                players.append(Player(actor, self_then.parameters[number], store))
        return players

    def leave(self, stores: Sequence[Store]) -> None:
        """Note in the stores of crews that they learn nothing where their past selves have played."""
        groups = np.arange(self.shares[0].first, self.shares[0].end)
        for number, store in enumerate(stores):
            store.valid[self._lanes(number, groups)] = 0

    def _lanes(self, crew: int, groups: Array) -> Array:
        """The lanes of a crew, among its own, in those of these groups that its past selves play."""
        first, bounds = self.shares[crew].first, self.shares[crew].bounds
        mine = [group for group in groups.tolist() if group % 2 and (group // 2) % len(self.crews) != crew]
        lanes = [np.arange(bounds[group - first], bounds[group - first + 1]) for group in mine]
        return np.concatenate([np.zeros(0, np.int64), *lanes])


def check_past(crews: int, groups: Groups) -> None:
    """Raise `TrainError` unless so many crews that learn can each do so beside past selves of the others."""
    if crews < 2:
        raise TrainError("past selves play in the place of other roles that learn, and here one policy learns")
    if groups.count < 2 * crews:
        worlds = 2 * crews * groups.worlds_each
        raise TrainError(f"past selves play in worlds of their own: take {worlds} worlds or more")
