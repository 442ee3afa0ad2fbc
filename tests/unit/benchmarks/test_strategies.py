"""Every strategy of the ablation leaves the interpreter's bits, and the checker notices one that does not."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest
import torch

import hamlet
from processes import Run

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "benchmarks" / "strategies"
SIZE = ["--lanes", "64", "--ticks", "8", "--long-ticks", "16", "--samples", "1", "--pause", "0"]


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, run_program: Run) -> tuple[Path, dict[str, Any]]:
    """The script in a process of its own, at a tiny size, and without the minute that torch.compile takes."""
    result = tmp_path_factory.mktemp("strategies") / "tiny.json"
    done = run_program(FOLDER / "run.py", *SIZE, "--skip", "g", "g2", "--json", result)
    assert done.returncode == 0, done.stdout + done.stderr
    return result, json.loads(result.read_text())


@pytest.mark.long
def test_every_strategy_that_runs_leaves_every_bit(found: tuple[Path, dict[str, Any]]) -> None:
    rows = {row["letter"]: row for row in found[1]["strategies"]}
    assert list(rows) == ["a", "b", "c", "d", "e", "f", "g", "g'", "g2", "g2'", "h", "i", "i'", "-"]
    without = {letter: row["reason"] for letter, row in rows.items() if "reason" in row}
    assert without == {
        letter: "skipped" if letter in ("g", "g2") else "CUDA graphs need a GPU" for letter in rows if letter[0] == "g"
    }
    for letter, row in rows.items():
        if letter not in without:
            assert row["verdict"]["equal"], (letter, row["verdict"]["text"])
            assert row["verdict"]["compared"] > 8_000
            assert len(row["samples"]) == 1
            assert row["median"] > 0


@pytest.mark.long
def test_table_and_plot_are_written(found: tuple[Path, dict[str, Any]]) -> None:
    table = found[0].with_suffix(".md").read_text()
    assert table.count("| every bit |") == 10
    assert "load average" in table
    assert found[0].with_suffix(".png").stat().st_size > 10_000


def test_the_two_generators_write_the_same_code() -> None:
    from ast_built import module
    from string_template import source
    from town import town_config

    config = town_config(hamlet.load(ROOT / "generated" / "town").universe)
    assert ast.dump(module(config)) == ast.dump(ast.parse(source(config)))


def test_a_wrong_strategy_is_noticed() -> None:
    from backends import Shipped
    from exactness import judge
    from masked_torch import MaskedTorch
    from timing import near_the_end, random_actions, warm_start

    town, cpu = hamlet.load(ROOT / "generated" / "town"), torch.device("cpu")
    start = near_the_end(town, warm_start(town, cpu, 512))
    actions = random_actions(town, start, 64)
    reference, wrong = Shipped(town, cpu, "interpreter", 1), MaskedTorch(town.universe, cpu)
    # Just enough to change the last bit of a mood near 1
    wrong.config["meters"][4]["decay"] += 6e-8
    verdict = judge(town.universe, reference, wrong, start, actions)
    assert not verdict.equal
    assert verdict.first_tick == 1
    assert "meters" in verdict.fields
    assert verdict.ulp >= 1
    assert verdict.lanes > 0.5


def test_a_wrong_count_is_noticed() -> None:
    from backends import Shipped
    from exactness import different
    from timing import random_actions, warm_start

    town, cpu = hamlet.load(ROOT / "generated" / "town"), torch.device("cpu")
    start = warm_start(town, cpu, 64)
    actions = random_actions(town, start, 8)
    left, right = Shipped(town, cpu, "interpreter", 1), Shipped(town, cpu, "c", 8)
    left.prepare(start)
    right.prepare(start)
    expected, other = left.run(actions), right.run(actions)
    assert different(expected, other) == ()
    other.statistics.uses[3] += 1
    assert different(expected, other) == ("uses",)


def test_too_short_a_comparison_is_refused() -> None:
    from backends import Shipped
    from exactness import judge
    from timing import random_actions, warm_start

    town, cpu = hamlet.load(ROOT / "generated" / "town"), torch.device("cpu")
    start = warm_start(town, cpu, 8)
    reference = Shipped(town, cpu, "interpreter", 1)
    with pytest.raises(ValueError, match=r"never used|no episode"):
        judge(town.universe, reference, reference, start, random_actions(town, start, 2))


def test_a_universe_that_is_not_like_the_town_is_refused() -> None:
    from town import town_config

    with pytest.raises(ValueError, match="not like the town"):
        town_config(hamlet.load(ROOT / "generated" / "shifts").universe)
