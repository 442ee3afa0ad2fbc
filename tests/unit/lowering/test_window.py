"""The bits of a window are its rows by definition, for any grid, radius, position and occupancy."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from hamlet.universe import Universe
from hamletc.compile import Options, lower, optimise
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import Array, evaluate
from hamletc.ir.function import Output
from hamletc.ir.ops import I32, U32, ShiftLeft, ShiftRight
from hamletc.lowering.occupancy import WORD
from hamletc.lowering.window import MOST_LINES, lines, marked, shifted
from hamletc.passes.facts import facts_of
from hamletc.passes.pipeline import WINDOW_WORDS
from samples import sample, universe_of
from samples.inputs import random_inputs
from samples.written import household

LANES = 48


def rows(sizes: tuple[int, ...], radius: int, positions: Array, occupied: Array) -> Array:
    """[rows, lanes] by definition; `positions` [axes, lanes], `occupied` [lanes, *reversed sizes]."""
    padded = np.pad(occupied, [(0, 0), *[(radius, radius)] * len(sizes)])
    around = [
        padded[(lane, *(slice(at, at + 2 * radius + 1) for at in position[::-1]))].reshape(-1)
        for lane, position in enumerate(positions.T)
    ]
    return np.stack(around, axis=1)


def bits(sizes: tuple[int, ...], radius: int, positions: Array, occupied: Array, places: Array | None = None) -> Array:
    """[rows, lanes] by words, from words of cells or from `places` [places, lanes]; no amount of a shift is 32 or
    more."""
    builder = Builder()
    position = tuple(builder.input(I32, f"position.{axis}") for axis in range(len(sizes)))
    cells = tuple(builder.input(U32, f"word.{number}") for number in range(-(-prod(sizes) // WORD)))
    if places is None:
        words = shifted(builder, sizes, radius, position, cells)
    else:
        found = [builder.input(U32, f"place.{number}") for number in range(len(places))]
        words = marked(builder, sizes, radius, position, found)
    outputs = [Output(f"window.{number}", word) for number, word in enumerate(words)]
    shifts = {node.op.right for node in builder.nodes if isinstance(node.op, ShiftLeft | ShiftRight)}
    outputs += [Output(f"amount.{value}", value) for value in shifts]
    function = builder.finish("f", tuple(outputs))
    flat = occupied.reshape(len(occupied), -1)
    flat = np.pad(flat, [(0, 0), (0, -flat.shape[1] % WORD)])
    packed = np.packbits(flat, axis=1, bitorder="little").view("<u4").astype(np.uint32)
    inputs = {f"position.{axis}": each.astype(np.int32) for axis, each in enumerate(positions)}
    inputs |= {f"word.{number}": packed[:, number] for number in range(packed.shape[1])}
    inputs |= {
        f"place.{number}": each.astype(np.uint32) for number, each in enumerate(() if places is None else places)
    }
    given = evaluate(function, inputs, ())
    assert all((given[f"amount.{value}"] < WORD).all() for value in shifts)
    packed = np.stack([given[f"window.{number}"] for number in range(len(words))]).astype(np.uint32)
    unpacked = np.unpackbits(packed.T.copy().view(np.uint8), axis=1, bitorder="little").T
    count = (2 * radius + 1) ** len(sizes)
    assert not unpacked[count:].any()
    return unpacked[:count].astype(bool)


@st.composite
def grids(draw: st.DrawFn) -> tuple[tuple[int, ...], int]:
    """Sizes of a grid, and a radius that is less than the longest."""
    axes = draw(st.integers(1, 4))
    longest = (300, 40, 12, 6)[axes - 1]
    sizes = tuple(draw(st.lists(st.integers(1, longest), min_size=axes, max_size=axes)))
    largest = (80, 18, 3, 1)[axes - 1]
    return sizes, draw(st.integers(1, max(min(largest, max(sizes) - 1), 1)))


@settings(max_examples=examples(60), deadline=None)
@given(grids(), st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.5, 1.0]))
def test_words_are_the_rows(grid: tuple[tuple[int, ...], int], seed: int, share: float) -> None:
    check(*grid, seed, share)


@pytest.mark.parametrize(
    ("sizes", "radius"),
    [
        ((8, 8), 2),
        ((30, 30), 2),
        ((30, 30), 5),
        ((32, 3), 15),
        ((32, 32), 16),
        ((33, 5), 32),
        ((1, 40), 20),
        ((40, 1), 20),
        ((64, 4), 31),
        ((300,), 70),
        ((2,), 1),
        ((5, 5, 5), 1),
        ((9, 4, 7), 3),
        ((4, 1, 3, 6), 1),
    ],
)
def test_words_are_the_rows_at_the_edges(sizes: tuple[int, ...], radius: int) -> None:
    check(sizes, radius, 1, 0.5)


def check(sizes: tuple[int, ...], radius: int, seed: int, share: float) -> None:
    generator = np.random.default_rng(seed)
    positions = np.stack([generator.integers(0, size, LANES) for size in sizes])
    positions[:, :2] = np.array([[0, size - 1] for size in sizes])
    occupied = generator.random((LANES, *reversed(sizes))) < share
    expected = rows(sizes, radius, positions, occupied)
    assert np.array_equal(bits(sizes, radius, positions, occupied), expected)
    few = np.stack([generator.integers(0, prod(sizes), LANES) for _ in range(generator.integers(1, 6))])
    marks = np.zeros((LANES, prod(sizes)), np.bool_)
    for cells in few:
        marks[np.arange(LANES), cells] = True
    places = marks.reshape(occupied.shape)
    assert np.array_equal(bits(sizes, radius, positions, places, few), rows(sizes, radius, positions, places))
    assert expected.any() or share < 1.0


def universe(name: str) -> Universe:
    """The last one has a large grid of few affordances."""
    match name:
        case "household":
            return universe_of(household())
        case "wide":
            return universe_of(observing("40 x 30", 3, 6))
        case _:
            return sample(name)


@pytest.mark.parametrize(("name", "radius"), [("shifts", 2), ("household", 2), ("wide", 3)])
def test_the_switch_leaves_the_bits(name: str, radius: int) -> None:
    made = universe(name)
    programs = [optimise(lower(made, Options(disabled_passes=off))).program for off in ((), (WINDOW_WORDS,))]
    words, by_row = (program.function("observe") for program in programs)
    assert words != by_row
    inputs = random_inputs(made, by_row, facts_of(made, programs[1]), 500, 3)
    seen, expected = (
        evaluate(each, inputs, program.tables, program.functions)
        for each, program in zip((words, by_row), programs, strict=True)
    )
    assert seen.keys() == expected.keys()
    assert all(seen[name].tobytes() == values.tobytes() for name, values in expected.items())
    assert 0.002 < seen["window"].mean() < 0.9
    assert seen["window"].shape[0] == (2 * radius + 1) ** 2


def test_windows_of_too_many_lines_are_asked_for_row_by_row() -> None:
    """A window has as many lines as rows along the other axes."""
    assert [lines((9,) * axes, 3) for axes in (1, 2, 3)] == [1, 7, 49]
    assert lines((4,) * 4, 1) < MOST_LINES < lines((3,) * 5, 1)
    shifts = [
        sum(
            isinstance(node.op, ShiftLeft | ShiftRight)
            for node in lower(universe_of(observing(sizes, 1, 1))).program.function("observe").nodes
        )
        for sizes in ("4 x 4 x 4 x 4", "3 x 3 x 3 x 3 x 3")
    ]
    assert shifts[0] > 27 > shifts[1]


def observing(sizes: str, radius: int, affordances: int) -> str:
    """The text of a universe that observes a window of a grid."""
    beds = "".join(f"affordance Bed{n} at random {{ instantly {{ a += 0.1 }} }}\n" for n in range(affordances))
    return (
        f"universe u\nspace grid {sizes} {{ edges clamp }}\nmeter a = 1 {{ decay 0.1 }}\n{beds}"
        f"dies when a <= 0\nreward a\nobserve {{ window {radius}  meters }}\n"
    )
