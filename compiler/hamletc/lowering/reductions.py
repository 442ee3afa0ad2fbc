"""Reductions over the agents of a world: which there are, and the terms of a lane.

Numbers of agents and claims in steps 1 to 4 of a tick are about the state at its beginning; those of the world's rules,
of deaths, rewards and reports about the state after step 4 (docs/semantics.md, "Worlds whose agents meet").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.universe import (
    Acting,
    Affordance,
    Among,
    At,
    Blocking,
    Capacity,
    Cause,
    CellCount,
    CellSum,
    CellValue,
    Expression,
    Lifespan,
    Mask,
    Nearest,
    OfAll,
    Pool,
    Previous,
    Pushing,
    Rank,
    Span,
    Universe,
    Upon,
    Used,
    depends_on_asker,
    stages,
)
from hamlet.universe.walk import nodes
from hamletc.ir.builder import Builder
from hamletc.ir.function import (
    PUSHED,
    STANDING,
    Construct,
    Function,
    Output,
    Phase,
    Reduction,
    Stage,
    stage_of,
    ticking,
)
from hamletc.ir.ops import BOOL, F32, I32, Value
from hamletc.ir.ordering import ordered
from hamletc.lowering.act import destination
from hamletc.lowering.alike import counted_on_cell
from hamletc.lowering.births import Bearing, bearing, ranked
from hamletc.lowering.blocking import count_in_the_way
from hamletc.lowering.cell_cache import searched
from hamletc.lowering.ending import construct_of
from hamletc.lowering.expressions import is_at, lower_expression, there_is
from hamletc.lowering.functions import rounded_down, whole
from hamletc.lowering.interact import admitted, claim
from hamletc.lowering.lane import Lane, begin_tick, input_lane
from hamletc.lowering.places import cell_index, grid_of
from hamletc.lowering.plan import Plan
from hamletc.lowering.reducer import Reducer
from hamletc.lowering.solid import facing, walked_or

Names = Mapping[OfAll | Upon, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Meeting:
    """The reductions of a universe.

    Attributes:
        functions: of each stage what a lane adds, and then what is asked of pairs of lanes.
        began, settled: the reductions of each expression of steps 1 to 4, and of those that follow.
        upon: the reductions of each expression of the rules of cells.
        births: those that births need.
        settles: whether ticks end after step 4, and a function of its own settles them.
    """

    reductions: tuple[Reduction, ...]
    functions: Mapping[Stage, tuple[Function, ...]]
    began: Names
    settled: Names
    upon: Names
    births: Bearing
    settles: bool


@dataclass(frozen=True, slots=True)
class _Site:
    """A part of a universe that can have such expressions, and what origins say of it."""

    phase: Phase
    construct: Construct
    span: Span
    part: object


def meeting(planned: Plan) -> Meeting:
    """The reductions of a universe; none where its agents do not meet."""
    universe, counts = planned.universe, dict[str, int]()
    tick = Reducer("tick", _beginning(planned), counts)
    began = _numbers(tick, _sites(universe, "tick"))
    for number, affordance in enumerate(universe.affordances):
        if affordance.capacity is not None:
            _claim(tick, number, affordance, affordance.capacity)
    count_in_the_way(tick.pairs, universe)
    if universe.pairs is not None:
        tick.pairs.run_rules(universe.pairs)
    settle = Reducer("settle", settling(planned, "reward"), counts)
    settled = _numbers(settle, _sites(universe, "settle"))
    on_cells = Reducer("cells", _before_the_world(settling(planned, "cells")), counts)
    upon = _numbers(on_cells, _sites(universe, "cells"))
    if any(each.standing == STANDING for each in on_cells.reductions):
        standing = cell_index(on_cells.lane.builder, grid_of(universe).sizes, on_cells.lane.position)
        on_cells.outputs.append(Output(STANDING, standing))
    _pushes(on_cells)
    ranks = ranked(universe, settle)
    living = Reducer("births", input_lane(planned, Builder("births")), counts)
    births = bearing(universe, living, ranks)
    reducers = [each for each in (tick, settle, on_cells, living) if not each.empty]
    return Meeting(
        tuple(reduction for each in reducers for reduction in each.all),
        {each.stage: each.finish() for each in reducers},
        began,
        settled,
        upon,
        births,
        universe.cells is not None or bool(settle.all or universe.world_rules),
    )


def _pushes(on_cells: Reducer) -> None:
    """Amounts that each agent adds to cells from which, and to which, it pushes something."""
    pushing, builder = on_cells.lane.universe.pushing, on_cells.lane.builder
    for number in range(0 if pushing is None else pushing.most + 1):
        with builder.at(Construct("agents push"), None, "cells"):
            cell, by = (builder.input(F32, f"{PUSHED}.{kind}.{number}") for kind in ("cell", "by"))
            reduction = Reduction("cells", f"{PUSHED}.{number}", "total", standing=f"{STANDING}.{PUSHED}.{number}")
            on_cells.add(reduction, by)
            on_cells.outputs.append(Output(reduction.standing, whole(builder, cell)))


def _before_the_world(lane: Lane) -> Lane:
    """A lane whose world is as agents see it: before the rules of the world, which have run when cells count agents."""
    with lane.builder.at(Construct("state"), None, "state"):
        return replace(lane, world={name: lane.builder.input(F32, f"before.world.{name}") for name in lane.world})


def settling(planned: Plan, phase: Phase) -> Lane:
    """A lane after step 4 of a tick; `used` and what it used are known."""
    builder = Builder(phase)
    lane, _ = begin_tick(planned, builder)
    with builder.at(Construct("interact"), None):
        lane.used = builder.input(I32, "used")
        for affordance in asked_uses(planned):
            lane.uses[planned.numbers[affordance]] = builder.input(BOOL, f"uses.{affordance}")
    if planned.searched:
        lane.searched = searched(lane)
    return lane


def asked_uses(planned: Plan) -> tuple[str, ...]:
    """The affordances of which something after step 4 asks whether they were used, where an agent may use several."""
    if planned.computed:
        return ()
    sites = (*sites_of_settling(planned.universe), *_sites(planned.universe, "cells"))
    asked = {node.affordance for node in nodes(tuple(site.part for site in sites)) if isinstance(node, Used)}
    return tuple(name for name in planned.numbers if name in asked)


def _beginning(planned: Plan) -> Lane:
    """A lane at the beginning of a tick."""
    builder = Builder("act")
    lane, _ = begin_tick(planned, builder)
    if planned.searched:
        lane.searched = searched(lane)
    return lane


def _numbers(reducer: Reducer, sites: Iterator[_Site]) -> dict[OfAll | Upon, tuple[str, ...]]:
    """Reduce what the expressions of these parts ask for."""
    names: dict[OfAll | Upon, tuple[str, ...]] = {}
    builder = reducer.lane.builder
    for site in sites:
        for among in nodes(site.part):
            if isinstance(among, Among | Rank | Nearest) and depends_on_asker(among):
                with builder.at(site.construct, among.span, site.phase):
                    names[among] = (counted_on_cell(reducer, among) or reducer.pairs.ask(among),)
                    if isinstance(among, Among) and among.op == "average":
                        names[among] += (reducer.reduce("count", builder.boolean(True)),)
            elif isinstance(among, Among | Upon):
                with builder.at(site.construct, among.span, site.phase):
                    standing = STANDING
                    if isinstance(among, Upon) and among.post is not None:
                        standing = reducer.posted(_posted(reducer.lane, among.post))
                    term = lower_expression(reducer.lane, among.operand)
                    if among.op == "average":
                        reduced = reducer.reduce("total", term, standing=standing)
                        everybody = builder.boolean(True)
                        names[among] = reduced, reducer.reduce("count", everybody, standing=standing)
                    else:
                        names[among] = (reducer.reduce(among.op, term, standing=standing),)
            elif isinstance(among, Rank):
                with builder.at(site.construct, among.span, site.phase):
                    condition = lower_expression(reducer.lane, among.condition)
                    priority = ordered(builder, lower_expression(reducer.lane, among.priority))
                    names[among] = (reducer.reduce("rank", condition, priority),)
    return names


def _posted(lane: Lane, post: Expression) -> Value:
    """The cell (I32) at which a lane posts, -1 where at none."""
    builder, cells = lane.builder, schema.cells(grid_of(lane.universe))
    cell = builder.sub(whole(builder, lower_expression(lane, post)), builder.i32(1))
    return builder.select(builder.less(cell, builder.i32(cells)), cell, builder.i32(-1))


def _sites(universe: Universe, stage: Stage) -> Iterator[_Site]:
    """Sites of a stage that ask for agents together."""
    for stretch in ticking():
        if stage_of(stretch) == stage:
            for step in stretch.steps:
                yield from (_site(each) for each in stages.stages_of(universe, step))


def _site(stage: stages.Stage) -> _Site:
    part = (stage.guard, stage.statements, stage.values)
    return _Site(stage.phase, _construct(stage.construct), stage.construct.span, part)


def _construct(declared: stages.Construct) -> Construct:
    """The construct of a declaration, as the origin of its operations."""
    match declared:
        case Cause():
            return construct_of(declared)
        case CellSum(meter=meter) | CellCount(meter=meter):
            return Construct("meter", meter)
        case Pool(role=role):
            return Construct("role", role)
        case Acting() | Blocking() | Lifespan() | Mask() | Pushing():
            kinds = {Acting: "acts", Blocking: "agents block", Lifespan: "lifespan", Mask: "allow"}
            return Construct(kinds.get(type(declared), "agents push"))
        case _:
            return Construct(type(declared).__name__.lower(), declared.name or "")


def sites_of_settling(universe: Universe) -> tuple[_Site, ...]:
    """Sites after the rules of agents, but for those of the rules of cells."""
    return tuple(_sites(universe, "settle"))


def asked_before(universe: Universe) -> tuple[str, ...]:
    """The meters of cells of which something after the rules of cells asks what they were before, in file order."""
    asked = {node.meter for node in _past_of_settling(universe) if isinstance(node, CellValue)}
    return tuple(meter.name for meter in (universe.cells.meters if universe.cells else ()) if meter.name in asked)


def asked_elsewhere(universe: Universe) -> dict[At, str]:
    """Reads of other cells as they were when the tick began, after the rules of cells, with their names."""
    reads = (node for node in _past_of_settling(universe) if isinstance(node, At))
    asked = dict.fromkeys(node for node in reads if isinstance(node.operand, CellValue))
    return {node: f"there.{number}" for number, node in enumerate(asked)}


def _past_of_settling(universe: Universe) -> Iterator[object]:
    """Nodes that something after the rules of cells asks of the beginning of the tick."""
    previous = [node for node in nodes(tuple(sites_of_settling(universe))) if isinstance(node, Previous)]
    return nodes(tuple(previous))


# --- claims ----------------------------------------------------------------------------------------------------------


def _claim(reducer: Reducer, number: int, affordance: Affordance, capacity: Capacity) -> None:
    """Who claims an affordance, and what decides who gets a place."""
    lane, name = reducer.lane, claim(affordance)
    builder = lane.builder
    with builder.at(Construct("affordance", affordance.name), affordance.span, "interact"):
        interacting = builder.equal(there_is(lane.action, "action"), builder.i32(schema.interact_action(lane.universe)))
        if any(each.solid for each in lane.universe.affordances):
            trial = replace(lane, meters=dict(lane.meters))
            destination(trial, there_is(lane.action, "action"))
            claims = builder.and_(walked_or(trial, interacting), is_at(facing(trial, lane), number))
        else:
            claims = builder.and_(interacting, is_at(lane, number))
        claims = admitted(lane, affordance, claims)
        reducer.add(Reduction(reducer.stage, name, "grant"), claims)
    with builder.at(Construct("affordance", affordance.name), capacity.span, "interact"):
        reducer.outputs.append(Output(f"places.{name}", _places(lane, capacity)))
        if affordance.duration is not None:
            engaged = builder.equal(there_is(lane.engaged, "engagement"), builder.i32(number))
            reducer.outputs.append(Output(f"first.{name}", engaged))
        if capacity.priority is not None:
            priority = ordered(builder, lower_expression(lane, capacity.priority))
            reducer.outputs.append(Output(f"priority.{name}", priority))


def _places(lane: Lane, capacity: Capacity) -> Value:
    """How many places (I32) there are, at most as many as agents."""
    builder = lane.builder
    places = lower_expression(lane, capacity.places)
    return rounded_down(builder, builder.clamp(places, builder.f32(0.0), builder.f32(float(schema.MOST_AGENTS))))
