"""`poisson(m)`, `exponential(m)`, `geometric(p)`: by inversion of one word, with the probabilities that are theirs."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch

import hamlet
from hamlet.interpreter import draws
from hamlet.package.module import Module
from hamlet.universe import DrawPoisson, nodes
from hamletc.checking.check import check
from hamletc.checking.draws import most_of_poisson
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Output
from hamletc.ir.ops import F32, U32
from hamletc.language.parser import parse
from hamletc.lowering.draws import poisson

WORDS = np.concatenate([np.arange(0, 2**32, 2**16, dtype=np.uint64), [2**32 - 1, 2**32 - 256]]).astype(np.uint32)


@pytest.mark.parametrize("mean", [0.0, 0.01, 0.5, 1.0, 3.7, 20.0, 30.0])
def test_a_poisson_draw_inverts_the_distribution(mean: float) -> None:
    """Of all words but those within a millionth of where the next count begins."""
    most = most_of_poisson(mean)
    got = draws.poisson(torch.from_numpy(WORDS.astype(np.int64)), torch.tensor(np.float32(mean)), most).numpy()
    builder = Builder()
    value = poisson(builder, builder.input(U32, "word"), builder.input(F32, "mean"), most)
    function = builder.finish("poisson", (Output("result", value),))
    lowered = evaluate(function, {"word": WORDS, "mean": np.full(len(WORDS), mean, np.float32)}, ())["result"]
    np.testing.assert_array_equal(got, lowered)
    chances = [math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) if mean else float(k == 0) for k in range(99)]
    sums = np.cumsum(chances)
    share = (WORDS >> 8) * 2.0**-24
    exact = (sums[:most] <= share[:, None]).sum(1)
    apart = np.abs(sums[:most] - share[:, None]).min(1) > 4e-6
    assert apart.mean() > 0.98
    np.testing.assert_array_equal(got[apart], exact[apart])
    assert np.abs(got - exact).max() <= 4
    assert 1 - sums[most] < 2.0**-24
    assert most == 1 or 1 - sums[most - 1] >= 2.0**-24


TEXT = """
universe counters
space none
lifespan 9 ticks
meter rate = 3 in 1 .. 5
let first = once poisson(4)
state few: int in 0 .. 99 = 0
state many: int in 0 .. 99 = 0
state tries: int in 1 .. 9999 = 1
state wait: real in 0 .. 200 = 0
state other: int in 0 .. 9999 = 1
rule a: few = poisson(rate)
rule b: many = poisson(30)
rule c: tries = geometric(0.2)
rule d: wait = exponential(10)
rule e: other = geometric(rate / 10)
rule f: rate = if rate < 4 then 5 else 3
reward few + first
observe { state }
"""


@pytest.fixture(scope="module")
def module(compiled: Callable[[str], Module]) -> Module:
    return compiled(TEXT)


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_means_and_variances(module: Module, backend: str) -> None:
    """Within four standard errors of the mean and five of the variance; the same numbers on both backends."""
    worlds = 40_000
    env = hamlet.make(module, worlds=worlds, backend=backend, seed=11, quiet=True)
    first = env.meter("first").numpy().astype(np.float64)
    env.step(torch.zeros(worlds, dtype=torch.int32))
    env.step(torch.zeros(worlds, dtype=torch.int32))
    rows = {name: env.meter(name).numpy().astype(np.float64) for name in ("few", "many", "tries", "wait", "other")}
    wanted = {
        "first": (4, 4, 4 + 3 * 16),
        "few": (5, 5, 5 + 3 * 25),
        "many": (30, 30, 30 + 3 * 900),
        "tries": (5, 20, 20 * 20 * 9 + 20),
        "wait": (10, 100, 9 * 10**4),
        "other": (2, 2, 2 * 2 * 9 + 2),
    }
    for name, (mean, variance, fourth) in wanted.items():
        values = {"first": first, **rows}[name]
        assert abs(values.mean() - mean) < 4 * math.sqrt(variance / worlds), name
        assert abs(values.var() - variance) < 5 * math.sqrt((fourth - variance**2) / worlds), name
    assert (rows["tries"] == 1).mean() == pytest.approx(0.2, abs=0.01)
    assert rows["wait"].min() >= 0
    assert rows["wait"].max() <= 166.4
    assert [node.most for node in nodes(module.universe) if isinstance(node, DrawPoisson)] == [18, 63, 63]


def test_a_draw_has_its_rule_to_itself(compiled: Callable[[str], Module], module: Module) -> None:
    """What other rules draw changes nothing."""
    other = compiled(TEXT.replace("rule b: many = poisson(30)\n", "rule b: many = 2 + poisson(1) + poisson(2)\n"))
    one, two = (hamlet.make(each, worlds=50, seed=4, quiet=True) for each in (module, other))
    for env in (one, two):
        env.rollout(5)
    for name in ("few", "tries", "wait", "other", "first"):
        assert torch.equal(one.meter(name), two.meter(name)), name
    assert not torch.equal(one.meter("many"), two.meter("many"))


HEAD = "universe o\nspace none\nlifespan 9 ticks\nmeter a = 1 { decay 0.1 }\nreward a\nobserve { meters }\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rule r: a += 0.01 * poisson(30 * a)", set()),
        ("rule r: a += 0.01 * poisson(31)", {"H313"}),
        ("rule r: a += 0.01 * poisson(a - 0.1)", {"H313"}),
        ("rule r: a += 0.01 * poisson(40 * a)", {"H313"}),
        ("rule r: a += 0.01 * geometric(a)", {"H314"}),
        ("rule r: a += 0.01 * geometric(1)", {"H314"}),
        ("rule r: a += 0.01 * geometric(0.1 + 0.5 * a)", set()),
        ("rule r: a += 0.001 * exponential(a)", set()),
        ("rule r: a += 0.01 * poisson(a, 2)", {"H030"}),
        ("state n: int in 0 .. 9 = 0  rule r { n = min(poisson(2), 9)  a += 0.01 * n }", set()),
        ("state n: int in 0 .. 9 = 0  rule r { n = min(geometric(0.5), 9)  a += 0.01 * n }", set()),
        ("state n: int in 0 .. 9 = 0  rule r { n = min(exponential(2), 9)  a += 0.01 * n }", {"H163"}),
        ("action GO { needs poisson(2) > 1  a += 0.1 }", {"H068"}),
        # A function that a universe declares is its own.
        ("let poisson(m) = 0.01 * m  let geometric(p) = p  rule r: a += poisson(a) * geometric(a)", set()),
    ],
)
def test_what_is_said(text: str, expected: set[str]) -> None:
    file, problems = parse(HEAD + text + "\n")
    assert file is not None
    found = problems or check(file, ("o.hamlet",))[1]
    assert {each.code for each in found if each.severity == "error"} == expected
