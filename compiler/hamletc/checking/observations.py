"""What agents observe."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from math import hypot, prod
from typing import Literal, cast, get_args

from hamlet import universe
from hamlet.numbers.binary32 import LARGEST, canonical32
from hamlet.universe import Span
from hamlet.universe.space import axes_of, is_hexagonal
from hamletc import messages
from hamletc.checking.affordances import LONGEST_DURATION
from hamletc.checking.draft import UNPROVEN, Draft
from hamletc.checking.expressions import Expressions
from hamletc.checking.graph import is_graph
from hamletc.checking.names import Names
from hamletc.checking.observed_groups import Observed, resolve_items
from hamletc.checking.observed_wholes import MOST_HOT
from hamletc.checking.operations import is_condition
from hamletc.checking.report import Findings, any_number, is_known, whole_number
from hamletc.checking.space import LONGEST_SIDE
from hamletc.checking.symbols import axis_of, builtin, is_word
from hamletc.expansion.trees import outside_expressions
from hamletc.intervals import Interval
from hamletc.language import syntax
from hamletc.language.declared import Kind
from hamletc.language.spelling import spell_expression
from hamletc.language.tables import after

ONCE = (
    *(syntax.ObserveGrid, syntax.ObserveWindow, syntax.ObservePosition, syntax.ObserveProgress),
    *(syntax.ObserveWord, syntax.ObserveItems),
)
"""Kinds that are observed once. Of others each meter, param, axis, affordance and function of the time is."""
FUNCTIONS_OF_TIME = ("sin", "cos")
OBSERVED_AS = {"age": "lifetime", "clock": "time", "day_cos": "time cos", "day_sin": "time sin", "hour": "time"}
"""Items that show quantities, which have other names in expressions."""
ENCODINGS = ("relative", "absolute", "scaled")
OF_NODES = ("node",)
NEVER_ON_GRAPHS = (syntax.ObserveWindow, syntax.ObserveVelocity, syntax.ObserveSpeed)
MOST_ROWS = 2**20
MOST_SEEN = 2**16
"""The most words that say what walls hide in a window."""
ITEMS = frozenset(filter(str.isalpha, after("observe", "{")))
"""The words with which items begin."""
ALONE: dict[str, Callable[[Span], universe.Observation]] = {
    kind.__name__: kind for kind in get_args(universe.Observation) if [field.name for field in fields(kind)] == ["span"]
}
"""Observations of a Universe that an item which is its word alone stands for: both have the same name."""


class Observations:
    """Resolves the items of `observe`. A kind is observed once; so is each meter, and each param. `hidden` are the
    meters that these agents do not have."""

    def __init__(self, names: Names, draft: Draft, hidden: set[str], report: Findings) -> None:
        self._names = names
        self._draft = draft
        self._space = draft.space
        self._hidden = hidden
        self._before: frozenset[tuple[str, str]] = frozenset()
        self._report = report
        self._seen: dict[tuple[str, str], Span] = {}
        self._hot: frozenset[str] = frozenset()
        self._meters = {meter.name: meter for meter in draft.meters_of_all()}

    def of_role(self, hidden: set[str]) -> Observations:
        """The same for a role, whose agents observe besides what was resolved so far."""
        found = Observations(self._names, self._draft, hidden, self._report)
        found._seen = dict(self._seen)
        found._before = frozenset(self._seen)
        return found

    def resolve(self, declaration: syntax.ObserveDecl) -> Observed:
        """The observations in file order and their groups, without those that have errors."""
        shown = outside_expressions(declaration)
        words = (word for item in shown if isinstance(item, syntax.ObserveHot) for word in item.names)
        self._hot = frozenset(word.text for word in words if isinstance(word, syntax.Name))
        return resolve_items(
            declaration.items, self._item, self._is_first_group, self._discrete, self._space, self._report
        )

    def _is_first_group(self, name: syntax.Name) -> bool:
        return self._first("group", name.text, name.span)

    def _discrete(self, item: syntax.ObserveDiscrete) -> universe.ObserveValue | None:
        """`discrete place: 5 * row + column`, `discrete row`: a group of one whole number."""
        name = item.name or item.value
        text = name.text if isinstance(name, syntax.Name) else spell_expression(name)
        is_meter = isinstance(name, syntax.Name) and self._names.means(name, "meter")
        called, _ = (self._names.part("meter", text) if is_meter else None) or (text, "")
        spec = self._names.state(item.value) if isinstance(item.value, syntax.Name) else None
        if not self._first("group", called, name.span) or not self._first("value", called, name.span):
            return None
        if isinstance(item.value, syntax.Name) and spec is not None and spec.options:
            number = Expressions(self._names, self._report, scope="observe").held(item.value)
        else:
            number = self._number(item.value)
        return None if number is None else universe.ObserveValue(called, number, *UNPROVEN, item.value.span)

    def _value(self, item: syntax.ObserveValue) -> list[universe.Observation]:
        """`lack: 1 - food`."""
        number = self._number(item.value, item.span)
        if not self._first("value", item.name.text, item.name.span) or number is None:
            return []
        return [universe.ObserveValue(item.name.text, number, *UNPROVEN, item.span)]

    def _number(self, written: syntax.Expr, span: Span | None = None) -> universe.Expression | None:
        """An observed expression: a number, or a condition, which is 1 where it holds."""
        expressions, where = Expressions(self._names, self._report, scope="observe"), span or written.span
        value = expressions.value(written)
        if value is None or not is_condition(value):
            return None if value is None else expressions.rounded(value)
        return universe.If(cast(universe.Expression, value), _number(1, where), _number(0, where), where)

    def _hot_values(self, item: syntax.ObserveHot) -> Iterator[universe.Observation]:
        """`hot row`, `hot column: floor(x / 2)`: a row for each value of a whole number; of a state with options these
        are its options."""
        if item.name is not None and item.value is not None:
            yield from self._each_value(item.name.text, item.value, item.name.span, item.span)
        for value in item.names:
            name = value.text if isinstance(value, syntax.Name) else spell_expression(value)
            spec = self._names.state(value) if isinstance(value, syntax.Name) else None
            if isinstance(value, syntax.Name) and spec is not None and spec.options:
                of_cells = self._names.means(value, "cell meter")
                first = self._first("cell meter" if of_cells else "state", name, value.span)
                yield from self._held("cell" if of_cells else "state", (name,) if first else (), item)
            else:
                yield from self._each_value(name, value, value.span, value.span)

    def _each_value(self, name: str, written: syntax.Expr, where: Span, span: Span) -> Iterator[universe.ObserveHot]:
        """The rows of this name of an expression: a condition is 0 or 1."""
        number = self._number(written)
        if self._first("value", name, where) and number is not None:
            yield universe.ObserveHot(name, number, *UNPROVEN, span)

    def _effects(self, item: syntax.ObserveEffects) -> list[universe.Observation]:
        """`effects`, `effects poisoned`: the ticks left of each effect, and how often it is stacked where it can be."""
        every = self._names.of_kind("effect")
        if not item.names and not every:
            self._nothing(item, "effects")
        states: list[str] = []
        for word in item.names or tuple(syntax.Name(name, item.span, quoted=True) for name in every):
            name = self._names.find(word, "effect")
            effect = None if name is None else self._names.effects.known.get(name)
            if effect is not None and self._first("effect", effect.name, word.span):
                self._names.effects.asked.add(effect.name)
                states += (meter for meter, _ in effect.meters)
        return self._held("state", states, item)

    def _held(self, kind: str, names: Iterable[str], item: syntax.ObserveItem) -> list[universe.Observation]:
        """What meters, states, or params hold: a number, or which one of its options."""
        params = {param.name: param for param in self._draft.params}
        held: list[universe.Observation] = []
        for name in names:
            declared = params.get(name) if kind == "param" else self._meters.get(name)
            row, span = f"{kind}.{name}", item.span
            match declared:
                case None:
                    continue  # it has errors
                case universe.Param(low=low, high=high):
                    held.append(universe.ObserveValue(row, universe.ParamValue(name, span), low, high, span))
                    continue
                case universe.Meter():
                    value: universe.Expression = universe.MeterValue(name, span)
                case universe.WorldMeter():
                    value = universe.WorldValue(name, span)
                case universe.CellMeter():
                    value = universe.CellValue(name, span)
            if declared.type is not None and declared.type.options:
                held.append(universe.ObserveOneHot(row, value, declared.type.options, span))
            else:
                held.append(universe.ObserveValue(row, value, declared.low, declared.high, span))
        return held

    def _item(self, item: syntax.GroupItem) -> list[universe.Observation]:
        word = item.keyword()
        if isinstance(item, NEVER_ON_GRAPHS) and is_graph(f"`{word}`", self._space, item.span, self._report):
            return []
        if isinstance(item, syntax.ObserveGrid | syntax.ObserveWindow) and item.layer is not None:
            return _only(self._layer(item, item.layer))
        if isinstance(item, syntax.ObserveHotGrid | syntax.ObserveHotWindow):
            return self._hot_cells(item)
        if isinstance(item, ONCE) and not self._first("kind", word, item.span):
            return []
        match item:
            case syntax.ObserveValue():
                return self._value(item)
            case syntax.ObserveHot():
                return list(self._hot_values(item))
            case syntax.ObserveMeters():
                return self._held("meter", self._listed("meter", item), item)
            case syntax.ObserveState():
                return self._held("state", self._states(item), item)
            case syntax.ObserveParams():
                return self._held("param", self._listed("param", item), item)
            case syntax.ObserveWorld():
                return self._held("world", self._listed("world meter", item), item)
            case syntax.ObserveCell():
                return self._held("cell", self._listed("cell meter", item), item)
            case syntax.ObserveEffects():
                return self._effects(item)
            case syntax.ObserveItems():  # others have become states
                self._nothing(item, "items")
                return []
            case syntax.ObserveGrid():
                return _only(self._grid_cells(item) if self._has_grid(item) else None)
            case syntax.ObserveWindow():
                return _only(self._window(item) if self._has_grid(item) else None)
            case syntax.ObservePosition():
                return self._position(item) if self._has_space(item) else []
            case syntax.ObserveVelocity():
                return self._velocity(item) if self._has_space(item) else []
            case syntax.ObserveSpeed(span=span):
                known = self._names.starts_with_speed or self._has_space(item)
                return [universe.ObserveValue("speed", universe.Speed(span), *self._speeds(), span)] if known else []
            case syntax.ObserveHere():
                return _only(self._here(item))
            case syntax.ObserveTime():
                return self._time(item) if self._names.has("clock", "`time`", item.span) else []
            case syntax.ObserveProgress():
                return _only(self._progress(item))
            case syntax.ObserveLifetime():
                return self._lifetime(item) if self._names.has("lifespan", "`lifetime`", item.span) else []
            case syntax.ObserveBlank():
                return _only(self._blank(item))
            case syntax.ObserveConstant():
                return _only(self._constant(item))
            case syntax.ObserveWord(span=span):
                return [ALONE[type(item).__name__](span)]

    def _first(self, sort: str, name: str, span: Span) -> bool:
        """Whether what has this name is observed for the first time, or may be observed again."""
        first = self._seen.get((sort, name))
        if first is None:
            self._seen[sort, name] = span
            return True
        self._report.add(messages.observations.ObservedTwice(span, name, first))
        return self._report.inert_allowed

    def _listed(
        self, kind: Literal["meter", "world meter", "cell meter", "param"], item: syntax.ObserveListed
    ) -> tuple[str, ...]:
        """The names written, or all of the kind where none is."""
        if item.names:
            found = (
                (word, self._names.find(word, kind))
                for word in item.names
                if kind == "cell meter" or self._is_observed_so(word, kind)
            )
            return tuple(name for word, name in found if name is not None and self._first(kind, name, word.span))
        known = [name for name in self._names.of_kind(kind) if name not in self._names.states]
        shown = self._hidden | self._hot
        every = [name for name in known if name not in shown and (kind, name) not in self._before]
        if not known and kind == "meter" and self._names.states:
            self._nothing(item, "meters")
        if not known and kind == "param":
            self._nothing(item, "params")
        if not known and kind == "world meter":
            self._nothing(item, "world")
        if not every and kind == "cell meter":
            self._nothing(item, "cell")
        return tuple(name for name in every if self._first(kind, name, word_of(item)))

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

    def _states(self, item: syntax.ObserveState) -> tuple[str, ...]:
        """The states of agents and of the world that are written, or all where none is."""
        found: list[str] = []
        for word in item.names:
            if self._names.state(word) is None:
                self._names.refuse(word, "a state", self._names.states)
            elif self._first("state", word.text, word.span):
                found.append(word.text)
        own = self._names.own_states
        if not item.names and not own:
            self._nothing(item, "state")
        known = [name for name in own if name not in self._hidden and ("state", name) not in self._before]
        every = [] if item.names else known
        shown = [name for name in every if name not in self._hot]
        if every and not shown:
            self._nothing(item, "state")
        return (*found, *(name for name in shown if self._first("state", name, word_of(item))))

    # --- where agents are and how they move --------------------------------------------------------------------------

    def _grid_cells(self, item: syntax.ObserveGrid) -> universe.Observation | None:
        if isinstance(self._space, universe.Grid) and self._is_too_large(prod(self._space.sizes), item):
            return None
        return universe.ObserveGrid(item.span)

    def _window(self, item: syntax.ObserveWindow) -> universe.ObserveWindow | None:
        radius = whole_number(item.radius, 0, LONGEST_SIDE - 1, "the radius of a window", self._report)
        if radius is None or not isinstance(self._space, universe.Grid):
            return None
        farthest = max(self._space.sizes) - 1
        if farthest == 0:
            self._nothing(item, "window")
        elif radius > farthest:
            self._report.add(messages.observations.RadiusOutsideGrid(item.radius.span, farthest))
        if self._is_too_large((2 * radius + 1) ** len(self._space.sizes), item):
            return None
        if item.sight is None:
            return universe.ObserveWindow(radius, item.span)
        sees = self._has_sight(self._space, radius, item)
        return universe.ObserveWindow(radius, item.span, "sight") if sees else None

    def _has_sight(self, grid: universe.Grid, radius: int, item: syntax.ObserveWindow) -> bool:
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

    def _layer(self, item: syntax.ObserveGrid | syntax.ObserveWindow, word: syntax.Name) -> universe.Observation | None:
        """`grid of forest`, `window 2 of wall`, `window 2 of moss`."""
        if self._names.means(word, "cell meter") and not self._names.means(word, "region"):
            return self._of_cells(item, word) if self._first(f"{item.keyword()} of", word.text, item.span) else None
        region = None if is_word(word, "wall") else self._names.find(word, "region")
        walls = region is None and is_word(word, "wall")
        if not walls and region is None:
            return None
        if not self._first(f"{item.keyword()} of", word.text, item.span) or not self._has_grid(item):
            return None
        space = self._space
        if not isinstance(space, universe.Grid):
            return None
        if space.map is None or (walls and not space.map.walls):
            self._report.add(messages.observations.NoWalls(word.span))
            return None
        if isinstance(item, syntax.ObserveGrid):
            too_large = self._is_too_large(prod(space.sizes), item)
            return None if too_large else universe.ObserveRegion(None, region, item.span)
        plain = self._window(item)
        return None if plain is None else universe.ObserveRegion(plain.radius, region, item.span, plain.within)

    def _of_cells(
        self, item: syntax.ObserveGrid | syntax.ObserveWindow, word: syntax.Name
    ) -> universe.Observation | None:
        """`grid of moss`, `window 2 of moss`."""
        if not self._has_grid(item):
            return None
        if isinstance(item, syntax.ObserveWindow):
            plain = self._window(item)
            return None if plain is None else universe.ObserveCells(plain.radius, word.text, item.span)
        if not isinstance(self._space, universe.Grid) or self._is_too_large(prod(self._space.sizes), item):
            return None
        return universe.ObserveCells(None, word.text, item.span)

    def _hot_cells(self, item: syntax.ObserveHotGrid | syntax.ObserveHotWindow) -> list[universe.Observation]:
        """`hot grid of ground`, `hot window 2 of ground`: of each value of a state of cells where it is."""
        span, layer = item.span, item.layer
        plain: syntax.ObserveGrid | syntax.ObserveWindow = syntax.ObserveGrid(layer, span)
        if isinstance(item, syntax.ObserveHotWindow):
            plain = syntax.ObserveWindow(item.radius, layer, None, span)
        name = self._names.find(layer, "cell meter")
        declared = None if name is None else self._meters.get(name)
        if declared is None:
            return []
        if declared.type is None or not declared.type.whole:
            self._report.add(messages.observations.CellsNotWhole(layer.span, layer.text, declared.span))
            return []
        first = self._first(f"hot {plain.keyword()} of", layer.text, span)
        shown = self._of_cells(plain, layer) if first else None
        values = range(int(declared.low), int(declared.high) + 1)
        if not isinstance(shown, universe.ObserveCells) or self._is_too_many(values, item.span):
            return []
        return [replace(shown, only=value) for value in values]

    def _is_too_many(self, values: range, span: Span) -> bool:
        if len(values) > MOST_HOT:
            where = Interval(float(values.start), float(values[-1]))
            self._report.add(messages.observations.TooManyValues(span, where, MOST_HOT))
        return len(values) > MOST_HOT

    def _is_too_large(self, rows: int, item: syntax.ObserveItem) -> bool:
        if rows <= MOST_ROWS:
            return False
        self._report.add(messages.observations.TooManyRows(item.span, rows, MOST_ROWS))
        return True

    def _position(self, item: syntax.ObservePosition) -> list[universe.Observation]:
        nodes = self._names.of_kind("node")
        encodings = OF_NODES if nodes else ENCODINGS
        # The word behind `position` is its encoding to the parser, also where the author meant the next item.
        if item.encoding.text in ITEMS:
            self._report.add(messages.observations.EncodingNeeded(word_of(item), encodings))
            return []
        if not is_known(item.encoding, encodings, "no encoding of a position", self._report):
            return []
        match item.encoding.text, self._space:
            case "node", universe.Grid(graph=universe.Graph(nodes=places)):
                names = tuple(node.name for node in places)
                here = universe.Coordinate("x", item.span)
                return [universe.ObserveOneHot("position", here, names, item.span)]
            case encoding, universe.Grid(sizes=sizes):
                axes = [(0.0, size - 1.0, float(size), max(size - 1.0, 1.0)) for size in sizes]
            case encoding, universe.Continuous(axes=of_space):
                axes = [(axis.low, axis.high, axis.size, axis.size) for axis in of_space]
            case _:
                return []
        return self._coordinates(encoding, axes, item.span)

    def _coordinates(
        self, encoding: str, axes: Sequence[tuple[float, float, float, float]], span: Span
    ) -> list[universe.Observation]:
        """Where agents are on axes, each with its ends, its size, and how far the ends are apart, at least 1."""
        assert self._space is not None
        rows: list[universe.Observation] = []
        for name, (low, high, _, extent) in zip(axes_of(self._space), axes, strict=True):
            value: universe.Expression = universe.Coordinate(name, span)
            if encoding == "absolute":
                rows.append(universe.ObserveValue(f"position.{name}", value, low, high, span))
                continue
            if isinstance(self._space, universe.Continuous):
                value = universe.Binary("-", value, _number(low, span), span)
            share = universe.Binary("/", value, _number(extent, span), span)
            rows.append(universe.ObserveValue(f"position.{name}", share, 0.0, 1.0, span))
        for name, (*_, size, _) in zip(axes_of(self._space), axes, strict=True) if encoding == "scaled" else ():
            number = _number(size, span)
            rows.append(universe.ObserveValue(f"size.{name}", number, number.value, number.value, span))
        return rows

    def _velocity(self, item: syntax.ObserveVelocity) -> list[universe.Observation]:
        if self._space is None:
            return []
        if not item.names:
            axes = tuple(axis for axis in axes_of(self._space) if self._first("velocity", axis, item.span))
        else:
            found = ((word, axis_of(word, self._names, self._report)) for word in item.names)
            axes = tuple(axis for word, axis in found if axis is not None and self._first("velocity", axis, word.span))
        begins, fastest = self._begins(), self._fastest()
        return [
            universe.ObserveValue(
                f"velocity.{axis}",
                universe.Velocity(axis, item.span),
                canonical32(min(-fastest[axis], begins[axis])),
                canonical32(max(fastest[axis], begins[axis])),
                item.span,
            )
            for axis in axes
        ]

    def _begins(self) -> dict[str, float]:
        """The velocity on each axis that episodes begin with."""
        axes, start = self._fastest(), self._draft.start
        return dict(zip(axes, start.velocity if start else (0.0,) * len(axes), strict=True))

    def _speeds(self) -> tuple[float, float]:
        """The least and the greatest speed."""
        longest, begin, start = hypot(*self._fastest().values()), 0.0, self._draft.start
        if start is not None:
            begin = hypot(*start.velocity) if start.speed is None else start.speed
        return canonical32(min(0.0, begin)), canonical32(min(max(longest, begin), LARGEST))

    def _fastest(self) -> dict[str, float]:
        """The most velocity on each axis: with momentum its limit, else from one end to the other."""
        match self._space:
            case universe.Grid(sizes=sizes):
                most = [float(size) for size in sizes]
            case universe.Continuous(axes=axes, momentum=limit):
                most = [axis.size if limit is None else limit for axis in axes]
            case _:
                return {}
        return dict(zip(axes_of(self._space), most, strict=True))

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
        self._report.add(messages.observations.SpaceMissing(item.span, item.keyword(), needed, space.span, none))

    def _here(self, item: syntax.ObserveHere) -> universe.Observation | None:
        if not item.names:
            named = self._names.of_kind("affordance")
            every = tuple(dict.fromkeys(self._names.copy_of.get(name, name) for name in named))
            if not every:
                self._nothing(item, "here")
            new = [name for name in every if self._first("here", name, word_of(item))]
            nowhere = (None,) if self._first("nowhere", "nothing", word_of(item)) else ()
            return universe.ObserveHere((*new, *nowhere), item.span) if new or nowhere else None
        places: list[str | None] = []
        for word in item.names:
            if is_word(word, "nothing"):
                if self._first("nowhere", word.text, word.span):
                    places.append(None)
            elif self._names.means(word, "affordance") or word.text in self._names.copy_of.values():
                if self._first("here", word.text, word.span):
                    places.append(word.text)
            else:
                self._names.refuse(word, "an affordance", (*self._names.of_kind("affordance"), "nothing"))
        return universe.ObserveHere(tuple(places), item.span) if places else None

    def _time(self, item: syntax.ObserveTime) -> list[universe.Observation]:
        places = [(word.text, word.span) for word in item.names if self._is_of_time(word)]
        if not item.names:
            places = [(function, word_of(item)) for function in FUNCTIONS_OF_TIME]
        shown = [cast(Literal["sin", "cos"], each) for each, span in places if self._first("time", each, span)]
        return [
            universe.ObserveValue(f"time.{each}", universe.DayTime(each, item.span), -1.0, 1.0, item.span)
            for each in shown
        ]

    def _is_of_time(self, word: syntax.Name) -> bool:
        return is_known(word, FUNCTIONS_OF_TIME, "no function of the time", self._report)

    def _lifetime(self, item: syntax.ObserveLifetime) -> list[universe.Observation]:
        lifespan, span = self._draft.lifespan, item.span
        if lifespan is None:
            return []
        share = universe.Binary("/", universe.Age(span), _number(lifespan.ticks, span), span)
        if self._draft.by_hand:  # an age can be beyond the lifespan
            share = universe.Binary("min", share, _number(1, span), span)
        return [universe.ObserveValue("lifetime", share, 0.0, 1.0, span)]

    def _progress(self, item: syntax.ObserveProgress) -> universe.Observation | None:
        per = None
        if item.divisor is not None:
            per = whole_number(item.divisor, 1, LONGEST_DURATION, "the divisor of `progress`", self._report)
            if per is None:
                return None
        if not self._names.has_lasting:
            self._nothing(item, "progress")
            return universe.ObserveBlank(1, item.span)
        never_ending = [affordance for affordance in self._draft.affordances if affordance.duration == 0]
        if per is None and never_ending:
            self._report.add(messages.observations.DivisorNeeded(item.span, never_ending[0].span))
            return None
        if per is None:
            return universe.ObserveValue("progress", universe.ShareOfUse(item.span), 0.0, 1.0, item.span)
        share = universe.Binary("/", universe.Progress(item.span), _number(per, item.span), item.span)
        # An affordance that lasts for ever has no longest use; it counts as none.
        ticks = max(affordance.duration or 0 for affordance in self._draft.affordances)
        return universe.ObserveValue("progress", share, 0.0, canonical32(max(1.0, ticks / per)), item.span)

    # --- rows that never change --------------------------------------------------------------------------------------

    def _blank(self, item: syntax.ObserveBlank) -> universe.Observation | None:
        count = whole_number(item.rows, 1, MOST_ROWS, "the number of rows", self._report)
        return None if count is None else universe.ObserveBlank(count, item.span)

    def _constant(self, item: syntax.ObserveConstant) -> universe.Observation | None:
        values = [any_number(number, LARGEST, "a number", self._report) for number in item.numbers]
        known = tuple(canonical32(value) for value in values if value is not None)
        return universe.ObserveConstant(known, item.span) if len(known) == len(values) else None

    def _nothing(self, item: syntax.ObserveItem | syntax.ObserveListed, what: messages.observations.Item) -> None:
        self._report.add(messages.observations.NothingToObserve(item.span, what))


def word_of(item: syntax.ObserveItem | syntax.ObserveListed) -> Span:
    """The place of the word that an item begins with."""
    span = item.span
    return Span(span.line, span.column, span.line, span.column + len(item.keyword()), span.file)


def _only(item: universe.Observation | None) -> list[universe.Observation]:
    return [] if item is None else [item]


def _number(value: float, span: Span) -> universe.Number:
    return universe.Number(canonical32(value), span)
