"""bars.yaml: meters and terminal conditions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet.universe import Span
from hamlet_townlet.pack.spanned import Spanned


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
