"""Defaults of trainings, which depend on how a universe pays."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from hamlet_train.cli import ending
from hamlet_train.run import Run, open_universe
from hamlet_train.settings import Settings, usual_of
from hamlet_train.tuning.kept import command
from processes import Says

UNIVERSES = Path("universes").resolve()
LAVA = str(UNIVERSES / "ports/minigrid_lava_gap_s7.hamlet")
DISCOUNT = 1 - 1 / 196
SHORT = "--ticks", "2000", "--worlds", "20", "--threads", "1"


@pytest.mark.parametrize(
    ("universe", "discount"),
    [
        ("ports/minigrid_lava_gap_s7", DISCOUNT),
        ("gallery/cellars", 1 - 1 / 120),
        # Its agents live 640 ticks, longer than the town's.
        ("ports/minigrid_door_key_8x8", 0.998),
        # These pay in every tick, have no lifespan, or have roles.
        ("gallery/bandit", 0.998),
        ("first_meal", 0.998),
        ("ports/fire", 0.998),
        ("ports/wolf_sheep", 0.998),
    ],
)
def test_who_is_paid_for_an_end_alone_looks_as_far_as_it_lives(universe: str, discount: float) -> None:
    usual = usual_of(open_universe(UNIVERSES / f"{universe}.hamlet").universe)
    assert usual == Settings(discount=discount)


def test_a_training_has_the_defaults_of_its_universe_unless_it_is_told_others(hamletc_says: Says) -> None:
    assert hamletc_says("train", LAVA, "--name", "usual", "--set", "rate=0.001", *SHORT)[0] == 0
    assert Run(Path("runs/usual")).read().settings == Settings(rate=0.001, discount=DISCOUNT)
    code, _, said = hamletc_says("train", LAVA, "--name", "usual", "--set", "rate=0.001", "--resume")
    assert (code, "has other settings" in said) == (0, False)
    assert hamletc_says("train", LAVA, "--name", "told", "--set", "discount=0.998", *SHORT)[0] == 0
    assert Run(Path("runs/told")).read().settings == Settings()


def test_a_tuning_says_what_differs_from_these(hamletc_says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "show", lambda *_: None)
    size = "--budget", "20k", "--candidates", "2", "--worlds", "20", "--threads", "1"
    code, table, said = hamletc_says("tune", LAVA, *size, "--search", "discount=0.998", "--name", "tuned")
    assert code == 0, said
    assert re.search(r"│ the defaults +│", table)
    assert "discount=0.998" in table
    manifest, usual = Run(Path("runs/tuned")).read(), Settings(discount=DISCOUNT)
    assert "discount" not in " ".join(command(replace(manifest, settings=usual), "again", False, usual))
    # What it is told is no default here, though it is one elsewhere.
    assert "--set discount=0.998" in " ".join(command(replace(manifest, settings=Settings()), "again", False, usual))
