"""Where nothing, or not all, can be written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fault import HAMLETC, PACK, TEXT, Fault, built, one_line, process

import hamlet
from hamletc.errors import CompileError
from hamletc.package import write


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
            "import sys, resource, fault; from pathlib import Path\n"
            "home = Path(sys.argv[1]); files = fault.built(home, '0.02')\n"
            f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
            "from hamletc.errors import CompileError; from hamletc.package import write\n"
            "try:\n    print('all', write(files, home / 'package'))\n"
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
    ("run", "{universe}", "--backend", "c", "--worlds", "8", "--ticks", "20"),
    ("verify", "{universe}", "--backends", "c", "--quick"),
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
    nowhere = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "TRITON_CACHE_DIR"), "/proc/nowhere")
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
    os.chdir(Path(__file__).parent)
    shutil.rmtree(folder)


def _unread() -> int:
    reader, writer = os.pipe()
    os.close(reader)
    return writer
