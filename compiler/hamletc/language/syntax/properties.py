"""Properties: what is said in the braces of spaces, meters, goals and things, each by a keyword and a value."""

from __future__ import annotations

from typing import TypeAlias

from hamlet.universe import Span
from hamletc.language.syntax.expressions import Expr, Name
from hamletc.language.syntax.node import Node

__all__ = [
    "AgentsProperty",
    "AppearsProperty",
    "BlockProperty",
    "CarriedProperty",
    "ContinuousProperty",
    "DecayProperty",
    "DirectionsProperty",
    "EdgesProperty",
    "GridProperty",
    "InteractProperty",
    "LyingProperty",
    "MeterProperty",
    "MetricProperty",
    "MomentumProperty",
    "MostProperty",
    "MoveProperty",
    "MovesProperty",
    "OnlyProperty",
    "PlacesProperty",
    "Property",
    "PushProperty",
    "ReachProperty",
    "RewardProperty",
    "RotsProperty",
    "SpaceProperty",
    "SpeedsProperty",
    "StartsProperty",
    "StartsWhenProperty",
    "StepProperty",
    "ThingProperty",
    "WearProperty",
    "WordProperty",
]


class Property(Node):
    """A keyword and an expression."""

    value: Expr
    span: Span


class WordProperty(Property):
    """A keyword and a word, or a place."""

    value: Name


# --- of spaces ---


class BlockProperty(Node, form=("agents block to highest $highest", "agents block")):
    """`agents block`, `agents block to highest energy`: `highest` is `None` where nothing says who comes first."""

    highest: Expr | None
    span: Span


class PushProperty(
    Node,
    form=(
        "agents push $state up to $most to highest $highest",
        "agents push $state up to $most",
        "agents push $state to highest $highest",
        "agents push $state",
    ),
):
    """`agents push box up to 3 to highest energy`: `most` is `None` where one at a time is pushed."""

    state: Name
    most: Expr | None
    highest: Expr | None
    span: Span


AgentsProperty: TypeAlias = BlockProperty | PushProperty
"""What a space says of how agents go."""


class EdgesProperty(WordProperty, form="edges $value"):
    """`edges clamp`."""


class MetricProperty(WordProperty, form="distance $value"):
    """`distance manhattan`."""


class PlacesProperty(WordProperty, form="places $value"):
    """`places stored`."""


class StartsProperty(WordProperty, form="starts $value"):
    """`starts anywhere`, in a graph `starts home`."""


class StartsWhenProperty(Property, form="starts when $value"):
    """`starts when not stone`: agents begin on the cells for which this holds."""


class MovesProperty(WordProperty, form="moves $value"):
    """`moves diagonal`."""


class MomentumProperty(Property, form="momentum up to $value"):
    """`momentum up to 0.5`."""


class StepProperty(Property, form="step $value"):
    """`step 0.5`."""


class ReachProperty(Property, form="reach $value"):
    """`reach 1`."""


class DirectionsProperty(Property, form="directions $value"):
    """`directions 8`."""


class SpeedsProperty(Property, form="speeds $value"):
    """`speeds 2`."""


# --- of meters, goals and the end of a life ---


class DecayProperty(Property, form="decay $value"):
    """`decay 0.1 * difficulty`."""


class MoveProperty(Property, form="move $value"):
    """`move 0.005`."""


class InteractProperty(Property, form="interact $value"):
    """`interact 0.005`."""


class OnlyProperty(WordProperty, form="only $value"):
    """`only falls`."""


class RewardProperty(Property, form="reward $value"):
    """`reward 1.0`."""


# --- of things ---


class LyingProperty(Property, form="lying $value"):
    """`lying 1 when chance(0.1)`."""


class CarriedProperty(Property, form="carried $value"):
    """`carried 2`."""


class AppearsProperty(Property, form="appears when $value"):
    """`appears when chance(0.01)`."""


class RotsProperty(Property, form="rots when $value"):
    """`rots when chance(0.1)`."""


class MostProperty(Property, form="up to $value"):
    """`up to 3`: how many lie on a cell at most."""


class WearProperty(Property, form="wear $value"):
    """`wear 10`."""


GridProperty: TypeAlias = (
    EdgesProperty | MetricProperty | PlacesProperty | StartsProperty | StartsWhenProperty | MovesProperty
    | MomentumProperty | AgentsProperty
)  # fmt: skip
ContinuousProperty: TypeAlias = (
    EdgesProperty | MetricProperty | StepProperty | ReachProperty | DirectionsProperty | SpeedsProperty
    | MomentumProperty
)  # fmt: skip
SpaceProperty: TypeAlias = GridProperty | ContinuousProperty
MeterProperty: TypeAlias = DecayProperty | MoveProperty | InteractProperty | OnlyProperty
ThingProperty: TypeAlias = (
    LyingProperty | CarriedProperty | AppearsProperty | RotsProperty | MostProperty | WearProperty
)
