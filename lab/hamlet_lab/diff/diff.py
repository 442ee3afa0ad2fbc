"""Two sides, of one universe or of two: run, part, be located."""

from __future__ import annotations

from dataclasses import replace

from hamlet_lab.divergence.cause import explained
from hamlet_lab.divergence.session import Side
from hamlet_lab.divergence.versions import apart
from hamlet_lab.verify import Comparison, Effort, play


def diff(left: Side, right: Side, effort: Effort, seed: int, common: bool = False) -> Comparison:
    """Run both sides from the same seeds; where they part, look for the first value that differs. Sides that do not
    have the same meters, actions, ... are only run if what is `common` to them is to be compared."""
    between = apart(left.universe, right.universe)
    if between and not common:
        return Comparison(left.label, (right.label,), 0, 0, {}, apart=between)
    return replace(play(left, [right], effort, seed, record=explained), apart=between, common=common)
