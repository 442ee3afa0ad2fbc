"""Ways in levels: how far it is to walk to what stands by a letter, as a table of each level, and what nobody can
reach there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TypeAlias

from hamlet.universe import Edges, nodes
from hamletc import messages
from hamletc.diagnostics import Finding
from hamletc.expansion.drawn_levels import Drawn
from hamletc.expansion.level_places import (
    affordances,
    free_cells,
    is_absent,
    letters_of,
    region_of,
    routes,
    taken_letters,
)
from hamletc.expansion.places import Places
from hamletc.expansion.trees import constant, outside_expressions
from hamletc.language import syntax
from hamletc.ways import Ways

MOST_WAYS = 2_000_000
"""The most ways from cells to others that are looked at; in more or larger levels nothing is warned of."""
Steps: TypeAlias = tuple[tuple[int, ...], ...]
StepsOf: TypeAlias = Callable[[tuple[syntax.Decl, ...], Places], Steps]
"""The displacements of the moves that are actions."""


@dataclass(frozen=True)
class LevelWays:
    """The ways in each level. `steps` are the displacements of moves."""

    drawn: Drawn
    declarations: tuple[syntax.Decl, ...]
    steps: Steps

    def _of(self, level: syntax.LevelDecl, steps: Iterable[tuple[int, ...]], jumps: str = "") -> Ways:
        drawn = self.drawn
        return Ways(
            (drawn.width, drawn.height),
            self._edges,
            frozenset(self._numbers(level, drawn.walls)),
            self._between,
            tuple((step[0], step[1]) for step in steps),
            frozenset(self._numbers(level, jumps)),
        )

    def _numbers(self, level: syntax.LevelDecl, letters: str) -> list[int]:
        return [x + self.drawn.width * y for x, y in self.drawn.cells(level, letters)]

    @cached_property
    def _edges(self) -> Edges:
        properties = (
            each for item in self.declarations if isinstance(item, syntax.SpaceDecl) for each in item.properties
        )
        written = next((each.value.text for each in properties if isinstance(each, syntax.EdgesProperty)), "clamp")
        every: tuple[Edges, ...] = ("clamp", "wrap", "sticky", "bounce")
        return next((edges for edges in every if edges == written), "clamp")

    @cached_property
    def _between(self) -> frozenset[tuple[int, int]]:
        pairs = (pair for item in self.drawn.map.items if isinstance(item, syntax.ThinWallsDecl) for pair in item.pairs)
        found: set[tuple[int, int]] = set()
        for pair in pairs:
            numbers = [[constant(x) for x in cell] for cell in (pair.first, pair.second)]
            cells = [int(x or 0) + self.drawn.width * int(y or 0) for x, y in numbers]
            found |= {(cells[0], cells[1]), (cells[1], cells[0])}
        return frozenset(found)

    # --- walking ---

    def walks(self, head: syntax.AffordanceDecl) -> list[int] | None:
        """The fewest moves from each cell of each level to an affordance, of several to the nearest; `None` where it
        does not stay where its level has it."""
        spots = (head.place, *head.others)
        if any(isinstance(spot, syntax.Name | syntax.StartsAt) or spot is None for spot in spots) or _moves(head):
            return None
        numbers: list[int] = []
        for level in self.drawn.levels:
            ways, cells = self._of(level, self.steps), self._targets(level, spots)
            if cells is None:
                return None
            every = [ways.steps_to(cell) for cell in cells]
            none = [self.drawn.width * self.drawn.height] * (self.drawn.width * self.drawn.height)
            numbers += map(min, none, *every) if every else none
        return numbers

    def _targets(self, level: syntax.LevelDecl, spots: Iterable[syntax.Spot | None]) -> list[int] | None:
        """The cells of places in a level."""
        found: list[int] = []
        for spot in spots:
            match spot:
                case syntax.Quoted(text=letter):
                    found += self._numbers(level, letter)
                case (x, y) if (right := constant(x)) is not None and (down := constant(y)) is not None:
                    if not (0 <= right < self.drawn.width and 0 <= down < self.drawn.height):
                        return None
                    found.append(int(right) + self.drawn.width * int(down))
                case _:
                    return None
        return found

    # --- what nobody can reach ---

    def lost(self) -> Iterator[Finding]:
        """What no agent can reach in some level, whatever moves and actions need, and levels that fall apart."""
        steps, jumps = self._every_step(), self._jumps()
        if steps is None or jumps is None or not steps or self._starts_elsewhere():
            return
        cells = self.drawn.width * self.drawn.height
        if len(self.drawn.levels) * cells * len(steps) > MOST_WAYS:
            return
        asked = _asked(self.declarations)
        for number, level in enumerate(self.drawn.levels):
            ways = self._of(level, steps, jumps)
            taken = taken_letters(self.declarations)
            starts = frozenset(self._numbers(level, self.drawn.starts))
            starts = starts or frozenset(range(cells)) - ways.walls - set(self._numbers(level, taken))
            reached = ways.from_cells(starts)
            for head in affordances(self.declarations):
                if is_absent(head, level.name.text, number):
                    continue
                if any(cell not in reached for spot in letters_of(head) for cell in self._numbers(level, spot.text)):
                    yield messages.levels.OutOfReachInLevel(head.name.span, head.name.text, level.name.text, "all")
                region = region_of(head)
                known = region is not None and region in self.drawn.regions
                room = free_cells(self.drawn, self.declarations, level, region) if region is not None and known else []
                if any(x + self.drawn.width * y not in reached for x, y in room):
                    yield messages.levels.OutOfReachInLevel(head.name.span, head.name.text, level.name.text, "some")
            for item in self.drawn.map.items:
                if isinstance(item, syntax.RegionDecl) and item.name.text in asked:
                    inside = set(self._numbers(level, item.letters.text)) - ways.walls
                    if inside and not inside & reached:
                        yield messages.levels.OutOfReachInLevel(item.name.span, item.name.text, level.name.text, "all")
            together = ways.from_cells(frozenset(sorted(starts)[:1]), both_ways=True)
            apart = next((cell for cell in sorted(starts) if cell not in together), None)
            if apart is not None:
                cell = apart % self.drawn.width, apart // self.drawn.width
                yield messages.levels.LevelFallsApart(level.span, level.name.text, cell)

    def _every_step(self) -> Steps | None:
        """The displacements of moves and of everything that moves agents; `None` where one is no constant."""
        found = list(self.steps)
        for item in outside_expressions(self.declarations):
            match item:
                case syntax.MoveStmt(toward=syntax.Toward(cells=cells)):
                    far = 1 if cells is None else int(float(cells.text))
                    found += [(right * far, down * far) for right, down in product((-1, 0, 1), repeat=2)]
                case syntax.MoveStmt(by=by):
                    known = [each for part in by if (each := constant(part)) is not None]
                    if len(known) != 2:
                        return None
                    found.append((int(known[0]), int(known[1])))
                case _:
                    pass
        return tuple(dict.fromkeys(step for step in found if any(step)))

    def _jumps(self) -> str | None:
        """The letters to which agents are put; `None` where they are put anywhere else."""
        found = ""
        for item in outside_expressions(self.declarations):
            match item:
                case syntax.TeleportStmt(spot=syntax.Quoted(text=letter)):
                    found += letter
                case syntax.TeleportStmt():
                    return None
                case _:
                    pass
        return found

    def _starts_elsewhere(self) -> bool:
        """Whether an author says by a condition where agents start."""
        spaces = (item for item in self.declarations if isinstance(item, syntax.SpaceDecl))
        return any(isinstance(each, syntax.StartsWhenProperty) for item in spaces for each in item.properties)


def _moves(head: syntax.AffordanceDecl) -> bool:
    items = any(isinstance(item, syntax.WandersItem) for item in head.items) or any(True for _ in routes(head))
    return items or any(isinstance(each, syntax.PushStmt) for each in outside_expressions(head.items))


def _asked(declarations: tuple[syntax.Decl, ...]) -> frozenset[str]:
    """The regions of which something asks whether an agent is there, as neither cells do nor who looks at others."""
    outside = tuple(item for item in declarations if not isinstance(item, syntax.CellsDecl))
    afar = {id(node) for at in nodes(outside) if isinstance(at, syntax.AtExpr) for node in nodes(at)}
    asking = (node for node in nodes(outside) if isinstance(node, syntax.OnExpr) and id(node) not in afar)
    return frozenset(node.region.text for node in asking)
