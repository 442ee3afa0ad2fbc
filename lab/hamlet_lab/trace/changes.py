"""Changes of an agent's states, tick by tick, by the tick IR; and whether it leaves what was left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from hamlet import schema
from hamlet.interpreter import coverage
from hamlet.schema import Field
from hamlet.universe import Universe
from hamlet_lab.divergence.compiled import lowered
from hamlet_lab.divergence.locate import writers
from hamlet_lab.divergence.record import SourceLine, Value, source_at
from hamlet_lab.divergence.session import Side
from hamlet_lab.divergence.values import Evaluation, show, words
from hamlet_lab.trace.course import Course, stacked
from hamlet_lab.trace.versions import versions_of
from hamletc.ir.evaluate import DTYPES, Array
from hamletc.ir.function import Origin
from hamletc.kernel.build import build
from hamletc.kernel.calls import FunctionCall
from hamletc.kernel.memory import Launch, Memory, Moments, Recorded
from hamletc.kernel.run import Executable

MOST_LANES = 1 << 14
"""Lanes that are evaluated at once."""
MOST_CELLS = 1 << 18
"""Cells of all worlds that are evaluated at once."""
BEGINNING = ("shuffle", "place", "reset")
NEW_EPISODE = SourceLine("new episode", "", 0)
TYPES = {np.dtype(numpy): type_ for type_, numpy in DTYPES.items()}


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a state.

    Attributes:
        state: its name, as functions of the tick IR have it: `meter.energy`, `position.x`, `cells.moss[3,4]`.
        before, after: its values.
        source: the construct that changed it, with its line; or what constructs may have.
    """

    state: str
    before: Value
    after: Value
    source: SourceLine


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick of an agent: its number, the action that was chosen, the reward, how its episode ended ("" where it did
    not), and the changes, in order."""

    number: int
    action: str
    reward: float
    ended: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """The ticks of an agent. `differs`: the number of the first tick after which the program has something else than
    what ran the world, and the field; `None` where all bits of all ticks are equal."""

    course: Course
    agent: int
    ticks: tuple[Tick, ...]
    differs: tuple[int, str] | None


def traced(course: Course, agent: int, side: Side) -> Trace:
    """The changes of an agent of a world, its world's and its cells' among them."""
    program = lowered(course.universe).program
    executable = Executable(course.universe, program, build(course.universe, program))
    cells = max(each.pitch for each in schema.state_fields(course.universe))
    size = max(1, min(MOST_LANES // course.agents**2, MOST_CELLS // max(cells, 1)))
    ticks: list[Tick] = []
    differs: tuple[int, str] | None = None
    for begin in range(0, len(course.ticks), size):
        part = _part(course, begin, begin + size)
        run = _Run(part, agent, side, executable)
        ticks += run.ticks()
        differs = differs or run.departure()
    return Trace(course, agent, tuple(ticks), differs)


def _part(course: Course, begin: int, end: int) -> Course:
    where = slice(begin, end)
    return replace(
        course,
        ticks=course.ticks[where],
        actions=course.actions[where],
        before=course.before[where],
        after=course.after[where],
    )


@dataclass(slots=True)
class _Found:
    """Changes of one state by one construct: the ticks, and both values in each."""

    order: tuple[int, int]
    state: str
    source: Callable[[int], SourceLine]
    ticks: Array
    before: Array
    after: Array


@dataclass(slots=True)
class _Run:
    """Ticks of a world, run at once. `now`: what the agent has of each state so far, [ticks] or, of cells and pairs,
    [ticks, numbers]."""

    course: Course
    agent: int
    side: Side
    executable: Executable
    now: dict[str, Array] = field(default_factory=dict)
    found: list[_Found] = field(default_factory=list)
    calls: int = 0
    fields: dict[str, Field] = field(default_factory=dict)
    left: dict[str, Array] = field(default_factory=dict)

    def ticks(self) -> list[Tick]:
        """The ticks with their changes."""
        course, count = self.course, len(self.course.ticks)
        self.left = {name: values.copy() for name, values in stacked(course.before)}
        lanes = count * course.agents
        for each in schema.state_fields(course.universe):
            if each.name in schema.GIVEN or each.rows == ():
                continue
            self.fields[each.name] = each
            self.now |= self._values(each, self.left[each.name])
        outcome = {}
        for each in schema.outcome_fields(course.universe):
            shape = (lanes,) if each.rows is None else (len(each.rows), lanes)
            outcome[each.name] = np.zeros(shape, {"f32": np.float32, "i32": np.int32, "bool": np.bool_}[each.dtype])
        mask = np.zeros((len(schema.action_names(course.universe)), lanes), np.bool_)
        moments = Moments(np.full(count, course.world, np.int64), course.ticks)
        policy = Recorded(course.actions.reshape(1, -1))
        launch = Launch(count, course.agents, course.world, seed=course.seed, policy=policy, moments=moments)
        memory = Memory(self.left | outcome, mask)
        self.executable.run("step", memory, launch, self._watch, self._watch_cells)
        self._rest(outcome)
        return self._told(outcome)

    def departure(self) -> tuple[int, str] | None:
        """The first tick after which a field is not what was left."""
        firsts = []
        for name, values in stacked(self.course.after):
            if name in self.fields:
                apart = np.atleast_2d(words(values) != words(self.left[name])).any(axis=0)
                at = np.flatnonzero(apart.reshape(len(self.course.ticks), -1).any(axis=1))
                firsts += [(int(self.course.ticks[at[0]]), name)] if len(at) else []
        return min(firsts, default=None)

    # --- what functions change --------------------------------------------------------------------------------------

    def _values(self, of: Field, array: Array) -> dict[str, Array]:
        """What the agent has of a field, by name."""
        count, agents = len(self.course.ticks), self.course.agents
        if of.pitch:
            rows = of.rows or ()
            return {f"{of.kind}.{row}": array[number].copy() for number, row in enumerate(rows) if self._mine(of, row)}
        columns = slice(self.agent, None, agents) if of.per == "lane" else slice(0, count)
        values = np.atleast_2d(array)[:, columns]
        if of.name == "layout":
            values = values.view(np.uint32)
        return {name: row.copy() for name, row in zip(of.names, values, strict=True)}

    def _mine(self, of: Field, row: str) -> bool:
        """Whether a number of cells or of pairs is what this agent has."""
        own = row.partition("[")[2].partition(",")[0]
        return of.name != schema.PAIR_STATES or own == str(self.agent)

    def _watch(self, call: FunctionCall) -> None:
        self.calls += 1
        program = self.executable.program
        names = [output.name for output in program.function(call.function).outputs if output.name in self.now]
        if not names or call.each != 1:
            return
        lanes = np.arange(self.agent, len(call.lanes), self.course.agents)
        inputs = {name: values[lanes] if values.ndim == 1 else values for name, values in call.inputs.items()}
        evaluation = Evaluation(program, FunctionCall(call.function, inputs, call.lanes[lanes]))
        for name in names:
            self._versions(evaluation, name, call.function in BEGINNING)

    def _watch_cells(self, call: FunctionCall) -> None:
        self.calls += 1
        evaluation = Evaluation(self.executable.program, call)
        count = len(self.course.ticks)
        for output in evaluation.function.outputs:
            rows = [name for name in self.now if name.startswith(f"{output.name}[")]
            for version in versions_of(evaluation, output.name) if rows else ():
                source, held = self._source(version.origin, rows[0]), version.counted & call.lanes
                values, where = (each.reshape(count, -1).T for each in (version.values, held))
                before = np.stack([self.now[name] for name in rows])
                # Most cells stay what they are.
                for cell in np.flatnonzero((where & (words(values) != words(before))).any(axis=1)):
                    self._changed(rows[cell], version.node, _always(source), values[cell], where[cell])

    def _versions(self, evaluation: Evaluation, name: str, begins: bool) -> None:
        for version in versions_of(evaluation, name):
            source = NEW_EPISODE if begins else self._source(version.origin, name)
            held = evaluation.call.lanes & version.counted
            self._changed(name, version.node, _always(source), version.values, held)

    def _changed(self, name: str, node: int, source: Callable[[int], SourceLine], values: Array, where: Array) -> None:
        before = self.now[name]
        ticks = np.flatnonzero(where & (words(values) != words(before)))
        if len(ticks):
            self.found.append(_Found((self.calls, node), name, source, ticks, before[ticks], values[ticks]))
            self.now[name] = np.where(where, values, before)

    def _source(self, origin: Origin, name: str) -> SourceLine:
        source = self.side.source(origin)
        return self._writers(name) if source is None else source

    def _writers(self, name: str) -> SourceLine:
        """The constructs that can change a state, where no node says which one did."""
        kind, _, row = name.partition(".")
        of = next(each for each in self.fields.values() if name in each.names)
        row = row if of.rows is not None else ""
        possible = writers(self.course.universe, of.name, row)
        sources = [each for each in possible if "start of an episode" not in each.construct]
        if len(sources) == 1:
            return self.side.with_text(sources[0])
        return SourceLine(" or ".join(dict.fromkeys(each.construct for each in sources)) or kind, "", 0)

    # --- what is changed around them --------------------------------------------------------------------------------

    def _rest(self, outcome: Mapping[str, Array]) -> None:
        """Changes that no function makes: the sum of rewards, the end of an episode, the beginning of one."""
        self.calls += 1
        begun = self.left["episode"] != np.concatenate([frame["episode"] for frame in self.course.before])
        for of in self.fields.values():
            for name, values in self._values(of, self.left[of.name]).items():
                if (words(values) != words(self.now[name])).any():
                    self._changed(name, 0, self._around(of.name, name, outcome), values, ~begun)
                    self._changed(name, 1, _always(NEW_EPISODE), values, begun)

    def _around(self, array: str, name: str, outcome: Mapping[str, Array]) -> Callable[[int], SourceLine]:
        if array == "alive":
            return lambda tick: self._end(tick, outcome)
        rewards = self.course.universe.rewards
        if array == "episode_return" and len(rewards) == 1:
            return _always(self.side.with_text(source_at(self.course.universe, "reward", rewards[0].span)))
        return _always(self._writers(name))

    def _end(self, tick: int, outcome: Mapping[str, Array]) -> SourceLine:
        """The construct that ended the episode of the agent."""
        universe, number = self.course.universe, int(outcome["cause"][tick * self.course.agents + self.agent])
        if 0 <= number < len(universe.causes):
            cause = universe.causes[number]
            return self.side.with_text(source_at(universe, coverage.cause(cause), cause.condition.span))
        if universe.lifespan is not None:
            return self.side.with_text(source_at(universe, "lifespan", universe.lifespan.span))
        return SourceLine("end of an episode", "", 0)

    # --- what is told -----------------------------------------------------------------------------------------------

    def _told(self, outcome: Mapping[str, Array]) -> list[Tick]:
        course = self.course
        by_tick: list[list[Change]] = [[] for _ in course.ticks]
        for each in sorted(self.found, key=lambda found: found.order):
            type_ = TYPES[each.before.dtype]
            for tick, before, after in zip(each.ticks, words(each.before), words(each.after), strict=True):
                change = Change(each.state, show(type_, int(before)), show(type_, int(after)), each.source(int(tick)))
                by_tick[tick].append(change)
        names, ended = schema.action_names(course.universe), _ends(course.universe)
        return [
            Tick(
                int(number),
                names[int(course.actions[tick, self.agent])],
                float(outcome["reward"][tick * course.agents + self.agent]),
                ended[int(outcome["cause"][tick * course.agents + self.agent])],
                tuple(by_tick[tick]),
            )
            for tick, number in enumerate(course.ticks)
        ]


def _always(source: SourceLine) -> Callable[[int], SourceLine]:
    """The same construct in all ticks."""
    return lambda _: source


def _ends(universe: Universe) -> tuple[str, ...]:
    return (*(cause.name for cause in universe.causes), "lifespan", "")
