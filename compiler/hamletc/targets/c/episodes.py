"""Episodes of the worlds of a chunk: how they end, and how the next ones begin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hamlet import schema
from hamletc.ir.function import BEGIN_CELLS
from hamletc.kernel.code import Code, Function, Remark, assign, do, function, loop, update, when
from hamletc.kernel.expressions import Expression, Operand, call, expression, names, no
from hamletc.kernel.schedule import Schedule
from hamletc.kernel.statements import BeginPairs, Call, CallCells, Fill, If, Next, Over, Place, Statement, Within
from hamletc.targets.c.bindings import Bindings
from hamletc.targets.c.cells import MEMORY, begun, over_world
from hamletc.targets.c.counts import count_meters, ended
from hamletc.targets.c.cuts import Cuts, computed
from hamletc.targets.c.grid import CellStep
from hamletc.targets.c.lanes import (
    LANES,
    SEEDED,
    WIDE,
    agents,
    each_lane,
    first,
    first_world,
    lane,
    selected,
    world,
)
from hamletc.targets.c.memory import each_row, part, row
from hamletc.targets.c.places import cached_cells
from hamletc.targets.c.slots import chunks
from hamletc.targets.c.tick import constant
from hamletc.targets.c.worlds import turning

flags, alive, cause, living, waits, tiled, count = names("flags alive cause living waits tiled count")
every_tick, observing, caching, counting, episode = names("every_tick observing caching counting episode")
agent, turns, place, own, cells, lines = names("agent turns place own cells lines")
TURN = lane * turns >> 16
"""The number of a lane's world among those of the chunk."""


def episodes(bindings: Bindings, cuts: Cuts | None, step: CellStep | None, schedule: Schedule) -> list[Function]:
    """The functions that end episodes, where they do not end by hand, and the one that begins them."""
    conclude = [routine for routine in schedule.routines if routine.name == "conclude"]
    ends = [each for routine in conclude for each in (_end(), _finish(bindings, cuts, routine.body))]
    return [*ends, _begin(bindings, cuts, step, schedule.routine("begin").body)]


# --- the end ----------------------------------------------------------------------------------------------------------


def ends(lane: Operand) -> Expression:
    """Whether a lane counts as living at the end of a tick: where worlds wait, also one whose episode ended in it."""
    return alive[lane].either((waits > 0).both(cause[lane] >= 0))


def _end() -> Function:
    empty = assign(flags[lane], living.equals(0))
    of_world = (
        assign(living, 0),
        each_lane([update(living, "+", ends(lane))], first, first + agents),
        each_lane([empty], first, first + agents),
    )
    alone = (
        each_lane([assign(flags[lane], no(alive[lane]))], count),
        when(waits > 0, [each_lane([assign(flags[lane], flags[lane].both(cause[lane] < 0))], count)]),
    )
    several = when(agents.equals(1), alone, [loop(first, 0, count, agents, body=of_world)])
    body = when(tiled, [each_lane([empty], count)], [several])
    summary = (
        "Flag the lanes whose worlds begin anew: nobody is alive there, and where worlds wait, nobody's episode ended"
        " in this tick. `living` are or did, in all tiles of a world that takes several."
    )
    return function("_end", (), summary, [body])


def _finish(bindings: Bindings, cuts: Cuts | None, statements: Sequence[Statement]) -> Function:
    def body() -> Iterator[Code]:
        for each in statements:
            match each:
                case If(flag="shown"):
                    shown = every_tick.both(observing).both(waits.equals(0))
                    yield when(shown, _last(bindings, cuts))
                case Within(body=(Next(),)):
                    yield selected(_next())
                case _:
                    pass

    summary = "The last of episodes: final observations and statistics; and the number of the next one."
    return function("_finish", (), summary, body())


def _last(bindings: Bindings, cuts: Cuts | None) -> Iterator[Code]:
    """The last observations of episodes, written."""
    if bindings.cached:
        yield do("_find_again")
    if cuts is None:
        yield do("_observe_last", "final_observation_array", "start", "lanes", "chosen")
        return
    rows = schema.observation_rows(bindings.universe)
    yield Remark("Each lane has a line in memory. Rows of few lanes each would touch as many cache lines as values.")
    # No array of the state is called so: functions that are called here pass those by their names.
    yield assign(lines, call("room_like", "final_observation_array", rows * WIDE))
    written = (
        do("_observe_rows", lines, WIDE, -first, first, first + WIDE, flags, True, rows),
        do("store_last", lines, flags, first, "final_observation_array", "start", rows),
    )
    some = when(call("any_set", flags[call("wide", first)]), written)
    yield loop(first, 0, LANES, WIDE, body=[some])
    yield do("give_back", lines)


def _next() -> Iterator[Code]:
    """The number of the next episode; the end of this one is counted where no other lane has to be asked."""
    yield update(episode[lane], "+", 1)
    counted = (do("count_episode", lane, *ended()), count_meters(lane))
    yield when(counting.both(agents.equals(1)).both(cause[lane] >= 0), counted)


# --- the beginning ----------------------------------------------------------------------------------------------------


def _begin(bindings: Bindings, cuts: Cuts | None, step: CellStep | None, statements: Sequence[Statement]) -> Function:
    begins = [each for within in statements if isinstance(within, Within) for each in within.body]

    def body() -> Iterator[Code]:
        yield Remark(
            "Lanes have numbers below 256: a product and a shift divide them by `agents`. A larger world is alone in a"
            " chunk."
        )
        yield assign(turns, turning())
        if Call("shuffle") in begins:
            layout = bindings.held["layout"].of_lane
            yield Remark("Two loops: in each the lanes do not wait for one another.")
            yield selected([assign(layout, call("_shuffle", *bindings.passing("shuffle", _counters())))])
        yield selected(_of_lane(bindings, cuts, begins))
        if BeginPairs() in begins:
            yield selected([when(_number().equals(0), [do("_begin_world", lane, world + TURN)])])
        if step is not None:
            yield from _of_worlds(step, begins)

    summary = (
        "A new episode, of the number that is in `episode`, for the first `chosen` of `lanes`. `agent` of `world` is"
        " the first lane of the chunk."
    )
    return function("_begin", (), summary, body(), "apart")


def _counters() -> dict[str, Operand]:
    """What functions take that draw for a lane in its episode."""
    of_lane = (first_world + world) * agents + agent + lane
    of_world = first_world + world + TURN
    return {**SEEDED, "world": call("u32", of_world), "lane": call("u32", of_lane), "agents": call("i32", agents)}


def _number(cells: int = 0) -> Expression:
    """The number of a lane's agent in its world, and so many more."""
    return (expression(cells) + agent if cells else agent) + lane - TURN * agents


def _of_lane(bindings: Bindings, cuts: Cuts | None, begins: Sequence[Statement]) -> Iterator[Code]:
    """The state of a lane, and the cells of its episode."""
    beyond = cached_cells(bindings)
    for each in begins:
        match each:
            case Place():
                yield from _placed(bindings, beyond)
            case Call(function="reset"):
                begun = [bindings.held[output.name].of_lane for output in bindings.bodies["reset"].outputs]
                cell = {} if cuts is not None else {"cell": call("u32", cells[beyond * LANES + lane])}
                number = call("i32", _number())
                yield computed(bindings, cuts, "reset", begun, {**_counters(), "agent": number, **cell}, 0)
            case Fill(registers=registers, value=value):
                for chunk in chunks(bindings.held[name] for name in registers if name in bindings.held):
                    yield each_row(chunk, assign(chunk.of_lane(row), constant(value)))
            case _:
                pass


def _placed(bindings: Bindings, beyond: int) -> Iterator[Code]:
    """The cells of a lane: those of the affordances at random where they are cached, and behind them its own."""

    def by_vectors() -> Iterator[Code]:
        yield assign("numbers", call("ramp", call("u32", first)))
        yield assign("numbers", call("where", call("equal", "numbers", beyond), own, "numbers"))
        placed = call("_place", *bindings.passing("place", {"index": "numbers"}))
        yield do("scatter", placed, cells, lane, first, beyond + 1)

    alone = assign(cells[beyond * LANES + lane], call("_place", *bindings.passing("place", {"index": own})))
    yield assign(own, call("u32", _number(beyond)))
    yield when(caching, [loop(first, 0, beyond + 1, WIDE, body=by_vectors())], [alone])


def _of_worlds(step: CellStep, begins: Sequence[Statement]) -> Iterator[Code]:
    """The cells of worlds, by their first lanes, and what they come to."""

    def of_world() -> Iterator[Code]:
        yield assign(place, world + TURN)
        whole = do("store_lanes", part(MEMORY, place, 0), "ended_cells", len(step.meters) * step.count)
        yield when(agents > LANES, [whole])
        yield from begun(step, TURN, place)

    for each in begins:
        match each:
            case CallCells(function=name) if name == BEGIN_CELLS:
                yield selected([when(_number().equals(0), of_world())])
            case Over():
                yield selected(assign(each.element, over_world(each, TURN)) for each in step.over)
            case _:
                pass
