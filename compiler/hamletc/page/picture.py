"""The picture of a universe as data: the painter of `hamlet_look` paints each part once, and a page repeats it where
the arrays of a world say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from hamlet import schema
from hamlet.env.board import Board, board_of
from hamlet.env.drawn import HEADING, MOST_LINKS, Drawn, Line, Mark
from hamlet.env.layers import Layer, empty_layers
from hamlet.env.view import Player, Stand, View, kinds_of, mark_of_agent, marks_of, said_hours
from hamlet.schema.fields import cell_words
from hamlet.schema.roles import fewest_agents
from hamlet.universe import Affordance, Continuous, DrawLine, DrawLinks, DrawMark, Grid, NoSpace, Universe
from hamlet.universe.drawings import COLOURS, LIES
from hamlet.universe.space import cells
from hamlet_look.ground import DENSEST, MOST, Tiles, ground_of, in_pixels, inks_of
from hamlet_look.sheet import INK, MARGIN, PAPER, Sheet, colour
from hamletc.page.recorded import Recording, Stroke, coded, said
from hamletc.page.shown import PLACES, Rows, Shown

Picture = dict[str, Any]
"""As JSON."""


def picture_of(universe: Universe, shown: Shown, agents: int) -> Picture | None:
    """The board of a universe and what can stand on it, for worlds of at most so many agents; `None` without a
    board."""
    board = board_of(universe, Drawn(universe))
    return None if board is None else _Painted(universe, shown, board, agents).picture()


class _Painted:
    """A universe, painted part by part. Parts are painted at the first place of the board."""

    def __init__(self, universe: Universe, shown: Shown, board: Board, agents: int) -> None:
        self._universe, self._shown, self._board, self._agents = universe, shown, board, agents
        self._drawn = Drawn(universe)
        self._layers = tuple(self._of_cells())
        empty = [_emptied(layer) for _, _, layer in self._layers]
        self._ground = ground_of(board, empty)
        self._empty = View(universe.name, 0, 0, 0, None, None, board, (), (), (), tuple(empty))
        self._first = board.low
        # Parts look the same on any floor, and a bare one is painted faster.
        self._bare = ground_of(replace(board, ground=(), thin=(), tints=(), edges=()), ())
        self._bare_floor = len(self._bare_strokes(self._empty))

    def picture(self) -> Picture:
        """All of it."""
        drawings = self._universe.drawings
        marks = [each for each in drawings if isinstance(each, DrawMark | DrawLine | DrawLinks)]
        return {
            "width": self._ground.width + 2 * MARGIN,
            "height": self._ground.height + 2 * MARGIN,
            "low": list(self._board.low),
            "edge": list(self._board.edge),
            "whole": self._board.cells,
            "place": self._places(),
            **self._floor(),
            "layers": list(self._layers_said()),
            "walls": None if self._shown.walls is None else self._shown.walls.begin,
            "turned": None if (canvas := self._drawn.canvas) is None else canvas.low[1] + canvas.high[1],
            "marks": list(self._marks(marks)),
            "stands": [
                self._stand(number, mark, affordance)
                for number, (mark, affordance) in enumerate(
                    zip(marks_of(self._universe, self._drawn), self._universe.affordances, strict=True)
                )
            ],
            "players": self._players(),
        }

    def _painted(self, **parts: Any) -> list[Stroke]:
        """The strokes that are painted of a view with these parts and nothing else, without its floor."""
        return self._bare_strokes(replace(self._empty, **parts))[self._bare_floor :]

    def _bare_strokes(self, view: View) -> list[Stroke]:
        return recorded(lambda sheet: self._bare.paint(view, sheet))

    def _strokes(self) -> list[Stroke]:
        return recorded(lambda sheet: self._ground.paint(self._empty, sheet))

    def _places(self) -> Picture:
        """Where on the board places are: a linear map of them, or the nodes of a graph."""
        board, (x, y) = self._board, self._first
        across, down = board.edge
        if board.cells:
            across, down = min(across, MOST - 1), min(down, MOST - 1)
        if board.nodes:
            return {"nodes": [list(self._middle((float(n), 0.0))) for n in range(len(board.nodes))]}
        at = self._middle((x, y))
        right, below = self._middle((x + across, y)), self._middle((x, y + down))
        return {
            "origin": [x, y],
            "at": list(at),
            "x": [(b - a) / (across or 1) for a, b in zip(at, right, strict=True)],
            "y": [(b - a) / (down or 1) for a, b in zip(at, below, strict=True)],
        }

    def _middle(self, place: tuple[float, float]) -> tuple[float, float]:
        """The pixel in the middle of a place: where a line to it ends."""
        [stroke] = self._painted(lines=(Line(place, place, None),))
        return float(stroke[1] or 0), float(stroke[2] or 0)

    def _floor(self) -> Picture:
        """The floor, which is below all else. Cells are painted one by one, since what they have tints them."""
        ground, first = self._ground, self._first
        if not isinstance(ground, Tiles):
            return {"floor": self._strokes(), "cells": None}
        return {
            "floor": recorded(ground.edges),
            "cells": {
                "columns": int(self._board.size[0]),
                "rows": int(self._board.size[1]),
                "of": cells(self._universe.space) if isinstance(self._universe.space, Grid) else 0,
                "fills": _runs([said(fill) for _, fill in ground.fills()]),
                "paint": recorded(lambda sheet: ground.cell(first, PAPER, sheet)),
                "letters": _runs(list(self._letters(ground))) if ground.lettered else None,
                "write": recorded(lambda sheet: ground.letter(first, "@", PAPER, sheet)),
                "inks": [coded(INK), coded(PAPER)],
                "wall": self._wall(),
            },
        }

    def _letters(self, ground: Tiles) -> Iterator[str]:
        """The letter of each cell of which no layer has one."""
        columns, rows = (min(int(size), MOST) for size in self._board.size)
        yield from (ground.letter_of(column, row) for row in range(rows) for column in range(columns))

    def _wall(self) -> str:
        """The colour of a cell that becomes a wall."""
        walled = replace(self._board, ground=("#",), walls="#", size=(1.0, 1.0), thin=(), tints=())
        chosen = self._drawn.colour("wall")
        ground = ground_of(walled, ())
        [(_, fill)] = ground.fills() if isinstance(ground, Tiles) else [((0, 0), PAPER)]
        return said(fill if chosen is None else chosen)

    def _of_cells(self) -> Iterator[tuple[int, int | None, Layer]]:
        """Each layer that is shown, the number of its meter of cells, and of its option."""
        meters = () if self._universe.cells is None else self._universe.cells.meters
        for layer in self._drawn.layers(empty_layers(self._universe)):
            for number, meter in enumerate(meters):
                name = meter.name.removeprefix(LIES)
                options = () if meter.type is None else meter.type.options
                named = [f"{name} {option}" for option in options]
                if layer.name == name and layer.things == meter.name.startswith(LIES):
                    yield number, None, layer
                elif layer.name in named:
                    yield number, named.index(layer.name), layer

    def _layers_said(self) -> Iterator[Picture]:
        every = self._layers
        inks = [each for each in every if not each[2].things]
        things = [each for each in every if each[2].things]
        for group in (inks, things):
            painted = inks_of([layer for _, _, layer in group])
            for (number, option, layer), (_, ink) in zip(group, painted, strict=True):
                yield {
                    "name": layer.name,
                    "letter": in_pixels(layer.letter, layer.initial) if layer.letter and not layer.things else "",
                    "meter": number,
                    "option": option,
                    "low": layer.low,
                    "high": layer.high,
                    "ink": said(ink),
                    "tint": DENSEST if layer.colour is None else None,
                    "paint": self._thing(layer) if layer.things else None,
                    "faintest": layer.faintest,
                }

    def _thing(self, layer: Layer) -> list[Stroke]:
        """A thing of a kind that lies on the first cell."""
        lying = [
            _with_first(each) if each is layer else _emptied(each) for _, _, each in self._layers
        ]  # fmt: skip
        ground = ground_of(self._board, lying)
        strokes = recorded(lambda sheet: ground.paint(replace(self._empty, layers=tuple(lying)), sheet))
        return strokes[len(self._strokes()) :]

    def _marks(self, drawn: Sequence[DrawMark | DrawLine | DrawLinks]) -> Iterator[Picture]:
        """The marks and lines, and the links whose conditions a page can evaluate."""
        links = iter(self._shown.links)
        for mark, rows in zip(drawn, self._shown.marks, strict=True):
            if not isinstance(mark, DrawLinks):
                yield self._mark(mark, rows)
            elif (link := next(links)).shown:
                yield self._line(mark.colour) | {"links": link.said(rows.begin), "most": MOST_LINKS}

    def _line(self, colour: str) -> Picture:
        """How a line is painted."""
        ink = COLOURS[colour] if colour else None
        [stroke] = self._painted(lines=(Line(self._first, self._first, ink),))
        return {"line": {"ink": stroke[5], "thick": stroke[6]}}

    def _mark(self, mark: DrawMark | DrawLine, rows: Rows) -> Picture:
        """A mark or a line, and the rows of the observations that say where it is, and whether."""
        said = {"row": rows.begin, "asked": mark.condition is not None}
        if isinstance(mark, DrawLine):
            return said | self._line(mark.colour)
        ink = COLOURS[mark.colour] if mark.colour else None
        return said | {"paint": self._painted(marks=(Mark(self._first, mark.letter, ink),))}

    def _stand(self, number: int, mark: str, affordance: Affordance) -> Picture:
        ink = self._drawn.colour("affordance", affordance.name) or colour(
            kinds_of(self._universe)[affordance.copy_of or affordance.name]
        )
        chosen = Stand(affordance.name, mark, self._first, True, said_hours(affordance), (), colour=ink)
        return {
            "name": chosen.name,
            "mark": mark,
            "hours": chosen.hours,
            "ink": said(ink),
            "at": self._at(number, affordance),
            "opens": self._shown.opens[number],
            "there": self._shown.there[number],
            "open": self._painted(stands=(replace(chosen, open=True),)),
            "closed": self._painted(stands=(replace(chosen, open=False),)),
        }

    def _at(self, number: int, affordance: Affordance) -> list[Picture] | None:
        """How each coordinate of an affordance is read: as a number, or from a row of an array, in which a cell is
        divided by `divide` and taken modulo `size`."""
        universe, space = self._shown.universe, self._universe.space
        if isinstance(space, NoSpace):
            return None
        shown = len(space.sizes if isinstance(space, Grid) else space.axes[:2])
        if affordance.moving and universe.world is not None:
            names = [meter.name for meter in universe.world.meters]
            # On a grid coordinates are rounded down.
            whole = {} if isinstance(space, Continuous) else {"divide": 1}
            return [{"array": "world_meters", "row": names.index(each)} | whole for each in affordance.moving[:2]]
        if affordance.place is not None:
            return [{"number": each} for each in affordance.place[:2]]
        stored = next(each for each in schema.state_fields(universe) if each.name == PLACES)
        rows = len(stored.rows or ()) // len(universe.affordances)
        if isinstance(space, Continuous):
            return [{"array": PLACES, "row": number * rows + axis} for axis in range(min(shown, 2))]
        result = []
        for word, (begin, end) in enumerate(cell_words(space)):
            for axis in range(begin, min(end, 2)):
                divide, size = prod(space.sizes[begin:axis]), space.sizes[axis]
                result.append({"array": PLACES, "row": number * rows + word, "divide": divide, "size": size})
        return result

    def _players(self) -> Picture:
        """The agents by number, those that look alike once; the look of one that is `alone` in its world."""
        drawn, looks, numbers = self._drawn, list[Picture](), list[int]()
        ways = self._ways(drawn)
        others = tuple(replace(self._player(1, self._agents), at=None) for _ in range(self._agents > 1))
        for number in range(self._agents):
            look = self._look(self._player(number, self._agents), others, ways)
            if look not in looks:
                looks.append(look)
            numbers.append(looks.index(look))
        return {
            "aside": drawn.aside,
            "unborn": bool(self._universe.pools),
            "heading": [meter.name for meter in self._universe.meters].index(HEADING) if ways else None,
            "looks": looks,
            "of": numbers,
            "alone": self._look(self._player(0, 1), (), ways) if fewest_agents(self._universe) == 1 else None,
        }

    def _player(self, number: int, agents: int) -> Player:
        """An agent, of so many in its world, at the first place."""
        name, letter, ink = self._drawn.agent(number)
        return Player(name, mark_of_agent(letter, number, agents), self._first, True, "", 0, 0.0, 0.0, (), ink)

    def _look(self, player: Player, others: tuple[Player, ...], ways: Sequence[tuple[float, float]]) -> Picture:
        facing = [replace(player, facing=way) for way in ways] or [player]
        return {
            "alive": [self._painted(players=(each, *others)) for each in facing],
            "dead": self._painted(players=(replace(player, alive=False), *others)),
        }

    def _ways(self, drawn: Drawn) -> list[tuple[float, float]]:
        """Where agents face with each option of their heading; none where they have no heading."""
        values = [meter.low for meter in self._universe.meters]
        heading = next((row for row, meter in enumerate(self._universe.meters) if meter.name == HEADING), None)
        if heading is None or drawn.facing(values) is None:
            return []
        kind = self._universe.meters[heading].type
        options = range(len(() if kind is None else kind.options))
        facing = (drawn.facing([*values[:heading], float(n), *values[heading + 1 :]]) for n in options)
        return [way for way in facing if way is not None]


def recorded(paint: Callable[[Sheet], None]) -> list[Stroke]:
    """The strokes that are painted on a sheet."""
    sheet = Recording()
    paint(sheet)
    return sheet.strokes


def _emptied(layer: Layer) -> Layer:
    """A layer of which no cell shows anything."""
    nothing = 0.0 if layer.things else layer.low
    return replace(layer, rows=tuple((nothing,) * len(row) for row in layer.rows))


def _with_first(layer: Layer) -> Layer:
    """A layer of things of which one lies on the first cell."""
    first, *others = _emptied(layer).rows
    return replace(layer, rows=((1.0, *first[1:]), *others))


def _runs(fills: Sequence[str]) -> list[list[str | int]]:
    """Equal neighbours once, with their number."""
    runs: list[list[str | int]] = []
    for fill in fills:
        if runs and runs[-1][0] == fill:
            runs[-1][1] = int(runs[-1][1]) + 1
        else:
            runs.append([fill, 1])
    return runs
