"""Rewards, potentials, goals, the end of an episode."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Finding, Label, Told, finding
from hamletc.intervals import Interval
from hamletc.messages.ranges import Cause, cure


@finding("H064")
class RewardOfZero(Finding):
    def told(self) -> Told:
        return Told("a reward of 0 has no effect", "Leave it out.")


@finding("H064")
class NothingAdded(Finding):
    def told(self) -> Told:
        return Told("this adds nothing to the other rewards", "Leave the line out.")


@finding("H217")
class DrawForWorld(Finding):
    """Agents of a world draw apart, and it ends for all of them."""

    def told(self) -> Told:
        hint = "Let a rule of the world draw, and keep in a meter what comes of it."
        return Told("nothing is drawn for the end of a world", hint, "agents draw apart")


@finding("H030")
class ShapingArguments(Finding):
    def told(self) -> Told:
        hint = "Write the discount and the potential, as in `shaping(0.99, -0.1 * distance to Bed)`."
        return Told("`shaping` takes two arguments", hint)


@finding("H216")
class DiscountOutsideLimits(Finding):
    def told(self) -> Told:
        hint = "Write the discount with which you train, as in `shaping(0.99, ...)`."
        return Told("a discount is above 0 and at most 1", hint)


@finding("H216")
class PotentialChangesBetweenTicks(Finding):
    def told(self) -> Told:
        hint = "Write what lasts from tick to tick: meters, positions, `age`; a rule can keep others in a meter."
        return Told("a potential cannot ask for what changes between ticks", hint)


@finding("H215")
class NoRewardOfRole(Finding):
    def told(self) -> Told:
        hint = "Leave it out: a role without a reward of its own is paid what all agents are."
        return Told("`reward nothing` is said of all agents", hint, "in a role")


@finding("H069")
class NothingPaid(Finding):
    """`reward nothing` beside `paid`, a reward."""

    paid: Span

    def told(self) -> Told:
        secondary = (Label(self.paid, "this is paid"),)
        return Told("`reward nothing` does not hold", "Keep one of them.", secondary=secondary)


@finding("H064")
class NamedNothing(Finding):
    def told(self) -> Told:
        return Told("nothing needs no name", "Leave the name out, or delete it.")


@finding("H080")
class EndlessReturn(Finding):
    """Rewards that can add up to infinity; the span is that of the largest one.

    Attributes:
        term: how much it is.
        most: how much each reward may be.
        lifespan: where the lifespan is declared.
        ticks: how many ticks returns are summed over; `None`: any number.
        cause: what pays it.
    """

    term: Interval | None
    most: float
    lifespan: Span | None
    ticks: int | None
    cause: Cause

    def told(self) -> Told:
        most = f"1e{len(str(int(self.most))) - 1}"
        summed = f"returns are summed over {'any number of' if self.ticks is None else self.ticks} ticks"
        return Told(
            "rewards can add up to infinity",
            f"Keep it within -{most} .. {most}. {cure(self.cause)}",
            f"a reward of {self.term} in a tick",
            () if self.lifespan is None else (Label(self.lifespan, summed),),
        )


@finding("H081")
class TooLargeToBeObserved(Finding):
    meter: str
    reached: Interval
    declared: Span

    def told(self) -> Told:
        hint = "Leave out `unclamped`, add less to it, or do not observe it."
        label = f"it reaches {self.reached}, which rounds to infinity as bfloat16"
        secondary = (Label(self.declared, "the meter"),)
        return Told(f"`{self.meter}` can be too large to be observed", hint, label, secondary)
