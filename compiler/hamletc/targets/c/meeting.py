"""What the agents of a world have together in a tick: what each lane adds, what it finds that asks all, and results."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from hamlet import schema
from hamletc.ir.function import Stage, reducer
from hamletc.ir.ops import Type
from hamletc.kernel.code import Code, Function, Remark, While, assign, do, function, give, loop, update, when
from hamletc.kernel.expressions import Expression, Name, Operand, Typed, call, expression, names
from hamletc.targets.c.bindings import Bindings
from hamletc.targets.c.cuts import Cuts, computed
from hamletc.targets.c.lanes import DRAWN_BY, LANES, WIDE, agents, each_lane, first, lane, numbers, vectors
from hamletc.targets.c.pairs import PairStep
from hamletc.targets.c.places import finding
from hamletc.targets.c.together import Asked, Found, Reduced

action, alive, interacting, somebody, running = names("action alive interacting somebody running")
begin, end, other, padded, depth, nobody_yet = names("begin end other padded depth nobody_yet")
chunk_lanes, there, count, tiled = names("chunk_lanes there count tiled")
speaking, speakers, index = names("speaking speakers index")
INFINITY = Name("INFINITY")
ZERO = Typed(Type.F32, 0.0)
TICKING: dict[str, Operand] = {"action": action[lane], "interacting": interacting[lane], **DRAWN_BY}
"""What functions of a tick take beside the state, for the lanes of a vector."""


def meeting(bindings: Bindings, cuts: Cuts | None, pairs: PairStep | None) -> list[Function]:
    """The functions that add, ask and combine in each stage."""
    result = []
    for stage in bindings.together.stages:
        result.append(_add(bindings, cuts, stage))
        if stage in bindings.together.asked:
            result.append(_ask(bindings, bindings.together.asked[stage], stage, pairs))
        if stage != "cells":
            result.append(_combine(bindings, stage))
    return result


def interaction(bindings: Bindings) -> list[Function]:
    """The functions that say whether an agent of a world interacts, where somebody has to know."""
    return [_somebody(bindings), _meet()]


def somebody_of(begin: Operand, end: Operand) -> Expression:
    """Whether one of the lanes from `begin` to `end` interacts."""
    return call("_somebody", begin, end)


# --- what a lane adds -------------------------------------------------------------------------------------------------


def _add(bindings: Bindings, cuts: Cuts | None, stage: Stage) -> Function:
    together, adds = bindings.together, reducer(stage)

    def of_lane() -> Iterator[Code]:
        yield computed(bindings, cuts, adds, [slot.of_lane for slot in bindings.written(adds)], TICKING)
        yield assign(running, _running(bindings))
        if together.asks_who_runs(stage):
            yield assign(Name("runs")[lane], running)
        for each in together.stages[stage]:
            yield assign(Name(each.term)[lane], _of_running(each))

    def body() -> Iterator[Code]:
        if bindings.reads(adds, "found"):
            yield from finding(bindings)
        yield vectors(of_lane())

    summary = "What the lanes of a chunk add to what the agents of their worlds have together."
    return function(f"_add_{stage}", (), summary, body())


def _running(bindings: Bindings) -> Expression:
    """The lanes that run the tick: of episodes that end by hand all that there are."""
    there = call("less", call("to_i32", numbers()), call("i32", count))
    return there if bindings.universe.by_hand else alive[lane]


def _of_running(each: Reduced) -> Expression:
    """The term of lanes where it is `running`, and what changes nothing elsewhere."""
    term = Name(each.term)[lane]
    match each.op:
        case "total" | "last":
            return call("where", running, term, ZERO)
        case "lowest":
            return call("where", running, term, INFINITY)
        case "highest":
            return call("where", running, term, -INFINITY)
        case _:
            return running & term


# --- what a lane finds that asks all ----------------------------------------------------------------------------------


def _ask(bindings: Bindings, asked: Asked, stage: Stage, pairs: PairStep | None) -> Function:
    runs = Name("runs")[other]

    def body() -> Iterator[Code]:
        yield assign(nobody_yet, call("ramp", call("u32", 0)))
        if asked.totals:
            yield assign(padded, 1)
            yield assign(depth, 0)
            yield While(padded < agents, (update(padded, "*", 2), update(depth, "+", 1)))
        yield loop(begin, 0, chunk_lanes, agents, body=of_world())

    def of_world() -> Iterator[Code]:
        yield assign(end, begin + agents)
        if asked.speakers:
            yield assign(speakers, 0)
            told: list[Expression] = [Name(each)[other] for each in asked.speakers]
            speaks = reduce(lambda one, each: one.either(each), told)
            noted: list[Code] = [assign(speaking[speakers], other), update(speakers, "+", 1)]
            yield loop(other, begin, end, body=[when(runs.both(speaks), noted)])
        yield loop(first, begin, end, WIDE, body=of_lanes())
        if pairs is not None and asked.written:
            yield from pairs.kept()

    def of_lanes() -> Iterator[Code]:
        yield Remark("A vector reaches into the next world, which comes later.")
        yield assign(lane, call("wide", first))
        for variable, array in asked.own:
            yield assign(variable, Name(array)[lane])
        for each in asked.found:
            yield from _nobody_found(each)
        if asked.speakers:
            yield loop(index, speakers, body=[assign(other, speaking[index]), *of_other()])
        else:
            absent = [_in_tree(each, ZERO) for each in asked.totals]
            yield loop(
                other,
                begin,
                begin + padded if asked.totals else end,
                body=[when((other < end).both(runs) if asked.totals else runs, of_other(), absent)],
            )
        for each in asked.found:
            yield from _result(each)

    def of_other() -> Iterator[Code]:
        given = [*map(expression, asked.arguments), *map(Name, bindings.tables_of(asked.function))]
        yield assign(asked.outputs, call(f"_{asked.function}", *given))
        for each in asked.found:
            yield from _joined(each)
        if pairs is not None and asked.written:
            yield from pairs.noted(dict(asked.written))

    summary = "What each lane finds that asks all lanes of its world."
    return function(f"_ask_{stage}", (), summary, body(), "apart")


def _nobody_found(each: Found) -> Iterator[Code]:
    """What a lane has before it has asked anybody."""
    match each.op:
        case "count":
            yield assign(each.found, call("alike", call("i32", 0), nobody_yet))
        case "lowest":
            yield assign(each.found, call("alike", INFINITY, nobody_yet))
        case "highest":
            yield assign(each.found, call("alike", -INFINITY, nobody_yet))
        case "nearest":
            yield assign(each.found, Name(each.otherwise)[lane])
            yield assign(each.given("least"), call("alike", INFINITY, nobody_yet))
        case _:
            assert each.op == "total", "a total is in its tree"


def _joined(each: Found) -> Iterator[Code]:
    """What it has when it has asked one more."""
    found, term = each.found, each.given("term")
    match each.op:
        case "count":
            yield assign(found, call("add", found, call("where", term, call("i32", 1), call("i32", 0))))
        case "total":
            yield _in_tree(each, term)
        case "lowest":
            yield assign(found, call("where", found < term, found, term))
        case "highest":
            yield assign(found, call("where", term < found, found, term))
        case _:
            nearer, away, least = each.given("nearer"), each.given("away"), each.given("least")
            yield assign(nearer, (away < least) & term)
            yield assign(least, call("where", nearer, away, least))
            yield assign(found, call("where", nearer, each.given("value"), found))


def _in_tree(each: Found, term: Expression) -> Code:
    """The term of another lane, or what stands for one that does not run, in the tree of a total."""
    return do("add_to_tree", each.given("sums"), other - begin, call("alike", term, nobody_yet))


def _result(each: Found) -> Iterator[Code]:
    """What it has when it has asked all."""
    result, found = Name(each.result)[lane], each.found
    match each.op:
        case "count":
            yield assign(result, call("to_f32", found))
        case "total":
            yield assign(result, each.given("sums")[call("wide", depth * WIDE)])
        case "nearest":
            yield assign(result, found)
        case _:
            yield Remark("Where nobody runs it is infinite yet.")
            yield assign(result, call("where", call("absolute", found) < INFINITY, found, ZERO))


# --- results ----------------------------------------------------------------------------------------------------------


def _combine(bindings: Bindings, stage: Stage) -> Function:
    reductions = bindings.together.stages[stage]

    def body() -> Iterator[Code]:
        if reductions:
            yield assign(there, chunk_lanes // agents)
        if stage in bindings.together.asked:
            yield do(f"_ask_{stage}")
        for each in reductions:
            yield from _reduced(each)

    summary = "What the agents of each world have together."
    return function(f"_combine_{stage}", (), summary, body())


def _reduced(each: Reduced) -> Iterator[Code]:
    """The result of a reduction."""
    shared = do("share_worlds", each.shared, "counts" if each.op == "count" else each.term, agents, there)
    match each.op:
        case "grant":
            yield do("grant_worlds", each.term, *each.ranked, agents, there)
        case "rank":
            if each.counted:
                yield Remark(
                    f"Priorities are whole numbers, {each.reduction.few} of them: lanes are counted by priority, where"
                    " that is shorter."
                )
            yield do(each.function, each.term, each.terms["priority"], each.shared, *each.ranking, agents, there)
        case "alike":
            asked = (each.terms["key"], each.terms["asked"])
            yield do(
                "alike_worlds", each.term, *asked, each.shared, "on_each_cell", each.reduction.others, agents, there
            )
        case "count":
            yield do("count_worlds", each.term, "counts", agents, there)
            yield shared
        case "total":
            yield do("total_worlds", each.term, agents, there)
            yield shared
        case _:
            yield do(f"{each.op}_worlds", each.term, agents, there, "runs")
            yield shared


# --- whether somebody interacts ---------------------------------------------------------------------------------------


def _somebody(bindings: Bindings) -> Function:
    interacts: Expression = call("equal", action[lane], schema.interact_action(bindings.universe))
    if not bindings.universe.by_hand:
        interacts = interacts & alive[lane]
    body = (
        assign(somebody, False),
        each_lane([update(somebody, "|", interacts)], begin, end),
        give(somebody),
    )
    summary = "Whether one of the lanes from `begin` to `end` interacts."
    return function("_somebody", ["begin", "end"], summary, body)


def _meet() -> Function:
    noted = assign(interacting[lane], somebody)
    of_world = (
        assign(somebody, somebody_of(first, first + agents)),
        each_lane([noted], first, first + agents),
    )
    body = when(tiled, [each_lane([noted], LANES)], [loop(first, 0, count, agents, body=of_world)])
    summary = (
        "Note for each lane whether an agent of its world interacts; `somebody` says it of a world of several tiles."
    )
    return function("_meet", (), summary, [body])
