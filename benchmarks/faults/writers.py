"""Compilers that are killed, and that write side by side."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from fault import HAMLETC, SEED, TEXT, Fault, Files, built, process

import hamlet
from hamlet import ModuleError
from hamlet.package.manifest import FILENAME
from hamletc.errors import CompileError
from hamletc.package import write


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
