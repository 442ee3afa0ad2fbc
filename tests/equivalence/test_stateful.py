"""States of each kind, start values of the world, and all that looks back: the same on every backend, and all of it
happens."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch
from agreement import check_text, checked

from hamlet.backend.buffers import Shape
from hamlet.schema import Bounds
from hamlet.universe import StateType
from hamlet_lab.divergence.executed import Executed
from hamlet_lab.verify import Candidate, Effort, verify
from hamlet_lab.verify.injection import Injector
from hamletc.compilation import Compilation
from processes import Run
from samples import sample, text

UNIVERSE = sample("stateful")
SOURCE = Path(__file__).parents[1] / "samples" / "universes" / "constructs" / "stateful.hamlet"
CPU = torch.device("cpu")


def test_everything_happens_and_is_the_same_in_the_tick_ir() -> None:
    program = Compilation.begin(UNIVERSE).run().program
    found = verify(UNIVERSE, [Candidate(Executed(UNIVERSE, program, "the program"), CPU)], Effort(13, 4, 32))
    assert found.equal, found.render()
    assert found.ok, found.render()


@pytest.mark.skipif(not os.environ.get("HAMLET_LONG_TESTS"), reason="takes a minute: HAMLET_LONG_TESTS=1")
def test_kernels_do_the_same(run_program: Run) -> None:
    """In a process of its own, because Triton decides when it is imported whether kernels run on its interpreter."""
    fuzz = Path(__file__).with_name("fuzz.py")
    done = run_program(fuzz, "--again", SOURCE, "--first", "6", "--backends", "c,triton", timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_is_formatted_and_kept() -> None:
    check_text(text("stateful"), checked(text("stateful")))


def test_injected_states_hold_what_they_can_hold() -> None:
    """Whole numbers within bounds, also in the hidden states of what looks back."""
    assert UNIVERSE.world is not None
    shape = Shape(40, 3)
    whole = 0
    for seed in range(4):
        state = Injector(UNIVERSE, shape, seed).state()
        for field, meters in (("meters", UNIVERSE.meters), ("world_meters", UNIVERSE.world.meters)):
            for meter, row in zip(meters, state[field], strict=True):
                bounds = Bounds(meter.low, meter.high)
                assert bounds.low - 1e-6 <= row.min(), meter.name
                assert row.max() <= bounds.high + 1e-6, meter.name
                if meter.type is not None and meter.type.whole:
                    assert torch.equal(row, row.round()), meter.name
                    whole += int(row.max() > row.min())
    assert whole > 40


def test_hidden_states_are_as_narrow_as_what_they_keep() -> None:
    found = {meter.name: (meter.type, meter.low, meter.high) for meter in UNIVERSE.meters if meter.type is not None}
    assert found["energy, 5 ticks ago"] == (StateType("real", (), "lag(energy, 5)"), 0.0, 1.0)
    assert found["sky, 3 ticks ago"] == (StateType("options", ("clear", "dull", "real"), "lag(sky, 3)"), 0.0, 2.0)
    assert found["used == Bed, 2 ticks ago"] == (StateType("bool", (), "lag(used == Bed, 2)"), 0.0, 1.0)
    assert found["ticks since used == Bed"] == (StateType("int", (), "since(used == Bed)"), 0.0, 40.0)
    # What `lag` and `mean` look at is kept once.
    assert sum(name.startswith("energy, ") for name in found) == 7
