"""How many ticks of a rollout are one launch: Ctrl-C takes effect between launches, so these are short.

Each launch loads and stores the state of all lanes, which takes as long as a few ticks; so launches are as long as they
may be, by the time that the last ones took.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from hamlet.backend.protocol import NetworkPolicy, Policy

SECONDS = 0.4
"""Of a launch: Ctrl-C shall take effect within a second, also where another program takes half of the processor."""
BUSY = 8
"""A launch takes at most as many times the time of its thread on a processor: where others take more of it than that,
Ctrl-C waits for them, since shorter launches would only do more work."""
GROWTH = 8
"""How many times as long as the last launch one may be, whatever its time says: it may have been too short to tell."""
WEIGHTS = 64
"""Weights of a network that take as long as a tick of a small universe, at least."""

Kind: TypeAlias = tuple[str, bool, int]
"""A key of the time that a tick takes, beside the worlds: the kind of the policy, whether every tick is observed, and
the weights of a network.
"""


@dataclass(frozen=True, slots=True)
class Pace:
    """The ticks of launches by the kind of rollouts.

    Attributes:
        first: agent-ticks of the first launch of a kind, without a network; `None` where launches keep nobody waiting.
        lanes: of the environment.
        most: the ticks of the next launch of each kind that has run.
    """

    first: int | None
    lanes: int
    most: dict[Kind, int]

    def ticks(self, kind: Kind, ticks: int) -> int:
        """The ticks of the next launch, of so many that are left."""
        if self.first is None:
            return ticks
        work = self.lanes * max(kind[2] // WEIGHTS, 1)
        return min(self.most.get(kind, max(self.first // work, 1)), ticks)

    def took(self, kind: Kind, ticks: int, passed: float, worked: float) -> None:
        """A launch of so many ticks took so many seconds, of which this thread had a processor in so many."""
        seconds = min(passed, BUSY * worked)
        self.most[kind] = max(min(int(ticks * SECONDS / max(seconds, 1e-9)), GROWTH * ticks), 1)


def kind_of(policy: Policy, observing: bool) -> Kind:
    """The kind of a rollout with this policy, which observes every tick or the last one."""
    weights = 0
    if isinstance(policy, NetworkPolicy):
        weights = sum(weight.numel() for weight, _ in policy.layers) // policy.members
    return type(policy).__name__, observing, weights
