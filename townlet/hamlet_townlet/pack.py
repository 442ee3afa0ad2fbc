"""The parts of a pack, with places; references are checked. HAMLET's engine gives it its meaning.

Numbers are binary64 as written; whoever uses them rounds once to binary32. Everything stands in the order of its file
unless a field says otherwise. What has no effect is not here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from hamlet.universe import Span
from hamlet_townlet.rewards import Rewards
from hamlet_townlet.spanned import Spanned
from hamletc.language.source import Source

FILES = (
    "bars.yaml",
    "cascades.yaml",
    "affordances.yaml",
    "substrate.yaml",
    "drive_as_code.yaml",
    "training.yaml",
    "variables_reference.yaml",
    "cues.yaml",
    "global_actions.yaml",
)
"""The files of a pack."""
ACTIONS = FILES[-1]
"""The file that may also be in the folder above, which packs share."""


# --- bars.yaml --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bar:
    """A meter. Its range is 0 .. 1."""

    name: Spanned[str]
    index: Spanned[int]
    initial: Spanned[float]
    base_depletion: Spanned[float]
    base_move_depletion: Spanned[float]
    base_interaction_cost: Spanned[float]
    span: Span


Operator: TypeAlias = Literal["<=", ">=", "<", ">", "=="]


@dataclass(frozen=True, slots=True)
class TerminalCondition:
    """An agent is done when `meter operator value`."""

    meter: Spanned[str]
    operator: Spanned[Operator]
    value: Spanned[float]
    span: Span


@dataclass(frozen=True, slots=True)
class Bars:
    """bars.yaml: meters by index, and the terminal conditions about meters that exist."""

    bars: tuple[Bar, ...]
    terminal_conditions: tuple[TerminalCondition, ...]


# --- cascades.yaml ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Modulation:
    """An extra depletion of `target` that grows as `source` falls."""

    name: str
    source: Spanned[str]
    target: Spanned[str]
    base_multiplier: Spanned[float]
    range: Spanned[float]
    baseline_depletion: Spanned[float]
    span: Span


CascadeGroup: TypeAlias = Literal["primary_to_pivotal", "secondary_to_primary", "secondary_to_pivotal_weak"]


@dataclass(frozen=True, slots=True)
class Cascade:
    """A loss of `target` while `source` is below `threshold`."""

    name: str
    group: CascadeGroup
    source: Spanned[str]
    target: Spanned[str]
    threshold: Spanned[float]
    strength: Spanned[float]
    span: Span


@dataclass(frozen=True, slots=True)
class Cascades:
    """cascades.yaml, in file order; cascades of groups that are never run are left out."""

    modulations: tuple[Modulation, ...]
    cascades: tuple[Cascade, ...]


# --- substrate.yaml ---------------------------------------------------------------------------------------------------

Boundary: TypeAlias = Literal["clamp", "wrap", "bounce", "sticky"]
Metric: TypeAlias = Literal["manhattan", "euclidean", "chebyshev"]
Encoding: TypeAlias = Literal["relative", "scaled", "absolute"]


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells: 2 sizes (width, height, equal), 3 (width, height, depth; `type: grid`) or 4 to 100 (`type: gridnd`)."""

    sizes: tuple[Spanned[int], ...]
    boundary: Spanned[Boundary]
    encoding: Spanned[Encoding]
    span: Span


@dataclass(frozen=True, slots=True)
class Discretization:
    """Directions and magnitudes (standing still is the first) of the moves in a plane."""

    directions: Spanned[int]
    magnitudes: Spanned[int]
    span: Span


@dataclass(frozen=True, slots=True)
class Continuous:
    """Float positions on 1 to 100 axes, each with its lowest and highest coordinate. Only 2 axes are discretized."""

    bounds: tuple[tuple[Spanned[float], Spanned[float]], ...]
    boundary: Spanned[Boundary]
    movement_delta: Spanned[float]
    interaction_radius: Spanned[float]
    metric: Spanned[Metric]
    encoding: Spanned[Encoding]
    discretization: Discretization | None
    span: Span


@dataclass(frozen=True, slots=True)
class Aspatial:
    """No positions."""

    span: Span


Substrate: TypeAlias = Grid | Continuous | Aspatial


def substrate_axes(substrate: Substrate) -> int:
    """How many coordinates a position has."""
    match substrate:
        case Grid(sizes=axes) | Continuous(bounds=axes):
            return len(axes)
        case Aspatial():
            return 0


# --- affordances.yaml and global_actions.yaml -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Change:
    """An amount of a meter: of a cost, what is taken; of an effect, what is given."""

    meter: Spanned[str]
    amount: Spanned[float]
    span: Span


@dataclass(frozen=True, slots=True)
class Position:
    """Configured coordinates, as many as the space has axes."""

    coordinates: tuple[int, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Affordance:
    """A place to interact with. `opens` is 0 .. 23, `closes` 1 .. 28; `position` is `None` unless it is used."""

    id: Spanned[str]
    name: Spanned[str]
    interaction_type: Spanned[str] | None
    duration_ticks: Spanned[int] | None
    opens: Spanned[int]
    closes: Spanned[int]
    costs: tuple[Change, ...]
    costs_per_tick: tuple[Change, ...]
    on_start: tuple[Change, ...]
    per_tick: tuple[Change, ...]
    on_completion: tuple[Change, ...]
    position: Position | None
    span: Span


@dataclass(frozen=True, slots=True)
class CustomAction:
    """An action beside those of the substrate. A `teleport_to` overwrites what a `delta` did."""

    name: Spanned[str]
    costs: tuple[Change, ...]
    effects: tuple[Change, ...]
    delta: tuple[Spanned[float], ...] | None
    teleport_to: tuple[Spanned[int], ...] | None
    span: Span


# --- training.yaml ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Training:
    """The environment's part of training.yaml. `None` stands for all affordances or actions."""

    partial_observability: Spanned[bool]
    vision_range: Spanned[int]
    temporal: Spanned[bool]
    randomize_affordances: Spanned[bool]
    enabled_affordances: tuple[Spanned[str], ...] | None
    enabled_actions: tuple[Spanned[str], ...] | None
    num_agents: Spanned[int]
    lifespan: Spanned[int]


# --- variables_reference.yaml -----------------------------------------------------------------------------------------

VariableType: TypeAlias = Literal["scalar", "vecNf", "bool", "vec2i", "vec3i", "vecNi"]
Scope: TypeAlias = Literal["global", "agent", "agent_private"]


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the registry. `default` has as many numbers as the variable; a scalar or bool has one.

    Only `scalar` and `vecNf` are observed. One with the name of an automatic variable takes its place.
    """

    id: Spanned[str]
    scope: Spanned[Scope]
    type: Spanned[VariableType]
    default: tuple[float, ...]
    default_span: Span
    readers: tuple[str, ...]
    writers: tuple[str, ...]
    span: Span


# --- the whole pack ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack without errors. Spans of its parts refer to its `sources` by number: one for each of `FILES`."""

    directory: Path
    sources: tuple[Source, ...]
    bars: tuple[Bar, ...]
    terminal_conditions: tuple[TerminalCondition, ...]
    modulations: tuple[Modulation, ...]
    cascades: tuple[Cascade, ...]
    affordances: tuple[Affordance, ...]
    actions: tuple[CustomAction, ...]
    substrate: Substrate
    training: Training
    variables: tuple[Variable, ...]
    rewards: Rewards

    @property
    def deployed(self) -> tuple[Affordance, ...]:
        """The affordances that are in the world: those whose name *or id* is enabled, in file order."""
        return deployed_affordances(self.affordances, self.training)


def deployed_affordances(affordances: tuple[Affordance, ...], training: Training) -> tuple[Affordance, ...]:
    """The affordances whose name or id is enabled; HAMLET looks for both."""
    if training.enabled_affordances is None:
        return affordances
    enabled = {name.value for name in training.enabled_affordances}
    return tuple(a for a in affordances if a.name.value in enabled or a.id.value in enabled)
