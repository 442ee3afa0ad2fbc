"""The kernel: the ticks of the chunks that a thread takes.

A world that is larger than a chunk takes several tiles. Its ticks are cut into turns over all tiles, one after the
other: wherever what agents have together is known only when all have added to it. A tile is loaded for each turn, and
what the state does not hold is carried from turn to turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from hamlet.frozen import dataclass
from hamlet.schema import GIVEN_BY_TICK, abi
from hamletc.ir.function import BEAR, CROWD, STAGES, Stage, Table, reducer
from hamletc.kernel.code import Code, Do, Function, Remark, While, assign, do, function, loop, update, when
from hamletc.kernel.expressions import Either, Expression, Name, Operand, call, expression, names, no, several
from hamletc.kernel.schedule import Schedule
from hamletc.kernel.statements import Call, Some, Within
from hamletc.targets.c.arrays import Array, stack
from hamletc.targets.c.bindings import Bindings
from hamletc.targets.c.cuts import Cuts
from hamletc.targets.c.episodes import ends
from hamletc.targets.c.grid import CellStep
from hamletc.targets.c.lanes import LANES, WIDE, agents, each_lane, is_passed, lane, length, now, start, world
from hamletc.targets.c.meeting import somebody_of
from hamletc.targets.c.memory import (
    agent,
    count,
    direct,
    each_row,
    part,
    row,
    view,
)
from hamletc.targets.c.pairs import PairStep
from hamletc.targets.c.rows import alone
from hamletc.targets.c.slots import Chunk, chunks
from hamletc.targets.c.worlds import aside

TILED = Name("TILED")
passed, ticks, tick, final, living, somebody, begun = names("passed ticks tick final living somebody begun")
chunk_lanes, tiled, per_chunk, worlds, busy, counting = names("chunk_lanes tiled per_chunk worlds busy counting")
fresh, observing, stored, caching, unchanged, streamed = names("fresh observing stored caching unchanged streamed")
finished_return, action, alive, noted, notes, every_tick = names("finished_return action alive noted notes every_tick")
STAGE_OF: dict[str, Stage] = {reducer(stage): stage for stage in STAGES}
SUMMARY = (
    "So many ticks of the worlds that a thread takes; observations and masks after the last, or after `every_tick`. A"
    " step is one tick. No ticks leave the state as it is: its observations and masks are written."
)
GIVEN = (
    "Actions are recorded [ticks, lanes], or looked up by situation: choices, or thresholds for a random word. Without"
    " all three agents act at random; without `finished_return_array` nothing is counted, and without"
    " `lane_episodes_array` nothing of single lanes, and without `ended_meters_array` no meters at ends. With"
    " `begins_array`, and no ticks, its worlds begin a new episode, of the number that they hold. Where a world"
    " `waits`, the tick that ends its episode begins none, but the next one. Observations are written past the caches"
    " in the rows from `streamed` on, which then begin cache lines in every chunk."
)
CACHED = (
    " The cell cache is in `cells_array`, with the layouts that it follows from in `layouts_array`, where there is room"
    " for it; it is `known` after the first launch."
)
LOAD, STORE = do("_load"), do("_store")
STORE_WORLDS = when(agent + LANES >= chunk_lanes, [do("_store_worlds")])
"""What belongs to worlds is stored with their last tile."""
OBSERVATIONS, LAYOUTS, FINISHED = "observation_array", "layouts_array", "finished_return_array"


@dataclass(frozen=True, slots=True)
class Rollout:
    """The kernel of a universe.

    Attributes:
        tables: all that functions read; those that are no constants are passed.
    """

    bindings: Bindings
    cuts: Cuts | None
    cells: CellStep | None
    pairs: PairStep | None
    schedule: Schedule
    tables: Sequence[Table]

    @property
    def arrays(self) -> dict[str, Array]:
        """The arrays that the kernel makes for its thread, by their variables, but the cell cache."""
        bindings = self.bindings
        held = (*chunks(bindings.state), *chunks(bindings.outcomes), *self._before)
        return {chunk.variable: chunk.own for chunk in held} | self._beside

    @property
    def _beside(self) -> dict[str, Array]:
        """What is made beside the state: for what agents have together, for cells, and for functions in parts."""
        rooms = ({} if self.cells is None else self.cells.arrays) | ({} if self.cuts is None else self.cuts.rooms())
        beside = aside(self.bindings, self.cuts)
        rooms |= {} if beside is None else beside.arrays
        return self.bindings.together.made | rooms | ({} if self.pairs is None else self.pairs.arrays)

    @property
    def _before(self) -> list[Chunk]:
        """What chunks held before a tick."""
        bindings, begun, by_hand = self.bindings, self.bindings.together.begun, self.bindings.universe.by_hand
        idle = [] if by_hand else [*bindings.changing, *bindings.closing]
        kept = [*idle, *(chunk for chunk in begun if by_hand or chunk not in bindings.changing)]
        return [replace(chunk, variable=f"before_{chunk.variable}") for chunk in kept]

    @property
    def _parameters(self) -> list[str]:
        """Those of `hamlet.schema.abi`, tables, the cell cache, shares of threads, worlds that begin, switches."""
        bindings = self.bindings
        arrays = [f"{name}_array" for name in abi.array_arguments(bindings.universe, "rollout")]
        tables = bindings.passed_tables(table.name for table in self.tables)
        cells = ["cells_array", "layouts_array", "known"] if bindings.cached else []
        own = ["shares_array", "begins_array", "thread", "every_tick", "streamed"]
        return [*arrays, *tables, *abi.scalar_arguments("rollout"), *cells, *own]

    def function(self) -> Function:
        """The kernel."""
        paragraphs = [SUMMARY, GIVEN + (CACHED if self.bindings.cached else "")]
        return function("rollout", self._parameters, "\n\n".join(paragraphs), self._body(), "kernel")

    def _body(self) -> Iterator[Code]:
        yield assign(fresh, is_passed("begins_array"))
        yield assign(counting, is_passed(FINISHED))
        yield assign("by_lane", is_passed("lane_episodes_array"))
        yield from self._made()
        yield assign(per_chunk, call("max", LANES // agents, 1))
        following = assign(world, call("next_worlds", "shares_array", "thread", per_chunk))
        yield following
        yield While(world >= 0, (*self._chunk(), following))
        uses = part("uses_array", 0, 0)
        yield when(counting, [do("add_notes", notes, noted, uses, length("uses_array"))])
        yield when(streamed < length(OBSERVATIONS), [do("drain")])
        yield from (do("give_back", name) for name, array in self.arrays.items() if array.kind == "room")

    # --- what is made -------------------------------------------------------------------------------------------------

    def _made(self) -> Iterator[Code]:
        bindings, cached = self.bindings, bool(self.bindings.cached)
        yield assign("lanes", call("local_u8", "CHOSEN"))
        yield assign("flags", stack("bool").make)
        yield assign("ahead", stack("u32", "AHEAD").unset)
        yield assign(action, stack("i32").make)
        yield assign("situation", stack("i32").make)
        if self._interacts:
            yield assign("interacting", stack("bool").make)
        if cached or bindings.sees:
            yield assign(observing, is_passed(OBSERVATIONS))
        if cached:
            yield assign(stored, is_passed(LAYOUTS))
            often = stored.either(observing).either(ticks >= Name("CACHE_TICKS"))
            yield assign(caching, (agents <= LANES).both(often))
            yield assign(unchanged, False)
            yield assign("stored_layout", stack("u32").make)
        yield from (assign(chunk.variable, chunk.own.make) for chunk in chunks(bindings.outcomes))
        bits = next(bits for bits in (8, 16, 32) if len(bindings.universe.affordances) <= 1 << bits)
        yield assign(notes, stack(f"u{bits}", "NOTES").make)
        yield assign(noted, 0)
        yield from (assign(f"chunk_{chunk.variable}", chunk.own.unset) for chunk in direct(bindings))
        state = chunks(bindings.state)
        copied = [chunk for chunk in state if not chunk.direct]
        cache = [chunk for chunk in chunks(bindings.cached) if chunk not in state]
        for chunk in (*copied, *chunks(bindings.counted), *cache):
            yield assign(chunk.variable, chunk.own.make)
        yield from (assign(chunk.variable, chunk.own.unset) for chunk in self._before)
        yield from (assign(name, array.make) for name, array in self._beside.items())
        if self.cells is not None and self.cells.near:
            for axis, (stride, size) in enumerate(self.cells.edges):
                at_edge = part("at_edge", 0, axis * 2 * self.cells.room)
                yield do("mark_edges", at_edge, stride, size, self.cells.count, self.cells.room)

    # --- chunks -------------------------------------------------------------------------------------------------------

    def _chunk(self) -> Iterator[Code]:
        """The ticks of a chunk."""
        bindings = self.bindings
        if self.cells is not None:
            for array, meter in self.cells.arrays_of:
                yield assign(array, part("cell_meters_array", world, meter * self.cells.count))
        if self.pairs is not None:
            yield from self.pairs.named()
        yield assign(chunk_lanes, call("min", per_chunk, worlds - world) * agents)
        yield assign(tiled, chunk_lanes > LANES)
        yield assign(start, world * agents)
        yield assign(finished_return, part(FINISHED, 0, start))
        if in_place := direct(bindings):
            yield Remark(
                "One tick reads and writes the state of a lane once: copies of it would take longer than they save."
            )
            yield assign("direct", (ticks <= 1).both(chunk_lanes.equals(LANES)))
            places = [assign(chunk.variable, part(chunk.array, chunk.row, start)) for chunk in in_place]
            yield when("direct", places, [assign(each.variable, f"chunk_{each.variable}") for each in in_place])
        yield when(no(tiled), self._whole())
        yield Remark("Without ticks there is one turn all the same.")
        yield loop(passed, call("min", ticks, 1), ticks + 1, body=self._tick())

    def _whole(self) -> Iterator[Code]:
        """A chunk that is no tile is loaded once."""
        yield assign([agent, count], several([0, chunk_lanes]))
        yield LOAD
        if self.bindings.cached:
            yield when(caching, [assign(unchanged, call("_load_cells"))])

    # --- ticks --------------------------------------------------------------------------------------------------------

    def _tick(self) -> Iterator[Code]:
        """The turns of a tick."""
        yield assign(final, passed.equals(ticks))
        yield assign(now, tick + passed - 1)
        if self.bindings.program.has(CROWD):
            yield assign(alone, agents.equals(1).both(passed > 0))
        if self._concludes:
            yield assign(living, 0)
        for each in self.schedule.routine("tick").body:
            match each:
                case Some():
                    yield assign(somebody, False)
                    yield _turn(self._interact(), tiled.both(passed > 0))
                case Call(function=name) if name in STAGE_OF:
                    yield _turn(self._add(STAGE_OF[name]), passed > 0)
                    if STAGE_OF[name] != "cells":
                        yield when(passed > 0, [do(f"_combine_{STAGE_OF[name]}")])
                case Within(body=body) if Call("tick") in body:
                    yield _turn(self._advance(), passed > 0)
                case Within(body=body) if Call("settle") in body:
                    yield _turn(self._close(), passed > 0)
                case Call(function=name) if name == BEAR:
                    yield _turn(self._bear(), passed > 0)
                case _:
                    pass
        yield from self._conclude()

    def _interact(self) -> Iterator[Code]:
        """Whether somebody interacts in a world of several tiles: actions may need the state, and who is alive does."""
        living = do("load_lanes", alive, part("alive_array", 0, start), count)
        alone = [] if self.bindings.universe.by_hand else [living]
        yield when(is_passed("strides_array"), [LOAD], alone)
        yield do("_act")
        yield update(somebody, "|", somebody_of(0, count))

    def _add(self, stage: Stage) -> Iterator[Code]:
        """What lanes add to what agents have together in a stage."""
        if stage == "tick":
            yield when(tiled, [LOAD])
            yield do("_act")
            yield from self._give()
            yield when(tiled, [do("store_lanes", action, part("carried_action", 0, agent), LANES)])
        else:
            yield when(tiled, self._resumed())
        yield do(f"_add_{stage}", **self._of_tile())

    def _advance(self) -> Iterator[Code]:
        """What lanes do; where a tick is not settled apart, to its end."""
        settles, ahead = self.bindings.together.settles, "tick" in self.bindings.together.stages
        if not settles:
            yield Remark("Few lanes are one vector; but what counts what lanes did looks at all of them.")
            yield assign(busy, Either((count <= WIDE).both(no(counting)), WIDE, LANES))
        yield when(tiled, [LOAD, assign(finished_return, part(FINISHED, 0, start))])
        if ahead:
            yield when(tiled, [do("load_lanes", action, part("carried_action", 0, agent), LANES), *self._give()])
        else:
            yield do("_act")
            yield from self._give()
        if self._interacts:
            yield do("_meet")
        yield do("_advance", **self._of_tile())
        if settles:
            yield when(tiled, [*self._carried("store_lanes", self.bindings.together.carried), STORE])
        else:
            yield from self._ended()

    def _close(self) -> Iterator[Code]:
        """How a tick ends that is settled apart."""
        yield when(tiled, [*self._resumed(), assign(finished_return, part(FINISHED, 0, start))])
        yield do("_close", **self._of_tile())
        yield from self._ended()

    def _ended(self) -> Iterator[Code]:
        """What is counted and stored of a tick."""
        yield when(counting, [assign(noted, call("_count"))])
        yield when(final, [do("_store_outcome")])
        lives = [each_lane([update(living, "+", ends(lane))], count)] if self._concludes else []
        ruled = [STORE_WORLDS] if self.bindings.program.has("world") else []
        ended = self._carried("store_lanes", self.bindings.together.ended)
        yield when(tiled, [*lives, STORE, *ruled, *ended])

    def _bear(self) -> Iterator[Code]:
        """Births after a tick."""
        ended = self._carried("load_lanes", self.bindings.together.ended)
        yield when(tiled, [*self._resumed(), *ended])
        yield do("_bear_all", **self._of_tile())
        yield when(tiled, [STORE])

    def _crowd(self) -> Iterator[Code]:
        """What the agents on each cell come to after a tick."""
        yield when(tiled, self._resumed())
        yield do("_crowd_worlds", True, **self._of_tile())

    def _conclude(self) -> Iterator[Code]:
        """What follows a tick, and what agents see then."""
        if not self.bindings.program.has(CROWD):
            yield _turn((*self._concluded(), *self._surveyed()))
            return
        yield _turn(self._crowd(), passed > 0)
        yield _turn((*self._concluded(), when(tiled, [STORE, STORE_WORLDS])))
        yield Remark("All tiles of a world have begun before anybody sees who is where.")
        yield _turn((when(tiled, [LOAD]), *self._surveyed()))

    def _concluded(self) -> Iterator[Code]:
        """How episodes end and begin."""
        yield when(tiled, [LOAD])
        conclude = call("_conclude")
        if self.bindings.cached:
            yield assign(begun, conclude)
            yield assign(unchanged, unchanged.both(no(begun)))
        else:
            yield Do(conclude)

    def _surveyed(self) -> Iterator[Code]:
        """What agents see, and what is stored then."""
        few = assign(busy, Either(count <= WIDE, WIDE, LANES))
        yield when(final.either(every_tick), [few, do("_survey")])
        yield when(tiled.either(final), [STORE, STORE_WORLDS, *self._store_cells()])

    def _store_cells(self) -> Iterator[Code]:
        """The cell cache stored, where it is another than a launch before has stored."""
        if self.bindings.cached:
            yield when(stored.both(caching).both(no(unchanged)), [do("_store_cells")])

    # --- tiles --------------------------------------------------------------------------------------------------------

    def _resumed(self) -> Iterator[Code]:
        """What a tile has again of an earlier turn of the tick."""
        yield LOAD
        yield from self._carried("load_lanes", self.bindings.together.carried)
        yield from self._give()

    def _give(self) -> Iterator[Code]:
        """What a rollout is given for the tick."""
        if any(slot.chunk.field.name in GIVEN_BY_TICK for slot in self.bindings.held.values()):
            yield do("_give")

    def _carried(self, copy: str, held: Iterable[tuple[Chunk, str]]) -> Iterator[Code]:
        """What the state does not hold, copied from or to arrays of all tiles."""
        for chunk, carried in held:
            tile = agent if chunk.rows == 1 else row * TILED + agent
            yield each_row(chunk, do(copy, view(chunk), part(carried, 0, tile), LANES))

    def _of_tile(self) -> dict[str, Operand]:
        """Arrays of all lanes of a world from the first lane of the tile on."""
        return {name: part(name, 0, agent) for name in self.bindings.together.from_tile}

    # --- what a schedule has ------------------------------------------------------------------------------------------

    @property
    def _interacts(self) -> bool:
        """Whether lanes have to know whether one of their world interacts."""
        return any(isinstance(each, Some) for each in self.schedule.routine("tick").body)

    @property
    def _concludes(self) -> bool:
        """Whether episodes end by themselves, and worlds begin anew."""
        return any(routine.name == "conclude" for routine in self.schedule.routines)


def _turn(body: Iterable[Code], condition: Expression | None = None) -> Code:
    """Statements for each tile, where a condition holds; a chunk that is no tile has one turn."""
    placed = (
        assign(start, world * agents + agent),
        assign(count, call("min", LANES, chunk_lanes - agent)),
    )
    end = chunk_lanes if condition is None else Either(condition, chunk_lanes, expression(0))
    return loop(agent, 0, end, LANES, body=(*placed, *body))
