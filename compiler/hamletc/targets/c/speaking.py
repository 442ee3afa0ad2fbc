"""Which lanes have to be asked, where each asks all lanes of its world: those of which a condition holds that the lane
shows alone, as in `count(near and ill)`, where whoever is not ill adds nothing."""

from __future__ import annotations

from collections.abc import Iterator

from hamletc.ir.function import OF_PAIRS, Function, Program, Reduction, Stage, pairer
from hamletc.ir.ops import BOOL, And, Input, Value

MOST = 4
"""The most conditions of which one holds for a lane that is asked."""


def conditions_of_speakers(program: Program, stage: Stage) -> tuple[str, ...]:
    """What lanes show (BOOL, `shown.<number>`), of which one at least holds for all that add something to what others
    find; empty where this is not known of all that is found."""
    pairs = program.function(pairer(stage))
    if any(output.name.startswith(OF_PAIRS) for output in pairs.outputs):
        return ()
    conditions = {_condition(pairs, each) for each in program.stage(stage) if each.pairs}
    known = sorted(each for each in conditions if each is not None)
    return tuple(known) if None not in conditions and len(known) <= MOST else ()


def _condition(pairs: Function, reduction: Reduction) -> str | None:
    """What the other lane shows that is part of the term of a reduction. Sums and extremes need every term."""
    if reduction.op not in ("count", "nearest"):
        return None
    return next(_shown(pairs, pairs.output(f"term.{reduction.name}").value), None)


def _shown(pairs: Function, condition: Value) -> Iterator[str]:
    """What the other lane shows of a condition that holds only together with it."""
    match pairs.nodes[condition].op:
        case Input(type=kind, name=name) if kind is BOOL and name.startswith("other."):
            yield name.replace("other.", "shown.", 1)
        case And(left, right):
            yield from _shown(pairs, left)
            yield from _shown(pairs, right)
        case _:
            pass
