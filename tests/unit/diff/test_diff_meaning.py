"""`hamletc diff` of two universes: what changed in meaning, what that does, where they part, and the picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from faults import TOY, in_texts

from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet_lab.diff.behaviour import Behaviour, behaviour
from hamlet_lab.diff.meaning import Part, meaning
from hamlet_lab.divergence.events import Runner
from hamlet_lab.divergence.session import Side
from hamletc.cli.main import hamletc

WORLDS, TICKS, SEED = 60, 25, 3


def of(tmp_path: Path, before: str, after: str) -> tuple[Side, Side]:
    left, right = in_texts(before, after)(tmp_path, pytest.MonkeyPatch())
    return left, right


def told(left: Side, right: Side) -> dict[str, Part]:
    return {part.name: part for part in meaning(left, right)}


def test_a_changed_number_is_told_with_its_lines(tmp_path: Path) -> None:
    parts = told(*of(tmp_path, "mood -= 0.02 *", "mood -= 0.03 *"))
    assert list(parts) == ["cascade hunger_saddens"]
    part = parts["cascade hunger_saddens"]
    assert (part.how, part.values) == ("changed", ("body 0.02 -> 0.03",))
    assert [each and (each.file, each.line) for each in (part.left, part.right)] == [
        ("toy.hamlet", 8),
        ("edited.hamlet", 8),
    ]


def test_the_line_of_a_value_and_not_of_its_declaration(tmp_path: Path) -> None:
    broken = TOY.replace("{ instantly { food += 0.4 ", "{\n instantly {\n food += 0.4 ")
    (tmp_path / "one").mkdir()
    left, _ = of(tmp_path / "one", TOY, broken)
    _, right = of(tmp_path, TOY, broken.replace("food += 0.4", "food += 0.5"))
    part = told(left, right)["affordance Kitchen"]
    assert part.values == ("instantly 0.4 -> 0.5",)
    assert part.left is not None
    assert part.right is not None
    assert (part.left.line, part.right.line) == (11, 13)


def test_new_and_gone(tmp_path: Path) -> None:
    parts = told(*of(tmp_path, "affordance Kitchen", "affordance Canteen"))
    assert {name: part.how for name, part in parts.items()} == {
        "affordance Canteen": "new",
        "affordance Kitchen": "gone",
    }
    assert parts["affordance Canteen"].left is None
    assert parts["affordance Kitchen"].right is None


def test_text_without_meaning(tmp_path: Path) -> None:
    assert not told(*of(tmp_path, "meter mood", "# moods\n\nmeter   mood"))


def test_lives_are_those_that_are_lived(tmp_path: Path) -> None:
    left, right = of(tmp_path, "0.001 * (0.5", "0.05 * (0.5")
    made = behaviour(left, right, WORLDS, TICKS, SEED)
    rows = {row.name: row for row in made.rows}
    for side, of_side in enumerate((left, right)):
        lives, returns, uses = _lived(of_side)
        for name, values in (("life in ticks", lives), ("return", returns), ("uses of Kitchen", uses)):
            assert (rows[name].left, rows[name].right)[side] == pytest.approx(float(values.mean())), name
        assert made.survival[side][5] == pytest.approx(float((lives > 6).mean()))
    assert rows["return"].difference < -rows["return"].half < 0


def _lived(side: Side) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First lives of one side, tick by tick."""
    runner = Runner(side.universe, side.candidate, Shape(WORLDS, 1))
    buffers, backend = runner.buffers, side.candidate.backend
    backend.reset(buffers, Stream(SEED, 0))
    running, result = np.ones(WORLDS, np.bool_), np.zeros((3, WORLDS))
    for tick in range(TICKS):
        backend.rollout(buffers, 1, RandomPolicy(), Stream(SEED, tick), False, None)
        outcome = {name: values.numpy() for name, values in buffers.outcome.items()}
        result += running * np.stack([np.ones(WORLDS), outcome["reward"], outcome["used"] == 0])
        running &= ~(outcome["terminated"] | outcome["truncated"])
    return result[0], result[1], result[2]


def played(left: Side, right: Side) -> Behaviour:
    return behaviour(left, right, WORLDS, TICKS, SEED)


def test_where_they_part_with_the_lines_of_both(tmp_path: Path) -> None:
    parting = played(*of(tmp_path, "health -= 0.001", "health -= 0.0011")).parting
    assert parting is not None
    assert (parting.place.tick, parting.place.world, parting.place.state) == (0, 0, "meter.health")
    assert [str(each) for each in (parting.left, parting.right)] == [
        "toy.hamlet:10  rule wear",
        "edited.hamlet:10  rule wear",
    ]
    assert float(parting.place.left) > float(parting.place.right)


def test_a_start_parts_before_anything_happens(tmp_path: Path) -> None:
    parting = played(*of(tmp_path, "meter mood = 0.5", "meter mood = 0.6")).parting
    assert parting is not None
    assert (parting.place.tick, parting.place.left, parting.place.right) == (None, "0.5", "0.6")
    assert str(parting.right) == "edited.hamlet:6  meter mood"


def test_who_only_renames_parts_in_nothing_that_both_have(tmp_path: Path) -> None:
    made = played(*of(tmp_path, "affordance Kitchen", "affordance Canteen"))
    assert made.parting is None
    rows = {row.name: row for row in made.rows}
    assert np.isnan(rows["uses of Canteen"].left)
    assert np.isnan(rows["uses of Kitchen"].right)


def test_the_verb_and_its_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    of(tmp_path, "food += 0.4", "food += 0.3")
    arguments = ["diff", "toy.hamlet", "edited.hamlet", "--quick", "--worlds", "9", "--ticks", "20"]
    done = CliRunner().invoke(hamletc, [*arguments, "--picture", "both.svg"])
    assert done.exit_code == 1, done.output
    assert "changed  affordance Kitchen: instantly 0.4 -> 0.3\n" in done.output
    assert "first parts in tick " in done.output
    assert "first parts" in (tmp_path / "both.svg").read_text()
    done = CliRunner().invoke(hamletc, [*arguments, "--picture", "both.pdf"])
    assert done.exit_code == 2
    assert "both.pdf ends in neither .svg nor .png" in done.output
