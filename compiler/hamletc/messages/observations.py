"""Observations."""

from __future__ import annotations

from typing import Literal, TypeAlias

from hamlet.universe import Expression, Span
from hamlet.universe.observations import IMAGE_AXES
from hamletc.diagnostics import Edit, Finding, Label, Told, finding
from hamletc.intervals import Interval, spell
from hamletc.language import syntax
from hamletc.language.spelling import spell_name
from hamletc.messages.ranges import called, no_whole


@finding("H024", inert=True)
class ObservedTwice(Finding):
    name: str
    first: Span

    def told(self) -> Told:
        first = Label(self.first, "first given here")
        return Told(f"`{self.name}` is given twice", "Keep one of them.", "given again", (first,))


@finding("H026")
class DistanceUnnamed(Finding):
    """`time distance Desk`."""

    def told(self) -> Told:
        hint = "What is computed has a name: `far: distance to Desk`; `time` stands alone, or beside `sin` and `cos`."
        return Told("`distance` is no function of the time", hint)


@finding("H021")
class WordForMeter(Finding):
    """A word of the language among meters; `meaning` is what it stands for, `item` how that is observed."""

    word: str
    meaning: str
    item: str

    def told(self) -> Told:
        message, edits = f"`{self.word}` is {self.meaning}, not a meter", (Edit(self.span, self.item),)
        return Told(message, f"Observe it by `{self.item}`.", edits=edits)


@finding("H020")
class ItemForMeter(Finding):
    """A word among meters that begins an item, as `position` does."""

    word: str
    item: str

    def told(self) -> Told:
        edits = (Edit(self.span, self.item),)
        return Told(f"there is no `{self.word}`", f"Observe it by `{self.item}`.", edits=edits)


@finding("H169")
class StateAmongMeters(Finding):
    state: syntax.Name

    def told(self) -> Told:
        message = f"`{self.state.text}` is a state, which is observed as `state`"
        written = f"state {spell_name(self.state)}"
        return Told(message, f"Write `{written}`.", edits=(Edit(self.span, written),))


@finding("H026")
class EncodingNeeded(Finding):
    encodings: tuple[str, ...]

    def told(self) -> Told:
        choices = ", ".join(f"`position {encoding}`" for encoding in self.encodings)
        hint = f"Write {'one of ' * (len(self.encodings) > 1)}{choices}."
        return Told("`position` needs an encoding", hint)


@finding("H026")
class TimeOfDay(Finding):
    """`time of day`."""

    functions: tuple[str, ...]

    def told(self) -> Told:
        each = "  ".join(f"time {function}" for function in self.functions)
        hint = f"Write `{each}`, or `time`, which is both: they are those of the hour of the clock."
        return Told("`time` is of nothing", hint, edits=(Edit(self.span, each.removeprefix("time ")),))


@finding("H026")
class DivisorNeeded(Finding):
    """`progress` where an affordance lasts for ever."""

    duration: Span

    def told(self) -> Told:
        secondary = (Label(self.duration, "lasts for ever"),)
        return Told("`progress` needs a number to divide by", "Write `progress per 10`.", "", secondary)


@finding("H033", inert=True)
class RadiusOutsideGrid(Finding):
    farthest: int

    def told(self) -> Told:
        hint = f"Write a whole number from 1 to {self.farthest}."
        return Told(f"the radius of a window must be 1 .. {self.farthest}", hint)


@finding("H245")
class SightOnHexagons(Finding):
    grid: Span

    def told(self) -> Told:
        hint = "Write `in view`, or leave it out; `walking distance to` goes around walls."
        return Told("`in sight` has no meaning on hexagons", hint, "", (Label(self.grid, "the hexagons"),))


@finding("H352")
class AlwaysOpen(Finding):
    """A window of where an affordance is open that always is."""

    affordance: syntax.Name
    declared: Span

    def told(self) -> Told:
        hint = f"Write `of {spell_name(self.affordance)}`: this is where it stands."
        label = Label(self.declared, "no hour closes it, and no `open when` does")
        return Told(f"`{self.affordance.text}` is always open", hint, secondary=(label,))


@finding("H191")
class NothingHidden(Finding):
    def told(self) -> Told:
        hint = 'Leave `in sight` out, or draw walls, as in `map { "####" "#..#" "####"  wall "#" }`.'
        return Told("nothing hides anything, for there are no walls", hint)


@finding("H190")
class TooMuchSight(Finding):
    words: int
    most: int

    def told(self) -> Told:
        hint = "Write a smaller radius, draw a smaller map, or leave `in sight` out."
        label = f"{self.words} words, at most {self.most}: one per cell of the map and 32 cells of the window"
        return Told("what walls hide in this window is too much for a table", hint, label)


@finding("H141")
class NoWalls(Finding):
    def told(self) -> Told:
        hint = 'Draw a map with walls, as in `map { "####" "#..#" "####"  wall "#" }`.'
        return Told("there are no walls to observe", hint)


@finding("H033")
class TooManyRows(Finding):
    rows: int
    most: int

    def told(self) -> Told:
        rows = self.rows if self.rows < 10**30 else "far too many"
        hint = "Observe `window` with a small radius, or `position`."
        return Told(f"an agent would observe {rows} cells; {self.most} is the most", hint)


@finding("H055")
class SpaceMissing(Finding):
    """An item that needs a space, or a grid."""

    item: str
    needed: Literal["a space", "a grid"]
    space: Span
    none: bool

    def told(self) -> Told:
        hint = f"Leave `{self.item}` out, or {'declare a space' if self.none else 'observe `position relative`'}."
        secondary = (Label(self.space, "no space" if self.none else "the space"),)
        return Told(f"`{self.item}` needs {self.needed}", hint, "this universe has none", secondary)


@finding("H280")
class ObservedNotWhole(Finding):
    """An expression that is observed value by value; `part` is the part of it that may be no whole number."""

    word: Literal["hot", "discrete", "text"]
    value: Expression
    part: Expression

    def told(self) -> Told:
        hint = "Make it one: `floor(x)`, `ceil(x)` or `round(x)`{}."
        label = no_whole(self.part, self.value)
        message = f"`{self.word}` shows each value of a whole number, and this may be none"
        plain = "; without `hot` any number is observed" if self.word == "hot" else ""
        return Told(message, hint.format(plain), label)


@finding("H353")
class NumberNotWhole(Finding):
    """An item of a group of whole numbers that may be none; `part` is the part of an expression for which it may be
    none."""

    numbers: Literal["int", "discrete", "tuple"]
    part: Expression | None

    def told(self) -> Told:
        hint = f"Make it one: `floor(x)`, `ceil(x)` or `round(x)`; or leave `{self.numbers}` out."
        label = "this may be none" if self.part is None else f"{called(self.part, 'this')} may be no whole number"
        return Told(f"a group `{self.numbers}` has whole numbers alone", hint, label)


@finding("H280")
class CellsNotWhole(Finding):
    """A meter of cells whose values `hot` would show one by one."""

    meter: str
    declared: Span

    def told(self) -> Told:
        message = f"`hot` shows each value of a whole number, and `{self.meter}` may be none"
        hint = "Declare it as a state with options, as a condition, or as `state NAME: int in LOW .. HIGH`."
        return Told(message, hint, "", (Label(self.declared, "declared here"),))


@finding("H282")
class NoPlane(Finding):
    """An item of an image that is no rectangle of cells; `cells` where it shows cells otherwise."""

    cells: bool
    hexagons: bool
    space: Span

    def told(self) -> Told:
        message = "a channel of an image is a rectangle of cells"
        if self.cells and self.hexagons:
            hint = "A window of hexagons is no rectangle: observe `grid`, or put it into a `group`."
        elif self.cells:
            hint = "Cells of one axis, of more than two and of a graph are none: put the item into a `group`."
        else:
            hint = "Put it into a `group` beside the image; `window 3 of wall` and `grid of moss` are channels."
        return Told(message, hint, "this is none", (Label(self.space, "the space"),) if self.cells else ())


@finding("H282")
class PlaneOfOtherSize(Finding):
    """A channel, with its height and width and those of the first one."""

    plane: tuple[int, int]
    of_first: tuple[int, int]
    first: Span

    def told(self) -> Told:
        (height, width), (first_height, first_width) = self.plane, self.of_first
        message = "the channels of an image have one height and width"
        hint = "Give windows the same radius, or make another image of it."
        secondary = (Label(self.first, f"{first_height} x {first_width} cells"),)
        return Told(message, hint, f"{height} x {width} cells", secondary)


@finding("H354")
class NotTheAxesOfAnImage(Finding):
    axes: tuple[str, ...]

    def told(self) -> Told:
        twice = next((axis for axis in self.axes if self.axes.count(axis) > 1), None)
        other = next((axis for axis in self.axes if axis not in IMAGE_AXES), None)
        label = (
            f"`{other}` is none of them" if other is not None else "" if twice is None else f"`{twice}` stands twice"
        )
        hint = "Write `as height width channels`, `as width height channels`, or leave `as` out."
        return Told("the axes of an image are `channels`, `height` and `width`, each once", hint, label)


@finding("H355")
class ObservedOutsideItsRange(Finding):
    """What is observed `in low .. high`, and lies somewhere else; `bounds` are where that is written."""

    where: Interval
    low: float
    high: float
    bounds: Span

    def told(self) -> Told:
        low, high = min(self.low, self.where.low), max(self.high, self.where.high)
        hint = f"Write `in {spell(low)} .. {spell(high)}`, or limit it."
        secondary = (Label(self.bounds, "not all of that lies here"),)
        return Told("what is observed can lie outside of its range", hint, f"it lies in {self.where}", secondary)


@finding("H283")
class OutsideGroups(Finding):
    where: Span

    def told(self) -> Told:
        hint = "Put it into a group, as in `group rest { lifetime }`, or leave all groups out."
        secondary = (Label(self.where, "there are groups"),)
        return Told("where there are groups, each item stands in one", hint, "this stands in none", secondary)


@finding("H281")
class TooManyValues(Finding):
    where: Interval
    most: int

    def told(self) -> Told:
        message = f"`hot` has a row for each value, and these would be more than {self.most}"
        hint = "Bound it, as in `clamp(x, 0, 9)`, or observe the number itself, without `hot`."
        return Told(message, hint, f"it lies in {self.where}")


@finding("H281")
class ValuesBeyondWholes(Finding):
    where: Interval
    most: int

    def told(self) -> Told:
        message = f"beyond {self.most} binary32 has no longer every whole number"
        hint = "Subtract where it begins, as in `hot year: years - 2000000000`, or bound it."
        return Told(message, hint, f"it lies in {self.where}")


@finding("H356")
class TextsOfOtherNumber(Finding):
    """A number that chooses one of so many texts, with where it lies."""

    texts: int
    where: Interval

    def told(self) -> Told:
        values = int(self.where.high - self.where.low) + 1
        message = f"a text for each value: {values} are needed, and {self.texts} stand here"
        hint = "Write them in the order of the values: of a state in that of its options, of a condition no, then yes."
        return Told(message, hint, f"it lies in {self.where}")


Item: TypeAlias = Literal[
    "effects", "items", "meters", "params", "world", "cell", "state", "window", "here", "progress"
]
NOTHING: dict[Item, tuple[str, str]] = {
    "effects": ("there are no effects to observe", "Leave `effects` out."),
    "items": (
        "there are no things to observe",
        "Leave `items` out, or declare some: `item apple { carried 1 }`. Roles observe their own.",
    ),
    "meters": ("there are no meters to observe", "Observe `state`, or leave `meters` out."),
    "params": ("there are no params to observe", "Leave `params` out."),
    "world": (
        "the world has no meters to observe",
        "Leave `world` out, or declare one: `world { meter stock = 20 in 0 .. 100 }`.",
    ),
    "cell": (
        "cells have no meters to observe",
        "Leave `cell` out, or declare one: `cells { meter moss = 0 in 0 .. 1 }`.",
    ),
    "state": ("there is no state to observe", "Declare one: `state asleep = false`."),
    "window": ("a window sees nothing on a grid of one cell", "Leave `window` out."),
    "here": ("there is no affordance to stand on", "Leave `here` out."),
    "progress": ("no affordance lasts, so there is no progress", "Leave `progress` out."),
}
"""Items of which there is nothing to observe: what is said, and what to do."""


@finding("H064")
class NothingToObserve(Finding):
    item: Item

    def told(self) -> Told:
        return Told(*NOTHING[self.item], "always the same")
