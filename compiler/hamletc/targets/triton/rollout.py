"""The kernel for GPUs that runs many ticks, with the state in registers."""

from __future__ import annotations

from collections.abc import Iterator

from hamlet.schema import abi
from hamletc.kernel import statements
from hamletc.kernel.code import Code, For, Function, Remark, assign, constants, do, loop, update, when
from hamletc.kernel.expressions import Name, Operand, call, names, no
from hamletc.targets.triton.act import given
from hamletc.targets.triton.blocks import cast, somewhere, where
from hamletc.targets.triton.episodes import concluded
from hamletc.targets.triton.launch import Launch
from hamletc.targets.triton.memory import lane, lanes, valid

state, scene, ending, stale, lived, action, now, stored = names("state scene ending stale lived action now stored")


def rollout(launch: Launch) -> Function:
    """The kernel of many ticks."""

    def body() -> Iterator[Code]:
        for statement in launch.plan.kernel("rollout").body:
            match statement:
                case statements.Load():
                    yield from launch.arrays()
                    if launch.bindings.columns.all:
                        yield when(no("EVERY_TICK"), launch.columns())
                    yield from launch.place()
                case statements.Ticks(body=ticks):
                    yield from _before_ticks(launch)
                    yield from _ticks(launch, ticks)
                case statements.Store():
                    yield launch.barrier()
                    yield Remark("As in `_there`.")
                    yield from launch.store(launch.of_state("age") >> 31, valid, stored)
                    finished = do("tl.store", Name("finished_return_ptr") + stored[4], "finished", mask=valid)
                    yield when(Name("uses_ptr").present(), (finished,))
                case _:
                    # Another kernel writes what follows the last tick, and loads what was given for single ticks.
                    pass

    summary = (
        "So many ticks with the state in registers.\n\nActions are recorded, or looked up by situation: choices, or "
        "thresholds for a random word. Without all three the policy is random, without `uses_ptr` nothing is counted, "
        "and without `lane_episodes_ptr` nothing of single lanes, and without `ended_meters_ptr` no meters at ends. "
        "Observations and masks are written in every tick or, by another kernel, after the last one. Counters have "
        "copies, which the launcher adds up."
    )
    return launch.kernel("rollout", summary, body(), *constants("BINS EVERY_TICK"))


def _before_ticks(launch: Launch) -> Iterator[Code]:
    if launch.ends or "number" in launch.drawn_by:
        yield launch.number()
    yield launch.stream()
    yield launch.key()
    yield assign(now, cast("tick", "uint32"))
    yield launch.load()
    if launch.ends:
        yield launch.no_scene()
        yield assign(stale, 1)
    else:
        yield assign(scene, call("_look"))
    yield from launch.nothing_yet()
    drawn = Name("actions_ptr").absent().both(Name("choices_ptr").absent())
    yield when(drawn, (launch.words(),))
    if launch.cells_in_words:
        yield assign("cells", call("_pack", layout=launch.of_state("layout")))
    yield when(Name("uses_ptr").present(), _before_counting(launch))


def _before_counting(launch: Launch) -> Iterator[Code]:
    loaded = call("tl.load", Name("finished_return_ptr") + lane, mask=valid, other=0.0)
    yield assign("finished", loaded)
    yield Remark("Blocks count apart: they would wait for each other at the same few words.")
    for name, size in abi.counters(launch.bindings.universe).items():
        copies, array = abi.copies(size), Name(f"{name}_ptr")
        if copies > 1 and size:
            own = update(array, "+", call("tl.program_id", 0) % copies * size)
            yield when(array.present(), (own,)) if name == abi.ENDED_METERS else own


def _ticks(launch: Launch, body: tuple[statements.Statement, ...]) -> Iterator[Code]:
    if launch.ends:
        yield loop("_", "ticks", body=_tick(launch, body))
        return
    yield Remark("What observations have in common in all ticks is too much to be kept in registers.")
    yield For(Name("_"), call("tl.range", "ticks", disable_licm="EVERY_TICK"), tuple(_tick(launch, body)))


def _tick(launch: Launch, body: tuple[statements.Statement, ...]) -> Iterator[Code]:
    """One tick of many."""
    every_tick = Name("EVERY_TICK")
    if launch.bindings.columns.all:
        remark = Remark("Observing takes the registers in which columns would wait for the next tick.")
        yield when(every_tick, (remark, *launch.columns()))
    for statement in body:
        match statement:
            case statements.Act():
                yield from _act(launch)
            case statements.Give(field=field, steered=steered):
                yield _given(launch, field, steered)
            case statements.Do(routine="tick"):
                if launch.ends:
                    yield assign(lived, launch.of_state("alive"))
                yield launch.advance()
            case statements.If(flag="counting"):
                yield from _count()
            case statements.Do(routine="conclude"):
                into = concluded(launch.bindings)
                unseen: dict[str, Operand] = {"observation_ptr": None, "final_observation_ptr": None}
                seen = (assign(into, call("_conclude")), launch.surveyed())
                yield when(every_tick, seen, (assign(into, call("_conclude", **unseen)),))
                yield from _repacked(launch)
            case statements.If(flag="every_tick") if not launch.ends:
                yield when(every_tick, (launch.surveyed(),))
            case _:
                # What random words are drawn by is known before the first tick, the hour is part of the tick, and
                # masks are written where episodes are concluded.
                pass
    yield update(now, "+", 1)


def _act(launch: Launch) -> Iterator[Code]:
    actions, choices, thresholds = names("actions_ptr choices_ptr thresholds_ptr")
    word, situation, words = names("word situation words")
    yield when(Name("strides_ptr").present(), (assign(situation, call("_situate")),))

    def drawn() -> Iterator[Code]:
        yield when((now & 3).equals(0), (launch.words(),))
        yield assign(names("word0 word1 word2 word3"), words)
        yield assign("early", where((now & 1).equals(0), "word0", "word1"))
        yield assign("late", where((now & 1).equals(0), "word2", "word3"))
        yield assign(word, where((now & 2).equals(0), "early", "late"))
        chosen = assign(action, call("_choose", *launch.bindings.arguments("choose")))
        yield when(thresholds.absent(), (chosen,), (assign(action, call("_draw")),))

    recorded = (
        assign(action, call("tl.load", actions + lane, mask=valid, other=0)),
        update(actions, "+", lanes),
    )
    looked_up = assign(action, call("tl.load", choices + situation, mask=valid, other=0))
    yield when(actions.present(), recorded, (when(choices.present(), (looked_up,), drawn()),))


def _given(launch: Launch, field: str, steered: str) -> Code:
    """What a launch gives for a tick, or a policy draws."""
    (each,) = (each for each in given(launch.bindings) if each.field == field)
    shown = (assign(state, call(each.function)), update(each.pointer, "+", len(each.slots) * lanes))
    drawn = (when(Name("actions_ptr").absent(), (assign(state, call("_steer_all")),)),) if steered else ()
    return when(each.pointer.present(), shown, drawn)


def _count() -> Iterator[Code]:
    yield when(Name("uses_ptr").present(), (assign("finished", call("_count")),))
    yield when(Name("lane_episodes_ptr").present(), (do("_count_by_lane"),))
    yield when(Name("ended_meters_ptr").present(), (do("_add_meters"),))


def _repacked(launch: Launch) -> Iterator[Code]:
    """The cells of affordances in words, where an episode begins."""
    if launch.cells_in_words:
        begins = Name("begins")
        yield assign(begins, ending & valid)
        again = assign("cells", call("_repack", layout=launch.of_state("layout")))
        yield when(somewhere(begins) > 0, (again,))
