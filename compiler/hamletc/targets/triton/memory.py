"""State and outcomes in memory: where a lane is, what it loads, and what it stores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from hamlet import schema
from hamletc.ir.function import PAIRS_AT
from hamletc.ir.ops import Type
from hamletc.kernel.code import Assign, Code, Function, Remark, assign, do, function, give, update
from hamletc.kernel.expressions import Expression, Name, Operand, call, expression, names
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.blocks import BLOCK, GROUP, cast, numbers, where
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


def unpacked_columns(bindings: Bindings, *functions: str) -> Iterator[Code]:
    """The columns that functions read, if they read any."""
    if "columns" in bindings.tables_of(*functions):
        yield unpack(bindings.columns_of(*functions), "columns")


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
    return slot.read(call("tl.load", address, mask=mask, other=slot.beyond if other is None else other))


def there(age: Operand) -> Code:
    """What addresses are computed of where they are needed."""
    return assign(names("lane_there world_there"), call("_there", lane, world, age))


def fetch(bindings: Bindings, *functions: str) -> Iterator[Code]:
    """What functions need that stays in memory."""
    slots = bindings.fetched_for(*functions)
    if not slots:
        return
    yield there("age")
    for addressed, slot in addresses(slots, "_there"):
        yield addressed
        yield assign(slot.variable, loaded(slot, row))
    anchors = _anchors(bindings, functions, slots)
    if not anchors:
        return
    bits = Name("bits")
    yield Remark("All of it is fetched before the first of it is needed.")
    for number, slot in enumerate(slots):
        yield assign(bits, bits | slot.word if number else slot.word)
    yield assign("nothing", bits & call("_zero", lanes))
    for anchor in anchors:
        yield assign(anchor, Name(anchor) | "nothing")


def _anchors(bindings: Bindings, functions: Sequence[str], fetching: Sequence[Slot]) -> list[str]:
    """Integers without which functions get nowhere, so that they can wait in them for what is fetched: the action, a
    coordinate, or else what is fetched itself."""
    if "tick" in functions:
        return ["action"]
    inputs = {parameter.input for name in functions for parameter in bindings.bodies[name].parameters}
    whole = [slot for slot in bindings.slots if slot.type is Type.I32 and slot.name in inputs]
    coordinates = [slot for slot in whole if slot.name.startswith("position.")]
    return [slot.variable for slot in coordinates[:1] or [each for each in whole if each in fetching]]


def worlds_at(bindings: Bindings) -> Iterator[Code]:
    """Where the cells and the pairs of a lane's world begin, if functions fetch from them."""
    if bindings.spread is not None and bindings.spread.fetched:
        yield assign("cells_at", where(valid, cast(world, "int64") * bindings.spread.pitch, 0))
    if bindings.pairs_fetched:
        (pitch,) = (each.pitch for each in schema.state_fields(bindings.universe) if each.name == schema.PAIR_STATES)
        yield assign(PAIRS_AT, where(valid, cast(world, "int64") * pitch, 0))


def count_agents() -> Code:
    """How many agents a world has."""
    per_world = cast(lanes, "int32") // cast(worlds, "int32")
    return assign("agents", per_world + call("tl.zeros_like", agent))


def _place() -> Function:
    index = Name("index")

    def body() -> Iterator[Code]:
        yield assign(index, call("tl.program_id", 0) * BLOCK + numbers())
        yield assign(world, cast(cast(index, "uint32") // GROUP, "int32"))
        yield assign(agent, index & (GROUP - 1))
        yield assign(valid, (world < worlds) & (agent < Name("agents")))
        wide = cast(worlds, "int64")
        yield give(wide, wide * Name("agents"), world, agent, world * Name("agents") + agent, valid)

    summary = (
        "The numbers of worlds and lanes; each thread's world, agent in it, and lane; whether there is such a lane."
    )
    return function("_place", (), summary, body())


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
    return function("_anew", (), summary, body)


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

    return function("_load", (), "The state of each lane and its world.", body())


def _store(bindings: Bindings) -> Function:
    first, begun = names("first begun")

    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "arrays", "place", "state")
        yield assign(first, valid & agent.equals(0))
        for addressed, slot in addresses([slot for slot in bindings.held if not slot.given]):
            mask = valid if slot.per == "lane" else first
            yield addressed
            changed = mask if slot.name in bindings.advancing else mask & begun
            yield do("tl.store", row, slot.written(slot.variable), mask=changed)

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
