"""State and outcomes in memory: where a lane is, what it loads, and what it stores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from hamlet import schema
from hamletc.kernel.code import (
    Assign,
    Code,
    Expression,
    Function,
    Name,
    Operand,
    assign,
    call,
    constants,
    do,
    expression,
    function,
    give,
    names,
    update,
)
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.slots import Slot

PLACE = names("worlds lanes world agent lane valid")
"""What `_place` gives."""
worlds, lanes, world, agent, lane, valid = PLACE
row = Name("row")


def memory(bindings: Bindings) -> list[Function]:
    """The functions that find a lane's place, load its state and store it, and store what happened to it."""
    return [_place(), _anew(), _there(), _load(bindings), _store(bindings), _store_outcome(bindings)]


def unpack(variables: Iterable[Operand], value: Operand) -> Assign:
    """The assignment of the items of a tuple."""
    return assign(tuple(map(expression, variables)), value)


def unpacked(bindings: Bindings, *tuples: str) -> Iterator[Code]:
    """What functions begin with that take `arrays`, `place` or `state`: the items of those."""
    items: dict[str, Iterable[Operand]] = {"arrays": bindings.arrays, "place": PLACE, "state": bindings.variables_held}
    return (unpack(items[each], each) for each in tuples)


def address(array: Operand, number: int, width: Operand = lanes, index: Operand = lane) -> Expression:
    """The address of an element of a row of a field-major array."""
    begin = expression(array) + expression(number) * width if number else expression(array)
    return begin + index


def address_of(slot: Slot, of: str = "") -> Expression:
    """The address of a slot; its lane or world has the variable of that name before `of`."""
    return address(f"{slot.field}_ptr", slot.row, f"{slot.per}s", f"{slot.per}{of}")


def addresses(slots: Sequence[Slot], of: str = "") -> Iterator[tuple[Code, Slot]]:
    """The assignment of the address of each slot, by that of the slot before it in its array, else by the number of
    its lane or world: products of all rows would take registers."""
    for before, slot in pairwise((None, *slots)):
        assert slot is not None, "there is one slot less than pairs"
        if before is not None and (before.field, before.row) == (slot.field, slot.row - 1):
            yield update(row, "+", f"{slot.per}s"), slot
        else:
            yield assign(row, address_of(slot, of)), slot


def loaded(slot: Slot, address: Operand, mask: Operand = valid, other: Operand = None) -> Expression:
    """What is loaded of a slot; `other` where the mask does not hold, if not what lanes beyond the last one hold."""
    return slot.read(call("tl.load", address, mask=mask, other=slot.nothing if other is None else other))


def _place() -> Function:
    index = Name("index")

    def body() -> Iterator[Code]:
        yield assign(index, call("tl.program_id", 0) * Name("BLOCK") + call("tl.arange", 0, "BLOCK"))
        yield assign(world, _cast(_cast(index, "tl.uint32") // Name("GROUP"), "tl.int32"))
        yield assign(agent, index & (Name("GROUP") - 1))
        yield assign(valid, (world < worlds) & (agent < Name("agents")))
        wide = _cast(worlds, "tl.int64")
        yield give(wide, wide * Name("agents"), world, agent, world * Name("agents") + agent, valid)

    summary = (
        "The numbers of worlds and lanes; each thread's world, agent in it, and lane; whether there is such a lane."
    )
    return function("_place", ["worlds", "agents", *constants("GROUP BLOCK")], summary, body())


def _cast(value: Expression, dtype: str) -> Expression:
    return value.method("to", dtype)


def _anew() -> Function:
    nothing = Name("nothing")
    body = (
        unpack(PLACE, "place"),
        give(worlds + nothing, lanes + nothing, world + nothing, agent, lane + nothing, valid),
    )
    summary = (
        "The same place, by `nothing` that no compiler knows to be 0: addresses are computed anew with it, and those of"
        " loads need no registers until values are stored."
    )
    return function("_anew", ["place", "nothing"], summary, body)


def _there() -> Function:
    nothing = Name("nothing")
    summary = (
        "The lane and the world, for addresses that are computed where they are needed, and not kept in registers: "
        "nobody's age is below 0, but no compiler knows that."
    )
    body = (assign(nothing, Name("age") >> 31), give(lane + nothing, world + nothing))
    return function("_there", ["lane", "world", "age"], summary, body)


def _load(bindings: Bindings) -> Function:
    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "arrays", "place")
        for slot in bindings.held:
            yield assign(slot.variable, loaded(slot, address_of(slot)))
        yield give(*bindings.variables_held)

    return function("_load", ["arrays", "place"], "The state of each lane and its world.", body())


def _store(bindings: Bindings) -> Function:
    first, begun = names("first begun")

    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "arrays", "place", "state")
        yield assign(first, valid & agent.equals(0))
        for addressed, slot in addresses([slot for slot in bindings.held if not slot.given]):
            mask = valid if slot.per == "lane" else first
            yield addressed
            wanted = mask & begun if slot.variable in bindings.episodic else mask
            yield do("tl.store", row, slot.written(slot.variable), mask=wanted)

    summary = (
        "Write the state, the world's by its first agent. Params do not change, others only where an episode has begun."
    )
    return function("_store", ["arrays", "place", "state", "begun"], summary, body())


def _store_outcome(bindings: Bindings) -> Function:
    fields = schema.outcome_fields(bindings.universe)

    def body() -> Iterator[Code]:
        yield unpack([f"{field.name}_ptr" for field in fields], "arrays")
        yield unpack(PLACE, "place")
        yield unpack([variable for variable, _, _ in bindings.outcomes], "outcome")
        for variable, field, number in bindings.outcomes:
            yield do("tl.store", address(f"{field}_ptr", number), variable, mask=valid)

    return function("_store_outcome", ["arrays", "place", "outcome"], "Write what happened.", body())
