"""Changes of an agent's states, tick by tick, by the tick IR; and whether it leaves what was left."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from hamlet import schema
from hamlet.interpreter import coverage
from hamlet.schema import Field
from hamlet.universe import MADE, AnyMeter, Universe
from hamlet_lab.divergence.compiled import lowered
from hamlet_lab.divergence.locate import writers
from hamlet_lab.divergence.record import SourceLine, Value, source_at
from hamlet_lab.divergence.session import Side
from hamlet_lab.divergence.values import show, words
from hamlet_lab.trace.course import Course, stacked
from hamletc.ir.evaluate import DTYPES, Array
from hamletc.ir.function import Origin
from hamletc.kernel.build import build
from hamletc.kernel.calls import FunctionCall
from hamletc.kernel.memory import Launch, Memory, Moments, Recorded
from hamletc.kernel.run import Executable
from hamletc.kernel.versions import Evaluated, versions_of

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
class Local:
    """A local where its statement ran: its name, `let bite` or of a cell `let bite[3,4]`, its value, its line, and how
    many changes of the tick were made before it."""

    name: str
    value: Value
    source: SourceLine
    before: int


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick of an agent: its number, the action that was chosen, the reward, how its episode ended ("" where it did
    not), the changes, in order, and the locals that were worked out, in order."""

    number: int
    action: str
    reward: float
    ended: str
    changes: tuple[Change, ...]
    locals: tuple[Local, ...] = ()


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
        part = course.part(begin, begin + size)
        run = _Run(part, agent, side, executable)
        ticks += run.ticks()
        differs = differs or run.departure()
    return Trace(course, agent, tuple(ticks), differs)


@dataclass(frozen=True, slots=True)
class _Made:
    """Changes of a state by one construct, or values of a local: which numbers of it, by their names, in which ticks,
    and both values of each; a local has none before."""

    order: tuple[int, int]
    names: tuple[str, ...]
    source: Callable[[int], SourceLine]
    numbers: Array
    ticks: Array
    before: Array | None
    after: Array


@dataclass(slots=True)
class _Run:
    """Ticks of a world, run at once.

    Attributes:
        now: what the agent has of each state so far, [numbers, ticks]: one number, or one of each cell or other agent.
        names: of these numbers.
        fields: which field each state is of.
        left: what the program leaves, by field.
    """

    course: Course
    agent: int
    side: Side
    executable: Executable
    now: dict[str, Array] = field(default_factory=dict)
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    fields: dict[str, Field] = field(default_factory=dict)
    left: dict[str, Array] = field(default_factory=dict)
    made: list[_Made] = field(default_factory=list)
    calls: int = 0

    def ticks(self) -> list[Tick]:
        """The ticks with their changes."""
        course, count = self.course, len(self.course.ticks)
        self.left = {name: values.copy() for name, values in stacked(course.before)}
        lanes = count * course.agents
        for of in schema.state_fields(course.universe):
            if of.name in schema.GIVEN or of.rows == ():
                continue
            for state, names, values in self._values(of):
                self.fields[state], self.names[state], self.now[state] = of, names, values.copy()
        outcome: dict[str, Array] = {}
        for of in schema.outcome_fields(course.universe):
            shape = (lanes,) if of.rows is None else (len(of.rows), lanes)
            outcome[of.name] = np.zeros(shape, {"f32": np.float32, "i32": np.int32, "bool": np.bool_}[of.dtype])
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
            if name not in schema.GIVEN:
                apart = np.atleast_2d(words(values) != words(self.left[name])).any(axis=0)
                at = np.flatnonzero(apart.reshape(len(self.course.ticks), -1).any(axis=1))
                firsts += [(int(self.course.ticks[at[0]]), name)] if len(at) else []
        return min(firsts, default=None)

    def _values(self, of: Field) -> Iterator[tuple[str, tuple[str, ...], Array]]:
        """The states of a field that the agent has, as left, with the names of their numbers, [numbers, ticks]."""
        count, agents, array = len(self.course.ticks), self.course.agents, np.atleast_2d(self.left[of.name])
        if of.pitch:
            rows = tuple(f"{of.kind}.{row}" for row in of.rows or ())
            every = len(rows) // len({row.rpartition("[")[0] for row in rows})
            # Of pairs, what each agent has of one of them lies side by side.
            first, step = (self.agent, agents) if of.name == schema.PAIR_STATES else (0, 1)
            for begin in range(0, len(rows), every):
                mine = slice(begin + first, begin + every, step)
                yield rows[begin].rpartition("[")[0], rows[mine], array[mine]
            return
        columns = slice(self.agent, None, agents) if of.per == "lane" else slice(0, count)
        values = array[:, columns]
        if of.name == "layout":
            values = values.view(np.uint32)
        for number, name in enumerate(of.names):
            yield name, (name,), values[number : number + 1]

    # --- what functions change --------------------------------------------------------------------------------------

    def _watch(self, call: FunctionCall) -> None:
        self.calls += 1
        function = self.executable.program.function(call.function)
        names = [output.name for output in function.outputs if output.name in self.now]
        if call.each != 1 or not (names or function.locals):
            return
        lanes = np.arange(self.agent, len(call.lanes), self.course.agents)
        inputs = {name: values[lanes] if values.ndim == 1 else values for name, values in call.inputs.items()}
        evaluation = Evaluated.of(self.executable.program, FunctionCall(call.function, inputs, call.lanes[lanes]))
        for name in names:
            self._versions(evaluation, name)
        self._locals(evaluation, ("",))

    def _watch_cells(self, call: FunctionCall) -> None:
        self.calls += 1
        evaluation = Evaluated.of(self.executable.program, call)
        for output in evaluation.function.outputs:
            if output.name in self.now:
                self._versions(evaluation, output.name)
        cells: tuple[str, ...] = next((names for state, names in self.names.items() if state.startswith("cells.")), ())
        self._locals(evaluation, tuple(f"[{name.rpartition('[')[2]}" for name in cells))

    def _locals(self, evaluation: Evaluated, places: tuple[str, ...]) -> None:
        """The locals of a function where their statements run, of each of these places."""
        every = {each.name for function in self.executable.program.functions for each in function.locals}
        for local in evaluation.function.locals:
            held = evaluation.call.lanes
            for guard in local.guards:
                held = held & evaluation.at(guard)
            values, where = (each.reshape(len(self.course.ticks), -1).T for each in (evaluation.at(local.value), held))
            numbers, ticks = np.nonzero(where)
            name, source = plain_name(local.name, every), self.side.source(local.origin)
            names = tuple(f"{name}{place}" for place in places)
            shown = _always(source or SourceLine(str(local.origin.construct), "", 0))
            order = self.calls, 2 * local.before
            self.made.append(_Made(order, names, shown, numbers, ticks, None, values[numbers, ticks]))

    def _versions(self, evaluation: Evaluated, name: str) -> None:
        count = len(self.course.ticks)
        for version in versions_of(evaluation, name):
            begins = evaluation.call.function in BEGINNING
            source = _always(NEW_EPISODE if begins else self._source(version.origin, name))
            held = evaluation.call.lanes & version.counted
            values, where = (each.reshape(count, -1).T for each in (version.values, held))
            self._changed(name, version.node, source, values, where)

    def _changed(self, state: str, node: int, source: Callable[[int], SourceLine], values: Array, where: Array) -> None:
        before = self.now[state]
        numbers, ticks = np.nonzero(where & (words(values) != words(before)))
        if len(ticks):
            old, new = before[numbers, ticks], values[numbers, ticks]
            # What is made behind a local comes after it.
            order = self.calls, 2 * node + 1
            self.made.append(_Made(order, self.names[state], source, numbers, ticks, old, new))
            self.now[state] = np.where(where, values, before)

    def _source(self, origin: Origin, state: str) -> SourceLine:
        # What a hidden state keeps is often computed before, for something else: its origin says what that was.
        if (looks := self._looking_back(state)) is not None:
            return looks
        source = None if origin.phase == "state" else self.side.source(origin)
        return self._writers(state) if source is None else source

    def _looking_back(self, state: str) -> SourceLine | None:
        """The construct that looks back and has a hidden state for it; `None` for a state that has an author."""
        universe, row = self.course.universe, self.names[state][0].partition(".")[2]
        own: tuple[AnyMeter, ...] = universe.meters
        if self.fields[state].per == "world":
            own = () if universe.world is None else universe.world.meters
        for meter in own:
            past = None if meter.name != row or meter.type is None else meter.type.past
            if past is not None and past not in MADE:
                return self.side.with_text(source_at(universe, past, meter.span))
        return None

    def _writers(self, state: str) -> SourceLine:
        """The constructs that can change a state, where no node says which one did."""
        of, name = self.fields[state], self.names[state][0]
        row = "" if of.rows is None else name.partition(".")[2]
        possible = writers(self.course.universe, of.name, row)
        sources = [each for each in possible if "start of an episode" not in each.construct]
        if len(sources) == 1:
            return self.side.with_text(sources[0])
        return SourceLine(" or ".join(dict.fromkeys(each.construct for each in sources)) or name, "", 0)

    # --- what is changed around them --------------------------------------------------------------------------------

    def _rest(self, outcome: Mapping[str, Array]) -> None:
        """Changes that no function makes: the sum of rewards, the end of an episode, the beginning of one."""
        self.calls += 1
        begun = self.left["episode"] != np.concatenate([frame["episode"] for frame in self.course.before])
        for of in {each.name: each for each in self.fields.values()}.values():
            for state, _, values in self._values(of):
                if (words(values) != words(self.now[state])).any():
                    self._changed(state, 0, self._around(of.name, state, outcome), values, ~begun)
                    self._changed(state, 1, _always(NEW_EPISODE), values, begun)

    def _around(self, array: str, state: str, outcome: Mapping[str, Array]) -> Callable[[int], SourceLine]:
        if array == "alive":
            return lambda tick: self._end(tick, outcome)
        if array == "episode_return":
            return _always(self._rewards())
        return _always(self._writers(state))

    def _rewards(self) -> SourceLine:
        """The rewards, with a line where there is one alone."""
        universe = self.course.universe
        if len(universe.rewards) != 1:
            return SourceLine("rewards", "", 0)
        return self.side.with_text(source_at(universe, "reward", universe.rewards[0].span))

    def _end(self, tick: int, outcome: Mapping[str, Array]) -> SourceLine:
        """The construct that ended the episode of the agent, or began its life."""
        lane = tick * self.course.agents + self.agent
        if self.left["alive"][lane]:
            return SourceLine("birth", "", 0)
        universe, number = self.course.universe, int(outcome["cause"][lane])
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
        locals_: list[list[Local]] = [[] for _ in course.ticks]
        for each in sorted(self.made, key=lambda made: made.order):
            for name, tick, before, after in _shown(each):
                source = each.source(tick)
                if before is None:
                    locals_[tick].append(Local(name, after, source, len(by_tick[tick])))
                else:
                    by_tick[tick].append(Change(name, before, after, source))
        names, ended = schema.action_names(course.universe), _ends(course.universe)
        return [
            Tick(
                int(number),
                names[int(course.actions[tick, self.agent])],
                float(outcome["reward"][tick * course.agents + self.agent]),
                ended[int(outcome["cause"][tick * course.agents + self.agent])],
                tuple(by_tick[tick]),
                tuple(locals_[tick]),
            )
            for tick, number in enumerate(course.ticks)
        ]


def _shown(made: _Made) -> Iterator[tuple[str, int, Value | None, Value]]:
    """Changes one by one: the name of the number, the tick, and both values."""
    type_ = TYPES[made.after.dtype]
    after = [show(type_, int(each)) for each in words(made.after)]
    before = [None] * len(after) if made.before is None else [show(type_, int(each)) for each in words(made.before)]
    for number, tick, old, new in zip(made.numbers, made.ticks, before, after, strict=True):
        yield made.names[number], int(tick), old, new


def plain_name(name: str, among: Collection[str]) -> str:
    """A local as its author calls it: `let bite`, where several have the name and this one is `let bite 2`."""
    first, _, number = name.rpartition(" ")
    return first if number.isdecimal() and first in among else name


def _always(source: SourceLine) -> Callable[[int], SourceLine]:
    """The same construct in all ticks."""
    return lambda _: source


def _ends(universe: Universe) -> tuple[str, ...]:
    return (*(cause.name for cause in universe.causes), "lifespan", "")
