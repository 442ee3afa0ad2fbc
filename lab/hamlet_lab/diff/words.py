"""Values of programs, put so that a person can read them."""

from __future__ import annotations

from hamlet_lab.diff.evaluation import Evaluation, Spot
from hamlet_lab.diff.explain import explanations
from hamlet_lab.diff.finding import Glimpse
from hamlet_lab.diff.side import Side
from hamletc.ir.ops import Value

PHASES = {
    "policy": "the random policy",
    "choose": "the random policy",
    "situation": "the table of a policy",
    "move": "the tick",
    "stand": "the tick",
    "search": "the tick",
    "tick": "the tick",
    "clock": "the clock",
    "shuffle": "the beginning of an episode",
    "place": "the beginning of an episode",
    "reset": "the beginning of an episode",
    "observe": "observing",
    "mask": "masks",
}


def computed(side: Side, evaluation: Evaluation, value: Value, spot: Spot) -> Glimpse:
    """A value of a side's program."""
    expression, name = evaluation.expression(value), evaluation.name(value)
    return Glimpse(
        side.label,
        expression if expression == name else f"{name} = {expression}",
        evaluation.shown(value, spot),
        tuple((evaluation.name(leaf), evaluation.shown(leaf, spot)) for leaf in evaluation.leaves(value)),
        side.source(evaluation.node(value).origin),
    )


def explained(evaluation: Evaluation, value: Value, spot: Spot, found: int) -> list[str]:
    """What would give a value that was found."""
    return [f"the value found is that of {text}" for text in explanations(evaluation, value, spot, found)]
