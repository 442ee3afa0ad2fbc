"""`count(c) at (x, y)`, `total(e) at (x, y)`: the agents on a cell that is named by its coordinates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

import hamlet
from hamlet.package.module import Module
from hamletc.checking.check import check
from hamletc.language.parser import parse
from hamletc.lowering import reductions

TEXT = """
universe crowd
space grid 4 x 3 EDGES
lifespan 50 ticks
meter weight = integer(0, 16) / 16 { only read }
state beside: int in 0 .. 9 = 0
meter above = 0 in 0 .. 100
world {
    state column: int in 0 .. 3 = 0
    state heavy: int in 0 .. 9 = 0
    rule goes: column = mod(column + 1, 4)
    rule look: heavy = count(weight > 0.5) at (column, 1)
}
rule looks: beside = count(true) at (position x + 1, position y)
rule adds:  above = total(weight) at (position x, position y - 1)
reward weight
report with_me: count(other) at (position x, position y)
report fixed: count(weight < 0.5) at (2, 0)
observe { meters  state  position relative }
"""


@pytest.mark.parametrize("edges", ["", "{ edges wrap }"])
@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_agents_on_a_cell_are_counted(compiled: Callable[[str], Module], edges: str, backend: str) -> None:
    module = compiled(TEXT.replace("EDGES", edges))
    worlds, agents = 6, 9
    env = hamlet.make(module, worlds=worlds, agents=agents, backend=backend, seed=2, quiet=True)
    weight = env.meter("weight").numpy().reshape(worlds, agents).astype(np.float64)
    wraps = edges != ""

    def places() -> tuple[np.ndarray, np.ndarray]:
        x, y = (env.state["position"][axis].numpy().reshape(worlds, agents) for axis in range(2))
        return x.copy(), y.copy()

    def total(x: np.ndarray, y: np.ndarray, at: tuple[np.ndarray, np.ndarray], values: np.ndarray) -> np.ndarray:
        """The values of the agents on each of these cells, [worlds, asked], added up."""
        to_x, to_y = (at[0] % 4, at[1] % 3) if wraps else at
        there = (x[:, None, :] == to_x[:, :, None]) & (y[:, None, :] == to_y[:, :, None])
        return np.where(there, values[:, None, :], 0.0).sum(-1)

    ones = np.ones((worlds, agents))
    generator = torch.Generator().manual_seed(3)
    seen = 0
    for tick in range(12):
        x, y = places()
        env.step(torch.randint(0, 4, (worlds * agents,), dtype=torch.int32, generator=generator))
        beside = env.meter("beside").numpy().reshape(worlds, agents)
        assert np.array_equal(beside, total(x, y, (x + 1, y), ones))
        # Sixteenths add up exactly, in any order.
        assert np.array_equal(env.meter("above").numpy().reshape(worlds, agents), total(x, y, (x, y - 1), weight))
        seen += int(beside.sum())
        x, y = places()
        column = np.full((worlds, 1), tick % 4)  # as it was before the rules of the world
        heavy = total(x, y, (column, np.ones_like(column)), (weight > 0.5) * 1.0)
        assert np.array_equal(env.meter("heavy").numpy(), heavy[:, 0])
        with_me = env.reports["with_me"].numpy().reshape(worlds, agents)
        assert np.array_equal(with_me, total(x, y, (x, y), ones) - 1)
        fixed = total(x, y, (np.full((worlds, 1), 2), np.zeros((worlds, 1), int)), (weight < 0.5) * 1.0)
        assert np.array_equal(env.reports["fixed"].numpy().reshape(worlds, agents), np.repeat(fixed, agents, 1))
    assert seen > 50


@pytest.mark.parametrize("agents", [5, 70])
def test_a_table_by_cell_gives_the_bits_of_pairs(agents: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels compare agents where they are few, and count by cell where they are many: no other bits than of pairs."""
    more = "report ahead: count(other and weight > 0.3) at (beside, 1)\nreport fixed"
    text = TEXT.replace("EDGES", "{ starts anywhere }").replace("report fixed", more)
    digests = set()
    for name in ("table", "pairs"):
        if name == "pairs":
            monkeypatch.setattr(reductions, "counted_on_cell", lambda *_: None)
        (path := tmp_path / f"{name}.hamlet").write_text(text)
        module = hamlet.compile(path, tmp_path / f"package_{name}")
        kernels = next((tmp_path / f"package_{name}").glob("*_kernels.c")).read_text(encoding="utf-8")
        assert ("alike_worlds" in kernels) == (name == "table")
        env = hamlet.make(module, worlds=7, agents=agents, backend="c", seed=3, quiet=True)
        env.reset()
        env.rollout(30)
        digests.add(env.digest())
    assert len(digests) == 1


HEAD = "universe o\nspace grid 4 x 3\nlifespan 9 ticks\nmeter a = 1 { decay 0.1 }\nreward a\nobserve { meters }\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rule r: a += 0.01 * count(true) at (position x + 1, position y)", set()),
        ("rule r: a += 0.01 * count(a) at (position x, 0)", {"H027"}),
        ("rule r: a += 0.01 * count(true) at (position x)", {"H260"}),
        ("rule r: a += 0.01 * count(true) at (4, 0)", {"H260"}),
        ("rule r: a += 0.01 * count(true) at (10 * a, 0)", {"H261"}),
        ("rule r: a += 0.01 * rank(true, a) at (1, 0)", {"H312"}),
        ("rule r: a += 0.01 * average(a) at (1, 0)", {"H312"}),
        ("cells { meter m = 0  rule r: m = 0.1 * count(true) at (1, 0) }  rule s: a += m", {"H312"}),
        ("world { meter m = 0 in 0 .. 9  rule r: m = count(true) at (integer(0, 3), 0) }  rule s: a += m", {"H312"}),
        ("world { meter m = 0 in 0 .. 9  rule r: m = count(true) at (position x, 0) }  rule s: a += m", {"H092"}),
        ("allow WAIT when count(true) at (1, 0) > 0", {"H093"}),
    ],
)
def test_what_is_said(text: str, expected: set[str]) -> None:
    file, problems = parse(HEAD + text + "\n")
    assert file is not None
    found = problems or check(file, ("o.hamlet",))[1]
    assert {each.code for each in found if each.severity == "error"} == expected


def test_the_agents_ahead(compiled: Callable[[str], Module]) -> None:
    """Who has a heading asks for the cell ahead."""
    text = (
        "universe queue\nspace grid 4 x 4 { moves turning }\nlifespan 90 ticks\nmeter a = 1 { decay 0.1 }\n"
        "reward a\nreport ahead_of_me: count(true) at ahead\n"
        "report same: count(true) at (position x + ahead x, position y + ahead y)\nobserve { meters }\n"
    )
    env = hamlet.make(compiled(text), worlds=20, agents=8, seed=1, quiet=True)
    env.rollout(20)
    assert torch.equal(env.reports["ahead_of_me"], env.reports["same"])
    assert env.reports["same"].max() > 1
