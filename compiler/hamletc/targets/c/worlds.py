"""The rules of worlds in a tick, once for a world. Of worlds of few agents what rules read is put aside, world beside
world, so that a vector has as many worlds as lanes; a vector of lanes computes them for a world of many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hamlet.frozen import dataclass
from hamletc.kernel.code import Code, Remark, assign, do, loop, when
from hamletc.kernel.expressions import Either, Expression, Name, Operand, call, expression, names
from hamletc.targets.c.arrays import Array, stack
from hamletc.targets.c.bindings import Bindings
from hamletc.targets.c.cuts import Cuts, computed
from hamletc.targets.c.lanes import LANES, OF_WORLD, WIDE, agents, first, lane
from hamletc.targets.c.slots import Chunk, Slot

few, count, there, beyond = names("few count there beyond")
size, following, others = names("size following others")
STARTS = ("cell_starts", "pair_starts")
"""Where memory of a world begins: behind the last world vectors look into the first one."""
EACH_IS_ONE = 65537
"""The same as `turning`, where a lane is a world."""


@dataclass(frozen=True, slots=True)
class Aside:
    """Arrays of chunks that rules of worlds read or write, with a number for each world instead of one for each lane.

    Attributes:
        read, written: the values of lanes, by the names of inputs and outputs.
    """

    read: tuple[Slot, ...]
    written: tuple[Slot, ...]

    @property
    def arrays(self) -> dict[str, Array]:
        """The arrays, by their variables."""
        return {f"aside_{each.variable}": stack(each.own.dtype) for each in _chunks((*self.read, *self.written))}

    @property
    def given(self) -> dict[str, Operand]:
        """What the rules read, for the worlds of a vector."""
        return {slot.name: _of_world(slot.chunk) for slot in self.read}

    @property
    def targets(self) -> list[Expression]:
        """What they write."""
        return [_of_world(slot.chunk) for slot in self.written]

    def put(self) -> Iterator[Code]:
        """What they read, put aside where agents are few; else it stays where it is."""
        several = _chunks((*self.read, *self.written))
        yield when(few, self._put(several), [assign(f"of_{each.variable}", each.variable) for each in several])

    def _put(self, several: Iterable[Chunk]) -> Iterator[Code]:
        yield assign(there, count // agents)
        for each in several:
            yield assign(f"of_{each.variable}", f"aside_{each.variable}")
        for each in _chunks(self.read):
            yield do("store_worlds", each.variable, f"aside_{each.variable}", agents, count)
            if each.variable in STARTS:
                yield loop(beyond, WIDE, body=[assign(Name(f"aside_{each.variable}")[there + beyond], 0)])

    def taken(self) -> Code:
        """What they wrote, for all lanes of each world."""
        back = (
            do("load_worlds", each.variable, f"aside_{each.variable}", agents, 0, count)
            for each in _chunks(self.written)
        )
        return when(few, back)


def aside(bindings: Bindings, cuts: Cuts | None) -> Aside | None:
    """What rules of worlds read and write, where it can be put aside: by functions that are no parts, and each value in
    an array of its own."""
    if cuts is not None or not bindings.program.has("world"):
        return None
    inputs = [each.input for each in bindings.bodies["world"].parameters]
    read = tuple(bindings.held[name] for name in inputs if name not in OF_WORLD)
    written = tuple(bindings.written("world"))
    return Aside(read, written) if all(slot.chunk.rows == 1 for slot in (*read, *written)) else None


def turning() -> Expression:
    """What the number of a lane is multiplied by, and shifted by 16, to divide it by `agents`: numbers are below 256,
    and a larger world is alone in a chunk."""
    return Either(agents <= LANES, 65536 // agents + 1, expression(0))


def rules(bindings: Bindings, cuts: Cuts | None) -> Iterator[Code]:
    """The rules of worlds."""
    beside, written = aside(bindings, cuts), bindings.written("world")
    given: dict[str, Operand] = {**OF_WORLD}
    targets: list[Expression] = [slot.of_lane for slot in written]
    end: Expression = count
    step: Expression = call("max", agents, WIDE)
    many: Expression = call("min", agents, LANES)
    turns = turning()
    if beside is not None:
        yield assign(few, (agents > 1).both(agents < WIDE))
        yield from beside.put()
        given, targets = given | beside.given, beside.targets
        end, step = Either(few, count // agents, end), Either(few, WIDE, step)
        many, turns = Either(few, expression(1), many), Either(few, expression(EACH_IS_ONE), turns)
    if bindings.reads("world", "world"):
        yield assign("turns", turns)
    yield Remark("A vector of lanes computes it for a world of many, and the others get it from there.")
    yield assign(size, many)

    def of_world() -> Iterator[Code]:
        yield assign(lane, call("wide", first))
        yield computed(bindings, cuts, "world", targets, given)
        yield loop(following, first + WIDE, first + size, WIDE, body=of_others())

    def of_others() -> Iterator[Code]:
        yield assign(others, call("wide", call("min", following, first + size - WIDE)))
        for slot in written:
            yield assign(slot.chunk.element(others, slot.row), slot.chunk.element(first, slot.row))

    yield loop(first, 0, end, step, body=of_world())
    if beside is not None:
        yield beside.taken()


def _of_world(chunk: Chunk) -> Expression:
    return Name(f"of_{chunk.variable}")[lane]


def _chunks(slots: Iterable[Slot]) -> list[Chunk]:
    return list({slot.chunk.variable: slot.chunk for slot in slots}.values())
