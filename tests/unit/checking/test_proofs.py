"""Proven ranges: worlds that run stay in them, and they are no wider than they must be where that can be said."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import hamlet
from hamletc.checking.check import prove
from hamletc.checking.proofs import Proofs
from hamletc.frontend import Stopwatch
from hamletc.language.parser import parse
from hamletc.read import read_universe
from samples import SHIPPED

PLAYED = ("first_meal", "town", "gallery/thermostat", "gallery/market", "gallery/oscillators", "ports/cartpole")
"""Universes of which meters are looked at while they run."""


def proofs_of(path: Path) -> Proofs:
    reading = read_universe(path, Stopwatch())
    found = prove(reading.file, tuple(source.title for source in reading.sources))
    assert found is not None
    return found


@pytest.mark.parametrize("name", PLAYED)
def test_worlds_stay_in_proven_ranges(name: str) -> None:
    path = SHIPPED / f"{name}.hamlet"
    proofs = proofs_of(path)
    env = hamlet.make(hamlet.compile(path), worlds=32, seed=3, backend="interpreter")
    looked, words = 0, torch.Generator().manual_seed(0)
    for _ in range(60):
        for meter in env.universe.meters:
            if meter.name in proofs.meters:
                where, values = proofs.meters[meter.name], env.meter(meter.name)
                assert where.low <= float(values.min()) <= float(values.max()) <= where.high, meter.name
                looked += 1
        env.step(torch.randint(env.num_actions, (env.num_lanes,), generator=words))
    assert looked >= 60


TEXT = """\
universe small
space none
meter joy = 0.5 { decay 0.02  only falls }
let gloom = 1 - joy
meter wealth = 3 in 0 .. 9
rule tax: wealth > 4 -> wealth -= 0.1 * wealth
action REST { wealth += gloom }
dies when joy <= 0
reward wealth
observe { meters }
"""


def test_values_are_those_where_they_count() -> None:
    """A guard narrows, a let is where any of its uses is, and a constant is itself."""
    file, _ = parse(TEXT)
    assert file is not None
    proofs = prove(file, ("small.hamlet",))
    assert proofs is not None
    lines = TEXT.split("\n")
    values = {
        (span.line, lines[span.line - 1][span.column - 1 : span.end_column - 1]): str(where)
        for span, where in proofs.values.items()
        if span.file == 0
    }
    assert {name: str(where) for name, where in proofs.meters.items()} == {"joy": "0 .. 0.5", "wealth": "3 .. 9"}
    assert values[6, "0.1 * wealth"] == "0.40000007 .. 0.90000004"
    assert values[4, "1 - joy"] == "0.5 .. 1"
    assert values[6, "0.1"] == "0.1"


def test_a_text_with_an_error_proves_nothing() -> None:
    file, _ = parse(TEXT.replace("reward wealth", "reward welth"))
    assert file is not None
    assert prove(file, ("small.hamlet",)) is None
