"""Levels: several maps, of which each episode has one. Which one is a state `level` of the world. What a level has is
written out as tables, and as states of cells that begin with their numbers: walls, regions and terrains. Where agents
start is a condition of cells. Places that are others in each level are written out beside that (`level_places`), and
ways to them (`level_ways`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeVar, cast

from hamlet.universe import Span
from hamletc import messages
from hamletc.diagnostics import Diagnostic, Finding
from hamletc.expansion.drawn_levels import LEVEL, MOST_SOUGHT, Drawn, level_of, problems_of, wrong_sizes
from hamletc.expansion.headings import turning_of
from hamletc.expansion.level_places import LevelPlaces, affordances, states_up_to_level, taken_letters, wrong_places
from hamletc.expansion.level_thin import Thinned, thinned
from hamletc.expansion.level_ways import LevelWays, StepsOf
from hamletc.expansion.places import Copy, Places
from hamletc.expansion.trees import Field, binary, call, free, named, number, rebuilt
from hamletc.language import syntax
from hamletc.language.declared import in_namespace

T = TypeVar("T")


def levels_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places, steps_of: StepsOf
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations with one map, which is empty, in the place of its levels, and what is wrong with these.
    `steps_of` gives the displacements of moves on that map."""
    written = next((item for item in declarations if isinstance(item, syntax.MapDecl)), None)
    levels = () if written is None else only(written.items, syntax.LevelDecl)
    if written is None or not levels:
        return declarations, ()
    found = list(wrong_sizes(Drawn(written, levels)))
    thin = Thinned(written) if found else thinned(written)
    drawn = Drawn(thin.map, only(thin.map.items, syntax.LevelDecl))
    found = found or list(thin.problems) or problems_of(drawn, declarations)
    found = found or list(wrong_places(drawn, declarations))
    problems = tuple(map(places.told, found))
    if problems:
        return declarations, problems
    copy = Copy(written.span.file, written.span, "written", "drawn as levels", made=True)
    span = replace(written.span, file=places.add(copy))
    ground = tuple(ground_of(drawn) if item is written else item for item in declarations)
    ways = LevelWays(drawn, declarations, steps_of(ground, places))
    writer = _Levels(drawn, span, declarations, ways, places)
    made = writer.written_out()
    loose = any(isinstance(item, syntax.InertDecl) for item in declarations)
    wrong = (*writer.problems, *(() if loose else writer.unasked()), *ways.lost())
    return made, tuple(map(places.told, wrong))


@dataclass
class _Levels:
    """Writes out the levels of a map for `declarations`. What nobody wrote is at the `span`. `asked` are the regions of
    which cells have a state, `begun` those that start values of cells read, `problems` what is wrong."""

    drawn: Drawn
    span: Span
    declarations: tuple[syntax.Decl, ...]
    ways: LevelWays
    copies: Places
    problems: list[Finding] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    begun: list[str] = field(default_factory=list)

    def written_out(self) -> tuple[syntax.Decl, ...]:
        """The declarations, with the tables and the states in front of them."""
        made = tuple(self._declaration(item) for item in self.declarations)
        known = level_of(self.declarations)
        chosen = () if known is not None else (syntax.WorldDecl((self._chosen(),), self.span),)
        if self.places.states:
            first, made = states_up_to_level(made)
            chosen = (*chosen, *first, syntax.WorldDecl(tuple(self.places.states), self.span))
        states = self._states()
        cells = (syntax.CellsDecl(tuple(states), self.span),) if states else ()
        return (*map(self._table, self._tabled()), *self.places.written_tables(), *chosen, *cells, *made)

    @cached_property
    def places(self) -> LevelPlaces:
        """The places that are others in each level."""
        return LevelPlaces(self.drawn, self.declarations, self.span, self._number(), self.copies)

    def unasked(self) -> Iterator[Finding]:
        """What is wrong with regions that nobody asks for."""
        by_number = {each.region.text for item in self.drawn.terrains for each in item.numbers}
        begins = {item.letters.text for item in self.drawn.map.items if isinstance(item, syntax.MapLetters)}
        for item in only(self.drawn.map.items, syntax.RegionDecl):
            if item.name.text not in {*self.asked, *self.begun, *by_number, *begins, *self.places.dealt}:
                yield messages.inert.UnaskedRegion(item.name.span, item.name.text)

    def _declaration(self, item: syntax.Decl) -> syntax.Decl:
        """What stands for a declaration."""
        match item:
            case syntax.MapDecl():
                return ground_of(self.drawn)
            case syntax.SpaceDecl(properties=properties) if (begins := self._begins(item)) is not None:
                starts = syntax.StartsWhenProperty(begins, self.span)
                return replace(item, properties=(*map(self.tree, properties), starts))
            case syntax.AffordanceDecl():
                return cast("syntax.Decl", self.tree(self.places.affordance(item)))
            case syntax.CellsDecl(items=items):
                return replace(item, items=tuple(map(self._of_cells, items)))
            case _:
                return cast("syntax.Decl", self.tree(item))

    def _begins(self, space: syntax.SpaceDecl) -> syntax.Expr | None:
        """The condition of the cells where agents start: on their letters, else not where affordances stand by one;
        `None` where they start anywhere, or an author says it."""
        if self.drawn.starts:
            return self._stands(self.drawn.starts)
        said = any(isinstance(each, syntax.StartsWhenProperty | syntax.StartsProperty) for each in space.properties)
        taken = taken_letters(self.declarations)
        if said or not taken or self.drawn.width * self.drawn.height > MOST_SOUGHT:
            return None
        return syntax.UnaryExpr("not", self._stands(taken), self.span)

    def _of_cells(self, item: syntax.CellItem) -> syntax.CellItem:
        """A part of a block of cells. A start value asks for what a state of the level begins with."""
        match item:
            case syntax.MeterDecl():
                return cast("syntax.MeterDecl", self.beginning(item))
            case syntax.WallItem(condition=condition) if self.drawn.walls:
                walls = binary("or", self._name(self._wall), self.tree(condition), condition.span)
                return replace(item, condition=walls)
            case _:
                return cast("syntax.CellItem", self.tree(item))

    # --- what asks for regions ---

    def tree(self, node: Any, _: Field | None = None) -> Any:
        """A node that is read when cells have begun: a region is a state of cells with its name."""
        match node:
            case syntax.OnExpr(region=region, span=span) if region.text in self.drawn.regions:
                self._ask(region, self.asked)
                return syntax.Bound(region.text, span, True, "value")
            case syntax.DrawRegion(name=name, letter=letter, colour=colour, span=span) if (
                name.text in self.drawn.regions
            ):
                self._ask(name, self.asked)
                return syntax.DrawCell(replace(name, quoted=True), None, letter, colour, span)
            case syntax.TeleportStmt():
                return rebuilt(self.places.teleport(node), self.tree)
            case syntax.DistanceExpr(way="walking") if self.drawn.walls and not self._changing:
                return self._walk(node)
            case syntax.ObserveGrid(layer=layer) | syntax.ObserveWindow(layer=layer):
                self._ask(layer, self.asked)
                return rebuilt(node, self.tree)
            case _:
                return rebuilt(node, self.tree)

    def _of_author(self, kinds: type[syntax.WallItem | syntax.SolidItem]) -> bool:
        """Whether an author declares cells that stop agents while something holds."""
        blocks = only(self.declarations, syntax.CellsDecl)
        return any(isinstance(item, kinds) for block in blocks for item in block.items)

    @cached_property
    def _changing(self) -> bool:
        """Whether something comes and goes that agents walk around: no table knows how far that is."""
        return self._of_author(syntax.WallItem) or self._of_author(syntax.SolidItem)

    def _walk(self, node: syntax.DistanceExpr) -> syntax.Expr:
        """A walking distance, as the table of the affordance has it."""
        named = (head for head in affordances(self.declarations) if head.name.text == node.affordance.text)
        head = next(named, None)
        turning = any(turning_of(item) is not None for item in only(self.declarations, syntax.SpaceDecl))
        if head is None or turning:
            return node
        numbers = self.ways.walks(head)
        if numbers is None:
            self.problems.append(messages.levels.WalkInLevels(node.span, head.name.text))
            return node
        y, x = (syntax.AxisExpr("position", syntax.Name(axis, node.span), node.span) for axis in "yx")
        sizes = self.drawn.height, self.drawn.width
        read = self.places.table(f"walk to {head.name.text}", sizes, numbers, y, x)
        return replace(read, span=node.span)

    def beginning(self, node: Any, _: Field | None = None) -> Any:
        """A node that is read when cells begin."""
        match node:
            case syntax.AtExpr():
                return self.tree(node)
            case syntax.OnExpr(region=region) if region.text in self.drawn.regions:
                self._ask(region, self.begun)
                return self._stands(self.drawn.regions[region.text])
            case _:
                return rebuilt(node, self.beginning)

    def _ask(self, region: syntax.Name | None, among: list[str]) -> None:
        if region is not None and region.text in self.drawn.regions and region.text not in among:
            among.append(region.text)

    # --- states of cells ---

    def _states(self) -> list[syntax.CellItem]:
        """What cells have of the level of an episode."""
        made: list[syntax.CellItem] = []
        if self.drawn.walls:
            made.append(self._state(self._wall, self._stands(self.drawn.walls), "compiler"))
            if not self._of_author(syntax.WallItem):
                made.append(syntax.WallItem(self._name(self._wall), self.span))
        made += (self._state(name, self._stands(self.drawn.regions[name])) for name in self.asked)
        made += map(self._terrain, self.drawn.terrains)
        return made

    @property
    def _wall(self) -> str:
        """The name of the state that says which cells are walls of the level."""
        return free("walls of levels", in_namespace("value", self.declarations))

    def _state(self, name: str, start: syntax.Expr, of: Literal["levels", "compiler"] = "levels") -> syntax.MeterDecl:
        spec = syntax.StateSpec("bool", (), self.span, of)
        return syntax.MeterDecl(named(name, self.span), start, None, (), self.span, spec)

    def _terrain(self, item: syntax.TerrainDecl) -> syntax.MeterDecl:
        """A number that a cell has: that of the region that it is in."""
        span, start = item.span, item.default
        for each in reversed(item.numbers):
            start = syntax.IfExpr(self._stands(self.drawn.regions[each.region.text]), each.value, start, span)
        values = (item.default, *(each.value for each in item.numbers))
        bounds = call("min", *values, span=span), call("max", *values, span=span)
        spec = syntax.StateSpec("real", (), self.span, "levels")
        return syntax.MeterDecl(item.name, start, bounds, (), span, spec)

    # --- tables ---

    def _tabled(self) -> list[str]:
        """The letters that have tables."""
        regions = [self.drawn.regions[name] for name in (*self.asked, *self.begun)]
        by_number = [self.drawn.regions[each.region.text] for item in self.drawn.terrains for each in item.numbers]
        taken = "" if self.drawn.starts else taken_letters(self.declarations)
        every_one = (self.drawn.walls, self.drawn.starts, taken, *regions, *by_number)
        return list(dict.fromkeys(letters for letters in every_one if letters))

    def _table(self, letters: str) -> syntax.TableDecl:
        """Of each level 1 for the cells with these letters, 0 for the others."""
        rows = [row.text for level in self.drawn.levels for row in level.rows]
        numbers = (" ".join("1" if letter in letters else "0" for letter in row) for row in rows)
        lines = tuple(syntax.TableRow(line, self.span) for line in numbers)
        sizes = (len(self.drawn.levels), self.drawn.height, self.drawn.width)
        signed = tuple(syntax.Signed(str(size), self.span) for size in sizes)
        return syntax.TableDecl(named(self._name_of_table(letters), self.span), signed, None, lines, self.span)

    def _name_of_table(self, letters: str) -> str:
        return free(f"levels with {letters}", in_namespace("value", self.declarations))

    def _stands(self, letters: str) -> syntax.Expr:
        """The condition that a cell has one of these letters, in the level of the episode as it begins."""
        span = self.span
        y, x = (syntax.AxisExpr("position", syntax.Name(axis, span), span) for axis in "yx")
        table = self._name(self._name_of_table(letters))
        return binary("==", syntax.IndexExpr(table, (self._number(), y, x), span), number(1, span), span)

    def _number(self) -> syntax.Expr:
        """The number of the level of the episode."""
        level, span = self._name(LEVEL), self.span
        state = level_of(self.declarations)
        has_names = self.drawn.named if state is None else isinstance(state, syntax.MeterDecl) and _has_options(state)
        if not has_names:
            return level
        chosen: syntax.Expr = number(len(self.drawn.levels) - 1, span)
        for place, each in reversed(list(enumerate(self.drawn.levels[:-1]))):
            option = syntax.Bound(each.name.text, span, each.name.quoted, "option")
            chosen = syntax.IfExpr(binary("==", level, option, span), number(place, span), chosen, span)
        return chosen

    def _chosen(self) -> syntax.MeterDecl:
        """The state that says which level an episode has: each as likely as the others."""
        span, levels = self.span, self.drawn.levels
        if self.drawn.named:
            options = tuple(replace(level.name, span=span) for level in levels)
            spec = syntax.StateSpec("options", options, span)
            return syntax.MeterDecl(syntax.Name(LEVEL, span), call("choice", *options, span=span), None, (), span, spec)
        bounds = number(0, span), number(len(levels) - 1, span)
        spec = syntax.StateSpec("int", (), span)
        return syntax.MeterDecl(syntax.Name(LEVEL, span), call("integer", *bounds, span=span), bounds, (), span, spec)

    def _name(self, name: str) -> syntax.Bound:
        return syntax.Bound(name, self.span, True, "value")


def ground_of(drawn: Drawn) -> syntax.MapDecl:
    """A map of one size with the levels, on which nothing is drawn."""
    rows = tuple(replace(row, text="." * len(row.text)) for row in drawn.levels[0].rows)
    return replace(drawn.map, file=None, rows=rows, items=only(drawn.map.items, syntax.ThinWallsDecl))


def only(items: tuple[Any, ...], kind: type[T]) -> tuple[T, ...]:
    """The items of a kind."""
    return tuple(item for item in items if isinstance(item, kind))


def _has_options(state: syntax.MeterDecl) -> bool:
    return state.state is not None and state.state.kind == "options"
