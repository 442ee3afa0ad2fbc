"""Evaluations of functions, as whoever watches a run of a schedule is told of them."""

from __future__ import annotations

from collections.abc import Callable

from hamlet.frozen import dataclass
from hamletc.ir.evaluate import Array
from hamletc.ir.function import BEGIN_PAIRS, STAGES, pairer

PAIRS = (*map(pairer, STAGES), BEGIN_PAIRS)


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """An evaluation of a function of lanes.

    Attributes:
        function: its name.
        inputs: by name, [lanes].
        lanes: bool [lanes]: those in which the results count.
        each: how often each lane is there, one after the other: of pairs, once for each agent of its world.
    """

    function: str
    inputs: dict[str, Array]
    lanes: Array
    each: int = 1

    def lane(self, index: int) -> int:
        """The lane of a number of inputs; of pairs that of the agent that asks."""
        return index // self.each

    def asked(self, index: int) -> tuple[str, ...]:
        """Of pairs, who is asked."""
        return (f"it asks agent {index % self.each}",) if self.function in PAIRS else ()


Watch = Callable[[FunctionCall], None]
"""Is told of every evaluation, in the order of a tick."""


def unwatched(_: FunctionCall) -> None:
    """Watch nothing."""
