"""`hamletc lint`: every kind of finding in a universe that has them, and none in one that is sound."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from hamlet.errors import EnvError
from hamlet_lab.diff.open import beside, opened
from hamlet_lab.divergence.compiled import lowered
from hamlet_lab.lint import farming, findings
from hamlet_lab.lint.findings import Finding, Lint
from hamlet_lab.lint.followed import followed
from hamlet_lab.lint.gains import gains_of
from hamlet_lab.lint.players import worlds_of
from hamlet_lab.lint.seen import watched
from hamlet_lab.lint.sinking import sinking
from hamletc.cli.main import hamletc

SOUND = """
universe yard
space grid 4 x 1
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
FAULTY = """
universe yard
space grid 4 x 1
lifespan 60 ticks { reward 1.0 }
meter food = 0.8 { decay 0.02 }
meter cheer = 0.5 { decay 0.01 }
meter pride = 0.5 { decay 0.02 }
cascade hunger_saddens: food < 0.5 -> cheer -= 0.01 * deficit
rule grief: food > 0.79 and cheer > 0.97 -> cheer -= 0.5
affordance Kitchen at (0, 0) { instantly { food += 0.005  pride += 0.005 } }
affordance Swing at (2, 0) { instantly { cheer += 0.4 } }
affordance Pit at (3, 0) { instantly { food -= 0.2 } }
dies when food <= 0
reward cheer * pride
reward 0.5 when used == Kitchen
observe { meters }
"""
FAULTS = [
    ("H357", "meter food", 5),
    ("H357", "meter pride", 7),
    ("H358", "affordance Pit", 12),
    ("H359", "rule grief", 9),
    ("H348", "reward", 15),
    ("H349", "dies when food <= 0", 13),
]


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "TICKS_FIRED", 10_000)
    monkeypatch.setattr(findings, "TICKS_OF_EACH", (60, 60))
    monkeypatch.setattr(farming, "USES", 20)


def lint_of(text: str, tmp_path: Path) -> Lint:
    path = tmp_path / "yard.hamlet"
    path.write_text(text)
    source = opened(path, tmp_path / "package")
    side, program = source.side("interpreter"), lowered(source.universe).program
    return Lint(side, program, str(path), lambda variant: beside(variant, "interpreter", tmp_path))


def findings_in(text: str, tmp_path: Path) -> list[Finding]:
    return list(lint_of(text, tmp_path).findings())


def test_a_sound_universe_has_none(tmp_path: Path) -> None:
    assert [each.code for each in findings_in(SOUND, tmp_path)] == []


def test_each_fault_is_reported(tmp_path: Path) -> None:
    findings_made = findings_in(FAULTY, tmp_path)
    assert [(each.code, each.subject.construct, each.subject.line) for each in findings_made] == FAULTS
    lines = ["", *FAULTY.split("\n")]
    assert all(lines[each.subject.line].strip() == each.subject.text.strip() for each in findings_made)
    assert all(each.evidence and each.sure.startswith("by ") for each in findings_made)
    assert all(each.trace.startswith("hamletc ") and str(tmp_path) in each.trace for each in findings_made)
    by_code = {each.code: each for each in findings_made}
    assert ", with food in " in by_code["H359"].evidence[0]
    assert by_code["H359"].trace.endswith(" --player needy --ticks 200 --state cheer")
    _, _, options = by_code["H349"].trace.partition("yard.hamlet ")
    assert options.startswith("--player needy --")


def test_a_rule_that_can_fire_is_shown_where_it_does(tmp_path: Path) -> None:
    """Many of the states that are drawn are such, and no player gets there."""
    text = FAULTY.replace("rule grief: food > 0.79 and cheer > 0.97", "rule grief: food > cheer + 0.31")
    judged = lint_of(text, tmp_path)
    (grief,) = judged._silent(1, gains_of(judged.universe, judged.program))
    assert "it can, but these players do not get there" in grief.evidence[1]
    command = grief.trace.split()
    assert command[:2] == ["hamletc", "explain"]
    assert next(part for part in command if "=" in part).startswith("food=")
    done = CliRunner().invoke(hamletc, command[1:])
    assert done.exit_code == 0, done.output
    (line,) = (line for line in done.output.split("\n") if "rule grief" in line)
    assert "-0.5  rule grief" in line


@pytest.mark.parametrize("name", ["needy", "linear"])
def test_the_longest_life_is_at_hand(name: str, tmp_path: Path) -> None:
    path = tmp_path / "yard.hamlet"
    path.write_text(FAULTY)
    source = opened(path, tmp_path / "package")
    side, gains = source.side("interpreter"), gains_of(source.universe, lowered(source.universe).program)
    seen = watched(side, name, worlds_of(name, 1), 4, 60, gains)
    course = followed(side, name, 1, seen.place[0], 4, seen.longest, gains)
    ages = [int(frame["age"][0]) for frame in course.after]
    assert ages == [*range(1, seen.longest), 0]
    with pytest.raises(EnvError, match=rf"there is no world 999: the {name} player has worlds 0 \.\. \d+"):
        followed(side, name, 1, 999, 4, 5, gains)
    arguments = [str(path) + "@interpreter", "--player", name, "--world", str(seen.place[0]), "--seed", "4"]
    done = CliRunner().invoke(hamletc, ["trace", *arguments, "--ticks", str(seen.longest), "--state", "age"])
    assert done.exit_code == 0, done.output
    assert f" {seen.longest} -> 0 " in done.output


@pytest.mark.parametrize(
    ("change", "falls", "rises"),
    [
        (("", ""), 0.01, 0.4),
        (("dies when", "rule cold: cheer -= 0.2\ndies when"), 0.21, 0.4),
        (("dies when", "rule warm: food > 0.5 -> cheer += 0.25\ndies when"), 0.01, 0.65),
        (("dies when", "action SING { cheer += 0.75 }\ndies when"), 0.01, 0.75),
        (("dies when", "rule bliss: food > 0.7 -> cheer = 0.9\ndies when"), 0.01, None),
        (("{ instantly { cheer += 0.4 ", "lasts 4 ticks { each tick { cheer += 0.1 } on completion { cheer += 0.2 "),
         0.01, 0.15),
    ],
)  # fmt: skip
def test_what_a_tick_does_at_most(change: tuple[str, str], falls: float, rises: float | None, tmp_path: Path) -> None:
    text = SOUND.replace(*change)
    path = tmp_path / "yard.hamlet"
    path.write_text(text if change[0] else SOUND)
    universe = opened(path, tmp_path).universe
    cheer = sinking(universe, universe.meters[1])
    assert cheer.falls == pytest.approx(falls)
    assert cheer.rises == pytest.approx(rises)
    assert cheer.most == 0.5


def test_the_verb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "yard.hamlet").write_text(SOUND.replace("cheer += 0.4  ", ""))
    monkeypatch.setattr(Lint, "findings", lambda self, _: self._falling([]))
    done = CliRunner().invoke(hamletc, ["lint", "yard.hamlet@interpreter"])
    assert done.exit_code == 1
    assert "warning[H357]: a meter that falls to its floor whatever one does: meter cheer" in done.output
    assert "  = sure by its text\n  = see: hamletc trace yard.hamlet --state cheer --ticks 51" in done.output
    told = json.loads(CliRunner().invoke(hamletc, ["lint", "yard.hamlet@interpreter", "--json"]).output)
    assert [(each["code"], each["subject"]["line"]) for each in told if each["sure"] == "by its text"] == [("H357", 6)]
    done = CliRunner().invoke(hamletc, ["lint", "yard.hamlet@interpreter", "--allow", "H357"])
    assert (done.exit_code, done.output) == (0, "yard.hamlet@interpreter: no findings\n")
    done = CliRunner().invoke(hamletc, ["lint", "yard.hamlet", "--allow", "H001"])
    assert done.exit_code == 2
    assert "there is no 'H001'" in done.output


def test_a_grid_without_moves_is_played(tmp_path: Path) -> None:
    """Whoever needs an affordance elsewhere cannot go there."""
    path = tmp_path / "yard.hamlet"
    leap = "action LEAP { food -= 0.01  teleport (integer(0, 3), 0) }\nactions WAIT INTERACT LEAP\n"
    path.write_text(SOUND.replace("dies when", f"{leap}dies when"), encoding="utf-8")
    done = CliRunner().invoke(hamletc, ["lint", str(path)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
