"""When a training ends before all of its updates are done, and how long it may take."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from hamlet_train.errors import TrainError
from hamlet_train.evaluation import Evaluated, Fared, trained

FORM = "length=NUMBER or return=NUMBER, with a role before it where there are roles: it.length=20"
MEASURES = {"length": "length", "return": "returned"}
AIM = re.compile(r"(?:(\w+)\.)?(length|return)=(.+)")


@dataclass(frozen=True, slots=True)
class Aim:
    """A mean that a training is to reach in an evaluation.

    Attributes:
        role: whose, `None` for all agents.
        measure: `length` or `return`. least: the number.
    """

    role: str | None
    measure: str
    least: float

    @classmethod
    def of(cls, text: str, roles: Sequence[str]) -> Aim:
        """As a user says it.

        Raises:
            TrainError: it says something else, or no role, or one that there is not.
        """
        said = AIM.fullmatch(text.replace(" ", ""))
        try:
            number = float(said[3]) if said else math.nan
        except ValueError:
            number = math.nan
        if said is None or not math.isfinite(number):
            raise TrainError(f"--until {text}: write {FORM}")
        if (said[1] is None) == bool(roles) or (said[1] is not None and said[1] not in roles):
            which = f"say whose, of {', '.join(roles)}" if roles else "the universe has no roles"
            raise TrainError(f"--until {text}: {which}")
        return cls(said[1], said[2], number)

    def reached(self, evaluated: Evaluated) -> bool:
        """Whether an evaluation has it."""
        return any(
            fared.role == self.role and getattr(fared, MEASURES[self.measure]).mean >= self.least
            for fared in evaluated.fared
        )


def stalled(evaluations: Sequence[Evaluated], patience: int) -> bool:
    """Whether so many evaluations of a policy, one after the other, brought no role a mean return above all before."""
    points = trained(evaluations)
    if not patience or len(points) <= patience:
        return False
    return not any(
        max(_returned(point.fared[number]) for point in points[-patience:])
        > max(_returned(point.fared[number]) for point in points[:-patience])
        for number in range(len(points[0].fared))
    )


def _returned(fared: Fared) -> float:
    return fared.returned.mean
