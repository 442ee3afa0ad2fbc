"""What is done with a chunk after a tick: episodes that end or begin, observations and masks."""

from __future__ import annotations

from collections.abc import Iterator

from hamletc.kernel.code import Code, Function, Remark, assign, do, function, give, when
from hamletc.kernel.expressions import Name, call, names, no
from hamletc.kernel.schedule import Schedule
from hamletc.kernel.statements import Allow, Call, Crowd, Do, Observe
from hamletc.targets.c.bindings import Bindings
from hamletc.targets.c.cuts import Cuts
from hamletc.targets.c.grid import CellStep
from hamletc.targets.c.lanes import (
    WIDE,
    agents,
    each_lane,
    flagged,
    lane,
    length,
    numbers,
    start,
    vectors,
    world,
)
from hamletc.targets.c.memory import agent, count, part

flags, chosen, fresh, passed, hour, busy, end = names("flags chosen fresh passed hour busy end")


def kernels(bindings: Bindings, cuts: Cuts | None, cells: CellStep | None, schedule: Schedule) -> list[Function]:
    """The functions that a launch runs after ticks."""
    return [_conclude(cells, schedule), _survey(bindings, cuts, schedule)]


def _conclude(cells: CellStep | None, schedule: Schedule) -> Function:
    launch = [*schedule.statements(schedule.kernel("rollout").body)]
    concludes = Do("conclude") in launch

    def after() -> Iterator[Code]:
        for each in launch:
            match each:
                case Call(function="clock"):
                    yield vectors([assign(hour[lane], call("_clock", hour[lane]))])
                case Do(routine="conclude"):
                    yield do("_end")
                case _:
                    pass

    def finished() -> Iterator[Code]:
        if cells is not None and cells.arrays_of:
            anew = Remark("The first tile has begun anew.")
            ended = [assign(array, part("ended_cells", 0, meter * cells.count)) for array, meter in cells.arrays_of]
            yield when(agent > 0, [anew, *ended])
        yield do("_finish")

    begun = [do("_begin"), *([do("_crowd_worlds", False)] if any(isinstance(each, Crowd) for each in launch) else [])]

    def body() -> Iterator[Code]:
        yield flagged(False)
        begins = Name("begins_array")[world + (agent + lane) // agents]
        ticked = tuple(after())
        yield when(
            fresh, [each_lane([assign(flags[lane], begins)], count)], [when(passed > 0, ticked)] if ticked else []
        )
        yield assign(chosen, call("choose_lanes", flags, "lanes"))
        finish = [when(no(fresh), finished())] if concludes else []
        yield when(chosen > 0, [*finish, *begun])
        yield give(chosen > 0)

    summary = (
        "What happens in the worlds after a tick: the clock, and a new episode where one ends; with `fresh`, in those"
        " of `begins_array`. Whether an episode begins."
    )
    return function("_conclude", (), summary, body())


def _survey(bindings: Bindings, cuts: Cuts | None, schedule: Schedule) -> Function:
    kind = "" if cuts is None else "_rows"

    def observed() -> Iterator[Code]:
        yield flagged(call("less", call("to_i32", numbers()), call("i32", count)))
        yield Remark("Few lanes need few vectors.")
        yield assign(end, (count + WIDE - 1) // WIDE * WIDE)
        where = [part("observation_array", 0, 0), length("observation_array", 1), start, 0, end]
        yield do(f"_observe{kind}", *where, flags, count.equals(end), "streamed")

    def body() -> Iterator[Code]:
        if bindings.cached:
            yield do("_find_again")
        for each in schedule.routine("survey").body:
            match each:
                case Observe():
                    yield when("observing", observed())
                case Allow():
                    yield do(f"_mask{kind}")
                case _:
                    pass

    summary = "Write what the lanes observe, and which actions are allowed."
    return function("_survey", (), summary, body())
