"""The kernels for GPUs, by the schedule of a universe: what a launch runs that begins episodes, that only observes, or
that is one tick. `rollout` is in the file of that name."""

from __future__ import annotations

from collections.abc import Iterator

from hamlet.universe import Universe
from hamletc.ir.function import CROWD
from hamletc.kernel import statements
from hamletc.kernel.code import Code, Function, Parameter, Remark, assign, do, function, give, loop, update, when
from hamletc.kernel.expressions import Name, Operand, call, names
from hamletc.kernel.schedule import Schedule
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.blocks import BLOCK, cast, same_bits, somewhere, zeros
from hamletc.targets.triton.columns import LANES
from hamletc.targets.triton.episodes import concluded
from hamletc.targets.triton.launch import Launch
from hamletc.targets.triton.memory import lane, lanes, unpacked, valid, world
from hamletc.targets.triton.rollout import rollout
from hamletc.targets.triton.slots import word

state, scene, ending, stale, lived, action = names("state scene ending stale lived action")
nothing, known, stored, now, turns, unknown = names("nothing known stored now turns unknown")


def kernels(bindings: Bindings, plan: Schedule) -> list[Function]:
    """The kernels of a module, and what makes one of them wait."""
    launch = Launch(bindings, plan)
    return [_reset(launch), _observe(launch), _wait(bindings), _step(launch), rollout(launch)]


def _reset(launch: Launch) -> Function:
    """The kernel that begins episodes."""

    def body() -> Iterator[Code]:
        for statement in launch.plan.kernel("reset").body:
            match statement:
                case statements.Load():
                    yield from launch.arrays()
                    begins = [CROWD] if CROWD in launch.bindings.bodies else []
                    yield from launch.columns("observe", "mask", *begins)
                    yield from launch.place()
                    yield launch.number()
                    yield launch.key()
                    yield launch.load()
                case statements.Take():
                    loaded = call("tl.load", Name("begins_ptr") + world, mask=valid, other=0)
                    yield assign("begins", valid & cast(loaded, "int1"))
                case statements.Do(routine="begin"):
                    yield assign(state, call("_begin", starts="begins", episodes=0))
                case statements.Store():
                    if _in_warps(launch.bindings.universe):
                        yield launch.barrier()
                    yield do("_store", "arrays", "place", state, valid)
                case statements.Do(routine="survey"):
                    yield from launch.survey()
                case _:
                    # The numbers of agents are part of the place.
                    pass

    return launch.kernel("reset", "A new episode in worlds that begin one; then observations and masks of all.", body())


def _in_warps(universe: Universe) -> bool:
    """Whether roles say that the agents of a world may be in several warps."""
    return universe.roles is not None and (universe.agents is None or universe.agents > LANES)


def _observe(launch: Launch) -> Function:
    """The kernel that changes nothing."""

    def body() -> Iterator[Code]:
        for statement in launch.plan.kernel("observe").body:
            match statement:
                case statements.Load():
                    yield from launch.arrays()
                    yield from launch.columns("observe", "mask")
                    yield assign("place", call("_place"))
                    yield launch.load()
                case statements.Do(routine="survey"):
                    yield from launch.survey()
                case _:
                    # As above.
                    pass

    return launch.kernel("observe", "Observations and masks of the state as it is.", body())


# --- one tick ---------------------------------------------------------------------------------------------------------


def _wait(bindings: Bindings) -> Function:
    bits, more = names("bits more")
    columns = bindings.columns.all

    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "state")
        if columns:
            yield assign((column.name for column in columns), "columns")
        yield assign(bits, action)
        for slot in bindings.held:
            yield assign(bits, bits | slot.word)
        some = call("tl.max", bits & unknown, axis=0)
        yield assign(more, some)
        for position, column in enumerate(columns):
            of_column = word(column.name, column.type)
            yield assign(bits, bits | of_column if position else of_column)
        yield give(turns + more + some if columns else turns + more)

    summary = "So many turns, and where a bit of what was loaded is set `unknown`, which is 0."
    return function("_wait", (), summary, body())


def _step(launch: Launch) -> Function:
    """The kernel of one tick."""

    def body() -> Iterator[Code]:
        for statement in launch.plan.kernel("step").body:
            match statement:
                case statements.Load():
                    yield from launch.arrays()
                    yield from launch.columns()
                    yield from launch.place()
                case statements.Counters():
                    # Before the state, which waits for memory.
                    yield from _counters_of_step(launch)
                    yield launch.load()
                    yield from _recalled(launch)
                case statements.Act():
                    yield assign(action, call("tl.load", Name("actions_ptr") + lane, mask=valid, other=0))
                case statements.Do(routine="tick"):
                    yield from _once(launch)
                case statements.Do(routine="conclude"):
                    yield assign(concluded(launch.bindings), call("_conclude"))
                case statements.Store():
                    yield launch.barrier()
                    yield from launch.store("past", ending if launch.ends else nothing > 0, "place")
                case statements.Do(routine="survey"):
                    yield from _survey_of_step(launch)
                case _:
                    # Steps count nothing, and the hour is part of the tick.
                    pass

    summary = "One tick, at `tick`; in a graph, which holds one `tick`, so many later as `elapsed_ptr` says."
    if launch.ends:
        summary += (
            "\n\nA world whose episode ends with it begins the next one; where worlds wait, one that was over before."
        )
    return launch.kernel("step", summary, body(), Parameter("kept_ptr"), Parameter("elapsed_ptr"))


def _counters_of_step(launch: Launch) -> Iterator[Code]:
    if launch.ends or "number" in launch.drawn_by:
        yield launch.number()
    if launch.drawn_by:
        yield launch.stream()
        yield assign(now, cast("tick", "uint32"))
        elapsed = same_bits(call("tl.load", "elapsed_ptr"), "uint32")
        yield when(Name("elapsed_ptr").present(), (update(now, "+", elapsed),))
    if launch.drawn_by or launch.ends:
        yield launch.key()


def _recalled(launch: Launch) -> Iterator[Code]:
    """The scene as the last step kept it, or none."""
    if launch.scene_words:
        unseen = (launch.no_scene(), assign(known, zeros("int1")))
        recalled = (assign((scene, known), call("_recall", layout=launch.of_state("layout"))),)
        yield when(Name("kept_ptr").absent(), unseen, recalled)
    elif launch.ends:
        yield launch.no_scene()
        yield assign(stale, 1)
    if launch.ends:
        yield assign(lived, launch.of_state("alive"))


def _once(launch: Launch) -> Iterator[Code]:
    """The tick of a step."""
    yield from launch.nothing_yet()
    if launch.ends:
        yield assign(ending, nothing > 0)
    yield Remark(
        "One turn of a loop: loads are issued together before it, since they say that there is no other, and not each "
        "where it is needed first."
    )
    yield assign(unknown, call("_zero", lanes))
    yield assign(turns, 1 + unknown)
    yield when(BLOCK <= LANES, (assign(turns, call("_wait")),))
    yield assign("past", 0)
    cells: dict[str, Operand] = {"cells": None} if launch.cells_in_words else {}
    yield loop("turn", turns, body=(assign("past", "turn"), launch.advance(**cells)))
    if launch.scene_words:
        yield assign(stale, somewhere(~known))


def _survey_of_step(launch: Launch) -> Iterator[Code]:
    """Masks, and observations where `_conclude` has not written them; and the scene is kept."""
    if not launch.ends:
        look = assign(scene, call("_look"))
        yield when(stale > 0, (look,)) if launch.scene_words else look
    if launch.scene_words:
        changed = ~known | ending if launch.ends else ~known
        layout = launch.of_state("layout")
        keep = do("_keep", place=stored, layout=layout, changed=changed)
        yield when(Name("kept_ptr").present(), (keep,))
    yield launch.surveyed()
