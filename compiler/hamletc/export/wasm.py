"""A universe as a module of WebAssembly that any host runs, and what a host must know of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from hamlet import schema
from hamlet.package.manifest import plain
from hamlet.universe import Universe
from hamletc import __version__
from hamletc.compilation import Compilation
from hamletc.export.arrays import Array, arrays, defaults
from hamletc.export.exported import Exported
from hamletc.export.names import identifier
from hamletc.export.tested import TEST_SEED, TEST_TICKS, TEST_WORLDS, agents_of, agents_tested
from hamletc.kernel.code import Code, Function, assign, do, function, give, loop, update, when
from hamletc.kernel.expressions import Either, Expression, Name, Operand, call, expression, names, no
from hamletc.targets.c.types import CType
from hamletc.targets.wasm.emit import Kernels, argument, kernels_of, module_of
from hamletc.targets.wasm.values import SIZES, constant

SECTION = "hamlet"
"""The custom section with the description, as JSON."""
OWN = ("worlds", "lanes", "agents", "tick", "seed_low", "seed_high", "known", "rooms", "first_world")
"""Words of the record of the worlds, before the addresses of arrays."""
SHARES = ("free", "next", "last")
"""Words of the record behind those addresses: which worlds are left, see `hamletc.targets.wasm.rollout`."""
BASIS, PRIME = 0xCBF29CE484222325, 0x100000001B3
"""FNV-1a of 64 bits, see `hamlet.backend.digest`."""
BYTES = 0xFFFF0000
"""The most bytes that worlds take: memory has addresses of 32 bits."""
LANE_LIMIT = 2**31 - 1
worlds, agents, lanes, total, lane, place = names("worlds agents lanes total lane place")
actions, ticks, begins, number, each_byte, digest = names("actions ticks begins number each_byte digest")
seed_low, seed_high, count = names("seed_low seed_high count")
I32, U32 = CType("number", "i32"), CType("number", "u32")
ENTRIES: dict[str, tuple[CType, ...]] = {
    "bytes": (I32, I32),
    "begin": (I32, I32, U32, U32),
    "shard": (I32,),
    "reset": (U32, U32),
    "step": (),
    "rollout": (I32,),
    "observe": (),
    "digest": (),
    "address": (I32,),
    "ticks": (),
}
"""The functions that hosts call, and the types of their parameters."""


def export_wasm(compilation: Compilation, digest: int | None, undigested: frozenset[str] = frozenset()) -> Exported:
    """A universe in WebAssembly, and a file of JavaScript that opens it.

    Args:
        compilation: what `specialise` made for the target `c`.
        digest: of a run of `TEST_WORLDS` worlds of `agents_tested` agents, see `hamlet.interpreter.digest`; `None`
            where no interpreter ran it.
        undigested: names of arrays of the state at which digests do not look.
    """
    universe = compilation.universe
    held = tuple(replace(each, digested=each.digested and each.name not in undigested) for each in arrays(universe, ""))
    name = identifier(universe.name)
    loader = files("hamletc.export").joinpath("loader.js").read_bytes()
    described = json.dumps(_description(universe, held, digest), separators=(",", ":"))
    module = _module(compilation, held, described.encode())
    return Exported({f"{name}.wasm": module, f"{name}.js": loader})


def _description(universe: Universe, held: Sequence[Array], digest: int | None) -> dict[str, Any]:
    """The names, types and sizes that a host must know, as JSON."""
    least, most = agents_of(universe)
    listed = [
        {
            "name": each.name,
            "type": each.dtype,
            "rows": None if each.rows is None else list(each.rows),
            "columns": each.columns,
            "pitch": each.pitch,
            "says": each.says,
        }
        for each in held
    ]
    says = "one for each lane, which `step` takes"
    of_actions = {"name": "actions", "type": "i32", "rows": None, "columns": "lanes", "pitch": 0, "says": says}
    return {
        "universe": plain(universe.name),
        "source": ", ".join(map(plain, universe.sources)),
        "version": __version__,
        "agents": [least, most],
        "actions": list(schema.action_names(universe)),
        "arrays": [*listed, of_actions],
        "test": {
            "worlds": TEST_WORLDS,
            "agents": agents_tested(universe),
            "seed": TEST_SEED,
            "ticks": TEST_TICKS,
            "digest": None if digest is None else f"{digest:016x}",
        },
    }


@dataclass(frozen=True, slots=True)
class _Held:
    """An array in the memory of a module: how many elements it has for a column, and whether worlds are its columns."""

    name: str
    element: str
    each: int
    columns: str

    @property
    def count(self) -> Expression:
        return Name(self.columns) * self.each


def _module(compilation: Compilation, held: Sequence[Array], described: bytes) -> bytes:
    universe = compilation.universe
    shown = [_Held(a.name, a.dtype, a.pitch or (1 if a.rows is None else len(a.rows)), a.columns) for a in held]
    shown.append(_Held("actions", "i32", 1, "lanes"))
    kernels = kernels_of(compilation.program, universe)
    own = [_Held("begins", "bool", 1, "worlds")]
    if kernels.cells:
        own += [_Held("cells_of_cache", "u8", kernels.cells, "lanes"), _Held("layouts_of_cache", "u32", 1, "lanes")]
    entries = _Entries(universe, held, [*shown, *own], kernels)
    printer = kernels.printer
    printer.functions = {**printer.functions, **{each.name: each for each in entries.functions()}}
    record = printer.room(8 * len(entries.words))
    printer.tables = {**printer.tables, "self": constant(CType("pointer", "i64"), record)}
    exports = [(name, printer.function(f"_export_{name}", types).index) for name, types in ENTRIES.items()]
    return module_of(printer, exports, [(SECTION, described)])


@dataclass(frozen=True, slots=True)
class _Entries:
    """The functions that hosts call, as code.

    Attributes:
        held: the arrays that callers have.
        placed: all that have a place in memory.
    """

    universe: Universe
    held: Sequence[Array]
    placed: Sequence[_Held]
    kernels: Kernels

    @property
    def words(self) -> tuple[str, ...]:
        """The names of the words of the record."""
        return (*OWN, *(each.name for each in self.placed), *SHARES)

    def word(self, name: str) -> Expression:
        """A word of the record."""
        return Name("self")[self.words.index(name)]

    def pointer(self, name: str) -> Expression:
        """An array as memory."""
        element = next(each.element for each in self.placed if each.name == name)
        return call(f"pointer_{element}", self.word(name))

    def functions(self) -> Iterator[Function]:
        """The functions."""
        yield _fits(self.universe)
        yield self._bytes()
        yield self._launch()
        yield self._reset()
        yield self._begin()
        yield self._step()
        yield self._rollout()
        yield function("_export_shard", ["number"], "Worlds that begin have numbers from this one on.",
                       [assign(self.word("first_world"), number)], "apart")  # fmt: skip
        yield function("_export_observe", (), "Observations and masks of the state as it is.",
                       [do("_launch", 0, 0, 0)], "apart")  # fmt: skip
        yield _hash()
        yield self._digest()
        of_array = Name("self")[number + len(OWN)]
        yield function("_export_address", ["number"], "Where an array is.", [give(call("i32", of_array))], "apart")
        of_ticks = call("i32", self.word("tick"))
        yield function("_export_ticks", (), "Ticks since the seed was set.", [give(of_ticks)], "apart")

    def _bytes(self) -> Function:
        def body() -> Iterator[Code]:
            yield when(no(call("_fits", worlds, agents)), [give(call("i32", 0))])
            yield assign(lanes, worlds * agents)
            yield assign(total, 0)
            for each in self.placed:
                size = each.count * SIZES[each.element] + 63
                yield update(total, "+", size // 64 * 64)
            yield give(call("i32", Either(total <= BYTES, total, expression(0))))

        summary = "The bytes of memory that so many worlds take; 0 where that cannot be."
        return function("_export_bytes", ["worlds", "agents"], summary, body(), "apart")

    def _begin(self) -> Function:
        def body() -> Iterator[Code]:
            yield when(call("_export_bytes", worlds, agents).equals(0), [give(call("i32", 0))])
            yield assign(lanes, worlds * agents)
            # The first rooms begin behind what functions have; those of worlds that were begun before are given back.
            first = [assign(self.word("rooms"), call("address", call("room_like", "self", 0)))]
            yield when(self.word("rooms").equals(0), first)
            yield do("give_back", call("pointer_u8", self.word("rooms")))
            for name, value in (("worlds", worlds), ("lanes", lanes), ("agents", agents), ("known", 0)):
                yield assign(self.word(name), value)
            for each in self.placed:
                yield assign(place, call(f"room_{each.element}", each.count))
                yield assign(self.word(each.name), call("address", place))
            for default in defaults(self.universe):
                columns = self.word(default.columns)
                at = self.pointer(default.array)[columns * default.row + lane]
                yield loop(lane, columns, body=[assign(at, default.value)])
            yield do("_export_reset", seed_low, seed_high)
            yield give(call("i32", 1))

        parameters = ["worlds", "agents", "seed_low", "seed_high"]
        summary = "Worlds at the beginning of their first episode; 0 where they cannot be."
        return function("_export_begin", parameters, summary, body(), "apart")

    def _launch(self) -> Function:
        def body() -> Iterator[Code]:
            yield assign(self.word("free"), self.word("worlds") << 32)
            yield from (assign(self.word(each), 0) for each in SHARES[1:])
            rollout = [self._argument(name) for name in self.kernels.arguments]
            yield do("rollout", *rollout)
            yield assign(self.word("known"), 1)

        parameters = ["actions", "ticks", "begins"]
        return function("_launch", parameters, "Launch the kernel.", body(), "apart")

    def _argument(self, name: str) -> Operand:
        """An argument of the kernel."""
        array = name.removesuffix("_array")
        if name in self.kernels.tables:
            return name
        if name != array:
            return self._array(array, argument(name, self.kernels, self.universe, "f32").element)
        match name:
            case "known":
                return self.word("known").differs(0)
            case "every_tick":
                # The last observations of episodes are those of a step.
                return expression(actions).differs(0)
            case "ticks":
                return ticks
            case "streamed":
                return schema.observation_rows(self.universe)
            case "worlds" | "agents" | "tick" | "seed_low" | "seed_high" | "first_world":
                return self.word(name)
            case _:
                return 0

    def _array(self, name: str, element: str) -> Expression:
        """An array of the kernel."""
        fields = {each.name: each for each in self.held}
        cached = bool(self.kernels.cells) and name in ("cells", "layouts")
        made = f"array_{element}"
        if cached:
            rows: Operand = self.kernels.cells if name == "cells" else self.word("lanes")
            columns: Operand = self.word("lanes") if name == "cells" else 1
            return call(made, self.word(f"{name}_of_cache"), rows, columns)
        if name in fields:
            array = fields[name]
            of = self.word(array.columns)
            if array.pitch:
                return call(made, self.word(name), of, array.pitch)
            return call(made, self.word(name), *((of, 1) if array.rows is None else (len(array.rows), of)))
        match name:
            case "actions":
                there = expression(actions).differs(0)
                rows = Either(there, expression(1), expression(0))
                return call(made, self.word("actions"), rows, self.word("lanes"))
            case "shares":
                return call(made, call("address", call("part", "self", 0, self.words.index("free"))), 1, len(SHARES))
            case "begins":
                return call(made, self.word("begins"), Either(begins.differs(0), self.word("worlds"), expression(0)), 1)
            case _:
                return call(made, 0, 0, 0)

    def _reset(self) -> Function:
        def body() -> Iterator[Code]:
            for name, value in (("seed_low", seed_low), ("seed_high", seed_high), ("tick", 0)):
                yield assign(self.word(name), value)
            begun = (assign(self.pointer("episode")[lane], 0), assign(self.pointer("begins")[lane], True))
            yield loop(lane, self.word("worlds"), body=begun)
            for array in self.held:
                if array.past:
                    each = array.pitch or (1 if array.rows is None else len(array.rows))
                    past = assign(self.pointer(array.name)[lane], int(array.past))
                    yield loop(lane, self.word(array.columns) * each, body=[past])
            yield do("_launch", 0, 0, 1)

        summary = "All worlds begin their first episode anew, with this seed, at tick 0."
        return function("_export_reset", ["seed_low", "seed_high"], summary, body(), "apart")

    def _step(self) -> Function:
        def body() -> Iterator[Code]:
            action = call("u32", self.pointer("actions")[lane])
            wrong = when(action >= len(schema.action_names(self.universe)), [give(call("i32", 0))])
            yield loop(lane, self.word("lanes"), body=[wrong])
            yield do("_launch", 1, 1, 0)
            yield assign(self.word("tick"), self.word("tick") + 1)
            yield give(call("i32", 1))

        return function(
            "_export_step", (), "One tick; 0 where an action is none: then nothing was done.", body(), "apart"
        )

    def _rollout(self) -> Function:
        done = (do("_launch", 0, expression(0) + ticks, 0), assign(self.word("tick"), self.word("tick") + ticks))
        summary = "So many ticks in which every agent draws from all actions."
        return function("_export_rollout", ["ticks"], summary, [when(ticks > 0, done)], "apart")

    def _digest(self) -> Function:
        def body() -> Iterator[Code]:
            yield assign(digest, expression(0) + BASIS - (1 << 64))
            for array in self.held:
                if not array.digested:
                    continue
                size, of = SIZES[array.dtype], self.word(array.columns)
                rows = 1 if array.rows is None else len(array.rows)
                if array.pitch:
                    at = self.word(array.name) + lane * (array.pitch * size)
                    of_world = assign(digest, call("_hash", digest, at, rows * size))
                    yield loop(lane, of, body=[of_world])
                else:
                    yield assign(digest, call("_hash", digest, self.word(array.name), of * (rows * size)))
            yield give(digest)

        summary = "FNV-1a, of 64 bits, over the bytes of state and outcomes."
        return function("_export_digest", (), summary, body(), "apart")


def _fits(universe: Universe) -> Function:
    least, most = agents_of(universe)
    possible = (worlds >= 1).both(agents >= least).both(agents <= most)
    body = (
        when(no(possible), [give(False)]),
        give((expression(0) + worlds) * agents <= LANE_LIMIT),
    )
    return function("_fits", ["worlds", "agents"], "Whether there can be so many.", body, "apart")


def _hash() -> Function:
    of_byte = (
        assign(each_byte, call("pointer_u8", place)[number]),
        assign(digest, (digest ^ each_byte) * PRIME),
    )
    body = (loop(number, count, body=of_byte), give(digest))
    return function("_hash", ["digest", "place", "count"], "FNV-1a, of so many bytes.", body, "apart")
