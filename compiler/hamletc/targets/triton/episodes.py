"""How episodes begin and end in kernels for GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from hamlet import schema
from hamletc.ir.function import BEGIN_PAIRS, CROWD
from hamletc.ir.ops import Type
from hamletc.kernel import statements
from hamletc.kernel.body import draws
from hamletc.kernel.code import Code, Function, Remark, assign, do, function, give, loop, when
from hamletc.kernel.expressions import Constant, Expression, Name, call, names, several
from hamletc.kernel.schedule import Schedule
from hamletc.kernel.statements import literal_type
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.blocks import cast, somewhere, where
from hamletc.targets.triton.cells import begin_worlds
from hamletc.targets.triton.crowds import crowd_at_start
from hamletc.targets.triton.memory import (
    addresses,
    agent,
    count_agents,
    fetch,
    lane,
    lanes,
    loaded,
    row,
    there,
    unpack,
    unpacked,
    unpacked_columns,
    valid,
    worlds_at,
)
from hamletc.targets.triton.pair_states import begin_pairs

starts, episode, ending, state, turn, stale, waits = names("starts episode ending state turn stale waits")
rows, pitch, wanted = names("rows pitch wanted")


def episodes(bindings: Bindings, plan: Schedule) -> list[Function]:
    """The functions that begin episodes, and conclude those that end."""
    begin = _begin(bindings, plan)
    if bindings.universe.by_hand:
        return [begin]
    return [begin, _final_state(bindings), _conclude(bindings)]


def _begin(bindings: Bindings, plan: Schedule) -> Function:
    drawing = any(draws(bindings.bodies[name]) for name in ("reset", BEGIN_PAIRS) if name in bindings.bodies)

    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "arrays", "place")
        if bindings.counts(*(name for name in ("reset", CROWD, BEGIN_PAIRS) if name in bindings.bodies)) or drawing:
            yield count_agents()
        if drawing:
            yield assign("stream", Name("number") * cast("agents", "uint32") + cast(agent, "uint32"))
        yield from unpacked(bindings, "state")
        yield unpack(names("seed_low seed_high"), "key")
        yield assign(episode, where(starts, episode + "episodes", episode))
        for statement in plan.routine("begin").body:
            match statement:
                case statements.Within(body=begun):
                    yield from _begun(bindings, begun)
                case _:
                    # What random words are drawn by is passed.
                    pass
        yield give(*bindings.variables_held)

    summary = "A new episode where `starts`, `episodes` later. `number` is the world's among all shards' worlds."
    return function("_begin", ["starts", "episodes"], summary, body())


def _begun(bindings: Bindings, body: tuple[statements.Statement, ...]) -> Iterator[Code]:
    """What is set where an episode begins. A register is set when all of them are known, in the order of memory."""
    begins: dict[str, Expression] = {}
    for statement in body:
        match statement:
            case statements.Call(function=name):
                outputs = bindings.bodies[name].outputs
                new = [Name(f"new_{bindings.variables[output.name]}") for output in outputs]
                yield assign(new, call(f"_{name}", *bindings.arguments(name)))
                begins |= {output.name: value for output, value in zip(outputs, new, strict=True)}
            case statements.Fill(registers=registers, value=value):
                begins |= dict.fromkeys(registers, _literal(value))
            case _:
                # The cells of worlds follow.
                pass
    for slot in bindings.held:
        if slot.name in begins:
            yield assign(slot.variable, where(starts, begins[slot.name], slot.variable))
    fetched = [slot for slot in bindings.slots if slot.fetched]
    if fetched:
        yield Remark(
            "All agents of a world write the same into its fields, so that each reads later what it wrote itself."
        )
        yield there("age")
        for addressed, slot in addresses([slot for slot in fetched if slot.name in begins], "_there"):
            yield addressed
            yield do("tl.store", row, slot.written(begins[slot.name]), mask=starts)
    if statements.BeginPairs() in body:
        yield from begin_pairs(bindings)
    if bindings.spread is not None:
        crowding = [CROWD] if CROWD in bindings.bodies else []
        yield from begin_worlds(bindings, bindings.spread)
        yield from unpacked_columns(bindings, *crowding)
        yield from fetch(bindings, *crowding)
        yield from crowd_at_start(bindings, starts)


def _literal(value: str) -> Constant:
    """A constant of a schedule."""
    match literal_type(value):
        case Type.BOOL:
            return Constant(value == "true")
        case Type.F32:
            return Constant(float(value))
        case _:
            return Constant(int(value))


def _final_state(bindings: Bindings) -> Function:
    dead = Name("dead")

    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "arrays", "place", "state")
        yield assign(dead, ending & ~Name("lived"))
        yield there("age")
        for addressed, slot in addresses([slot for slot in bindings.held if slot.name in bindings.ticked], "_there"):
            yield addressed
            yield assign(slot.variable, loaded(slot, row, mask=dead, other=slot.variable))
        yield give(*bindings.variables_held)

    summary = "The state at the end of an episode. A lane that was not alive before the tick has it still in memory."
    return function("_final_state", (), summary, body())


def concluded(bindings: Bindings) -> list[Name]:
    """What `_conclude` gives, of which it takes the values before."""
    return [*names("state scene stale"), *([Name("found")] if bindings.finds else [])]


def _conclude(bindings: Bindings) -> Function:
    seek = [assign("found", call("_seek"))] if bindings.finds else []
    begin = assign(state, call("_begin", ending, 1))

    def place_of_last() -> Iterator[Code]:
        yield Remark("Each lane has a line of its own in memory: few end at a time.")
        lines = cast("lane_there", "int64") * schema.observation_rows(bindings.universe)
        yield assign(rows, Name("final_observation_ptr") + lines)
        yield assign(pitch, call("tl.full", several(()), 1, "tl.int64"))
        yield assign(wanted, ending)
        shown = (Remark("Nobody looks: observations have shown it."), assign(wanted, ending & ~ending))
        yield when(waits > 0, shown)
        final = call("_final_state")
        yield when(Name("GROUP").equals(1), (assign(state, final), *seek))

    def turns() -> Iterator[Code]:
        yield when(stale > 0, (assign("scene", call("_look")),))
        yield assign(stale, 0)
        yield Remark("As in `_there`.")
        yield assign("lane_there", lane + (turn >> 31))
        yield assign(rows, Name("observation_ptr") + "lane_there")
        yield assign(pitch, lanes)
        yield assign(wanted, valid)
        yield when(turn.equals(0), place_of_last())
        yield from unpacked(bindings, "state")
        yield unpack(bindings.scene, "scene")
        yield from unpacked_columns(bindings, "observe")
        yield from fetch(bindings, "observe")
        yield do("_observe", rows, pitch, wanted, *bindings.arguments("observe"))
        yield when(turn.equals(0), (begin, assign(stale, 1), *seek))

    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "arrays", "place")
        yield from worlds_at(bindings)
        yield assign(ending, ending & valid)
        yield assign("some", somewhere(ending))
        unseen = when(Name("some") > 0, (begin, *seek))
        seen = loop(turn, 1 - Name("some"), 2, body=turns())
        yield when(Name("observation_ptr").absent(), (unseen,), (seen,))
        yield give(*concluded(bindings))

    summary = (
        "Begin the next episode where one ends, and write observations: the last of those that end, and of the next "
        "state.\n\nTwo turns of a loop, so that the code is there once; only where an episode of the block ends is "
        "there a turn 0."
    )
    return function("_conclude", (), summary, body())
