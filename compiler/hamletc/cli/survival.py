"""The survival curve of a run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate


def survival(deaths: Sequence[int], censored: Sequence[int]) -> list[float]:
    """The fraction of agents that outlive each tick, by Kaplan and Meier (1958): agents that are still alive at the end
    of the run, or that reach the lifespan, count for as long as they were watched.

    Args:
        deaths: [ticks] the agents that died at this age.
        censored: [ticks] the agents that were last seen alive at this age.

    Returns:
        [ticks] the fraction alive after that age, until the last age that anybody reached.
    """
    watched = [died + left for died, left in zip(deaths, censored, strict=True)]
    at_risk = list(accumulate(reversed(watched)))[::-1]
    alive, curve = 1.0, []
    for died, risk in zip(deaths, at_risk, strict=True):
        if risk == 0:
            break
        alive *= (risk - died) / risk
        curve.append(alive)
    return curve
