"""The functions of the cell cache say together what `reset` says, of whose work each is a part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hamlet_lab.divergence import CPU as DEVICE
from hamlet_lab.divergence import Candidate
from hamlet_lab.divergence.executed import Executed
from hamlet_lab.verify import Effort, verify
from hamletc.compilation import Compilation
from hamletc.ir.evaluate import evaluate
from hamletc.lowering import lower
from hamletc.lowering.lower import lower_planned
from hamletc.lowering.plan import CPU, plan
from samples import NAMES, sample

CACHED = [name for name in NAMES if plan(sample(name), CPU).cell_cache]
LANES = 4000


def test_some_universes_have_a_cell_cache() -> None:
    assert {"town", "shifts"} <= set(CACHED)


@pytest.mark.parametrize("name", CACHED)
def test_what_passes_did_is_not_done_again(name: str) -> None:
    """The program for kernels with a cell cache is the same whether or not results for the other one are taken."""
    known = Compilation.begin(sample(name)).run()
    planned = known.plan.with_cell_cache(CPU)
    replanned = known.replanned(planned)
    assert replanned == replace(known.with_program(lower_planned(planned)), done=None).run().program
    assert replanned.function("situation") is known.program.function("situation")
    assert replanned.function("tick") != known.program.function("tick")


@pytest.mark.parametrize("agents", [1, 3])
@pytest.mark.parametrize("name", CACHED)
def test_an_episode_begins_alike(name: str, agents: int) -> None:
    universe = sample(name)
    alone, parts = lower(universe), lower(universe, CPU)
    generator, numbers = np.random.default_rng(11), np.arange(LANES)
    given = {
        "seed_low": np.full(LANES, 0x89ABCDEF, np.uint32),
        "seed_high": np.full(LANES, 0x01234567, np.uint32),
        "world": (numbers // agents).astype(np.uint32),
        "agent": (numbers % agents).astype(np.int32),
        "episode": np.repeat(generator.integers(0, 2**31, -(-LANES // agents)), agents)[:LANES].astype(np.int32),
    }
    expected = evaluate(alone.function("reset"), given, alone.tables)
    random = sum(affordance.place is None for affordance in universe.affordances)
    shuffled = evaluate(parts.function("shuffle"), given, parts.tables)
    given |= shuffled | {"index": (random + given["agent"]).astype(np.uint32)}
    given |= evaluate(parts.function("place"), given, parts.tables)
    found = evaluate(parts.function("reset"), given, parts.tables) | shuffled
    assert found.keys() == expected.keys()
    for output, values in expected.items():
        assert values.tobytes() == found[output].tobytes(), output
    assert len(np.unique(found["layout"])) > LANES // agents // 2


@pytest.mark.parametrize("name", ["first_meal", "shifts"])
def test_programs_that_keep_cells_run_by_definition(name: str) -> None:
    """Also what observes a grid, and so reads the cell of each affordance."""
    program = Executed(sample(name), lower(sample(name), CPU), "kept")
    report = verify(sample(name), [Candidate(program, DEVICE)], Effort(worlds=21, ticks=3, rounds=64))
    assert report.ok, report.render()
