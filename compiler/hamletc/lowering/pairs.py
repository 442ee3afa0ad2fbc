"""Reductions of agents that ask all agents of their world: a function of two lanes, the one that asks and another.

What one of them has alone is computed once for a lane, and shown (`reduce_<stage>` gives it); the function of pairs is
given what the asking lane shows as `own.<number>`, and what the other shows as `other.<number>`. It is computed for
each pair of lanes of a world, so that it has what needs both of them, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from hamlet.schema.roles import only_agents
from hamlet.universe import (
    AgentNumber,
    Among,
    Apart,
    Expression,
    Nearest,
    Number,
    OfAll,
    Own,
    Rank,
    TableValue,
    Truth,
    owners,
)
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output, Reduction, ReductionOp, Stage, pairer
from hamletc.ir.ops import I32, Value
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane
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
        given: what `lane` gives beside that.
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
            case TableValue(table=table, indices=(Own(operand=AgentNumber()), AgentNumber())) if self._of_two(table):
                return self._along(table, "columns")
            case TableValue(table=table, indices=(AgentNumber(), Own(operand=AgentNumber()))) if self._of_two(table):
                return self._along(table, "rows")
            case _:
                own, others = owners(expression)
                if own and others:
                    return None
                return self.of("other" if others else "own", lower_expression(self.lane, expression))

    def _of_two(self, name: str) -> bool:
        """Whether a table has a number for each two agents."""
        agents = only_agents(self.lane.universe)
        return any(each.name == name and each.sizes == (agents, agents) for each in self.lane.universe.tables)

    def _along(self, name: str, by: Literal["rows", "columns"]) -> Value:
        """The number (F32) of a table of two agents; a row, or a column, is of the other lane. A lane without an agent
        has the last one's."""
        builder, numbered = self.lane.builder, [each.name for each in self.lane.universe.tables].index(name)
        agents = only_agents(self.lane.universe) or 1
        number, last = builder.to_u32(builder.input(I32, "agent")), builder.u32(agents - 1)
        number = builder.to_i32(builder.select(builder.less(last, number), last, number))
        begin = self.of("other", builder.mul(number, builder.i32(agents)))
        place = self.pair.builder.add(begin, self.of("own", number))
        by_name = {each.name: each for each in self.lane.plan.numbered}
        table = by_name[along(self.lane.plan.numbered[numbered], by)]
        return self.pair.builder.lookup(table, place, along=True)

    def of(self, whose: str, value: Value) -> Value:
        """A value that one of the lanes shows."""
        if value not in self.shown:
            self.shown[value] = self.counts["shown"] = self.counts.get("shown", -1) + 1
        return self.pair.builder.input(self.lane.builder.type_of(value), f"{whose}.{self.shown[value]}")

    def _apart(self) -> Value:
        """How far (F32) the other lane is from the one that asks."""
        there, here = ([self.of(whose, x) for x in self.lane.position] for whose in ("other", "own"))
        return between(self.pair.builder, self.lane.universe.space, there, here)
