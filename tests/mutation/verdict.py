"""What became of a mutant, and the stages that look at it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

StageName: TypeAlias = Literal["import", "behaviour", "unit", "golden", "universes", "long"]
STAGES: tuple[StageName, ...] = get_args(StageName)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant.

    Attributes:
        killed_by: the stage that found it; empty for a survivor.
        stage: the last one that looked.
        check: the test or comparison that found it.
        how: `difference`, `error` (the compiler or the kernel fails), `time`, `signal`.
        reason: what it said.
        seconds: of processor time that all stages took.
    """

    mutant: str
    path: str
    line: int
    kind: str
    before: str
    after: str
    killed_by: str
    stage: StageName
    check: str
    how: str
    reason: str
    seconds: float
