"""What a launch counts: ends of episodes, uses of affordances, the meters of lanes whose episode ends, single lanes."""

from __future__ import annotations

from collections.abc import Iterator

from hamlet.schema import abi
from hamletc.kernel.body import table_name
from hamletc.kernel.code import Code, Function, Remark, assign, do, function, give, loop, when
from hamletc.kernel.expressions import Expression, Name, Operand, call, names
from hamletc.targets.c.bindings import Bindings
from hamletc.targets.c.lanes import first, flagged, is_passed, length
from hamletc.targets.c.memory import part, row
from hamletc.targets.c.slots import chunks

noted, cause, age, episode_return = names("noted cause age episode_return")
index, flags, lanes, chosen = names("index flags lanes chosen")
ENDED_METERS = f"{abi.ENDED_METERS}_array"


def counts(bindings: Bindings) -> list[Function]:
    """The functions that count."""
    return [_add_meters(bindings), _count(bindings)]


def count_meters(lane: Operand) -> Code:
    """The meters of a lane whose episode ends are added, where they are counted."""
    return when(is_passed(ENDED_METERS), [do("_add_meters", part(ENDED_METERS, 0, 0), lane)])


def ended() -> list[Operand]:
    """What counting the ends of episodes takes beside the lanes."""
    causes, lengths = part("causes_array", 0, 0), part("lengths_array", 0, 0)
    return [cause, age, episode_return, causes, lengths, length("lengths_array") - 1, "finished_return"]


def _by_lane() -> Iterator[Operand]:
    """What `count_by_lane` takes."""
    yield from ("used", cause, age, episode_return)
    yield from (part(f"{name}_array", 0, "start") for name in abi.LANE_COUNTS)
    yield from ("kept_episodes", length("lane_uses_array", 1))


def _add_meters(bindings: Bindings) -> Function:
    scales = abi.meter_scales(bindings.universe)
    summed = [chunk for chunk in chunks(bindings.state) if chunk.field.name == "meters"]

    def body() -> Iterator[Code]:
        for chunk in summed:
            if chunk.rows > 1:
                assert bindings.meter_scales is not None, "meters that share an array have a table of scales"
                scale: Expression = Name(table_name(bindings.meter_scales.name))[row]
                yield loop(row, chunk.rows, body=[do("add_meter", "sums", row, chunk.of_lane(row), scale)])
            else:
                scale = call("f32", scales[chunk.row])
                yield do("add_meter", "sums", chunk.row, chunk.of_lane(), scale)

    summary = "Add the meters of a lane, whose episode ends in this tick, as whole numbers."
    return function("_add_meters", ["sums", "lane"], summary, body())


def _count(bindings: Bindings) -> Function:
    def body() -> Iterator[Code]:
        uses = part("uses_array", 0, 0)
        yield assign(noted, call("count_uses", "used", "notes", noted, uses, length("uses_array")))
        yield when("by_lane", [do("count_by_lane", *_by_lane())])
        if not bindings.universe.by_hand:
            yield Remark(
                "In worlds of one agent whoever ends also begins anew, unless worlds wait: `_finish` counts those."
            )
            yield when(Name("agents").equals(1).both(Name("waits").equals(0)), [give(noted)])
        yield flagged(call("less", -1, cause[call("wide", first)]))
        yield assign(chosen, call("choose_lanes", flags, lanes))
        yield do("count_episodes", lanes, chosen, *ended())
        meters = do("_add_meters", part(ENDED_METERS, 0, 0), lanes[index])
        yield when(is_passed(ENDED_METERS), [loop(index, chosen, body=[meters])])
        yield give(noted)

    summary = "Add a tick to the statistics; how many uses are noted now."
    return function("_count", (), summary, body())
