"""Levels: several maps, of which each episode has one."""

from __future__ import annotations

from typing import Literal

from hamlet.universe import Span
from hamletc.diagnostics import Finding, Label, Told, finding
from hamletc.language import syntax
from hamletc.language.spelling import counted, spell_name


@finding("H310")
class OneLevel(Finding):
    def told(self) -> Told:
        return Told("there is one level only", "Write its rows in the braces of the map, or draw more levels.")


@finding("H310")
class RowsBesideLevels(Finding):
    level: Span

    def told(self) -> Told:
        hint = "Put these rows into the braces of a level, or leave them out."
        return Told("a map with levels has no rows of its own", hint, "", (Label(self.level, "a level"),))


@finding("H310")
class LevelTwice(Finding):
    level: str
    first: Span

    def told(self) -> Told:
        label = Label(self.first, "the first one")
        return Told(f"there are two levels `{self.level}`", "Give one of them another name.", "", (label,))


@finding("H310")
class TooManyLevels(Finding):
    count: int
    most: int
    of: Literal["names", "cells"]

    def told(self) -> Told:
        if self.of == "names":
            hint = "Put them into a file, with an empty line between them, where they have numbers."
            return Told(f"at most {self.most} levels have names, and these are {self.count}", hint)
        hint = "Draw fewer or smaller levels."
        return Told(f"all levels together have at most {self.most} cells, and these {self.count}", hint)


@finding("H310")
class ThinWallsDiffer(Finding):
    """A level that draws other thin walls than the first one."""

    level: str
    first: Span
    other: Span

    def told(self) -> Told:
        hint = "Draw them alike in all levels; what differs can be cells that are walls."
        labels = (Label(self.first, "the first level"), Label(self.other, "other thin walls"))
        return Told(f"thin walls stand in all levels, and those of `{self.level}` are others", hint, "", labels)


@finding("H310")
class NoStateOfLevels(Finding):
    """Something called `level` that cannot say which level an episode has."""

    written: str
    map: Span

    def told(self) -> Told:
        hint = f"Write `world {{ {self.written} }}`, or give this another name."
        label = Label(self.map, "the levels")
        return Told("which level an episode has is a state `level` of the world", hint, "", (label,))


@finding("H310")
class LevelWritten(Finding):
    """A rule that writes a level which the next episode forgets."""

    state: Span

    def told(self) -> Told:
        hint = "Write `kept` before the state: then the next episode has that level."
        label = Label(self.state, "begins anew with each episode")
        return Told("an episode keeps the level that it begins with", hint, "", (label,))


@finding("H330")
class LevelOfOtherSize(Finding):
    level: str
    sizes: tuple[int, int]
    usual: tuple[int, int]
    first: Span

    def told(self) -> Told:
        (across, down), (width, height) = self.sizes, self.usual
        hint = "Draw all levels on one rectangle; fill what is left of a smaller one with walls."
        message = f"the level `{self.level}` has {across} x {down} cells, not {width} x {height}"
        return Told(message, hint, "", (Label(self.first, f"{width} x {height} cells"),))


@finding("H331")
class LevelLacks(Finding):
    """A letter that every level needs, and one that has it not once; what an `affordance` stands at may be missing."""

    level: str
    letters: str
    found: int
    affordance: str | None = None
    named: bool = True

    def told(self) -> Told:
        hint = f"Draw `{self.letters}` in each level."
        if self.affordance is not None and not self.found:
            level = _written(self.level, self.span) if self.named else self.level
            hint = f"Draw it there, or say in the braces of `{self.affordance}`: `appears when level != {level}`."
        if self.found:
            message = f"the level `{self.level}` has {counted(self.found, 'cell')} with `{self.letters}`, not one"
            return Told(message, hint)
        return Told(f"the level `{self.level}` has no `{self.letters}`", hint)


@finding("H331")
class RegionWithoutRoom(Finding):
    """A level in which fewer cells of a region are free than affordances stand there at random."""

    affordance: str
    level: str
    region: str
    cells: int

    def told(self) -> Told:
        hint = "Draw more cells; walls, cells where agents start by a letter, and letters of affordances are not free."
        label = f"the level `{self.level}` has {counted(self.cells, 'free cell')} in `{self.region}`"
        return Told(f"there is no room for `{self.affordance}` in each level", hint, label)


@finding("H331")
class NotInLevels(Finding):
    """A place on the map that differs from level to level, where one is needed that does not."""

    what: str

    def told(self) -> Told:
        hint = "Say it by a letter that each level has once, by a region alone, or by coordinates."
        return Told(f"{self.what} needs one map, and there are levels", hint)


@finding("H347")
class TooManyInRegion(Finding):
    region: str
    most: int

    def told(self) -> Told:
        hint = "Put some at letters, or into another region."
        return Told(f"at most {self.most} affordances stand at random in `{self.region}` of levels", hint)


@finding("H347")
class LevelsOfOneRow(Finding):
    affordance: str
    axis: str

    def told(self) -> Told:
        hint = "Draw a row of walls beside it in each level."
        message = f"`{self.affordance}` stands elsewhere in other levels, and these are one cell long on {self.axis}"
        return Told(message, hint)


@finding("H346")
class WalkInLevels(Finding):
    """A walking distance to what does not stay where a level has it."""

    affordance: str

    def told(self) -> Told:
        name = _written(self.affordance, self.span)
        hint = f'Put it at a letter, as in `affordance {name} at "B"`, or write `distance to`.'
        return Told(f"how far it is to walk to `{self.affordance}` does not follow from the level", hint)


@finding("H345")
class OutOfReachInLevel(Finding):
    """Something that no agent gets to from where agents start in a level: from none of its cells, or from some."""

    name: str
    level: str
    cells: Literal["all", "some"]

    def told(self) -> Told:
        hint = "Open a way in the walls of that level, or draw it elsewhere."
        if self.cells == "some":
            return Told(f"in the level `{self.level}` `{self.name}` can stand where no agent gets", hint)
        return Told(f"no agent can reach `{self.name}` in the level `{self.level}`", hint)


@finding("H345")
class LevelFallsApart(Finding):
    level: str
    cell: tuple[int, int]

    def told(self) -> Told:
        hint = "Open a way, fill the part with walls, or say by a letter where agents start."
        x, y = self.cell
        label = f"agents start on ({x}, {y}), from where and to where no way leads"
        return Told(f"walls cut off a part of the level `{self.level}`", hint, label)


def _written(name: str, span: Span) -> str:
    """A name as an author writes it."""
    return spell_name(syntax.Name(name, span))
