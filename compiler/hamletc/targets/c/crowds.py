"""What the agents on each cell come to, in meters of cells: after a tick, and where episodes begin."""

from __future__ import annotations

from collections.abc import Iterator

from hamletc.ir.function import CROWD
from hamletc.ir.ops import Type
from hamletc.kernel.code import Code, Function, Remark, assign, do, function, loop, when
from hamletc.kernel.expressions import Name, Typed, call, names
from hamletc.lowering.crowd import nobody
from hamletc.targets.c.bindings import Bindings
from hamletc.targets.c.cells import MEMORY
from hamletc.targets.c.cuts import Cuts, computed
from hamletc.targets.c.grid import CellStep
from hamletc.targets.c.lanes import agents, vectors, world
from hamletc.targets.c.meeting import TICKING
from hamletc.targets.c.memory import agent, part
from hamletc.targets.c.rows import follow_from_one

index, cell, joined, begin, chunk_lanes, count = names("index cell joined begin chunk_lanes count")
every, flags, final = names("every flags final")


def crowds(bindings: Bindings, cuts: Cuts | None, step: CellStep | None) -> list[Function]:
    """The function that counts agents on cells; none where nothing shows them."""
    if step is None or not bindings.program.has(CROWD):
        return []
    meters = [meter.name for meter in bindings.universe.cells.meters] if bindings.universe.cells is not None else []
    helpers = {None: "total_on_cells", "lowest": "least_on_cells", "highest": "greatest_on_cells"}
    totals = [
        (meters.index(each.meter), f"crowd_{n}", helpers[each.extreme], nobody(bindings.universe, each))
        for n, each in enumerate(bindings.universe.counts)
    ]
    written = [slot.of_lane for slot in bindings.written(CROWD)]

    def of_meter(number: int, term: str, helper: str, begins: float) -> Iterator[Code]:
        nothing = Typed(Type.F32, begins)
        yield assign(joined, part(MEMORY, world + index, number * step.count))
        yield when(agent.equals(0), [loop(cell, step.count, body=[assign(joined[cell], nothing)])])
        there = call("min", agents, count)
        yield do(helper, joined, Name(term), "counted_agents", "standing_cells", begin, there)

    def of_world() -> Iterator[Code]:
        yield assign(begin, index * agents)
        yield when(every.either(flags[begin]), [code for total in totals for code in of_meter(*total)])

    def body() -> Iterator[Code]:
        yield vectors([computed(bindings, cuts, CROWD, written, TICKING)])
        yield Remark("A tile adds its agents to those of the tiles before it.")
        joins = loop(index, chunk_lanes // agents, body=of_world())
        if not follow_from_one(bindings):
            yield joins
            return
        yield Remark("Of one agent nobody reads more than where that stands, until the state is stored.")
        yield when((agents > 1).either(final), [joins])

    summary = "What the agents on each cell come to, in `every` world of the chunk or in those that are flagged."
    return [function("_crowd_worlds", ["every"], summary, body(), "apart")]
