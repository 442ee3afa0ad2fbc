"""Memory in `hamlet.h`: elements, chunks of lanes, worlds, rooms, tables, observations."""

from __future__ import annotations

import re
from ctypes import c_bool, c_uint32
from typing import Any

import numpy as np
import pytest
from built import Array, Header, header_folder, view

from hamlet.launch.cpu.entry import FREE, LAST, NEXT
from hamlet.numbers.elementary import ROUND
from hamlet.schema import MOST_AGENTS
from hamlet.schema.observed import STEPS

LANES = 256
DTYPES: dict[str, Any] = {
    "f32": np.float32,
    "i8": np.int8,
    "u8": np.uint8,
    "u16": np.uint16,
    "i32": np.int32,
    "u32": np.uint32,
    "i64": np.int64,
    "bool": np.bool_,
}
EACH_TYPE = pytest.mark.parametrize("dtype", DTYPES)


def filled(dtype: str, *shape: int) -> Array:
    """Numbers that differ from 0."""
    numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    return (numbers % 97 + 1).astype(DTYPES[dtype])


@pytest.mark.parametrize(("dtype", "wide"), [("i8", "i32"), ("u8", "u32"), ("u16", "u32"), ("i64", "i64")])
def test_small_numbers_widen_and_narrow(header: Header, dtype: str, wide: str) -> None:
    numbers = np.arange(-512, 512).astype(DTYPES[dtype])
    words = np.arange(-512, 512).astype(DTYPES[wide]) * 0x10001
    for way in ("lane", "wide") if dtype in ("i8", "u8") else ("lane",):
        found = header.computed(way, f"widen_{dtype}", DTYPES[wide], [numbers])
        assert np.array_equal(found, numbers.astype(DTYPES[wide]))
        found = header.computed(way, f"narrow_{dtype}", DTYPES[dtype], [words])
        assert np.array_equal(found, words.astype(DTYPES[dtype]))


def test_truth_values_are_0_or_1(header: Header) -> None:
    numbers = np.arange(256, dtype=np.uint8)
    lanes, vectors = np.full((2, 256), 7, np.uint8)
    header.call("copy_bool", numbers, lanes, vectors, 256, gives=None)
    assert np.array_equal(lanes, numbers != 0)
    assert np.array_equal(vectors, numbers != 0)


def rest(chunk: Array, dtype: str) -> float:
    """The number of lanes that are no agents: what says where a table is read has to be within bounds."""
    return float(chunk[0]) if dtype == "f32" else 0


@EACH_TYPE
@pytest.mark.parametrize("count", [0, 1, 200, LANES])
def test_chunks_are_loaded_and_stored(header: Header, dtype: str, count: int) -> None:
    array, chunk = filled(dtype, 3, 300), filled(dtype, LANES)
    header.call(f"load_{dtype}_lanes", chunk, view(array), 1, 5, count, gives=None)
    assert np.array_equal(chunk[:count], array[1, 5 : 5 + count])
    assert (chunk[count:] == rest(chunk, dtype)).all()
    target = np.zeros_like(array)
    header.call(f"store_{dtype}_lanes", chunk, view(target), 2, 3, count, gives=None)
    assert np.array_equal(target[2, 3 : 3 + count], chunk[:count])
    target[2, 3 : 3 + count] = 0
    assert not target.any()


@EACH_TYPE
def test_an_array_of_one_dimension_has_a_row(header: Header, dtype: str) -> None:
    array, chunk = filled(dtype, 300), filled(dtype, LANES)
    header.call(f"load_{dtype}_lanes", chunk, view(array), 0, 44, LANES, gives=None)
    assert np.array_equal(chunk, array[44:])


@EACH_TYPE
@pytest.mark.parametrize(("agents", "agent", "count"), [(1, 0, 100), (3, 0, 99), (3, 2, 100), (300, 256, 44)])
def test_worlds_are_shared_by_their_agents(header: Header, dtype: str, agents: int, agent: int, count: int) -> None:
    array, chunk = filled(dtype, 120), filled(dtype, LANES)
    header.call(f"load_{dtype}_worlds", chunk, array, agents, agent, count, gives=None)
    assert np.array_equal(chunk[:count], array[(agent + np.arange(count)) // agents])
    assert (chunk[count:] == rest(chunk, dtype)).all()
    if agent == 0:
        target, worlds = np.zeros_like(array), -(-count // agents)
        header.call(f"store_{dtype}_worlds", chunk, target, agents, count, gives=None)
        assert np.array_equal(target[:worlds], array[:worlds])
        assert not target[worlds:].any()


def test_bytes_are_stored_with_their_sign(header: Header) -> None:
    chunk, target = np.arange(-128, 128).astype(np.int8), np.full(300, 7, np.int32)
    header.call("widen_lanes", chunk, target, 200, gives=None)
    assert np.array_equal(target[:200], chunk[:200])
    assert (target[200:] == 7).all()


@EACH_TYPE
def test_rooms_and_local_chunks_are_zeros(header: Header, dtype: str) -> None:
    for count in (0, 1, 1000, 100_001):
        assert header.call(f"room_of_{dtype}", count, gives=c_bool)
    assert header.call(f"local_of_{dtype}", gives=c_bool)


# --- tables ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entries", [1, 8, 9, 16, 17, 32, 33, 64])
@pytest.mark.parametrize("dtype", ["f32", "i32", "u32"])
def test_short_tables(header: Header, dtype: str, entries: int) -> None:
    size = next(size for size in (16, 32, 64) if entries <= size)
    table = np.zeros(size, DTYPES[dtype])
    table[:entries] = np.random.default_rng(entries).integers(0, 2**32, entries, np.uint32).view(DTYPES[dtype])
    index = np.random.default_rng(3).integers(0, entries, 256).astype(np.int32)
    found = header.computed("wide", f"take_short_{dtype}_{entries}", DTYPES[dtype], [table, index])
    assert np.array_equal(found.view(np.uint32), table[index].view(np.uint32))


@pytest.mark.parametrize("way", ["lane", "wide"])
@pytest.mark.parametrize("dtype", ["f32", "i32", "u32"])
def test_long_tables(header: Header, dtype: str, way: str) -> None:
    table = np.arange(1000).astype(DTYPES[dtype])
    index = np.random.default_rng(3).integers(0, 1000, 256).astype(np.int32)
    assert np.array_equal(header.computed(way, f"take_{dtype}", DTYPES[dtype], [table, index]), table[index])


def test_a_short_table_is_aligned_and_padded(header: Header) -> None:
    found = np.ones(16, np.float32)
    assert header.call("take_named", found) == 16 * 4 + 32 + 64
    assert found.tolist() == [1, 2, 3] + [0] * 13


# --- observations ----------------------------------------------------------------------------------------------------


def observed(dtype: str) -> Array:
    """Numbers within the range, at its ends, beyond it, between two steps; of bf16 any NaNs."""
    steps = np.linspace(-0.5, 1.5, 1000, dtype=np.float32)
    halves = (np.arange(255, dtype=np.float32) + np.float32(0.5)) / np.float32(STEPS)
    limits = np.array([0, 0x80000000, 1, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x3F808000, 0x3F818000])
    limits = np.append(limits, [0x3F80FFFF, 0x7F7F8000, 0x7FC00000])
    limits = np.append(limits, [0x7F800001, 0xFFFFFFFF] if dtype == "u16" else []).astype(np.uint32)
    numbers = np.concatenate([steps, halves, limits.view(np.float32)])
    return np.concatenate([numbers, np.zeros(-len(numbers) % 64, np.float32)])


def encoded(numbers: Array, dtype: str, low: float, scale: float) -> Array:
    """What observations hold of numbers."""
    if dtype == "f32":
        return numbers
    if dtype == "u8":
        with np.errstate(all="ignore"):
            steps = np.rint(np.clip((numbers - np.float32(low)) * np.float32(scale), 0.0, np.float32(STEPS)))
        return np.where(np.isnan(steps), 0, steps).astype(np.uint8)
    bits = numbers.view(np.uint32)
    rounded = (bits.astype(np.uint64) + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(numbers), 0x7FC0, rounded).astype(np.uint16)


OBSERVATIONS = pytest.mark.parametrize("dtype", ["f32", "u8", "u16"])


@OBSERVATIONS
def test_numbers_are_encoded(header: Header, dtype: str) -> None:
    numbers = observed(dtype)
    found = np.zeros(len(numbers), DTYPES[dtype])
    header.call(f"encode_to_{dtype}", numbers, found, -0.25, 200.0, len(numbers), gives=None)
    wanted = encoded(numbers, dtype, -0.25, 200.0)
    assert np.array_equal(found.view(np.uint8), wanted.view(np.uint8))


@OBSERVATIONS
@pytest.mark.parametrize("way", ["through", "past", "some"])
def test_rows_are_written(header: Header, dtype: str, way: str) -> None:
    numbers = observed(dtype)
    room = np.full(len(numbers) + 64, 3, DTYPES[dtype])
    begin = -room.ctypes.data % 64 // room.itemsize
    row = room[begin : begin + len(numbers)]
    written = np.random.default_rng(1).random(len(numbers)) < 0.5
    put = numbers, written, way != "some", way == "past", 0.0, 255.0, len(numbers)
    header.call(f"put_row_{dtype}", row, *put, gives=None)
    wanted = encoded(numbers, dtype, 0.0, 255.0)
    if way == "some":
        wanted = np.where(written, wanted, np.full_like(wanted, 3))
    assert np.array_equal(row.view(np.uint8), wanted.view(np.uint8))
    assert (room[:begin] == 3).all()
    assert (room[begin + len(numbers) :] == 3).all()


@OBSERVATIONS
def test_last_observations_go_to_the_lines_of_their_lanes(header: Header, dtype: str) -> None:
    rows, wide = 5, header.wide
    last, array = filled(dtype, rows, wide), np.zeros((LANES, rows), DTYPES[dtype])
    flags = np.arange(LANES) % 3 != 1
    first = 2 * wide
    header.call(f"last_{dtype}", last, flags, first, view(array[4:]), 3, rows, gives=None)
    for lane in range(wide):
        wanted = last[:, lane] if flags[first + lane] else 0
        assert np.array_equal(array[4 + 3 + first + lane], np.broadcast_to(wanted, rows))
    assert np.count_nonzero(array.any(1)) == np.count_nonzero(flags[first : first + wide])


def test_taps_are_bits(header: Header) -> None:
    taps = np.zeros((4, 6), np.int32)
    header.call("tapped", view(taps), 2, -5, c_uint32(2**32 - 1), -0.0, True, gives=None)
    assert taps[:, 2].tolist() == [-5, -1, -(2**31), 1]
    assert np.count_nonzero(taps) == 4
    for lane, wanted in ((2, [-5, 2**32 - 1, -0.0, True]), (3, [0, 0, 0.0, False])):
        found = [np.full(1, 9, dtype) for dtype in (np.int32, np.uint32, np.float32, np.bool_)]
        header.call("recalled", view(taps), lane, *found, gives=None)
        assert [each.item() for each in found] == wanted


def test_constants_are_those_of_worlds() -> None:
    text = (header_folder() / "hamlet.h").read_text()
    constants = dict(re.findall(r"#define (\w+) \(?(\d+)", text))
    assert int(constants["MOST_AGENTS"]) == MOST_AGENTS
    assert int(constants["TREE"]) == MOST_AGENTS.bit_length() + 1
    assert f"#define HAMLET_ROUND {ROUND}f" in text
    assert f"x = {STEPS}f < x ? {STEPS}f : x;" in text
    assert (FREE, NEXT, LAST) == (0, 1, 2)
