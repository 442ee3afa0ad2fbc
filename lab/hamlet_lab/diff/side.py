"""What is known of a side beyond what runs it: its program, its kernels, the text of its universe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hamlet.universe import Universe
from hamlet_lab.diff import Contender
from hamlet_lab.diff.finding import Source
from hamlet_lab.diff.forms import Form
from hamlet_lab.diff.kernel import Kernels
from hamletc.ir.function import Origin


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two sides.

    Attributes:
        contender: what was run.
        forms: of its program, from the lowering on.
        kernels: what was compiled of it; `None` for what runs programs or universes as they are.
        interprets: it is the interpreter.
        texts: the sources of the universe by file name, as far as they are at hand.
    """

    contender: Contender
    forms: tuple[Form, ...]
    kernels: Kernels | None
    interprets: bool
    texts: Mapping[str, str]

    @property
    def label(self) -> str:
        return self.contender.label

    @property
    def universe(self) -> Universe:
        return self.contender.universe

    @property
    def form(self) -> Form:
        """The program that its results should be those of."""
        return self.forms[-1]

    def source(self, origin: Origin) -> Source | None:
        """The construct that a value comes from."""
        if not origin.construct:
            return None
        file = self.universe.sources[origin.file] if origin.line else ""
        return Source(origin.construct, file, origin.line, self.line(file, origin.line))

    def line(self, file: str, number: int) -> str:
        """A line of the universe's text, or ""."""
        lines = self.texts.get(file, "").split("\n")
        return lines[number - 1] if 0 < number <= len(lines) else ""
