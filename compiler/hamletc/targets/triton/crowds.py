"""What the agents on each cell come to in kernels for GPUs: each agent asks all of its world, and the first one on a
cell writes what those there come to, in the row of a meter of cells."""

from __future__ import annotations

from collections.abc import Iterator

from hamletc.ir.function import BEAR, CROWD
from hamletc.kernel.code import Code, Do, Function, Remark, assign, do, function, loop
from hamletc.kernel.expressions import Constant, Expression, Name, Operand, call, names
from hamletc.lowering.crowd import nobody
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.blocks import GROUP, cast, full, gather, numbers, where, zeros
from hamletc.targets.triton.cells import barrier, base_of, in_turns, turns_of
from hamletc.targets.triton.meeting import widen
from hamletc.targets.triton.memory import agent, lanes, unpacked, valid, worlds
from hamletc.targets.triton.spread import Spread

base, cell, inside, agents, standing, counted, there = names("base cell inside agents standing counted there")
first, number, earlier, term, chosen, here = names("first number earlier term chosen here")


def crowds(bindings: Bindings) -> list[Function]:
    """The function that counts agents on cells; none where nothing shows them."""
    known = bindings.spread
    return [] if known is None or CROWD not in bindings.bodies else [_crowd_worlds(bindings, known)]


def crowd_after_tick(bindings: Bindings) -> Iterator[Code]:
    """Count the agents of all worlds on their cells after a tick. Whoever did not run it has what it had."""
    if CROWD not in bindings.bodies:
        return
    after = ("tick", "world", "settle", BEAR)
    given = {} if bindings.universe.by_hand else {"alive": "next_alive"}
    passed = bindings.arguments(CROWD, *after, given=given)
    if not bindings.universe.by_hand:
        written = {output.name for name in after for output in bindings.outputs_of(name)} & bindings.variables.keys()
        yield assign("ran", Name("alive") | "next_alive")
        for position, parameter in enumerate(bindings.bodies[CROWD].parameters):
            if parameter.input in written - {"alive"} and not parameter.input.startswith("world."):
                passed[position] = where("ran", passed[position], bindings.variables[parameter.input])
    yield from _crowd(bindings, passed, valid)


def crowd_at_start(bindings: Bindings, starts: Name) -> Iterator[Code]:
    """Count the agents of worlds that begin an episode on their cells."""
    if CROWD in bindings.bodies:
        yield from _crowd(bindings, bindings.arguments(CROWD), starts)


def _crowd(bindings: Bindings, passed: list[Expression], which: Name) -> Iterator[Code]:
    outputs, formatter = bindings.bodies[CROWD].outputs, bindings.formatters[CROWD]
    terms = [output.name.replace(".", "_") for output in outputs]
    yield assign(terms, call(f"_{CROWD}", *passed))
    yield from widen(name for name, output in zip(terms, outputs, strict=True) if formatter.scalar[output.value])
    yield Do(call("_crowd_worlds", which, *terms))


def _crowd_worlds(bindings: Bindings, known: Spread) -> Function:
    counts = bindings.universe.counts
    rows = [known.meters.index(each.meter) for each in counts]
    nothing = [Constant(nobody(bindings.universe, each)) for each in counts]
    terms = [Name(f"crowd_{each}") for each in range(len(rows))]
    totals = [Name(f"total_{each}") for each in range(len(rows))]

    def row(meter: int, at: Operand) -> Expression:
        return base + (Constant(meter * known.count) + at)

    def emptied() -> Iterator[Code]:
        pairs = zip(rows, nothing, strict=True)
        return (do("tl.store", row(meter, cell), begins, mask=inside) for meter, begins in pairs)

    def of_agent() -> Iterator[Code]:
        yield assign(there, gather(here, first + number).equals(here))
        for total, each, count in zip(totals, terms, counts, strict=True):
            yield assign(term, gather(each, first + number))
            match count.extreme:
                case None:
                    yield assign(total, where(there, total + term, total))
                case "lowest":
                    yield assign(total, where(there & ~(total < term), term, total))
                case "highest":
                    yield assign(total, where(there & ~(term < total), term, total))
        yield assign(earlier, earlier | (there & (number < agent)))

    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "arrays", "place")
        yield assign(agents, cast(lanes // worlds, "int32"))
        yield base_of(known)
        yield Remark("All have read what was there.")
        yield barrier()
        yield in_turns(turns_of(known), chosen, known, emptied())
        yield barrier()
        yield assign(here, where(counted & valid, standing, -1))
        yield assign(first, numbers() // GROUP * GROUP)
        yield assign(earlier, zeros("int1"))
        for total, count, begins in zip(totals, counts, nothing, strict=True):
            yield assign(total, zeros("float32") if count.extreme is None else full(begins, "float32"))
        yield loop(number, agents, body=of_agent())
        yield Remark("The first one of those on a cell writes for all of them.")
        yield assign(inside, Name("chosen") & (here >= 0) & ~earlier)
        yield assign(cell, where(inside, here, 0))
        yield from (
            do("tl.store", row(meter, cell), total, mask=inside) for meter, total in zip(rows, totals, strict=True)
        )
        yield Remark("What follows reads cells that other lanes wrote.")
        yield barrier()

    summary = "What the agents on each cell come to, in the worlds of the `chosen` lanes."
    return function(
        "_crowd_worlds", [chosen.name, standing.name, counted.name, *(t.name for t in terms)], summary, body()
    )
