"""Spaces and the moves in them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, get_args

from hamlet.numbers.binary32 import canonical32
from hamlet.schema import axis_names
from hamlet.universe import Axis, Continuous, Edges, Graph, Grid, Map, Metric, Node, NoSpace, Span, Start
from hamlet.universe.space import is_hexagonal, letters_of
from hamletc.checking.actions import HEXAGONAL, axis_moves, diagonal_moves, directed_moves
from hamletc.checking.surroundings import extent
from hamletc.expansion.headings import DIRECTIONS, TURNING_MOVES
from strategies.levels import Levels
from strategies.pieces import SpacePlan, joined
from strategies.worlds import Worlds

NOWHERE = Span(1, 1, 1, 1)
EDGES: tuple[Edges, ...] = get_args(Edges)
METRICS: tuple[Metric, ...] = get_args(Metric)
MOST_LOOKED_AT = 400
"""The most cells of a grid on which agents start by a condition."""


class Spaces(Levels, Worlds):
    """Writes spaces."""

    def plan_space(self, wanted: int) -> None:
        """A space with room for so many affordances."""
        match self.integer(0, 9):
            case 0 | 1 | 2 | 3 | 4:
                self.space = self.grid(wanted, self.pick((2, 1, 2, 3)))
            case 5:
                self.space = self.grid(wanted, self.pick((4, 34, 5, 25)))
            case 6:
                self.space = SpacePlan("space none", NoSpace(NOWHERE), (), ())
            case 7:
                self.space = self.graph(wanted)
            case _:
                self.space = self.continuous(self.pick((3, 2, 1, 5)))
        self.extent = extent(self.space.space)

    def beginning(self) -> str:
        """What agents have before the first tick; nothing on a graph."""
        if self.space.nodes:
            return ""
        limit = self.space.space.momentum if isinstance(self.space.space, Continuous) else None
        if limit is not None:
            velocity = tuple(canonical32(self.constant(-limit, limit)) for _ in self.space.axes)
            velocity = velocity if any(velocity) else (limit, *velocity[1:])
            return f"start velocity ({', '.join(map(self.spell, velocity))})"
        velocity = tuple(canonical32(self.constant(-10.0, 10.0)) for _ in self.space.axes)
        speed = canonical32(self.constant(-1.0, 10.0)) if not any(velocity) or self.chance(2) else None
        speed = 7.5 if speed == 0.0 and not any(velocity) else speed
        self.extent = extent(self.space.space, Start(velocity, speed, NOWHERE))
        parts = [f"velocity ({', '.join(map(self.spell, velocity))})"] if any(velocity) else []
        parts += [] if speed is None else [f"speed {self.spell(speed)}"]
        return f"start {' '.join(parts)}"

    def grid(self, wanted: int, dimensions: int) -> SpacePlan:
        largest = {1: 40, 2: 9, 3: 4}.get(dimensions, 3 if dimensions < 9 else 2)
        sizes = [2] * dimensions if dimensions > 9 else [self.integer(1, largest) for _ in range(dimensions)]
        while math.prod(sizes) < wanted + 3:
            sizes[sizes.index(max(sizes))] += 1
        stored = math.prod(sizes) > 2**24 or self.chance(4)
        edges, metric, properties = self._properties("clamp", "manhattan")
        places = "stored" if stored else self.pick(("", "", "computed"))
        starts = self.pick(("", "apart", "anywhere")) if self.chance(3) else ""
        properties += [f"places {places}"] if places else []
        properties += [f"starts {starts}"] if starts else []
        drawn, below = None, ""
        if dimensions == 2 and self.chance(2):
            roomy = math.prod(sizes) >= 2 * wanted + 9 and min(sizes) > 1
            if roomy and self.chance(3):
                drawn, below = self.level_map(sizes[0], sizes[1], wanted, not starts)
            else:
                drawn, below = self.charted(sizes[0], sizes[1], wanted + 3, not starts)
            below = f"\n{below}"
        if (
            not starts
            and not self.letters
            and (drawn is None or drawn.starts is None)
            and math.prod(sizes) <= MOST_LOOKED_AT
        ):
            properties += self._starts_when(sizes)
        space = Grid(
            tuple(sizes),
            edges,
            metric,
            "stored" if stored else "computed",
            "anywhere" if starts == "anywhere" else "apart",
            NOWHERE,
            drawn,
        )
        if dimensions == 2 and min(sizes) > 1 and not stored and self.chance(3):
            return self._hexagons(
                space, drawn is not None, [each for each in properties if "distance" not in each], below
            )
        size = "map" if drawn is not None and self.chance(2) else " x ".join(map(str, sizes))
        if dimensions == 2 and min(sizes) > 1 and self.chance(4):
            text = f"space grid {size}{self._block([*properties, 'moves turning'])}{below}"
            return self._turning(SpacePlan(text, space, axis_names(2), TURNING_MOVES, turns=True))
        if dimensions == 2 and self.chance(4):
            text = f"space grid {size}{self._block([*properties, 'moves diagonal'])}{below}"
            return SpacePlan(text, space, axis_names(2), tuple(move.name for move in diagonal_moves()))
        text = f"space grid {size}{self._block(properties)}{below}"
        if not self.chance(4):
            moves = axis_moves(dimensions, 1.0)
            return SpacePlan(text, space, axis_names(dimensions), tuple(move.name for move in moves))
        names, table = self._moves(lambda axis: self.integer(1 - sizes[axis], sizes[axis] - 1), dimensions)
        return SpacePlan(f"{text}\n{table}", space, axis_names(dimensions), names)

    def room(self) -> int:
        """How many agents surely have room where they start, 4 at most."""
        space = self.space.space
        if not isinstance(space, Grid) or space.starts == "anywhere":
            return 4
        ground = letters_of(space)
        if "starts when" in self.space.text or "starts in" in self.space.text or (ground and ground.starts):
            return 0
        return 3

    def _starts_when(self, sizes: list[int]) -> list[str]:
        """Sometimes the cells on which agents start: those on one side of a line, or on another."""
        sides = [(axis, size) for axis, size in zip(axis_names(len(sizes)), sizes, strict=True) if size > 1]
        if not sides or not self.chance(4):
            return []
        axis, size = self.pick(sides)
        conditions = [f"position {axis} {self.pick(('<', '>='))} {self.integer(1, size - 1)}"]
        other, size = self.pick(sides)
        conditions += [f"position {other} == {self.integer(0, size - 1)}"] if self.chance(2) else []
        return [f"starts when {' or '.join(conditions)}"]

    def _hexagons(self, grid: Grid, drawn: bool, properties: list[str], below: str) -> SpacePlan:
        """A grid of hexagons like this grid."""
        size = "map" if drawn and self.chance(2) else " x ".join(map(str, grid.sizes))
        grid = replace(grid, metric="hexagonal")
        if self.chance(3):
            text = f"space hexagons {size}{self._block([*properties, 'moves turning'])}{below}"
            return self._turning(SpacePlan(text, grid, axis_names(2), TURNING_MOVES, turns=True))
        text = f"space hexagons {size}{self._block(properties)}{below}"
        moves = tuple(move.name for move in HEXAGONAL)
        return SpacePlan(text, grid, axis_names(2), moves)

    def _turning(self, plan: SpacePlan) -> SpacePlan:
        """A space in which agents turn; sometimes with what they face at first."""
        self.take("heading", "value")
        kind = "hexagons" if is_hexagonal(plan.space) else "grid"
        headings = self.draw_order(list(DIRECTIONS[kind]))
        if self.chance(2):
            return plan
        start = f"choice({', '.join(headings)})" if self.chance(2) else self.pick(headings)
        return replace(plan, text=f"{plan.text}\nstate heading: {' '.join(headings)} = {start}")

    def graph(self, wanted: int) -> SpacePlan:
        """A graph whose nodes hang together, with room for so many affordances."""
        names = [self.name(f"node{number}", "node") for number in range(wanted + self.integer(3, 6))]
        leads: dict[str, dict[str, None]] = {name: {} for name in names}
        paths: list[str] = []
        pairs = [(self.pick(names[:number]), name) for number, name in enumerate(names) if number > 0]
        pairs += [tuple(self.draw_order(names)[:2]) for _ in range(self.integer(0, 4))]
        first: dict[str, None] = {}
        for one, other in pairs:
            if other in leads[one] or one in leads[other]:
                continue
            link = self.pick(("-", "-", "->"))
            leads[one][other] = None
            if link == "-":
                leads[other][one] = None
            first |= {one: None, other: None}
            paths.append(f"{self.node(one)} {link} {self.node(other)}")
        start = self.pick(names) if self.chance(2) else None
        paths += [f"starts {self.node(start)}"] if start is not None else []
        if start is None and self.chance(2):
            region = self.word(self.name("village", "region"))
            inside = self.draw_order(list(first))[: self.integer(1, 3)]
            paths += [f"region {region} {{ {' '.join(map(self.node, inside))} }}", f"starts in {region}"]
        nodes = tuple(Node(name, tuple(leads[name]), NOWHERE) for name in first)
        starts: Literal["apart", "anywhere"] = "apart" if start is None else "anywhere"
        graph = Graph(nodes, start, NOWHERE)
        space = Grid((len(nodes),), "clamp", "manhattan", "computed", starts, NOWHERE, None, graph)
        moves = tuple(f"GO_{name}" for name in first)
        return SpacePlan(f"space graph {{ {joined(paths)} }}", space, (), moves, tuple(first))

    def node(self, name: str) -> str:
        """A node as it is written; some words mean something else where nodes stand."""
        return f"`{name}`" if name in ("starts", "random", "region") else self.word(name)

    def continuous(self, dimensions: int) -> SpacePlan:
        axes = []
        for _ in range(dimensions):
            low = self.constant(-100.0, 100.0) if self.chance(2) else self.pick((0.0, -0.0, -1.0))
            high = canonical32(low + self.pick((1.0, 0.1, 7.5, 10.0, 100.0)))
            axes.append(Axis(low, high, canonical32(high - low)))
        smallest = min(axis.size for axis in axes)
        reach = self.pick((0.0, 0.3, 1.0, 0.7)) * smallest
        edges, metric, properties = self._properties("clamp", "euclidean")
        momentum = canonical32(smallest * self.pick((0.25, 0.1, 1.0, 3.0))) if self.chance(3) else None
        properties += [] if momentum is None else [f"momentum up to {self.spell(momentum)}"]
        space = Continuous(tuple(axes), canonical32(reach), edges, metric, NOWHERE, momentum)
        properties.append(f"reach {self.spell(canonical32(reach))}")
        names, table = self._continuous_moves(axes, smallest, properties)
        bounds = " x ".join(f"({self.spell(axis.low)} .. {self.spell(axis.high)})" for axis in axes)
        text = f"space continuous {bounds}{self._block(properties)}"
        return SpacePlan(joined([text, table], "\n"), space, axis_names(dimensions), names)

    def _continuous_moves(
        self, axes: list[Axis], smallest: float, properties: list[str]
    ) -> tuple[tuple[str, ...], str]:
        """The names of the moves and their table, if there is one; or properties that say which there are."""
        if self.chance(3):
            return self._moves(lambda axis: self.shift(axes[axis].size), len(axes))
        step = canonical32(smallest * self.pick((0.3, 0.5, 0.2, 1.0, 2.5)))
        properties.append(f"step {self.spell(step)}")
        if len(axes) != 2 or self.chance(2):
            return tuple(move.name for move in axis_moves(len(axes), step)), ""
        directions, speeds = self.pick((8, 1, 3, 4)), self.pick((1, 2, 3))
        properties.append(f"directions {directions}")
        if speeds > 1 or self.chance(2):
            properties.append(f"speeds {speeds}")
        return tuple(move.name for move in directed_moves(directions, speeds, step)), ""

    def shift(self, size: float) -> float:
        """A displacement in a continuous space along an axis of this size."""
        if self.chance(8):
            return self.constant(-1000.0 * size, 1000.0 * size)
        return self.pick((0.0, -0.0, 1.0, -1.0, self.constant(-size, size), self.constant(-size, size)))

    def _moves(self, shift: Callable[[int], float], dimensions: int) -> tuple[tuple[str, ...], str]:
        """A table of moves; `shift` gives a displacement along an axis."""
        names, lines = [], []
        for reserved in ("INTERACT", "WAIT"):
            self.take(reserved, "action")
        for number in range(self.pick((3, 1, 5, 20))):
            name = self.name(f"MOVE{number}", "action")
            names.append(name)
            by = ", ".join(self._shift(shift(axis)) for axis in range(dimensions))
            lines.append(f"{self.word(name)} ({by})")
        return tuple(names), f"moves {{ {joined(lines)} }}"

    def _shift(self, value: float) -> str:
        return str(value) if isinstance(value, int) else self.spell(value)

    def _properties(self, edges: Edges, metric: Metric) -> tuple[Edges, Metric, list[str]]:
        """Edges and metric, if not these then as properties."""
        written = []
        if not self.chance(4):
            edges = self.pick(EDGES)
            written.append(f"edges {edges}")
        if not self.chance(4):
            metric = self.pick(METRICS)
            written.append(f"distance {metric}")
        return edges, metric, written

    def _block(self, properties: list[str]) -> str:
        return f" {{ {joined(list(self.draw_order(properties)))} }}" if properties else ""

    def place(self) -> str:
        """Coordinates in the space, as they are written."""
        if self.space.nodes:
            return self.node(self.pick(self.space.nodes))
        if self.letters and self.chance(2):
            return f'"{self.pick(self.letters)}"'
        match self.space.space:
            case Grid(sizes=sizes, map=Map(walls=walls, rows=rows)) if walls:
                cells = [cell for cell, letter in enumerate("".join(rows)) if letter not in walls]
                cell = self.pick(cells)
                parts = [str(cell % sizes[0]), str(cell // sizes[0])]
            case Grid(sizes=sizes):
                parts = [str(self.integer(0, size - 1)) for size in sizes]
            case Continuous(axes=axes):
                parts = [self.spell(self.constant(axis.low, axis.high)) for axis in axes]
            case NoSpace():
                parts = []
        return f"({', '.join(parts)})"

    def displacement(self) -> str:
        """What can be added to a position, as it is written."""
        match self.space.space:
            case Grid(sizes=sizes):
                parts = [str(self.integer(1 - size, size - 1)) for size in sizes]
            case Continuous(axes=axes):
                parts = [self.spell(self.shift(axis.size)) for axis in axes]
            case NoSpace():
                parts = []
        return f"({', '.join(parts)})"
