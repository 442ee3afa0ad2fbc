"""The cells of a grid in kernels for GPUs: the lanes of a world take its cells in turns, in memory.

What neighbours sum is written behind the meters of the world, where there is room for it; between what lanes write and
what others read of it, and before meters change, they wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from hamletc.ir.function import BEGIN_CELLS, OVER
from hamletc.kernel.body import identifier
from hamletc.kernel.code import Code, Do, For, Function, Remark, assign, do, function, give, loop
from hamletc.kernel.expressions import Constant, Expression, Name, Operand, Several, call, expression, names
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.blocks import BELOW_ALL, GROUP, INFINITE, cast, full, gather, numbers, where
from hamletc.targets.triton.meeting import meet
from hamletc.targets.triton.memory import agent, lanes, unpack, unpacked, valid, world, worlds
from hamletc.targets.triton.spread import Spread

base, cell, inside, turn, agents, turns = names("base cell inside turn agents turns")
there, term, running, starts, half = names("there term running starts half")


def cells(bindings: Bindings) -> list[Function]:
    """The functions that run the rules of cells, and begin their episode; none where a universe has no cells."""
    known = bindings.spread
    return [] if known is None else [_spread_worlds(bindings, known), _begin_world(bindings, known)]


def spread_worlds(bindings: Bindings, known: Spread) -> Iterator[Code]:
    """Run the rules of cells, in a tick."""
    if known.joined:
        yield from meet(bindings, "cells")
        together = bindings.meets.together("cells")
        assert together is not None, "what is joined has terms"
        outputs = (output.name for output in bindings.bodies[together.function].outputs)
        variables = dict(zip(outputs, together.terms, strict=True))
        for of_lane in map(Name, known.standing):
            yield assign(of_lane, where(running, of_lane, -1))
        for number, (_, op, name, _) in enumerate(known.joined):
            added = variables[name]
            yield assign(f"term_{number}", cast(running & added, "float32") if op == "count" else added)
    given = bindings.variables_after("tick", "world")
    run = call("_spread_worlds", *(given.get(name, name) for name in known.given))
    yield assign((bindings.next_of(meter) for _, meter in known.sums), run) if known.sums else Do(run)


def begin_worlds(bindings: Bindings, known: Spread) -> Iterator[Code]:
    """Begin the episode of cells where `starts`, and set what all cells come to in the registers of lanes."""
    yield assign("state", Several(tuple(map(expression, bindings.variables_held))))
    begin = call("_begin_world")
    if not known.sums:
        yield Do(begin)
        return
    yield assign(_over(known), begin)
    for new, (_, meter) in zip(_over(known), known.sums, strict=True):
        yield assign(bindings.variables[meter], where(starts, new, bindings.variables[meter]))


def _over(known: Spread) -> list[Name]:
    """What all cells come to."""
    return [Name(f"over_{number}") for number in range(len(known.sums))]


def _row(number: int, known: Spread) -> Expression:
    """The address of the cell in a row of the world."""
    return base + (Constant(number * known.count) + cell)


def in_turns(count: Operand, which: Operand, known: Spread, body: Iterable[Code]) -> For:
    """A loop in which the lanes of a world take its cells: `which` lanes do, in so many turns."""
    taken = (
        assign(cell, turn * agents + agent),
        assign(inside, expression(which) & (cell < known.count)),
        assign(cell, where(inside, cell, 0)),
    )
    return loop(turn, count, body=(*taken, *body))


def turns_of(known: Spread) -> Expression:
    """In how many turns the lanes of a world have taken all its cells."""
    return (Constant(known.count - 1) + agents) // agents


def _load(variable: str, address: Expression, mask: Expression = inside, other: float = 0.0) -> Code:
    return assign(variable, call("tl.load", address, mask=mask, other=other))


def _stored(variables: Iterable[Operand], first: int, known: Spread) -> Iterator[Code]:
    """Write numbers of the cell, from a row on."""
    for number, variable in enumerate(variables, first):
        yield do("tl.store", _row(number, known), variable, mask=inside)


def barrier() -> Code:
    return do("tl.debug_barrier")


def _spread_worlds(bindings: Bindings, known: Spread) -> Function:
    def meters() -> Iterator[Code]:
        """Load the meters of the cell."""
        return (_load(f"old_{number}", _row(number, known), other=beyond) for number, beyond in enumerate(known.beyond))

    def near() -> Iterator[Code]:
        """Write what neighbours sum of the cell, and copy what others read of it."""
        yield from meters()
        yield from _stored((f"old_{number}" for _, number in known.past), known.first_past, known)
        if not known.near:
            return
        results = [f"near_{number}" for number in range(len(known.near))]
        yield assign(results, call("_near", *known.inside("near", bindings.bodies), *bindings.read_by("near")))
        yield from _stored(results, len(known.meters), known)

    def rules() -> Iterator[Code]:
        """Write the new meters of the cell."""
        yield from meters()
        if known.near:
            yield from _summed(known)
        if known.joined:
            yield from _joined(known)
        results = [f"new_{number}" for number in range(len(known.meters))]
        yield assign(results, call("_spread", *known.inside("spread", bindings.bodies), *bindings.read_by("spread")))
        yield from _stored(results, 0, known)
        yield from _asked(bindings, known, known.given)

    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "arrays", "place")
        yield assign(agents, cast(lanes // worlds, "int32"))
        yield assign(turns, turns_of(known))
        yield base_of(known)
        if known.past:
            yield assign("cells_at", where(valid, cast(world, "int64") * known.pitch, 0))
        if known.near or known.past:
            yield in_turns(turns, valid, known, near())
        yield Remark("All have read what agents see of cells, and written what their neighbours sum.")
        yield barrier()
        yield in_turns(turns, valid, known, rules())
        yield Remark("What follows reads cells that other lanes took.")
        yield barrier()
        yield from _halves(known)

    summary = "The rules of cells: the lanes of a world take its cells in turns."
    return function("_spread_worlds", known.given.values(), summary, body())


def _begin_world(bindings: Bindings, known: Spread) -> Function:
    def cells_begin() -> Iterator[Code]:
        results = [f"new_{number}" for number in range(len(known.meters))]
        yield assign(results, call(f"_{BEGIN_CELLS}", *bindings.arguments(BEGIN_CELLS)))
        yield from _stored(results, 0, known)
        yield from _asked(bindings, known, bindings.variables_after())

    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "arrays", "place", "state")
        yield unpack(names("seed_low seed_high"), "key")
        yield assign(agents, cast(lanes // worlds, "int32"))
        yield base_of(known)
        yield Remark("All have read how the last episode ended.")
        yield barrier()
        yield in_turns(turns_of(known), starts, known, cells_begin())
        yield barrier()
        yield from _halves(known)

    return function("_begin_world", (), "The cells of worlds that begin an episode.", body())


def base_of(known: Spread) -> Code:
    """Set the address of the world's first number."""
    return assign(base, Name("cell_meters_ptr") + cast(world, "int64") * known.pitch)


# --- what a cell has of its neighbours, and of agents on it -----------------------------------------------------------


def _summed(known: Spread) -> Iterator[Code]:
    """What the neighbours of the cell come to, one after the other."""
    for axis, (stride, size) in enumerate(known.axes):
        along = cell if stride == 1 else cell // stride
        yield assign(f"place_{axis}", along if axis == len(known.axes) - 1 else along % size)
    for number in range(len(known.near)):
        total = Name(f"beside_{number}")
        begin = (len(known.meters) + number) * known.count
        for position, side in enumerate(known.sides):
            address, exists = _beside(begin, [(axis, by) for axis, by in enumerate(side) if by], known)
            load = call("tl.load", address, mask=exists, other=0.0)
            yield assign(total, total + load if position else load)


def _beside(begin: int, across: Sequence[tuple[int, int]], known: Spread) -> tuple[Expression, Expression]:
    """The address of what the neighbour adds that is so many cells further on these axes, and whether there is one;
    `begin`: of the row."""
    step = sum(by * known.axes[axis][0] for axis, by in across)
    edges = [Name(f"place_{axis}").equals(known.axes[axis][1] - 1 if by > 0 else 0) for axis, by in across]
    own = base + begin + cell
    address: Expression = own - -step if step < 0 else own + step
    if not known.wraps:
        beyond: Expression = edges[0]
        for edge in edges[1:]:
            beyond = beyond | edge
        return address, inside & ~beyond
    for edge, (axis, by) in zip(edges, across, strict=True):
        stride, size = known.axes[axis]
        address = address + where(edge, -by * stride * size, 0)
    return address, inside


def _joined(known: Spread) -> Iterator[Code]:
    """What agents on the cell have together, in their order."""
    first, number = names("first number")
    joined = [(Name(f"joined_{each}"), op) for each, (_, op, *_) in enumerate(known.joined)]
    for result, op in joined:
        yield assign(result, full({"lowest": INFINITE, "highest": BELOW_ALL}.get(op, Constant(0.0)), "float32"))
    yield assign(first, numbers() // GROUP * GROUP)

    def of_agent() -> Iterator[Code]:
        last = ""
        for (result, op), (*_, cell_of), added in zip(joined, known.joined, count(), strict=False):
            if (at := identifier(cell_of)) != last:
                yield assign(there, gather(Name(at), first + number).equals(cell))
            last = at
            yield assign(term, gather(Name(f"term_{added}"), first + number))
            match op:
                case "lowest":
                    yield assign(result, where(there & ~(result < term), term, result))
                case "highest":
                    yield assign(result, where(there & ~(term < result), term, result))
                case "last":
                    yield assign(result, where(there, term, result))
                case _:
                    yield assign(result, where(there, result + term, result))

    yield loop(number, agents, body=of_agent())
    for result, op in joined:
        if op in ("lowest", "highest"):
            yield assign(result, where(call("tl.abs", result).equals(INFINITE), 0.0, result))


# --- what is asked of all cells ---------------------------------------------------------------------------------------


def _asked(bindings: Bindings, known: Spread, given: Mapping[str, str]) -> Iterator[Code]:
    """Write what the cell adds to what is asked of all cells; `given`: variables by the names of inputs."""
    if known.sums:
        results = _over(known)
        yield assign(results, call(f"_{OVER}", *known.over(bindings.bodies, given), *bindings.read_by(OVER)))
        yield from _stored(results, len(known.meters) + len(known.near), known)


def _halves(known: Spread) -> Iterator[Code]:
    """What all cells come to; nothing where nothing is asked of them."""
    if not known.sums:
        return
    level, left, right, row = names("level left right row")
    asked = len(known.meters) + len(known.near)

    def joined(op: str) -> Expression:
        match op:
            case "total":
                return left + right
            case "lowest":
                return where(left < right, left, right)
            case _:
                return where(right < left, left, right)

    def of_half() -> Iterator[Code]:
        yield assign(cell, turn * agents + agent)
        yield assign(inside, valid & (cell < half) & (cell + half < known.count))
        for number, (op, _) in enumerate(known.sums, asked):
            yield assign(row, base + (Constant(number * known.count) + where(inside, cell, 0)))
            yield _load("left", row)
            yield _load("right", row + half)
            yield do("tl.store", row, joined(op), mask=inside)

    yield Remark("Halves of what is left are joined, until one number is left.")
    of_level = (
        assign(half, Constant(2**known.levels) >> (level + 1)),
        loop(turn, (half - 1 + agents) // agents, body=of_half()),
        barrier(),
    )
    yield loop(level, known.levels, body=of_level)
    for number, result in enumerate(_over(known), asked):
        yield _load(result.name, base + number * known.count, valid)
    yield Remark("Nobody writes there before all have read.")
    yield barrier()
    yield give(*_over(known))
