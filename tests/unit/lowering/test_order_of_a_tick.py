"""The order of a tick is data, held to docs/semantics.md. Whatever is out of order in it is refused, or gives other
bits than the interpreter, which does not read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby, pairwise
from pathlib import Path
from typing import Literal, TypeAlias

import pytest
import torch
from torch import Tensor

from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import Backend, Stream
from hamlet.interpreter import Interpreter
from hamlet.schema import action_names
from hamlet.universe import (
    Action,
    Affordance,
    Cascade,
    Cause,
    CellCount,
    CellSum,
    Lifespan,
    Mask,
    Meter,
    Pool,
    Report,
    Reward,
    Rule,
    Universe,
)
from hamlet.universe import stages as order
from hamlet.universe.stages import ORDER, Scope, Step
from hamlet_lab.ablation import phase_parts
from hamlet_lab.divergence.executed import Executed
from hamletc.compile import lower
from hamletc.errors import SourceError
from hamletc.kernel.schedule import ScheduleError
from samples import universe_of

PAGE = Path(__file__).parents[3] / "docs" / "semantics.md"
EVERYTHING = """
universe everything
space grid 3 x 3
clock 4 hours
lifespan 9 ticks
world {
    meter wind = 0 in 0 .. 9
    rule gust: wind += 0.5 * count(used == Bed)
}
cells {
    meter moss = 0.5
    rule grow: moss += 0.01 * wind
}
pairs {
    state likes: real in 0 .. 9 = 0
    rule warms: likes += 0.25 when mod(agent, 2) == 0
}
meter energy = 1.0 { decay 0.1 * energy  move 0.01  interact 0.02 }
role folk: 4 agents { begins with 3  rule breeds: chance(0.3) -> spawn folk { energy = 0.9 * energy } }
affordance Bed at random { needs energy < 0.9  instantly { energy += 0.2 + 0.1 * abs(velocity x) } }
action REST { energy += 0.01 }
rule tires: hour == 2 -> energy = 0.9 * energy
cascade weak: energy < 0.5 -> energy -= 0.01 * deficit
dies when age > 6 and energy < 0.6
ends when energy > 0.99 and age > 3 { reward 1 }
reward energy * age
report liked: total(likes of other)
report calm: moss + total(moss) over cells
allow REST when energy < 0.9
observe { meters  time  world wind  cell moss  window 1 of folk }
"""
Found: TypeAlias = Literal["differs", "refused", "same"]
SWAPPED: tuple[Found, ...] = (
    "differs",  # act, interact
    "differs",  # interact, decay
    "same",  # decay, pairs: rules of pairs read what the tick began with
    "same",  # pairs, rules
    "refused",  # rules, world: agents have two functions in a tick
    "differs",  # world, cells
    "refused",  # cells, deaths
    "refused",  # deaths, age: who has died is not truncated
    "refused",  # age, reward: what is paid depends on who is old
    "same",  # reward, alive: neither reads what the other writes
    "refused",  # alive, births: agents who are told of the end of a tick have one function
    "same",  # births, counts: what happens in every world comes after what agents do together
    "refused",  # counts, clock: worlds have one function after ticks
    "differs",  # clock, episode
    "refused",  # episode, observe
    "same",  # observe, mask
)
"""What becomes of two steps that follow each other and have changed places."""
SAID: tuple[tuple[type, ...], ...] = (
    (Action,), (Meter,), (Meter,), (Affordance,), (Meter,), (Rule,), (Rule, Cascade), (Rule,), (Rule,),
    (Cause,), (Lifespan,), (Reward,), (Cause,), (Report,), (Pool,), (CellCount,), (Mask,),
)  # fmt: skip
WORDS = (
    "Where it holds, the statements run, then `move` displaces",
    "`m -= move` runs as a statement",
    "First `m -= interact` runs as a statement",
    "Then each affordance k, in file order, is used",
    "`m -= decay` runs as a statement",
    "**Rules of pairs** run, in file order",
    "**Rules and cascades** run in file order",
    "The rules of the world, with those in the braces of affordances, run in file order",
    "Then the rules of [cells](#cells) run",
    "Each cause is tested",
    "truncated holds where there is a lifespan",
    "The terms of the reward are evaluated",
    "plus, where a goal is the cause, the reward of that goal",
    "a report is the value of its expression",
    "Of the lanes that did not run the tick, some are alive again",
    "The totals of the agents on each cell that",
    "Observations and masks are computed",
)
"""What the page says of these constructs."""


def everything() -> Universe:
    return universe_of(EVERYTHING)


def page(section: str = "") -> str:
    """The page, or a section of it, on one line."""
    text = PAGE.read_text(encoding="utf-8")
    text = text.partition(f"\n## {section}\n")[2].partition("\n### ")[0] if section else text
    return " ".join(text.split())


def test_the_steps_are_those_of_the_page() -> None:
    titles = {step.title for step in ORDER}
    said = [
        (title, int(item.partition(".")[0]) if item[0].isdigit() else None)
        for item in re.split(r" (?=\d+\. \*\*)| (?=\* \*\*)", page("A tick"))
        for title in re.findall(r"\*\*(.+?)\.?\*\*", item)
        if title in titles
    ]
    assert list(dict.fromkeys((step.title, step.number) for step in ORDER)) == said


def test_who_runs_a_step_and_whom_it_knows_is_what_the_page_says() -> None:
    tick, whole = page("A tick"), page()
    assert "These steps run for each lane that is alive" in tick
    scopes: dict[Scope, str] = {"world": "The rules of the world, with those in the braces of affordances, run in file "
                                         "order, once for the world",
                                "cell": "Then the rules of [cells](#cells) run, once for each cell"}  # fmt: skip
    for scope, words in scopes.items():
        assert words in tick
        assert [step.number for step in ORDER if step.scope == scope and step.number is not None] == [5]
    found = re.search(r"in steps 1 to (\d) it is of the state at the beginning of the tick.*?from step (\d) on", whole)
    assert found is not None
    began, settled = ([step.number for step in ORDER if step.together == each] for each in ("began", "settled"))
    assert sorted(set(began)) == list(range(1, int(found[1]) + 1))
    assert set(settled) == set(range(int(found[2]), 10))


def test_constructs_come_in_the_order_in_which_the_page_says_them() -> None:
    text = page("A tick")
    places = [text.index(words) for words in WORDS]
    assert places == sorted(places)
    stages = [stage for stage in order.stages(everything()) if not isinstance(stage.construct, CellSum)]
    runs = [
        tuple(dict.fromkeys(type(stage.construct) for stage in run))
        for _, run in groupby(stages, key=lambda stage: (stage.step, isinstance(stage.construct, Meter | Report),
                                                         isinstance(stage.construct, Cause)))
    ]  # fmt: skip
    assert runs == list(SAID)
    last = [stage for stage in order.stages(everything()) if stage.step.name == "cells"][-1]
    assert isinstance(last.construct, CellSum)
    assert "It is found at the end of step 5, when the rules of cells have run" in page()


def played(universe: Universe, backend: Backend) -> Iterator[list[Tensor]]:
    """All arrays after each of some ticks."""
    drawn = torch.Generator().manual_seed(5)
    buffers = allocate(universe, Shape(5, 4), torch.device("cpu"), torch.float32)
    backend.reset(buffers, Stream(3, 9))
    for tick in range(24):
        chosen = torch.randint(len(action_names(universe)), (20,), generator=drawn, dtype=torch.int32)
        backend.step(buffers, chosen, Stream(3, tick))
        yield [each.clone() for each in buffers.tensors]


def departs(steps: tuple[Step, ...], monkeypatch: pytest.MonkeyPatch) -> Found:
    """What becomes of a program in this order, against the interpreter."""
    universe = everything()
    monkeypatch.setattr(order, "ORDER", steps)
    try:
        executed = Executed(universe, lower(universe).program, "out of order")
    except (ValueError, ScheduleError):
        return "refused"
    interpreted = Interpreter(universe, torch.device("cpu"))
    ticks = zip(played(universe, executed), played(universe, interpreted), strict=True)
    return "same" if all(all(map(torch.equal, ours, theirs)) for ours, theirs in ticks) else "differs"


def test_the_order_as_it_is_gives_what_the_interpreter_does(monkeypatch: pytest.MonkeyPatch) -> None:
    assert departs(ORDER, monkeypatch) == "same"


@pytest.mark.parametrize(
    ("number", "found"), list(enumerate(SWAPPED)), ids=[f"{a.name}-{b.name}" for a, b in pairwise(ORDER)]
)
def test_steps_that_change_places_are_noticed(number: int, found: Found, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [*ORDER]
    steps[number : number + 2] = reversed(steps[number : number + 2])
    assert departs(tuple(steps), monkeypatch) == found


def test_agents_that_look_before_worlds_begin_anew_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert departs((*ORDER[:-4], *ORDER[-2:], *ORDER[-4:-2]), monkeypatch) == "refused"


def test_phases_that_can_be_left_out_are_those_of_all_functions_of_a_tick() -> None:
    parts = [part.name for part in phase_parts(lower(everything()).program)]
    assert parts == ["act", "interact", "decay", "rules", "world", "cells", "deaths", "reward", "births"]


def test_the_checker_follows_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
universe filled
space grid 3 x 3
meter energy = 1.0 { decay uniform(0, 0.9) }
rule fills: energy = 1
dies when energy < 0.5
reward 0.1
observe { meters }
"""
    rising = text.replace("energy = 1\ndies", "energy += 0.25 unclamped\ndies").replace("uniform(0, 0.9)", "0.2")
    with pytest.raises(SourceError, match="H062"):
        universe_of(text)
    assert universe_of(rising).meters[0].reach == (0.0, 1.25)
    swapped = (*ORDER[:2], ORDER[4], ORDER[2], ORDER[3], *ORDER[5:])
    monkeypatch.setattr(order, "ORDER", swapped)
    assert universe_of(text).meters[0].reach is None
    assert universe_of(rising).meters[0].reach == (0.0, 1.0)
