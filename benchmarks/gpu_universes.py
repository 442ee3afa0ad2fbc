"""All shipped universes on a GPU: compiled, and compared with the interpreter bit for bit, several at a time; then
those with many agents, cells and pictures timed, one after the other:

    python benchmarks/gpu_universes.py --json benchmarks/results/gpu_universes.json

What is compared is `hamletc verify --quick`, with Triton's kernels on the GPU and the interpreter on the CPU. Each
universe has a process of its own, so that what breaks one leaves the others. Times follow with all processes gone.
`--device cpu` has kernels in C in place of Triton, for a machine without a GPU. Exit code 1 where something differs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from installed import as_installed

if TYPE_CHECKING:
    from hamlet.package.module import Module

ROOT = Path(__file__).resolve().parent.parent
TIMED = (
    *("town", "gallery/alarm", "gallery/epidemic", "gallery/forest_fire", "gallery/hex", "gallery/predators"),
    *("gallery/tag", "gallery/wolves", "ports/cartpole", "ports/commons_harvest", "ports/connect_four"),
    *("ports/frozen_lake", "ports/mettagrid_arena", "ports/minigrid_door_key_8x8", "ports/pursuit"),
    *("ports/simple_spread", "ports/sokoban", "ports/wolf_sheep"),
)
LANES = 1 << 20
TICKS = 32
SAMPLES = 7
LIMIT = 400
"""Seconds that one universe may take."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One universe against the interpreter.

    Attributes:
        universe: its file, without ending, from the folder of universes.
        equal: no bit differs, and some were compared.
        values: how many were compared.
        fired, constructs: how many of the constructs were exercised, and how many there are.
        seconds: with compiling.
        error: what differs or broke, in one line.
    """

    universe: str
    equal: bool
    values: int = 0
    fired: int = 0
    constructs: int = 0
    seconds: float = 0.0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Timed:
    """Rates of one universe.

    Attributes:
        universe, agents, lanes: what ran; `agents` are those of a world.
        rollout, observed: agent-ticks per second of random play, without observations and with those of every tick.
        fastest, slowest: of the observed rollout's samples.
        observation: bytes of what one agent sees in a tick.
    """

    universe: str
    agents: int
    lanes: int
    rollout: float
    observed: float
    fastest: float
    slowest: float
    observation: int


def compiled(name: str, folder: Path) -> Module:
    """The universe as a package in this folder."""
    from hamletc.compile import compile_file

    return compile_file(ROOT / "universes" / f"{name}.hamlet", folder / "package")


def compare(name: str, device: str) -> Compared:
    """One universe in this process."""
    import torch

    from hamlet.backend.choose import Choice, start
    from hamlet_lab.verify import QUICK, Candidate, verify

    torch.set_num_threads(1)
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        module = compiled(name, Path(folder))
        where = torch.device(device) if device == "cpu" else torch.device("cuda", torch.cuda.current_device())
        backend = start(module, Choice("c" if device == "cpu" else "triton", where, "compared"))
        report = verify(module.universe, [Candidate(backend, where)], QUICK)
    fired = len(report.coverage) - len(report.never_fired)
    counts = (report.compared, fired, len(report.coverage), round(time.perf_counter() - begin, 1))
    error = "" if report.equal else next(line for line in report.render().splitlines() if " differ" in line)
    return Compared(name, report.equal and report.compared > 0, *counts, error)


def compare_apart(name: str, device: str, until: float) -> Compared:
    """One universe in a process of its own."""
    if (left := until - time.monotonic()) <= 0:
        return Compared(name, False, error="left out: time was up")
    begin = time.monotonic()
    command = [sys.executable, __file__, "--one", name, "--device", device]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=min(LIMIT, left + 20))
        row = Compared(**json.loads(done.stdout.splitlines()[-1]))
    except subprocess.TimeoutExpired:
        row = Compared(name, False, error="timeout", seconds=time.monotonic() - begin)
    except (IndexError, ValueError):
        row = Compared(name, False, error=(done.stderr.strip().splitlines() or ["nothing was said"])[-1][:300])
        print(done.stderr[-3000:], file=sys.stderr)
    print(f"{name}: {'equal' if row.equal else row.error} ({row.seconds} s)", file=sys.stderr, flush=True)
    return row


def rate(env: Any, device: str) -> tuple[float, float, float]:
    """Agent-ticks per second of rollouts: median, fastest, slowest."""
    import torch

    rates = []
    for turn in range(SAMPLES + 1):
        begin = time.perf_counter()
        env.rollout(TICKS, observe=env.observation is not None, statistics=False)
        if device != "cpu":
            torch.cuda.synchronize()
        if turn:
            rates.append(env.num_lanes * TICKS / (time.perf_counter() - begin))
    return statistics.median(rates), max(rates), min(rates)


def timed(name: str, device: str, lanes: int) -> Timed:
    """One universe with some million lanes."""
    import hamlet
    from hamlet.schema.roles import suited_agents

    with tempfile.TemporaryDirectory() as folder:
        module = compiled(name, Path(folder))
        agents = suited_agents(module.universe, 1)
        made = partial(hamlet.make, module, worlds=max(1, lanes // agents), agents=agents, device=device)
        backend = "c" if device == "cpu" else "triton"
        settings = {"backend": backend, "seed": 1, "quiet": True, "validate": False, "launch": "step", "tune": "off"}
        plain, _, _ = rate(env := made(obs_dtype=None, **settings), device)
        lanes = env.num_lanes
        del env
        env = made(obs_dtype="float32", **settings)
        observed = rate(env, device)
        seen = 0 if env.observation is None else env.observation.element_size() * env.observation.shape[1]
    return Timed(name, agents, lanes, plain, *observed, seen)


def table(compared: list[Compared], rates: list[Timed], about: str) -> str:
    """Both tables in Markdown."""
    lines = [
        "# Universes on a GPU",
        "",
        about,
        "",
        "| universe | equal | values | fired | s |",
        "|---|---|--:|--:|--:|",
    ]
    lines += [
        f"| {row.universe} | {'yes' if row.equal else f'**no**: {row.error}'} | {row.values:,} | "
        f"{row.fired} of {row.constructs} | {row.seconds:.1f} |"
        for row in compared
    ]
    lines += ["", "Agent-ticks/s in millions, random play:", ""]
    lines += ["| universe | agents | lanes | rollout | observed, f32 | bytes seen |", "|---|--:|--:|--:|--:|--:|"]
    lines += [
        f"| {row.universe} | {row.agents} | {row.lanes:,} | {row.rollout / 1e6:,.0f} | {row.observed / 1e6:,.0f} "
        f"({row.slowest / 1e6:,.0f} to {row.fastest / 1e6:,.0f}) | {row.observation:,} |"
        for row in rates
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Exit code 0: every universe was compared, and no bit differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("universes", nargs="*", help="names such as town or ports/taxi; by default all")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--times", action="store_true", help="compare nothing, and time")
    parser.add_argument(
        "--jobs", type=int, default=max(1, len(os.sched_getaffinity(0)) - 2), help="processes at a time"
    )
    parser.add_argument("--seconds", type=float, default=240.0, help="after so many no universe is begun")
    parser.add_argument("--lanes", type=int, default=LANES, help="agents of all worlds, for times")
    parser.add_argument("--json", type=Path, help="a .md of the same name goes beside it")
    parser.add_argument("--commit", help="hash of the commit, where git cannot say it")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory(prefix="gpu_universes_") as cache:
        as_installed(Path(cache) / "installed")
        if arguments.one:
            print(json.dumps(asdict(compare(arguments.one, arguments.device))))
            return 0
        # Processes share what Triton compiled.
        os.environ |= {"TRITON_CACHE_DIR": f"{cache}/triton", "XDG_CACHE_HOME": f"{cache}/hamletc"}
        return check(arguments)


def check(arguments: argparse.Namespace) -> int:
    """Compare, time, write."""
    import torch
    from gpu_parts import facts

    folder = ROOT / "universes"
    names = arguments.universes or [
        path.relative_to(folder).with_suffix("").as_posix() for path in sorted(folder.rglob("*.hamlet"))
    ]
    until = time.monotonic() + arguments.seconds
    machine = facts(torch.device(arguments.device), arguments.commit)
    about = ", ".join(f"{name} {value}" for name, value in machine.items())
    rows: dict[str, list[Any]] = {"compared": [], "timed": []}

    def save() -> None:
        if arguments.json:
            found = {name: [asdict(row) for row in each] for name, each in rows.items()}
            arguments.json.write_text(json.dumps({"facts": machine, **found}, indent=2) + "\n")
            arguments.json.with_suffix(".md").write_text(table(rows["compared"], rows["timed"], about))

    with ThreadPoolExecutor(arguments.jobs) as pool:
        compared = [] if arguments.times else names
        for row in pool.map(partial(compare_apart, device=arguments.device, until=until), compared):
            rows["compared"].append(row)
            save()
    for name in TIMED:
        if name in names and time.monotonic() < until:
            try:
                rows["timed"].append(timed(name, arguments.device, arguments.lanes))
            except Exception as error:
                # What breaks one universe leaves the times of the others.
                print(f"{name}: not timed: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            save()
    print(table(rows["compared"], rows["timed"], about))
    return 0 if all(row.equal for row in rows["compared"]) else 1


if __name__ == "__main__":
    sys.exit(main())
