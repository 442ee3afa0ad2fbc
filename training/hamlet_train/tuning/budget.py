"""The budget of a tuning as a user says it: agent-ticks, or time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hamlet_train.errors import TrainError

FORM = "write agent-ticks, as 20M or 20_000_000, or a time, as 90s, 10m or 2h"
AMOUNT = re.compile(r"(\d[\d_]*(?:\.\d+)?) *([smhkKMG]?)")
SECONDS = {"s": 1, "m": 60, "h": 3600}
SIZES = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}
MOST, LONGEST = 10**15, 10**7


@dataclass(frozen=True, slots=True)
class Budget:
    """A budget: agent-ticks of all trainings, or seconds; the other one is `None`."""

    ticks: int | None
    seconds: float | None

    @classmethod
    def of(cls, texts: Sequence[str]) -> Budget:
        """As a user says it, once.

        Raises:
            TrainError: it says something else, or nothing, or two budgets.
        """
        if len(texts) != 1:
            both = " and ".join(texts)
            raise TrainError(f"--budget {both}: take one of them" if texts else f"say --budget: {FORM}")
        (text,) = texts
        said = AMOUNT.fullmatch(text.strip())
        if said is None:
            raise TrainError(f"--budget {text}: {FORM}")
        number, unit = float(said[1].replace("_", "")), said[2]
        ticks, seconds = number * SIZES.get(unit, 0), number * SECONDS.get(unit, 0)
        if ticks + seconds <= 0 or ticks > MOST or seconds > LONGEST:
            raise TrainError(f"--budget {text}: it is more than 0, and at most {MOST:,} agent-ticks or {LONGEST:,} s")
        return cls(None, seconds) if unit in SECONDS else cls(round(ticks), None)
