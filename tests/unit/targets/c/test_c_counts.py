"""Flags, statistics, cells, policies and shares of `hamlet.h`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from ctypes import c_bool, c_uint64, c_void_p
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from built import Array, Header, view

from hamlet.launch.cpu.entry import shares_of

LANES, WORD, MANY = 256, 64, 512
GENERATOR = np.random.default_rng(5)
DTYPES: dict[str, Any] = {"i8": np.int8, "u8": np.uint8, "u16": np.uint16, "i32": np.int32, "u32": np.uint32}


def some(share: float, count: int = LANES) -> Array:
    """Flags, of which such a share is set."""
    return GENERATOR.random(count) < share


@pytest.mark.parametrize("share", [0.0, 0.1, 0.9, 1.0])
def test_flags(header: Header, share: float) -> None:
    flags = some(share, LANES + WORD)
    for start in (0, 64, 100):
        word = header.call("word_of", flags, start, gives=c_uint64)
        assert word == sum(1 << lane for lane in range(WORD) if flags[start + lane])
        assert header.call("flags_counted", flags, start, 130) == np.count_nonzero(flags[start : start + 130])
    assert header.call("are_all_set", flags, gives=c_bool) == flags[:LANES].all()
    assert header.call("is_any_set", flags, gives=c_bool) == flags[: header.wide].any()
    lanes = np.zeros(LANES + WORD, np.uint8)
    chosen = header.call("chosen_lanes", flags, lanes)
    assert np.array_equal(lanes[:chosen], np.flatnonzero(flags[:LANES]))


def test_one_flag(header: Header) -> None:
    for lane in range(LANES):
        flags = np.zeros(LANES, np.bool_)
        flags[lane] = True
        assert header.call("is_any_set", flags, gives=c_bool) == (lane < header.wide)
        assert not header.call("are_all_set", flags, gives=c_bool)
        assert header.call("are_all_set", ~flags, gives=c_bool) is False


@pytest.mark.parametrize(
    ("used", "notes", "kinds"),
    [
        ("i8", "u8", 5),
        ("i8", "u8", 64),
        ("i8", "u8", 100),
        ("i32", "u8", 256),
        ("i32", "u16", 300),
        ("i32", "u32", 70000),
    ],
)
def test_uses_are_counted(header: Header, used: str, notes: str, kinds: int) -> None:
    room, uses = np.zeros(MANY + LANES + WORD, DTYPES[notes]), np.zeros(kinds, np.int64)
    noted, wanted = 0, np.zeros(kinds, np.int64)
    for _ in range(9):
        tick = np.where(some(0.6), GENERATOR.integers(0, kinds, LANES), -1).astype(DTYPES[used])
        wanted += np.bincount(tick[tick >= 0], minlength=kinds)
        noted = header.call(f"uses_{used}_{notes}", tick, room, noted, uses, kinds)
        assert 0 <= noted <= MANY
    assert uses.sum() > 0
    header.call(f"notes_{used}_{notes}", room, noted, uses, kinds, gives=None)
    assert np.array_equal(uses, wanted)


@pytest.mark.parametrize("dtype", ["i8", "i32"])
def test_episodes_are_counted(header: Header, dtype: str) -> None:
    longest = 40
    cause = GENERATOR.integers(-1, 4, LANES).astype(DTYPES[dtype])
    age = GENERATOR.integers(0, 60, LANES).astype(np.int32)
    returned = GENERATOR.random(LANES).astype(np.float32)
    finished = GENERATOR.random(LANES).astype(np.float32)
    causes, lengths = np.zeros(4, np.int64), np.zeros(longest + 1, np.int64)
    chosen = np.flatnonzero(some(0.5)).astype(np.uint8)
    ended = chosen[cause[chosen] >= 0]
    wanted = finished.copy()
    wanted[ended] += returned[ended]
    arguments = chosen, len(chosen), cause, age, returned, causes, lengths, longest, finished
    header.call(f"episodes_{dtype}", *arguments, gives=None)
    assert np.array_equal(causes, np.bincount(cause[ended], minlength=4))
    assert np.array_equal(lengths, np.bincount(np.minimum(age[ended], longest), minlength=longest + 1))
    assert np.array_equal(finished, wanted)


def test_meters_are_added_as_whole_numbers(header: Header) -> None:
    sums = np.array([1, 2, 3], np.int64)
    for value in (0.75, -0.75, 1e-9):
        header.call("meter_added", sums, 1, value, 2.0**29, gives=None)
    assert sums.tolist() == [1, 2, 3]
    header.call("meter_added", sums, 2, -1.9999999, 1.0, gives=None)
    assert sums.tolist() == [1, 2, 2]


@pytest.mark.parametrize("cause_dtype", ["i8", "i32"])
@pytest.mark.parametrize("used_dtype", ["i8", "i32"])
def test_lanes_are_counted(header: Header, used_dtype: str, cause_dtype: str) -> None:
    kinds, kept, lanes, start = 3, 2, 300, 17
    uses, episodes = np.zeros((kinds, lanes), np.int32), np.zeros(lanes, np.int32)
    lengths, causes = np.zeros((2, kept, lanes), np.int32)
    returns = np.zeros((kept, lanes), np.float32)
    wanted = [each.copy() for each in (uses, episodes, lengths, returns, causes)]
    for _ in range(4):
        used = np.where(some(0.5), GENERATOR.integers(0, kinds, LANES), -1).astype(DTYPES[used_dtype])
        cause = np.where(some(0.5), GENERATOR.integers(0, 4, LANES), -1).astype(DTYPES[cause_dtype])
        age, returned = GENERATOR.integers(0, 99, LANES).astype(np.int32), GENERATOR.random(LANES).astype(np.float32)
        into = uses[:, start:], episodes[start:], lengths[:, start:], returns[:, start:], causes[:, start:]
        arguments = [used, cause, age, returned, *(_at(each) for each in into), kept, lanes]
        header.call(f"by_lane_{used_dtype}_{cause_dtype}", *arguments, gives=None)
        for lane in range(LANES):
            if used[lane] >= 0:
                wanted[0][used[lane], start + lane] += 1
            if cause[lane] >= 0:
                number = wanted[1][start + lane]
                wanted[1][start + lane] += 1
                if number < kept:
                    for array, value in zip(wanted[2:], (age[lane], returned[lane], cause[lane]), strict=True):
                        array[number, start + lane] = value
    for array, each in zip((uses, episodes, lengths, returns, causes), wanted, strict=True):
        assert np.array_equal(array, each)


def _at(array: Array) -> Any:
    """The address of a part of an array."""
    return c_void_p(array.ctypes.data)


# --- cells, policies -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 14, 127])
def test_affordances_are_found_by_their_cells(header: Header, count: int) -> None:
    cells = np.stack([GENERATOR.permutation(255)[: count + 1] for _ in range(LANES)], 1).astype(np.uint8)
    standing = np.where(some(0.5), cells[GENERATOR.integers(0, count + 1)], 255).astype(np.uint8)
    found = np.full(LANES, 99, np.int8)
    header.call("found_cells", found, standing, cells, count, gives=None)
    same = cells[:count] == standing
    wanted = np.where(same.any(0), same.argmax(0), -1) if count else np.full(LANES, -1)
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("count", [1, 15, 16, 17])
def test_numbers_are_scattered_to_rows(header: Header, count: int) -> None:
    values = GENERATOR.integers(0, 2**32, 64, np.uint32)
    cells = np.full((20, LANES), 7, np.uint8)
    header.call("scattered", values, cells, 33, count, gives=None)
    assert np.array_equal(cells[:count, 33], values[:count].astype(np.uint8))
    cells[:count, 33] = 7
    assert (cells == 7).all()


@pytest.mark.parametrize("count", [200, LANES])
def test_actions_of_situations(header: Header, count: int) -> None:
    situations, columns, behind = 30, 5, 8
    situation = GENERATOR.integers(0, situations, LANES + behind).astype(np.int32)
    choices = GENERATOR.integers(1, 6, situations).astype(np.int32)
    action = np.full(LANES + behind, 9, np.int32)
    header.call("looked_up", action, choices, situation, count, gives=None)
    assert np.array_equal(action[:count], choices[situation[:count]])
    assert not action[count:LANES].any()
    assert (action[LANES:] == 9).all()
    thresholds = np.sort(GENERATOR.integers(0, 2**30, (situations, columns)), 1).astype(np.int32)
    bits = GENERATOR.integers(0, 2**30, LANES + behind).astype(np.int32)
    bits[:count:7] = thresholds[situation[:count:7], 2]
    action = bits.copy()
    header.call("drawn", action, thresholds, columns, situation, count, gives=None)
    assert np.array_equal(action[:count], (thresholds[situation] <= bits[:, None]).sum(1)[:count])
    assert not action[count:LANES].any()
    assert np.array_equal(action[LANES:], bits[LANES:])


# --- shares ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("per_chunk", [1, 3, 16])
def test_threads_take_each_world_once(header: Header, per_chunk: int) -> None:
    ends = [0, 7 * per_chunk, 7 * per_chunk, 20 * per_chunk, 33 * per_chunk - (per_chunk > 1)]
    shares = shares_of(pairwise(ends))
    taken: list[int] = []
    threads = [0, 1, 2, 3]
    while threads:
        thread = threads[int(GENERATOR.integers(len(threads)))]
        world = header.call("worlds_taken", view(shares), thread, per_chunk)
        if world < 0:
            threads.remove(thread)
        else:
            taken.append(world)
    assert sorted(taken) == list(range(0, ends[-1], per_chunk))


def test_threads_take_worlds_at_the_same_time(header: Header) -> None:
    shares, per_chunk = shares_of([(0, 4000), (4000, 4004), (4004, 12000)]), 4

    def take(thread: int) -> list[int]:
        taken = []
        while (world := header.call("worlds_taken", view(shares), thread, per_chunk)) >= 0:
            taken.append(world)
        return taken

    with ThreadPoolExecutor(3) as pool:
        taken = [world for each in pool.map(take, range(3)) for world in each]
    assert sorted(taken) == list(range(0, 12000, per_chunk))
