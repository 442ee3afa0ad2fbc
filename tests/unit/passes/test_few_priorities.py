"""Priorities that are few whole numbers: which are found, and that nobody comes before another one because of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hamlet.universe import Universe
from hamletc.compile import Options, lower, optimise
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Output, Program
from hamletc.ir.ops import F32
from hamletc.ir.ordering import number_of, ordered
from hamletc.ir.text import parse_program, print_program
from hamletc.ir.verifier import VerificationError, verify_program
from hamletc.passes.few_priorities import NAME
from samples import universe_of

LANES = 400
UNIVERSE = """
universe fair
space none
lifespan 30 ticks
state level: int in -3 .. 9 = 0
state ticket: int in 0 .. 2000 = 0
state late = false
state sky: clear dull wet = dull
meter mood = 0.5 in 0 .. 1
affordance Booth {{ capacity 3 to highest {key}  instantly {{ mood += 0.1 }} }}
rule moves: mood -= 0.1 * rank(mood > 0.3, {key}) + 0.001 * count(mood > 0.5)
rule changes {{ level = integer(-3, 9)  ticket += 1  late = chance(0.5)  sky = choice(clear: 1, wet: 1) }}
reward mood when (late or sky == wet)
observe {{ meters  state }}
"""
KEYS: dict[str, int | None] = {
    "level": 13,
    "-level": 13,
    "level + 2 * level": 37,
    "if late then level else 20": 24,
    "min(ticket, 5)": 6,
    "ticket": 2001,
    "-ticket * 0": 1,
    "floor(8 * mood)": 10,
    "age": 31,
    "agent": None,
    "mood": None,
    "level / 2": None,
    "0.5 * level": None,
    "ticket * ticket": None,
    "ticket * 2000 + 8000000": None,
}
"""Priorities, and how many there are at most, where they are few whole numbers. Of what a floor is made of the analysis
does not know that it never reaches one more."""


def programs(key: str) -> tuple[Universe, Program, Program]:
    """A universe with this priority, and its program without the pass and with it."""
    universe = universe_of(UNIVERSE.format(key=key))
    without = optimise(lower(universe, Options(disabled_passes=(NAME,)))).program
    return universe, without, optimise(lower(universe)).program


def words(program: Program) -> dict[str, np.ndarray]:
    """Priorities in random states of lanes, by names of outputs."""
    function, random = program.function("reduce_tick"), np.random.default_rng(3)
    given = {
        "meter.level": random.integers(-3, 10, LANES).astype(np.float32),
        "meter.ticket": random.choice([0, 1, 2, 1999, 2000, 7], LANES).astype(np.float32),
        "meter.late": random.integers(0, 2, LANES).astype(np.float32),
        "meter.sky": random.integers(0, 3, LANES).astype(np.float32),
        "meter.mood": random.choice([0.0, 1.0, 0.125, 0.1249, 0.5, 0.875, 0.99], LANES).astype(np.float32),
        "age": random.integers(0, 30, LANES).astype(np.int32),
        "agent": np.arange(LANES, dtype=np.int32),
        "action": random.integers(0, 2, LANES).astype(np.int32),
    }
    found = evaluate(function, given, {table.name: table for table in program.tables})
    return {name: np.broadcast_to(each, LANES) for name, each in found.items() if name.startswith("priority.")}


@pytest.mark.parametrize(("key", "few"), KEYS.items())
def test_few_whole_priorities_are_numbered_and_keep_their_order(key: str, few: int | None) -> None:
    _, before, after = programs(key)
    assert {each.few for each in before.reductions} == {None}
    assert {each.few for each in after.reductions if each.op in ("rank", "grant")} == {few}
    plain, numbered = words(before), words(after)
    assert plain.keys() == numbered.keys()
    assert len(plain) == 2
    for name, expected in plain.items():
        found = numbered[name]
        assert (np.less.outer(found, found) == np.less.outer(expected, expected)).all()
        assert few is None or (found.min() >= 1 and found.max() <= few)


def test_how_many_cells_there_are_is_kept_where_priorities_are_numbered() -> None:
    text = UNIVERSE.format(key="level").replace("space none", "space grid 3 x 5")
    text = text.replace("Booth {", "Booth at (0, 0) {").replace(
        "0.001 * count(mood > 0.5)", "0.001 * count(mood > 0.5) at (position x + 1, position y)"
    )
    program = optimise(lower(universe_of(text))).program
    assert {each.op: each.few for each in program.reductions} == {"rank": 13, "grant": 13, "alike": 15}


def test_what_is_few_is_printed_and_read_and_verified() -> None:
    _, _, program = programs("level")
    text = print_program(program)
    assert "reduction tick rank.0 = rank of 13 priorities" in text
    assert parse_program(text).reductions == program.reductions
    counts = tuple(replace(each, few=2) if each.op == "count" else each for each in program.reductions)
    with pytest.raises(VerificationError, match=r"count\.0: it has no priorities"):
        verify_program(replace(program, reductions=counts))


def test_the_number_of_a_word_is_found_in_what_was_lowered_only() -> None:
    builder = Builder()
    number = builder.input(F32, "x")
    word = ordered(builder, number)
    other = builder.select(builder.less(number, builder.f32(1.0)), *[builder.to_bits(number)] * 2)
    assert number_of(builder.nodes, word) == number
    assert number_of(builder.nodes, other) is None
    assert all(number_of(builder.nodes, each) is None for each in range(word))
    function = builder.finish("f", (Output("a", word),))
    assert evaluate(function, {"x": np.float32([-0.0, 0.0])}, {})["a"].tolist() == [1 << 31] * 2


def test_a_state_that_must_be_whole_is_known_to_be() -> None:
    universe, _, _ = programs("level")
    inputs = lower(universe).facts.inputs
    assert {name: inputs[f"meter.{name}"].whole for name in ("level", "late", "sky", "mood")} == {
        "level": True,
        "late": True,
        "sky": True,
        "mood": False,
    }
