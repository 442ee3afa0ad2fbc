"""Two functions that should compute the same: from an output that differs to the first values that do.

Values are paired from outputs backwards. Versions of a state (`energy_0`, `energy_1`, ...) are paired by the constructs
that wrote them, in order; other values by the operands of the same operation. A pair is followed into operands that
differ; where none does, or where the functions are built differently, it is what was looked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from hamlet_lab.diff.evaluation import Evaluation, Spot
from hamletc.ir.function import Origin
from hamletc.ir.ops import Const, Value, operands
from hamletc.targets.body import reachable, versions


@dataclass(frozen=True, slots=True)
class Pair:
    """Values that differ, though what they are made of does not.

    Attributes:
        left, right: the values; `None` where a side has none.
        writers: the constructs that wrote a state last on either side ("nothing" where none did), where those differ.
            `left` and `right` are what they wrote, or the operations that read it.
        state: its name.
    """

    left: Value | None
    right: Value | None
    writers: tuple[str, str] | None = None
    state: str = ""


@dataclass(frozen=True, slots=True)
class Write:
    """What a construct left in a state: the last of its values."""

    origin: Origin
    value: Value


class Alignment:
    """The values of two evaluations at a spot, side by side."""

    def __init__(self, left: Evaluation, right: Evaluation, spot: Spot) -> None:
        self.left, self.right, self.spot = left, right, spot
        self._states = _versions(left), _versions(right)

    def first(self) -> Pair | None:
        """The first values that differ, in the order of the left function; `None` where no common output differs."""
        found: list[Pair] = []
        theirs = {output.name: output.value for output in self.right.function.outputs}
        for output in self.left.function.outputs:
            pair = output.value, theirs.get(output.name)
            if pair[1] is not None and self._differs(pair[0], pair[1]):
                found.append(self._trace(pair[0], pair[1], None))
        return min(found, key=lambda pair: (pair.left is None, pair.left or 0), default=None)

    def _differs(self, left: Value, right: Value) -> bool:
        return self.left.bits(left, self.spot) != self.right.bits(right, self.spot)

    def _trace(self, left: Value, right: Value, readers: tuple[Value, Value] | None) -> Pair:
        """From a pair that differs to the first one that does."""
        state = self._states[0].get(left)
        if state is not None and state == self._states[1].get(right):
            return self._writes(state, left, right, readers)
        return self._operation(left, right)

    def _operation(self, left: Value, right: Value) -> Pair:
        ours, theirs = self.left.node(left).op, self.right.node(right).op
        if type(ours) is not type(theirs) or len(operands(ours)) != len(operands(theirs)):
            return Pair(left, right)
        pairs = [pair for pair in zip(operands(ours), operands(theirs), strict=True) if self._differs(*pair)]
        pairs = [pair for pair in pairs if not self._constant(*pair)]
        return self._trace(*min(pairs), (left, right)) if pairs else Pair(left, right)

    def _constant(self, left: Value, right: Value) -> bool:
        """Whether one of them is a number: then it is the operation on it that the author wrote differently."""
        return isinstance(self.left.node(left).op, Const) or isinstance(self.right.node(right).op, Const)

    def _writes(self, state: str, left: Value, right: Value, readers: tuple[Value, Value] | None) -> Pair:
        """The first construct that leaves another value in a state, or that is another one, up to two versions."""
        histories = [
            history(evaluation, states, state, last)
            for evaluation, states, last in zip((self.left, self.right), self._states, (left, right), strict=True)
        ]
        for ours, theirs in zip_longest(*histories):
            if ours is None or theirs is None or ours.origin.construct != theirs.origin.construct:
                break
            if self._differs(ours.value, theirs.value):
                return self._operation(ours.value, theirs.value)
        else:
            return self._operation(left, right)
        if (ours is None or theirs is None) and readers is not None:
            # One side reads the state before the other side's last writes to it.
            last = [writes[-1].origin.construct if writes else "nothing" for writes in histories]
            return Pair(*readers, (last[0], last[1]), state)
        values = [None if each is None else each.value for each in (ours, theirs)]
        constructs = ["nothing" if each is None else each.origin.construct for each in (ours, theirs)]
        return Pair(values[0], values[1], (constructs[0], constructs[1]), state)


def history(evaluation: Evaluation, states: dict[Value, str], state: str, last: Value) -> list[Write]:
    """What constructs left in a state, in order, up to a version."""
    result: list[Write] = []
    for value in sorted(value for value, name in states.items() if name == state and value <= last):
        origin = evaluation.node(value).origin
        if result and result[-1].origin == origin:
            result[-1] = Write(origin, value)
        else:
            result.append(Write(origin, value))
    return result


def _versions(evaluation: Evaluation) -> dict[Value, str]:
    function = evaluation.function
    return versions(function, reachable(function.nodes, [output.value for output in function.outputs]))
