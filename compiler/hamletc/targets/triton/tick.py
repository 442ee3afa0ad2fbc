"""The advance of a tick in kernels for GPUs: what lanes do, alone and together, and the hour after it."""

from __future__ import annotations

from collections.abc import Iterator

from hamlet import schema
from hamletc.ir.function import BEAR, CARRIED_OUT
from hamletc.kernel import statements
from hamletc.kernel.build import before_births
from hamletc.kernel.code import Code, Function, Remark, assign, do, function, give, when
from hamletc.kernel.expressions import Name, call, names, several
from hamletc.kernel.schedule import Schedule
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.blocks import (
    BLOCK,
    GROUP,
    SIZES,
    WORLDS,
    cast,
    columns_of,
    reshape,
    somewhere,
    where,
    widened,
    zeros,
)
from hamletc.targets.triton.cells import spread_worlds
from hamletc.targets.triton.crowds import crowd_after_tick
from hamletc.targets.triton.meeting import meet, widen
from hamletc.targets.triton.memory import (
    addresses,
    count_agents,
    fetch,
    row,
    there,
    unpack,
    unpacked,
    unpacked_columns,
    valid,
    worlds_at,
)
from hamletc.targets.triton.places import TAKEN, words_of
from hamletc.targets.triton.together import AFTER

alive, action, found, reward, terminated, truncated = names("alive action found reward terminated truncated")
staying, ending, interacting, used, cause = names("staying ending interacting used cause")


def tick(bindings: Bindings, plan: Schedule) -> list[Function]:
    """The function that advances lanes by a tick, and the one that asks all agents of a world."""
    return [_some(bindings), _advance(bindings, plan)]


def of_tick(bindings: Bindings) -> list[str]:
    """The functions of the tick IR that a tick computes."""
    begins = [CARRIED_OUT] if CARRIED_OUT in bindings.bodies else []
    return [*begins, "tick", *bindings.meets.functions, *(TAKEN if bindings.finds else ())]


def drawn_by(bindings: Bindings) -> list[str]:
    """What random words of a tick are drawn by."""
    return bindings.drawn_by(*of_tick(bindings))


def advanced(bindings: Bindings) -> list[Name]:
    """What `_advance` gives."""
    ends = [] if bindings.universe.by_hand else [ending]
    return [*names("state outcome"), *ends, *([found] if bindings.finds else [])]


def _some(bindings: Bindings) -> Function:
    condition = cast("condition", "int32")

    def body() -> Iterator[Code]:
        if bindings.meets.functions:
            yield give(widened(call("_most", condition, GROUP, BLOCK)))
            return
        yield assign("worlds", call("tl.max", reshape(condition, *WORLDS), axis=1))
        yield give(reshape(columns_of("worlds", *WORLDS), BLOCK))

    summary = "Whether it holds for an agent of the world: 1 or 0 for each lane."
    return function("_some", ["condition", *SIZES], summary, body())


def _advance(bindings: Bindings, plan: Schedule) -> Function:
    by_hand = bindings.universe.by_hand

    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "arrays", "place")
        yield from worlds_at(bindings)
        if bindings.counts(*(name for name in bindings.bodies if name not in ("reset", "mask"))):
            yield count_agents()
        yield from unpacked(bindings, "state")
        yield from unpacked_columns(bindings, *of_tick(bindings))
        if drawn_by(bindings):
            yield unpack(names("seed_low seed_high"), "key")
        yield from fetch(bindings, *of_tick(bindings))
        for statement in before_births(plan.routine("tick").body):
            yield from _step(bindings, statement)
        if not by_hand:
            yield from _end(bindings)
        if BEAR in bindings.bodies:
            yield from _bear(bindings)
        yield from crowd_after_tick(bindings)
        if "clock" in bindings.bodies:
            yield assign("next_hour", call("_clock", *bindings.arguments("clock")))
        yield assign("state", several(_next(bindings)))
        if BEAR in bindings.bodies and bindings.finds:
            again = (Remark("Who is born may stand elsewhere."), assign(found, call("_seek")))
            yield when(somewhere(Name("next_alive") & ~alive) > 0, again)
        yield assign("outcome", several(variable for variable, _, _ in bindings.outcomes))
        yield give(*advanced(bindings))

    summary = "A tick and the hour after it: the state and the outcome."
    if not by_hand:
        summary = (
            "A tick and the hour after it: the state, the outcome, and whether the world's episode ends.\n\nWith one "
            "agent per world a lane that is not alive begins anew after the tick, so its state is not kept here."
        )
    return function("_advance", (), summary, body())


def _step(bindings: Bindings, statement: statements.Statement) -> Iterator[Code]:
    """What a statement of a tick is here. Lanes that do not run compute as others do, and are left out at the end."""
    meets, by_hand = bindings.meets, bindings.universe.by_hand
    match statement:
        case statements.Fill(registers=(statements.RUNNING,)) | statements.Set(register=statements.RUNNING):
            if CARRIED_OUT in bindings.bodies:
                yield assign(action, call(f"_{CARRIED_OUT}", *bindings.arguments(CARRIED_OUT)))
                yield from widen(bindings.uniform(CARRIED_OUT))
            if meets.functions:
                yield assign("running", _runs(bindings))
                yield from meet(bindings, "tick")
        case statements.Some():
            # Behind what agents have together at the beginning: neither reads the other.
            yield assign(interacting, _runs(bindings) & action.equals(schema.interact_action(bindings.universe)))
            some = call("_some", interacting, GROUP, BLOCK) > 0
            yield when(GROUP > 1, (assign(interacting, some),))
        case statements.Within(body=(*_, statements.Call(function="tick"))):
            if bindings.finds:
                yield from _move(bindings)
            yield assign(bindings.nexts("tick"), call("_tick", *bindings.arguments("tick")))
            yield from widen(bindings.uniform("tick"))
            yield from _updated(bindings)
            if meets.settles:
                yield Remark("What follows may ask for all agents of the world as they are after their rules.")
                yield from meet(bindings, "settle")
        case statements.Call(function="world"):
            yield Remark("All agents of a world compute the same.")
            yield assign(bindings.nexts("world"), call("_world", *bindings.arguments("world")))
            yield from widen(bindings.uniform("world"))
        case statements.CallCells() if bindings.spread is not None:
            yield from spread_worlds(bindings, bindings.spread)
        case statements.Within(body=(*_, statements.Call(function="settle"))):
            yield assign(bindings.nexts("settle"), call("_settle", *bindings.arguments("settle", "tick", "world")))
            yield from widen(bindings.uniform("settle"))
        case statements.Within(body=(statements.Gain(),)):
            if not by_hand:
                yield from _left_out(bindings)
            yield assign("next_alive", alive & ~(terminated | truncated))
            yield assign("next_episode_return", Name("episode_return") + reward)
        case _:
            # Part of what an earlier or a later statement is here.
            pass


def _runs(bindings: Bindings) -> Name:
    """Which lanes run the tick."""
    return valid if bindings.universe.by_hand else alive


def _move(bindings: Bindings) -> Iterator[Code]:
    """Where lanes stand after the move, and what is there."""
    moved = [output.name.replace(".", "_") for output in bindings.bodies["move"].outputs]
    yield assign(moved, call("_move", *bindings.arguments("move")))
    if not bindings.universe.by_hand:
        stays: list[Code] = [Remark("Who is not alive stays, and observes what is there.")]
        for axis in schema.axes(bindings.universe):
            variable = f"moved_{axis}"
            stays.append(assign(variable, where(alive, variable, bindings.variables[f"position.{axis}"])))
        yield when(GROUP > 1, stays)
    after = (each.input.replace("position.", "moved_") for each in bindings.bodies["stand"].parameters)
    yield assign("cell", call("_stand", *after))
    search = assign(found, call("_search", *bindings.arguments("search")))
    if words_of(bindings):
        yield when(Name("cells").absent(), (search,), (assign(found, call("_find", "cell", "cells")),))
    else:
        yield search


def _updated(bindings: Bindings) -> Iterator[Code]:
    """Write what a tick changes of that which stays in memory."""
    slots = [slot for slot in bindings.slots if slot.fetched and slot.name in bindings.ticked]
    if not slots:
        return
    # Of what nobody can change or read the tick does not have the value before.
    read = bindings.fetched_for(*of_tick(bindings))
    yield Remark("Few of these change in a tick.")
    yield there(Name("age") + 1)
    for addressed, slot in addresses(slots, "_there"):
        after = Name(f"next_{slot.variable}")
        runs = _runs(bindings)
        changes = runs & after.differs(slot.variable) if slot in read else runs
        yield addressed
        yield do("tl.store", row, slot.written(after), mask=changes)


def _left_out(bindings: Bindings) -> Iterator[Code]:
    """What happens to lanes that do not run the tick: nothing."""
    yield assign(reward, where(alive, reward, 0.0))
    yield assign(terminated, terminated & alive)
    yield assign(truncated, truncated & alive)
    yield assign(used, where(alive, used, -1))
    yield assign(cause, where(alive, cause, -1))
    for report in bindings.reports.values():
        yield assign(report, where(alive, report, 0.0))


def _end(bindings: Bindings) -> Iterator[Code]:
    """Whether the episode of the world ends."""
    yield Remark("Where worlds wait, whoever ended in this tick shows it first.")
    waiting = zeros("int32") < "waits"
    yield assign(staying, Name("next_alive") | ((terminated | truncated) & waiting))

    def of_several() -> Iterator[Code]:
        for slot in bindings.held:
            if slot.name in bindings.ticked:
                after = f"next_{slot.variable}"
                yield assign(after, where(alive, after, slot.variable))
        yield assign(ending, call("_some", staying, GROUP, BLOCK).equals(0))

    yield when(GROUP.equals(1), (assign(ending, ~staying),), of_several())


def _bear(bindings: Bindings) -> Iterator[Code]:
    """Births in worlds in which somebody is alive still."""
    yield Remark("Who has died in this tick has no children, and is not born anew.")
    yield assign("running", Name("next_alive"))
    yield from meet(bindings, "births")
    now = {"alive": "next_alive", "episode_return": "next_episode_return"}
    yield assign(bindings.nexts(BEAR), call(f"_{BEAR}", *bindings.arguments(BEAR, *AFTER["births"], given=now)))
    yield from widen(bindings.uniform(BEAR))
    yield Remark("Nobody is born as a lane that is no agent.")
    yield assign("next_alive", Name("next_alive") & valid)
    slots = [slot for slot in bindings.slots if slot.fetched and slot.name in bindings.ticked]
    if slots:
        yield there(Name("age") + 1)
        for addressed, slot in addresses(slots, "_there"):
            yield addressed
            written = slot.written(Name(f"next_{slot.variable}"))
            yield do("tl.store", row, written, mask=Name("next_alive") & ~alive)


def _next(bindings: Bindings) -> Iterator[Name]:
    """The variables of the state after the tick."""
    for slot in bindings.held:
        yield Name(f"next_{slot.variable}" if slot.name in bindings.advancing else slot.variable)
