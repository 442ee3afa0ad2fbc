"""Purposes of the lines of generated kernels: comments in them name phase, construct and source line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamletc.ir.function import PHASES, Phase

KernelPart: TypeAlias = Phase | Literal["statistics", "loads and stores", "around"]
"""`around` is what belongs to no phase: the loop over ticks, who is alive."""

OF_FUNCTIONS: dict[str, KernelPart] = {
    "_policy": "policy",
    "_carried_out": "act",
    "_choose": "policy",
    "_steer": "policy",
    "_steer_all": "policy",
    "_give": "policy",
    "_situation": "policy",
    "_situate": "policy",
    "_draw": "policy",
    "_reset": "episode",
    "_begin": "episode",
    "_draws": "episode",
    "_pack": "episode",
    "_repack": "episode",
    "_find": "interact",
    "_add_tick": "interact",
    "_combine_tick": "interact",
    "_add_settle": "world",
    "_combine_settle": "world",
    "_world": "world",
    "_close": "reward",
    "_cascades": "rules",
    "_count": "statistics",
    "_scene": "observe",
    "_look": "observe",
    "_observe": "observe",
    "_survey": "observe",
    "_encode": "observe",
    "_final_state": "observe",
    "_mask": "mask",
    "_place": "loads and stores",
    "_load": "loads and stores",
    "_columns": "loads and stores",
    "_store": "loads and stores",
    "_store_outcome": "loads and stores",
}
"""The parts that functions in generated kernels are, where no comment names a phase."""

OF_COMMENTS: dict[str, KernelPart] = {phase: phase for phase in PHASES}
"""The phases by their names in comments."""

FUNCTION = re.compile(r"def (\w+?)\d*\(")


@dataclass(frozen=True, slots=True)
class Purpose:
    """The part of the kernel, the construct, and its source file and line; 0: no line of the author's."""

    phase: KernelPart
    construct: str
    source: str
    line: int


AROUND = Purpose("around", "", "", 0)
CALLED = Purpose("around", "called", "", 0)
"""Of functions that do their callers' work."""
OF_CALLERS = ("_take",)


def purposes(kernels: str, sources: Sequence[str]) -> list[Purpose]:
    """The purpose of each line of a kernels file, line 1 first.

    Args:
        kernels: the text.
        sources: the names of the universe's source files.
    """
    named = "|".join(re.escape(source) for source in sources)
    origin = re.compile(rf" +# ({'|'.join(OF_COMMENTS)})(?:: (.+?))?(?:, ({named}):(\d+))?")
    result: list[Purpose] = []
    function, current = "", AROUND
    for line in kernels.split("\n"):
        if match := FUNCTION.match(line):
            function = match[1]
            own = Purpose(OF_FUNCTIONS.get(function, "around"), "", "", 0)
            current = CALLED if function in OF_CALLERS else own
        elif match := origin.fullmatch(line):
            current = Purpose(OF_COMMENTS[match[1]], match[2] or "", match[3] or "", int(match[4] or 0))
        result.append(current)
    return result
