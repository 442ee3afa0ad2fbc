"""What each line of generated kernels is there for: comments in them name construct and source line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hamlet_lab.profile.phases import OF_FUNCTIONS, Phase, phase_of

FUNCTION = re.compile(r"def (\w+?)\d*\(")
COMMENT = re.compile(r" +# (.+)")


@dataclass(frozen=True, slots=True)
class Purpose:
    """The phase of a tick, the construct, and its source file and line; 0: no line of the author's."""

    phase: Phase
    construct: str
    source: str
    line: int


AROUND = Purpose("around", "", "", 0)


def purposes(kernels: str, sources: Sequence[str]) -> list[Purpose]:
    """The purpose of each line of a kernels file, line 1 first.

    Args:
        kernels: the text.
        sources: the names of the universe's source files.
    """
    named = "|".join(re.escape(source) for source in sources)
    origin = re.compile(rf"(.+), ({named}):(\d+)")
    result: list[Purpose] = []
    function, current = "", AROUND
    for line in kernels.split("\n"):
        if found := FUNCTION.match(line):
            function = found[1]
            current = Purpose(OF_FUNCTIONS.get(function, "around"), "", "", 0)
        elif (found := COMMENT.match(line)) and (function == "_tick" or function in OF_FUNCTIONS):
            located = origin.fullmatch(found[1])
            construct = found[1] if located is None else located[1]
            phase = phase_of(construct) if function == "_tick" else OF_FUNCTIONS[function]
            source, number = ("", 0) if located is None else (located[2], int(located[3]))
            current = Purpose(phase, construct, source, number)
        result.append(current)
    return result
