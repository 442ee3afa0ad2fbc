"""Displacements and edges, against the plainest arithmetic there is: whole numbers, and exact fractions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from hamlet.universe import Axis, Continuous, Edges, Grid, Move, Span, Universe
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Output
from hamletc.ir.ops import F32, I32
from hamletc.lowering import lower
from hamletc.lowering.lane import input_lane
from hamletc.lowering.mask import goes_somewhere
from hamletc.lowering.moves import MORE_STEPS, STEPS_PER_AXIS, displaced, displacement, literal
from hamletc.lowering.plan import LIMITS, Limits, plan
from hamletc.passes.ranges import Facts
from samples import sample, universe_of
from samples.inputs import random_inputs

f32 = np.float32
SPAN = Span(1, 1, 1, 2)
MOST_STEPS = 2 * STEPS_PER_AXIS + MORE_STEPS
EDGES: tuple[Edges, ...] = ("clamp", "wrap", "bounce", "sticky")


def on_line(size: int, edges: Edges) -> Universe:
    grid = Grid((size,), edges, "manhattan", "computed", "apart", SPAN)
    return replace(sample("bounce"), space=grid, affordances=(), observations=())


def moved(x: int, by: int, size: int, edges: Edges) -> int:
    """What docs/semantics.md says of a grid."""
    there = x + by
    match edges:
        case "clamp":
            return min(max(there, 0), size - 1)
        case "wrap":
            return there % size
        case "sticky":
            return x if there < 0 or there >= size else there
        case "bounce":
            there = -there if there < 0 else there
            there = 2 * (size - 1) - there if there >= size else there
            return min(max(there, 0), size - 1)


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 7])
def test_every_step_on_a_small_grid(size: int, edges: Edges) -> None:
    universe = on_line(size, edges)
    cells = np.arange(size, dtype=np.int32)
    for by in sorted({-1, 1, *range(1 - size, size)}):
        builder = Builder()
        lane = input_lane(plan(universe, LIMITS), builder)
        own = builder.input(I32, "position.x")
        (step,) = displacement(universe, (float(by),))
        there = displaced(builder, universe, 0, own, literal(builder, step))
        goes = goes_somewhere(lane, 0, by) if by else builder.boolean(False)
        function = builder.finish("f", (Output("there", there), Output("goes", goes)))
        inputs = {**random_inputs(universe, function, Facts({}, {}), size, 1), "position.x": cells}
        results = evaluate(function, inputs, ())
        expected = np.array([moved(int(x), by, size, edges) for x in cells])
        assert np.array_equal(results["there"], expected), by
        assert np.array_equal(results["goes"], expected != cells), by


def remainder(t: np.float32, size: np.float32) -> np.float32:
    """The exact remainder with the sign of t, plus the size, rounded, where that is negative."""
    exact = abs(Fraction(float(t))) % Fraction(float(size))
    rest = f32(float(exact)) if t >= 0 else -f32(float(exact))
    return rest + size if rest < 0 else rest


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1.0), (-3.0, 4.0), (0.1, 0.7), (-1000.25, -999.5), (5.0, 5.0001), (0.0, 1e-3)]
)
@pytest.mark.parametrize("edges", ["wrap", "bounce"])
def test_remainders_are_exact(low: float, high: float, edges: Edges) -> None:
    size = float(f32(high - low))
    axis = Axis(float(f32(low)), float(f32(high)), size)
    longest = 2.0**20 * size
    generator = np.random.default_rng(1)
    steps = [0.0, size, -size, size / 2, -longest, longest]
    steps += [float(generator.normal(0, 10.0**power * size)) for power in range(-3, 6)]
    moves = tuple(Move(f"M{number}", (float(f32(by)),)) for number, by in enumerate(steps))
    space = Continuous((axis,), 1.0, edges, "euclidean", SPAN)
    universe = replace(sample("line"), space=space, moves=moves, actions=(), observations=())
    start = np.concatenate([generator.uniform(low, high, 40), [low, high, low - size, high + size]]).astype(f32)
    for move in moves:
        builder = Builder()
        own = builder.input(F32, "x")
        there = displaced(builder, universe, 0, own, builder.f32(move.by[0]))
        actual = evaluate(builder.finish("f", (Output("there", there),)), {"x": start}, ())["there"]
        for x, result in zip(start, actual, strict=True):
            t = f32(f32(x + f32(move.by[0])) - f32(axis.low))
            if edges == "wrap":
                expected = remainder(t, f32(size)) + f32(axis.low)
            else:
                twice = f32(2 * size)
                rest = remainder(t, twice)
                expected = (twice - rest if rest >= f32(size) else rest) + f32(axis.low)
            assert result.tobytes() == f32(expected).tobytes(), (x, move)


def many(steps: int) -> Universe:
    """A grid with so many different steps on one axis, and a move that goes nowhere, which is the last."""
    size = steps + 2
    moves = "".join(f"M{by} ({by}, 0) " for by in range(1, steps + 1))
    return universe_of(
        f"universe many\nspace grid {size} x 2 {{ edges sticky }}\nmoves {{ {moves} STAY (0, 0) }}\n"
        "meter fuel = 1 { decay 0.1  move 0.1 }\naffordance Pump at random { instantly { fuel += 1 } }\n"
        "reward fuel\nlifespan 10 ticks\nobserve { meters }\n"
    )


@pytest.mark.parametrize("steps", [20, 31, 32, 70, MOST_STEPS, MOST_STEPS + 1])
def test_masks_of_many_moves(steps: int) -> None:
    universe = many(steps)
    program = lower(universe)
    tabled = steps <= MOST_STEPS
    assert any(table.name.startswith("mask.steps") for table in program.tables) is tabled
    function = program.function("mask")
    assert (function.outputs[0].name, function.outputs[0].count) == ("mask.0", steps + 1)
    inputs = random_inputs(universe, function, Facts({}, {}), 50, 1)
    x = inputs["position.x"] = (np.arange(50) % (steps + 2)).astype(np.int32)
    allowed = evaluate(function, inputs, program.tables)["mask.0"]
    for by in range(1, steps + 1):
        assert np.array_equal(allowed[by - 1], x + by < steps + 2)
    assert allowed[steps].all()


def test_kernels_do_not_grow_with_moves() -> None:
    sizes = []
    for factor in (1, 5):
        base = sample("many_moves")
        moves = tuple(replace(move, name=f"{move.name}_{number}") for number in range(factor) for move in base.moves)
        program = lower(replace(base, moves=moves, masks=()))
        sizes.append({function.name: len(function.nodes) for function in program.functions})
    assert sizes[0] == sizes[1]


def test_a_loop_of_draws_gives_the_places_of_unrolled_draws() -> None:
    universe = sample("vast")
    loop, unrolled = lower(universe, Limits(draws=0)), lower(universe, Limits(draws=10**6))
    assert "draws" in {function.name for function in loop.functions}
    assert "draws" not in {function.name for function in unrolled.functions}
    generator = np.random.default_rng(5)
    names = {"seed_low": np.uint32, "seed_high": np.uint32, "world": np.uint32, "agent": np.int32, "episode": np.int32}
    inputs = {name: generator.integers(0, 2**31, 300).astype(type_) for name, type_ in names.items()}
    inputs["agent"] %= 9
    expected, actual = (
        evaluate(program.function("reset"), inputs, program.tables, program.functions) for program in (unrolled, loop)
    )
    assert expected.keys() == actual.keys()
    for name, values in expected.items():
        assert np.array_equal(values, actual[name]), name
    assert len(np.unique(expected["place.Camp.0"])) > 250


@pytest.mark.parametrize(("count", "by_step"), [(68, True), (69, False)])
def test_masks_try_each_step_where_they_are_few(count: int, by_step: bool) -> None:
    """Four for each axis, and 64 more."""
    steps = [*range(1, 36), *range(-35, 0)][:count]
    moves = "  ".join(f"M{number} ({step})" for number, step in enumerate(steps))
    text = f"""
universe far
space grid 60 {{ edges clamp }}
moves {{ {moves} }}
meter energy = 1 {{ decay 0.01 }}
affordance Bed at (1) {{ instantly {{ energy += 0.5 }} }}
reward energy
observe {{ meters  position absolute }}
"""
    assert ("mask.steps0" in {table.name for table in lower(universe_of(text)).tables}) is by_step
