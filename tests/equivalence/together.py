"""What Triton's kernels find that the agents of worlds have together, from any terms: it is what the tick IR says.

    python together.py FOLDER interpreted|sm_90 AGENTS...

A program of its own, because Triton's interpreter has to be chosen before Triton is imported.
"""

from __future__ import annotations

import sys
from importlib import util
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from hamlet.launch.gpu.interpreted import make_interpreter_exact
from hamlet.launch.gpu.options import options
from hamlet_lab.ptx.backend import Executed
from hamletc.ir.function import REDUCTION_OPS, Reduction, ReductionOp
from hamletc.ir.together import together
from hamletc.targets.python import PythonPrinter
from hamletc.targets.triton.emit import constant, declared, decorator
from hamletc.targets.triton.reductions import reductions
from on_interpreter import interpret

HEAD = """
import triton
import triton.language as tl
"""
KERNELS = """

@triton.jit
def numbers(
    term_ptr, runs_ptr, holds_ptr, result_ptr, worlds: tl.int32, agents: tl.int32,
    GROUP: tl.constexpr, BLOCK: tl.constexpr,
):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = (index // GROUP < worlds) & (index % GROUP < agents)
    lane = index // GROUP * agents + index % GROUP
    lanes = worlds * agents
    term = tl.load(term_ptr + lane, mask=valid, other=0.0)
    running = tl.load(runs_ptr + lane, mask=valid, other=0) != 0
    holds = tl.load(holds_ptr + lane, mask=valid, other=0) != 0
    tl.store(result_ptr + lane, _counted(running & holds, GROUP, BLOCK), mask=valid)
    tl.store(result_ptr + lanes + lane, _total(tl.where(running, term, 0.0), GROUP, BLOCK), mask=valid)
    tl.store(result_ptr + 2 * lanes + lane, _extreme(running, term, "lowest", GROUP, BLOCK), mask=valid)
    tl.store(result_ptr + 3 * lanes + lane, _extreme(running, term, "highest", GROUP, BLOCK), mask=valid)


@triton.jit
def grants(
    claims_ptr, first_ptr, priority_ptr, places_ptr, result_ptr, worlds: tl.int32, agents: tl.int32,
    GROUP: tl.constexpr, BLOCK: tl.constexpr,
):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = (index // GROUP < worlds) & (index % GROUP < agents)
    lane = index // GROUP * agents + index % GROUP
    claims = tl.load(claims_ptr + lane, mask=valid, other=0) != 0
    places = tl.load(places_ptr + index // GROUP, mask=valid, other=7)
    first = None
    priority = None
    if first_ptr is not None:
        first = tl.load(first_ptr + lane, mask=valid, other=1) != 0
    if priority_ptr is not None:
        priority = tl.load(priority_ptr + lane, mask=valid, other=9).to(tl.uint32, bitcast=True)
    granted = _granted(claims, first, priority, places, GROUP, BLOCK)
    tl.store(result_ptr + lane, granted.to(tl.int32), mask=valid)


@triton.jit
def ranks(
    counts_ptr, priority_ptr, result_ptr, worlds: tl.int32, agents: tl.int32, GROUP: tl.constexpr, BLOCK: tl.constexpr,
):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = (index // GROUP < worlds) & (index % GROUP < agents)
    lane = index // GROUP * agents + index % GROUP
    counts = tl.load(counts_ptr + lane, mask=valid, other=0) != 0
    priority = tl.load(priority_ptr + lane, mask=valid, other=-1).to(tl.uint32, bitcast=True)
    tl.store(result_ptr + lane, _ranked(counts, priority, tl.minimum(worlds, 0), GROUP, BLOCK), mask=valid)


@triton.jit
def alikes(
    counts_ptr, key_ptr, asked_ptr, result_ptr, worlds: tl.int32, agents: tl.int32,
    GROUP: tl.constexpr, BLOCK: tl.constexpr,
):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = (index // GROUP < worlds) & (index % GROUP < agents)
    lane = index // GROUP * agents + index % GROUP
    counts = tl.load(counts_ptr + lane, mask=valid, other=0) != 0
    key = tl.load(key_ptr + lane, mask=valid, other=0)
    asked = tl.load(asked_ptr + lane, mask=valid, other=0)
    anybody = _alike(counts, key, asked, False, tl.minimum(worlds, 0), GROUP, BLOCK)
    others = _alike(counts, key, asked, True, tl.minimum(worlds, 0), GROUP, BLOCK)
    tl.store(result_ptr + lane, anybody, mask=valid)
    tl.store(result_ptr + worlds * agents + lane, others, mask=valid)
"""
NUMBERS: tuple[ReductionOp, ...] = ("count", "total", "lowest", "highest")
WORLDS = 5


def module(folder: Path) -> ModuleType:
    """The functions of kernels that meet, and kernels that call them."""
    printer = PythonPrinter({}, (), constant, declared, decorator, ": tl.constexpr")
    path = folder / "meeting.py"
    path.write_text(f"{HEAD}\n\n{printer.module(reductions(REDUCTION_OPS, paired=False))}\n{KERNELS}")
    spec = util.spec_from_file_location("meeting", path)
    assert spec is not None
    assert spec.loader is not None
    result = util.module_from_spec(spec)
    spec.loader.exec_module(result)
    return result


class Launcher:
    """Launches kernels for worlds of so many agents, and compares."""

    def __init__(self, kernels: dict[str, Any], agents: int, worlds_of_a_block: int) -> None:
        self.kernels, self.agents = kernels, agents
        self.group = 1 << (agents - 1).bit_length()
        self.block = max(32, self.group * worlds_of_a_block)
        self.lanes = WORLDS * agents

    def launch(self, name: str, *arrays: torch.Tensor | None) -> None:
        given = {"GROUP": self.group, "BLOCK": self.block} | options(self.block)
        self.kernels[name][(-(-WORLDS * self.group // self.block),)](*arrays, WORLDS, self.agents, **given)

    def numbers(self, draw: np.random.Generator) -> int:
        """Compare what is a number for terms of all magnitudes, zeros of both signs, and few who run."""
        compared = 0
        for running in (1.0, 0.5, 0.05):
            term = (draw.normal(size=self.lanes) * 10.0 ** draw.integers(-20, 20, self.lanes)).astype(np.float32)
            term = np.where(
                draw.random(self.lanes) < 0.3, draw.choice(np.array([0.0, -0.0], np.float32), self.lanes), term
            )
            if running == 0.05:
                term = draw.choice(np.array([0.0, -0.0, 0.0], np.float32), self.lanes)
            runs, holds = draw.random(self.lanes) < running, draw.random(self.lanes) < 0.6
            found = torch.zeros((len(NUMBERS), self.lanes))
            self.launch("numbers", *map(torch.from_numpy, (term, runs, holds)), found)
            for op, result in zip(NUMBERS, found.numpy(), strict=True):
                reduction = Reduction("tick", "x", op)
                expected = together(reduction, {"term.x": holds if op == "count" else term}, runs, self.agents)
                self.same(op, expected.view(np.uint32), result.view(np.uint32))
                compared += self.lanes
        return compared

    def grants(self, draw: np.random.Generator) -> int:
        """Compare who is granted, for many and few places and priorities."""
        compared, everybody = 0, np.ones(self.lanes, bool)
        for with_first, with_priority in product((False, True), (False, True)):
            for places_at_most, priorities in ((0, 3), (2, 1 << 32), (self.agents + 1, 1 << 32), (self.agents // 2, 2)):
                claims = draw.random(self.lanes) < draw.choice([0.2, 0.9, 1.0])
                places = draw.integers(0, places_at_most + 1, WORLDS).astype(np.int32)
                first = draw.random(self.lanes) < draw.choice([0.1, 0.6])
                priority = draw.integers(0, priorities, self.lanes, dtype=np.uint32, endpoint=False)
                if priorities < 1 << 32:
                    priority *= np.uint32(0xFFFFFFFF // priorities)
                terms = {"term.x": claims, "places.x": np.repeat(places, self.agents)}
                terms |= {"first.x": first} if with_first else {}
                terms |= {"priority.x": priority} if with_priority else {}
                expected = together(Reduction("tick", "x", "grant"), terms, everybody, self.agents)
                found = torch.zeros(self.lanes, dtype=torch.int32)
                self.launch(
                    "grants",
                    torch.from_numpy(claims),
                    torch.from_numpy(first) if with_first else None,
                    torch.from_numpy(priority.view(np.int32)) if with_priority else None,
                    torch.from_numpy(places),
                    found,
                )
                self.same("grant", expected, found.numpy() != 0)
                compared += self.lanes
        return compared

    def ranks(self, draw: np.random.Generator) -> int:
        """Compare places, where many have the same priority and where few have."""
        compared, everybody = 0, np.ones(self.lanes, bool)
        for most in (1, 3, (1 << 32) - 1):
            counts = draw.random(self.lanes) < draw.choice([0.2, 0.9, 1.0])
            priority = draw.integers(1, most, self.lanes, dtype=np.uint32, endpoint=True)
            # Priorities of both ends are there, and such that differ in the sign of an integer.
            priority = np.where(draw.random(self.lanes) < 0.2, ~priority | np.uint32(1), priority)
            terms = {"term.x": counts, "priority.x": priority}
            expected = together(Reduction("tick", "x", "rank"), terms, everybody, self.agents)
            found = torch.zeros(self.lanes)
            self.launch("ranks", torch.from_numpy(counts), torch.from_numpy(priority.view(np.int32)), found)
            self.same("rank", expected, found.numpy())
            compared += self.lanes
        return compared

    def alikes(self, draw: np.random.Generator) -> int:
        """Compare how many have a key, where few and where many are possible, and some ask for none."""
        compared, everybody = 0, np.ones(self.lanes, bool)
        for few in (1, 3, 60000):
            counts = draw.random(self.lanes) < draw.choice([0.2, 0.9, 1.0])
            key = draw.integers(0, few, self.lanes, dtype=np.int32)
            asked = np.where(draw.random(self.lanes) < 0.5, key, draw.integers(-1, few, self.lanes, dtype=np.int32))
            terms = {"term.x": counts, "key.x": key, "asked.x": asked}
            found = torch.zeros((2, self.lanes))
            self.launch("alikes", *map(torch.from_numpy, (counts, key, asked)), found)
            for others, result in zip((False, True), found.numpy(), strict=True):
                reduction = Reduction("tick", "x", "alike", few=few, others=others)
                self.same("alike", together(reduction, terms, everybody, self.agents), result)
                compared += self.lanes
        return compared

    def same(self, op: str, expected: np.ndarray[Any, Any], found: np.ndarray[Any, Any]) -> None:
        wrong = np.flatnonzero(expected != found)
        if wrong.size:
            raise SystemExit(f"{op} of {self.agents} agents differs in lanes {wrong[:8]}, blocks of {self.block}")


def main(folder: Path, where: str, counts: list[int]) -> int:
    if where == "interpreted":
        interpret()
        make_interpreter_exact()
    found = module(folder)
    kernels: dict[str, Any] = {name: getattr(found, name) for name in ("numbers", "grants", "ranks", "alikes")}
    if where != "interpreted":
        capability = int(where.removeprefix("sm_"))
        kernels = {name: Executed(kernel, capability) for name, kernel in kernels.items()}
    draw, compared = np.random.default_rng(3), 0
    for agents in counts:
        for worlds_of_a_block in (1, 2) if agents == 33 else (1,):
            launcher = Launcher(kernels, agents, worlds_of_a_block)
            compared += launcher.numbers(draw) + launcher.grants(draw) + launcher.ranks(draw)
            compared += launcher.alikes(draw)
    print(f"{compared} values are equal")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], [int(each) for each in sys.argv[3:]]))
