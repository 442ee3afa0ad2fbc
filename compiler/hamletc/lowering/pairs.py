"""Reductions of agents that ask all agents of their world: a function of two lanes, the one that asks and another.

What one of them has alone is computed once for a lane, and shown (`reduce_<stage>` gives it); the function of pairs is
given what the asking lane shows as `own.<number>`, and what the other shows as `other.<number>`. It is computed for
each pair of lanes of a world, so that it has what needs both of them, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from hamlet.numbers.binary32 import round32
from hamlet.numbers.counters import EPISODE_DRAWS, PAIR_DRAWS, PAIR_EPISODE_DRAWS
from hamlet.universe import (
    AgentNumber,
    Among,
    Apart,
    Expression,
    Meter,
    MeterValue,
    Nearest,
    Number,
    OfAll,
    Own,
    PairValue,
    Param,
    ParamValue,
    Rank,
    TableValue,
    Truth,
    WorldMeter,
    WorldValue,
    draws,
    nodes,
    owners,
)
from hamlet.universe.declarations import Pairs as StatesOfPairs
from hamlet.universe.meters import PairMeter
from hamletc.ir.builder import Builder
from hamletc.ir.function import (
    BEGIN_PAIRS,
    OF_PAIRS,
    PAIRS_AT,
    Construct,
    Function,
    Output,
    Reduction,
    ReductionOp,
    Stage,
    pairer,
)
from hamletc.ir.ops import BOOL, F32, I32, Type, Value
from hamletc.lowering.dynamics import run_rule
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane
from hamletc.lowering.plan import Plan
from hamletc.lowering.space import between
from hamletc.lowering.tables import along


@dataclass(slots=True)
class Pairs:
    """The function of pairs of a stage while it is being made; identical questions share one reduction.

    Attributes:
        lane: one lane, in the function that gives what it shows.
        pair: both lanes, in the function of pairs.
        counts: the numbers of reductions by operation, and under `shown` of what lanes show, in all stages.
        shown: what lanes show, by its value in the function of `lane`.
        defaults: what `lane` gives beside that.
        ruling: rules of pairs are being made, whose draws are of both lanes.
    """

    stage: Stage
    lane: Lane
    counts: dict[str, int]
    pair: Lane = field(init=False)
    shown: dict[Value, int] = field(default_factory=dict)
    defaults: list[Output] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    reductions: list[Reduction] = field(default_factory=list)
    names: dict[tuple[ReductionOp, tuple[Value, ...], Value | None], str] = field(default_factory=dict)
    ruling: bool = False

    def __post_init__(self) -> None:
        nobody, lane = 0, self.lane
        self.pair = Lane(lane.universe, Builder("rules"), lane.plan, {}, {}, nobody, nobody, leaf=self._leaf)

    def ask(self, asked: OfAll) -> str:
        """The name of the reduction of what is asked; of an average, that of the total."""
        builder = self.pair.builder
        match asked:
            case Among(op=op):
                return self.reduce("total" if op == "average" else op, {"term": self._lower(asked.operand)})
            case Rank(condition=condition, priority=priority, span=span):
                first, number = priority, AgentNumber(span)
                theirs, mine = self._lower(first), self._lower(Own(first, span))
                earlier = builder.less(self._lower(number), self._lower(Own(number, span)))
                before = builder.or_(builder.less(mine, theirs), builder.and_(builder.equal(theirs, mine), earlier))
                return self.reduce("count", {"term": builder.and_(self._lower(condition), before)})
            case Nearest(condition=condition, value=value, otherwise=otherwise, span=span):
                number = AgentNumber(span)
                same = builder.equal(self._lower(number), self._lower(Own(number, span)))
                term = builder.and_(self._lower(condition), builder.not_(same))
                terms = {"term": term, "away": self._apart(), "value": self._lower(value)}
                return self.reduce("nearest", terms, lower_expression(self.lane, otherwise))

    def count(self, name: str, term: Value) -> None:
        """Count the lanes for which a term (BOOL) of the function of pairs holds."""
        self.reductions.append(Reduction(self.stage, name, "count", pairs=True))
        self.outputs.append(Output(f"term.{name}", term))

    def run_rules(self, pairs: StatesOfPairs) -> None:
        """Run the rules of pairs; nobody has anything else of itself."""
        pair, builder = self.pair, self.pair.builder
        before = {meter.name: self._of_pair(meter.name, reverse=False) for meter in pairs.written}
        self.ruling, pair.stream, pair.counter = True, PAIR_DRAWS, self._part
        pair.meters |= before
        for rule in pairs.rules:
            if any(draws(rule)):
                with builder.at(Construct("state"), None, "state"):
                    pair.other = self.of("other", self._number())
            run_rule(pair, rule)
        self.ruling = False
        for meter in pairs.written:
            with builder.at(Construct("meter", meter.name), meter.span):
                value = builder.select(self._both_run(), pair.meters[meter.name], before[meter.name])
                self.outputs.append(Output(f"{OF_PAIRS}{meter.name}", value))

    def _both_run(self) -> Value:
        """Whether (BOOL) these are two agents that run the tick."""
        builder, number = self.pair.builder, self._number()
        two = builder.not_(builder.equal(self.of("own", number), self.of("other", number)))
        if self.lane.universe.by_hand:
            return two
        runs = self.lane.builder.input(BOOL, "alive")
        return builder.and_(two, builder.and_(self.of("own", runs), self.of("other", runs)))

    def _part(self, type_: Type, name: str) -> Value:
        """A part of the counter of what is drawn for both lanes: that of the one that asks."""
        return self.of("own", self.lane.builder.input(type_, name))

    def finish(self) -> Function:
        """The function of pairs."""
        return self.pair.builder.finish(pairer(self.stage), tuple(self.outputs))

    def shows(self) -> Iterator[Output]:
        """Outputs of a lane for it."""
        yield from self.defaults
        for value, number in self.shown.items():
            yield Output(f"shown.{number}", value)

    def reduce(self, op: ReductionOp, terms: dict[str, Value], otherwise: Value | None = None) -> str:
        """The name of a reduction of what the function of pairs has."""
        key = op, tuple(terms.values()), otherwise
        if key not in self.names:
            number = self.counts[op] = self.counts.get(op, -1) + 1
            self.names[key] = name = f"{op}.{number}"
            self.reductions.append(Reduction(self.stage, name, op, pairs=True))
            self.outputs += [Output(f"{kind}.{name}", value) for kind, value in terms.items()]
            if otherwise is not None:
                self.defaults.append(Output(f"otherwise.{name}", otherwise))
        return self.names[key]

    def _lower(self, expression: Expression) -> Value:
        with self.pair.builder.at(self.lane.builder.origin.construct, expression.span, self.lane.builder.origin.phase):
            return lower_expression(self.pair, expression)

    def _leaf(self, expression: Expression) -> Value | None:
        """The value of an expression in the function of pairs, where it is not made of parts that both lanes have;
        constants stay there."""
        match expression:
            case Number() | Truth():
                return None
            case Apart():
                return self._apart()
            case PairValue(meter=meter, reverse=reverse):
                return self._of_pair(meter, reverse=reverse)
            case TableValue(table=table, indices=(Own(operand=AgentNumber()), AgentNumber())) if self._of_two(table):
                return self._along(table, "columns")
            case TableValue(table=table, indices=(AgentNumber(), Own(operand=AgentNumber()))) if self._of_two(table):
                return self._along(table, "rows")
            case _:
                if self.ruling and not isinstance(expression, Own) and any(draws(expression)):
                    return None
                own, others = owners(expression)
                if own and others:
                    return None
                return self.of("other" if others else "own", lower_expression(self.lane, expression))

    def _of_two(self, name: str) -> bool:
        """Whether a table has a number for each two agents."""
        agents = self.lane.universe.agents
        return any(each.name == name and each.sizes == (agents, agents) for each in self.lane.universe.tables)

    def _along(self, name: str, by: Literal["rows", "columns"]) -> Value:
        """The number (F32) of a table of two agents; a row, or a column, is of the other lane. A lane without an agent
        has the last one's."""
        numbered = [each.name for each in self.lane.universe.tables].index(name)
        place = self._place(None, self._number(), reverse=False)
        by_name = {each.name: each for each in self.lane.plan.numbered}
        table = by_name[along(self.lane.plan.numbered[numbered], by)]
        return self.pair.builder.lookup(table, place, along=True)

    def _of_pair(self, meter: str, *, reverse: bool) -> Value:
        """A state (F32) that the asking lane has of the other one; in `reverse` that one of it."""
        begin = self.lane.builder.input(I32, PAIRS_AT)
        place = self._place(begin, self._number(), reverse=reverse)
        return self.pair.builder.fetch(f"{OF_PAIRS}{meter}", place, along=not reverse)

    def _number(self) -> Value:
        """The number (I32) of the lane's agent. A lane without an agent has the last one's."""
        builder = self.lane.builder
        number, last = builder.to_u32(builder.input(I32, "agent")), builder.u32((self.lane.universe.agents or 1) - 1)
        return builder.to_i32(builder.select(builder.less(last, number), last, number))

    def _place(self, begin: Value | None, number: Value, *, reverse: bool) -> Value:
        """The index (I32) of two agents, in rows by the other one; in `reverse` by the one that asks."""
        builder = self.lane.builder
        row = builder.mul(number, builder.i32(self.lane.universe.agents or 1))
        own, other = (row, number) if reverse else (number, row)
        own = own if begin is None else builder.add(begin, own)
        return self.pair.builder.add(self.of("other", other), self.of("own", own))

    def of(self, whose: str, value: Value) -> Value:
        """A value that one of the lanes shows."""
        if value not in self.shown:
            self.shown[value] = self.counts["shown"] = self.counts.get("shown", -1) + 1
        return self.pair.builder.input(self.lane.builder.type_of(value), f"{whose}.{self.shown[value]}")

    def _apart(self) -> Value:
        """How far (F32) the other lane is from the one that asks."""
        there, here = ([self.of(whose, x) for x in self.lane.position] for whose in ("other", "own"))
        return between(self.pair.builder, self.lane.universe.space, there, here)


def begin_pairs(planned: Plan, pairs: StatesOfPairs) -> Function:
    """Inputs: what a lane begins an episode with, `agent` (I32), `other` (I32), the number of the other agent, params,
    `world.<name>`; for draws `lane` (U32), `episode` (I32) and the seed. Outputs: `pairs.<state>`, what the lane has of
    the other one; of itself what is next to 0 within the bounds."""
    builder, universe = Builder("episode"), planned.universe
    read = list(nodes(pairs.meters))
    of_world = () if universe.world is None else universe.world.meters
    with builder.at(Construct("state"), None, "state"):
        number, other = builder.input(I32, "agent"), builder.input(I32, "other")
        own = Lane(
            universe,
            builder,
            planned,
            meters=_inputs(builder, "meter", universe.meters, {e.meter for e in read if isinstance(e, MeterValue)}),
            params=_inputs(builder, "param", universe.params, {e.param for e in read if isinstance(e, ParamValue)}),
            # Nothing else of an agent is asked for.
            age=number,
            layout=number,
            world=_inputs(builder, "world", of_world, {e.meter for e in read if isinstance(e, WorldValue)}),
            stream=EPISODE_DRAWS,
        )
        another = builder.not_(builder.equal(number, other))

    def leaf(expression: Expression) -> Value | None:
        match expression:
            case Own(operand=operand):
                return lower_expression(own, operand)
            case AgentNumber():
                return builder.to_f32(other)
            case _:
                return None

    pair = replace(own, stream=PAIR_EPISODE_DRAWS, other=other, leaf=leaf, words={})
    outputs = [Output(f"{OF_PAIRS}{meter.name}", _start(pair, meter, another)) for meter in pairs.meters]
    return builder.finish(BEGIN_PAIRS, tuple(outputs))


def _start(pair: Lane, meter: PairMeter, another: Value) -> Value:
    """The value (F32) that a lane begins with."""
    builder = pair.builder
    with builder.at(Construct("meter", meter.name), meter.span):
        low, high = builder.f32(round32(meter.low)), builder.f32(round32(meter.high))
        nothing = builder.f32(round32(min(max(0.0, meter.low), meter.high)))
        if isinstance(meter.start, float):
            return builder.select(another, builder.f32(round32(meter.start)), nothing)
        return builder.select(another, builder.clamp(lower_expression(pair, meter.start), low, high), nothing)


def _inputs(
    builder: Builder, kind: str, declared: Iterable[Meter | WorldMeter | Param], read: set[str]
) -> dict[str, Value]:
    """Inputs of what is read, by name."""
    return {each.name: builder.input(F32, f"{kind}.{each.name}") for each in declared if each.name in read}
