"""What agents of a world have together in `hamlet.h`: counts, totals, extremes, ranks, places, cells."""

from __future__ import annotations

from ctypes import c_float
from itertools import product
from typing import Any

import numpy as np
import pytest
from built import Array, Header

from contention import WORLDS, granted, halved, ranked

GENERATOR = np.random.default_rng(8)
EACH_WORLD = pytest.mark.parametrize(("agents", "worlds"), WORLDS)
TERMS, SHARED, TREE, TALLIES = range(4)


def room(header: Header, what: int, dtype: Any) -> Array:
    """An array of zeros with as many numbers as the header says."""
    return np.zeros(header.call("room_of", what), dtype)


def terms(header: Header, numbers: Array, absent: float = 0.0) -> Array:
    """Numbers as kernels hold them: behind them, up to the end of a chunk, what changes nothing."""
    result = room(header, TERMS, numbers.dtype)
    result[: -(-len(numbers) // 256) * 256] = absent
    result[: len(numbers)] = numbers
    return result


@EACH_WORLD
def test_totals_and_extremes(header: Header, agents: int, worlds: int) -> None:
    runs = GENERATOR.random((worlds, agents)) < 0.6
    runs[1 :: max(worlds // 3, 2)] = False
    numbers = GENERATOR.standard_normal((worlds, agents)).astype(np.float32)
    flags = terms(header, runs.reshape(-1))
    for name, absent, combine in [
        ("total", 0.0, np.add),
        ("lowest_of", np.inf, np.minimum),
        ("highest_of", -np.inf, np.maximum),
    ]:
        joined = np.where(runs, numbers, np.float32(absent))
        values = terms(header, joined.reshape(-1), absent)
        header.call(name, values, agents, worlds, *([] if name == "total" else [flags]), gives=None)
        wanted = np.array([halved(each, absent, combine) for each in joined])
        wanted = np.where(runs.any(1), wanted, np.float32(0.0))
        assert np.array_equal(values[:worlds].view(np.uint32), wanted.view(np.uint32)), name
        to = room(header, SHARED, np.float32)
        header.call("shared", to, values, agents, worlds, gives=None)
        to_all = np.repeat(wanted, min(agents, 256))
        assert np.array_equal(to[: len(to_all)], to_all)
    counts = room(header, TERMS, np.float32)
    header.call("counted", flags, counts, agents, worlds, gives=None)
    assert np.array_equal(counts[:worlds], runs.sum(1))


@pytest.mark.parametrize("numbers", [1, 2, 8, 64, 1024])
def test_a_tree_of_sums(header: Header, numbers: int) -> None:
    wide = header.wide
    values = GENERATOR.standard_normal((numbers, wide)).astype(np.float32)
    sums = room(header, TREE, np.float32)
    header.call("tree", sums, values, numbers, gives=None)
    level = numbers.bit_length() - 1
    for lane in range(wide):
        assert sums[level * wide + lane] == halved(values[:, lane], 0.0, np.add)


# --- ranks and places ------------------------------------------------------------------------------------------------


@EACH_WORLD
def test_ranks(header: Header, agents: int, worlds: int) -> None:
    for few, share in product((0, 1, 5, 1024), (0.05, 0.9)):
        counts = GENERATOR.random((worlds, agents)) < share
        most = few + 1 if few else 2**32 - 1
        priority = GENERATOR.integers(1, most, (worlds, agents), np.uint32)
        given = terms(header, counts.reshape(-1)), terms(header, priority.reshape(-1))
        found, keys = room(header, TERMS, np.float32), room(header, TERMS, np.uint32)
        ranks, tally = room(header, TERMS, np.int32), room(header, TALLIES, np.int32)
        if few:
            header.call("few_ranks", *given, found, keys, ranks, tally, few, agents, worlds, gives=None)
        else:
            header.call("ranks", *given, found, keys, ranks, agents, worlds, gives=None)
        wanted = np.array([ranked(*each) for each in zip(counts, priority, strict=True)])
        assert np.array_equal(found[: worlds * agents].reshape(worlds, agents), wanted), (few, share)


@EACH_WORLD
def test_who_is_alike(header: Header, agents: int, worlds: int) -> None:
    for keys, share, others in product((1, 5, 3000), (0.05, 0.9), (False, True)):
        counts = GENERATOR.random((worlds, agents)) < share
        key = GENERATOR.integers(0, keys, (worlds, agents), np.int32)
        asked = np.where(GENERATOR.random(key.shape) < 0.5, key, GENERATOR.integers(-1, keys, key.shape, np.int32))
        given = [terms(header, each.reshape(-1)) for each in (counts, key, asked)]
        found, tally = room(header, TERMS, np.float32), np.full(keys, 77, np.int32)
        header.call("alikes", *given, found, tally, others, agents, worlds, gives=None)
        met = (asked[:, :, None] == key[:, None, :]) & counts[:, None, :]
        met &= ~(np.eye(agents, dtype=bool) & others)
        assert np.array_equal(found[: worlds * agents].reshape(worlds, agents), met.sum(2)), (keys, share, others)


@EACH_WORLD
def test_places_are_granted(header: Header, agents: int, worlds: int) -> None:
    for places, ordered, most in product((0, 1, 2, 7), (False, True), (3, 2**32)):
        claims = GENERATOR.random((worlds, agents)) < 0.7
        first = GENERATOR.random((worlds, agents)) < 4 / agents
        priority = GENERATOR.integers(1, most, (worlds, agents), np.uint32)
        there = np.maximum(places + GENERATOR.integers(-1, 2, worlds), 0).astype(np.int32)
        equal = priority if ordered else np.ones_like(priority)
        wanted = np.array([granted(*each) for each in zip(claims, first, equal, there, strict=True)])
        left = terms(header, claims.reshape(-1))
        given = [terms(header, each.reshape(-1)) for each in (first, priority, np.repeat(there, agents))]
        rooms = [room(header, TERMS, dtype) for dtype in (np.int32, np.uint32, np.bool_)]
        header.call("grants", left, *given, ordered, *rooms, agents, worlds, gives=None)
        assert np.array_equal(left[: worlds * agents].reshape(worlds, agents), wanted), (places, ordered)


# --- cells -----------------------------------------------------------------------------------------------------------


def test_agents_are_joined_on_their_cells(header: Header) -> None:
    begin, agents, cells = 30, 90, 25
    values = GENERATOR.standard_normal(256).astype(np.float32)
    flags, runs = GENERATOR.random((2, 256)) < 0.5
    standing = GENERATOR.integers(0, cells, 256).astype(np.int32)
    lanes = [lane for lane in range(begin, begin + agents) if runs[lane]]
    for op in range(4):
        wanted, joined = np.zeros((2, cells), np.float32)
        for lane in lanes:
            there = [other for other in lanes if standing[other] == standing[lane]]
            numbers = values[there]
            total = np.float32(0.0)
            for number in numbers:
                total += number
            wanted[standing[lane]] = (np.count_nonzero(flags[there]), total, numbers.min(), numbers.max())[op]
        header.call("on_cells", op, joined, values, flags, runs, standing, begin, agents, gives=None)
        assert np.array_equal(joined, wanted)
        header.call("on_cells", 4, joined, values, flags, runs, standing, begin, agents, gives=None)
        assert not joined.any()


@pytest.mark.parametrize("count", [1, 3, 4, 5, 11, 16])
def test_cells_are_turned(header: Header, count: int) -> None:
    cells = GENERATOR.standard_normal((64, 21)).astype(np.float32)
    worlds = GENERATOR.integers(0, 64, 256).astype(np.int32)
    for begin, end, cell in [(0, 256, 0), (32, 96, 21 - count), (3, 62, 2)]:
        rows = np.full((16, 256), np.nan, np.float32)
        # Behind the last cell of the last world is no memory of ours.
        header.call("turned", rows, cells, worlds * 21, begin, end, cell, count, gives=None)
        assert np.array_equal(rows[:count, begin:end], cells[worlds[begin:end], cell : cell + count].T)
        rest = (rows[count:], rows[:, end:], rows[:, :begin])
        assert all(np.isnan(each).all() for each in rest)


def test_edges_of_a_grid(header: Header) -> None:
    width, height, room_ = 5, 4, 32
    for stride, size, along in [(1, width, 1), (width, height, 0)]:
        flags = np.zeros(2 * room_, np.bool_)
        header.call("edges", flags, stride, size, width * height, room_, gives=None)
        places = np.indices((height, width))[along].reshape(-1)
        assert np.array_equal(flags[: len(places)], places == 0)
        assert np.array_equal(flags[room_ : room_ + len(places)], places == size - 1)


@pytest.mark.parametrize("count", [1, 2, 3, 16, 77])
def test_all_cells_are_combined(header: Header, count: int) -> None:
    half = (1 << (count - 1).bit_length()) // 2
    for op, combine in enumerate((np.add, np.minimum, np.maximum)):
        values = GENERATOR.standard_normal(count).astype(np.float32)
        level = values.copy()
        while len(level) > 1:
            middle = (1 << (len(level) - 1).bit_length()) // 2
            level = np.append(
                combine(level[: len(level) - middle], level[middle:]), level[len(level) - middle : middle]
            )
        assert header.call("over_cells", op, values, count, half, gives=c_float) == level[0]
