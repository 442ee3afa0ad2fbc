"""The price of equal bits: the town's kernels as they are, against the same with contraction and approximate division.

    python benchmarks/exactness_price.py
    python benchmarks/exactness_price.py --backend triton --agents 1048576

Variants run in turns, in rollouts without observations and with f32 observations every tick. None but the first are
ever part of the product: on the CPU a compiler of C is told here that it may contract and multiply by reciprocals, and
its `hamlet.h` has lost what forbids that; for the GPU, Triton is told so and gets `/`. Beside the times stand the
machine instructions for sm_90, which need no GPU. Writes benchmarks/results/exactness_BACKEND.json.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias
from unittest.mock import patch

import torch
from facts import ROOT, facts
from rounds import as_json, more_time, rates

import hamlet
from hamlet.env.environment import Env
from hamlet.launch.gpu import options as triton_options
from hamlet.launch.gpu.forms import FORMS
from hamlet.native.compilers import NATIVE, compiled, compiler
from hamlet.native.library import NOTHING_DEFINED, header, opened
from hamlet.package.module import Module, kernels_file
from hamlet_lab.machine_code.kernels import compile_kernels
from hamletc.compile import check_file, emit_texts, lower, optimise, specialise
from hamletc.compile import emit_kernels as emit
from hamletc.frontend import Stopwatch
from hamletc.package import package, write
from hamletc.passes.pipeline import gpu_passes

RESULTS = Path(__file__).parent / "results"
CAPABILITY = 90
WARM_UP = 128
TICKS = {"none": 64, "float32": 16}
APPROXIMATE = """

@triton.jit
def _quotient(left, right):
    return left / right


"""

CONTRACTED, RECIPROCALS = "-ffp-contract=fast", "-freciprocal-math"
"""Arguments of compilers of C."""
GUARDS = {"#pragma STDC FP_CONTRACT OFF\n": "", '"fp-contract=off", ': ""}
"""Text of `hamlet.h` that forbids contraction, and what has its place in loosened kernels."""

Divisions: TypeAlias = Literal["divided", "multiplied", "approximate"]
"""By constants: a rounded division, two fused operations proven equal to it, or whatever is fast."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to compile the same universe."""

    name: str
    divisions: Divisions
    contracted: bool


def variants(target: str) -> tuple[Variant, ...]:
    """The first is what the product does."""
    multiplied = Variant("exact, division by a constant as two fused operations", "multiplied", False)
    divided = Variant("exact, division by a constant as a division", "divided", False)
    shipped, other = (multiplied, divided) if target == "triton" else (divided, multiplied)
    return (
        shipped,
        other,
        Variant("contraction", shipped.divisions, True),
        Variant("contraction and approximate division", "approximate", True),
    )


def build(source: Path, target: str, variant: Variant, folder: Path) -> Module:
    """The package of a variant; only the text of its kernels differs."""
    universe = check_file(source, Stopwatch()).universe
    optimised = optimise(lower(universe))
    texts = emit_texts(optimised, (target,))
    special = specialise(replace(optimised, disabled=frozenset({"constant_division"})), target)
    if variant.divisions == "multiplied":
        # On a CPU nothing but divisions is to be done as for a GPU.
        on_cpu = replace(special, disabled=frozenset()).run(gpu_passes)
        special = specialise(optimised, target) if target == "triton" else on_cpu
    kernels = emit(special, target)
    if variant.divisions == "approximate" and target == "triton":
        kernels = kernels.replace("tl.div_rn(", "_quotient(")
        kernels = kernels.replace("\n\n\n@triton.jit", APPROXIMATE + "@triton.jit", 1)
    path = folder / variant.name.replace(" ", "_").replace(",", "") / universe.name
    write(package(universe, texts | {kernels_file(target): kernels}), path)
    return hamlet.load(path)


@contextmanager
def loosened(target: str, variant: Variant) -> Iterator[None]:
    """While kernels are compiled: their compiler may do what the variant says."""
    if not variant.contracted:
        yield
    elif target == "triton":

        def loose(block: int) -> dict[str, int | bool]:
            return triton_options.options(block) | {"enable_fp_fusion": True}

        with patch("hamlet.launch.gpu.call.options", loose), patch("hamlet.launch.gpu.forms.options", loose):
            yield
    else:
        further = (CONTRACTED, RECIPROCALS) if variant.divisions == "approximate" else (CONTRACTED,)
        with patch("hamlet.launch.cpu.kernels.library", partial(loose_library, further)):
            yield


def loose_header() -> str:
    """The text of `hamlet.h` without its guards.

    Raises:
        ValueError: it has other guards now.
    """
    text = header()
    for guard, instead in GUARDS.items():
        if guard not in text:
            raise ValueError(f"hamlet.h has no {guard!r}")
        text = text.replace(guard, instead)
    return text


def loose_library(further: Sequence[str], text: str, defines: Mapping[str, str] = NOTHING_DEFINED) -> ctypes.CDLL:
    """The shared library of a text of C, compiled with further arguments that change bits; it is not kept."""
    return opened(compiled(compiler(), text, loose_header().encode(), defines, NATIVE, further))


def instructions(module: Module, variant: Variant) -> dict[str, Any]:
    """Machine code for `CAPABILITY`, kernel by kernel."""
    with loosened("triton", variant):
        found = compile_kernels(module.kernels("triton"), module.universe, CAPABILITY, FORMS)
    return {
        form: {"instructions": c.instructions, "registers": c.registers, "every_tick": c.loop.every if c.loop else None}
        for form, c in found.items()
    }


def other_lanes(env: Env, exact: Env) -> float:
    """The share of lanes whose meters have other bits."""
    different = env.state["meters"].view(torch.int32) != exact.state["meters"].view(torch.int32)
    return float(different.any(dim=0).float().mean())


def timed(
    built: list[tuple[Variant, Module]], target: str, observed: str, agents: int, rounds: int
) -> list[dict[str, Any]]:
    """A row for each variant."""
    ticks, envs = TICKS[observed], []
    seen = None if observed == "none" else observed
    for variant, module in built:
        with loosened(target, variant):
            env = hamlet.make(
                module,
                worlds=agents,
                backend=target,
                seed=7,
                obs_dtype=seen,
                validate=False,
                quiet=True,
                launch="step",
            )
            env.rollout(WARM_UP, observe=seen is not None, statistics=False)
        envs.append(env)
    lanes = [other_lanes(env, envs[0]) for env in envs]

    def run(variant: Variant, env: Env) -> None:
        with loosened(target, variant):
            env.rollout(ticks, observe=seen is not None, statistics=False)

    runs = [(v.name, lambda v=v, env=env: run(v, env)) for (v, _), env in zip(built, envs, strict=True)]
    exact, *others = rates(runs, agents * ticks, rounds, envs[0].synchronize)
    rows = [as_json(exact, None), *(as_json(other, more_time(exact, other, target == "triton")) for other in others)]
    shared = {"observed": observed, "ticks": ticks}
    return [shared | row | {"lanes_with_other_bits": share} for row, share in zip(rows, lanes, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("universe", type=Path, nargs="?", default=ROOT / "universes" / "town.hamlet")
    parser.add_argument("--backend", choices=("c", "triton"), default="c")
    parser.add_argument("--agents", type=int, default=65536)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--no-code", action="store_true", help="leave the instructions for a GPU out")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    target: str = arguments.backend
    with tempfile.TemporaryDirectory() as folder:
        built = [(v, build(arguments.universe, target, v, Path(folder) / target)) for v in variants(target)]
        rows = [row for seen in TICKS for row in timed(built, target, seen, arguments.agents, arguments.rounds)]
        code = {}
        if not arguments.no_code:
            for variant in variants("triton"):
                code[variant.name] = instructions(
                    build(arguments.universe, "triton", variant, Path(folder) / "code"), variant
                )
    report = {
        "facts": facts("benchmarks/exactness_price.py", target),
        "universe": arguments.universe.stem,
        "agents": arguments.agents,
        "rows": rows,
        "code": code,
    }
    path = arguments.json or RESULTS / f"exactness_{target}.json"
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    for row in rows:
        if "percent" in row:
            percent = row["percent"]
            print(
                f"{row['observed']}: exact takes {percent['median']:+.1f}% ({percent['least']:+.1f} to "
                f"{percent['most']:+.1f}) against {row['name']}"
            )
    for name, kernels in code.items():
        print(f"sm_{CAPABILITY}, {name}: " + ", ".join(f"{form} {c['instructions']}" for form, c in kernels.items()))


if __name__ == "__main__":
    main()
