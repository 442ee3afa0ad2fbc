"""What is timed: ours and the peers, each as something to prepare and something to run, each checked beforehand."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import check
import native
import torch
from check import CPU, STREAM

from hamlet.backend.buffers import Shape, allocate, allocate_statistics
from hamlet.backend.protocol import RandomPolicy
from hamlet.launch.cpu.kernels import just_in_time
from hamlet.launch.cpu.launch import CpuBackend
from hamlet.package.module import Module

# What is measured is what goes on, not what runs while a compiler makes it.
os.environ["HAMLET_DRAFTS"] = "0"

OURS = "ours: c"
PLAIN, INTRINSICS, NAIVE = "C, plain", "C, AVX-512 intrinsics", "C, naive"
LEAVES_OUT = {
    PLAIN: "worlds of several agents, dead agents among living ones, other actions than random ones, other universes",
    NAIVE: "what plain C leaves out, and observations, masks, statistics",
    "JAX": "worlds of several agents, masks, final observations, statistics; bits may differ",
}


@dataclass(frozen=True, slots=True)
class Variant:
    """`run` takes what `prepare` gives, `after` gives it up; only `run` is timed."""

    name: str
    lanes: int
    ticks: int
    observing: bool
    leaves_out: str
    checked: str
    prepare: Callable[[], Any]
    run: Callable[[Any], object]
    after: Callable[[Any], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Plan:
    """What to time: `lanes` agents, rollouts of so many ticks, so many threads, statistics where `counting`."""

    module: Module
    lanes: int
    ticks: tuple[int, ...]
    threads: int
    counting: bool = False

    @property
    def rollouts(self) -> list[tuple[int, bool]]:
        """Ticks, and whether to observe: everything without, the shortest also with observations."""
        return [*((ticks, False) for ticks in self.ticks), (min(self.ticks), True)]

    def run(self, observing: bool) -> check.Run:
        """Arrays of all agents. Statistics are added to from run to run."""
        shape = Shape(self.lanes, 1)
        buffers = allocate(self.module.universe, shape, CPU, torch.float32 if observing else None)
        return check.Run(buffers, allocate_statistics(self.module.universe, shape, CPU) if self.counting else None)


def _exact(differing: int) -> str:
    if differing:
        raise ValueError(f"{differing} values differ from the interpreter's")
    return "equal to the interpreter in every bit"


def ours(plan: Plan, expected: check.Run) -> list[Variant]:
    """Our kernels in C."""
    universe = plan.module.universe
    backend = CpuBackend(universe, just_in_time(plan.module), plan.threads)
    small = check.prepared(plan.module)
    backend.rollout(small.buffers, check.TICKS, RandomPolicy(), STREAM, True, small.counts)
    checked = _exact(check.differing(expected, small, True, True))

    def variant(ticks: int, observing: bool) -> Variant:
        big = plan.run(observing)
        return Variant(
            OURS, plan.lanes, ticks, observing, "nothing", checked,
            lambda: backend.reset(big.buffers, STREAM),
            lambda _: backend.rollout(big.buffers, ticks, RandomPolicy(), STREAM, observing, big.counts),
        )  # fmt: skip

    return [variant(*rollout) for rollout in plan.rollouts]


def has_avx512() -> bool:
    """Whether the intrinsics of avx512.h run here."""
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    return platform.machine() == "x86_64" and all(name in flags for name in ("avx512f", "avx512bw", "avx512vl"))


def in_c(plan: Plan, expected: check.Run, compiler: native.Compiler, folder: Path) -> list[Variant]:
    """The C programs by one compiler."""
    universe = plan.module.universe
    starting = CpuBackend(universe, just_in_time(plan.module), plan.threads)

    def fast(name: str, library: ctypes.CDLL) -> list[Variant]:
        small = check.prepared(plan.module)
        native.fast(library, native.town(small.buffers, check.TICKS, STREAM, plan.threads, small.counts, True))
        checked = _exact(check.differing(expected, small, True, True))

        def variant(ticks: int, observing: bool) -> Variant:
            big = plan.run(observing)
            told = native.town(big.buffers, ticks, STREAM, plan.threads, big.counts, observing)

            def run(_: Any) -> object:
                native.fast(library, told)
                # Named here, the arrays live as long as the pointers to them.
                return big

            return Variant(
                f"{name}, {compiler.name}", plan.lanes, ticks, observing, LEAVES_OUT[PLAIN], checked,
                lambda: starting.reset(big.buffers, STREAM), run,
            )  # fmt: skip

        return [variant(*rollout) for rollout in plan.rollouts]

    def naive() -> Variant:
        program = native.Naive(native.compile_c(compiler, "naive.c", folder))
        small = check.prepared(plan.module)
        told = native.town(small.buffers, check.TICKS, STREAM, plan.threads, None, False)
        program.unpack(told, program.run(told, program.pack(told)))
        checked = _exact(check.differing(expected, small, False, False))
        buffers = allocate(universe, Shape(plan.lanes, 1), CPU, None)
        ticks = min(plan.ticks)
        big = native.town(buffers, ticks, STREAM, plan.threads, None, False)

        def prepare() -> ctypes.c_void_p:
            starting.reset(buffers, STREAM)
            return program.pack(big)

        return Variant(
            f"{NAIVE}, {compiler.name}", plan.lanes, ticks, False, LEAVES_OUT[NAIVE], checked,
            prepare, lambda agents: (buffers, program.run(big, agents)), program.free,
        )  # fmt: skip

    variants = fast(PLAIN, native.compile_c(compiler, "fast.c", folder))
    if has_avx512():
        variants += fast(INTRINSICS, native.compile_c(compiler, "fast.c", folder, "-DAVX512"))
    return [*variants, naive()]


def in_jax(plan: Plan, expected: check.Run) -> list[Variant]:
    """The town in JAX, on JAX's default device."""
    import jax
    import jax.numpy as jnp
    import jax_town
    import numpy as np

    seed = jnp.array([STREAM.low, STREAM.high], jnp.uint32)
    first = jnp.uint32(STREAM.tick)

    # 64 bits are switched on for the town only: other environments do not work with them.
    def start(lanes: int) -> Any:
        with jax.enable_x64(True):
            observations = jnp.zeros((jax_town.OBSERVED, lanes), jnp.float32)
            return jax.block_until_ready((jax_town.start(lanes, seed), observations))

    def rollout(given: Any, ticks: int, observing: bool) -> Any:
        with jax.enable_x64(True):
            return jax.block_until_ready(jax_town.rollout(*given, seed, first, ticks, observing))

    state, _, _ = rollout(start(check.LANES), check.TICKS, False)
    exact = expected.buffers.state
    same = torch.from_numpy(np.array(state["layout"]).view(np.int32)) == exact["layout"]
    same &= torch.from_numpy(np.array(state["age"])) == exact["age"]
    far = max(
        check.ulps(torch.from_numpy(np.array(state[name]))[same], exact["meters"][row][same])
        for row, name in enumerate(jax_town.METERS)
    )
    if same.sum() < 0.9 * check.LANES:
        raise ValueError(f"JAX: {int((~same).sum())} of {check.LANES} agents are in another episode")
    checked = f"meters at most {far} ulp off after {check.TICKS} ticks"
    checked += f", {int((~same).sum())} of {check.LANES} agents in another episode or of another age"
    device = jax.devices()[0]

    def variant(ticks: int, observing: bool) -> Variant:
        return Variant(
            f"JAX {jax.__version__} on {device.platform}", plan.lanes, ticks, observing, LEAVES_OUT["JAX"], checked,
            lambda: start(plan.lanes),
            lambda given: rollout(given, ticks, observing),
        )  # fmt: skip

    return [variant(*rollout) for rollout in plan.rollouts]


def as_published(plan: Plan, lanes: int) -> tuple[list[Variant], list[str]]:
    """Environments of other projects; and those that are not here."""
    import published

    variants, missing = [], []
    for make in published.ALL:
        try:
            peer = make()
            prepare, run = published.compiled(peer, lanes, min(plan.ticks))
            run(prepare())
        except Exception as error:
            # Whatever a foreign package fails with, the other peers are still worth timing.
            missing.append(f"{make.__name__}: {type(error).__name__}: {str(error).partition(chr(10))[0]}")
            continue
        checked = "another world"
        variants.append(Variant(peer.name, lanes, min(plan.ticks), True, peer.leaves_out, checked, prepare, run))
    return variants, missing


def everything(plan: Plan, folder: Path, published_lanes: int) -> tuple[list[Variant], list[str]]:
    """All that can run here; and what cannot, with the reason."""
    expected = check.reference(plan.module)
    variants, missing = ours(plan, expected), []
    compilers = native.compilers()
    for compiler in compilers:
        try:
            variants += in_c(plan, expected, compiler, folder)
        except RuntimeError as error:
            missing.append(f"C by {compiler.name}: {str(error).partition(chr(10))[0]}")
    names = {compiler.name for compiler in compilers}
    missing += [f"C by {name}: no such compiler" for name in ("gcc", "clang") if name not in names]
    if compilers and not has_avx512():
        missing.append(f"{INTRINSICS}: this CPU has none")
    if importlib.util.find_spec("jax") is None:
        missing += ["JAX: not installed", "gymnax, NAVIX, XLand-MiniGrid: they need JAX"]
    else:
        variants += in_jax(plan, expected)
        others, absent = as_published(plan, published_lanes)
        variants, missing = variants + others, missing + absent
    return variants, missing
