"""Locals in traces: where their statements run, between the changes around them, with the values of the interpreter."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner

from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Interpreter
from hamlet.interpreter import Trace as Writes
from hamlet.numbers.binary32 import spell32
from hamlet.universe import Let, nodes
from hamlet_lab.diff.open import opened
from hamlet_lab.divergence.events import CPU
from hamlet_lab.trace.changes import Trace, traced
from hamlet_lab.trace.course import Course, live
from hamlet_lab.trace.told import lines
from hamletc.cli.main import hamletc

TEXT = """
universe pantry
space grid 2 x 2
lifespan 50 ticks
clock 6 hours
meter energy = 1.0 { decay 0.01 }
meter food = 0.5
world {
    meter stock = 5 in 0 .. 10
    rule grows { let much = 0.1 * stock  stock += 0.7 - much }
}
cells {
    meter moss = 0.3
    rule spreads: position y == 1 -> { let wet = 0.01 * moss + 0.001  moss += wet }
}
affordance Kitchen at random lasts 2 ticks together {
    each tick { let bite = 0.3 * energy  food += bite  energy -= 0.01 }
    on completion { let bite = 0.1  energy += bite }
}
effect weary lasts 3 ticks { on start { let gone = 0.1 * energy  energy -= gone } }
action EAT { needs food > 0.1  let bite = min(food, 0.2)  food -= bite  energy += 0.5 * bite }
rule starts {
    let before = energy
    energy -= 0.001
    food -= 0.001 * before
}
rule tires: energy < 0.95 -> { let tired = uniform(0, 1) < 0.4  let slow = 0.01 * energy  energy -= slow when tired }
rule wears: food < 0.4 -> begin weary
rule asks: hour == 3 -> {
    together {
        let much = 0.1 * food
        food -= much
        energy += much
    }
}
dies when energy <= 0
reward food + 0.001 * stock
observe { meters  here  time  window 1 of moss }
"""
AGENTS = 2


def trace_of(folder: Path, backend: str = "interpreter") -> Trace:
    path = folder / "pantry.hamlet"
    path.write_text(TEXT)
    side = opened(path, folder / "unused").side(backend)
    return traced(live(side, Shape(1, AGENTS, 3), 7, 60, {}), 1, side)


def worked_out(course: Course) -> list[list[tuple[str, int, str]]]:
    """The locals of each tick as the interpreter works them out, in order: name, line and value."""
    writes = Writes(0, 1)
    interpreter = Interpreter(course.universe, CPU, trace=writes)
    conditions = {each.name for each in nodes(course.universe) if isinstance(each, Let) and "tired" in each.name}
    result = []
    for number, tick in enumerate(course.ticks):
        buffers = allocate(course.universe, Shape(1, AGENTS, course.world), CPU, None)
        for name, values in course.before[number].items():
            buffers.state[name].copy_(torch.from_numpy(values))
        writes.writes.clear()
        interpreter.step(buffers, torch.from_numpy(course.actions[number]), Stream(course.seed, int(tick)))
        lets = [each for each in writes.writes if each.meter.startswith("let ") and each.meter != "let wet"]
        result.append(
            [
                (each.meter.rstrip(" 23456"), each.span.line, spelled(each.value, each.meter in conditions))
                for each in lets
            ]
        )
    return result


def spelled(value: float, condition: bool) -> str:
    return str(bool(value)).lower() if condition else spell32(value)


@pytest.mark.parametrize("backend", ["interpreter", "ir"])
def test_locals_are_what_the_interpreter_works_out_where_it_does(tmp_path: Path, backend: str) -> None:
    made = trace_of(tmp_path, backend)
    assert made.differs is None
    ours = [
        [(each.name, each.source.line, each.value.text) for each in tick.locals if not each.name.startswith("let wet")]
        for tick in made.ticks
    ]
    assert ours == worked_out(made.course)
    constructs = {each.source.construct for tick in made.ticks for each in tick.locals}
    assert constructs == {
        *(
            "rule grows",
            "rule spreads",
            "rule starts",
            "rule tires",
            "rule asks",
            "rule wears",
            "action EAT",
            "affordance Kitchen",
        ),
    }
    names = {(each.name, each.value.text) for tick in made.ticks for each in tick.locals}
    assert {("let tired", "true"), ("let tired", "false"), ("let bite", "0.1")} <= names


def test_locals_stand_between_the_changes_around_them(tmp_path: Path) -> None:
    """A local that is only another name for a state is told where its statement is, not where the state is read."""
    told = 0
    for tick in trace_of(tmp_path).ticks:
        for each in tick.locals:
            if each.name == "let before":
                before = [change for change in tick.changes[: each.before] if change.state == "meter.energy"]
                behind = [change for change in tick.changes[each.before :] if change.state == "meter.energy"]
                assert [change.source.construct for change in before][-1:] == ["meter energy decay"]
                assert each.value.bits == before[-1].after.bits
                if behind:
                    assert behind[0].source.construct == "rule starts"
                    told += 1
    assert told > 20


def test_locals_of_cells_are_told_of_each_where_they_are_asked_for(tmp_path: Path) -> None:
    made = trace_of(tmp_path)
    cells = {each.name for tick in made.ticks for each in tick.locals if each.name.startswith("let wet")}
    assert cells == {"let wet[0,1]", "let wet[1,1]"}
    for tick in made.ticks[:5]:
        for each in tick.locals:
            if each.name == "let wet[0,1]":
                (change,) = (one for one in tick.changes if one.state == "cells.moss[0,1]")
                grown = np.float32(change.before.text) + np.float32(each.value.text)
                assert spell32(float(grown)) == change.after.text
    assert "wet" not in "\n".join(lines(made))
    asked = "\n".join(lines(made, ["wet"]))
    assert re.search(r"let wet\[0,1]  0\.004 +pantry\.hamlet:14  rule spreads", asked)
    assert "let wet[0,1]" in "\n".join(lines(made, ["let wet[0,1]"]))
    assert "let wet[1,1]" not in "\n".join(lines(made, ["let wet[0,1]"]))


def test_the_command_tells_locals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pantry.hamlet").write_text(TEXT)

    def run(*more: str) -> str:
        return CliRunner().invoke(hamletc, ["trace", "pantry.hamlet@ir", "--ticks", "9", *more]).output

    assert re.search(r"\n  let much +0\.5 +pantry\.hamlet:10  rule grows\n  stock  ", run())
    only = run("--state", "much").split("\n")
    assert {line.split()[0] for line in only if line.startswith("  ")} == {"let"}
    assert "there is no state mutch: did you mean much?" in run("--state", "mutch")
    told = json.loads(run("--json", "--state", "energy", "--state", "let before"))
    for tick in told["ticks"]:
        (local,) = tick["locals"]
        assert (local["name"], local["line"], local["construct"]) == ("let before", 23, "rule starts")
        assert tick["changes"][local["changes_before"]]["bits"][0] == local["bits"]
