"""Drawings of a universe, applied to the picture of one of its worlds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from hamlet.env.layers import Layer
from hamlet.universe import (
    DrawAside,
    DrawCanvas,
    DrawGauges,
    DrawLine,
    DrawLinks,
    DrawLook,
    DrawMark,
    Role,
    Universe,
)
from hamlet.universe.drawings import COLOURS, Drawable

Colour: TypeAlias = tuple[int, int, int]
Place: TypeAlias = tuple[float, float]

OF_ROLES = ("blue", "red", "green", "orange", "purple", "teal", "brown", "magenta")
"""The colours of roles of which `draw` says nothing, in turn."""
MOST_LINKS = 8192
"""Lines of links that one item draws, at most."""
HEADING = "heading"
"""The state of agents that says which way they face."""
SLANTED = 3**0.5 / 2
WAYS = {
    "east": (1.0, 0.0),
    "south_east": (0.5, SLANTED),
    "south": (0.0, 1.0),
    "south_west": (-0.5, SLANTED),
    "west": (-1.0, 0.0),
    "north_west": (-0.5, -SLANTED),
    "north": (0.0, -1.0),
    "north_east": (0.5, -SLANTED),
}
"""Where its options lead on a picture, y downwards: the slanted ones are those of hexagons."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A thing on the board. A letter that is empty, and a colour that is `None`, the painter chooses."""

    at: Place
    letter: str
    colour: Colour | None


@dataclass(frozen=True, slots=True)
class Line:
    """A line on the board."""

    begin: Place
    end: Place
    colour: Colour | None


G = TypeVar("G")


class Drawn:
    """The drawings of a universe.

    Attributes:
        marks: what stands or lies on the board, in file order.
        aside: whether agents are beside the board.
        canvas: the board of a universe without a space.
    """

    def __init__(self, universe: Universe) -> None:
        drawings = universe.drawings
        self._roles = universe.roles or ()
        self._looks = {
            (each.of, each.name): each for each in drawings if isinstance(each, DrawLook) and not each.option
        }
        self._options = [each for each in drawings if isinstance(each, DrawLook) and each.option]
        self.marks = [each for each in drawings if isinstance(each, DrawMark | DrawLine | DrawLinks)]
        self._heading = _heading(universe)
        self._gauges = [name for each in drawings if isinstance(each, DrawGauges) for name in each.names]
        self.aside = any(isinstance(each, DrawAside) for each in drawings)
        self.canvas = next((each for each in drawings if isinstance(each, DrawCanvas)), None)

    def letter(self, kind: Drawable, name: str = "") -> str:
        """The letter of a part of the world; empty where the picture chooses."""
        look = self._looks.get((kind, name))
        return "" if look is None else look.letter

    def colour(self, kind: Drawable, name: str = "") -> Colour | None:
        """The colour of a part of the world; `None` where the picture chooses."""
        look = self._looks.get((kind, name))
        return None if look is None or not look.colour else COLOURS[look.colour]

    def agent(self, number: int) -> tuple[str, str, Colour | None]:
        """The name of an agent in its world, a letter, which is empty where the picture chooses, and its colour."""
        letter, colour = self.letter("agents"), self.colour("agents")
        if (role := self._role(number)) is None:
            return f"agent {number}", letter, colour
        usual = COLOURS[OF_ROLES[self._roles.index(role) % len(OF_ROLES)]] if len(self._roles) > 1 else None
        name, own = f"{role.name} {number - role.first}", self.letter("role", role.name)
        return name, own or letter, self.colour("role", role.name) or colour or usual

    def facing(self, meters: Sequence[float]) -> Place | None:
        """Which way an agent with these values of its meters faces; `None` where agents have no heading."""
        if self._heading is None:
            return None
        row, options = self._heading
        return WAYS[options[int(meters[row])]]

    def of_others(self, number: int) -> frozenset[str]:
        """The meters that an agent does not have, for they are of another role."""
        own = self._role(number)
        return frozenset(meter for role in self._roles if role is not own for meter in role.meters)

    def _role(self, number: int) -> Role | None:
        """The role of an agent; the last one has all others."""
        below = (role for role in self._roles if role.agents is None or number < role.first + role.agents)
        return next(below, None)

    def layers(self, every: Iterator[Layer]) -> Iterator[Layer]:
        """The layers of cells with their colours; where the drawing names some meters, those and things alone."""
        named = any(kind == "cell" for kind, _ in self._looks) or bool(self._options)
        for layer in every:
            own = [each for each in self._options if each.name == layer.name]
            if layer.things:
                yield self._looking(layer, self._looks.get(("item", layer.name)))
            elif own:
                yield from (self._looking(layer.of_option(each.option), each) for each in own)
            elif not named or ("cell", layer.name) in self._looks:
                yield self._looking(layer, self._looks.get(("cell", layer.name)))

    def _looking(self, layer: Layer, look: DrawLook | None) -> Layer:
        """A layer with the letter and the colour that the drawing says."""
        if look is None:
            return layer
        return replace(layer, letter=look.letter, colour=COLOURS[look.colour] if look.colour else None)

    def gauges(self, bars: Sequence[G], names: Sequence[str]) -> tuple[G, ...]:
        """The bars that are shown, in order; all of them where the drawing names none."""
        if not self._gauges:
            return tuple(bars)
        by_name = dict(zip(names, bars, strict=True))
        return tuple(by_name[name] for name in self._gauges if name in by_name)

    def turned(self, at: Place) -> Place:
        """A place, y downwards as on all boards."""
        if self.canvas is None:
            return at
        return at[0], self.canvas.low[1] + self.canvas.high[1] - at[1]


def _heading(universe: Universe) -> tuple[int, tuple[str, ...]] | None:
    """The number of the state of agents that is a heading, and its options."""
    for row, meter in enumerate(universe.meters):
        options = () if meter.name != HEADING or meter.type is None else meter.type.options
        if options and WAYS.keys() >= set(options):
            return row, options
    return None
