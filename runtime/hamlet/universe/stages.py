"""The order of a tick as data: docs/semantics.md, "A tick".

What comes before what is derived from here: by the checker, the lowering, the schedule, and the tools that list what
happens in a tick. The interpreter, which is the definition, does not read it: their agreement is the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal, Protocol, TypeAlias

from hamlet.frozen import dataclass
from hamlet.universe.actions import INTERACT, Acting, Action, Blocking, Mask, Pushing
from hamlet.universe.affordances import Affordance
from hamlet.universe.declarations import Cascade, Cause, CellCount, CellSum, Lifespan, Pool, Report, Reward, Rule
from hamlet.universe.expressions import Binary, Expression
from hamlet.universe.meters import Meter
from hamlet.universe.quantities import MeterValue, Number
from hamlet.universe.statements import Assign, Statement

Phase: TypeAlias = Literal[
    "act", "interact", "decay", "rules", "world", "cells", "deaths", "reward", "births", "clock", "episode", "observe",
    "mask",
]  # fmt: skip
StepName: TypeAlias = Phase | Literal["pairs", "age", "alive", "counts"]
Scope: TypeAlias = Literal["agent", "world", "cell"]
Together: TypeAlias = Literal["began", "settled", "living"]
Construct: TypeAlias = (
    Acting
    | Action
    | Affordance
    | Blocking
    | Cascade
    | Cause
    | CellCount
    | CellSum
    | Lifespan
    | Mask
    | Meter
    | Pool
    | Pushing
    | Report
    | Reward
    | Rule
)


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a tick.

    Attributes:
        name: of the step.
        title: how the page begins it.
        number: on the page; `None` for what happens in every world after the numbered steps.
        phase: the step as origins and generated code name it; two steps can be one phase.
        scope: what runs it: agents, worlds, or cells.
        together: the state of which everything is that agents have together: the one that the tick began with, or the
            one after the rules of agents, of those that ran the tick or of those that are still alive. `None` where
            nothing asks for that.
        chosen: what runs depends on the action that the agent chose.
        outcomes: what the step gives beside the state, by the names of `hamlet.schema.outcome_fields`.
    """

    name: StepName
    title: str
    number: int | None
    phase: Phase
    scope: Scope
    together: Together | None = None
    chosen: bool = False
    outcomes: tuple[str, ...] = ()


ORDER: tuple[Step, ...] = (
    Step("act", "Act", 1, "act", "agent", "began", chosen=True),
    Step("interact", "Interact", 2, "interact", "agent", "began", chosen=True, outcomes=("used",)),
    Step("decay", "Decay", 3, "decay", "agent", "began"),
    Step("pairs", "Rules of pairs", 4, "rules", "agent", "began"),
    Step("rules", "Rules and cascades", 4, "rules", "agent", "began"),
    Step("world", "World", 5, "world", "world", "settled"),
    Step("cells", "Cells", 5, "cells", "cell", "settled"),
    Step("deaths", "Death and goals", 6, "deaths", "agent", "settled", outcomes=("terminated", "cause")),
    Step("age", "Age", 7, "deaths", "agent", "settled", outcomes=("truncated",)),
    Step("reward", "Reward", 8, "reward", "agent", "settled", outcomes=("reward", "reports")),
    Step("alive", "Alive", 9, "reward", "agent", "settled"),
    Step("births", "Births", 10, "births", "agent", "living"),
    Step("counts", "Agents on cells", None, "cells", "cell"),
    Step("clock", "Clock", None, "clock", "world"),
    Step("episode", "Reset", None, "episode", "world"),
    Step("observe", "Observe and mask", None, "observe", "agent"),
    Step("mask", "Observe and mask", None, "mask", "agent"),
)
MOVES = "moves"
"""The choice of a move whose displacement is not 0."""


def steps() -> tuple[Step, ...]:
    """The steps of a tick, in order."""
    return ORDER


@dataclass(frozen=True, slots=True)
class Stretch:
    """Steps one after the other that have one scope, and know agents in one state."""

    scope: Scope
    together: Together | None
    steps: tuple[Step, ...]


def stretches() -> tuple[Stretch, ...]:
    """The stretches of a tick, in order.

    Raises:
        ValueError: a scope comes twice with agents in one state: such a tick has no program.
    """
    runs = groupby(steps(), key=lambda step: (step.scope, step.together))
    result = tuple(Stretch(scope, together, tuple(run)) for (scope, together), run in runs)
    if len({(each.scope, each.together) for each in result}) < len(result):
        raise ValueError(f"steps of one stretch are apart: {' '.join(step.name for step in steps())}")
    return result


@dataclass(frozen=True, slots=True)
class Guard:
    """When the statements of a stage run.

    Attributes:
        choice: the name of the action that the agent chose, or `MOVES`; `None`: whatever it chose.
        conditions: what has to hold besides when the stage is reached. To use an affordance an agent has to be at it,
            at an hour of its opening hours, and to have a place, where places are counted.
    """

    choice: str | None = None
    conditions: tuple[Expression, ...] = ()


ALWAYS = Guard()


@dataclass(frozen=True, slots=True)
class Stage:
    """The stage of a construct at its place in a tick.

    Attributes:
        step: in which it does so.
        construct: its declaration; of what a meter loses, the meter.
        guard: when it does so.
        statements: those that run, in order; of an affordance that lasts `each tick`, then `on completion`.
        values: the numbers that it finds, where it runs no statements, or beside them.
    """

    step: Step
    construct: Construct
    guard: Guard = ALWAYS
    statements: tuple[Statement, ...] = ()
    values: tuple[Expression, ...] = ()

    @property
    def phase(self) -> Phase:
        """The phase of its step."""
        return self.step.phase

    @property
    def scope(self) -> Scope:
        """The scope of its step."""
        return self.step.scope


class Ticking(Protocol):
    """The owner of stages: a universe, or one in the making. Sequences are in file order."""

    @property
    def meters(self) -> Sequence[Meter]: ...
    @property
    def actions(self) -> Sequence[Action]: ...
    @property
    def affordances(self) -> Sequence[Affordance]: ...
    @property
    def pair_rules(self) -> Sequence[Rule]: ...
    @property
    def dynamics(self) -> Sequence[Rule | Cascade]: ...
    @property
    def world_rules(self) -> Sequence[Rule]: ...
    @property
    def cell_rules(self) -> Sequence[Rule]: ...
    @property
    def sums(self) -> Sequence[CellSum]: ...
    @property
    def counts(self) -> Sequence[CellCount]: ...
    @property
    def causes(self) -> Sequence[Cause]: ...
    @property
    def lifespan(self) -> Lifespan | None: ...
    @property
    def rewards(self) -> Sequence[Reward]: ...
    @property
    def reports(self) -> Sequence[Report]: ...
    @property
    def acting(self) -> Sequence[Acting]: ...
    @property
    def blocking(self) -> Blocking | None: ...
    @property
    def pushing(self) -> Pushing | None: ...
    @property
    def masks(self) -> Sequence[Mask]: ...
    @property
    def pools(self) -> Sequence[Pool]: ...


def stages(of: Ticking) -> Iterator[Stage]:
    """All stages of a tick, in order."""
    for step in steps():
        yield from stages_of(of, step)


def stages_of(of: Ticking, step: Step) -> Iterator[Stage]:
    """The stages of a step, in order."""
    return _STAGES[step.name](of, step) if step.name in _STAGES else iter(())


def by_step(of: Ticking) -> tuple[tuple[Step, tuple[Stage, ...]], ...]:
    """The steps of a tick, each with its stages."""
    return tuple((step, tuple(stages_of(of, step))) for step in steps())


def branches(stages: Iterable[Stage]) -> tuple[tuple[Stage, ...], ...]:
    """Stages by the choice of their guards: an agent runs those of one branch, in order."""
    result: dict[str | None, list[Stage]] = {}
    for stage in stages:
        result.setdefault(stage.guard.choice, []).append(stage)
    return tuple(map(tuple, result.values()))


def _act(of: Ticking, step: Step) -> Iterator[Stage]:
    if of.blocking is not None:
        yield Stage(step, of.blocking, values=() if of.blocking.priority is None else (of.blocking.priority,))
    if of.pushing is not None:
        yield Stage(step, of.pushing, values=() if of.pushing.priority is None else (of.pushing.priority,))
    for action in of.actions:
        needs = () if action.needs is None else (action.needs,)
        yield Stage(step, action, Guard(action.name, needs), (*action.body, *action.after))
    yield from _losses(of, step, Guard(MOVES), lambda meter: meter.move)


def _interact(of: Ticking, step: Step) -> Iterator[Stage]:
    yield from _losses(of, step, Guard(INTERACT), lambda meter: meter.interact)
    for item in of.affordances:
        conditions = tuple(each for each in (item.opening, item.needs) if each is not None)
        body = (*item.instantly, *item.each_tick, *item.on_completion)
        capacity = item.capacity
        claim = () if capacity is None else (capacity.places, capacity.priority)
        values = tuple(each for each in claim if each is not None)
        yield Stage(step, item, Guard(INTERACT, conditions), body, values)


def _decay(of: Ticking, step: Step) -> Iterator[Stage]:
    return _losses(of, step, ALWAYS, lambda meter: meter.decay)


def _losses(of: Ticking, step: Step, guard: Guard, loss: Callable[[Meter], Expression | None]) -> Iterator[Stage]:
    """Losses of meters, each in a statement of its own."""
    for meter in of.meters:
        value = loss(meter)
        if value is not None:
            yield Stage(step, meter, guard, (Assign(meter.name, "-=", value, True, value.span),))


def _pairs(of: Ticking, step: Step) -> Iterator[Stage]:
    return (_rule(rule, step) for rule in of.pair_rules)


def _rules(of: Ticking, step: Step) -> Iterator[Stage]:
    for item in of.dynamics:
        match item:
            case Rule():
                yield _rule(item, step)
            case Cascade(source=source, threshold=threshold, who=who, span=span):
                below = Binary("<", MeterValue(source, span), Number(threshold, span), span)
                yield Stage(step, item, Guard(None, (below,) if who is None else (below, who)), item.body)


def _rule(rule: Rule, step: Step) -> Stage:
    return Stage(step, rule, ALWAYS if rule.guard is None else Guard(None, (rule.guard,)), rule.body)


def _world(of: Ticking, step: Step) -> Iterator[Stage]:
    return (_rule(rule, step) for rule in of.world_rules)


def _cells(of: Ticking, step: Step) -> Iterator[Stage]:
    yield from (_rule(rule, step) for rule in of.cell_rules)
    for each in of.sums:
        yield Stage(step, each, ALWAYS, (Assign(each.meter, "=", each.operand, True, each.span),))


def _deaths(of: Ticking, step: Step) -> Iterator[Stage]:
    return (Stage(step, cause, Guard(None, (cause.condition,))) for cause in of.causes)


def _age(of: Ticking, step: Step) -> Iterator[Stage]:
    if of.lifespan is not None:
        old = () if of.lifespan.of_world is None else (of.lifespan.of_world,)
        yield Stage(step, of.lifespan, Guard(None, old))


def _reward(of: Ticking, step: Step) -> Iterator[Stage]:
    for reward in of.rewards:
        before = () if reward.potential is None else (reward.potential.before,)
        yield Stage(step, reward, values=(reward.value, *before))
    for cause in of.causes:
        if cause.goal is not None:
            yield Stage(step, cause, values=(cause.goal.reward,))
    yield from (Stage(step, report, values=(report.value,)) for report in of.reports)


def _births(of: Ticking, step: Step) -> Iterator[Stage]:
    for pool in of.pools:
        asks = () if pool.asks is None else (pool.asks,)
        yield Stage(step, pool, Guard(None, asks), values=tuple(each.value for each in pool.handed))


def _counts(of: Ticking, step: Step) -> Iterator[Stage]:
    return (Stage(step, each, values=(each.operand,)) for each in of.counts)


def _mask(of: Ticking, step: Step) -> Iterator[Stage]:
    yield from (Stage(step, each, values=(each.condition,)) for each in of.acting)
    yield from (Stage(step, mask, values=(mask.allowed,)) for mask in of.masks)


_STAGES: Mapping[StepName, Callable[[Ticking, Step], Iterator[Stage]]] = {
    "act": _act,
    "interact": _interact,
    "decay": _decay,
    "pairs": _pairs,
    "rules": _rules,
    "world": _world,
    "cells": _cells,
    "deaths": _deaths,
    "age": _age,
    "reward": _reward,
    "births": _births,
    "counts": _counts,
    "mask": _mask,
}
