"""What agents observe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from math import prod
from typing import Literal, cast, get_args

from hamlet import universe
from hamlet.numbers.binary32 import LARGEST, canonical32
from hamlet.universe import Span
from hamlet.universe.space import axes_of, is_hexagonal
from hamletc import messages
from hamletc.checking.affordances import LONGEST_DURATION
from hamletc.checking.graph import is_graph
from hamletc.checking.names import Names
from hamletc.checking.report import Findings, any_number, is_known, whole_number
from hamletc.checking.space import LONGEST_SIDE
from hamletc.checking.symbols import axis_of, builtin, is_word
from hamletc.language import syntax
from hamletc.language.declared import Kind

LISTED = ("meters", "state", "params", "world", "cell", "effects", "velocity", "here", "time", "blank", "constant")
"""Kinds that may be observed several times; but each meter, param, axis, affordance and function of the time once."""
FUNCTIONS_OF_TIME = ("sin", "cos")
OBSERVED_AS = {"age": "lifetime", "clock": "time", "day_cos": "time cos", "day_sin": "time sin", "hour": "time"}
"""Items that show quantities, which have other names in expressions."""
ENCODINGS = ("relative", "absolute", "scaled")
OF_NODES = ("node",)
NEVER_ON_GRAPHS = ("window", "velocity", "speed")
MOST_ROWS = 2**20
MOST_SEEN = 2**16
"""The most words that say what walls hide in a window."""
WITHOUT_ARGUMENTS: dict[str, Callable[[Span], universe.Observation]] = {
    kind.__name__.removeprefix("Observe").lower(): kind
    for kind in get_args(universe.Observation)
    if [field.name for field in fields(kind)] == ["span"]
}
"""Observations that are their word alone, by that word: `lifetime` is an `ObserveLifetime`."""
ITEMS = frozenset(kind.__name__.removeprefix("Observe").lower() for kind in get_args(universe.Observation))
"""The words with which items begin."""


class Observations:
    """Resolves the items of `observe`. A kind is observed once; so is each meter, and each param. `never_ending` are
    the affordances that last for ever, `hidden` the meters that these agents do not have."""

    def __init__(
        self,
        names: Names,
        space: universe.Space | None,
        never_ending: list[universe.Affordance],
        hidden: set[str],
        report: Findings,
    ) -> None:
        self._names = names
        self._space = space
        self._never_ending = never_ending
        self._hidden = hidden
        self._before: frozenset[tuple[str, str]] = frozenset()
        self._report = report
        self._seen: dict[tuple[str, str], Span] = {}

    def of_role(self, hidden: set[str]) -> Observations:
        """The same for a role, whose agents observe besides what was resolved so far."""
        found = Observations(self._names, self._space, self._never_ending, hidden, self._report)
        found._seen = dict(self._seen)
        found._before = frozenset(self._seen)
        return found

    def resolve(self, declaration: syntax.ObserveDecl) -> list[universe.Observation]:
        """The observations in file order, without those that have errors."""
        items = (self._item(item) for item in declaration.items)
        return [item for item in items if item is not None]

    def _effects(self, item: syntax.ObserveItem) -> universe.Observation | None:
        """`effects`, `effects poisoned`: the ticks left of each effect, and how often it is stacked where it can be."""
        every = self._names.of_kind("effect")
        if not item.words and not every:
            self._nothing(item, "effects")
            return None
        states: list[str] = []
        for word in item.words or tuple(syntax.Name(name, item.span, quoted=True) for name in every):
            name = self._names.find(word, "effect")
            effect = None if name is None else self._names.effects.known.get(name)
            if effect is not None and self._first("effect", effect.name, word.span):
                self._names.effects.asked.add(effect.name)
                states += (meter for meter, _ in effect.meters)
        return universe.ObserveState(tuple(states), item.span) if states else None

    def _item(self, item: syntax.ObserveItem) -> universe.Observation | None:
        kind = item.kind.text
        if kind in NEVER_ON_GRAPHS and is_graph(f"`{kind}`", self._space, item.span, self._report):
            return None
        if kind in ("grid", "window") and item.words:
            return self._region(item, item.words[0])
        if kind not in LISTED and not self._first("kind", kind, item.span):
            return None
        if not self._has_what_it_needs(item):
            return None
        match kind:
            case "meters":
                meters = self._listed("meter", item)
                return universe.ObserveMeters(meters, item.span) if meters else None
            case "state":
                states = self._states(item)
                return universe.ObserveState(states, item.span) if states else None
            case "params":
                params = self._listed("param", item)
                return universe.ObserveParams(params, item.span) if params else None
            case "world":
                meters = self._listed("world meter", item)
                return universe.ObserveWorld(meters, item.span) if meters else None
            case "effects":
                return self._effects(item)
            case "items":  # others have become states
                self._nothing(item, "items")
                return None
            case "cell":
                meters = self._listed("cell meter", item)
                return universe.ObserveCell(meters, item.span) if meters else None
            case "grid":
                return self._grid_cells(item)
            case "window":
                return self._window(item)
            case "position":
                return self._position(item)
            case "velocity":
                return self._velocity(item)
            case "here":
                return self._here(item)
            case "time":
                return self._time(item)
            case "progress":
                return self._progress(item)
            case "blank":
                return self._blank(item)
            case "constant":
                return self._constant(item)
            case _:
                return WITHOUT_ARGUMENTS[kind](item.span)

    def _has_what_it_needs(self, item: syntax.ObserveItem) -> bool:
        """Whether the universe has what there is to observe."""
        match item.kind.text:
            case "grid" | "window":
                return self._has_grid(item)
            case "position" | "velocity":
                return self._has_space(item)
            case "speed":
                return self._names.starts_with_speed or self._has_space(item)
            case "time":
                return self._names.has("clock", "`time`", item.span)
            case "lifetime":
                return self._names.has("lifespan", "`lifetime`", item.span)
            case _:
                return True

    def _first(self, sort: str, name: str, span: Span) -> bool:
        """Whether what has this name is observed for the first time, or may be observed again."""
        first = self._seen.get((sort, name))
        if first is None:
            self._seen[sort, name] = span
            return True
        self._report.add(messages.observations.ObservedTwice(span, name, first))
        return self._report.inert_allowed

    def _listed(
        self, kind: Literal["meter", "world meter", "cell meter", "param"], item: syntax.ObserveItem
    ) -> tuple[str, ...]:
        """The names written, or all of the kind where none is."""
        if item.words:
            found = (
                (word, self._names.find(word, kind))
                for word in item.words
                if kind == "cell meter" or self._is_observed_so(word, kind)
            )
            return tuple(name for word, name in found if name is not None and self._first(kind, name, word.span))
        known = [name for name in self._names.of_kind(kind) if name not in self._names.states]
        every = [name for name in known if name not in self._hidden and (kind, name) not in self._before]
        if not known and kind == "meter" and self._names.states:
            self._nothing(item, "meters")
        if not known and kind == "param":
            self._nothing(item, "params")
        if not known and kind == "world meter":
            self._nothing(item, "world")
        if not every and kind == "cell meter":
            self._nothing(item, "cell")
        return tuple(name for name in every if self._first(kind, name, item.kind.span))

    def _is_observed_so(self, word: syntax.Name, kind: Kind) -> bool:
        """Whether the word is no state, and where a meter is wanted no quantity: those are observed otherwise."""
        if kind == "meter" and word.text in OBSERVED_AS and not word.quoted and not self._names.means(word, kind):
            what, item = builtin(word), OBSERVED_AS[word.text]
            if what is not None:
                self._report.add(messages.observations.WordForMeter(word.span, word.text, what, item))
            else:
                self._report.add(messages.observations.ItemForMeter(word.span, word.text, item))
            return False
        if self._names.state(word) is None:
            return True
        self._report.add(messages.observations.StateAmongMeters(word.span, word))
        return False

    def _states(self, item: syntax.ObserveItem) -> tuple[str, ...]:
        """The states of agents and of the world that are written, or all where none is."""
        found: list[str] = []
        for word in item.words:
            if self._names.state(word) is None:
                self._names.refuse(word, "a state", self._names.states)
            elif self._first("state", word.text, word.span):
                found.append(word.text)
        own = self._names.own_states
        if not item.words and not own:
            self._nothing(item, "state")
        known = [name for name in own if name not in self._hidden and ("state", name) not in self._before]
        every = [] if item.words else known
        return (*found, *(name for name in every if self._first("state", name, item.kind.span)))

    # --- where agents are and how they move --------------------------------------------------------------------------

    def _grid_cells(self, item: syntax.ObserveItem) -> universe.Observation | None:
        if isinstance(self._space, universe.Grid) and self._is_too_large(prod(self._space.sizes), item):
            return None
        return universe.ObserveGrid(item.span)

    def _window(self, item: syntax.ObserveItem) -> universe.ObserveWindow | None:
        number = self._number(item)
        assert number is not None, "the grammar demands it"
        radius = whole_number(number, 0, LONGEST_SIDE - 1, "the radius of a window", self._report)
        if radius is None or not isinstance(self._space, universe.Grid):
            return None
        farthest = max(self._space.sizes) - 1
        if farthest == 0:
            self._nothing(item, "window")
        elif radius > farthest:
            self._report.add(messages.observations.RadiusOutsideGrid(number.span, farthest))
        if self._is_too_large((2 * radius + 1) ** len(self._space.sizes), item):
            return None
        if item.sight is None:
            return universe.ObserveWindow(radius, item.span)
        sees = self._has_sight(self._space, radius, item)
        return universe.ObserveWindow(radius, item.span, "sight") if sees else None

    def _has_sight(self, grid: universe.Grid, radius: int, item: syntax.ObserveItem) -> bool:
        """Whether walls can hide something, and what they hide fits into tables."""
        where = item.sight or item.span
        if is_hexagonal(grid):
            self._report.add(messages.observations.SightOnHexagons(where, grid.span))
            return False
        if grid.map is None or not grid.map.walls:
            self._report.add(messages.observations.NothingHidden(where))
            return False
        words = -(-((2 * radius + 1) ** 2) // 32) * prod(grid.sizes)
        if words > MOST_SEEN:
            self._report.add(messages.observations.TooMuchSight(item.span, words, MOST_SEEN))
        return words <= MOST_SEEN

    def _region(self, item: syntax.ObserveItem, word: syntax.Name) -> universe.Observation | None:
        """`grid of forest`, `window 2 of wall`, `window 2 of moss`."""
        if self._names.means(word, "cell meter") and not self._names.means(word, "region"):
            return self._of_cells(item, word)
        region = None if is_word(word, "wall") else self._names.find(word, "region")
        walls = region is None and is_word(word, "wall")
        if not walls and region is None:
            return None
        if not self._first(f"{item.kind.text} of", word.text, item.span) or not self._has_grid(item):
            return None
        space = self._space
        if not isinstance(space, universe.Grid):
            return None
        if space.map is None or (walls and not space.map.walls):
            self._report.add(messages.observations.NoWalls(word.span))
            return None
        if item.kind.text == "grid":
            too_large = self._is_too_large(prod(space.sizes), item)
            return None if too_large else universe.ObserveRegion(None, region, item.span)
        plain = self._window(item)
        return None if plain is None else universe.ObserveRegion(plain.radius, region, item.span, plain.within)

    def _of_cells(self, item: syntax.ObserveItem, word: syntax.Name) -> universe.Observation | None:
        """`grid of moss`, `window 2 of moss`."""
        if not self._first(f"{item.kind.text} of", word.text, item.span) or not self._has_grid(item):
            return None
        if item.kind.text == "window":
            plain = self._window(item)
            return None if plain is None else universe.ObserveCells(plain.radius, word.text, item.span)
        if not isinstance(self._space, universe.Grid) or self._is_too_large(prod(self._space.sizes), item):
            return None
        return universe.ObserveCells(None, word.text, item.span)

    def _is_too_large(self, rows: int, item: syntax.ObserveItem) -> bool:
        if rows <= MOST_ROWS:
            return False
        self._report.add(messages.observations.TooManyRows(item.span, rows, MOST_ROWS))
        return True

    def _position(self, item: syntax.ObserveItem) -> universe.Observation | None:
        encodings = OF_NODES if self._names.of_kind("node") else ENCODINGS
        # The word behind `position` is its encoding to the parser, also where the author meant the next item.
        if not item.words or item.words[0].text in ITEMS:
            self._report.add(messages.observations.EncodingNeeded(item.kind.span, encodings))
            return None
        if not is_known(item.words[0], encodings, "no encoding of a position", self._report):
            return None
        return universe.ObservePosition(cast(universe.Encoding, item.words[0].text), item.span)

    def _velocity(self, item: syntax.ObserveItem) -> universe.Observation | None:
        if self._space is None:
            return None
        if not item.words:
            axes = tuple(axis for axis in axes_of(self._space) if self._first("velocity", axis, item.span))
            return universe.ObserveVelocity(axes, item.span) if axes else None
        found = ((word, axis_of(word, self._names, self._report)) for word in item.words)
        axes = tuple(axis for word, axis in found if axis is not None and self._first("velocity", axis, word.span))
        return universe.ObserveVelocity(axes, item.span) if axes else None

    def _has_grid(self, item: syntax.ObserveItem) -> bool:
        if self._space is None or isinstance(self._space, universe.Grid):
            return True
        self._misses_space(item, "a grid", self._space)
        return False

    def _has_space(self, item: syntax.ObserveItem) -> bool:
        if not isinstance(self._space, universe.NoSpace):
            return True
        self._misses_space(item, "a space", self._space)
        return False

    def _misses_space(
        self, item: syntax.ObserveItem, needed: Literal["a space", "a grid"], space: universe.Space
    ) -> None:
        none = isinstance(space, universe.NoSpace)
        self._report.add(messages.observations.SpaceMissing(item.span, item.kind.text, needed, space.span, none))

    def _here(self, item: syntax.ObserveItem) -> universe.Observation | None:
        if not item.words:
            named = self._names.of_kind("affordance")
            every = tuple(dict.fromkeys(self._names.copy_of.get(name, name) for name in named))
            if not every:
                self._nothing(item, "here")
            new = [name for name in every if self._first("here", name, item.kind.span)]
            nowhere = (None,) if self._first("nowhere", "nothing", item.kind.span) else ()
            return universe.ObserveHere((*new, *nowhere), item.span) if new or nowhere else None
        places: list[str | None] = []
        for word in item.words:
            if is_word(word, "nothing"):
                if self._first("nowhere", word.text, word.span):
                    places.append(None)
            elif self._names.means(word, "affordance") or word.text in self._names.copy_of.values():
                if self._first("here", word.text, word.span):
                    places.append(word.text)
            else:
                self._names.refuse(word, "an affordance", (*self._names.of_kind("affordance"), "nothing"))
        return universe.ObserveHere(tuple(places), item.span) if places else None

    def _time(self, item: syntax.ObserveItem) -> universe.Observation | None:
        words = [
            word for word in item.words if is_known(word, FUNCTIONS_OF_TIME, "no function of the time", self._report)
        ]
        places = [(word.text, word.span) for word in words]
        if not item.words:
            places = [(function, item.kind.span) for function in FUNCTIONS_OF_TIME]
        functions = tuple(function for function, span in places if self._first("time", function, span))
        return (
            universe.ObserveTime(item.span, cast(tuple[Literal["sin", "cos"], ...], functions)) if functions else None
        )

    def _progress(self, item: syntax.ObserveItem) -> universe.Observation | None:
        number, per = self._number(item), None
        if number is not None:
            per = whole_number(number, 1, LONGEST_DURATION, "the divisor of `progress`", self._report)
            if per is None:
                return None
        if not self._names.has_lasting:
            self._nothing(item, "progress")
            return universe.ObserveBlank(1, item.span)
        if per is None and self._never_ending:
            self._report.add(messages.observations.DivisorNeeded(item.span, self._never_ending[0].span))
            return None
        return universe.ObserveProgress(per, item.span)

    # --- rows that never change --------------------------------------------------------------------------------------

    def _blank(self, item: syntax.ObserveItem) -> universe.Observation | None:
        number = self._number(item)
        assert number is not None, "the grammar demands it"
        count = whole_number(number, 1, MOST_ROWS, "the number of rows", self._report)
        return None if count is None else universe.ObserveBlank(count, item.span)

    def _constant(self, item: syntax.ObserveItem) -> universe.Observation | None:
        assert item.numbers, "the grammar demands them"
        values = [any_number(number, LARGEST, "a number", self._report) for number in item.numbers]
        known = tuple(canonical32(value) for value in values if value is not None)
        return universe.ObserveConstant(known, item.span) if len(known) == len(values) else None

    def _number(self, item: syntax.ObserveItem) -> syntax.Signed | None:
        """The one number that follows the kind."""
        return item.numbers[0] if item.numbers else None

    def _nothing(self, item: syntax.ObserveItem, what: messages.observations.Item) -> None:
        self._report.add(messages.observations.NothingToObserve(item.span, what))
