"""A tick of a chunk: what its lanes do, and, where agents of a world meet, how it ends for them.

All lanes of a vector compute it, which is shorter than what a schedule says, where only lanes that run compute
something: the others get back what they had `before`, and of outcomes what the schedule fills them with.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from hamlet.frozen import dataclass
from hamletc.ir.function import BEAR, CELLS
from hamletc.kernel.build import before_births
from hamletc.kernel.code import Code, Function, Remark, assign, do, function, loop, when
from hamletc.kernel.expressions import Expression, Name, Operand, Typed, call, expression, names, no
from hamletc.kernel.schedule import Schedule
from hamletc.kernel.statements import (
    RUNNING,
    Call,
    CallCells,
    Copy,
    Fill,
    Gain,
    Live,
    Over,
    Set,
    Some,
    Statement,
    Within,
    literal_type,
)
from hamletc.targets.c.bindings import Bindings
from hamletc.targets.c.cells import over_world
from hamletc.targets.c.cuts import Cuts, computed
from hamletc.targets.c.grid import CellStep
from hamletc.targets.c.lanes import LANES, WIDE, agents, each_lane, first, lane, numbers, vectors
from hamletc.targets.c.meeting import TICKING, interaction
from hamletc.targets.c.places import find
from hamletc.targets.c.slots import Chunk
from hamletc.targets.c.worlds import rules

dead, flags, alive, count, agent, busy, standing = names("dead flags alive count agent busy standing")
terminated, truncated, episode_return = names("terminated truncated episode_return")
row, index = names("row index")


def tick(bindings: Bindings, cuts: Cuts | None, cells: CellStep | None, schedule: Schedule) -> list[Function]:
    """The function that runs a tick of a chunk; before it stands the one that closes ticks that are settled apart, and
    what says whether somebody interacts, where lanes have to know."""
    statements = before_births(schedule.routine("tick").body)
    before = interaction(bindings) if any(isinstance(each, Some) for each in statements) else []
    nobody = {name: each.value for each in statements if isinstance(each, Fill) for name in each.registers}
    nobody.pop(RUNNING, None)
    if not bindings.together.settles:
        return [*before, _advance(_Walk(bindings, cuts, cells, nobody, busy), statements)]
    walk = _Walk(bindings, cuts, cells, nobody, LANES)
    ran = next(number for number, each in enumerate(statements) if _runs(each, "tick")) + 1
    return [_close(walk, statements), *before, _advance(walk, statements[:ran])]


def bear(bindings: Bindings, cuts: Cuts | None) -> list[Function]:
    """The function that lets agents be born after a tick, where some are."""
    if not bindings.program.has(BEAR):
        return []
    written = [slot.of_lane for slot in bindings.written(BEAR)]
    beyond = Remark("Beyond the lanes that there are nobody is alive.")
    there = assign(alive[lane], alive[lane] & call("less", call("to_i32", numbers()), call("i32", count)))
    body = [vectors([computed(bindings, cuts, BEAR, written, TICKING), beyond, there])]
    return [function("_bear_all", (), "The state of agents that are born, and of those that wait for it.", body)]


def constant(value: str) -> Typed:
    """A constant of a schedule."""
    number = value == "true" if value in ("true", "false") else float(value) if "." in value else int(value)
    return Typed(literal_type(value), number, alone=False)


def _runs(statement: Statement, function: str) -> bool:
    """Whether running lanes compute a function there."""
    return isinstance(statement, Within) and Call(function) in statement.body


def _advance(walk: _Walk, statements: Sequence[Statement]) -> Function:
    bindings, changing = walk.bindings, walk.bindings.changing
    saved = [chunk for chunk in changing if chunk not in bindings.together.begun]
    ticked = {output.name for output in bindings.bodies["tick"].outputs}
    by_hand = bindings.universe.by_hand

    def body() -> Iterator[Code]:
        yield from walk.code(statements, saved)
        if by_hand:
            yield Remark("Beyond the lanes that there are nothing happened.")
        yield from walk.idle(statements, changing, ticked)

    summary = (
        "A tick of all lanes, dead or alive."
        if by_hand
        else "A tick of the lanes that are alive; the others keep what they had `before`."
    )
    return function("_advance", (), summary, body())


def _close(walk: _Walk, tick: Sequence[Statement]) -> Function:
    ran = next(number for number, each in enumerate(tick) if _runs(each, "tick")) + 1
    statements = [each for each in tick if isinstance(each, Set) and each.register == RUNNING] + list(tick[ran:])
    settled = {output.name for output in walk.bindings.bodies["settle"].outputs}

    def body() -> Iterator[Code]:
        yield from walk.code(statements, walk.bindings.closing)
        by_hand = walk.bindings.universe.by_hand
        yield from walk.idle(statements, walk.bindings.closing, settled if by_hand else walk.nobody.keys())

    summary = "The rules of the worlds, and how the tick ends for their lanes."
    return function("_close", (), summary, body())


@dataclass(frozen=True, slots=True)
class _Walk:
    """What becomes of the statements of a tick.

    Attributes:
        nobody: what happens to lanes that do not run it: constants, by registers.
        end: behind the last lane that computes something.
    """

    bindings: Bindings
    cuts: Cuts | None
    cells: CellStep | None
    nobody: Mapping[str, str]
    end: Expression

    def code(self, statements: Sequence[Statement], saved: Sequence[Chunk]) -> Iterator[Code]:
        """Statements of lanes that follow each other share a loop. `saved`: what lanes that do not run get back."""
        of_lanes: list[Code] = []
        for each in _within(statements):
            of_chunk = tuple(self._of_chunk(each, saved))
            if of_chunk and of_lanes:
                yield vectors(of_lanes, self.end)
                of_lanes.clear()
            yield from of_chunk
            of_lanes += self._of_lane(each)
        if of_lanes:
            yield vectors(of_lanes, self.end)

    def _of_chunk(self, statement: Statement, saved: Sequence[Chunk]) -> Iterator[Code]:
        """What is done once for a chunk."""
        bindings = self.bindings
        match statement:
            case Set(register=register) if register == RUNNING:
                yield assign(dead, no(call("all_set", alive)))
                noted = assign(flags[lane], no(alive[lane]))
                yield when(dead, [vectors([noted, *_saved_lanes(saved)], self.end), *_saved_rows(saved)])
            case Copy():
                yield vectors(_saved_lanes(bindings.together.begun), self.end)
                yield from _saved_rows(bindings.together.begun)
            case Call(function="move"):
                yield Remark("Moves, and what is where they end.")
            case Call(function="search"):
                yield find()
            case Call(function="world"):
                yield from rules(bindings, self.cuts)
            case CallCells(function=function) if function == CELLS and self.cells is not None:
                yield when(agent.equals(0), [do("_spread_worlds")])
            case Over():
                yield from self._over()
            case _:
                pass

    def _of_lane(self, statement: Statement) -> Iterator[Code]:
        """What is done for the lanes of a vector."""
        bindings = self.bindings
        match statement:
            case Call(function="move"):
                moved = [slot.of_lane for slot in bindings.cached if slot.name.startswith("moved.")]
                yield assign(moved, call("_move", *bindings.passing("move", TICKING)))
            case Call(function="stand", at=at):
                positions = {slot.name.replace("moved.", "position."): slot.of_lane for slot in bindings.cached}
                yield assign(standing[lane], call("_stand", *bindings.passing("stand", positions if at else {})))
            case Call(function="tick" | "settle" as name):
                written = [slot.of_lane for slot in bindings.written(name)]
                yield computed(bindings, self.cuts, name, written, TICKING)
            case Gain():
                yield assign(episode_return[lane], episode_return[lane] + Name("reward")[lane])
            case Live():
                lives = no(terminated[lane] | truncated[lane])
                yield assign(alive[lane], alive[lane] & lives if bindings.universe.by_hand else lives)
            case _:
                pass

    def idle(self, statements: Sequence[Statement], saved: Sequence[Chunk], outcomes: Container[str]) -> Iterator[Code]:
        """What lanes have that do not run: what was saved, and of these outcomes what they are filled with. Where
        episodes end by hand all lanes run, and beyond them counting wants to know of nothing that happened."""
        slots = {slot.name: slot for slot in self.bindings.outcomes}
        idle = {slots[name].chunk: value for name, value in self.nobody.items() if name in outcomes}
        if self.bindings.universe.by_hand:
            nothing = [assign(each.of_lane(), constant("-1")) for each, value in idle.items() if value == "-1"]
            yield each_lane(nothing, count, LANES)
            return
        before = {chunk: replace(chunk, variable=f"before_{chunk.variable}") for chunk in saved}

        def kept(chunk: Chunk, row: Operand = 0) -> Code:
            return assign(
                chunk.of_lane(row), call("where", flags[lane], before[chunk].of_lane(row), chunk.of_lane(row))
            )

        def filled(chunk: Chunk, value: str, row: Operand = 0) -> Code:
            if value == "false":
                return assign(chunk.of_lane(row), no(flags[lane]) & chunk.of_lane(row))
            return assign(chunk.of_lane(row), call("where", flags[lane], constant(value), chunk.of_lane(row)))

        def of_lanes() -> Iterator[Code]:
            yield from (kept(chunk) for chunk in saved if chunk.rows == 1)
            if any(isinstance(each, Live) for each in statements):
                yield assign(alive[lane], no(flags[lane]) & alive[lane])
            yield from (filled(chunk, value) for chunk, value in idle.items() if chunk.rows == 1)

        def of_rows() -> Iterator[Code]:
            several = [(chunk.rows, kept(chunk, row)) for chunk in saved if chunk.rows > 1]
            several += [(chunk.rows, filled(chunk, value, row)) for chunk, value in idle.items() if chunk.rows > 1]
            yield from (loop(row, rows, body=[vectors([each])]) for rows, each in several)

        yield when(dead, [vectors(of_lanes(), self.end), *of_rows()])

    def _over(self) -> Iterator[Code]:
        """What all cells of a world come to, for its lanes."""
        assert self.cells is not None, "cells are asked where there are some"
        taken = [assign(each.element, over_world(each, first // agents)) for each in self.cells.over]
        of_world = each_lane(taken, first, call("min", first + agents, count))
        yield loop(first, 0, count, call("min", agents, LANES), body=[of_world])


def _within(statements: Iterable[Statement]) -> Iterator[Statement]:
    """What lanes do, all of them, but what they find and compute to add it to what they have together:
    `hamletc.targets.c.meeting`."""
    for each in statements:
        match each:
            case Within(body=body):
                yield from body
            case Call(function="world") | Set() | Copy() | CallCells() | Over() | Live():
                yield each
            case _:
                pass


def _saved_lanes(saved: Iterable[Chunk]) -> Iterator[Code]:
    """Chunks of one row kept as they are, for the lanes of a vector."""
    for chunk in saved:
        if chunk.rows == 1:
            yield assign(Name(f"before_{chunk.variable}")[lane], chunk.of_lane())


def _saved_rows(saved: Iterable[Chunk]) -> Iterator[Code]:
    """Chunks of several rows kept as they are."""
    for chunk in saved:
        if chunk.rows > 1:
            copied = assign(Name(f"before_{chunk.variable}")[index], Name(chunk.variable)[index])
            whole = (assign(index, call("wide", first)), copied)
            yield loop(first, 0, expression(chunk.rows) * LANES, WIDE, body=whole)
