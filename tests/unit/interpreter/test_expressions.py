"""Expressions on the interpreter: every operation on edge values, bit for bit as numpy's binary32."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from hamlet.interpreter.expressions import evaluate
from hamlet.interpreter.lanes import load
from hamlet.universe import BinaryOp, Clamp, Distance, Edges, Expression, Metric, Unary
from samples.by_hand import SPAN, Player, binary, f32, grid, meter, number, place, universe, value

EDGES = [
    0,
    1,
    0x3F800000,
    0x3F7FFFFF,
    0x3F800001,
    0x00800000,
    0x007FFFFF,
    0x7F7FFFFF,
    0x4B800000,
    0x34000000,
    0x3E99999A,
]
WIDE = {"low": -3e38, "high": 3e38}


def numbers() -> Any:
    """Edge values of both signs, then random bits that are finite."""
    words = np.random.default_rng(0).integers(0, 1 << 32, 3000, dtype=np.uint64).astype(np.uint32)
    edges = np.array(EDGES + [word | 0x80000000 for word in EDGES], np.uint32)
    floats = np.concatenate([edges, words]).view(f32)
    return floats[np.isfinite(floats)]


def run(expression: Expression, x: Any, y: Any) -> Any:
    """The expression of meters m = x and n = y, by torch."""
    player = Player(universe(meters=(meter(**WIDE), meter("n", **WIDE))), worlds=len(x))
    player.set("meters", x, 0).set("meters", y, 1)
    backend = player.backend
    lanes = load(player.universe, player.buffers, backend._places, backend._constant)
    return evaluate(expression, lanes).reshape(-1).numpy()


def pairs() -> tuple[Any, Any]:
    edges = numbers()[: 2 * len(EDGES)]
    x, y = (grid.reshape(-1) for grid in np.meshgrid(edges, edges))
    rest = numbers()[2 * len(EDGES) :]
    return np.concatenate([x, rest]), np.concatenate([y, rest[::-1]])


ARITHMETIC = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "min": lambda a, b: np.where(a < b, a, b),
    "max": lambda a, b: np.where(b < a, a, b),
}
COMPARISONS = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}


def assert_same_bits(ours: Any, theirs: Any) -> None:
    both_nan = np.isnan(ours) & np.isnan(theirs)
    assert np.array_equal(np.where(both_nan, 0, ours.view(np.int32)), np.where(both_nan, 0, theirs.view(np.int32)))


@pytest.mark.parametrize("op", ARITHMETIC)
def test_arithmetic(op: BinaryOp) -> None:
    x, y = pairs()
    with np.errstate(all="ignore"):
        expected = ARITHMETIC[op](x, y)
        assert_same_bits(run(binary(op, value(), value("n")), x, y), expected)
        # with a constant, which is a tensor without dimensions
        for constant in (0.3, 3.0, 1e-40):
            assert_same_bits(
                run(binary(op, value(), number(constant)), x, y), ARITHMETIC[op](x, np.full_like(x, f32(constant)))
            )


@pytest.mark.parametrize("op", COMPARISONS)
def test_comparisons(op: BinaryOp) -> None:
    x, y = pairs()
    assert np.array_equal(run(binary(op, value(), value("n")), x, y), COMPARISONS[op](x, y))


def test_signs_and_clamps() -> None:
    x, y = pairs()
    assert_same_bits(run(Unary("-", value(), SPAN), x, y), -x)
    assert_same_bits(run(Unary("abs", value(), SPAN), x, y), np.abs(x))
    raised = np.where(x < y, y, x)
    expected = np.where(f32(0.5) < raised, f32(0.5), raised)
    assert_same_bits(run(Clamp(value(), value("n"), number(0.5), SPAN), x, y), expected)


def test_zeros_keep_their_sign_in_min_and_max() -> None:
    """min(a, b) is b unless a < b; max(a, b) is b unless b < a."""
    x, y = np.array([0.0, -0.0], f32), np.array([-0.0, 0.0], f32)
    assert np.signbit(run(binary("min", value(), value("n")), x, y)).tolist() == [True, False]
    assert np.signbit(run(binary("max", value(), value("n")), x, y)).tolist() == [True, False]


@pytest.mark.parametrize("edges", ["clamp", "wrap"])
@pytest.mark.parametrize("metric", ["manhattan", "euclidean", "chebyshev"])
def test_distances(edges: Edges, metric: Metric) -> None:
    sizes, there = (7, 5, 4), (6, 0, 1)
    world = universe(space=grid(*sizes, edges=edges, metric=metric), affordances=(place("Spot", there),))
    player = Player(world, worlds=7 * 5 * 4)
    cells = np.stack([axis.reshape(-1) for axis in np.meshgrid(*map(np.arange, sizes), indexing="ij")])
    player.set("position", cells)
    lanes = load(world, player.buffers, player.backend._places, player.backend._constant)
    distance = evaluate(Distance("Spot", SPAN), lanes).reshape(-1).numpy()
    steps = np.abs(cells - np.array(there)[:, None])
    if edges == "wrap":
        steps = np.minimum(steps, np.array(sizes)[:, None] - steps)
    expected = {
        "manhattan": steps.sum(0).astype(f32),
        "chebyshev": steps.max(0).astype(f32),
        "euclidean": np.sqrt((steps * steps).sum(0).astype(f32)),
    }
    assert_same_bits(distance, expected[metric])


def test_square_roots_are_correctly_rounded() -> None:
    squares = torch.arange(1 << 20, dtype=torch.float32) * 3
    assert_same_bits(squares.double().sqrt().float().numpy(), np.sqrt(squares.numpy()))
