"""Kernels in C: the tree of kernels for CPUs as it is printed for a compiler of C gives the interpreter's bits."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from built import build, compiler

import hamlet
from hamlet.launch.cpu.entry import Entry, Value, entry
from hamlet.launch.cpu.team import Functions
from hamlet.package.ahead import Tables
from hamlet.package.module import in_memory
from hamlet.schema import abi
from hamlet.universe import Universe
from hamletc.compile import emit_texts, lower, optimise, specialise
from hamletc.targets.c.emit import ENTRY, emit
from hamletc.targets.numba.module import built
from hamletc.targets.numba.places import cached_cells
from samples import sample

TICKS = 25
UNIVERSES = {"town": 1, "queue": 17, "gallery/moss": 1, "ledger": 1}
"""Samples, each with its agents: a cell cache, agents that meet, cells, functions in parts."""


class CKernels:
    """See `hamlet.launch.cpu.kernels.Kernels`."""

    def __init__(self, universe: Universe, folder: Path) -> None:
        special = specialise(optimise(lower(universe)), "numba")
        self.tables: Tables = ()
        self.cells = cached_cells(built(special.program, universe).bindings)
        self.lanes = 256
        self.origin = "C"
        self._source = folder / "kernels.c"
        self._source.write_text(emit(special.program, universe), encoding="utf-8")
        self._observation = abi.array_arguments(universe, "rollout").index("observation")

    def entry(self, values: Sequence[Value]) -> Entry:
        """Compiles for the type of the observations."""
        observed = values[self._observation]
        assert isinstance(observed, np.ndarray), "observations are an array"
        name = {"float32": "f32", "uint8": "u8", "uint16": "u16"}[observed.dtype.name]
        target = self._source.with_name(f"{name}.so")
        made = build(target, "-O0", "-march=native", f"-DOBSERVED={name}", source=self._source)
        assert made.returncode == 0, made.stderr
        library = ctypes.CDLL(str(target))
        address = ctypes.cast(getattr(library, ENTRY), ctypes.c_void_p).value
        assert address is not None, "the library has it"
        return entry(address, values, library)

    def team(self) -> Functions:
        """Of one thread there is no team."""
        raise AssertionError("one thread needs nobody")


def bits(values: object) -> bytes:
    """The memory of numbers."""
    return np.asarray(values).tobytes()


@pytest.mark.skipif(compiler() is None, reason="this machine has no C compiler")
@pytest.mark.parametrize("name", UNIVERSES)
def test_they_give_the_bits_of_the_interpreter(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    universe = sample(name)
    files = {file: text.encode() for file, text in emit_texts(optimise(lower(universe)), ("numba",)).items()}
    module = in_memory(tmp_path, files)
    kernels = CKernels(universe, tmp_path)
    monkeypatch.setattr("hamlet.launch.cpu.kernels.JustInTime", lambda *_: kernels)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    made = {backend: hamlet.make(module, worlds=41, agents=UNIVERSES[name], backend=backend, quiet=True)
            for backend in ("numba", "interpreter")}  # fmt: skip
    ours, theirs = made["numba"], made["interpreter"]

    def compare(when: str) -> None:
        for field, expected in theirs.state.items():
            assert bits(ours.state[field]) == bits(expected), (when, field)
        assert bits(ours.observation) == bits(theirs.observation), when
        assert bits(ours.action_mask) == bits(theirs.action_mask), when

    for env in made.values():
        env.reset(seed=3)
    compare("reset")
    draw = torch.Generator().manual_seed(1)
    for tick in range(TICKS):
        actions = torch.randint(0, ours.num_actions, (ours.num_lanes,), generator=draw, dtype=torch.int32)
        given = [env.step(actions) for env in made.values()]
        for own, expected in zip(given[0][:4], given[1][:4], strict=True):
            assert bits(own) == bits(expected), tick
        compare(f"tick {tick}")
    counted = [env.rollout(2 * TICKS, observe=True) for env in made.values()]
    compare("rollout")
    mine, other = (each.counts.memory for each in counted)
    assert not universe.affordances or np.asarray(other["uses"]).any(), "something is used"
    for name_of_counts, counts in other.items():
        assert bits(mine[name_of_counts]) == bits(counts), name_of_counts
