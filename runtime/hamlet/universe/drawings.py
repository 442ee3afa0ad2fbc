"""Drawings: letters, colours, marks and lines of the pictures of a world. Neither state nor kernels heed them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

from hamlet.frozen import dataclass
from hamlet.universe.expressions import Expression
from hamlet.universe.span import Span

__all__ = ["DrawAside", "DrawCanvas", "DrawGauges", "DrawLine", "DrawLinks", "DrawLook", "DrawMark", "Drawing"]

LIES = "lying of "
"""The beginning of the name of a meter of cells that counts things of a kind."""
LONGEST_LETTER = 4
"""The most code points of a letter: an emoji can have several."""

COLOURS: Mapping[str, tuple[int, int, int]] = MappingProxyType(
    {
        "black": (20, 20, 24),
        "white": (250, 250, 250),
        "grey": (128, 128, 134),
        "silver": (196, 198, 204),
        "red": (214, 48, 49),
        "maroon": (128, 30, 40),
        "pink": (244, 143, 177),
        "orange": (240, 140, 30),
        "gold": (242, 190, 34),
        "yellow": (250, 224, 64),
        "cream": (250, 240, 205),
        "sand": (226, 202, 146),
        "tan": (206, 164, 110),
        "brown": (134, 88, 48),
        "olive": (128, 134, 44),
        "lime": (150, 208, 60),
        "green": (46, 150, 72),
        "forest": (24, 96, 52),
        "teal": (20, 136, 136),
        "cyan": (70, 196, 214),
        "sky": (150, 206, 240),
        "blue": (48, 104, 214),
        "navy": (30, 50, 110),
        "indigo": (76, 62, 170),
        "purple": (140, 62, 168),
        "violet": (178, 132, 220),
        "magenta": (214, 62, 150),
    }
)
"""The colours that an author can name, each red, green, blue, 0 .. 255."""

Drawable: TypeAlias = Literal["agents", "role", "affordance", "item", "wall", "region", "cell"]
"""The parts of a world that have a look: all agents, those of a role, an affordance, a kind of things, walls, a region
of the map, a meter of cells."""


@dataclass(frozen=True, slots=True)
class DrawLook:
    """The look of a part of a world.

    Attributes:
        name: of the part; of a kind of things its own, of copies of an affordance that of one. Empty: there is one.
        option: of a state of cells with options, which of them; empty: all of the meter.
        letter: one letter; empty: the picture chooses, and of cells and regions has none.
        colour: one of `COLOURS`; empty: the picture chooses.
    """

    of: Drawable
    name: str
    option: str
    letter: str
    colour: str
    span: Span


@dataclass(frozen=True, slots=True)
class DrawMark:
    """A thing on the board at a place that numbers say, while the condition holds: one for each living agent where the
    numbers are of agents, else one. Letter and colour are as those of `DrawLook`."""

    x: Expression
    y: Expression
    condition: Expression | None
    letter: str
    colour: str
    span: Span


@dataclass(frozen=True, slots=True)
class DrawLine:
    """A line on the board between two places, as a `DrawMark` is at one."""

    x: Expression
    y: Expression
    to_x: Expression
    to_y: Expression
    condition: Expression | None
    colour: str
    span: Span


@dataclass(frozen=True, slots=True)
class DrawLinks:
    """A line between each two living agents of which one asks for the other and the condition, of both, holds."""

    condition: Expression
    colour: str
    span: Span


@dataclass(frozen=True, slots=True)
class DrawAside:
    """Agents are shown beside the board alone, as players who sit at it."""

    span: Span


@dataclass(frozen=True, slots=True)
class DrawCanvas:
    """The part of the plane that is the board of a universe without a space: `low` and `high` of x, then of y, which
    grows upwards."""

    low: tuple[float, float]
    high: tuple[float, float]
    span: Span


@dataclass(frozen=True, slots=True)
class DrawGauges:
    """The meters and states, of agents and of the world, that stand beside the board, in this order."""

    names: tuple[str, ...]
    span: Span


Drawing: TypeAlias = DrawLook | DrawAside | DrawMark | DrawLine | DrawLinks | DrawCanvas | DrawGauges
