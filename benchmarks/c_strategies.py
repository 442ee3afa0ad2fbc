"""What each strategy of the kernels for CPUs gains: universes compiled with it and without it, side by side.

    python benchmarks/c_strategies.py [--only windows notes] [--cases 'town 64'] [-- cc 'python -m ziglang cc']

Every strategy is left out in turn, by the switch of its pass or by another number in the compiler, with the cases of
`c_kernels.py`. Kernels with all strategies and kernels without one take turns in one process and one thread; the CPU
time of the thread counts, of the quickest tenth of many short samples. Bits are compared at the end. Prints the ratio
of the rates (1.10: the strategy makes it a tenth faster), the same of every second turn and of the others, and the
seconds of CPU of the compiler of C, and writes JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import tempfile
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from c_kernels import AGES, CASES, ROOT, Case, compiled_by, sample_of, written
from facts import facts
from sizes import UNIVERSES as SIZED

import hamlet
from hamlet.env.environment import Env
from hamlet.launch.cpu import launch
from hamlet.native import library
from hamlet.package.module import UNIVERSE_FILE, in_memory
from hamlet.universe import Universe
from hamlet.universe.codec import to_json
from hamletc.compile import Options, check_file, emit_kernels, lower, optimise, specialise
from hamletc.frontend import Stopwatch
from hamletc.kernel.code import For
from hamletc.kernel.expressions import Call, Name
from hamletc.package import package as files_of
from hamletc.targets.c import bindings, emit, expressions, module, parts, printer, slots
from hamletc.targets.c.arrays import Array
from hamletc.targets.c.slots import Chunk

RESULTS = Path(__file__).parent / "results" / "c_strategies.json"
COMPILERS = ("cc", "python -m ziglang cc")
FURTHER = (
    Case("shifts", observed="float32"),
    Case("gallery/berries", observed="float32"),
    Case("../tests/samples/universes/meeting/herd", 64),
)
"""Cases of windows, and of agents of roles."""
LANES = 8192
NEVER, ALL = 1 << 30, "all"


@dataclass(frozen=True, slots=True)
class Without:
    """How a strategy is left out.

    Attributes:
        passes: names of passes.
        numbers: objects, names of their attributes, and other values of those.
        header: what stands in `hamlet.h`, and what instead.
        texts: patterns of texts of C, and what stands there instead.
        launch: like `numbers`, of what launches kernels.
    """

    passes: tuple[str, ...] = ()
    numbers: tuple[tuple[object, str, object], ...] = ()
    header: tuple[tuple[str, str], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    launch: tuple[tuple[object, str, object], ...] = ()


def _one_loop(body: printer._Body, code: For, _put: Call, indent: str) -> Iterator[str]:
    """A loop that writes a row, printed as others are."""
    assert isinstance(code.variable, Name)
    assert isinstance(code.range, Call)
    return body._loop(code.variable.name, code.range.arguments, code.body, indent)


STRATEGIES: dict[str, Without] = {
    "parts": Without(numbers=((parts, "LARGE", NEVER), (parts, "MANY_INPUTS", NEVER))),
    "rows apart": Without(texts=(("#define SCATTERED\n", ""),)),
    "cell cache": Without(("cell_cache",)),
    "known rows": Without(numbers=((module, "MANY_WORDS", NEVER),)),
    "window words": Without(("window_words",)),
    "tabulation": Without(("tabulation",)),
    "few priorities": Without(("few_priorities",)),
    "merge exclusive": Without(("merge_exclusive",)),
    "clamp removal": Without(("clamp_removal",)),
    "clamp merging": Without(("clamp_merging",)),
    "algebra": Without(("algebra",)),
    "rows three times": Without(numbers=((printer._Body, "_putting", _one_loop),)),
    "state in its place": Without(numbers=((Chunk, "direct", property(lambda _: False)),)),
    "nothing set to zeros": Without(numbers=((Array, "unset", property(lambda array: array.make)),)),
    "bytes of outcomes": Without(numbers=((slots, "BYTES", 0),)),
    "tables in registers": Without(numbers=((bindings, "SHORT", 0), (emit, "SHORT", 0))),
    "lesser, greater": Without(numbers=((expressions, "_bound", lambda *_: None),)),
    "whole truth values": Without(numbers=((expressions, "WHOLE", {}),)),
    "few lanes": Without(texts=((r"busy = [^;]*;", "busy = LANES;"),)),
    "schedule-insns": Without(header=((', "schedule-insns", "sched-pressure"', ""),)),
    "unswitch-loops": Without(header=((', "unswitch-loops"', ""),)),
    "streaming": Without(launch=((launch, "large", lambda _: NEVER * NEVER),)),
}


@contextmanager
def left_out(without: Without) -> Iterator[None]:
    """What is compiled meanwhile is compiled without a strategy."""
    text = library.header()
    for old, new in without.header:
        assert old in text, f"hamlet.h does not say {old}"
        text = text.replace(old, new)
    with ExitStack() as stack:
        for each, name, value in (*without.numbers, *without.launch):
            stack.enter_context(patch.object(each, name, value))
        stack.enter_context(patch.object(library, "header", lambda: text))
        yield


def universe_of(name: str) -> Universe:
    """The universe of a case, or `WHAT COUNT` of `sizes.py`."""
    kind, _, count = name.partition(" ")
    path = ROOT / "universes" / f"{kind}.hamlet"
    with tempfile.TemporaryDirectory() as folder:
        if count:
            path = Path(folder) / "sized.hamlet"
            path.write_text(SIZED[kind](int(count)), encoding="utf-8")
        return check_file(path, Stopwatch()).universe


def package(universe: Universe, without: Without) -> dict[str, bytes]:
    """The files of a universe without a strategy."""
    with left_out(without):
        lowered = lower(universe, Options(disabled_passes=without.passes))
        text = emit_kernels(specialise(optimise(lowered), "c"), "c")
        for pattern, instead in without.texts:
            text = re.sub(pattern, instead, text)
        # Libraries are known by their texts.
        text += f"/* {zlib.crc32(library.header().encode())} */\n"
    return files_of(universe, {UNIVERSE_FILE: to_json(universe), "c_kernels.c": text})


def made(case: Case, files: dict[str, bytes], without: Without, command: str) -> tuple[Env, float]:
    """Worlds that have run for a while, and the CPU time of the compiler of C."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with compiled_by(command), left_out(without):
        shape = {"worlds": case.lanes // case.agents, "agents": case.agents}
        env = hamlet.make(in_memory(Path("here"), files), **shape, backend="c", obs_dtype=case.observed, quiet=True)
        env.reset(seed=7)
        env.rollout(AGES)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return env, round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)


def compared(case: Case, packages: Mapping[str, dict[str, bytes]], command: str, rounds: int) -> dict[str, Any]:
    """What each strategy gains in a case, with one compiler; strategies that change nothing are left out."""
    ways = {ALL: Without(), **STRATEGIES}
    changed = [name for name in packages if name == ALL or ways[name].launch or packages[name] != packages[ALL]]
    begun = {name: made(case, packages[name], ways[name], command) for name in changed}
    samples = {name: sample_of(env, case)[1] for name, (env, _) in begun.items()}
    seconds: dict[str, list[float]] = {name: [] for name in begun}
    for turn in range(rounds + 1):
        for name, run in samples.items():
            with left_out(ways[name]):
                begin = time.thread_time()
                run()
                end = time.thread_time()
            if turn:
                seconds[name].append(end - begin)
    rows = {}
    every = quick(seconds[ALL])
    for name in changed[1:]:
        assert written(begun[name][0]) == written(begun[ALL][0]), f"without {name} there are other bits"
        halves = [quick(seconds[name][half::2]) / quick(seconds[ALL][half::2]) for half in range(2)]
        rows[name] = {
            "gain": round(quick(seconds[name]) / every, 3),
            "spread": [round(each, 3) for each in sorted(halves)],
            "compiling": [begun[ALL][1], begun[name][1]],
        }
    return rows


def quick(times: Sequence[float]) -> float:
    """The time of samples that nothing else on the machine disturbed: a tenth take less."""
    return sorted(times)[len(times) // 10]


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compilers", nargs="*", default=COMPILERS)
    parser.add_argument("--only", nargs="+", default=list(STRATEGIES), choices=list(STRATEGIES))
    parser.add_argument("--cases", nargs="+", default=[""], help="parts of the names of cases")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--json", type=Path, default=RESULTS)
    options = parser.parse_args()
    result: dict[str, Any] = facts("benchmarks/c_strategies.py", "c")
    result["cases"] = {}
    packages: dict[str, dict[str, dict[str, bytes]]] = {}
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {"XDG_CACHE_HOME": folder}):
        # Samples of some milliseconds.
        short = (replace(case, lanes=min(case.lanes, LANES)) if case.ticks else case for case in (*CASES, *FURTHER))
        for case in (case for case in short if any(part in case.name for part in options.cases)):
            own = result["cases"].setdefault(case.name, {})
            if case.universe not in packages:
                universe, ways = universe_of(case.universe), {ALL: Without()} | STRATEGIES
                packages[case.universe] = {name: package(universe, ways[name]) for name in (ALL, *options.only)}
            for command in options.compilers:
                own[command] = compared(case, packages[case.universe], command, options.rounds)
                print(f"{case.name}, {command}, load {os.getloadavg()[0]:.1f}")
                for name, row in own[command].items():
                    print(f"    {name:22} {row['gain']:.3f} {row['spread']}  {row['compiling']} s", flush=True)
    options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
