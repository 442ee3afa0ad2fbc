"""The levels of a map as they are drawn, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from hamlet.universe import Span
from hamlet.universe.terrain import distinct
from hamletc import messages
from hamletc.diagnostics import Finding
from hamletc.expansion.trees import constant, outside_expressions
from hamletc.language import syntax
from hamletc.language.declared import in_namespace

LEVEL = "level"
"""The name of the state of the world that says which level an episode has."""
MOST_NAMED = 64
"""The most levels with names: each is asked for by itself."""
MOST_CELLS = 65_536
"""The most cells of all levels: as many numbers as a table has."""
MOST_SOUGHT = 4096
"""The most cells of a level in which agents look for one where they start."""
PLAIN = ". "
"""Letters that need no meaning."""
OfWorld: TypeAlias = syntax.MeterDecl | syntax.OnceDecl


@dataclass(frozen=True)
class Drawn:
    """The levels of a map."""

    map: syntax.MapDecl
    levels: tuple[syntax.LevelDecl, ...]

    @property
    def named(self) -> bool:
        """Whether they have names; those of a file have numbers."""
        return self.map.file is None

    @property
    def width(self) -> int:
        """The cells of a row."""
        return len(self.levels[0].rows[0].text)

    @property
    def height(self) -> int:
        """The rows of a level."""
        return len(self.levels[0].rows)

    @cached_property
    def regions(self) -> Mapping[str, str]:
        """The letters of each region."""
        found = (item for item in self.map.items if isinstance(item, syntax.RegionDecl))
        return {item.name.text: distinct(item.letters.text) for item in found}

    @cached_property
    def terrains(self) -> tuple[syntax.TerrainDecl, ...]:
        """The numbers that cells have."""
        return tuple(item for item in self.map.items if isinstance(item, syntax.TerrainDecl))

    @cached_property
    def walls(self) -> str:
        """The letters of walls."""
        return self._letters("wall")

    @cached_property
    def starts(self) -> str:
        """The letters where agents start; none where they start anywhere."""
        return self._letters("starts")

    @cached_property
    def letters(self) -> str:
        """All letters of all levels."""
        return distinct(row.text for level in self.levels for row in level.rows)

    def _letters(self, kind: str) -> str:
        for item in self.map.items:
            match item:
                case syntax.MapLetters(kind=syntax.Name(text=text), letters=syntax.Quoted(text=letters)) if (
                    text == kind
                ):
                    return distinct(letters)
                case syntax.MapLetters(kind=syntax.Name(text=text), letters=letters) if text == kind:
                    of_region = self.regions.get(letters.text, "")
                    return distinct(letter for letter in of_region if letter not in self.walls)
                case _:
                    pass
        return ""

    def cells(self, level: syntax.LevelDecl, letters: str) -> list[tuple[int, int]]:
        """The cells of a level, x and y, that have one of these letters."""
        return [(x, y) for y, row in enumerate(level.rows) for x, letter in enumerate(row.text) if letter in letters]


def level_of(declarations: tuple[syntax.Decl, ...]) -> OfWorld | None:
    """The state of the world, or what it draws once, that says which level an episode has, where an author declares
    it."""
    for block in declarations:
        for item in block.items if isinstance(block, syntax.WorldDecl) else ():
            if isinstance(item, syntax.MeterDecl | syntax.OnceDecl) and item.name.text == LEVEL:
                return item
    return None


def problems_of(drawn: Drawn, declarations: tuple[syntax.Decl, ...]) -> list[Finding]:
    """What is wrong with levels whose sizes are right; what follows from the first thing is left out."""
    return list(_letters(drawn, declarations)) or list(_states(drawn, declarations))


def wrong_sizes(drawn: Drawn) -> Iterator[Finding]:
    """What is wrong with the rows of levels."""
    levels, first = drawn.levels, drawn.levels[0]
    if drawn.map.rows:
        yield messages.levels.RowsBesideLevels(drawn.map.rows[0].span, first.span)
        return
    if len(levels) == 1:
        yield messages.levels.OneLevel(first.span)
        return
    met: dict[str, syntax.LevelDecl] = {}
    for level in levels:
        if met.setdefault(level.name.text, level) is not level:
            yield messages.levels.LevelTwice(level.name.span, level.name.text, met[level.name.text].name.span)
            return
        if not level.rows or not level.rows[0].text:
            yield messages.maps.NoCells(level.span)
            return
        width = len(level.rows[0].text)
        for number, row in enumerate(level.rows):
            if len(row.text) != width:
                about = number, len(row.text), width, level.rows[0].span
                yield messages.maps.RowOfOtherLength(row.span, *about)
                return
        sizes, usual = (width, len(level.rows)), (drawn.width, drawn.height)
        if sizes != usual:
            yield messages.levels.LevelOfOtherSize(level.span, level.name.text, sizes, usual, first.span)
            return
    cells = len(levels) * drawn.width * drawn.height
    if drawn.named and len(levels) > MOST_NAMED:
        yield messages.levels.TooManyLevels(levels[MOST_NAMED].span, len(levels), MOST_NAMED, "names")
    elif cells > MOST_CELLS:
        yield messages.levels.TooManyLevels(drawn.map.span, cells, MOST_CELLS, "cells")


def _letters(drawn: Drawn, declarations: tuple[syntax.Decl, ...]) -> Iterator[Finding]:
    """What is wrong with what their letters mean."""
    once: dict[str, Any] = {}
    for item in drawn.map.items:
        match item:
            case syntax.MapLetters(kind=kind) if once.setdefault(kind.text, item) is not item:
                first = once[kind.text].span
                yield messages.everywhere.GivenTwice(item.span, f"`{kind.text}`", first, "quotes")
            case syntax.MapLetters(letters=syntax.Quoted() as letters) | syntax.RegionDecl(letters=letters):
                yield from _drawn_somewhere(letters, drawn)
            case syntax.MapLetters(letters=letters) if letters.text not in drawn.regions:
                needed = "a region"
                yield messages.names.Unknown(letters.span, letters.text, needed, tuple(drawn.regions), None, None)
            case syntax.TerrainDecl(numbers=numbers):
                yield from _numbers(numbers, drawn)
            case _:
                pass
    both = next((letter for letter in drawn.starts if letter in drawn.walls), None)
    if both is not None:
        yield messages.maps.StartOnWall(once["starts"].letters.span, both)
    placed = {letter.text: letter for letter in _placed(declarations)}
    meant = PLAIN + drawn.walls + drawn.starts + "".join((*drawn.regions.values(), *placed))
    said: set[str] = set()
    for level in drawn.levels:
        for row in level.rows:
            for column, letter in enumerate(row.text):
                if letter not in meant and letter not in said:
                    said.add(letter)
                    yield messages.maps.LetterWithoutMeaning(place_of(row, column), letter)
        if drawn.starts and not drawn.cells(level, drawn.starts):
            yield messages.levels.LevelLacks(level.span, level.name.text, drawn.starts, 0)


def _drawn_somewhere(letters: syntax.Quoted, drawn: Drawn) -> Iterator[Finding]:
    if not letters.text:
        yield messages.maps.NoLetters(letters.span)
    missing = next((letter for letter in letters.text if letter not in drawn.letters), None)
    if missing is not None:
        yield messages.maps.LetterNotDrawn(letters.span, missing)


def _numbers(numbers: tuple[syntax.RegionNumber, ...], drawn: Drawn) -> Iterator[Finding]:
    """What is wrong with the regions of a terrain."""
    given: dict[str, syntax.RegionNumber] = {}
    letters: dict[str, syntax.RegionNumber] = {}
    for each in numbers:
        region = each.region.text
        if region not in drawn.regions:
            yield messages.names.Unknown(each.region.span, region, "a region", tuple(drawn.regions), None, None)
            continue
        if given.setdefault(region, each) is not each:
            yield messages.everywhere.GivenTwice(each.span, f"`{region}`", given[region].span)
            continue
        shared = next((letter for letter in drawn.regions[region] if letter in letters), None)
        if shared is not None:
            other = letters[shared]
            yield messages.maps.LetterShared(each.span, shared, region, other.region.text, other.span)
        letters.update(dict.fromkeys(drawn.regions[region], each))


def _placed(declarations: tuple[syntax.Decl, ...]) -> Iterator[syntax.Quoted]:
    """The letters at which affordances are or go, and to which agents are teleported."""
    for item in outside_expressions(declarations):
        match item:
            case syntax.AffordanceDecl(place=place, others=others):
                yield from (spot for spot in (place, *others) if isinstance(spot, syntax.Quoted))
            case syntax.FollowsItem(stops=stops):
                yield from (stop for stop in stops if isinstance(stop, syntax.Quoted))
            case syntax.TeleportStmt(spot=syntax.Quoted() as letter):
                yield letter
            case _:
                pass


def place_of(row: syntax.Quoted, index: int) -> Span:
    """Where a letter of a row is written: behind a quote, if there is one."""
    span = row.span
    first = span.column + (span.end_column - span.column - len(row.text)) // 2 + index
    return replace(span, column=first, end_column=first + 1)


def _states(drawn: Drawn, declarations: tuple[syntax.Decl, ...]) -> Iterator[Finding]:
    """What is wrong with what says which level an episode has, and with what cannot know it."""
    state, known = level_of(declarations), in_namespace("value", declarations).get(LEVEL)
    if state is None and known is not None:
        yield messages.levels.NoStateOfLevels(known.span, _as_written(drawn), drawn.map.span)
    if isinstance(state, syntax.MeterDecl):
        if not _fits(state, drawn):
            yield messages.levels.NoStateOfLevels(state.name.span, _as_written(drawn), drawn.map.span)
        elif not state.kept:
            for item in outside_expressions(tuple(each for each in declarations if isinstance(each, syntax.WorldDecl))):
                if isinstance(item, syntax.AssignStmt) and item.meter.text == LEVEL and item.owner is None:
                    yield messages.levels.LevelWritten(item.span, state.name.span)


def _fits(state: syntax.MeterDecl, drawn: Drawn) -> bool:
    """Whether a state has a value for each level, and no others."""
    match state.state:
        case syntax.StateSpec(kind="options", options=options):
            return [each.text for each in options] == [level.name.text for level in drawn.levels]
        case syntax.StateSpec(kind="int") if state.bounds is not None:
            ends = [constant(bound) for bound in state.bounds]
            return None in ends or ends == [0, len(drawn.levels) - 1]
        case _:
            return False


def _as_written(drawn: Drawn) -> str:
    """The state as an author writes it."""
    if not drawn.named:
        last = len(drawn.levels) - 1
        return f"state level: int in 0 .. {last} = integer(0, {last})"
    names = [level.name.text for level in drawn.levels]
    return f"state level: {' '.join(names)} = choice({', '.join(names)})"
