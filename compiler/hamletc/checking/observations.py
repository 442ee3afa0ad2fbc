"""What agents observe."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from typing import Literal, cast, get_args

from hamlet import universe
from hamlet.numbers.binary32 import LARGEST, canonical32
from hamlet.universe import Span
from hamletc import messages
from hamletc.checking.affordances import LONGEST_DURATION
from hamletc.checking.draft import UNPROVEN, Draft, Within
from hamletc.checking.expressions import Expressions
from hamletc.checking.graph import is_graph
from hamletc.checking.meters import resolve_bounds
from hamletc.checking.names import Names
from hamletc.checking.observed_cells import MOST_ROWS, ObservedCells
from hamletc.checking.observed_groups import Observed, resolve_items
from hamletc.checking.observed_items import Listing, number_at, word_of
from hamletc.checking.observed_motion import ObservedMotion
from hamletc.checking.observed_views import ObservedViews
from hamletc.checking.operations import is_condition
from hamletc.checking.report import Findings, any_number, between, is_known, whole_number
from hamletc.checking.roles import only_agents
from hamletc.checking.symbols import builtin, is_word
from hamletc.expansion.trees import outside_expressions
from hamletc.language import syntax
from hamletc.language.declared import Kind
from hamletc.language.spelling import spell_expression

ONCE = (
    *(syntax.ObserveGrid, syntax.ObserveWindow, syntax.ObservePosition, syntax.ObserveProgress),
    *(syntax.ObserveWord, syntax.ObserveItems),
)
"""Kinds that are observed once. Of others each meter, param, axis, affordance and function of the time is."""
FUNCTIONS_OF_TIME = ("sin", "cos")
OBSERVED_AS = {"age": "lifetime", "clock": "time", "day_cos": "time cos", "day_sin": "time sin", "hour": "time"}
"""Items that show quantities, which have other names in expressions."""
NEVER_ON_GRAPHS = (syntax.ObserveWindow, syntax.ObserveVelocity, syntax.ObserveSpeed)
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
        self._in = Listing(names, draft, report, self._first)
        self._cells, self._motion = ObservedCells(self._in), ObservedMotion(self._in)
        self._views = ObservedViews(self._in)

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

    def _discrete(
        self, name: syntax.Expr, written: syntax.Expr, bounds: syntax.Bounds | None
    ) -> universe.ObserveValue | None:
        """`discrete place: 5 * row + column`, `discrete row`: a group of one whole number."""
        text = name.text if isinstance(name, syntax.Name) else spell_expression(name)
        is_meter = isinstance(name, syntax.Name) and self._names.means(name, "meter")
        called, _ = (self._names.part("meter", text) if is_meter else None) or (text, "")
        spec = self._names.state(written) if isinstance(written, syntax.Name) else None
        if not self._first("group", called, name.span) or not self._first("value", called, name.span):
            return None
        if isinstance(written, syntax.Name) and spec is not None and spec.options:
            number = Expressions(self._names, self._report, scope="observe").held(written)
        else:
            number = self._number(written)
        if number is not None:
            self._ranged(bounds, written.span)
        return None if number is None else universe.ObserveValue(called, number, *UNPROVEN, written.span)

    def _value(self, item: syntax.ObserveValue) -> list[universe.Observation]:
        """`lack: 1 - food`."""
        number = self._number(item.value, item.span)
        if not self._first("value", item.name.text, item.name.span) or number is None:
            return []
        self._ranged(item.bounds, item.span)
        return [universe.ObserveValue(item.name.text, number, *UNPROVEN, item.span)]

    def _ranged(self, written: syntax.Bounds | None, span: Span) -> None:
        """`in 0 .. 31` behind what is observed there."""
        if written is None:
            return
        bounds = resolve_bounds(written, Expressions(self._names, self._report), self._report)
        if bounds is not None:
            self._draft.within[span] = Within(*bounds, between(written[0].span, written[1].span))

    def _number(self, written: syntax.Expr, span: Span | None = None) -> universe.Expression | None:
        """An observed expression: a number, or a condition, which is 1 where it holds."""
        expressions, where = Expressions(self._names, self._report, scope="observe"), span or written.span
        value = expressions.value(written)
        if value is None or not is_condition(value):
            return None if value is None else expressions.rounded(value)
        return universe.If(cast(universe.Expression, value), number_at(1, where), number_at(0, where), where)

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
            self._in.nothing(item, "effects")
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
                case universe.PairMeter(low=low, high=high):
                    agents = only_agents(self._names) or 0
                    held.append(universe.ObservePairs(name, agents, low, high, span))
                    continue
            if declared.type is not None and declared.type.options:
                held.append(universe.ObserveOneHot(row, value, declared.type.options, span))
            else:
                held.append(universe.ObserveValue(row, value, declared.low, declared.high, span))
        return held

    def _item(self, item: syntax.GroupItem) -> list[universe.Observation]:
        word = item.keyword()
        if isinstance(item, NEVER_ON_GRAPHS) and is_graph(f"`{word}`", self._space, item.span, self._report):
            return []
        if isinstance(item, syntax.ObserveGrid | syntax.ObserveWindow) and not self._views.is_plain(item):
            return _only(self._views.shown(item) if self._in.has_grid(item) else None)
        if isinstance(item, syntax.ObserveHotWindow) and (item.depth or item.turned or item.reach or item.within):
            return self._views.hot(item) if self._in.has_grid(item) else []
        if isinstance(item, syntax.ObserveGrid | syntax.ObserveWindow) and item.layer is not None:
            return _only(self._cells.layer(item, item.layer))
        if isinstance(item, syntax.ObserveHotGrid | syntax.ObserveHotWindow):
            return self._cells.hot(item)
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
                self._in.nothing(item, "items")
                return []
            case syntax.ObserveGrid():
                return _only(self._cells.grid(item) if self._in.has_grid(item) else None)
            case syntax.ObserveWindow():
                return _only(self._cells.window(item) if self._in.has_grid(item) else None)
            case syntax.ObservePosition():
                return self._motion.position(item) if self._in.has_space(item) else []
            case syntax.ObserveVelocity():
                return self._motion.velocity(item) if self._in.has_space(item) else []
            case syntax.ObserveSpeed():
                return _only(self._motion.speed(item))
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

    def _drawn(self, name: str) -> bool:
        """Whether cells have this of the levels of a map, or for the compiler."""
        spec = self._names.spec_of(name)
        return spec is not None and spec.of in ("levels", "compiler")

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
        known = [name for name in self._names.of_kind(kind) if name not in self._names.states and not self._drawn(name)]
        shown = self._hidden | self._hot
        every = [name for name in known if name not in shown and (kind, name) not in self._before]
        if not known and kind == "meter" and self._names.states:
            self._in.nothing(item, "meters")
        if not known and kind == "param":
            self._in.nothing(item, "params")
        if not known and kind == "world meter":
            self._in.nothing(item, "world")
        if not every and kind == "cell meter":
            self._in.nothing(item, "cell")
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
            self._in.nothing(item, "state")
        known = [name for name in own if name not in self._hidden and ("state", name) not in self._before]
        every = [] if item.names else known
        shown = [name for name in every if name not in self._hot]
        if every and not shown:
            self._in.nothing(item, "state")
        return (*found, *(name for name in shown if self._first("state", name, word_of(item))))

    def _here(self, item: syntax.ObserveHere) -> universe.Observation | None:
        if not item.names:
            named = self._names.of_kind("affordance")
            every = tuple(dict.fromkeys(self._names.copy_of.get(name, name) for name in named))
            if not every:
                self._in.nothing(item, "here")
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
        if [word.text for word in item.names] == ["of", "day"]:
            whole = between(item.names[0].span, item.names[1].span)
            self._report.add(messages.observations.TimeOfDay(whole, FUNCTIONS_OF_TIME))
            return []
        if away := [word.span for word in item.names if word.text == "distance"]:
            self._report.add(messages.observations.DistanceUnnamed(away[0]))
            return []
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
        share = universe.Binary("/", universe.Age(span), number_at(lifespan.ticks, span), span)
        if self._draft.by_hand:  # an age can be beyond the lifespan
            share = universe.Binary("min", share, number_at(1, span), span)
        return [universe.ObserveValue("lifetime", share, 0.0, 1.0, span)]

    def _progress(self, item: syntax.ObserveProgress) -> universe.Observation | None:
        per = None
        if item.divisor is not None:
            per = whole_number(item.divisor, 1, LONGEST_DURATION, "the divisor of `progress`", self._report)
            if per is None:
                return None
        if not self._names.has_lasting:
            self._in.nothing(item, "progress")
            return universe.ObserveBlank(1, item.span)
        never_ending = [affordance for affordance in self._draft.affordances if affordance.duration == 0]
        if per is None and never_ending:
            self._report.add(messages.observations.DivisorNeeded(item.span, never_ending[0].span))
            return None
        if per is None:
            return universe.ObserveValue("progress", universe.ShareOfUse(item.span), 0.0, 1.0, item.span)
        share = universe.Binary("/", universe.Progress(item.span), number_at(per, item.span), item.span)
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


def _only(item: universe.Observation | None) -> list[universe.Observation]:
    return [] if item is None else [item]
