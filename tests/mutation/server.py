"""Runs mutants in forked processes: torch, Triton and what the interpreter does are loaded and recorded once."""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pickle
import resource
import select
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from mutant import BY_HAND, COMPILER, ROOT, Mutant, place
from verdict import StageName, Verdict, anywhere

os.environ["TRITON_INTERPRET"] = "1"  # Triton reads it when it is imported

import hypothesis  # noqa: F401 - here and below: so that a fork has it
import jinja2  # noqa: F401
import torch
import triton  # noqa: F401
from baseline import Baseline
from killers import SECONDS, CompileError, checks

T = TypeVar("T")

STILL = 60
"""Seconds after which processes that have used no processor time will not go on."""

MUTATED = (
    *("hamletc.ir", "hamletc.lowering", "hamletc.passes", "hamletc.kernel", "hamletc.targets"),
    *("hamletc.compilation", "hamletc.compile", "hamletc.package", "hamlet_lab.diff"),
    *("hamlet.native", "hamlet.launch", "hamlet_train.exact"),
)
ALSO = ("samples", "agreement")
"""Modules of tests that keep hold of modules that are mutated."""


def forget() -> None:
    """Let go of all modules that a mutant can change: a fork imports them anew."""
    for name in list(sys.modules):
        if name.startswith((*MUTATED, *ALSO)):
            del sys.modules[name]
            parent, _, child = name.rpartition(".")
            if parent in sys.modules and hasattr(sys.modules[parent], child):
                delattr(sys.modules[parent], child)


def forked(work: Callable[[], T]) -> T:
    """What work gives in a process of its own, in which the mutated modules are imported anew."""
    (result,) = all_forked([work], 1)
    return result


def all_forked(works: Sequence[Callable[[], T]], jobs: int) -> Iterator[T]:
    """What works give in processes of their own, so many at a time, in order."""
    forget()
    for begin in range(0, len(works), jobs):
        for pid, reading in [_begun(work) for work in works[begin : begin + jobs]]:
            with os.fdopen(reading, "rb") as pipe:
                content = pipe.read()
            os.waitpid(pid, 0)
            result: T = pickle.loads(content)
            yield result


def _begun(work: Callable[[], T]) -> tuple[int, int]:
    """A process that works, and what it writes into."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        try:
            content = pickle.dumps(work())
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(content)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(writing)
    return pid, reading


def run_all(
    mutants: Sequence[tuple[Mutant, Sequence[StageName]]], known: Baseline, jobs: int, scratch: Path
) -> Iterator[Verdict]:
    """The verdicts on mutants after these stages, as they come."""
    torch.set_num_threads(1)
    forget()
    gc.collect()
    gc.freeze()
    waiting, running = list(reversed(mutants)), dict[int, tuple[int, Mutant]]()
    for job in range(jobs):
        for folder in _copied():
            shutil.copytree(ROOT / folder, scratch / f"{job}" / Path(*folder.parts[1:]))
    free = list(range(jobs))
    while waiting or running:
        while waiting and free:
            job, (mutant, stages) = free.pop(), waiting.pop()
            _copy(mutant, scratch / f"{job}").write_text(mutant.text, encoding="utf-8")
            pid = os.fork()
            if pid == 0:
                _work(mutant, known, scratch / f"{job}", stages, scratch / f"{job}.json")
            running[pid] = job, mutant
        pid, _ = os.wait()
        job, mutant = running.pop(pid)
        free.append(job)
        shutil.copy2(place(mutant.path), _copy(mutant, scratch / f"{job}"))
        verdict = scratch / f"{job}.json"
        yield Verdict(**json.loads(verdict.read_text(encoding="utf-8")))
        verdict.unlink()


def _copied() -> list[Path]:
    """The folders that are mutated, below the project's."""
    return [COMPILER.relative_to(ROOT), *map(Path, BY_HAND.values())]


def _copy(mutant: Mutant, copy: Path) -> Path:
    """Where a copy of the mutated folders has the mutant's file."""
    return copy.joinpath(*place(mutant.path).relative_to(ROOT).parts[1:])


def _use(copy: Path) -> None:
    """Let this process and its children import from a copy of the mutated folders what is there."""
    for folder in _copied():
        package, *inner = folder.parts[1:]
        module = importlib.import_module(package)
        if inner:
            module.__path__.insert(0, str(copy / package))
        else:
            module.__path__[:] = [str(copy / package)]
    sys.path.insert(0, str(copy))
    os.environ["PYTHONPATH"] = f"{copy}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"


def _work(mutant: Mutant, known: Baseline, copy: Path, stages: Sequence[StageName], result: Path) -> None:
    """Run the stages one after the other, each in a fork of its own; the verdict goes into a file."""
    # What is compiled of a mutant must not be taken for the next one's.
    sys.dont_write_bytecode, os.environ["PYTHONDONTWRITEBYTECODE"] = True, "1"
    _use(copy)
    before, after = mutant.lines
    killed, found = "", {"check": "", "how": "", "reason": ""}
    begin = resource.getrusage(resource.RUSAGE_CHILDREN)
    for stage in stages:
        outcome = _forked(lambda stage=stage: _stage(stage, mutant, known), SECONDS[stage])
        if outcome is not None:
            killed, found = stage, outcome
            break
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime
    verdict = Verdict(
        mutant.name,
        mutant.path,
        mutant.line,
        mutant.kind,
        before,
        after,
        killed,
        stage,
        **found,
        seconds=round(seconds, 2),
    )
    result.write_text(json.dumps(asdict(verdict)), encoding="utf-8")
    os._exit(0)


def _stage(stage: StageName, mutant: Mutant, known: Baseline) -> dict[str, str] | None:
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    for each in checks(stage, mutant, known):
        name, until = each.name, int(sum(os.times()[:2]) + each.seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (min(until, hard), hard))
        try:
            each.check()
        except Exception as error:
            differs = isinstance(error, AssertionError) or type(error).__name__ == "FailedTestError"
            how = "import" if isinstance(error, CompileError) else "difference" if differs else "error"
            text = (str(error).splitlines() or [""])[0]
            if type(error).__name__ == "FailedTestError":
                name, _, text = text.partition(": ")
                how = "difference" if text.startswith(("assert", "Assertion", "Failed")) else "error"
            else:
                text = f"{type(error).__name__}: {text}"
            return {"check": name, "how": how, "reason": anywhere(text)[:300]}
    return None


def _ticks(group: int) -> int:
    """The processor time of all processes of a group."""
    total = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[2]) == group:
                total += sum(map(int, fields[11:15]))
    return total


def _forked(work: Callable[[], dict[str, str] | None], seconds: int) -> dict[str, str] | None:
    """What work gives in a process of its own that has so much processor time, and ends when it and its children use
    none of it for long: they wait for each other."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        try:
            outcome: Any = work()
        except BaseException as error:
            outcome = {"check": "", "how": "error", "reason": "".join(traceback.format_exception_only(error))[:300]}
        os.write(writing, json.dumps(outcome).encode())
        os._exit(0)
    os.close(writing)
    content, used, begin = b"", 0, time.monotonic()
    while True:
        if select.select([reading], [], [], 5.0)[0]:
            block = os.read(reading, 1 << 16)
            if not block:
                break
            content += block
        elif (now := _ticks(pid)) != used:
            used, begin = now, time.monotonic()
        elif time.monotonic() - begin > STILL:
            break
    os.close(reading)
    if not content:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    if content:
        result: dict[str, str] | None = json.loads(content)
        return result
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    timed_out = number in (signal.SIGXCPU, signal.SIGKILL)
    return {"check": "", "how": "time" if timed_out else "signal", "reason": f"ended by signal {number}"}
