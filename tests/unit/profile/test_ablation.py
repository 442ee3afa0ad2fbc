"""A universe without a part does what the text without that part does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hamlet_lab.ablation import LeftOut, build_without, line_parts, phase_parts, without
from hamletc.compilation import Compilation
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Program
from hamletc.lowering.lower import lower
from hamletc.passes.facts import facts_of
from samples import universe_of
from samples.inputs import random_inputs

RULE = "rule up: mood += 0.25 * energy\n"
CASCADE = "cascade low: mood < 0.6 -> energy -= 0.1 * deficit\n"
TEXT = f"""universe parts
space grid 6 x 6 {{ edges clamp }}
lifespan 50 ticks {{ reward 0.5 }}
meter energy = 1.0 {{ decay 0.01  move 0.02 }}
meter mood = 0.5 {{ decay 0.03 }}
{RULE}{CASCADE}affordance Bed at random {{ instantly {{
    energy += 0.3
    mood += 0.1
}} }}
action REST {{ energy += 0.05 }}
dies when energy <= 0
reward energy
observe {{ meters }}
"""


def inputs_of(program: Program, lanes: int) -> dict[str, Any]:
    universe = universe_of(TEXT)
    return random_inputs(universe, program.function("tick"), facts_of(universe, program), lanes, 1)


def ticked(program: Program, inputs: dict[str, Any]) -> dict[str, Any]:
    return evaluate(program.function("tick"), inputs, program.tables, program.functions)


def found(name: str) -> tuple[Program, LeftOut]:
    universe = universe_of(TEXT)
    program = lower(universe)
    (part,) = (p for p in (*phase_parts(program), *line_parts(program, universe)) if p.name.endswith(name))
    return program, part


@pytest.mark.parametrize(
    ("part", "replaced"),
    [
        ("rule up", {RULE: ""}),
        ("cascade low", {CASCADE: ""}),
        (":9  affordance Bed", {"    energy += 0.3\n": ""}),
        ("meter mood decay", {"meter mood = 0.5 { decay 0.03 }": "meter mood = 0.5"}),
        ("rules", {RULE: "", CASCADE: ""}),
    ],
)
def test_a_part_left_out_is_the_text_without_it(part: str, replaced: dict[str, str]) -> None:
    text = TEXT
    for old, new in replaced.items():
        assert old in text
        text = text.replace(old, new)
    program, left = found(part)
    inputs = inputs_of(program, 4096)
    expected = ticked(lower(universe_of(text)), inputs)
    actual, whole = ticked(without(program, left), inputs), ticked(program, inputs)
    for name, values in expected.items():
        assert np.array_equal(actual[name].view(np.int32 if values.itemsize == 4 else np.uint8),
                              values.view(np.int32 if values.itemsize == 4 else np.uint8)), name  # fmt: skip
    assert any(not np.array_equal(actual[name], whole[name]) for name in whole), "the part did nothing"


def test_results_of_phases_left_out_are_nothing() -> None:
    program, deaths = found("deaths")
    inputs = inputs_of(program, 4096)
    assert ticked(program, inputs)["terminated"].any()
    outputs = ticked(without(program, deaths), inputs)
    assert not outputs["terminated"].any()
    assert not outputs["truncated"].any()
    assert (outputs["cause"] == -1).all()
    assert (ticked(without(*found("reward")), inputs)["reward"] == 0).all()


def test_parts_are_the_phases_and_the_lines() -> None:
    universe = universe_of(TEXT)
    program = lower(universe)
    assert [part.name for part in phase_parts(program)] == [
        "act", "interact", "decay", "rules", "deaths", "reward",
    ]  # fmt: skip
    names = [part.name for part in line_parts(program, universe)]
    assert [name for name in names if "mood" in name or "cascade" in name] == [
        f"{universe.sources[0]}:5  meter mood decay",
        f"{universe.sources[0]}:7  cascade low",
    ]


def test_a_package_is_built(tmp_path: Path) -> None:
    _, part = found("cascade low")
    universe = universe_of(TEXT)
    module = build_without(Compilation.begin(universe), part, "c", tmp_path / "0")
    source = module.sources["c_kernels.c"].decode()
    assert "rule up" in source
    assert "cascade low" not in source
    assert module.universe == universe
