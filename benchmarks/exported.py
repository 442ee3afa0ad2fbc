"""How fast exported C is, and whether its bits are those of hamletc wherever it is compiled:

    python benchmarks/exported.py [--minutes 10] [--universes 300] [--resume] [--zig 'zig cc'] [--qemu FOLDER]

The town's rollout, 65,536 worlds in one thread, stands beside that of the backend `c`, in turns in one process, by
CPU time. Then random universes are exported and compiled by GCC and by Zig, whose compiler is Clang, for x86-64,
aarch64 and riscv64. A program returns its self-test, 300 ticks whose digest the interpreter gave; those of other CPUs
run in qemu-user: `qemu-aarch64-static` and the like from PATH or the folder. As many universes as fit into the minutes
of CPU time, whose builds run side by side. What cannot be had is listed. Writes benchmarks/results/exported.json;
`--resume` goes on with the universes that are there, if the generator is the same, builds again what was wrong, and
measures nothing anew.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

os.environ["HAMLET_THREADS"] = "1"
sys.path.insert(1, str(Path(__file__).resolve().parent.parent / "tests" / "equivalence"))
sys.path.insert(2, str(Path(__file__).resolve().parent.parent / "tests"))

from agreement import checked
from cases import generator, text
from facts import facts

import hamlet
from hamlet.backend.buffers import Shape
from hamlet.interpreter.digest import digest_of_run
from hamlet.universe import Universe
from hamletc.compile import check_file, lower, optimise, specialise
from hamletc.errors import SourceError
from hamletc.export.c import export_c
from hamletc.export.tested import TEST_SEED, TEST_TICKS, TEST_WORLDS, agents_tested
from hamletc.frontend import Stopwatch

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "results" / "exported.json"
WORLDS, TICKS, SAMPLES = 65536, 64, 9
GCC = "gcc"
FAST = ("-std=c99", "-O3", "-march=native", "-w", "-shared", "-fPIC")
QUICK = ("-std=c99", "-O1", "-w")
TARGETS = ("x86_64", "aarch64", "riscv64")
MAIN = "#include <stdio.h>\n#include {header}\nint main(void) {{ return {name}_selftest(); }}\n"


def cpu() -> float:
    """Seconds of CPU time of this process and of those that ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, kinds))


def write(universe: Universe, folder: Path) -> str:
    """Writes an export, and gives its name."""
    digest = digest_of_run(universe, Shape(TEST_WORLDS, agents_tested(universe)), TEST_SEED, TEST_TICKS)
    exported = export_c(specialise(optimise(lower(universe)), "c"), digest).files
    for name, contents in exported.items():
        (folder / name).write_bytes(contents)
    return next(iter(exported)).partition(".")[0]


def build(command: Sequence[str], *arguments: str, folder: Path) -> str:
    """Compile, and give what is wrong in a line."""
    done = subprocess.run([*command, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    return (
        "" if done.returncode == 0 else next((line for line in done.stderr.splitlines() if "error" in line), "failed")
    )


class Exported:
    """Worlds of an exported library."""

    def __init__(self, library: Path, name: str, agents: int) -> None:
        loaded = ctypes.CDLL(str(library))
        numbers = ctypes.c_int64(WORLDS), ctypes.c_int64(agents)
        size, begin = (getattr(loaded, f"{name}_{each}") for each in ("bytes", "begin"))
        size.restype, begin.restype = ctypes.c_size_t, ctypes.c_void_p
        self._digest = getattr(loaded, f"{name}_digest")
        self._digest.restype = ctypes.c_uint64
        self._rollout = getattr(loaded, f"{name}_rollout")
        bytes_ = size(*numbers)
        self._memory = ctypes.create_string_buffer(bytes_)
        self._self = ctypes.c_void_p(begin(self._memory, ctypes.c_size_t(bytes_), *numbers, ctypes.c_uint64(TEST_SEED)))

    def rollout(self) -> None:
        self._rollout(self._self, ctypes.c_int64(TICKS))

    def digest(self) -> int:
        return int(self._digest(self._self))


def rates(zig: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    """Millions of agent-ticks a second of the town, exported and in the backend, by the compiler of each."""
    path = ROOT / "universes" / "town.hamlet"
    with tempfile.TemporaryDirectory() as there:
        folder = Path(there)
        name = write(check_file(path, Stopwatch()).universe, folder)
        yield {"bytes": (folder / f"{name}.c").stat().st_size}
        for label, command in (("gcc", [GCC]), ("clang (zig)", zig)):
            if command is None:
                yield {"compiler": label, "missing": "not installed"}
                continue
            said = build(command, *FAST, f"{name}.c", "-o", f"{label}.so", folder=folder)
            if said:
                yield {"compiler": label, "failed": said}
                continue
            os.environ["HAMLET_CC"] = shlex.join(command)
            exported = Exported(folder / f"{label}.so", name, 1)
            env = hamlet.make(hamlet.compile(path), worlds=WORLDS, seed=TEST_SEED, backend="c", quiet=True)
            sides: dict[str, tuple[Callable[[], object], list[float]]] = {
                "exported": (exported.rollout, []),
                "backend": (lambda env=env: env.rollout(TICKS), []),
            }
            for _ in range(SAMPLES):
                for roll, times in sides.values():
                    before = cpu()
                    roll()
                    times.append(cpu() - before)
            assert exported.digest() == env.digest(), "equal seeds and ticks have equal digests"
            medians = {side: WORLDS * TICKS / statistics.median(times) / 1e6 for side, (_, times) in sides.items()}
            rounded = {side: round(rate, 1) for side, rate in medians.items()}
            yield {"compiler": label, **rounded, "ratio": round(medians["exported"] / medians["backend"], 3)}


def emulator(target: str, folder: Path | None) -> list[str] | None:
    """The command that runs a program for a CPU; `None`: there is none."""
    if target == "x86_64":
        return []
    name = f"qemu-{target}-static"
    program = shutil.which(name, path=None if folder is None else f"{folder}{os.pathsep}{os.environ['PATH']}")
    return None if program is None else [program]


def compare(universe: Universe, zig: Sequence[str] | None, qemu: Path | None) -> Iterator[tuple[str, str]]:
    """How each build of a universe ends, by its name: `equal`, or what is wrong."""
    with tempfile.TemporaryDirectory() as there:
        folder = Path(there)
        name = write(universe, folder)
        (folder / "main.c").write_text(MAIN.format(header=f'"{name}.h"', name=name))
        builds = [("gcc x86_64", [GCC], "x86_64", ()), ("gcc x86_64 -O3", [GCC], "x86_64", ("-O3", "-march=native"))]
        if zig is not None:
            builds += [
                (f"clang {target}", [*zig, "-target", f"{target}-linux-musl"], target, ("-static",))
                for target in TARGETS
            ]
        # Processes do the work: threads wait for them.
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            ends = [pool.submit(ended, folder, name, qemu, *each) for each in builds]
            yield from ((label, end.result()) for (label, *_), end in zip(builds, ends, strict=True))


def ended(
    folder: Path, name: str, qemu: Path | None, label: str, command: Sequence[str], target: str, flags: Sequence[str]
) -> str:
    """How a build ends."""
    runs = emulator(target, qemu)
    if runs is None:
        return "no qemu-user"
    program = label.replace(" ", "_")
    said = build(command, *QUICK, *flags, f"{name}.c", "main.c", "-o", program, folder=folder)
    if said:
        return said
    code = subprocess.run([*runs, f"./{program}"], cwd=folder, check=False, capture_output=True).returncode
    return "equal" if code == 0 else f"self-test {code}"


def earlier(path: Path) -> dict[str, Any]:
    """The results to go on with; a line where there are none of this command."""
    if not path.exists():
        sys.exit(f"error: there is no {path}: leave out --resume to begin it")
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        result = None
    if not isinstance(result, dict) or not {"facts", "town"} <= result.keys():
        sys.exit(f"error: {path} holds no results of this command: leave out --resume to begin it")
    return result


def main() -> None:
    """Measure, compare, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--universes", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--resume", action="store_true", help="go on with the results that there are")
    parser.add_argument("--zig", type=shlex.split)
    parser.add_argument("--qemu", type=Path)
    chosen = parser.parse_args()
    result = earlier(RESULTS) if chosen.resume else {}
    now, before = facts("benchmarks/exported.py", "c"), result.get("random", {})
    if not result:
        result = {"facts": now, "town": list(rates(chosen.zig))}
    compared = before if chosen.resume and before.get("generator") == generator() else {}
    ends = {label: Counter(each) for label, each in compared.get("builds", {}).items()}
    again = sorted({int(each.partition(" ")[0]) for each in compared.get("wrong", ())})
    for each in compared.get("wrong", ()):
        label, _, said = each.partition(" ")[2].partition(": ")
        ends[label][said] -= 1
    wrong: list[str] = []
    first, last = compared.get("first", chosen.first), compared.get("last", chosen.first - 1)
    took, begun, done = compared.get("cpu_seconds", 0), cpu(), compared.get("universes", 0) - len(again)
    while done < chosen.universes and cpu() - begun < 60 * chosen.minutes:
        number = again.pop(0) if again else (last := last + 1)
        try:
            universe = checked(text(number))
        except SourceError:
            continue
        for label, said in compare(universe, chosen.zig, chosen.qemu):
            ends.setdefault(label, Counter())[said] += 1
            wrong += [] if said in ("equal", "no qemu-user") else [f"{number} {label}: {said}"]
        done += 1
        result["random"] = {
            "generator": generator(), "universes": done, "first": first, "last": last, "wrong": wrong,
            "cpu_seconds": took + round(cpu() - begun), "builds": {label: dict(+each) for label, each in ends.items()},
            "commits": list(dict.fromkeys((*compared.get("commits", ()), now["commit"]))),
        }  # fmt: skip
        # What was compared stays where somebody ends it.
        RESULTS.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
