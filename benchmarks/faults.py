"""What happens when things go wrong, tried many times:

    python benchmarks/faults.py

Packages and caches damaged byte by byte; compilers killed, side by side, on a full disk; homes that cannot be written;
a stdout that is closed or full; Ctrl-C in steps and rollouts. Writes what was tried, how often, and what went wrong to
benchmarks/results/faults.json and faults.md; exit code 1 if anything did. Takes some ten minutes; `--share 0.01` tries a
hundredth of everything. A disk is full by way of a small one that is mounted, for which one must be root, or else by a limit
on the size of files.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
import torch

import hamlet
from facts import facts
from hamlet import ModuleError, cache
from hamlet.env import SPANS
from hamlet.manifest import FILENAME
from hamletc.compile import Options, Stopwatch, build, check_file
from hamletc.errors import CompileError
from hamletc.package import write

ROOT = Path(__file__).resolve().parent.parent
RESULT = Path(__file__).parent / "results" / "faults.json"
UNIVERSES = ROOT / "universes"
PACK = UNIVERSES / "packs" / "greenhouse"
SEED = 18
TEXT = """universe tiny

space none

meter energy = 1 {{ decay {decay} }}

action EAT {{ energy += 0.1 }}

dies when energy <= 0

reward energy

observe {{ meters }}
"""
HAMLETC = (sys.executable, "-c", "from hamletc.cli.main import main; main()")
EACH = 16
"""A file ends at each byte whose number this divides."""
SHOWN = 5
"""Problems of a kind that are written down."""

Files: TypeAlias = dict[str, bytes]


@dataclass(slots=True)
class Fault:
    """What was tried.

    Attributes:
        name, expected: what goes wrong, and what is to happen then.
        tried: how often.
        seen: how often something happened that is no problem, by what it is.
        problems: everything else.
    """

    name: str
    expected: str
    tried: int = 0
    seen: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def note(self, what: str) -> None:
        """One more try, and what happened."""
        self.tried += 1
        self.seen[what] = self.seen.get(what, 0) + 1

    def fail(self, problem: str) -> None:
        """One more try, which went wrong."""
        self.tried += 1
        self.problems.append(problem)


def built(folder: Path, decay: str) -> Files:
    """The files of a small universe."""
    (folder / "tiny.hamlet").write_text(TEXT.format(decay=decay))
    return build(check_file(folder / "tiny.hamlet", Stopwatch()).universe, Options(), Stopwatch())


def process(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """`hamletc` with these arguments."""
    command = [*HAMLETC, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)


def one_line(text: str) -> bool:
    return len(text.strip().splitlines()) == 1 and "Traceback" not in text


# --- what is damaged -------------------------------------------------------------------------------------------------


def damaged_packages(share: float) -> Iterator[Fault]:
    """Every byte of every file, one after the other."""
    folder = Path(tempfile.mkdtemp())
    checked = check_file(PACK, Stopwatch())
    files = build(checked.universe, Options(), Stopwatch(), checked.pack)
    write(files, folder / "package")
    for name, content in sorted(files.items()):
        fault = Fault(f"a byte of `{name}` is another one, or the file ends there", "load refuses it in one line")
        for at in range(0, len(content), max(round(1 / share), 1)):
            changed = content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1 :]
            for damage in (changed, content[:at])[: 1 if at % EACH else 2]:
                (folder / "package" / name).write_bytes(damage)
                _refused(fault, folder / "package", f"byte {at}")
        (folder / "package" / name).write_bytes(content)
        hamlet.load(folder / "package")
        yield fault
    shutil.rmtree(folder)


def _refused(fault: Fault, package: Path, what: str) -> None:
    try:
        hamlet.load(package)
    except ModuleError as error:
        return fault.note("refused") if one_line(str(error)) else fault.fail(f"{what}: {error}")
    except Exception as error:
        return fault.fail(f"{what}: {error!r}")
    return fault.fail(f"{what}: was loaded")


def damaged_caches(share: float) -> Iterator[Fault]:
    """The machine code of a kernel, and what was measured."""
    folder = Path(tempfile.mkdtemp())
    os.environ["XDG_CACHE_HOME"] = str(folder)
    thing = random.Random(SEED).randbytes(20_000)
    cache.keep("kernels", "0" * 64, thing)
    key, answer = {"device": "this"}, {"seconds": {"64": 0.25}, "measured": "today"}
    cache.save("crossover", key, answer)
    kinds: tuple[tuple[str, Callable[[], object], object], ...] = (
        ("kernels", lambda: cache.recall("kernels", "0" * 64), thing),
        ("crossover", lambda: cache.load("crossover", key), answer),
    )
    for kind, recall, whole in kinds:
        fault = Fault(f"a byte in the cache `{kind}` is another one, or the file ends there", "what was kept, or nothing")
        (file,) = (folder / "hamletc" / kind).iterdir()
        content = file.read_bytes()
        for at in range(0, len(content), max(round(1 / share), 1)):
            for damage in (content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1 :], content[:at]):
                file.write_bytes(damage)
                try:
                    found = recall()
                except Exception as error:
                    fault.fail(f"byte {at}: {error!r}")
                    continue
                if found is None:
                    fault.note("nothing")
                else:
                    fault.note("the same") if found == whole else fault.fail(f"byte {at}: something else")
        yield fault
    del os.environ["XDG_CACHE_HOME"]
    shutil.rmtree(folder)


# --- who is stopped --------------------------------------------------------------------------------------------------


def killed_compilers(share: float) -> Iterator[Fault]:
    """Processes of `hamletc compile` at any moment, and one that does nothing but write."""
    folder = Path(tempfile.mkdtemp())
    first, second = built(folder, "0.03"), built(folder, "0.02")
    output, drawn = folder / "package", random.Random(SEED)
    write(first, output)
    fault = Fault("`kill -9` of `hamletc compile`", "the package before or after, whole")
    begin = time.perf_counter()
    process("compile", folder / "tiny.hamlet", "-o", output)
    whole = time.perf_counter() - begin
    write(first, output)
    for _ in range(max(round(100 * share), 2)):
        child = subprocess.Popen([*HAMLETC, "compile", folder / "tiny.hamlet", "-o", output], stdout=subprocess.DEVNULL)
        time.sleep(drawn.uniform(0.2, 1.05) * whole)
        child.kill()
        child.wait()
        _whole(fault, output, first, second)
        write(first, output)
    yield fault
    fault = Fault("`kill -9` of a process that only writes packages", "the package before or after, whole")
    for _ in range(max(round(2000 * share), 2)):
        child_id = os.fork()
        if child_id == 0:
            with suppress(BaseException):
                while True:
                    write(second, output)
                    write(first, output)
            os._exit(1)
        time.sleep(drawn.uniform(0.001, 0.02))
        os.kill(child_id, signal.SIGKILL)
        os.waitpid(child_id, 0)
        _whole(fault, output, first, second)
    left = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    write(second, output) or write(first, output)
    fault.seen["left a folder that the next one removed"] = len(left)
    if sorted(path.name for path in folder.iterdir()) != ["package", "tiny.hamlet"]:
        fault.problems.append(f"left behind: {sorted(path.name for path in folder.iterdir())}")
    yield fault
    shutil.rmtree(folder)


def _whole(fault: Fault, output: Path, first: Files, second: Files) -> None:
    try:
        hamlet.load(output)
    except ModuleError as error:
        return fault.fail(str(error))
    found = (output / FILENAME).read_bytes()
    return fault.note("before" if found == first[FILENAME] else "after" if found == second[FILENAME] else "?")


def two_compilers(share: float) -> Iterator[Fault]:
    """... into one folder, and somebody who reads it."""
    folder = Path(tempfile.mkdtemp())
    sources = []
    for decay in ("0.03", "0.02"):
        source = folder / f"by{decay[2:]}.hamlet"
        source.write_text(TEXT.format(decay=decay))
        sources.append(source)
    fault = Fault("two processes compile into one folder", "both succeed; the package of one, whole")
    for _ in range(max(round(30 * share), 1)):
        children = [
            subprocess.Popen([*HAMLETC, "compile", each, "-o", folder / "package"], stdout=subprocess.DEVNULL)
            for each in sources
        ]
        codes = [child.wait() for child in children]
        digest = hamlet.load(folder / "package").digest[:8]
        fault.note(f"package {digest}") if codes == [0, 0] else fault.fail(f"exit codes {codes}")
    yield fault
    fault = Fault("a folder is loaded while two threads write other packages into it", "one of them, whole")
    packages, done = [built(folder, decay) for decay in ("0.03", "0.02")], threading.Event()
    write(packages[0], folder / "package")

    def keep_writing(files: Files) -> None:
        while not done.is_set():
            try:
                write(files, folder / "package")
            except CompileError as error:
                fault.fail(str(error))

    threads = [threading.Thread(target=keep_writing, args=(files,)) for files in packages]
    for thread in threads:
        thread.start()
    for _ in range(max(round(5000 * share), 20)):
        try:
            fault.note(f"package {hamlet.load(folder / 'package').digest[:8]}")
        except ModuleError as error:
            fault.fail(str(error))
    done.set()
    for thread in threads:
        thread.join()
    yield fault
    shutil.rmtree(folder)


# --- where nothing can be written ------------------------------------------------------------------------------------


@contextmanager
def small_disk(kilobytes: int) -> Iterator[Path | None]:
    """A file system with so much room; `None` where none can be mounted."""
    folder = Path(tempfile.mkdtemp())
    command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    mounted = shutil.which("mount") is not None and subprocess.run(command, capture_output=True).returncode == 0
    try:
        yield folder if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)
        folder.rmdir()


def full_disks(share: float) -> Iterator[Fault]:
    """With room for more and more of a package, beside an earlier one or not."""
    home = Path(tempfile.mkdtemp())
    first, second = built(home, "0.03"), built(home, "0.02")
    fault = Fault("`write` on a disk that is full after so many kilobytes", "all, or one line and nothing of it")
    for kilobytes in range(4, 4 * sum(map(len, first.values())) // 1024, max(round(4 / share), 4)):
        with small_disk(kilobytes) as disk:
            if disk is None:
                break
            with suppress(CompileError):
                write(first, disk / "package")
            before = sorted(path.name for path in disk.rglob("*"))
            try:
                write(second, disk / "package")
            except CompileError as error:
                now = sorted(path.name for path in disk.rglob("*"))
                if before:
                    hamlet.load(disk / "package")
                fine = one_line(str(error)) and now == before
                fault.note("one line") if fine else fault.fail(f"{kilobytes} KiB: {error}; {now}")
            else:
                hamlet.load(disk / "package")
                fault.note("all")
    yield fault
    fault = Fault("`write` where no file may be longer than so many bytes", "all, or one line and nothing of it")
    write(first, home / "package")
    longest = max(map(len, second.values()))
    for limit in range(0, longest + 200, max(round(50 / share), 50)):
        program = (
            "import sys, resource, faults; from pathlib import Path\n"
            "home = Path(sys.argv[1]); files = faults.built(home, '0.02')\n"
            f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
            "from hamletc.errors import CompileError\n"
            "try:\n    print('all', faults.write(files, home / 'package'))\n"
            "except CompileError as error:\n    print(error)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, str(home)], capture_output=True, text=True, cwd=Path(__file__).parent
        )
        hamlet.load(home / "package")
        names = sorted(path.name for path in home.iterdir())
        if names != ["package", "tiny.hamlet"] or not one_line(done.stdout) or done.stderr:
            fault.fail(f"{limit} bytes: {names} {done.stdout} {done.stderr}")
        else:
            fault.note("all" if done.stdout.startswith("all") else "one line")
        write(first, home / "package")
    yield fault
    shutil.rmtree(home)


VERBS: tuple[tuple[str, ...], ...] = (
    ("check", "{universe}"),
    ("compile", "{universe}", "-o", "{folder}/package"),
    ("compile", "{universe}", "--emit", "ir"),
    ("fmt", "--check", "{universe}"),
    ("import", str(PACK)),
    ("run", "{universe}", "--backend", "numba", "--worlds", "8", "--ticks", "20"),
    ("verify", "{universe}", "--backends", "numba", "--quick"),
    ("diff", "{universe}", "{universe}", "--ticks", "20"),
    ("--help",),
)


def homes_and_outputs(_share: float) -> Iterator[Fault]:
    """Every verb, in a home that cannot be written, and with a stdout that takes nothing."""
    folder = Path(tempfile.mkdtemp())
    (folder / "tiny.hamlet").write_text(TEXT.format(decay="0.03"))
    verbs = [[part.format(universe=folder / "tiny.hamlet", folder=folder) for part in verb] for verb in VERBS]
    os.chdir(folder)
    fault = Fault("a home that cannot be written", "it works, with at most one line that says so")
    nowhere = {name: "/proc/nowhere" for name in ("HOME", "XDG_CACHE_HOME", "TRITON_CACHE_DIR")}
    for verb in verbs:
        done = process(*verb, **nowhere, MPLCONFIGDIR=str(folder))
        lines = [line for line in done.stderr.splitlines() if line.startswith("hamlet: ")]
        fine = done.returncode == 0 and len(lines) <= 1 and "Traceback" not in done.stderr
        fault.note(f"works, {len(lines)} lines") if fine else fault.fail(f"{verb[0]}: {done.stderr[-300:]}")
    yield fault
    outputs: tuple[tuple[str, Callable[[], int], tuple[int, ...]], ...] = (
        ("a stdout that is a full disk", lambda: os.open("/dev/full", os.O_WRONLY), (1,)),
        ("a stdout that nobody reads", _unread, (0, 1)),
        ("a stdout that is closed", lambda: -1, (0,)),
    )
    for name, opened, codes in outputs:
        fault = Fault(name, "at most one line on stderr, no traceback")
        for verb in verbs:
            stdout = opened()
            done = subprocess.run(
                [*HAMLETC, *verb],
                stdout=subprocess.PIPE if stdout < 0 else stdout,
                stderr=subprocess.PIPE,
                text=True,
                preexec_fn=(lambda: os.close(1)) if stdout < 0 else None,
            )
            if stdout >= 0:
                os.close(stdout)
            quiet = "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
            silent = verb[0] == "fmt"
            if quiet and (done.returncode in codes or silent):
                fault.note(f"exit code {done.returncode}")
            else:
                fault.fail(f"{verb[0]}: exit code {done.returncode} {done.stderr[-300:]}")
        yield fault
    os.chdir(ROOT)
    shutil.rmtree(folder)


def _unread() -> int:
    reader, writer = os.pipe()
    os.close(reader)
    return writer


# --- Ctrl-C ----------------------------------------------------------------------------------------------------------


def interrupted(share: float) -> Iterator[Fault]:
    """Steps and rollouts of several threads; afterwards as if nobody had pressed anything."""
    module = hamlet.load(ROOT / "generated" / "first_meal")
    SPANS.update(numba=(0, 50), interpreter=(0, 5))
    for backend, worlds, seconds in (("numba", 64, 20.0), ("numba", 20_000, 20.0), ("interpreter", 300, 20.0)):
        for kind in ("steps", "rollouts"):
            fault = Fault(f"Ctrl-C in {kind} of {worlds:,} worlds, {backend}", "all lanes at the tick that `tick` says")
            env, other = (module.make(worlds, device="cpu", backend=backend, seed=5, quiet=True) for _ in range(2))
            actions = torch.randint(env.num_actions, (64, worlds), generator=torch.Generator().manual_seed(SEED))
            counts = env.rollout(1).counts
            tick = _pressed(fault, lambda: _work(env, kind, actions, counts), max(seconds * share, 1))
            expected = other.rollout(1).counts
            if kind == "steps":
                for at in range(1, env.tick):
                    other.step(actions[at % 64])
            else:
                other.rollout(env.tick - 1, statistics=expected)
            same = all(
                torch.equal(a, b) for a, b in zip(env._buffers.tensors, other._buffers.tensors, strict=True)
            ) and all(np.array_equal(value, expected.memory[name]) for name, value in counts.memory.items())
            fault.seen[f"equal after {env.tick:,} ticks"] = 1
            if not same or tick != env.tick:
                fault.problems.append("other bits")
            yield fault


def _work(env: hamlet.env.Env, kind: str, actions: torch.Tensor, counts: object) -> int:
    if kind == "steps":
        env.step(actions[env.tick % 64])
    else:
        env.rollout(200, statistics=counts)  # type: ignore[arg-type]
    return env.tick


def _pressed(fault: Fault, work: Callable[[], int], seconds: float) -> int:
    """Do it again and again, and press Ctrl-C meanwhile; the last tick."""
    armed, done, ends, tick = False, threading.Event(), time.monotonic() + seconds, 0

    def handler(*_: object) -> None:
        nonlocal armed
        if armed:
            armed = False
            raise KeyboardInterrupt

    def press() -> None:
        while not done.wait(0.002):
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, handler)
    thread = threading.Thread(target=press)
    thread.start()
    while time.monotonic() < ends:
        try:
            armed = True
            while time.monotonic() < ends:
                work()
            armed = False
        except KeyboardInterrupt:
            fault.note("interrupted")
    done.set()
    thread.join()
    signal.signal(signal.SIGINT, before)
    tick = work()
    return tick


# --- all of it -------------------------------------------------------------------------------------------------------

ALL = (
    damaged_packages,
    damaged_caches,
    killed_compilers,
    two_compilers,
    full_disks,
    homes_and_outputs,
    interrupted,
)


def table(faults: list[Fault], told: dict[str, str]) -> str:
    """As Markdown."""
    lines = ["# Faults", "", "| what | expected | tried | seen | problems |", "| --- | --- | --: | --- | --: |"]
    for fault in faults:
        seen = ", ".join(f"{what}: {count:,}" for what, count in sorted(fault.seen.items()))
        lines.append(f"| {fault.name} | {fault.expected} | {fault.tried:,} | {seen} | {len(fault.problems)} |")
    return "\n".join([*lines, "", f"{told['machine']}; {told['versions']}; commit {told['commit'][:12]}; "
                      f"`{told['command']}`.", ""])  # fmt: skip


def main() -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(description="What happens when things go wrong, tried many times.")
    parser.add_argument("--share", type=float, default=1.0, help="how much of it (default: 1)")
    parser.add_argument("--only", choices=[each.__name__ for each in ALL], action="append", help="some of it")
    parser.add_argument("--json", type=Path, default=RESULT, help="where to write the results")
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    told, faults = facts("benchmarks/faults.py", "numba"), []
    for each in ALL:
        if asked.only and each.__name__ not in asked.only:
            continue
        for fault in each(asked.share):
            faults.append(fault)
            print(f"{fault.tried:9,} {len(fault.problems):3} {fault.name}", flush=True)
            for problem in fault.problems[:SHOWN]:
                print(f"    {problem}", flush=True)
    listed = [asdict(fault) | {"problems": fault.problems[:SHOWN], "failed": len(fault.problems)} for fault in faults]
    asked.json.write_text(json.dumps({**told, "faults": listed}, indent=1) + "\n")
    asked.json.with_suffix(".md").write_text(table(faults, told))
    return int(any(fault.problems for fault in faults))


if __name__ == "__main__":
    sys.exit(main())
