"""A rollout of a network: chunk by chunk, and in each tick by tick, the network and then a kernel that runs the tick.

What the kernel observes of a chunk goes into arrays of the thread, which the network reads while they are in the
cache. The kernel is called by a table of its arguments (`hamlet.launch.cpu.ops.entries`), of which calls
change some.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from hamlet.launch.cpu.entry import LAST, NEXT
from hamlet.launch.cpu.ops.chunks import data, part, store_lanes
from hamlet.launch.cpu.ops.functions import helper, own_kernel
from hamlet.launch.cpu.ops.machinery import intrinsic, types
from hamlet.launch.cpu.ops.networks import TILE, choose, evaluate_lane, evaluate_lanes
from hamlet.launch.cpu.ops.shares import next_worlds
from hamlet.launch.cpu.ops.vectors import WIDE
from hamlet.launch.cpu.player import FEW, Player


@intrinsic
def _call(_context: Any, _address: Any, memory: Any) -> Any:
    """Call what takes a table; it looks at no actions, so nothing is wrong."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = data(context, builder, signature.args[1], arguments[1])
        kind = ir.FunctionType(ir.IntType(64), [pointer.type])
        builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), [pointer])
        return context.get_dummy_value()

    return types.void(types.intp, memory), codegen


@intrinsic
def _address(_context: Any, array: Any) -> Any:
    """Where an array lies."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(data(context, builder, signature.args[0], arguments[0]), ir.IntType(64))

    return types.intp(array), codegen


@helper
def _aim(frame: Any, own: Any, start: Any) -> None:
    """Let the kernel write what it observes of the lanes from `start` on into the thread's own arrays."""
    frame.memory[frame.observation] = _address(own.observation) - 4 * start
    frame.memory[frame.final] = _address(own.final) - 4 * own.final.shape[1] * start
    frame.memory[frame.mask] = _address(own.mask) - start
    frame.memory[frame.actions] = _address(own.action) - 4 * start


@helper
def _run(frame: Any, world: Any, end: Any, now: Any, index: Any, ticks: Any) -> None:
    """Run the kernel for these worlds: a tick, number `index` of the rollout, or none, which observes."""
    frame.shares[0, NEXT], frame.shares[0, LAST] = world, end
    frame.memory[frame.worlds] = end
    frame.memory[frame.tick] = now
    frame.memory[frame.ticks] = ticks
    for number in range(frame.given.shape[0]):
        frame.memory[frame.given[number, 0]] = frame.given[number, 1] + index * frame.given[number, 2]
    _call(frame.address, frame.memory)


@helper
def _evaluate(network: Any, x: Any, heads: Any, room: Any, start: Any, count: Any) -> None:
    """The heads of the lanes of a chunk, of which the first is lane `start`, member after member."""
    pitch, memory = x.shape[1], part(room, 0, 0)
    weights, sizes = part(network.weights, 0, 0), network.sizes
    lane = 0
    while lane < count:
        member = (start + lane) // network.lanes
        end = min((member + 1) * network.lanes - start, count)
        first = member * network.size
        if network.lanes < FEW:
            for each in range(lane, end):
                evaluate_lane(
                    part(x, 0, each),
                    pitch,
                    part(heads, 0, each),
                    pitch,
                    weights,
                    first,
                    sizes,
                    network.activation,
                    memory,
                )
        else:
            # The last vector may pass the end: the next member writes there after it.
            for each in range(lane, end, WIDE):
                evaluate_lanes(
                    part(x, 0, each),
                    pitch,
                    part(heads, 0, each),
                    pitch,
                    weights,
                    first,
                    sizes,
                    network.activation,
                    memory,
                )
        lane = end


@helper
def _choose(network: Any, own: Any, worlds: Any, start: Any, count: Any, now: Any) -> None:
    """The actions of the lanes of a chunk."""
    pitch, lane = own.mask.shape[1], worlds.first_world * worlds.agents + start
    for first in range(0, count, WIDE):
        choose(
            part(own.heads, 0, first),
            pitch,
            part(own.mask, 0, first),
            pitch,
            own.mask.shape[0],
            network.sample,
            lane + first,
            now,
            worlds.low,
            worlds.high,
            part(own.action, 0, first),
            part(own.log_prob, 0, first),
            part(own.room, 0, 0),
        )


@helper
def _copy_rows(source: Any, target: Any, first: Any, rows: Any, start: Any, count: Any) -> None:
    """Copy rows of a chunk to those of an array of all lanes from `first` on."""
    for row in range(rows):
        store_lanes(part(source, row, 0), part(target, first + row, start), count)


@helper
def _store_seen(store: Any, own: Any, worlds: Any, value: Any, index: Any, start: Any, count: Any) -> None:
    """What the network saw and chose."""
    rows, actions = own.observation.shape[0], own.mask.shape[0]
    if store.observations.shape[0] > 0:
        _copy_rows(own.observation, store.observations, index * rows, rows, start, count)
    if store.masks.shape[0] > 0:
        _copy_rows(own.mask, store.masks, index * actions, actions, start, count)
    if store.alive.shape[0] > 0:
        store_lanes(part(worlds.alive, 0, start), part(store.alive, index, start), count)
    if store.actions.shape[0] > 0:
        store_lanes(part(own.action, 0, 0), part(store.actions, index, start), count)
    if store.log_probs.shape[0] > 0:
        store_lanes(part(own.log_prob, 0, 0), part(store.log_probs, index, start), count)
    if store.values.shape[0] > 0:
        store_lanes(part(own.heads, value, 0), part(store.values, index, start), count)


@helper
def _store_outcome(store: Any, worlds: Any, index: Any, start: Any, count: Any) -> None:
    """What came of it."""
    if store.rewards.shape[0] > 0:
        store_lanes(part(worlds.reward, 0, start), part(store.rewards, index, start), count)
    if store.terminated.shape[0] > 0:
        store_lanes(part(worlds.terminated, 0, start), part(store.terminated, index, start), count)
    if store.truncated.shape[0] > 0:
        store_lanes(part(worlds.truncated, 0, start), part(store.truncated, index, start), count)


@helper
def _store_final(
    network: Any, store: Any, own: Any, worlds: Any, value: Any, index: Any, start: Any, count: Any
) -> None:
    """The value of the last observation of episodes that were cut off: of worlds that began anew the final one, whose
    agents are alive again."""
    truncated, alive = part(worlds.truncated, 0, start), part(worlds.alive, 0, start)
    kept = part(store.final_values, index, start)
    some = False
    for lane in range(count):
        kept[lane] = own.heads[value, lane] if truncated[lane] else 0.0
        if truncated[lane] and alive[lane] and not worlds.shows_ends:
            some = True
            for row in range(own.cut.shape[0]):
                own.cut[row, lane] = own.final[lane, row]
    if some:
        _evaluate(network, own.cut, own.cut_heads, own.room, start, count)
        for lane in range(count):
            if truncated[lane] and alive[lane]:
                kept[lane] = own.cut_heads[value, lane]


@helper
def _play_chunk(frame: Any, network: Any, own: Any, worlds: Any, store: Any, world: Any, end: Any, ticks: Any) -> None:
    """The ticks of the worlds of a chunk."""
    start, count = world * worlds.agents, (end - world) * worlds.agents
    value = network.sizes[network.sizes.shape[0] - 1] - 1
    values = count * own.final.shape[1] if worlds.final.shape[0] > 0 else 0
    store_lanes(part(worlds.final, start, 0), part(own.final, 0, 0), values)
    _aim(frame, own, start)
    _run(frame, world, end, worlds.tick, 0, 0)
    if frame.known >= 0:
        frame.memory[frame.known] = 1
    _evaluate(network, own.observation, own.heads, own.room, start, count)
    for index in range(ticks):
        _choose(network, own, worlds, start, count, worlds.tick + index)
        _store_seen(store, own, worlds, value, index, start, count)
        _run(frame, world, end, worlds.tick + index, index, 1)
        _store_outcome(store, worlds, index, start, count)
        _evaluate(network, own.observation, own.heads, own.room, start, count)
        if store.final_values.shape[0] > 0:
            _store_final(network, store, own, worlds, value, index, start, count)
    if store.values.shape[0] > 0:
        store_lanes(part(own.heads, value, 0), part(store.values, ticks, start), count)
    _copy_rows(own.observation, worlds.observation, 0, own.observation.shape[0], start, count)
    store_lanes(part(own.final, 0, 0), part(worlds.final, start, 0), values)
    _copy_rows(own.mask, worlds.mask, 0, own.mask.shape[0], start, count)


@own_kernel
def play(
    frame: Any, network: Any, own: Any, worlds: Any, store: Any, shares: Any, thread: Any, per_chunk: Any, ticks: Any
) -> None:
    """So many ticks of the worlds that a thread takes, `per_chunk` at a time."""
    known = frame.memory[frame.known] if frame.known >= 0 else 0
    world = next_worlds(shares, thread, per_chunk)
    while world >= 0:
        if frame.known >= 0:
            frame.memory[frame.known] = known
        _play_chunk(frame, network, own, worlds, store, world, min(world + per_chunk, worlds.worlds), ticks)
        world = next_worlds(shares, thread, per_chunk)


PLAYER = Player(TILE, WIDE, play)
