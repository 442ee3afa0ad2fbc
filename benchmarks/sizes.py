"""What universes of many meters, actions, affordances, ... cost until their first step:

    python benchmarks/sizes.py
    python benchmarks/sizes.py --only meters actions --sizes 10 100 --stages check build --print

Universes of 10 to 10,000 of a thing are made, checked, built (`hamletc compile`, for all targets) and stepped once, on
kernels in C and on the interpreter, each in a process of its own. Times are of the CPU, user and system, of whole
processes, with all that they import; memory is the most that a process held. A stage that takes longer than the limit,
or more memory, ends. Writes JSON to benchmarks/results/.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
SIZES = (10, 100, 1000, 10_000)
FEWER = {"mixed": (10, 100, 400)}
"""With 15 cascades to every two meters a text of more meters is too long for the compiler."""
STAGES = ("check", "build", "c", "interpreter")
METERS = 12


def meters(count: int) -> str:
    """Meters that all run down and are all observed; the first kills."""
    return _universe(count)


def actions(count: int) -> str:
    """Actions of the universe's own: two statements each, every third with a need."""
    lines = (
        f"action A{n} {{ {_need(n)}"
        f"m{n % METERS} += 0.{n % 899 + 100}  m{(n // 7 + 1) % METERS} -= 0.00{n % 899 + 100} }}"
        for n in range(count)
    )
    return _universe(METERS, *lines)


def affordances(count: int) -> str:
    """Affordances at random: two statements each, every third with a need."""
    lines = (
        f"affordance F{n} at random {{ {_need(n)}instantly {{ m{n % 2} += 0.{n % 899 + 100}  m{2 + n % 2} -= 0.05 }} }}"
        for n in range(count)
    )
    return _universe(METERS, *lines, size=512)


def cascades(count: int) -> str:
    """Cascades between pairs of the twelve meters."""
    lines = (
        f"cascade c{n}: m{n % METERS} < 0.{n % 700 + 100} -> "
        f"m{(n // METERS + n + 1) % METERS} -= 0.00{n % 899 + 100} * deficit"
        for n in range(count)
    )
    return _universe(METERS, *lines)


def rules(count: int) -> str:
    """Rules, every second with a guard."""
    lines = (f"rule r{n}: {_guard(n)}m{n % METERS} -= 0.00{n % 899 + 100} * m{(n + 1) % METERS}" for n in range(count))
    return _universe(METERS, *lines)


def params(count: int) -> str:
    """Params, each read by a rule."""
    lines = (
        line
        for n in range(count)
        for line in (f"param p{n} = 0.00{n % 9 + 1} in 0 .. 1", f"rule r{n}: m{n % METERS} -= p{n} * 0.01")
    )
    return _universe(METERS, *lines)


def reports(count: int) -> str:
    """Reports, each of two meters."""
    return _universe(
        METERS, *(f"report r{n}: m{n % METERS} * 0.{n % 899 + 100} + m{(n + 1) % METERS}" for n in range(count))
    )


def mixed(count: int) -> str:
    """As many meters, and 15 cascades to every two of them."""
    lines = (
        f"cascade c{n}: m{n % count} < 0.{n % 700 + 100} -> "
        f"m{(n // count + n + 1) % count} -= 0.00{n % 899 + 100} * deficit"
        for n in range(count * 15 // 2)
    )
    return _universe(count, *lines)


UNIVERSES: dict[str, Callable[[int], str]] = {
    each.__name__: each for each in (meters, actions, affordances, cascades, rules, params, reports, mixed)
}


def _need(number: int) -> str:
    return "" if number % 3 else f"needs m11 >= 0.0{number % 9 + 1}  "


def _guard(number: int) -> str:
    return f"m{number * 5 % METERS} < 0.{number % 700 + 100} -> " if number % 2 else ""


def _universe(count: int, *lines: str, size: int = 8, observed: str = "meters") -> str:
    return "\n".join(
        (
            "universe sized",
            f"space grid {size} x {size}",
            "lifespan 500 ticks",
            *(f"meter m{n} = 1.0 {{ decay 0.00{n % 9 + 1} }}" for n in range(count)),
            *lines,
            "affordance Bed at random { instantly { m0 += 0.5 } }",
            "dies when m0 <= 0",
            "reward m1",
            f"observe {{ position relative  {observed} }}",
        )
    )


# --- one stage, in a process of its own ------------------------------------------------------------------------------


def stage(name: str, folder: Path) -> None:
    """Do the work of a stage on a universe of a folder."""
    from hamletc.compile import check_file, compile_file
    from hamletc.frontend import Stopwatch

    source, package = folder / "sized.hamlet", folder / "sized"
    match name:
        case "check":
            check_file(source, Stopwatch())
        case "build":
            compile_file(source, package)
        case _:
            step(name, package)


def step(backend: str, package: Path) -> None:
    """The first step of a package."""
    import torch

    import hamlet

    env = hamlet.make(hamlet.load(package), worlds=64, backend=backend)
    env.reset()
    env.step(torch.zeros(64, dtype=torch.int32))


def run(name: str, folder: Path, seconds: float, gigabytes: float) -> dict[str, float | str]:
    """A stage in a process: the seconds of its CPU, its memory in MB; or why it came to no end."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))

    environment = os.environ | {"HAMLET_THREADS": "1", "XDG_CACHE_HOME": str(folder / "cache")}
    command = [sys.executable, __file__, "--stage", name, str(folder)]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, env=environment, preexec_fn=limit)
        reason = ""
        while True:
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if held(process.pid) > gigabytes * 1000:
                process.kill()
                reason = f"more than {gigabytes:g} GB"
            time.sleep(0.02)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        lines = said.read().decode(errors="replace").strip().splitlines()
    errors = (line[line.index("error[") :] for line in lines if "error[" in line)
    last = next(errors, lines[-1] if lines else "")
    cpu, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 1000
    if process.returncode == 0:
        return {"s": round(cpu, 2), "mb": round(memory)}
    if not reason and cpu >= seconds - 1:
        reason = f"more than {seconds:g} s"
    return {"s": round(cpu, 2), "mb": round(memory), "failed": reason or last}


def held(pid: int) -> float:
    """The memory of a process now, in MB."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * resource.getpagesize() / 1e6


def case(what: str, size: int, stages: list[str], seconds: float, gigabytes: float) -> dict[str, object]:
    """All stages of a universe; none after one that came to no end, but the interpreter does not wait for kernels."""
    found: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "sized.hamlet").write_text(UNIVERSES[what](size))
        for name in stages:
            found[name] = run(name, folder, seconds, gigabytes)
            print(f"{what:>12} {size:>6} {name:<12} {found[name]}", flush=True)
            if "failed" in found[name] and name in ("check", "build"):  # type: ignore[operator]  # a result
                break
    return {"what": what, "size": size, "stages": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=list(UNIVERSES))
    parser.add_argument("--sizes", nargs="*", type=int, default=[])
    parser.add_argument("--stages", nargs="*", default=list(STAGES))
    parser.add_argument("--seconds", type=float, default=120, help="most CPU time of a stage")
    parser.add_argument("--gigabytes", type=float, default=3, help="most memory of a stage")
    parser.add_argument("--print", action="store_true", help="write no JSON")
    parser.add_argument("--stage", nargs=2, metavar=("STAGE", "FOLDER"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.stage:
        stage(arguments.stage[0], Path(arguments.stage[1]))
        return
    limits = arguments.seconds, arguments.gigabytes
    cases = [
        case(what, size, arguments.stages, *limits)
        for what in arguments.only
        for size in arguments.sizes or FEWER.get(what, SIZES)
    ]
    if not arguments.print:
        from facts import facts

        report = {"cases": cases, "machine": facts("benchmarks/sizes.py", "c")}
        (RESULTS / "sizes.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
