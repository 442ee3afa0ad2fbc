"""Past selves: opponents of those who learn, so that none forgets how to meet what it has beaten before.

Every second group of worlds is played by one crew that learns and by others as they were after an earlier update, which
Philox draws for each of these groups and each update. Which crew learns in which group stays the same, so the lanes of
a crew learn always or never.

With memories the crews that learn listen there: they see what agents see, and what these did. A past self that comes
into an episode takes over what its crew remembers of it, as the crew itself goes on with what it remembered by earlier
parameters. So selves need no memory between updates, and checkpoints know all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from hamlet_train.collect import Actor, Listener, Player, Present, bounds_of
from hamlet_train.crews import Crew
from hamlet_train.draws import past_words
from hamlet_train.errors import TrainError
from hamlet_train.exact.network import Array, Network
from hamlet_train.exact.store import Memory, Store
from hamlet_train.groups import Groups, Share
from hamlet_train.ppo import Learner
from hamlet_train.run import Manifest
from hamlet_train.team import Team

SELVES = 50
"""Updates of a training after which its crews are kept as past selves, about."""


@dataclass(frozen=True, slots=True)
class Self:
    """The parameters of all crews after an update."""

    update: int
    parameters: tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """The lanes [lanes] of an environment that a past self plays, the number of the crew that it was, and its
    parameters. `own` [lanes] are the numbers of these lanes among those of the crew."""

    crew: int
    parameters: Array
    lanes: Array
    own: Array


@dataclass(slots=True)
class Past:
    """The latest past selves of the crews that learn, and where they play.

    Attributes:
        present, team: in which worlds, by which threads; there is no present tick on a GPU.
        crews, networks: that learn.
        shares: of this process, one for each crew.
        most: how many selves there are at most. every: updates from one to the next.
        seed: of the training.
        selves: those that there are, the oldest first.
    """

    present: Present | None
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

    @property
    def _groups(self) -> Array:
        return np.arange(self.shares[0].first, self.shares[0].end)

    def parts(self, update: int) -> Iterator[Part]:
        """The lanes that past selves play during an update."""
        groups = self._groups
        drawn = past_words(groups, update, self.seed) % len(self.selves)
        for number, crew in enumerate(self.crews):
            # Of several crews none has all lanes.
            assert crew.lanes is not None
            for index, self_then in enumerate(self.selves):
                lanes = self._lanes(number, groups[drawn == index])
                if len(lanes):
                    yield Part(number, self_then.parameters[number], crew.lanes[lanes], lanes)

    def players(self, update: int, memories: Sequence[Memory | None]) -> list[Player]:
        """The past selves that play during an update, who know what crews remember."""
        assert self.present is not None
        players = []
        for part in self.parts(update):
            crew, network = self.crews[part.crew], self.networks[part.crew]
            team, lanes = self.team.beside(network.scratch), len(part.lanes)
            actor = Actor(self.present, network, team, bounds_of(lanes), part.lanes, crew.actions)
            store, listener, of_crew = Store.empty(network, lanes, 1), None, memories[part.crew]
            if of_crew is not None:
                assert store.memory is not None
                of_crew.hand_over(store.memory, part.own)
                listener = Listener(of_crew, part.own)
            players.append(Player(actor, part.parameters, store, listener=listener))
        return players

    def played(self, crew: int) -> Array:
        """The lanes of a crew, among its own, that its past selves play: it learns nothing there."""
        return self._lanes(crew, self._groups)

    def leave(self, stores: Sequence[Store]) -> None:
        """Note in the stores of crews that they learn nothing where their past selves have played."""
        for number, store in enumerate(stores):
            store.valid[self.played(number)] = 0

    def _lanes(self, crew: int, groups: Array) -> Array:
        """The lanes of a crew, among its own, in those of these groups that its past selves play."""
        first, bounds = self.shares[crew].first, self.shares[crew].bounds
        mine = [group for group in groups.tolist() if group % 2 and (group // 2) % len(self.crews) != crew]
        lanes = [np.arange(bounds[group - first], bounds[group - first + 1]) for group in mine]
        return np.concatenate([np.zeros(0, np.int64), *lanes])


def past_of(
    present: Present | None, team: Team, manifest: Manifest, crews: Sequence[tuple[Crew, Learner]]
) -> Past | None:
    """Past selves of the crews that learn, if the training has them.

    Raises:
        TrainError: only one crew learns, or there are too few worlds.
    """
    if not manifest.past:
        return None
    check_past(len(crews), crews[0][1].share.groups)
    return Past(
        present,
        team,
        tuple(crew for crew, _ in crews),
        tuple(learner.network for _, learner in crews),
        tuple(learner.share for _, learner in crews),
        manifest.past,
        max(manifest.updates // SELVES, 1),
        manifest.seed,
    )


def check_past(crews: int, groups: Groups) -> None:
    """Raise `TrainError` unless so many crews that learn can each do so beside past selves of the others."""
    if crews < 2:
        raise TrainError("past selves play in the place of other roles that learn, and here one policy learns")
    if groups.count < 2 * crews:
        worlds = 2 * crews * groups.worlds_each
        raise TrainError(f"past selves play in worlds of their own: take {worlds} worlds or more")
