"""Constructs that are added, taken away or put elsewhere change no draw of another one, in random universes."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
import torch
from cases import text

from examples import LONG
from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import Backend, Stream
from hamlet.interpreter import Interpreter
from hamlet.schema import action_names
from hamlet.universe import Universe, draws
from hamlet_lab.divergence.arrays import arrays, raw
from hamlet_lab.divergence.executed import Executed
from hamletc.checking.check import check
from hamletc.checking.sites import sites
from hamletc.compilation import Compilation
from hamletc.expansion.places import rewritten
from hamletc.language import syntax
from hamletc.language.parser import parse

CPU = torch.device("cpu")
SHAPE = Shape(8, 2, first_world=3)
ADDED = """universe added
meter added = uniform(0.2, choice(0.4: 3, 0.8: 1)) { decay uniform(-0.1, 0.1)  move normal(0, 0.1) }
rule adding: added += normal(0, 0.1) + uniform(-0.1, choice(0.1, added, 0.3)) + integer(-1, 1) * 0.1
cascade addition: added < 0.5 -> added += uniform(0, 0.1) * deficit
reward added: 0.001 * uniform(0, 1)
reward 0.001 when chance(0.25)
report addend: choice(1, 2, added) when chance(0.5)
"""

WORLD = """universe world
world {
    meter weather = 0.5
    rule weathering: weather += uniform(-0.1, 0.1) + normal(0, 0.1)
}
"""


def declarations(source: str, file: int = 0) -> tuple[syntax.Decl, ...]:
    """The declarations of a text, in a file of this number."""
    found, problems = parse(source)
    assert found is not None, problems
    return rewritten(found.declarations, lambda span: replace(span, file=file))


@pytest.fixture(scope="module")
def drawing() -> list[syntax.File]:
    """Random universes that draw, those with the most draws first."""
    files = [parse(text(number))[0] for number in range(30)]
    found = [file for file in files if file is not None and sites(file.declarations)]
    return sorted(found, key=lambda file: len(sites(file.declarations)), reverse=True)


def test_sites_stay(drawing: list[syntax.File]) -> None:
    """Those of each call, whatever else is there and wherever it stands: no two draws share a word."""
    drawn = random.Random(11)
    added, kept = (*declarations(ADDED, file=1), *declarations(WORLD, file=2)), 0
    for file in drawing:
        own = file.declarations
        whole = sites(own)
        assert len(set(whole.values())) == len(whole)
        for _ in range(5):
            mixed = drawn.sample(own, drawn.randint(len(own) // 2, len(own))) + drawn.sample(added, len(added))
            drawn.shuffle(mixed)
            found = sites(mixed)
            assert len(set(found.values())) == len(found)
            stayed = found.keys() & whole.keys()
            assert {place: found[place] for place in stayed} == {place: whole[place] for place in stayed}
            kept += len(stayed)
    assert kept > 200


def run(universe: Universe, backend: Backend) -> list[dict[str, torch.Tensor]]:
    """The bits of all values by name, after every tick."""
    numbers = [role.agents for role in universe.roles or ()]
    said = sum(each or 0 for each in numbers) if numbers and None not in numbers else SHAPE.agents
    shape = replace(SHAPE, agents=said)
    buffers = allocate(universe, shape, CPU, None)
    backend.reset(buffers, Stream(7, 0))
    actions = torch.Generator().manual_seed(3)
    result = []
    for tick in range(10):
        chosen = torch.randint(0, len(action_names(universe)), (shape.lanes,), generator=actions, dtype=torch.int32)
        backend.step(buffers, chosen, Stream(7, tick))
        found = arrays(universe, buffers, None)
        rows = [(each, row, values) for each in found for row, values in zip(each.rows, each.values, strict=True)]
        result.append({f"{each.name}.{row}": raw(values.clone()) for each, row, values in rows})
    return result


def test_what_is_drawn_stays(drawing: list[syntax.File]) -> None:
    """All that happens in a universe, on the interpreter and on programs, without and with constructs that draw for
    themselves between its own."""
    drawn, compared, drew = random.Random(12), 0, 0
    for file in drawing[: 5 if LONG else 3]:
        mixed = list(file.declarations)
        for each in declarations(ADDED, file=1):
            mixed.insert(drawn.randrange(len(mixed) + 1), each)
        universe, _ = check(file, ("one.hamlet",))
        other, _ = check(replace(file, declarations=tuple(mixed)), ("one.hamlet", "other.hamlet"))
        if universe is None or other is None:
            continue
        before = run(universe, Interpreter(universe, CPU))
        for backend in (Interpreter(other, CPU), Executed(other, Compilation.begin(other).program, "ir")):
            for left, right in zip(before, run(other, backend), strict=True):
                names = [name for name in left if not name.startswith(("reward.", "episode_return."))]
                assert all(torch.equal(left[name], right[name]) for name in names)
                compared += len(names)
        drew += len(draws(universe))
    assert drew > 20
    assert compared > 1000
