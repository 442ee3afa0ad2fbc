"""A policy that was learnt as a module of WebAssembly, with the bits of every backend, and what opens it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import numpy as np

from hamlet.package.manifest import plain
from hamlet.policies.described import Described, Layers
from hamlet.policies.samples import REMEMBERED
from hamlet.universe import Universe
from hamletc import __version__
from hamletc.export.crew import Crew, crew_of, universe_of
from hamletc.export.exported import Exported
from hamletc.export.names import identifier
from hamletc.export.policy_c import TEST_LANES, TEST_SEED, TEST_TICK, digest_of_test, layers_of, ranges_of
from hamletc.kernel.code import Code, Function, assign, do, function, give, loop, when
from hamletc.kernel.expressions import Expression, Name, Operand, call, names
from hamletc.targets.c.types import CType
from hamletc.targets.wasm import networks, recalling
from hamletc.targets.wasm.emit import module_of
from hamletc.targets.wasm.memory import WIDE, part
from hamletc.targets.wasm.native import NATIVE
from hamletc.targets.wasm.printer import ALIGNED, WasmPrinter
from hamletc.targets.wasm.values import WIDE as VECTOR
from hamletc.targets.wasm.values import Coded, constant

SECTION = "hamlet policy"
"""The custom section with the description, as JSON."""
ARRAYS = ("observation", "mask", "actions", "controls", "memory", "acted", "age", "numbers")
OWN = ("lanes", "rooms")
"""Words of the record, before the addresses of arrays."""
MOST = 1 << 31
"""Bytes that the arrays of lanes take, at most."""
ELEMENTS = {
    "observation": "f32",
    "mask": "bool",
    "actions": "i32",
    "controls": "f32",
    "memory": "f32",
    "acted": "i32",
    "age": "i32",
    "numbers": "u32",
}
I32, U32 = CType("number", "i32"), CType("number", "u32")
ENTRIES: dict[str, tuple[CType, ...]] = {
    "begin": (I32,),
    "act": (U32, U32, U32, I32),
    "address": (I32,),
}
"""The functions that hosts call, and the types of their parameters."""
lanes, first, count, place, number = names("lanes first count place number")
seed_low, seed_high, tick, greedy, chosen = names("seed_low seed_high tick greedy chosen")
own, raw, limited, heads = names("own raw limited heads")
WORDS = names("drawn_0_ drawn_1_ drawn_2_ drawn_3_")


def export_policy_wasm(policy: Described, universe: Universe | None) -> Exported:
    """A module with the weights of a policy, which acts for all agents, or for those of its role, and a file of
    JavaScript that opens modules.

    Args:
        universe: its own; without a role and controls it may be absent.

    Raises:
        CompileError: it is a table, or has a role or controls of which nobody says more.
        EnvError: it is for another universe.
    """
    opener = files("hamletc.export").joinpath("policy.js").read_bytes()
    here = universe_of(policy, universe)
    name = crew_of(policy, layers_of(policy), here).name
    return Exported({f"{name}.wasm": policy_module(policy, here), f"{identifier(policy.universe)}_policy.js": opener})


def policy_module(policy: Described, universe: Universe | None) -> bytes:
    """The module of a policy; see `export_policy_wasm`."""
    layers = layers_of(policy)
    crew = crew_of(policy, layers, universe)
    entries = _Entries(layers)
    tables: dict[str, Coded] = {}
    data: list[tuple[int, bytes]] = []
    end = ALIGNED
    for name, values in (*_tables(layers), ("ranges", ranges_of(policy, layers, universe))):
        contents = values.astype("<f4").tobytes()
        tables[name] = constant(CType("table", "f32"), end)
        data.append((end, contents))
        end += -(-len(contents) // ALIGNED) * ALIGNED
    bodies = networks.computed(layers.activation) | (recalling.computed() if layers.gates is not None else {})
    around = (*networks.functions(bodies), *recalling.functions(), *entries.functions())
    written = {each.name: each for each in around}
    printer = WasmPrinter(written, bodies, tables, {"WIDE": VECTOR}, NATIVE, end, {}, data)
    record = printer.room(8 * len(entries.words))
    printer.tables = {**tables, "self": constant(CType("pointer", "i64"), record)}
    exports = [(name, printer.function(f"_export_{name}", types).index) for name, types in ENTRIES.items()]
    described = json.dumps(_description(policy, layers, crew), separators=(",", ":")).encode()
    return module_of(printer, exports, [(SECTION, described)])


def _tables(layers: Layers) -> Iterator[tuple[str, np.ndarray[Any, np.dtype[np.float32]]]]:
    for number_, (weights, biases) in enumerate(zip(layers.weights, layers.biases, strict=True)):
        yield f"weights{number_}_", weights
        yield f"biases{number_}_", biases
    if layers.gates is not None:
        yield from zip(("gates_", "gates_biases_"), layers.gates, strict=True)
    yield "log_deviations", layers.log_deviations


def _description(policy: Described, layers: Layers, crew: Crew) -> dict[str, Any]:
    """The sizes that a host must know, as JSON."""
    return {
        "universe": plain(policy.universe),
        "digest": policy.digest,
        "version": __version__,
        "observations": layers.values,
        "actions": layers.actions,
        "controls": layers.controls,
        "remembers": layers.remembers,
        "crew": {
            "role": crew.role,
            "first": crew.first,
            "agents": crew.agents,
            "numbers": crew.numbers,
            "actions": crew.actions,
        },
        "rows": _rows(layers),
        "test": {
            "ticks": REMEMBERED if layers.remembers else 1,
            "lanes": crew.tested(TEST_LANES),
            "seed": TEST_SEED,
            "tick": TEST_TICK,
            "digest": f"{digest_of_test(layers, crew):016x}",
        },
    }


def _rows(layers: Layers) -> dict[str, int]:
    """The numbers that each array has for a lane."""
    remembering = layers.gates is not None
    return {
        "observation": layers.values,
        "mask": layers.actions,
        "actions": 1,
        "controls": layers.controls,
        "memory": layers.remembers + layers.values if remembering else 0,
        "acted": int(remembering),
        "age": int(remembering),
        "numbers": 1,
    }


class _Entries:
    """The functions that hosts call, as code."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._rows = _rows(layers)
        self.words = (*OWN, *ARRAYS)
        self._outputs = [len(bias) for bias in layers.biases]

    def word(self, name: str) -> Expression:
        """A word of the record."""
        return Name("self")[self.words.index(name)]

    def array(self, name: str) -> Expression:
        """An array as memory."""
        return call(f"pointer_{ELEMENTS[name]}", self.word(name))

    def functions(self) -> Iterator[Function]:
        """The functions."""
        yield self._begin()
        yield self._act()
        of_array = Name("self")[number + len(OWN)]
        yield function("_export_address", ["number"], "Where an array is.", [give(call("i32", of_array))], "apart")

    def _begin(self) -> Function:
        def body() -> Iterator[Code]:
            yield when(lanes < 1, [give(call("i32", 0))])
            yield assign(count, lanes * (4 * sum(self._rows.values()) + 4))
            yield when(count > MOST, [give(call("i32", 0))])
            none_yet = [assign(self.word("rooms"), call("address", call("room_like", "self", 0)))]
            yield when(self.word("rooms").equals(0), none_yet)
            yield do("give_back", call("pointer_u8", self.word("rooms")))
            yield assign(self.word("lanes"), lanes)
            for name, rows in self._rows.items():
                # The last vector reads beyond the last lane.
                yield assign(place, call(f"room_{ELEMENTS[name]}", lanes * rows + WIDE))
                yield assign(self.word(name), call("address", place))
            yield give(call("i32", 1))

        summary = "Room for so many lanes; 0 where there cannot be as much."
        return function("_export_begin", ["lanes"], summary, body(), "apart")

    def _act(self) -> Function:
        def body() -> Iterator[Code]:
            yield assign(lanes, self.word("lanes"))
            for name in ARRAYS:
                yield assign(f"{name}_", self.array(name))
            remembers = self._layers.remembers
            widest = max(*self._outputs[:-1], self._outputs[0] + remembers)
            rooms = {"even_": widest, "odd_": widest, "heads": self._outputs[-1], "held": self._layers.actions}
            if remembers:
                rooms |= {"x_": self._layers.weights[0].shape[1], "hidden_": remembers, "news_": 2 * remembers}
            for name, rows in (*rooms.items(), ("limited", 1)):
                yield assign(name, call("unset_f32", rows * VECTOR))
            yield assign("chosen_", call("unset_i32", VECTOR))
            yield loop(first, 0, lanes, WIDE, body=of_vector())

        def of_vector() -> Iterator[Code]:
            yield assign(own, call("fetch", "numbers_", 0, call("wide", first)))
            yield assign(count, call("min", WIDE, lanes - first))
            layers, remembers = self._layers, self._layers.remembers
            x: Operand = "x_" if remembers else "observation_"
            at: tuple[Operand, ...] = (WIDE, 0) if remembers else (lanes, first)
            of_lanes = ("memory_", "acted_", "age_", lanes, first, layers.values, layers.actions, remembers)
            if remembers:
                yield do("sense", x, "hidden_", "observation_", *of_lanes)
            for layer, (weights, outputs) in enumerate(zip(layers.weights, self._outputs, strict=True)):
                last = layer == len(layers.weights) - 1
                y = "heads" if last else ("even_", "odd_")[layer % 2]
                yield do("layer", x, *at, y, f"weights{layer}_", f"biases{layer}_", weights.shape[1], outputs)
                if not last:
                    yield do("activated", y, outputs)
                x, at = y, (WIDE, 0)
                if layer == 0 and remembers:
                    yield do("layer", x, *at, "news_", "gates_", "gates_biases_", outputs, 2 * remembers)
                    yield do("remember", x, outputs, "news_", "hidden_", remembers)
            drawn = (own, tick, seed_low, seed_high, greedy)
            of_masks = ("mask_", "held", first, lanes, self._layers.actions)
            yield assign(chosen, call("choose", "heads", *of_masks, *drawn))
            yield assign(Name("chosen_")[call("wide", 0)], chosen)
            yield do("copy", part("actions_", first), "chosen_", count)
            for control in range(self._layers.controls):
                yield from of_control(control)
            if remembers:
                taken = ("memory_", "acted_", lanes, first, count, layers.values, remembers)
                yield do("keep", "x_", "hidden_", "chosen_", *taken)

        def of_control(control: int) -> Iterator[Code]:
            row = self._layers.actions + control
            yield assign(raw, call("fetch", heads, 0, call("wide", row * VECTOR)))
            block, pair = divmod(2 * control, len(WORDS))
            of_draw = (
                assign(WORDS, call("_draw_controls", own, tick, call("u32", block), seed_low, seed_high)),
                assign(raw, call("_deviate", Name("log_deviations")[control], WORDS[pair], WORDS[pair + 1], raw)),
            )
            yield when(greedy.equals(0), of_draw)
            middle, half, least, most = (Name("ranges")[4 * control + end] for end in range(4))
            yield assign(limited[call("wide", 0)], call("_limit", raw, half, middle, least, most))
            yield do("copy", part("controls_", lanes * control + first), limited, count)

        parameters = ["seed_low", "seed_high", "tick", "greedy"]
        summary = "The actions and controls of all lanes, which have numbers among all shards' lanes."
        return function("_export_act", parameters, summary, body(), "apart")
