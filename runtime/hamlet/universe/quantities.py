"""Quantities: what expressions read. Numbers are binary32, conditions are booleans."""

from __future__ import annotations

from typing import Literal, TypeAlias

from hamlet.frozen import dataclass
from hamlet.universe.span import Span

__all__ = [
    "WHOLE",
    "ActionTaken",
    "After",
    "Age",
    "AgentCount",
    "AgentNumber",
    "Apart",
    "CellValue",
    "ControlValue",
    "Coordinate",
    "DayTime",
    "Deficit",
    "Distance",
    "Every",
    "Here",
    "Hour",
    "InputValue",
    "LastUse",
    "LocalValue",
    "MeterValue",
    "Number",
    "On",
    "PairValue",
    "ParamValue",
    "Progress",
    "Quantity",
    "ShareOfUse",
    "Shortfall",
    "Speed",
    "StraightDistance",
    "Streak",
    "TerrainValue",
    "Truth",
    "Used",
    "Velocity",
    "Visited",
    "WalkingDistance",
    "Wall",
    "WorldValue",
]


@dataclass(frozen=True, slots=True)
class Number:
    """A constant. Constant subtrees were folded in binary64 and rounded once to binary32."""

    value: float
    span: Span


@dataclass(frozen=True, slots=True)
class MeterValue:
    """The current value of a meter: a statement sees what earlier statements of the same tick wrote."""

    meter: str
    span: Span


@dataclass(frozen=True, slots=True)
class LocalValue:
    """The value of a local, in the statements behind its `Let`: a number, or where it `holds` a condition."""

    local: str
    holds: bool
    span: Span


@dataclass(frozen=True, slots=True)
class ParamValue:
    """The value of a param in this lane's world."""

    param: str
    span: Span


@dataclass(frozen=True, slots=True)
class WorldValue:
    """The value of a meter of the agent's world."""

    meter: str
    span: Span


@dataclass(frozen=True, slots=True)
class CellValue:
    """The value of a meter of cells: of the cell that the agent stands on; in what is of cells, of the cell itself."""

    meter: str
    span: Span


@dataclass(frozen=True, slots=True)
class PairValue:
    """In what is asked of each agent of a world: what the agent that asks has of the other one; `reverse`: what that
    has of it."""

    meter: str
    reverse: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Apart:
    """In what is asked of each agent of a world: its distance from the agent that asks, by the metric of the space;
    without a space 0."""

    span: Span


@dataclass(frozen=True, slots=True)
class Deficit:
    """In a cascade: `(threshold - source) / threshold`, measured when the cascade was tested."""

    span: Span


@dataclass(frozen=True, slots=True)
class Shortfall:
    """In a cascade: `threshold - source`, measured when the cascade was tested."""

    span: Span


@dataclass(frozen=True, slots=True)
class Hour:
    """The world's hour as a number, 0 .. clock hours - 1."""

    span: Span


@dataclass(frozen=True, slots=True)
class Age:
    """The ticks this agent has lived in this episode, as a number."""

    span: Span


@dataclass(frozen=True, slots=True)
class AgentNumber:
    """The agent's number in its world, from 0 on. It stays for ever."""

    span: Span


@dataclass(frozen=True, slots=True)
class AgentCount:
    """How many agents a world has."""

    span: Span


@dataclass(frozen=True, slots=True)
class Truth:
    """`true` or `false`."""

    value: bool
    span: Span


@dataclass(frozen=True, slots=True)
class InputValue:
    """The value that this lane had as an input before the tick."""

    input: str
    span: Span


@dataclass(frozen=True, slots=True)
class ControlValue:
    """The value that this lane has as a control in this tick."""

    control: str
    span: Span


@dataclass(frozen=True, slots=True)
class DayTime:
    """sin or cos of 2 pi hour / hours, computed in binary64 and rounded once."""

    function: Literal["sin", "cos"]
    span: Span


@dataclass(frozen=True, slots=True)
class Coordinate:
    """The agent's coordinate on an axis of the space, as a number."""

    axis: str
    span: Span


@dataclass(frozen=True, slots=True)
class Velocity:
    """The change of the coordinate on this axis by the last tick's move; 0 where the agent took no move of the space.
    With momentum the change of the next tick, before pushes and edges.
    """

    axis: str
    span: Span


@dataclass(frozen=True, slots=True)
class Speed:
    """The length of the velocity."""

    span: Span


@dataclass(frozen=True, slots=True)
class Progress:
    """The ticks spent on the affordance that the agent is engaged in, as a number."""

    span: Span


@dataclass(frozen=True, slots=True)
class ShareOfUse:
    """The ticks spent on the engaged affordance, divided by its duration; 0 of one that lasts for ever."""

    span: Span


@dataclass(frozen=True, slots=True)
class LastUse:
    """Condition: this affordance is the agent's last use (`None`: nothing is)."""

    affordance: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class ActionTaken:
    """Condition: the agent chose this action in this tick."""

    action: str
    span: Span


@dataclass(frozen=True, slots=True)
class Used:
    """Condition: the agent used this affordance in this tick (`None`: it used none)."""

    affordance: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Every:
    """Condition: in every so manieth tick of an episode, first when so many ticks are full with this one."""

    ticks: int
    span: Span


@dataclass(frozen=True, slots=True)
class After:
    """Condition: the agent has lived more ticks of its episode than these, with this one."""

    ticks: int
    span: Span


@dataclass(frozen=True, slots=True)
class Streak:
    """How often in a row the agent used this affordance, as a number."""

    affordance: str
    span: Span


@dataclass(frozen=True, slots=True)
class Visited:
    """How many different affordances the agent has used in this episode, as a number."""

    span: Span


@dataclass(frozen=True, slots=True)
class Here:
    """Condition: the agent stands on this affordance, in a continuous space within its reach (`None`: on none). In a
    window it is the condition of a cell that this affordance stands on it."""

    affordance: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class On:
    """Condition: the agent's cell is in this region of the map."""

    region: str
    span: Span


@dataclass(frozen=True, slots=True)
class Wall:
    """Condition: the cell is a wall. Agents and cells that run rules are on none, so it stands in `At` alone."""

    span: Span


@dataclass(frozen=True, slots=True)
class TerrainValue:
    """The number of the agent's cell."""

    terrain: str
    span: Span


@dataclass(frozen=True, slots=True)
class Distance:
    """The distance from the agent to an affordance, by the metric of the space."""

    affordance: str
    span: Span


@dataclass(frozen=True, slots=True)
class StraightDistance:
    """The Euclidean distance to an affordance whatever the metric of the space, without regard to its edges."""

    affordance: str
    span: Span


@dataclass(frozen=True, slots=True)
class WalkingDistance:
    """The fewest moves of the space that lead from the agent's cell to that of an affordance, around walls; the number
    of cells of the grid where none do."""

    affordance: str
    span: Span


Quantity: TypeAlias = (
    Number
    | Truth
    | MeterValue
    | LocalValue
    | ParamValue
    | WorldValue
    | PairValue
    | Apart
    | CellValue
    | InputValue
    | ControlValue
    | Deficit
    | Shortfall
    | Hour
    | DayTime
    | Age
    | AgentNumber
    | AgentCount
    | Coordinate
    | Velocity
    | Speed
    | Progress
    | ShareOfUse
    | Here
    | On
    | Wall
    | TerrainValue
    | LastUse
    | ActionTaken
    | Used
    | Every
    | After
    | Streak
    | Visited
    | Distance
    | StraightDistance
    | WalkingDistance
)
WHOLE = (Hour, Age, AgentNumber, AgentCount, Progress, Streak, Visited)
"""Quantities that are whole numbers in every universe."""
