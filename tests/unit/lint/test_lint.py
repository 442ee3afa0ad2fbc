"""`hamletc lint`: each finding in a universe that has it, and none in one that is sound."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from hamlet_lab.diff.open import opened
from hamlet_lab.divergence.compiled import lowered
from hamlet_lab.lint import findings
from hamlet_lab.lint.findings import Finding, Lint
from hamletc.cli.main import hamletc

UNIVERSES = Path(__file__).parents[3] / "universes"
SOUND = """
universe yard
space grid 3 x 1
lifespan 60 ticks { reward 1.0 }
meter food = 0.8 { decay 0.02 }
meter cheer = 0.5 { decay 0.01 }
cascade hunger_saddens: food < 0.5 -> cheer -= 0.01 * deficit
affordance Kitchen at (0, 0) { instantly { food += 0.5 } }
affordance Swing at (2, 0) { instantly { cheer += 0.4  food -= 0.02 } }
dies when food <= 0
reward cheer
observe { meters }
"""
FAULTS = {
    "H357": ("cheer += 0.4  ", ""),
    "H358": (
        "affordance Swing at (2, 0) {",
        "affordance Pit at (1, 0) { instantly { food -= 0.2 } }\naffordance Swing at (2, 0) {",
    ),
    "H359": ("food < 0.5 ->", "food < 0.01 ->"),
    "H348": ("reward cheer\n", "reward cheer\nreward 0.5 when used == Swing\n"),
    "H349": ("food += 0.5", "food += 0.01"),
}


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "FIRING", 20_000)


def found(text: str, tmp_path: Path) -> list[Finding]:
    path = tmp_path / "yard.hamlet"
    path.write_text(text)
    source = opened(path, tmp_path / "package")
    return list(Lint(source.side("interpreter"), lowered(source.universe).program, str(path)).findings())


def test_a_sound_universe_has_none(tmp_path: Path) -> None:
    assert [each.code for each in found(SOUND, tmp_path)] == []


@pytest.mark.parametrize("code", FAULTS)
def test_each_fault_is_found(code: str, tmp_path: Path) -> None:
    before, after = FAULTS[code]
    assert SOUND.count(before) == 1
    (finding, *_) = [each for each in found(SOUND.replace(before, after), tmp_path) if each.code == code]
    assert finding.subject.line
    assert finding.evidence
    assert finding.trace.startswith("hamletc ")


def test_the_verb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "yard.hamlet").write_text(SOUND.replace("cheer += 0.4  ", ""))
    done = CliRunner().invoke(hamletc, ["lint", "yard.hamlet@interpreter"])
    assert done.exit_code == 1
    assert "warning[H357]: a meter that falls to its floor whatever one does: meter cheer" in done.output
