"""What agents of a world have together in modules of WebAssembly: counts, totals, extremes, ranks, places."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from contention import WORLDS, Array, granted, halved, ranked
from hamletc.kernel.code import Function, do, function, loop
from hamletc.kernel.expressions import call, names
from hamletc.targets.c.types import BOOL, INDEX, CType
from hamletc.targets.wasm.emit import LANES, library, module_of
from hamletc.targets.wasm.native import NATIVE
from hamletc.targets.wasm.printer import ALIGNED, WasmPrinter
from hamletc.targets.wasm.values import WIDE

wasmtime: Any = pytest.importorskip("wasmtime")

GENERATOR = np.random.default_rng(8)
EACH_WORLD = pytest.mark.parametrize(("agents", "worlds"), WORLDS)
LARGE = [(513, 1), (600, 1), (768, 1)]
"""Agents of a world whose tree is longer than its chunks."""
ELEMENTS = {
    np.dtype(np.bool_): "bool",
    np.dtype(np.float32): "f32",
    np.dtype(np.int32): "i32",
    np.dtype(np.uint32): "u32",
}
TERMS = 1024 + 2 * 64
BESIDE, UNTOUCHED = 256, 0x5A
"""Bytes around each array, which no function may write, and what they hold."""


class Library:
    """Functions of the library, each alone in a module of its own, over arrays that are copied into its memory."""

    def __init__(self, *others: Function) -> None:
        self._engine, self._modules = wasmtime.Engine(), dict[Any, Any]()
        self._others = others

    def call(self, name: str, *given: Any) -> None:
        """Call a function with arrays, which it may write, numbers and truths. Raises `AssertionError` where it writes
        beside them."""
        types = tuple(_type(each) for each in given)
        key = name, types
        if key not in self._modules:
            self._modules[key] = wasmtime.Module(self._engine, self._module(name, types))
        store = wasmtime.Store(self._engine)
        exports = wasmtime.Instance(store, self._modules[key], []).exports(store)
        memory, words = exports["memory"], []
        at = memory.grow(store, 4) * 65536
        begin, places = at, list[tuple[int, Array]]()
        memory.write(store, bytes([UNTOUCHED]) * (4 * 65536), at)
        for each in given:
            if isinstance(each, np.ndarray):
                at += BESIDE
                memory.write(store, each.tobytes(), at)
                places.append((at, each))
                words.append(at)
                at += -(-each.nbytes // ALIGNED) * ALIGNED
            else:
                words.append(int(each))
        exports[name](store, *words)
        end = begin
        for place, each in places:
            assert set(memory.read(store, end, place)) <= {UNTOUCHED}, f"{name} writes beside its arrays"
            end = place + each.nbytes
            each[...] = np.frombuffer(bytes(memory.read(store, place, end)), each.dtype).reshape(each.shape)

    def _module(self, name: str, types: tuple[CType, ...]) -> bytes:
        functions = {each.name: each for each in (*library(), *self._others)}
        constants = {"LANES": LANES, "WIDE": WIDE}
        printer = WasmPrinter(functions, {}, {}, constants, NATIVE, ALIGNED, {}, [])
        return module_of(printer, [(name, printer.function(name, types).index)])


def _type(given: Any) -> CType:
    if isinstance(given, np.ndarray):
        return CType("pointer", ELEMENTS[given.dtype])
    return BOOL if isinstance(given, bool) else INDEX


@pytest.fixture(scope="module")
def made() -> Library:
    return Library(_tree())


def _tree() -> Function:
    """Add numbers to a tree of sums, one after the other; hosts have no vectors to give."""
    sums, vectors, number, count = names("sums vectors number count")
    each = call("fetch", vectors, 0, call("wide", number * WIDE))
    body = [loop(number, count, body=[do("add_to_tree", sums, number, each)])]
    return function("tree", ["sums", "vectors", "count"], "Add numbers to a tree.", body, "apart")


def terms(numbers: Array, absent: float = 0.0) -> Array:
    """Numbers as kernels hold them: behind them, up to the end of a chunk, what changes nothing; then anything."""
    result = room(numbers.dtype) if numbers.dtype != np.bool_ else np.ones(TERMS, np.bool_)
    result[: -(-len(numbers) // LANES) * LANES] = absent
    result[: len(numbers)] = numbers
    return result


def room(dtype: Any, size: int = TERMS) -> Array:
    """An array whose numbers nobody has set."""
    return np.frombuffer(bytes([7]) * size * np.dtype(dtype).itemsize, dtype).copy()


def lower(even: Array, odd: Array) -> Array:
    """The lower of two numbers; of zeros the second one."""
    return np.where(even < odd, even, odd)


def higher(even: Array, odd: Array) -> Array:
    """The higher of two numbers; of zeros the second one."""
    return np.where(odd < even, even, odd)


@pytest.mark.parametrize(("agents", "worlds"), [*WORLDS, *LARGE])
def test_totals_and_extremes(made: Library, agents: int, worlds: int) -> None:
    runs = GENERATOR.random((worlds, agents)) < 0.6
    runs[1 :: max(worlds // 3, 2)] = False
    numbers = GENERATOR.standard_normal((worlds, agents)).astype(np.float32)
    numbers[1::3] = np.where(numbers[1::3] < 0, np.float32(-0.0), np.float32(0.0))
    flags = terms(runs.reshape(-1))
    for name, absent, combine in [("total", 0.0, np.add), ("lowest", np.inf, lower), ("highest", -np.inf, higher)]:
        joined = np.where(runs, numbers, np.float32(absent))
        values = terms(joined.reshape(-1), absent)
        made.call(f"{name}_worlds", values, agents, worlds, *([] if name == "total" else [flags]))
        wanted = np.array([halved(each, absent, combine) for each in joined])
        wanted = np.where(runs.any(1), wanted, np.float32(0.0))
        assert np.array_equal(values[:worlds].view(np.uint32), wanted.view(np.uint32)), name
        to = room(np.float32, LANES + WIDE)
        made.call("share_worlds", to, values, agents, worlds)
        to_all = np.repeat(wanted, min(agents, LANES))
        assert np.array_equal(to[: len(to_all)], to_all)
    counts = room(np.float32)
    made.call("count_worlds", flags, counts, agents, worlds)
    assert np.array_equal(counts[:worlds], runs.sum(1))


@EACH_WORLD
def test_ranks(made: Library, agents: int, worlds: int) -> None:
    for few, share in product((0, 1, 5, 1024), (0.05, 0.9)):
        counts = GENERATOR.random((worlds, agents)) < share
        priority = GENERATOR.integers(1, few + 1 if few else 2**32 - 1, (worlds, agents), np.uint32)
        given = terms(counts.reshape(-1)), terms(priority.reshape(-1))
        found, keys, ranks = room(np.float32), room(np.uint32), room(np.int32)
        if few:
            tally = room(np.int32, 2 * few + 2 + WIDE)
            made.call("rank_few_worlds", *given, found, keys, ranks, tally, few, agents, worlds)
        else:
            made.call("rank_worlds", *given, found, keys, ranks, agents, worlds)
        wanted = np.array([ranked(*each) for each in zip(counts, priority, strict=True)])
        assert np.array_equal(found[: worlds * agents].reshape(worlds, agents), wanted), (few, share)


@EACH_WORLD
def test_who_is_alike(made: Library, agents: int, worlds: int) -> None:
    for keys, share, others in product((1, 5, 3000), (0.05, 0.9), (False, True)):
        counts = GENERATOR.random((worlds, agents)) < share
        key = GENERATOR.integers(0, keys, (worlds, agents), np.int32)
        asked = np.where(GENERATOR.random(key.shape) < 0.5, key, GENERATOR.integers(-1, keys, key.shape, np.int32))
        given = [terms(each.reshape(-1)) for each in (counts, key, asked)]
        found, tally = room(np.float32), room(np.int32, keys)
        made.call("alike_worlds", *given, found, tally, others, agents, worlds)
        met = (asked[:, :, None] == key[:, None, :]) & counts[:, None, :]
        met &= ~(np.eye(agents, dtype=bool) & others)
        wanted = met.sum(2).astype(np.float32).reshape(-1)
        assert found[: worlds * agents].tobytes() == wanted.tobytes(), (keys, share, others)


@EACH_WORLD
def test_places_are_granted(made: Library, agents: int, worlds: int) -> None:
    for places, ordered, most in product((0, 1, 2, 7), (False, True), (3, 2**32)):
        claims = GENERATOR.random((worlds, agents)) < 0.7
        first = GENERATOR.random((worlds, agents)) < 4 / agents
        priority = GENERATOR.integers(1, most, (worlds, agents), np.uint32)
        there = np.maximum(places + GENERATOR.integers(-1, 2, worlds), 0).astype(np.int32)
        equal = priority if ordered else np.ones_like(priority)
        wanted = np.array([granted(*each) for each in zip(claims, first, equal, there, strict=True)])
        left = terms(claims.reshape(-1))
        given = [terms(each.reshape(-1)) for each in (first, priority, np.repeat(there, agents))]
        rooms = [room(dtype) for dtype in (np.int32, np.uint32, np.bool_)]
        made.call("grant_worlds", left, *given, ordered, *rooms, agents, worlds)
        assert np.array_equal(left[: worlds * agents].reshape(worlds, agents), wanted), (places, ordered)


@pytest.mark.parametrize("count", [1, 2, 8, 64, 1024])
def test_a_tree_of_sums(made: Library, count: int) -> None:
    values = GENERATOR.standard_normal((count, WIDE)).astype(np.float32)
    sums = room(np.float32, 12 * WIDE)
    made.call("tree", sums, values, count)
    level = count.bit_length() - 1
    for lane in range(WIDE):
        assert sums[level * WIDE + lane] == halved(values[:, lane], 0.0, np.add)
