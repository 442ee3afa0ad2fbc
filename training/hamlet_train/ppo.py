"""Proximal policy optimisation (Schulman et al. 2017), each of whose numbers is computed in one stated order."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np

from hamlet_train.draws import first_parameters
from hamlet_train.exact import kernels
from hamlet_train.exact.kernels import (
    CLIPPED,
    DISCOUNTED,
    DISCOUNTED_SQUARES,
    DIVERGENCE,
    ENTROPY,
    EPISODES,
    LOSSES,
    POLICY_LOSS,
    RETURNS,
    SAMPLES,
    SQUARES,
    SURVEYED,
    TICKS,
    VALUE_LOSS,
)
from hamlet_train.exact.network import LEAST_LOG_DEVIATION, MOST_LOG_DEVIATION, Array, Network
from hamlet_train.exact.store import Store
from hamlet_train.groups import Share
from hamlet_train.ranks import Ranks
from hamlet_train.settings import Settings
from hamlet_train.taking import Taken
from hamlet_train.team import Team

FIRST_DECAY, SECOND_DECAY, LEAST = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
"""Of Adam."""
TINY = 1e-8


@dataclass(slots=True)
class Learned:
    """The state of a learner, parameters and counts, the same in all processes.

    Attributes:
        parameters: of the network, f32; first_moment, second_moment: Adam's, which lie like them.
        update: how many updates are done.
        first_power, second_power: the powers of Adam's decays by its steps.
        samples, discounted, discounted_squares: what rewards are scaled by: counts and sums of discounted returns.
    """

    parameters: Array
    first_moment: Array
    second_moment: Array
    update: int = 0
    first_power: float = 1.0
    second_power: float = 1.0
    samples: float = 0.0
    discounted: float = 0.0
    discounted_squares: float = 0.0

    @classmethod
    def begun(cls, network: Network, reach: Array, seed: int) -> Learned:
        """Before the first update."""
        zeros = np.zeros(network.parameters, np.float32)
        return cls(first_parameters(network, reach, seed), zeros, zeros.copy())

    def digest(self) -> str:
        """The SHA-256 of the parameters, little-endian, in hexadecimal."""
        return sha256(self.parameters.astype("<f4").tobytes()).hexdigest()


@dataclass(slots=True)
class Lives:
    """Sums of the episodes that go on, [lanes] of one process: ticks i64, returns and discounted returns f64."""

    lengths: Array
    returns: Array
    discounted: Array

    @classmethod
    def begun(cls, lanes: int) -> Lives:
        """At the beginning of all episodes."""
        return cls(np.zeros(lanes, np.int64), np.zeros(lanes), np.zeros(lanes))


@dataclass(frozen=True, slots=True)
class Progress:
    """An update in numbers. `episodes` ended since the one before; their mean length in ticks with its standard
    deviation and their mean return are NaN where there were none. All worlds began at the same tick, so the first of
    these episodes are those of agents that died young: `hamlet_train.evaluation` says how good a policy is.

    `gradient` is the norm of the gradient before it is scaled down, the mean of those of all minibatches; NaN where it
    is not noted. `role` is whose update it is, where roles learn policies of their own; `ticks` are those of all
    agents. `stages` are how many worlds are in which stage of a curriculum after it."""

    update: int
    ticks: int
    episodes: int
    length: float
    spread: float
    returned: float
    policy_loss: float
    value_loss: float
    entropy: float
    clipped: float
    divergence: float
    weights: str
    gradient: float = math.nan
    role: str | None = None
    stages: Mapping[str, int] | None = None


@dataclass(slots=True)
class Learner:
    """Learns from stores. `updates` is how many there will be, since the step size goes down to 0; `gradient_norm`: it
    notes the norm of the gradient in every so-many-th update, never if 0; `role` is that of its crew, `agents` are
    those of a world, of all crews.

    `transposed`, `gradients` are memory, `norms` those of the minibatches of an update.
    """

    network: Network
    settings: Settings
    seed: int
    updates: int
    share: Share
    ranks: Ranks
    team: Team
    learned: Learned
    lives: Lives
    gradient_norm: int = 0
    role: str | None = None
    agents: int = 1
    norms: list[float] = field(init=False, default_factory=list)
    gradients: Array = field(init=False)
    transposed: Array = field(init=False)

    def __post_init__(self) -> None:
        self.gradients = np.zeros((self.share.count, self.network.parameters), np.float32)
        self.transposed = np.zeros(self.network.parameters, np.float32)

    def update(self, store: Store) -> Progress:
        """Learn from a store."""
        happened = self._survey(store)
        scale = self._scale(happened)
        mean, spread = self._estimate(store, scale)
        losses = np.zeros(LOSSES)
        self.norms.clear()
        for epoch in range(self.settings.epochs):
            losses = self._epoch(store, epoch, mean, spread)
        self.learned.update += 1
        return self._progress(store, happened, losses / max(happened[SAMPLES], 1.0))

    def take(self) -> None:
        """Go on from `learned` and `lives`, which were written into."""

    def forget(self, lanes: Array) -> None:
        """Count nothing of the episodes of these lanes [lanes] bool, which have others now."""
        for sums in (self.lives.lengths, self.lives.returns, self.lives.discounted):
            sums[lanes] = 0

    def leave(self) -> None:
        """Have all that was learnt in `learned` and `lives`."""

    def _survey(self, store: Store) -> Array:
        sums = np.zeros((self.share.count, SURVEYED))
        lives, bounds = self.lives, self.share.bounds

        def work(first: int, end: int, _memory: Array) -> None:
            kernels.survey(
                first,
                end,
                bounds,
                store.rewards,
                store.ends,
                store.valid,
                lives.lengths,
                lives.returns,
                lives.discounted,
                self.settings.discount,
                sums,
            )

        self.team.share(work, self.share.count)
        return self.ranks.sum_groups(sums, self.share)

    def _scale(self, happened: Array) -> np.float32:
        """The factor of rewards: one over the standard deviation of discounted returns so far."""
        learned = self.learned
        learned.samples += float(happened[SAMPLES])
        learned.discounted += float(happened[DISCOUNTED])
        learned.discounted_squares += float(happened[DISCOUNTED_SQUARES])
        count = max(learned.samples, 1.0)
        return np.float32(1.0 / (_deviation(learned.discounted, learned.discounted_squares, count) + TINY))

    def _estimate(self, store: Store, scale: np.float32) -> tuple[np.float32, np.float32]:
        """Advantages come into the store. Their mean, and one over their standard deviation."""
        sums = np.zeros((self.share.count, 3))
        settings, bounds = self.settings, self.share.bounds

        def work(first: int, end: int, _memory: Array) -> None:
            kernels.estimate(
                first,
                end,
                bounds,
                store.rewards,
                store.ends,
                store.valid,
                store.beyond,
                store.values,
                scale,
                np.float32(settings.discount),
                np.float32(settings.discount * settings.trace),
                store.advantages,
                sums,
            )

        self.team.share(work, self.share.count)
        total, squares, count = self.ranks.sum_groups(sums, self.share).tolist()
        count = max(count, 1.0)
        return np.float32(total / count), np.float32(1.0 / (_deviation(total, squares, count) + TINY))

    def _epoch(self, store: Store, epoch: int, mean: np.float32, spread: np.float32) -> Array:
        """One pass over the store, minibatch by minibatch; the sums of losses."""
        taken = Taken.of(store, self.share, self.seed, self.learned.update, epoch)
        losses = np.zeros(LOSSES)
        for part in range(self.settings.minibatches):
            losses += self._minibatch(store, taken, part, mean, spread)
        return losses

    def _minibatch(self, store: Store, taken: Taken, part: int, mean: np.float32, spread: np.float32) -> Array:
        settings, learned, parts = self.settings, self.learned, self.settings.minibatches
        table, bounds = self.network.table, self.share.bounds
        sums = np.zeros((self.share.count, LOSSES + 1))
        sums[:, LOSSES] = taken.of_part(part, parts)
        self.network.transpose(learned.parameters, self.transposed)

        def work(first: int, end: int, scratch: Array) -> None:
            kernels.learn(
                first,
                end,
                table,
                learned.parameters,
                self.transposed,
                bounds,
                taken.order,
                taken.counts,
                part,
                parts,
                store.inputs,
                store.masks,
                store.actions,
                store.raw,
                store.chances,
                store.values,
                store.advantages,
                mean,
                spread,
                np.float32(settings.clip),
                np.float32(settings.entropy * (1.0 - learned.update / self.updates)),
                np.float32(settings.value),
                self.gradients,
                sums,
                scratch,
                store.valid,
                store.memory,
            )

        self.team.share(work, self.share.count)
        summed = self.ranks.sum_groups(sums, self.share)
        self._descend(self.ranks.sum_groups(self.gradients, self.share), float(summed[LOSSES]))
        losses: Array = summed[:LOSSES]
        return losses

    def _descend(self, gradient: Array, count: float) -> None:
        learned = self.learned
        learned.first_power *= float(FIRST_DECAY)
        learned.second_power *= float(SECOND_DECAY)
        norm = kernels.descend(
            learned.parameters,
            gradient,
            learned.first_moment,
            learned.second_moment,
            1.0 / max(count, 1.0),
            self.settings.norm,
            np.float32(self.settings.rate * (1.0 - learned.update / self.updates)),
            FIRST_DECAY,
            SECOND_DECAY,
            np.float32(1.0 - learned.first_power),
            np.float32(1.0 - learned.second_power),
            LEAST,
        )
        self.norms.append(norm)
        log_deviations = self.network.log_deviations(learned.parameters)
        np.clip(log_deviations, LEAST_LOG_DEVIATION, MOST_LOG_DEVIATION, out=log_deviations)

    def _progress(self, store: Store, happened: Array, losses: Array) -> Progress:
        episodes, groups = int(happened[EPISODES]), self.share.groups
        count = episodes or math.nan
        noted = self.gradient_norm and self.learned.update % self.gradient_norm == 0
        return Progress(
            update=self.learned.update,
            ticks=self.learned.update * store.ticks * groups.worlds * self.agents,
            episodes=episodes,
            length=happened[TICKS] / count,
            spread=_deviation(happened[TICKS], happened[SQUARES], count),
            returned=happened[RETURNS] / count,
            policy_loss=losses[POLICY_LOSS],
            value_loss=losses[VALUE_LOSS],
            entropy=losses[ENTROPY],
            clipped=losses[CLIPPED],
            divergence=losses[DIVERGENCE],
            weights=self.learned.digest(),
            gradient=math.fsum(self.norms) / len(self.norms) if noted else math.nan,
            role=self.role,
        )


def digest_of(digests: Mapping[str | None, str]) -> str:
    """The SHA-256 of what all crews learnt, of that of each by its role: that of the only one as it is."""
    if list(digests) == [None]:
        return digests[None]
    return sha256("".join(f"{role} {digest}\n" for role, digest in digests.items()).encode()).hexdigest()


def _deviation(total: float, squares: float, count: float) -> float:
    """The standard deviation of so many numbers with this sum and this sum of squares."""
    mean = total / count
    return math.sqrt(max(squares / count - mean * mean, 0.0))
