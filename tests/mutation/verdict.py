"""What became of a mutant, and the stages that look at it."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from mutant import ROOT

StageName: TypeAlias = Literal["import", "behaviour", "unit", "golden", "universes", "long"]
STAGES: tuple[StageName, ...] = get_args(StageName)
SCRATCH = "mutants-"
"""The beginning of the name of the folder in which a run has its copies."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant.

    Attributes:
        killed_by: the stage that found it; empty for a survivor.
        stage: the last one that looked.
        check: the test or comparison that found it.
        how: `difference`, `error` (the compiler or the kernel fails), `time`, `signal`.
        reason: what it said, the same on every machine.
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


def anywhere(reason: str) -> str:
    """A reason whose files are named from the folder of the project on, or from that of the copy with the mutant."""
    copy = rf"{re.escape(tempfile.gettempdir())}/{SCRATCH}\w+/\d+/"
    return re.sub(copy, "", reason.replace(f"{ROOT}/", ""))
