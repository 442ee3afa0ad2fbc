"""Schedules, executed: equal to the interpreter; and whatever is changed in one is refused or gives other bits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from hamlet.backend.buffers import Shape, allocate, allocate_statistics, with_ended_meters
from hamlet.backend.protocol import Backend, RandomPolicy, Stream
from hamlet.interpreter import Interpreter
from hamlet.schema import action_names
from hamlet.universe import Universe
from hamlet_lab.divergence.executed import Executed
from hamlet_lab.verify import Candidate, Effort, verify
from hamletc.compile import lower, optimise, schedule, specialise
from hamletc.kernel.schedule import ScheduleError
from hamletc.kernel.text import parse_schedule, print_schedule
from hamletc.kernel.verifier import verify_schedule
from samples import sample
from samples.schedules import mutants

CPU = torch.device("cpu")
EFFORT = Effort(7, 4, 4, (torch.uint8,))

SAME = (
    # Two statements that read nothing of each other.
    "tick: set running to alive after call reduce_tick",
    "tick: fill report.",
    "tick: join rank.1 after call world",
    "tick: call world after within running: call settle",
    "tick: within running: gain after live",
    "tick: live after store reward terminated truncated used cause reports",
    "begin: within begins: fill hour with 0: call reset after fill age with 0",
    "conclude: if shown: observe final_observation where begins after within begins: next",
    "survey: observe observation after allow wait 3",
    "observe: agents after do survey",
    "step: if counting: count after call clock",
    "rollout: ticks: if counting: count after call clock",
    "reset: store ",
    "step: store ",
    "rollout: store ",
    # Nobody who does not run is rewarded.
    "tick: unguarded within running: gain",
    # Roles alone look at numbers of agents.
    "observe: without agents",
    # Nothing is there to count in.
    "step: unguarded if counting: count",
    # What is written once more, or written over.
    "rollout: ticks: do conclude after if every_tick: do survey",
    "rollout: ticks: unguarded if every_tick: do survey",
    "rollout: unguarded if last_only: do survey",
)
"""Changes that change no bit of `queue`, by how they begin."""


@pytest.mark.parametrize(
    ("name", "what"),
    [
        # `tests/unit/passes/test_bits.py` evaluates the functions of `shifts` before and after each pass.
        *(pytest.param("shifts", what, marks=pytest.mark.long) for what in ("lowered", "optimised")),
        *(("shifts", "c"), ("queue", "optimised"), ("herd", "c"), ("gallery/garden", "lowered")),
    ],
)
def test_it_is_equal_to_the_interpreter(name: str, what: str) -> None:
    universe = sample(name)
    compilation = lower(universe)
    if what != "lowered":
        compilation = optimise(compilation)
    if what == "c":
        compilation = specialise(compilation, "c")
    report = verify(universe, [Candidate(Executed(universe, compilation.program, what), CPU)], EFFORT)
    assert report.equal, report.render()
    assert report.compared > 5_000


def played(universe: Universe, backend: Backend) -> Iterator[list[Tensor]]:
    """All arrays after each of some launches of every kind, with and without worlds that wait."""
    drawn = torch.Generator().manual_seed(5)
    assert universe.lifespan is not None
    old = universe.lifespan.ticks - 8
    for shape in (Shape(5, 4), Shape(3, 4, first_world=7, waits=True)):
        buffers = allocate(universe, shape, CPU, torch.float32)
        counts = with_ended_meters(allocate_statistics(universe, shape, CPU, per_lane=2), len(universe.meters))
        shown = [*buffers.tensors, *map(torch.as_tensor, counts.memory.values())]
        backend.reset(buffers, Stream(3, 9))
        yield shown
        # Some agents are dead, some worlds about to end.
        buffers.state["alive"][1::4] = False
        buffers.state["age"].view(shape.worlds, shape.agents)[::2] += old
        for tick in range(12):
            actions = torch.randint(len(action_names(universe)), (shape.lanes,), generator=drawn, dtype=torch.int32)
            backend.step(buffers, actions, Stream(3, tick), counts)
            yield shown
        # What a launch has to load, and what it has to write.
        buffers.mask.fill_(value=False)
        buffers.state["meters"][0].mul_(0.5)
        backend.observe(buffers)
        yield shown
        for every_tick in (True, False):
            buffers.state["age"].view(shape.worlds, shape.agents)[1:] = old + 4
            backend.rollout(buffers, 9, RandomPolicy(), Stream(3, 30), every_tick, counts)
            yield shown
        some = torch.arange(shape.worlds) % 2 == 0
        backend.reset(buffers, Stream(3, 50), some)
        yield shown
        backend.rollout(buffers, 2, RandomPolicy(), Stream(3, 60), False, None)
        yield shown


def test_whatever_is_changed_is_noticed() -> None:
    universe = sample("queue")
    program = optimise(lower(universe)).program
    whole = schedule(optimise(lower(universe)))
    expected = [[each.clone() for each in arrays] for arrays in played(universe, Interpreter(universe, CPU))]

    def same(backend: Executed) -> bool:
        try:
            return all(
                all(map(torch.equal, arrays, others))
                for arrays, others in zip(played(universe, backend), expected, strict=True)
            )
        except (ValueError, KeyError):
            return False

    assert same(Executed(universe, program, "the program"))
    tried = refused = 0
    unnoticed = []
    for mutant in mutants(whole):
        tried += 1
        try:
            backend = Executed(universe, program, mutant.what, schedule=mutant.schedule)
        except ScheduleError:
            refused += 1
            continue
        if same(backend):
            unnoticed.append(mutant.what)
    assert tried > 100
    assert refused > 30
    assert [what for what in unnoticed if not what.startswith(SAME)] == []


@pytest.mark.parametrize(
    ("statement", "register"),
    [
        ("store reward where begins", "begins"),
        ("observe observation where begins", "begins"),
        ("within begins\n    agents", "begins"),
        ("live", "alive"),
        ("gain", "reward"),
        ("next", "episode"),
        ("count", "used"),
    ],
)
def test_what_reads_a_register_that_nothing_sets_is_refused(statement: str, register: str) -> None:
    universe = sample("queue")
    optimised = optimise(lower(universe))
    text = print_schedule(schedule(optimised)).replace("kernel step\n", f"kernel step\n  {statement}\n")
    with pytest.raises(ScheduleError, match=f"^kernel step: {register} is not set$"):
        verify_schedule(parse_schedule(text), universe, optimised.program)


def test_a_store_of_what_users_write_is_refused() -> None:
    universe = sample("queue")
    optimised = optimise(lower(universe))
    text = print_schedule(schedule(optimised)).replace("kernel step\n", "kernel step\n  store params\n")
    with pytest.raises(ScheduleError, match=r"^kernel step: users write params$"):
        verify_schedule(parse_schedule(text), universe, optimised.program)


def test_parts_of_one_name_are_refused() -> None:
    universe = sample("queue")
    optimised = optimise(lower(universe))
    made = schedule(optimised)
    verify_schedule(made, universe, optimised.program)
    for twice in (
        replace(made, routines=(*made.routines, made.routines[0])),
        replace(made, kernels=(*made.kernels, made.kernels[0])),
    ):
        with pytest.raises(ScheduleError, match=r"^there are two parts called \w+$"):
            verify_schedule(twice, universe, optimised.program)


@pytest.mark.parametrize(("name", "others"), [("brood", r" *call cells .*\n"), ("hive", r"$^")])
def test_cells_that_change_are_stored(name: str, others: str) -> None:
    """By agents that come to them alone, by their rules and by their beginning: in each kernel that stores them."""
    universe = sample(name)
    optimised = optimise(lower(universe))
    text = re.sub(others, "", print_schedule(schedule(optimised)))
    stores = list(re.finditer(r"^ *store .*\bcell_meters\b.*\n", text, re.MULTILINE))
    assert len(stores) > 2
    for store in stores:
        left_out = store.group().replace(" cell_meters", "")
        without = parse_schedule(text[: store.start()] + left_out + text[store.end() :])
        with pytest.raises(ScheduleError, match=r": cell_meters changed and is not stored$"):
            verify_schedule(without, universe, optimised.program)
